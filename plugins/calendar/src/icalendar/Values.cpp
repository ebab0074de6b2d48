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

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Removes the separators of ISO 8601's extended form: `2026-11-23T09:00` becomes `20261123T0900`.
std::string withoutSeparators(std::string_view text, bool hasDashes)
{
    std::string basic;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != ':' && (!hasDashes || i > 9 || text[i] != '-')) basic += text[i] == ' ' ? 'T' : text[i];
    return basic;
}

/// Cuts `Z` or an offset off the end of a time of day.
std::optional<std::chrono::seconds> takeZone(std::string_view& text, WrittenTime& time)
{
    if (text.ends_with('Z') || text.ends_with('z'))
    {
        time.isUtc = true;
        text.remove_suffix(1);
        return std::chrono::seconds(0);
    }
    const auto sign = text.find_first_of("+-");
    if (sign == std::string_view::npos) return std::chrono::seconds(0);
    const auto offset = parseOffset(text.substr(sign));
    text = text.substr(0, sign);
    time.isUtc = time.repaired = true;
    return offset;
}

/// `HHMMSS`, `HHMM`, or with a fraction of a second. 24:00:00 is the end of the date.
bool readClock(std::string_view text, WrittenTime& time)
{
    using namespace std::chrono;
    if (const auto fraction = text.find_first_of(".,"); fraction != std::string_view::npos)
    {
        if (fraction != 6 || !allDigits(text.substr(7))) return false;
        text = text.substr(0, fraction);
        time.repaired = true;
    }
    if ((text.size() != 6 && text.size() != 4) || !allDigits(text)) return false;
    time.repaired = time.repaired || text.size() == 4;
    const int hour = numberOf(text.substr(0, 2)), minute = numberOf(text.substr(2, 2)), second = numberOf(text.substr(4));
    if (minute > 59 || second > 60 || hour > 24 || (hour == 24 && minute + second > 0)) return false;
    time.repaired = time.repaired || hour == 24;
    time.wall += hours(hour) + minutes(minute) + seconds(std::min(second, 59));
    return true;
}

/// Seconds of a unit of a duration; 0 for letters that are none. Without a T in front of it M is minutes: there are no months.
std::int64_t unitSeconds(char unit)
{
    switch (unit)
    {
    case 'W':
        return 7 * 86'400;
    case 'D':
        return 86'400;
    case 'H':
        return 3600;
    case 'M':
        return 60;
    case 'S':
        return 1;
    default:
        return 0;
    }
}

/// Reads one number with its unit, and removes it from the text.
bool takeUnit(std::string_view& text, char& unit, double& value)
{
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 9 || digits == text.size()) return false;
    value = numberOf(text.substr(0, digits));
    text.remove_prefix(digits);
    if (text.front() == '.' || text.front() == ',')
    {
        const auto places = std::min(text.find_first_not_of("0123456789", 1), text.size()) - 1;
        if (places == 0 || places > 6 || places + 1 == text.size()) return false;
        double scale = 1;
        for (std::size_t i = 0; i < places; ++i) scale *= 10;
        value += numberOf(text.substr(1, places)) / scale;
        text.remove_prefix(places + 1);
    }
    unit = text.front();
    text.remove_prefix(1);
    return unitSeconds(unit) > 0;
}
} // namespace

std::optional<WrittenTime> parseTime(std::string_view text)
{
    using namespace std::chrono;
    WrittenTime time;
    std::string basic;
    const bool hasDashes = text.size() >= 10 && text[4] == '-' && text[7] == '-';
    if (hasDashes || text.find(':') != std::string_view::npos)
    {
        basic = withoutSeparators(text, hasDashes);
        text = basic;
        time.repaired = true;
    }
    if (text.size() < 8 || !allDigits(text.substr(0, 8))) return std::nullopt;
    const year_month_day date(year(numberOf(text.substr(0, 4))), month(static_cast<unsigned>(numberOf(text.substr(4, 2)))),
                              day(static_cast<unsigned>(numberOf(text.substr(6, 2)))));
    if (!date.ok()) return std::nullopt;
    time.wall = local_days(date);
    time.isDate = text.size() == 8;
    if (time.isDate) return time;
    if (text[8] != 'T' && text[8] != 't') return std::nullopt;
    auto clock = text.substr(9);
    const auto offset = takeZone(clock, time);
    if (!offset || !readClock(clock, time)) return std::nullopt;
    time.wall -= *offset;
    return time;
}

std::optional<WrittenDuration> parseDuration(std::string_view text)
{
    using namespace std::chrono;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    auto letters = upperCase(text);
    WrittenDuration duration;
    duration.repaired = letters != text;
    std::string_view rest = letters;
    if (!rest.starts_with('P')) return std::nullopt;
    rest.remove_prefix(1);
    double dayTotal = 0, secondTotal = 0;
    bool afterT = false, any = false;
    for (std::int64_t last = unitSeconds('W') + 1; !rest.empty(); any = true)
    {
        if (rest.front() == 'T' && !afterT)
        {
            afterT = true;
            rest.remove_prefix(1);
        }
        char unit = 0;
        double value = 0;
        if (!takeUnit(rest, unit, value)) return std::nullopt;
        const auto length = unitSeconds(unit);
        const bool isDay = length >= unitSeconds('D'), isWhole = value == static_cast<double>(static_cast<std::int64_t>(value));
        duration.repaired = duration.repaired || length >= last || isDay == afterT || !isWhole;
        last = length;
        (isDay && isWhole ? dayTotal : secondTotal) += value * static_cast<double>(isDay && isWhole ? length / unitSeconds('D') : length);
    }
    constexpr double century = 36'525;
    if (!any || dayTotal > century || secondTotal > century * 86'400) return std::nullopt;
    const int sign = negative ? -1 : 1;
    duration.days = days(sign * static_cast<std::int64_t>(dayTotal));
    duration.seconds = seconds(sign * static_cast<std::int64_t>(secondTotal));
    return duration;
}

std::optional<std::chrono::seconds> parseOffset(std::string_view text)
{
    std::string digits;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != ':')
            digits += text[i];
        else if (digits.size() % 2 != 0 || digits.empty() || i + 1 == text.size())
            return std::nullopt;
    if ((digits.size() != 2 && digits.size() != 4 && digits.size() != 6) || !std::ranges::all_of(digits, isDigit)) return std::nullopt;
    const std::string_view all = digits;
    const int hour = numberOf(all.substr(0, 2)), minute = numberOf(all.substr(2, std::min<std::size_t>(2, all.size() - 2))),
              second = all.size() == 6 ? numberOf(all.substr(4)) : 0;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return std::chrono::seconds((negative ? -1 : 1) * (hour * 3600 + minute * 60 + second));
}

std::string upperCase(std::string_view text)
{
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace portico::calendar::icalendar
