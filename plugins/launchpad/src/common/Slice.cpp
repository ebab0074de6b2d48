#include "common/Slice.h"

namespace portico::launchpad
{

namespace
{
constexpr char separator = '\n';

/// The first place behind a cursor.
std::size_t placeBehind(const SortedList& list, std::string_view cursor)
{
    const auto middle = cursor.rfind(separator);
    if (middle == std::string_view::npos) return 0;
    const std::pair last(std::string(cursor.substr(0, middle)), std::string(cursor.substr(middle + 1)));
    std::size_t begin = 0;
    for (auto end = list.size; begin < end;)
    {
        const auto place = begin + (end - begin) / 2;
        if (last < list.key(place))
            end = place;
        else
            begin = place + 1;
    }
    return begin;
}
} // namespace

Slice slice(const SortedList& list, std::string_view cursor, std::size_t limit)
{
    Slice page;
    for (auto place = placeBehind(list, cursor); place < list.size; ++place)
    {
        if (!list.accepts(place)) continue;
        if (page.places.size() == limit)
        {
            const auto [value, id] = list.key(page.places.back());
            page.next = value + separator + id;
            break;
        }
        page.places.push_back(place);
    }
    return page;
}

std::int64_t countOf(std::size_t size, const std::function<bool(std::size_t)>& accepts)
{
    std::int64_t count = 0;
    for (std::size_t place = 0; place < size; ++place) count += accepts(place) ? 1 : 0;
    return count;
}

std::string sortableDigits(std::int64_t number)
{
    const auto digits = std::to_string(number);
    return std::string(19 - digits.size(), '0') + digits;
}

} // namespace portico::launchpad
