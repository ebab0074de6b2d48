#include "clients/ServicePrincipal.h"

#include "common/Requests.h"

#include <algorithm>

namespace portico::identity
{

ServicePrincipal ServicePrincipal::require(Session& session, const Catalog& catalog, std::string_view clientId, std::string_view scope)
{
    auto client = oauth_clients::find(session, clientId);
    if (!client) throw invalidToken("revoked");
    return of(session, catalog, *std::move(client), scope);
}

ServicePrincipal ServicePrincipal::of(Session& session, const Catalog& catalog, OAuthClient client, std::string_view scope)
{
    if (!client.hasGrant(grant::credentials)) throw invalidToken("revoked");
    auto owner = access_facts::organizationStanding(session, client.ownerId);
    if (!owner.inGoodStanding) throw invalidToken("workspace_suspended");
    if (client.serviceId)
    {
        const auto* service = catalog.find(*client.serviceId);
        if (!service || service->status == "suspended" || service->status == "retired")
            throw Problem::forbidden("service_access_denied", "The service is closed.");
    }
    auto scopes = scopeWords(scope);
    std::erase_if(scopes, [&](const std::string& word) { return !client.hasScope(word); });
    std::ranges::sort(scopes);
    return {std::move(client), std::move(owner), std::move(scopes)};
}

void requireOwnService(const Catalog& catalog, const Caller& caller, std::string_view serviceId)
{
    const auto* own = caller.isServicePrincipal() ? catalog.find(caller.ownServiceId) : nullptr;
    if (own && own->publisherId && own->serviceId != serviceId)
        throw Problem::forbidden("permission_denied", "A service asks about itself alone.");
}

} // namespace portico::identity
