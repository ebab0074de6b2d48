#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Poco
{
class RegularExpression;
}

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

/// Positions of the members of a JSON document, so that a fault can name its place. Paths are written like `plugin.requires[0].version`.
class JsonPlaces
{
public:
    /// @param text a document that a parser has accepted.
    explicit JsonPlaces(std::string_view text);

    /// Place of a member's name or an array's element; of its nearest known parent when there is no such member.
    JsonPlace place(std::string path) const;
    /// Duplicate members of an object: path and place of the second.
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

// Members of an object that a schema has accepted; one that is missing is empty.
std::string textOf(const boost::json::object& object, std::string_view name);
bool flagOf(const boost::json::object& object, std::string_view name);
const boost::json::array& listOf(const boost::json::object& object, std::string_view name);

/// One thing that is wrong with a document.
struct SchemaFault
{
    /// `plugin.requires[0].version`; empty for the document itself.
    std::string member;
    /// A sentence with what was expected, what was found, and the remedy where there is one beyond doing what was expected.
    std::string text;
};

/// The expressions of a schema, compiled, by their texts.
using Patterns = std::map<std::string, std::shared_ptr<const Poco::RegularExpression>, std::less<>>;

/// Checks a document against a JSON schema (draft 7) and says what is wrong in words: generic validators tell *that* a value does not
/// match, an operator needs to know what would. Knows the keywords that Portico's own schemas use and refuses a schema with any other, so
/// that none is silently without effect. Thread-safe.
class SchemaChecker
{
public:
    /// @throws std::invalid_argument for a schema that is no JSON or uses an unknown keyword: a mistake in Portico.
    explicit SchemaChecker(std::string_view schema);

    /// Everything that is wrong, in the order of the document.
    std::vector<SchemaFault> check(const boost::json::value& document) const;

private:
    boost::json::value _schema;
    Patterns _patterns;
};

} // namespace portico::host::plugins
