#include "portico/Text.h"

#include <algorithm>

namespace portico
{

namespace
{

bool isVisibleAscii(char c) noexcept { return c > 0x20 && c < 0x7f; }

/// The number of dots if a browser reads the segment as `.` or `..` (`%2e` is a dot), else 0.
std::size_t dotsOf(std::string_view segment) noexcept
{
    std::size_t dots = 0;
    while (!segment.empty())
    {
        const bool encoded = segment.starts_with("%2e") || segment.starts_with("%2E");
        if (!encoded && segment.front() != '.') return 0;
        segment.remove_prefix(encoded ? 3 : 1);
        ++dots;
    }
    return dots <= 2 ? dots : 0;
}

} // namespace

bool namesAnotherHost(std::string_view path) noexcept
{
    auto rest = path.substr(0, path.find_first_of("?#"));
    std::size_t depth = 0;
    bool firstIsEmpty = false;
    while (!rest.empty())
    {
        rest.remove_prefix(1);
        const auto segment = rest.substr(0, rest.find('/'));
        rest.remove_prefix(segment.size());
        if (depth > 0 && firstIsEmpty) return true;
        const auto dots = dotsOf(segment);
        if (dots == 0 && depth++ == 0) firstIsEmpty = segment.empty();
        if (dots == 2 && depth > 0) --depth;
    }
    return false;
}

bool isLocalPath(std::string_view text) noexcept
{
    return text.size() <= 4096 && text.starts_with('/') && text.find('\\') == std::string_view::npos &&
           std::ranges::all_of(text, isVisibleAscii) && !namesAnotherHost(text);
}

} // namespace portico
