#include "Files.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::mobiletool
{

namespace
{

[[noreturn]] void fail(const std::filesystem::path& path) { throw std::runtime_error(path.string() + ": " + std::strerror(errno)); }

/// Closes a descriptor at the end of its scope.
struct Descriptor
{
    int number;
    ~Descriptor()
    {
        if (number >= 0) ::close(number);
    }
};

} // namespace

std::optional<std::string> readFile(const std::filesystem::path& path)
{
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0 && errno == ENOENT) return std::nullopt;
    if (file.number < 0) fail(path);
    std::string content;
    char part[16384];
    for (;;)
    {
        const auto count = ::read(file.number, part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(path);
        if (count == 0) return content;
        content.append(part, static_cast<std::size_t>(count));
    }
}

void writeFile(const std::filesystem::path& path, std::string_view content)
{
    auto name = path.string() + ".XXXXXX";
    // mkstemp creates the file with mode 0600.
    const Descriptor file{::mkstemp(name.data())};
    if (file.number < 0) fail(path);
    const auto undo = [&]
    {
        const int why = errno;
        ::unlink(name.c_str());
        errno = why;
        fail(path);
    };
    while (!content.empty())
    {
        const auto count = ::write(file.number, content.data(), content.size());
        if (count < 0 && errno != EINTR) undo();
        if (count > 0) content.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(file.number) != 0 || ::rename(name.c_str(), path.c_str()) != 0) undo();
    const Descriptor folder{::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (folder.number < 0 || ::fsync(folder.number) != 0) fail(path);
}

void makeFolder(const std::filesystem::path& path)
{
    if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path());
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail(path);
}

FileLock::FileLock(const std::filesystem::path& path) : _descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
{
    if (_descriptor < 0) fail(path);
    while (::flock(_descriptor, LOCK_EX) != 0)
        if (errno != EINTR)
        {
            const int why = errno;
            ::close(_descriptor);
            errno = why;
            fail(path);
        }
}

FileLock::~FileLock() { ::close(_descriptor); }

} // namespace portico::mobiletool
