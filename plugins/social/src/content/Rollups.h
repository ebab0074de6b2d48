#pragma once

#include "content/ContentItem.h"

#include "portico/LocalDate.h"
#include "portico/TimeZone.h"

#include <vector>

namespace portico::social
{

/// How many items have a timestamp in a day (2.A.6).
struct DayCounts
{
    std::int64_t created = 0, submitted = 0, approved = 0, rejected = 0, scheduled = 0, rescheduled = 0, published = 0, failed = 0,
                 cancelled = 0;
    bool operator==(const DayCounts&) const = default;
};
constexpr auto schemaOf(const DayCounts*)
{
    return describe(members<&DayCounts::created, &DayCounts::submitted, &DayCounts::approved, &DayCounts::rejected, &DayCounts::scheduled,
                            &DayCounts::rescheduled, &DayCounts::published, &DayCounts::failed, &DayCounts::cancelled>());
}
struct DayRollup : DayCounts
{
    std::string date;
};
constexpr auto schemaOf(const DayRollup*) { return describe(field<&DayRollup::date>().date(), inherited<DayCounts>()); }

struct Rollups
{
    std::string timeZone;
    std::string from;
    std::string to;
    std::vector<DayRollup> days;
    DayCounts totals;
};
constexpr auto schemaOf(const Rollups*)
{
    return describe(field<&Rollups::timeZone>(), field<&Rollups::from>().date(), field<&Rollups::to>().date(),
                    members<&Rollups::days, &Rollups::totals>());
}

/// Counts timestamps by the days of a zone. Give it every instant of the range, in any order.
class DayCounter
{
public:
    /// Both dates are included.
    DayCounter(const TimeZone& zone, LocalDate from, LocalDate to);

    Instant begin() const { return _starts.front(); }
    /// The first instant after the range.
    Instant end() const { return _starts.back(); }
    void add(std::int64_t DayCounts::*counter, Instant at);
    Rollups take();

private:
    std::vector<Instant> _starts;
    Rollups _rollups;
};

/// Counts the timestamps of the items of a brand, deleted ones included.
Rollups countItems(Session& session, Tenant tenant, const BrandId& brand, std::optional<Platform> platform, const TimeZone& zone,
                   LocalDate from, LocalDate to);
/// Counts created, approved, rejected and published from the audit events of the brand, to verify the other counts. All other counts come
/// from the items.
Rollups countEvents(Session& session, Tenant tenant, const BrandId& brand, std::optional<Platform> platform, const TimeZone& zone,
                    LocalDate from, LocalDate to);

} // namespace portico::social
