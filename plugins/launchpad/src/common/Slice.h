#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::launchpad
{

/// A page of a list that is in memory: the positions of its items in the list, and the cursor's payload behind them.
struct Slice
{
    std::vector<std::size_t> positions;
    /// Empty for the last page.
    std::string next;
};

/// Cuts a page out of a list. Items may come and go between two pages: none is repeated or skipped.
/// @param keys of the items, sorted and unique: what the list is sorted by, then the ID
/// @param cursor payload that came with the page before; empty for the first
Slice slice(const std::vector<std::pair<std::string, std::string>>& keys, std::string_view cursor, std::size_t limit);

} // namespace portico::launchpad
