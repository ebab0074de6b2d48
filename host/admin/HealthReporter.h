#pragma once

#include "host/admin/HostState.h"
#include "host/platform/context/Platform.h"
#include "host/routing/builtin/HostRoutes.h"

namespace portico::host::admin
{

/// What `/healthz`, `/readyz` and `/health` tell. Thread-safe.
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
