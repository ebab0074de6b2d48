#include "host/daemon/StateDirectory.h"

#include "host/base/Digests.h"
#include "host/base/DurableFiles.h"
#include "host/base/FileDescriptor.h"
#include "host/base/Random.h"
#include "host/base/ReadFiles.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace portico::host::daemon
{

namespace
{

/// Less than this and the first write-ahead log would fail half-way.
constexpr unsigned long long leastFreeBytes = 16ULL * 1024 * 1024;

constexpr const char* remedy = " Free it, correct its owner, or name another with --state.";

void makeDirectory(const std::filesystem::path& directory)
{
    std::error_code error;
    const bool made = std::filesystem::create_directories(directory, error);
    if (error) throw StartError("Cannot make the state directory " + directory.string() + ": " + error.message() + "." + remedy);
    if (made) ::chmod(directory.c_str(), S_IRWXU);
}

std::string holder(int lock)
{
    std::array<char, 32> pid{};
    const auto length = ::pread(lock, pid.data(), pid.size() - 1, 0);
    return length > 0 ? " (pid " + std::string(pid.data(), std::strcspn(pid.data(), "\n")) + ")" : "";
}

constexpr std::size_t secretSize = 32;

} // namespace

StateDirectory::StateDirectory(const std::filesystem::path& directory)
{
    makeDirectory(directory);
    _path = std::filesystem::canonical(directory);
    lock();
    requireWhole();
    requireRoom();
}

void StateDirectory::lock()
{
    const auto file = _path / "porticod.lock";
    _lock = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!_lock) throw StartError("Cannot write to the state directory " + _path.string() + ": " + std::strerror(errno) + "." + remedy);
    if (::flock(_lock.get(), LOCK_EX | LOCK_NB) != 0)
        throw StartError("Another porticod" + holder(_lock.get()) + " uses the state directory " + _path.string() +
                         ". Stop it with porticoctl --socket " + (_path / "control.sock").string() +
                         " stop, or name another directory with --state.");
    const auto pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(_lock.get(), 0) != 0 || ::pwrite(_lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
        throw StartError("Cannot write to the state directory " + _path.string() + ": " + std::strerror(errno) + "." + remedy);
}

void StateDirectory::requireWhole() const
{
    // Written and removed by porticoctl restore (host/backup).
    const auto pending = _path / "restore.pending";
    if (std::filesystem::exists(pending))
        throw StartError("A restore into " + _path.string() + " was cut off (" + pending.string() +
                         "): the state is half the old and half the new one. Run the same porticoctl restore again; it continues where it "
                         "was.");
}

void StateDirectory::requireRoom() const
{
    struct statvfs room = {};
    if (::statvfs(_path.c_str(), &room) != 0) return;
    const auto free = static_cast<unsigned long long>(room.f_bavail) * room.f_frsize;
    if (free < leastFreeBytes)
        throw StartError("The disk is full: " + std::to_string(free / 1024) + " KiB are left for " + _path.string() + ", at least " +
                         std::to_string(leastFreeBytes / 1024) + " KiB are needed. Make room, or name another directory with --state.");
}

std::string hostSecret(const std::filesystem::path& file)
{
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all);
    if (!std::filesystem::exists(file)) replaceFile(file, randomBytes(secretSize));
    auto secret = contentOf(file);
    if (!secret) throw std::runtime_error("Cannot read the secret file " + file.string() + ": " + std::strerror(errno));
    if (secret->size() < secretSize)
        throw std::runtime_error("The secret file " + file.string() + " is not whole. Remove it: a new one is made at the next start.");
    return secret->substr(0, secretSize);
}

std::string hostId(const std::filesystem::path& state) { return toHex(hostSecret(state / "secrets" / "host-id").substr(0, 16)); }

} // namespace portico::host::daemon
