#pragma once

#include "host/platform/jobs/JobStore.h"

#include <chrono>
#include <cstdint>
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
    /// The types that can be run at this moment; jobs of others wait.
    virtual std::vector<std::string> types() const = 0;
    /// A throw is a failed attempt; JobRetry and JobFailed say how it goes on.
    virtual RunResult run(const ClaimedJob& job, std::stop_token stop) = 0;
    /// The wait after the attempt that has failed just now.
    virtual std::chrono::milliseconds retryDelay(const ClaimedJob& job) const;
    /// Tells that the job has failed for good. A throw means that it is to be told again later.
    virtual void gaveUp(const ClaimedJob&, std::string_view /*error*/) {}
};

/// 10 s, doubled with every attempt up to an hour, give or take a fifth, so that what failed together does not come back together.
std::chrono::milliseconds exponentialDelay(int attempt);
/// A wait, give or take a fifth.
std::chrono::milliseconds spread(std::chrono::milliseconds wait);
/// The same of a schedule: the one after that attempt (from 1), or the last.
std::chrono::milliseconds spread(std::span<const std::chrono::milliseconds> waits, int attempt);

} // namespace portico::host::platform
