#include "host/plugins/lifecycle/RetryTimes.h"

#include <algorithm>
#include <utility>

namespace portico::host::plugins
{

Waiting waitFor(std::string what, unsigned triesBefore, const RetryTimes& times, std::chrono::steady_clock::time_point now)
{
    auto pause = times.first;
    for (unsigned i = 0; i < triesBefore && pause < times.longest; ++i) pause *= 2;
    return {std::move(what), triesBefore + 1, now + std::min(pause, times.longest)};
}

} // namespace portico::host::plugins
