#include "keys/KeyRoutes.h"

#include "common/Client.h"
#include "common/Requests.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// One's own keys, or with a permission of identity those of the organization: the handler decides, because the origin may be another's.
Access keyAccess() { return {.bearer = true, .apiKey = true, .scope = "api_keys.write"}; }

RouteOptions row(std::string_view summary, std::vector<std::string_view> problems = {})
{
    return {.summary = summary, .gateway = true, .problems = std::move(problems)};
}

} // namespace

void KeyRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> refusals = {"403 scope_exceeds_own_rights", "403 developer_workspace_suspended",
                                                    "403 developer_workspace_revoked"};
    auto rotation = refusals;
    rotation.emplace_back("400 unknown_scope");
    auto creation = refusals;
    creation.insert(creation.end(), {"400 unknown_scope", "400 unknown_resource_type", "400 resource_not_found",
                                     "400 expiry_exceeds_policy", "409 key_limit_reached"});
    routes.get("/api/api-keys", keyAccess(), &KeyRoutes::list, this, row("Keys that one may see"))
        .post("/api/api-keys", keyAccess(), &KeyRoutes::create, this, row("Make a key; its secret is shown this once", creation))
        .get("/api/api-keys/{id}", keyAccess(), &KeyRoutes::show, this, row("One key"))
        .patch("/api/api-keys/{id}", keyAccess(), &KeyRoutes::update, this, row("Rename, narrow or disable a key", refusals))
        .post("/api/api-keys/{id}/rotate", keyAccess(), &KeyRoutes::rotate, this,
              row("Replace a key; the old one works on for a while", rotation))
        .del("/api/api-keys/{id}", keyAccess(), &KeyRoutes::revoke, this, row("End a key at once", refusals));
}

Page<ApiKey> KeyRoutes::list(const Caller& caller, const Query<KeyFilterQuery>& filter, const Paging& paging) const
{
    auto keys = _keys.list(caller, *filter);
    Page<ApiKey> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(keys.size());
    // Newest first: the next page begins below the last id of this one.
    if (!paging.cursor.empty()) std::erase_if(keys, [&](const ApiKey& key) { return key.id.text() >= paging.cursor; });
    const auto limit = static_cast<std::size_t>(paging.limit);
    if (keys.size() > limit)
    {
        keys.resize(limit);
        page.nextCursor = keys.back().id.text();
    }
    page.items = std::move(keys);
    return page;
}

Created<NewKeyAnswer> KeyRoutes::create(const Caller& caller, const Request& request, const Body<Patch<KeyInput>>& input)
{
    // As a merge body, because `expiresAt` tells absent (the default) from null (never).
    KeyInput wish;
    input->applyTo(wish);
    const bool neverExpires = input->has("expiresAt") && !wish.expiresAt;
    auto made = _keys.create(caller, wish, neverExpires, Client::of(request));
    auto location = "/api/api-keys/" + made.key.id.text();
    return {{std::move(made.key), std::move(made.text)}, std::move(location)};
}

ApiKey KeyRoutes::show(const Caller& caller, const Path<ApiKeyId>& id) const { return _keys.show(caller, *id); }

ApiKey KeyRoutes::update(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<Patch<ApiKey>>& patch,
                         const IfMatch& match)
{
    return _keys.update(caller, *id, *patch, match, Client::of(request));
}

Created<RotatedKeyAnswer> KeyRoutes::rotate(const Caller& caller, const Request& request, const Path<ApiKeyId>& id,
                                            const Body<RotateInput>& input)
{
    ApiKey previous;
    auto made = _keys.rotate(caller, *id, std::chrono::seconds(input->overlapSeconds), Client::of(request), previous);
    auto location = "/api/api-keys/" + made.key.id.text();
    return {{std::move(made.key), std::move(made.text), {previous.id, *previous.overlapEndsAt}}, std::move(location)};
}

NoContent KeyRoutes::revoke(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<RevokeInput>& input)
{
    _keys.revoke(caller, *id, input->reason, Client::of(request));
    return {};
}

} // namespace portico::identity
