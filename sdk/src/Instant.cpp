#include "portico/Instant.h"

#include <array>
#include <charconv>

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

/// Milliseconds of an optional fraction; false if a point stands without digits.
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

/// Two digits: pages of times are written by the hundred.
void putTwo(char* out, int value) noexcept
{
    out[0] = static_cast<char>('0' + value / 10);
    out[1] = static_cast<char>('0' + value % 10);
}

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
    const auto millis = static_cast<int>((instant - days).count());
    std::array<char, 24> text{'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0',
                              '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
    const auto year = static_cast<int>(date.year());
    putTwo(&text[0], year / 100);
    putTwo(&text[2], year % 100);
    putTwo(&text[5], static_cast<int>(static_cast<unsigned>(date.month())));
    putTwo(&text[8], static_cast<int>(static_cast<unsigned>(date.day())));
    putTwo(&text[11], millis / 3'600'000);
    putTwo(&text[14], millis / 60'000 % 60);
    putTwo(&text[17], millis / 1000 % 60);
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
