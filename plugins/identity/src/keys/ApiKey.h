#pragma once

#include "common/Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class KeyEnvironment : std::uint8_t
{
    Live,
    Test
};

constexpr auto schemaOf(const KeyEnvironment*)
{
    using enum KeyEnvironment;
    return portico::choices<KeyEnvironment>({{"live", Live}, {"test", Test}});
}

enum class KeyOwner : std::uint8_t
{
    User,
    Organization
};

constexpr auto schemaOf(const KeyOwner*)
{
    using enum KeyOwner;
    return portico::choices<KeyOwner>({{"user", User}, {"organization", Organization}});
}

enum class KeyStatus : std::uint8_t
{
    Active,
    Disabled,
    Rotating,
    Revoked,
    Expired,
    Blocked ///< computed: the owner's workspace is suspended
};

constexpr auto schemaOf(const KeyStatus*)
{
    using enum KeyStatus;
    return portico::choices<KeyStatus>({{"active", Active},
                                        {"disabled", Disabled},
                                        {"rotating", Rotating},
                                        {"revoked", Revoked},
                                        {"expired", Expired},
                                        {"blocked", Blocked}});
}

struct BoundResource
{
    std::string type;
    std::string id;
    auto operator<=>(const BoundResource&) const = default;
};

constexpr auto schemaOf(const BoundResource*)
{
    return describe(field("type", &BoundResource::type).required().maxLength(40), field("id", &BoundResource::id).required().maxLength(80));
}

/// What a key may do in one service; without resources it reaches all that its owner reaches.
struct Grant
{
    std::string serviceId;
    std::vector<std::string> scopes;
    std::vector<BoundResource> resources;
};

constexpr auto schemaOf(const Grant*)
{
    return describe(field("service_id", &Grant::serviceId).required().maxLength(40),
                    field("scopes", &Grant::scopes).required().minItems(1).maxItems(100),
                    field("resources", &Grant::resources).maxItems(100));
}

struct KeyRateLimit
{
    std::int64_t limit = 600;
    std::int64_t windowSeconds = 60;
    bool operator==(const KeyRateLimit&) const = default;
};

constexpr auto schemaOf(const KeyRateLimit*)
{
    return describe(field("limit", &KeyRateLimit::limit).required().range(1, 1'000'000),
                    field("windowSeconds", &KeyRateLimit::windowSeconds).required().range(1, 86'400));
}

/// A key of a program. The secret itself is shown once and never stored.
struct ApiKey
{
    ApiKeyId id;
    /// Public part.
    std::string keyId;
    std::string name;
    KeyEnvironment environment = KeyEnvironment::Live;
    std::string prefix;
    std::string last4;
    KeyOwner ownerType = KeyOwner::User;
    std::string ownerId;
    std::string createdBy;
    KeyStatus status = KeyStatus::Active;
    /// The context that the key acts in; empty: personal.
    std::optional<OrganizationId> organizationId;
    std::vector<Grant> grants;
    std::vector<std::string> ipAllowList;
    std::optional<KeyRateLimit> rateLimit;
    std::optional<Instant> expiresAt;
    std::optional<Instant> lastUsedAt;
    std::optional<std::string> lastUsedIpPrefix;
    std::optional<std::string> lastUsedService;
    std::int64_t useCount24h = 0;
    std::optional<ApiKeyId> rotatedFromId;
    std::optional<Instant> overlapEndsAt;
    Instant createdAt{};
    Instant updatedAt{};
    std::optional<Instant> revokedAt;
    std::optional<std::string> revokeReason;
    Json metadata{"{}"};
    std::int64_t version = 1;

    std::string secretHash;

    const Grant* grantFor(std::string_view serviceId) const;
    /// The status that counts at this moment: rows do not change when time passes.
    KeyStatus statusAt(Instant now) const;
    /// When time alone ends it; empty: never.
    std::optional<Instant> endsAt() const;
};

constexpr auto schemaOf(const ApiKey*)
{
    return describe(
        field("id", &ApiKey::id).readOnly(), field("keyId", &ApiKey::keyId).readOnly(),
        field("name", &ApiKey::name).required().maxLength(120), field("environment", &ApiKey::environment).readOnly(),
        field("prefix", &ApiKey::prefix).readOnly().transient(), field("last4", &ApiKey::last4).readOnly(),
        field("owner_type", &ApiKey::ownerType).readOnly(), field("owner_id", &ApiKey::ownerId).readOnly(),
        field("createdBy", &ApiKey::createdBy).readOnly(), field("status", &ApiKey::status),
        field("organizationId", &ApiKey::organizationId).readOnly(), field("grants", &ApiKey::grants).required().minItems(1).maxItems(20),
        field("ipAllowList", &ApiKey::ipAllowList).maxItems(50), field("rateLimit", &ApiKey::rateLimit),
        field("expiresAt", &ApiKey::expiresAt).readOnly(), field("lastUsedAt", &ApiKey::lastUsedAt).readOnly().transient(),
        field("lastUsedIpPrefix", &ApiKey::lastUsedIpPrefix).readOnly().transient(),
        field("lastUsedService", &ApiKey::lastUsedService).readOnly().transient(),
        field("useCount24h", &ApiKey::useCount24h).readOnly().transient(), field("rotatedFromId", &ApiKey::rotatedFromId).readOnly(),
        field("overlapEndsAt", &ApiKey::overlapEndsAt).readOnly(), field("createdAt", &ApiKey::createdAt).readOnly(),
        field("updatedAt", &ApiKey::updatedAt).readOnly(), field("revokedAt", &ApiKey::revokedAt).readOnly(),
        field("revokeReason", &ApiKey::revokeReason).readOnly(), field("metadata", &ApiKey::metadata),
        field("version", &ApiKey::version).readOnly(), field("secretHash", &ApiKey::secretHash).columnOnly());
}

} // namespace portico::identity
