#include "catalog/Registry.h"

#include "organizations/OrganizationStore.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

RegisteredManifest read(const interfaces::RegisteredService& service)
{
    RegisteredManifest registered;
    registered.manifest = fromJson<ServiceManifest>(service.manifest);
    registered.manifestText = service.manifest;
    registered.manifestSha256 = service.manifestSha256;
    registered.origin = service.origin;
    registered.report = checkCompleteness(registered.manifest, service.routePermissions);
    return registered;
}

} // namespace

bool isDefaultService(const Settings& settings, std::string_view serviceId)
{
    std::string_view list = settings.defaultServiceAccess;
    if (list == "*") return true;
    while (!list.empty())
    {
        const auto comma = list.find(',');
        auto id = list.substr(0, comma);
        while (id.starts_with(' ')) id.remove_prefix(1);
        while (id.ends_with(' ')) id.remove_suffix(1);
        if (id == serviceId) return true;
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return false;
}

std::vector<interfaces::Registration> Registry::publish(std::string_view hostId, std::span<const interfaces::RegisteredService> enabled)
{
    std::vector<RegisteredManifest> manifests;
    std::vector<std::string> ids;
    for (const auto& service : enabled)
    {
        if (service.serving) manifests.push_back(read(service));
        ids.push_back(service.serving ? manifests.back().manifest.serviceId : service.serviceId);
    }
    return _changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _clock.now();
            std::vector<interfaces::Registration> answers;
            for (const auto& registered : manifests)
            {
                const auto& id = registered.manifest.serviceId;
                // Organizations that are older than the service get it as newer ones do.
                if (CatalogStore::apply(transaction, registered, now) && isDefaultService(_settings, id))
                    organizations::grantToAll(transaction, id, now);
                answers.push_back({id, CatalogStore::isActive(transaction, id), summary(registered.report)});
            }
            CatalogStore::enableOnHost(transaction, hostId, ids, now);
            return answers;
        });
}

} // namespace portico::identity
