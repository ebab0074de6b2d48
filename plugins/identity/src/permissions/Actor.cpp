#include "permissions/Actor.h"

#include "common/Requests.h"
#include "records/Membership.h"
#include "records/Organization.h"
#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

std::optional<SignInProof> proofOf(Session& session, const Caller& caller, Instant now)
{
    if (caller.sessionId.empty()) return std::nullopt;
    const auto signIn = sign_ins::find(session, caller.sessionId);
    // The sign-in may have ended since the token was validated.
    if (!signIn || !signIn->active(now)) throw invalidToken("session_ended");
    return SignInProof::of(*signIn, now);
}

ActiveStanding standingOf(Session& session, const Caller& caller, const std::optional<SignInProof>& proof)
{
    const auto user = users::find(session, caller.principalId);
    if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
    std::optional<OrganizationId> organization;
    if (!caller.organizationId.empty()) organization = OrganizationId::parse(caller.organizationId);
    auto standing = access_facts::standing(session, *user, organization, proof);
    // The address of the request has been judged with the token.
    standing.platformBypass = standing.platformBypass && caller.platformBypass;
    if (!standing.inGoodStanding && !standing.platformBypass) throw Problem::forbidden();
    return standing;
}

} // namespace

void requireElevation(Session& session, const Caller& caller, Instant now)
{
    const auto signIn = sign_ins::find(session, caller.sessionId);
    if (!signIn || !signIn->active(now) || !signIn->elevated(now))
        throw Problem::forbidden("step_up_required", "Authenticate again: POST /api/auth/step-up.");
}

Actor::Actor(Session& session, const Caller& caller, Instant now)
    : _session(session), _caller(caller), _now(now), _proof(proofOf(session, caller, now)), _standing(standingOf(session, caller, _proof))
{
}

int Actor::rank() const noexcept
{
    if (_standing.platformBypass) return identity::rank(*_standing.platformRole);
    return _standing.organizationId ? identity::rank(_standing.role) : 0;
}

void Actor::requireOperator() const
{
    if (!isOperator()) throw Problem::forbidden();
}

void Actor::requireOrganization(const OrganizationId& id) const
{
    if (isOperator() || _standing.organizationId == id) return;
    throw Problem::notFound();
}

void Actor::requireAdminRoute(std::string_view permission) const
{
    if (isOperator() || (_standing.organizationId && hasAdminRoutes(_standing.role))) return;
    if (permission.empty() || !_caller.may(permission)) throw Problem::forbidden();
}

int Actor::rankOf(const UserId& user, const std::optional<OrganizationId>& organization) const
{
    const auto found = users::find(_session, user.text());
    if (!found) throw Problem::notFound();
    if (found->platformRole && organizations::belongsToAdmin(_session, user)) return identity::rank(*found->platformRole);
    const auto membership = organization ? membershipTable.find(_session, *organization, user) : std::nullopt;
    if (membership) return identity::rank(membership->role);
    if (!isOperator()) throw Problem::notFound();
    return 0;
}

void Actor::requireMayChange(int subjectRank) const
{
    if (!mayChange(rank(), subjectRank)) throw Problem::forbidden("outranked", "That person's role is not below yours.");
    if (rank() == subjectRank) requireElevation();
}

void Actor::requireMayGrant(const OrganizationId& organization, Role granted) const
{
    requireMayWithdraw(granted);
    const auto place = organizations::find(_session, organization);
    if (place && place->kind == OrganizationKind::Admin) requireElevation();
}

void Actor::requireMayWithdraw(Role granted) const
{
    if (!mayGrant(rank(), granted)) throw Problem::forbidden("role_above_own", "That role is above your own.");
}

void Actor::requirePlatformSuperAdmin() const
{
    if (!isOperator() || rank() < identity::rank(PlatformRole::PlatformSuperAdmin))
        throw Problem::forbidden("platform_role_requires_super_admin", "Only a platform super admin changes platform roles.");
}

void Actor::requireMayGrant(PlatformRole) const
{
    requirePlatformSuperAdmin();
    requireElevation();
}

} // namespace portico::identity
