#include "bookings/NewBooking.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

namespace portico::calendar
{

namespace
{
/// Returns the purpose for which the token of a booking's link is sealed.
std::string purposeOf(const Booking& booking) { return "booking:" + booking.bookingId.text(); }

/// @param chat whether a chat service is configured
void setMeeting(Booking& booking, const EventType& type, bool chat)
{
    booking.meetingKind = type.meetingKind;
    if (type.meetingKind == MeetingKind::ChatMeeting)
    {
        booking.meetingStatus = chat ? MeetingStatus::Provisioning : MeetingStatus::Failed;
        if (!chat) booking.meetingReason = MeetingFailure::ChatUnconfigured;
        return;
    }
    if (type.meetingDetails.empty()) return;
    booking.meetingProviderRef = type.meetingDetails;
    booking.meetingStatus = MeetingStatus::Ready;
}
} // namespace

Booking newBooking(const BookingTools& tools, const Offer& offer, Instant start, Instant end, std::string& token)
{
    const auto now = tools.now();
    token = randomToken();
    Booking booking = bookingTable.stamped({}, {now});
    booking.hostId = offer.host.hostId;
    booking.eventTypeId = offer.type.eventTypeId;
    booking.title = offer.type.title;
    booking.start = start;
    booking.end = end;
    booking.hostTimeZone = offer.host.timeZone;
    booking.bufferBeforeMinutes = offer.type.bufferBeforeMinutes;
    booking.bufferAfterMinutes = offer.type.bufferAfterMinutes;
    setMeeting(booking, offer.type, !tools.context.config().url("calendar.chat.url").empty());
    const std::string_view origin = tools.context.host().origin;
    const auto host = origin.substr(origin.find("://") + 3);
    booking.iCalUid = booking.bookingId.text() + "@" + std::string(host.substr(0, host.find(':')));
    booking.manageTokenHash = sha256(token).hex();
    booking.manageToken = tools.sealer.seal(token, purposeOf(booking));
    return booking;
}

std::string openManageToken(const BookingTools& tools, const Booking& booking)
{
    const auto token = tools.sealer.tryOpen(booking.manageToken, purposeOf(booking));
    if (!token)
        tools.context.logger().error(
            "Cannot decrypt the token of a guest's link: add the old key behind the first one in calendar.sealingKeys",
            {{"booking", booking.bookingId.text()}});
    return token.value_or("");
}

void fillGuest(Booking& booking, const TimeZones& zones, const EventType& type, const Guest& guest, const std::vector<Answer>& answers,
               std::string_view notes)
{
    zones.require(guest.timeZone, "guest.timeZone");
    booking.guest = guest;
    booking.guestEmail = foldCase(guest.email);
    booking.guestName = fold(guest.name);
    booking.answers = checkedAnswers(type.questions, answers);
    booking.notes = notes;
}

} // namespace portico::calendar
