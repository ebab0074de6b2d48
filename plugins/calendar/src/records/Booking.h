#pragma once

#include "Ids.h"
#include "records/EventType.h"
#include "records/Guest.h"

#include "portico/Table.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

enum class BookingStatus
{
    Pending,
    Confirmed,
    Declined,
    Expired,
    Cancelled,
    Completed,
    NoShow
};

constexpr auto schemaOf(const BookingStatus*)
{
    using enum BookingStatus;
    return portico::choices<BookingStatus>({{"pending", Pending},
                                            {"confirmed", Confirmed},
                                            {"declined", Declined},
                                            {"expired", Expired},
                                            {"cancelled", Cancelled},
                                            {"completed", Completed},
                                            {"no_show", NoShow}});
}

enum class MeetingStatus
{
    None,
    Provisioning,
    Ready,
    Failed
};

constexpr auto schemaOf(const MeetingStatus*)
{
    using enum MeetingStatus;
    return portico::choices<MeetingStatus>({{"none", None}, {"provisioning", Provisioning}, {"ready", Ready}, {"failed", Failed}});
}

/// Why there is no meeting.
enum class MeetingFailure
{
    /// The operator has named no chat service.
    ChatUnconfigured,
    /// The chat service has failed to create one after all retries.
    ChatUnreachable
};

constexpr auto schemaOf(const MeetingFailure*)
{
    using enum MeetingFailure;
    return portico::choices<MeetingFailure>({{"chat_unconfigured", ChatUnconfigured}, {"chat_unreachable", ChatUnreachable}});
}

/// By which channel a booking or a hold came.
enum class Source
{
    Page,
    Embed,
    Api,
    Admin
};

constexpr auto schemaOf(const Source*)
{
    using enum Source;
    return portico::choices<Source>({{"page", Page}, {"embed", Embed}, {"api", Api}, {"admin", Admin}});
}

enum class Party
{
    Host,
    Guest,
    System
};

constexpr auto schemaOf(const Party*)
{
    using enum Party;
    return portico::choices<Party>({{"host", Host}, {"guest", Guest}, {"system", System}});
}

/// When a booking was before it was moved.
struct PreviousTime
{
    Instant start{};
    Instant end{};
    Instant changedAt{};
    Party by = Party::Host;
    std::string reason;
    bool operator==(const PreviousTime&) const = default;
};

constexpr auto schemaOf(const PreviousTime*)
{
    return describe(
        members<&PreviousTime::start, &PreviousTime::end, &PreviousTime::changedAt, &PreviousTime::by, &PreviousTime::reason>());
}

struct Cancellation
{
    Party by = Party::Host;
    std::string reason;
    Instant at{};
    bool operator==(const Cancellation&) const = default;
};

constexpr auto schemaOf(const Cancellation*) { return describe(members<&Cancellation::by, &Cancellation::reason, &Cancellation::at>()); }

struct Approval
{
    /// `usr_…`.
    std::string decidedBy;
    Instant at{};
    std::string reason;
    bool operator==(const Approval&) const = default;
};

constexpr auto schemaOf(const Approval*) { return describe(members<&Approval::decidedBy, &Approval::at, &Approval::reason>()); }

/// Copy of a booking in an external calendar.
struct ExternalEvent
{
    CalendarId calendarId;
    /// Address of the event on that server.
    std::string href;
    std::string etag;
    /// Always `written`.
    std::string status;
    bool operator==(const ExternalEvent&) const = default;
};

constexpr auto schemaOf(const ExternalEvent*)
{
    return describe(members<&ExternalEvent::calendarId, &ExternalEvent::href, &ExternalEvent::etag, &ExternalEvent::status>());
}

/// Parties that did not attend.
struct NoShow
{
    bool host = false;
    bool guest = false;
    bool operator==(const NoShow&) const = default;
};

constexpr auto schemaOf(const NoShow*) { return describe(members<&NoShow::host, &NoShow::guest>()); }

/// Entry of a no-show. Both members false: the no-show was withdrawn.
struct NoShowMark
{
    NoShow absent;
    Instant at{};
    bool operator==(const NoShowMark&) const = default;
};

