#pragma once

#include "host/data/engines/DatabaseFactory.h"
#include "host/platform/blobs/FileBlobs.h"
#include "host/platform/calls/HostCalls.h"
#include "host/platform/channels/EventHub.h"
#include "host/platform/context/PlatformSettings.h"
#include "host/platform/events/EventRouter.h"
#include "host/platform/events/Outbox.h"
#include "host/platform/events/PluginDeliveries.h"
#include "host/platform/events/Webhooks.h"
#include "host/platform/helpers/HelperRunner.h"
#include "host/platform/jobs/JobLane.h"
#include "host/platform/jobs/PluginJobs.h"
#include "host/platform/jobs/PollingPool.h"
#include "host/platform/jobs/SignallingDatabase.h"
#include "host/platform/mail/MailQueue.h"
#include "host/platform/s3/S3Blobs.h"
#include "host/platform/state/MemoryStateStore.h"
#include "host/platform/state/StateEngine.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace portico::host::platform
{

/// Parts that all services share. They outlive the services.
struct SharedParts
{
    const Clock& clock;
    telemetry::LogSink& log;
    telemetry::MetricsRegistry& metrics;
    HttpClient& http;
    CallParts& calls;
    HelperRunner& helpers;
    const MailTransport& mailTransport;
    const PlatformSettings& settings;
    BlobHold& blobHold;
    const Subscriptions& subscriptions;
    const WebhookDirectory& webhooks;
    JobLane& workLane;
    JobLane& networkLane;
    JobLane& serverLane;
    PollingPool& outboxPool;
    /// Null: no other host shares the databases.
    data::WorkNotifier* notifier;
    /// Null: every service's short-lived values are in memory.
    StateEngine* states;
    /// Null: blobs are files.
    S3Store* bucket;
};

/// The durable side of one service: its database and the work on the platform's tables there. Opened once and kept until the service is
/// switched off or the host ends; generations change above it. Users share ownership.
class ServiceDurables
{
public:
    /// Nothing runs yet: the tables may still have to be made.
    /// @param blobs those of the service; outlive this.
    ServiceDurables(std::string serviceId, std::unique_ptr<data::ServiceDatabase> database, const SharedParts& shared,
                    std::shared_ptr<EventHub> channels, std::function<Blobs&()> blobs);

    /// Lets jobs and events of this service run; the second call does nothing.
    void open();
    /// Ends what `open` began, and waits for it.
    void close();
    /// Looks for jobs now.
    void poke();
    /// Counts jobs and endpoints for the metrics. Warns once of jobs whose type the plugin does not handle, until it handles it. One
    /// transaction. On one thread.
    struct Counts
    {
        JobCounts jobs;
        std::int64_t disabledEndpoints = 0;
    };
    Counts count();

    data::ServiceDatabase& native() noexcept { return _native; }
    SignallingDatabase& database() noexcept { return _database; }
    JobStore& jobs() noexcept { return _jobs; }
    Outbox& outbox() noexcept { return _outbox; }
    PluginJobRunner& pluginJobs() noexcept { return _pluginJobs; }
    const EndpointStore& endpoints() const noexcept { return _endpoints; }
    DeliveryRunner& pluginDeliveries() noexcept { return _pluginDeliveries; }
    bool isOpen() const noexcept { return _open.load(); }

private:
    std::chrono::milliseconds dispatchEvents();
    /// A transaction has written jobs or events.
    void workWritten();
    /// A transaction has changed rows.
    void rowsWritten();

    const std::string _serviceId;
    const SharedParts& _shared;
    const std::shared_ptr<EventHub> _channels;
    data::ServiceDatabase& _native;
    SignallingDatabase _database;
    JobStore _jobs;
    Outbox _outbox;
    EndpointStore _endpoints;
    telemetry::ServiceLogger _logger;
    PluginJobRunner _pluginJobs;
    ServerJobRunner _serverJobs;
    EventDeliveryRunner _deliveries;
    MailRunner _mails;
    WebhookRunner _webhooks;
    DeliveryRunner _pluginDeliveries;
    JobLane::Queue _work;
    JobLane::Queue _network;
    JobLane::Queue _servers;
    PollingPool::SourceId _outboxSource = 0;
    std::set<std::string, std::less<>> _unhandled;
    std::atomic<bool> _open{false};
    /// Periodic jobs that rest are to be woken, and when they were last, by the steady clock.
    std::atomic<bool> _endRests{false};
    std::atomic<std::chrono::steady_clock::time_point> _restsEnded{};
};

/// Everything that belongs to a service and outlives its generations. Thread-safe.
class ServiceResources
{
public:
    ServiceResources(std::string serviceId, const SharedParts& shared);

    const std::string& serviceId() const noexcept { return _serviceId; }
    telemetry::ServiceLogger& logger() noexcept { return _logger; }
    Metrics& metrics() noexcept { return _metrics; }
    StateStore& state() noexcept { return *_state; }
    HostCounters& counters() noexcept { return _counters; }
    EventHub& channels() noexcept { return *_channels; }
    /// Null when other hosts share it.
    MemoryStateStore* memoryState() noexcept { return _memoryState; }
    /// Made at the first use: most services keep no files. @throws std::system_error
    Blobs& blobs();
    /// Removes for good what was removed under a hold that has ended. May take long. Does not block `blobs()`. @throws std::system_error
    void dropHeldBlobs();
    /// Removes all blobs, for good. No generation uses them.
    /// @throws std::runtime_error during a backup, std::filesystem::filesystem_error, Problem 503
    void dropBlobs();

    /// Null until `openDatabase`, and after `closeDatabase`.
    std::shared_ptr<ServiceDurables> durables() const;
    /// Opens the database unless it is. @throws as data::DatabaseFactory::open
    std::shared_ptr<ServiceDurables> openDatabase(const data::DatabaseFactory& factory, const data::DatabaseSettings& settings);
    /// Releases the database: its sessions end with their last user.
    void closeDatabase();

private:
    std::shared_ptr<ServiceDurables> exchangeDurables(std::shared_ptr<ServiceDurables> next);

    const std::string _serviceId;
    const SharedParts& _shared;
    telemetry::ServiceLogger _logger;
    Metrics& _metrics;
    std::unique_ptr<StateStore> _state;
    HostCounters _counters;
    /// Shared with its streams, which their connections may keep longer than the platform lasts.
    const std::shared_ptr<EventHub> _channels = std::make_shared<EventHub>();
    MemoryStateStore* _memoryState = nullptr;
    const std::filesystem::path _blobDirectory;
    std::mutex _mutex;
    std::unique_ptr<Blobs> _blobs;
    /// `_blobs` where they are files.
    FileBlobs* _fileBlobs = nullptr;
    /// Locked, before `_mutex`, while files are deleted: `_fileBlobs` lasts until then.
    std::mutex _dropMutex;
    /// Locked only to copy or replace the pointer, since opening a database takes time.
    mutable std::mutex _durablesMutex;
    std::shared_ptr<ServiceDurables> _durables;
};

} // namespace portico::host::platform
