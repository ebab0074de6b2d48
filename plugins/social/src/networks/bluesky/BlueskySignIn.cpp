#include "networks/bluesky/BlueskySignIn.h"

#include "portico/Crypto.h"
#include "portico/Http.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social::bluesky
{

namespace
{
constexpr std::chrono::seconds signInTimeout{15};
constexpr std::string_view assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::int64_t longestLife = 30 * 24 * 3'600;

[[noreturn]] void refuse(std::string code, std::string_view message)
{
    throw ConnectFault(ConnectFault::Kind::Refused, "", std::move(code), message);
}

[[noreturn]] void unexpected(std::string_view message)
{
    throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", message);
}

Exchanged getDocument(HttpClient& http, std::string url)
{
    HttpClient::Request request;
    request.url = std::move(url);
    request.timeout = signInTimeout;
    request.headers.emplace_back("Accept", "application/json");
    return exchange(http, std::move(request));
}
} // namespace

AuthorizationServer SignIn::issuerOf(std::string_view serverUrl) const
{
    const auto resource = requireAnswer<ProtectedResource>(
        getDocument(_http, std::string(serverUrl) + "/.well-known/oauth-protected-resource"), "The account's server");
    if (resource.authorizationServers.size() != 1) unexpected("The account's server names no authorization server.");
    return metadataOf(resource.authorizationServers.front());
}

AuthorizationServer SignIn::metadataOf(const std::string& issuer) const
{
    requireReachable(_http, issuer, "instanceUrl");
    if (issuer != originOf(issuer)) unexpected("The issuer of the authorization server has a path.");
    auto found = requireAnswer<AuthorizationServer>(getDocument(_http, issuer + "/.well-known/oauth-authorization-server"),
                                                    "The authorization server");
    if (found.issuer != issuer) unexpected("The issuer of the authorization server does not match its URL.");
    for (const auto* endpoint : {&found.authorizationEndpoint, &found.tokenEndpoint, &found.pushEndpoint})
        requireReachable(_http, *endpoint, "instanceUrl");
    return found;
}

Exchanged SignIn::post(const std::string& url, QueryFields form, const std::string& issuer, const JwtKey& key) const
{
    form.emplace_back("client_id", _client.clientId());
    form.emplace_back("client_assertion_type", assertionType);
    form.emplace_back("client_assertion", _client.assertion(issuer));
    HttpClient::Request request;
    request.method = "POST";
    request.url = url;
    request.timeout = signInTimeout;
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
    request.body = toQuery(form);
    return _proofs.send(_http, std::move(request), key);
}

ConnectStart SignIn::begin(std::string_view identifier, std::string_view serverUrl, const ConnectRequest& request) const
{
    PendingSignIn pending;
    std::string server(serverUrl);
    if (!identifier.empty())
    {
        const auto account = findAccount(_http, _directories, identifier);
        pending.did = account.did;
        if (server.empty()) server = account.serverUrl;
    }
    const auto found = issuerOf(requireReachable(_http, server, identifier.empty() ? "instanceUrl" : "identifier"));
    const auto key = JwtKey::generate();
    pending.issuer = found.issuer;
    pending.verifier = randomToken(32);
    pending.dpopKey = key.toPem();
    QueryFields form{{"response_type", "code"},
                     {"redirect_uri", request.redirectUri},
                     {"scope", std::string(Client::scope)},
                     {"state", request.state},
                     {"code_challenge", toBase64Url(sha256(pending.verifier).bytes())},
                     {"code_challenge_method", "S256"}};
    if (!identifier.empty()) form.emplace_back("login_hint", identifier);
    const auto answer = post(found.pushEndpoint, std::move(form), found.issuer, key);
    const auto pushed = requireAnswer<PushedRequest>(answer, "The authorization server");
    if (pushed.requestUri.empty() || pushed.requestUri.size() > 500) unexpected("The authorization server did not accept the request.");
    const auto begins = found.authorizationEndpoint.find('?') == std::string::npos ? "?" : "&";
    return {std::nullopt,
            found.authorizationEndpoint + begins + toQuery({{"client_id", _client.clientId()}, {"request_uri", pushed.requestUri}}),
            toJson(pending)};
}

Credentials SignIn::credentialsOf(const TokenAnswer& tokens, Credentials before) const
{
    before.accessToken = tokens.accessToken;
    // Without a new one the stored one stays.
    if (!tokens.refreshToken.empty()) before.refreshToken = tokens.refreshToken;
    before.issuedAt = _clock.now();
    before.expiresAt.reset();
    if (tokens.expiresIn > 0) before.expiresAt = _clock.now() + std::chrono::seconds(std::min(tokens.expiresIn, longestLife));
    return before;
}

AccountProfile SignIn::finish(const PendingSignIn& pending, const ConnectReturn& back) const
{
    // RFC 9207: a code of another server is not sent to this one.
    if (back.issuer != pending.issuer) refuse("issuer_mismatch", "The response names another server.");
    const auto key = JwtKey::parse(pending.dpopKey);
    const auto server = metadataOf(pending.issuer);
    const auto answer = post(server.tokenEndpoint,
                             {{"grant_type", "authorization_code"},
                              {"code", std::string(back.code)},
                              {"redirect_uri", std::string(back.redirectUri)},
                              {"code_verifier", pending.verifier}},
                             server.issuer, key);
    if (const auto said = readAnswer<OAuthError>(answer); said && !said->error.empty())
        refuse("code_refused", "Bluesky rejected the sign-in: " + cleanText(said->description, 200));
    const auto tokens = requireAnswer<TokenAnswer>(answer, "The authorization server");
    if (tokens.accessToken.empty() || !equalsIgnoreCase(tokens.tokenType, "DPoP")) unexpected("The server returned no token for this key.");
    if (!tokens.sub.starts_with("did:")) unexpected("The server returned no account.");
    if (!pending.did.empty() && tokens.sub != pending.did) refuse("other_account", "The user signed in with a different account.");
    // Only the account's server may name its authorization server.
    const auto account = findAccount(_http, _directories, tokens.sub);
    if (issuerOf(requireReachable(_http, account.serverUrl, "identifier")).issuer != pending.issuer)
        refuse("issuer_mismatch", "The account belongs to another server.");
    AccountProfile profile;
    profile.externalId = tokens.sub;
    profile.serverUrl = account.serverUrl;
    Credentials credentials;
    credentials.dpopKey = pending.dpopKey;
    credentials.issuer = pending.issuer;
    profile.credentials = credentialsOf(tokens, std::move(credentials));
    return profile;
}

Refreshed SignIn::refresh(const NetworkAccount& account) const
{
    const auto& stored = account.credentials;
    try
    {
        const auto answer =
            post(metadataOf(stored.issuer).tokenEndpoint, {{"grant_type", "refresh_token"}, {"refresh_token", stored.refreshToken}},
                 stored.issuer, JwtKey::parse(stored.dpopKey));
        const auto said = readAnswer<OAuthError>(answer).value_or(OAuthError{});
        if (answer.response && answer.response->status == 400 && said.error == "invalid_grant")
            return {Refreshed::Kind::Dead, {}, "Access was revoked or has expired."};
        const auto tokens = answer.isSuccess() ? readAnswer<TokenAnswer>(answer) : std::nullopt;
        if (!tokens) return {Refreshed::Kind::Unreachable, {}, failedOutcome(answer, _clock.now()).message};
        if (tokens->accessToken.empty() || (!tokens->sub.empty() && tokens->sub != account.externalId))
            return {Refreshed::Kind::Unreachable, {}, "The server's answer cannot be read."};
        return {Refreshed::Kind::New, credentialsOf(*tokens, stored), {}};
    }
    catch (const ConnectFault& fault)
    {
        return {Refreshed::Kind::Unreachable, {}, fault.what()};
    }
}

void SignIn::revoke(const NetworkAccount& account) const
{
    const auto server = metadataOf(account.credentials.issuer);
    if (server.revocationEndpoint.empty()) return;
    post(requireReachable(_http, server.revocationEndpoint, "instanceUrl"), {{"token", account.credentials.refreshToken}}, server.issuer,
         JwtKey::parse(account.credentials.dpopKey));
}

} // namespace portico::social::bluesky
