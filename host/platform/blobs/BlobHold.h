#pragma once

#include "host/base/FileDescriptor.h"

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

namespace portico::host::platform
{

/// Keeps the files of removed blobs during a backup, so that it finds all files that its copy of the database refers to. The hold expires
/// unless its holder prolongs it, so a crashed holder does not block for long. One holder at a time on a host. Thread-safe.
/// Several hosts may share the blobs on a file system. A holder locks a file there, so all hosts respect the hold, whatever their clocks
/// say. The kernel releases the lock when the daemon ends. Without support for locks, a hold only affects removals on its own host.
class BlobHold
{
public:
    using Clock = std::chrono::steady_clock;

    /// While it lives, no host takes the hold, and this host begins no other removal.
    struct Removal
    {
        std::unique_lock<std::mutex> ofHost;
        FileDescriptor file;
    };

    /// @param directory contains the blobs of all services; made when it is needed
    explicit BlobHold(const std::filesystem::path& directory) : _file(directory / "hold.lock") {}

    /// Takes the hold and returns its token; empty if another holder on this host has it. Waits for removals, and blocks no other call
    /// while it waits for those of another host. @throws std::system_error
    std::string take(std::chrono::milliseconds patience);
    /// False if the hold was lost: then files may be missing.
    bool prolong(const std::string& token, std::chrono::milliseconds patience);
    /// False if it had been lost before.
    bool release(const std::string& token);
    /// True while this host has the hold. Also unlocks an expired hold, which would still make other hosts keep removed files.
    bool isHeld();
    /// Returns nullopt while any host has the hold, or removes a blob. @throws std::system_error
    std::optional<Removal> beginRemoval();

private:
    /// The same as `isHeld`; needs `_mutex`.
    bool isInForce() noexcept;
    FileDescriptor openFile() const;

    const std::filesystem::path _file;
    std::mutex _mutex;
    std::string _token;
    Clock::time_point _until;
    /// Locked while this host has the hold.
    FileDescriptor _lock;
};

} // namespace portico::host::platform
