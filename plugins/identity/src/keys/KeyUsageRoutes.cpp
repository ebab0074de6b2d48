#include "keys/KeyUsageRoutes.h"

#include "catalog/CatalogStore.h"
#include "keys/KeyActor.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::size_t maxAddresses = 10;

void readDays(Session& session, const ApiKeyId& id, Instant from, KeyUsageReport& report)
{
    for (Row row : session.query("SELECT day, service_id, ok, denied, rate_limited FROM api_key_days WHERE api_key_id = $1 AND day >= $2 "
                                 "ORDER BY day, service_id",
                                 id, from))
    {
        const auto date = toString(row.get<Instant>(0)).substr(0, 10);
        const KeyUseCounts counts{row.get<std::int64_t>(2), row.get<std::int64_t>(3), row.get<std::int64_t>(4)};
        if (report.daily.empty() || report.daily.back().date != date) report.daily.push_back({.date = date});
        const auto add = [&](auto& sum)
        {
            sum.ok += counts.ok;
            sum.denied += counts.denied;
            sum.rateLimited += counts.rateLimited;
        };
        add(report.byService[row.get<std::string>(1)]);
        add(report.daily.back());
    }
}

} // namespace

void KeyUsageRoutes::declare(Routes& routes)
{
    routes.get("/api/api-keys/{id}/usage", Access{.bearer = true, .apiKey = true, .scope = "api_keys.write"}, &KeyUsageRoutes::show, this,
               {.summary = "List the daily usage of a key"});
}

KeyUsageReport KeyUsageRoutes::show(const Caller& caller, const Path<ApiKeyId>& id, const Query<UsageQuery>& query) const
{
    _usage.flush();
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    auto session = _core.database.snapshot();
    const auto key = api_keys::find(session, id->text());
    if (!key || !KeyActor(session, *catalog, _core.settings, caller, now).sees(*key)) throw Problem::notFound();
    const Instant from = std::chrono::floor<std::chrono::days>(now) - std::chrono::days(query->days - 1);
    KeyUsageReport report;
    readDays(session, *id, from, report);
    for (auto& address : session.values<std::string>("SELECT last_ip_prefix FROM api_key_uses WHERE api_key_id = $1 AND hour >= $2 "
                                                     "ORDER BY hour DESC",
                                                     *id, from))
        if (report.lastIps.size() < maxAddresses && !address.empty() && std::ranges::find(report.lastIps, address) == report.lastIps.end())
            report.lastIps.push_back(std::move(address));
    return report;
}

} // namespace portico::identity
