#pragma once

#include "catalog/Catalog.h"
#include "catalog/Completeness.h"
#include "common/Changes.h"
#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/system/ServiceRegistry.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico::identity
{

/// A service as a registration leaves it.
struct RegisteredManifest
{
    ServiceManifest manifest;
    std::string manifestText;
    std::string manifestSha256;
    std::string origin;
    CompletenessReport report;
};

/// Stores the catalog, and caches a snapshot of it. Thread-safe.
class CatalogStore
{
public:
    CatalogStore(Database& database, Changes& changes) : _database(database), _changes(changes) {}

    /// Returns the catalog of a revision. Reads it only when services have changed. Waits for a session while holding a lock, so that
    /// concurrent requests read it once. Call it without a session.
    std::shared_ptr<const Catalog> snapshot(const DataRevision& revision);
    std::shared_ptr<const Catalog> snapshot() { return snapshot(_changes.current()); }

    /// The catalog says of a service what this registration would write.
    static bool holds(Session& session, const RegisteredManifest& registered, Instant now);
    /// Writes a registration if it says anything new. Returns true when the service was not known before.
    static bool apply(Transaction& transaction, const RegisteredManifest& registered, Instant now);
    /// Writes an existing service (with the row's version) or a new one as its next version; with a manifest also its definitions.
    /// @return the row after the write
    /// @throws DatabaseError UniqueViolation if the row has another version
    static ServiceRow write(Transaction& transaction, ServiceRow row, const ServiceManifest* manifest, Instant now);
    /// Applies a manifest from the API to a row.
    static void take(ServiceRow& row, const ServiceManifest& manifest, const CompletenessReport& report, bool isNew);
    static std::optional<ServiceRow> row(Session& session, const std::string& serviceId);
    /// Returns the service by its rows, regardless of its manifest.
    static CatalogService stored(Session& session, const ServiceRow& row);
    /// False for one that is incomplete, suspended or retired.
    static bool isActive(Session& session, std::string_view serviceId);
    /// It was noted within the last hour that a host has these services enabled and no others.
    static bool isNoted(Session& session, std::string_view hostId, std::span<const std::string> enabled, Instant now);
    /// Notes that a host has these services enabled and no others: one that no host has is closed.
    static void enableOnHost(Transaction& transaction, std::string_view hostId, std::span<const std::string> enabled, Instant now);
    /// Text of the CompletenessReport of the last registration.
    std::optional<std::string> report(std::string_view serviceId);

private:
    /// A number that changes with every row of the catalog.
    static std::int64_t fingerprint(Session& session);
    static std::shared_ptr<const Catalog> load(Session& session, std::int64_t fingerprint);

    Database& _database;
    Changes& _changes;
    std::mutex _mutex;
    std::shared_ptr<const Catalog> _catalog;
    DataRevision _revision;
    std::int64_t _fingerprint = -1;
};

/// Implements `portico.service-registry`: stores the manifests of all services that a host has enabled, and returns which of them are
/// complete.
class Registry final : public interfaces::ServiceRegistry
{
public:
    Registry(Database& database, Changes& changes, const Settings& settings, const Clock& clock)
        : _database(database), _changes(changes), _settings(settings), _clock(clock)
    {
    }
    /// Writes nothing if everything is known, for example after the reload of a service, because a commit takes longer than such a reload.
    /// Services that do not run are reported as a sign of life, which is always written.
    std::vector<interfaces::Registration> publish(std::string_view hostId, std::span<const interfaces::RegisteredService> enabled) override;

private:
    Database& _database;
    Changes& _changes;
    const Settings& _settings;
    const Clock& _clock;
};

/// Returns true if organizations may use a service without an explicit grant.
bool isDefaultService(const Settings& settings, std::string_view serviceId);

} // namespace portico::identity
