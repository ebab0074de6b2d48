#include "host/platform/jobs/JobRunner.h"

#include <algorithm>
#include <random>

namespace portico::host::platform
{

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

} // namespace portico::host::platform
