#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace portico::host::daemon
{

/// The daemon cannot start. `what()` is a sentence for the operator that ends with the remedy.
class StartError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The configuration is wrong, as has been said. Another exit status, so that systemd does not try again.
class ConfigurationFailure : public StartError
{
public:
    using StartError::StartError;
};

/// The daemon's data directory; created if missing, readable by its owner only, and locked as long as this lives.
class StateDirectory
{
public:
    /// @throws StartError when another instance uses it, a restore was cut off there, or nothing can be written.
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

/// Identifies this host among similar ones: hexadecimal digits, the same after every start. @throws std::runtime_error
std::string hostId(const std::filesystem::path& state);

/// A secret of this host: 32 random bytes, made at the first call and kept in a file for the owner alone. @throws std::runtime_error
std::string hostSecret(const std::filesystem::path& file);

} // namespace portico::host::daemon
