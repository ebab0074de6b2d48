#include "host/platform/jobs/JobStore.h"

#include "host/base/Digests.h"
#include "host/base/Random.h"
#include "host/telemetry/Tracer.h"

#include "portico/Id.h"
#include "portico/Problem.h"

#include <array>

namespace portico::host::platform
{

namespace
{

/// Errors are kept for the operator, not for ever and not at any length.
constexpr std::size_t longestError = 1'000;

using JobId = Id<"job">;

/// Of a plugin's own jobs those that wait: what is the host's, or runs, or comes back, is nothing to cancel.
constexpr std::string_view cancellable =
    " AND lease IS NULL AND dead_at IS NULL AND interval_seconds IS NULL AND type NOT LIKE 'portico.%'";

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

/// A UTF-8 text cut at a character.
std::string_view shortened(std::string_view text)
{
    if (text.size() <= longestError) return text;
    std::size_t end = longestError;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end);
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

std::string_view conditionOf(JobState state)
{
    switch (state)
    {
    case JobState::Waiting:
        return "dead_at IS NULL AND lease IS NULL";
    case JobState::Running:
        return "dead_at IS NULL AND lease IS NOT NULL";
    case JobState::Dead:
        return "dead_at IS NOT NULL";
    case JobState::Any:
        break;
    }
    return "1 = 1";
}

} // namespace

JobStore::JobStore(Database& database, const Clock& clock) : _database(database), _clock(clock) {}

std::string JobStore::enqueue(Session& session, const NewJob& job) const
{
    const auto now = _clock.now();
    auto id = job.id.empty() ? newId() : job.id;
    const auto inserted = session.execute(
        "INSERT INTO portico_job (id, type, payload, due_at, max_attempts, dedupe_key, event_id, endpoint_id, trace, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        " ON CONFLICT (dedupe_key) WHERE dedupe_key IS NOT NULL AND dead_at IS NULL DO NOTHING",
        id, job.type, job.payload, after(job.dueAt.value_or(now), job.delay), job.maxAttempts, orNull(job.dedupeKey), orNull(job.eventId),
        orNull(job.endpointId), orNull(job.trace.empty() ? tracing::carriedTrace() : job.trace), now);
    return inserted == 0 ? std::string() : id;
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
    const auto id = JobId::make(now).text();
    const auto key = "every:" + std::string(type);
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute(
                "INSERT INTO portico_job (id, type, payload, due_at, max_attempts, dedupe_key, interval_seconds, created_at)"
                " VALUES ($1, $2, '{}', $3, $4, $5, $6, $7)"
                " ON CONFLICT (dedupe_key) WHERE dedupe_key IS NOT NULL AND dead_at IS NULL"
                " DO UPDATE SET interval_seconds = excluded.interval_seconds",
                id, type, now, NewJob{}.maxAttempts, key, interval.count(), now);
        });
}

std::optional<Instant> JobStore::nextDue(std::span<const std::string> types) const
{
    if (types.empty()) return std::nullopt;
    std::vector<SqlValue> values;
    appendTypes(values, types);
    auto session = _database.session();
    auto rows = session.queryValues("SELECT due_at FROM portico_job WHERE dead_at IS NULL AND type IN (" + placeholders(1, types.size()) +
                                        ") ORDER BY due_at LIMIT 1",
                                    values);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return row->get<Instant>(0);
}

std::optional<ClaimedJob> JobStore::claim(std::span<const std::string> types, std::chrono::milliseconds leaseFor) const
{
    if (types.empty()) return std::nullopt;
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
    return _database.transact(
        [&](Transaction& transaction)
        {
            std::optional<ClaimedJob> claimed;
            for (const Row row : transaction.queryValues(sql, values)) claimed = claimedFrom(row, lease);
            return claimed;
        });
}

bool JobStore::update(const ClaimedJob& job, std::string_view sql, std::span<const SqlValue> more) const
{
    std::vector<SqlValue> values = {job.id, job.lease};
    values.insert(values.end(), more.begin(), more.end());
    return _database.transact([&](Transaction& transaction) { return transaction.executeValues(sql, values) > 0; });
}

