#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// As many first bytes of a file as the MIME Sniffing Standard looks at.
inline constexpr std::size_t sniffedBytes = 1445;

/// The media type of a file by its first bytes, after the MIME Sniffing Standard's rules for an unknown type (WHATWG, section 7.1) and a
/// few signatures more. Never a type of scripts or style sheets: such a file is `text/plain`.
std::string_view sniffContentType(std::string_view firstBytes) noexcept;

/// `sniffContentType`, made more precise by the declared type where that is one of the formats that look like the sniffed one: CSV is plain
/// text, a word processor's file is a ZIP archive.
std::string contentTypeOf(std::string_view firstBytes, const std::optional<std::string>& declaredType);

/// True for a type that a contact's photo may have.
bool isPhotoType(std::string_view contentType) noexcept;

} // namespace portico::crm
