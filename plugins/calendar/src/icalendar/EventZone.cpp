#include "icalendar/EventZone.h"

#include "icalendar/Values.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

WallSeconds shifted(Instant instant, seconds offset) { return WallSeconds(floor<seconds>(instant.time_since_epoch()) + offset); }
Instant unshifted(WallSeconds wall, seconds offset) { return Instant(wall.time_since_epoch() - offset); }

/// The walls at which STANDARD or DAYLIGHT begins.
std::vector<WallSeconds> onsets(const Component& observance, WallSeconds start, seconds offsetBefore, Instant to, RecurrenceBudget& budget)
{
    std::vector<WallSeconds> found{start};
    const auto end = shifted(to, offsetBefore) + days(1);
    for (const auto& property : observance.properties)
    {
        if (property.name == "RRULE")
        {
            const auto rule = RecurrenceRule::parse(trim(property.value));
            if (!rule) continue;
            RecurrenceSpan span{start, false, start, end};
            if (rule->until) span.until = rule->until->isUtc ? rule->until->time + offsetBefore : rule->until->time;
            const auto more = occurrences(*rule, span, budget);
            found.insert(found.end(), more.begin(), more.end());
        }
        else if (property.name == "RDATE")
        {
            for (const auto& item : splitList(property.value))
                if (const auto time = parseTime(item)) found.push_back(time->wall);
        }
    }
    return found;
}

/// A name without what programs put before it: `/freeassociation.sourceforge.net/Europe/Berlin`.
std::optional<TimeZone> behindPrefix(const TimeZones& zones, std::string_view name)
{
    if (!name.starts_with('/')) return std::nullopt;
    for (auto at = name.find('/', 1); at != std::string_view::npos; at = name.find('/', at + 1))
        if (auto zone = zones.find(name.substr(at + 1))) return zone;
    return std::nullopt;
}
} // namespace

Instant EventZone::at(WallSeconds wall) const
{
    if (_zone)
    {
        const auto day = floor<days>(wall);
        const auto minute = floor<minutes>(wall - day);
        const auto found = _zone->at(LocalDate(sys_days(day.time_since_epoch())), WallTime::ofMinutes(static_cast<int>(minute.count())));
        // In a gap it is the jump, whatever the second.
        return wallAt(found) == day + minute ? found + (wall - day - minute) : found;
    }
    auto offset = _before;
    auto begin = Instant::min();
    for (const auto& shift : _shifts)
    {
        const auto candidate = std::max(begin, unshifted(wall, offset));
        if (candidate < shift.at) return candidate;
        begin = shift.at;
        offset = shift.offset;
    }
    return std::max(begin, unshifted(wall, offset));
}

WallSeconds EventZone::wallAt(Instant instant) const
{
    if (_zone)
    {
        const auto local = _zone->localOf(instant);
        return local_days(local.date.days().time_since_epoch()) + seconds(local.secondOfDay);
    }
    const auto next = std::ranges::upper_bound(_shifts, instant, {}, &Shift::at);
    return shifted(instant, next == _shifts.begin() ? _before : std::prev(next)->offset);
}

std::optional<EventZone> zoneOf(const Component& definition, Instant to, RecurrenceBudget& budget)
{
    struct Onset
    {
        EventZone::Shift shift;
        seconds before{0};
    };
    std::vector<Onset> all;
    for (const auto& observance : definition.components)
    {
        const auto start = parseTime(observance.value("DTSTART"));
        const auto before = parseOffset(observance.value("TZOFFSETFROM")), after = parseOffset(observance.value("TZOFFSETTO"));
        if ((observance.name != "STANDARD" && observance.name != "DAYLIGHT") || !start || !before || !after) continue;
        for (const auto wall : onsets(observance, start->wall, *before, to, budget))
            all.push_back({{unshifted(wall, *before), *after}, *before});
    }
    if (all.empty()) return std::nullopt;
    std::ranges::sort(all, {}, [](const Onset& onset) { return onset.shift.at; });
    std::vector<EventZone::Shift> shifts;
    for (const auto& onset : all) shifts.push_back(onset.shift);
    return EventZone(all.front().before, std::move(shifts));
}

const EventZone* ZoneFinder::find(std::string_view name)
{
    const auto known = _found.find(name);
    const auto& zone = known != _found.end() ? known->second : _found.emplace(std::string(name), resolve(name)).first->second;
    return zone ? &*zone : nullptr;
}

std::optional<EventZone> ZoneFinder::resolve(std::string_view name)
{
    if (auto zone = _zones.find(name)) return EventZone(*std::move(zone));
    if (auto zone = behindPrefix(_zones, name)) return EventZone(*std::move(zone));
    if (const auto ours = zoneOfWindows(name); !ours.empty())
        if (auto zone = _zones.find(ours)) return EventZone(*std::move(zone));
    for (const auto& definition : _definitions)
        if (definition.name == "VTIMEZONE" && definition.value("TZID") == name) return zoneOf(definition, _to, _budget);
    return std::nullopt;
}

} // namespace portico::calendar::icalendar
