#include "external/MicrosoftSource.h"

#include "external/GoneCalendars.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::string_view inUtc = R"(outlook.timezone="UTC")";
constexpr std::string_view eventMembers = "id,transactionId,showAs,isAllDay,isCancelled,responseStatus,start,end";

struct GraphCalendar
{
    struct Owner
    {
        std::string address;
    };
    std::string id;
    std::string name;
    bool isDefaultCalendar = false;
    std::optional<Owner> owner;
};
constexpr auto schemaOf(const GraphCalendar::Owner*) { return describe(field<&GraphCalendar::Owner::address>()); }
constexpr auto schemaOf(const GraphCalendar*)
{
    return describe(members<&GraphCalendar::id, &GraphCalendar::name, &GraphCalendar::isDefaultCalendar, &GraphCalendar::owner>());
}

struct GraphCalendars
{
    std::vector<GraphCalendar> value;
};
constexpr auto schemaOf(const GraphCalendars*) { return describe(field<&GraphCalendars::value>()); }

/// `2026-11-25T09:00:00.0000000` in a zone that is always UTC here.
struct GraphTime
{
    std::string dateTime;
    std::string timeZone = "UTC";

    std::optional<Instant> instant() const { return parseInstant(dateTime.substr(0, 19) + "Z"); }
    std::optional<LocalDate> date() const { return LocalDate::parse(dateTime.substr(0, 10)); }
    static GraphTime of(Instant instant) { return {toString(instant).substr(0, 19), "UTC"}; }
};
constexpr auto schemaOf(const GraphTime*) { return describe(members<&GraphTime::dateTime, &GraphTime::timeZone>()); }

struct GraphAnswer
{
    std::string response;
};
constexpr auto schemaOf(const GraphAnswer*) { return describe(field<&GraphAnswer::response>()); }

struct GraphEvent
{
    std::string id;
    std::string etag;
    std::optional<std::string> transactionId;
    std::string showAs;
    bool isAllDay = false;
    bool isCancelled = false;
    std::optional<GraphAnswer> responseStatus;
    GraphTime start;
    GraphTime end;
};
constexpr auto schemaOf(const GraphEvent*)
{
    return describe(field<&GraphEvent::id>(), field<&GraphEvent::etag>("@odata.etag"),
                    members<&GraphEvent::transactionId, &GraphEvent::showAs, &GraphEvent::isAllDay, &GraphEvent::isCancelled,
                            &GraphEvent::responseStatus, &GraphEvent::start, &GraphEvent::end>());
}

struct GraphEvents
{
    std::vector<GraphEvent> value;
    std::string nextLink;
};
constexpr auto schemaOf(const GraphEvents*)
{
    return describe(field<&GraphEvents::value>(), field<&GraphEvents::nextLink>("@odata.nextLink"));
}

struct GraphText
{
    std::string contentType = "text";
    std::string content;
};
constexpr auto schemaOf(const GraphText*) { return describe(members<&GraphText::contentType, &GraphText::content>()); }

struct GraphPlace
{
    std::string displayName;
};
constexpr auto schemaOf(const GraphPlace*) { return describe(field<&GraphPlace::displayName>()); }

/// Event in requests. Leaves out guests, because Microsoft would send them mails too.
struct GraphInput
{
    std::string subject;
    GraphText body;
    GraphPlace location;
    GraphTime start;
    GraphTime end;
    std::string showAs;
    /// Set for a new event. Identifies it, and makes repeated requests idempotent.
    std::optional<std::string> transactionId;
};
constexpr auto schemaOf(const GraphInput*)
{
    return describe(members<&GraphInput::subject, &GraphInput::body, &GraphInput::location, &GraphInput::start, &GraphInput::end,
                            &GraphInput::showAs>(),
                    field<&GraphInput::transactionId>().omitEmpty());
}

std::string graphCalendar(const std::string& id) { return id == "primary" ? "/me/calendar" : "/me/calendars/" + encodeUrl(id); }
std::string graphEvent(const std::string& id) { return "/me/events/" + encodeUrl(id); }

std::string graphView(const std::string& calendar, Instant from, Instant to)
{
    return withQuery(
        graphCalendar(calendar) + "/calendarView",
        {{"startDateTime", toString(from)}, {"endDateTime", toString(to)}, {"$select", std::string(eventMembers)}, {"$top", "500"}});
}

/// Builds a transaction id. Each id works once, so the part behind # counts the versions of the event.
std::string transactionOf(const icalendar::Invitation& event) { return event.uid + "#" + std::to_string(event.sequence); }
std::string_view uidOf(const GraphEvent& event)
{
    const std::string_view id = event.transactionId ? std::string_view(*event.transactionId) : std::string_view();
    return id.substr(0, id.rfind('#'));
}

