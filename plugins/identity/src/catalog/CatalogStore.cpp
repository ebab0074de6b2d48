#include "catalog/CatalogStore.h"

#include "audit/Audit.h"
#include "catalog/Manifest.h"
#include "catalog/ServiceAccess.h"

#include "portico/Crypto.h"
#include "portico/Instant.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::chrono::milliseconds hostIsForgotten = std::chrono::hours(24);
constexpr std::chrono::milliseconds noteIsFresh = std::chrono::hours(1);

/// Rows of a table of the catalog that belong to a service, in the order of the manifest's sorted names.
template <class T>
std::vector<T> rowsOf(Session& session, std::string_view table, std::string_view order, const std::string& serviceId)
{
    const auto sql = "SELECT " + columns<T>() + " FROM " + std::string(table) + " WHERE service_id = $1 ORDER BY " + std::string(order);
    return session.all<T>(sql, serviceId);
}

template <class T>
void replaceRows(Transaction& transaction, std::string_view table, const std::string& serviceId, const std::vector<T>& rows)
{
    transaction.execute("DELETE FROM " + std::string(table) + " WHERE service_id = $1", serviceId);
    for (const auto& row : rows) transaction.insert(table, row, {"service_id"}, serviceId);
}

CatalogService read(Session& session, ServiceRow&& row)
{
    CatalogService service;
    service.permissions = rowsOf<PermissionEntry>(session, "service_permissions", "permission", row.serviceId);
    service.bundles = rowsOf<RoleBundle>(session, "role_bundles", "id", row.serviceId);
    service.scopes = rowsOf<ScopeEntry>(session, "api_key_scopes", "scope", row.serviceId);
    service.bindableTypes = rowsOf<BindableType>(session, "bindable_types", "type", row.serviceId);
    const auto manifest = fromStoredJson<ServiceManifest>(row.manifest);
    service.origins = manifest.origins;
    service.previewOriginPatterns = manifest.previewOriginPatterns;
    service.launchable = manifest.launchable;
    for (const auto& url : manifest.callbackUrls) service.callbackUrls.push_back(absoluteUrl(row.origin, url));
    service.collections = manifest.collections;
    service.onboardingSteps = onboardingSteps(manifest);
    const auto publisher =
        row.publisherId ? session.value<std::string>("SELECT name FROM organizations WHERE id = $1", *row.publisherId) : std::nullopt;
    service.view = std::make_shared<const ServiceView>(viewOf(row, manifest, publisher.value_or("")));
    static_cast<ServiceRow&>(service) = std::move(row);
    // Drops long texts that the snapshot does not need.
    service.manifest.clear();
    service.publishedManifest.clear();
    service.report.clear();
    service.expand();
    return service;
}

/// An incomplete service stays a draft; a complete one becomes active, unless an operator has suspended or retired it.
std::string nextStatus(const std::string& status, bool complete)
{
    if (status == "suspended" || status == "retired") return status;
    return complete ? "active" : "draft";
}

/// Applies the manifest's values to the row. @param decides true for a new service or an operator's change
void takeFrom(ServiceRow& row, const ServiceManifest& manifest, bool decides)
{
    const bool personal = std::ranges::find(manifest.contexts, ContextKind::Personal) != manifest.contexts.end();
    // Keeps what an operator has switched off. If personal context is new, the manifest's default applies.
    const bool same = std::ranges::is_permutation(row.contexts, manifest.contexts);
    row.personalAccess = personal && (!decides && same ? row.personalAccess : manifest.personalAccess);
    row.name = manifest.name;
    row.description = manifest.description;
    row.contexts = manifest.contexts;
}

ServiceRow merged(const std::optional<ServiceRow>& old, const RegisteredManifest& registered, Instant now)
{
    const ServiceManifest& manifest = registered.manifest;
    ServiceRow row = old.value_or(ServiceRow());
    if (!old)
    {
        row.serviceId = manifest.serviceId;
        row.createdAt = row.updatedAt = now;
    }
    row.enabled = true;
    row.remote = false;
    row.origin = registered.origin;
    // Keeps manual changes if the host's manifest is unchanged since.
    const bool changedByHand = row.manifest != row.publishedManifest && row.publishedManifest == registered.manifestText;
    if (!changedByHand)
    {
        takeFrom(row, manifest, !old);
        row.manifest = row.publishedManifest = registered.manifestText;
        row.manifestSha256 = registered.manifestSha256;
        row.complete = registered.report.complete;
        row.report = toJson(registered.report);
    }
    row.status = nextStatus(row.status, row.complete);
    return row;
}

