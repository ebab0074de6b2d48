#include "clients/DeclaredClients.h"

#include "catalog/CatalogStore.h"

namespace portico::identity
{

std::optional<OAuthClient> declared_clients::nativeOf(Session& session, std::string_view serviceId)
{
    const auto service = CatalogStore::row(session, std::string(serviceId));
    if (!service || service->publisherId) return std::nullopt;
    const auto declared = fromStoredJson<ServiceManifest>(service->manifest).nativeClient;
    if (!declared) return std::nullopt;
    OAuthClient client;
    client.clientId = service->serviceId + std::string(nativeClientSuffix);
    client.name = service->name;
    client.type = ClientType::Native;
    client.firstParty = true;
    client.consent = ConsentMode::Implicit;
    client.serviceId = service->serviceId;
    client.scopes.emplace_back("organizations");
    client.tokenEndpointAuthMethod = ClientAuthMethod::None;
    client.dpopBoundAccessTokens = true;
    for (const auto& uri : declared->redirectUris) client.redirectUris.push_back(absoluteUrl(service->origin, uri));
    return client;
}

std::optional<OAuthClient> declared_clients::find(Session& session, std::string_view clientId)
{
    if (!clientId.ends_with(nativeClientSuffix)) return std::nullopt;
    return nativeOf(session, clientId.substr(0, clientId.size() - nativeClientSuffix.size()));
}

} // namespace portico::identity
