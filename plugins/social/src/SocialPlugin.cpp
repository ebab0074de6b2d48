#include "SocialPlugin.h"

#include "portico/interfaces/Directory.h"

#include <string>

namespace portico::social
{

SocialPlugin::SocialPlugin(PluginContext& context) : _context(context) {}

void SocialPlugin::start() {}

void SocialPlugin::declare(Routes&) {}

std::vector<HealthCheck> SocialPlugin::health()
{
    // A transfer of a brand needs the directory; all other routes work without it.
    return {{.name = std::string(interfaces::Directory::interfaceName),
             .healthy = static_cast<bool>(_context.services().find<interfaces::Directory>()),
             .neededToServe = false}};
}

} // namespace portico::social
