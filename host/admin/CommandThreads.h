#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace portico::host::admin
{

/// Threads for commands, one for each that runs: as many as ran at once, so that none waits for another. A few are there from the start,
/// for the day on which no thread can be had. Thread-safe.
class CommandThreads
{
public:
    /// @throws std::system_error
    explicit CommandThreads(std::size_t atFirst);
    CommandThreads(const CommandThreads&) = delete;
    CommandThreads& operator=(const CommandThreads&) = delete;
    /// Waits for what runs; what no thread was found for yet is dropped.
    ~CommandThreads();

    /// `work` throws nothing. Where no thread can be had, it waits for one of those that there are.
    void run(std::function<void()> work);

private:
    void addThread();
    void serve(const std::stop_token& stop);

    std::mutex _mutex;
    std::condition_variable_any _wake;
    std::deque<std::function<void()>> _queue;
    std::size_t _idle = 0;
    std::vector<std::jthread> _threads;
};

} // namespace portico::host::admin
