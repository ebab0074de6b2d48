#include "host/daemon/AdoptedSockets.h"

#include "host/daemon/ServiceManager.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace portico::host::daemon
{

namespace
{

std::string boundAddress(int descriptor)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (storage.ss_family == AF_INET)
    {
        const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
        ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
        return std::string(text.data()) + ":" + std::to_string(ntohs(address.sin_port));
    }
    if (storage.ss_family == AF_INET6)
    {
        const auto& address = reinterpret_cast<const sockaddr_in6&>(storage);
        ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
        return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(address.sin6_port));
    }
    if (storage.ss_family == AF_UNIX) return std::string("unix:") + reinterpret_cast<const sockaddr_un&>(storage).sun_path;
    return {};
}

} // namespace

AdoptedSockets::AdoptedSockets()
{
    for (const int descriptor : service_manager::takeListeningSockets()) _sockets.emplace_back(descriptor, boundAddress(descriptor));
}

int AdoptedSockets::take(const std::string& address)
{
    const auto found = std::find_if(_sockets.begin(), _sockets.end(), [&](const auto& each) { return each.second == address; });
    if (found == _sockets.end()) return -1;
    const int descriptor = found->first;
    _sockets.erase(found);
    return descriptor;
}

} // namespace portico::host::daemon
