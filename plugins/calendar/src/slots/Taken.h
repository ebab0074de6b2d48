#pragma once

#include "Ids.h"
#include "portico/LocalDate.h"
#include "slots/Spans.h"

#include <chrono>
#include <vector>

namespace portico::calendar
{

/// All-day span: from a date until before another.
struct DateSpan
{
    LocalDate start;
    LocalDate end;
};

/// Time that a booking or a hold blocks.
struct TakenSlot
{
    /// True for the requested event type: it shares seats (R8) and counts towards its limits.
    bool sameEventType = false;
    Span span;
    /// Buffers at the time of booking.
    std::chrono::minutes bufferBefore{0};
    std::chrono::minutes bufferAfter{0};
    int seats = 1;
};

struct TakenByBooking : TakenSlot
{
    /// Set only for the booking that the guest wants to move.
    BookingId bookingId;
};

struct TakenByHold : TakenSlot
{
    HoldId holdId;
    /// Time from which the hold blocks nothing.
    Instant expiresAt{};
};

/// Everything that takes a host's time, over all event types. Contains at least what can block a requested start, with buffers. If there
/// are limits, it covers the whole dates and ISO weeks of the starts (Monday to Sunday in the host's zone).
struct Taken
{
    /// Pending and confirmed bookings; for the limits also those with the status completed or no_show.
    std::vector<TakenByBooking> bookings;
    std::vector<TakenByHold> holds;
    /// Busy times of external calendars.
    std::vector<Span> busy;
    /// All-day events of external calendars, in the host's zone (R12).
    std::vector<DateSpan> busyDates;
    /// True if one of these calendars was not read recently.
    bool busyStale = false;
};

} // namespace portico::calendar
