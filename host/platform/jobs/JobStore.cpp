#include "host/platform/jobs/JobStore.h"

#include "host/base/Digests.h"
#include "host/base/Random.h"
#include "host/base/Text.h"
#include "host/telemetry/Tracer.h"

#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t longestError = 1'000;

using JobId = Id<"job">;

/// Restricts to waiting jobs of a plugin: the host's, running and periodic jobs cannot be cancelled.
constexpr std::string_view cancellable =
    " AND lease IS NULL AND dead_at IS NULL AND interval_seconds IS NULL AND type NOT LIKE 'portico.%'";

/// Errors are kept for the operator, not for ever and not at any length.
std::string_view shortened(std::string_view text) { return firstBytes(text, longestError); }

Instant after(Instant now, std::chrono::milliseconds delay) { return now + delay; }

/// `$4, $5, $6`
std::string placeholders(std::size_t first, std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
    {
        if (i > 0) text += ", ";
        text += '$' + std::to_string(first + i);
    }
    return text;
}

void appendTypes(std::vector<SqlValue>& values, std::span<const std::string> types)
{
    for (const auto& type : types) values.emplace_back(type);
}

SqlValue orNull(const std::string& text) { return text.empty() ? SqlValue(nullptr) : SqlValue(text); }

ClaimedJob claimedFrom(const Row& row, std::string lease)
{
    ClaimedJob job;
    job.lease = std::move(lease);
    job.id = row.get<std::string>(0);
    job.type = row.get<std::string>(1);
    job.payload = row.get<std::string>(2);
    job.eventId = row.get<std::optional<std::string>>(3).value_or("");
    job.attempt = row.get<int>(4);
    job.maxAttempts = row.get<int>(5);
    if (const auto seconds = row.get<std::optional<std::int64_t>>(6)) job.interval = std::chrono::seconds(*seconds);
    job.endpointId = row.get<std::optional<std::string>>(7).value_or("");
    job.trace = row.get<std::optional<std::string>>(8).value_or("");
    job.createdAt = row.get<Instant>(9);
    job.failedAt = row.get<std::optional<Instant>>(10);
    job.lastError = row.get<std::optional<std::string>>(11).value_or("");
    return job;
}

JobSummary summaryFrom(const Row& row)
{
    JobSummary job;
    job.id = row.get<std::string>(0);
    job.type = row.get<std::string>(1);
    job.attempt = row.get<int>(2);
    job.maxAttempts = row.get<int>(3);
    job.createdAt = row.get<Instant>(4);
    job.dueAt = row.get<Instant>(5);
    job.deadAt = row.get<std::optional<Instant>>(6);
    job.lastError = row.get<std::optional<std::string>>(7).value_or("");
    job.state = job.deadAt ? "dead" : row.isNull(8) ? "waiting" : "running";
    return job;
}

constexpr std::string_view endRestsSql =
    "UPDATE portico_job SET due_at = $1 + interval_seconds * 1000 WHERE dead_at IS NULL AND lease IS NULL"
    " AND due_at > $1 + interval_seconds * 1000";

/// Time until a job is looked for again that another host is about to claim: its row is locked, and its old time is still seen.
constexpr std::chrono::milliseconds claimOfOthers{100};

/// Returns when a job is due for a host that could claim none at `begin`.
std::optional<Instant> afterClaimOfOthers(std::optional<Instant> due, Instant begin)
{
    return due && *due <= begin ? begin + claimOfOthers : due;
}

/// By JobState.
constexpr std::array<std::string_view, 4> conditions = {"1 = 1", "dead_at IS NULL AND lease IS NULL",
                                                        "dead_at IS NULL AND lease IS NOT NULL", "dead_at IS NOT NULL"};

} // namespace

template <class... A>
bool JobStore::update(const ClaimedJob& job, std::string_view set, const A&... values) const
{
    return writeOnce(_database, "UPDATE portico_job SET " + std::string(set) + " WHERE id = $1 AND lease = $2", job.id, job.lease,
                     values...) > 0;
}

