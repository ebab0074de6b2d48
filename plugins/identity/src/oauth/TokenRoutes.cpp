#include "oauth/TokenRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "clients/PairwiseSubjects.h"
#include "clients/ServicePrincipal.h"
#include "oauth/Consents.h"
#include "oauth/OAuthError.h"
#include "oauth/PersonClaims.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionEvents.h"
#include "signin/TokenIssuer.h"
#include "tokens/Pkce.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Id.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::int64_t idTokenSeconds = 600;
constexpr std::string_view nonceHeader = "DPoP-Nonce";
/// With the nonce: a page that runs a client has to read it (RFC 9449, 8).
constexpr std::string_view exposes = "Access-Control-Expose-Headers";

[[noreturn]] void reject(CodeRejected rejected)
{
    throw OAuthError::invalidGrant(rejected == CodeRejected::SourceEnded ? "The sign-in has ended." : "The code is invalid.");
}

std::int64_t secondsSinceEpoch(Instant instant) { return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count(); }

/// The left half of the hash (OpenID Connect Core, 3.1.3.6).
std::string halfHash(std::string_view token) { return toBase64Url(sha256(token).bytes().substr(0, 16)); }

bool isSupported(std::string_view type)
{
    return type == grant::code || type == grant::refresh || type == grant::credentials || type == grant::device || type == grant::exchange;
}

bool isWithin(std::string_view narrow, std::string_view wide)
{
    const auto words = scopeWords(narrow);
    return std::ranges::all_of(words, [&](const std::string& word) { return hasWord(wide, word); });
}

} // namespace

TokenRoutes::TokenRoutes(Core& core, SignInFlow& flow)
    : _core(core),
      _flow(flow),
      _clients(core),
      _serviceGrants(core),
      _dpop(core.state, core.clock),
      _codes(core, flow, CodeRedemption::oauth),
      _devices(core),
      _exchange(core)
{
}

void TokenRoutes::declare(Routes& routes)
{
    routes.post("/oauth/token", access::open(), &TokenRoutes::token, this,
                {.summary = "Exchange a grant for tokens (RFC 6749, 3.2)",
                 .description = needsClientAuthentication,
                 .bodyLimit = 32 * 1024,
                 .idempotencyKey = false,
                 .crossOrigin = CrossOrigin::anyone(),
                 .consumes = {"application/x-www-form-urlencoded"},
                 .produces = {"application/json"},
                 .anyQuery = true});
}

std::optional<std::string> TokenRoutes::provenKey(const Request& request, const OAuthClient& client) const
{
    const auto proof = request.header("DPoP");
    const auto& nonceKey = _core.keys.macKey(_core.keys.newestMacKeyId());
    if (proof.empty())
    {
        if (client.dpopBoundAccessTokens)
            throw OAuthError(400, "invalid_dpop_proof", "This client's tokens are bound to a key: send a proof.");
        return std::nullopt;
    }
    auto result = _dpop.check(proof, {"POST", _core.origin + "/oauth/token"}, nonceKey);
    if (result.verdict == Dpop::Verdict::NonceNeeded)
        throw OAuthError(400, "use_dpop_nonce", "Send the proof again with the nonce of this answer.")
            .withHeader(nonceHeader, _dpop.nonce(nonceKey))
            .withHeader(exposes, nonceHeader);
    if (result.verdict == Dpop::Verdict::Bad) throw OAuthError(400, "invalid_dpop_proof", "The proof is invalid, or was used before.");
    return std::move(result.jkt);
}

