#include "host/platform/events/Webhooks.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

/// 8 tries over a day, as the conventions say.
constexpr int webhookAttempts = 8;

NewJob webhookTo(const std::string& endpointId, const Event& event)
{
    NewJob job;
    job.type = webhookJobType;
    job.payload = endpointId;
    job.maxAttempts = webhookAttempts;
    job.eventId = event.id;
    job.dedupeKey = event.id + ":webhook:" + endpointId;
    return job;
}

std::vector<NewJob> webhooksTo(const std::vector<interfaces::WebhookEndpoint>& endpoints, const Event& event)
{
    std::vector<NewJob> deliveries;
    for (const auto& endpoint : endpoints) deliveries.push_back(webhookTo(endpoint.id, event));
    return deliveries;
}

} // namespace

bool WebhookDirectory::available() const
{
    const bool found = static_cast<bool>(_interfaces.find<interfaces::Webhooks>());
    if (found) _expected.store(true);
    return found;
}

std::optional<std::vector<interfaces::WebhookEndpoint>> WebhookDirectory::endpoints(const Event& event) const
{
    const auto provider = _interfaces.find<interfaces::Webhooks>();
    if (!provider) return std::nullopt;
    _expected.store(true);
    std::string failure;
    try
    {
        return provider->endpoints(Tenant::fromStored(event.organizationId), event.type);
    }
    catch (const std::exception& error)
    {
        failure = error.what(); // the exception's type may be unloaded after the lease ends
    }
    throw std::runtime_error("the registry of webhooks: " + failure);
}

std::vector<NewJob> WebhookDirectory::deliveries(const Event& event) const
{
    if (const auto found = endpoints(event)) return webhooksTo(*found, event);
    if (!expected()) return {};
    return {webhookTo({}, event)};
}

std::vector<std::string> WebhookRunner::types() const
{
    if (!_directory.available()) return {};
    return {std::string(webhookJobType)};
}

RunResult WebhookRunner::run(const ClaimedJob& job, std::stop_token stop)
{
    const auto event = _outbox.find(job.eventId);
    if (!event) return RunResult::Done; // an operator removed it
    const auto endpoints = _directory.endpoints(*event);
    if (!endpoints) return RunResult::NotNow;
    if (job.payload.empty()) return expand(*endpoints, *event);
    const auto endpoint = std::find_if(endpoints->begin(), endpoints->end(), [&](const auto& one) { return one.id == job.payload; });
    if (endpoint == endpoints->end()) return RunResult::Done;
    try
    {
        _post.send(endpoint->url, endpoint->secrets, {}, event->id, webhookBody(*event));
    }
    catch (const PostFailure& failure)
    {
        if (failure.isCutBy(stop)) return RunResult::NotNow;
        failAttempt(failure);
    }
    return RunResult::Done;
}

RunResult WebhookRunner::expand(const std::vector<interfaces::WebhookEndpoint>& endpoints, const Event& event)
{
    const auto deliveries = webhooksTo(endpoints, event);
    _jobs.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& delivery : deliveries) _jobs.enqueue(transaction, delivery);
        });
    return RunResult::Done;
}

std::chrono::milliseconds WebhookRunner::retryDelay(const ClaimedJob& job) const { return spread(signedPostWaits, job.attempt); }

} // namespace portico::host::platform
