#pragma once

#include "host/plugins/lifecycle/LifecycleReport.h"
#include "host/plugins/lifecycle/LifecycleSettings.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace portico::host::plugins
{

class Operation;

/// Finds, starts, replaces and stops plugins. Commands are queued and executed one at a time on one thread, never on a request's thread and
/// never inside a plugin. Thread-safe. A failed command changes nothing: the previous version keeps serving, and the result has the reason.
///
/// If a service has no serving version because a dependency of its start is unavailable (such as the database), the start is retried at
/// growing intervals. Retries end when it starts, is refused for another reason, or is disabled.
///
/// Start order is that of `requires`, stop order its reverse. A reload starts the new generation beside the old one, publishes it, and then
/// drains and unloads the old one. The command ends after that, so at most one generation of a plugin is stopping.
class Lifecycle
{
public:
    /// Begins the thread; nothing is started yet. Removes private copies that an earlier run left. @throws std::system_error
    Lifecycle(LifecycleSettings settings, const LifecycleDependencies& dependencies);
    Lifecycle(const Lifecycle&) = delete;
    Lifecycle& operator=(const Lifecycle&) = delete;
    /// Stops everything that still serves, then ends the thread.
    ~Lifecycle();

    // Each returns at once. The future is ready when the command has been executed; it never has an exception. `requestedBy` is for the
    // log.
    std::future<OperationResult> startAll(std::string requestedBy) { return enqueue("start-all", {}, std::move(requestedBy)); }
    std::future<OperationResult> enable(std::string serviceId, std::string requestedBy)
    {
        return enqueue("enable", std::move(serviceId), std::move(requestedBy));
    }
    std::future<OperationResult> disable(std::string serviceId, std::string requestedBy)
    {
        return enqueue("disable", std::move(serviceId), std::move(requestedBy));
    }
    std::future<OperationResult> reload(std::string serviceId, std::string requestedBy)
    {
        return enqueue("reload", std::move(serviceId), std::move(requestedBy));
    }
    /// Verifies what is installed and brings the tables of the service up to date, without starting anything.
    std::future<OperationResult> migrate(std::string serviceId, std::string requestedBy)
    {
        return enqueue("migrate", std::move(serviceId), std::move(requestedBy));
    }
    /// Reloads what serves, tries what failed, starts new plugins, stops removed ones, and applies `services.<id>.enabled`.
    std::future<OperationResult> reloadAll(std::string requestedBy) { return enqueue("reload-all", {}, std::move(requestedBy)); }
    std::future<OperationResult> stopAll(std::string requestedBy) { return enqueue("stop-all", {}, std::move(requestedBy)); }

    /// Current reports of all services; never waits for a command.
    std::vector<ServiceReport> status() const { return _board.read(); }

private:
    /// Implements the commands on the lifecycle thread.
    class Commands;
    struct Queued
    {
        OperationResult begun;
        std::promise<OperationResult> promise;
    };

    std::future<OperationResult> enqueue(std::string command, std::string serviceId, std::string requestedBy);
    OperationResult begin(std::string command, std::string serviceId, std::string requestedBy);
    void run(const std::stop_token& stop);
    /// `again`: the same has been tried before.
    OperationResult carryOut(OperationResult begun, bool again = false);
    /// Tries what waits and is due.
    void retry();

    Logger& _log;
    const std::function<void(const OperationResult&)> _unasked;
    StatusBoard _board;
    std::unique_ptr<Commands> _commands;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    std::deque<Queued> _queue;
    std::atomic<std::uint64_t> _lastId{0};
    std::jthread _thread;
};

} // namespace portico::host::plugins
