#pragma once

#include <algorithm>
#include <chrono>

namespace portico::identity
{

/// How long another server is left alone after so many failures in a row: 10, 20, 40 … seconds, ten minutes at most. 0 for none.
constexpr std::chrono::seconds growingPause(int failures) noexcept
{
    constexpr std::chrono::seconds first{10}, longest{600};
    if (failures <= 0) return std::chrono::seconds(0);
    return std::min(longest, first * (1 << std::min(failures - 1, 10)));
}

} // namespace portico::identity
