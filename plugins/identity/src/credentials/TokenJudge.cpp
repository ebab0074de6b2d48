#include "credentials/TokenJudge.h"

#include "common/Problems.h"
#include "permissions/AccessStore.h"
#include "sessions/SignInStore.h"
#include "users/UserStore.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

SignIn liveSignIn(Session& session, const AccessClaims& claims, Instant now)
{
    auto signIn = sign_ins::find(session, claims.sid);
    if (!signIn || signIn->userId.text() != claims.sub || signIn->serviceId != claims.aud) throw invalidToken("revoked");
    if (!signIn->active(now)) throw invalidToken("session_ended");
    return *std::move(signIn);
}

User activeUser(Session& session, const SignIn& signIn)
{
    auto user = users::find(session, signIn.userId.text());
    if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
    return *std::move(user);
}

Instant fromSeconds(std::int64_t seconds) { return Instant(std::chrono::seconds(seconds)); }

Caller describeCaller(const AccessClaims& claims, const SignIn& signIn, const User& user, const ActiveStanding& standing, Instant now)
{
    Caller caller;
    caller.credential = CredentialKind::AccessToken;
    caller.principalId = user.id.text();
    caller.principalType = toString(user.principalType);
    caller.displayName = user.displayName;
    caller.email = user.email;
    if (standing.organizationId) caller.organization = standing.organizationId->text();
    caller.organizationName = standing.organizationName;
    caller.role = toString(standing.role);
    caller.platformBypass = standing.platformBypass;
    if (standing.platformBypass) caller.platformRole = toString(*standing.platformRole);
    caller.sessionId = signIn.id.text();
    caller.acr = signIn.effectiveAcr(now);
    caller.clientId = signIn.clientId;
    caller.scope = claims.scope;
    caller.authenticatedAt = signIn.authTime;
    caller.serviceId = signIn.serviceId;
    caller.expiresAt = fromSeconds(claims.exp);
    caller.revision = user.revision;
    return caller;
}

/// The next moment at which time alone changes the answer.
Instant nextTurn(const SignIn& signIn, const EvaluationInput& input, Instant expiry, Instant now)
{
    Instant until = std::min(expiry, signIn.expiresAt);
    if (signIn.elevated(now)) until = std::min(until, *signIn.elevatedUntil);
    for (const auto& entry : input.userOverrides)
        if (entry.expiresAt && *entry.expiresAt > now) until = std::min(until, *entry.expiresAt);
    return until;
}

} // namespace

RememberedCredential TokenJudge::judge(const AccessClaims& claims, bool requireAccess)
{
    const auto signIn = liveSignIn(_session, claims, _now);
    const auto user = activeUser(_session, signIn);
    const auto standing = access_facts::standing(_session, claims.sub, signIn.organizationId, user.platformRole);
    const auto input = access_facts::input(_session, standing, claims.sub, signIn.serviceId);
    const auto* service = _catalog.find(signIn.serviceId);
    if (requireAccess && (!service || !mayEnter(*service, input))) throw Problem::forbidden("service_access_denied");
    auto caller = describeCaller(claims, signIn, user, standing, _now);
    if (service) caller.permissions = effectivePermissions(*service, input, _now);
    RememberedCredential judged;
    judged.expiresAt = caller.expiresAt;
    judged.callerUntil = nextTurn(signIn, input, caller.expiresAt, _now);
    judged.caller = Caller::share(std::move(caller));
    return judged;
}

} // namespace portico::identity
