#pragma once

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "common/Settings.h"
#include "keys/ApiKey.h"
#include "keys/KeyActor.h"
#include "keys/KeyFormat.h"

#include "portico/Arguments.h"
#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <functional>

namespace portico::identity
{

/// A key as it is asked for.
struct KeyInput
{
    std::string name;
    KeyEnvironment environment = KeyEnvironment::Live;
    KeyOwner ownerType = KeyOwner::User;
    std::string ownerId;
    std::vector<Grant> grants;
    /// Empty: from everywhere; absent: as the maker, where that is a key.
    std::optional<std::vector<std::string>> ipAllowList;
    std::optional<KeyRateLimit> rateLimit;
    /// Absent: the default; null: never.
    std::optional<Instant> expiresAt;
    Json metadata{"{}"};
};

constexpr auto schemaOf(const KeyInput*)
{
    return describe(field("name", &KeyInput::name).required().maxLength(120), field("environment", &KeyInput::environment),
                    field("owner_type", &KeyInput::ownerType).required(), field("owner_id", &KeyInput::ownerId).required().maxLength(40),
                    field("grants", &KeyInput::grants).required().minItems(1).maxItems(20),
                    field("ipAllowList", &KeyInput::ipAllowList).maxItems(50), field("rateLimit", &KeyInput::rateLimit),
                    field("expiresAt", &KeyInput::expiresAt), field("metadata", &KeyInput::metadata))
        .named("ApiKeyInput");
}

/// A key that was made: the only time that its secret is seen.
struct NewKey
{
    ApiKey key;
    std::string text;
};

struct KeyFilterQuery
{
    std::optional<KeyOwner> ownerType;
    std::optional<std::string> ownerId;
    std::optional<std::string> serviceId;
    std::vector<KeyStatus> status;
};

constexpr auto schemaOf(const KeyFilterQuery*)
{
    return describe(field("owner_type", &KeyFilterQuery::ownerType), field("owner_id", &KeyFilterQuery::ownerId),
                    field("service_id", &KeyFilterQuery::serviceId), field("status", &KeyFilterQuery::status));
}

/// Makes, changes and ends keys, under the rules of who may and what may be. Thread-safe.
class KeyService
{
public:
    struct Parts
    {
        Database& database;
        Changes& changes;
        CatalogStore& catalog;
        StateStore& state;
        const Audit& audit;
        const Settings& settings;
        const Clock& clock;
    };
    explicit KeyService(const Parts& parts) : _parts(parts) {}

    /// All that the caller may see and the filter names, the newest first.
    std::vector<ApiKey> list(const Caller& caller, const KeyFilterQuery& filter);
    ApiKey show(const Caller& caller, const ApiKeyId& id);
    /// @param neverExpires the input said so with null.
    NewKey create(const Caller& caller, const KeyInput& input, bool neverExpires, const Client& client);
    ApiKey update(const Caller& caller, const ApiKeyId& id, const Patch<ApiKey>& patch, const IfMatch& match, const Client& client);
    /// The new key; `previous` is left as the old one, which works on for `overlap`.
    NewKey rotate(const Caller& caller, const ApiKeyId& id, std::chrono::seconds overlap, const Client& client, ApiKey& previous);
    void revoke(const Caller& caller, const ApiKeyId& id, std::string_view reason, const Client& client);

private:
    /// Runs a change on a key that the caller may change.
    void change(const Caller& caller, const ApiKeyId& id, const std::function<void(Transaction&, const KeyActor&, ApiKey&)>& work);
    void countNewKey(std::string_view ownerId);
    KeyActor actorOf(Session& session, const Catalog& catalog, const Caller& caller) const
    {
        return {session, catalog, _parts.settings, caller, _parts.clock.now()};
    }
    std::optional<Instant> expiry(Session& session, const Caller& caller, const KeyActor& actor, const KeyInput& input,
                                  bool neverExpires) const;
    NewKey store(Transaction& transaction, ApiKey key);
    void audit(Transaction& transaction, std::string_view type, const Caller& caller, const ApiKey& key, const Client& client) const;

    Parts _parts;
    Sha256 _sha256;
};

} // namespace portico::identity
