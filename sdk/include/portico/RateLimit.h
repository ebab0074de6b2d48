#pragma once

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico
{

/// So many within a window for each key, counted in the StateStore: together on all hosts where that is Redis, and gone with the host where
/// it is memory. For what a service limits itself; how many requests a caller may send is the host's affair (`limits.*`). Thread-safe;
/// lives no longer than the store and the clock.
///
/// Windows follow each other without a gap, those of each key at moments of their own: who waits for the next may have up to twice the
/// limit within the time of one. One call of the store for each count.
class PORTICO_API RateLimit
{
public:
    struct Budget
    {
        /// What is counted, `sign-in`: a use of the StateStore, without a colon. One of its own for each limit, so that what strangers
        /// can make many of costs nothing else its place.
        std::string_view use;
        /// 0 or less: no limit.
        std::int64_t limit = 0;
        std::chrono::seconds window{60};
    };
    struct Result
    {
        bool allowed = true;
        /// How many are left in this window.
        std::int64_t remaining = 0;
        /// From 1 to the window's length: until the next window. What `Retry-After` says.
        std::chrono::seconds retryAfter{0};
    };
    /// @throws std::invalid_argument for a use that is empty or has a colon, or a window below a second
    RateLimit(StateStore& state, const Clock& clock, const Budget& budget);

    /// Counts, also what is not allowed. Keys are texts of any length and origin: only a hash of them is kept.
    Result count(std::string_view key, std::int64_t amount = 1) const;
    /// @throws Problem 429 `code` with `Retry-After` for what is not allowed
    void require(std::string_view key, std::string_view code = "rate_limited") const;
    /// What `count` would find, without counting: for limits on failures only, which are counted when they have happened.
    Result look(std::string_view key) const;

private:
    struct Place;
    Place placeOf(std::string_view key) const;
    Result result(std::int64_t used, const Place& place) const;

    StateStore& _state;
    const Clock& _clock;
    std::string _use;
    std::int64_t _limit;
    std::chrono::seconds _window;
};

} // namespace portico
