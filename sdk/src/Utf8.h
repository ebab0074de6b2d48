#pragma once

#include <cstddef>
#include <string_view>

namespace portico::detail
{

/// Length of the well-formed UTF-8 sequence at the start of a text that is not empty (RFC 3629: shortest form, no surrogates), 0 if there
/// is none.
std::size_t utf8SequenceLength(std::string_view text) noexcept;

/// Well-formed UTF-8 without NUL.
bool isUtf8Text(std::string_view text) noexcept;

/// Value of a hexadecimal digit, -1 for another character.
int hexDigit(char c) noexcept;

} // namespace portico::detail
