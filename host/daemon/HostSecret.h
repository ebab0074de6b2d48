#pragma once

#include <filesystem>
#include <string>

namespace portico::host::daemon
{

/// What tells this host from others, made likewise: hexadecimal digits, the same after every start. @throws std::runtime_error
std::string hostId(const std::filesystem::path& state);

/// A secret of this host: 32 random bytes, made at the first call and kept in a file that only the owner can read. @throws
/// std::runtime_error
std::string hostSecret(const std::filesystem::path& file);

} // namespace portico::host::daemon
