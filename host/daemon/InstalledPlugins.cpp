#include "host/daemon/InstalledPlugins.h"

#include "host/base/Text.h"
#include "host/config/Layers.h"
#include "host/platform/config/ServiceConfig.h"

#include <algorithm>
#include <iterator>

namespace portico::host::daemon
{

namespace
{

config::Kind kindOf(std::string_view type)
{
    using config::Kind;
    constexpr std::pair<std::string_view, Kind> kinds[] = {{"integer", Kind::Integer}, {"boolean", Kind::Boolean},
                                                           {"seconds", Kind::Seconds}, {"choice", Kind::Choice},
                                                           {"list", Kind::List},       {"secretFile", Kind::SecretFile}};
    const auto* found = std::ranges::find(kinds, type, &std::pair<std::string_view, Kind>::first);
    return found == std::end(kinds) ? Kind::Text : found->second;
}

/// The folder and what is in it, links not followed: a plugin has none.
template <class Look>
void lookBelow(const std::filesystem::path& folder, const Look& look)
{
    look(folder);
    std::error_code error;
    std::filesystem::recursive_directory_iterator entry(folder, error);
    for (const std::filesystem::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) look(entry->path());
}

} // namespace

InstalledPlugins::InstalledPlugins(const config::InstallLayout& layout, const std::vector<std::filesystem::path>& configurationFiles)
    : _layout(layout),
      _configurationFiles(configurationFiles),
      _trustedKeys(configurationFiles.empty() ? layout.trustedKeys() : configurationFiles.front().parent_path() / "trusted-keys.d")
{
}

std::vector<std::filesystem::path> InstalledPlugins::directories(const config::Configuration& configuration) const
{
    const auto own = _layout.pluginsDirectory();
    const auto set = configuration.list("plugins.directories");
    if (set.empty()) return {own};
    std::vector<std::filesystem::path> all(set.begin(), set.end());
    if (!configuration.boolean("plugins.safeMode")) return all;
    std::error_code ignored;
    std::erase_if(all, [&](const auto& each) { return std::filesystem::equivalent(each, own, ignored); });
    all.insert(all.begin(), own);
    return all;
}

plugins::TrustPolicy InstalledPlugins::trust(const config::Configuration& configuration) const
{
    plugins::TrustPolicy policy;
    policy.services.isBuiltIn = [layout = _layout](const std::string& id, const std::filesystem::path& folder)
    { return layout.isBuiltIn(id, folder); };
    const auto keys = configuration.text("plugins.trustedKeys");
    policy.trustedKeys = keys.empty() ? _trustedKeys : std::filesystem::path(keys);
    const auto named = configuration.list("plugins.allowUnsigned");
    policy.allowUnsigned = {named.begin(), named.end()};
    policy.safeMode = configuration.boolean("plugins.safeMode");
    policy.services.isOwnId = [](const std::string& id) { return config::InstallLayout::isOwnId(id); };
    const auto overridden = configuration.list("plugins.override");
    if (!policy.safeMode) policy.services.overridden = {overridden.begin(), overridden.end()};
    return policy;
}

plugins::Discovery InstalledPlugins::discover(const config::Configuration& configuration) const
{
    auto found = plugins::discover(_reader, directories(configuration), trust(configuration).services);
    addTrustWarnings(configuration, found);
    std::ranges::move(straySettings(configuration, found), std::back_inserter(found.warnings));
    std::ranges::move(openDoors(configuration), std::back_inserter(found.warnings));
    return found;
}

std::vector<std::string> InstalledPlugins::openDoors(const config::Configuration& configuration) const
{
    std::vector<std::string> faults;
    const auto look = [&](const std::filesystem::path& path)
    {
        auto fault = plugins::whoElseMayChange(path);
        // A folder that leads to several of them is named once.
        if (!fault.empty() && std::ranges::find(faults, fault) == faults.end()) faults.push_back(std::move(fault));
    };
    for (const auto& file : config::filesOf({_configurationFiles, {}, {}, {}})) look(file);
    for (const auto& file : _configurationFiles) look(file.parent_path() / "conf.d");
    for (const auto& directory : directories(configuration))
    {
        look(directory);
        // Unsigned plugins have no other protection against users with write access there.
        for (const auto& id : trust(configuration).allowUnsigned) lookBelow(directory / id, look);
    }
    return faults;
}

void InstalledPlugins::addTrustWarnings(const config::Configuration& configuration, plugins::Discovery& found) const
{
    const auto policy = trust(configuration);
    for (const auto& fault : plugins::TrustedKeys::read(policy.trustedKeys).faults) found.warnings.push_back(fault);
    for (const auto& id : policy.allowUnsigned)
    {
        const auto known = found.plugins.find(id);
        if (known == found.plugins.end())
            found.warnings.push_back("plugins.allowUnsigned: expected ids of installed plugins, found '" + id +
                                     "': remove it or install the plugin");
        else if (policy.services.builtIn(id, known->second.file.parent_path()))
            found.warnings.push_back("plugins.allowUnsigned: expected ids of plugins that did not come with porticod, found '" + id +
                                     "': remove it");
    }
    for (const auto& id : policy.services.overridden)
    {
        const auto known = found.plugins.find(id);
        if (known == found.plugins.end() || !config::InstallLayout::isOwnId(id) ||
            policy.services.builtIn(id, known->second.file.parent_path()))
            found.warnings.push_back(
                "plugins.override: expected ids of services of porticod whose place a plugin elsewhere takes, found '" + id +
                "', of which there is none: remove it");
    }
}

std::vector<std::string> InstalledPlugins::straySettings(const config::Configuration& configuration, const plugins::Discovery& found)
{
    std::vector<std::string> faults;
    std::vector<std::string> ids;
    for (const auto& [id, plugin] : found.plugins) ids.push_back(id);
    constexpr std::string_view prefix = "services.";
    for (const auto& [key, entry] : configuration.entries())
    {
        std::string id;
        if (key.starts_with(prefix))
            id = key.substr(prefix.size(), key.rfind('.') - prefix.size());
        else if ((key == "admin.console" && entry.value != "off") ||
                 (key == "server.frontDoor" && entry.value != "page" && entry.value != "off"))
            id = entry.value;
        if (id.empty() || found.plugins.contains(id)) continue;
        const auto meant = nearestName(id, ids);
        faults.push_back(entry.source.text() + ": " + key + ": expected the id of an installed service, found '" + id + "'" +
                         (meant.empty() ? ": it has no effect" : ". Did you mean " + meant + "?"));
    }
    return faults;
}

config::DeclaredSettings InstalledPlugins::settings(const config::Configuration& configuration) const
{
    config::DeclaredSettings all;
    for (const auto& [id, plugin] : discover(configuration).plugins)
    {
        if (!plugin.manifest) continue;
        for (const auto& [key, setting] : plugin.manifest->config)
            all.emplace(
                key, config::Rule{.kind = kindOf(setting.type),
                                  .defaultValue = setting.defaultValue,
                                  .applies = config::Applies::Live,
                                  .serviceId = id,
                                  .fault = [setting = setting](std::string_view value) { return platform::settingFault(setting, value); }});
    }
    return all;
}

} // namespace portico::host::daemon
