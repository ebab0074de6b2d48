#include "users/ProfileRules.h"

#include "users/User.h"

#include "portico/Text.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace portico::identity::profile_rules
{

namespace
{

/// UTF-8 of marks and overrides of the direction, of separators of lines and paragraphs, and of what joins nothing (U+200E, U+200F, U+2028
/// to U+202E, U+2060 to U+2064, U+2066 to U+2069, U+FEFF).
bool isUnseen(std::string_view bytes)
{
    if (bytes.starts_with("\xef\xbb\xbf")) return true;
    if (bytes.size() < 3 || bytes[0] != '\xe2') return false;
    const auto last = static_cast<unsigned char>(bytes[2]);
    if (bytes[1] == '\x80') return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
    return bytes[1] == '\x81' && last >= 0xa0 && last <= 0xa9 && last != 0xa5;
}

bool isName(std::string_view text)
{
    // Control characters are what no other text may have either.
    if (cleanText(text, text.size()) != text) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (isUnseen(text.substr(i))) return false;
    return true;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isEither(char c) { return isLetter(c) || isDigit(c); }

/// Whether a part of a name or tag is of these characters, so many of them.
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

/// What else lies beside the zones begins with a small letter.
bool isZonePart(std::string_view part)
{
    const auto fits = [](char c) { return isEither(c) || c == '_' || c == '-' || c == '+'; };
    return !part.empty() && part.front() >= 'A' && part.front() <= 'Z' && std::ranges::all_of(part, fits);
}

} // namespace

void checkName(Faults& faults, std::string field, std::string_view name)
{
    if (!isName(name)) faults.add(std::move(field), "invalid_name", "One line of text that can be seen");
}

void requireName(std::string_view field, std::string_view name)
{
    Faults faults;
    checkName(faults, std::string(field), name);
    faults.raise();
}

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
    const auto name = [&](const char* field, std::string User::*member)
    {
        if (after.*member != before.*member) checkName(faults, field, after.*member);
    };
    name("displayName", &User::displayName);
    name("givenName", &User::givenName);
    name("familyName", &User::familyName);
    if (trim(after.displayName).empty()) faults.add("displayName", "required", "Must be present");
    if (after.locale != before.locale && !isLanguage(after.locale))
        faults.add("locale", "invalid_locale", "A language tag such as en or de-AT");
    if (after.timezone != before.timezone && !isTimeZone(after.timezone))
        faults.add("timezone", "unknown_time_zone", "A time zone such as Europe/Berlin");
    faults.raise();
}

} // namespace portico::identity::profile_rules
