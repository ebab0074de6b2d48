#include "keys/KeyExpiry.h"

#include "outbox/WebhookStore.h"
#include "records/ApiKey.h"

#include "portico/Json.h"

namespace portico::identity::key_expiry
{

namespace
{

constexpr std::chrono::milliseconds ahead = std::chrono::hours(24 * 14);
constexpr std::int64_t piece = 100;

struct ExpiringKey
{
    std::string id;
    std::string name;
    std::string ownerType;
    std::string ownerId;
    std::optional<std::string> organizationId;
    Instant expiresAt{};
};

constexpr auto schemaOf(const ExpiringKey*)
{
    return describe(members<&ExpiringKey::id, &ExpiringKey::name>(), field<&ExpiringKey::ownerType>("owner_type"),
                    field<&ExpiringKey::ownerId>("owner_id"), members<&ExpiringKey::organizationId, &ExpiringKey::expiresAt>());
}

} // namespace

bool announce(Transaction& transaction, Events& events, Instant now)
{
    const auto keys = transaction.all<ExpiringKey>("SELECT " + columns<ExpiringKey>() +
                                                       " FROM api_keys WHERE expiry_announced_at IS NULL AND expires_at > $1 AND "
                                                       "expires_at <= $2 AND status = 'active' ORDER BY expires_at LIMIT $3",
                                                   now, now + ahead, piece);
    for (const auto& key : keys)
    {
        // Another host may have announced it.
        if (transaction.execute("UPDATE api_keys SET expiry_announced_at = $2 WHERE id = $1 AND expiry_announced_at IS NULL", key.id,
                                now) == 0)
            continue;
        webhooks::publish(transaction, events,
                          {"api_key.expiring", key.id, key.organizationId.value_or(std::string()), "operator", {}, toJson(key)});
    }
    return keys.size() == static_cast<std::size_t>(piece);
}

} // namespace portico::identity::key_expiry
