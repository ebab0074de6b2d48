#pragma once

#include "host/plugins/package/ManifestReader.h"
#include "host/plugins/trust/TrustPolicy.h"

#include <filesystem>
#include <map>
#include <memory>
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

/// What the plugin folders hold.
struct Discovery
{
    std::map<std::string, DiscoveredPlugin, std::less<>> plugins;
    /// What is wrong and belongs to no plugin: folders that cannot be read, a second plugin of the same id.
    std::vector<std::string> warnings;
};

/// Reads `<folder>/<id>/manifest.json` of each folder. An id that is found twice is taken from the folder that comes first; that of a
/// service of the host only from where it came with the host, unless `trust` has it overridden.
Discovery discover(const ManifestReader& reader, const std::vector<std::filesystem::path>& folders, const TrustPolicy& trust);

} // namespace portico::host::plugins
