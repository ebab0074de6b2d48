#include "host/platform/events/SignedPost.h"

#include "portico/Jobs.h"
#include "portico/WebhookSignature.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>

namespace portico::host::platform
{

namespace
{

constexpr std::chrono::milliseconds sendTimeout{10'000};
/// Maximum body of an endpoint's answer, of which only the status is used.
constexpr std::uint64_t answerLimit = 64 * 1024;

constexpr std::chrono::hours longestWait{24};

HttpClient::Response answerTo(HttpClient& http, const HttpClient::Request& request)
{
    try
    {
        return http.send(request);
    }
    catch (const Problem& problem)
    {
        throw PostFailure(0, std::string(problem.detail()), {});
    }
    catch (const std::exception& failure)
    {
        throw PostFailure(0, failure.what(), {});
    }
}

std::string jsonText(std::string_view text) { return boost::json::serialize(boost::json::string(text)); }

} // namespace

std::string webhookBody(const Event& event)
{
    return R"({"type":)" + jsonText(event.type) + R"(,"timestamp":")" + toString(event.time) + R"(","data":)" + event.data + "}";
}

void failAttempt(const PostFailure& failure)
{
    if (failure.gone()) throw JobFailed(failure.what());
    if (failure.retryAfter.count() > 0) throw JobRetry::after(failure.retryAfter, failure.what());
    throw PostFailure(failure);
}

int SignedPost::send(const std::string& url, std::span<const std::string> secrets, Headers headers, std::string_view id,
                     std::string body) const
{
    const auto timestamp = std::chrono::duration_cast<std::chrono::seconds>(_clock.now().time_since_epoch()).count();
    HttpClient::Request request;
    request.method = "POST";
    request.url = url;
    request.timeout = sendTimeout;
    request.maxResponseBytes = answerLimit;
    request.headers = std::move(headers);
    request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("webhook-id", id);
    request.headers.emplace_back("webhook-timestamp", std::to_string(timestamp));
    request.headers.emplace_back("webhook-signature", webhookSignature(secrets, id, timestamp, body));
    request.body = std::move(body);
    const auto response = answerTo(_http, request);
    if (response.status >= 200 && response.status <= 299) return response.status;
    std::chrono::milliseconds wait{0};
    if (response.status == 429 || response.status == 503)
        wait = std::min<std::chrono::milliseconds>(response.retryAfter(_clock.now()).value_or(std::chrono::seconds(0)), longestWait);
    throw PostFailure(response.status, "the endpoint answered " + std::to_string(response.status), wait);
}

} // namespace portico::host::platform
