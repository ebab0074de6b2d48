#include "invitations/BookingInvitation.h"

namespace portico::calendar
{

namespace
{
icalendar::EventStatus statusOf(BookingStatus status)
{
    switch (status)
    {
    case BookingStatus::Pending:
        return icalendar::EventStatus::Tentative;
    case BookingStatus::Declined:
    case BookingStatus::Expired:
    case BookingStatus::Cancelled:
        return icalendar::EventStatus::Cancelled;
    default:
        return icalendar::EventStatus::Confirmed;
    }
}

bool isLink(const Booking& booking) { return booking.meetingProviderRef && booking.meetingProviderRef->starts_with("https://"); }

/// Lists the meeting place, the answers, the notes and the link to change the booking.
std::string descriptionOf(const BookingContext& subject, std::string_view link, const Words& words)
{
    const auto& booking = subject.booking;
    std::string text;
    const auto add = [&](std::string_view line) { text.append(text.empty() ? "" : "\n").append(line); };
    if (booking.meetingProviderRef) add(*booking.meetingProviderRef);
    for (const auto& answer : booking.answers) add(questionLabel(subject, answer.questionId) + ": " + answerText(answer, words));
    if (!booking.notes.empty()) add(booking.notes);
    if (!link.empty()) add(link);
    return text;
}
} // namespace

std::string hostAddress(const BookingTools& tools, const BookingContext& subject)
{
    if (auto email = subject.hostEmail ? *subject.hostEmail : tools.emailOf(subject.tenant(), subject.host); !email.empty()) return email;
    return "no-reply@" + subject.booking.iCalUid.substr(subject.booking.iCalUid.find('@') + 1);
}

icalendar::Invitation invitationOf(const BookingTools& tools, const BookingContext& subject, std::string_view host, std::string_view link,
                                   const Words& words)
{
    const auto& booking = subject.booking;
    icalendar::Invitation invitation;
    invitation.status = statusOf(booking.status);
    invitation.method = invitation.status == icalendar::EventStatus::Cancelled ? icalendar::Method::Cancel : icalendar::Method::Request;
    invitation.uid = booking.iCalUid;
    invitation.sequence = booking.iCalSequence;
    invitation.start = booking.start;
    invitation.end = booking.end;
    invitation.zone = tools.zones.find(booking.hostTimeZone).value_or(TimeZone());
    invitation.organizer = {subject.host.displayName, std::string(host)};
    // The address is empty if the guest's data was erased.
    if (!booking.guest.email.empty())
        invitation.attendees.push_back({booking.guest.name, booking.guest.email, icalendar::Participation::Accepted});
    for (const auto& guest : booking.additionalGuests) invitation.attendees.push_back({guest.name, guest.email, {}});
    invitation.summary = booking.title + " \u2013 " + subject.host.displayName + ", " + booking.guest.name;
    invitation.description = descriptionOf(subject, link, words);
    (isLink(booking) ? invitation.url : invitation.location) = booking.meetingProviderRef.value_or("");
    invitation.created = booking.createdAt;
    invitation.lastModified = booking.updatedAt;
    invitation.stamp = tools.now();
    return invitation;
}

} // namespace portico::calendar
