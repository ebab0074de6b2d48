#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Poco
{
class RegularExpression;
}

namespace portico::host::plugins
{

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
