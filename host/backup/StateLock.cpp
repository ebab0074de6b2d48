#include "host/backup/StateLock.h"

#include "host/backup/Failure.h"
#include "host/backup/Files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::backup
{

FileDescriptor lockState(const std::filesystem::path& stateDirectory)
{
    makeFolders(stateDirectory);
    const auto file = stateDirectory / "porticod.lock";
    FileDescriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!lock) throwErrno(errno, "open", file);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    std::array<char, 32> pid{};
    const auto length = ::pread(lock.get(), pid.data(), pid.size() - 1, 0);
    throw Failure("running", "The state directory " + stateDirectory.string() + " is in use by porticod" +
                                 (length > 0 ? " (pid " + std::string(pid.data(), std::strcspn(pid.data(), "\n")) + ")" : "") +
                                 ". Stop it first: systemctl stop portico, or porticoctl stop.");
}

} // namespace portico::host::backup
