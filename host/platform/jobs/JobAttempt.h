#pragma once

#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/JobStore.h"

#include "portico/Clock.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace portico::host::platform
{

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
        /// It has failed for good, and its service could not be told yet.
        Untold
    };
    Kind kind = Kind::Done;
    /// What it threw.
    std::string error;
    /// What `JobRunner::gaveUp` threw.
    std::string toldError;
    /// False: the lease was lost, so that nothing was written down.
    bool held = true;
};

/// One attempt of a claimed job, from the runner to what is written down about it. All live as long as this.
class JobAttempt
{
public:
    /// How long a service that cannot be told of a failure is tried, and how often.
    static constexpr std::chrono::minutes tellFor{60};
    static constexpr std::chrono::minutes tellEvery{5};

    JobAttempt(const JobStore& store, const Clock& clock, JobRunner& runner, const ClaimedJob& job)
        : _store(store), _clock(clock), _runner(runner), _job(job)
    {
    }

    /// @param run calls the runner. @throws DatabaseError when nothing can be written down: the lease runs out, and it is run again.
    JobEnd run(const std::function<RunResult()>& run, std::chrono::milliseconds notNowDelay) const;

private:
    JobEnd fail(std::string error, std::chrono::milliseconds wait) const;
    JobEnd giveUp(std::string error) const;

    const JobStore& _store;
    const Clock& _clock;
    JobRunner& _runner;
    const ClaimedJob& _job;
};

} // namespace portico::host::platform
