#pragma once

#include "portico/Database.h"

#include <string>

namespace portico::detail
{

/// A value for a column. A text that exists nowhere else is made in `made`, which lives as long as the value is used.
SqlValue columnValueOf(const Type& type, const void* value, std::string& made);

/// How many columns a record has.
std::size_t columnCount(const Type& type) noexcept;

/// `first_name`
std::string columnName(const Member& member);

} // namespace portico::detail
