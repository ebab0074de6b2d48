#include "sessions/TokenIssuer.h"

#include "common/Requests.h"
#include "factors/Factors.h"

#include "portico/Id.h"
#include "portico/Json.h"

namespace portico::identity
{

namespace
{

std::int64_t seconds(Instant instant) { return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count(); }

} // namespace

ActiveContext ActiveContext::of(const ActiveStanding& standing)
{
    ActiveContext context;
    context.kind = standing.kind();
    context.organizationId = standing.organizationId;
    if (standing.organizationId) context.organizationName = standing.organizationName;
    context.role = standing.role;
    context.choose(standing.household);
    return context;
}

void ActiveContext::choose(const std::optional<MyHousehold>& household)
{
    if (!household) return;
    selectedHouseholdId = household->id.text();
    selectedHousehold = {toJson(*household)};
}

AccessClaims TokenIssuer::claims(const SignIn& signIn, const User& user, const ActiveStanding& standing) const
{
    const auto now = _clock.now();
    AccessClaims claims;
    claims.iss = _issuer;
    claims.sub = signIn.sub();
    claims.aud = signIn.serviceId.empty() ? _issuer : signIn.serviceId;
    claims.clientId = signIn.clientId;
    claims.iat = claims.nbf = seconds(now);
    claims.exp = std::min(claims.iat + _settings.accessTokenLife.count(), seconds(signIn.expiresAt));
    claims.jti = makeUlid(now);
    claims.sid = signIn.id.text();
    claims.scope = signIn.scope;
    if (signIn.dpopJkt) claims.cnf = Confirmation{*signIn.dpopJkt};
    if (signIn.impersonatorId) claims.act = ActingParty{signIn.impersonatorId->text()};
    claims.principalType = toString(user.principalType);
    claims.context = toString(standing.kind());
    if (standing.organizationId) claims.orgId = standing.organizationId->text();
    if (standing.household) claims.householdId = standing.household->id.text();
    claims.role = toString(standing.role);
    if (standing.platformBypass) claims.platformRole = toString(*standing.platformRole);
    claims.authTime = seconds(signIn.authTime);
    claims.amr = signIn.amr;
    claims.acr = signIn.effectiveAcr(now);
    claims.prv = user.revision;
    return claims;
}

std::string TokenIssuer::issueFor(SignIn signIn, const User& user, std::string serviceId)
{
    const auto keys = _keys.signingKeys();
    signIn.serviceId = std::move(serviceId);
    signIn.clientId = identityServiceId;
    signIn.dpopJkt.reset();
    signIn.expiresAt = std::min(signIn.expiresAt, _clock.now() + _settings.lifetimes.serviceToken);
    const auto standing = [&]
    {
        auto session = _database.session();
        return access_facts::standing(session, user, signIn.organizationId, SignInProof::of(signIn, _clock.now()));
    }();
    return encodeToken(*keys, claims(signIn, user, standing));
}

TokenResponse TokenIssuer::issue(const SignIn& signIn, User user)
{
    const auto keys = _keys.signingKeys();
    const auto standing = [&]
    {
        auto session = _database.session();
        user.mfa = factors::summary(session, user.id);
        return access_facts::standing(session, user, signIn.organizationId, SignInProof::of(signIn, _clock.now()));
    }();
    const auto content = claims(signIn, user, standing);
    TokenResponse response;
    response.accessToken = encodeToken(*keys, content);
    if (content.cnf) response.tokenType = "DPoP";
    response.expiresIn = content.exp - content.iat;
    response.scope = content.scope;
    response.session = {signIn.id, signIn.expiresAt, signIn.amr, content.acr};
    response.user = std::move(user);
    response.user.role = standing.role;
    response.activeContext = ActiveContext::of(standing);
    return response;
}

} // namespace portico::identity
