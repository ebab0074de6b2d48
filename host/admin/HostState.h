#pragma once

#include "host/platform/context/Platform.h"
#include "host/routing/builtin/HostRoutes.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::admin
{

enum class HostPhase : std::uint8_t
{
    Starting,
    Serving,
    Stopping
};

/// `starting`.
std::string_view name(HostPhase phase) noexcept;

/// Memory of this process that is in RAM; 0 where the kernel does not tell.
std::uint64_t residentBytes();

/// A socket that the daemon listens on.
struct ListenerReport
{
    std::string address;
    /// Empty: every service, by the Host header.
    std::string service;
};

/// The daemon's facts about itself. Phase and listeners may change while other threads read; the rest is set before.
class HostState
{
public:
    std::string version;
    std::filesystem::path stateDirectory;
    /// Without credentials.
    std::string database;
    /// Where short-lived values are: `memory`, or the URL of Redis.
    std::string stateStore;
    /// Only the plugins are started that came with the host.
    bool safeMode = false;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::atomic<HostPhase> phase{HostPhase::Starting};

    std::chrono::seconds uptime() const
    {
        return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - started);
    }

    void add(ListenerReport listener)
    {
        const std::lock_guard lock(_mutex);
        _listeners.push_back(std::move(listener));
    }
    std::vector<ListenerReport> listeners() const
    {
        const std::lock_guard lock(_mutex);
        return _listeners;
    }

private:
    mutable std::mutex _mutex;
    std::vector<ListenerReport> _listeners;
};

/// Answers for `/healthz`, `/readyz` and `/health`. Thread-safe.
class HealthReporter final : public routing::HealthSource
{
public:
    HealthReporter(const HostState& state, platform::Platform& platform) : _state(state), _platform(platform) {}

    std::chrono::seconds uptime() const override { return _state.uptime(); }
    std::vector<routing::DependencyHealth> dependencies(std::string_view serviceId) override;
    std::vector<std::string> notReady(std::string_view serviceId) override;

private:
    const HostState& _state;
    platform::Platform& _platform;
};

} // namespace portico::host::admin
