#include "bookings/BookingViews.h"

#include "bookings/GuestPolicy.h"
#include "service/Urls.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
/// `20261123T090000Z`.
std::string compact(Instant instant)
{
    std::string text = toString(instant).substr(0, 19);
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text + "Z";
}

CalendarLinks linksOf(const Booking& booking, const Host& host)
{
    const auto title = encodeUrl(booking.title + " \u2013 " + host.displayName);
    const auto place = encodeUrl(booking.meetingProviderRef.value_or(""));
    const auto live = [&](std::string_view server)
    {
        return "https://" + std::string(server) +
               "/calendar/0/deeplink/compose?path=%2Fcalendar%2Faction%2Fcompose&rru=addevent&subject=" + title +
               "&startdt=" + encodeUrl(toString(booking.start)) + "&enddt=" + encodeUrl(toString(booking.end)) + "&location=" + place;
    };
    return {"https://calendar.google.com/calendar/render?action=TEMPLATE&text=" + title + "&dates=" + compact(booking.start) + "%2F" +
                compact(booking.end) + "&location=" + place,
            live("outlook.live.com"), live("outlook.office.com")};
}

/// Returns true if the check does not throw.
bool passes(auto&& check)
{
    try
    {
        check();
        return true;
    }
    catch (const Problem&)
    {
        return false;
    }
}
} // namespace

BookingContext guestsCase(BookingContext subject)
{
    auto& booking = subject.booking;
    if (isUnapproved(booking) && booking.meetingProviderRef)
    {
        booking.meetingProviderRef.reset();
        booking.meetingStatus = MeetingStatus::Provisioning;
    }
    return subject;
}

GuestBooking guestView(const BookingContext& whole, Instant now)
{
    const auto subject = guestsCase(whole);
    const auto& booking = subject.booking;
    return {booking,
            {subject.host.handle, subject.host.displayName, subject.host.avatarUrl},
            {subject.type ? subject.type->slug : std::string(), booking.title, lengthOf(booking).count()},
            passes([&] { requireCancellable(subject, now); }),
            passes([&] { requireMovable(subject, now); })};
}

std::string manageUrl(const BookingId& booking, std::string_view token, std::string_view origin)
{
    return std::string(origin) + "/public/bookings/" + booking.text() + "?token=" + std::string(token);
}

ConfirmAnswer confirmAnswer(const BookingContext& subject, Instant now, std::string_view token, std::string_view origin)
{
    const auto& id = subject.booking.bookingId;
    auto links = linksOf(guestsCase(subject).booking, subject.host);
    if (token.empty()) return {guestView(subject, now), {}, {}, std::move(links)};
    return {guestView(subject, now), manageUrl(id, token, origin),
            std::string(origin) + "/api/public/bookings/" + id.text() + "/calendar.ics?token=" + std::string(token), std::move(links)};
}

} // namespace portico::calendar
