#pragma once

#include "host/platform/jobs/JobLane.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/JobStore.h"
#include "host/platform/jobs/PluginFunctions.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include "portico/Jobs.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Types that start so are the host's own; a plugin may not take them.
inline constexpr std::string_view hostJobPrefix = "portico.";

/// That a job of a plugin has failed for good.
struct JobFailure
{
    const Job& job;
    std::string_view error;
};

/// Declarations of a generation about its jobs. Filled before it is shared.
struct PluginJobTable
{
    explicit PluginJobTable(const std::shared_ptr<plugins::Generation>& generation) : runs(generation), failures(generation) {}

    PluginFunctions<Job> runs;
    PluginFunctions<JobFailure> failures;
    std::map<std::string, std::vector<std::chrono::milliseconds>, std::less<>> waits;
    /// Types whose jobs wait for other servers.
    std::set<std::string, std::less<>> serverTypes;
    /// Types of periodic jobs that work on what the service has written.
    std::set<std::string, std::less<>> followers;
};

/// Runs a plugin's own jobs with the functions of the generation that serves now.
class PluginJobRunner final : public JobRunner
{
public:
    /// Those that do not wait for other servers.
    std::vector<std::string> types() const override { return typesThat(false); }
    std::vector<std::string> serverTypes() const { return typesThat(true); }
    /// A job of that type waits for a function that the generation that serves does not have; false while none serves.
    bool lacks(std::string_view type) const;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;
    bool followsWrites(const std::string& type) const override;
    /// One of the types does.
    bool followsWrites() const;
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override;
    void gaveUp(const ClaimedJob& job, std::string_view error) override;

    CurrentFunctions<PluginJobTable>& current() noexcept { return _current; }

private:
    std::vector<std::string> typesThat(bool waitForServers) const;

    CurrentFunctions<PluginJobTable> _current;
};

/// Runs the types whose jobs wait for other servers, in a separate lane.
class ServerJobRunner final : public JobRunner
{
public:
    explicit ServerJobRunner(PluginJobRunner& jobs) : _jobs(jobs) {}

    std::vector<std::string> types() const override { return _jobs.serverTypes(); }
    RunResult run(const ClaimedJob& job, std::stop_token stop) override { return _jobs.run(job, std::move(stop)); }
    bool followsWrites(const std::string& type) const override { return _jobs.followsWrites(type); }
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override { return _jobs.retryDelay(job); }
    void gaveUp(const ClaimedJob& job, std::string_view error) override { _jobs.gaveUp(job, error); }

private:
    PluginJobRunner& _jobs;
};

/// @param waits number of the type's own back-off delays; 0: none
NewJob jobToStore(std::string_view type, std::string_view payload, const JobOptions& options, std::size_t waits);

/// A generation's view of `Jobs`.
class PluginJobs final : public Jobs
{
public:
    PluginJobs(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database, JobStore& store, PluginJobRunner& runner);
    ~PluginJobs() override { deactivate(); }

    /// @throws std::logic_error after the start, for a type that is taken or the host's.
    void handle(std::string_view type, std::function<void(const Job&)> run) override;
    void backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits) override;
    void onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell) override;
    bool cancel(Session& session, std::string_view id) override { return _store.cancel(session, id); }
    bool cancelByKey(Session& session, std::string_view dedupeKey) override { return _store.cancelByKey(session, dedupeKey); }
    using Jobs::enqueue;
    using Jobs::handle;
    using Jobs::onFailure;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options) override;
    /// Needs the function first. @throws std::logic_error
    void every(std::string_view type, std::chrono::seconds interval) override;
    /// Needs the function first. @throws std::logic_error
    void waitsForServers(std::string_view type) override;
    /// Needs the function first. @throws std::logic_error
    void followsWrites(std::string_view type) override;

    /// Activates this generation's functions instead of those of another.
    void activate();
    void deactivate() { _runner.current().drop(_functions); }
    /// Drops the functions; how many still run.
    std::size_t clear() { return _functions->runs.clear() + _functions->failures.clear(); }

private:
    /// Only in the start, for a type that has a function.
    void requireDeclarable(std::string_view type, std::string_view what) const;

    SignallingDatabase& _database;
    JobStore& _store;
    PluginJobRunner& _runner;
    const std::shared_ptr<PluginJobTable> _functions;
    bool _started = false;
};

} // namespace portico::host::platform
