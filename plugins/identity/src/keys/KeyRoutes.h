#pragma once

#include "audit/EventName.h"
#include "common/Core.h"
#include "keys/BindableRoutes.h"
#include "keys/KeyActor.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

/// A key that was made: the only time that its secret is seen.
struct NewKeyAnswer
{
    ApiKey apiKey;
    std::string key;
};

constexpr auto schemaOf(const NewKeyAnswer*) { return describe(members<&NewKeyAnswer::apiKey, &NewKeyAnswer::key>()); }

struct PreviousKey
{
    ApiKeyId id;
    Instant overlapEndsAt{};
};

constexpr auto schemaOf(const PreviousKey*) { return describe(members<&PreviousKey::id, &PreviousKey::overlapEndsAt>()); }

struct RotatedKeyAnswer : NewKeyAnswer
{
    PreviousKey previous;
};

constexpr auto schemaOf(const RotatedKeyAnswer*)
{
    return describe(field("apiKey", static_cast<ApiKey RotatedKeyAnswer::*>(&RotatedKeyAnswer::apiKey)),
                    field("key", static_cast<std::string RotatedKeyAnswer::*>(&RotatedKeyAnswer::key)),
                    field<&RotatedKeyAnswer::previous>());
}

struct RotateInput
{
    std::optional<std::int64_t> overlapSeconds;
};

constexpr auto schemaOf(const RotateInput*) { return describe(field<&RotateInput::overlapSeconds>().range(0, 604'800)); }

struct RevokeInput
{
    std::string reason;
};

constexpr auto schemaOf(const RevokeInput*) { return describe(field<&RevokeInput::reason>().maxLength(500)); }

struct KeyFilterQuery
{
    std::optional<KeyOwner> ownerType;
    std::optional<std::string> ownerId;
    std::optional<std::string> serviceId;
    /// Replaced by any of the filters above.
    std::optional<std::string> forService;
    std::vector<KeyStatus> status;
};

constexpr auto schemaOf(const KeyFilterQuery*)
{
    return describe(field<&KeyFilterQuery::ownerType>("owner_type"), field<&KeyFilterQuery::ownerId>("owner_id"),
                    field<&KeyFilterQuery::serviceId>("service_id"),
                    field<&KeyFilterQuery::forService>("for_service")
                        .description("Keys of the active context and keys with a grant in this service. Ignored with `owner_type`, "
                                     "`owner_id` or `service_id`"),
                    field<&KeyFilterQuery::status>());
}

/// Creates, changes and ends keys. `KeyActor` has the rules of actors, `key_rules` those of keys. Thread-safe.
class KeyRoutes
{
public:
    explicit KeyRoutes(Core& core)
        : _core(core),
          _bindable(core),
          _newKeys(core.state, core.clock, {.use = "new-keys", .limit = core.settings.newKeysPerHour, .window = std::chrono::hours(1)})
    {
    }
    void declare(Routes& routes);

    /// Lists the visible keys that match the filter, newest first.
    Page<ApiKey> list(const Caller& caller, const Query<KeyFilterQuery>& filter, const Paging& paging) const;
    Created<NewKeyAnswer> create(const Caller& caller, const Request& request, const Body<KeyInput>& input);
    ApiKey show(const Caller& caller, const Path<ApiKeyId>& id) const;
    ApiKey update(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<Patch<ApiKey>>& patch,
                  const IfMatch& match);
    Created<RotatedKeyAnswer> rotate(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<RotateInput>& input,
                                     const IfMatch& match);
    NoContent revoke(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<RevokeInput>& input,
                     const IfMatch& match);

private:
    /// Runs a change of a key that the caller may change. `work` returns whether it has changed anything. @return the key after the change
    ApiKey change(const Caller& caller, const Request& request, const ApiKeyId& id, const IfMatch& match, EventName event,
                  const std::function<bool(Transaction&, const KeyActor&, ApiKey&)>& work);
    KeyActor actorOf(Session& session, const Catalog& catalog, const Caller& caller) const
    {
        return {session, catalog, _core.settings, caller, _core.clock.now()};
    }
    std::optional<Instant> expiry(Session& session, const Caller& caller, const KeyActor& actor, const Body<KeyInput>& input) const;
    NewKeyAnswer store(Transaction& transaction, ApiKey key);

    Core& _core;
    BindableRoutes _bindable;
    RateLimit _newKeys;
};

} // namespace portico::identity
