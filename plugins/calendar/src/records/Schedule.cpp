#include "records/Schedule.h"

namespace portico::calendar
{

namespace
{
/// The place of a member in the input.
std::string below(const std::string& path, std::string_view member)
{
    return path.empty() ? std::string(member) : path + "." + std::string(member);
}

void checkEnds(WallTime start, WallTime end, Faults& faults, const std::string& path)
{
    if (start == end) faults.add(below(path, "end"), "empty_interval", "Must differ from the start.");
    if (start == WallTime::ofMinutes(1440)) faults.add(below(path, "start"), "out_of_range", "24:00 is the end of a date, and no start.");
}
} // namespace

void checkInterval(const WallInterval& interval, Faults& faults, const std::string& path)
{
    checkEnds(interval.start, interval.end, faults, path);
}

void checkRule(const WeeklyRule& rule, Faults& faults, const std::string& path) { checkEnds(rule.start, rule.end, faults, path); }

void checkOverride(const DateOverride& day, Faults& faults, const std::string& path)
{
    if (day.closed == day.intervals.empty()) return;
    faults.add(below(path, "intervals"), day.closed ? "not_allowed" : "required",
               day.closed ? "A closed date has no intervals." : "Name intervals, or say that the date is closed.");
}

} // namespace portico::calendar