/// Not free, not cancelled, not declined.
bool isGraphBusy(const GraphEvent& event, const icalendar::BusyOptions& options)
{
    if (event.isCancelled || event.showAs == "free" || event.showAs == "workingElsewhere" || (event.isAllDay && !options.allDay))
        return false;
    const std::string answer = event.responseStatus ? event.responseStatus->response : "";
    return answer != "declined" && (options.tentative || (event.showAs != "tentative" && answer != "tentativelyAccepted"));
}

GraphInput graphInput(const icalendar::Invitation& event)
{
    GraphInput input;
    input.subject = event.summary;
    input.body.content = event.description + (event.description.empty() || event.url.empty() ? "" : "\n\n") + event.url;
    input.location.displayName = event.location;
    input.start = GraphTime::of(event.start);
    input.end = GraphTime::of(event.end);
    input.showAs = event.status == icalendar::EventStatus::Tentative ? "tentative" : "busy";
    return input;
}
} // namespace

std::vector<RemoteCalendar> MicrosoftSource::discover()
{
    const auto found =
        _calls.get<GraphCalendars>(steps::lookAtCalendar, "GET", "/me/calendars?$select=id,name,isDefaultCalendar,owner&$top=50");
    std::vector<RemoteCalendar> calendars;
    for (const auto& calendar : found.value)
    {
        const auto owner = calendar.owner ? calendar.owner->address : std::string();
        auto name = cleanText(calendar.name + (owner.empty() ? "" : " (" + owner + ")"), 120);
        if (calendar.isDefaultCalendar)
            calendars.insert(calendars.begin(), {std::move(name), "primary"});
        else
            calendars.push_back({std::move(name), calendar.id});
    }
    return calendars;
}

BusyAnswer MicrosoftSource::busy(const icalendar::BusyOptions& options, const BusyMarker&)
{
    icalendar::BusyCollector busy(options.from, options.to);
    GoneCalendars gone(_choice.collections);
    for (const auto& calendar : _choice.collections) gone.read(calendar, busy, [&] { readEvents(calendar, options, busy); });
    return {{}, busy.take()};
}

void MicrosoftSource::readEvents(const std::string& calendar, const icalendar::BusyOptions& options, icalendar::BusyCollector& busy)
{
    constexpr auto step = steps::readCalendar;
    auto budget = options.budget.occurrences;
    const auto noteUnread = [&] { busy.note("Microsoft", "no_start", {}, "the start or end of an event cannot be read."); };
    // One that never ends is ended by the time that there is for it.
    for (auto next = graphView(calendar, options.from, options.to); !next.empty();)
    {
        auto events = _calls.get<GraphEvents>(step, "GET", next, {}, inUtc);
        for (const auto& event : events.value)
        {
            if (--budget < 0) RemoteCalls::fail(step, calendar, {"too_many", "the calendar has too many events"});
            busy.count();
            if (!isGraphBusy(event, options) || (options.isOurs && options.isOurs(uidOf(event)))) continue;
            if (event.isAllDay)
            {
                const auto start = event.start.date(), end = event.end.date();
                if (start && end)
                    busy.add(*start, *end);
                else
                    noteUnread();
                continue;
            }
            const auto start = event.start.instant(), end = event.end.instant();
            if (start && end)
                busy.add(*start, *end);
            else
                noteUnread();
        }
        next = std::move(events.nextLink);
    }
}

std::optional<RemoteEvent> MicrosoftSource::find(const icalendar::Invitation& event)
{
    const auto view = graphView(_choice.writeTarget, event.start, event.end);
    for (const auto& found : _calls.get<GraphEvents>(steps::lookAtEvent, "GET", view, {}, inUtc).value)
        if (uidOf(found) == event.uid) return RemoteEvent{graphEvent(found.id), found.etag};
    return std::nullopt;
}

RemoteEvent MicrosoftSource::put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known)
{
    constexpr auto step = steps::writeEvent;
    auto input = graphInput(event);
    const auto change = [&](const RemoteEvent& there) { return _calls.send(step, "PATCH", there.href, toJson(input)); };
    HttpClient::Response response;
    response.status = 404;
    if (known) response = change(*known);
    if (response.status == 404 || response.status == 410)
    {
        if (known && _choice.writeTarget.empty()) return *known;
        input.transactionId = transactionOf(event);
        response = _calls.send(step, "POST", graphCalendar(_choice.writeTarget) + "/events", toJson(input));
        input.transactionId.reset();
    }
    // Sent before, with an answer that did not arrive.
    if (response.status == 409)
        if (const auto there = find(event)) response = change(*there);
    const auto written = fromAnswer<GraphEvent>(step, response);
    return {graphEvent(written.id), written.etag};
}

void MicrosoftSource::remove(const RemoteEvent& event)
{
    const auto response = _calls.send(steps::deleteEvent, "DELETE", event.href);
    if (response.status == 409) RemoteCalls::fail(steps::deleteEvent, event.href, answered(409));
}

} // namespace portico::calendar
