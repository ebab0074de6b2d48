#pragma once

#include "records/BookingListener.h"

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
        members<&GuestBooking::bookingId, &GuestBooking::status, &GuestBooking::start, &GuestBooking::end, &GuestBooking::hostTimeZone,
                &GuestBooking::host, &GuestBooking::eventType, &GuestBooking::guest, &GuestBooking::additionalGuests,
                &GuestBooking::answers, &GuestBooking::notes, &GuestBooking::seats, &GuestBooking::meetingKind,
                &GuestBooking::meetingProviderRef, &GuestBooking::meetingStatus, &GuestBooking::meetingReason, &GuestBooking::iCalUid,
                &GuestBooking::iCalSequence, &GuestBooking::cancellation, &GuestBooking::mayCancel, &GuestBooking::mayReschedule>(),
        versioned<GuestBooking>());
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
    return describe(members<&CalendarLinks::google, &CalendarLinks::outlook, &CalendarLinks::office365>());
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
    return describe(members<&ConfirmAnswer::booking, &ConfirmAnswer::manageUrl, &ConfirmAnswer::icsUrl, &ConfirmAnswer::calendarLinks>());
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
