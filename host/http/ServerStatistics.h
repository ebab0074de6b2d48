#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portico::host::http
{

/// Metrics of a pool of threads.
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

/// Counters of each loop. @tparam Number A counter in a loop, a number in the sum of all.
template <class Number>
struct ServerCounts
{
    Number connectionsAccepted{};
    /// Accepted beyond `maxConnections` or `connectionsPerAddress`, answered 503.
    Number connectionsRefused{};
    /// Requests under way now, and begun in all, refused ones included.
    Number requestsInFlight{};
    Number requests{};
    /// Live bodies that are open now, and those whose client was too slow.
    Number streams{};
    Number streamsOverrun{};
    Number bytesReceived{};
    Number bytesSent{};
    /// Lost before the response was sent whole.
    Number requestsAborted{};

    /// Requests that the server itself refused, by status.
    static constexpr std::array<int, 10> refusalStatuses{400, 408, 413, 414, 416, 417, 431, 500, 501, 503};
    std::array<Number, refusalStatuses.size() + 1> refused{};
    /// Index in `refused`; unlisted statuses (505) have the last place.
    static constexpr std::size_t refusalIndex(int status) noexcept
    {
        for (std::size_t i = 0; i < refusalStatuses.size(); ++i)
            if (refusalStatuses[i] == status) return i;
        return refusalStatuses.size();
    }
};

/// A snapshot of a server's counters since its start, for metrics. Counters of one snapshot may be a request apart.
struct ServerStatistics : ServerCounts<std::uint64_t>
{
    /// Open now.
    std::uint64_t connections = 0;
    /// Bytes of `bodyMemoryBytes` that request bodies use now.
    std::uint64_t bodyMemoryBytes = 0;
    /// The threads of `Lane::Worker`, `Lane::Heavy` and `Lane::Long`.
    WorkerPoolStatistics workers;
    WorkerPoolStatistics heavyWorkers;
    WorkerPoolStatistics longWorkers;
};

/// A counter for any thread.
class Counter
{
public:
    void add(std::uint64_t by = 1) noexcept { _value.fetch_add(by, std::memory_order_relaxed); }
    void subtract(std::uint64_t by = 1) noexcept { _value.fetch_sub(by, std::memory_order_relaxed); }
    operator std::uint64_t() const noexcept { return _value.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> _value{0};
};

/// Counters of one loop, and of the workers for its connections.
struct LoopCounters : ServerCounts<Counter>
{
    void addTo(ServerStatistics& sum) const noexcept
    {
        sum.connectionsAccepted += connectionsAccepted;
        sum.connectionsRefused += connectionsRefused;
        sum.requestsInFlight += requestsInFlight;
        sum.requests += requests;
        sum.streams += streams;
        sum.streamsOverrun += streamsOverrun;
        sum.bytesReceived += bytesReceived;
        sum.bytesSent += bytesSent;
        sum.requestsAborted += requestsAborted;
        for (std::size_t i = 0; i < refused.size(); ++i) sum.refused[i] += refused[i];
    }
};

} // namespace portico::host::http