bool JobStore::renew(const ClaimedJob& job, std::chrono::milliseconds leaseFor) const
{
    const std::array<SqlValue, 1> values = {after(_clock.now(), leaseFor)};
    return update(job, "UPDATE portico_job SET due_at = $3 WHERE id = $1 AND lease = $2", values);
}

bool JobStore::finish(const ClaimedJob& job) const
{
    if (!job.interval) return update(job, "DELETE FROM portico_job WHERE id = $1 AND lease = $2", {});
    const std::array<SqlValue, 1> values = {after(_clock.now(), *job.interval)};
    return update(job, "UPDATE portico_job SET due_at = $3, lease = NULL, attempt = 0, last_error = NULL WHERE id = $1 AND lease = $2",
                  values);
}

bool JobStore::retryLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const
{
    const auto now = _clock.now();
    const std::array<SqlValue, 3> values = {after(now, delay), shortened(error), now};
    return update(job, "UPDATE portico_job SET due_at = $3, lease = NULL, last_error = $4, put_off_at = $5 WHERE id = $1 AND lease = $2",
                  values);
}

bool JobStore::putBack(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view why) const
{
    const auto now = _clock.now();
    const std::array<SqlValue, 3> values = {after(now, delay), shortened(why), now};
    return update(
        job,
        "UPDATE portico_job SET due_at = $3, lease = NULL, attempt = attempt - 1, last_error = coalesce(nullif($4, ''), last_error),"
        " put_off_at = $5 WHERE id = $1 AND lease = $2",
        values);
}

bool JobStore::tellLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const
{
    const auto now = _clock.now();
    const std::array<SqlValue, 4> values = {after(now, delay), shortened(error), now, job.failedAt.value_or(now)};
    return update(job,
                  "UPDATE portico_job SET due_at = $3, lease = NULL, last_error = $4, put_off_at = $5, failed_at = $6"
                  " WHERE id = $1 AND lease = $2",
                  values);
}

bool JobStore::bury(const ClaimedJob& job, std::string_view error) const
{
    if (job.interval)
    {
        const std::array<SqlValue, 2> values = {after(_clock.now(), *job.interval), shortened(error)};
        return update(job, "UPDATE portico_job SET due_at = $3, lease = NULL, attempt = 0, last_error = $4 WHERE id = $1 AND lease = $2",
                      values);
    }
    const std::array<SqlValue, 2> values = {_clock.now(), shortened(error)};
    return update(job, "UPDATE portico_job SET dead_at = $3, lease = NULL, last_error = $4 WHERE id = $1 AND lease = $2", values);
}

void JobStore::releaseAll() const
{
    const auto now = _clock.now();
    _database.transact([&](Transaction& transaction)
                       { transaction.execute("UPDATE portico_job SET due_at = $1, lease = NULL WHERE lease IS NOT NULL", now); });
}

void JobStore::bringNear() const
{
    const auto now = _clock.now();
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute("UPDATE portico_job SET due_at = $1 + interval_seconds * 1000 WHERE dead_at IS NULL AND lease IS NULL"
                                " AND due_at > $1 + interval_seconds * 1000",
                                now);
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
                     std::string(conditionOf(state)) + " ORDER BY id DESC LIMIT $1";
    for (const Row row : session.query(sql, limit)) jobs.push_back(summaryFrom(row));
    return jobs;
}

bool JobStore::retryNow(std::string_view id) const
{
    const auto now = _clock.now();
    try
    {
        return _database.transact(
            [&](Transaction& transaction)
            {
                return transaction.execute("UPDATE portico_job SET due_at = $2, dead_at = NULL, failed_at = NULL, attempt = 0 WHERE id = "
                                           "$1 AND lease IS NULL",
                                           id, now) > 0;
            });
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw Problem::conflict("conflict", "A newer job with the same key is waiting: discard one of the two.");
    }
}

bool JobStore::discard(std::string_view id) const
{
    return _database.transact([&](Transaction& transaction)
                              { return transaction.execute("DELETE FROM portico_job WHERE id = $1 AND lease IS NULL", id) > 0; });
}

JobCounts JobStore::count() const
{
    JobCounts counts;
    auto session = _database.session();
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
