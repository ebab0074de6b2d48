#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>

namespace portico::host::control
{

/// Connects to a Unix stream socket. A path may be longer than the 107 characters of a socket address. @throws std::system_error
FileDescriptor connectUnix(const std::filesystem::path& path);
/// Binds and listens; only the owner may connect (mode 0600). The path must not exist. @throws std::system_error
FileDescriptor listenUnix(const std::filesystem::path& path);

} // namespace portico::host::control
