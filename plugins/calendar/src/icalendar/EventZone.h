#pragma once

#include "icalendar/Component.h"
#include "icalendar/RecurrenceRule.h"
#include "portico/TimeZones.h"

#include "portico/Instant.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar::icalendar
{

/// Time zone of a calendar: one of the tz database, or the calendar's definition. A value.
class EventZone
{
public:
    /// Offset in seconds east of UTC from an instant on.
    struct Shift
    {
        Instant at{};
        std::chrono::seconds offset{0};
    };

    explicit EventZone(TimeZone zone) : _zone(std::move(zone)) {}
    /// @param before offset before the first shift @param shifts in order
    EventZone(std::chrono::seconds before, std::vector<Shift> shifts) : _before(before), _shifts(std::move(shifts)) {}

    /// The first instant at which the wall shows that time, or later (R2).
    Instant at(WallSeconds wall) const;
    WallSeconds wallAt(Instant instant) const;

private:
    std::optional<TimeZone> _zone;
    std::chrono::seconds _before{0};
    std::vector<Shift> _shifts;
};

/// How far definitions are followed.
struct ZoneSpan
{
    Instant from{};
    Instant to{};
};

/// Reads a VTIMEZONE (RFC 5545, 3.6.5): exact within the span, and until then as its last rule before says. Empty if one of its rules
/// cannot be read, or there is none.
/// @throws RecurrenceTooLong
std::optional<EventZone> zoneOf(const Component& definition, const ZoneSpan& span, RecurrenceBudget& budget);

/// A zone that a calendar names.
struct FoundZone
{
    EventZone zone;
    /// The name does not say it plainly: it was chosen by a city or by an offset in the name.
    bool assumed = false;
};

/// Definitions that were read, by their text: the objects of a CalDAV collection repeat them.
using ZoneCache = std::map<std::string, std::optional<EventZone>>;

/// Finds a zone in this order: by the calendar's definition, by the place that it names (`X-LIC-LOCATION`), as a name of the tz database,
/// as a name of Windows, or by the offset in the name.
class ZoneFinder
{
public:
    ZoneFinder(const TimeZones& zones, std::span<const Component> definitions, const ZoneSpan& span, RecurrenceBudget& budget,
               ZoneCache& cache)
        : _zones(zones), _definitions(definitions), _span(span), _budget(budget), _cache(cache)
    {
    }

    /// Null for an unknown zone. The pointer is valid as long as this.
    const FoundZone* find(std::string_view name);

private:
    std::optional<FoundZone> resolve(std::string_view name);
    std::optional<EventZone> read(const Component& definition);

    const TimeZones& _zones;
    std::span<const Component> _definitions;
    const ZoneSpan _span;
    RecurrenceBudget& _budget;
    ZoneCache& _cache;
    std::map<std::string, std::optional<FoundZone>, std::less<>> _found;
};

} // namespace portico::calendar::icalendar
