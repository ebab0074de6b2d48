#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::plugins
{

/// Where the members of a JSON document stand, so that a fault can name its line. Paths are written as in `plugin.requires[0].version`.
class JsonPlaces
{
public:
    /// @param text a document that a parser has accepted.
    explicit JsonPlaces(std::string_view text);

    /// Line of a member, counted from 1; of its nearest known parent when there is no such member.
    int line(std::string path) const;
    /// Members that stand twice in one object: path and line of the second.
    const std::vector<std::pair<std::string, int>>& duplicates() const noexcept { return _duplicates; }

private:
    void value(const std::string& path);
    void object(const std::string& path);
    void array(const std::string& path);
    std::string_view quoted();
    void skipSpace();

    std::string_view _text;
    std::size_t _at = 0;
    int _line = 1;
    std::map<std::string, int> _lines;
    std::vector<std::pair<std::string, int>> _duplicates;
};

} // namespace portico::host::plugins
