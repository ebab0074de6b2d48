#pragma once

#include <string>

/**
 * Where the service's files lie in the source tree. One source file knows the absolute paths, so that the other ones compile to the same
 * in every checkout, and a compiler cache serves them all.
 */
namespace portico::tests
{
std::string manifestFile();
/// Returns the plugin's folder as installed for a host, without its library.
std::string pluginFolder();
std::string corpusFolder();
} // namespace portico::tests
