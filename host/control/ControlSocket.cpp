#include "host/control/ControlSocket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>

namespace portico::host::control
{

namespace
{

[[noreturn]] void fail(const char* what, const std::filesystem::path& path)
{
    throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

FileDescriptor newSocket(const std::filesystem::path& path)
{
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
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

} // namespace

FileDescriptor connectUnix(const std::filesystem::path& path)
{
    auto socket = newSocket(path);
    const Address address(path);
    if (::connect(socket.get(), address.get(), Address::size) != 0) fail("Cannot connect to", path);
    return socket;
}

FileDescriptor listenUnix(const std::filesystem::path& path)
{
    auto socket = newSocket(path);
    const Address address(path);
    // Before bind: the file gets its mode from the socket, so there is no moment in which others may connect.
    if (::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0) fail("Cannot protect", path);
    if (::bind(socket.get(), address.get(), Address::size) != 0) fail("Cannot bind", path);
    if (::listen(socket.get(), 16) != 0) fail("Cannot listen on", path);
    return socket;
}

std::optional<std::string> LineChannel::read()
{
    for (std::size_t searched = 0;;)
    {
        if (const auto end = _buffer.find('\n', searched); end != std::string::npos)
        {
            auto line = _buffer.substr(0, end);
            _buffer.erase(0, end + 1);
            return line;
        }
        if (_buffer.size() > maxLine) throw std::length_error("The line on the control socket is too long");
        searched = _buffer.size();
        std::array<char, 65536> chunk;
        const auto got = ::recv(_socket.get(), chunk.data(), chunk.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category(), "Cannot read from the control socket");
        if (got == 0) return std::nullopt;
        _buffer.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

void LineChannel::write(std::string_view line)
{
    std::string text(line);
    text.push_back('\n');
    for (std::size_t sent = 0; sent < text.size();)
    {
        const auto count = ::send(_socket.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw std::system_error(errno, std::generic_category(), "Cannot write to the control socket");
        sent += static_cast<std::size_t>(count);
    }
}

} // namespace portico::host::control
