#include "host/platform/jobs/PollingPool.h"

#include <array>
#include <exception>

#include <pthread.h>

namespace portico::host::platform
{

PollingPool::SourceId PollingPool::add(std::string name, Look look)
{
    const std::lock_guard lock(_mutex);
    auto source = std::make_unique<Source>();
    source->name = std::move(name);
    source->look = std::move(look);
    source->next = Steady::now();
    _changed.notify_one();
    for (SourceId id = 0; id < _sources.size(); ++id)
        if (!_sources[id])
        {
            _sources[id] = std::move(source);
            return id;
        }
    _sources.push_back(std::move(source));
    return _sources.size() - 1;
}

void PollingPool::remove(SourceId id)
{
    std::unique_lock lock(_mutex);
    auto& source = *_sources[id];
    source.removed = true;
    _looked.wait(lock, [&] { return source.looks == 0; });
    _sources[id].reset();
}

void PollingPool::poke(SourceId source)
{
    const std::lock_guard lock(_mutex);
    if (_sources[source]) admit(*_sources[source]);
}

void PollingPool::pokeAll()
{
    const std::lock_guard lock(_mutex);
    for (const auto& source : _sources)
        if (source) admit(*source);
}

void PollingPool::admit(Source& source)
{
    source.next = Steady::now();
    source.poked = source.busy;
    _changed.notify_one();
}

void PollingPool::start(std::size_t threads)
{
    const std::lock_guard lock(_mutex);
    _stopping = false;
    while (_threads.size() < threads)
    {
        _threads.emplace_back([this] { run(); });
        // Shown by top and gdb; the kernel keeps 15 characters.
        ::pthread_setname_np(_threads.back().native_handle(), _name.substr(0, 15).c_str());
    }
}

void PollingPool::requestStop()
{
    const std::lock_guard lock(_mutex);
    _stopping = true;
    _changed.notify_all();
}

void PollingPool::stop()
{
    requestStop();
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(_mutex);
        threads.swap(_threads);
    }
    for (auto& thread : threads) thread.join();
}

void PollingPool::run()
{
    std::unique_lock lock(_mutex);
    while (!_stopping)
    {
        auto* source = earliest();
        if (source == nullptr)
            _changed.wait(lock);
        else if (const auto next = source->next; next > Steady::now())
            _changed.wait_until(lock, next);
        else
            lookAt(*source, lock);
    }
}

PollingPool::Source* PollingPool::earliest()
{
    Source* found = nullptr;
    for (const auto& source : _sources)
        if (source && !source->busy && !source->removed && (found == nullptr || source->next < found->next)) found = source.get();
    return found;
}

void PollingPool::lookAt(Source& source, std::unique_lock<std::mutex>& lock)
{
    source.busy = true;
    source.poked = false;
    ++source.looks;
    lock.unlock();
    bool admitted = false;
    const auto wait = guardedLook(source,
                                  [&]
                                  {
                                      const std::lock_guard again(_mutex);
                                      admitted = true;
                                      source.busy = false;
                                      admit(source);
                                  });
    lock.lock();
    if (--source.looks == 0 && source.removed) return _looked.notify_all();
    // The look that was admitted did not know yet what this one made: a job that is due again, or new ones.
    if (admitted) return admit(source);
    source.busy = false;
    source.next = Steady::now() + (source.poked ? std::chrono::milliseconds(0) : wait);
    _changed.notify_one();
}

std::chrono::milliseconds PollingPool::guardedLook(Source& source, const AdmitNext& admitNext)
{
    try
    {
        return source.look(admitNext);
    }
    catch (const std::exception& error)
    {
        const std::array<telemetry::LogRecord::Field, 3> fields = {{{"pool", _name}, {"source", source.name}, {"error", error.what()}}};
        _log.write(LogLevel::Error, {}, "could not look for background work", fields);
        return waitAfterError;
    }
}

} // namespace portico::host::platform
