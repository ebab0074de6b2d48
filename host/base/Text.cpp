#include "host/base/Text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace portico::host
{

namespace
{

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

std::string_view firstBytes(std::string_view text, std::size_t most) noexcept
{
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    return text.substr(0, most);
}

std::size_t utf8Length(std::string_view text) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    // The second byte carries the limits that forbid overlong forms, surrogates and values over U+10FFFF.
    const std::uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (std::size_t i = 2; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    return length;
}

bool isPlainUtf8(std::string_view text) noexcept
{
    while (!text.empty())
    {
        const auto length = text.front() == '\0' ? 0 : utf8Length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

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

std::string listed(std::span<const std::string> words)
{
    std::string text;
    for (const auto& word : words) text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

std::string inQuotes(std::string_view text, char quote)
{
    std::string quoted(1, quote);
    for (const char c : text) quoted.append(c == quote ? 2 : 1, c);
    return quoted + quote;
}

std::string joined(std::string_view heading, std::span<const std::string> lines)
{
    std::string text(heading);
    for (const auto& line : lines) text += "\n  " + line;
    return text;
}

} // namespace portico::host
