#include "host/plugins/package/NearestName.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace portico::host::plugins
{

namespace
{
/// Levenshtein's distance, without regard to case and to `_` and `-`: `serviceId` is near to `service_id`.
std::size_t distance(std::string_view left, std::string_view right)
{
    const auto same = [](char a, char b)
    { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); };
    const auto separator = [](char c) { return c == '_' || c == '-'; };
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i)
    {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < right.size(); ++j)
        {
            const std::size_t insert = row[j] + (separator(right[j]) ? 0 : 1);
            const std::size_t remove = row[j + 1] + (separator(left[i]) ? 0 : 1);
            const std::size_t replace = diagonal + (same(left[i], right[j]) ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({insert, remove, replace}));
        }
    }
    return row.back();
}
} // namespace

std::string nearestName(std::string_view name, std::span<const std::string> known)
{
    std::string best;
    auto bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const auto& candidate : known)
    {
        const auto found = distance(name, candidate);
        if (found >= bestDistance) continue;
        bestDistance = found;
        best = candidate;
    }
    return best;
}

} // namespace portico::host::plugins
