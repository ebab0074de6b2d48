#pragma once

#include "portico/Plugin.h"

#include <vector>

namespace portico::launchpad
{

/// The dashboard: makes its parts and declares their routes.
class LaunchpadPlugin final : public Plugin
{
public:
    explicit LaunchpadPlugin(PluginContext& context);

    void start() override;
    void declare(Routes& routes) override;
    std::vector<HealthCheck> health() override;

private:
    EventStream follow(const Caller& caller) const;

    PluginContext& _context;
};

} // namespace portico::launchpad
