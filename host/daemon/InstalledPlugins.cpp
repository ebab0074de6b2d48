#include "host/daemon/InstalledPlugins.h"

namespace portico::host::daemon
{

namespace
{

config::Kind kindOf(const std::string& type)
{
    if (type == "integer") return config::Kind::Integer;
    if (type == "boolean") return config::Kind::Boolean;
    if (type == "seconds") return config::Kind::Seconds;
    return config::Kind::Text;
}

} // namespace

InstalledPlugins::InstalledPlugins(const InstallLayout& layout, const std::vector<std::filesystem::path>& configurationFiles)
    : _layout(layout),
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
    policy.isBuiltIn = [layout = _layout](const std::string& id, const std::filesystem::path& folder)
    { return layout.isBuiltIn(id, folder); };
    const auto keys = configuration.text("plugins.trustedKeys");
    policy.trustedKeys = keys.empty() ? _trustedKeys : std::filesystem::path(keys);
    const auto named = configuration.list("plugins.allowUnsigned");
    policy.allowUnsigned = {named.begin(), named.end()};
    policy.safeMode = configuration.boolean("plugins.safeMode");
    return policy;
}

plugins::Discovery InstalledPlugins::discover(const config::Configuration& configuration) const
{
    auto found = plugins::discover(_reader, directories(configuration));
    addTrustWarnings(configuration, found);
    return found;
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
        else if (policy.builtIn(id, known->second.file.parent_path()))
            found.warnings.push_back("plugins.allowUnsigned: expected ids of plugins that did not come with porticod, found '" + id +
                                     "': remove it");
    }
}

std::vector<config::DeclaredSetting> InstalledPlugins::settings(const config::Configuration& configuration) const
{
    std::vector<config::DeclaredSetting> all;
    for (const auto& [id, plugin] : discover(configuration).plugins)
    {
        if (!plugin.manifest) continue;
        for (const auto& [key, setting] : plugin.manifest->config)
        {
            config::DeclaredSetting declared;
            declared.key = key;
            declared.serviceId = id;
            declared.kind = kindOf(setting.type);
            declared.defaultValue = setting.defaultValue;
            declared.minimum = setting.minimum.value_or(declared.minimum);
            declared.maximum = setting.maximum.value_or(declared.maximum);
            declared.description = setting.description;
            all.push_back(std::move(declared));
        }
    }
    return all;
}

} // namespace portico::host::daemon
