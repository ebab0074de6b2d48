#include "host/platform/events/Outbox.h"

#include "host/telemetry/Tracer.h"

#include "portico/Id.h"

#include <algorithm>

namespace portico::host::platform
{

namespace
{

using EventId = Id<"evt">;

constexpr std::string_view eventColumns = "id, type, organization_id, data, created_at";

Event eventFrom(const Row& row)
{
    return {row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<std::string>(3), row.get<Instant>(4)};
}

InFlight<std::vector<KnownSubscriber>> knownSubscribers(Flight& flight)
{
    return flight.read(
        [](Rows& rows)
        {
            std::vector<KnownSubscriber> found;
            for (const Row row : rows) found.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<Instant>(2)});
            return found;
        },
        "SELECT service_id, pattern, seen_at FROM portico_subscriber ORDER BY service_id, pattern");
}

} // namespace

bool matchesEvent(std::string_view pattern, std::string_view type) noexcept
{
    if (!pattern.ends_with(".*")) return pattern == type;
    pattern.remove_suffix(1);
    return type.starts_with(pattern);
}

std::string Outbox::publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data) const
{
    const auto now = _clock.now();
    auto id = EventId::make(now).text();
    const auto trace = telemetry::carriedTrace();
    // Travels with what follows.
    Flight(session).execute(
        "INSERT INTO portico_event (id, type, organization_id, data, created_at, trace) VALUES ($1, $2, $3, $4, $5, $6)", id, type,
        organizationId, data, now, trace.empty() ? SqlValue(nullptr) : SqlValue(trace));
    return id;
}

Outbox::Waiting Outbox::waiting(std::size_t limit) const
{
    auto session = _database.session();
    Flight flight(session);
    const auto sql =
        "SELECT " + std::string(eventColumns) + " FROM portico_event WHERE dispatched_at IS NULL ORDER BY created_at, id LIMIT $1";
    auto events = flight.read(
        [](Rows& rows)
        {
            std::vector<Event> found;
            for (const Row row : rows) found.push_back(eventFrom(row));
            return found;
        },
        sql, limit);
    auto known = knownSubscribers(flight);
    return {std::move(*events), std::move(*known)};
}

std::size_t Outbox::dispatch(std::span<const Dispatch> events) const
{
    auto taken = _database.transact(
        [&](Transaction& transaction)
        {
            Flight flight(transaction);
            // If several hosts update the row, one succeeds; the others wait for its commit and change nothing.
            std::vector<InFlight<std::optional<std::string>>> traces;
            for (const auto& one : events)
                traces.push_back(flight.value<std::string>("UPDATE portico_event SET dispatched_at = $2 WHERE id = $1 AND dispatched_at IS "
                                                           "NULL RETURNING coalesce(trace, '')",
                                                           one.eventId, _clock.now()));
            for (std::size_t i = 0; i < events.size(); ++i)
                for (auto delivery : events[i].deliveries)
                {
                    if (!*traces[i]) break;
                    delivery.trace = **traces[i];
                    _jobs.enqueue(flight, delivery, _jobs.newId());
                }
            return traces;
        });
    return static_cast<std::size_t>(std::ranges::count_if(taken, [](auto& trace) { return trace->has_value(); }));
}

std::optional<Event> Outbox::find(std::string_view id) const
{
    auto session = _database.session();
    auto rows = session.query("SELECT " + std::string(eventColumns) + " FROM portico_event WHERE id = $1", id);
    const auto row = rows.next();
    return row ? std::optional(eventFrom(*row)) : std::nullopt;
}

void Outbox::purge(std::chrono::hours age) const
{
    writeOnce(_database,
              "DELETE FROM portico_event WHERE dispatched_at < $1"
              " AND NOT EXISTS (SELECT 1 FROM portico_job WHERE portico_job.event_id = portico_event.id)",
              Instant(_clock.now() - age));
}

std::vector<KnownSubscriber> Outbox::subscribers() const
{
    auto session = _database.session();
    Flight flight(session);
    return std::move(*knownSubscribers(flight));
}

void Outbox::remember(std::string_view serviceId, std::string_view pattern) const
{
    writeOnce(_database,
              "INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ($1, $2, $3)"
              " ON CONFLICT (service_id, pattern) DO UPDATE SET seen_at = excluded.seen_at",
              serviceId, pattern, _clock.now());
}

void Outbox::forget(std::string_view serviceId, std::string_view pattern) const
{
    writeOnce(_database, "DELETE FROM portico_subscriber WHERE service_id = $1 AND pattern = $2", serviceId, pattern);
}

} // namespace portico::host::platform
