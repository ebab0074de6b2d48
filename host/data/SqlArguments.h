#pragma once

#include "portico/Database.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace portico::host::data
{

/// @throws DatabaseError 08P01, as PostgreSQL.
void requireArgumentCount(std::size_t expected, std::size_t found, std::string_view sql);

/// Text with a zero byte is refused on both engines (DatabaseError 22021): PostgreSQL cannot store it, and cutting it there would lose data
/// silently. Use Bytes for binary values. @throws DatabaseError
void requireNoNul(std::string_view text, std::string_view sql);

/// Bytes of all texts and binary values together.
std::size_t textSize(std::span<const SqlValue> arguments) noexcept;

} // namespace portico::host::data
