#pragma once

#include "bookings/BookingsCache.h"
#include "bookings/StartsCache.h"
#include "hosttime/BookingTools.h"
#include "hosttime/HostTime.h"
#include "slots/Slots.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Which times are asked for: instants, or dates in a zone, both inclusive (R9).
struct AvailabilityQuery
{
    std::optional<Instant> from;
    std::optional<Instant> to;
    std::optional<LocalDate> fromDate;
    std::optional<LocalDate> toDate;
    std::string timeZone;
    std::optional<int> duration;
};

constexpr auto schemaOf(const AvailabilityQuery*)
{
    return describe(
        field<&AvailabilityQuery::from>().description("First instant; requires `to`"),
        field<&AvailabilityQuery::to>().description("End of the range, exclusive; at most 62 days after `from`"),
        field<&AvailabilityQuery::fromDate>().date().description("First date in `timeZone`; used with `toDate` instead of `from` and `to`"),
        field<&AvailabilityQuery::toDate>().date().description("Last date"),
        field<&AvailabilityQuery::timeZone>().maxLength(64).description("Time zone of the guest; default: the host's"),
        field<&AvailabilityQuery::duration>().description("Minutes; one of the durations of the event type"));
}

/// A free time.
struct FreeSlot
{
    Instant start{};
    Instant end{};
    /// Set for event types with several seats.
    std::optional<int> seatsLeft;
};

constexpr auto schemaOf(const FreeSlot*)
{
    return describe(members<&FreeSlot::start, &FreeSlot::end>(), field<&FreeSlot::seatsLeft>().omitEmpty());
}

/// The free times of a range.
struct Availability
{
    std::string handle;
    std::string eventType;
    std::string timeZone;
    Instant from{};
    Instant to{};
    std::int64_t durationMinutes = 0;
    std::vector<FreeSlot> slots;
    /// Dates in `timeZone` to the places of their slots in the list.
    std::map<std::string, std::vector<std::int64_t>> byDate;
    /// The first free time from now on, within the booking window.
    std::optional<Instant> nextAvailable;
    Instant generatedAt{};
    /// External calendars could not be asked lately.
    bool busyStale = false;
};

constexpr auto schemaOf(const Availability*)
{
    return describe(members<&Availability::handle, &Availability::eventType, &Availability::timeZone, &Availability::from,
                            &Availability::to, &Availability::durationMinutes, &Availability::slots, &Availability::byDate,
                            &Availability::nextAvailable, &Availability::generatedAt, &Availability::busyStale>());
}

/// Explains to guests why a time cannot be booked: the result of `explain`, or that the host is paused.
Explanation explainToGuests(const Offer& offer, const Taken& taken, Instant now, Instant start);

/// Free times, and why others are not. Thread-safe.
class AvailabilityService
{
public:
    static constexpr std::chrono::days longest{62};

    explicit AvailabilityService(const BookingTools& tools)
        : _tools(tools), _starts(tools.context.clock()), _bookings(tools.context.clock())
    {
    }

    /// @param moving the booking for which the guest looks for another time. Its own time does not block a start, and is no start itself.
    /// @throws Problem 400 if the range is invalid, is too long, or names an unknown zone
    Availability list(const Offer& offer, const AvailabilityQuery& query, const Booking* moving = nullptr) const;
    Explanation why(const Offer& offer, Instant start) const;

private:
    /// Reads what takes the host's time. Bookings come from the cache if its mark is still valid.
    Taken takenFor(const Offer& offer, Instant now, const Booking* moving, Instant from, Instant to) const;
    std::vector<Slot> open(const Offer& offer, const Taken& taken, Instant now, const Booking* moving, Instant from, Instant to) const;
    /// The first free time at or after `from`, within the booking window.
    std::optional<Instant> next(const Offer& offer, Instant now, const Booking* moving, Instant from) const;

    const BookingTools& _tools;
    mutable StartsCache _starts;
    mutable BookingsCache _bookings;
};

} // namespace portico::calendar
