#pragma once

#include "bookings/AvailabilityService.h"
#include "hosts/ActingHost.h"
#include "records/Booking.h"
#include "records/Hold.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

enum class BookingSort
{
    Start,
    StartDescending,
    CreatedAt
};

constexpr auto schemaOf(const BookingSort*)
{
    using enum BookingSort;
    return portico::choices<BookingSort>({{"start", Start}, {"-start", StartDescending}, {"createdAt", CreatedAt}});
}

/// Query of GET /api/admin/bookings.
struct BookingFilter : HostChoice
{
    std::optional<Instant> from;
    std::optional<Instant> to;
    std::vector<BookingStatus> status;
    std::optional<EventTypeId> eventTypeId;
    std::string guestEmail;
    std::string q;
    std::optional<bool> wasRescheduled;
    BookingSort sort = BookingSort::Start;
};

constexpr auto schemaOf(const BookingFilter*)
{
    return describe(inherited<HostChoice>(),
                    field<&BookingFilter::from>().description("Earliest start; default: the beginning of the host's current week"),
                    field<&BookingFilter::to>().description("Latest start, exclusive; default: a week after `from`"),
                    members<&BookingFilter::status, &BookingFilter::eventTypeId>(),
                    field<&BookingFilter::guestEmail>().trimmed().maxLength(254),
                    field<&BookingFilter::q>().trimmed().maxLength(200).description("Part of the guest's name or e-mail address"),
                    members<&BookingFilter::wasRescheduled, &BookingFilter::sort>());
}

/// The range that a list of bookings is about.
struct WeekRange
{
    Instant from{};
    Instant to{};
    std::string timeZone;
};

constexpr auto schemaOf(const WeekRange*) { return describe(members<&WeekRange::from, &WeekRange::to, &WeekRange::timeZone>()); }

/// Beside the list.
struct BookingListExtra
{
    WeekRange week;
};

constexpr auto schemaOf(const BookingListExtra*) { return describe(field<&BookingListExtra::week>()); }

enum class BookingInclude
{
    History,
    Holds
};

constexpr auto schemaOf(const BookingInclude*)
{
    return portico::choices<BookingInclude>({{"history", BookingInclude::History}, {"holds", BookingInclude::Holds}});
}

struct BookingQuery : HostChoice
{
    std::vector<BookingInclude> include;
};

constexpr auto schemaOf(const BookingQuery*) { return describe(inherited<HostChoice>(), field<&BookingQuery::include>()); }

/// Something that happened to a booking.
struct BookingHistory
{
    /// `requested`, `confirmed`, `declined`, `expired`, `rescheduled`, `cancelled`, `no_show`, `no_show_taken_back`.
    std::string kind;
    Instant at{};
    Party by = Party::Guest;
    std::string reason;
    std::optional<Instant> previousStart;
    /// Set for `no_show` and `no_show_taken_back`.
    std::optional<NoShow> absent = {};
};

constexpr auto schemaOf(const BookingHistory*)
{
    return describe(members<&BookingHistory::kind, &BookingHistory::at, &BookingHistory::by, &BookingHistory::reason>(),
                    field<&BookingHistory::previousStart>().omitEmpty(), field<&BookingHistory::absent>().omitEmpty());
}

/// A booking with requested details.
struct BookingDetails : Booking
{
    std::optional<std::vector<BookingHistory>> history;
    std::optional<std::vector<HoldRecord>> holds;
};

constexpr auto schemaOf(const BookingDetails*)
{
    return describe(inherited<Booking>(), field<&BookingDetails::history>().omitEmpty(), field<&BookingDetails::holds>().omitEmpty());
}

/// Body of a request that cancels or declines a booking.
struct Reasoned
{
    std::string reason;
};

constexpr auto schemaOf(const Reasoned*) { return describe(field<&Reasoned::reason>().trimmed().maxLength(500)); }

/// Body of a request that sets the host's private note.
struct HostNote
{
    std::string text;
};

constexpr auto schemaOf(const HostNote*) { return describe(field<&HostNote::text>().maxLength(2000)); }

/// Target of a move by the host: a time, or a hold.
struct HostMove
{
    std::optional<Instant> start;
    std::optional<int> durationMinutes;
    std::optional<HoldId> holdId;
    std::string holdToken;
    std::string reason;
};

void checkMove(const HostMove& move, Faults& faults, const std::string& path);

constexpr auto schemaOf(const HostMove*)
{
    return describe(field<&HostMove::start>(), field<&HostMove::durationMinutes>().range(5, 1440), field<&HostMove::holdId>(),
                    field<&HostMove::holdToken>().maxLength(200), field<&HostMove::reason>().trimmed().maxLength(500))
        .checkedBy(checkMove);
}

/// Query of GET /api/admin/holds.
struct HoldFilter : HostChoice
{
    std::vector<HoldStatus> status;
    std::optional<Instant> from;
    std::optional<Instant> to;
};

constexpr auto schemaOf(const HoldFilter*)
{
    return describe(inherited<HostChoice>(), field<&HoldFilter::status>(),
                    field<&HoldFilter::from>().description("Earliest time of creation"), field<&HoldFilter::to>());
}

/// Query of GET /api/admin/availability.
struct HostAvailabilityQuery : HostChoice
{
    EventTypeId eventTypeId;
    Instant from{};
    Instant to{};
    std::optional<BookingId> moves;
    std::optional<int> duration;
};

constexpr auto schemaOf(const HostAvailabilityQuery*)
{
    return describe(inherited<HostChoice>(), field<&HostAvailabilityQuery::eventTypeId>().required(),
                    field<&HostAvailabilityQuery::from>().required(), field<&HostAvailabilityQuery::to>().required(),
                    field<&HostAvailabilityQuery::moves>().description(
                        "Booking to reschedule. Its length and seats apply, and its own time does not block"),
                    field<&HostAvailabilityQuery::duration>().description("Minutes; one of the durations of the event type"));
}

/// Busy time of an external calendar. Owner and event are not exposed.
struct BusySpan
{
    Instant start{};
    Instant end{};
};

constexpr auto schemaOf(const BusySpan*) { return describe(members<&BusySpan::start, &BusySpan::end>()); }

/// Free times for guests, reasons for the other times of the grid, and busy times of external calendars.
struct HostAvailability : Availability
{
    std::vector<Explanation> reasons;
    /// In order, without overlaps.
    std::vector<BusySpan> busy;
};

constexpr auto schemaOf(const HostAvailability*)
{
    return describe(inherited<Availability>(), field<&HostAvailability::reasons>(),
                    field<&HostAvailability::busy>().description("Busy times of the host's connected calendars"));
}

} // namespace portico::calendar
