#pragma once

#include "host/data/WorkNotifier.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/JobStore.h"
#include "host/platform/jobs/PollingPool.h"
#include "host/telemetry/LogSink.h"
#include "host/telemetry/MetricsRegistry.h"
#include "host/telemetry/Tracer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

struct LaneSettings
{
    std::string name;
    std::size_t threads = 4;
    /// How long a job belongs to this host without a sign of life.
    std::chrono::milliseconds lease{60'000};
    /// How often PostgreSQL is asked for jobs that another host enqueued; those of this host are known at once.
    std::chrono::milliseconds pollShared{2'000};
    /// The same while a `WorkNotifier` receives notifications of them.
    std::chrono::milliseconds pollWhileReceiving{600'000};
    /// The same for SQLite, which no other host writes.
    std::chrono::milliseconds pollOwn{30'000};
    /// The wait of a job that cannot be run just now.
    std::chrono::milliseconds notNowDelay{1'000};
};

/// Runs the jobs of one kind of all services on a few separate threads, so that slow external servers do not delay the plugins' own work.
/// When the host stops, running jobs are asked to end and waited for. Thread-safe.
class JobLane
{
public:
    JobLane(LaneSettings settings, const Clock& clock, telemetry::LogSink& log, telemetry::MetricsRegistry& metrics);
    ~JobLane() { stop(); }

    /// One service's jobs in this lane. They, the store and the runners outlive the lane's last `stop`, or their `remove`.
    class Queue
    {
    public:
        /// @param writes how many transactions of the service have changed rows; null: unknown, so that no job rests
        Queue(std::string serviceId, JobStore& store, std::vector<JobRunner*> runners, std::function<std::uint64_t()> writes = {})
            : _serviceId(std::move(serviceId)), _store(store), _runners(std::move(runners)), _writes(std::move(writes))
        {
        }

    private:
        friend class JobLane;
        JobRunner* runnerOf(const std::string& type) const;
        std::vector<std::string> types() const;
        /// `due` was read when this was the version: true of the table until the next `forget`.
        void learn(std::uint64_t version, std::optional<Instant> due, Instant now);
        /// Something may be due sooner than was learned.
        void forget() noexcept { _version.fetch_add(1); }

        const std::string _serviceId;
        JobStore& _store;
        const std::vector<JobRunner*> _runners;
        const std::function<std::uint64_t()> _writes;
        PollingPool::SourceId _source = 0;
        std::atomic<std::uint64_t> _version{1};

        struct Known
        {
            std::uint64_t version = 0;
            std::optional<Instant> due;
            Instant readAt{};
        };
        std::mutex _knownMutex;
        Known _known;
        /// Under the lane's mutex: how often periodic jobs have run in a row without a write of their service, by type.
        std::map<std::string, int, std::less<>> _idleRuns;
        /// Under the lane's mutex.
        bool _ending = false;
    };

    void add(Queue& queue);
    /// Begins no further job of the queue, asks those that run to end, and waits for them.
    void remove(Queue& queue);
    /// Looks at a queue now: something was enqueued or became runnable.
    void poke(Queue& queue)
    {
        queue.forget();
        _pool.poke(queue._source);
    }
    void pokeAll();
    void start();
    /// Begins no further job and asks those that run to end.
    void requestStop();
    /// Waits until no job runs, at most for `patience`. Call `requestStop` before.
    void awaitEnd(std::chrono::milliseconds patience);
    /// Waits for them too.
    void stop();
    /// While it receives notifications, other hosts' jobs are not polled for. Before `start`; the notifier outlives the lane.
    void receiveFrom(const data::WorkNotifier& notifier) noexcept { _notifier = &notifier; }
    /// Each job becomes part of a trace. Before `start`.
    void trace(const telemetry::Tracer& tracer) { _tracer = tracer; }

    /// Claims and runs the job that is due for longest, in the calling thread; false if none is due.
    bool runOne(Queue& queue);
    /// Prolongs the leases of running jobs, stops jobs whose lease was lost, and runs heartbeats. Called every
    /// `renewalInterval`.
    void renewLeases();
    std::chrono::milliseconds renewalInterval() const noexcept
    {
        return std::min<std::chrono::milliseconds>(_settings.lease / 3, std::chrono::seconds(20));
    }

private:
    struct Run
    {
        Queue* queue;
        ClaimedJob job;
        std::stop_source stop;
    };

    std::chrono::milliseconds look(Queue& queue, const PollingPool::AdmitNext& admitNext);
    std::chrono::milliseconds untilNextLook(Queue& queue) const;
    std::chrono::milliseconds until(const Queue& queue, const std::optional<Instant>& due) const;
    /// How long a service may go without a look.
    std::chrono::milliseconds longestWait(const Queue& queue) const;
    /// The rest of a periodic job that has just run.
    std::chrono::milliseconds restOf(Queue& queue, const JobRunner& runner, const ClaimedJob& job, std::uint64_t writesBefore);
    /// @param goOn whether the end of the job may claim the next, which is returned
    std::optional<ClaimedJob> runClaimed(Queue& queue, const ClaimedJob& job, const std::function<bool()>& goOn);
    bool ends(const Queue& queue);
    RunResult attempt(Queue& queue, JobRunner& runner, const ClaimedJob& job);
    void tell(const Queue& queue, const ClaimedJob& job, const JobEnd& end);
    void report(LogLevel level, const Queue& queue, const ClaimedJob& job, std::string_view text, std::string_view error);

    const LaneSettings _settings;
    const Clock& _clock;
    telemetry::LogSink& _log;
    Metrics& _metrics;
    telemetry::Tracer _tracer;
    std::mutex _mutex;
    std::condition_variable _ended;
    std::list<Run> _runs;
    /// Queues that were added, for `pokeAll`.
    std::vector<Queue*> _queues;
    const data::WorkNotifier* _notifier = nullptr;
    bool _stopping = false;
    /// Held while leases are renewed, outside of `_mutex`.
    std::mutex _renewing;
    PollingPool _pool;
};

} // namespace portico::host::platform
