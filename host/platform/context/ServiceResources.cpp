#include "host/platform/context/ServiceResources.h"

#include <utility>

namespace portico::host::platform
{

namespace
{

/// How often an outbox is looked at for events that another host wrote; this host's own are known at once.
constexpr std::chrono::milliseconds pollShared{2'000};
constexpr std::chrono::milliseconds pollOwn{30'000};

} // namespace

ServiceDurables::ServiceDurables(std::string serviceId, std::unique_ptr<data::ServiceDatabase> database, const SharedParts& shared,
                                 std::shared_ptr<EventHub> channels, std::function<Blobs&()> blobs)
    : _serviceId(std::move(serviceId)),
      _shared(shared),
      _channels(std::move(channels)),
      _native(*database),
      _database(std::move(database), [this] { poke(); }),
      _jobs(_database, shared.clock),
      _outbox(_database, _jobs, shared.clock),
      _endpoints(_database, _jobs, shared.clock),
      _logger(shared.log, _serviceId),
      _serverJobs(_pluginJobs),
      _deliveries(_outbox, shared.subscriptions),
      _mails(shared.mailTransport, shared.settings.mail.from, std::move(blobs), shared.clock),
      _webhooks(_outbox, _jobs, shared.webhooks, shared.http, shared.clock),
      _pluginDeliveries(_endpoints, shared.http, shared.clock, _logger),
      _work(_serviceId, _jobs, {&_pluginJobs, &_deliveries}),
      _network(_serviceId, _jobs, {&_mails, &_webhooks, &_pluginDeliveries}),
      _servers(_serviceId, _jobs, {&_serverJobs})
{
}

void ServiceDurables::open()
{
    if (isOpen()) return;
    // An SQLite file has one host: whoever leased jobs before is gone, and they need not wait for the lease to end.
    if (_database.dialect() == Dialect::SQLite) _jobs.releaseAll();
    _jobs.bringNear();
    _shared.workLane.add(_work);
    _shared.networkLane.add(_network);
    _shared.serverLane.add(_servers);
    _outboxSource = _shared.outboxPool.add(_serviceId, [this](const PollingPool::AdmitNext&) { return dispatchEvents(); });
    _open.store(true);
}

void ServiceDurables::close()
{
    if (!_open.exchange(false)) return;
    _shared.outboxPool.remove(_outboxSource);
    _shared.workLane.remove(_work);
    _shared.networkLane.remove(_network);
    _shared.serverLane.remove(_servers);
}

void ServiceDurables::poke()
{
    if (!isOpen()) return;
    _shared.workLane.poke(_work);
    _shared.networkLane.poke(_network);
    _shared.serverLane.poke(_servers);
    _shared.outboxPool.poke(_outboxSource);
}

void ServiceDurables::warnOfUnhandled()
{
    std::erase_if(_unhandled, [this](const auto& type) { return !_pluginJobs.lacks(type); });
    // Sooner, a host with another version of the plugin may take them.
    for (const auto& type : _jobs.overdueTypes(std::chrono::minutes(1)))
        if (_pluginJobs.lacks(type) && _unhandled.insert(type).second)
            _logger.warning("jobs wait that the plugin has no function for: install one that has, or discard them (porticoctl jobs list "
                            "--status waiting)",
                            {{"type", type}});
}

std::chrono::milliseconds ServiceDurables::dispatchEvents()
{
    const auto more = platform::dispatchEvents(_outbox, _shared.subscriptions, _shared.webhooks,
                                               _channels->changesAreRead() ? _channels.get() : nullptr, _shared.clock.now());
    // What was dispatched are jobs now.
    _shared.workLane.poke(_work);
    _shared.networkLane.poke(_network);
    _shared.serverLane.poke(_servers);
    if (more) return std::chrono::milliseconds(0);
    return _database.dialect() == Dialect::PostgreSQL ? pollShared : pollOwn;
}

ServiceResources::ServiceResources(std::string serviceId, const SharedParts& shared)
    : _serviceId(std::move(serviceId)),
      _shared(shared),
      _logger(shared.log, _serviceId),
      _metrics(shared.metrics.of(_serviceId)),
      _blobDirectory(shared.settings.blobDirectory() / _serviceId)
{
    if (shared.states != nullptr)
    {
        _state = shared.states->open(_serviceId);
        return;
    }
    auto memory = std::make_unique<MemoryStateStore>(shared.clock, shared.settings.stateLimitBytes);
    _memoryState = memory.get();
    _state = std::move(memory);
}

FileBlobs& ServiceResources::blobs()
{
    const std::lock_guard lock(_mutex);
    if (!_blobs) _blobs = std::make_unique<FileBlobs>(_blobDirectory, _shared.settings.blobQuotaBytesPerScope, &_shared.blobHold);
    return *_blobs;
}

void ServiceResources::dropBlobs()
{
    const std::lock_guard lock(_mutex);
    _blobs.reset();
    std::filesystem::remove_all(_blobDirectory);
}

void ServiceResources::dropHeldBlobs()
{
    const std::lock_guard lock(_mutex);
    if (_blobs) _blobs->dropHeld();
}

std::shared_ptr<ServiceDurables> ServiceResources::durables() const
{
    const std::lock_guard lock(_durablesMutex);
    return _durables;
}

std::shared_ptr<ServiceDurables> ServiceResources::exchangeDurables(std::shared_ptr<ServiceDurables> next)
{
    const std::lock_guard lock(_durablesMutex);
    return std::exchange(_durables, std::move(next));
}

std::shared_ptr<ServiceDurables> ServiceResources::openDatabase(const data::DatabaseFactory& factory,
                                                                const data::DatabaseSettings& settings)
{
    const std::lock_guard lock(_mutex);
    if (auto open = durables()) return open;
    auto opened = std::make_shared<ServiceDurables>(_serviceId, factory.open(settings, _serviceId), _shared, _channels,
                                                    [this]() -> Blobs& { return blobs(); });
    exchangeDurables(opened);
    return opened;
}

void ServiceResources::closeDatabase()
{
    const std::lock_guard lock(_mutex);
    if (const auto closing = exchangeDurables(nullptr)) closing->close();
}

} // namespace portico::host::platform
