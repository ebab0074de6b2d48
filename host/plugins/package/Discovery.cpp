#include "host/plugins/package/Discovery.h"

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

/// Characters of a `service_id`. A copy like `crm.bak` has others.
constexpr std::string_view idCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";

/// Places of the plugins of one id, in the order of the folders.
using Places = std::vector<fs::path>;

std::map<std::string, Places> findPlaces(const std::vector<fs::path>& folders, Discovery& found)
{
    std::map<std::string, Places> places;
    for (const auto& folder : folders)
    {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        {
            const auto& place = entry->path();
            std::error_code unread;
            const bool hasManifest = fs::exists(place / "manifest.json", unread);
            if (unread) found.warnings.push_back((place / "manifest.json").string() + " cannot be read: " + unread.message());
            if (!hasManifest) continue;
            if (const auto id = place.filename().string(); id.find_first_not_of(idCharacters) == std::string::npos)
                places[id].push_back(place);
            else
                found.warnings.push_back((place / "manifest.json").string() +
                                         ": expected a folder named by a service_id (a-z, 0-9 and -), found '" + id +
                                         "', which is not loaded: rename or remove it");
        }
        if (error) found.warnings.push_back("plugin folder " + folder.string() + " cannot be read: " + error.message());
    }
    return places;
}

/// A plugin that takes over the id of a service gets its data and its users' secrets.
std::string foreignText(const std::string& id, const fs::path& foreign, const std::string& own)
{
    return (foreign / "manifest.json").string() + ": expected '" + id + "', a service of the host, from " + own +
           " only, found another plugin of that id, which is not loaded: give it another id, or, if it is to take the place of "
           "that service, name it in plugins.override and restart the daemon";
}

/// Selects the plugin whose place is protected, or the one that the configuration allows to replace it; the others are reported.
void choose(const ManifestReader& reader, const std::string& id, const Places& places, const OwnServices& services, Discovery& found)
{
    const bool isOwn = services.isOwnId && services.isOwnId(id);
    const auto builtIn = [&](const fs::path& place) { return services.builtIn(id, place); };
    const auto own = isOwn ? std::ranges::find_if(places, builtIn) : places.end();
    const auto foreign = std::ranges::find_if_not(places, builtIn);
    const bool refused = isOwn && !services.overridden.contains(id);
    const auto chosen = !isOwn ? places.begin() : refused && own != places.end() ? own : foreign == places.end() ? own : foreign;
    auto plugin = readPlugin(reader, *chosen);
    if (refused && own == places.end())
    {
        plugin.manifest.reset();
        plugin.errors = {foreignText(id, *chosen, "where the host is installed")};
    }
    found.plugins.emplace(id, std::move(plugin));
    for (auto place = places.begin(); place != places.end(); ++place)
        if (place != chosen && refused && !builtIn(*place))
            found.warnings.push_back(foreignText(id, *place, own == places.end() ? "where the host is installed" : own->string()));
        else if (place != chosen)
            found.warnings.push_back((*place / "manifest.json").string() + ": expected one plugin '" + id + "', found another in " +
                                     (*chosen / "manifest.json").string() + ", which is used: remove one of the two");
}
} // namespace

Discovery discover(const ManifestReader& reader, const std::vector<fs::path>& folders, const OwnServices& services)
{
    Discovery found;
    for (const auto& [id, places] : findPlaces(folders, found)) choose(reader, id, places, services, found);
    return found;
}

} // namespace portico::host::plugins