/// Compares the manifest's text instead of everything derived from it.
bool saysTheSame(const ServiceRow& left, const ServiceRow& right)
{
    return left.manifest == right.manifest && left.manifestSha256 == right.manifestSha256 && left.origin == right.origin &&
           left.publishedManifest == right.publishedManifest && left.remote == right.remote && left.report == right.report &&
           left.status == right.status && left.enabled == right.enabled;
}

} // namespace

std::shared_ptr<const Catalog> CatalogStore::snapshot(const DataRevision& revision)
{
    const std::scoped_lock lock(_mutex);
    if (_catalog && _revision == revision) return _catalog;
    auto transaction = _database.snapshot();
    const auto found = fingerprint(transaction);
    if (!_catalog || found != _fingerprint) _catalog = load(transaction, found);
    transaction.commit();
    _fingerprint = found;
    _revision = revision;
    return _catalog;
}

std::int64_t CatalogStore::fingerprint(Session& session)
{
    // Versions only grow and services are never deleted, so their sum never returns to an earlier value.
    return session.value<std::int64_t>("SELECT CAST(COALESCE(SUM(version), 0) AS BIGINT) FROM services").value_or(0);
}

std::shared_ptr<const Catalog> CatalogStore::load(Session& session, std::int64_t fingerprint)
{
    auto catalog = std::make_shared<Catalog>();
    catalog->fingerprint = fingerprint;
    for (auto& row : serviceTable.select().all(session))
    {
        std::string id = row.serviceId;
        catalog->services.emplace(std::move(id), read(session, std::move(row)));
    }
    return catalog;
}

bool CatalogStore::holds(Session& session, const RegisteredManifest& registered, Instant now)
{
    const auto row = serviceTable.find(session, registered.manifest.serviceId);
    return row && saysTheSame(*row, merged(row, registered, now));
}

bool CatalogStore::apply(Transaction& transaction, const RegisteredManifest& registered, Instant now)
{
    const auto old = serviceTable.find(transaction, registered.manifest.serviceId);
    auto row = merged(old, registered, now);
    if (old && saysTheSame(*old, row)) return false;
    // Updates the rows if the manifest has changed. Other manual changes are kept.
    const bool same = old && old->manifest == row.manifest;
    write(transaction, std::move(row), same ? nullptr : &registered.manifest, now);
    return !old;
}

ServiceRow CatalogStore::write(Transaction& transaction, ServiceRow row, const ServiceManifest* manifest, Instant now)
{
    const auto& id = row.serviceId;
    const auto wasComplete = transaction.value<bool>("SELECT complete FROM services WHERE service_id = $1", id);
    row.updatedAt = now;
    const auto before = row.version++;
    if (transaction.update("services", row, {}, {"service_id", "version"}, id, before) == 0)
    {
        row.version = 1;
        row.createdAt = now;
        serviceTable.insert(transaction, row);
    }
    if (wasComplete.value_or(true) != row.complete)
        AuditLog::ofOperator(now, row.publisherId)
            .record(transaction, row.complete ? EventName("service.completed") : EventName("service.incomplete"), id);
    if (!manifest) return row;
    replaceRows(transaction, "service_permissions", id, manifest->permissions);
    replaceRows(transaction, "role_bundles", id, manifest->roleBundles);
    replaceRows(transaction, "api_key_scopes", id, manifest->apiKeyScopes);
    replaceRows(transaction, "bindable_types", id, manifest->bindableResources);
    return row;
}

