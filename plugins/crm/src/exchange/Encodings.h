#pragma once

#include "exchange/ImportSource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// U+FFFD in UTF-8: what stands for bytes that are no text.
inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd";

/// How the bytes of a file are read as text.
struct TextEncoding
{
    ImportEncoding encoding = ImportEncoding::Utf8;
    bool bigEndian = false;
    /// Length of the byte order mark.
    std::uint64_t markBytes = 0;
};

/// The encoding that was asked for, or found: by the byte order mark, zero bytes, and whether all of it is UTF-8. Empty when it is no text.
std::optional<TextEncoding> findEncoding(ImportFile& file, ImportEncoding wanted);

/// The first bytes of a file, all of them if it is short.
std::string startOfFile(ImportFile& file, std::size_t bytes);

/// Whole and well-formed UTF-8 (no surrogates, no overlong forms).
bool isUtf8(std::string_view text) noexcept;

/// Appends a character. What is no scalar value becomes U+FFFD.
void appendUtf8(std::string& out, char32_t c);

/// Bytes of windows-1252 as UTF-8; those five that have no character become U+FFFD.
void appendWindows1252(std::string& out, std::string_view bytes);

/// A text that can be shown: what is no UTF-8, and zero characters, become U+FFFD.
std::string repairedText(std::string_view text);

} // namespace portico::crm
