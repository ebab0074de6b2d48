#include "host/data/ConnectionPool.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace portico::host::data
{

namespace
{

thread_local bool onLoop = false;

} // namespace

EventLoopScope::EventLoopScope() noexcept { onLoop = true; }
EventLoopScope::~EventLoopScope() { onLoop = false; }
bool EventLoopScope::active() noexcept { return onLoop; }

ConnectionPool::ConnectionPool(const PoolLimits& limits, Open open) : _limits(limits), _open(std::move(open))
{
    _idle.reserve(static_cast<std::size_t>(_limits.maximum + _limits.reserve)); // so that `release` cannot fail
}

NativeConnection& ConnectionPool::acquire()
{
    Lock lock(_mutex);
    std::optional<Clock::time_point> deadline;
    for (;;)
    {
        if (auto connection = takeIdle(lock)) return *connection.release();
        if (mayOpen()) return *open(lock).release();
        if (!deadline) deadline = Clock::now() + _limits.wait;
        waitForChange(lock, *deadline);
    }
}

bool ConnectionPool::mayOpen() const noexcept
{
    // Idle connections that are reserved for waiting threads are unavailable, like lent ones.
    const auto lent = _stats.inUse + static_cast<int>(std::min(_idle.size(), _promised));
    return !_opening && lent < _limits.maximum + (EventLoopScope::active() ? _limits.reserve : 0);
}

std::unique_ptr<NativeConnection> ConnectionPool::takeIdle(Lock& lock)
{
    while (_idle.size() > _promised)
    {
        auto idle = std::move(_idle.back());
        _idle.pop_back();
        countIdle();
        ++_stats.inUse;
        lock.unlock(); // the check may ask the server
        const bool usable = idle.connection->isUsable(Clock::now() - idle.since > _limits.idleCheck);
        if (usable) return std::move(idle.connection);
        forget(lock, std::move(idle.connection));
    }
    return nullptr;
}

void ConnectionPool::forget(Lock& lock, std::unique_ptr<NativeConnection> connection)
{
    connection.reset();
    lock.lock();
    --_stats.inUse;
    _changed.notify_one();
}

std::unique_ptr<NativeConnection> ConnectionPool::open(Lock& lock)
{
    _opening = true;
    ++_stats.inUse;
    lock.unlock();
    try
    {
        auto connection = _open(_statementsPrepared);
        connection->countWaiters(_waiting);
        lock.lock();
        _opening = false;
        ++_stats.opened;
        _changed.notify_all(); // the next may open: one that only waits for a session to come back would keep the word from an event loop
        return connection;
    }
    catch (const DatabaseError& error)
    {
        openFailed(lock, error);
        throw;
    }
    catch (const std::exception& error)
    {
        const DatabaseError unavailable(DatabaseError::Kind::Unavailable, "08001", {},
                                        std::string("the database cannot be opened: ") + error.what());
        openFailed(lock, unavailable);
        throw unavailable;
    }
}

void ConnectionPool::openFailed(Lock& lock, const DatabaseError& error)
{
    lock.lock();
    _opening = false;
    --_stats.inUse;
    ++_stats.openFailures;
    _openFailure = {error.kind(), error.sqlState(), error.what()};
    _changed.notify_all();
}

void ConnectionPool::waitForChange(Lock& lock, Clock::time_point deadline)
{
    const auto failures = _stats.openFailures;
    ++_waiting;
    const auto status = _changed.wait_until(lock, deadline);
    --_waiting;
    if (_promised > 0) --_promised;
    countIdle();
    if (_stats.openFailures != failures)
    {
        const auto& [kind, sqlState, text] = _openFailure;
        throw DatabaseError(kind, sqlState, {}, text);
    }
    const bool mayTry = !_idle.empty() || mayOpen();
    if (status != std::cv_status::timeout || mayTry) return;
    ++_stats.timeouts;
    throw DatabaseError(DatabaseError::Kind::Busy, "53300", {},
                        "SQLSTATE 53300: all " + std::to_string(_limits.maximum) + " database sessions of the service were in use for " +
                            std::to_string(_limits.wait.count()) + " ms");
}

/// Reserves an idle connection, or an opening, for a waiting thread, so that a later caller does not overtake it.
void ConnectionPool::promiseIdle()
{
    if (static_cast<std::size_t>(_waiting) > _promised)
    {
        if (_idle.size() > _promised) ++_promised;
        _changed.notify_one();
    }
    countIdle();
}

std::unique_ptr<NativeConnection> ConnectionPool::takeStale(Clock::time_point now)
{
    if (_idle.empty() || now - _idle.front().since <= _limits.idleClose) return nullptr;
    auto connection = std::move(_idle.front().connection);
    _idle.erase(_idle.begin());
    return connection;
}

void ConnectionPool::release(NativeConnection& connection) noexcept
{
    std::unique_ptr<NativeConnection> owned(&connection);
    if (!owned->restore()) owned.reset();
    const auto now = Clock::now();
    std::unique_ptr<NativeConnection> stale;
    {
        const std::lock_guard lock(_mutex);
        --_stats.inUse;
        if (owned) _idle.push_back({std::move(owned), now});
        stale = takeStale(now);
        promiseIdle();
    }
}

void ConnectionPool::giveMemoryBack(std::chrono::seconds unused)
{
    const auto until = Clock::now() - unused;
    while (auto idle = takeUnused(until))
    {
        idle->connection->giveMemoryBack();
        idle->gaveMemoryBack = true;
        putBack(*std::move(idle));
    }
}

std::optional<ConnectionPool::Idle> ConnectionPool::takeUnused(Clock::time_point until)
{
    const std::lock_guard lock(_mutex);
    const auto found = std::ranges::find_if(_idle, [&](const Idle& idle) { return idle.since <= until && !idle.gaveMemoryBack; });
    if (found == _idle.end()) return std::nullopt;
    auto idle = std::move(*found);
    _idle.erase(found);
    countIdle();
    ++_stats.inUse;
    return idle;
}

void ConnectionPool::putBack(Idle idle)
{
    const std::lock_guard lock(_mutex);
    --_stats.inUse;
    _idle.insert(std::ranges::upper_bound(_idle, idle.since, {}, &Idle::since), std::move(idle));
    promiseIdle();
}

PoolStats ConnectionPool::stats() const
{
    const std::lock_guard lock(_mutex);
    auto stats = _stats;
    stats.idle = static_cast<int>(_idle.size());
    stats.waiting = _waiting;
    stats.maximum = _limits.maximum;
    stats.statementsPrepared = _statementsPrepared.load(std::memory_order_relaxed);
    return stats;
}

} // namespace portico::host::data
