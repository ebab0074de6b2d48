#include "common/Slice.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
constexpr char separator = '\n';
} // namespace

Slice slice(const std::vector<std::pair<std::string, std::string>>& keys, std::string_view cursor, std::size_t limit)
{
    auto begin = keys.begin();
    if (const auto middle = cursor.rfind(separator); middle != std::string_view::npos)
        begin = std::ranges::upper_bound(keys, std::pair(std::string(cursor.substr(0, middle)), std::string(cursor.substr(middle + 1))));
    Slice page;
    for (auto each = begin; each != keys.end() && page.positions.size() < limit; ++each)
        page.positions.push_back(static_cast<std::size_t>(each - keys.begin()));
    if (!page.positions.empty() && page.positions.back() + 1 < keys.size())
    {
        const auto& last = keys[page.positions.back()];
        page.next = last.first + separator + last.second;
    }
    return page;
}

} // namespace portico::launchpad
