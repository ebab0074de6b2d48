#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portico::host::http
{

/// What a pool of threads does, for metrics.
struct WorkerPoolStatistics
{
    std::uint64_t threads = 0;
    std::uint64_t busy = 0;
    /// Items that wait, and how many may.
    std::uint64_t queued = 0;
    std::uint64_t maxQueued = 0;
    /// Items that found the queue full.
    std::uint64_t refused = 0;
};

/// A snapshot of what a server has done since its start, for metrics. Counts of one snapshot may be a request apart.
struct ServerStatistics
{
    /// Open now, and accepted in all.
    std::uint64_t connections = 0;
    std::uint64_t connectionsAccepted = 0;
    /// Accepted beyond `maxConnections` or `connectionsPerAddress`, answered 503.
    std::uint64_t connectionsRefused = 0;
    /// Requests under way now, and begun in all, refused ones included.
    std::uint64_t requestsInFlight = 0;
    std::uint64_t requests = 0;
    /// Live bodies that are being read now, and those whose reader was too slow for what came.
    std::uint64_t streams = 0;
    std::uint64_t streamsOverrun = 0;
    /// What request bodies take of `bodyMemoryBytes` now.
    std::uint64_t bodyMemoryBytes = 0;
    std::uint64_t bytesReceived = 0;
    std::uint64_t bytesSent = 0;
    /// Lost before the response was sent whole.
    std::uint64_t requestsAborted = 0;
    /// The threads of `Lane::Worker`, `Lane::Heavy` and `Lane::Long`.
    WorkerPoolStatistics workers;
    WorkerPoolStatistics heavyWorkers;
    WorkerPoolStatistics longWorkers;

    /// Requests that the server itself refused, by status.
    static constexpr std::array<int, 10> refusalStatuses{400, 408, 413, 414, 416, 417, 431, 500, 501, 503};
    std::array<std::uint64_t, refusalStatuses.size() + 1> refused{};
    /// Index in `refused`; what is not listed (505) counts in the last place.
    static constexpr std::size_t refusalIndex(int status) noexcept
    {
        for (std::size_t i = 0; i < refusalStatuses.size(); ++i)
            if (refusalStatuses[i] == status) return i;
        return refusalStatuses.size();
    }
};

/// A counter for any thread.
class Counter
{
public:
    void add(std::uint64_t by = 1) noexcept { _value.fetch_add(by, std::memory_order_relaxed); }
    void subtract(std::uint64_t by = 1) noexcept { _value.fetch_sub(by, std::memory_order_relaxed); }
    std::uint64_t value() const noexcept { return _value.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> _value{0};
};

/// What one loop counts, and the workers for its connections.
struct LoopCounters
{
    Counter connectionsAccepted;
    Counter connectionsRefused;
    Counter requestsInFlight;
    Counter requests;
    Counter bytesReceived;
    Counter bytesSent;
    Counter requestsAborted;
    Counter streams;
    Counter streamsOverrun;
    std::array<Counter, ServerStatistics::refusalStatuses.size() + 1> refused;

    void addTo(ServerStatistics& sum) const noexcept
    {
        sum.connectionsAccepted += connectionsAccepted.value();
        sum.connectionsRefused += connectionsRefused.value();
        sum.requestsInFlight += requestsInFlight.value();
        sum.requests += requests.value();
        sum.bytesReceived += bytesReceived.value();
        sum.bytesSent += bytesSent.value();
        sum.requestsAborted += requestsAborted.value();
        sum.streams += streams.value();
        sum.streamsOverrun += streamsOverrun.value();
        for (std::size_t i = 0; i < refused.size(); ++i) sum.refused[i] += refused[i].value();
    }
};

} // namespace portico::host::http
