#pragma once

#include "portico/TimeZone.h"
#include "records/BookingWindow.h"
#include "records/Schedule.h"

#include <chrono>
#include <optional>
#include <vector>

namespace portico::calendar
{

/// Settings that decide when an event type can be booked: its schedule and its rules. A value. Parsing has validated it: ends differ from
/// starts, lengths are positive.
struct SlotRules
{
    /// The schedule's zone, which applies to its hours (R1 to R6).
    TimeZone zone;
    /// The host's zone, which applies to the dates of window, limits and all-day events (R11 to R13).
    TimeZone hostZone;
    std::vector<WeeklyRule> weeklyRules;
    std::vector<DateOverride> dateOverrides;

    /// Length of a booking; the chosen one if the event type has several.
    std::chrono::minutes duration{30};
    /// Distance of two starts; equals the duration unless the event type sets it.
    std::chrono::minutes slotInterval{30};

    std::chrono::minutes bufferBefore{0};
    std::chrono::minutes bufferAfter{0};
    std::chrono::minutes minimumNotice{0};
    BookingWindow window;
    /// Maximum bookings of this event type by date and by ISO week.
    std::optional<int> dailyLimit, weeklyLimit;
    /// Maximum bookings of all event types of the host by date.
    std::optional<int> hostDailyLimit;
    int seatsPerSlot = 1;
};

} // namespace portico::calendar
