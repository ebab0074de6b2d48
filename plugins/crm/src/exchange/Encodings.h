#pragma once

#include "exchange/ImportSource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// U+FFFD in UTF-8, the replacement of invalid bytes.
inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd";

/// Encoding of a file.
struct TextEncoding
{
    ImportEncoding encoding = ImportEncoding::Utf8;
    bool bigEndian = false;
    /// Length of the byte order mark.
    std::uint64_t markBytes = 0;
};

/// Returns the requested encoding, or detects it by the byte order mark, by zero bytes and by validity as UTF-8. Empty for a binary file.
std::optional<TextEncoding> findEncoding(ImportFile& file, ImportEncoding wanted);

/// Returns the first bytes of a file; all of a short one.
std::string startOfFile(ImportFile& file, std::size_t bytes);

/// Returns true for complete, well-formed UTF-8 (no surrogates, no overlong forms).
bool isUtf8(std::string_view text) noexcept;

/// Appends a character. Invalid scalar values become U+FFFD.
void appendUtf8(std::string& out, char32_t c);

/// Converts windows-1252 to UTF-8. The five undefined bytes become U+FFFD.
void appendWindows1252(std::string& out, std::string_view bytes);

/// Returns a displayable text: invalid UTF-8 and zero characters become U+FFFD.
std::string repairedText(std::string_view text);

} // namespace portico::crm
