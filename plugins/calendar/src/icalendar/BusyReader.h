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

/// Reads calendars of other programs (RFC 5545), and collects the host's busy times from events and free-busy answers. Supports RRULE,
/// RDATE, EXDATE, EXRULE and RECURRENCE-ID with THISANDFUTURE. Of two versions of an event the later one applies (RFC 5546). Ignores
/// transparent, free and cancelled events, and those that the host declined. Reads each event independently: faults leave a note, and the
/// readable part of an event counts. A wall time that a clock change skips is the instant of the change (R2). Time and memory are bounded
/// by the text's length and the budget. For one thread.
class BusyReader
{
public:
    /// Both outlive this.
    BusyReader(const TimeZones& zones, const BusyOptions& options);

    /// Reads one answer or file, which may hold several calendars. @throws ICalendarError for a text that is none, is cut off or too large
    void add(std::string_view text);
    /// Reads one object of a collection. One that is damaged or cannot be read leaves a note under its name.
    void addObject(std::string_view name, std::string_view text);
    /// Notes a fault of the calendar. @param what the sentence after the name
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
