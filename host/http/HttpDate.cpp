#include "host/http/HttpDate.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace portico::host::http
{

namespace
{

constexpr std::array<std::string_view, 7> dayNames{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> monthNames{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<unsigned> number(std::string_view text) noexcept
{
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<unsigned> month(std::string_view text) noexcept
{
    for (unsigned i = 0; i < monthNames.size(); ++i)
        if (monthNames[i] == text) return i + 1;
    return std::nullopt;
}

} // namespace

std::string formatHttpDate(std::time_t seconds)
{
    using namespace std::chrono;
    const sys_seconds time{std::chrono::seconds{seconds}};
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT", dayNames[weekday{day}.c_encoding()].data(),
        static_cast<unsigned>(date.day()), monthNames[static_cast<unsigned>(date.month()) - 1].data(), static_cast<int>(date.year()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<std::time_t> parseHttpDate(std::string_view text) noexcept
{
    using namespace std::chrono;
    if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" || text[19] != ':' || text[22] != ':')
        return std::nullopt;
    const auto day = number(text.substr(5, 2));
    const auto monthNumber = month(text.substr(8, 3));
    const auto yearNumber = number(text.substr(12, 4));
    const auto hour = number(text.substr(17, 2));
    const auto minute = number(text.substr(20, 2));
    const auto second = number(text.substr(23, 2));
    if (!day || !monthNumber || !yearNumber || !hour || !minute || !second) return std::nullopt;
    const year_month_day date{year{static_cast<int>(*yearNumber)}, std::chrono::month{*monthNumber}, std::chrono::day{*day}};
    if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const sys_seconds time = sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};
    return time.time_since_epoch().count();
}

} // namespace portico::host::http
