#include "host/data/GroupCommit.h"

namespace portico::host::data
{

void GroupCommit::wait()
{
    std::unique_lock lock(_mutex);
    const auto mine = ++_asked;
    while (_done < mine)
    {
        if (_syncing)
        {
            _synced.wait(lock);
            continue;
        }
        _syncing = true;
        // A commit that registers later may be missing from this write.
        const auto covered = _asked;
        lock.unlock();
        _sync();
        lock.lock();
        _done = covered;
        ++_syncs;
        _syncing = false;
        _synced.notify_all();
    }
}

std::uint64_t GroupCommit::asked() const
{
    const std::lock_guard lock(_mutex);
    return _asked;
}

std::uint64_t GroupCommit::syncs() const
{
    const std::lock_guard lock(_mutex);
    return _syncs;
}

} // namespace portico::host::data
