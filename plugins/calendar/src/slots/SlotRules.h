#pragma once

#include "portico/TimeZone.h"
#include "records/BookingWindow.h"
#include "records/Schedule.h"

#include <chrono>
#include <optional>
#include <vector>

namespace portico::calendar
{

/// Everything that a host has set and that decides when an event type can be booked: its schedule, and the event type's own rules. A value.
/// What its parts must fulfil is checked where they are read: ends differ from starts, lengths are positive.
struct SlotRules
{
    /// The schedule's zone, in which its hours are meant (R1 to R6).
    TimeZone zone;
    /// The host's own, of the dates that the window, limits and events of whole dates are about (R11 to R13).
    TimeZone hostZone;
    std::vector<WeeklyRule> weeklyRules;
    std::vector<DateOverride> dateOverrides;

    /// Of a booking; with options, the one that is asked for.
    std::chrono::minutes duration{30};
    /// From one start to the next; the duration where the event type does not say.
    std::chrono::minutes slotInterval{30};

    std::chrono::minutes bufferBefore{0};
    std::chrono::minutes bufferAfter{0};
    std::chrono::minutes minimumNotice{0};
    BookingWindow window;
    /// Bookings of this event type by date and by ISO week.
    std::optional<int> dailyLimit, weeklyLimit;
    /// Bookings of all event types of the host by date.
    std::optional<int> hostDailyLimit;
    int seatsPerSlot = 1;
};

} // namespace portico::calendar
