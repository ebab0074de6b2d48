#pragma once

#include "portico/Plugin.h"

#include <vector>

namespace portico::social
{

/// The social publishing service: makes its resources and declares their routes.
class SocialPlugin final : public Plugin
{
public:
    explicit SocialPlugin(PluginContext& context);

    void start() override;
    void declare(Routes& routes) override;
    std::vector<HealthCheck> health() override;

private:
    PluginContext& _context;
};

} // namespace portico::social
