#include "host/daemon/LogFile.h"

#include "host/daemon/StartFailure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace portico::host::daemon
{

LogFile::LogFile(const std::string& path)
{
    if (path.empty()) return;
    _file = admin::FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP));
    if (!_file)
        throw StartFailure("Cannot open the log " + path + ": " + std::strerror(errno) +
                           ". Correct log.file or the owner of its directory.");
}

} // namespace portico::host::daemon
