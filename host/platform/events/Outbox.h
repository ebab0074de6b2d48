#pragma once

#include "host/platform/jobs/JobStore.h"

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Events.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// A service that has listened to events of this one.
struct KnownSubscriber
{
    std::string serviceId;
    std::string pattern;
    Instant seenAt{};
};

/// Deliveries of an event.
struct Dispatch
{
    std::string eventId;
    std::vector<NewJob> deliveries;
};

/// True for the type itself and for `crm.*` when the type starts with `crm.`.
bool matchesEvent(std::string_view pattern, std::string_view type) noexcept;

/// The tables `portico_event` and `portico_subscriber` of one service's database. Thread-safe.
class Outbox
{
public:
    Outbox(Database& database, JobStore& jobs, const Clock& clock) : _database(database), _jobs(jobs), _clock(clock) {}

    /// Writes in the caller's transaction; the event's id.
    std::string publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) const;
    struct Waiting
    {
        /// Events without deliveries, the oldest first.
        std::vector<Event> events;
        std::vector<KnownSubscriber> subscribers;
    };
    /// Reads only.
    Waiting waiting(std::size_t limit) const;
    /// Creates the deliveries of events and marks the events as dispatched, in one transaction. Returns their number; events that another
    /// host has dispatched are skipped.
    std::size_t dispatch(std::span<const Dispatch> events) const;
    std::optional<Event> find(std::string_view id) const;
    /// Forgets events that were dispatched longer ago than `age` and have no delivery left.
    void purge(std::chrono::hours age) const;

    std::vector<KnownSubscriber> subscribers() const;
    void remember(std::string_view serviceId, std::string_view pattern) const;
    void forget(std::string_view serviceId, std::string_view pattern) const;

private:
    Database& _database;
    JobStore& _jobs;
    const Clock& _clock;
};

} // namespace portico::host::platform
