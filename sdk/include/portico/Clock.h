#pragma once

#include "portico/Instant.h"

namespace portico
{

/// The one source of time: take it as an argument, so that a test can hold it still. Thread-safe.
class PORTICO_API Clock
{
public:
    virtual ~Clock();
    /// Wall-clock time; may jump.
    virtual Instant now() const noexcept = 0;
    /// Never goes back; for measuring and for deadlines.
    virtual std::chrono::steady_clock::time_point steady() const noexcept = 0;
};

/// The system's clocks.
class PORTICO_API SystemClock final : public Clock
{
public:
    ~SystemClock() override;
    Instant now() const noexcept override;
    std::chrono::steady_clock::time_point steady() const noexcept override;
};

} // namespace portico
