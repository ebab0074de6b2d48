#pragma once

#include <filesystem>
#include <string>
#include <string_view>
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

/// What a properties file says, in its order.
struct Properties
{
    std::vector<Entry> entries;
    std::vector<SyntaxFault> faults;
};

/// Reads `key = value` lines: `#` and `!` begin a comment line, a backslash at the end goes on in the next line, blanks around key and
/// value do not count. `Poco::Util::PropertyFileConfiguration` reads the same form but forgets the lines, and a message without one helps
/// nobody.
Properties parseProperties(std::string_view text, const std::string& name);
/// @throws std::runtime_error when the file cannot be read.
Properties readProperties(const std::filesystem::path& file);

} // namespace portico::host::config
