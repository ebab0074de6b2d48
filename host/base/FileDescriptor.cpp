#include "host/base/FileDescriptor.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{

[[noreturn]] void throwErrno(const char* what, const std::filesystem::path& path)
{
    throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

} // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept
{
    if (this == &other) return *this;
    close();
    _descriptor = std::exchange(other._descriptor, -1);
    return *this;
}

FileDescriptor FileDescriptor::createNew(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) throwErrno("create", path);
    return FileDescriptor(descriptor);
}

FileDescriptor FileDescriptor::openAtEnd(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) throwErrno("open", path);
    return FileDescriptor(descriptor);
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

void FileDescriptor::close() noexcept
{
    if (_descriptor >= 0) ::close(std::exchange(_descriptor, -1));
}

bool linkUnlinked(int descriptor, const std::filesystem::path& path)
{
    // Not AT_EMPTY_PATH, which needs a capability.
    const auto source = "/proc/self/fd/" + std::to_string(descriptor);
    return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void syncDirectory(const std::filesystem::path& directory)
{
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throwErrno("open", directory);
    const int result = ::fsync(descriptor);
    ::close(descriptor);
    if (result != 0) throwErrno("sync", directory);
}

void makeDirectories(const std::filesystem::path& directory)
{
    if (directory.empty() || std::filesystem::is_directory(directory)) return;
    makeDirectories(directory.parent_path());
    if (std::filesystem::create_directory(directory) && directory.has_parent_path()) syncDirectory(directory.parent_path());
}

void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to)
{
    std::filesystem::rename(from, to);
    syncDirectory(to.parent_path());
}

} // namespace portico::host::platform
