#pragma once

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico
{

/// Fixed-window rate limit per key, counted in the StateStore: shared by all hosts with Redis, lost on restart in memory. For limits inside
/// a service; `limits.*` of the host limits requests. Thread-safe; must not outlive the store and the clock.
///
/// Windows of a key follow each other without a gap, at offsets that differ by key. A caller may reach up to twice the limit within one
/// window length. One store call per count.
class PORTICO_API RateLimit
{
public:
    struct Budget
    {
        /// Name of the limit, such as `sign-in`: a use of the StateStore, without a colon. Use one per limit, so that unauthenticated
        /// traffic cannot evict other entries.
        std::string_view use;
        /// 0 or less: no limit.
        std::int64_t limit = 0;
        std::chrono::seconds window{60};
    };
    struct Result
    {
        bool allowed = true;
        /// Remaining number in this window.
        std::int64_t remaining = 0;
        /// Seconds until the next window, at least 1: the value of `Retry-After`.
        std::chrono::seconds retryAfter{0};
    };
    /// @throws std::invalid_argument for a use that is empty or has a colon, or a window below a second
    RateLimit(StateStore& state, const Clock& clock, const Budget& budget);

    /// Counts one use, also if it is not allowed. Keys may be any untrusted text; only their hash is stored.
    Result count(std::string_view key, std::int64_t amount = 1) const;
    /// @throws Problem 429 `code` with `Retry-After` if the limit is exceeded
    void require(std::string_view key, std::string_view code = "rate_limited") const;
    /// Returns what `count` would return, without counting. For limits on failures, which are counted afterwards.
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
