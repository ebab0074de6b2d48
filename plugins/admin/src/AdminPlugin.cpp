#include "AdminPlugin.h"

namespace portico::admin
{

AdminPlugin::AdminPlugin(PluginContext& context) : _system(context) {}

void AdminPlugin::declare(Routes& routes) { _system.declare(routes); }

} // namespace portico::admin
