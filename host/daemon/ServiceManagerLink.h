#pragma once

#include <functional>
#include <string>
#include <thread>

namespace portico::host::daemon
{

/// What systemd is told: ready, reloading, stopping, and, where the unit asks for it, that the daemon is alive. Without systemd it does
/// nothing.
class ServiceManagerLink
{
public:
    void ready(const std::string& status) const;
    void reloading() const;
    void stopping() const;
    /// From now on the watchdog is fed, from a thread of its own, as long as `alive` says so; after that systemd restarts the daemon.
    void watch(std::function<bool()> alive);

private:
    std::jthread _watchdog;
};

} // namespace portico::host::daemon
