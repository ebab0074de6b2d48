#include "host/plugins/Discovery.h"

#include <algorithm>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
DiscoveredPlugin readPlugin(const ManifestReader& reader, const fs::path& folder)
{
    DiscoveredPlugin plugin{.serviceId = folder.filename().string(), .file = folder / "manifest.json", .manifest = {}, .errors = {}};
    auto read = reader.read(plugin.file);
    plugin.errors = std::move(read.errors);
    if (read.manifest && read.manifest->serviceId != plugin.serviceId)
        plugin.errors.push_back(plugin.file.string() + ": service_id: expected the folder's name \"" + plugin.serviceId + "\", found \"" +
                                read.manifest->serviceId + "\": rename one of the two");
    if (plugin.errors.empty()) plugin.manifest = std::move(read.manifest);
    return plugin;
}

void readFolder(const ManifestReader& reader, const fs::path& folder, Discovery& found)
{
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    {
        if (!fs::exists(entry->path() / "manifest.json")) continue;
        auto plugin = readPlugin(reader, entry->path());
        const auto [known, added] = found.plugins.try_emplace(plugin.serviceId, plugin);
        if (!added)
            found.warnings.push_back(plugin.file.string() + ": expected one plugin '" + plugin.serviceId + "', found another in " +
                                     known->second.file.string() + ", which is used: remove one of the two");
    }
    if (error) found.warnings.push_back("plugin folder " + folder.string() + " cannot be read: " + error.message());
}
} // namespace

Discovery discover(const ManifestReader& reader, const std::vector<fs::path>& folders)
{
    Discovery found;
    for (const auto& folder : folders) readFolder(reader, folder, found);
    return found;
}

} // namespace portico::host::plugins
