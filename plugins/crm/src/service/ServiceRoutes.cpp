#include "service/ServiceRoutes.h"

#include "portico/interfaces/Directory.h"

#include <algorithm>
#include <chrono>

namespace portico::crm
{

void ServiceRoutes::declare(Routes& routes)
{
    routes.get("/health", access::open(), &ServiceRoutes::health, this, {.summary = "Health of the service, always 200"})
        .get("/api", access::open(), &ServiceRoutes::info, this, {.summary = "What this service offers"});
}

ServiceHealth ServiceRoutes::health() const
{
    ServiceHealth health{"ok", _context.host().serviceVersion, {checkDatabase(), checkDirectory()}};
    const bool failing =
        std::any_of(health.dependencies.begin(), health.dependencies.end(), [](const auto& d) { return d.status != "ok"; });
    if (failing) health.status = "degraded";
    return health;
}

ServiceDependency ServiceRoutes::checkDatabase() const
{
    ServiceDependency database{"database", "ok", 0};
    const auto start = _context.clock().steady();
    try
    {
        auto session = _context.database().session();
        session.value<std::int64_t>("SELECT 1");
    }
    catch (const DatabaseError&) // what is wrong with it is in the host's log, not for everyone to read
    {
        database.status = "failing";
    }
    database.latencyMs = std::chrono::duration_cast<std::chrono::milliseconds>(_context.clock().steady() - start).count();
    return database;
}

ServiceDependency ServiceRoutes::checkDirectory() const
{
    return {"identity.directory", _context.services().find<interfaces::Directory>() ? "ok" : "failing", 0};
}

ServiceInfo ServiceRoutes::info() const
{
    ServiceInfo info;
    info.service = _context.host().serviceId;
    info.version = _context.host().serviceVersion;
    info.apiVersion = "1.0.0";
    info.documentation = "/docs";
    info.resources = {{"contacts", "/api/contacts"},
                      {"notes", "/api/contacts/{id}/notes"},
                      {"imports", "/api/contacts/imports"},
                      {"export", "/api/contacts/export"},
                      {"pipelines", "/api/pipeline"},
                      {"customFields", "/api/custom-fields"},
                      {"attachments", "/api/contacts/{id}/attachments"},
                      {"tags", "/api/tags"},
                      {"duplicates", "/api/contacts/duplicates"},
                      {"widget", "/api/widget"}};
    info.limits.attachmentBytes = static_cast<std::int64_t>(_attachments.maxBytes);
    info.limits.attachmentsPerContact = _attachments.perContact;
    return info;
}

} // namespace portico::crm
