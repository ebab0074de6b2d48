#include "LaunchpadPlugin.h"

#include "portico/Changes.h"
#include "portico/interfaces/Directory.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

#include <string>

namespace portico::launchpad
{

namespace
{
template <class Interface>
HealthCheck optional(PluginContext& context)
{
    return {.name = std::string(Interface::interfaceName),
            .healthy = static_cast<bool>(context.services().find<Interface>()),
            .neededToServe = false};
}
} // namespace

LaunchpadPlugin::LaunchpadPlugin(PluginContext& context) : _context(context) {}

void LaunchpadPlugin::start() {}

void LaunchpadPlugin::declare(Routes& routes)
{
    routes.get("/api/changes", access::bearer("apps:read"), &LaunchpadPlugin::follow, this, {.summary = "Follow what changes"});
}

EventStream LaunchpadPlugin::follow(const Caller& caller) const
{
    return {_context.channels(), {Channel(caller.tenantOrSelf(), Changes::channel)}};
}

std::vector<HealthCheck> LaunchpadPlugin::health()
{
    // Without identity no caller can be authenticated; the store is served on.
    return {optional<interfaces::Directory>(_context), optional<interfaces::ServiceCatalog>(_context),
            optional<interfaces::SignIns>(_context)};
}

} // namespace portico::launchpad
