#include "users/ProfileRules.h"

#include "users/User.h"

#include "portico/Faults.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace portico::identity::profile_rules
{

namespace
{

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isEither(char c) { return isLetter(c) || isDigit(c); }

/// Returns true if a part of a name or tag has only these characters, and a length in the range.
bool is(std::string_view part, bool (*character)(char), std::size_t least, std::size_t most)
{
    return part.size() >= least && part.size() <= most && std::ranges::all_of(part, character);
}

std::vector<std::string_view> partsOf(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (auto end = text.find(separator); end != std::string_view::npos; end = text.find(separator))
    {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

/// Returns false for other files of the zone database, whose names begin with a lower-case letter.
bool isZonePart(std::string_view part)
{
    const auto fits = [](char c) { return isEither(c) || c == '_' || c == '-' || c == '+'; };
    return !part.empty() && part.front() >= 'A' && part.front() <= 'Z' && std::ranges::all_of(part, fits);
}

} // namespace

bool isLanguage(std::string_view tag)
{
    const auto parts = partsOf(tag, '-');
    auto part = parts.begin();
    if (!is(*part++, isLetter, 2, 3)) return false;
    if (part != parts.end() && is(*part, isLetter, 4, 4)) ++part;
    if (part != parts.end() && (is(*part, isLetter, 2, 2) || is(*part, isDigit, 3, 3))) ++part;
    const auto isVariant = [](std::string_view text) { return is(text, isEither, isDigit(text.empty() ? 'x' : text[0]) ? 4 : 5, 8); };
    return std::all_of(part, parts.end(), isVariant);
}

bool isTimeZone(std::string_view name)
{
    static const std::filesystem::path zones("/usr/share/zoneinfo");
    std::error_code ignored;
    return std::ranges::all_of(partsOf(name, '/'), isZonePart) &&
           (!std::filesystem::is_directory(zones, ignored) || std::filesystem::is_regular_file(zones / name, ignored));
}

void check(const User& before, const User& after)
{
    Faults faults;
    if (after.locale != before.locale && !after.locale.empty() && !isLanguage(after.locale))
        faults.add("locale", "invalid_locale", "Expected a language tag such as en or de-AT, or nothing: the browser's");
    if (after.timezone != before.timezone && !after.timezone.empty() && !isTimeZone(after.timezone))
        faults.add("timezone", "unknown_time_zone", "Expected a time zone such as Europe/Berlin, or nothing: the browser's");
    faults.raise();
}

} // namespace portico::identity::profile_rules
