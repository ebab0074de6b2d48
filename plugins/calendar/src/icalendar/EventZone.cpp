#include "icalendar/EventZone.h"

#include "icalendar/Values.h"
#include "icalendar/WindowsZones.h"
#include "icalendar/ZoneSpellings.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar::icalendar
{

namespace
{
using namespace std::chrono;

WallSeconds shifted(Instant instant, seconds offset) { return WallSeconds(floor<seconds>(instant.time_since_epoch()) + offset); }
Instant unshifted(WallSeconds wall, seconds offset) { return Instant(wall.time_since_epoch() - offset); }

/// A year more than from one change to the next.
constexpr days longestYear{400};

/// The walls at which STANDARD or DAYLIGHT begins, as far as they matter in the span. Empty if a rule cannot be read.
std::vector<WallSeconds> onsets(const Component& observance, WallSeconds start, seconds offsetBefore, const ZoneSpan& zoneSpan,
                                RecurrenceBudget& budget)
{
    std::vector<WallSeconds> found{start};
    const auto end = shifted(zoneSpan.to, offsetBefore) + days(1);
    for (const auto& property : observance.properties)
    {
        if (property.name == "RRULE")
        {
            const auto rule = RecurrenceRule::parse(property.value);
            if (!rule) return {};
            RecurrenceSpan span{start, false, shifted(zoneSpan.from, offsetBefore) - longestYear, end};
            if (rule->until) span.until = rule->until->isUtc ? rule->until->time + offsetBefore : rule->until->time;
            // The last onset of an ended rule stays in effect.
            if (span.until) span.from = std::min(span.from, *span.until - longestYear);
            if (rule->count > 0) span.from = start;
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

/// All of a component as one text.
std::string textOf(const Component& component)
{
    std::string text = component.name + "\n";
    for (const auto& property : component.properties) text += property.name + ":" + property.value + "\n";
    for (const auto& inner : component.components) text += textOf(inner);
    return text;
}

std::optional<FoundZone> namedZone(const TimeZones& zones, std::string_view name)
{
    if (auto zone = zones.find(name)) return FoundZone{EventZone(*std::move(zone))};
    if (const auto spelling = spellingOf(name); !spelling.empty())
        if (auto zone = zones.find(spelling)) return FoundZone{EventZone(*std::move(zone))};
    if (const auto known = zoneOfWindows(name))
        if (auto zone = zones.find(known->zone)) return FoundZone{EventZone(*std::move(zone)), known->assumed};
    return std::nullopt;
}

/// A name, also behind what programs put before it: `/freeassociation.sourceforge.net/Europe/Berlin`, `tzone://Microsoft/Utc`.
std::optional<FoundZone> namedZoneWithPrefix(const TimeZones& zones, std::string_view name)
{
    if (name.size() > 200) return std::nullopt;
    if (auto zone = namedZone(zones, name)) return zone;
    if (const auto offset = offsetInName(name)) return FoundZone{EventZone(offset->offset, {}), !offset->rest.empty()};
    for (auto at = name.find_first_of("/:="); at != std::string_view::npos; at = name.find_first_of("/:=", at + 1))
        if (auto zone = namedZone(zones, trim(name.substr(at + 1)))) return zone;
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
        // In a gap, returns the instant of the clock change for every second.
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

std::optional<EventZone> zoneOf(const Component& definition, const ZoneSpan& span, RecurrenceBudget& budget)
{
    struct Onset
    {
        EventZone::Shift shift;
        seconds before{0};
    };
    std::vector<Onset> all;
    for (const auto& observance : definition.components)
    {
        if (observance.name != "STANDARD" && observance.name != "DAYLIGHT") continue;
        const auto start = parseTime(observance.value("DTSTART"));
        const auto after = parseOffset(observance.value("TZOFFSETTO"));
        if (!start || !after) return std::nullopt;
        const auto before = parseOffset(observance.value("TZOFFSETFROM")).value_or(*after);
        const auto walls = onsets(observance, start->wall, before, span, budget);
        if (walls.empty()) return std::nullopt;
        for (const auto wall : walls) all.push_back({{unshifted(wall, before), *after}, before});
    }
    if (all.empty()) return std::nullopt;
    std::ranges::sort(all, {}, [](const Onset& onset) { return onset.shift.at; });
    std::vector<EventZone::Shift> shifts;
    for (const auto& onset : all) shifts.push_back(onset.shift);
    return EventZone(all.front().before, std::move(shifts));
}

const FoundZone* ZoneFinder::find(std::string_view name)
{
    name = trim(name);
    const auto known = _found.find(name);
    const auto& zone = known != _found.end() ? known->second : _found.emplace(std::string(name), resolve(name)).first->second;
    return zone ? &*zone : nullptr;
}

std::optional<FoundZone> ZoneFinder::resolve(std::string_view name)
{
    for (const auto& definition : _definitions)
    {
        if (definition.name != "VTIMEZONE" || definition.value("TZID") != name) continue;
        if (auto zone = read(definition)) return FoundZone{*std::move(zone)};
        if (auto zone = namedZoneWithPrefix(_zones, definition.value("X-LIC-LOCATION"))) return zone;
    }
    return namedZoneWithPrefix(_zones, name);
}

/// A definition that costs too much cannot be read either.
std::optional<EventZone> ZoneFinder::read(const Component& definition)
{
    constexpr std::int64_t maxSteps = 50'000, maxOnsets = 2'000;
    const auto [known, isNew] = _cache.try_emplace(textOf(definition));
    if (!isNew) return known->second;
    const auto given = RecurrenceBudget{std::min(_budget.steps, maxSteps), std::min(_budget.occurrences, maxOnsets)};
    auto part = given;
    try
    {
        known->second = zoneOf(definition, _span, part);
    }
    catch (const RecurrenceTooLong&)
    {
    }
    _budget.steps -= given.steps - std::max<std::int64_t>(part.steps, 0);
    _budget.occurrences -= given.occurrences - std::max<std::int64_t>(part.occurrences, 0);
    return known->second;
}

} // namespace portico::calendar::icalendar
