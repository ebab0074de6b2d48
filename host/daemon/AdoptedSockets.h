#pragma once

#include <string>
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

} // namespace portico::host::daemon
