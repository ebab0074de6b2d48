#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/events/Webhooks.h"

#include "portico/EventStream.h"

#include <chrono>

namespace portico::host::platform
{

inline constexpr std::chrono::hours forgetSubscribersAfter{7 * 24};

enum class Dispatched : std::uint8_t
{
    Nothing,
    All,
    More ///< A whole batch: more may wait.
};

/// Turns a batch of events of an outbox into deliveries: a job for every webhook endpoint and every subscriber, including those away for up
/// to a week. Each delivery makes its own progress. Thread-safe.
/// @param changes notifies open pages of this host; null: no page has subscribed
Dispatched dispatchEvents(const Outbox& outbox, const Subscriptions& subscriptions, const WebhookDirectory& webhooks, Channels* changes,
                          Instant now);

} // namespace portico::host::platform
