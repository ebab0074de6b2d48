#pragma once

#include "bookings/BookingListener.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

/// What guests see of a host and of what they booked.
struct GuestHost
{
    std::string handle;
    std::string displayName;
    std::string avatarUrl;
};

constexpr auto schemaOf(const GuestHost*)
{
    return describe(field("handle", &GuestHost::handle), field("displayName", &GuestHost::displayName),
                    field("avatarUrl", &GuestHost::avatarUrl));
}

struct GuestEventType
{
    std::string slug;
    std::string title;
    std::int64_t durationMinutes = 0;
};

constexpr auto schemaOf(const GuestEventType*)
{
    return describe(field("slug", &GuestEventType::slug), field("title", &GuestEventType::title),
                    field("durationMinutes", &GuestEventType::durationMinutes));
}

/// A booking as its guest sees it.
struct GuestBooking : Versioned
{
    BookingId bookingId;
    BookingStatus status = BookingStatus::Confirmed;
    Instant start{};
    Instant end{};
    std::string hostTimeZone;
    GuestHost host;
    GuestEventType eventType;
    Guest guest;
    std::vector<AdditionalGuest> additionalGuests;
    std::vector<Answer> answers;
    std::string notes;
    int seats = 1;
    MeetingKind meetingKind = MeetingKind::None;
    std::optional<std::string> meetingProviderRef;
    MeetingStatus meetingStatus = MeetingStatus::None;
    std::optional<MeetingFailure> meetingReason;
    std::string iCalUid;
    int iCalSequence = 0;
    std::optional<Cancellation> cancellation;
    /// By the policies of what was booked, now.
    bool mayCancel = false;
    bool mayReschedule = false;
};

constexpr auto schemaOf(const GuestBooking*)
{
    return describe(
        field("bookingId", &GuestBooking::bookingId), field("status", &GuestBooking::status), field("start", &GuestBooking::start),
        field("end", &GuestBooking::end), field("hostTimeZone", &GuestBooking::hostTimeZone), field("host", &GuestBooking::host),
        field("eventType", &GuestBooking::eventType), field("guest", &GuestBooking::guest),
        field("additionalGuests", &GuestBooking::additionalGuests), field("answers", &GuestBooking::answers),
        field("notes", &GuestBooking::notes), field("seats", &GuestBooking::seats), field("meetingKind", &GuestBooking::meetingKind),
        field("meetingProviderRef", &GuestBooking::meetingProviderRef), field("meetingStatus", &GuestBooking::meetingStatus),
        field("meetingReason", &GuestBooking::meetingReason), field("iCalUid", &GuestBooking::iCalUid),
        field("iCalSequence", &GuestBooking::iCalSequence), field("cancellation", &GuestBooking::cancellation),
        field("mayCancel", &GuestBooking::mayCancel), field("mayReschedule", &GuestBooking::mayReschedule), versioned<GuestBooking>());
}

/// Addresses that put an event into somebody's calendar on the web.
struct CalendarLinks
{
    std::string google;
    std::string outlook;
    std::string office365;
};

constexpr auto schemaOf(const CalendarLinks*)
{
    return describe(field("google", &CalendarLinks::google), field("outlook", &CalendarLinks::outlook),
                    field("office365", &CalendarLinks::office365));
}

/// What a confirmation answers.
struct ConfirmAnswer
{
    GuestBooking booking;
    /// The guest's page: the link is the credential.
    std::string manageUrl;
    std::string icsUrl;
    CalendarLinks calendarLinks;
};

constexpr auto schemaOf(const ConfirmAnswer*)
{
    return describe(field("booking", &ConfirmAnswer::booking), field("manageUrl", &ConfirmAnswer::manageUrl),
                    field("icsUrl", &ConfirmAnswer::icsUrl), field("calendarLinks", &ConfirmAnswer::calendarLinks));
}

/// What guests may know of it: where they meet is told once the host has approved.
BookingCase guestsCase(BookingCase subject);
/// As the guest sees it now.
GuestBooking guestView(const BookingCase& subject, Instant now);
/// With the guest's links on this origin; without them where the token is empty.
ConfirmAnswer confirmAnswer(const BookingCase& subject, Instant now, std::string_view token, std::string_view origin);
/// The guest's page.
std::string manageUrl(const BookingId& booking, std::string_view token, std::string_view origin);

} // namespace portico::calendar
