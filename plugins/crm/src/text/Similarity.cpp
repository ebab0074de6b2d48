#include "text/Similarity.h"

#include <algorithm>
#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

/// The characters of `left` that `right` has at about the same place, in order.
std::string commonCharacters(std::string_view left, std::string_view right)
{
    const std::size_t longer = std::max(left.size(), right.size());
    const std::size_t reach = longer / 2 > 0 ? longer / 2 - 1 : 0;
    std::vector<char> used(right.size(), 0);
    std::string common;
    for (std::size_t i = 0; i < left.size(); ++i)
    {
        const std::size_t from = i > reach ? i - reach : 0, to = std::min(i + reach + 1, right.size());
        for (std::size_t k = from; k < to; ++k)
        {
            if (used[k] || right[k] != left[i]) continue;
            used[k] = 1;
            common += left[i];
            break;
        }
    }
    return common;
}

double jaro(std::string_view left, std::string_view right)
{
    const auto ofLeft = commonCharacters(left, right), ofRight = commonCharacters(right, left);
    if (ofLeft.empty() || ofLeft.size() != ofRight.size()) return 0;
    std::size_t swapped = 0;
    for (std::size_t i = 0; i < ofLeft.size(); ++i) swapped += ofLeft[i] != ofRight[i];
    const auto common = static_cast<double>(ofLeft.size());
    return (common / static_cast<double>(left.size()) + common / static_cast<double>(right.size()) +
            (common - static_cast<double>(swapped / 2)) / common) /
           3;
}

} // namespace

double jaroWinkler(std::string_view left, std::string_view right)
{
    if (left.empty() || right.empty()) return 0;
    constexpr std::size_t longestPrefix = 4;
    constexpr double prefixWeight = 0.1;
    const double similarity = jaro(left, right);
    std::size_t prefix = 0;
    while (prefix < longestPrefix && prefix < left.size() && prefix < right.size() && left[prefix] == right[prefix]) ++prefix;
    return similarity + static_cast<double>(prefix) * prefixWeight * (1 - similarity);
}

} // namespace portico::crm
