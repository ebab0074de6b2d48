#pragma once

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::daemon
{

/// The listening sockets that systemd has handed to this process (sd_listen_fds), by the address they are bound to.
class AdoptedSockets
{
public:
    AdoptedSockets();
    /// The descriptor of a socket that is bound to this address (`127.0.0.1:8080`, `[::1]:8080`, `unix:/path`), once; -1 if there is none.
    int take(const std::string& address);
    /// Those that nobody took: they are served too, for all services.
    std::vector<std::pair<int, std::string>> rest() const { return _sockets; }

private:
    std::vector<std::pair<int, std::string>> _sockets;
};

/// What systemd is told, if it is there: ready, reloading, stopping, and, where the unit asks for it, that the daemon is alive.
class ServiceManagerLink
{
public:
    void ready(const std::string& status) const;
    void reloading() const;
    void stopping() const;
    /// From now on the watchdog is fed, from a thread of its own, as long as the listener at `address`, `127.0.0.1:8080` or `unix:/path`,
    /// says anything to who asks, over a connection of its own: sockets are accepted then, and event loops turn, each time the next one.
    /// After that systemd restarts the daemon.
    void watch(const std::string& address);

private:
    std::jthread _watchdog;
};

} // namespace portico::host::daemon
