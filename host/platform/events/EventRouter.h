#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/events/Webhooks.h"

#include <chrono>
#include <vector>

namespace portico::host::platform
{

/// Turns events that wait in an outbox into deliveries: a job for every subscriber, also one that has been away for up to a week, and for
/// every webhook endpoint. Each makes its own progress. Thread-safe.
class EventRouter
{
public:
    static constexpr std::chrono::hours forgetSubscribersAfter{7 * 24};

    EventRouter(const Subscriptions& subscriptions, const WebhookDirectory& webhooks, const Clock& clock)
        : _subscriptions(subscriptions), _webhooks(webhooks), _clock(clock)
    {
    }

    /// Dispatches what waits, up to a batch; true if there may be more.
    bool dispatch(const Outbox& outbox) const;

private:
    std::vector<KnownSubscriber> currentSubscribers(const Outbox& outbox) const;
    bool keep(const Outbox& outbox, const KnownSubscriber& known) const;

    const Subscriptions& _subscriptions;
    const WebhookDirectory& _webhooks;
    const Clock& _clock;
};

} // namespace portico::host::platform
