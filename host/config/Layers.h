#pragma once

#include "host/config/Catalog.h"
#include "host/config/PropertiesFile.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::config
{

/// Where the values come from, the weakest first.
struct LayerSources
{
    /// Each is followed by the `conf.d/*.properties` beside it, in the order of their names.
    std::vector<std::filesystem::path> files;
    /// Drop-ins that `porticoctl enable` and `disable` write; may be absent.
    std::filesystem::path dropIns;
    /// Variables that begin with `PORTICO_`, without that.
    std::vector<std::pair<std::string, std::string>> environment;
    /// `key=value`, as given to `--set`.
    std::vector<std::string> overrides;
};

/// Everything that was set, in the order in which it counts, and what could not be read as a setting.
struct Layers
{
    std::vector<Entry> entries;
    std::vector<SyntaxFault> faults;
    std::vector<std::string> unknownVariables;
};

/// @throws std::runtime_error for a file that cannot be read.
Layers readLayers(const Catalog& catalog, const LayerSources& sources);

/// The files that `readLayers` reads, in that order.
std::vector<std::filesystem::path> filesOf(const LayerSources& sources);

/// The `PORTICO_…` variables of this process.
std::vector<std::pair<std::string, std::string>> environmentVariables();

} // namespace portico::host::config
