#pragma once

#include "portico/Export.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// A header value with parameters, as Content-Type and Content-Disposition have: `form-data; name="file"; filename="a.txt"`. A value.
class PORTICO_API HeaderValue
{
public:
    /// Empty for a text that is no such value: an empty first part, a parameter without a name or value, an open quote, or one parameter
    /// twice. In a quoted string a backslash escapes `"` and `\` only: browsers send `C:\notes.txt` as it is.
    static std::optional<HeaderValue> parse(std::string_view text);

    /// Text before the first semicolon, as sent: `text/CSV`.
    const std::string& value() const noexcept { return _value; }
    /// True if `value()` is this word, without regard to case.
    bool is(std::string_view word) const noexcept;
    /// A parameter without its quotes; its name is compared without regard to case.
    std::optional<std::string_view> parameter(std::string_view name) const noexcept;

private:
    std::string _value;
    std::vector<std::pair<std::string, std::string>> _parameters;
};

/// The text of an extended value (RFC 8187): `UTF-8''na%C3%AFve.txt`. Empty if it is not well formed, not in UTF-8 or holds a NUL.
PORTICO_API std::optional<std::string> decodeExtendedValue(std::string_view text);

} // namespace portico
