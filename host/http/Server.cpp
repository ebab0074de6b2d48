#include "host/http/Server.h"

#include "host/http/Connection.h"
#include "host/http/EventLoop.h"
#include "host/http/Listener.h"
#include "host/http/WorkerPool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::http
{

namespace
{

unsigned cores() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

ServerSettings withDefaults(ServerSettings settings)
{
    if (settings.loops == 0) settings.loops = cores();
    if (settings.workers == 0) settings.workers = std::max(4U, 2 * cores());
    if (settings.heavyWorkers == 0) settings.heavyWorkers = std::max(1U, cores() / 2);
    if (settings.longWorkers == 0) settings.longWorkers = std::max(2U, cores() / 2);
    return settings;
}

} // namespace

/// Destroyed from below: what is below uses what is above.
class Server::Parts
{
public:
    Parts(ServerSettings given, Application& application)
        : context{withDefaults(std::move(given)), application, workers},
          workers{WorkerPool(context.settings.workers, context.settings.workerQueue),
                  WorkerPool(context.settings.heavyWorkers, context.settings.heavyQueue),
                  WorkerPool(context.settings.longWorkers, context.settings.longQueue, Sharing::ByTenant)}
    {
        for (unsigned i = 0; i < context.settings.loops; ++i) loops.push_back(std::make_unique<EventLoop>(context));
    }

    LoopContext context;
    std::vector<std::unique_ptr<EventLoop>> loops;
    /// Ended before the loops: a worker may still be in a loop's mailbox when the loop has ended.
    Workers workers;
    std::vector<std::unique_ptr<Listener>> listeners;
    bool running = false;
};

Server::Server(ServerSettings settings, Application& application) : _parts(std::make_unique<Parts>(std::move(settings), application)) {}

Server::~Server() { stop(std::chrono::milliseconds::zero()); }

Server::Bound Server::listen(const ListenerSettings& settings)
{
    EventLoop& home = *_parts->loops[_parts->listeners.size() % _parts->loops.size()];
    auto& listener = *_parts->listeners.emplace_back(std::make_unique<Listener>(settings, home, _parts->loops));
    if (_parts->running) listener.open();
    return {listener.address(), listener.port()};
}

void Server::start()
{
    if (std::exchange(_parts->running, true)) throw std::logic_error("the HTTP server is started already");
    for (auto& loop : _parts->loops) loop->start();
    for (auto& listener : _parts->listeners) listener->open();
}

bool Server::stop(std::chrono::milliseconds deadline)
{
    if (!std::exchange(_parts->running, false)) return true;
    // First all listeners, then the loops: a loop that has ended can be dealt no connection.
    for (auto& listener : _parts->listeners) listener->close();
    for (auto& loop : _parts->loops) loop->stop();
    bool late = false;
    std::jthread alarm(
        [&](const std::stop_token& ended)
        {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any().wait_for(lock, ended, deadline, [] { return false; });
            late = !ended.stop_requested();
            if (!late) return;
            for (auto& loop : _parts->loops) loop->abort();
        });
    for (auto& loop : _parts->loops) loop->join();
    alarm.request_stop();
    alarm.join();
    return !late;
}

void Server::reloadCertificates()
{
    std::optional<std::runtime_error> failure;
    for (auto& listener : _parts->listeners)
    {
        try
        {
            listener->reloadCertificate();
        }
        catch (const std::runtime_error& error)
        {
            failure = error;
        }
    }
    if (failure) throw *failure;
}

ServerStatistics Server::statistics() const noexcept
{
    ServerStatistics sum;
    for (const auto& loop : _parts->loops) loop->counters().addTo(sum);
    sum.connections = _parts->context.connections.load(std::memory_order_relaxed);
    sum.bodyMemoryBytes = _parts->context.bodyMemory.load(std::memory_order_relaxed);
    sum.workers = _parts->workers.worker.statistics();
    sum.heavyWorkers = _parts->workers.heavy.statistics();
    sum.longWorkers = _parts->workers.lasting.statistics();
    return sum;
}

} // namespace portico::host::http
