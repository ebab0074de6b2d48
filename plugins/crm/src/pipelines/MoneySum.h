#pragma once

#include "portico/Database.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::crm
{

// Sums of minor units. Values are up to 2^53, so that a thousand of them can pass 64 bits: the database sums high and low parts.

/// Two columns of a SELECT: the parts of the sum of a column, null without values.
std::string sumColumns(std::string_view column);
/// Reads a sum of `sumColumns` from this column and the next. Saturates at the largest 64-bit number.
std::int64_t readSum(const Row& row, int column);
/// Returns a percentage of a non-negative sum, rounded half up.
std::int64_t percentOf(std::int64_t sum, std::int64_t percent);
std::int64_t added(std::int64_t left, std::int64_t right);

} // namespace portico::crm
