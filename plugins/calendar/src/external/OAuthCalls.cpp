#include "external/OAuthCalls.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::uint64_t largestProviderAnswer = 16 * 1024 * 1024;

/// Error answer of either provider.
struct ProviderError
{
    struct Detail
    {
        std::string reason;
    };
    struct Error
    {
        /// A number at the one, a text at the other.
        Json code;
        std::string message;
        std::vector<Detail> errors;
    };
    Error error;
};

constexpr auto schemaOf(const ProviderError::Detail*) { return describe(field<&ProviderError::Detail::reason>()); }
constexpr auto schemaOf(const ProviderError::Error*)
{
    return describe(members<&ProviderError::Error::code, &ProviderError::Error::message, &ProviderError::Error::errors>());
}
constexpr auto schemaOf(const ProviderError*) { return describe(field<&ProviderError::error>()); }

ProviderError::Error errorOf(const HttpClient::Response& response)
{
    try
    {
        return fromStoredJson<ProviderError>(response.body).error;
    }
    catch (const Problem&)
    {
        return {};
    }
}

/// Google answers 403 where others answer 429.
bool isLimit(const ProviderError::Error& error)
{
    return std::ranges::any_of(error.errors, [](const auto& detail)
                               { return detail.reason.ends_with("ateLimitExceeded") || detail.reason == "quotaExceeded"; });
}
} // namespace

void OAuthCalls::renew()
{
    _tokens = refreshTokens(_calls, _clock, _provider, _tokens);
    if (_keep) _keep(_tokens);
}

HttpClient::Response OAuthCalls::send(const RemoteStep& step, std::string_view method, std::string_view path, std::string body,
                                      std::string_view preference)
{
    HttpClient::Request request;
    request.method = method;
    request.url = path.starts_with('/') ? _provider.apiUrl + std::string(path) : std::string(path);
    // Tokens are only sent to the configured provider, whatever URL an answer contains.
    if (originOf(request.url) != originOf(_provider.apiUrl))
        RemoteCalls::fail(step, request.url, {"other_server", "it leads to another server"});
    request.maxResponseBytes = largestProviderAnswer;
    request.headers.emplace_back("Accept", "application/json");
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    if (!preference.empty()) request.headers.emplace_back("Prefer", preference);
    request.body = std::move(body);

    const bool wasRenewed = _tokens.expiresAt <= _clock.now();
    if (wasRenewed) renew();
    const auto sendNow = [&]
    {
        auto authorized = request;
        authorized.headers.emplace_back("Authorization", "Bearer " + _tokens.accessToken);
        return _calls.exchange(step, std::move(authorized));
    };
    auto response = sendNow();
    if (response.status == 401 && !wasRenewed)
    {
        renew();
        response = sendNow();
    }
    if (response.status < 400 || response.status == 404 || response.status == 409 || response.status == 410) return response;
    const auto error = errorOf(response);
    if (error.code.text == R"("ErrorDuplicateTransactionId")") response.status = 409;
    if (response.status == 409) return response;
    if (response.status == 401 || (response.status == 403 && !isLimit(error)))
    {
        const auto status = std::to_string(response.status), said = cleanText(error.message, 200);
        throw CalendarFailure(CalendarFailure::Kind::Refused, {"not_allowed", std::string(step.code), _provider.name, status},
                              std::string(step.words) + ": " + _provider.name + " does not allow it (" + status +
                                  "). Connect the calendar again." + (said.empty() ? "" : " " + said));
    }
    RemoteCalls::fail(step, request.url,
                      answered(response.status, error.message.empty() ? "" : " (" + cleanText(error.message, 200) + ")"));
}

} // namespace portico::calendar
