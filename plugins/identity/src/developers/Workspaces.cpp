#include "developers/Workspaces.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "clients/OAuthClient.h"
#include "organizations/Founding.h"
#include "organizations/Memberships.h"
#include "records/ApiKey.h"
#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto ownerInvitationLife = std::chrono::hours(24 * 30);

EventName eventOf(OrganizationStatus status)
{
    if (status == OrganizationStatus::Active) return "workspace.active";
    if (status == OrganizationStatus::Suspended) return "workspace.suspended";
    return "workspace.revoked";
}

std::vector<OrganizationStatus> nextOf(OrganizationStatus status, bool mayRestoreRevoked)
{
    using enum OrganizationStatus;
    if (status == Active) return {Suspended, Revoked};
    if (status == Suspended) return {Active, Revoked};
    return mayRestoreRevoked ? std::vector{Active} : std::vector<OrganizationStatus>();
}

void requireMove(OrganizationStatus from, OrganizationStatus to, bool mayRestoreRevoked)
{
    const auto allowed = nextOf(from, mayRestoreRevoked);
    if (std::ranges::find(allowed, to) != allowed.end()) return;
    std::vector<std::string> names;
    for (const auto status : allowed) names.emplace_back(toString(status));
    throw review::invalidTransition(toString(from), toString(to), names);
}

} // namespace

void Workspaces::declare(Routes& routes)
{
    const auto row = [](std::string_view summary) { return RouteOptions{.summary = summary, .problems = {"409 invalid_transition"}}; };
    routes
        .post("/api/developer-workspaces/{organizationId}/suspend", access::bearer().forOperators(), &Workspaces::suspend, this,
              row("Suspend a developer workspace and its keys"))
        .post("/api/developer-workspaces/{organizationId}/reinstate", access::bearer().forOperators(), &Workspaces::reinstate, this,
              row("Reinstate a developer workspace"))
        .post("/api/developer-workspaces/{organizationId}/revoke", access::bearer().forOperators(), &Workspaces::revoke, this,
              row("Revoke a developer workspace, its keys and clients"));
}

Organization Workspaces::suspend(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                 const Body<ClosingInput>& input)
{
    return move(caller, request, *id, OrganizationStatus::Suspended, input->reason);
}

Organization Workspaces::reinstate(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                   const Body<ClosingInput>& input)
{
    return move(caller, request, *id, OrganizationStatus::Active, input->reason);
}

Organization Workspaces::revoke(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                const Body<ClosingInput>& input)
{
    return move(caller, request, *id, OrganizationStatus::Revoked, input->reason);
}

Organization Workspaces::move(const Caller& caller, const Request& request, const OrganizationId& id, OrganizationStatus to,
                              std::string_view reason)
{
    std::vector<std::string> ended;
    // Runs as a change that concerns all callers, because the affected sign-ins are only known inside.
    auto moved = _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const Actor actor(transaction, caller, now);
            actor.requireOperator();
            const auto before = organizations::lock(transaction, id);
            if (before.kind != OrganizationKind::DeveloperWorkspace) throw Problem::notFound();
            requireMove(before.status, to, actor.rank() == rank(PlatformRole::PlatformSuperAdmin));
            ended = close(transaction, request, id, to, reason, now);
            auto after = *organizations::find(transaction, id);
            organizations::complete(transaction, after);
            return after;
        });
    _core.sessionEvents.ended(ended);
    return moved;
}

OrganizationId Workspaces::open(Transaction& transaction, const Developer& developer, const User& reviewer, Instant now)
{
    if (developer.workspaceOrganizationId) return *developer.workspaceOrganizationId;
    const auto& name = developer.company.empty() ? developer.applicantName : developer.company;
    const auto workspace =
        organizations::found(transaction, *_core.catalog.snapshot(), _core.settings, {name, {}, OrganizationKind::DeveloperWorkspace}, now);
    const auto user = users::findByEmail(transaction, developer.email);
    if (user && user->emailVerified && user->status == UserStatus::Active)
    {
        memberships::join(transaction, workspace.id, user->id, Role::Owner, now);
        return workspace.id;
    }
    Invitation invitation;
    invitation.email = developer.email;
    invitation.emailKey = developer.emailKey;
    invitation.role = Role::Owner;
    invitation.invitedBy = reviewer.id;
    invitation.expiresAt = now + ownerInvitationLife;
    _invitations.send(transaction, reviewer, workspace, invitation);
    invitationTable.create(transaction, workspace.id, std::move(invitation), {now});
    return workspace.id;
}

std::vector<std::string> Workspaces::follow(Transaction& transaction, const Request& request, const OrganizationId& id,
                                            OrganizationStatus status, std::string_view reason, Instant now)
{
    if (organizations::lock(transaction, id).status == OrganizationStatus::Revoked) return {};
    return close(transaction, request, id, status, reason, now);
}

std::vector<std::string> Workspaces::close(Transaction& transaction, const Request& request, const OrganizationId& id,
                                           OrganizationStatus status, std::string_view reason, Instant now)
{
    auto organization = organizations::lock(transaction, id);
    if (organization.status == status) return {};
    organization.status = status;
    organizationTable.update(transaction, organization, {now});
    const auto log = AuditLog::of(request, now, id);
    log.record(transaction, eventOf(status), id, {{"reason", reason}});
    if (status != OrganizationStatus::Revoked) return {};
    api_keys::end(transaction, api_keys::ofOrganization(transaction, id), "workspace_revoked", now);
    return oauth_clients::removeOf(transaction, id, end_reason::revokedByAdmin, now, log);
}

} // namespace portico::identity
