#include "bookings/BookingEvents.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::string_view notificationService = "notifications";

struct EventRecipient
{
    std::string userId;
    std::string email;
    std::string locale;
    std::string timeZone;
};

constexpr auto schemaOf(const EventRecipient*)
{
    return describe(members<&EventRecipient::userId, &EventRecipient::email, &EventRecipient::locale, &EventRecipient::timeZone>());
}

struct EventHost
{
    HostId hostId;
    std::string handle;
    std::string displayName;
};

constexpr auto schemaOf(const EventHost*) { return describe(members<&EventHost::hostId, &EventHost::handle, &EventHost::displayName>()); }

struct EventKind
{
    EventTypeId eventTypeId;
    std::string slug;
    std::string title;
    std::int64_t durationMinutes = 0;
};

constexpr auto schemaOf(const EventKind*)
{
    return describe(members<&EventKind::eventTypeId, &EventKind::slug, &EventKind::title, &EventKind::durationMinutes>());
}

struct EventGuest
{
    std::string name;
    std::string email;
    std::string timeZone;
};

constexpr auto schemaOf(const EventGuest*) { return describe(members<&EventGuest::name, &EventGuest::email, &EventGuest::timeZone>()); }

struct EventAnswer
{
    std::string questionId;
    std::string label;
    Json value;
};

constexpr auto schemaOf(const EventAnswer*)
{
    return describe(members<&EventAnswer::questionId, &EventAnswer::label, &EventAnswer::value>());
}

/// A booking as events describe it, without the rest of what is known of its guest.
struct EventBooking : Booking
{
    EventGuest eventGuest;
    std::vector<EventAnswer> labelledAnswers;
    std::string adminUrl;
    std::optional<Instant> movedFromStart;
    std::optional<Instant> movedFromEnd;
};

constexpr auto schemaOf(const EventBooking*)
{
    return describe(
        members<&EventBooking::bookingId, &EventBooking::status, &EventBooking::start, &EventBooking::end, &EventBooking::hostTimeZone>(),
        field<&EventBooking::eventGuest>("guest"), field<&EventBooking::additionalGuests>(),
        field<&EventBooking::labelledAnswers>("answers"),
        members<&EventBooking::meetingKind, &EventBooking::meetingProviderRef, &EventBooking::meetingStatus, &EventBooking::iCalUid,
                &EventBooking::iCalSequence, &EventBooking::source, &EventBooking::adminUrl>(),
        field<&EventBooking::movedFromStart>("previousStart").omitEmpty(), field<&EventBooking::movedFromEnd>("previousEnd").omitEmpty());
}

/// Data of `calendar.booking.*`.
struct BookingEvent
{
    std::string eventId;
    int version = 1;
    std::string serviceId = "calendar";
    std::string organizationId;
    /// Repeats the booking's id for pages that follow changes, because they receive only ids.
    BookingId bookingId;
    EventRecipient recipient;
    EventHost host;
    EventKind eventType;
    EventBooking booking;
};

constexpr auto schemaOf(const BookingEvent*)
{
    return describe(members<&BookingEvent::eventId, &BookingEvent::version, &BookingEvent::serviceId, &BookingEvent::organizationId,
                            &BookingEvent::bookingId, &BookingEvent::recipient, &BookingEvent::host, &BookingEvent::eventType,
                            &BookingEvent::booking>());
}

std::vector<EventAnswer> labelled(const BookingContext& subject)
{
    std::vector<EventAnswer> answers;
    for (const auto& answer : subject.booking.answers)
        answers.push_back({answer.questionId, questionLabel(subject, answer.questionId), answer.value});
    return answers;
}

EventBooking told(const BookingContext& subject, std::string_view what, std::string_view origin)
{
    const auto& booking = subject.booking;
    EventBooking event{booking,
                       {booking.guest.name, booking.guest.email, booking.guest.timeZone},
                       labelled(subject),
                       std::string(origin) + "/app/bookings/" + booking.bookingId.text(),
                       {},
                       {}};
    if (what == "rescheduled" && !booking.previousStart.empty())
    {
        event.movedFromStart = booking.previousStart.back().start;
        event.movedFromEnd = booking.previousStart.back().end;
    }
    return event;
}
} // namespace

BookingEvents::BookingEvents(const BookingTools& tools)
    : _tools(tools),
      _notifies(!tools.context.config().url("calendar.notification.url").empty() &&
                !tools.context.config().secret("calendar.notification.apiKeyFile").empty())
{
}

void BookingEvents::start()
{
    using namespace std::chrono;
    const auto& config = _tools.context.config();
    const auto& key = config.secret("calendar.notification.apiKeyFile");
    DeliveryEndpoint endpoint{config.url("calendar.notification.url"), {key}, {{"Authorization", "Bearer " + key}}};
    _tools.context.deliveries().endpoints([notifies = _notifies, endpoint](std::string_view)
                                          { return notifies ? std::optional(endpoint) : std::nullopt; },
                                          {10s, 1min, 5min, 30min, 2h, 5h, 8h, 8h});
}

void BookingEvents::happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const
{
    const auto& booking = subject.booking;
    const auto& host = subject.host;
    const BookingEvent event{
        .eventId = "evt_" + makeUlid(_tools.now()),
        .organizationId = subject.organizationId,
        .bookingId = booking.bookingId,
        .recipient = {host.userId, subject.hostEmail.value_or(""), host.locale, host.timeZone},
        .host = {host.hostId, host.handle, host.displayName},
        .eventType = {booking.eventTypeId, subject.type ? subject.type->slug : std::string(), booking.title, lengthOf(booking).count()},
        .booking = told(subject, what, _tools.context.host().origin)};
    const auto type = "calendar.booking." + std::string(what);
    const auto data = toJson(event);
    _tools.context.events().publish(transaction, type, subject.organizationId, data);
    if (_notifies) _tools.context.deliveries().send(transaction, {std::string(notificationService), type, data, event.eventId});
}

} // namespace portico::calendar
