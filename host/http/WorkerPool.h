#pragma once

#include "host/http/Application.h"
#include "host/http/ServerStatistics.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace portico::host::http
{

/// Something that a loop gives to a worker and gets back. Belongs to its connection, so that queueing costs no memory.
class WorkItem
{
public:
    virtual ~WorkItem() = default;
    /// On a worker. Ends with handing itself back to its loop.
    virtual void work() noexcept = 0;
    /// On the loop, after `work`.
    virtual void worked() noexcept = 0;

    /// For whoever holds the item: the queue, then the loop's mailbox.
    WorkItem* next = nullptr;
};

/// Threads that run items of one bounded queue, first come, first served. Thread-safe.
class WorkerPool
{
public:
    WorkerPool(unsigned threads, std::size_t maxQueued);
    /// Runs what is queued, then ends the threads.
    ~WorkerPool();

    /// False, and nothing is queued, when as many wait as may. @param letIn A later step of a request that has been let in: is queued
    /// whatever waits.
    bool submit(WorkItem& item, bool letIn);
    WorkerPoolStatistics statistics();

private:
    void append(WorkItem& item) noexcept;
    /// Lets another thread take what is queued, if one has time; gives up the lock.
    void wakeOne(std::unique_lock<std::mutex>& lock);
    /// The next item; null when the pool ends and nothing is queued.
    WorkItem* next() noexcept;
    void run() noexcept;

    std::mutex _mutex;
    std::condition_variable _changed;
    WorkItem* _first = nullptr;
    WorkItem* _last = nullptr;
    std::size_t _queued = 0;
    const std::size_t _maxQueued;
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
