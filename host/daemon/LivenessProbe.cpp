#include "host/daemon/LivenessProbe.h"

#include "host/control/ControlSocket.h"

#include <array>
#include <netdb.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

namespace portico::host::daemon
{

namespace
{

constexpr std::string_view question = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
constexpr std::string_view unixScheme = "unix:";

} // namespace

FileDescriptor LivenessProbe::connect() const
{
    if (_address.starts_with(unixScheme)) return control::connectUnix(_address.substr(unixScheme.size()));
    const auto colon = _address.rfind(':');
    auto host = _address.substr(0, colon);
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    // What listens everywhere is asked on loopback.
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), _address.c_str() + colon + 1, &hints, &found) != 0) return {};
    FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool connected = socket && ::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0;
    ::freeaddrinfo(found);
    return connected ? std::move(socket) : FileDescriptor();
}

bool LivenessProbe::answers(std::chrono::milliseconds patience) const noexcept
{
    try
    {
        const auto socket = connect();
        if (!socket || ::send(socket.get(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return false;
        pollfd waiting{socket.get(), POLLIN, 0};
        return ::poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
    }
    catch (const std::exception&)
    {
        return false;
    }
}

} // namespace portico::host::daemon
