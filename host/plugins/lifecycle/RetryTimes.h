#pragma once

#include "host/plugins/lifecycle/LifecycleReport.h"

#include <chrono>
#include <string>

namespace portico::host::plugins
{

/// How long after a failed start the next one is tried: the first time, twice as long every further time, and at most.
struct RetryTimes
{
    std::chrono::milliseconds first{1'000};
    std::chrono::milliseconds longest{15'000};
};

/// What a try that failed for want of `what` leaves. @param triesBefore of those that failed since an operator last asked
Waiting waitFor(std::string what, unsigned triesBefore, const RetryTimes& times, std::chrono::steady_clock::time_point now);

} // namespace portico::host::plugins
