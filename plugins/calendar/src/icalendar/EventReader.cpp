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

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}
} // namespace

EventTime EventTime::movedTo(WallSeconds other) const
{
    EventTime moved = *this;
    moved.wall = std::clamp(other, earliestWall, latestWall);
    moved.at = isDate ? Instant(moved.wall.time_since_epoch()) : zone->at(moved.wall);
    return moved;
}

EventReader::EventReader(const TimeZones& zones, const BusyOptions& options, const Component& calendar, RecurrenceBudget& budget,
                         BusyCollector& busy)
    : _options(options), _busy(busy), _hostZone(options.zone), _zones(zones, calendar.components, options.to + days(400), budget)
{
}

std::optional<Event> EventReader::read(const Component& component)
{
    const auto* property = component.find("DTSTART");
    const auto start = property ? time(component, *property, property->value) : std::nullopt;
    if (!start)
    {
        note(component, "no_start", {}, "its start cannot be read.");
        return std::nullopt;
    }
    return Event{&component, *start, readLength(component, *start), isBusy(component, start->isDate)};
}

std::optional<EventTime> EventReader::time(const Component& component, const Property& property, std::string_view text)
{
    const auto written = parseTime(trim(text));
    if (!written) return std::nullopt;
    const auto* zone = written->isDate ? &_hostZone : written->isUtc ? &_utc : zoneNamed(component, property.parameter("TZID"));
    return EventTime{{}, written->isDate, zone, {}}.movedTo(written->wall);
}

const EventZone* EventReader::zoneNamed(const Component& component, std::string_view name)
{
    if (name.empty()) return &_hostZone;
    if (const auto* zone = _zones.find(name)) return zone;
    note(component, "unknown_zone", name, "nobody knows its time zone “" + cleanText(name, 60) + "”; taken as yours.");
    return &_hostZone;
}

EventLength EventReader::readLength(const Component& component, const EventTime& start)
{
    const auto* end = component.find("DTEND");
    const auto until = end ? time(component, *end, end->value) : std::nullopt;
    const auto written = parseDuration(component.value("DURATION"));
    if (start.isDate)
    {
        const auto whole = until ? floor<days>(until->wall - start.wall) : written ? written->days : days(1);
        return {std::max(whole, days(1)), {}};
    }
    if (until && !until->isDate) return {{}, floor<seconds>(until->at - start.at)};
    return written && !until ? EventLength{written->days, written->seconds} : EventLength{};
}

bool EventReader::isBusy(const Component& component, bool isDate) const
{
    const auto status = upperCase(component.value("STATUS"));
    if (status == "CANCELLED" || upperCase(component.value("TRANSP")) == "TRANSPARENT" || (isDate && !_options.allDay)) return false;
    const auto answer = ownAnswer(component);
    return answer != "DECLINED" && (_options.tentative || (status != "TENTATIVE" && answer != "TENTATIVE"));
}

/// The PARTSTAT of the host; empty where they are not invited.
std::string EventReader::ownAnswer(const Component& component) const
{
    for (const auto& property : component.properties)
    {
        if (property.name != "ATTENDEE") continue;
        auto address = lowerCase(trim(property.value));
        if (address.starts_with("mailto:")) address.erase(0, 7);
        if (std::ranges::find(_options.ownAddresses, address) != _options.ownAddresses.end())
            return upperCase(property.parameter("PARTSTAT"));
    }
    return {};
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
