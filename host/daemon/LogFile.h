#pragma once

#include "host/admin/protocol/FileDescriptor.h"

#include <string>

namespace portico::host::daemon
{

/// Where the log goes: a file that is appended to, or standard error.
class LogFile
{
public:
    /// @throws StartFailure when the file cannot be opened
    explicit LogFile(const std::string& path);
    int descriptor() const noexcept { return _file ? _file.get() : 2; }

private:
    admin::FileDescriptor _file;
};

} // namespace portico::host::daemon
