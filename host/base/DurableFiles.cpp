#include "host/base/DurableFiles.h"

#include "host/base/FileDescriptor.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

namespace portico::host
{

namespace fs = std::filesystem;

namespace
{

FileDescriptor openDurably(const fs::path& path, int flags, mode_t mode = 0)
{
    FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, mode));
    if (!file) throw std::system_error(errno, std::generic_category(), "open " + path.string());
    return file;
}

} // namespace

void replaceFile(const fs::path& file, std::string_view content, mode_t mode)
{
    const auto next = fs::path(file).concat(".new");
    try
    {
        const auto out = openDurably(next, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
        // Also where one was left behind, and whatever the umask.
        if (::fchmod(out.get(), mode) != 0) throw std::system_error(errno, std::generic_category(), "change the mode of " + next.string());
        out.writeAll(content, next);
        out.sync(next);
        renameDurably(next, file);
    }
    catch (...)
    {
        std::error_code ignored;
        fs::remove(next, ignored);
        throw;
    }
}

void syncDirectory(const fs::path& directory)
{
    // A relative name without a folder is in this one.
    const auto path = directory.empty() ? fs::path(".") : directory;
    openDurably(path, O_RDONLY | O_DIRECTORY).sync(path);
}

void makeDirectories(const fs::path& directory)
{
    if (directory.empty() || fs::is_directory(directory)) return;
    makeDirectories(directory.parent_path());
    if (fs::create_directory(directory) && directory.has_parent_path()) syncDirectory(directory.parent_path());
}

void renameDurably(const fs::path& from, const fs::path& to)
{
    fs::rename(from, to);
    syncDirectory(to.parent_path());
}

bool linkUnlinked(int descriptor, const fs::path& path)
{
    // Not AT_EMPTY_PATH, which needs a capability.
    const auto source = "/proc/self/fd/" + std::to_string(descriptor);
    return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

} // namespace portico::host
