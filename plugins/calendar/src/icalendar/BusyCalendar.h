#pragma once

#include "slots/Taken.h"

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::calendar::icalendar
{

/// What was not understood of an event.
struct Oddity
{
    /// Lost: `no_start`, `unknown_rule`, `endless_rule`, `too_many`, `unreadable_object`, `unreadable_exception`. Assumed: `assumed_start`,
    /// `unreadable_end`, `unknown_zone`, `assumed_zone`, `damaged_event`, `damaged_object`. Repaired or passed over: `repaired`,
    /// `ignored_part`, `older_version`. `more`: further ones, with their number as `detail`.
    std::string code;
    /// What the event is called.
    std::string event;
    /// The zone or the rule.
    std::string detail;
    /// All of it in a sentence for the calendar's owner.
    std::string sentence;
};

/// When somebody is busy, by their calendars.
struct BusyCalendar
{
    /// In order; none touches another.
    std::vector<Span> times;
    std::vector<DateSpan> dates;
    /// Events that were looked at, busy or not.
    std::int64_t eventCount = 0;
    /// A few at most, those that free time first.
    std::vector<Oddity> notes;
};

/// Gathers when somebody is busy between two instants, from whatever says so. For one thread.
class BusyCollector
{
public:
    BusyCollector(Instant from, Instant to) : _from(from), _to(to) {}

    /// Another event that was looked at.
    void count() { ++_busy.eventCount; }
    /// Only what of it lies between the two.
    void add(Instant start, Instant end);
    /// From a date until before another; those that only a zone far away has between the two count as well.
    void add(LocalDate start, LocalDate end);
    /// Keeps the first few, each once. @param what the rest of the sentence behind the name
    void note(std::string_view event, std::string_view code, std::string_view detail, std::string_view what);
    /// What all of it comes to; afterwards this is done with.
    BusyCalendar take();

private:
    const Instant _from;
    const Instant _to;
    BusyCalendar _busy;
    /// Notes without effect on what is busy.
    std::vector<Oddity> _minor;
    std::int64_t _left = 0;
};

} // namespace portico::calendar::icalendar
