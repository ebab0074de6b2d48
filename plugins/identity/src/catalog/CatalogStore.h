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

/// The rows of the catalog, and a snapshot of them for everybody who asks. Thread-safe.
class CatalogStore
{
public:
    CatalogStore(Database& database, Changes& changes) : _database(database), _changes(changes) {}

    /// The catalog as of `revision`: read again only when the services themselves have changed. Waits for a session under its lock, so that
    /// hundreds do not read it at once: not to be asked by who holds a session.
    std::shared_ptr<const Catalog> snapshot(const DataRevision& revision);
    std::shared_ptr<const Catalog> snapshot() { return snapshot(_changes.current()); }

    /// The catalog says of a service what this registration would write.
    static bool holds(Session& session, const RegisteredManifest& registered, Instant now);
    /// Writes a registration if it says anything new. Returns true when the service was not known before.
    static bool apply(Transaction& transaction, const RegisteredManifest& registered, Instant now);
    /// Writes a service that is there (of the row's version) or new, as its next version, and with a manifest all that it defines.
    /// @return the row as it is now. @throws DatabaseError UniqueViolation when the row has another version
    static ServiceRow write(Transaction& transaction, ServiceRow row, const ServiceManifest* manifest, Instant now);
    /// Puts into a row what a manifest says that came over the API.
    static void take(ServiceRow& row, const ServiceManifest& manifest, const CompletenessReport& report, bool isNew);
    static std::optional<ServiceRow> row(Session& session, const std::string& serviceId);
    /// The service as its rows are, whatever its manifest says.
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

/// `portico.service-registry`: takes the manifests of all services that are enabled on a host into the catalog and says which of them are
/// complete.
class Registry final : public interfaces::ServiceRegistry
{
public:
    Registry(Database& database, Changes& changes, const Settings& settings, const Clock& clock)
        : _database(database), _changes(changes), _settings(settings), _clock(clock)
    {
    }
    /// Writes nothing where all is known, as after the reload of a service: a commit takes longer than such a reload. Services that do not
    /// serve are a sign of life, which is always written.
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
