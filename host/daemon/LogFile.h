#pragma once

#include "host/base/FileDescriptor.h"

#include <string>

namespace portico::host::daemon
{

/// Output of the log: a file that is appended to, or standard error.
class LogFile
{
public:
    /// @throws StartError when the file cannot be opened
    explicit LogFile(const std::string& path);
    /// Opens the file that has the name now, and creates it if it was moved away; the descriptor's number stays. Thread-safe. @throws
    /// StartError; the log then stays in the old file
    void reopen();
    int descriptor() const noexcept { return _file ? _file.get() : 2; }

private:
    std::string _path;
    FileDescriptor _file;
};

} // namespace portico::host::daemon
