#include "portico/Instant.h"

#include <array>
#include <cstring>

namespace portico
{

namespace
{

/// Reads exactly `count` digits from the front.
bool takeDigits(std::string_view& text, std::size_t count, int& value) noexcept
{
    if (text.size() < count) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return true;
}

bool takeChar(std::string_view& text, char expected) noexcept
{
    if (text.empty() || text.front() != expected) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::chrono::sys_days> takeDate(std::string_view& text) noexcept
{
    int year = 0, month = 0, day = 0;
    if (!takeDigits(text, 4, year) || !takeChar(text, '-') || !takeDigits(text, 2, month) || !takeChar(text, '-') ||
        !takeDigits(text, 2, day))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

/// Reads the milliseconds of an optional fraction. Returns false if no digit follows the point.
bool takeFraction(std::string_view& text, int& millis) noexcept
{
    millis = 0;
    if (!takeChar(text, '.')) return true;
    int digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits, text.remove_prefix(1))
        if (digits < 3) millis = millis * 10 + (text.front() - '0');
    if (digits == 0 || digits > 9) return false;
    for (; digits < 3; ++digits) millis *= 10;
    return true;
}

bool takeOffset(std::string_view& text, std::chrono::minutes& offset) noexcept
{
    offset = {};
    if (takeChar(text, 'Z') || takeChar(text, 'z')) return true;
    const bool negative = !text.empty() && text.front() == '-';
    if (!takeChar(text, '+') && !takeChar(text, '-')) return false;
    int hours = 0, minutes = 0;
    if (!takeDigits(text, 2, hours) || !takeChar(text, ':') || !takeDigits(text, 2, minutes) || hours > 23 || minutes > 59) return false;
    offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    if (negative) offset = -offset;
    return true;
}

/// 00 to 99, one after the other.
constexpr auto digitPairs = []
{
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = static_cast<char>('0' + (i % 2 == 0 ? i / 20 : i / 2 % 10));
    return pairs;
}();

/// Two digits: pages of times are written by the hundred.
void putTwo(char* out, unsigned value) noexcept { std::memcpy(out, &digitPairs[std::size_t{2} * value], 2); }

} // namespace

std::string toString(Instant instant)
{
    std::string out;
    appendTo(out, instant);
    return out;
}

void appendTo(std::string& out, Instant instant)
{
    const auto days = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date(days);
    const auto millis = static_cast<unsigned>((instant - days).count());
    const auto seconds = millis / 1000, minutes = seconds / 60;
    std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                              '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    putTwo(&text[0], year / 100 % 100);
    putTwo(&text[2], year % 100);
    putTwo(&text[5], static_cast<unsigned>(date.month()));
    putTwo(&text[8], static_cast<unsigned>(date.day()));
    putTwo(&text[11], minutes / 60);
    putTwo(&text[14], minutes % 60);
    putTwo(&text[17], seconds % 60);
    putTwo(&text[20], millis / 10 % 100);
    text[22] = static_cast<char>('0' + millis % 10);
    out.append(text.data(), text.size());
}

std::optional<Instant> parseInstant(std::string_view text) noexcept
{
    const auto date = takeDate(text);
    if (!date || (!takeChar(text, 'T') && !takeChar(text, 't'))) return std::nullopt;
    int hour = 0, minute = 0, second = 0, millis = 0;
    if (!takeDigits(text, 2, hour) || !takeChar(text, ':') || !takeDigits(text, 2, minute) || !takeChar(text, ':') ||
        !takeDigits(text, 2, second) || hour > 23 || minute > 59 || second > 59 || !takeFraction(text, millis))
        return std::nullopt;
    std::chrono::minutes offset{};
    if (!takeOffset(text, offset) || !text.empty()) return std::nullopt;
    return Instant(*date + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) +
                   std::chrono::milliseconds(millis) - offset);
}

bool isDate(std::string_view text) noexcept { return takeDate(text).has_value() && text.empty(); }

} // namespace portico
