#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace portico::host::backup
{

/// Keeps a long copy from getting into the way of those who serve: it has the disk write what was written at once, instead of leaving
/// gigabytes to the next fsync of somebody else, keeps to a rate, and lets the caller look in between. Used by one thread.
class Throttle
{
public:
    /// Called about once a second, with the bytes that were copied so far. What it throws ends the copy.
    using Tick = std::function<void(std::uint64_t doneBytes)>;

    /// @param bytesPerSecond at most; 0: any
    Throttle(std::uint64_t bytesPerSecond, Tick tick);

    /// So many more bytes were written to `descriptor` (-1: only read, or written by another's hand). May wait.
    void passed(std::uint64_t bytes, int descriptor);
    std::uint64_t doneBytes() const noexcept { return _done; }

private:
    using Clock = std::chrono::steady_clock;

    const std::uint64_t _bytesPerSecond;
    const Tick _tick;
    const Clock::time_point _begun = Clock::now();
    Clock::time_point _lastTick = _begun;
    std::uint64_t _done = 0;
    /// Of these nothing was said to the disk yet.
    std::uint64_t _unsaid = 0;
};

/// Takes this process, children included, behind everybody else who wants the processor or the disk.
void yieldToOthers() noexcept;

} // namespace portico::host::backup
