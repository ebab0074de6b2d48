#pragma once

#include "Ids.h"
#include "portico/LocalDate.h"
#include "slots/Spans.h"

#include <chrono>
#include <vector>

namespace portico::calendar
{

/// From a date until before another: what calendars call all day.
struct DateSpan
{
    LocalDate start;
    LocalDate end;
};

/// What blocks the host's time by itself.
struct TakenSlot
{
    /// Of the event type that is asked for: such share a slot (R8) and count towards its limits.
    bool sameEventType = false;
    Span span;
    /// As they were when it was booked.
    std::chrono::minutes bufferBefore{0};
    std::chrono::minutes bufferAfter{0};
    int seats = 1;
};

struct TakenByBooking : TakenSlot
{
    /// Told of the one that the asker wants to move; the others need none.
    BookingId bookingId;
};

struct TakenByHold : TakenSlot
{
    HoldId holdId;
    /// From here on it blocks nothing.
    Instant expiresAt{};
};

/// What a host's time is taken by: all event types, at least what stands in the way of one of the starts that are asked for, with all
/// buffers, and where limits count, the whole dates and ISO weeks (Monday to Sunday in the host's zone) of these starts.
struct Taken
{
    /// Pending and confirmed ones, and for the limits those that were held: completed, no_show.
    std::vector<TakenByBooking> bookings;
    std::vector<TakenByHold> holds;
    /// Of external calendars.
    std::vector<Span> busy;
    /// Of external calendars, in the host's zone (R12).
    std::vector<DateSpan> busyDates;
    /// One of these calendars was not read lately.
    bool busyStale = false;
};

} // namespace portico::calendar
