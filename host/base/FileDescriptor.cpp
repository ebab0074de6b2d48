#include "host/base/FileDescriptor.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>

namespace portico::host
{

namespace
{

[[noreturn]] void throwErrno(const char* what, const std::filesystem::path& path)
{
    throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

} // namespace

FileDescriptor FileDescriptor::createNew(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) throwErrno("create", path);
    return file;
}

void FileDescriptor::writeAll(std::span<const char> data, const std::filesystem::path& path) const
{
    while (!data.empty())
    {
        const auto written = ::write(_descriptor, data.data(), data.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throwErrno("write", path);
        data = data.subspan(static_cast<std::size_t>(written));
    }
}

void FileDescriptor::startSync() const noexcept { ::sync_file_range(_descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

void FileDescriptor::sync(const std::filesystem::path& path) const
{
    if (::fsync(_descriptor) != 0) throwErrno("sync", path);
}

} // namespace portico::host
