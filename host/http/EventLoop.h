#pragma once

#include "host/base/PlaceCounts.h"
#include "host/http/ExchangeSlot.h"
#include "host/http/InputBuffer.h"
#include "host/http/ServerSettings.h"
#include "host/http/ServerStatistics.h"
#include "host/http/TimerWheel.h"
#include "host/http/WorkerPool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace portico::host::http
{

class Connection;

/// State that all loops of a server share. Immutable except for the counters.
struct LoopContext
{
    const ServerSettings settings;
    Application& application;
    Workers& workers;
    const TrustedProxies proxies{settings.trustedProxies};
    const TrustedProxies uncounted{settings.uncountedPeers};
    std::atomic<std::size_t> connections{0};
    /// Those of them that have said their last word and still read.
    std::atomic<std::size_t> lingering{0};
    /// Bytes of `ServerSettings::bodyMemoryBytes` that request bodies use.
    std::atomic<std::uint64_t> bodyMemory{0};
    /// How many connections each address has, an IPv6 one together with its /64 network.
    PlaceCounts<IpAddress> addresses{};
};

/// Something whose descriptor a loop watches.
class EventSource
{
public:
    virtual ~EventSource() = default;
    /// On the loop. @param events flags from epoll
    virtual void ready(std::uint32_t events) noexcept = 0;
};

/// One thread with its own epoll set: owns its connections, moves their bytes, and never blocks.
class EventLoop
{
public:
    /// @throws std::system_error if the kernel has no descriptors left.
    explicit EventLoop(LoopContext& context);
    /// The loop has ended or was never started.
    ~EventLoop();

    void start();
    void join();

    /// From any thread: opens the connection soon. It is the loop's from now on.
    void adopt(std::unique_ptr<Connection> connection) noexcept;
    /// Returns an item to the loop, which calls `worked` soon. The item may be destroyed when this returns.
    void post(WorkItem& item) noexcept;
    /// Hands back an item that has nothing to do until its peer sends something. Wakes the loop only while the loop expects an item
    /// (`expectReturn`).
    void leave(WorkItem& item) noexcept;
    /// Closes idle connections, completes requests that are running, then ends.
    void stop() noexcept;
    /// Closes all connections, waits for what workers still do, then ends.
    void abort() noexcept;
    std::size_t load() const noexcept { return _load.load(std::memory_order_relaxed); }
    const LoopCounters& counters() const noexcept { return _counters; }

    /// The rest is for what runs on the loop.
    LoopContext& context() noexcept { return _context; }
    const ServerSettings& settings() const noexcept { return _context.settings; }
    BlockPool& blocks() noexcept { return _blocks; }
    SlotPool& slots() noexcept { return _slots; }
    TimerWheel& timers() noexcept { return _timers; }
    RequestIds& requestIds() noexcept { return _requestIds; }
    LoopCounters& count() noexcept { return _counters; }
    /// Milliseconds of the steady clock, and since 1970, as of this turn of the loop.
    std::uint64_t now() const noexcept { return _now; }
    std::uint64_t wallMillis() const noexcept { return _wallMillis; }
    /// Returns the deadline after this time; `never` for zero.
    std::uint64_t after(std::chrono::milliseconds time) const noexcept
    {
        return time.count() > 0 ? _now + static_cast<std::uint64_t>(time.count()) : TimerWheel::never;
    }
    std::string_view date() const noexcept { return _date; }
    /// Call it when the peer of an item that a worker has sends something: until `returned`, `leave` wakes the loop.
    void expectReturn() noexcept { _expected.fetch_add(1); }
    void returned() noexcept { _expected.fetch_sub(1); }
    bool stopping() const noexcept { return _stopping.load(std::memory_order_relaxed); }
    /// From any thread. @throws std::system_error if the kernel refuses.
    void watch(int descriptor, std::uint32_t events, EventSource& source);
    void forget(int descriptor) noexcept;
    /// Takes ownership of a connection that `adopt` has queued.
    void take(Connection& connection);
    /// The connection is closed: destroyed at the end of this turn, when no event can name it any more.
    void retire(Connection& connection) noexcept;

private:
    void run() noexcept;
    void wait() noexcept;
    void readClocks();
    void drainQueue();
    void applyStopRequest();
    void destroyClosed();
    void wake() noexcept;
    void push(WorkItem& item) noexcept;

    LoopContext& _context;
    FileDescriptor _epoll;
    FileDescriptor _wakeup;
    BlockPool _blocks;
    SlotPool _slots;
    TimerWheel _timers;
    RequestIds _requestIds;
    LoopCounters _counters;
    std::uint64_t _now = 0;
    std::uint64_t _wallMillis = 0;
    std::string _date;
    std::time_t _dateSecond = 0;

    std::vector<std::unique_ptr<Connection>> _connections;
    std::vector<std::unique_ptr<Connection>> _retired;
    /// Items that workers have handed back, the last one first.
    std::atomic<WorkItem*> _queue{nullptr};
    std::atomic<bool> _sleeping{false};
    /// Connections that are on a worker while their peer expects a response.
    std::atomic<int> _expected{0};
    std::atomic<bool> _stopping{false};
    std::atomic<bool> _aborting{false};
    /// The last turn had more than one event.
    bool _busy = false;
    bool _stopApplied = false;
    bool _abortApplied = false;
    std::atomic<std::size_t> _load{0};
    std::jthread _thread;
};

} // namespace portico::host::http
