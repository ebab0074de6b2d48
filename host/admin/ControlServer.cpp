#include "host/admin/ControlServer.h"

#include "host/admin/protocol/LineChannel.h"
#include "host/admin/protocol/UnixSocket.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>

namespace portico::host::admin
{

namespace
{

/// Commands that wait (a reload that drains) hold one each; the others stay answerable.
constexpr std::size_t threadCount = 4;
constexpr std::chrono::seconds patience{30};
constexpr const char* forbidden =
    R"({"ok":false,"error":{"code":"forbidden","message":"Only root and the user of the daemon may use the control socket."}})";

std::string userName(uid_t user)
{
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return "unknown";
    return found->pw_name;
}

Peer peerOf(int socket)
{
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "Cannot tell who is on the control socket");
    const auto text =
        userName(credentials.uid) + " (uid " + std::to_string(credentials.uid) + ", pid " + std::to_string(credentials.pid) + ")";
    return {credentials.uid, credentials.pid, text};
}

} // namespace

ControlServer::ControlServer(std::filesystem::path path, const ControlCommands& commands) : _path(std::move(path)), _commands(commands)
{
    std::filesystem::remove(_path);
    _listener = listenUnix(_path);
    // Several threads wait for one listener: whoever comes late must not block in accept.
    ::fcntl(_listener.get(), F_SETFL, O_NONBLOCK);
    _stop = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!_stop) throw std::system_error(errno, std::generic_category(), "Cannot make an event descriptor");
    for (std::size_t i = 0; i < threadCount; ++i) _threads.emplace_back([this] { serve(); });
}

ControlServer::~ControlServer()
{
    ::eventfd_write(_stop.get(), 1);
    _threads.clear();
    std::error_code ignored;
    std::filesystem::remove(_path, ignored);
}

void ControlServer::serve()
{
    std::array<pollfd, 2> waiting{pollfd{_listener.get(), POLLIN, 0}, pollfd{_stop.get(), POLLIN, 0}};
    for (;;)
    {
        if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
        if (waiting[1].revents != 0) return;
        FileDescriptor connection(::accept4(_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection) continue;
        try
        {
            converse(std::move(connection));
        }
        catch (const std::exception&)
        {
            // The peer went away or does not speak the protocol: its connection is closed, that is all it gets.
        }
    }
}

void ControlServer::converse(FileDescriptor connection)
{
    const auto peer = peerOf(connection.get());
    const bool allowed = peer.user == 0 || peer.user == ::geteuid();
    LineChannel channel(std::move(connection));
    while (const auto line = channel.read(patience, _stop.get(), 1024 * 1024))
    {
        // The request is read all the same: closing with unread data would take the answer away from the peer.
        channel.write(allowed ? _commands.answer(*line, peer) : forbidden);
        if (!allowed) return;
    }
}

} // namespace portico::host::admin
