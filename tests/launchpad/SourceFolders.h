#pragma once

#include <string>

namespace portico::tests
{
/// The plugin as it is laid out for a host, without its library.
std::string launchpadPluginFolder();
} // namespace portico::tests
