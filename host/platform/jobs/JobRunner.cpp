#include "host/platform/jobs/JobRunner.h"

#include "portico/Jobs.h"
#include "portico/Problem.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <random>

namespace portico::host::platform
{

namespace
{
/// The code alone does not say which field of a mail or a record was refused.
std::string inWords(const Problem& problem)
{
    auto text = problem.code();
    if (problem.errors().empty()) return problem.detail().empty() ? text : text + ": " + problem.detail();
    for (const auto& error : problem.errors())
        text += (&error == &problem.errors().front() ? ": " : "; ") + error.field + ": " + error.message;
    return text;
}
} // namespace

std::chrono::milliseconds JobRunner::retryDelay(const ClaimedJob& job) const { return exponentialDelay(job.attempt); }

std::chrono::milliseconds exponentialDelay(int attempt)
{
    constexpr std::chrono::milliseconds first{10'000};
    constexpr std::chrono::milliseconds longest{3'600'000};
    constexpr int doublings = 9; // beyond them the longest wait is reached
    const auto wait = first * (std::int64_t{1} << std::clamp(attempt - 1, 0, doublings));
    return spread(std::min(wait, longest));
}

std::chrono::milliseconds spread(std::chrono::milliseconds wait)
{
    std::random_device source;
    std::uniform_int_distribution<std::int64_t> distribution(-wait.count() / 5, wait.count() / 5);
    return wait + std::chrono::milliseconds(distribution(source));
}

std::chrono::milliseconds spread(std::span<const std::chrono::milliseconds> waits, int attempt)
{
    return spread(waits[std::min(static_cast<std::size_t>(std::max(attempt, 1)), waits.size()) - 1]);
}

JobEnd JobAttempt::run(const std::function<RunResult()>& run, const std::function<bool()>& finish,
                       const std::function<std::chrono::milliseconds()>& notNowDelay) const
{
    if (_job.failedAt) return giveUp(_job.lastError);
    // It ended its last host, or that host was killed while it ran: not again without an operator's word.
    if (_job.attempt > _job.maxAttempts) return giveUp("the last attempt was never ended: its host stopped or lost the lease");
    auto result = RunResult::Done;
    std::optional<JobRetry> retry;
    std::optional<std::string> failed;
    std::optional<std::string> error;
    try
    {
        result = run();
    }
    catch (const JobRetry& asked)
    {
        retry.emplace(asked);
    }
    catch (const JobFailed& failure)
    {
        failed = failure.what();
    }
    catch (const Problem& problem)
    {
        error = inWords(problem);
    }
    catch (const std::exception& failure)
    {
        error = failure.what();
    }
    // Exceptions from here on are not failures of the job.
    if (failed) return giveUp(*std::move(failed));
    if (error) return fail(*std::move(error), _runner.retryDelay(_job));
    if (!retry && result == RunResult::Done) return {JobEnd::Kind::Done, {}, {}, finish()};
    if (!retry) return {JobEnd::Kind::NotNow, {}, {}, _store.putBack(_job, notNowDelay())};
    const auto wait = retry->wait(_clock.now());
    if (retry->counts()) return fail(retry->what(), wait);
    return {JobEnd::Kind::Postponed, retry->what(), {}, _store.putBack(_job, wait, retry->what())};
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
    const bool held = _store.markDead(_job, error);
    return {JobEnd::Kind::Dead, std::move(error), std::move(toldError), held};
}

} // namespace portico::host::platform
