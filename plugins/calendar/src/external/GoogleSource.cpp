#include "external/GoogleSource.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <map>

namespace portico::calendar
{

namespace
{
/// Limits of one query (Calendar API, Freebusy: query). A longer range fails with `timeRangeTooLong`.
constexpr std::size_t maxCalendarsAQuery = 50;
constexpr std::chrono::days longestQuery{62};
constexpr std::string_view eventPage = "2500";
/// Extended property that identifies events of this application.
constexpr std::string_view ownProperty = "porticoUid";

struct FreeBusyItem
{
    std::string id;
};
constexpr auto schemaOf(const FreeBusyItem*) { return describe(field<&FreeBusyItem::id>()); }

struct FreeBusyQuery
{
    Instant timeMin{};
    Instant timeMax{};
    std::vector<FreeBusyItem> items;
};
constexpr auto schemaOf(const FreeBusyQuery*)
{
    return describe(members<&FreeBusyQuery::timeMin, &FreeBusyQuery::timeMax, &FreeBusyQuery::items>());
}

struct FreeBusyAnswer
{
    struct Period
    {
        Instant start{};
        Instant end{};
    };
    struct Fault
    {
        std::string reason;
    };
    struct Calendar
    {
        std::vector<Period> busy;
        std::vector<Fault> errors;
    };
    std::map<std::string, Calendar> calendars;
};
constexpr auto schemaOf(const FreeBusyAnswer::Period*)
{
    return describe(members<&FreeBusyAnswer::Period::start, &FreeBusyAnswer::Period::end>());
}
constexpr auto schemaOf(const FreeBusyAnswer::Fault*) { return describe(field<&FreeBusyAnswer::Fault::reason>()); }
constexpr auto schemaOf(const FreeBusyAnswer::Calendar*)
{
    return describe(members<&FreeBusyAnswer::Calendar::busy, &FreeBusyAnswer::Calendar::errors>());
}
constexpr auto schemaOf(const FreeBusyAnswer*) { return describe(field<&FreeBusyAnswer::calendars>()); }

struct GoogleTime
{
    std::optional<std::string> date;
    std::optional<Instant> dateTime;
};
constexpr auto schemaOf(const GoogleTime*)
{
    return describe(field<&GoogleTime::date>().omitEmpty(), field<&GoogleTime::dateTime>().omitEmpty());
}

struct GoogleAttendee
{
    bool self = false;
    std::string responseStatus;
};
constexpr auto schemaOf(const GoogleAttendee*) { return describe(members<&GoogleAttendee::self, &GoogleAttendee::responseStatus>()); }

struct GoogleProperties
{
    std::map<std::string, std::string> own;
};
constexpr auto schemaOf(const GoogleProperties*) { return describe(field<&GoogleProperties::own>("private")); }

/// The members of an event that determine when its owner is busy.
struct GoogleEvent
{
    std::string status;
    std::string transparency;
    GoogleTime start;
    GoogleTime end;
    std::vector<GoogleAttendee> attendees;
    GoogleProperties extendedProperties;
};
constexpr auto schemaOf(const GoogleEvent*)
{
    return describe(members<&GoogleEvent::status, &GoogleEvent::transparency, &GoogleEvent::start, &GoogleEvent::end,
                            &GoogleEvent::attendees, &GoogleEvent::extendedProperties>());
}

struct GoogleEvents
{
    std::string summary;
    std::string nextPageToken;
    std::vector<GoogleEvent> items;
};
constexpr auto schemaOf(const GoogleEvents*)
{
    return describe(members<&GoogleEvents::summary, &GoogleEvents::nextPageToken, &GoogleEvents::items>());
}

/// Event in requests. Leaves out guests, because Google would send them mails too.
struct GoogleInput
{
    std::optional<std::string> id;
    std::string status;
    std::string summary;
    std::string description;
    std::string location;
    GoogleTime start;
    GoogleTime end;
    GoogleProperties extendedProperties;
};
constexpr auto schemaOf(const GoogleInput*)
{
    return describe(field<&GoogleInput::id>().omitEmpty(),
                    members<&GoogleInput::status, &GoogleInput::summary, &GoogleInput::description, &GoogleInput::location,
                            &GoogleInput::start, &GoogleInput::end, &GoogleInput::extendedProperties>());
}

struct GoogleWritten
{
    std::string id;
    std::string etag;
};
constexpr auto schemaOf(const GoogleWritten*) { return describe(members<&GoogleWritten::id, &GoogleWritten::etag>()); }

std::string googleEvents(const std::string& calendar) { return "/calendars/" + encodeUrl(calendar) + "/events"; }
std::string googleEvent(const std::string& calendar, const std::string& id) { return googleEvents(calendar) + "/" + encodeUrl(id); }

/// Not free, not cancelled, not declined.
bool isGoogleBusy(const GoogleEvent& event, const icalendar::BusyOptions& options)
{
    if (event.status == "cancelled" || event.transparency == "transparent" || (event.start.date && !options.allDay)) return false;
    const auto own = std::ranges::find_if(event.attendees, &GoogleAttendee::self);
    const std::string answer = own == event.attendees.end() ? "" : own->responseStatus;
    return answer != "declined" && (options.tentative || (event.status != "tentative" && answer != "tentative"));
}

bool isOurGoogleEvent(const GoogleEvent& event, const icalendar::BusyOptions& options)
{
    const auto& own = event.extendedProperties.own;
    const auto uid = own.find(std::string(ownProperty));
    return uid != own.end() && options.isOurs && options.isOurs(uid->second);
}

GoogleInput googleInput(const icalendar::Invitation& event)
{
    GoogleInput input;
    input.status = event.status == icalendar::EventStatus::Tentative ? "tentative" : "confirmed";
    input.summary = event.summary;
    input.description = event.description + (event.description.empty() || event.url.empty() ? "" : "\n\n") + event.url;
    input.location = event.location;
    input.start.dateTime = event.start;
    input.end.dateTime = event.end;
    input.extendedProperties.own[std::string(ownProperty)] = event.uid;
    return input;
}
} // namespace

std::vector<RemoteCalendar> GoogleSource::discover()
{
    const auto first = _calls.get<GoogleEvents>(steps::lookAtCalendar, "GET", googleEvents("primary") + "?maxResults=1&fields=summary");
    return {{cleanText(first.summary, 120), "primary"}};
}

BusyAnswer GoogleSource::busy(const icalendar::BusyOptions& options, const BusyMarker&)
{
    icalendar::BusyCollector busy(options.from, options.to);
    GoneCalendars gone(_choice.collections);
    std::vector<std::string> asked;
    for (const auto& calendar : _choice.collections)
    {
        if (options.allDay && options.tentative && !_choice.holdsBookings(calendar, googleEvents(calendar) + "/"))
            asked.push_back(calendar);
        else
            gone.read(calendar, busy, [&] { readEvents(calendar, options, busy); });
    }
    for (std::size_t i = 0; i < asked.size(); i += maxCalendarsAQuery)
        askFreeBusy({asked.begin() + static_cast<std::ptrdiff_t>(i),
                     asked.begin() + static_cast<std::ptrdiff_t>(std::min(asked.size(), i + maxCalendarsAQuery))},
                    options, busy, gone);
    return {{}, busy.take()};
}

void GoogleSource::askFreeBusy(const std::vector<std::string>& calendars, const icalendar::BusyOptions& options,
                               icalendar::BusyCollector& busy, GoneCalendars& gone)
{
    constexpr auto step = steps::askBusy;
    FreeBusyQuery query;
    for (const auto& calendar : calendars) query.items.push_back({calendar});
    for (auto from = options.from; from < options.to; from += longestQuery)
    {
        query.timeMin = from;
        query.timeMax = std::min<Instant>(from + longestQuery, options.to);
        const auto answer = _calls.get<FreeBusyAnswer>(step, "POST", "/freeBusy", toJson(query));
        const auto read = [&](const std::string& calendar)
        {
            const auto found = answer.calendars.find(calendar);
            const auto& faults = found == answer.calendars.end() ? std::vector<FreeBusyAnswer::Fault>{{"no answer"}} : found->second.errors;
            // Fails, because an unknown state must not count as free.
            if (!faults.empty())
                RemoteCalls::fail(step, calendar,
                                  {"provider_says", "Google says “" + faults.front().reason + "” of this calendar", faults.front().reason});
            for (const auto& period : found->second.busy)
            {
                busy.count();
                busy.add(period.start, period.end);
            }
        };
        for (const auto& calendar : calendars) gone.read(calendar, busy, [&] { read(calendar); });
    }
}

void GoogleSource::readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy)
{
    constexpr auto step = steps::readCalendar;
    auto budget = options.budget.occurrences;
    std::string page;
    // One that never ends is ended by the time that there is for it.
    do {
        Fields fields{
            {"singleEvents", "true"},
            {"timeMin", toString(options.from)},
            {"timeMax", toString(options.to)},
            {"maxResults", std::string(eventPage)},
            // Asks for the account's own attendee entry only.
            {"maxAttendees", "1"},
            {"fields", "nextPageToken,items(status,transparency,start,end,attendees(self,responseStatus),extendedProperties/private)"}};
        if (!page.empty()) fields.emplace_back("pageToken", page);
        const auto events = _calls.get<GoogleEvents>(step, "GET", withQuery(googleEvents(calendar), fields));
        for (const auto& event : events.items)
        {
            if (--budget < 0) RemoteCalls::fail(step, calendar, {"too_many", "the calendar has too many events"});
            busy.count();
            if (!isGoogleBusy(event, options) || isOurGoogleEvent(event, options)) continue;
            const auto start = event.start.date ? LocalDate::parse(*event.start.date) : std::nullopt,
                       end = event.end.date ? LocalDate::parse(*event.end.date) : std::nullopt;
            const bool hasTimes = event.start.dateTime && event.end.dateTime;
            if (start && end) busy.add(*start, *end);
            if (hasTimes) busy.add(*event.start.dateTime, *event.end.dateTime);
            if (!hasTimes && !(start && end)) busy.note("Google", "no_start", {}, "the start or end of an event cannot be read.");
        }
        page = events.nextPageToken;
    } while (!page.empty());
}

