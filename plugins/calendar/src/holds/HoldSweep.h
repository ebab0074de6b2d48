#pragma once

#include "hosttime/BookingTools.h"

namespace portico::calendar
{

/// Keeps the record of holds true to what became of them. Thread-safe.
class HoldSweep
{
public:
    explicit HoldSweep(const BookingTools& tools) : _tools(tools) {}

    /// Closes those that a restart ended: recorded as reserved, and not in the StateStore. For the start.
    void closeLost() const;
    /// Closes those whose time is over.
    void closeExpired() const;

private:
    const BookingTools& _tools;
};

} // namespace portico::calendar
