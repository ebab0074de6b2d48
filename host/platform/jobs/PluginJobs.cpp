#include "host/platform/jobs/PluginJobs.h"

#include <stdexcept>

namespace portico::host::platform
{

namespace
{

/// Asks to stop as soon as one of two others does.
class EitherStop
{
public:
    EitherStop(std::stop_token first, std::stop_token second)
        : _onFirst(std::move(first), Request{_source}), _onSecond(std::move(second), Request{_source})
    {
    }
    std::stop_token token() const noexcept { return _source.get_token(); }

private:
    struct Request
    {
        std::stop_source& source;
        void operator()() const noexcept { source.request_stop(); }
    };
    std::stop_source _source;
    std::stop_callback<Request> _onFirst;
    std::stop_callback<Request> _onSecond;
};

[[noreturn]] void refuse(std::string_view type, std::string_view why)
{
    throw std::logic_error("jobs: " + std::string(type) + ": " + std::string(why));
}

} // namespace

std::vector<std::string> PluginJobRunner::types() const
{
    const auto functions = _current.get();
    return functions ? functions->names() : std::vector<std::string>{};
}

RunResult PluginJobRunner::run(const ClaimedJob& job, std::stop_token stop)
{
    const auto functions = _current.get();
    if (!functions) return RunResult::NotNow;
    const EitherStop either(std::move(stop), functions->generation()->stopToken());
    try
    {
        return functions->call(job.type, Job{job.id, job.type, job.payload, job.attempt, either.token()}) ? RunResult::Done
                                                                                                          : RunResult::NotNow;
    }
    catch (const std::exception&)
    {
        // Asked to end, it ended: that is no fault of the job.
        if (either.token().stop_requested()) return RunResult::NotNow;
        throw;
    }
}

PluginJobs::PluginJobs(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database, JobStore& store,
                       PluginJobRunner& runner)
    : _database(database), _store(store), _runner(runner), _functions(std::make_shared<PluginFunctions<Job>>(std::move(generation)))
{
}

PluginJobs::~PluginJobs() { deactivate(); }

void PluginJobs::handle(std::string_view type, std::function<void(const Job&)> run)
{
    if (_started) refuse(type, "handle is called in start, and nowhere else");
    if (type.empty() || type.starts_with(hostJobPrefix)) refuse(type, "the type is the host's own; call it after your service");
    if (_functions->contains(type)) refuse(type, "the type has a function already");
    _functions->add(std::string(type), std::move(run));
}

std::string PluginJobs::enqueue(Session& session, std::string_view type, std::string_view payload, const Options& options)
{
    if (type.empty() || type.starts_with(hostJobPrefix)) refuse(type, "the type is the host's own; call it after your service");
    NewJob job;
    job.type = type;
    job.payload = payload;
    job.delay = options.delay;
    job.maxAttempts = options.maxAttempts;
    job.dedupeKey = options.dedupeKey;
    auto id = _store.enqueue(session, job);
    if (!id.empty()) _database.expectWork(session);
    return id;
}

void PluginJobs::every(std::string_view type, std::chrono::seconds interval)
{
    if (_started) refuse(type, "every is called in start, and nowhere else");
    if (!_functions->contains(type)) refuse(type, "every needs a function: call handle for it first");
    if (interval.count() <= 0) refuse(type, "the interval must be at least a second");
    // Written now, not when the generation is published, because that must not fail.
    _store.ensurePeriodic(type, interval);
}

void PluginJobs::activate()
{
    _started = true;
    _runner.current().set(_functions);
}

void PluginJobs::deactivate() { _runner.current().drop(_functions); }

} // namespace portico::host::platform
