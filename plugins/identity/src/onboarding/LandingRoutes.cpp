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

/// Returns the stored page, else the manifest's with version 0.
LandingRow rowOf(Session& session, const std::string& serviceId)
{
    LandingRow row;
    if (auto stored = landingTable.find(session, serviceId))
        row = *std::move(stored);
    else
    {
        const auto service = CatalogStore::row(session, serviceId).value();
        const auto manifest = fromStoredJson<ServiceManifest>(service.manifest);
        if (manifest.landing.text != "null") row.config = fromStoredJson<LandingConfig>(manifest.landing.text);
        if (row.config.headline.empty()) row.config.headline = service.name;
        row.updatedAt = service.updatedAt;
        row.version = 0;
    }
    row.config.updatedAt = row.updatedAt;
    row.config.version = row.version;
    row.serviceId = row.config.serviceId = serviceId;
    return row;
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
             {.summary = "Read the landing page of a service",
              .onEveryOrigin = true,
              .cacheControl = "public, max-age=60, stale-while-revalidate=300",
              .problems = {"404 service_not_found"}})
        .put("/api/services/{service_id}/landing-config", access::bearer("identity.landing:manage"), &LandingRoutes::put, this,
             {.summary = "Update the landing page of a service", .problems = {"400 unsafe_url", "404 service_not_found"}});
}

Reply<LandingConfig> LandingRoutes::show(const Path<std::string>& serviceId) const
{
    const auto catalog = _core.catalog.snapshot();
    requireActive(*catalog, *serviceId);
    return landingReply(_core.read([&](Session& session) { return rowOf(session, *serviceId).config; }));
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
            auto row = rowOf(transaction, *serviceId);
            match.require(row.version);
            patch->applyTo(row.config);
            landing::requireSafe(row.config);
            row.config.version = row.version + 1;
            row.config.updatedAt = now;
            if (row.version > 0)
                landingTable.update(transaction, row, {now});
            else if (!landingTable.insertIfAbsent(transaction, landingTable.stamped(row, {now})))
                throw Problem::versionConflict(1);
            AuditLog::of(request, now).record(transaction, "landing_config.changed", *serviceId);
            return std::move(row.config);
        }));
}

} // namespace portico::identity
