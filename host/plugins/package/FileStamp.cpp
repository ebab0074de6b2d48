#include "host/plugins/package/FileStamp.h"

#include <cerrno>
#include <ctime>
#include <sys/stat.h>
#include <system_error>

namespace portico::host::plugins
{

namespace
{
constexpr std::int64_t second = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }
} // namespace

FileStamp FileStamp::of(const std::filesystem::path& file)
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    struct stat facts
    {
    };
    if (::lstat(file.c_str(), &facts) != 0) throw std::system_error(errno, std::generic_category(), file.string());
    FileStamp stamp;
    stamp._device = facts.st_dev;
    stamp._inode = facts.st_ino;
    stamp._size = facts.st_size;
    stamp._changed = nanoseconds(facts.st_ctim);
    stamp._tellsChanges = nanoseconds(now) - stamp._changed > second;
    return stamp;
}

} // namespace portico::host::plugins
