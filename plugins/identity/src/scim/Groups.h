#pragma once

#include "scim/Provisioning.h"

#include "portico/Table.h"

#include <set>

namespace portico::identity::scim
{

/// A row of `scim_groups`.
struct Group : Versioned
{
    GroupId id;
    std::string displayName;
    std::optional<std::string> externalId;
    std::string displayNameKey;

    /// What those who are in it become; empty: nothing.
    std::optional<Role> role() const;
};

constexpr auto schemaOf(const Group*)
{
    return describe(members<&Group::id, &Group::displayName, &Group::externalId>(), versioned<Group>(),
                    field<&Group::displayNameKey>().columnOnly())
        .named("ScimGroup");
}

inline constexpr Table groupTable{"scim_groups", &Group::id};

/// Groups of an organization's directory. Those named `guest`, `member` and `admin` give that role to whom they hold, the highest of
/// several; who is in none of them any more is a member. Other groups give nothing. Roles of super admins and owners stay as they are, and
/// nobody becomes one by a group. Thread-safe.
class Groups
{
public:
    explicit Groups(Core& core) : _core(core), _events(core.context.channels()), _base(baseOf(core)) {}

    /// @param projection whether anything of its members is wanted
    boost::json::object find(const Call& call, std::string_view id, const Projection& projection) const;
    boost::json::object list(const Call& call, const ListQuery& query) const;
    /// @throws Problem 400 `invalidValue` for a member who is none of the organization, 409 `uniqueness`
    boost::json::object create(const Call& call, const boost::json::object& sent);
    /// @param edit may run twice
    boost::json::object change(const Call& call, std::string_view id, std::string_view ifMatch, const Edit& edit);
    void remove(const Call& call, std::string_view id, std::string_view ifMatch);

private:
    using Members = std::set<std::string>;

    boost::json::object resource(Session& session, const OrganizationId& organization, const Group& group, bool whole) const;
    void write(Transaction& transaction, const OrganizationId& organization, const Group& group, const Members& before,
               const Members& after) const;
    /// Gives those the role that their groups give now. @return whose is another
    std::vector<UserId> settleRoles(Transaction& transaction, const Call& call, const Members& concerned) const;
    void tell(const std::vector<UserId>& changed) const;

    Core& _core;
    SessionEvents _events;
    const std::string _base;
};

} // namespace portico::identity::scim
