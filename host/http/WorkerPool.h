#pragma once

#include "host/http/Application.h"
#include "host/http/ServerStatistics.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace portico::host::http
{

/// Work that a loop passes to a worker and gets back. Belongs to its connection, so that queueing allocates no memory.
class WorkItem
{
public:
    virtual ~WorkItem() = default;
    /// On a worker. Ends with handing itself back to its loop.
    virtual void work() noexcept = 0;
    /// On the loop, after `work`.
    virtual void worked() noexcept = 0;

    /// Link for the current owner of the item: the queue, then the loop's mailbox.
    WorkItem* next = nullptr;
    /// Tenant of the work, for a pool that shares its threads; 0: no tenant and no limit.
    std::uint64_t tenant = 0;
};

/// How the threads of a pool are divided among tenants.
enum class Sharing : bool
{
    None,
    ByTenant ///< One tenant has half of the threads at most, and half of the queue; of a single thread, all of it.
};

/// Threads that run items of one bounded queue in order of arrival. With `Sharing::ByTenant`, items of a tenant that has used its share
/// wait, while items of other tenants pass. Thread-safe.
class WorkerPool
{
public:
    WorkerPool(unsigned threads, std::size_t maxQueued, Sharing sharing = Sharing::None);
    /// Runs what is queued, then ends the threads.
    ~WorkerPool();

    /// Returns false, without queuing, if the queue of the item's tenant or of the pool is full. @param letIn The item is a later step of
    /// an admitted request, and is always queued.
    bool submit(WorkItem& item, bool letIn);
    WorkerPoolStatistics statistics();

private:
    void append(WorkItem& item) noexcept;
    /// Wakes an idle thread for the queued items; releases the lock.
    void wakeOne(std::unique_lock<std::mutex>& lock);
    /// The next item; null when the pool ends and nothing is queued. @param done the tenant of the item before, 0 for none
    WorkItem* next(std::uint64_t done) noexcept;
    bool hasShare(const WorkItem& item) const noexcept;
    /// The first queued item that may run now, or null.
    const WorkItem* runnable() const noexcept;
    WorkItem* take() noexcept;
    std::size_t queuedOf(std::uint64_t tenant) const noexcept;
    void run() noexcept;

    std::mutex _mutex;
    std::condition_variable _changed;
    WorkItem* _first = nullptr;
    WorkItem* _last = nullptr;
    std::size_t _queued = 0;
    const std::size_t _maxQueued;
    /// Threads that one tenant may have; 0: all.
    const std::size_t _maxPerTenant;
    /// Tenants of the running items, once per thread.
    std::vector<std::uint64_t> _running;
    std::size_t _idle = 0;
    std::uint64_t _refused = 0;
    /// A thread was notified and has not come yet.
    bool _waking = false;
    bool _ending = false;
    std::vector<std::jthread> _threads;
};

/// The lanes of an admission that are not the loop's own.
struct Workers
{
    WorkerPool worker;
    WorkerPool heavy;
    WorkerPool lasting;

    WorkerPool& of(Lane lane) noexcept { return lane == Lane::Heavy ? heavy : lane == Lane::Long ? lasting : worker; }
};

} // namespace portico::host::http
