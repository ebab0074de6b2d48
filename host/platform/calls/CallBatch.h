#pragma once

#include "host/platform/calls/CallThreads.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Calls.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace portico::host::platform
{

/// The calls of one `Calls::send` until the last has a result. Shared by the thread that waits and those that bring results. Thread-safe.
class CallBatch : public std::enable_shared_from_this<CallBatch>
{
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    /// Sends a call; its result comes to `complete`, also before this returns.
    using Begin = std::function<void(const std::shared_ptr<CallBatch>& batch, std::size_t index, Call call)>;

    /// @param threads where late results are passed on; outlives this
    CallBatch(std::vector<Call> calls, Calls::Late late, std::shared_ptr<plugins::Generation> generation, CallThreads& threads);

    /// Begins calls, at most `parallel` at a time, and waits until all have a result, at most until the deadline.
    std::vector<std::optional<CallResult>> run(const Begin& begin, std::size_t parallel, TimePoint deadline);
    /// Stores a result, or passes it on after the deadline. A call's first result is used. Any thread.
    void complete(std::size_t index, CallResult result);
    /// Drops the plugin's function. Called when no lease of the generation is out any more.
    void forget();

private:
    struct Entry
    {
        Call call;
        std::chrono::milliseconds timeout{};
        TimePoint began;
        bool begun = false;
        bool done = false;
    };

    void passOn(std::size_t index, CallResult result);
    TimePoint expire(TimePoint now);
    void expireEntry(std::size_t index, TimePoint now);

    const std::shared_ptr<plugins::Generation> _generation;
    CallThreads& _threads;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::shared_ptr<const Calls::Late> _late;
    std::vector<Entry> _entries;
    std::vector<std::optional<CallResult>> _results;
    std::size_t _pending;
    std::size_t _underWay = 0;
    bool _closed = false;
};

} // namespace portico::host::platform
