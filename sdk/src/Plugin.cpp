#include "portico/Plugin.h"

namespace portico
{

PluginContext::~PluginContext() = default;
Plugin::~Plugin() = default;

} // namespace portico
