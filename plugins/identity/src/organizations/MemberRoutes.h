#pragma once

#include "common/Core.h"
#include "organizations/Memberships.h"
#include "permissions/Actor.h"
#include "sessions/SessionEvents.h"

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

/// Who belongs to an organization, under the rules of rank. Thread-safe.
class MemberRoutes
{
public:
    explicit MemberRoutes(Core& core) : _core(core), _events(core.context.channels()) {}
    void declare(Routes& routes);

    /// In the order in which they joined. On origins of other services ids and names alone.
    Page<Membership> list(const Caller& caller, const Path<OrganizationId>& id, const Query<MemberFilterQuery>& filter,
                          const Paging& paging) const;
    Membership update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                      const Body<Patch<Membership>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                     const IfMatch& match);

private:
    /// In identity itself, and in a console.
    bool managesFor(const Caller& caller) const;
    /// The member's open pages learn what has changed.
    void tell(const UserId& userId, const std::vector<std::string>& ended) const;

    Core& _core;
    SessionEvents _events;
};

} // namespace portico::identity
