#pragma once

#include "portico/Database.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portico::host::data
{

void skipSpaceAndComments(std::string_view& sql) noexcept;

/// Removes the next word (letters) from the front, after white space and comments; empty if there is none.
std::string_view takeWord(std::string_view& sql) noexcept;

/// The beginning of a statement, on one line, for error texts.
std::string excerpt(std::string_view sql);

/// Returns the line (from 1) of an offset.
int lineAt(std::string_view text, std::size_t offset) noexcept;

/// `SQLSTATE 42601: the reason; statement: SELECT …`
DatabaseError sqlError(DatabaseError::Kind kind, std::string_view sqlState, std::string_view reason, std::string_view sql,
                       std::string constraint = {});

/// Text with a zero byte is refused on both engines (DatabaseError 22021): PostgreSQL cannot store it, and cutting it there would lose data
/// silently. Use Bytes for binary values. @throws DatabaseError
void requireNoNul(std::string_view text, std::string_view sql);

/// Bytes of all texts and binary values together.
std::size_t textSize(std::span<const SqlValue> arguments) noexcept;

} // namespace portico::host::data
