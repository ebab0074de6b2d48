#include "keys/KeyUsage.h"

#include "common/Networks.h"

#include <algorithm>

namespace portico::identity
{

void KeyUsage::note(std::string_view apiKeyId, std::string_view serviceId, std::string_view address, Instant now)
{
    const Instant hour = std::chrono::floor<std::chrono::hours>(now);
    const std::scoped_lock lock(_mutex);
    Use& use = _uses[{std::string(apiKeyId), hour}];
    ++use.count;
    use.lastUsedAt = std::max(use.lastUsedAt, now);
    use.address.assign(address);
    use.serviceId.assign(serviceId);
}

void KeyUsage::keep(Uses&& uses)
{
    const std::scoped_lock lock(_mutex);
    for (auto& [key, use] : uses)
    {
        auto [place, isNew] = _uses.try_emplace(key, use);
        if (!isNew) place->second.count += use.count;
    }
}

void KeyUsage::write(Session& session, const Uses& uses)
{
    for (const auto& [key, use] : uses)
        session.execute("INSERT INTO api_key_uses (api_key_id, hour, count, last_used_at, last_ip_prefix, last_service) "
                        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (api_key_id, hour) DO UPDATE SET "
                        "count = api_key_uses.count + excluded.count, last_used_at = excluded.last_used_at, "
                        "last_ip_prefix = excluded.last_ip_prefix, last_service = excluded.last_service",
                        key.first, key.second, use.count, use.lastUsedAt, networkPrefix(use.address), use.serviceId);
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