InFlight<std::int64_t> JobStore::enqueue(Flight& flight, const NewJob& job, const std::string& id) const
{
    const auto now = _clock.now();
    return flight.execute(
        "INSERT INTO portico_job (id, type, payload, due_at, max_attempts, dedupe_key, event_id, endpoint_id, trace, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        " ON CONFLICT (dedupe_key) WHERE dedupe_key IS NOT NULL AND dead_at IS NULL DO NOTHING",
        id, job.type, job.payload, after(job.dueAt.value_or(now), job.delay), job.maxAttempts, orNull(job.dedupeKey), orNull(job.eventId),
        orNull(job.endpointId), orNull(job.trace.empty() ? telemetry::carriedTrace() : job.trace), now);
}

std::string JobStore::enqueue(Session& session, const NewJob& job) const
{
    auto id = job.id.empty() ? newId() : job.id;
    Flight flight(session);
    auto inserted = enqueue(flight, job, id);
    // Without a key there is nothing to wait for: it travels with what follows.
    return job.dedupeKey.empty() || *inserted > 0 ? id : std::string();
}

std::string JobStore::newId() const { return JobId::make(_clock.now()).text(); }

bool JobStore::cancel(Session& session, std::string_view id) const
{
    return session.execute("DELETE FROM portico_job WHERE id = $1" + std::string(cancellable), id) > 0;
}

bool JobStore::cancelByKey(Session& session, std::string_view dedupeKey) const
{
    return session.execute("DELETE FROM portico_job WHERE dedupe_key = $1" + std::string(cancellable), dedupeKey) > 0;
}

void JobStore::ensurePeriodic(std::string_view type, std::chrono::seconds interval) const
{
    const auto now = _clock.now();
    writeOnce(_database,
              "INSERT INTO portico_job (id, type, payload, due_at, max_attempts, dedupe_key, interval_seconds, created_at)"
              " VALUES ($1, $2, '{}', $3, $4, $5, $6, $7)"
              " ON CONFLICT (dedupe_key) WHERE dedupe_key IS NOT NULL AND dead_at IS NULL"
              " DO UPDATE SET interval_seconds = excluded.interval_seconds",
              newId(), type, now, NewJob{}.maxAttempts, "every:" + std::string(type), interval.count(), now);
}

std::vector<std::string> JobStore::overdueTypes(Session& session, std::chrono::milliseconds since) const
{
    return session.values<std::string>("SELECT DISTINCT type FROM portico_job WHERE dead_at IS NULL AND lease IS NULL AND due_at <= $1",
                                       _clock.now() - since);
}

std::optional<Instant> JobStore::nextDue(std::span<const std::string> types) const
{
    if (types.empty()) return std::nullopt;
    auto session = _database.session();
    Flight flight(session);
    return *nextDue(flight, types);
}

InFlight<std::optional<Instant>> JobStore::nextDue(Flight& flight, std::span<const std::string> types) const
{
    std::vector<SqlValue> values;
    appendTypes(values, types);
    const auto read = [](Rows& rows)
    {
        const auto row = rows.next();
        return row ? std::optional(row->get<Instant>(0)) : std::nullopt;
    };
    return flight.readValues("SELECT due_at FROM portico_job WHERE dead_at IS NULL AND type IN (" + placeholders(1, types.size()) +
                                 ") ORDER BY due_at LIMIT 1",
                             values, read);
}

std::optional<ClaimedJob> JobStore::claim(std::span<const std::string> types, std::chrono::milliseconds leaseFor) const
{
    if (types.empty()) return std::nullopt;
    auto claimed = _database.transact(
        [&](Transaction& transaction)
        {
            Flight flight(transaction);
            return claim(flight, types, leaseFor);
        });
    return std::move(*claimed);
}

