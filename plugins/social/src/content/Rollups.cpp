#include "content/Rollups.h"

#include "audit/AuditEvent.h"

#include "portico/Json.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace portico::social
{

namespace
{
/// The members of the `data` of an event that a recount reads.
struct CountedFacts
{
    std::string platform;
    std::optional<bool> last;
};
constexpr auto schemaOf(const CountedFacts*) { return describe(members<&CountedFacts::platform, &CountedFacts::last>()); }

using Counter = std::int64_t DayCounts::*;
constexpr std::array<Counter, 9> counters{&DayCounts::created,   &DayCounts::submitted, &DayCounts::approved,
                                          &DayCounts::rejected,  &DayCounts::scheduled, &DayCounts::rescheduled,
                                          &DayCounts::published, &DayCounts::failed,    &DayCounts::cancelled};

/// Which counter an event moves; null: none.
Counter counterOf(AuditKind kind)
{
    switch (kind)
    {
    case AuditKind::ContentCreated:
    case AuditKind::SuggestionGenerated:
        return &DayCounts::created;
    case AuditKind::ContentApproved:
        return &DayCounts::approved;
    case AuditKind::ContentRejected:
        return &DayCounts::rejected;
    case AuditKind::ContentPublishSucceeded:
    case AuditKind::ContentOutcomeVerified:
    case AuditKind::ContentMarkedPublished:
        return &DayCounts::published;
    default:
        return nullptr;
    }
}
} // namespace

DayCounter::DayCounter(const TimeZone& zone, LocalDate from, LocalDate to)
{
    _rollups.timeZone = zone.name();
    _rollups.from = from.text();
    _rollups.to = to.text();
    for (auto date = from; date <= to; date = date.plusDays(1))
    {
        _starts.push_back(zone.startOf(date));
        _rollups.days.emplace_back().date = date.text();
    }
    _starts.push_back(zone.startOf(to.plusDays(1)));
}

void DayCounter::add(std::int64_t DayCounts::*counter, Instant at)
{
    if (at < begin() || at >= end()) return;
    const auto day = std::ranges::upper_bound(_starts, at) - _starts.begin() - 1;
    ++(_rollups.days[static_cast<std::size_t>(day)].*counter);
    ++(_rollups.totals.*counter);
}

Rollups DayCounter::take() { return std::move(_rollups); }

Rollups countItems(Session& session, Tenant tenant, const BrandId& brand, std::optional<Platform> platform, const TimeZone& zone,
                   LocalDate from, LocalDate to)
{
    DayCounter counter(zone, from, to);
    // Every timestamp is at or before the last update of its row.
    std::string sql =
        "SELECT created_at, submitted_at, approved_at, rejected_at, scheduled_at, last_rescheduled_at, published_at, failed_at, "
        "cancelled_at FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND updated_at >= $3";
    const auto name = platform ? std::string(toString(*platform)) : std::string();
    std::vector<SqlValue> values{SqlValue(tenant), SqlValue(brand), SqlValue(counter.begin())};
    if (platform)
    {
        sql += " AND platform = $4";
        values.emplace_back(name);
    }
    for (const auto& row : session.queryValues(sql, values))
        for (std::size_t i = 0; i < counters.size(); ++i)
            if (const auto at = row.get<std::optional<Instant>>(static_cast<int>(i))) counter.add(counters[i], *at);
    return counter.take();
}

Rollups countEvents(Session& session, Tenant tenant, const BrandId& brand, std::optional<Platform> platform, const TimeZone& zone,
                    LocalDate from, LocalDate to)
{
    auto rollups = countItems(session, tenant, brand, platform, zone, from, to);
    // The last event of a kind corresponds to the item's timestamp.
    std::map<std::pair<std::string, std::size_t>, Instant> last;
    for (const auto& row :
         session.query("SELECT content_id, kind, occurred_at, data FROM audit_event WHERE organization_id = $1 AND brand_id = $2 "
                       "AND content_id IS NOT NULL ORDER BY position",
                       tenant, brand))
    {
        const auto kind = parseEnum<AuditKind>(row.text(1));
        const auto counter = kind ? counterOf(*kind) : nullptr;
        if (counter == nullptr) continue;
        const auto facts = fromStoredJson<CountedFacts>(row.text(3));
        if ((platform && facts.platform != toString(*platform)) || (facts.last && !*facts.last)) continue;
        const auto place = static_cast<std::size_t>(std::ranges::find(counters, counter) - counters.begin());
        last[{row.get<std::string>(0), place}] = row.get<Instant>(2);
    }
    DayCounter counter(zone, from, to);
    for (const auto& [key, at] : last) counter.add(counters[key.second], at);
    const auto counted = counter.take();
    for (const auto checked : {&DayCounts::created, &DayCounts::approved, &DayCounts::rejected, &DayCounts::published})
    {
        for (std::size_t i = 0; i < rollups.days.size(); ++i) rollups.days[i].*checked = counted.days[i].*checked;
        rollups.totals.*checked = counted.totals.*checked;
    }
    return rollups;
}

} // namespace portico::social
