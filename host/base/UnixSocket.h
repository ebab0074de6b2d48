#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>

namespace portico::host
{

// Unix stream sockets. A path may be longer than the 107 characters of a socket address.

/// @throws std::system_error that names the path
FileDescriptor connectUnix(const std::filesystem::path& path);
/// Binds a socket without listening. The file's mode is `mode`, and never wider at any moment. A socket without a listener was left behind
/// by a crash and is replaced; any other file stays. @throws std::system_error that names the path
FileDescriptor bindUnix(const std::filesystem::path& path, mode_t mode);

} // namespace portico::host
