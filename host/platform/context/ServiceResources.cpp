#include "host/platform/context/ServiceResources.h"

#include <stdexcept>
#include <utility>

namespace portico::host::platform
{

namespace
{

/// How often an outbox is looked at for events that another host wrote; this host's own are known at once.
constexpr std::chrono::milliseconds pollShared{2'000};
constexpr std::chrono::milliseconds pollOwn{30'000};
/// The same while notifications arrive.
constexpr std::chrono::milliseconds pollWhileReceiving{600'000};
/// Shortest time between two looks for periodic jobs that rest.
constexpr std::chrono::seconds restsAreLeft{5};

} // namespace

ServiceDurables::ServiceDurables(std::string serviceId, std::unique_ptr<data::ServiceDatabase> database, const SharedParts& shared,
                                 std::shared_ptr<EventHub> channels, std::function<Blobs&()> blobs)
    : _serviceId(std::move(serviceId)),
      _shared(shared),
      _channels(std::move(channels)),
      _native(*database),
      _database(
          std::move(database), [this] { workWritten(); },
          shared.notifier ? std::function<void()>([this] { rowsWritten(); }) : std::function<void()>()),
      // Below the signals: what the host itself writes about jobs is no reason to look for more.
      _jobs(_native, shared.clock),
      _outbox(_native, _jobs, shared.clock),
      _endpoints(_native, _jobs, shared.clock),
      _logger(shared.log, _serviceId),
      _serverJobs(_pluginJobs),
      _deliveries(_outbox, shared.subscriptions),
      _mails(shared.mailTransport, shared.settings.mail.from, std::move(blobs), shared.clock),
      _webhooks(_outbox, _jobs, shared.webhooks, shared.http, shared.clock),
      _pluginDeliveries(_endpoints, shared.http, shared.clock, _logger),
      _work(_serviceId, _jobs, {&_pluginJobs, &_deliveries},
            shared.notifier ? std::function<std::uint64_t()>([this] { return _database.writes(); }) : std::function<std::uint64_t()>()),
      _network(_serviceId, _jobs, {&_mails, &_webhooks, &_pluginDeliveries}),
      _servers(_serviceId, _jobs, {&_serverJobs})
{
}

void ServiceDurables::workWritten()
{
    poke();
    if (_shared.notifier != nullptr) _shared.notifier->notify(_serviceId);
}

void ServiceDurables::rowsWritten()
{
    const auto now = std::chrono::steady_clock::now();
    auto last = _restsEnded.load();
    if (!isOpen() || now - last < restsAreLeft || !_pluginJobs.followsWrites()) return;
    if (!_restsEnded.compare_exchange_strong(last, now)) return;
    _endRests.store(true);
    _shared.outboxPool.poke(_outboxSource);
}

void ServiceDurables::open()
{
    if (isOpen()) return;
    // An SQLite file has one host: earlier lease holders have ended, so their leases need not expire first.
    if (_database.dialect() == Dialect::SQLite) _jobs.releaseAll();
    _jobs.bringNear();
    _shared.workLane.add(_work);
    _shared.networkLane.add(_network);
    _shared.serverLane.add(_servers);
    _outboxSource = _shared.outboxPool.add(_serviceId, [this](const PollingPool::AdmitNext&) { return dispatchEvents(); });
    _open.store(true);
    if (_shared.notifier != nullptr) _shared.notifier->watch(_serviceId);
}

void ServiceDurables::close()
{
    if (!_open.exchange(false)) return;
    if (_shared.notifier != nullptr) _shared.notifier->unwatch(_serviceId);
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

ServiceDurables::Counts ServiceDurables::count()
{
    auto snapshot = _native.snapshot();
    Counts counts{_jobs.count(snapshot), EndpointStore::countDisabled(snapshot)};
    std::erase_if(_unhandled, [this](const auto& type) { return !_pluginJobs.lacks(type); });
    // Sooner, a host with another version of the plugin may take them.
    for (const auto& type : _jobs.overdueTypes(snapshot, std::chrono::minutes(1)))
        if (_pluginJobs.lacks(type) && _unhandled.insert(type).second)
            _logger.warning("jobs wait that the plugin has no function for: install one that has, or discard them (porticoctl jobs list "
                            "--status waiting)",
                            {{"type", type}});
    return counts;
}

std::chrono::milliseconds ServiceDurables::dispatchEvents()
{
    const auto dispatched = platform::dispatchEvents(_outbox, _shared.subscriptions, _shared.webhooks,
                                                     _channels->changesAreRead() ? _channels.get() : nullptr, _shared.clock.now());
    const bool rested = _endRests.exchange(false) && _jobs.endRests();
    // Dispatched events are jobs now.
    if (dispatched != Dispatched::Nothing || rested)
    {
        _shared.workLane.poke(_work);
        _shared.networkLane.poke(_network);
        _shared.serverLane.poke(_servers);
    }
    if (dispatched == Dispatched::More) return std::chrono::milliseconds(0);
    if (_database.dialect() != Dialect::PostgreSQL) return pollOwn;
    return _shared.notifier != nullptr && _shared.notifier->isReceiving() ? pollWhileReceiving : pollShared;
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

Blobs& ServiceResources::blobs()
{
    const std::lock_guard lock(_mutex);
    if (_blobs) return *_blobs;
    const auto quota = _shared.settings.blobQuotaBytesPerScope;
    if (_shared.bucket != nullptr)
        return *(_blobs = std::make_unique<S3Blobs>(*_shared.bucket, _serviceId, _blobDirectory / "parts", quota, _shared.clock));
    auto files = std::make_unique<FileBlobs>(_blobDirectory, quota, &_shared.blobHold);
    _fileBlobs = files.get();
    _blobs = std::move(files);
    return *_blobs;
}

void ServiceResources::dropBlobs()
{
    const std::lock_guard dropping(_dropMutex);
    const std::lock_guard lock(_mutex);
    const auto removal = _shared.blobHold.beginRemoval();
    if (!removal) throw std::runtime_error("nothing was deleted, because a backup is being made: repeat the command after it");
    _fileBlobs = nullptr;
    _blobs.reset();
    if (_shared.bucket != nullptr)
        S3Blobs(*_shared.bucket, _serviceId, _blobDirectory / "parts", FileBlobs::unlimited, _shared.clock).removeAll();
    std::filesystem::remove_all(_blobDirectory);
}

void ServiceResources::dropHeldBlobs()
{
    const std::lock_guard dropping(_dropMutex);
    std::unique_lock lock(_mutex);
    auto* const files = _fileBlobs;
    lock.unlock();
    if (files != nullptr) files->dropHeld();
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
