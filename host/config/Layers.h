#pragma once

#include "host/config/Catalog.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::config
{

/// Where a value was set.
struct Source
{
    /// A file, `environment` or `command line`.
    std::string name;
    /// From 1; 0 where there are no lines.
    int line = 0;

    /// `portico.properties:12`.
    std::string text() const;
};

struct Entry
{
    std::string key;
    std::string value;
    Source source;
};

/// Lines that are no `key = value`.
struct SyntaxFault
{
    Source source;
    std::string expected;
    std::string found;
};

/// Entries of a properties file, in its order.
struct Properties
{
    std::vector<Entry> entries;
    std::vector<SyntaxFault> faults;
};

/// Reads `key = value` lines: `#` and `!` begin a comment line, a backslash at the end continues in the next line, and blanks around
/// key and value are ignored. `Poco::Util::PropertyFileConfiguration` reads the same form, but does not keep line numbers for
/// messages.
Properties parseProperties(std::string_view text, const std::string& name);
/// @throws std::runtime_error when the file cannot be read.
Properties readProperties(const std::filesystem::path& file);

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

/// All settings, in order of increasing precedence, and lines that could not be read as a setting.
struct Layers : Properties
{
    std::vector<std::string> unknownVariables;
};

/// @throws std::runtime_error for a file that cannot be read.
Layers readLayers(const Catalog& catalog, const LayerSources& sources);

/// The files that `readLayers` reads, in that order.
std::vector<std::filesystem::path> filesOf(const LayerSources& sources);

/// The `PORTICO_…` variables of this process.
std::vector<std::pair<std::string, std::string>> environmentVariables();

} // namespace portico::host::config
