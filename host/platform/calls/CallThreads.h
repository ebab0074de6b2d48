#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace portico::host::platform
{

/// Threads for calls that may hang. Work belongs to a lane, which has at most `threadsPerLane` threads, so a lane that hangs delays no
/// other. Threads start when work waits and end when their lane is idle. Thread-safe.
class CallThreads
{
public:
    static constexpr std::size_t threadsPerLane = 2;
    /// Work that may wait in one lane.
    static constexpr std::size_t queueLimit = 256;

    CallThreads();
    ~CallThreads();
    CallThreads(const CallThreads&) = delete;
    CallThreads& operator=(const CallThreads&) = delete;

    /// Enqueues work, which must not throw. False, without running it, if the lane is full, no thread can start, or after `stop`.
    bool run(const std::string& lane, std::function<void()> work);
    /// Drops the work that waits and waits for the work that runs, at most for `patience`. Threads that hang longer are abandoned.
    void stop(std::chrono::milliseconds patience);
    /// Threads that exist now.
    std::size_t threadCount() const;

private:
    struct State;
    /// Shared with the threads: an abandoned one may outlive this.
    const std::shared_ptr<State> _state;
};

} // namespace portico::host::platform
