#include "host/platform/events/Webhooks.h"

#include "host/base/Digests.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

constexpr std::string_view encodedSecretPrefix = "whsec_";
constexpr std::chrono::milliseconds sendTimeout{10'000};
/// What an endpoint answers is of no interest but for its status.
constexpr std::uint64_t answerLimit = 64 * 1024;

std::string keyOf(const std::string& secret)
{
    if (!secret.starts_with(encodedSecretPrefix)) return secret;
    auto key = fromBase64(std::string_view(secret).substr(encodedSecretPrefix.size()));
    return key.empty() ? secret : key;
}

std::string jsonText(std::string_view text) { return boost::json::serialize(boost::json::string(text)); }

} // namespace

std::string webhookSignature(const std::vector<std::string>& secrets, std::string_view id, std::int64_t timestamp, std::string_view body)
{
    std::string content(id);
    content.append(".").append(std::to_string(timestamp)).append(".").append(body);
    std::string signature;
    for (const auto& secret : secrets)
    {
        if (!signature.empty()) signature += ' ';
        signature += "v1," + toBase64(hmacSha256(keyOf(secret), content));
    }
    return signature;
}

std::string webhookBody(const Event& event)
{
    return R"({"type":)" + jsonText(event.type) + R"(,"timestamp":")" + toString(event.time) + R"(","data":)" + event.data + "}";
}

WebhookRunner::WebhookRunner(const Outbox& outbox, JobStore& jobs, const EventRouter& router, const WebhookDirectory& directory,
                             HttpClient& http, const Clock& clock)
    : _outbox(outbox), _jobs(jobs), _router(router), _directory(directory), _http(http), _clock(clock)
{
}

std::vector<std::string> WebhookRunner::types() const
{
    if (!_directory.available()) return {};
    return {std::string(webhookJobType)};
}

RunResult WebhookRunner::run(const ClaimedJob& job, std::stop_token)
{
    const auto event = _outbox.find(job.eventId);
    if (!event) return RunResult::Done; // an operator removed it
    if (job.payload.empty()) return expand(*event);
    const auto endpoints = _directory.endpoints(*event);
    if (!endpoints) return RunResult::NotNow;
    const auto endpoint = std::find_if(endpoints->begin(), endpoints->end(), [&](const auto& one) { return one.id == job.payload; });
    if (endpoint != endpoints->end()) send(*endpoint, *event);
    return RunResult::Done;
}

RunResult WebhookRunner::expand(const Event& event)
{
    if (!_directory.available()) return RunResult::NotNow;
    const auto deliveries = _router.webhookDeliveries(event);
    _jobs.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& delivery : deliveries) _jobs.enqueue(transaction, delivery);
        });
    return RunResult::Done;
}

void WebhookRunner::send(const interfaces::WebhookEndpoint& endpoint, const Event& event)
{
    const auto timestamp = std::chrono::duration_cast<std::chrono::seconds>(_clock.now().time_since_epoch()).count();
    HttpClient::Request request;
    request.method = "POST";
    request.url = endpoint.url;
    request.timeout = sendTimeout;
    request.maxResponseBytes = answerLimit;
    request.body = webhookBody(event);
    request.headers = {{"Content-Type", "application/json"},
                       {"webhook-id", event.id},
                       {"webhook-timestamp", std::to_string(timestamp)},
                       {"webhook-signature", webhookSignature(endpoint.secrets, event.id, timestamp, request.body)}};
    const auto status = _http.send(request).status;
    if (status < 200 || status > 299) throw std::runtime_error("the endpoint answered " + std::to_string(status));
}

std::chrono::milliseconds WebhookRunner::retryDelay(int attempt) const
{
    using namespace std::chrono_literals;
    constexpr std::array<std::chrono::milliseconds, 7> waits = {1min, 5min, 30min, 2h, 5h, 8h, 8h};
    return spread(waits[static_cast<std::size_t>(std::clamp<int>(attempt, 1, waits.size()) - 1)]);
}

} // namespace portico::host::platform
