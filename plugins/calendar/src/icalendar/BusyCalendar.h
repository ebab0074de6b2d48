#pragma once

#include "slots/Taken.h"

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::calendar::icalendar
{

/// Fault in an event.
struct Oddity
{
    /// Codes. Not read: `no_start`, `unknown_rule`, `endless_rule`, `too_many`, `unreadable_object`, `unreadable_exception`. Assumed:
    /// `assumed_start`, `unreadable_end`, `unknown_zone`, `assumed_zone`, `damaged_event`, `damaged_object`. Repaired or skipped:
    /// `repaired`, `ignored_part`, `older_version`. `missing_calendar`: a calendar of the account is gone. `more`: the number of
    /// further faults is in `detail`.
    std::string code;
    /// Title of the event.
    std::string event;
    /// Time zone or recurrence rule at fault.
    std::string detail;
    /// The fault as a sentence for the calendar's owner.
    std::string sentence;
};

/// Busy times of a calendar.
struct BusyCalendar
{
    /// Sorted; spans neither overlap nor touch.
    std::vector<Span> times;
    std::vector<DateSpan> dates;
    /// Number of events that were read, busy or not.
    std::int64_t eventCount = 0;
    /// The first few faults, beginning with those that make time appear free.
    std::vector<Oddity> notes;
};

/// Collects busy times between two instants. For one thread.
class BusyCollector
{
public:
    BusyCollector(Instant from, Instant to) : _from(from), _to(to) {}

    /// Counts an event that was read.
    void count() { ++_busy.eventCount; }
    /// Adds the part of the span that lies in the range.
    void add(Instant start, Instant end);
    /// Adds all-day time from a date until before another. Dates count if they touch the range in any time zone.
    void add(LocalDate start, LocalDate end);
    /// Keeps the first few faults, without duplicates. @param what the sentence after the event's name
    void note(std::string_view event, std::string_view code, std::string_view detail, std::string_view what);
    /// Returns the result. Call it once, as the last function.
    BusyCalendar take();

private:
    const Instant _from;
    const Instant _to;
    BusyCalendar _busy;
    /// Faults that do not affect busy times.
    std::vector<Oddity> _minor;
    std::int64_t _left = 0;
};

} // namespace portico::calendar::icalendar
