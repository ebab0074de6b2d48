#pragma once

#include "Ids.h"
#include "portico/LocalDate.h"
#include "portico/WallTime.h"

#include "portico/Faults.h"
#include "portico/Table.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// A part of a day in a schedule's zone. An end at or before the start is on the next date (R3); equal ones mean nothing and are refused.
struct WallInterval
{
    WallTime start;
    WallTime end;
    bool operator==(const WallInterval&) const = default;
};

/// A member that is a time of day.
template <class T>
constexpr auto wallTimeField(std::string_view name, WallTime T::*member)
{
    return field(name, member).required().matches(isWallTime, "invalid_time", "a time such as 09:30, 24:00 at the latest");
}

void checkInterval(const WallInterval& interval, Faults& faults, const std::string& path);

constexpr auto schemaOf(const WallInterval*)
{
    return describe(wallTimeField("start", &WallInterval::start), wallTimeField("end", &WallInterval::end)).checkedBy(checkInterval);
}

/// Hours that come again each week (R1).
struct WeeklyRule
{
    /// 1 Monday to 7 Sunday (ISO 8601).
    int weekday = 1;
    WallTime start;
    WallTime end;
    bool operator==(const WeeklyRule&) const = default;
};

void checkRule(const WeeklyRule& rule, Faults& faults, const std::string& path);

constexpr auto schemaOf(const WeeklyRule*)
{
    return describe(field<&WeeklyRule::weekday>().required().range(1, 7).description("1 (Monday) to 7 (Sunday)"),
                    wallTimeField("start", &WeeklyRule::start), wallTimeField("end", &WeeklyRule::end))
        .checkedBy(checkRule);
}

/// Hours of one date in place of its weekly ones (R6): closed, or these.
struct DateOverride
{
    LocalDate date;
    bool closed = false;
    std::vector<WallInterval> intervals;
    bool operator==(const DateOverride&) const = default;
};

/// Closed or with intervals, one of the two.
void checkOverride(const DateOverride& day, Faults& faults, const std::string& path);

constexpr auto schemaOf(const DateOverride*)
{
    return describe(field<&DateOverride::date>().required().date(), field<&DateOverride::closed>(),
                    field<&DateOverride::intervals>().maxItems(20))
        .checkedBy(checkOverride);
}

/// When a host can be booked.
struct Schedule : Versioned
{
    ScheduleId scheduleId;
    HostId hostId;
    std::string name;
    /// IANA name.
    std::string timeZone;
    std::vector<WeeklyRule> weeklyRules;
    std::vector<DateOverride> dateOverrides;
};

constexpr auto schemaOf(const Schedule*)
{
    return describe(field<&Schedule::scheduleId>().column("id").readOnly(), field<&Schedule::hostId>().readOnly(),
                    field<&Schedule::name>().required().trimmed().maxLength(120),
                    field<&Schedule::timeZone>().maxLength(64).description("IANA name; default: the host's"),
                    field<&Schedule::weeklyRules>().maxItems(200), field<&Schedule::dateOverrides>().maxItems(1000), versioned<Schedule>());
}

/// The schedules of a host.
inline constexpr Table scheduleTable{"schedule", &Schedule::hostId, &Schedule::scheduleId};

} // namespace portico::calendar
