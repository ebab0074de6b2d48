#pragma once

#include "host/http/Connection.h"
#include "host/http/EventLoop.h"
#include "host/http/ServerSettings.h"

#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>

#include <Poco/Net/SocketAddress.h>

namespace portico::host::http
{

/// A listening socket on one loop, which deals what it accepts to all of them. Outlives its connections.
class Listener final : public EventSource, public WorkItem
{
public:
    /// Binds, or takes over the socket. @throws std::runtime_error that names the address and the failed call.
    Listener(const ListenerSettings& settings, EventLoop& home, std::span<const std::unique_ptr<EventLoop>> loops);
    ~Listener() override;

    /// From any thread: begins to accept.
    void open();
    /// From any thread but the loop's, once, while the loop runs: returns when nothing is accepted any more.
    void close();
    /// @throws std::runtime_error if the new files cannot be used; the old certificate stays.
    void reloadCertificate()
    {
        if (_tls) _tls->reload();
    }

    /// The bound address: `127.0.0.1:41234`, `[::1]:8080` or `unix:/path`.
    const std::string& address() const noexcept { return _address; }
    /// 0 for a Unix socket.
    unsigned short port() const noexcept { return _port; }

    void ready(std::uint32_t events) noexcept override;
    void work() noexcept override {}
    void worked() noexcept override;

private:
    void bind(const ListenerSettings& settings);
    void bindInternet(const Poco::Net::SocketAddress& address);
    void readAddress();
    void welcome(FileDescriptor socket, const sockaddr_storage& peer);
    Connection::Room roomFor(Peer& client, const std::optional<IpAddress>& address) const;
    void turnAway() noexcept;
    EventLoop& leastLoaded() const noexcept;

    EventLoop& _home;
    const std::span<const std::unique_ptr<EventLoop>> _loops;
    const std::string _service;
    std::unique_ptr<TlsContext> _tls;
    FileDescriptor _socket;
    /// Given up for a moment when there are no descriptors left, to turn a client away that would wake the loop for ever.
    FileDescriptor _reserve;
    std::string _address;
    unsigned short _port = 0;
    /// The file of a Unix socket that was made here.
    std::string _madePath;
    std::binary_semaphore _closed{0};
};

} // namespace portico::host::http
