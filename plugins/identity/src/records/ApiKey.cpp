#include "records/ApiKey.h"

#include "audit/Audit.h"
#include "records/Membership.h"
#include "records/Organization.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace portico::identity
{

const Grant* ApiKey::grantFor(std::string_view serviceId) const
{
    const auto found = std::ranges::find(grants, serviceId, &Grant::serviceId);
    return found == grants.end() ? nullptr : &*found;
}

KeyStatus ApiKey::statusAt(Instant now) const
{
    if (status == KeyStatus::Rotating && (!overlapEndsAt || *overlapEndsAt <= now)) return KeyStatus::Revoked;
    if ((status == KeyStatus::Active || status == KeyStatus::Rotating) && expiresAt && *expiresAt <= now) return KeyStatus::Expired;
    return status;
}

std::optional<Instant> ApiKey::endsAt() const
{
    if (!expiresAt || !overlapEndsAt) return expiresAt ? expiresAt : overlapEndsAt;
    return std::min(*expiresAt, *overlapEndsAt);
}

namespace
{

constexpr std::string_view base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t idLength = 12;
constexpr std::size_t secretLength = 43;
constexpr std::size_t checksumLength = 6;

constexpr auto crcTable = []
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i)
    {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? 0xedb88320u ^ (value >> 1) : value >> 1;
        table[i] = value;
    }
    return table;
}();

/// CRC-32 as in zlib, as six base62 digits.
std::string checksum(std::string_view text)
{
    std::uint32_t crc = 0xffffffffu;
    for (const char c : text) crc = crcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
    crc = ~crc;
    std::string digits(checksumLength, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, crc /= 62) *digit = base62Digits[crc % 62];
    return digits;
}

} // namespace

std::string keyPrefix(KeyEnvironment environment, std::string_view keyId)
{
    return "pak_" + std::string(toString(environment)) + '_' + std::string(keyId);
}

KeyText KeyText::make(KeyEnvironment environment)
{
    return {environment, randomText(idLength, base62Digits), randomText(secretLength, base62Digits)};
}

std::string KeyText::prefix() const { return keyPrefix(environment, keyId); }

std::string KeyText::text() const
{
    const auto body = prefix() + '_' + secret;
    return body + checksum(body);
}

std::optional<KeyText> KeyText::parse(std::string_view text)
{
    constexpr std::size_t start = std::string_view("pak_live_").size();
    if (text.size() != start + idLength + 1 + secretLength + checksumLength) return std::nullopt;
    const auto environment = parseEnum<KeyEnvironment>(text.substr(4, 4));
    if (!environment || !text.starts_with("pak_") || text[start - 1] != '_' || text[start + idLength] != '_') return std::nullopt;
    if (checksum(text.substr(0, text.size() - checksumLength)) != text.substr(text.size() - checksumLength)) return std::nullopt;
    KeyText key{*environment, std::string(text.substr(start, idLength)), std::string(text.substr(start + idLength + 1, secretLength))};
    const auto isDigit = [](char c) { return base62Digits.find(c) != std::string_view::npos; };
    if (!std::ranges::all_of(key.keyId, isDigit) || !std::ranges::all_of(key.secret, isDigit)) return std::nullopt;
    return key;
}

namespace api_keys
{

namespace
{
std::optional<ApiKey> select(Session& session, std::string_view condition, std::string_view argument)
{
    return session.one<ApiKey>("SELECT " + columns<ApiKey>() + " FROM api_keys WHERE " + std::string(condition), argument);
}
} // namespace

std::optional<ApiKey> find(Session& session, std::string_view id) { return select(session, "id = $1", id); }

std::optional<ApiKey> findByKeyId(Session& session, std::string_view keyId) { return select(session, "key_id = $1", keyId); }

std::vector<ApiKey> ofOwners(Session& session, const std::vector<Tenant>& owners)
{
    std::vector<ApiKey> keys;
    for (const auto& owner : owners)
        std::ranges::move(session.all<ApiKey>("SELECT " + columns<ApiKey>() + " FROM api_keys WHERE owner_id = $1", owner),
                          std::back_inserter(keys));
    return keys;
}

std::int64_t countLive(Session& session, Tenant owner, Instant now)
{
    return session
        .value<std::int64_t>("SELECT COUNT(*) FROM api_keys WHERE owner_id = $1 AND (expires_at IS NULL OR expires_at > $2) "
                             "AND (status IN ('active', 'disabled') OR (status = 'rotating' AND overlap_ends_at > $2))",
                             owner, now)
        .value_or(0);
}

void insert(Transaction& transaction, const ApiKey& key)
{
    organizations::requireOpenWorkspace(transaction, key.organizationId);
    transaction.insert("api_keys", key, {});
}

void update(Transaction& transaction, ApiKey& key, Instant now)
{
    organizations::requireOpenWorkspace(transaction, key.organizationId);
    narrow(transaction, key, now);
}

void narrow(Transaction& transaction, ApiKey& key, Instant now)
{
    const auto before = key.version++;
    key.updatedAt = now;
    if (transaction.update("api_keys", key, {}, {"id", "version"}, key.id, before) == 0) throw Problem::versionConflict(key.version);
}

void end(Transaction& transaction, const std::vector<ApiKey>& keys, std::string_view reason, Instant now)
{
    std::vector<const ApiKey*> over;
    for (const auto& key : keys)
        if (transaction.execute("UPDATE api_keys SET status = 'revoked', revoked_at = $2, revoke_reason = $3, version = version + 1, "
                                "updated_at = $2 WHERE id = $1 AND status <> 'revoked'",
                                key.id, now, reason) > 0)
            over.push_back(&key);
    for (const auto* key : over)
        AuditLog::ofOperator(now, key->organizationId).record(transaction, "api_key.revoked", key->id, {{"reason", reason}});
}

std::vector<User> whoAnswersFor(Session& session, const ApiKey& key)
{
    if (key.ownerType == KeyOwner::Organization) return memberships::owners(session, OrganizationId::parse(key.ownerId).value());
    auto user = users::find(session, key.ownerId);
    if (!user || user->status != UserStatus::Active) return {};
    return {*std::move(user)};
}

std::vector<ApiKey> ofOrganization(Session& session, const OrganizationId& organization)
{
    return session.all<ApiKey>("SELECT " + columns<ApiKey>() + " FROM api_keys WHERE organization_id = $1", organization);
}

void complete(Session& session, ApiKey& key, Instant now)
{
    key.prefix = keyPrefix(key.environment, key.keyId);
    key.status = key.statusAt(now);
    const bool works = key.status == KeyStatus::Active || key.status == KeyStatus::Rotating;
    const auto organization = works && key.organizationId ? organizations::find(session, *key.organizationId) : std::nullopt;
    if (organization && organization->status == OrganizationStatus::Suspended) key.status = KeyStatus::Blocked;
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
                                 key.id, now - std::chrono::hours(24))
            .value_or(0);
}

} // namespace api_keys

} // namespace portico::identity