std::optional<ClaimedJob> JobStore::claim(std::span<const std::string> types, std::chrono::milliseconds leaseFor,
                                          std::optional<Instant>& due) const
{
    if (types.empty()) return std::nullopt;
    const auto begin = _clock.now();
    auto [claimed, next] = _database.transact(
        [&](Transaction& transaction)
        {
            Flight flight(transaction);
            auto taken = claim(flight, types, leaseFor);
            return std::pair(std::move(taken), nextDue(flight, types));
        });
    due = *claimed ? *next : afterClaimOfOthers(*next, begin);
    return std::move(*claimed);
}

InFlight<std::optional<ClaimedJob>> JobStore::claim(Flight& flight, std::span<const std::string> types,
                                                    std::chrono::milliseconds leaseFor) const
{
    const auto now = _clock.now();
    const auto lease = toHex(randomBytes(16));
    std::vector<SqlValue> values = {lease, after(now, leaseFor), now};
    appendTypes(values, types);
    // SQLite has one writer anyway; PostgreSQL's hosts and threads skip what another is about to take.
    const std::string_view lock = _database.dialect() == Dialect::PostgreSQL ? " FOR UPDATE SKIP LOCKED" : "";
    const auto sql = "UPDATE portico_job SET lease = $1, due_at = $2, attempt = attempt + 1 WHERE id = (SELECT id FROM portico_job"
                     " WHERE dead_at IS NULL AND due_at <= $3 AND type IN (" +
                     placeholders(4, types.size()) + ") ORDER BY due_at LIMIT 1" + std::string(lock) +
                     ") RETURNING id, type, payload, event_id, attempt, max_attempts, interval_seconds, endpoint_id, trace, created_at, "
                     "failed_at, last_error";
    return flight.readValues(sql, values,
                             [lease](Rows& rows)
                             {
                                 std::optional<ClaimedJob> claimed;
                                 for (const Row row : rows) claimed = claimedFrom(row, lease);
                                 return claimed;
                             });
}

bool JobStore::renew(const ClaimedJob& job, std::chrono::milliseconds leaseFor) const
{
    return update(job, "due_at = $3", after(_clock.now(), leaseFor));
}

bool JobStore::finish(const ClaimedJob& job, std::chrono::milliseconds rest) const
{
    auto ended = _database.transact(
        [&](Transaction& transaction)
        {
            Flight flight(transaction);
            return finish(flight, job, rest);
        });
    return *ended > 0;
}

InFlight<std::int64_t> JobStore::finish(Flight& flight, const ClaimedJob& job, std::chrono::milliseconds rest) const
{
    if (!job.interval) return flight.execute("DELETE FROM portico_job WHERE id = $1 AND lease = $2", job.id, job.lease);
    const auto wait = std::max<std::chrono::milliseconds>(*job.interval, rest);
    return flight.execute("UPDATE portico_job SET due_at = $3, lease = NULL, attempt = 0, last_error = NULL WHERE id = $1 AND lease = $2",
                          job.id, job.lease, after(_clock.now(), wait));
}

bool JobStore::finishAndClaim(const ClaimedJob& job, std::chrono::milliseconds rest, std::span<const std::string> types,
                              std::chrono::milliseconds leaseFor, std::optional<ClaimedJob>& next, std::optional<Instant>& due) const
{
    if (types.empty()) return finish(job, rest);
    const auto begin = _clock.now();
    auto [ended, claimed, following] = _database.transact(
        [&](Transaction& transaction)
        {
            Flight flight(transaction);
            auto finished = finish(flight, job, rest);
            auto taken = claim(flight, types, leaseFor);
            return std::tuple(std::move(finished), std::move(taken), nextDue(flight, types));
        });
    next = std::move(*claimed);
    if (!next) due = afterClaimOfOthers(*following, begin);
    return *ended > 0;
}

bool JobStore::retryLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const
{
    const auto now = _clock.now();
    return update(job, "due_at = $3, lease = NULL, last_error = $4, put_off_at = $5", after(now, delay), shortened(error), now);
}