Response TokenRoutes::token(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto key = _serviceGrants.keyOf(request, body);
            if (const auto known = key ? _serviceGrants.find(*key) : nullptr) return jsonAnswer(toJson(issue(*known, {})));
            const auto form = formValues(body);
            auto client = _clients.require(request, form);
            const auto type = requiredField(form, "grant_type");
            if (!isSupported(type)) throw OAuthError(400, "unsupported_grant_type", "grant_type is none that this server knows.");
            if (!client.hasGrant(type)) throw OAuthError(400, "unauthorized_client", "This client may not use this grant.");
            const TokenRequest asked{request, form, client, provenKey(request, client)};
            // An assertion can be used once.
            if (key && type == grant::credentials && client.tokenEndpointAuthMethod != ClientAuthMethod::PrivateKeyJwt)
            {
                const auto revision = _serviceGrants.revisionFor(client);
                // Reads the client again after the revision, so that every concurrent change is either seen now or raises the revision.
                client = _clients.require(request, form);
                auto granted = grantOf(asked);
                auto answer = issue(granted, asked.jkt);
                _serviceGrants.store(*key, std::move(granted), revision);
                return jsonAnswer(toJson(answer));
            }
            auto response = jsonAnswer(toJson(byGrant(asked)));
            if (!asked.jkt) return response;
            response.addHeader(nonceHeader, _dpop.nonce(_core.keys.macKey(_core.keys.newestMacKeyId())));
            response.addHeader(exposes, nonceHeader);
            return response;
        });
}

TokenAnswer TokenRoutes::byGrant(const TokenRequest& asked)
{
    const auto type = fieldOf(asked.form, "grant_type");
    if (type == grant::code) return byCode(asked);
    if (type == grant::device) return byDevice(asked);
    if (type == grant::exchange) return _exchange.exchange(asked.client, asked.form, asked.jkt);
    return type == grant::refresh ? byRefresh(asked) : issue(grantOf(asked), asked.jkt);
}

void TokenRoutes::verify(const TokenRequest& asked, const SignInGrant& grant)
{
    const auto verifier = fieldOf(asked.form, "code_verifier");
    if (grant.clientId != asked.client.clientId) reject(CodeRejected::Unknown);
    if (grant.redirectUri != fieldOf(asked.form, "redirect_uri")) throw OAuthError::invalidGrant("The redirect_uri does not match.");
    // A verifier without a challenge means that an attacker has removed the challenge (RFC 9700, 2.1.1).
    if (grant.codeChallenge.empty() != verifier.empty() || (!verifier.empty() && !pkce::matches(grant.codeChallenge, verifier)))
        throw OAuthError::invalidGrant("The code_verifier does not fit.");
    if (!grant.dpopJkt.empty() && grant.dpopJkt != asked.jkt) throw OAuthError::invalidGrant("The code is bound to another key.");
}

SignInRequest TokenRoutes::signInFor(const TokenRequest& asked, const SignInGrant& grant, const CodeRedemption::Source& source)
{
    const auto& client = asked.client;
    const auto userId = source.user.id;
    auto wanted = SignInRequest::forClient(client, source.browser.value(), Client::of(asked.request));
    wanted.in(grant.organizationId);
    wanted.client.origin.clear();
    // A backend comes from its own address, its user from theirs.
    if (client.type == ClientType::Confidential && !grant.address.empty()) wanted.client.address = grant.address;
    wanted.scope = grant.scope;
    wanted.dpopJkt = asked.jkt;
    wanted.refreshable = client.hasGrant(grant::refresh);
    wanted.native = client.type == ClientType::Native && asked.jkt;
    if (client.isPairwise())
        wanted.subject = _core.database.transact([&](Transaction& transaction)
                                                 { return pairwise_subjects::make(transaction, client, userId, _core.clock.now()); });
    // Sign-ins of native apps and with offline access continue after the browser was closed.
    if (client.type == ClientType::Native || hasWord(grant.scope, "offline_access")) wanted.lifetime = Detached();
    wanted.together = [&client, userId](Transaction& transaction, const SignIn&)
    {
        // The consent may have been withdrawn while the code or the device was waiting.
        if (!consents::holds(transaction, userId, client)) throw OAuthError::invalidGrant("The consent was withdrawn.");
    };
    return wanted;
}

