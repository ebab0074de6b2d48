#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace portico::host::data
{

/// Writes the commits of many threads to disk together (group commit). A thread first returns its connection and then waits here, so that
/// other threads can commit; one write covers all of them. Thread-safe.
class GroupCommit
{
public:
    /// `sync` returns when all that was committed before its call is on disk, and ends the process where that fails. One call at a time.
    explicit GroupCommit(std::function<void()> sync) : _sync(std::move(sync)) {}

    /// Returns when what the calling thread has committed is on disk.
    void wait();
    /// How many have asked, and how often something was put on disk for them.
    std::uint64_t asked() const;
    std::uint64_t syncs() const;

private:
    const std::function<void()> _sync;
    mutable std::mutex _mutex;
    std::condition_variable _synced;
    /// Calls of `wait`; those of them that are on disk.
    std::uint64_t _asked = 0, _done = 0, _syncs = 0;
    bool _syncing = false;
};

} // namespace portico::host::data
