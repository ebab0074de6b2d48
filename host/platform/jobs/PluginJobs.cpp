#include "host/platform/jobs/PluginJobs.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

[[noreturn]] void refuse(std::string_view type, std::string_view why)
{
    throw std::logic_error("jobs: " + std::string(type) + ": " + std::string(why));
}

Job runOf(const ClaimedJob& job, std::stop_token stop)
{
    return {job.id, job.type, job.payload, job.attempt, job.maxAttempts, job.createdAt, std::move(stop), job.pulse};
}

} // namespace

NewJob jobToStore(std::string_view type, std::string_view payload, const JobOptions& options, std::size_t waits)
{
    NewJob job;
    job.type = type;
    job.payload = payload;
    job.delay = options.delay;
    job.dueAt = options.dueAt;
    job.dedupeKey = options.dedupeKey;
    if (waits > 0) job.maxAttempts = static_cast<int>(waits) + 1;
    if (options.maxAttempts > 0) job.maxAttempts = options.maxAttempts;
    return job;
}

std::vector<std::string> PluginJobRunner::typesThat(bool waitForServers) const
{
    const auto functions = _current.get();
    auto types = functions ? functions->runs.names() : std::vector<std::string>{};
    std::erase_if(types, [&](const std::string& type) { return functions->serverTypes.contains(type) != waitForServers; });
    return types;
}

bool PluginJobRunner::followsWrites(const std::string& type) const
{
    const auto functions = _current.get();
    return functions && functions->followers.contains(type);
}

bool PluginJobRunner::followsWrites() const
{
    const auto functions = _current.get();
    return functions && !functions->followers.empty();
}

bool PluginJobRunner::lacks(std::string_view type) const
{
    const auto functions = _current.get();
    return functions && !type.starts_with(hostJobPrefix) && !functions->runs.contains(type);
}

RunResult PluginJobRunner::run(const ClaimedJob& job, std::stop_token stop)
{
    const auto functions = _current.get();
    if (!functions) return RunResult::NotNow;
    std::stop_source either;
    const auto stopIt = [&either] { either.request_stop(); };
    const std::stop_callback onHost(std::move(stop), stopIt);
    const std::stop_callback onPlugin(functions->runs.generation()->stopToken(), stopIt);
    try
    {
        return functions->runs.call(job.type, runOf(job, either.get_token())) ? RunResult::Done : RunResult::NotNow;
    }
    catch (const std::runtime_error&)
    {
        // The job ended on request, which is no failure. Its own result for the next run is used.
        if (either.stop_requested()) return RunResult::NotNow;
        throw;
    }
}

std::chrono::milliseconds PluginJobRunner::retryDelay(const ClaimedJob& job) const
{
    const auto functions = _current.get();
    if (!functions) return JobRunner::retryDelay(job);
    const auto waits = functions->waits.find(job.type);
    return waits == functions->waits.end() ? JobRunner::retryDelay(job) : spread(waits->second, job.attempt);
}

void PluginJobRunner::gaveUp(const ClaimedJob& job, std::string_view error)
{
    const auto functions = _current.get();
    if (functions && !functions->failures.contains(job.type)) return;
    const auto run = runOf(job, {});
    if (!functions || !functions->failures.call(job.type, {run, error})) throw std::runtime_error("the plugin is not there");
}

PluginJobs::PluginJobs(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database, JobStore& store,
                       PluginJobRunner& runner)
    : _database(database), _store(store), _runner(runner), _functions(std::make_shared<PluginJobTable>(std::move(generation)))
{
}

void PluginJobs::handle(std::string_view type, std::function<void(const Job&)> run)
{
    if (_started) refuse(type, "handle is called in start, and nowhere else");
    if (type.empty() || type.starts_with(hostJobPrefix)) refuse(type, "the type is the host's own; call it after your service");
    if (_functions->runs.contains(type)) refuse(type, "the type has a function already");
    _functions->runs.add(std::string(type), std::move(run));
}

void PluginJobs::requireDeclarable(std::string_view type, std::string_view what) const
{
    if (_started) refuse(type, std::string(what) + " is called in start, and nowhere else");
    if (!_functions->runs.contains(type)) refuse(type, std::string(what) + " needs a function: call handle for it first");
}

void PluginJobs::backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits)
{
    requireDeclarable(type, "backOff");
    if (waits.empty() || std::ranges::any_of(waits, [](auto wait) { return wait.count() < 0; }))
        refuse(type, "backOff needs at least one wait, and none below zero");
    _functions->waits.insert_or_assign(std::string(type), std::move(waits));
}

void PluginJobs::onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell)
{
    requireDeclarable(type, "onFailure");
    if (_functions->failures.contains(type)) refuse(type, "the type has a function for its failure already");
    _functions->failures.add(std::string(type), [tell = std::move(tell)](const JobFailure& failure) { tell(failure.job, failure.error); });
}

std::string PluginJobs::enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options)
{
    if (type.empty() || type.starts_with(hostJobPrefix)) refuse(type, "the type is the host's own; call it after your service");
    const auto waits = _functions->waits.find(type);
    auto id = _store.enqueue(session,
                             jobToStore(type, payload, options, waits == _functions->waits.end() ? std::size_t{0} : waits->second.size()));
    if (!id.empty()) _database.expectWork(session);
    return id;
}

void PluginJobs::every(std::string_view type, std::chrono::seconds interval)
{
    requireDeclarable(type, "every");
    if (interval.count() <= 0) refuse(type, "the interval must be at least a second");
    // Written now, not when the generation is published, because that must not fail.
    _store.ensurePeriodic(type, interval);
}

void PluginJobs::waitsForServers(std::string_view type)
{
    requireDeclarable(type, "waitsForServers");
    _functions->serverTypes.emplace(type);
}

void PluginJobs::followsWrites(std::string_view type)
{
    requireDeclarable(type, "followsWrites");
    _functions->followers.emplace(type);
}

void PluginJobs::activate()
{
    _started = true;
    _runner.current().set(_functions);
}

} // namespace portico::host::platform
