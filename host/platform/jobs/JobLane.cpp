#include "host/platform/jobs/JobLane.h"

#include <algorithm>
#include <array>
#include <exception>

namespace portico::host::platform
{

namespace
{

/// Time that a thread spends on the jobs of one service before it selects the service that has waited longest.
constexpr std::chrono::milliseconds longestTurn{50};
/// Up to which interval periodic jobs rest while nothing is written, and for how long at most.
constexpr std::chrono::milliseconds longestRest{60'000};
/// Runs that change nothing before a job rests.
constexpr int runsBeforeRest = 2;

} // namespace

JobRunner* JobLane::Queue::runnerOf(const std::string& type) const
{
    for (auto* runner : _runners)
    {
        const auto types = runner->types();
        if (std::find(types.begin(), types.end(), type) != types.end()) return runner;
    }
    return nullptr;
}

std::vector<std::string> JobLane::Queue::types() const
{
    std::vector<std::string> all;
    for (const auto* runner : _runners)
        for (auto& type : runner->types()) all.push_back(std::move(type));
    return all;
}

void JobLane::Queue::learn(std::uint64_t version, std::optional<Instant> due, Instant now)
{
    const std::lock_guard lock(_knownMutex);
    _known = {version, due, now};
}

JobLane::JobLane(LaneSettings settings, const Clock& clock, telemetry::LogSink& log, telemetry::MetricsRegistry& metrics)
    : _settings(std::move(settings)), _clock(clock), _log(log), _metrics(metrics.of({})), _pool(_settings.name, log)
{
}

void JobLane::add(Queue& queue)
{
    queue._source = _pool.add(queue._serviceId, [this, &queue](const PollingPool::AdmitNext& admitNext) { return look(queue, admitNext); });
    const std::lock_guard lock(_mutex);
    _queues.push_back(&queue);
}

void JobLane::pokeAll()
{
    {
        const std::lock_guard lock(_mutex);
        for (auto* queue : _queues) queue->forget();
    }
    _pool.pokeAll();
}

void JobLane::remove(Queue& queue)
{
    {
        const std::lock_guard lock(_mutex);
        queue._ending = true;
        std::erase(_queues, &queue);
        for (auto& run : _runs)
            if (run.queue == &queue) run.stop.request_stop();
    }
    _pool.remove(queue._source);
    // Also waits for the thread that renews the leases of jobs.
    const std::lock_guard lock(_renewing);
}

void JobLane::start()
{
    {
        const std::lock_guard lock(_mutex);
        _stopping = false;
    }
    _pool.start(_settings.threads);
}

void JobLane::requestStop()
{
    _pool.requestStop();
    const std::lock_guard lock(_mutex);
    _stopping = true;
    for (auto& run : _runs) run.stop.request_stop();
}

void JobLane::awaitEnd(std::chrono::milliseconds patience)
{
    std::unique_lock lock(_mutex);
    _ended.wait_for(lock, patience, [this] { return _runs.empty(); });
}

void JobLane::stop()
{
    requestStop();
    _pool.stop();
}

std::chrono::milliseconds JobLane::look(Queue& queue, const PollingPool::AdmitNext& admitNext)
{
    const auto wait = untilNextLook(queue);
    if (wait.count() > 0) return wait;
    const auto version = queue._version.load();
    std::optional<Instant> due;
    auto job = queue._store.claim(queue.types(), _settings.lease, due);
    queue.learn(version, due, _clock.now());
    if (!job) return untilNextLook(queue);
    admitNext();
    const auto begin = _clock.steady();
    const auto goOn = [&] { return !ends(queue) && _clock.steady() - begin < longestTurn; };
    while (job) job = runClaimed(queue, *job, goOn);
    return std::chrono::milliseconds(0);
}

bool JobLane::ends(const Queue& queue)
{
    const std::lock_guard lock(_mutex);
    return _stopping || queue._ending;
}

std::chrono::milliseconds JobLane::longestWait(const Queue& queue) const
{
    if (queue._store.database().dialect() != Dialect::PostgreSQL) return _settings.pollOwn;
    return _notifier && _notifier->isReceiving() ? _settings.pollWhileReceiving : _settings.pollShared;
}

std::chrono::milliseconds JobLane::until(const Queue& queue, const std::optional<Instant>& due) const
{
    const auto longest = longestWait(queue);
    if (!due) return longest;
    return std::clamp(std::chrono::milliseconds(*due - _clock.now()), std::chrono::milliseconds(0), longest);
}

std::chrono::milliseconds JobLane::untilNextLook(Queue& queue) const
{
    const auto version = queue._version.load();
    const auto now = _clock.now();
    {
        const std::lock_guard lock(queue._knownMutex);
        const auto& known = queue._known;
        if (known.version == version && now >= known.readAt && now - known.readAt < longestWait(queue)) return until(queue, known.due);
    }
    const auto due = queue._store.nextDue(queue.types());
    queue.learn(version, due, now);
    return until(queue, due);
}

bool JobLane::runOne(Queue& queue)
{
    const auto job = queue._store.claim(queue.types(), _settings.lease);
    if (job) runClaimed(queue, *job, [] { return false; });
    return job.has_value();
}

std::optional<ClaimedJob> JobLane::runClaimed(Queue& queue, const ClaimedJob& job, const std::function<bool()>& goOn)
{
    auto* runner = queue.runnerOf(job.type);
    // A job without a runner is not claimed, so it may be due immediately and continues when a runner is registered.
    const auto notNowDelay = [&] { return queue.runnerOf(job.type) ? _settings.notNowDelay : std::chrono::milliseconds(0); };
    if (runner == nullptr)
    {
        queue._store.putBack(job, notNowDelay());
        return std::nullopt;
    }
    std::optional<ClaimedJob> next;
    bool learned = false;
    const auto writesBefore = queue._writes ? queue._writes() : 0;
    const auto finish = [&]
    {
        const auto rest = restOf(queue, *runner, job, writesBefore);
        if (!goOn()) return queue._store.finish(job, rest);
        const auto version = queue._version.load();
        std::optional<Instant> due;
        const bool held = queue._store.finishAndClaim(job, rest, queue.types(), _settings.lease, next, due);
        learned = !next;
        if (learned) queue.learn(version, due, _clock.now());
        return held;
    };
    // If this throws because the database is unavailable, the error is logged; the lease expires and the job runs again.
    tell(queue, job, JobAttempt(queue._store, _clock, *runner, job).run([&] { return attempt(queue, *runner, job); }, finish, notNowDelay));
    // It may be due again before what another thread has learned.
    if (!learned) queue.forget();
    return next;
}

std::chrono::milliseconds JobLane::restOf(Queue& queue, const JobRunner& runner, const ClaimedJob& job, std::uint64_t writesBefore)
{
    if (!job.interval || *job.interval >= longestRest || !queue._writes || !runner.followsWrites(job.type)) return {};
    const bool idle = queue._writes() == writesBefore;
    const std::lock_guard lock(_mutex);
    auto& runs = queue._idleRuns[job.type];
    runs = idle ? runs + 1 : 0;
    const int doublings = std::clamp(runs - runsBeforeRest, 0, 6);
    return std::min<std::chrono::milliseconds>(*job.interval * (1 << doublings), longestRest);
}

RunResult JobLane::attempt(Queue& queue, JobRunner& runner, const ClaimedJob& job)
{
    std::list<Run>::iterator run;
    {
        const std::lock_guard lock(_mutex);
        run = _runs.emplace(_runs.end(), Run{&queue, job, {}});
        run->job.pulse = std::make_shared<JobPulse>();
        if (_stopping || queue._ending) run->stop.request_stop();
    }
    struct Forget
    {
        JobLane& lane;
        std::list<Run>::iterator run;
        ~Forget()
        {
            const std::lock_guard lock(lane._mutex);
            lane._runs.erase(run);
            if (lane._runs.empty()) lane._ended.notify_all();
        }
    } const forgetAtEnd{*this, run};

    telemetry::JobSpan span(_tracer, queue._serviceId, job.type, job.id, job.trace);
    const auto begin = _clock.steady();
    const auto result = runner.run(run->job, run->stop.get_token());
    span.succeeded();
    _metrics.observe("job_seconds", std::chrono::duration<double>(_clock.steady() - begin).count(), {{"service", queue._serviceId}});
    return result;
}

void JobLane::tell(const Queue& queue, const ClaimedJob& job, const JobEnd& end)
{
    constexpr std::array<std::string_view, 6> outcomes = {"done", "not_now", "postponed", "failed", "dead", "dead"};
    if (end.kind != JobEnd::Kind::Untold)
        _metrics.count("jobs_total", 1,
                       {{"service", queue._serviceId}, {"type", job.type}, {"outcome", outcomes[static_cast<std::size_t>(end.kind)]}});
    switch (end.kind)
    {
    case JobEnd::Kind::Failed:
        report(LogLevel::Warning, queue, job, "job failed and is tried again", end.error);
        break;
    case JobEnd::Kind::Postponed:
        report(LogLevel::Debug, queue, job, "job asked to be run later", end.error);
        break;
    case JobEnd::Kind::Dead:
        report(LogLevel::Error, queue, job, "job is a dead letter", end.error);
        break;
    default:
        break;
    }
    if (!end.toldError.empty())
        report(LogLevel::Error, queue, job, "the service could not be notified that a job has failed for good", end.toldError);
    if (!end.held) report(LogLevel::Warning, queue, job, "job ended after its lease was lost; it may run twice", {});
}

void JobLane::renewLeases()
{
    const std::lock_guard renewing(_renewing);
    // Copies, because the database may be slow, and jobs must be able to end during the renewal.
    std::vector<Run> runs;
    {
        const std::lock_guard lock(_mutex);
        runs.assign(_runs.begin(), _runs.end());
    }
    for (auto& run : runs)
    {
        try
        {
            if (!run.queue->_store.renew(run.job, _settings.lease)) run.stop.request_stop();
            // The job's end waits for this call of plugin code.
            if (const auto error = run.job.pulse->beat(); !error.empty())
                report(LogLevel::Warning, *run.queue, run.job, "a job's heartbeat failed", error);
        }
        catch (const std::exception& error)
        {
            report(LogLevel::Warning, *run.queue, run.job, "a job's lease could not be renewed", error.what());
        }
    }
}

void JobLane::report(LogLevel level, const Queue& queue, const ClaimedJob& job, std::string_view text, std::string_view error)
{
    const auto attempt = std::to_string(job.attempt);
    const std::array<telemetry::LogRecord::Field, 4> fields = {
        {{"job", job.id}, {"type", job.type}, {"attempt", attempt}, {"error", error}}};
    _log.write(level, queue._serviceId, text, std::span(fields).first(error.empty() ? 3 : 4));
}

} // namespace portico::host::platform
