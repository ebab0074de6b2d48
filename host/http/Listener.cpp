#include "host/http/Listener.h"

#include "host/base/UnixSocket.h"
#include "host/http/Connection.h"

#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <Poco/Exception.h>

namespace portico::host::http
{

namespace
{

constexpr std::string_view unixPrefix = "unix:";
/// Mode of the file of a Unix socket: a proxy of the daemon's group may connect.
constexpr mode_t unixMode = 0660;

[[noreturn]] void fail(const std::string& address, const char* what)
{
    throw std::system_error(errno, std::generic_category(), "cannot listen on " + address + ": " + what);
}

void setOption(int socket, int level, int option, int value) noexcept { ::setsockopt(socket, level, option, &value, sizeof value); }

} // namespace

Listener::Listener(const ListenerSettings& settings, EventLoop& home, std::span<const std::unique_ptr<EventLoop>> loops)
    : _home(home),
      _loops(loops),
      _service(settings.service),
      _tls(settings.tls ? std::make_unique<TlsContext>(*settings.tls) : nullptr),
      _socket(settings.descriptor),
      _reserve(::open("/dev/null", O_RDONLY | O_CLOEXEC))
{
    if (!_socket) bind(settings);
    ::fcntl(_socket.get(), F_SETFL, ::fcntl(_socket.get(), F_GETFL) | O_NONBLOCK);
    ::fcntl(_socket.get(), F_SETFD, FD_CLOEXEC);
    if (::listen(_socket.get(), settings.backlog) != 0) fail(settings.address, "listen");
    readAddress();
}

Listener::~Listener()
{
    if (!_madePath.empty()) ::unlink(_madePath.c_str());
}

void Listener::bind(const ListenerSettings& settings)
try
{
    if (!settings.address.starts_with(unixPrefix)) return bindInternet(Poco::Net::SocketAddress(settings.address));
    const auto path = settings.address.substr(unixPrefix.size());
    _socket = bindUnix(path, unixMode);
    _madePath = path;
}
catch (const Poco::Exception& error)
{
    throw std::runtime_error("cannot listen on " + settings.address +
                             ": expected host:port, [address]:port or unix:/path: " + error.displayText());
}

void Listener::bindInternet(const Poco::Net::SocketAddress& address)
{
    _socket = FileDescriptor(::socket(address.af(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!_socket) fail(address.toString(), "socket");
    setOption(_socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    // `[::]` takes IPv4 as well, whatever the system's default is.
    if (address.af() == AF_INET6) setOption(_socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (::bind(_socket.get(), address.addr(), address.length()) != 0) fail(address.toString(), "bind");
}

void Listener::readAddress()
{
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (::getsockname(_socket.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) fail("descriptor", "getsockname");
    if (bound.ss_family == AF_UNIX)
    {
        // One that is too long for an address was bound by another name.
        _address = std::string(unixPrefix) + (_madePath.empty() ? reinterpret_cast<const sockaddr_un&>(bound).sun_path : _madePath);
        return;
    }
    const Poco::Net::SocketAddress address(reinterpret_cast<const sockaddr*>(&bound), length);
    _address = address.toString();
    _port = address.port();
}

void Listener::open() { _home.watch(_socket.get(), EPOLLIN, *this); }

void Listener::close()
{
    _home.post(*this);
    _closed.acquire();
}

void Listener::worked() noexcept
{
    _home.forget(_socket.get());
    _socket.close();
    _closed.release();
}

void Listener::ready(std::uint32_t) noexcept
{
    // A flood of new connections must not keep the loop from the old ones.
    for (int i = 0; i < 64; ++i)
    {
        sockaddr_storage peer{};
        socklen_t length = sizeof peer;
        FileDescriptor socket(::accept4(_socket.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (socket)
        {
            welcome(std::move(socket), peer);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE) turnAway();
        if (errno != EINTR && errno != ECONNABORTED) return;
    }
}

void Listener::welcome(FileDescriptor socket, const sockaddr_storage& peer)
{
    LoopContext& context = _home.context();
    _home.count().connectionsAccepted.add();
    const auto address = IpAddress::of(peer);
    Peer client{address ? address->text() : "unix", false, _tls != nullptr, _service, {}};
    client.trusted = context.proxies.trusts(client.address);
    const auto room = roomFor(client, address);
    if (room != Connection::Room::Enough) _home.count().connectionsRefused.add();
    // There is no saying so before a handshake, which costs more than the answer is worth.
    if (room != Connection::Room::Enough && _tls) return;

    if (address) setOption(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    auto ssl = _tls ? _tls->accept(socket.get()) : nullptr;
    if (_tls && !ssl) return;
    context.connections.fetch_add(1, std::memory_order_relaxed);
    EventLoop& loop = leastLoaded();
    loop.adopt(std::make_unique<Connection>(loop, Transport(std::move(socket), std::move(ssl)), std::move(client), room));
}

/// Peers that may forward for many clients, such as proxies, are not counted by address.
Connection::Room Listener::roomFor(Peer& client, const std::optional<IpAddress>& address) const
{
    LoopContext& context = _home.context();
    const auto limit = context.settings.connectionsPerAddress;
    const bool counted = address && limit > 0 && !client.trusted && !context.uncounted.trusts(client.address);
    if (counted && !(client.place = context.addresses.enter(address->network(), limit))) return Connection::Room::NoneForAddress;
    return context.connections.load(std::memory_order_relaxed) < context.settings.maxConnections ? Connection::Room::Enough
                                                                                                 : Connection::Room::None;
}

void Listener::turnAway() noexcept
{
    _reserve.close();
    FileDescriptor(::accept(_socket.get(), nullptr, nullptr)).close();
    _reserve = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    errno = EMFILE;
}

EventLoop& Listener::leastLoaded() const noexcept
{
    EventLoop* least = _loops.front().get();
    for (const auto& loop : _loops)
        if (loop->load() < least->load()) least = loop.get();
    return *least;
}

} // namespace portico::host::http
