#include "host/http/WorkerPool.h"

#include <utility>

namespace portico::host::http
{

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

bool WorkerPool::trySubmit(WorkItem& item)
{
    std::unique_lock lock(_mutex);
    if (_queued >= _maxQueued + _idle) return false;
    append(item);
    const bool wake = _idle > 0;
    lock.unlock();
    if (wake) _changed.notify_one();
    return true;
}

void WorkerPool::submit(WorkItem& item)
{
    std::unique_lock lock(_mutex);
    append(item);
    const bool wake = _idle > 0;
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
    std::unique_lock lock(_mutex);
    while (true)
    {
        ++_idle;
        _changed.wait(lock, [this] { return _first != nullptr || _ending; });
        --_idle;
        if (_first == nullptr) return;
        WorkItem& item = *std::exchange(_first, _first->next);
        if (_first == nullptr) _last = nullptr;
        --_queued;
        lock.unlock();
        item.work();
        lock.lock();
    }
}

} // namespace portico::host::http
