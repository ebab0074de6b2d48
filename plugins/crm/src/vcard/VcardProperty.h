#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::crm
{

/// A line of a vCard, taken apart: `item1.TEL;TYPE=work,cell:+49 30 …`.
struct VcardProperty
{
    std::string group;
    /// In capitals.
    std::string name;
    /// Names in capitals. What stands alone, as vCard 2.1 has it, is a TYPE or an ENCODING.
    std::vector<std::pair<std::string, std::string>> parameters;
    /// As it is in the file.
    std::string value;

    /// Empty for a text that has no name and colon as a property has.
    static std::optional<VcardProperty> parse(std::string_view line);

    /// The first parameter of that name; empty if there is none.
    std::string_view parameter(std::string_view parameterName) const;
    /// All values of TYPE, in lower case.
    std::vector<std::string> types() const;
    bool hasType(std::string_view type) const;
    bool isQuotedPrintable() const;
    bool isBase64() const;
};

/// The parts of a value that a separator divides, with escapes still in them.
std::vector<std::string_view> splitVcard(std::string_view value, char separator);

/// Without escapes: `\n`, `\,`, `\;`, `\\`, `\:`.
std::string unescapeVcard(std::string_view text);

std::string decodeQuotedPrintable(std::string_view text);

/// Empty for text that is no base64; white space in it is passed over.
std::optional<std::string> decodeBase64(std::string_view text);

} // namespace portico::crm
