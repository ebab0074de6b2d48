#include "common/Names.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::identity::names
{

namespace
{

std::size_t sizeOfFirst(std::string_view text) noexcept { return firstCharacters(text, 1).size(); }

/// Controls of ASCII and of Latin-1 (to U+009F), the soft hyphen, marks and overrides of the direction, separators of lines and paragraphs,
/// and what joins nothing (U+00AD, U+061C, U+200B, U+200E, U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF). The joiners U+200C and
/// U+200D are part of how words and signs are written.
bool isUnseen(std::string_view character)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    if (character.size() == 2) return (byte(0) == 0xc2 && (byte(1) <= 0x9f || byte(1) == 0xad)) || character == "\xd8\x9c";
    if (character.size() != 3 || byte(0) != 0xe2) return character == "\xef\xbb\xbf";
    if (byte(1) == 0x81) return byte(2) >= 0xa0 && byte(2) <= 0xa9;
    return byte(1) == 0x80 && (byte(2) == 0x8b || byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae));
}

} // namespace

bool isName(std::string_view text)
{
    for (; !text.empty(); text.remove_prefix(sizeOfFirst(text)))
        if (isUnseen(firstCharacters(text, 1))) return false;
    return true;
}

std::string cleanName(std::string_view text, std::size_t most)
{
    std::string clean;
    for (; !text.empty(); text.remove_prefix(sizeOfFirst(text)))
        if (const auto first = firstCharacters(text, 1); !isUnseen(first)) clean += first;
    return std::string(firstCharacters(trim(clean), most));
}

} // namespace portico::identity::names
