#include "oauth/ProviderRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "clients/PairwiseSubjects.h"
#include "clients/ServicePrincipal.h"
#include "keys/WidgetKeys.h"
#include "oauth/AuthorizationRequest.h"
#include "oauth/OAuthError.h"
#include "oauth/TokenExchange.h"
#include "sessions/Cookies.h"
#include "sessions/LogoutNotices.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionEvents.h"
#include "web/Urls.h"

#include "portico/Json.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace portico::identity
{

namespace
{

constexpr std::string_view signOutPurpose = "logout";

Response challenge(int status, std::string_view scheme, std::string_view error)
{
    auto response = jsonAnswer("{\"error\":\"" + std::string(error) + "\"}", status);
    auto text = std::string(scheme) + " realm=\"identity\", error=\"" + std::string(error) + '"';
    if (scheme == "DPoP") text += ", algs=\"" + std::string(dpopAlgorithms) + '"';
    response.addHeader("WWW-Authenticate", text);
    return response;
}

struct HintedSession
{
    std::string aud, sub, sid;
};

constexpr auto schemaOf(const HintedSession*) { return describe(members<&HintedSession::aud, &HintedSession::sub, &HintedSession::sid>()); }

} // namespace

ProviderRoutes::ProviderRoutes(Core& core, const Pages& pages)
    : _core(core),
      _clients(core),
      _dpop(core.state, core.clock),
      _gate(core, pages),
      _tokens(formTokens(core)),
      _signOut(pages.bind<SignOutForm>("sign-out"))
{
}

void ProviderRoutes::declare(Routes& routes)
{
    const RouteOptions discovery{.summary = "Read the metadata of the OpenID provider",
                                 .crossOrigin = CrossOrigin::anyone(),
                                 .cacheControl = "public, max-age=300",
                                 .anyQuery = true};
    const auto endpoint = [](std::string_view summary, std::string_view description)
    {
        return RouteOptions{.summary = summary,
                            .description = description,
                            .bodyLimit = 32 * 1024,
                            .idempotencyKey = false,
                            .crossOrigin = CrossOrigin::anyone(),
                            .consumes = {"application/x-www-form-urlencoded"},
                            .produces = {"application/json"},
                            .anyQuery = true};
    };
    const RouteOptions page{
        .summary = "Sign the user out for a client (RP-Initiated Logout)", .idempotencyKey = false, .undocumented = true};
    routes.get("/.well-known/openid-configuration", access::open(), &ProviderRoutes::metadata, this, discovery)
        .get("/.well-known/oauth-authorization-server", access::open(), &ProviderRoutes::metadata, this, discovery)
        .get("/oauth/userinfo", access::open(), &ProviderRoutes::userinfo, this,
             {.summary = "Read the claims about the token's user",
              .description = "Needs the access token in the Authorization header.",
              .crossOrigin = CrossOrigin::anyone(),
              .produces = {"application/json"},
              .anyQuery = true})
        .post("/oauth/userinfo", access::open(), &ProviderRoutes::userinfoByForm, this,
              endpoint("Read the claims about the token's user", "Needs the access token in the Authorization header or in the form."))
        .post("/oauth/introspect", access::open(), &ProviderRoutes::introspect, this,
              endpoint("Introspect a token (RFC 7662)", "Needs the authentication of a confidential client (RFC 6749, 2.3)."))
        .post("/oauth/revoke", access::open(), &ProviderRoutes::revoke, this,
              endpoint("Revoke a token (RFC 7009)", needsClientAuthentication))
        .get("/oauth/logout", access::open(), &ProviderRoutes::logout, this, page)
        .post("/oauth/logout", access::open(), &ProviderRoutes::logoutByForm, this, page);
}

ProviderMetadata ProviderRoutes::metadata() const
{
    ProviderMetadata metadata;
    const auto at = [&](std::string_view path) { return _core.origin + std::string(path); };
    metadata.issuer = _core.origin;
    metadata.authorizationEndpoint = at("/oauth/authorize");
    metadata.tokenEndpoint = at("/oauth/token");
    metadata.userinfoEndpoint = at("/oauth/userinfo");
    metadata.jwksUri = at("/.well-known/jwks.json");
    metadata.introspectionEndpoint = at("/oauth/introspect");
    metadata.revocationEndpoint = at("/oauth/revoke");
    metadata.endSessionEndpoint = at("/oauth/logout");
    metadata.pushedAuthorizationRequestEndpoint = at("/oauth/par");
    metadata.deviceAuthorizationEndpoint = at("/oauth/device_authorization");
    metadata.registrationEndpoint = at("/oauth/register");
    metadata.uiLocalesSupported = _core.templates.locales();
    return metadata;
}

std::optional<ProviderRoutes::Live> ProviderRoutes::read(std::string_view accessToken) const
{
    const auto now = _core.clock.now();
    auto token = decodeToken(*_core.keys.signingKeys(), accessToken, _core.origin, now);
    if (token.fault != TokenFault::None) return std::nullopt;
    Live live{std::move(token.claims), {}, {}};
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.session();
    if (live.claims.isWidget() && live.claims.sid.empty())
        return widget_keys::isLive(session, live.claims, now) ? std::optional(live) : std::nullopt;
    if (live.claims.sid.empty())
    {
        try
        {
            ServicePrincipal::require(session, *catalog, live.claims.clientId, live.claims.scope);
            return live;
        }
        catch (const Problem&)
        {
            return std::nullopt;
        }
    }
    live.signIn = sign_ins::find(session, live.claims.sid);
    if (!live.signIn || !live.signIn->active(now) || live.signIn->sub() != live.claims.sub) return std::nullopt;
    if (live.claims.clientId != live.signIn->clientId && !TokenExchange::isLive(session, live.claims)) return std::nullopt;
    live.user = users::find(session, live.signIn->userId.text());
    if (!live.user || live.user->status != UserStatus::Active) return std::nullopt;
    return live;
}

Response ProviderRoutes::answerUserinfo(const Request& request, std::string_view token, bool bound)
{
    const std::string_view scheme = bound ? "DPoP" : "Bearer";
    const auto live = read(token);
    if (!live || !live->user || live->claims.cnf.has_value() != bound) return challenge(401, scheme, "invalid_token");
    if (bound)
    {
        const auto proof = _dpop.check(request.header("DPoP"), {name(request.method), _core.origin + "/oauth/userinfo", token});
        if (proof.verdict != Dpop::Verdict::Good || proof.jkt != live->claims.cnf->jkt) return challenge(401, scheme, "invalid_dpop_proof");
    }
    if (!hasWord(live->claims.scope, "openid")) return challenge(403, scheme, "insufficient_scope");
    auto session = _core.database.session();
    return jsonAnswer(toJson(PersonClaims::of(session, *live->user, live->claims.sub, live->claims.scope)));
}

Response ProviderRoutes::userinfo(const Request& request)
{
    const auto header = request.header("Authorization");
    const auto space = header.find(' ');
    const auto scheme = header.substr(0, space);
    const bool bound = equalsIgnoreCase(scheme, "DPoP");
    if (space == std::string_view::npos || !(bound || equalsIgnoreCase(scheme, "Bearer"))) return challenge(401, "Bearer", "invalid_token");
    return answerUserinfo(request, header.substr(space + 1), bound);
}

Response ProviderRoutes::userinfoByForm(const Request& request, const RawBody& body)
{
    if (request.hasHeader("Authorization") || body.data.empty()) return userinfo(request);
    // RFC 6750, 2.2.
    return answerOAuth([&] { return answerUserinfo(request, fieldOf(formValues(body), "access_token"), false); });
}

Introspection ProviderRoutes::inspect(const OAuthClient& client, const std::string& token) const
{
    Introspection found;
    const auto now = _core.clock.now();
    if (const auto live = read(token))
    {
        const auto& claims = live->claims;
        // Reveals only tokens of the client, and tokens for its service.
        if (claims.clientId != client.clientId && !(client.serviceId && claims.aud == *client.serviceId)) return found;
        found.active = true;
        found.scope = claims.scope;
        found.clientId = claims.clientId;
        if (live->user && hasWord(claims.scope, "email")) found.username = live->user->email;
        found.tokenType = claims.cnf ? "DPoP" : "Bearer";
        found.sub = claims.sub;
        found.aud = claims.aud;
        found.iss = claims.iss;
        found.jti = claims.jti;
        if (!claims.sid.empty()) found.sid = claims.sid;
        if (live->signIn) found.acr = live->signIn->effectiveAcr(now);
        found.exp = claims.exp;
        found.iat = claims.iat;
        found.nbf = claims.nbf;
        found.authTime = claims.authTime;
        found.cnf = claims.cnf;
        return found;
    }
    const auto family = _core.families.identify(token);
    if (!family || family->clientId != client.clientId || !family->active(now)) return found;
    auto session = _core.database.session();
    const auto signIn = sign_ins::find(session, family->sessionId);
    if (!signIn || !signIn->active(now)) return found;
    // An old handle opens nothing but its own end.
    const auto handle = RefreshHandle::parse(token);
    if (!handle || handle->generation != family->currentGen) return found;
    found.active = true;
    found.scope = signIn->scope;
    found.clientId = client.clientId;
    found.sub = signIn->sub();
    found.sid = signIn->id.text();
    found.exp = std::chrono::floor<std::chrono::seconds>(family->idleExpiresAt).time_since_epoch().count();
    return found;
}

Response ProviderRoutes::introspect(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto form = formValues(body);
            const auto client = _clients.require(request, form);
            if (client.type != ClientType::Confidential) throw OAuthError::invalidClient(false);
            return jsonAnswer(toJson(inspect(client, requiredField(form, "token"))));
        });
}

