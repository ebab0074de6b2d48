#include "oauth/TokenExchange.h"

#include "catalog/CatalogStore.h"
#include "common/Requests.h"
#include "oauth/OAuthError.h"
#include "permissions/Evaluator.h"
#include "tokens/KeyRing.h"
#include "tokens/TokenCodec.h"
#include "users/User.h"
#include "web/Fields.h"

#include "portico/Id.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

void requireForm(const UrlParameters& form)
{
    if (fieldOf(form, "subject_token_type") != accessTokenType) throw OAuthError::invalidRequest("Only access tokens are exchanged.");
    const auto wanted = fieldOf(form, "requested_token_type");
    if (!wanted.empty() && wanted != accessTokenType) throw OAuthError::invalidRequest("Only access tokens are given.");
    if (!fieldOf(form, "actor_token").empty()) throw OAuthError::invalidRequest("actor_token is not supported: the client is the actor.");
}

OAuthError invalidTarget() { return {400, "invalid_target", "The user cannot be taken to that service."}; }

/// Limits the scope to that of the first token.
std::string narrowed(std::string_view wanted, std::string_view granted)
{
    if (wanted.empty()) return std::string(granted);
    const auto words = scopeWords(wanted);
    if (!std::ranges::all_of(words, [&](const std::string& word) { return hasWord(granted, word); }))
        throw OAuthError(400, "invalid_scope", "That is more than the token holds.");
    return joinScope(words);
}

} // namespace

bool TokenExchange::isLive(Session& session, const AccessClaims& claims)
{
    // Identity asks other services for who asked it (`TokenIssuer::issueFor`).
    if (claims.clientId == identityServiceId) return true;
    const auto client = oauth_clients::find(session, claims.clientId);
    if (!client || !client->serviceId || !client->hasGrant(grant::exchange)) return false;
    return access_facts::organizationStanding(session, client->ownerId).inGoodStanding;
}

AccessClaims TokenExchange::requireSubject(const OAuthClient& client, const std::string& token) const
{
    auto read = decodeToken(*_core.keys.signingKeys(), token, _core.origin, _core.clock.now());
    // Rejects tokens for another service, which the client must not exchange.
    if (read.fault != TokenFault::None || read.claims.sid.empty() || read.claims.isWidget() || read.claims.aud != *client.serviceId)
        throw OAuthError::invalidRequest("The subject_token is not a valid access token for the client's service.");
    return std::move(read.claims);
}

std::string TokenExchange::requireTarget(const UrlParameters& form, const AccessClaims& subject) const
{
    const auto audience = fieldOf(form, "audience");
    const auto resource = fieldOf(form, "resource");
    if (audience.empty() == resource.empty()) throw OAuthError::invalidRequest("Name one service, as audience or as resource.");
    const auto catalog = _core.catalog.snapshot();
    const CatalogService* service = audience.empty() ? nullptr : catalog->find(audience);
    for (const auto& [id, candidate] : catalog->services)
        if (!resource.empty() && candidate.origin == resource) service = &candidate;
    // Never where a token opens the sign-in itself, and what people manage: identity, and its consoles.
    const bool manages = service && (service->serviceId == identityServiceId || _core.settings.isConsole(service->serviceId));
    if (!service || !service->active() || manages) throw invalidTarget();
    const auto now = _core.clock.now();
    auto session = _core.database.session();
    const auto live = sign_ins::live(session, subject.sid, now);
    if (!live || live->signIn.sub() != subject.sub || (subject.clientId != live->signIn.clientId && !isLive(session, subject)))
        throw OAuthError::invalidRequest("The sign-in of the subject_token has ended.");
    const auto standing = access_facts::standing(session, live->user, live->signIn.organizationId, SignInProof::of(live->signIn, now));
    if (!standing.inGoodStanding || !mayEnter(*service, access_facts::input(session, standing, service->serviceId))) throw invalidTarget();
    return service->serviceId;
}

TokenAnswer TokenExchange::exchange(const OAuthClient& client, const UrlParameters& form, const std::optional<std::string>& jkt) const
{
    if (!client.serviceId) throw OAuthError(400, "unauthorized_client", "Only the backend of a service exchanges tokens.");
    const auto catalog = _core.catalog.snapshot();
    const auto* own = catalog->find(*client.serviceId);
    const auto owner = _core.read([&](Session& session) { return access_facts::organizationStanding(session, client.ownerId); });
    if (!own || !own->active() || !owner.inGoodStanding)
        throw OAuthError(400, "unauthorized_client", "The service of this client is closed.");
    requireForm(form);
    auto claims = requireSubject(client, fieldOf(form, "subject_token"));
    // Keeps the binding, now to the client's key, because no other key is available.
    if (claims.cnf && !jkt) throw OAuthError(400, "invalid_dpop_proof", "The subject_token is bound to a key: send a DPoP proof.");
    claims.aud = requireTarget(form, claims);
    claims.scope = narrowed(fieldOf(form, "scope"), claims.scope);
    claims.clientId = client.clientId;
    const auto now = std::chrono::floor<std::chrono::seconds>(_core.clock.now()).time_since_epoch().count();
    claims.iat = claims.nbf = now;
    claims.exp = std::min(claims.exp, now + _core.settings.lifetimes.serviceToken.count());
    claims.jti = makeUlid(_core.clock.now());
    claims.cnf.reset();
    if (jkt) claims.cnf = Confirmation{*jkt};
    TokenAnswer answer;
    answer.accessToken = encodeToken(*_core.keys.signingKeys(), claims);
    answer.issuedTokenType = accessTokenType;
    if (jkt) answer.tokenType = "DPoP";
    answer.expiresIn = claims.exp - now;
    answer.scope = claims.scope;
    return answer;
}

} // namespace portico::identity
