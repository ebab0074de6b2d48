#include "host/config/PropertiesFile.h"

#include "host/base/Text.h"
#include "host/config/Values.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace portico::host::config
{

namespace
{

constexpr bool isKeyCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

void addLine(std::string_view line, const Source& source, Properties& properties)
{
    line = trimmed(line, whiteSpace);
    if (line.empty() || line.front() == '#' || line.front() == '!') return;
    const auto equals = line.find_first_of("=:");
    const auto key = trimmed(line.substr(0, equals), whiteSpace);
    if (equals == std::string_view::npos || key.empty() || !std::all_of(key.begin(), key.end(), isKeyCharacter))
    {
        properties.faults.push_back({source, "key = value, or # before a comment", std::string(line.substr(0, 60))});
        return;
    }
    properties.entries.push_back({std::string(key), std::string(trimmed(line.substr(equals + 1), whiteSpace)), source});
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
    // Opening one works, and reading it throws what names no file.
    if (std::error_code ignored; std::filesystem::is_directory(file, ignored))
        throw std::runtime_error("Cannot read " + file.string() + ": it is a directory. Name the file in it.");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("Cannot read " + file.string() + ": " + std::strerror(errno != 0 ? errno : EIO));
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) throw std::runtime_error("Cannot read " + file.string() + ": it is not a readable file");
    return parseProperties(text, file.string());
}

} // namespace portico::host::config
