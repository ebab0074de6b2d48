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

struct PreviousKey
{
    ApiKeyId id;
    Instant overlapEndsAt{};
};

struct RotatedKeyAnswer
{
    ApiKey apiKey;
    std::string key;
    PreviousKey previous;
};

struct RotateInput
{
    std::int64_t overlapSeconds = 86'400;
};

struct RevokeInput
{
    std::string reason;
};

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

template <>
struct portico::Schema<portico::identity::NewKeyAnswer>
{
    using T = portico::identity::NewKeyAnswer;
    static constexpr auto fields = describe(field("apiKey", &T::apiKey), field("key", &T::key));
};

template <>
struct portico::Schema<portico::identity::PreviousKey>
{
    using T = portico::identity::PreviousKey;
    static constexpr auto fields = describe(field("id", &T::id), field("overlapEndsAt", &T::overlapEndsAt));
};

template <>
struct portico::Schema<portico::identity::RotatedKeyAnswer>
{
    using T = portico::identity::RotatedKeyAnswer;
    static constexpr auto fields = describe(field("apiKey", &T::apiKey), field("key", &T::key), field("previous", &T::previous));
};

template <>
struct portico::Schema<portico::identity::RotateInput>
{
    using T = portico::identity::RotateInput;
    static constexpr auto fields = describe(field("overlapSeconds", &T::overlapSeconds).range(0, 604'800));
};

template <>
struct portico::Schema<portico::identity::RevokeInput>
{
    using T = portico::identity::RevokeInput;
    static constexpr auto fields = describe(field("reason", &T::reason).maxLength(500));
};
