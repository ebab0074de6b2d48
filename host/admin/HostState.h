#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::admin
{

enum class HostPhase : std::uint8_t
{
    Starting,
    Serving,
    Stopping
};

std::string_view name(HostPhase phase) noexcept;

/// A socket that the daemon listens on.
struct ListenerReport
{
    std::string address;
    /// Empty: every service, by the Host header.
    std::string service;
};

/// What the daemon knows about itself. The phase changes while it runs, the rest is set before anybody looks.
struct HostState
{
    std::string version;
    std::filesystem::path stateDirectory;
    /// Without credentials.
    std::string database;
    /// Where short-lived values are: `memory`, or the URL of Redis.
    std::string stateStore;
    /// Only the plugins are started that came with the host.
    bool safeMode = false;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::vector<ListenerReport> listeners;
    std::atomic<HostPhase> phase{HostPhase::Starting};

    std::chrono::seconds uptime() const
    {
        return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - started);
    }
};

} // namespace portico::host::admin
