#include "icalendar/EventReader.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

/// Beyond every question; times are kept within them, so that arithmetic with them stays within 64 bits.
constexpr auto earliestWall = WallSeconds(local_days(year(1) / January / 1)),
               latestWall = WallSeconds(local_days(year(9998) / January / 1));

/// Assumed length of an event whose end cannot be read.
constexpr seconds assumedLength = hours(1);

bool isMidnight(WallSeconds wall) { return wall == floor<days>(wall); }

/// `mailto:Ada%40example.test`, `MAILTO: ada@example.test` and `Ada <ada@example.test>` without the rest, in lower case.
std::string mailAddress(std::string_view text)
{
    auto address = lowerCase(trim(text));
    if (address.starts_with("mailto:")) address.erase(0, 7);
    if (const auto open = address.find('<'); open != std::string::npos && address.ends_with('>'))
        address = address.substr(open + 1, address.size() - open - 2);
    if (const auto at = address.find("%40"); at != std::string::npos) address.replace(at, 3, "@");
    if (const auto query = address.find('?'); query != std::string::npos) address.resize(query);
    return std::string(trim(address));
}
} // namespace

EventTime EventTime::movedTo(WallSeconds other) const
{
    EventTime moved = *this;
    moved.wall = std::clamp(other, earliestWall, latestWall);
    moved.at = isDate ? Instant(moved.wall.time_since_epoch()) : zone->at(moved.wall);
    return moved;
}

EventReader::EventReader(const ZoneReading& zones, const BusyOptions& options, const Component& calendar, BusyCollector& busy)
    : _options(options),
      _busy(busy),
      _hostZone(options.zone),
      _zones(zones.zones, calendar.components, {options.from, options.to + days(400)}, zones.budget, zones.cache)
{
}

std::optional<Event> EventReader::read(const Component& component)
{
    const auto* property = component.find("DTSTART");
    auto start = property ? time(component, *property, property->value) : std::nullopt;
    const bool isGuessed = !start;
    if (isGuessed) start = guessStart(component, property);
    if (!start)
    {
        note(component, "no_start", property ? property->value : std::string_view(), "its start cannot be read.");
        return std::nullopt;
    }
    if (component.damaged) note(component, "damaged_event", {}, "it is damaged; only the readable part of it counts.");
    auto length = readLength(component, *start);
    // The event is at any time of that date.
    if (isGuessed && !component.find("DTEND") && !start->isDate && length.wallDays + length.elapsed < days(1)) length = {days(1), {}};
    return Event{&component, *start, length, isBusy(component, start->isDate)};
}

/// A start that cannot be read: the beginning of its date, else an hour before the end. A cancelled occurrence needs none.
std::optional<EventTime> EventReader::guessStart(const Component& component, const Property* property)
{
    if (const auto* replaced = component.find("RECURRENCE-ID"); replaced && !property)
        return upperCase(component.value("STATUS")) == "CANCELLED" ? time(component, *replaced, replaced->value) : std::nullopt;
    std::optional<EventTime> start;
    if (const auto date = property ? parseTime(trim(property->value).substr(0, 8)) : std::nullopt)
        start = EventTime{{}, false, zoneNamed(component, property->parameter("TZID")), {}}.movedTo(date->wall);
    else if (const auto* end = component.find("DTEND"))
        if (const auto until = time(component, *end, end->value)) start = until->movedTo(until->wall - assumedLength);
    if (start)
        note(component, "assumed_start", property ? property->value : std::string_view(),
             "its start cannot be read; the time around it is blocked.");
    return start;
}

std::optional<EventTime> EventReader::time(const Component& component, const Property& property, std::string_view text)
{
    text = trim(text);
    const auto written = parseTime(text);
    if (!written) return std::nullopt;
    if (written->repaired) note(component, "repaired", text, "“" + cleanText(text, 60) + "” was read by its plain meaning.");
    const auto* zone = written->isDate ? &_hostZone : written->isUtc ? &_utc : zoneNamed(component, property.parameter("TZID"));
    const auto time = EventTime{{}, written->isDate, zone, {}}.movedTo(written->wall);
    return upperCase(property.parameter("VALUE")) == "DATE" ? dateOf(time) : time;
}

EventTime EventReader::dateOf(const EventTime& time) const
{
    if (time.isDate) return time;
    const auto host = _hostZone.wallAt(time.at);
    const auto wall = !isMidnight(host) && isMidnight(time.wall) ? time.wall : host;
    return EventTime{{}, true, &_hostZone, {}}.movedTo(floor<days>(wall));
}

EventTime EventReader::matching(const EventTime& time, const EventTime& start) const
{
    if (start.isDate) return dateOf(time);
    if (time.isDate) return start.movedTo(time.wall + (start.wall - floor<days>(start.wall)));
    return start.movedTo(start.zone->wallAt(time.at));
}

WallSeconds EventReader::lastTime(const RecurrenceRule::Until& until, const EventTime& start) const
{
    if (start.isDate)
        return until.isDate ? until.time : dateOf(EventTime{{}, false, until.isUtc ? &_utc : &_hostZone, {}}.movedTo(until.time)).wall;
    if (until.isDate) return until.time + days(1) - seconds(1);
    return until.isUtc ? start.zone->wallAt(_utc.at(until.time)) : until.time;
}