void CatalogStore::take(ServiceRow& row, const ServiceManifest& manifest, const CompletenessReport& report, bool decides)
{
    row.serviceId = manifest.serviceId;
    takeFrom(row, manifest, decides);
    row.manifest = toJson(manifest);
    row.manifestSha256 = sha256(row.manifest).hex();
    if (row.remote) row.origin = manifest.origins.empty() ? std::string() : manifest.origins.front();
    row.complete = report.complete;
    row.report = toJson(report);
}

std::optional<ServiceRow> CatalogStore::row(Session& session, const std::string& serviceId)
{
    return serviceTable.find(session, serviceId);
}

CatalogService CatalogStore::stored(Session& session, const ServiceRow& row) { return read(session, ServiceRow(row)); }

bool CatalogStore::isActive(Session& session, std::string_view serviceId)
{
    return session.value<std::string>("SELECT status FROM services WHERE service_id = $1", serviceId) == "active";
}

bool CatalogStore::isNoted(Session& session, std::string_view hostId, std::span<const std::string> enabled, Instant now)
{
    auto noted =
        session.values<std::string>("SELECT service_id FROM service_hosts WHERE host_id = $1 AND seen_at > $2", hostId, now - noteIsFresh);
    return std::ranges::is_permutation(noted, enabled);
}

void CatalogStore::enableOnHost(Transaction& transaction, std::string_view hostId, std::span<const std::string> enabled, Instant now)
{
    // A SQLite file has one host, even if its name has changed.
    const bool alone = transaction.dialect() == Dialect::SQLite;
    transaction.execute("DELETE FROM service_hosts WHERE host_id = $1 OR seen_at <= $2", hostId, alone ? now : now - hostIsForgotten);
    for (const auto& id : enabled)
        transaction.execute("INSERT INTO service_hosts (host_id, service_id, seen_at) VALUES ($1, $2, $3)", hostId, id, now);
    transaction.execute(
        "UPDATE services SET enabled = NOT enabled, version = version + 1, updated_at = $1 "
        "WHERE enabled <> (remote OR EXISTS (SELECT 1 FROM service_hosts WHERE service_hosts.service_id = services.service_id))",
        now);
}

std::optional<std::string> CatalogStore::report(std::string_view serviceId)
{
    return _database.session().value<std::string>("SELECT report FROM services WHERE service_id = $1", serviceId);
}

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

namespace
{

/// Records a change of status that a host's plugin has caused.
void recordMove(Transaction& transaction, const std::optional<ServiceRow>& before, const std::string& id, Instant now)
{
    const auto after = CatalogStore::row(transaction, id);
    if (!before || before->status == after->status) return;
    AuditLog::ofOperator(now).record(transaction, "service.status_changed", id,
                                     {{"from", before->status}, {"to", after->status}, {"reason", "manifest"}});
}

} // namespace

bool isDefaultService(const Settings& settings, std::string_view serviceId)
{
    return std::ranges::any_of(settings.defaultServiceAccess, [&](const auto& id) { return id == "*" || id == serviceId; });
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
    const auto now = _clock.now();
    const auto answers = [&](Session& session)
    {
        std::vector<interfaces::Registration> given;
        for (const auto& registered : manifests)
        {
            const auto& id = registered.manifest.serviceId;
            given.push_back({id, CatalogStore::isActive(session, id), summary(registered.report)});
        }
        return given;
    };
    if (!manifests.empty())
    {
        auto session = _database.snapshot();
        const auto held = [&](const auto& registered) { return CatalogStore::holds(session, registered, now); };
        if (CatalogStore::isNoted(session, hostId, ids, now) && std::ranges::all_of(manifests, held)) return answers(session);
    }
    return _changes.run(
        [&](Transaction& transaction)
        {
            for (const auto& registered : manifests)
            {
                const auto& id = registered.manifest.serviceId;
                const auto before = CatalogStore::row(transaction, id);
                // Organizations that are older than the service get it as newer ones do.
                if (CatalogStore::apply(transaction, registered, now) && isDefaultService(_settings, id))
                    service_access::grantToAll(transaction, id, now);
                recordMove(transaction, before, id, now);
            }
            CatalogStore::enableOnHost(transaction, hostId, ids, now);
            return answers(transaction);
        });
}

} // namespace portico::identity
