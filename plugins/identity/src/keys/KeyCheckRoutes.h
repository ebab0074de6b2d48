#pragma once

#include "common/Core.h"
#include "keys/KeyUsage.h"
#include "records/ApiKey.h"

#include "portico/Routes.h"
#include "portico/system/Credentials.h"

#include <map>

namespace portico::identity
{

/// Question of a backend about a received key.
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
    return describe(field<&KeyQuestion::key>().required().maxLength(200),
                    field<&KeyQuestion::serviceId>("service_id").required().maxLength(40), field<&KeyQuestion::scopes>().maxItems(50),
                    field<&KeyQuestion::permissions>().maxItems(50), field<&KeyQuestion::resource>(),
                    field<&KeyQuestion::ip>().maxLength(64), field<&KeyQuestion::cost>().range(0, 1000));
}

struct CheckedKey
{
    std::string id;
    std::string keyId;
    std::string name;
};

constexpr auto schemaOf(const CheckedKey*) { return describe(members<&CheckedKey::id, &CheckedKey::keyId, &CheckedKey::name>()); }

struct KeyBudget
{
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    Instant resetAt{};
};

constexpr auto schemaOf(const KeyBudget*) { return describe(members<&KeyBudget::limit, &KeyBudget::remaining, &KeyBudget::resetAt>()); }

/// For an invalid key only `valid` and `code` are set.
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
    return describe(members<&KeyVerdict::valid, &KeyVerdict::code>(), field<&KeyVerdict::apiKey>().omitEmpty(),
                    field<&KeyVerdict::ownerType>("owner_type").omitEmpty(), field<&KeyVerdict::ownerId>("owner_id").omitEmpty(),
                    field<&KeyVerdict::scopes>().omitEmpty(), field<&KeyVerdict::effectivePermissions>().omitEmpty(),
                    field<&KeyVerdict::boundResources>().omitEmpty(), field<&KeyVerdict::rateLimit>().omitEmpty());
}

/// Validates keys for external backends. Thread-safe.
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
