#include "external/OAuthTokens.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::calendar
{

namespace
{
constexpr std::int64_t largestTokenAnswer = 256 * 1024;
constexpr std::chrono::seconds earlier{60};

/// RFC 6749, 5.1 and 5.2.
struct TokenAnswer
{
    std::string accessToken;
    std::string refreshToken;
    std::int64_t expiresIn = 0;
    std::string error;
    std::string errorDescription;
};

constexpr auto schemaOf(const TokenAnswer*)
{
    return describe(field<&TokenAnswer::accessToken>("access_token"), field<&TokenAnswer::refreshToken>("refresh_token"),
                    field<&TokenAnswer::expiresIn>("expires_in"), field<&TokenAnswer::error>(),
                    field<&TokenAnswer::errorDescription>("error_description"));
}

/// Returns an empty answer if the body is not JSON.
TokenAnswer readAnswer(const std::string& body)
{
    try
    {
        return fromStoredJson<TokenAnswer>(body);
    }
    catch (const Problem&)
    {
        return {};
    }
}

OAuthTokens ask(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const RemoteStep& step, Fields form)
{
    form.emplace_back("client_id", provider.clientId);
    form.emplace_back("client_secret", provider.clientSecret);
    HttpClient::Request request;
    request.method = "POST";
    request.url = provider.tokenUrl;
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    request.body = toQuery(form);
    request.maxResponseBytes = largestTokenAnswer;
    const auto asked = clock.now();
    const auto response = calls.exchange(step, std::move(request));
    const auto answer = readAnswer(response.body);
    if (response.status == 200 && !answer.accessToken.empty())
        return {answer.accessToken, answer.refreshToken,
                asked + std::max(std::chrono::seconds(std::clamp<std::int64_t>(answer.expiresIn, 0, 86'400)) - earlier, earlier)};
    if (constexpr std::array ended{"invalid_grant", "interaction_required", "consent_required", "login_required"};
        std::ranges::find(ended, answer.error) != ended.end())
        throw CalendarFailure(CalendarFailure::Kind::Refused, {"consent_ended", {}, provider.name, {}},
                              provider.name + " does not let us in any more: it was taken back, or has expired. Connect it again.");
    // The operator's to mend, not the owner's.
    RemoteCalls::fail(
        step, provider.tokenUrl,
        answered(response.status, (answer.error.empty() ? "" : " " + answer.error) +
                                      (answer.errorDescription.empty() ? "" : " (" + cleanText(answer.errorDescription, 120) + ")")));
}
} // namespace

OAuthTokens redeemCode(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const std::string& code,
                       const std::string& verifier, const std::string& redirectUri)
{
    auto tokens = ask(calls, clock, provider, steps::comeBack,
                      {{"grant_type", "authorization_code"}, {"code", code}, {"redirect_uri", redirectUri}, {"code_verifier", verifier}});
    if (tokens.refreshToken.empty())
        RemoteCalls::fail(steps::comeBack, provider.tokenUrl, {"unreadable", "the answer has no refresh token"});
    return tokens;
}

OAuthTokens refreshTokens(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const OAuthTokens& tokens)
{
    auto fresh = ask(calls, clock, provider, steps::askAccess, {{"grant_type", "refresh_token"}, {"refresh_token", tokens.refreshToken}});
    if (fresh.refreshToken.empty()) fresh.refreshToken = tokens.refreshToken;
    return fresh;
}

} // namespace portico::calendar
