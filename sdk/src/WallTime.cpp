#include "portico/WallTime.h"

namespace portico
{

namespace
{
/// Two digits, or -1.
int twoDigits(std::string_view text)
{
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return digit(text[0]) && digit(text[1]) ? (text[0] - '0') * 10 + (text[1] - '0') : -1;
}
} // namespace

std::optional<WallTime> WallTime::parse(std::string_view text)
{
    if (text.size() != 5 || text[2] != ':') return std::nullopt;
    const int hour = twoDigits(text), minute = twoDigits(text.substr(3));
    if (hour < 0 || minute < 0 || minute > 59 || hour * 60 + minute > 1440) return std::nullopt;
    return ofMinutes(hour * 60 + minute);
}

std::string WallTime::text() const
{
    const auto pair = [](int n) { return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)}; };
    return pair(_minutes / 60) + ":" + pair(_minutes % 60);
}

} // namespace portico
