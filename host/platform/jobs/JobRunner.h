#pragma once

#include "host/platform/jobs/JobStore.h"

#include "portico/Clock.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

enum class RunResult : std::uint8_t
{
    Done,
    /// Nothing was tried (the plugin is being replaced, what is needed is not there): again soon, and the attempt does not count.
    NotNow
};

/// Knows how to run jobs of some types of one service. Thread-safe.
class JobRunner
{
public:
    virtual ~JobRunner() = default;
    /// Types that can run at this moment; jobs of other types wait.
    virtual std::vector<std::string> types() const = 0;
    /// An exception is a failed attempt; JobRetry and JobFailed control what follows.
    virtual RunResult run(const ClaimedJob& job, std::stop_token stop) = 0;
    /// A periodic job of that type only works on what its service has written.
    virtual bool followsWrites(const std::string& /*type*/) const { return false; }
    /// The wait after the attempt that has failed just now.
    virtual std::chrono::milliseconds retryDelay(const ClaimedJob& job) const;
    /// Reports that the job has failed for good. If it throws, it is called again later.
    virtual void gaveUp(const ClaimedJob&, std::string_view /*error*/) {}
};

/// 10 s, doubled with every attempt up to an hour, give or take a fifth, so that what failed together does not come back together.
std::chrono::milliseconds exponentialDelay(int attempt);
/// A wait, give or take a fifth.
std::chrono::milliseconds spread(std::chrono::milliseconds wait);
/// The same of a schedule: the one after that attempt (from 1), or the last.
std::chrono::milliseconds spread(std::span<const std::chrono::milliseconds> waits, int attempt);

/// How an attempt ended, as it was written down.
struct JobEnd
{
    enum class Kind : std::uint8_t
    {
        Done,
        NotNow,
        /// It asked to be run at another time, and this one does not count.
        Postponed,
        Failed,
        Dead,
        /// The job has failed for good, and its service could not be notified yet.
        Untold
    };
    Kind kind = Kind::Done;
    /// Error text of the attempt.
    std::string error;
    /// Error text of `JobRunner::gaveUp`.
    std::string toldError;
    /// False: the lease was lost, so that nothing was written down.
    bool held = true;
};

/// One attempt of a claimed job, from the runner to what is written down about it. All live as long as this.
class JobAttempt
{
public:
    /// Duration and interval of attempts to notify a service of a failure.
    static constexpr std::chrono::minutes tellFor{60};
    static constexpr std::chrono::minutes tellEvery{5};

    JobAttempt(const JobStore& store, const Clock& clock, JobRunner& runner, const ClaimedJob& job)
        : _store(store), _clock(clock), _runner(runner), _job(job)
    {
    }

    /// @param run calls the runner.
    /// @param finish writes down that the job is done; false if its lease was lost.
    /// @param notNowDelay wait of a job that could not be run just now; asked after it was tried.
    /// @throws DatabaseError when nothing can be written down: the lease runs out, and it is run again.
    JobEnd run(const std::function<RunResult()>& run, const std::function<bool()>& finish,
               const std::function<std::chrono::milliseconds()>& notNowDelay) const;

private:
    JobEnd fail(std::string error, std::chrono::milliseconds wait) const;
    JobEnd giveUp(std::string error) const;

    const JobStore& _store;
    const Clock& _clock;
    JobRunner& _runner;
    const ClaimedJob& _job;
};

} // namespace portico::host::platform
