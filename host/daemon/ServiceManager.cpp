#include "host/daemon/ServiceManager.h"

#include "host/base/FileDescriptor.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace portico::host::daemon::service_manager
{

namespace
{

/// SD_LISTEN_FDS_START
constexpr int firstSocket = 3;

std::optional<long long> number(const char* variable)
{
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    const std::string_view view(text);
    long long value = 0;
    const auto parsed = std::from_chars(view.data(), view.data() + view.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != view.data() + view.size() || value <= 0) return std::nullopt;
    return value;
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

} // namespace

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

std::optional<std::chrono::microseconds> watchdogPeriod()
{
    const auto period = number("WATCHDOG_USEC");
    if (!period || !isForUs("WATCHDOG_PID", false)) return std::nullopt;
    return std::chrono::microseconds(*period);
}

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

} // namespace portico::host::daemon::service_manager
