#include "host/backup/Throttle.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace portico::host::backup
{

namespace
{

/// So much may wait for the disk at a time.
constexpr std::uint64_t writtenAtOnce = 4 * 1024 * 1024;
constexpr std::chrono::seconds betweenTicks{1};

// linux/ioprio.h is not everywhere.
constexpr int ioPriorityOfProcess = 1;
constexpr int idleIoPriority = 3 << 13;

} // namespace

Throttle::Throttle(std::uint64_t bytesPerSecond, Tick tick) : _bytesPerSecond(bytesPerSecond), _tick(std::move(tick)) {}

void Throttle::passed(std::uint64_t bytes, int descriptor)
{
    _done += bytes;
    _unsaid += bytes;
    if (descriptor >= 0 && _unsaid >= writtenAtOnce)
    {
        ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
        _unsaid = 0;
    }
    if (_bytesPerSecond > 0)
    {
        const auto due = _begun + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(static_cast<double>(_done) / static_cast<double>(_bytesPerSecond)));
        std::this_thread::sleep_until(std::min(due, Clock::now() + betweenTicks));
    }
    if (Clock::now() - _lastTick < betweenTicks) return;
    _lastTick = Clock::now();
    if (_tick) _tick(_done);
}

void yieldToOthers() noexcept
{
    // As far as it is allowed: where it is not, the copy is made all the same.
    ::setpriority(PRIO_PROCESS, 0, 19);
    ::syscall(SYS_ioprio_set, ioPriorityOfProcess, 0, idleIoPriority);
}

} // namespace portico::host::backup
