#include "texts/Words.h"

#include "portico/Json.h"

#include <algorithm>
#include <cstdlib>

namespace portico::calendar
{

namespace
{
std::vector<std::string> parts(std::string_view text, char separator)
{
    std::vector<std::string> found;
    for (std::size_t from = 0; from <= text.size();)
    {
        const auto to = std::min(text.find(separator, from), text.size());
        found.emplace_back(text.substr(from, to - from));
        from = to + 1;
    }
    return found;
}

std::string twoDigits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }
} // namespace

Words::Words(std::string_view lines)
{
    for (const auto& line : parts(lines, '\n'))
        if (const auto sign = line.find('='); sign != std::string::npos) _texts[line.substr(0, sign)] = line.substr(sign + 1);
    _months = parts(text("months"), ',');
    _weekdays = parts(text("weekdays"), ',');
    _shortWeekdays = parts(text("weekdaysShort"), ',');
    _weekStart = std::atoi(text("weekStart").c_str());
    _twelveHours = text("clock") == "12";
}

const std::string& Words::text(std::string_view key) const
{
    const auto found = _texts.find(key);
    if (found == _texts.end()) throw std::out_of_range("words.txt has no " + std::string(key));
    return found->second;
}

const std::string& Words::textOr(std::string_view key, std::string_view other) const
{
    const auto found = _texts.find(key);
    return found == _texts.end() ? text(other) : found->second;
}

std::string Words::json() const { return toJson(std::map<std::string, std::string>(_texts.begin(), _texts.end())); }

std::string Words::date(LocalDate date) const
{
    const auto day = date.parts();
    std::string out;
    const auto& pattern = text("date");
    for (std::size_t i = 0; i < pattern.size(); ++i)
    {
        if (pattern[i] != '%' || i + 1 == pattern.size())
        {
            out += pattern[i];
            continue;
        }
        const char letter = pattern[++i];
        if (letter == 'w') out += weekday(date.weekday());
        if (letter == 'm') out += _months.at(static_cast<unsigned>(day.month()) - 1);
        if (letter == 'd') out += std::to_string(static_cast<unsigned>(day.day()));
        if (letter == 'y') out += std::to_string(static_cast<int>(day.year()));
    }
    return out;
}

std::string Words::month(LocalDate date) const
{
    const auto day = date.parts();
    return _months.at(static_cast<unsigned>(day.month()) - 1) + " " + std::to_string(static_cast<int>(day.year()));
}

std::string Words::time(int secondOfDay) const
{
    const int hour = secondOfDay / 3600, minute = secondOfDay / 60 % 60;
    if (!_twelveHours) return twoDigits(hour) + ":" + twoDigits(minute);
    return std::to_string(hour % 12 == 0 ? 12 : hour % 12) + ":" + twoDigits(minute) + (hour < 12 ? " AM" : " PM");
}

std::string Words::duration(int minutes) const
{
    std::string out;
    if (minutes >= 60) out = std::to_string(minutes / 60) + " " + text("hours");
    if (minutes % 60 != 0 || minutes == 0) out += (out.empty() ? "" : " ") + std::to_string(minutes % 60) + " " + text("minutes");
    return out;
}

std::string Words::sum(int first, int second) const
{
    const auto numbers = parts(text("numbers"), ',');
    return numbers.at(static_cast<std::size_t>(first)) + " " + text("plus") + " " + numbers.at(static_cast<std::size_t>(second));
}

std::string offsetText(int seconds)
{
    if (seconds == 0) return "UTC";
    const int minutes = std::abs(seconds) / 60;
    // The sign of minus: a line does not end behind it.
    return std::string(seconds < 0 ? "UTC\u2212" : "UTC+") + std::to_string(minutes / 60) +
           (minutes % 60 == 0 ? std::string() : ":" + twoDigits(minutes % 60));
}

std::string zoneText(const TimeZone& zone, Instant at)
{
    auto place = zone.name().substr(zone.name().rfind('/') + 1);
    std::ranges::replace(place, '_', ' ');
    const auto offset = offsetText(zone.localOf(at).offsetSeconds);
    return place == offset ? place : place + " (" + offset + ")";
}

} // namespace portico::calendar
