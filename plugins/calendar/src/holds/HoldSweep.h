#pragma once

#include "hosttime/BookingTools.h"

namespace portico::calendar
{

/// Updates the records of holds after they have ended. Thread-safe.
class HoldSweep
{
public:
    explicit HoldSweep(const BookingTools& tools) : _tools(tools) {}

    /// Closes those that a restart ended: recorded as reserved, and not in the StateStore. For the start.
    void closeLost() const;
    /// Closes the records of expired holds.
    void closeExpired() const;

private:
    const BookingTools& _tools;
};

} // namespace portico::calendar
