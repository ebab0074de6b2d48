#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace portico::host::platform
{

/// Keeps the files of removed blobs while a backup is made, so that it finds every one that its copy of the database refers to. Held for a
/// bounded time, which its holder prolongs: one that dies stops nobody for long. One holder at a time. Thread-safe.
class BlobHold
{
public:
    using Clock = std::chrono::steady_clock;

    /// Of the holder that takes it now; empty if somebody has it.
    std::string take(std::chrono::milliseconds patience);
    /// False if the hold was lost: then files may be missing.
    bool prolong(const std::string& token, std::chrono::milliseconds patience);
    /// False if it had been lost before.
    bool release(const std::string& token);
    bool isHeld() const noexcept { return Clock::now().time_since_epoch().count() < _until.load(); }

private:
    /// What `Clock` will show when it ends.
    std::atomic<Clock::rep> _until{0};
    mutable std::mutex _mutex;
    std::string _token;
};

} // namespace portico::host::platform
