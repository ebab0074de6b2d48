#include "host/platform/jobs/JobAttempt.h"

#include "portico/Jobs.h"

#include <exception>
#include <optional>

namespace portico::host::platform
{

namespace
{

/// What a run came to; exactly one is set.
struct Outcome
{
    std::optional<RunResult> result;
    std::optional<JobRetry> retry;
    std::optional<std::string> failed;
    std::optional<std::string> error;
};

Outcome outcomeOf(const std::function<RunResult()>& run)
{
    Outcome outcome;
    try
    {
        outcome.result = run();
    }
    catch (const JobRetry& asked)
    {
        outcome.retry.emplace(asked);
    }
    catch (const JobFailed& failure)
    {
        outcome.failed = failure.what();
    }
    catch (const std::exception& failure)
    {
        outcome.error = failure.what();
    }
    return outcome;
}

} // namespace

JobEnd JobAttempt::run(const std::function<RunResult()>& run, std::chrono::milliseconds notNowDelay) const
{
    if (_job.failedAt) return giveUp(_job.lastError);
    // It ended its last host, or that host was killed while it ran: not again without an operator's word.
    if (_job.attempt > _job.maxAttempts) return giveUp("the last attempt was never ended: its host stopped or lost the lease");
    const auto outcome = outcomeOf(run);
    if (outcome.result == RunResult::Done) return {JobEnd::Kind::Done, {}, {}, _store.finish(_job)};
    if (outcome.result == RunResult::NotNow) return {JobEnd::Kind::NotNow, {}, {}, _store.putBack(_job, notNowDelay)};
    if (outcome.failed) return giveUp(*outcome.failed);
    if (outcome.error) return fail(*outcome.error, _runner.retryDelay(_job));
    const auto wait = outcome.retry->wait(_clock.now());
    if (outcome.retry->counts()) return fail(outcome.retry->what(), wait);
    return {JobEnd::Kind::Postponed, outcome.retry->what(), {}, _store.putBack(_job, wait, outcome.retry->what())};
}

JobEnd JobAttempt::fail(std::string error, std::chrono::milliseconds wait) const
{
    if (_job.attempt >= _job.maxAttempts) return giveUp(std::move(error));
    const bool held = _store.retryLater(_job, wait, error);
    return {JobEnd::Kind::Failed, std::move(error), {}, held};
}

JobEnd JobAttempt::giveUp(std::string error) const
{
    std::string toldError;
    try
    {
        if (!_job.interval) _runner.gaveUp(_job, error);
    }
    catch (const std::exception& failure)
    {
        toldError = failure.what();
        if (_clock.now() < _job.failedAt.value_or(_clock.now()) + tellFor)
        {
            const bool held = _store.tellLater(_job, tellEvery, error);
            return {JobEnd::Kind::Untold, std::move(error), std::move(toldError), held};
        }
    }
    const bool held = _store.bury(_job, error);
    return {JobEnd::Kind::Dead, std::move(error), std::move(toldError), held};
}

} // namespace portico::host::platform
