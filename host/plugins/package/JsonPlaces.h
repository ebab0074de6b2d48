#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::plugins
{

/// Line and column, both counted from 1; a column is a byte of the line.
struct JsonPlace
{
    int line = 1;
    int column = 1;

    /// `7:12`, as editors take it behind a file's name.
    std::string text() const { return std::to_string(line) + ":" + std::to_string(column); }
};

/// The place of a byte of a text.
JsonPlace placeOf(std::string_view text, std::size_t at);

/// Where the members of a JSON document stand, so that a fault can name its place. Paths are written as in `plugin.requires[0].version`.
class JsonPlaces
{
public:
    /// @param text a document that a parser has accepted.
    explicit JsonPlaces(std::string_view text);

    /// Place of a member's name or an array's element; of its nearest known parent when there is no such member.
    JsonPlace place(std::string path) const;
    /// Members that stand twice in one object: path and place of the second.
    const std::vector<std::pair<std::string, JsonPlace>>& duplicates() const noexcept { return _duplicates; }

private:
    /// `begin`: where what the path names begins.
    void value(const std::string& path, std::size_t begin);
    void object(const std::string& path);
    void array(const std::string& path);
    std::string_view quoted();
    void skipSpace();

    std::string_view _text;
    std::size_t _at = 0;
    std::map<std::string, std::size_t> _begins;
    std::vector<std::pair<std::string, JsonPlace>> _duplicates;
};

} // namespace portico::host::plugins
