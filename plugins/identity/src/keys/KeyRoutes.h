#pragma once

#include "keys/KeyService.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct NewKeyAnswer
{
    ApiKey apiKey;
    std::string key;
};

constexpr auto schemaOf(const NewKeyAnswer*) { return describe(field("apiKey", &NewKeyAnswer::apiKey), field("key", &NewKeyAnswer::key)); }

struct PreviousKey
{
    ApiKeyId id;
    Instant overlapEndsAt{};
};

constexpr auto schemaOf(const PreviousKey*)
{
    return describe(field("id", &PreviousKey::id), field("overlapEndsAt", &PreviousKey::overlapEndsAt));
}

struct RotatedKeyAnswer
{
    ApiKey apiKey;
    std::string key;
    PreviousKey previous;
};

constexpr auto schemaOf(const RotatedKeyAnswer*)
{
    return describe(field("apiKey", &RotatedKeyAnswer::apiKey), field("key", &RotatedKeyAnswer::key),
                    field("previous", &RotatedKeyAnswer::previous));
}

struct RotateInput
{
    std::int64_t overlapSeconds = 86'400;
};

constexpr auto schemaOf(const RotateInput*) { return describe(field("overlapSeconds", &RotateInput::overlapSeconds).range(0, 604'800)); }

struct RevokeInput
{
    std::string reason;
};

constexpr auto schemaOf(const RevokeInput*) { return describe(field("reason", &RevokeInput::reason).maxLength(500)); }

/// API keys over HTTP.
class KeyRoutes
{
public:
    explicit KeyRoutes(KeyService& keys) : _keys(keys) {}
    void declare(Routes& routes);

    Page<ApiKey> list(const Caller& caller, const Query<KeyFilterQuery>& filter, const Paging& paging) const;
    Created<NewKeyAnswer> create(const Caller& caller, const Request& request, const Body<Patch<KeyInput>>& input);
    ApiKey show(const Caller& caller, const Path<ApiKeyId>& id) const;
    ApiKey update(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<Patch<ApiKey>>& patch,
                  const IfMatch& match);
    Created<RotatedKeyAnswer> rotate(const Caller& caller, const Request& request, const Path<ApiKeyId>& id,
                                     const Body<RotateInput>& input);
    NoContent revoke(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<RevokeInput>& input);

private:
    KeyService& _keys;
};

} // namespace portico::identity
