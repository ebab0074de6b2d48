#include "icalendar/Values.h"

#include <algorithm>

namespace portico::calendar::icalendar
{

namespace
{
bool allDigits(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Digits only, at most nine of them.
int numberOf(std::string_view digits)
{
    int value = 0;
    for (const char c : digits) value = value * 10 + (c - '0');
    return value;
}

/// Of `H`, `M` and the like in their order, which a duration must keep.
bool takeUnit(std::string_view& text, char unit, std::int64_t& value)
{
    const auto end = std::ranges::find_if(text, [](char c) { return c < '0' || c > '9'; });
    const auto digits = static_cast<std::size_t>(end - text.begin());
    if (end == text.end() || *end != unit || digits == 0 || digits > 9) return false;
    value = numberOf(text.substr(0, digits));
    text.remove_prefix(digits + 1);
    return true;
}
} // namespace

std::optional<WrittenTime> parseTime(std::string_view text)
{
    using namespace std::chrono;
    WrittenTime time;
    if (text.ends_with('Z') || text.ends_with('z'))
    {
        time.isUtc = true;
        text.remove_suffix(1);
    }
    time.isDate = text.size() == 8;
    const bool hasForm = time.isDate ? !time.isUtc : text.size() == 15 && (text[8] == 'T' || text[8] == 't') && allDigits(text.substr(9));
    if (!hasForm || !allDigits(text.substr(0, 8))) return std::nullopt;
    const year_month_day date(year(numberOf(text.substr(0, 4))), month(static_cast<unsigned>(numberOf(text.substr(4, 2)))),
                              day(static_cast<unsigned>(numberOf(text.substr(6, 2)))));
    if (!date.ok()) return std::nullopt;
    time.wall = local_days(date);
    if (time.isDate) return time;
    const int hour = numberOf(text.substr(9, 2)), minute = numberOf(text.substr(11, 2)), second = numberOf(text.substr(13, 2));
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
    time.wall += hours(hour) + minutes(minute) + seconds(std::min(second, 59));
    return time;
}

std::optional<WrittenDuration> parseDuration(std::string_view text)
{
    using namespace std::chrono;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (!text.starts_with('P') || text.size() < 3) return std::nullopt;
    text.remove_prefix(1);
    std::int64_t weekCount = 0, dayCount = 0, hourCount = 0, minuteCount = 0, secondCount = 0;
    takeUnit(text, 'W', weekCount);
    takeUnit(text, 'D', dayCount);
    if (text.starts_with('T'))
    {
        text.remove_prefix(1);
        const auto whole = text.size();
        takeUnit(text, 'H', hourCount);
        takeUnit(text, 'M', minuteCount);
        takeUnit(text, 'S', secondCount);
        if (text.size() == whole) return std::nullopt;
    }
    const auto dayTotal = weekCount * 7 + dayCount, secondTotal = hourCount * 3600 + minuteCount * 60 + secondCount;
    constexpr std::int64_t century = 36'525;
    if (!text.empty() || dayTotal > century || secondTotal > century * 86'400) return std::nullopt;
    const int sign = negative ? -1 : 1;
    return WrittenDuration{days(sign * dayTotal), seconds(sign * secondTotal)};
}

std::optional<std::chrono::seconds> parseOffset(std::string_view text)
{
    if ((text.size() != 5 && text.size() != 7) || (text[0] != '+' && text[0] != '-') || !allDigits(text.substr(1))) return std::nullopt;
    const int hour = numberOf(text.substr(1, 2)), minute = numberOf(text.substr(3, 2)), second = numberOf(text.substr(5));
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return std::chrono::seconds((text[0] == '-' ? -1 : 1) * (hour * 3600 + minute * 60 + second));
}

std::string upperCase(std::string_view text)
{
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

} // namespace portico::calendar::icalendar
