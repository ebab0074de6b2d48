#pragma once

#include "portico/Arguments.h"
#include "portico/Results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
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

/// Returns the number of places, from 0 to `size`, that `accepts` accepts.
std::int64_t countOf(std::size_t size, const std::function<bool(std::size_t)>& accepts);

/// Returns the 19 decimal digits of a number that is not negative. They sort as numbers do.
std::string sortableDigits(std::int64_t number);

/// Returns a page of a list that is in memory, sorted by a key.
/// @param key returns a string of an item, which is unique and not empty
template <class T, class Key>
Page<T> sortedPageOf(std::vector<T> all, const Paging& paging, Key key)
{
    std::ranges::sort(all, {}, key);
    const auto begin = std::ranges::upper_bound(all, paging.cursor, {}, key);
    const auto end = begin + std::min<std::ptrdiff_t>(paging.limit, all.end() - begin);
    Page<T> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(all.size());
    if (end != all.end()) page.nextCursor = std::invoke(key, *(end - 1));
    page.items.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
    return page;
}

} // namespace portico::launchpad
