#include "onboarding/LandingRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"

#include "portico/Table.h"

namespace portico::identity
{

namespace
{

/// A row of `landing_configs`.
struct LandingRow : Versioned
{
    std::string serviceId;
    LandingConfig config;
};

constexpr auto schemaOf(const LandingRow*)
{
    return describe(field<&LandingRow::serviceId>("service_id"), field<&LandingRow::config>(), versioned<LandingRow>());
}

constexpr GlobalTable landingTable{"landing_configs", &LandingRow::serviceId};

/// Returns the stored page, else the manifest's.
LandingConfig configOf(Session& session, const std::string& serviceId)
{
    LandingConfig config;
    if (auto row = landingTable.find(session, serviceId))
    {
        config = std::move(row->config);
        config.version = row->version;
        config.updatedAt = row->updatedAt;
    }
    else
    {
        const auto service = CatalogStore::row(session, serviceId).value();
        const auto manifest = fromStoredJson<ServiceManifest>(service.manifest);
        if (manifest.landing.text != "null") config = fromStoredJson<LandingConfig>(manifest.landing.text);
        if (config.headline.empty()) config.headline = service.name;
        config.updatedAt = service.updatedAt;
        config.version = 0;
    }
    config.serviceId = serviceId;
    return config;
}

Reply<LandingConfig> landingReply(LandingConfig config)
{
    auto etag = '"' + std::to_string(config.version) + (config.version == 0 ? '-' + std::to_string(toMillis(*config.updatedAt)) : "") + '"';
    return {.record = std::move(config), .etag = std::move(etag)};
}

const CatalogService& requireActive(const Catalog& catalog, const std::string& serviceId)
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) throw Problem(404, "service_not_found", "There is no such service.");
    return *service;
}

} // namespace

void LandingRoutes::declare(Routes& routes)
{
    routes
        .get("/api/public/landing-config/{service_id}", access::open(), &LandingRoutes::show, this,
             {.summary = "What a service's public page says",
              .onEveryOrigin = true,
              .cacheControl = "public, max-age=60, stale-while-revalidate=300",
              .problems = {"404 service_not_found"}})
        .put("/api/services/{service_id}/landing-config", access::bearer("identity.landing:manage"), &LandingRoutes::put, this,
             {.summary = "Change a service's public page", .problems = {"400 unsafe_url", "404 service_not_found"}});
}

Reply<LandingConfig> LandingRoutes::show(const Path<std::string>& serviceId) const
{
    const auto catalog = _core.catalog.snapshot();
    requireActive(*catalog, *serviceId);
    auto session = _core.database.session();
    return landingReply(configOf(session, *serviceId));
}

Reply<LandingConfig> LandingRoutes::put(const Request& request, const Path<std::string>& serviceId, const Body<Patch<LandingConfig>>& patch,
                                        const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    if (!catalog->find(*serviceId)) throw Problem(404, "service_not_found", "There is no such service.");
    // No running credential sees any of this.
    return landingReply(_core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto config = configOf(transaction, *serviceId);
            match.require(config.version);
            LandingRow row;
            row.version = config.version;
            patch->applyTo(config);
            landing::requireSafe(config);
            config.version = row.version + 1;
            config.updatedAt = now;
            row.serviceId = *serviceId;
            row.config = config;
            row.createdAt = now;
            if (row.version > 0)
                landingTable.update(transaction, row, {now});
            else if (!landingTable.insertIfAbsent(transaction, landingTable.stamped(row, {now})))
                throw Problem::versionConflict(1);
            AuditLog::of(request, now).record(transaction, "landing_config.changed", *serviceId);
            return config;
        }));
}

} // namespace portico::identity
