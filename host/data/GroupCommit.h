#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace portico::host::data
{

/// Puts commits on disk, those of many threads at once: a thread whose transaction has ended waits here, after it gave the connection on,
/// so that others commit meanwhile, and one write to disk does for all of them (group commit). Thread-safe.
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
