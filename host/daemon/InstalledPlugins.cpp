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

std::vector<std::filesystem::path> InstalledPlugins::directories(const config::Configuration& configuration) const
{
    const auto set = configuration.list("plugins.directories");
    if (set.empty()) return {_layout.pluginsDirectory()};
    return {set.begin(), set.end()};
}

plugins::Discovery InstalledPlugins::discover(const config::Configuration& configuration) const
{
    return plugins::discover(_reader, directories(configuration));
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
