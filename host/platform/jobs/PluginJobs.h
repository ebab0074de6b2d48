#pragma once

#include "host/platform/jobs/JobLane.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/JobStore.h"
#include "host/platform/jobs/PluginFunctions.h"
#include "host/platform/jobs/SignallingDatabase.h"

#include "portico/Jobs.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Types that start so are the host's own; a plugin may not take them.
inline constexpr std::string_view hostJobPrefix = "portico.";

/// Runs a plugin's own jobs with the functions of the generation that serves now.
class PluginJobRunner final : public JobRunner
{
public:
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;

    CurrentFunctions<Job>& current() noexcept { return _current; }

private:
    CurrentFunctions<Job> _current;
};

/// What a generation sees as `Jobs`.
class PluginJobs final : public Jobs
{
public:
    PluginJobs(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database, JobStore& store, PluginJobRunner& runner);
    ~PluginJobs() override;

    /// @throws std::logic_error after the start, for a type that is taken or the host's.
    void handle(std::string_view type, std::function<void(const Job&)> run) override;
    std::string enqueue(Session& session, std::string_view type, std::string_view payload, const Options& options) override;
    /// Needs the function first. @throws std::logic_error
    void every(std::string_view type, std::chrono::seconds interval) override;

    /// Lets this generation's functions run, in place of those of another.
    void activate();
    void deactivate();
    /// Drops the functions; how many still run.
    std::size_t clear() { return _functions->clear(); }

private:
    SignallingDatabase& _database;
    JobStore& _store;
    PluginJobRunner& _runner;
    const std::shared_ptr<PluginFunctions<Job>> _functions;
    bool _started = false;
};

} // namespace portico::host::platform
