#pragma once

#include "scim/Provisioning.h"

#include "portico/Table.h"

#include <set>

namespace portico::identity::scim
{

/// Row of `scim_groups`.
struct Group : Versioned
{
    GroupId id;
    std::string displayName;
    std::optional<std::string> externalId;
    std::string displayNameKey;

    /// Returns the role that the group grants; empty: none.
    std::optional<Role> role() const;
};

constexpr auto schemaOf(const Group*)
{
    return describe(members<&Group::id, &Group::displayName, &Group::externalId>(), versioned<Group>(),
                    field<&Group::displayNameKey>().columnOnly())
        .named("ScimGroup");
}

inline constexpr Table groupTable{"scim_groups", &Group::id};

/// Groups of an organization's directory. Groups named `guest`, `member` and `admin` grant that role to their members; the highest one
/// applies. A user who leaves all of them becomes a member. Other groups grant nothing. Groups neither change nor grant the roles super
/// admin and owner. Thread-safe.
class Groups
{
public:
    explicit Groups(Core& core) : _core(core), _base(baseOf(core)) {}

    /// @param projection determines whether members are read
    boost::json::object find(const Call& call, std::string_view id, const Projection& projection) const;
    boost::json::object list(const Call& call, const ListQuery& query) const;
    /// @throws Problem 400 `invalidValue` for a user who is not a member of the organization, 409 `uniqueness`
    boost::json::object create(const Call& call, const boost::json::object& sent);
    /// @param edit may be called twice
    boost::json::object change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit);
    void remove(const Call& call, std::string_view id, std::string_view ifMatch);

private:
    using Members = std::set<std::string>;

    boost::json::object resource(Session& session, const OrganizationId& organization, const Group& group, bool whole) const;
    void write(Transaction& transaction, const OrganizationId& organization, const Group& group, const Members& before,
               const Members& after) const;
    /// Sets the roles that the users' groups grant now. @return users whose role has changed
    std::vector<UserId> settleRoles(Transaction& transaction, const Call& call, const Members& concerned) const;
    void tell(const std::vector<UserId>& changed) const;

    Core& _core;
    const std::string _base;
};

} // namespace portico::identity::scim
