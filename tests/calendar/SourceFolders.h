#pragma once

#include <string>

/**
 * Where the service's files lie. One source file knows the absolute paths, so that the other ones compile to the same in every checkout,
 * and a compiler cache serves them all.
 */
namespace portico::tests
{
/// Returns the plugin's folder as installed for a host, without its library.
std::string calendarPluginFolder();
/// The folder of these tests.
std::string calendarTestFolder();
} // namespace portico::tests
