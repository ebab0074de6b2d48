#include "networks/approved/CodeFlow.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// State between the two halves of the flow.
struct PendingGrant
{
    std::string verifier;
    std::string choice;
};

constexpr auto schemaOf(const PendingGrant*) { return describe(members<&PendingGrant::verifier, &PendingGrant::choice>()); }

/// RFC 6749, 5.1 and 5.2.
struct GrantAnswer
{
    std::string accessToken;
    std::string refreshToken;
    std::int64_t expiresIn = 0;
    std::string scope;
    std::string error;
    std::string errorDescription;
};

constexpr auto schemaOf(const GrantAnswer*)
{
    using T = GrantAnswer;
    return describe(field<&T::accessToken>("access_token"), field<&T::refreshToken>("refresh_token"), field<&T::expiresIn>("expires_in"),
                    members<&T::scope, &T::error>(), field<&T::errorDescription>("error_description"));
}

constexpr std::int64_t longestGrantLife = std::int64_t{10} * 365 * 86'400;

Credentials grantedCredentials(const GrantAnswer& answer, Instant now)
{
    Credentials credentials;
    credentials.accessToken = answer.accessToken;
    credentials.refreshToken = answer.refreshToken;
    credentials.issuedAt = now;
    if (answer.expiresIn > 0) credentials.expiresAt = now + std::chrono::seconds(std::min(answer.expiresIn, longestGrantLife));
    return credentials;
}

/// RFC 7617.
std::string basicCredentials(const std::string& user, const std::string& password)
{
    auto text = toBase64Url(user + ":" + password);
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return "Basic " + text;
}

std::vector<std::string> grantedScopes(std::string text)
{
    std::ranges::replace(text, ' ', ',');
    return splitList(text);
}
} // namespace

ConnectStart CodeFlow::start(const ConnectRequest& request) const
{
    PendingGrant pending{{}, request.identifier};
    const bool ofChoice = !trim(request.identifier).empty() && !_server.scopesOfChoice.empty();
    QueryFields query{{"response_type", "code"},
                      {"client_id", _clientId},
                      {"redirect_uri", request.redirectUri},
                      {"scope", std::string(ofChoice ? _server.scopesOfChoice : _server.scopes)},
                      {"state", request.state}};
    if (_server.hasPkce)
    {
        pending.verifier = randomToken(32);
        query.emplace_back("code_challenge", toBase64Url(sha256(pending.verifier).bytes()));
        query.emplace_back("code_challenge_method", "S256");
    }
    return {std::nullopt, std::string(_server.authorizeUrl) + "?" + toQuery(query), toJson(pending)};
}

Exchanged CodeFlow::post(std::string_view url, QueryFields form) const
{
    HttpClient::Request request = apiRequest("POST", std::string(url), {});
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    form.emplace_back("client_id", _clientId);
    if (_server.takesBasic)
        request.headers.emplace_back("Authorization", basicCredentials(percentEncoded(_clientId), percentEncoded(_clientSecret)));
    else
        form.emplace_back("client_secret", _clientSecret);
    request.body = toQuery(form);
    return exchange(_http, std::move(request));
}

CodeGrant CodeFlow::finish(std::string_view keep, const ConnectReturn& back) const
{
    const auto pending = fromStoredJson<PendingGrant>(keep);
    QueryFields form{
        {"grant_type", "authorization_code"}, {"code", std::string(back.code)}, {"redirect_uri", std::string(back.redirectUri)}};
    if (!pending.verifier.empty()) form.emplace_back("code_verifier", pending.verifier);
    const auto exchanged = post(_server.tokenUrl, std::move(form));
    const std::string name(_server.name);
    if (exchanged.response && (exchanged.response->status == 400 || exchanged.response->status == 401))
    {
        const auto said = readAnswer<GrantAnswer>(exchanged).value_or(GrantAnswer{});
        throw ConnectFault(ConnectFault::Kind::Refused, "", "code_refused",
                           name + " refused the sign-in." +
                               (said.errorDescription.empty() ? "" : " " + cleanText(said.errorDescription, 200)));
    }
    const auto answer = requireAnswer<GrantAnswer>(exchanged, name);
    if (answer.accessToken.empty()) throw ConnectFault(ConnectFault::Kind::Unreachable, "", "unexpected_answer", name + " gave no token.");
    return {grantedCredentials(answer, _clock.now()), grantedScopes(cleanText(answer.scope.empty() ? _server.scopes : answer.scope, 500)),
            pending.choice};
}

Refreshed CodeFlow::refresh(const Credentials& credentials) const
{
    if (credentials.refreshToken.empty()) return {};
    const auto exchanged = post(_server.tokenUrl, {{"grant_type", "refresh_token"}, {"refresh_token", credentials.refreshToken}});
    const auto answer = readAnswer<GrantAnswer>(exchanged).value_or(GrantAnswer{});
    if (exchanged.isSuccess() && !answer.accessToken.empty()) return {Refreshed::Kind::New, grantedCredentials(answer, _clock.now()), {}};
    // X reports a revoked token as `invalid_request`, as it does requests that it cannot read.
    const bool revoked = answer.error == "invalid_request" && answer.errorDescription.find("token was invalid") != std::string::npos;
    if (answer.error == "invalid_grant" || revoked) return {Refreshed::Kind::Dead, {}, std::string(_server.name) + " ended the grant."};
    return {Refreshed::Kind::Unreachable, {}, failedOutcome(exchanged, _clock.now()).message};
}

void CodeFlow::revoke(std::string_view revokeUrl, std::string_view token) const noexcept
{
    try
    {
        post(revokeUrl, {{"token", std::string(token)}});
    }
    catch (const std::exception&)
    {
        return; // the account is removed here in any case
    }
}

} // namespace portico::social
