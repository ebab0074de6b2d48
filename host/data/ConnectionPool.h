#pragma once

#include "host/data/NativeConnection.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace portico::host::data
{

/// Says that the current thread is an event loop, which must not wait: where all sessions are lent, a pool that can opens another one for
/// it (`PoolLimits::reserve`) instead. Scopes do not nest.
class EventLoopScope
{
public:
    EventLoopScope() noexcept;
    EventLoopScope(const EventLoopScope&) = delete;
    EventLoopScope& operator=(const EventLoopScope&) = delete;
    ~EventLoopScope();
    /// Returns true on an event loop's thread.
    static bool active() noexcept;
};

/// Metrics of a pool.
struct PoolStats
{
    int inUse = 0;
    int idle = 0;
    int waiting = 0;
    int maximum = 0;
    std::uint64_t opened = 0;
    std::uint64_t openFailures = 0;
    /// Units of work that waited in vain.
    std::uint64_t timeouts = 0;
    std::uint64_t statementsPrepared = 0;
};

struct PoolLimits
{
    int maximum = 1;
    /// Beyond the maximum, for event loops: one each, since a loop serves one request at a time.
    int reserve = 0;
    std::chrono::milliseconds wait{2'000};
    std::chrono::seconds idleCheck{30};
    std::chrono::seconds idleClose{300};
};

/// Lends connections, the most recently used first. Opens them on demand, checks them before lending, and closes broken and long idle ones.
/// Waiting is bounded and in order of arrival. Thread-safe. All connections are back before it ends.
class ConnectionPool
{
public:
    using Open = std::function<std::unique_ptr<NativeConnection>(std::atomic<std::uint64_t>& statementsPrepared)>;

    ConnectionPool(const PoolLimits& limits, Open open);

    /// @throws DatabaseError Busy when none is free in time, Unavailable when the database cannot be reached.
    NativeConnection& acquire();
    void release(NativeConnection& connection) noexcept;
    /// One is idle, as far as is known without the lock.
    bool hasIdle() const noexcept { return _idleCount.load(std::memory_order_relaxed) > 0; }
    /// Has connections that were unused for `unused` release their caches, each once.
    void giveMemoryBack(std::chrono::seconds unused);
    PoolStats stats() const;

private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;
    struct Idle
    {
        std::unique_ptr<NativeConnection> connection;
        Clock::time_point since;
        bool gaveMemoryBack = false;
    };

    std::unique_ptr<NativeConnection> takeIdle(Lock& lock);
    std::unique_ptr<NativeConnection> open(Lock& lock);
    void openFailed(Lock& lock, const DatabaseError& error);
    bool mayOpen() const noexcept;
    void waitForChange(Lock& lock, Clock::time_point deadline);
    void forget(Lock& lock, std::unique_ptr<NativeConnection> connection);
    std::unique_ptr<NativeConnection> takeStale(Clock::time_point now);
    std::optional<Idle> takeUnused(Clock::time_point until);
    void putBack(Idle idle);
    void promiseIdle();
    void countIdle() noexcept { _idleCount.store(_idle.size() - std::min(_idle.size(), _promised), std::memory_order_relaxed); }

    const PoolLimits _limits;
    const Open _open;
    std::atomic<std::uint64_t> _statementsPrepared{0};
    mutable std::mutex _mutex;
    std::condition_variable _changed;
    /// Least recently used first.
    std::vector<Idle> _idle;
    /// Without those that are promised.
    std::atomic<std::size_t> _idleCount{0};
    /// Counted here; `stats` adds the rest.
    PoolStats _stats;
    /// Also read without the lock, by holders of a connection.
    std::atomic<int> _waiting{0};
    /// Number of idle connections that are reserved for notified threads.
    std::size_t _promised = 0;
    /// One connection is opened at a time: while the database is down, waiting threads get its failure instead of trying in turn.
    bool _opening = false;
    /// Why opening failed last: kind, SQLSTATE, text. No exception object is shared by threads.
    std::tuple<DatabaseError::Kind, std::string, std::string> _openFailure;
};

} // namespace portico::host::data
