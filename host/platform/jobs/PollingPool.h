#pragma once

#include "host/telemetry/LogSink.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// A few threads that poll many sources of work. Each source returns the time of its next poll, and can request one immediately.
/// Thread-safe.
class PollingPool
{
public:
    /// Allows the next thread to poll the same source while this one is still busy with the work that it found. When it is done, the source
    /// is polled once more, whatever the poll returned.
    using AdmitNext = std::function<void()>;
    /// One look: the time until the next (zero: at once); `waitAfterError` if it throws, which is logged.
    using Look = std::function<std::chrono::milliseconds(const AdmitNext& admitNext)>;
    using SourceId = std::size_t;

    static constexpr std::chrono::milliseconds waitAfterError{5'000};

    PollingPool(std::string name, telemetry::LogSink& log) : _name(std::move(name)), _log(log) {}
    ~PollingPool() { stop(); }

    SourceId add(std::string name, Look look);
    /// No further look at the source begins; waits for those that run. Not from within a look.
    void remove(SourceId source);
    void poke(SourceId source);
    void pokeAll();
    void start(std::size_t threads);
    /// No further look begins.
    void requestStop();
    /// Waits for the looks that run. Nothing happens afterwards.
    void stop();

private:
    using Steady = std::chrono::steady_clock;

    struct Source
    {
        std::string name;
        Look look;
        Steady::time_point next;
        bool busy = false;
        bool removed = false;
        /// Threads that look at it now.
        int looks = 0;
        /// Poked while busy: looked at again right afterwards.
        bool poked = false;
    };

    void run();
    Source* earliest();
    void lookAt(Source& source, std::unique_lock<std::mutex>& lock);
    std::chrono::milliseconds guardedLook(Source& source, const AdmitNext& admitNext);
    void admit(Source& source);

    const std::string _name;
    telemetry::LogSink& _log;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::condition_variable _looked;
    std::vector<std::unique_ptr<Source>> _sources;
    std::vector<std::thread> _threads;
    bool _stopping = false;
};

} // namespace portico::host::platform
