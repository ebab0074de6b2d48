#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>

namespace portico::host::daemon
{

/// The directory that holds what the daemon keeps; made if absent, readable by its owner only, and locked as long as this lives.
class StateDirectory
{
public:
    /// @throws StartFailure when another instance uses it, a restore was cut off there, or nothing can be written.
    explicit StateDirectory(const std::filesystem::path& directory);

    const std::filesystem::path& path() const noexcept { return _path; }
    std::filesystem::path dropIns() const { return _path / "conf.d"; }

private:
    void lock();
    void requireWhole() const;
    void requireRoom() const;

    std::filesystem::path _path;
    FileDescriptor _lock;
};

} // namespace portico::host::daemon
