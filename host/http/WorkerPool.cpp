#include "host/http/WorkerPool.h"

#include "host/http/Transport.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sched.h>

namespace portico::host::http
{

namespace
{
using Clock = std::chrono::steady_clock;

/// After so long a thread gives way, between two requests: the kernel would let others in later, but in the middle of one, which then
/// waited for as many turns as there are threads at work on its core. It is shorter than any turn of the kernel's, and long for a request.
constexpr std::chrono::microseconds turn{1000};
} // namespace

WorkerPool::WorkerPool(unsigned threads, std::size_t maxQueued) : _maxQueued(maxQueued)
{
    for (unsigned i = 0; i < threads; ++i) _threads.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool()
{
    {
        const std::lock_guard lock(_mutex);
        _ending = true;
    }
    _changed.notify_all();
    _threads.clear();
}

bool WorkerPool::submit(WorkItem& item, bool letIn)
{
    std::unique_lock lock(_mutex);
    if (!letIn && _queued >= _maxQueued + _idle)
    {
        ++_refused;
        return false;
    }
    append(item);
    wakeOne(lock);
    return true;
}

WorkerPoolStatistics WorkerPool::statistics()
{
    const std::lock_guard lock(_mutex);
    return {_threads.size(), _threads.size() - std::min(_idle, _threads.size()), _queued, _maxQueued, _refused};
}

void WorkerPool::wakeOne(std::unique_lock<std::mutex>& lock)
{
    // One on its way at a time: it wakes the next if there is still something to do by then. Short handlers are so run by one or two warm
    // threads, and the kernel is not asked once a request.
    const bool wake = _idle > 0 && !_waking && _first != nullptr;
    _waking = _waking || wake;
    lock.unlock();
    if (wake) _changed.notify_one();
}

void WorkerPool::append(WorkItem& item) noexcept
{
    item.next = nullptr;
    if (_last != nullptr)
        _last->next = &item;
    else
        _first = &item;
    _last = &item;
    ++_queued;
}

void WorkerPool::run() noexcept
{
    // Answers leave from here.
    blockPipeSignal();
    auto turnEnds = Clock::now() + turn;
    while (WorkItem* item = next())
    {
        item->work();
        if (Clock::now() < turnEnds) continue;
        ::sched_yield();
        turnEnds = Clock::now() + turn;
    }
}

WorkItem* WorkerPool::next() noexcept
{
    std::unique_lock lock(_mutex);
    while (_first == nullptr && !_ending)
    {
        ++_idle;
        _changed.wait(lock);
        --_idle;
        _waking = false;
    }
    if (_first == nullptr) return nullptr;
    WorkItem* item = std::exchange(_first, _first->next);
    if (_first == nullptr) _last = nullptr;
    --_queued;
    wakeOne(lock);
    return item;
}

} // namespace portico::host::http
