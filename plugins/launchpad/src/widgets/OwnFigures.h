#pragma once

#include "catalog/Registry.h"
#include "installs/InstallService.h"

#include "portico/Plugin.h"

#include <cstdint>

namespace portico::launchpad
{

/// Figures of the launchpad's own widget.
struct OwnFigures
{
    /// Actions that wait for the caller, or for a role that the caller has.
    std::int64_t openActions = 0;
    std::int64_t unread = 0;
    /// Installed apps that the person has not opened for 30 days.
    std::int64_t unusedApps = 0;
};

OwnFigures ownFigures(PluginContext& context, const Registry& registry, const InstallService& installs, const Caller& caller);

} // namespace portico::launchpad
