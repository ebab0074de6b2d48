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

/// Turns events that wait in an outbox, up to a batch, into deliveries: a job for every subscriber, also one that has been away for up to a
/// week, and for every webhook endpoint. Each delivery makes its own progress. Thread-safe.
/// @param changes where open pages of this host are told of the events; null: none has ever asked.
Dispatched dispatchEvents(const Outbox& outbox, const Subscriptions& subscriptions, const WebhookDirectory& webhooks, Channels* changes,
                          Instant now);

} // namespace portico::host::platform
