#include "host/daemon/ServiceManager.h"

#include "host/base/FileDescriptor.h"
#include "host/base/Text.h"
#include "host/base/UnixSocket.h"

#include <Poco/Net/SocketAddress.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace portico::host::daemon
{

namespace
{

// The protocols of sd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3), which systemd guarantees, without its library: that would
// load six others. Missing or malformed variables mean that there is no service manager.

/// SD_LISTEN_FDS_START
constexpr int firstSocket = 3;
/// Time to stop the services once no request runs. Together with the default of `server.drainSeconds`, it equals the unit's
/// TimeoutStopSec.
constexpr std::chrono::seconds servicesPatience{60};

std::optional<long long> number(const char* variable)
{
    const char* text = std::getenv(variable);
    const auto value = parseNumber<long long>(text ? text : "");
    return value > 0 ? value : std::nullopt;
}

/// The variable names this process, or is not set and need not be.
bool isForUs(const char* variable, bool required)
{
    if (std::getenv(variable) == nullptr) return !required;
    return number(variable) == ::getpid();
}

int option(int descriptor, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/// Sends lines such as `READY=1` to the socket that `NOTIFY_SOCKET` names: a path, or `@` and an abstract name. Returns false if they could
/// not be sent.
bool notify(std::string_view state) noexcept
{
    const char* name = std::getenv("NOTIFY_SOCKET");
    if (name == nullptr || (name[0] != '/' && name[0] != '@')) return false;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto length = std::strlen(name);
    if (length >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, name, length);
    if (name[0] == '@') address.sun_path[0] = '\0';
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + (name[0] == '/' ? 1 : 0));
    const auto sent = ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
    return sent == static_cast<ssize_t>(state.size());
}

/// How often `WATCHDOG=1` is expected at least, if it is expected of this process.
std::optional<std::chrono::microseconds> watchdogPeriod()
{
    const auto period = number("WATCHDOG_USEC");
    if (!period || !isForUs("WATCHDOG_PID", false)) return std::nullopt;
    return std::chrono::microseconds(*period);
}

/// Listening stream sockets that were opened for this process. They are its own from now on: children do not inherit them, and a second
/// call finds none.
std::vector<int> takeListeningSockets()
{
    std::vector<int> sockets;
    const auto count = number("LISTEN_FDS");
    if (count && isForUs("LISTEN_PID", true))
        for (int descriptor = firstSocket; descriptor < firstSocket + *count; ++descriptor)
        {
            const int flags = ::fcntl(descriptor, F_GETFD);
            if (flags < 0) break;
            ::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
            if (option(descriptor, SO_TYPE) == SOCK_STREAM && option(descriptor, SO_ACCEPTCONN) == 1) sockets.push_back(descriptor);
        }
    for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(variable);
    return sockets;
}

std::string boundAddress(int descriptor)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
    if (storage.ss_family == AF_UNIX) return std::string("unix:") + reinterpret_cast<const sockaddr_un&>(storage).sun_path;
    if (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) return {};
    return Poco::Net::SocketAddress(reinterpret_cast<const sockaddr*>(&storage), size).toString();
}

constexpr int probePatienceMs = 5'000;

FileDescriptor connectTo(const std::string& address)
{
    constexpr std::string_view unixScheme = "unix:";
    if (address.starts_with(unixScheme)) return connectUnix(address.substr(unixScheme.size()));
    Poco::Net::SocketAddress to(address);
    // A wildcard address is tested on loopback.
    if (to.host().isWildcard()) to = {to.family() == Poco::Net::SocketAddress::IPv6 ? "::1" : "127.0.0.1", to.port()};
    FileDescriptor socket(::socket(to.af(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(socket.get(), to.addr(), to.length()) == 0 ? std::move(socket) : FileDescriptor();
}

/// Under TLS a refusal is as good as an answer.
bool answers(const std::string& address) noexcept
try
{
    constexpr std::string_view question = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const auto socket = connectTo(address);
    if (!socket || ::send(socket.get(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return false;
    pollfd waiting{socket.get(), POLLIN, 0};
    return ::poll(&waiting, 1, probePatienceMs) > 0;
}
catch (const std::exception&)
{
    return false;
}

} // namespace

AdoptedSockets::AdoptedSockets()
{
    for (const int descriptor : takeListeningSockets()) _sockets.emplace_back(descriptor, boundAddress(descriptor));
}

int AdoptedSockets::take(const std::string& address)
{
    const auto found = std::find_if(_sockets.begin(), _sockets.end(), [&](const auto& each) { return each.second == address; });
    if (found == _sockets.end()) return -1;
    const int descriptor = found->first;
    _sockets.erase(found);
    return descriptor;
}

void ServiceManagerLink::ready(const std::string& status) const { notify("READY=1\nSTATUS=" + status); }

void ServiceManagerLink::reloading() const
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto microseconds =
        static_cast<unsigned long long>(now.tv_sec) * 1000000ULL + static_cast<unsigned long long>(now.tv_nsec) / 1000ULL;
    notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void ServiceManagerLink::stopping(std::chrono::seconds drain) const
{
    const std::chrono::microseconds limit = drain + servicesPatience;
    notify("STOPPING=1\nSTATUS=Waiting for running requests\nEXTEND_TIMEOUT_USEC=" + std::to_string(limit.count()));
}

void ServiceManagerLink::watch(const std::string& address)
{
    const auto period = watchdogPeriod();
    if (!period) return;
    // Three times in each period, so that one late round does no harm.
    const auto interval = *period / 3;
    _watchdog = std::jthread(
        [interval, address](const std::stop_token& stop)
        {
            std::mutex mutex;
            std::condition_variable_any bell;
            std::unique_lock lock(mutex);
            while (!bell.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); }))
                if (answers(address)) notify("WATCHDOG=1");
        });
}

} // namespace portico::host::daemon