TokenAnswer TokenRoutes::answer(const OAuthClient& client, TokenResponse issued, const SignIn& signIn, std::string_view refreshToken,
                                std::string_view nonce)
{
    TokenAnswer answer;
    answer.accessToken = std::move(issued.accessToken);
    answer.tokenType = std::move(issued.tokenType);
    answer.expiresIn = issued.expiresIn;
    answer.scope = signIn.scope;
    if (!refreshToken.empty()) answer.refreshToken = refreshToken;
    if (hasWord(signIn.scope, "openid")) answer.idToken = idToken(client, issued.user, signIn, nonce, answer.accessToken);
    return answer;
}

TokenAnswer TokenRoutes::answer(const OAuthClient& client, CodeRedemption::Redeemed redeemed)
{
    auto& [grant, made] = redeemed;
    return answer(client, std::move(made.response), made.signIn, made.refreshHandle, grant.nonce);
}

TokenAnswer TokenRoutes::byCode(const TokenRequest& asked)
{
    const auto code = requiredField(asked.form, "code");
    try
    {
        return answer(asked.client,
                      _codes.redeem(
                          code, {Client::of(asked.request)}, [&](const SignInGrant& grant) { verify(asked, grant); },
                          [&](const SignInGrant& grant, const CodeRedemption::Source& source) { return signInFor(asked, grant, source); }));
    }
    catch (const CodeRejected rejected)
    {
        reject(rejected);
    }
}

TokenAnswer TokenRoutes::byRefresh(const TokenRequest& asked)
{
    const auto handle = requiredField(asked.form, "refresh_token");
    const auto known = _core.families.identify(handle);
    if (!known || known->clientId != asked.client.clientId) throw OAuthError::invalidGrant("The refresh token is invalid.");
    if (known->dpopJkt && known->dpopJkt != asked.jkt) throw OAuthError(400, "invalid_dpop_proof", "The refresh token is bound to a key.");
    const auto narrower = fieldOf(asked.form, "scope");
    // Checks the scope before the handle is used up, so that the client can repeat the request.
    const auto granted = [&] { return _core.read([&](Session& session) { return sign_ins::find(session, known->sessionId); }); };
    if (!narrower.empty() && !isWithin(narrower, granted().value_or(SignIn()).scope))
        throw OAuthError(400, "invalid_scope", "The scope exceeds the grant.");
    const auto result = _core.families.rotate(handle, {});
    if (result.outcome == RefreshOutcome::Reused) _flow.endReusedHandle(known->sessionId, Client::of(asked.request));
    if (result.outcome != RefreshOutcome::Rotated) throw OAuthError::invalidGrant("The refresh token is no longer valid.");
    auto live = _core.read([&](Session& session) { return sign_ins::live(session, result.family.sessionId, _core.clock.now()); });
    if (!live) throw OAuthError::invalidGrant("The sign-in has ended.");
    auto& signIn = live->signIn;
    // The client may have less by now than it had then.
    signIn.scope = allowedScope(asked.client, narrower.empty() ? signIn.scope : narrower);
    return answer(asked.client, _core.tokens.issue(signIn, std::move(live->user)), signIn, result.successor);
}

std::string TokenRoutes::audienceOf(const TokenRequest& asked, const Catalog& catalog, std::string_view scope) const
{
    const auto& client = asked.client;
    const auto resources = valuesOf(asked.form, "resource");
    if (resources.size() > 1) throw OAuthError(400, "invalid_target", "A token is for one resource: ask for one token for each.");
    const auto resource = resources.empty() ? std::string() : resources.front();
    if (resource.empty() || resource == _core.origin)
        // A client without a service and without a scope gets a token that is valid nowhere.
        return client.serviceId || !scope.empty() ? std::string(identityServiceId) : _core.origin;
    if (client.serviceId)
        for (const auto& [id, service] : catalog.services)
            if (service.active() && service.isOwnOrigin(originOf(resource))) return id;
    throw OAuthError(400, "invalid_target", "The client may not call this resource.");
}

