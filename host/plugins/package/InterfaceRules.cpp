#include "host/plugins/package/InterfaceRules.h"

#include "host/plugins/package/Version.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace portico::host::plugins
{

const InterfaceReference& requireNeeded(const Manifest& manifest, std::string_view name)
{
    const auto found = std::ranges::find(manifest.needs, name, &InterfaceReference::interface);
    if (found == manifest.needs.end())
        throw std::logic_error("the plugin looks for the interface '" + std::string(name) +
                               "', which its manifest does not list: add it to plugin.requires");
    return *found;
}

void requireProvided(const Manifest& manifest, std::string_view name, std::string_view version)
{
    const auto found = std::ranges::find(manifest.provides, name, &InterfaceReference::interface);
    if (found == manifest.provides.end())
        throw std::logic_error("the plugin offers the interface '" + std::string(name) +
                               "', which its manifest does not list: add it to plugin.provides");
    if (found->version != version)
        throw std::logic_error("the plugin offers the interface '" + std::string(name) + "' in version " + std::string(version) +
                               ", its manifest says " + found->version + ": correct plugin.provides or the interfaceVersion of the header");
}

bool mayUse(const InterfaceReference& need, std::string_view compiled, std::string_view provided)
{
    return satisfies(provided, need.version) && isCallable(provided, compiled);
}

} // namespace portico::host::plugins
