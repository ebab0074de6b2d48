#include "host/config/Layers.h"

#include "host/base/Text.h"
#include "host/config/Values.h"

#include <algorithm>
#include <string_view>
#include <unistd.h>

namespace portico::host::config
{

namespace
{

void addFile(const std::filesystem::path& file, Layers& layers)
{
    auto properties = readProperties(file);
    std::move(properties.entries.begin(), properties.entries.end(), std::back_inserter(layers.entries));
    std::move(properties.faults.begin(), properties.faults.end(), std::back_inserter(layers.faults));
}

void addDirectory(const std::filesystem::path& directory, std::vector<std::filesystem::path>& files)
{
    std::error_code ignored;
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& item : std::filesystem::directory_iterator(directory, ignored))
        if (item.path().extension() == ".properties") files.push_back(item.path());
    std::sort(files.begin() + first, files.end());
}

void addOverride(const std::string& text, Layers& layers)
{
    const Source source{"command line", 0};
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
    {
        layers.faults.push_back({source, "--set key=value", text});
        return;
    }
    layers.entries.push_back(
        {std::string(trimmed(text.substr(0, equals), whiteSpace)), std::string(trimmed(text.substr(equals + 1), whiteSpace)), source});
}

} // namespace

std::vector<std::filesystem::path> filesOf(const LayerSources& sources)
{
    std::vector<std::filesystem::path> files;
    for (const auto& file : sources.files)
    {
        files.push_back(file);
        addDirectory(file.parent_path() / "conf.d", files);
    }
    if (!sources.dropIns.empty()) addDirectory(sources.dropIns, files);
    return files;
}

Layers readLayers(const Catalog& catalog, const LayerSources& sources)
{
    Layers layers;
    for (const auto& file : filesOf(sources)) addFile(file, layers);
    for (const auto& [name, value] : sources.environment)
    {
        if (auto key = catalog.fromEnvironment(name); !key.empty())
            layers.entries.push_back({std::move(key), value, {"environment variable PORTICO_" + name, 0}});
        else
            layers.unknownVariables.push_back("PORTICO_" + name);
    }
    for (const auto& text : sources.overrides) addOverride(text, layers);
    return layers;
}

std::vector<std::pair<std::string, std::string>> environmentVariables()
{
    constexpr std::string_view prefix = "PORTICO_";
    std::vector<std::pair<std::string, std::string>> variables;
    for (char** variable = environ; variable && *variable; ++variable)
    {
        const std::string_view text = *variable;
        const auto equals = text.find('=');
        if (!text.starts_with(prefix) || equals == std::string_view::npos) continue;
        variables.emplace_back(text.substr(prefix.size(), equals - prefix.size()), text.substr(equals + 1));
    }
    std::sort(variables.begin(), variables.end());
    return variables;
}

} // namespace portico::host::config
