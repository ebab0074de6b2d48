#include "keys/KeyStore.h"

#include "keys/KeyFormat.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <iterator>

namespace portico::identity::api_keys
{

namespace
{

constexpr auto day = std::chrono::hours(24);

std::optional<ApiKey> select(Session& session, std::string_view condition, std::string_view argument)
{
    auto key = session.one<ApiKey>("SELECT " + columns<ApiKey>() + " FROM api_keys WHERE " + std::string(condition), argument);
    if (key) key->prefix = keyPrefix(key->environment, key->keyId);
    return key;
}

} // namespace

void insert(Session& session, const ApiKey& key) { session.insert("api_keys", key, {}); }

std::optional<ApiKey> find(Session& session, std::string_view id) { return select(session, "id = $1", id); }

std::optional<ApiKey> findByKeyId(Session& session, std::string_view keyId) { return select(session, "key_id = $1", keyId); }

std::vector<ApiKey> ofOwners(Session& session, const std::vector<std::string>& ownerIds, Instant now)
{
    std::vector<ApiKey> keys;
    for (const auto& owner : ownerIds)
        std::ranges::move(session.all<ApiKey>("SELECT " + columns<ApiKey>() + " FROM api_keys WHERE owner_id = $1", owner),
                          std::back_inserter(keys));
    for (auto& key : keys)
    {
        key.prefix = keyPrefix(key.environment, key.keyId);
        addUses(session, key, now);
    }
    return keys;
}

std::int64_t countLive(Session& session, std::string_view ownerId, Instant now)
{
    return session
        .value<std::int64_t>("SELECT COUNT(*) FROM api_keys WHERE owner_id = $1 AND (expires_at IS NULL OR expires_at > $2) "
                             "AND (status IN ('active', 'disabled') OR (status = 'rotating' AND overlap_ends_at > $2))",
                             ownerId, now)
        .value_or(0);
}

void update(Session& session, ApiKey& key, Instant now)
{
    const auto limit = key.rateLimit ? std::optional(toJson(*key.rateLimit)) : std::nullopt;
    const auto changed =
        session.execute("UPDATE api_keys SET name = $3, status = $4, grants = $5, ip_allow_list = $6, rate_limit = $7, overlap_ends_at = "
                        "$8, revoked_at = $9, "
                        "revoke_reason = $10, metadata = $11, version = version + 1, updated_at = $12 WHERE id = $1 AND version = $2",
                        key.id, key.version, key.name, toString(key.status), toJson(key.grants), toJson(key.ipAllowList), limit,
                        key.overlapEndsAt, key.revokedAt, key.revokeReason, key.metadata.text, now);
    if (changed == 0) throw Problem::versionConflict(key.version + 1);
    ++key.version;
    key.updatedAt = now;
}

void addUses(Session& session, ApiKey& key, Instant now)
{
    auto rows = session.query("SELECT last_used_at, last_ip_prefix, last_service FROM api_key_uses WHERE api_key_id = $1 "
                              "ORDER BY hour DESC LIMIT 1",
                              key.id);
    const auto row = rows.next();
    if (!row) return;
    key.lastUsedAt = row->get<Instant>(0);
    key.lastUsedIpPrefix = row->get<std::string>(1);
    key.lastUsedService = row->get<std::string>(2);
    key.useCount24h =
        session
            .value<std::int64_t>("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM api_key_uses WHERE api_key_id = $1 AND hour > $2",
                                 key.id, now - day)
            .value_or(0);
}

} // namespace portico::identity::api_keys
