#include "portico/TimeZone.h"

#include <cctz/time_zone.h>

#include <algorithm>
#include <bit>

namespace portico
{

namespace
{
using Seconds = cctz::time_point<cctz::seconds>;

cctz::time_zone rulesOf(const void* rules) { return std::bit_cast<cctz::time_zone>(rules); }

Instant instantOf(Seconds seconds) { return Instant(std::chrono::duration_cast<std::chrono::milliseconds>(seconds.time_since_epoch())); }

Seconds secondsOf(Instant instant) { return Seconds(std::chrono::floor<cctz::seconds>(instant.time_since_epoch())); }

LocalDate dateOf(const cctz::civil_second& shown)
{
    using namespace std::chrono;
    return LocalDate(sys_days(year(static_cast<int>(shown.year())) / month(static_cast<unsigned>(shown.month())) /
                              day(static_cast<unsigned>(shown.day()))));
}

/// Above 24:00 the next date's.
cctz::civil_second civilOf(LocalDate date, WallTime time)
{
    const auto parts = date.parts();
    return cctz::civil_second(static_cast<int>(parts.year()), static_cast<int>(static_cast<unsigned>(parts.month())),
                              static_cast<int>(static_cast<unsigned>(parts.day())), 0, time.minutes());
}
} // namespace

Instant TimeZone::at(LocalDate date, WallTime time) const
{
    const auto found = rulesOf(_rules).lookup(civilOf(date, time));
    return instantOf(found.kind == cctz::time_zone::civil_lookup::SKIPPED ? found.trans : found.pre);
}

LocalTime TimeZone::localOf(Instant instant) const
{
    const auto found = rulesOf(_rules).lookup(secondsOf(instant));
    LocalTime local;
    local.date = portico::dateOf(found.cs);
    local.secondOfDay = found.cs.hour() * 3600 + found.cs.minute() * 60 + found.cs.second();
    local.offsetSeconds = found.offset;
    local.daylight = found.is_dst;
    local.abbreviation = found.abbr;
    return local;
}

ShownDate TimeZone::shownDate(Instant instant) const
{
    const auto local = localOf(instant);
    ShownDate shown{local.date,
                    Instant(std::chrono::floor<std::chrono::seconds>(instant)) + std::chrono::seconds(86'400 - local.secondOfDay)};
    if (cctz::time_zone::civil_transition next; rulesOf(_rules).next_transition(secondsOf(instant), &next))
        shown.until = std::min(shown.until, instantOf(rulesOf(_rules).lookup(next.to).trans));
    return shown;
}

std::vector<ZoneChange> TimeZone::changes(Instant from, Instant to) const
{
    std::vector<ZoneChange> found;
    cctz::time_zone::civil_transition next;
    // The result has the transitions at or after `from`.
    for (auto last = secondsOf(from) - cctz::seconds(1); rulesOf(_rules).next_transition(last, &next);)
    {
        last = rulesOf(_rules).lookup(next.to).trans;
        const auto at = instantOf(last);
        if (at >= to) break;
        if (at >= from) found.push_back({at, localOf(at - std::chrono::seconds(1)), localOf(at)});
    }
    return found;
}

} // namespace portico
