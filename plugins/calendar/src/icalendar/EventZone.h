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

/// The zone of times in a calendar: one of the tz database, or what the calendar itself says of it. A value.
class EventZone
{
public:
    /// From then on, so many seconds east of UTC.
    struct Shift
    {
        Instant at{};
        std::chrono::seconds offset{0};
    };

    explicit EventZone(TimeZone zone) : _zone(std::move(zone)) {}
    /// @param before what holds until the first of the shifts, which are in order
    EventZone(std::chrono::seconds before, std::vector<Shift> shifts) : _before(before), _shifts(std::move(shifts)) {}

    /// The first instant at which the wall shows that time, or later (R2).
    Instant at(WallSeconds wall) const;
    WallSeconds wallAt(Instant instant) const;

private:
    std::optional<TimeZone> _zone;
    std::chrono::seconds _before{0};
    std::vector<Shift> _shifts;
};

/// What a VTIMEZONE says (RFC 5545, 3.6.5), up to `to`; empty if it says nothing that can be read. @throws RecurrenceTooLong
std::optional<EventZone> zoneOf(const Component& definition, Instant to, RecurrenceBudget& budget);

/// The name of the tz database for one of Windows (CLDR's `windowsZones`); empty for others.
std::string_view zoneOfWindows(std::string_view name) noexcept;

/// Finds the zones that a calendar names: as a name of the tz database, of Windows, or by the calendar's own definition, in this order.
/// Lives no longer than what it is made with.
class ZoneFinder
{
public:
    /// @param to how far definitions are followed
    ZoneFinder(const TimeZones& zones, std::span<const Component> definitions, Instant to, RecurrenceBudget& budget)
        : _zones(zones), _definitions(definitions), _to(to), _budget(budget)
    {
    }

    /// Null for a zone that nobody knows. The pointer holds as long as this. @throws RecurrenceTooLong
    const EventZone* find(std::string_view name);

private:
    std::optional<EventZone> resolve(std::string_view name);

    const TimeZones& _zones;
    std::span<const Component> _definitions;
    const Instant _to;
    RecurrenceBudget& _budget;
    std::map<std::string, std::optional<EventZone>, std::less<>> _found;
};

} // namespace portico::calendar::icalendar
