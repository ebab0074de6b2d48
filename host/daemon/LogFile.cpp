#include "host/daemon/LogFile.h"

#include "host/daemon/StateDirectory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::daemon
{

namespace
{

FileDescriptor open(const std::string& path)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP));
    if (!file)
        throw StartError("Cannot open the log " + path + ": " + std::strerror(errno) +
                         ". Correct log.file or the owner of its directory; the packaged unit lets it lie below /var/log/portico and "
                         "/var/lib/portico.");
    return file;
}

} // namespace

LogFile::LogFile(const std::string& path) : _path(path)
{
    if (!path.empty()) _file = open(path);
}

void LogFile::reopen()
{
    if (!_file) return;
    const auto fresh = open(_path);
    // Same descriptor number: a concurrent write goes to one of the two files.
    if (::dup3(fresh.get(), _file.get(), O_CLOEXEC) < 0)
        throw StartError("Cannot open the log " + _path + ": " + std::strerror(errno) + ".");
}

} // namespace portico::host::daemon
