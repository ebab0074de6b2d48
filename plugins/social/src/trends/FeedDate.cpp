#include "trends/FeedReader.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace portico::social
{

namespace
{
constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};

/// Zones of RFC 822, in hours.
constexpr std::array<std::pair<std::string_view, int>, 11> zones = {{{"gmt", 0},
                                                                     {"utc", 0},
                                                                     {"ut", 0},
                                                                     {"z", 0},
                                                                     {"est", -5},
                                                                     {"edt", -4},
                                                                     {"cst", -6},
                                                                     {"cdt", -5},
                                                                     {"mst", -7},
                                                                     {"pst", -8},
                                                                     {"pdt", -7}}};

std::optional<int> number(std::string_view text, int most)
{
    int value = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (text.empty() || read.ptr != end || read.ec != std::errc() || value < 0 || value > most) return std::nullopt;
    return value;
}

/// Returns the offset in minutes.
std::optional<int> offsetOf(std::string_view zone)
{
    if (zone.empty()) return 0;
    if ((zone[0] == '+' || zone[0] == '-') && zone.size() >= 5)
    {
        const auto hours = number(zone.substr(1, 2), 23), minutes = number(zone.substr(zone[3] == ':' ? 4 : 3, 2), 59);
        if (!hours || !minutes) return std::nullopt;
        return (zone[0] == '-' ? -1 : 1) * (*hours * 60 + *minutes);
    }
    const auto found = std::ranges::find(zones, std::string_view(zone), &std::pair<std::string_view, int>::first);
    return found == zones.end() ? std::nullopt : std::optional(found->second * 60);
}

std::optional<std::chrono::seconds> timeOfDay(std::string_view text)
{
    const auto first = text.find(':');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = text.find(':', first + 1);
    const auto hour = number(text.substr(0, first), 23);
    const auto minute = number(text.substr(first + 1, (second == std::string_view::npos ? text.size() : second) - first - 1), 59);
    const auto seconds = second == std::string_view::npos ? std::optional(0) : number(text.substr(second + 1), 60);
    if (!hour || !minute || !seconds) return std::nullopt;
    return std::chrono::seconds(*hour * 3600 + *minute * 60 + *seconds);
}

/// `Sat, 28 Nov 2026 10:00:00 GMT`; the day of the week and the seconds may be missing.
std::optional<Instant> parseMailDate(std::string_view text)
{
    const auto folded = foldCase(text);
    std::array<std::string_view, 6> words;
    std::size_t count = 0;
    for (std::string_view rest = folded; count < words.size();)
    {
        const auto begin = rest.find_first_not_of(" ,\t\r\n");
        if (begin == std::string_view::npos) break;
        rest.remove_prefix(begin);
        const auto end = std::min(rest.find_first_of(" ,\t\r\n"), rest.size());
        words[count++] = rest.substr(0, end);
        rest.remove_prefix(end);
    }
    std::size_t at = count > 0 && !number(words[0], 31) ? 1 : 0;
    if (count < at + 4) return std::nullopt;
    const auto day = number(words[at], 31);
    const auto month = std::ranges::find(months, words[at + 1].substr(0, 3));
    auto year = number(words[at + 2], 9999);
    const auto time = timeOfDay(words[at + 3]);
    const auto offset = offsetOf(count > at + 4 ? words[at + 4] : std::string_view());
    if (!day || month == months.end() || !year || !time || !offset) return std::nullopt;
    if (*year < 100) *year += *year < 70 ? 2000 : 1900;
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(month - months.begin() + 1)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return Instant(std::chrono::sys_days(date)) + *time - std::chrono::minutes(*offset);
}
} // namespace

std::optional<Instant> parseFeedDate(std::string_view text)
{
    const auto trimmed = trim(text);
    if (trimmed.size() > 64) return std::nullopt;
    if (isDate(trimmed)) return parseInstant(std::string(trimmed) + "T00:00:00Z");
    if (auto instant = parseInstant(trimmed)) return instant;
    return parseMailDate(trimmed);
}

} // namespace portico::social
