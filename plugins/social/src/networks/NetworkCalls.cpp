#include "networks/NetworkCalls.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <charconv>

namespace portico::social
{

namespace
{
constexpr std::chrono::hours longestWait{24};
constexpr std::size_t longestMessage = 400;
constexpr std::chrono::seconds callTimeout{15};
constexpr std::uint64_t largestNetworkAnswer = std::uint64_t{2} << 20;

FailureCode codeOf(int status)
{
    switch (status)
    {
    case 403:
        return FailureCode::PermissionDenied;
    case 404:
    case 410:
        return FailureCode::TargetGone;
    case 409:
        return FailureCode::DuplicateContent;
    case 413:
        return FailureCode::MediaTooLarge;
    case 415:
        return FailureCode::MediaRejected;
    case 429:
        return FailureCode::RateLimited;
    default:
        return FailureCode::PlatformError;
    }
}

StepOutcome::Kind kindOf(int status)
{
    if (status == 401) return StepOutcome::Kind::AuthRefused;
    if (status == 408 || status == 425 || status == 429 || status == 503) return StepOutcome::Kind::Retry;
    // The network may have published the post before it failed.
    if (status >= 500) return StepOutcome::Kind::PerhapsSent;
    return StepOutcome::Kind::Failed;
}
} // namespace

Exchanged exchange(HttpClient& http, HttpClient::Request request)
{
    try
    {
        return {http.send(request), false, false, {}};
    }
    catch (const HttpFailure& failure)
    {
        const bool refused = failure.code() == "address_not_allowed";
        return {std::nullopt, failure.sent() == HttpFailure::Sent::PerhapsSent, refused,
                refused ? "The operator does not allow calls to this address." : cleanText(failure.detail(), longestMessage)};
    }
    catch (const Problem& problem)
    {
        return {std::nullopt, true, false, cleanText(problem.detail(), longestMessage)};
    }
}

std::optional<Instant> retryTime(const HttpClient::Response& response, Instant now)
{
    std::optional<Instant> time;
    if (const auto wait = response.retryAfter(now)) time = now + *wait;
    for (const std::string_view name : {"x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"})
    {
        const auto* value = response.header(name);
        if (time || value == nullptr) continue;
        time = parseInstant(*value);
        std::int64_t seconds = 0;
        const auto end = value->data() + value->size();
        if (!time && std::from_chars(value->data(), end, seconds).ptr == end && !value->empty())
            // A small number counts from now (RateLimit header fields), a large one from 1970.
            time = seconds < 1'000'000'000 ? now + std::chrono::seconds(std::max<std::int64_t>(seconds, 0))
                                           : Instant(std::chrono::seconds(std::min<std::int64_t>(seconds, 100'000'000'000)));
    }
    if (!time) return std::nullopt;
    return std::clamp(*time, now + std::chrono::seconds(1), now + std::chrono::milliseconds(longestWait));
}

StepOutcome failedOutcome(const Exchanged& exchanged, Instant now, std::string_view code, std::string_view said)
{
    StepOutcome outcome;
    if (!exchanged.response)
    {
        outcome.kind = exchanged.addressRefused ? StepOutcome::Kind::Failed
                       : exchanged.perhapsSent  ? StepOutcome::Kind::PerhapsSent
                                                : StepOutcome::Kind::Retry;
        outcome.code = FailureCode::NetworkUnreachable;
        outcome.message = exchanged.message;
        return outcome;
    }
    const auto& response = *exchanged.response;
    outcome.kind = kindOf(response.status);
    outcome.code = codeOf(response.status);
    outcome.httpStatus = response.status;
    outcome.platformCode = cleanText(code, 80);
    outcome.message = "The network answered " + std::to_string(response.status) + ".";
    if (!said.empty()) outcome.message += " " + cleanText(said, longestMessage);
    if (response.status == 429 || response.status == 503) outcome.notBefore = retryTime(response, now);
    return outcome;
}

StepOutcome unnamed(StepOutcome outcome)
{
    outcome.kind = StepOutcome::Kind::PerhapsSent;
    outcome.code = FailureCode::PlatformError;
    outcome.message = "The response does not contain the post that was sent.";
    return outcome;
}

HttpClient::Request apiRequest(std::string_view method, std::string url, std::string_view token)
{
    HttpClient::Request request;
    request.method = method;
    request.url = std::move(url);
    request.timeout = callTimeout;
    request.maxResponseBytes = largestNetworkAnswer;
    request.headers.emplace_back("Accept", "application/json");
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + std::string(token));
    return request;
}

std::string jsonText(std::string_view text)
{
    std::string json;
    appendJsonString(json, text);
    return json;
}

std::string requireReachable(const HttpClient& http, std::string_view url, std::string_view field)
{
    const auto refuse = [&](std::string code, std::string_view message)
    { throw ConnectFault(ConnectFault::Kind::BadInput, std::string(field), std::move(code), message); };
    if (!isWebUrl(url)) refuse("invalid_url", "Expected an absolute https URL.");
    const bool ownNetwork = http.isAllowedByOperator(url);
    if (!url.starts_with("https://") && !ownNetwork) refuse("https_required", "Expected an https URL.");
    try
    {
        http.requireAllowed(url);
    }
    catch (const HttpFailure&)
    {
        refuse("address_not_allowed", "The operator does not allow calls to this address.");
    }
    return std::string(url);
}

} // namespace portico::social
