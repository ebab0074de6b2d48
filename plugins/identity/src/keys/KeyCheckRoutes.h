#pragma once

#include "common/Core.h"
#include "keys/ApiKey.h"
#include "keys/KeyUsage.h"

#include "portico/Routes.h"
#include "portico/interfaces/Credentials.h"

#include <map>

namespace portico::identity
{

/// What a backend asks about a key that it was sent.
struct KeyQuestion
{
    std::string key;
    std::string serviceId;
    std::vector<std::string> scopes;
    std::vector<std::string> permissions;
    std::optional<BoundResource> resource;
    std::string ip;
    std::int64_t cost = 1;
};

constexpr auto schemaOf(const KeyQuestion*)
{
    return describe(field("key", &KeyQuestion::key).required().maxLength(200),
                    field("service_id", &KeyQuestion::serviceId).required().maxLength(40),
                    field("scopes", &KeyQuestion::scopes).maxItems(50), field("permissions", &KeyQuestion::permissions).maxItems(50),
                    field("resource", &KeyQuestion::resource), field("ip", &KeyQuestion::ip).maxLength(64),
                    field("cost", &KeyQuestion::cost).range(0, 1000));
}

struct CheckedKey
{
    std::string id;
    std::string keyId;
    std::string name;
};

constexpr auto schemaOf(const CheckedKey*)
{
    return describe(field("id", &CheckedKey::id), field("keyId", &CheckedKey::keyId), field("name", &CheckedKey::name));
}

struct KeyBudget
{
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    Instant resetAt{};
};

constexpr auto schemaOf(const KeyBudget*)
{
    return describe(field("limit", &KeyBudget::limit), field("remaining", &KeyBudget::remaining), field("resetAt", &KeyBudget::resetAt));
}

/// Of a key that is not valid only `valid` and `code`.
struct KeyVerdict
{
    bool valid = false;
    std::string code;
    std::optional<CheckedKey> apiKey = {};
    std::optional<KeyOwner> ownerType = {};
    std::optional<std::string> ownerId = {};
    std::optional<std::vector<std::string>> scopes = {};
    std::optional<std::vector<std::string>> effectivePermissions = {};
    /// Empty: not narrowed.
    std::optional<std::map<std::string, std::vector<std::string>>> boundResources = {};
    std::optional<KeyBudget> rateLimit = {};
};

constexpr auto schemaOf(const KeyVerdict*)
{
    return describe(
        field("valid", &KeyVerdict::valid), field("code", &KeyVerdict::code), field("apiKey", &KeyVerdict::apiKey).omitEmpty(),
        field("owner_type", &KeyVerdict::ownerType).omitEmpty(), field("owner_id", &KeyVerdict::ownerId).omitEmpty(),
        field("scopes", &KeyVerdict::scopes).omitEmpty(), field("effectivePermissions", &KeyVerdict::effectivePermissions).omitEmpty(),
        field("boundResources", &KeyVerdict::boundResources).omitEmpty(), field("rateLimit", &KeyVerdict::rateLimit).omitEmpty());
}

/// Validation of keys for backends that run elsewhere. Thread-safe.
class KeyCheckRoutes
{
public:
    KeyCheckRoutes(Core& core, interfaces::Credentials& credentials, KeyUsage& usage)
        : _core(core), _credentials(credentials), _usage(usage)
    {
    }
    void declare(Routes& routes);
    KeyVerdict validate(const Caller& caller, const Body<KeyQuestion>& question) const;

private:
    KeyVerdict judge(const KeyQuestion& question) const;
    Core& _core;
    interfaces::Credentials& _credentials;
    KeyUsage& _usage;
};

} // namespace portico::identity
