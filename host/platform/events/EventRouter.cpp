#include "host/platform/events/EventRouter.h"

#include "host/platform/events/ChangePublisher.h"

#include <algorithm>
#include <utility>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t batch = 100;
/// With the growing waits about half a day.
constexpr int deliveryAttempts = 20;
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

/// Returns true if an earlier subscriber still subscribes or may come back.
bool keep(const Outbox& outbox, const Subscriptions& subscriptions, const KnownSubscriber& known, Instant now)
{
    const auto patterns = subscriptions.patternsOf(known.serviceId);
    const bool listens = patterns && std::find(patterns->begin(), patterns->end(), known.pattern) != patterns->end();
    // A service that runs and has no such pattern any more was changed; one that is away may come back.
    const bool mayReturn = !patterns && known.seenAt >= now - forgetSubscribersAfter;
    if (listens || mayReturn) return true;
    outbox.forget(known.serviceId, known.pattern);
    return false;
}

std::vector<KnownSubscriber> currentSubscribers(const Outbox& outbox, std::vector<KnownSubscriber> known,
                                                const Subscriptions& subscriptions, Instant now)
{
    std::erase_if(known, [&](const KnownSubscriber& subscriber) { return !keep(outbox, subscriptions, subscriber, now); });
    for (const auto& service : subscriptions.services())
        for (const auto& pattern : subscriptions.patternsOf(service).value_or(std::vector<std::string>{}))
        {
            const auto row = std::find_if(known.begin(), known.end(),
                                          [&](const KnownSubscriber& one) { return one.serviceId == service && one.pattern == pattern; });
            if (row == known.end() || row->seenAt < now - refreshSubscribersAfter) outbox.remember(service, pattern);
            if (row == known.end()) known.push_back({service, pattern, now});
        }
    return known;
}

} // namespace

Dispatched dispatchEvents(const Outbox& outbox, const Subscriptions& subscriptions, const WebhookDirectory& webhooks, Channels* changes,
                          Instant now)
{
    auto waiting = outbox.waiting(batch);
    const auto& events = waiting.events;
    if (events.empty()) return Dispatched::Nothing;
    const auto subscribers = currentSubscribers(outbox, std::move(waiting.subscribers), subscriptions, now);
    std::vector<Dispatch> dispatched;
    for (const auto& event : events)
    {
        std::vector<NewJob> deliveries = webhooks.deliveries(event);
        for (const auto& subscriber : subscribers)
            if (matchesEvent(subscriber.pattern, event.type)) deliveries.push_back(deliveryTo(subscriber, event));
        // Pages are notified before the event is marked as dispatched: twice rather than not at all.
        if (changes != nullptr) publishChange(*changes, event);
        dispatched.push_back({event.id, std::move(deliveries)});
    }
    outbox.dispatch(dispatched);
    return events.size() == batch ? Dispatched::More : Dispatched::All;
}

} // namespace portico::host::platform
