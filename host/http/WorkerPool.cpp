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

/// After this time a thread yields between two requests. Otherwise the kernel would switch later, in the middle of a request, which would
/// then wait for the turns of all busy threads of its core. It is shorter than a turn of the kernel, and long for a request.
constexpr std::chrono::microseconds turn{1000};
} // namespace

WorkerPool::WorkerPool(unsigned threads, std::size_t maxQueued, Sharing sharing)
    : _maxQueued(maxQueued), _maxPerTenant(sharing == Sharing::ByTenant ? std::max<std::size_t>(1, threads / 2) : 0)
{
    _running.reserve(threads);
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
    const bool tenantWaits = _maxPerTenant > 0 && item.tenant != 0 && queuedOf(item.tenant) >= std::max<std::size_t>(1, _maxQueued / 2);
    if (!letIn && (tenantWaits || _queued >= _maxQueued + _idle))
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
    const bool wake = _idle > 0 && !_waking && runnable() != nullptr;
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
    std::uint64_t tenant = 0;
    while (WorkItem* item = next(tenant))
    {
        // The item may be another request's once it has worked.
        tenant = item->tenant;
        item->work();
        if (Clock::now() < turnEnds) continue;
        ::sched_yield();
        turnEnds = Clock::now() + turn;
    }
}

WorkItem* WorkerPool::next(std::uint64_t done) noexcept
{
    std::unique_lock lock(_mutex);
    if (_maxPerTenant > 0 && done != 0)
    {
        const auto place = std::ranges::find(_running, done);
        *place = _running.back();
        _running.pop_back();
    }
    while (runnable() == nullptr && !_ending)
    {
        ++_idle;
        _changed.wait(lock);
        --_idle;
        _waking = false;
    }
    if (_first == nullptr) return nullptr;
    WorkItem* item = take();
    if (_maxPerTenant > 0 && item->tenant != 0) _running.push_back(item->tenant);
    wakeOne(lock);
    return item;
}

bool WorkerPool::hasShare(const WorkItem& item) const noexcept
{
    if (_maxPerTenant == 0 || item.tenant == 0 || _ending) return true;
    return static_cast<std::size_t>(std::ranges::count(_running, item.tenant)) < _maxPerTenant;
}

const WorkItem* WorkerPool::runnable() const noexcept
{
    const WorkItem* item = _first;
    while (item != nullptr && !hasShare(*item)) item = item->next;
    return item;
}

WorkItem* WorkerPool::take() noexcept
{
    const WorkItem* const wanted = runnable();
    WorkItem* before = nullptr;
    WorkItem* item = _first;
    for (; item != wanted; item = item->next) before = item;
    (before != nullptr ? before->next : _first) = item->next;
    if (item == _last) _last = before;
    --_queued;
    return item;
}

std::size_t WorkerPool::queuedOf(std::uint64_t tenant) const noexcept
{
    std::size_t count = 0;
    for (const WorkItem* item = _first; item != nullptr; item = item->next) count += item->tenant == tenant ? 1 : 0;
    return count;
}

} // namespace portico::host::http
