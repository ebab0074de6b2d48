#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::launchpad
{

/// A list that is in memory. Its functions are called with places in the list.
struct SortedList
{
    std::size_t size = 0;
    /// Sort value of an item, then its ID. The list is sorted by it, and it is unique.
    std::function<std::pair<std::string, std::string>(std::size_t)> key;
    /// Returns whether a page shows the item.
    std::function<bool(std::size_t)> accepts;
};

/// A page of a list: the places of its items in the list, and the cursor's payload behind them.
struct Slice
{
    std::vector<std::size_t> places;
    /// Empty for the last page.
    std::string next;
};

/// Returns a page of a list. Items may be added and removed between two pages; no other item is repeated or skipped. Looks at no more items
/// than the page needs.
/// @param cursor payload of the previous page; empty for the first
Slice slice(const SortedList& list, std::string_view cursor, std::size_t limit);

} // namespace portico::launchpad
