#include "host/platform/calls/CallBatch.h"

#include "host/plugins/runtime/PluginScope.h"

#include <algorithm>
#include <utility>

namespace portico::host::platform
{

CallBatch::CallBatch(std::vector<Call> calls, Calls::Late late, std::shared_ptr<plugins::Generation> generation, CallThreads& threads)
    : _generation(std::move(generation)),
      _threads(threads),
      _late(late ? std::make_shared<const Calls::Late>(std::move(late)) : nullptr),
      _results(calls.size()),
      _pending(calls.size())
{
    for (auto& call : calls)
    {
        const auto timeout = call.request.timeout;
        _entries.push_back({std::move(call), timeout, {}});
    }
}

std::vector<std::optional<CallResult>> CallBatch::run(const Begin& begin, std::size_t parallel, TimePoint deadline)
{
    std::size_t next = 0;
    std::unique_lock lock(_mutex);
    while (true)
    {
        const auto now = std::chrono::steady_clock::now();
        const auto expires = expire(now);
        if (_pending == 0 || now >= deadline) break;
        if (next < _entries.size() && (parallel == 0 || _underWay < parallel))
        {
            const auto index = next++;
            auto& entry = _entries[index];
            entry.begun = true;
            entry.began = now;
            ++_underWay;
            auto call = std::move(entry.call);
            lock.unlock();
            begin(shared_from_this(), index, std::move(call));
            lock.lock();
            continue;
        }
        _changed.wait_until(lock, std::min(expires, deadline));
    }
    const auto now = std::chrono::steady_clock::now();
    for (; next < _entries.size(); ++next) expireEntry(next, now);
    _closed = true;
    return std::move(_results);
}

void CallBatch::complete(std::size_t index, CallResult result)
{
    {
        const std::lock_guard lock(_mutex);
        auto& entry = _entries[index];
        if (entry.done) return;
        entry.done = true;
        --_pending;
        --_underWay;
        const auto took = std::chrono::steady_clock::now() - entry.began;
        result.took = std::chrono::duration_cast<std::chrono::milliseconds>(took);
        if (took >= entry.timeout)
        {
            result = {};
            result.outcome = CallResult::Outcome::TimedOut;
            result.took = entry.timeout;
        }
        if (!_closed)
        {
            _results[index] = std::move(result);
            _changed.notify_one();
            return;
        }
        if (!_late) return;
    }
    passOn(index, std::move(result));
}

/// On another thread: results come from an event loop, which must not run a plugin's code.
void CallBatch::passOn(std::size_t index, CallResult result)
{
    _threads.run("late results of " + _generation->serviceId(),
                 [self = shared_from_this(), index, shared = std::make_shared<CallResult>(std::move(result))]
                 {
                     // Destroyed last: with it the plugin may be unloaded.
                     const auto lease = plugins::Lease::take(self->_generation);
                     if (!lease) return;
                     std::unique_lock lock(self->_mutex);
                     const auto late = self->_late;
                     lock.unlock();
                     if (!late) return;
                     const plugins::PluginScope scope(lease->tag());
                     try
                     {
                         (*late)(index, std::move(*shared));
                     }
                     catch (...)
                     {
                         // A plugin's function must not throw; the next result is not its fault.
                     }
                 });
}

/// Ends the calls that have exceeded their timeout. Returns when the next one does.
CallBatch::TimePoint CallBatch::expire(TimePoint now)
{
    auto next = TimePoint::max();
    for (std::size_t i = 0; i < _entries.size(); ++i)
    {
        const auto& entry = _entries[i];
        if (!entry.begun || entry.done) continue;
        const auto until = entry.began + entry.timeout;
        if (until > now)
            next = std::min(next, until);
        else
            expireEntry(i, now);
    }
    return next;
}

void CallBatch::expireEntry(std::size_t index, TimePoint now)
{
    auto& entry = _entries[index];
    entry.done = true;
    --_pending;
    if (entry.begun) --_underWay;
    auto& result = _results[index].emplace();
    result.outcome = CallResult::Outcome::TimedOut;
    if (entry.begun) result.took = std::chrono::duration_cast<std::chrono::milliseconds>(now - entry.began);
}

void CallBatch::forget()
{
    std::shared_ptr<const Calls::Late> dropped;
    const std::lock_guard lock(_mutex);
    dropped.swap(_late);
}

} // namespace portico::host::platform
