#include "host/admin/CommandThreads.h"

#include <system_error>

namespace portico::host::admin
{

CommandThreads::CommandThreads(std::size_t atFirst)
{
    for (std::size_t i = 0; i < atFirst; ++i) addThread();
}

CommandThreads::~CommandThreads()
{
    for (auto& thread : _threads) thread.request_stop();
}

void CommandThreads::run(std::function<void()> work)
{
    {
        const std::lock_guard lock(_mutex);
        _queue.push_back(std::move(work));
        if (_queue.size() > _idle) try
            {
                addThread();
            }
            catch (const std::system_error&)
            {
                // A limit on tasks: one of those that run takes it when it is done.
            }
    }
    _wake.notify_one();
}

void CommandThreads::addThread()
{
    _threads.emplace_back([this](const std::stop_token& stop) { serve(stop); });
}

void CommandThreads::serve(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    while (!stop.stop_requested())
    {
        ++_idle;
        const bool found = _wake.wait(lock, stop, [this] { return !_queue.empty(); });
        --_idle;
        if (!found || stop.stop_requested()) return;
        const auto work = std::move(_queue.front());
        _queue.pop_front();
        lock.unlock();
        work();
        lock.lock();
    }
}

} // namespace portico::host::admin