std::vector<std::string> ProviderRoutes::end(const Request& request, const std::vector<SignIn>& signIns, const std::string& userId,
                                             const std::optional<std::string>& browserSessionId)
{
    auto ended = _core.changes.run(
        {Tenant::fromStored(userId)},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto all = signIns;
            if (browserSessionId)
            {
                transaction.execute("UPDATE browser_sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL", *browserSessionId, now);
                SignIn any;
                any.browserSessionId = browserSessionId;
                all = sign_ins::ofSameBrowser(transaction, any);
            }
            auto done = sign_ins::end(transaction, all, end_reason::logout, now);
            if (!done.empty()) AuditLog::ofUser(Client::of(request), userId, now).record(transaction, "session.logged_out", done.front());
            return done;
        });
    _core.sessionEvents.ended(ended);
    return ended;
}

Response ProviderRoutes::revoke(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto form = formValues(body);
            const auto client = _clients.require(request, form);
            const auto token = requiredField(form, "token");
            std::string sessionId;
            if (const auto live = read(token); live && live->claims.clientId == client.clientId) sessionId = live->claims.sid;
            if (const auto family = _core.families.identify(token); family && family->clientId == client.clientId)
                sessionId = family->sessionId;
            std::optional<SignIn> signIn;
            if (!sessionId.empty()) signIn = _core.read([&](Session& session) { return sign_ins::find(session, sessionId); });
            // A token that the client got by exchange belongs to another client's sign-in: it ends with that sign-in, or expires within
            // minutes.
            if (signIn && signIn->clientId == client.clientId) end(request, {*signIn}, signIn->userId.text(), std::nullopt);
            // Answers the same for unknown tokens (RFC 7009, 2.2).
            return jsonAnswer("{}");
        });
}

