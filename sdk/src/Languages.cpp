#include "Languages.h"

#include "portico/Text.h"

#include <algorithm>
#include <string>

namespace portico::detail
{

namespace
{

constexpr std::size_t maxRanges = 32;

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Thousandths from `q=0.8`; 1000 without one, 0 for what is none.
int qualityOf(std::string_view parameters) noexcept
{
    const auto parameter = trim(parameters);
    if (parameter.empty()) return 1000;
    if (parameter.size() < 3 || parameter.size() > 7 || lower(parameter[0]) != 'q' || parameter[1] != '=') return 0;
    const auto value = parameter.substr(2);
    if ((value[0] != '0' && value[0] != '1') || (value.size() > 1 && value[1] != '.')) return 0;
    int quality = (value[0] - '0') * 1000;
    int place = 100;
    for (const char c : value.substr(std::min<std::size_t>(value.size(), 2)))
    {
        if (c < '0' || c > '9') return 0;
        quality += (c - '0') * place;
        place /= 10;
    }
    return std::min(quality, 1000);
}

} // namespace

std::vector<std::string_view> wantedLanguages(std::string_view acceptLanguage)
{
    std::vector<std::pair<int, std::string_view>> ranges;
    for (std::size_t seen = 0; !acceptLanguage.empty() && seen < maxRanges; ++seen)
    {
        const auto comma = acceptLanguage.find(',');
        const auto range = acceptLanguage.substr(0, comma);
        acceptLanguage.remove_prefix(comma == std::string_view::npos ? acceptLanguage.size() : comma + 1);
        const auto semicolon = range.find(';');
        const auto tag = trim(range.substr(0, semicolon));
        const int quality = semicolon == std::string_view::npos ? 1000 : qualityOf(range.substr(semicolon + 1));
        if (quality > 0 && isLanguageTag(tag)) ranges.emplace_back(quality, tag);
    }
    std::ranges::stable_sort(ranges, std::greater<>(), &std::pair<int, std::string_view>::first);
    std::vector<std::string_view> wanted;
    for (const auto& range : ranges) wanted.push_back(range.second);
    return wanted;
}

std::string_view parentLanguage(std::string_view tag) noexcept
{
    const auto dash = tag.rfind('-');
    if (dash == std::string_view::npos) return {};
    auto parent = tag.substr(0, dash);
    const auto before = parent.rfind('-');
    if (before != std::string_view::npos && parent.size() - before == 2) parent = parent.substr(0, before);
    return parent;
}

bool isLanguageTag(std::string_view text) noexcept
{
    std::size_t length = 0;
    bool first = true;
    for (const char c : text)
    {
        const bool isLetter = lower(c) >= 'a' && lower(c) <= 'z';
        if (c == '-')
        {
            if (length == 0) return false;
            length = 0;
            first = false;
        }
        else if (++length > 8 || !(isLetter || (!first && c >= '0' && c <= '9')))
            return false;
    }
    return length > 0 && text.size() <= 35;
}

bool LanguageTagLess::operator()(std::string_view left, std::string_view right) const noexcept
{
    return std::ranges::lexicographical_compare(left, right, std::less<>(), lower, lower);
}

} // namespace portico::detail
