#pragma once

#include "portico/Clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace portico::testing
{

/// A clock that stands still until it is told to go on. Starts at 2026-01-01T00:00:00Z. Thread-safe.
class PORTICO_API FakeClock final : public Clock
{
public:
    FakeClock();
    explicit FakeClock(Instant start);
    ~FakeClock() override;
    Instant now() const noexcept override;
    std::chrono::steady_clock::time_point steady() const noexcept override;

    void advance(std::chrono::milliseconds time) noexcept;
    /// Lets the wall clock jump, as real ones do; `steady` goes on as before.
    void jumpTo(Instant instant) noexcept;

private:
    std::atomic<std::int64_t> _wallMillis;
    std::atomic<std::int64_t> _steadyMillis{0};
};

} // namespace portico::testing