RemoteEvent GoogleSource::put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known)
{
    constexpr auto step = steps::writeEvent;
    const auto& calendar = _choice.writeTarget;
    auto input = googleInput(event);
    // Its own id, so that one that was sent twice is there once (base32hex: digits and a to v).
    const auto id = sha256(event.uid).hex();
    const auto write = [&](std::string_view method, const std::string& path)
    { return _calls.send(step, method, path + "?sendUpdates=none", toJson(input)); };
    const auto gone = [](const HttpClient::Response& response) { return response.status == 404 || response.status == 410; };

    auto path = known ? known->href : googleEvent(calendar, id);
    auto response = HttpClient::Response{};
    if (!known)
    {
        input.id = id;
        response = write("POST", googleEvents(calendar));
        input.id.reset();
    }
    // There already: sent before, or deleted by its owner, for which the id stays taken.
    if (known || response.status == 409) response = write("PATCH", path);
    const bool wasChanged = known && !gone(response);
    if (gone(response) && calendar.empty()) return {path, {}};
    if (gone(response)) response = write("POST", googleEvents(calendar));
    if (response.status / 100 != 2) RemoteCalls::fail(step, path, answered(response.status));
    const auto written = fromAnswer<GoogleWritten>(step, response);
    // A changed event stays in the calendar that has it.
    return {wasChanged ? path : googleEvent(calendar, written.id), written.etag};
}

void GoogleSource::remove(const RemoteEvent& event)
{
    const auto response = _calls.send(steps::deleteEvent, "DELETE", event.href + "?sendUpdates=none");
    if (response.status == 409) RemoteCalls::fail(steps::deleteEvent, event.href, answered(409));
}

} // namespace portico::calendar
