#include "host/platform/context/Platform.h"

#include "host/data/Migrator.h"
#include "host/data/engines/DatabaseFactory.h"
#include "host/platform/context/HostPluginContext.h"

#include <algorithm>
#include <functional>

namespace portico::host::platform
{

namespace
{

/// Name of the platform's migrations in every service's database; never changes.
constexpr const char* platformSet = "portico";

/// How long the end of the host waits for calls between its services.
constexpr std::chrono::seconds callPatience{5};
/// Longest time that a stopping host waits for mails and webhooks under way.
constexpr std::chrono::seconds deliveryPatience{5};

PlatformSettings completed(PlatformSettings settings)
{
    if (settings.mail.folder.empty()) settings.mail.folder = settings.stateDirectory / "mail";
    return settings;
}

HttpClientSettings loggingTo(Logger& log, HttpClientSettings settings)
{
    settings.log = &log;
    return settings;
}

std::unique_ptr<StateEngine> openStates(const std::optional<RedisSettings>& redis, Logger& log)
{
    if (!redis) return nullptr;
    auto* make = reinterpret_cast<MakeStateEngine*>(data::loadEngineMaker("redis", stateEngineVersionSymbol, makeStateEngineSymbol));
    return std::unique_ptr<StateEngine>(make(*redis, log));
}

/// Null also for unusable settings: the error is reported when a database is opened with them.
std::unique_ptr<data::WorkNotifier> makeNotifier(const data::DatabaseFactory& databases, const data::DatabaseSettings& settings,
                                                 data::WorkNotifier::OnWork onWork)
try
{
    return databases.notifier(settings, std::move(onWork));
}
catch (const std::exception&)
{
    return nullptr;
}

} // namespace

Platform::Platform(PlatformSettings settings, Settings configuration, HostFacts facts, const Clock& clock,
                   const data::DatabaseFactory& databases, plugins::InterfaceRegistry& interfaces)
    : _settings(completed(std::move(settings))),
      _clock(clock),
      _databases(databases),
      _interfaces(interfaces),
      _log(clock, _settings.log),
      _logger(_log, {}),
      _metrics(_settings.metricSeriesLimit),
      _states(openStates(_settings.redis, _logger)),
      _blobHold(_settings.blobDirectory()),
      _http(loggingTo(_logger, _settings.http)),
      _calls(_http),
      _helpers(_settings.helperDirectory(), _settings.helperProcesses),
      _mailTransport(makeMailTransport(_settings.mail)),
      _workLane({.name = "jobs", .threads = _settings.workThreads, .lease = _settings.jobLease}, clock, _log, _metrics),
      _networkLane({.name = "network", .threads = _settings.networkThreads, .lease = _settings.jobLease}, clock, _log, _metrics),
      _serverLane({.name = "servers", .threads = _settings.serverThreads, .lease = _settings.jobLease}, clock, _log, _metrics),
      _outboxPool("outbox", _log),
      _upkeepPool("upkeep", _log),
      _heldBlobsPool("held blobs", _log),
      _notifier(makeNotifier(databases, _settings.database, [this](std::string_view serviceId) { lookForWork(serviceId); })),
      _subscriptions([this] { _workLane.pokeAll(); }),
      _webhooks(interfaces, facts.hasWebhooks),
      _shared{clock,          _log,
              _metrics,       _http,
              _calls,         _helpers,
              _mailTransport, _settings,
              _blobHold,      _subscriptions,
              _webhooks,      _workLane,
              _networkLane,   _serverLane,
              _outboxPool,    _notifier.get(),
              _states.get(),  _settings.s3 ? &_bucket.emplace(*_settings.s3, _settings.http, clock, _logger, _metrics.of({})) : nullptr},
      _configuration(std::move(configuration)),
      _facts(std::move(facts))
{
    if (!_settings.traces.endpoint.empty())
    {
        _traces.emplace(_settings.traces, _log, _metrics);
        _workLane.trace(tracer());
        _networkLane.trace(tracer());
        _serverLane.trace(tracer());
    }
    if (_notifier)
        for (auto* lane : {&_workLane, &_networkLane, &_serverLane}) lane->receiveFrom(*_notifier);
    addUpkeep();
}

void Platform::start()
{
    _workLane.start();
    _networkLane.start();
    _serverLane.start();
    _outboxPool.start(1);
    _upkeepPool.start(1);
    _heldBlobsPool.start(1);
    if (_notifier) _notifier->start();
}

void Platform::stop()
{
    if (_notifier) _notifier->stop();
    // Stops accepting work first, and lets mails and webhooks under way arrive. Then ends exchanges with other servers and helper
    // processes, so that no plugin waits for them.
    _networkLane.requestStop();
    _serverLane.requestStop();
    _workLane.requestStop();
    _networkLane.awaitEnd(deliveryPatience);
    _http.interrupt();
    if (_bucket) _bucket->interrupt();
    _helpers.stop();
    _calls.threads.stop(callPatience);
    _outboxPool.stop();
    _workLane.stop();
    _networkLane.stop();
    _serverLane.stop();
    _upkeepPool.stop();
    _heldBlobsPool.stop();
    if (_traces) _traces->stop();
}

void Platform::migrate(const plugins::Manifest& manifest)
{
    if (!manifest.migrations) return;
    const auto durables = resourcesOf(manifest.serviceId).openDatabase(_databases, _settings.database);
    data::migrate(durables->native(), {platformSet, _settings.migrations}, _clock.now());
    for (const auto& applied : data::migrate(durables->native(), migrationsOf(manifest), _clock.now()))
        resourcesOf(manifest.serviceId).logger().information("migration applied", {{"file", applied.file.filename().string()}});
    durables->open();
}

void Platform::close(const std::string& serviceId) { resourcesOf(serviceId).closeDatabase(); }

void Platform::drop(const std::string& serviceId)
{
    auto& resources = resourcesOf(serviceId);
    if (resources.durables()) throw std::runtime_error("nothing was deleted, because the previous generation still uses its database");
    // First: during a backup nothing is deleted.
    resources.dropBlobs();
    _databases.drop(_settings.database, serviceId);
}

std::vector<data::Migration> Platform::pendingMigrations(const plugins::Manifest& manifest)
{
    if (!manifest.migrations) return {};
    const auto set = migrationsOf(manifest);
    // One that is switched off is looked at and let go of.
    if (const auto durables = resourcesOf(manifest.serviceId).durables()) return data::pendingMigrations(durables->native(), set);
    const auto database = _databases.open(_settings.database, manifest.serviceId);
    return data::pendingMigrations(*database, set);
}

std::unique_ptr<plugins::GenerationContext> Platform::create(const plugins::Manifest& manifest,
                                                             const std::shared_ptr<plugins::Generation>& generation)
{
    auto& resources = resourcesOf(manifest.serviceId);
    if (manifest.migrations) resources.openDatabase(_databases, _settings.database);
    std::unique_lock lock(_mutex);
    const auto configuration = _configuration;
    lock.unlock();
    return std::make_unique<HostPluginContext>(hostInfoFor(manifest), makeConfig(manifest, configuration), resources,
                                               manifest.migrations.has_value(), manifest.helpers, generation, _shared, _subscriptions,
                                               _interfaces);
}

void Platform::configure(Settings configuration)
{
    const std::lock_guard lock(_mutex);
    _configuration = std::move(configuration);
}

void Platform::tell(HostFacts facts)
{
    const std::lock_guard lock(_mutex);
    _facts = std::move(facts);
}

std::shared_ptr<data::ServiceDatabase> Platform::database(std::string_view serviceId)
{
    const std::lock_guard lock(_mutex);
    const auto found = _services.find(serviceId);
    const auto durables = found == _services.end() ? nullptr : found->second->durables();
    return durables ? std::shared_ptr<data::ServiceDatabase>(durables, &durables->native()) : nullptr;
}

std::map<std::string, data::DatabaseStats> Platform::databaseStats()
{
    std::map<std::string, data::DatabaseStats> stats;
    for (const auto* service : services())
        if (const auto durables = service->durables()) stats.emplace(service->serviceId(), durables->native().stats());
    return stats;
}

void Platform::giveMemoryBack(std::chrono::seconds unused)
{
    for (const auto* service : services())
        if (const auto durables = service->durables()) durables->native().giveMemoryBack(unused);
}

std::vector<JobSummary> Platform::listJobs(std::string_view serviceId, JobState state, std::size_t limit)
{
    std::vector<JobSummary> all;
    eachOpen(
        [&](const std::string& id, ServiceDurables& durables)
        {
            if (!serviceId.empty() && id != serviceId) return;
            for (auto& job : durables.jobs().list(state, limit))
            {
                job.serviceId = id;
                if (job.state == "waiting" && durables.pluginJobs().lacks(job.type))
                    job.lastError = "The plugin has no function for jobs of this type.";
                all.push_back(std::move(job));
            }
        });
    std::ranges::stable_sort(all, std::greater<>(), &JobSummary::id);
    if (all.size() > limit) all.resize(limit);
    return all;
}

bool Platform::retryJob(std::string_view id)
{
    bool found = false;
    eachOpen(
        [&](const std::string&, ServiceDurables& durables)
        {
            if (found || !durables.jobs().retryNow(id)) return;
            found = true;
            durables.poke();
        });
    return found;
}

bool Platform::discardJob(std::string_view id)
{
    bool found = false;
    eachOpen([&](const std::string&, ServiceDurables& durables) { found = found || durables.jobs().discard(id); });
    return found;
}

std::vector<ServiceResources*> Platform::services()
{
    std::vector<ServiceResources*> all;
    const std::lock_guard lock(_mutex);
    for (const auto& [id, resources] : _services) all.push_back(resources.get());
    return all;
}

void Platform::eachOpen(const std::function<void(const std::string& serviceId, ServiceDurables&)>& work)
{
    for (const auto* service : services())
        if (const auto durables = service->durables(); durables && durables->isOpen()) work(service->serviceId(), *durables);
}

ServiceResources& Platform::resourcesOf(const std::string& serviceId)
{
    const std::lock_guard lock(_mutex);
    auto& resources = _services[serviceId];
    if (!resources) resources = std::make_unique<ServiceResources>(serviceId, _shared);
    return *resources;
}

data::MigrationSet Platform::migrationsOf(const plugins::Manifest& manifest) const
{
    const std::lock_guard lock(_mutex);
    const bool resettable = std::ranges::find(_facts.resettable, manifest.serviceId) != _facts.resettable.end();
    return {manifest.serviceId, *manifest.migrations, resettable};
}

HostInfo Platform::hostInfoFor(const plugins::Manifest& manifest) const
{
    const std::lock_guard lock(_mutex);
    HostInfo info;
    info.version = _facts.version;
    info.serviceId = manifest.serviceId;
    info.serviceVersion = manifest.version;
    info.origins = _facts.origins;
    if (const auto own = _facts.origins.find(manifest.serviceId); own != _facts.origins.end()) info.origin = own->second;
    info.pluginDirectory = manifest.directory().string();
    info.plainHttp = _facts.plainHttp;
    return info;
}

void Platform::addUpkeep()
{
    const auto addTo = [](PollingPool& pool, const char* name, std::chrono::milliseconds interval, auto work)
    {
        pool.add(name,
                 [interval, work](const PollingPool::AdmitNext&)
                 {
                     work();
                     return interval;
                 });
    };
    const auto every = [this, addTo](const char* name, std::chrono::milliseconds interval, auto work)
    { addTo(_upkeepPool, name, interval, work); };
    const auto eachEvery = [this, every](const char* name, std::chrono::milliseconds interval, auto work)
    { every(name, interval, [this, work] { eachOpen(work); }); };
    using namespace std::chrono_literals;
    // Hosts that share a database count in it together.
    const auto countEvery = _notifier ? 60s : 15s;
    const auto bringNearEvery = _notifier ? 5min : 1min;
    every("job leases", _workLane.renewalInterval(), [this] { _workLane.renewLeases(); });
    every("network job leases", _networkLane.renewalInterval(), [this] { _networkLane.renewLeases(); });
    every("server job leases", _serverLane.renewalInterval(), [this] { _serverLane.renewLeases(); });
    every("expired values", 10s, [this] { sweepStates(); });
    every("state store", 10s, [this] { _metrics.of({}).gauge("state_store_up", stateStoreAnswers() ? 1 : 0); });
    if (_bucket) every("bucket of blobs", 10s, [this] { _bucket->probe(); });
    addTo(_heldBlobsPool, "held blobs", 1min, [this] { dropHeldBlobs(); });
    eachEvery("job counts", countEvery, [this](const std::string& id, ServiceDurables& durables) { countJobs(id, durables); });
    eachEvery("due times", bringNearEvery, [](const std::string&, ServiceDurables& durables) { durables.jobs().bringNear(); });
    eachEvery("databases", 10min, [this](const std::string&, ServiceDurables& durables) { durables.outbox().purge(_settings.keepEvents); });
}

void Platform::sweepStates()
{
    for (auto* service : services())
    {
        auto* memory = service->memoryState();
        if (memory == nullptr) continue;
        memory->sweep();
        _metrics.of({}).gauge("state_bytes", static_cast<double>(memory->usedBytes()), {{"service", service->serviceId()}});
    }
}

bool Platform::stateStoreAnswers() const noexcept
try
{
    if (_states) _states->ping();
    return true;
}
catch (const std::exception&)
{
    // Logged where it was noticed.
    return false;
}

void Platform::dropHeldBlobs()
{
    if (_blobHold.isHeld()) return;
    for (auto* service : services()) service->dropHeldBlobs();
}

void Platform::countJobs(const std::string& serviceId, ServiceDurables& durables)
{
    const auto [counts, disabledEndpoints] = durables.count();
    const auto tell = [&](const char* name, double value) { _metrics.of({}).gauge(name, value, {{"service", serviceId}}); };
    tell("jobs_waiting", static_cast<double>(counts.waiting));
    tell("jobs_running", static_cast<double>(counts.running));
    tell("jobs_dead", static_cast<double>(counts.dead));
    tell("jobs_overdue_seconds", std::chrono::duration<double>(counts.overdue).count());
    tell("endpoints_disabled", static_cast<double>(disabledEndpoints));
}

void Platform::lookForWork(std::string_view serviceId)
{
    for (const auto* service : services())
        if (const auto durables = service->durables(); durables && (serviceId.empty() || service->serviceId() == serviceId))
            durables->poke();
}

} // namespace portico::host::platform
