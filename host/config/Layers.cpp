#include "host/config/Layers.h"

#include "host/base/ReadFiles.h"
#include "host/base/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace portico::host::config
{

namespace
{

void addLine(std::string_view line, const Source& source, Properties& properties)
{
    line = trimmed(line, whiteSpace);
    if (line.empty() || line.front() == '#' || line.front() == '!') return;
    const auto equals = line.find_first_of("=:");
    const auto key = trimmed(line.substr(0, equals), whiteSpace);
    if (equals == std::string_view::npos || key.empty() || !hasOnly(key, ".-_"))
    {
        properties.faults.push_back({source, "key = value, or # before a comment", std::string(line.substr(0, 60))});
        return;
    }
    properties.entries.push_back({std::string(key), std::string(trimmed(line.substr(equals + 1), whiteSpace)), source});
}

void addDirectory(const std::filesystem::path& directory, std::vector<std::filesystem::path>& files)
{
    std::error_code ignored;
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& item : std::filesystem::directory_iterator(directory, ignored))
        if (item.path().extension() == ".properties") files.push_back(item.path());
    std::sort(files.begin() + first, files.end());
}

} // namespace

std::string Source::text() const { return line > 0 ? name + ":" + std::to_string(line) : name; }

Properties parseProperties(std::string_view text, const std::string& name)
{
    Properties properties;
    std::string joined;
    int number = 0;
    int first = 1;
    for (std::size_t begin = 0; begin < text.size();)
    {
        const auto end = std::min(text.find('\n', begin), text.size());
        auto line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (joined.empty()) first = number;
        if (line.ends_with('\\'))
        {
            joined.append(line.substr(0, line.size() - 1));
            continue;
        }
        addLine(joined.append(line), {name, first}, properties);
        joined.clear();
    }
    addLine(joined, {name, first}, properties);
    return properties;
}

Properties readProperties(const std::filesystem::path& file)
{
    if (const auto text = contentOf(file)) return parseProperties(*text, file.string());
    throw std::runtime_error("Cannot read " + file.string() + ": " +
                             (errno == EISDIR ? "it is a directory. Name the file in it." : std::strerror(errno)));
}

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
    for (const auto& file : filesOf(sources))
    {
        auto properties = readProperties(file);
        std::ranges::move(properties.entries, std::back_inserter(layers.entries));
        std::ranges::move(properties.faults, std::back_inserter(layers.faults));
    }
    for (const auto& [name, value] : sources.environment)
    {
        if (auto key = catalog.fromEnvironment(name); !key.empty())
            layers.entries.push_back({std::move(key), value, {"environment variable PORTICO_" + name, 0}});
        else
            layers.unknownVariables.push_back("PORTICO_" + name);
    }
    for (const std::string_view text : sources.overrides)
        if (const auto equals = text.find('='); equals == std::string_view::npos || equals == 0)
            layers.faults.push_back({{"command line", 0}, "--set key=value", std::string(text)});
        else
            layers.entries.push_back({std::string(trimmed(text.substr(0, equals), whiteSpace)),
                                      std::string(trimmed(text.substr(equals + 1), whiteSpace)),
                                      {"command line", 0}});
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
