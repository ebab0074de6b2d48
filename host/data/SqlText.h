#pragma once

#include <string>
#include <string_view>

namespace portico::host::data
{

bool equalsIgnoringCase(std::string_view text, std::string_view upperCase) noexcept;

void skipSpaceAndComments(std::string_view& sql) noexcept;

/// Takes the next word (letters) off the front, after white space and comments; empty if something else comes.
std::string_view takeWord(std::string_view& sql) noexcept;

/// `"text"` with quotes inside it doubled, for both engines.
std::string quotedIdentifier(std::string_view text);

/// The beginning of a statement, on one line, for error texts.
std::string excerpt(std::string_view sql);

/// The line (from 1) on which an offset lies.
int lineAt(std::string_view text, std::size_t offset) noexcept;

} // namespace portico::host::data
