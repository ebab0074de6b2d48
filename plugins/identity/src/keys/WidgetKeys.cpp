#include "keys/WidgetKeys.h"

#include "keys/KeyActor.h"

#include "portico/Problem.h"

namespace portico::identity::widget_keys
{

std::optional<ApiKey> find(Session& session, const AccessClaims& claims, Instant now)
{
    auto key = api_keys::find(session, claims.keyId);
    if (!key || key->ownerId != claims.sub) return std::nullopt;
    try
    {
        key_rules::requireUsable(*key, now);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
    return key;
}

bool isLive(Session& session, const AccessClaims& claims, Instant now) { return find(session, claims, now).has_value(); }

} // namespace portico::identity::widget_keys
