#include "host/plugins/lifecycle/Lifecycle.h"

#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/Rollout.h"
#include "host/plugins/lifecycle/ServiceTable.h"

#include <utility>

namespace portico::host::plugins
{

namespace
{
constexpr const char* safeModeText =
    "the host runs in safe mode (--safe-mode or plugins.safeMode), in which only what came with it is started: "
    "restart it without";
} // namespace

/// Executes the commands of the Lifecycle one after another. Used by the lifecycle thread only.
class Lifecycle::Commands
{
public:
    Commands(LifecycleSettings settings, const LifecycleDependencies& dependencies, StatusBoard& board)
        : _settings(std::move(settings)),
          _dependencies(dependencies),
          _table(_settings, dependencies.clock, board),
          _registration(dependencies.registration, _table),
          _rollout(_settings, dependencies, _table, _registration)
    {
    }

    void startAll(Operation& operation)
    {
        _rollout.settleResidents(operation);
        _table.refresh(operation);
        for (auto& [id, service] : _table.entries())
        {
            service.enabled = _settings.enabled(id);
            if (!service.enabled)
                _table.setState(service, State::Disabled);
            else if (service.skippedBySafeMode)
                skip(service, operation);
            else if (const auto reason = _table.obstacle(service); !reason.empty())
                _table.fail(service, reason, operation);
        }
        for (const auto& id : _table.startOrder())
            if (auto& service = _table.at(id); service.wanted() && !service.current) _rollout.replace(service, operation);
        // Also when nothing could be started: the routes of switched off services answer 503.
        publish(operation);
        registerServices(operation);
    }

    void enable(Operation& operation)
    {
        const auto& serviceId = operation.serviceId();
        auto* service = asInstalled(operation);
        if (!service) return;
        service->enabled = true;
        _rollout.release(*service);
        if (service->skippedBySafeMode) return operation.fail(serviceId, safeModeText);
        if (service->current)
            operation.note(serviceId, "it serves already");
        else
            _rollout.replace(*service, operation);
        registerServices(operation);
    }

    void disable(Operation& operation)
    {
        _rollout.settleResidents(operation);
        auto* service = _table.find(operation.serviceId(), operation);
        if (!service) return;
        service->enabled = false;
        _rollout.switchOff(*service, State::Disabled, operation);
        registerServices(operation);
    }

    void reload(Operation& operation)
    {
        const auto& serviceId = operation.serviceId();
        auto* service = asInstalled(operation);
        if (!service) return;
        if (!service->enabled) return operation.fail(serviceId, "it is disabled: enable it first");
        if (service->skippedBySafeMode) return operation.fail(serviceId, safeModeText);
        _rollout.release(*service);
        _rollout.replace(*service, operation);
        registerServices(operation);
    }

    void migrate(Operation& operation)
    {
        const auto& serviceId = operation.serviceId();
        _table.refresh(operation);
        auto* service = _table.find(serviceId, operation);
        if (!service) return;
        if (!service->installed) return operation.fail(serviceId, lines(service->manifestErrors));
        _rollout.migrate(*service, operation);
    }

    /// Applies the configuration too: what was switched on or off since starts or stops. Services whose folder was removed are stopped.
    void reloadAll(Operation& operation)
    {
        _rollout.settleResidents(operation);
        _table.refresh(operation);
        for (auto& [id, service] : _table.entries()) service.enabled = _settings.enabled(id);
        for (const auto& id : _table.stopOrder())
            if (auto& service = _table.at(id); service.removed)
                stopRemoved(service, operation);
            else if (!service.enabled && service.state != State::Disabled)
                _rollout.switchOff(service, State::Disabled, operation);
        if (_table.dropRemoved()) publish(operation);
        for (auto& [id, service] : _table.entries())
            if (const bool starts = service.enabled && !service.removed; starts && service.skippedBySafeMode)
                skip(service, operation);
            else if (starts && !_table.obstacle(service).empty())
                _table.fail(service, _table.obstacle(service), operation);
        for (const auto& id : _table.startOrder())
            if (auto& service = _table.at(id); service.wanted()) _rollout.replace(service, operation);
        registerServices(operation);
    }

    void stopAll(Operation& operation)
    {
        _rollout.settleResidents(operation);
        for (const auto& id : _table.stopOrder())
            if (auto& service = _table.at(id); service.current) _rollout.switchOff(service, State::Stopped, operation);
        for (auto& [id, service] : _table.entries())
            if (std::exchange(service.waiting, std::nullopt)) _table.setState(service, State::Stopped);
        _registration.waiting.reset();
        _rollout.settleResidents(operation);
    }

    /// When the next of those that wait for something to come back is to be tried again.
    std::optional<std::chrono::steady_clock::time_point> nextRetry() const
    {
        std::optional<std::chrono::steady_clock::time_point> next;
        for (const auto& [id, time] : retries())
            if (!next || time < *next) next = time;
        return next;
    }

    /// Services whose retry is due. The empty id means a retry of the service registration.
    std::vector<std::string> dueRetries(std::chrono::steady_clock::time_point now) const
    {
        std::vector<std::string> due;
        for (const auto& [id, time] : retries())
            if (time <= now) due.push_back(id);
        return due;
    }

    bool waits(const std::string& serviceId) const { return retries().contains(serviceId); }

