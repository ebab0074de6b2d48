#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>

namespace portico::tests
{

/// A std::latch whose `wait` throws after half a minute, so that a test fails instead of hanging. Thread-safe.
class TimedLatch
{
public:
    explicit TimedLatch(std::ptrdiff_t count) : _count(count) {}

    void count_down()
    {
        const std::lock_guard lock(_mutex);
        if (--_count <= 0) _done.notify_all();
    }
    /// @throws std::runtime_error if the count has not reached zero in time
    void wait()
    {
        std::unique_lock lock(_mutex);
        if (!_done.wait_for(lock, std::chrono::seconds(30), [&] { return _count <= 0; }))
            throw std::runtime_error("waited 30 s for an event that did not happen");
    }

private:
    std::mutex _mutex;
    std::condition_variable _done;
    std::ptrdiff_t _count;
};

} // namespace portico::tests