const EventZone* EventReader::zoneNamed(const Component& component, std::string_view name)
{
    if (trim(name).empty()) return &_hostZone;
    const auto* found = _zones.find(name);
    if (found && found->assumed)
        note(component, "assumed_zone", name, "its time zone “" + cleanText(name, 60) + "” was taken by the offset in its name.");
    if (found) return &found->zone;
    note(component, "unknown_zone", name, "its time zone “" + cleanText(name, 60) + "” is unknown; taken as yours.");
    return &_hostZone;
}

EventLength EventReader::readLength(const Component& component, const EventTime& start)
{
    const auto* end = component.find("DTEND");
    const auto until = end ? time(component, *end, end->value) : std::nullopt;
    if (until)
        if (const auto length = lengthUntil(component, start, *until, end->value)) return *length;
    const auto* duration = component.find("DURATION");
    const auto written = duration ? parseDuration(trim(duration->value)) : std::nullopt;
    if (!written || written->days + written->seconds < seconds(0))
    {
        const auto* unread = end ? end : duration;
        if (unread) return boundedLength(component, start, unread->value);
        return start.isDate ? EventLength{days(1), {}} : EventLength{};
    }
    if (written->repaired)
        note(component, "repaired", duration->value, "“" + cleanText(duration->value, 60) + "” was read by its plain meaning.");
    if (start.isDate) return {std::max(ceil<days>(written->days + written->seconds), days(1)), {}};
    return {written->days, written->seconds};
}

/// Empty for an end before the start. The end of dates is exclusive; a time within a date covers that date.
std::optional<EventLength> EventReader::lengthUntil(const Component& component, const EventTime& start, const EventTime& end,
                                                    std::string_view text)
{
    if (start.isDate == end.isDate)
    {
        if (end.wall < start.wall && start.isDate) return std::nullopt;
        if (start.isDate) return EventLength{std::max(floor<days>(end.wall - start.wall), days(1)), {}};
        // A change of the clock between them may shorten an event to nothing.
        if (end.at < start.at) return std::nullopt;
        return EventLength{{}, floor<seconds>(end.at - start.at)};
    }
    note(component, "repaired", text, "“" + cleanText(text, 60) + "” was read by its plain meaning.");
    if (start.isDate)
    {
        const auto last =
            isMidnight(end.wall) || isMidnight(_hostZone.wallAt(end.at)) ? dateOf(end).wall : ceil<days>(_hostZone.wallAt(end.at));
        if (last < start.wall) return std::nullopt;
        return EventLength{std::max(floor<days>(last - start.wall), days(1)), {}};
    }
    const auto startDate = floor<days>(start.wall);
    if (end.wall < startDate) return std::nullopt;
    const auto until = start.movedTo(end.wall == startDate ? end.wall + days(1) : end.wall);
    return EventLength{{}, floor<seconds>(until.at - start.at)};
}

EventLength EventReader::boundedLength(const Component& component, const EventTime& start, std::string_view text)
{
    note(component, "unreadable_end", text,
         "its end “" + cleanText(text, 60) + "” cannot be read; it is taken as one " + (start.isDate ? "day." : "hour."));
    return start.isDate ? EventLength{days(1), {}} : EventLength{{}, assumedLength};
}

/// Prefers Outlook's busy status to TRANSP (MS-OXCICAL 2.1.3.1.1.20.31).
bool EventReader::isBusy(const Component& component, bool isDate) const
{
    const auto status = upperCase(component.value("STATUS")), shown = upperCase(component.value("X-MICROSOFT-CDO-BUSYSTATUS"));
    const bool isTaken = shown == "BUSY" || shown == "OOF" || shown == "TENTATIVE", isFree = shown == "FREE" || shown == "WORKINGELSEWHERE";
    const bool isTransparent = upperCase(component.value("TRANSP")) == "TRANSPARENT";
    if (status == "CANCELLED" || isFree || (isTransparent && !isTaken) || (isDate && !_options.allDay)) return false;
    const auto answer = ownAnswer(component);
    const bool isTentative = status == "TENTATIVE" || answer == "TENTATIVE" || shown == "TENTATIVE";
    return answer != "DECLINED" && (_options.tentative || !isTentative);
}

/// Returns the PARTSTAT of the host; empty if they are not invited. Of several, returns the busiest.
std::string EventReader::ownAnswer(const Component& component) const
{
    std::string own;
    for (const auto& property : component.properties)
    {
        if (property.name != "ATTENDEE" || !isOwn(property)) continue;
        auto answer = upperCase(trim(property.parameter("PARTSTAT")));
        if (answer != "DECLINED" && answer != "TENTATIVE") return answer;
        if (own.empty() || own == "DECLINED") own = std::move(answer);
    }
    return own;
}

/// By the calendar address, or the e-mail address beside it (RFC 7986, 6.2).
bool EventReader::isOwn(const Property& attendee) const
{
    const auto isKnown = [&](const std::string& address)
    { return !address.empty() && std::ranges::find(_options.ownAddresses, address) != _options.ownAddresses.end(); };
    return isKnown(mailAddress(attendee.value)) || isKnown(mailAddress(attendee.parameter("EMAIL")));
}

WallSeconds EventReader::wallAt(const EventTime& time, Instant instant) const
{
    return time.isDate ? _hostZone.wallAt(instant) : time.zone->wallAt(instant);
}

void EventReader::note(const Component& component, std::string_view code, std::string_view detail, std::string_view what)
{
    _busy.note(component.value("SUMMARY").empty() ? component.value("UID") : component.value("SUMMARY"), code, detail, what);
}

} // namespace portico::calendar::icalendar
