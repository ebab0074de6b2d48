#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>

namespace portico::host::plugins
{

/// Runs a plugin's code on a separate thread. The lifecycle thread can stop waiting for it, and the thread ends with its thread-local data
/// before the code is unloaded. A thread that does not return is abandoned: threads cannot be killed safely.
class PluginThread
{
public:
    /// An exception of `work` is converted to text and destroyed on that thread, while the plugin's code is in memory.
    explicit PluginThread(std::function<void()> work);
    PluginThread(const PluginThread&) = delete;
    PluginThread& operator=(const PluginThread&) = delete;
    ~PluginThread();

    /// True when the work has ended, false when the time is over first.
    bool waitFor(std::chrono::milliseconds patience) const { return _outcome.wait_for(patience) == std::future_status::ready; }
    /// Only after the work has ended: what it threw, or empty.
    const std::string& error() const { return _outcome.get().error; }
    /// Only after the work has ended: what is away if that is what it threw about (`unavailableDependency`), or empty.
    const std::string& away() const { return _outcome.get().away; }

private:
    struct Outcome
    {
        std::string error;
        std::string away;
    };
    static Outcome run(std::function<void()> work);

    std::shared_future<Outcome> _outcome;
    std::thread _thread;
};

} // namespace portico::host::plugins
