#pragma once

#include "icalendar/BusyReader.h"
#include "icalendar/Values.h"

#include <chrono>
#include <optional>

namespace portico::calendar::icalendar
{

/// A time of an event: where a wall in a zone shows it, and when that is. Of a date the beginning, as if in UTC.
struct EventTime
{
    WallSeconds wall{};
    bool isDate = false;
    /// Outlives it.
    const EventZone* zone = nullptr;
    Instant at{};

    /// The same in its zone at another time of the wall, kept within years that can be counted with.
    EventTime movedTo(WallSeconds other) const;
};

/// From `start` for so long: a number of days on the wall, or of seconds.
struct EventLength
{
    std::chrono::days wallDays{0};
    std::chrono::seconds elapsed{0};
};

/// An event as far as it says when it is.
struct Event
{
    const Component* component = nullptr;
    EventTime start;
    EventLength length;
    bool busy = false;
};

/// Reads what the components of one calendar say of when they are, and whether that keeps the host busy: what is unclear leaves a note. For
/// one thread.
class EventReader
{
public:
    /// All of them outlive this.
    EventReader(const TimeZones& zones, const BusyOptions& options, const Component& calendar, RecurrenceBudget& budget,
                BusyCollector& busy);

    /// Empty for one whose start cannot be read.
    std::optional<Event> read(const Component& component);
    /// One of the times of a property. @param text the property's value, or an item of it
    std::optional<EventTime> time(const Component& component, const Property& property, std::string_view text);
    /// What the wall of an event shows at an instant; that of dates is the host's.
    WallSeconds wallAt(const EventTime& time, Instant instant) const;
    void note(const Component& component, std::string_view code, std::string_view detail, std::string_view what);

private:
    const EventZone* zoneNamed(const Component& component, std::string_view name);
    EventLength readLength(const Component& component, const EventTime& start);
    bool isBusy(const Component& component, bool isDate) const;
    std::string ownAnswer(const Component& component) const;

    const BusyOptions& _options;
    BusyCollector& _busy;
    const EventZone _hostZone;
    const EventZone _utc{TimeZone()};
    ZoneFinder _zones;
};

} // namespace portico::calendar::icalendar
