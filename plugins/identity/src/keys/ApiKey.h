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

enum class KeyOwner : std::uint8_t
{
    User,
    Organization
};

enum class KeyStatus : std::uint8_t
{
    Active,
    Disabled,
    Rotating,
    Revoked,
    Expired,
    Blocked ///< computed: the owner's workspace is suspended
};

struct BoundResource
{
    std::string type;
    std::string id;
    auto operator<=>(const BoundResource&) const = default;
};

/// What a key may do in one service; without resources it reaches all that its owner reaches.
struct Grant
{
    std::string serviceId;
    std::vector<std::string> scopes;
    std::vector<BoundResource> resources;
};

struct KeyRateLimit
{
    std::int64_t limit = 600;
    std::int64_t windowSeconds = 60;
    bool operator==(const KeyRateLimit&) const = default;
};

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

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::KeyEnvironment>
{
    using E = portico::identity::KeyEnvironment;
    static constexpr auto choices = portico::choices<E>({{"live", E::Live}, {"test", E::Test}});
};

template <>
struct portico::Schema<portico::identity::KeyOwner>
{
    using E = portico::identity::KeyOwner;
    static constexpr auto choices = portico::choices<E>({{"user", E::User}, {"organization", E::Organization}});
};

template <>
struct portico::Schema<portico::identity::KeyStatus>
{
    using E = portico::identity::KeyStatus;
    static constexpr auto choices = portico::choices<E>({{"active", E::Active},
                                                         {"disabled", E::Disabled},
                                                         {"rotating", E::Rotating},
                                                         {"revoked", E::Revoked},
                                                         {"expired", E::Expired},
                                                         {"blocked", E::Blocked}});
};

template <>
struct portico::Schema<portico::identity::BoundResource>
{
    using T = portico::identity::BoundResource;
    static constexpr auto fields = describe(field("type", &T::type).required().maxLength(40), field("id", &T::id).required().maxLength(80));
};

template <>
struct portico::Schema<portico::identity::Grant>
{
    using T = portico::identity::Grant;
    static constexpr auto fields =
        describe(field("service_id", &T::serviceId).required().maxLength(40),
                 field("scopes", &T::scopes).required().minItems(1).maxItems(100), field("resources", &T::resources).maxItems(100));
};

template <>
struct portico::Schema<portico::identity::KeyRateLimit>
{
    using T = portico::identity::KeyRateLimit;
    static constexpr auto fields = describe(field("limit", &T::limit).required().range(1, 1'000'000),
                                            field("windowSeconds", &T::windowSeconds).required().range(1, 86'400));
};

template <>
struct portico::Schema<portico::identity::ApiKey>
{
    using T = portico::identity::ApiKey;
    static constexpr auto fields = describe(
        field("id", &T::id).readOnly(), field("keyId", &T::keyId).readOnly(), field("name", &T::name).required().maxLength(120),
        field("environment", &T::environment).readOnly(), field("prefix", &T::prefix).readOnly().unstored(),
        field("last4", &T::last4).readOnly(), field("owner_type", &T::ownerType).readOnly(), field("owner_id", &T::ownerId).readOnly(),
        field("createdBy", &T::createdBy).readOnly(), field("status", &T::status), field("organizationId", &T::organizationId).readOnly(),
        field("grants", &T::grants).required().minItems(1).maxItems(20), field("ipAllowList", &T::ipAllowList).maxItems(50),
        field("rateLimit", &T::rateLimit), field("expiresAt", &T::expiresAt).readOnly(),
        field("lastUsedAt", &T::lastUsedAt).readOnly().unstored(), field("lastUsedIpPrefix", &T::lastUsedIpPrefix).readOnly().unstored(),
        field("lastUsedService", &T::lastUsedService).readOnly().unstored(), field("useCount24h", &T::useCount24h).readOnly().unstored(),
        field("rotatedFromId", &T::rotatedFromId).readOnly(), field("overlapEndsAt", &T::overlapEndsAt).readOnly(),
        field("createdAt", &T::createdAt).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
        field("revokedAt", &T::revokedAt).readOnly(), field("revokeReason", &T::revokeReason).readOnly(), field("metadata", &T::metadata),
        field("version", &T::version).readOnly(), field("secretHash", &T::secretHash).hidden());
};
