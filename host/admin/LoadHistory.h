#pragma once

#include "host/admin/MetricsEndpoint.h"

#include "portico/Instant.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace portico::host::admin
{

/// Totals since the host's start, and current values.
struct LoadCounts
{
    std::uint64_t requests = 0;
    /// Answers of 500 and above.
    std::uint64_t errors = 0;
    /// Requests without a route, and those above a rate limit (429).
    std::uint64_t refusals = 0;
    /// By the bounds of routing::latencyBoundsMicros, and the rest.
    std::array<std::uint64_t, routing::latencyBoundsMicros.size() + 1> latency{};
    std::uint64_t connections = 0;
    std::uint64_t busyWorkers = 0;
    std::uint64_t databaseSessions = 0;
    std::uint64_t residentBytes = 0;
};

LoadCounts loadOf(const MetricsSources& sources);

/// Events between two samples, and values at the second one.
struct LoadSample
{
    Instant at{};
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
    std::uint64_t refusals = 0;
    /// Quantiles at the precision of the bounds; 0 without answers.
    std::uint64_t p50Micros = 0;
    std::uint64_t p99Micros = 0;
    std::uint64_t connections = 0;
    std::uint64_t busyWorkers = 0;
    std::uint64_t databaseSessions = 0;
    std::uint64_t residentBytes = 0;
};

/// The last hour, for the operator's console. Its memory is allocated once. Thread-safe.
class LoadHistory
{
public:
    static constexpr std::chrono::seconds interval{5};
    static constexpr std::size_t maxSamples = std::chrono::hours(1) / interval;

    LoadHistory() { _samples.reserve(maxSamples); }

    /// A sample of what happened since the last call; the first has none.
    void add(Instant now, const LoadCounts& counts);
    /// The oldest first.
    std::vector<LoadSample> samples() const;

private:
    mutable std::mutex _mutex;
    std::optional<LoadCounts> _last;
    /// A ring, once it is full.
    std::vector<LoadSample> _samples;
    /// Index of the oldest sample in a full ring, which the next one replaces.
    std::size_t _oldest = 0;
};

} // namespace portico::host::admin
