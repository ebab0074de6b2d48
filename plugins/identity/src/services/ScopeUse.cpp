#include "services/ScopeUse.h"

#include <algorithm>

namespace portico::identity::scope_use
{

namespace
{

bool isLive(const ApiKey& key, Instant now)
{
    const auto status = key.statusAt(now);
    return status == KeyStatus::Active || status == KeyStatus::Disabled || status == KeyStatus::Rotating;
}

bool grants(const ApiKey& key, const std::string& serviceId, const std::string& scope)
{
    const auto* grant = key.grantFor(serviceId);
    return grant && std::ranges::find(grant->scopes, scope) != grant->scopes.end();
}

} // namespace

std::vector<ApiKey> keysWith(Session& session, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now)
{
    if (scopes.empty()) return {};
    auto keys = session.all<ApiKey>("SELECT " + columns<ApiKey>() +
                                        " FROM api_keys WHERE status IN ('active', 'disabled', 'rotating') "
                                        "AND grants LIKE $1",
                                    "%\"service_id\":\"" + serviceId + "\"%");
    std::erase_if(keys,
                  [&](const ApiKey& key)
                  {
                      const auto held = [&](const std::string& scope) { return grants(key, serviceId, scope); };
                      return !isLive(key, now) || std::ranges::none_of(scopes, held);
                  });
    return keys;
}

ScopesInUse count(const std::vector<ApiKey>& keys, const std::string& serviceId, const std::vector<std::string>& scopes)
{
    ScopesInUse use;
    for (const auto& scope : scopes)
    {
        const auto holders = std::ranges::count_if(keys, [&](const ApiKey& key) { return grants(key, serviceId, scope); });
        if (holders > 0) use.scopes.push_back({scope, holders});
    }
    return use;
}

void take(Transaction& transaction, ApiKey& key, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now)
{
    for (auto& grant : key.grants)
        if (grant.serviceId == serviceId)
            std::erase_if(grant.scopes, [&](const std::string& scope) { return std::ranges::find(scopes, scope) != scopes.end(); });
    std::erase_if(key.grants, [](const Grant& grant) { return grant.scopes.empty(); });
    api_keys::narrow(transaction, key, now);
}

} // namespace portico::identity::scope_use
