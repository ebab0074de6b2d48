#pragma once

#include <string>

namespace portico::tests
{
/// Returns the plugin's folder as installed for a host, without its library.
std::string socialPluginFolder();
/// The folder of these tests.
std::string socialTestFolder();
} // namespace portico::tests