ServiceGrant TokenRoutes::grantOf(const TokenRequest& asked) const
{
    const auto& client = asked.client;
    const auto wanted = fieldOf(asked.form, "scope");
    // Drops profile and email: there is no user.
    std::string scope;
    if ((wanted.empty() || hasWord(wanted, scimScope)) && client.hasScope(scimScope)) scope = scimScope;
    if (!wanted.empty() && scope.empty()) throw OAuthError(400, "invalid_scope", "scope names nothing that the client is registered for.");
    const auto catalog = _core.catalog.snapshot();
    try
    {
        _core.read([&](Session& session) { ServicePrincipal::of(session, *catalog, client, scope); });
    }
    catch (const Problem& problem)
    {
        throw OAuthError(400, "unauthorized_client", problem.detail());
    }
    return {client.clientId, client.ownerId.text(), audienceOf(asked, *catalog, scope), scope};
}

TokenAnswer TokenRoutes::issue(const ServiceGrant& grant, const std::optional<std::string>& jkt)
{
    const auto now = secondsSinceEpoch(_core.clock.now());
    AccessClaims claims;
    claims.iss = _core.origin;
    claims.sub = claims.clientId = grant.clientId;
    claims.aud = grant.audience;
    claims.iat = claims.nbf = claims.authTime = now;
    claims.exp = now + _core.settings.lifetimes.serviceToken.count();
    claims.jti = makeUlid(_core.clock.now());
    claims.scope = grant.scope;
    claims.principalType = "service";
    claims.orgId = grant.ownerId;
    if (jkt) claims.cnf = Confirmation{*jkt};
    TokenAnswer answer;
    answer.accessToken = encodeToken(*_core.keys.signingKeys(), claims);
    answer.tokenType = jkt ? "DPoP" : "Bearer";
    answer.expiresIn = _core.settings.lifetimes.serviceToken.count();
    answer.scope = grant.scope;
    return answer;
}

TokenAnswer TokenRoutes::byDevice(const TokenRequest& asked)
{
    const auto deviceCode = requiredField(asked.form, "device_code");
    const auto approved = _devices.poll(deviceCode, asked.client);
    try
    {
        auto redeemed = _codes.redeemPolled(deviceCode, approved,
                                            [&](const SignInGrant& grant, const CodeRedemption::Source& source)
                                            { return signInFor(asked, grant, source); });
        _devices.forget(deviceCode);
        return answer(asked.client, std::move(redeemed));
    }
    catch (const CodeRejected rejected)
    {
        if (rejected == CodeRejected::Used) throw OAuthError(400, "expired_token", "device_code has expired, or was used.");
        reject(rejected);
    }
}

std::string TokenRoutes::idToken(const OAuthClient& client, const User& user, const SignIn& signIn, std::string_view nonce,
                                 std::string_view accessToken)
{
    const auto now = _core.clock.now();
    IdTokenClaims claims;
    static_cast<PersonClaims&>(claims) =
        _core.read([&](Session& session) { return PersonClaims::of(session, user, signIn.sub(), signIn.scope); });
    claims.iss = _core.origin;
    claims.aud = claims.azp = client.clientId;
    claims.iat = secondsSinceEpoch(now);
    claims.exp = claims.iat + idTokenSeconds;
    claims.authTime = secondsSinceEpoch(signIn.authTime);
    if (!nonce.empty()) claims.nonce = nonce;
    claims.atHash = halfHash(accessToken);
    claims.sid = signIn.id.text();
    claims.amr = signIn.amr;
    claims.acr = signIn.effectiveAcr(now);
    const auto keys = _core.keys.identityKeys();
    return signJws(*keys, client.signingKid(*keys), "JWT", toJson(claims));
}

} // namespace portico::identity
