#pragma once

#include "host/plugins/package/ManifestReader.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// A folder that claims to be a plugin.
struct DiscoveredPlugin
{
    /// The folder's name, which is the service's id.
    std::string serviceId;
    std::filesystem::path file;
    /// Null when there are errors.
    std::shared_ptr<const Manifest> manifest;
    std::vector<std::string> errors;
};

/// Identifies services that came with the host, whose ids other plugins may not use.
struct OwnServices
{
    /// Returns true if a plugin came with the host, by its id and the folder that it is installed in. Null: all did.
    std::function<bool(const std::string& serviceId, const std::filesystem::path& folder)> isBuiltIn;
    /// Returns true if an id is that of a service that came with the host, in any folder. Null: none is.
    std::function<bool(const std::string& serviceId)> isOwnId;
    /// Ids of such services that another plugin may replace (`plugins.override`).
    std::set<std::string, std::less<>> overridden;

    bool builtIn(const std::string& serviceId, const std::filesystem::path& folder) const
    {
        return !isBuiltIn || isBuiltIn(serviceId, folder);
    }
};

/// Contents of the plugin folders.
struct Discovery
{
    std::map<std::string, DiscoveredPlugin, std::less<>> plugins;
    /// Faults that belong to no plugin: folders that cannot be read, a second plugin of the same id.
    std::vector<std::string> warnings;
};

/// Reads `<folder>/<id>/manifest.json` of each folder. An id that is found twice is taken from the folder that comes first; that of a
/// service of the host only from where it came with the host, unless `services` has it overridden.
Discovery discover(const ManifestReader& reader, const std::vector<std::filesystem::path>& folders, const OwnServices& services);

} // namespace portico::host::plugins
