#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::crm
{

/// Parsed line of a vCard: `item1.TEL;TYPE=work,cell:+49 30 …`.
struct VcardProperty
{
    std::string group;
    /// Upper case.
    std::string name;
    /// Names in upper case. A parameter without a name, which vCard 2.1 allows, is a TYPE or an ENCODING.
    std::vector<std::pair<std::string, std::string>> parameters;
    /// Raw value of the file.
    std::string value;

    /// Returns none for a text without a property's name and colon.
    static std::optional<VcardProperty> parse(std::string_view line);

    /// Returns the first parameter of that name; empty if there is none.
    std::string_view parameter(std::string_view parameterName) const;
    /// Returns all values of TYPE in lower case.
    std::vector<std::string> types() const;
    bool hasType(std::string_view type) const;
    bool isQuotedPrintable() const;
    bool isBase64() const;
};

/// Splits a value by a separator. Escapes remain.
std::vector<std::string_view> splitVcard(std::string_view value, char separator);

/// Resolves escapes: `\n`, `\,`, `\;`, `\\`, `\:`.
std::string unescapeVcard(std::string_view text);

std::string decodeQuotedPrintable(std::string_view text);

/// Returns none for text that is not base64. Ignores white space.
std::optional<std::string> decodeBase64(std::string_view text);

} // namespace portico::crm
