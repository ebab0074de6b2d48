#include "organizations/MemberRoutes.h"

#include "audit/Audit.h"
#include "common/Requests.h"
#include "organizations/Invitations.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

Membership requireMember(Session& session, const OrganizationId& organization, const UserId& user)
{
    auto membership = membershipTable.find(session, organization, user);
    if (!membership) throw Problem::notFound();
    return *std::move(membership);
}

bool losesOwner(const Membership& before, const Membership& after)
{
    const auto owns = [](const Membership& one) { return one.role == Role::Owner && one.status == MembershipStatus::Active; };
    return owns(before) && !owns(after);
}

} // namespace

void MemberRoutes::declare(Routes& routes)
{
    const auto manage = access::bearer("members:manage");
    routes
        .get("/api/organizations/{organizationId}/members", access::bearerOrKey("members:read", "members.read"), &MemberRoutes::list, this,
             {.summary = "List members; other services see IDs and names only", .onEveryOrigin = true})
        .patch("/api/organizations/{organizationId}/members/{userId}", manage, &MemberRoutes::update, this,
               {.summary = "Change, suspend or reinstate a member", .problems = {"403 outranked", "403 role_above_own", "409 last_owner"}})
        .del("/api/organizations/{organizationId}/members/{userId}", manage, &MemberRoutes::remove, this,
             {.summary = "Remove a member and end their sign-ins in the organization", .problems = {"403 outranked", "409 last_owner"}});
}

bool MemberRoutes::managesFor(const Caller& caller) const
{
    return caller.serviceId == identityServiceId || _core.settings.isConsole(caller.serviceId);
}

Page<Membership> MemberRoutes::list(const Caller& caller, const Path<OrganizationId>& id, const Query<MemberFilterQuery>& filter,
                                    const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const bool manages = managesFor(caller);
    const bool anywhere = caller.platformBypass && caller.credential != CredentialKind::ApiKey && manages;
    if (!anywhere && caller.organizationId != id->text()) throw Problem::notFound();
    if (!organizations::find(session, *id)) throw Problem::notFound();
    auto select = membershipTable.select(*id);
    if (!filter->role.empty()) select.whereIn(&Membership::role, filter->role);
    if (!filter->status.empty()) select.whereIn(&Membership::status, filter->status);
    if (!filter->q.empty())
    {
        const auto name = likePattern(fold(filter->q));
        // Callers who see names only cannot search by address.
        if (manages)
            select.where("user_id IN (SELECT id FROM users WHERE folded_name LIKE ? ESCAPE '\\' OR email_key LIKE ? ESCAPE '\\')", name,
                         likePattern(emailKey(filter->q)));
        else
            select.where("user_id IN (SELECT id FROM users WHERE folded_name LIKE ? ESCAPE '\\')", name);
    }
    auto page = select.orderBy(&Membership::joinedAt).page(session, paging);
    memberships::complete(session, *id, page.items, manages);
    if (!manages) page.fields = {"id", "organizationId", "userId", "user"};
    return page;
}

Membership MemberRoutes::update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                                const Body<Patch<Membership>>& patch, const IfMatch& match)
{
    std::vector<std::string> ended;
    auto changed = _core.changes.run(
        {*userId},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            // Locks before reading: of two members who change each other, the second sees the first change.
            organizations::lock(transaction, *id);
            const Actor actor(transaction, caller, now);
            actor.requireOrganization(*id);
            const auto before = requireMember(transaction, *id, *userId);
            match.require(before.version);
            auto after = before;
            patch->applyTo(after);
            if (after.status != before.status && after.status != MembershipStatus::Active && after.status != MembershipStatus::Suspended)
                throw Problem::invalid("status", "invalid_choice", "Use active or suspended.");
            actor.requireMayChange(actor.rankOf(*userId, *id));
            if (after.role != before.role || after.status != before.status)
            {
                memberships::change(transaction, actor, *id, after, now);
                const auto log = AuditLog::of(request, now, *id);
                if (after.status == MembershipStatus::Suspended)
                    ended = memberships::endSignIns(transaction, *id, *userId, end_reason::userDisabled, now, &log);
                log.record(transaction, "membership.changed", *userId,
                           {{"from", before.role}, {"to", after.role}, {"status", after.status}});
            }
            std::vector<Membership> shown{std::move(after)};
            memberships::complete(transaction, *id, shown, true);
            return std::move(shown.front());
        });
    tell(*userId, ended);
    return changed;
}

NoContent MemberRoutes::remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& userId,
                               const IfMatch& match)
{
    std::vector<std::string> ended;
    _core.changes.run({*userId},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          organizations::lock(transaction, *id);
                          const Actor actor(transaction, caller, now);
                          actor.requireOrganization(*id);
                          auto membership = requireMember(transaction, *id, *userId);
                          match.require(membership.version);
                          // Every member may leave.
                          if (!actor.isSelf(*userId)) actor.requireMayChange(actor.rankOf(*userId, *id));
                          auto removed = membership;
                          removed.status = MembershipStatus::Removed;
                          if (losesOwner(membership, removed)) memberships::requireAnotherOwner(transaction, *id, *userId);
                          memberships::update(transaction, *id, removed, now);
                          const auto log = AuditLog::of(request, now, *id);
                          ended = memberships::cleanUp(transaction, *id, *userId, now, actor.isSelf(*userId) ? nullptr : &log);
                          invitations::revokeBeyond(transaction, *id, *userId, removed, now);
                          log.record(transaction, "membership.removed", *userId);
                      });
    tell(*userId, ended);
    return {};
}

void MemberRoutes::tell(const UserId& userId, const std::vector<std::string>& ended) const
{
    _core.sessionEvents.ended(ended);
    const auto user = _core.read([&](Session& session) { return users::find(session, userId.text()); });
    if (user) _core.sessionEvents.revised(user->id.text(), user->revision);
}

} // namespace portico::identity
