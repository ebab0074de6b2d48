#include "keys/KeyUsage.h"

#include "common/Networks.h"

#include <algorithm>

namespace portico::identity
{

void KeyUsage::note(const Catalog& catalog, std::string_view apiKeyId, std::string_view serviceId, std::string_view address, Instant now,
                    KeyUseKind kind)
{
    const auto counted = catalog.find(serviceId) ? serviceId : unregisteredService;
    const Instant hour = std::chrono::floor<std::chrono::hours>(now);
    const std::scoped_lock lock(_mutex);
    Use& use = _uses[{std::string(apiKeyId), hour, std::string(counted)}];
    ++use.of(kind);
    if (kind != KeyUseKind::Ok) return;
    use.lastUsedAt = std::max(use.lastUsedAt, now);
    use.address.assign(address);
}

void KeyUsage::keep(Uses&& uses)
{
    const std::scoped_lock lock(_mutex);
    for (auto& [key, use] : uses)
    {
        auto [place, isNew] = _uses.try_emplace(key, use);
        if (isNew) continue;
        for (std::size_t i = 0; i < use.counts.size(); ++i) place->second.counts[i] += use.counts[i];
    }
}

void KeyUsage::write(Session& session, const Uses& uses)
{
    for (const auto& [key, use] : uses)
    {
        const auto& [id, hour, serviceId] = key;
        const Instant day = std::chrono::floor<std::chrono::days>(hour);
        session.execute("INSERT INTO api_key_days (api_key_id, day, service_id, ok, denied, rate_limited) VALUES ($1, $2, $3, $4, $5, $6) "
                        "ON CONFLICT (api_key_id, day, service_id) DO UPDATE SET ok = api_key_days.ok + excluded.ok, "
                        "denied = api_key_days.denied + excluded.denied, rate_limited = api_key_days.rate_limited + excluded.rate_limited",
                        id, day, serviceId, use.of(KeyUseKind::Ok), use.of(KeyUseKind::Denied), use.of(KeyUseKind::RateLimited));
        // Rejected calls do not count as a use.
        if (use.of(KeyUseKind::Ok) == 0) continue;
        session.execute("INSERT INTO api_key_uses (api_key_id, hour, count, last_used_at, last_ip_prefix, last_service) "
                        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (api_key_id, hour) DO UPDATE SET "
                        "count = api_key_uses.count + excluded.count, last_used_at = excluded.last_used_at, "
                        "last_ip_prefix = excluded.last_ip_prefix, last_service = excluded.last_service",
                        id, hour, use.of(KeyUseKind::Ok), use.lastUsedAt, networkPrefix(use.address), serviceId);
    }
}

void KeyUsage::flush()
{
    Uses uses;
    {
        const std::scoped_lock lock(_mutex);
        uses.swap(_uses);
    }
    if (uses.empty()) return;
    try
    {
        _database.transact([&](Transaction& transaction) { write(transaction, uses); });
    }
    catch (...)
    {
        keep(std::move(uses));
        throw;
    }
}

} // namespace portico::identity
