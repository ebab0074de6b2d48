#pragma once

#include "icalendar/BusyReader.h"
#include "icalendar/Values.h"

#include <chrono>
#include <optional>

namespace portico::calendar::icalendar
{

/// Time of an event: its local time in a zone, and the instant. A date is its midnight in UTC.
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
    bool operator==(const EventLength&) const = default;
};

/// An event as far as it says when it is.
struct Event
{
    const Component* component = nullptr;
    EventTime start;
    EventLength length;
    bool busy = false;
};

/// Zones of one answer or file, whichever of its calendars names them.
struct ZoneReading
{
    const TimeZones& zones;
    RecurrenceBudget& budget;
    ZoneCache& cache;
};

/// Reads when the components of one calendar are, and whether they keep the host busy. Repairs and assumptions leave a note. For one
/// thread.
class EventReader
{
public:
    /// All arguments outlive this.
    EventReader(const ZoneReading& zones, const BusyOptions& options, const Component& calendar, BusyCollector& busy);

    /// Returns none for an event whose start cannot be read.
    std::optional<Event> read(const Component& component);
    /// Reads a time of a property. @param text the property's value, or an item of it
    std::optional<EventTime> time(const Component& component, const Property& property, std::string_view text);
    /// The date of a time, as a date: the host's where that makes it a midnight, as Exchange writes dates; else as written if that is a
    /// midnight; else the host's.
    EventTime dateOf(const EventTime& time) const;
    /// The time of an occurrence of `start` that is written as a date where `start` is a time, or the other way round.
    EventTime matching(const EventTime& time, const EventTime& start) const;
    /// Returns the last local time of a rule. A date includes the whole day; for all-day events a time is reduced to its date.
    WallSeconds lastTime(const RecurrenceRule::Until& until, const EventTime& start) const;
    /// Returns the local time of an event at an instant; for all-day events in the host's zone.
    WallSeconds wallAt(const EventTime& time, Instant instant) const;
    void note(const Component& component, std::string_view code, std::string_view detail, std::string_view what);

private:
    const EventZone* zoneNamed(const Component& component, std::string_view name);
    std::optional<EventTime> guessStart(const Component& component, const Property* property);
    EventLength readLength(const Component& component, const EventTime& start);
    std::optional<EventLength> lengthUntil(const Component& component, const EventTime& start, const EventTime& end, std::string_view text);
    EventLength boundedLength(const Component& component, const EventTime& start, std::string_view text);
    bool isBusy(const Component& component, bool isDate) const;
    std::string ownAnswer(const Component& component) const;
    bool isOwn(const Property& attendee) const;

    const BusyOptions& _options;
    BusyCollector& _busy;
    const EventZone _hostZone;
    const EventZone _utc{TimeZone()};
    ZoneFinder _zones;
};

} // namespace portico::calendar::icalendar
