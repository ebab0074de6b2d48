#include "host/platform/events/EventRouter.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

constexpr std::string_view deliveryPrefix = "portico.event:";
constexpr std::size_t batch = 100;
/// With the growing waits about half a day.
constexpr int deliveryAttempts = 20;
/// Webhooks: 8 tries over a day, as the conventions say.
constexpr int webhookAttempts = 8;
/// A row is refreshed when it is that old, not at every event.
constexpr std::chrono::hours refreshSubscribersAfter{1};

NewJob deliveryTo(const KnownSubscriber& subscriber, const Event& event)
{
    NewJob job;
    job.type = deliveryJobType(subscriber.serviceId);
    job.payload = subscriber.pattern;
    job.maxAttempts = deliveryAttempts;
    job.eventId = event.id;
    job.dedupeKey = event.id + ":" + subscriber.serviceId + ":" + subscriber.pattern;
    return job;
}

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

} // namespace

std::string deliveryJobType(std::string_view subscriber) { return std::string(deliveryPrefix) + std::string(subscriber); }

bool WebhookDirectory::available() const
{
    const bool found = static_cast<bool>(_interfaces.find<interfaces::Webhooks>());
    if (found) _seen.store(true);
    return found;
}

std::optional<std::vector<interfaces::WebhookEndpoint>> WebhookDirectory::endpoints(const Event& event) const
{
    const auto provider = _interfaces.find<interfaces::Webhooks>();
    if (!provider) return std::nullopt;
    _seen.store(true);
    std::string failure;
    try
    {
        return provider->endpoints(event.organizationId, event.type);
    }
    catch (const std::exception& error)
    {
        failure = error.what(); // the provider's own type may be gone once the lease is given back
    }
    throw std::runtime_error("the registry of webhooks: " + failure);
}

EventRouter::EventRouter(const Subscriptions& subscriptions, const WebhookDirectory& webhooks, const Clock& clock)
    : _subscriptions(subscriptions), _webhooks(webhooks), _clock(clock)
{
}

bool EventRouter::dispatch(const Outbox& outbox) const
{
    const auto events = outbox.waiting(batch);
    if (events.empty()) return false;
    const auto subscribers = currentSubscribers(outbox);
    for (const auto& event : events)
    {
        std::vector<NewJob> deliveries = webhookDeliveries(event);
        for (const auto& subscriber : subscribers)
            if (matchesEvent(subscriber.pattern, event.type)) deliveries.push_back(deliveryTo(subscriber, event));
        outbox.dispatch(event, deliveries);
    }
    return events.size() == batch;
}

std::vector<NewJob> EventRouter::webhookDeliveries(const Event& event) const
{
    std::vector<NewJob> deliveries;
    const auto endpoints = _webhooks.endpoints(event);
    if (!endpoints && _webhooks.expected()) deliveries.push_back(webhookTo({}, event));
    if (!endpoints) return deliveries;
    for (const auto& endpoint : *endpoints) deliveries.push_back(webhookTo(endpoint.id, event));
    return deliveries;
}

std::vector<KnownSubscriber> EventRouter::currentSubscribers(const Outbox& outbox) const
{
    auto known = outbox.subscribers();
    std::erase_if(known, [&](const KnownSubscriber& subscriber) { return !keep(outbox, subscriber); });
    for (const auto& service : _subscriptions.services())
        for (const auto& pattern : _subscriptions.patternsOf(service).value_or(std::vector<std::string>{}))
        {
            const auto row = std::find_if(known.begin(), known.end(),
                                          [&](const KnownSubscriber& one) { return one.serviceId == service && one.pattern == pattern; });
            if (row == known.end() || row->seenAt < _clock.now() - refreshSubscribersAfter) outbox.remember(service, pattern);
            if (row == known.end()) known.push_back({service, pattern, _clock.now()});
        }
    return known;
}

bool EventRouter::keep(const Outbox& outbox, const KnownSubscriber& known) const
{
    const auto patterns = _subscriptions.patternsOf(known.serviceId);
    const bool listens = patterns && std::find(patterns->begin(), patterns->end(), known.pattern) != patterns->end();
    // A service that runs and has no such pattern any more was changed; one that is away may come back.
    const bool mayReturn = !patterns && known.seenAt >= _clock.now() - forgetSubscribersAfter;
    if (listens || mayReturn) return true;
    outbox.forget(known.serviceId, known.pattern);
    return false;
}

std::vector<std::string> EventDeliveryRunner::types() const
{
    auto types = _subscriptions.services();
    for (auto& type : types) type = deliveryJobType(type);
    return types;
}

RunResult EventDeliveryRunner::run(const ClaimedJob& job, std::stop_token)
{
    const auto event = _outbox.find(job.eventId);
    if (!event) return RunResult::Done; // an operator removed it
    const auto subscriber = std::string_view(job.type).substr(deliveryPrefix.size());
    return _subscriptions.deliver(subscriber, job.payload, *event) ? RunResult::Done : RunResult::NotNow;
}

} // namespace portico::host::platform
