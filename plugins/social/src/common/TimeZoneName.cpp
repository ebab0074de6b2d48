#include "common/TimeZoneName.h"

#include "portico/TimeZones.h"
#include "portico/WallTime.h"

#include <regex>

namespace portico::social
{

bool isTimeZone(std::string_view name) { return TimeZones().find(name).has_value(); }

bool isLanguageTag(std::string_view tag)
{
    static const std::regex form(
        "([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"
        "(-[a-wy-z0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?",
        std::regex::icase | std::regex::optimize);
    return tag.size() <= 64 && std::regex_match(tag.begin(), tag.end(), form);
}

bool isTimeOfDay(std::string_view text)
{
    const auto time = WallTime::parse(text);
    return time && time->minutes() < 24 * 60;
}

} // namespace portico::social
