#include "host/platform/blobs/BlobHold.h"

#include "host/base/Digests.h"
#include "host/base/DurableFiles.h"
#include "host/base/Random.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace portico::host::platform
{

namespace
{

constexpr std::size_t tokenBytes = 16;

} // namespace

std::string BlobHold::take(std::chrono::milliseconds patience)
{
    if (isHeld()) return {};
    auto file = openFile();
    // Shared: each host may make a backup. Waits without the mutex, because uploads and the upkeep of this host need it.
    while (::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {}
    const std::lock_guard lock(_mutex);
    // Another holder may have taken it during the wait.
    if (isInForce()) return {};
    _lock = std::move(file);
    _token = toHex(randomBytes(tokenBytes));
    _until = Clock::now() + patience;
    return _token;
}

bool BlobHold::prolong(const std::string& token, std::chrono::milliseconds patience)
{
    const std::lock_guard lock(_mutex);
    if (!isInForce() || token != _token) return false;
    _until = Clock::now() + patience;
    return true;
}

bool BlobHold::release(const std::string& token)
{
    const std::lock_guard lock(_mutex);
    if (!isInForce() || token != _token) return false;
    _until = {};
    _lock.close();
    return true;
}

bool BlobHold::isHeld()
{
    const std::lock_guard lock(_mutex);
    return isInForce();
}

std::optional<BlobHold::Removal> BlobHold::beginRemoval()
{
    Removal removal{std::unique_lock(_mutex), {}};
    if (isInForce()) return std::nullopt;
    removal.file = openFile();
    if (::flock(removal.file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
    return removal;
}

bool BlobHold::isInForce() noexcept
{
    if (Clock::now() < _until) return true;
    _lock.close();
    return false;
}

FileDescriptor BlobHold::openFile() const
{
    makeDirectories(_file.parent_path());
    FileDescriptor file(::open(_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file) throw std::system_error(errno, std::generic_category(), "open " + _file.string());
    return file;
}

} // namespace portico::host::platform
