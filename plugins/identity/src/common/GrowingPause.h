#pragma once

#include <algorithm>
#include <chrono>

namespace portico::identity
{

/// Returns the backoff for another server after consecutive failures: 10, 20, 40 … seconds, at most ten minutes; 0 without failures.
constexpr std::chrono::seconds growingPause(int failures) noexcept
{
    constexpr std::chrono::seconds first{10}, longest{600};
    if (failures <= 0) return std::chrono::seconds(0);
    return std::min(longest, first * (1 << std::min(failures - 1, 10)));
}

} // namespace portico::identity
