#pragma once

#include "portico/Http.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace portico::host::routing
{

/// Upper bounds of the latency histogram's buckets in microseconds; one more bucket takes the rest.
inline constexpr std::array<std::uint32_t, 12> latencyBoundsMicros{50,    100,    250,    500,     1'000,     2'500,
                                                                   5'000, 10'000, 50'000, 250'000, 1'000'000, 5'000'000};

/// The statuses that are counted one by one; any other is counted as the last, 0.
inline constexpr std::array<std::uint16_t, 23> countedStatuses{200, 201, 202, 204, 206, 302, 303, 304, 400, 401, 403, 404,
                                                               405, 409, 410, 412, 413, 415, 422, 429, 500, 503, 0};

/// Statistics of one route's answers.
struct RouteSample
{
    std::string service;
    std::string route;
    /// Status (0: all that are not counted separately) to number of answers; without those that never happened.
    std::map<int, std::uint64_t> answers;
    /// Not cumulative, one per bound of `latencyBoundsMicros` and one for the rest.
    std::array<std::uint64_t, latencyBoundsMicros.size() + 1> latency{};
    std::uint64_t latencySumMicros = 0;
};

/// Counts the answers of one route. Striped, so that threads that serve the same route seldom share a cache line; a route without calls has
/// no stripe. Thread-safe.
class RouteMeter
{
public:
    RouteMeter(std::string service, std::string route) : _service(std::move(service)), _route(std::move(route)) {}
    RouteMeter(const RouteMeter&) = delete;
    RouteMeter& operator=(const RouteMeter&) = delete;
    ~RouteMeter();
    void record(int status, std::chrono::steady_clock::duration latency) noexcept;
    /// True if a request may be tried on an event loop; false for a while after one could not be handled there.
    bool mayRunOnLoop() noexcept;
    void couldNotRunOnLoop() noexcept { _workersFor.store(workersAfterRefusal, std::memory_order_relaxed); }
    RouteSample sample() const;
    void addTo(RouteSample& sum) const;

private:
    static constexpr std::size_t stripeCount = 4;
    struct alignas(64) Stripe
    {
        std::array<std::atomic<std::uint64_t>, countedStatuses.size()> answers{};
        std::array<std::atomic<std::uint64_t>, latencyBoundsMicros.size() + 1> latency{};
        std::atomic<std::uint64_t> latencySumMicros{0};
    };
    Stripe& stripeOfThisThread();

    std::string _service;
    std::string _route;
    std::array<std::atomic<Stripe*>, stripeCount> _stripes{};
    static constexpr int workersAfterRefusal = 1'000;
    /// Number of requests that go to workers without a try on the loop.
    std::atomic<int> _workersFor{0};
};

/// All meters, kept over reloads by service and route: a counter never decreases. Each route table resolves its meters when it is built, so
/// requests need no lookup. Thread-safe.
class RouteMeters
{
public:
    std::shared_ptr<RouteMeter> find(std::string_view service, std::string_view route);
    std::vector<RouteSample> samples() const;
    /// Sum of all routes, without a name.
    RouteSample total() const;

private:
    mutable std::mutex _mutex;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<RouteMeter>> _meters;
};

} // namespace portico::host::routing
