#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::crm
{

/// A character of UTF-8 and its length in bytes. A byte that starts no well-formed sequence has the code U+FFFD and the length 1.
struct CodePoint
{
    char32_t code = 0;
    std::size_t bytes = 0;
};

/// Returns the first character of a text that is not empty.
CodePoint firstCodePoint(std::string_view text) noexcept;

/// Removes invisible characters from a text: zero-width characters, byte order marks, soft hyphens, directional marks, tags, fillers and
/// variation selectors. Control characters and Unicode's line separators become spaces; tab and line breaks stay. Joiners and selectors
/// stay where they affect the display (Arabic and Indic scripts, ideographs, emoji). A text without visible characters becomes empty.
/// Idempotent.
std::string visibleText(std::string_view text);

/// Removes them everywhere: for addresses, numbers and links, in which a joiner has no meaning.
std::string visibleCharacters(std::string_view text);

} // namespace portico::crm
