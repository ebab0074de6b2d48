#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/LocalDate.h"
#include "portico/WallTime.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// Local date and time of a zone at an instant.
struct LocalTime
{
    LocalDate date;
    /// 0 to 86,399.
    int secondOfDay = 0;
    /// East of UTC.
    int offsetSeconds = 0;
    bool daylight = false;
    /// `CEST`, or the offset where the zone has no letters (`+03`). Lives as long as the process.
    std::string_view abbreviation;
};

/// A local date, and an instant until which it is valid.
struct ShownDate
{
    LocalDate date;
    Instant until{};
};

/// A change of a zone's offset or abbreviation: the values before it, and from it on.
struct ZoneChange
{
    Instant at{};
    LocalTime before;
    LocalTime after;
};

/// A zone of the tz database, for all years: years that its files do not list follow from their footers. A value, cheap to copy and
/// usable from any thread. A zone keeps its data if the database changes. Created by TimeZones; by default UTC.
/// Independent of the zone of the process.
class PORTICO_API TimeZone
{
public:
    TimeZone() = default;
    /// The rules of a zone under another name.
    TimeZone(std::string name, const TimeZone& rules) : _name(std::move(name)), _rules(rules._rules) {}

    /// Name as requested, links included.
    const std::string& name() const noexcept { return _name; }

    /// The first instant at which the local clock shows this date and time, or later (R2): the jump if the clock skips them, the first of
    /// two if they occur twice.
    Instant at(LocalDate date, WallTime time) const;
    /// The first instant of a date; of the next date if the zone skipped it.
    Instant startOf(LocalDate date) const { return at(date, WallTime()); }
    /// The local date.
    LocalDate dateOf(Instant instant) const { return localOf(instant).date; }
    /// The same for many instants in order: up to the end of the date, or to a change of the zone before it.
    ShownDate shownDate(Instant instant) const;
    LocalTime localOf(Instant instant) const;
    /// Changes at or after `from` and before `to`, in order.
    std::vector<ZoneChange> changes(Instant from, Instant to) const;

private:
    friend class TimeZones;
    TimeZone(std::string name, const void* rules) : _name(std::move(name)), _rules(rules) {}

    std::string _name = "UTC";
    /// Rules owned by the library that reads the database, for the life of the process. Null: UTC.
    const void* _rules = nullptr;
};

} // namespace portico
