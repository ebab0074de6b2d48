#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

// Order keys (fractional indexing): texts of 0-9, A-Z and a-z, compared by bytes, between any two of which there is room for another, so
// that a card gets a place between two others without touching them. A key is an integer, whose first letter says how many digits follow,
// and a fraction: adding at either end lengthens keys with the logarithm of their number, adding into one gap by a character every six
// times. Pure functions, for any thread.

/// A key between two others; an empty `before` or `after` is the end of the order on that side. `before` < `after` is the caller's promise.
std::string keyBetween(std::string_view before, std::string_view after);

/// So many keys in their order, as short as possible.
std::vector<std::string> freshKeys(std::size_t count);

/// Keys that are longer ask for fresh ones for the whole order.
constexpr std::size_t longestKey = 200;

} // namespace portico::crm
