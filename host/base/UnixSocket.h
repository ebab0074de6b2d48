#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>

namespace portico::host
{

// Unix stream sockets. A path may be longer than the 107 characters of a socket address.

/// @throws std::system_error that names the path
FileDescriptor connectUnix(const std::filesystem::path& path);
/// Bound, not yet listening; the file's mode is `mode`, and there is no moment in which it lets in more than that. A socket that nobody
/// answers on was left behind by a crash and makes room; whatever else is there stays. @throws std::system_error that names the path
FileDescriptor bindUnix(const std::filesystem::path& path, mode_t mode);

} // namespace portico::host
