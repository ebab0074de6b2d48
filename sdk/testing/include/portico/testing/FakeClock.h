#pragma once

#include "portico/Clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace portico::testing
{

/// A clock that does not move until `advance`. Starts at 2026-01-01T00:00:00Z. Thread-safe.
class PORTICO_API FakeClock final : public Clock
{
public:
    FakeClock();
    explicit FakeClock(Instant start);
    ~FakeClock() override;
    Instant now() const noexcept override;
    std::chrono::steady_clock::time_point steady() const noexcept override;

    void advance(std::chrono::milliseconds time) noexcept;
    /// Sets the wall clock, as an adjustment of the system's clock does; `steady` is not affected.
    void jumpTo(Instant instant) noexcept;

private:
    std::atomic<std::int64_t> _wallMillis;
    std::atomic<std::int64_t> _steadyMillis{0};
};

} // namespace portico::testing
