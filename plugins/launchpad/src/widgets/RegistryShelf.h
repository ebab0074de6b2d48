#pragma once

#include "catalog/Registry.h"
#include "installs/InstallService.h"
#include "widgets/WidgetShelf.h"

#include "portico/Plugin.h"

#include <vector>

namespace portico::launchpad
{

/// The apps of the registry with widgets, as one caller has them: installed or not, in the person's order. Thread-safe.
class RegistryShelf
{
public:
    RegistryShelf(PluginContext& context, const Registry& registry, const InstallService& installs)
        : _context(context), _registry(registry), _installs(installs)
    {
    }
    std::vector<WidgetApp> apps(const Caller& caller) const;

private:
    PluginContext& _context;
    const Registry& _registry;
    const InstallService& _installs;
};

} // namespace portico::launchpad
