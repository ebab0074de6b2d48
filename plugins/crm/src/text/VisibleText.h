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

/// Removes what no reader sees from a name or another text of people: zero-width characters, byte order marks, soft hyphens, directional
/// marks, tags, fillers and variation selectors. Control characters and Unicode's line separators become spaces; tab and line breaks stay.
/// Joiners and selectors stay where they shape what is seen (Arabic and Indic scripts, ideographs, emoji). A text that shows nothing
/// becomes empty. Applied twice it does no more than once.
std::string visibleText(std::string_view text);

/// Removes them everywhere: for addresses, numbers and links, in which a joiner has no meaning.
std::string visibleCharacters(std::string_view text);

} // namespace portico::crm
