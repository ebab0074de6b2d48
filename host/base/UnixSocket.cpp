#include "host/base/UnixSocket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>

namespace portico::host
{

namespace
{

[[noreturn]] void fail(const char* what, const std::filesystem::path& path)
{
    throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

FileDescriptor newSocket(const std::filesystem::path& path, int flags = 0)
{
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    if (!socket) fail("Cannot make a socket for", path);
    return socket;
}

/// An address that fits: a long path is reached through the descriptor of its directory, which stays open for as long as this.
class Address
{
public:
    explicit Address(const std::filesystem::path& path)
    {
        _address.sun_family = AF_UNIX;
        auto name = path.string();
        if (name.size() >= sizeof _address.sun_path)
        {
            _directory = FileDescriptor(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
            if (!_directory) fail("Cannot open the directory of", path);
            name = "/proc/self/fd/" + std::to_string(_directory.get()) + "/" + path.filename().string();
        }
        errno = ENAMETOOLONG;
        if (name.size() >= sizeof _address.sun_path) fail("Cannot use", path);
        std::memcpy(_address.sun_path, name.c_str(), name.size() + 1);
    }
    const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&_address); }
    static constexpr socklen_t size = sizeof(sockaddr_un);

private:
    FileDescriptor _directory;
    sockaddr_un _address{};
};

/// Returns true if no process listens. Checks sockets only, since other files also refuse connections. A server that is too busy still
/// counts as listening.
bool isAbandoned(const std::filesystem::path& path, const Address& address)
{
    std::error_code none;
    if (!is_socket(symlink_status(path, none))) return false;
    const auto probe = newSocket(path, SOCK_NONBLOCK);
    return ::connect(probe.get(), address.get(), Address::size) != 0 && errno == ECONNREFUSED;
}

} // namespace

FileDescriptor connectUnix(const std::filesystem::path& path)
{
    auto socket = newSocket(path);
    const Address address(path);
    if (::connect(socket.get(), address.get(), Address::size) != 0) fail("Cannot connect to", path);
    return socket;
}

FileDescriptor bindUnix(const std::filesystem::path& path, mode_t mode)
{
    auto socket = newSocket(path);
    const Address address(path);
    // Before bind: the file gets its mode from the socket, restricted by the process's umask.
    if (::fchmod(socket.get(), mode) != 0) fail("Cannot protect", path);
    if (isAbandoned(path, address)) ::unlink(path.c_str());
    if (::bind(socket.get(), address.get(), Address::size) != 0) fail("Cannot bind", path);
    if (::chmod(path.c_str(), mode) != 0) fail("Cannot protect", path);
    return socket;
}

} // namespace portico::host