    /// Tries one of them again; it may wait on.
    void retry(Operation& operation)
    {
        const auto& serviceId = operation.serviceId();
        if (serviceId.empty()) return registerServices(operation, std::exchange(_registration.waiting, std::nullopt));
        const auto before = _table.at(serviceId).waiting;
        // In any case the next try is not immediate.
        if (before) _table.at(serviceId).waiting = waitFor(before->what, before->tries, _settings.retry, std::chrono::steady_clock::now());
        _rollout.settleResidents(operation);
        _table.refresh(operation);
        auto* service = _table.find(serviceId, operation);
        if (!service || !before) return;
        _rollout.replace(*service, operation, before);
        if (service->current) registerServices(operation);
    }

private:
    /// Returns the service of the operation, with its current files. Null, with a reported failure, if there is none.
    ServiceEntry* asInstalled(Operation& operation)
    {
        _rollout.settleResidents(operation);
        _table.refresh(operation);
        return _table.find(operation.serviceId(), operation);
    }

    std::map<std::string, std::chrono::steady_clock::time_point> retries() const
    {
        std::map<std::string, std::chrono::steady_clock::time_point> times;
        for (const auto& [id, service] : _table.entries())
            if (service.waiting) times.emplace(id, service.waiting->nextTry);
        if (_registration.waiting) times.emplace("", _registration.waiting->nextTry);
        return times;
    }

    /// Says that safe mode keeps a service from being started.
    void skip(ServiceEntry& service, Operation& operation)
    {
        service.lastError = safeModeText;
        _table.setState(service, State::Disabled);
        operation.note(service.serviceId, safeModeText);
    }

    void stopRemoved(ServiceEntry& service, Operation& operation)
    {
        if (!service.current) return;
        _rollout.switchOff(service, State::Stopped, operation);
        operation.note(service.serviceId, "its folder was removed, and it was stopped");
    }

    void publish(Operation& operation)
    {
        if (!operation.step("publish", "", [&] { _dependencies.publisher.publish(_table.publishedSet()); }))
            operation.fail("", operation.lastError());
    }

    /// @param before wait of earlier attempts to register
    void registerServices(Operation& operation, const std::optional<Waiting>& before = {})
    {
        if (_registration.tell(operation, before)) publish(operation);
    }

    const LifecycleSettings _settings;
    LifecycleDependencies _dependencies;
    ServiceTable _table;
    Registration _registration;
    Rollout _rollout;
};

Lifecycle::Lifecycle(LifecycleSettings settings, const LifecycleDependencies& dependencies)
    : _log(dependencies.log),
      _unasked(settings.unasked),
      _commands(std::make_unique<Commands>(std::move(settings), dependencies, _board)),
      _thread([this](const std::stop_token& stop) { run(stop); })
{
}

Lifecycle::~Lifecycle()
{
    stopAll("end of the host");
    _thread.request_stop();
    _thread.join();
}

std::future<OperationResult> Lifecycle::enqueue(std::string command, std::string serviceId, std::string requestedBy)
{
    std::future<OperationResult> future;
    {
        const std::lock_guard lock(_mutex);
        _queue.push_back({begin(std::move(command), std::move(serviceId), std::move(requestedBy)), {}});
        future = _queue.back().promise.get_future();
    }
    _wake.notify_one();
    return future;
}

OperationResult Lifecycle::begin(std::string command, std::string serviceId, std::string requestedBy)
{
    OperationResult begun;
    begun.command = std::move(command);
    begun.serviceId = std::move(serviceId);
    begun.requestedBy = std::move(requestedBy);
    begun.id = ++_lastId;
    return begun;
}

void Lifecycle::run(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    for (;;)
    {
        // Asked to stop, it still carries out what was queued before: the last command is the one that stops everything.
        const auto queued = [this] { return !_queue.empty(); };
        const auto next = _commands->nextRetry();
        if (!(next ? _wake.wait_until(lock, stop, *next, queued) : _wake.wait(lock, stop, queued)))
        {
            if (stop.stop_requested()) return;
            lock.unlock();
            retry();
            lock.lock();
            continue;
        }
        auto command = std::move(_queue.front());
        _queue.pop_front();
        lock.unlock();
        command.promise.set_value(carryOut(std::move(command.begun)));
        lock.lock();
    }
}

OperationResult Lifecycle::carryOut(OperationResult begun, bool again)
{
    static const std::map<std::string, void (Commands::*)(Operation&)> works{
        {"start-all", &Commands::startAll}, {"enable", &Commands::enable},   {"disable", &Commands::disable},
        {"reload", &Commands::reload},      {"migrate", &Commands::migrate}, {"reload-all", &Commands::reloadAll},
        {"stop-all", &Commands::stopAll},   {"retry", &Commands::retry}};
    const auto work = works.at(begun.command);
    Operation operation(std::move(begun), _log, again);
    try
    {
        (_commands.get()->*work)(operation);
    }
    catch (const std::exception& error)
    {
        operation.fail({}, std::string("the host itself failed: ") + error.what());
    }
    return operation.finish();
}

void Lifecycle::retry()
{
    for (const auto& id : _commands->dueRetries(std::chrono::steady_clock::now()))
    {
        auto operation = carryOut(begin("retry", id, "the host"), true);
        // Retries that changed nothing are not reported.
        if (_unasked && !_commands->waits(id)) _unasked(operation);
    }
}

} // namespace portico::host::plugins
