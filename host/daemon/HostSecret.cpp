#include "host/daemon/HostSecret.h"

#include "host/control/FileDescriptor.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/random.h>
#include <sys/stat.h>

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
    const admin::FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) fail("Cannot read the secret file", file);
    std::string secret(secretSize, '\0');
    if (::read(in.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()))
        throw std::runtime_error("The secret file " + file.string() + " is not whole. Remove it: a new one is made at the next start.");
    return secret;
}

/// Under another name until it is on disk: a crash half-way leaves no short secret behind.
void writeSecret(const std::filesystem::path& file)
{
    std::array<char, secretSize> secret;
    if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
        fail("The kernel gives no randomness for", file);
    const auto next = std::filesystem::path(file).concat(".new");
    const admin::FileDescriptor out(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!out || ::write(out.get(), secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()) || ::fsync(out.get()) != 0)
        fail("Cannot write the secret file", next);
    if (std::rename(next.c_str(), file.c_str()) != 0) fail("Cannot write the secret file", file);
}

} // namespace

std::string hostSecret(const std::filesystem::path& file)
{
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all);
    if (!std::filesystem::exists(file)) writeSecret(file);
    return readSecret(file);
}

std::string hostId(const std::filesystem::path& state)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : hostSecret(state / "secrets" / "host-id").substr(0, 16))
    {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

} // namespace portico::host::daemon
