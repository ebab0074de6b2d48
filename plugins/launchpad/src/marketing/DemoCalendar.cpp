#include "marketing/DemoCalendar.h"

#include "common/LocalCall.h"

#include "portico/Json.h"
#include "portico/Url.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view calendarService = "calendar";
constexpr std::chrono::hours shownTimes{14 * 24};
constexpr std::size_t maxTimes = 40;

struct CalendarEventType
{
    std::string slug;

    friend constexpr auto schemaOf(const CalendarEventType*) { return describe(members<&CalendarEventType::slug>()); }
};

struct CalendarHost
{
    std::vector<CalendarEventType> eventTypes;

    friend constexpr auto schemaOf(const CalendarHost*) { return describe(members<&CalendarHost::eventTypes>()); }
};

struct CalendarSlot
{
    Instant start{};

    friend constexpr auto schemaOf(const CalendarSlot*) { return describe(members<&CalendarSlot::start>()); }
};

struct CalendarTimes
{
    std::vector<CalendarSlot> slots;

    friend constexpr auto schemaOf(const CalendarTimes*) { return describe(members<&CalendarTimes::slots>()); }
};

struct HoldToMake
{
    Instant start{};
    std::string timeZone;

    friend constexpr auto schemaOf(const HoldToMake*) { return describe(members<&HoldToMake::start, &HoldToMake::timeZone>()); }
};

struct CalendarHold
{
    std::string holdId;
    std::string holdToken;

    friend constexpr auto schemaOf(const CalendarHold*) { return describe(members<&CalendarHold::holdId, &CalendarHold::holdToken>()); }
};

struct CalendarGuest
{
    std::string name;
    std::string email;
    std::string timeZone;

    friend constexpr auto schemaOf(const CalendarGuest*)
    {
        return describe(members<&CalendarGuest::name, &CalendarGuest::email, &CalendarGuest::timeZone>());
    }
};

struct HoldToConfirm : CalendarHold
{
    CalendarGuest guest;
    std::string notes;

    friend constexpr auto schemaOf(const HoldToConfirm*)
    {
        return describe(field("holdId", static_cast<std::string HoldToConfirm::*>(&HoldToConfirm::holdId)),
                        field("holdToken", static_cast<std::string HoldToConfirm::*>(&HoldToConfirm::holdToken)),
                        members<&HoldToConfirm::guest, &HoldToConfirm::notes>());
    }
};

struct CalendarBooking
{
    std::string bookingId;
    std::string status;

    friend constexpr auto schemaOf(const CalendarBooking*)
    {
        return describe(members<&CalendarBooking::bookingId, &CalendarBooking::status>());
    }
};

struct CalendarConfirmation
{
    CalendarBooking booking;
    std::string manageUrl;

    friend constexpr auto schemaOf(const CalendarConfirmation*)
    {
        return describe(members<&CalendarConfirmation::booking, &CalendarConfirmation::manageUrl>());
    }
};

Problem calendarUnavailable()
{
    return Problem::unavailable("calendar_unavailable", "The calendar is temporarily unavailable. Try again in a moment.");
}

bool succeeded(const std::optional<HttpClient::Response>& response) { return response && response->status / 100 == 2; }

/// Returns the problem for a rejected hold or confirmation: every conflict means that the time is taken.
Problem rejected(const std::optional<HttpClient::Response>& response)
{
    if (!response) return calendarUnavailable();
    if (response->status == 409 || response->status == 410)
        return Problem::conflict("slot_taken", "This time is no longer available. Choose another one.");
    if (response->status == 400 || response->status == 429) return problemOf(*response);
    return calendarUnavailable();
}
} // namespace

DemoCalendar::DemoCalendar(PluginContext& context)
    : _context(context), _host(context.config().text("launchpad.demo.host")), _eventType(context.config().text("launchpad.demo.eventType"))
{
}

std::string DemoCalendar::eventTypePath(const Request& request) const
{
    const auto host = "/api/public/" + encodeUrl(_host);
    if (!_eventType.empty()) return host + '/' + encodeUrl(_eventType);
    const auto response = callLocally(_context, request, calendarService, host);
    if (!succeeded(response)) throw calendarUnavailable();
    const auto found = fromStoredJson<CalendarHost>(response->body);
    if (found.eventTypes.empty()) throw calendarUnavailable();
    return host + '/' + encodeUrl(found.eventTypes.front().slug);
}

std::vector<Instant> DemoCalendar::freeTimes(const Request& request) const
{
    if (!configured()) return {};
    try
    {
        const auto now = _context.clock().now();
        const auto range = toQuery({{"from", toString(now)}, {"to", toString(now + shownTimes)}});
        const auto response = callLocally(_context, request, calendarService, eventTypePath(request) + "/availability?" + range);
        if (!succeeded(response)) return {};
        std::vector<Instant> times;
        for (const auto& slot : fromStoredJson<CalendarTimes>(response->body).slots)
            if (times.size() < maxTimes) times.push_back(slot.start);
        return times;
    }
    catch (const Problem&)
    {
        return {};
    }
}

ReservedDemo DemoCalendar::reserve(const Request& request, const DemoSlot& slot, const DemoGuest& guest) const
{
    const auto path = eventTypePath(request);
    const auto held = callLocally(_context, request, calendarService, path + "/hold", toJson(HoldToMake{slot.start, slot.timezone}));
    if (!succeeded(held)) throw rejected(held);
    HoldToConfirm confirm;
    static_cast<CalendarHold&>(confirm) = fromStoredJson<CalendarHold>(held->body);
    confirm.guest = {guest.name, guest.email, slot.timezone};
    confirm.notes = guest.company + (guest.message.empty() ? "" : "\n" + guest.message);
    const auto made = callLocally(_context, request, calendarService, path + "/confirm", toJson(confirm));
    if (!succeeded(made)) throw rejected(made);
    const auto confirmation = fromStoredJson<CalendarConfirmation>(made->body);
    return {confirmation.booking.bookingId, confirmation.manageUrl, confirmation.booking.status == "confirmed"};
}

} // namespace portico::launchpad