Response ProviderRoutes::logout(const Request& request, const RawQuery& query)
{
    auto parameters = query.values;
    // A person must not be shown a problem document for a client that sends one of them twice.
    dropRepetitions(parameters);
    return endSession(request, parameters, false);
}

Response ProviderRoutes::logoutByForm(const Request& request, const RawBody& body)
{
    // Browsers send no cookies with such a form, so it could only clear them.
    if (request.header("Sec-Fetch-Site") == "cross-site")
        throw Problem::forbidden("csrf_rejected", "Cross-site forms cannot sign out: redirect the browser here instead.");
    // Reads the form without Form<T>, which rejects the unknown parameters that clients may send (OpenID Connect RP-Initiated Logout, 2).
    const auto fields = formValues(body);
    return endSession(request, fields, _tokens.matches(request, signOutPurpose, fieldOf(fields, "form_token")));
}

Response ProviderRoutes::endSession(const Request& request, const UrlParameters& parameters, bool confirmed)
{
    const auto browser = _gate.current(request);
    const auto hint = fieldOf(parameters, "id_token_hint");
    // Accepts an expired ID token: a user may sign out long after signing in.
    const auto hintToken = hint.empty() ? std::nullopt : openJws(*_core.keys.identityKeys(), hint, "JWT");
    const auto hinted = hintToken ? fromStoredJson<HintedSession>(hintToken->payload) : HintedSession{};
    auto clientId = fieldOf(parameters, "client_id");
    if (clientId.empty()) clientId = hinted.aud;
    const auto [client, signIn, hints, hintsBrowser] = _core.read(
        [&](Session& session)
        {
            auto found = oauth_clients::find(session, clientId);
            // Ignores an ID token of another client (OpenID Connect RP-Initiated Logout, 2).
            const bool fits = hintToken && found && hinted.aud == found->clientId;
            auto own = fits ? sign_ins::find(session, hinted.sid) : std::nullopt;
            if (own && own->clientId != found->clientId) own.reset();
            const bool same = fits && browser && pairwise_subjects::find(session, *found, browser->user.id) == hinted.sub;
            return std::tuple(std::move(found), std::move(own), fits, same);
        });
    const auto redirectUri = fieldOf(parameters, "post_logout_redirect_uri");
    const bool known = client && (hinted.aud.empty() || hinted.aud == client->clientId) && !redirectUri.empty() &&
                       std::ranges::find(client->postLogoutRedirectUris, redirectUri) != client->postLogoutRedirectUris.end();
    // Without a hint of ours any page could sign people out: they are asked.
    const bool sure = confirmed || (hints && (!browser || hintsBrowser));
    SignOutForm form;
    form.clientId = client ? client->clientId : std::string();
    form.redirectUri = known ? redirectUri : std::string();
    form.state = fieldOf(parameters, "state");
    if (!sure && browser)
    {
        auto token = _tokens.make(request, signOutPurpose);
        form.formToken = std::move(token.token);
        form.email = browser->user.email;
        return _signOut.render(request, form,
                               {.locale = fieldOf(parameters, "ui_locales"),
                                .policy = policyWith({}, {originOf(form.redirectUri)}),
                                .cookies = {std::move(token.cookie)}});
    }
    std::vector<std::string> ended;
    // The token alone proves the client's own sign-in. For all of the browser its cookie has to come along.
    if (signIn) ended = end(request, {*signIn}, signIn->userId.text(), std::nullopt);
    if (browser) std::ranges::move(end(request, {}, browser->user.id.text(), browser->session.id), std::back_inserter(ended));
    std::string continueUrl;
    if (known && (sure || !browser))
        continueUrl = withQuery(redirectUri, form.state.empty() ? UrlParameters{} : UrlParameters{{"state", form.state}});
    return signedOut(request, std::move(form), ended, continueUrl, fieldOf(parameters, "ui_locales"));
}

Response ProviderRoutes::signedOut(const Request& request, SignOutForm form, const std::vector<std::string>& ended,
                                   const std::string& continueUrl, const std::string& locales) const
{
    PageOptions options;
    options.locale = locales;
    options.cookies = _core.cookies.clearSent(request);
    for (auto& url : _core.read([&](Session& session) { return logout_notices::frontchannel(session, ended, _core.origin); }))
    {
        options.policy.frames.push_back(originOf(url));
        form.frames.push_back({std::move(url)});
    }
    if (!continueUrl.empty() && form.frames.empty()) return redirectTo(continueUrl, std::move(options.cookies));
    form.done = true;
    form.continueUrl = continueUrl;
    auto page = _signOut.render(request, form, options);
    // Time for the frames to load; the page also has a link.
    if (!continueUrl.empty()) page.addHeader("Refresh", "3; url=" + continueUrl);
    return page;
}

} // namespace portico::identity
