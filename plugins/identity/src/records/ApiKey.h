#pragma once

#include "common/Ids.h"
#include "common/Names.h"
#include "users/User.h"

#include "portico/Database.h"
#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
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
    return describe(field<&BoundResource::type>().required().maxLength(40), field<&BoundResource::id>().required().maxLength(80));
}

/// Rights of a key in one service. Without resources it can access all resources of its owner.
struct Grant
{
    std::string serviceId;
    std::vector<std::string> scopes;
    std::vector<BoundResource> resources;
};

constexpr auto schemaOf(const Grant*)
{
    return describe(field<&Grant::serviceId>("service_id").required().maxLength(40),
                    field<&Grant::scopes>().required().minItems(1).maxItems(100), field<&Grant::resources>().maxItems(100));
}

struct KeyRateLimit
{
    std::int64_t limit = 600;
    std::int64_t windowSeconds = 60;
    bool operator==(const KeyRateLimit&) const = default;
};

constexpr auto schemaOf(const KeyRateLimit*)
{
    return describe(field<&KeyRateLimit::limit>().required().range(1, 1'000'000),
                    field<&KeyRateLimit::windowSeconds>().required().range(1, 86'400));
}

/// A key of a program. The secret itself is shown once and never stored.
struct ApiKey : Versioned
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
    std::optional<Instant> revokedAt;
    std::optional<std::string> revokeReason;
    Json metadata{"{}"};
    std::string secretHash;

    const Grant* grantFor(std::string_view serviceId) const;
    /// The status that counts at this moment: rows do not change when time passes.
    KeyStatus statusAt(Instant now) const;
    /// When time alone ends it; empty: never.
    std::optional<Instant> endsAt() const;
};

constexpr auto schemaOf(const ApiKey*)
{
    return describe(field<&ApiKey::id>().readOnly(), field<&ApiKey::keyId>().readOnly(),
                    named(field<&ApiKey::name>().required().trimmed().maxLength(120)), field<&ApiKey::environment>().readOnly(),
                    field<&ApiKey::prefix>().readOnly().transient(), field<&ApiKey::last4>().readOnly(),
                    field<&ApiKey::ownerType>("owner_type").readOnly(), field<&ApiKey::ownerId>("owner_id").readOnly(),
                    field<&ApiKey::createdBy>().readOnly(), field<&ApiKey::status>(), field<&ApiKey::organizationId>().readOnly(),
                    field<&ApiKey::grants>().required().minItems(1).maxItems(20), field<&ApiKey::ipAllowList>().maxItems(50),
                    field<&ApiKey::rateLimit>(), field<&ApiKey::expiresAt>().readOnly(),
                    field<&ApiKey::lastUsedAt>().readOnly().transient(), field<&ApiKey::lastUsedIpPrefix>().readOnly().transient(),
                    field<&ApiKey::lastUsedService>().readOnly().transient(), field<&ApiKey::useCount24h>().readOnly().transient(),
                    field<&ApiKey::rotatedFromId>().readOnly(), field<&ApiKey::overlapEndsAt>().readOnly(), versioned<ApiKey>(),
                    field<&ApiKey::revokedAt>().readOnly(), field<&ApiKey::revokeReason>().readOnly(), field<&ApiKey::metadata>(),
                    field<&ApiKey::secretHash>().columnOnly());
}

/// Input for a new key.
struct KeyInput
{
    std::string name;
    KeyEnvironment environment = KeyEnvironment::Live;
    KeyOwner ownerType = KeyOwner::User;
    std::string ownerId;
    std::vector<Grant> grants;
    /// Empty: all addresses; absent: those of the creating key, if any.
    std::optional<std::vector<std::string>> ipAllowList;
    std::optional<KeyRateLimit> rateLimit;
    /// Absent: the default; null: never.
    std::optional<Instant> expiresAt;
    Json metadata{"{}"};
};

constexpr auto schemaOf(const KeyInput*)
{
    return describe(named(field<&KeyInput::name>().required().trimmed().maxLength(120)), field<&KeyInput::environment>(),
                    field<&KeyInput::ownerType>("owner_type").required(), field<&KeyInput::ownerId>("owner_id").required().maxLength(40),
                    field<&KeyInput::grants>().required().minItems(1).maxItems(20), field<&KeyInput::ipAllowList>().maxItems(50),
                    members<&KeyInput::rateLimit, &KeyInput::expiresAt, &KeyInput::metadata>())
        .named("ApiKeyInput");
}

/// The parts of a key's text `pak_live_<12 base62 id><"_"><43 base62 secret><6 base62 CRC-32>`.
struct KeyText
{
    KeyEnvironment environment = KeyEnvironment::Live;
    std::string keyId;
    std::string secret;

    /// With new random parts: 71 bits that name the key, 256 that open it.
    static KeyText make(KeyEnvironment environment);
    /// Empty for text of another form or with a wrong checksum, so that typing errors and random probes cost no database read.
    static std::optional<KeyText> parse(std::string_view text);
    std::string text() const;
    /// Returns the displayable part: `pak_live_8fK2…`.
    std::string prefix() const;
};

/// The start of a key's text without its secret.
std::string keyPrefix(KeyEnvironment environment, std::string_view keyId);

/// Rows of API keys.
namespace api_keys
{
std::optional<ApiKey> find(Session& session, std::string_view id);
std::optional<ApiKey> findByKeyId(Session& session, std::string_view keyId);
std::vector<ApiKey> ofOwners(Session& session, const std::vector<Tenant>& owners);
/// Keys of an owner that can still be used.
std::int64_t countLive(Session& session, Tenant owner, Instant now);
/// @throws Problem as `organizations::requireOpenWorkspace`
void insert(Transaction& transaction, const ApiKey& key);
/// Writes a key that was changed, as its next version. @throws Problem 412 when the row is no longer at the one before, 403 as `insert`
void update(Transaction& transaction, ApiKey& key, Instant now);
/// Does the same for restrictions by the platform, regardless of the workspace's status.
void narrow(Transaction& transaction, ApiKey& key, Instant now);
/// Ends active keys, and records each.
void end(Transaction& transaction, const std::vector<ApiKey>& keys, std::string_view reason, Instant now);
/// Returns the users to notify about a key: its owner, or the owners of the organization. Active accounts only.
std::vector<User> whoAnswersFor(Session& session, const ApiKey& key);
/// Returns all keys of an organization, including those of its members.
std::vector<ApiKey> ofOrganization(Session& session, const OrganizationId& organization);
/// Fills computed members: the prefix, uses, and the current status.
void complete(Session& session, ApiKey& key, Instant now);
} // namespace api_keys

} // namespace portico::identity
