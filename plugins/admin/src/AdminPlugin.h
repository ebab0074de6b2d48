#pragma once

#include "SystemRoutes.h"

#include "portico/Plugin.h"

namespace portico::admin
{

/// The administration: the operator's console.
class AdminPlugin final : public Plugin
{
public:
    explicit AdminPlugin(PluginContext& context);

    void declare(Routes& routes) override;

private:
    SystemRoutes _system;
};

} // namespace portico::admin
