#pragma once

#include "host/http/ServerStatistics.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace portico::host::http
{

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
