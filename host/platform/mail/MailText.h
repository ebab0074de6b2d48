#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// A text for a header: as it is, or as RFC 2047 words that are cut between characters, a line each.
std::string encodedHeader(std::string_view text);
/// `local@domain`, with a name `"Name" <local@domain>`.
std::string mailbox(std::string_view name, std::string_view address);
/// A value of ASCII words, broken between them into lines of at most 76 characters where that can be. @param used of the first line
std::string folded(std::string_view value, std::size_t used);
/// `;\r\n filename="a.pdf"`, or the pieces that RFC 2231 has for other characters and for long names.
std::string fileNameParameter(std::string_view name);
void appendWrappedBase64(std::string& out, std::string_view bytes);
/// The METHOD of an iCalendar object, in capitals; empty for a text that is none, or has none.
std::string calendarMethod(std::string_view calendar);
/// As it is written, for one of those that a mail may bring; empty for another.
std::string_view ownHeaderName(std::string_view name) noexcept;

} // namespace portico::host::platform
