#include "host/daemon/HostSecret.h"

#include "host/base/Digests.h"
#include "host/base/DurableFiles.h"
#include "host/base/FileDescriptor.h"
#include "host/base/Random.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>

namespace portico::host::daemon
{

namespace
{

constexpr std::size_t secretSize = 32;

[[noreturn]] void fail(const char* what, const std::filesystem::path& file)
{
    throw std::runtime_error(std::string(what) + " " + file.string() + ": " + std::strerror(errno));
}

std::string readSecret(const std::filesystem::path& file)
{
    const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) fail("Cannot read the secret file", file);
    std::string secret(secretSize, '\0');
    if (::read(in.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()))
        throw std::runtime_error("The secret file " + file.string() + " is not whole. Remove it: a new one is made at the next start.");
    return secret;
}

} // namespace

std::string hostSecret(const std::filesystem::path& file)
{
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all);
    if (!std::filesystem::exists(file)) replaceFile(file, randomBytes(secretSize));
    return readSecret(file);
}

std::string hostId(const std::filesystem::path& state) { return toHex(hostSecret(state / "secrets" / "host-id").substr(0, 16)); }

} // namespace portico::host::daemon
