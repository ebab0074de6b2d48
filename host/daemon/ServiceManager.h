#pragma once

#include <chrono>
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
    /// The remaining sockets: they serve all services.
    std::vector<std::pair<int, std::string>> rest() const { return _sockets; }

private:
    std::vector<std::pair<int, std::string>> _sockets;
};

/// Notifies systemd, if it runs, of the states ready, reloading and stopping. If the unit has a watchdog, it also reports that the daemon
/// is alive.
class ServiceManagerLink
{
public:
    void ready(const std::string& status) const;
    void reloading() const;
    /// Extends the unit's TimeoutStopSec if `drain`, the time for running requests to end, needs more.
    void stopping(std::chrono::seconds drain) const;
    /// Starts feeding the watchdog from a separate thread, while the listener at `address`, `127.0.0.1:8080` or `unix:/path`, answers new
    /// connections. An answer shows that sockets are accepted and that the next event loop runs. Without answers systemd restarts the
    /// daemon.
    void watch(const std::string& address);

private:
    std::jthread _watchdog;
};

} // namespace portico::host::daemon
