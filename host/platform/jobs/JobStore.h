#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/Flight.h"
#include "portico/Jobs.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Runs one statement in its own transaction. Returns the number of rows changed.
template <class... A>
std::int64_t writeOnce(Database& database, std::string_view sql, const A&... arguments)
{
    auto changed = database.transact([&](Transaction& transaction) { return Flight(transaction).execute(sql, arguments...); });
    return *changed;
}

/// A job to be stored.
struct NewJob
{
    std::string type;
    std::string payload;
    std::chrono::milliseconds delay{0};
    int maxAttempts = 8;
    std::string dedupeKey;
    /// The event that it delivers, or empty.
    std::string eventId;
    /// The endpoint that it sends to, or empty.
    std::string endpointId;
    /// Not before then, with `delay` on top; empty: from now.
    std::optional<Instant> dueAt;
    /// Value of `telemetry::carriedTrace`; empty: the trace of the current thread.
    std::string trace;
    /// One of `JobStore::newId`; empty: a new one.
    std::string id;
};

/// How many there are, for metrics.
struct JobCounts
{
    std::int64_t waiting = 0;
    std::int64_t running = 0;
    std::int64_t dead = 0;
    /// How long the one that waits for longest has been due.
    std::chrono::milliseconds overdue{0};
};

/// A job that this host has leased; only the holder of the lease may end it.
struct ClaimedJob
{
    std::string id;
    std::string lease;
    std::string type;
    std::string payload;
    std::string eventId;
    int attempt = 1;
    int maxAttempts = 8;
    std::optional<std::chrono::seconds> interval;
    std::string endpointId;
    std::string trace;
    Instant createdAt{};
    /// Time of the final failure, while its service still has to be notified; `lastError` has the reason.
    std::optional<Instant> failedAt;
    std::string lastError;
    /// Beats while the job runs; null before.
    std::shared_ptr<JobPulse> pulse = nullptr;
};

/// A job as the operator sees it; never with its payload, which may hold personal data or codes.
struct JobSummary
{
    std::string id;
    std::string serviceId;
    std::string type;
    /// `waiting`, `running` or `dead`.
    std::string state;
    int attempt = 0;
    int maxAttempts = 0;
    Instant createdAt{};
    /// When it is due, or of a running one when its lease ends.
    Instant dueAt{};
    std::optional<Instant> deadAt;
    std::string lastError;
};

enum class JobState : std::uint8_t
{
    Any,
    Waiting,
    Running,
    Dead
};

/// The table `portico_job` of one service's database. Thread-safe.
class JobStore
{
public:
    JobStore(Database& database, const Clock& clock) : _database(database), _clock(clock) {}

    /// Writes in the caller's transaction; the new id, or empty if the dedupe key is taken.
    std::string enqueue(Session& session, const NewJob& job) const;
    /// The same in a flight: 0 rows if the dedupe key is taken.
    InFlight<std::int64_t> enqueue(Flight& flight, const NewJob& job, const std::string& id) const;
    std::string newId() const;
    /// Deletes a job of the service's own in the caller's transaction; false for one that runs, is dead, periodic or not there.
    bool cancel(Session& session, std::string_view id) const;
    bool cancelByKey(Session& session, std::string_view dedupeKey) const;
    /// Makes sure that the periodic job of a type exists and has that interval.
    void ensurePeriodic(std::string_view type, std::chrono::seconds interval) const;

    /// Returns types with jobs that have been due for `since` without a run.
    std::vector<std::string> overdueTypes(Session& session, std::chrono::milliseconds since) const;
    /// When the first job of these types is due; empty if there is none. Reads only.
    std::optional<Instant> nextDue(std::span<const std::string> types) const;
    /// Leases the job of these types that is due for longest. Of many hosts and threads each gets another one.
    std::optional<ClaimedJob> claim(std::span<const std::string> types, std::chrono::milliseconds leaseFor) const;
    /// The same, and in the same transaction `nextDue` of what is left.
    std::optional<ClaimedJob> claim(std::span<const std::string> types, std::chrono::milliseconds leaseFor,
                                    std::optional<Instant>& due) const;

    // The following act on a claimed job. They return false, without effect, if another host took its lease.

    bool renew(const ClaimedJob& job, std::chrono::milliseconds leaseFor) const;
    /// Deletes it; a periodic one is due again after its interval, or after `rest` where that is longer.
    bool finish(const ClaimedJob& job, std::chrono::milliseconds rest = {}) const;
    /// `finish` and `claim` in one commit.
    /// @param next set to what was claimed, also where this returns false.
    /// @param due set to `nextDue` where nothing was claimed.
    bool finishAndClaim(const ClaimedJob& job, std::chrono::milliseconds rest, std::span<const std::string> types,
                        std::chrono::milliseconds leaseFor, std::optional<ClaimedJob>& next, std::optional<Instant>& due) const;
    /// To be run again after `delay`, with this attempt counted.
    bool retryLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const;
    /// To be run again after `delay`, as if this attempt had not been.
    bool putBack(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view why = {}) const;
    /// The job has failed for good; its service is notified after `delay`.
    bool tellLater(const ClaimedJob& job, std::chrono::milliseconds delay, std::string_view error) const;
    /// Makes it a dead letter; a periodic one instead skips to its next time.
    bool markDead(const ClaimedJob& job, std::string_view error) const;

    /// Makes jobs that an earlier process had leased due now: for a database that belongs to one host.
    void releaseAll() const;
    /// Ends the rests of periodic jobs: each is due within its interval. True if one had rested.
    bool endRests() const;
    /// Repairs due times that a fast clock has set too far in the future: no periodic job waits longer than its interval, no lease lasts
    /// longer than a day, and jobs that were created or delayed in that time wait their intended duration. Hosts whose clocks differ by
    /// less than a minute do not disturb each other.
    void bringNear() const;

    /// Newest first. An empty type is any.
    std::vector<JobSummary> list(JobState state, std::size_t limit) const;
    /// Makes a waiting or dead job due now, with all its attempts; false for another. @throws Problem 409 if a newer job has its key.
    bool retryNow(std::string_view id) const;
    /// Deletes a job that does not run. False if it is not there or runs.
    bool discard(std::string_view id) const;
    JobCounts count() const;
    JobCounts count(Session& session) const;
    std::int64_t countDead() const { return count().dead; }

    Database& database() const noexcept { return _database; }

private:
    InFlight<std::optional<Instant>> nextDue(Flight& flight, std::span<const std::string> types) const;
    InFlight<std::optional<ClaimedJob>> claim(Flight& flight, std::span<const std::string> types, std::chrono::milliseconds leaseFor) const;
    InFlight<std::int64_t> finish(Flight& flight, const ClaimedJob& job, std::chrono::milliseconds rest) const;
    /// @param set assignments to the columns, their values from $3 on
    template <class... A>
    bool update(const ClaimedJob& job, std::string_view set, const A&... values) const;

    Database& _database;
    const Clock& _clock;
};

} // namespace portico::host::platform
