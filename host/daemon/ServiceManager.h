#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::daemon::service_manager
{

/// The protocols of sd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3), which systemd promises to keep, without its library: that
/// brings six others into the process. Whatever the environment lacks or says wrongly counts as no service manager.

/// Sends lines such as `READY=1` to the socket that `NOTIFY_SOCKET` names: a path, or `@` and an abstract name. False if nobody asked, or
/// it did not get there.
bool notify(std::string_view state) noexcept;

/// How often `WATCHDOG=1` is expected at least, if it is expected of this process.
std::optional<std::chrono::microseconds> watchdogPeriod();

/// Listening stream sockets that were opened for this process. They are its own from now on: children do not inherit them, and a second
/// call finds none.
std::vector<int> takeListeningSockets();

} // namespace portico::host::daemon::service_manager
