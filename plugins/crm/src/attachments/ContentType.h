#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Number of first bytes that the MIME Sniffing Standard examines.
inline constexpr std::size_t sniffedBytes = 1445;

/// Detects the media type by the first bytes, by the MIME Sniffing Standard's rules for unknown types (WHATWG, section 7.1) and a few more
/// signatures. Never returns a type of scripts or style sheets: such a file is `text/plain`.
std::string_view sniffContentType(std::string_view firstBytes) noexcept;

/// Refines the result of `sniffContentType` by the declared type if the two are compatible: CSV is plain text, a word processor's file is a
/// ZIP archive.
std::string contentTypeOf(std::string_view firstBytes, const std::optional<std::string>& declaredType);

/// Returns true for a type that a contact's photo may have.
bool isPhotoType(std::string_view contentType) noexcept;

} // namespace portico::crm
