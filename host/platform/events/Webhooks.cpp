#include "host/platform/events/Webhooks.h"

#include <algorithm>

namespace portico::host::platform
{

WebhookRunner::WebhookRunner(const Outbox& outbox, JobStore& jobs, const EventRouter& router, const WebhookDirectory& directory,
                             HttpClient& http, const Clock& clock)
    : _outbox(outbox), _jobs(jobs), _router(router), _directory(directory), _post(http, clock)
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
    if (endpoint == endpoints->end()) return RunResult::Done;
    try
    {
        _post.send(endpoint->url, endpoint->secrets, {}, event->id, webhookBody(*event));
    }
    catch (const PostFailure& failure)
    {
        failAttempt(failure);
    }
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

std::chrono::milliseconds WebhookRunner::retryDelay(const ClaimedJob& job) const { return spread(signedPostWaits, job.attempt); }

} // namespace portico::host::platform
