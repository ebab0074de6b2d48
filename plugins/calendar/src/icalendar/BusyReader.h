#pragma once

#include "icalendar/BusyCalendar.h"
#include "icalendar/Component.h"
#include "icalendar/EventZone.h"
#include "portico/TimeZones.h"

#include "portico/Instant.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar::icalendar
{

struct BusyOptions
{
    /// Range whose busy times are read.
    Instant from{};
    Instant to{};
    /// Time zone of the host, used for times without a zone.
    TimeZone zone;
    /// True if tentative events and all-day events count as busy.
    bool tentative = true;
    bool allDay = true;
    /// Calendar addresses of the host in lower case, without `mailto:`. Events that they have declined do not count as busy.
    std::vector<std::string> ownAddresses{};
    /// Returns true if the event with this UID is a booking of this plugin, which is counted already. May be empty.
    std::function<bool(std::string_view uid)> isOurs{};
    ComponentLimits limits{};
    /// Budget of all events together, and of a single event.
    RecurrenceBudget budget{};
    RecurrenceBudget budgetOfEvent{1'000'000, 20'000};
};

/// Reads calendars of other programs (RFC 5545): their events and free-busy answers become times at which the host is busy. Events recur by
/// RRULE, RDATE, EXDATE, EXRULE and RECURRENCE-ID, with THISANDFUTURE too. Of two versions of an event the later one counts (RFC 5546).
/// Not busy: transparent, free and cancelled events, and those that the host declined. Each event is read independently: what is skipped,
/// repaired or assumed leaves a note, and the readable part of an event counts. A wall time that a clock change leaves out is the instant
/// of the change (R2). For one thread; takes memory and time in proportion to the text and the budget, whatever the text says.
class BusyReader
{
public:
    /// Both outlive this.
    BusyReader(const TimeZones& zones, const BusyOptions& options);

    /// Reads one answer or file, which may hold several calendars. @throws ICalendarError for a text that is none, is cut off or too large
    void add(std::string_view text);
    /// Reads one object of a collection. One that is damaged or cannot be read leaves a note under its name.
    void addObject(std::string_view name, std::string_view text);
    /// Notes that something of the calendar could not be read. @param what the rest of the sentence behind the name
    void note(std::string_view name, std::string_view code, std::string_view detail, std::string_view what)
    {
        _busy.note(name, code, detail, what);
    }
    /// Returns the result. Call it once, as the last function.
    BusyCalendar take() { return _busy.take(); }

private:
    void read(const std::vector<Component>& calendars);

    const TimeZones& _zones;
    const BusyOptions& _options;
    RecurrenceBudget _budget;
    ZoneCache _zoneCache;
    BusyCollector _busy;
};

} // namespace portico::calendar::icalendar