constexpr auto schemaOf(const NoShowMark*) { return describe(members<&NoShowMark::absent, &NoShowMark::at>()); }

/// A time of a host that a guest has, or asks for, or had.
struct Booking : Versioned
{
    BookingId bookingId;
    HostId hostId;
    EventTypeId eventTypeId;
    /// Title of the event type at the time of booking.
    std::string title;
    BookingStatus status = BookingStatus::Confirmed;
    Instant start{};
    Instant end{};
    std::string hostTimeZone;
    Guest guest;
    /// The guest's address and name in lower case, to be found by.
    std::string guestEmail;
    std::string guestName;
    std::vector<AdditionalGuest> additionalGuests;
    std::vector<Answer> answers;
    std::string notes;
    /// Private note of the host. Guests, mails and invitations do not contain it.
    std::string hostNote;
    int seats = 1;
    MeetingKind meetingKind = MeetingKind::None;
    std::optional<std::string> meetingProviderRef;
    MeetingStatus meetingStatus = MeetingStatus::None;
    /// Set if the meeting's creation has failed.
    std::optional<MeetingFailure> meetingReason;
    int bufferBeforeMinutes = 0;
    int bufferAfterMinutes = 0;
    std::optional<HoldId> holdId;
    Source source = Source::Page;
    std::string embedOrigin;
    std::string iCalUid;
    int iCalSequence = 0;
    std::vector<PreviousTime> previousStart;
    /// Copies in external calendars; filled only for hosts.
    std::vector<ExternalEvent> externalEvents;
    /// Always empty: a moved booking stays the same record.
    std::optional<BookingId> rescheduledToBookingId;
    std::optional<Cancellation> cancellation;
    std::optional<Approval> approval;
    /// Set for a pending request: the time at which it expires.
    std::optional<Instant> decideBefore;
    NoShow noShow;
    /// History of `noShow`.
    std::vector<NoShowMark> noShowMarks;
    /// SHA-256 of the token of the guest's link, and the sealed token.
    std::string manageTokenHash;
    std::string manageToken;
    /// SHA-256 of the token of the hold that became this booking.
    std::string holdTokenHash;
};

constexpr auto schemaOf(const Booking*)
{
    return describe(field<&Booking::bookingId>().column("id"),
                    members<&Booking::hostId, &Booking::eventTypeId, &Booking::title, &Booking::status>(),
                    field<&Booking::start>().column("start_at"), field<&Booking::end>().column("end_at"),
                    members<&Booking::hostTimeZone, &Booking::guest>(), field<&Booking::guestEmail>().columnOnly(),
                    field<&Booking::guestName>().columnOnly(),
                    members<&Booking::additionalGuests, &Booking::answers, &Booking::notes, &Booking::hostNote, &Booking::seats,
                            &Booking::meetingKind, &Booking::meetingProviderRef, &Booking::meetingStatus, &Booking::meetingReason,
                            &Booking::bufferBeforeMinutes, &Booking::bufferAfterMinutes, &Booking::holdId, &Booking::source,
                            &Booking::embedOrigin, &Booking::iCalUid, &Booking::iCalSequence, &Booking::previousStart>(),
                    field<&Booking::externalEvents>().transient(), field<&Booking::rescheduledToBookingId>().transient(),
                    members<&Booking::cancellation, &Booking::approval, &Booking::decideBefore, &Booking::noShow>(),
                    field<&Booking::noShowMarks>().columnOnly(), field<&Booking::manageTokenHash>().columnOnly(),
                    field<&Booking::manageToken>().columnOnly(), field<&Booking::holdTokenHash>().columnOnly(), versioned<Booking>());
}

inline constexpr Table bookingTable{"booking", &Booking::bookingId};

inline std::chrono::minutes lengthOf(const Booking& booking)
{
    return std::chrono::duration_cast<std::chrono::minutes>(booking.end - booking.start);
}

/// A request that no host has approved, or not yet.
inline bool isUnapproved(const Booking& booking) { return booking.decideBefore || booking.status == BookingStatus::Declined; }

/// It keeps the host's time: pending and confirmed.
constexpr bool isOpen(BookingStatus status) { return status == BookingStatus::Pending || status == BookingStatus::Confirmed; }

} // namespace portico::calendar
