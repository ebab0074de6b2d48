#pragma once

#include "portico/Export.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

// Texts are UTF-8; a character is a code point. Thread-safe; none throws but for lack of memory.

/// Without white space, of Unicode too, at both ends.
PORTICO_API std::string_view trim(std::string_view text) noexcept;

/// Without the byte order mark that some programs write at the start of UTF-8.
PORTICO_API std::string_view withoutByteOrderMark(std::string_view text) noexcept;

/// How many characters a text has.
PORTICO_API std::size_t characterCount(std::string_view text) noexcept;

/// The first characters of a text, that many at most; never half of one.
PORTICO_API std::string_view firstCharacters(std::string_view text, std::size_t most) noexcept;

/// Sanitizes untrusted text for storage and display: truncated to `most` characters, with U+FFFD for each invalid UTF-8 byte and each
/// control character.
PORTICO_API std::string cleanText(std::string_view text, std::size_t most);

/// A text as it is compared, sorted and searched: compatibility forms, no case, no accents (`Ångström` is `angstrom`, `Straße` is
/// `strasse`). Store it beside the text and search in that: the engines' own `lower` differ beyond ASCII. What is no UTF-8 folds to
/// nothing.
PORTICO_API std::string fold(std::string_view text);
/// Case folded and composed (NFKC_Casefold): for what must stay distinct by accents, as in an e-mail address.
PORTICO_API std::string foldCase(std::string_view text);
/// Compatibility forms replaced, and composed (NFKC): one form of what people type on different keyboards, with its case. What is no UTF-8
/// stays as it is.
PORTICO_API std::string compose(std::string_view text);
/// The items of a text that are separated by commas, without blanks around them; empty ones are left out.
PORTICO_API std::vector<std::string> splitList(std::string_view text);

/// True for an absolute http or https URL of up to 2048 characters with a host and without a user.
PORTICO_API bool isWebUrl(std::string_view text) noexcept;

/// Returns true if a browser reads the path as `//host`, also after it has resolved the dot segments (`/.//x`). The path begins with a
/// slash.
PORTICO_API bool namesAnotherHost(std::string_view path) noexcept;
/// Returns true for a path of this origin that a page may lead to. No browser reads it as another host.
PORTICO_API bool isLocalPath(std::string_view text) noexcept;

} // namespace portico
