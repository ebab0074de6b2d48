#pragma once

#include <string>

namespace portico::tests
{
/// Returns the plugin's folder as installed for a host, without its library.
std::string launchpadPluginFolder();
} // namespace portico::tests
