#include "exchange/Dates.h"

#include "records/ContactParts.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace portico::crm
{

namespace
{

constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool areDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), isDigit); }

ParsedDate invalid() { return {{}, DateFault::Invalid}; }

std::string twoDigits(std::string_view digits) { return digits.size() == 1 ? '0' + std::string(digits) : std::string(digits); }

/// A leap year long ago, which Apple writes for none, and the year 0.
bool isNoYear(std::string_view year) { return year == "1604" || year == "0000"; }

ParsedDate checked(std::string date)
{
    if (isNoYear(std::string_view(date).substr(0, 4))) date.replace(0, 4, "-");
    return isBirthday(date) ? ParsedDate{std::move(date)} : invalid();
}

/// Numbers and words of a date, and their separator.
struct Parts
{
    std::vector<std::string_view> items;
    char separator = 0;
};

Parts split(std::string_view text)
{
    Parts parts;
    for (std::size_t i = 0; i < text.size();)
    {
        const bool digit = isDigit(text[i]);
        if (!digit && !isAsciiLetter(text[i]))
        {
            if (parts.separator == 0 || parts.separator == ' ') parts.separator = text[i];
            ++i;
            continue;
        }
        const auto from = i;
        while (i < text.size() && (digit ? isDigit(text[i]) : isAsciiLetter(text[i]))) ++i;
        parts.items.push_back(text.substr(from, i - from));
    }
    return parts;
}

std::string_view withoutTime(std::string_view text)
{
    // 19900213T000000Z, 1990-02-13T000000
    for (const std::size_t end : {8U, 10U})
        if (text.size() > end + 1 && text[end] == 'T' && isDigit(text[end - 1]) && isDigit(text[end + 1])) return text.substr(0, end);
    // 1990-02-13T00:00:00Z, 1990-02-13 00:00, 2/13/1990 12:00:00 AM
    const auto time = text.find(':');
    if (time == std::string_view::npos) return text;
    const auto end = text.find_last_of("T ", time);
    return end == std::string_view::npos ? text : trim(text.substr(0, end));
}

/// Number of the month as two digits; empty for another word.
std::string monthOf(std::string_view word)
{
    if (word.size() < 3) return {};
    const auto lower = fold(word.substr(0, 3));
    const auto found = std::find(months.begin(), months.end(), lower);
    return found == months.end() ? std::string{} : twoDigits(std::to_string(found - months.begin() + 1));
}

std::optional<ParsedDate> compact(std::string_view text)
{
    if (!areDigits(text)) return std::nullopt;
    if (text.size() != 8) return invalid();
    return checked(std::string(text.substr(0, 4)) + '-' + std::string(text.substr(4, 2)) + '-' + std::string(text.substr(6)));
}

/// `--MM-DD` and `--MMDD`.
ParsedDate withoutYear(std::string_view text)
{
    const auto rest = text.substr(2);
    if (rest.size() == 4 && areDigits(rest)) return checked("--" + std::string(rest.substr(0, 2)) + '-' + std::string(rest.substr(2)));
    return checked(std::string(text));
}

/// The parts of a date with a word for the month.
std::optional<ParsedDate> named(const std::vector<std::string_view>& items)
{
    if (items.size() != 3) return std::nullopt;
    const std::size_t at = areDigits(items[0]) ? 1 : 0;
    const auto month = monthOf(items[at]);
    if (month.empty()) return std::nullopt;
    const auto day = items[1 - at], year = items[2];
    if (!areDigits(day) || day.size() > 2 || !areDigits(year) || year.size() != 4) return invalid();
    return checked(std::string(year) + '-' + month + '-' + twoDigits(day));
}

bool isShort(std::string_view digits) { return areDigits(digits) && digits.size() <= 2; }

/// Two short numbers and a year, with slashes or hyphens: the order is not in the text.
bool isOrderless(const Parts& parts)
{
    return parts.items.size() == 3 && isShort(parts.items[0]) && isShort(parts.items[1]) && areDigits(parts.items[2]) &&
           parts.items[2].size() == 4 && parts.separator != '.';
}

int numberOf(std::string_view digits)
{
    int number = 0;
    for (const char c : digits) number = number * 10 + (c - '0');
    return number;
}

ParsedDate ordered(std::string_view year, std::string_view month, std::string_view day)
{
    return checked(std::string(year) + '-' + twoDigits(month) + '-' + twoDigits(day));
}

ParsedDate orderless(const Parts& parts, ImportDates order)
{
    const auto first = parts.items[0], second = parts.items[1], year = parts.items[2];
    if (order == ImportDates::Iso) return invalid();
    if (order == ImportDates::DayFirst) return ordered(year, second, first);
    if (order == ImportDates::MonthFirst) return ordered(year, first, second);
    if (numberOf(first) > 12 || first == second) return ordered(year, second, first);
    if (numberOf(second) > 12) return ordered(year, first, second);
    return {{}, DateFault::Ambiguous};
}

} // namespace

ParsedDate parseBirthday(std::string_view text, ImportDates order)
{
    text = trim(text);
    if (text.starts_with("--")) return withoutYear(text);
    text = withoutTime(text);
    if (isDate(text) || (text.size() == 10 && isNoYear(text.substr(0, 4)))) return checked(std::string(text));
    if (auto date = compact(text)) return *date;
    if (order == ImportDates::Iso) return invalid();
    const auto parts = split(text);
    if (auto date = named(parts.items)) return *date;
    if (isOrderless(parts)) return orderless(parts, order);
    if (parts.items.size() != 3) return invalid();
    const auto &a = parts.items[0], &b = parts.items[1], &c = parts.items[2];
    if (a.size() == 4 && areDigits(a) && isShort(b) && isShort(c)) return ordered(a, b, c);
    // With dots it is always the day that comes first.
    if (isShort(a) && isShort(b) && areDigits(c) && c.size() == 4) return ordered(c, b, a);
    return invalid();
}

bool isNoBirthday(std::string_view text)
{
    const auto date = withoutTime(trim(text));
    return date == "0/0/00" || date.starts_with("4501-") || date.ends_with("/4501") || date.ends_with(".4501");
}

ParsedDate dateOf(const BirthdayParts& parts)
{
    const auto month = areDigits(parts.month) ? twoDigits(parts.month) : monthOf(parts.month);
    const bool isYear = parts.year.size() == 4 && areDigits(parts.year);
    if (month.size() != 2 || !isShort(parts.day) || (!parts.year.empty() && !isYear)) return invalid();
    return checked((isYear ? parts.year : "-") + '-' + month + '-' + twoDigits(parts.day));
}

void DateOrder::see(std::string_view text)
{
    const auto parts = split(withoutTime(trim(text)));
    if (!isOrderless(parts)) return;
    const int first = numberOf(parts.items[0]), second = numberOf(parts.items[1]);
    if (first > 12 && second <= 12)
        ++_dayFirst;
    else if (second > 12 && first <= 12)
        ++_monthFirst;
}

ImportDates DateOrder::order() const
{
    if (_dayFirst > 0 && _monthFirst == 0) return ImportDates::DayFirst;
    if (_monthFirst > 0 && _dayFirst == 0) return ImportDates::MonthFirst;
    return ImportDates::Auto;
}

} // namespace portico::crm
