#include "host/plugins/lifecycle/Lifecycle.h"

#include "host/plugins/lifecycle/Operation.h"
#include "host/plugins/lifecycle/Transitions.h"

namespace portico::host::plugins
{

Lifecycle::Lifecycle(LifecycleSettings settings, const LifecycleParts& parts)
    : _log(parts.log),
      _unasked(settings.unasked),
      _transitions(std::make_unique<Transitions>(std::move(settings), parts, _board)),
      _thread([this](const std::stop_token& stop) { run(stop); })
{
}

Lifecycle::~Lifecycle()
{
    stopAll("end of the host");
    _thread.request_stop();
    _thread.join();
}

std::future<OperationResult> Lifecycle::startAll(std::string requestedBy)
{
    return enqueue("start-all", {}, std::move(requestedBy), [](auto& transitions, auto& operation) { transitions.startAll(operation); });
}

std::future<OperationResult> Lifecycle::enable(std::string serviceId, std::string requestedBy)
{
    return enqueue("enable", serviceId, std::move(requestedBy),
                   [serviceId](auto& transitions, auto& operation) { transitions.enable(serviceId, operation); });
}

std::future<OperationResult> Lifecycle::disable(std::string serviceId, std::string requestedBy)
{
    return enqueue("disable", serviceId, std::move(requestedBy),
                   [serviceId](auto& transitions, auto& operation) { transitions.disable(serviceId, operation); });
}

std::future<OperationResult> Lifecycle::reload(std::string serviceId, std::string requestedBy)
{
    return enqueue("reload", serviceId, std::move(requestedBy),
                   [serviceId](auto& transitions, auto& operation) { transitions.reload(serviceId, operation); });
}

std::future<OperationResult> Lifecycle::migrate(std::string serviceId, std::string requestedBy)
{
    return enqueue("migrate", serviceId, std::move(requestedBy),
                   [serviceId](auto& transitions, auto& operation) { transitions.migrate(serviceId, operation); });
}

std::future<OperationResult> Lifecycle::reloadAll(std::string requestedBy)
{
    return enqueue("reload-all", {}, std::move(requestedBy), [](auto& transitions, auto& operation) { transitions.reloadAll(operation); });
}

std::future<OperationResult> Lifecycle::stopAll(std::string requestedBy)
{
    return enqueue("stop-all", {}, std::move(requestedBy), [](auto& transitions, auto& operation) { transitions.stopAll(operation); });
}

std::future<OperationResult> Lifecycle::enqueue(std::string command, std::string serviceId, std::string requestedBy, Work work)
{
    Command queued;
    queued.begun.command = std::move(command);
    queued.begun.serviceId = std::move(serviceId);
    queued.begun.requestedBy = std::move(requestedBy);
    queued.work = std::move(work);
    auto future = queued.promise.get_future();
    {
        const std::lock_guard lock(_mutex);
        queued.begun.id = ++_lastId;
        _queue.push_back(std::move(queued));
    }
    _wake.notify_one();
    return future;
}

void Lifecycle::run(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    for (;;)
    {
        // Asked to stop, it still carries out what was queued before: the last command is the one that stops everything.
        const auto queued = [this] { return !_queue.empty(); };
        const auto next = nextRetry();
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
        carryOut(std::move(command));
        lock.lock();
    }
}

void Lifecycle::carryOut(Command command)
{
    Operation operation(std::move(command.begun), _log);
    try
    {
        command.work(*_transitions, operation);
    }
    catch (const std::exception& error)
    {
        operation.fail({}, std::string("the host itself failed: ") + error.what());
    }
    command.promise.set_value(operation.finish());
}

std::optional<std::chrono::steady_clock::time_point> Lifecycle::nextRetry() const
{
    std::optional<std::chrono::steady_clock::time_point> next;
    for (const auto& [id, due] : _transitions->retries())
        if (!next || due < *next) next = due;
    return next;
}

void Lifecycle::retry()
{
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [id, due] : _transitions->retries())
    {
        if (due > now) continue;
        OperationResult begun;
        begun.command = "retry";
        begun.serviceId = id;
        begun.requestedBy = "the host";
        {
            const std::lock_guard lock(_mutex);
            begun.id = ++_lastId;
        }
        Operation operation(std::move(begun), _log, true);
        try
        {
            _transitions->retry(id, operation);
        }
        catch (const std::exception& error)
        {
            operation.fail({}, std::string("the host itself failed: ") + error.what());
        }
        // Nobody is told of a try that changed nothing.
        if (_unasked && !_transitions->retries().contains(id)) _unasked(operation.finish());
    }
}

} // namespace portico::host::plugins
