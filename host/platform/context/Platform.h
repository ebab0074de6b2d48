#pragma once

#include "host/data/Migrator.h"
#include "host/platform/config/ServiceConfig.h"
#include "host/platform/context/PlatformSettings.h"
#include "host/platform/context/ServiceResources.h"
#include "host/platform/outbound/TraceExporter.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// The platform of the SDK as one part of the host: it makes the contexts of plugins and runs their background work.
///
/// Order of use: construct; load plugins (`migrate`, `create`, `activate`); `start` once the first set is published, so that no event is
/// dispatched before its subscribers are there; `stop` before the last generation is dropped; destroy after all contexts. Thread-safe.
class Platform final : public plugins::ContextFactory
{
public:
    /// @throws std::exception for settings that cannot be used (a network that is no CIDR, a sender that is no address).
    Platform(PlatformSettings settings, Settings configuration, HostFacts facts, const Clock& clock, const data::DatabaseFactory& databases,
             plugins::InterfaceRegistry& interfaces);
    ~Platform() override { stop(); }

    void start();
    /// For good: asks jobs that run to end, waits for them, leaves the rest to the next process, and cuts outbound exchanges.
    void stop();

    /// If the service has migrations: opens its database, applies the platform's set, then the service's, and lets its jobs run.
    void migrate(const plugins::Manifest& manifest) override;
    void close(const std::string& serviceId) override;
    /// Deletes the database and the files of a service that is switched off.
    /// @throws std::runtime_error while its database is in use or a backup is made; nothing is deleted then
    void drop(const std::string& serviceId);
    /// Returns the migrations of the service's own set that `migrate` would apply. @throws as migrate
    std::vector<data::Migration> pendingMigrations(const plugins::Manifest& manifest);
    /// @throws std::runtime_error that names settings which the service cannot take.
    std::unique_ptr<plugins::GenerationContext> create(const plugins::Manifest& manifest,
                                                       const std::shared_ptr<plugins::Generation>& generation) override;

    /// Replace what the next generations see.
    void configure(Settings configuration);
    void tell(HostFacts facts);

    telemetry::LogSink& log() noexcept { return _log; }
    /// The host's own log.
    Logger& logger() noexcept { return _logger; }
    telemetry::MetricsRegistry& metrics() noexcept { return _metrics; }

    /// The operator's view of background work. Newest first; an empty service means all. @throws DatabaseError
    std::vector<JobSummary> listJobs(std::string_view serviceId, JobState state, std::size_t limit);
    /// Runs a waiting or dead job soon, with all its attempts again. Returns false if no such job exists, or if it is running.
    /// @throws Problem 409 when a newer job has its dedupe key
    bool retryJob(std::string_view id);
    /// Deletes a job that does not run; false as for retryJob.
    bool discardJob(std::string_view id);

    /// How plugins call services of this host. Set once, before the first plugin is created.
    void setLocalCall(LocalCall call) { _calls.local = std::move(call); }

    /// Keeps removed blobs while a backup is made.
    BlobHold& blobHold() noexcept { return _blobHold; }
    /// Removes the files of blobs that were removed during a hold. Also runs periodically, for a holder that crashed.
    void dropHeldBlobs();
    /// Where each service has its blobs: `<directory>/<service>/data`.
    std::filesystem::path blobDirectory() const { return _settings.blobDirectory(); }
    const data::DatabaseSettings& databaseSettings() const noexcept { return _settings.database; }
    /// Begins the traces of requests; records them where a collector is named.
    telemetry::Tracer tracer() { return _traces ? _traces->tracer() : telemetry::Tracer(); }
    /// Store of short-lived values that hosts share, for health checks; null if each host has its own.
    StateEngine* states() noexcept { return _states.get(); }
    /// Memory always does.
    bool stateStoreAnswers() const noexcept;
    /// The bucket of blobs for health checks; null where they are files.
    const S3Store* bucket() const noexcept { return _bucket ? &*_bucket : nullptr; }
    /// The database of a service for health checks; null if it has none open.
    std::shared_ptr<data::ServiceDatabase> database(std::string_view serviceId);
    /// Metrics of the pools of each open database, by service.
    std::map<std::string, data::DatabaseStats> databaseStats();
    /// Has database sessions that were unused for `unused` release their caches.
    void giveMemoryBack(std::chrono::seconds unused);

private:
    std::vector<ServiceResources*> services();
    /// Calls `work` for the services whose jobs may run, in order of their ids.
    void eachOpen(const std::function<void(const std::string& serviceId, ServiceDurables&)>& work);
    ServiceResources& resourcesOf(const std::string& serviceId);
    data::MigrationSet migrationsOf(const plugins::Manifest& manifest) const;
    HostInfo hostInfoFor(const plugins::Manifest& manifest) const;
    void addUpkeep();
    void sweepStates();
    void countJobs(const std::string& serviceId, ServiceDurables& durables);
    /// Looks for work of a service, of all for an empty id.
    void lookForWork(std::string_view serviceId);

    const PlatformSettings _settings;
    const Clock& _clock;
    const data::DatabaseFactory& _databases;
    plugins::InterfaceRegistry& _interfaces;
    telemetry::LogSink _log;
    telemetry::ServiceLogger _logger;
    telemetry::MetricsRegistry _metrics;
    const std::unique_ptr<StateEngine> _states;
    BlobHold _blobHold;
    std::optional<TraceExporter> _traces;
    std::optional<S3Store> _bucket;
    GuardedHttpClient _http;
    CallParts _calls;
    HelperRunner _helpers;
    const MailTransport _mailTransport;
    JobLane _workLane;
    JobLane _networkLane;
    JobLane _serverLane;
    PollingPool _outboxPool;
    PollingPool _upkeepPool;
    /// Deletes held blobs. Upkeep must not wait for that, since job leases expire within a minute.
    PollingPool _heldBlobsPool;
    /// Null: no other host shares the databases.
    const std::unique_ptr<data::WorkNotifier> _notifier;
    Subscriptions _subscriptions;
    WebhookDirectory _webhooks;
    SharedParts _shared;

    mutable std::mutex _mutex;
    Settings _configuration;
    HostFacts _facts;
    std::map<std::string, std::unique_ptr<ServiceResources>, std::less<>> _services;
};

} // namespace portico::host::platform
