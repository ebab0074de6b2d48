#pragma once

#include "portico/Export.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

// Texts are UTF-8; a character is a code point. Thread-safe; none throws but for lack of memory.

/// Removes white space, including that of Unicode, at both ends.
PORTICO_API std::string_view trim(std::string_view text) noexcept;

/// Removes a byte order mark at the start.
PORTICO_API std::string_view withoutByteOrderMark(std::string_view text) noexcept;

/// Number of characters of a text.
PORTICO_API std::size_t characterCount(std::string_view text) noexcept;

/// The first characters of a text, at most this many. Never splits a character.
PORTICO_API std::string_view firstCharacters(std::string_view text, std::size_t most) noexcept;

/// Sanitizes untrusted text for storage and display: truncated to `most` characters, with U+FFFD for each invalid UTF-8 byte and each
/// control character.
PORTICO_API std::string cleanText(std::string_view text, std::size_t most);

/// Folds a text for comparison, sorting and search: compatibility forms, no case, no accents (`Ångström` is `angstrom`, `Straße` is
/// `strasse`). Store it beside the text and search in that: the engines' own `lower` differ beyond ASCII. Invalid UTF-8 folds to an
/// empty text.
PORTICO_API std::string fold(std::string_view text);
/// Folds case and composes (NFKC_Casefold), but keeps accents, for example for e-mail addresses.
PORTICO_API std::string foldCase(std::string_view text);
/// Compatibility forms replaced, and composed (NFKC): one form of what people type on different keyboards, with its case. Invalid UTF-8
/// is returned unchanged.
PORTICO_API std::string compose(std::string_view text);
/// Splits a text at commas. Trims the items and omits empty ones.
PORTICO_API std::vector<std::string> splitList(std::string_view text);

/// True for an absolute http or https URL of up to 2048 characters with a host and without a user.
PORTICO_API bool isWebUrl(std::string_view text) noexcept;

/// Returns true if a browser reads the path as `//host`, also after it has resolved the dot segments (`/.//x`). The path begins with a
/// slash.
PORTICO_API bool namesAnotherHost(std::string_view path) noexcept;
/// Returns true for a path of this origin that a page may lead to. No browser reads it as another host.
PORTICO_API bool isLocalPath(std::string_view text) noexcept;

} // namespace portico
