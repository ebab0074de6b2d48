#include "services/RegistryRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogAccess.h"
#include "catalog/CatalogStore.h"
#include "catalog/ManifestLint.h"
#include "catalog/ServiceAccess.h"
#include "records/AppHandoff.h"
#include "records/Organization.h"
#include "services/ScopeUse.h"

#include "portico/Text.h"

#include <algorithm>
#include <utility>

namespace portico::identity
{

namespace
{

bool isAmong(const std::vector<std::string>& wanted, const std::string& text)
{
    return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

bool fits(const ServiceView& view, const ServicesQuery& query)
{
    const auto q = fold(query.q);
    const auto says = [&](const std::string& text) { return fold(text).find(q) != std::string::npos; };
    return isAmong(query.surfaceKind, view.surfaceKind) && isAmong(query.surfaceGroup, view.surfaceGroup) &&
           isAmong(query.status, view.status) && (!query.launchable || *query.launchable == view.launchable) &&
           (q.empty() || says(view.serviceId) || says(view.name) || says(view.description));
}

ServiceRow requireRow(Session& session, const std::string& serviceId)
{
    auto row = CatalogStore::row(session, serviceId);
    if (!row) throw Problem::notFound("There is no such service.");
    return *std::move(row);
}

/// Returns the permissions that a plugin's code uses. A manifest from the API does not list them, so the existing ones are kept.
std::vector<std::string> namedByCode(const CatalogService& rows, const ServiceManifest& manifest)
{
    std::vector<std::string> named;
    for (const auto& entry : manifest.permissions)
        if (!rows.remote && rows.hasPermission(entry.permission)) named.push_back(entry.permission);
    return named;
}

/// An active service that is not complete any more is closed; an operator's suspension stays.
std::string statusWith(const std::string& status, bool complete)
{
    if (status == "suspended" || status == "retired") return status;
    if (!complete) return "draft";
    return status == "active" ? status : "ready";
}

struct StatusDetails
{
    std::string from;
    std::string to;
    std::string reason;
};

constexpr auto schemaOf(const StatusDetails*)
{
    return describe(members<&StatusDetails::from, &StatusDetails::to, &StatusDetails::reason>());
}

ServiceView viewIn(Session& session, const ServiceRow& row) { return *CatalogStore::stored(session, row).view; }

std::string inOneLine(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// Removes scopes that a manifest drops from keys. @throws Problem 409 `scope_in_use` unless forced
void dropScopes(Transaction& transaction, const Request& request, const MailTemplate<ScopesRemovedMail>& mail, const std::string& serviceId,
                const std::vector<std::string>& scopes, const ManifestQuery& query, Instant now)
{
    auto keys = scope_use::keysWith(transaction, serviceId, scopes, now);
    if (keys.empty() || query.dryRun == 1) return;
    if (query.force == 0)
        throw Problem::conflict("scope_in_use", "Active keys have a removed scope; force=1 removes it from them.")
            .withDetails(scope_use::count(keys, serviceId, scopes));
    for (auto& key : keys)
    {
        scope_use::take(transaction, key, serviceId, scopes, now);
        AuditLog::of(request, now, key.organizationId).record(transaction, "api_key.scopes_removed", key.id);
        for (const auto& owner : api_keys::whoAnswersFor(transaction, key))
            mail.send(transaction, mailRecipient(owner), {key.name, keyPrefix(key.environment, key.keyId), serviceId, inOneLine(scopes)});
    }
}

} // namespace

void RegistryRoutes::declare(Routes& routes)
{
    const auto reading = Access{.bearer = true, .apiKey = true, .scope = "services.read"}.orService();
    const auto managing = access::bearer("identity.services:manage").orOwnService("service_id");
    const std::vector<std::string_view> moves = {"409 service_incomplete", "409 conflict"};
    routes.get("/api/services", reading, &RegistryRoutes::list, this, {.summary = "List services"})
        .post("/api/services", access::bearer("identity.services:manage"), &RegistryRoutes::create, this,
              {.summary = "Register a remote service",
               .problems = {"400 manifest_invalid", "409 service_exists"},
               .consumes = {"application/json"}})
        .get("/api/services/{service_id}", reading, &RegistryRoutes::show, this, {.summary = "Read a service"})
        .get("/api/services/{service_id}/permissions", access::bearer().orService(), &RegistryRoutes::permissions, this,
             {.summary = "List the permissions of a service"})
        .get("/api/permissions", access::bearer().orService(), &RegistryRoutes::allPermissions, this,
             {.summary = "List the permissions of all active services"})
        .get("/api/services/{service_id}/drift", access::bearer("identity.services:read").orService(), &RegistryRoutes::drift, this,
             {.summary = "Compare a service's registration with its manifest"})
        .get("/api/services/{service_id}/manifest", managing, &RegistryRoutes::manifest, this,
             {.summary = "Read the manifest of a service"})
        .put("/api/services/{service_id}/manifest", managing, &RegistryRoutes::replace, this,
             {.summary = "Replace the manifest of a service",
              .problems = {"400 manifest_invalid", "403 manifest_exceeds_approval", "409 scope_in_use"},
              .consumes = {"application/json"}})
        .post("/api/services/{service_id}/activate", access::bearer().forOperators(), &RegistryRoutes::activate, this,
              {.summary = "Activate a service", .idempotencyKey = false, .problems = moves})
        .post("/api/services/{service_id}/suspend", access::bearer().forOperators(), &RegistryRoutes::suspend, this,
              {.summary = "Suspend a service", .idempotencyKey = false, .problems = {"409 conflict"}})
        .post("/api/services/{service_id}/retire", access::bearer().forOperators(), &RegistryRoutes::retire, this,
              {.summary = "Retire a service", .idempotencyKey = false, .problems = {"409 conflict"}});
}

Page<ServiceView> RegistryRoutes::list(const Caller& caller, const Query<ServicesQuery>& query, const Paging& paging) const
{
    catalog_access::requireKeyMayRead(caller);
    const auto catalog = _core.catalog.snapshot();
    const bool all = catalog_access::seesAll(caller);
    Page<ServiceView> page;
    std::int64_t total = 0;
    for (const auto& [id, service] : catalog->services)
    {
        // Without a status filter, lists active services only.
        const bool wanted = service.active() || (all && !query->status.empty());
        if (!wanted || !fits(*service.view, *query)) continue;
        ++total;
        if (!paging.cursor.empty() && id <= paging.cursor) continue;
        if (page.items.size() < static_cast<std::size_t>(paging.limit))
            page.items.push_back(*service.view);
        else if (!page.nextCursor)
            page.nextCursor = page.items.back().serviceId;
    }
    if (paging.includeTotal) page.total = total;
    return page;
}

ServiceView RegistryRoutes::show(const Caller& caller, const Path<std::string>& serviceId) const
{
    catalog_access::requireKeyMayRead(caller);
    const auto catalog = _core.catalog.snapshot();
    return *catalog_access::require(*catalog, *serviceId, caller).view;
}

Page<PermissionEntry> RegistryRoutes::permissions(const Caller& caller, const Path<std::string>& serviceId) const
{
    const auto catalog = _core.catalog.snapshot();
    return {.items = catalog_access::require(*catalog, *serviceId, caller).permissions};
}

Page<PermissionEntry> RegistryRoutes::allPermissions() const
{
    const auto catalog = _core.catalog.snapshot();
    Page<PermissionEntry> page;
    for (const auto& [id, service] : catalog->services)
        if (service.active()) page.items.insert(page.items.end(), service.permissions.begin(), service.permissions.end());
    return page;
}

DriftReport RegistryRoutes::drift(const Path<std::string>& serviceId) const
{
    auto session = _core.database.snapshot();
    const auto row = requireRow(session, *serviceId);
    const auto rows = CatalogStore::stored(session, row);
    const auto own = fromStoredJson<ServiceManifest>(row.publishedManifest.empty() ? row.manifest : row.publishedManifest);
    auto plan = planOf(rows, fromStoredJson<ServiceManifest>(row.manifest), own);
    return {plan.empty(), std::move(plan.added), std::move(plan.removed), std::move(plan.changed)};
}

Reply<ServiceManifest> RegistryRoutes::manifest(const Path<std::string>& serviceId) const
{
    auto session = _core.database.snapshot();
    const auto row = requireRow(session, *serviceId);
    return {.record = fromStoredJson<ServiceManifest>(row.manifest), .etag = '"' + std::to_string(row.version) + '"'};
}

Created<RegisteredAnswer> RegistryRoutes::create(const Request& request, const RawBody& body)
{
    const auto manifest = readManifest(body.data);
    const auto report = checkCompleteness(manifest, {});
    const auto now = _core.clock.now();
    auto view = _core.changes.run(
        [&](Transaction& transaction)
        {
            if (CatalogStore::row(transaction, manifest.serviceId))
                throw Problem::conflict("service_exists", "There is such a service already.");
            ServiceRow row;
            row.remote = true;
            row.createdAt = now;
            CatalogStore::take(row, manifest, report, true);
            row = CatalogStore::write(transaction, std::move(row), &manifest, now);
            if (isDefaultService(_core.settings, row.serviceId)) service_access::grantToAll(transaction, row.serviceId, now);
            AuditLog::of(request, now).record(transaction, "service.registered", row.serviceId);
            return viewIn(transaction, row);
        });
    auto location = "/api/services/" + manifest.serviceId;
    return {{std::move(view), report}, std::move(location)};
}

ManifestAnswer RegistryRoutes::replace(const Caller& caller, const Request& request, const Path<std::string>& serviceId,
                                       const Query<ManifestQuery>& query, const RawBody& body, const IfMatch& match)
{
    const auto manifest = readManifest(body.data);
    if (manifest.serviceId != *serviceId)
        throw Problem::badRequest("manifest_invalid", "The manifest belongs to another service.")
            .with({"service_id", "other_service", "The path names " + *serviceId + '.'});
    const auto now = _core.clock.now();
    const auto work = [&](Transaction& transaction)
    {
        auto row = requireRow(transaction, *serviceId);
        match.require(row.version);
        if (caller.isServicePrincipal()) app_handoffs::requireApproved(transaction, row, manifest);
        const auto rows = CatalogStore::stored(transaction, row);
        ManifestAnswer answer;
        answer.report = checkCompleteness(manifest, namedByCode(rows, manifest));
        answer.applied = planOf(rows, fromStoredJson<ServiceManifest>(row.manifest), manifest);
        dropScopes(transaction, request, _scopesRemoved, *serviceId, answer.applied.removedOf("api_key_scope"), *query, now);
        const auto status = statusWith(row.status, answer.report.complete);
        if (query->dryRun == 1 || (answer.applied.empty() && status == row.status)) return answer;
        CatalogStore::take(row, manifest, answer.report, !caller.isServicePrincipal());
        const StatusDetails moved{std::exchange(row.status, status), status, "manifest"};
        CatalogStore::write(transaction, std::move(row), &manifest, now);
        if (moved.from != moved.to) AuditLog::of(request, now).record(transaction, "service.status_changed", *serviceId, moved);
        AuditLog::of(request, now).record(transaction, "service.manifest_changed", *serviceId, answer.applied);
        return answer;
    };
    // A dry run is rolled back and invalidates no caches.
    return query->dryRun == 1 ? _core.database.transact(work) : _core.changes.run(work);
}

ServiceView RegistryRoutes::move(const Request& request, const std::string& serviceId, const StatusInput& input, const IfMatch& match,
                                 std::string_view to)
{
    if (serviceId == identityServiceId)
        throw Problem::conflict("conflict", "Identity cannot be disabled: no operator could enable it again.");
    const auto now = _core.clock.now();
    return _core.changes.run(
        [&](Transaction& transaction)
        {
            auto row = requireRow(transaction, serviceId);
            match.require(row.version);
            if (row.status == to) return viewIn(transaction, row);
            if (row.status == "retired") throw Problem::conflict("conflict", "A retired service stays retired.");
            if (to == "suspended" && row.status != "active")
                throw Problem::conflict("conflict", "Only an active service can be suspended.");
            if (to == "active" && !row.complete)
                throw Problem::conflict("service_incomplete", "The registration is not complete.").withDetails(row.report);
            const StatusDetails details{row.status, std::string(to), input.reason};
            row.status = to;
            row = CatalogStore::write(transaction, std::move(row), nullptr, now);
            AuditLog::of(request, now).record(transaction, "service.status_changed", serviceId, details);
            return viewIn(transaction, row);
        });
}

ServiceView RegistryRoutes::activate(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input,
                                     const IfMatch& match)
{
    return move(request, *serviceId, *input, match, "active");
}

ServiceView RegistryRoutes::suspend(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input,
                                    const IfMatch& match)
{
    return move(request, *serviceId, *input, match, "suspended");
}

ServiceView RegistryRoutes::retire(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input,
                                   const IfMatch& match)
{
    return move(request, *serviceId, *input, match, "retired");
}

} // namespace portico::identity
