#pragma once

#include "portico/Clock.h"

#include <atomic>
#include <chrono>

namespace portico::tests
{

/// A clock that does not move until the test advances it.
class TestClock final : public Clock
{
public:
    Instant now() const noexcept override { return fromMillis(_millis.load()); }
    std::chrono::steady_clock::time_point steady() const noexcept override
    {
        return std::chrono::steady_clock::time_point(std::chrono::milliseconds(_millis.load()));
    }
    void advance(std::chrono::milliseconds time) { _millis += time.count(); }

private:
    /// 2026-11-21T09:00:00Z
    std::atomic<std::int64_t> _millis{1'795'251'600'000};
};

} // namespace portico::tests
