#pragma once

#include "common/Core.h"
#include "organizations/Memberships.h"
#include "permissions/Actor.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct MemberFilterQuery
{
    std::vector<Role> role;
    std::vector<MembershipStatus> status;
    std::string q;
};

constexpr auto schemaOf(const MemberFilterQuery*)
{
    return describe(members<&MemberFilterQuery::role, &MemberFilterQuery::status>(), field<&MemberFilterQuery::q>().maxLength(120));
}

/// Manages members of an organization by the rules of ranks. Thread-safe.
class MemberRoutes
{
public:
    explicit MemberRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    /// Lists in the order of joining. Origins of other services get ids and names only.
    Page<Membership> list(const Caller& caller, const Path<OrganizationId>& id, const Query<MemberFilterQuery>& filter,
                          const Paging& paging) const;
    Membership update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                      const Body<Patch<Membership>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                     const IfMatch& match);

private:
    /// Returns true in identity and in a console.
    bool managesFor(const Caller& caller) const;
    /// Notifies the member's open pages of the change.
    void tell(const UserId& userId, const std::vector<std::string>& ended) const;

    Core& _core;
};

} // namespace portico::identity
