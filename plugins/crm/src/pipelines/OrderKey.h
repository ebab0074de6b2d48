#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

// Order keys (fractional indexing): texts of 0-9, A-Z and a-z, compared by bytes. Another key fits between any two, so that a card can be
// placed without changing others. A key is an integer, whose first letter is the number of its digits, and a fraction. Keys grow with the
// logarithm of their number at either end, and by a character every six insertions into one gap. Pure functions, for any thread.

/// A key between two others; an empty `before` or `after` is the end of the order on that side. `before` < `after` is the caller's promise.
std::string keyBetween(std::string_view before, std::string_view after);

/// Returns `count` keys in order, as short as possible.
std::vector<std::string> freshKeys(std::size_t count);

/// Keys that are longer ask for fresh ones for the whole order.
constexpr std::size_t longestKey = 200;

} // namespace portico::crm