bool JobStore::putBack(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view why) const
{
    const auto now = _clock.now();
    return update(job,
                  "due_at = $3, lease = NULL, attempt = attempt - 1, last_error = coalesce(nullif($4, ''), last_error), put_off_at = $5",
                  after(now, delay), shortened(why), now);
}

bool JobStore::tellLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const
{
    const auto now = _clock.now();
    return update(job, "due_at = $3, lease = NULL, last_error = $4, put_off_at = $5, failed_at = $6", after(now, delay), shortened(error),
                  now, job.failedAt.value_or(now));
}

bool JobStore::markDead(const ClaimedJob& job, std::string_view error) const
{
    const auto now = _clock.now();
    if (!job.interval) return update(job, "dead_at = $3, lease = NULL, last_error = $4", now, shortened(error));
    return update(job, "due_at = $3, lease = NULL, attempt = 0, last_error = $4", after(now, *job.interval), shortened(error));
}

void JobStore::releaseAll() const
{
    writeOnce(_database, "UPDATE portico_job SET due_at = $1, lease = NULL WHERE lease IS NOT NULL", _clock.now());
}

bool JobStore::endRests() const { return writeOnce(_database, endRestsSql, _clock.now()) > 0; }

void JobStore::bringNear() const
{
    const auto now = _clock.now();
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute(endRestsSql, now);
            // A lease is at most an hour.
            transaction.execute("UPDATE portico_job SET due_at = $1 WHERE dead_at IS NULL AND lease IS NOT NULL AND due_at > $2", now,
                                after(now, std::chrono::days(1)));
            transaction.execute("UPDATE portico_job SET due_at = due_at - (coalesce(put_off_at, created_at) - $1),"
                                " created_at = CASE WHEN created_at > $1 THEN $1 ELSE created_at END,"
                                " put_off_at = CASE WHEN put_off_at > $1 THEN $1 ELSE put_off_at END"
                                " WHERE dead_at IS NULL AND lease IS NULL AND interval_seconds IS NULL"
                                " AND coalesce(put_off_at, created_at) > $2",
                                now, after(now, std::chrono::minutes(1)));
        });
}

std::vector<JobSummary> JobStore::list(JobState state, std::size_t limit) const
{
    std::vector<JobSummary> jobs;
    auto session = _database.session();
    const auto sql = "SELECT id, type, attempt, max_attempts, created_at, due_at, dead_at, last_error, lease FROM portico_job WHERE " +
                     std::string(conditions[static_cast<std::size_t>(state)]) + " ORDER BY id DESC LIMIT $1";
    for (const Row row : session.query(sql, limit)) jobs.push_back(summaryFrom(row));
    return jobs;
}

bool JobStore::retryNow(std::string_view id) const
{
    try
    {
        return writeOnce(
                   _database,
                   "UPDATE portico_job SET due_at = $2, dead_at = NULL, failed_at = NULL, attempt = 0 WHERE id = $1 AND lease IS NULL", id,
                   _clock.now()) > 0;
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw Problem::conflict("conflict", "A newer job with the same key is waiting: discard one of the two.");
    }
}

bool JobStore::discard(std::string_view id) const
{
    return writeOnce(_database, "DELETE FROM portico_job WHERE id = $1 AND lease IS NULL", id) > 0;
}

JobCounts JobStore::count() const
{
    auto session = _database.session();
    return count(session);
}

JobCounts JobStore::count(Session& session) const
{
    JobCounts counts;
    for (Row row : session.query("SELECT dead_at IS NOT NULL, lease IS NOT NULL, count(*), min(due_at) FROM portico_job GROUP BY 1, 2"))
    {
        const auto count = row.get<std::int64_t>(2);
        if (row.get<bool>(0))
            counts.dead += count;
        else if (row.get<bool>(1))
            counts.running += count;
        else
        {
            counts.waiting += count;
            counts.overdue = std::max(counts.overdue, std::chrono::milliseconds(_clock.now() - row.get<Instant>(3)));
        }
    }
    return counts;
}

} // namespace portico::host::platform
