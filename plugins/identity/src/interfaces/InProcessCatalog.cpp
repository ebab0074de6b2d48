#include "interfaces/InProcessCatalog.h"

#include "catalog/CatalogStore.h"
#include "services/SwitcherItems.h"

#include "portico/Json.h"

#include <map>

namespace portico::identity
{

namespace
{

/// Replaces the manifest's landing page by the one that an administrator has set.
std::string withLanding(const std::string& manifest, std::string config)
{
    auto members = fromStoredJson<std::map<std::string, Json>>(manifest);
    members["landing"] = Json{std::move(config)};
    return toJson(members);
}

/// Parts that the catalog in memory omits because they are long, and parts that change without the catalog.
struct StoredParts
{
    std::map<std::string, std::string, std::less<>> manifests;
    std::map<std::string, std::string, std::less<>> landings;
    std::map<std::string, interfaces::CatalogPublisher, std::less<>> publishers;
};

/// @param serviceId empty: all services
StoredParts readStored(Session& session, std::string_view serviceId)
{
    StoredParts parts;
    for (Row row : session.query("SELECT s.service_id, s.manifest, o.id, o.name, (SELECT COUNT(*) FROM organization_domains d WHERE "
                                 "d.organization_id = o.id AND d.status = 'verified') FROM services s LEFT JOIN organizations o ON "
                                 "o.id = s.publisher_id WHERE $1 = '' OR s.service_id = $1",
                                 serviceId))
    {
        const auto id = row.get<std::string>(0);
        parts.manifests[id] = row.get<std::string>(1);
        if (auto publisher = row.get<std::optional<std::string>>(2))
            parts.publishers[id] = {"organization", *std::move(publisher), row.get<std::string>(3), row.get<std::int64_t>(4) > 0};
    }
    for (Row row : session.query("SELECT service_id, config FROM landing_configs WHERE $1 = '' OR service_id = $1", serviceId))
        parts.landings[row.get<std::string>(0)] = row.get<std::string>(1);
    return parts;
}

interfaces::CatalogEntry entryOf(const CatalogService& service, StoredParts& stored)
{
    const auto& view = *service.view;
    interfaces::CatalogEntry entry;
    entry.serviceId = service.serviceId;
    entry.name = view.name;
    entry.description = view.description;
    entry.status = view.status;
    entry.active = service.active();
    entry.surfaceKind = view.surfaceKind;
    entry.surfaceGroup = view.surfaceGroup;
    entry.launchable = view.launchable;
    entry.householdCapable = view.householdCapable;
    entry.iconUrl = view.iconUrl;
    entry.launchUrl = view.launchUrl;
    for (const auto kind : service.contexts) entry.contexts.emplace_back(toString(kind));
    entry.manifest = std::move(stored.manifests[service.serviceId]);
    if (const auto page = stored.landings.find(service.serviceId); page != stored.landings.end())
        entry.manifest = withLanding(entry.manifest, std::move(page->second));
    entry.origin = service.origin;
    entry.origins = view.origins;
    entry.remote = service.remote;
    const auto publisher = stored.publishers.find(service.serviceId);
    entry.publisher = publisher == stored.publishers.end() ? interfaces::CatalogPublisher{"platform", {}, view.publisher.name, true}
                                                           : std::move(publisher->second);
    entry.widgetUrl = view.widgetUrl;
    entry.callbackUrls = view.callbackUrls;
    entry.categories = view.categories;
    entry.collections = service.collections;
    entry.createdAt = view.createdAt;
    return entry;
}

} // namespace

std::vector<interfaces::CatalogEntry> InProcessCatalog::services()
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    auto stored = readStored(session, {});
    std::vector<interfaces::CatalogEntry> entries;
    entries.reserve(catalog->services.size());
    for (const auto& [id, service] : catalog->services) entries.push_back(entryOf(service, stored));
    return entries;
}

std::optional<interfaces::CatalogEntry> InProcessCatalog::service(std::string_view serviceId)
{
    const auto catalog = _core.catalog.snapshot();
    const auto* found = catalog->find(serviceId);
    if (!found) return std::nullopt;
    auto session = _core.database.snapshot();
    auto stored = readStored(session, serviceId);
    return entryOf(*found, stored);
}

std::vector<interfaces::CatalogAccess> InProcessCatalog::accessOf(const Caller& caller)
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    const auto access = callerAccess(session, caller, _core.clock.now());
    if (!access) return {};
    std::vector<interfaces::CatalogAccess> answer;
    for (const auto& [id, service] : catalog->services)
    {
        if (!service.active()) continue;
        const auto closes = obstacle(service, access->input(id));
        answer.push_back({id, closes == Obstacle::None, accessReason(closes, access->standing())});
    }
    return answer;
}

bool InProcessCatalog::isOpen(const Caller& caller, std::string_view serviceId)
{
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (!service) return false;
    auto session = _core.database.snapshot();
    const auto access = callerAccess(session, caller, _core.clock.now());
    return access && mayEnter(*service, access->input(serviceId));
}

std::vector<std::string> InProcessCatalog::accessVersions(const Caller& caller, const std::vector<std::string>& serviceIds)
{
    return _versions.of(caller, serviceIds);
}

std::string InProcessCatalog::version() { return std::to_string(_core.catalog.snapshot()->fingerprint); }

std::vector<interfaces::SwitcherEntry> InProcessCatalog::switcher(const Caller& caller)
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    const auto access = callerAccess(session, caller, _core.clock.now());
    if (!access) return {};
    std::vector<interfaces::SwitcherEntry> entries;
    for (auto& item : switcherItems(*catalog, *access))
        entries.push_back({std::move(item.serviceId), std::move(item.name), std::move(item.iconUrl), std::move(item.launchUrl),
                           std::move(item.surfaceKind), std::move(item.surfaceGroup), item.launchable, item.householdCapable,
                           item.accessible, std::move(item.accessReason)});
    return entries;
}

} // namespace portico::identity
