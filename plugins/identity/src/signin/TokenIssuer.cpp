#include "signin/TokenIssuer.h"

#include "common/Requests.h"
#include "factors/Factors.h"

#include "portico/Id.h"
#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view widgetScope = "widget.read";
constexpr std::chrono::milliseconds widgetTokenLife = std::chrono::seconds(60);

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

ActiveStanding TokenIssuer::standingOf(const SignIn& signIn, const User& user) const
{
    auto session = _database.session();
    return access_facts::standing(session, user, signIn.organizationId, SignInProof::of(signIn, _clock.now()));
}

std::string TokenIssuer::issueFor(SignIn signIn, const User& user, std::string serviceId)
{
    const auto keys = _keys.signingKeys();
    signIn.serviceId = std::move(serviceId);
    signIn.clientId = identityServiceId;
    signIn.dpopJkt.reset();
    signIn.expiresAt = std::min(signIn.expiresAt, _clock.now() + _settings.lifetimes.serviceToken);
    return encodeToken(*keys, claims(signIn, user, standingOf(signIn, user)));
}

std::string TokenIssuer::issueForWidget(SignIn signIn, const User& user, std::string serviceId, bool bypass)
{
    const auto keys = _keys.signingKeys();
    signIn.serviceId = std::move(serviceId);
    signIn.clientId = identityServiceId;
    signIn.dpopJkt.reset();
    signIn.scope = widgetScope;
    signIn.expiresAt = std::min(signIn.expiresAt, _clock.now() + widgetTokenLife);
    auto content = claims(signIn, user, standingOf(signIn, user));
    content.use = AccessClaims::widgetUse;
    if (!bypass) content.platformRole.reset();
    return encodeToken(*keys, content);
}

std::string TokenIssuer::issueForWidget(const ApiKey& key, const Caller& caller, std::string serviceId)
{
    const auto now = _clock.now();
    AccessClaims content;
    content.iss = _issuer;
    content.sub = key.ownerId;
    content.aud = std::move(serviceId);
    content.clientId = identityServiceId;
    content.iat = content.nbf = content.authTime = seconds(now);
    content.exp = seconds(std::min(now + widgetTokenLife, key.endsAt().value_or(now + widgetTokenLife)));
    content.jti = makeUlid(now);
    content.scope = widgetScope;
    content.principalType = caller.principalType;
    content.context = key.organizationId ? "organization" : "personal";
    if (key.organizationId) content.orgId = key.organizationId->text();
    if (!caller.householdId.empty()) content.householdId = caller.householdId;
    content.role = caller.role;
    content.use = AccessClaims::widgetUse;
    content.keyId = key.id.text();
    return encodeToken(*_keys.signingKeys(), content);
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
