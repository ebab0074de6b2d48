#pragma once

#include "records/BookingListener.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Public data of a host in a guest's view of a booking.
struct GuestHost
{
    std::string handle;
    std::string displayName;
    std::string avatarUrl;
};

constexpr auto schemaOf(const GuestHost*)
{
    return describe(members<&GuestHost::handle, &GuestHost::displayName, &GuestHost::avatarUrl>());
}

struct GuestEventType
{
    std::string slug;
    std::string title;
    std::int64_t durationMinutes = 0;
};

constexpr auto schemaOf(const GuestEventType*)
{
    return describe(members<&GuestEventType::slug, &GuestEventType::title, &GuestEventType::durationMinutes>());
}

/// A booking as its guest sees it: the members that the description names.
struct GuestBooking : Booking
{
    GuestHost host;
    GuestEventType eventType;
    /// Allowed by the event type's current policies.
    bool mayCancel = false;
    bool mayReschedule = false;
};

constexpr auto schemaOf(const GuestBooking*)
{
    return describe(
        members<&GuestBooking::bookingId, &GuestBooking::status, &GuestBooking::start, &GuestBooking::end, &GuestBooking::hostTimeZone,
                &GuestBooking::host, &GuestBooking::eventType, &GuestBooking::guest, &GuestBooking::additionalGuests,
                &GuestBooking::answers, &GuestBooking::notes, &GuestBooking::seats, &GuestBooking::meetingKind,
                &GuestBooking::meetingProviderRef, &GuestBooking::meetingStatus, &GuestBooking::meetingReason, &GuestBooking::iCalUid,
                &GuestBooking::iCalSequence, &GuestBooking::cancellation, &GuestBooking::mayCancel, &GuestBooking::mayReschedule>(),
        versioned<GuestBooking>());
}

/// Links that add an event to a web calendar.
struct CalendarLinks
{
    std::string google;
    std::string outlook;
    std::string office365;
};

constexpr auto schemaOf(const CalendarLinks*)
{
    return describe(members<&CalendarLinks::google, &CalendarLinks::outlook, &CalendarLinks::office365>());
}

/// Answer to a confirmation.
struct ConfirmAnswer
{
    GuestBooking booking;
    /// The guest's page. The link is the credential.
    std::string manageUrl;
    std::string icsUrl;
    CalendarLinks calendarLinks;
};

constexpr auto schemaOf(const ConfirmAnswer*)
{
    return describe(members<&ConfirmAnswer::booking, &ConfirmAnswer::manageUrl, &ConfirmAnswer::icsUrl, &ConfirmAnswer::calendarLinks>());
}

/// Removes what guests may not see: the meeting place, until the host has approved the booking.
BookingContext guestsCase(BookingContext subject);
/// Builds the guest's view of the booking at the time `now`.
GuestBooking guestView(const BookingContext& subject, Instant now);
/// Builds the answer with the guest's links on this origin. An empty token leaves them out.
ConfirmAnswer confirmAnswer(const BookingContext& subject, Instant now, std::string_view token, std::string_view origin);
/// The guest's page.
std::string manageUrl(const BookingId& booking, std::string_view token, std::string_view origin);

} // namespace portico::calendar
