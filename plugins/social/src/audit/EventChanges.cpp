#include "audit/EventChanges.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// Returns how many bytes of a JSON string one character takes from `at`: an escape, a pair of escaped surrogates, or a code point.
std::size_t characterLength(std::string_view text, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead != '\\') return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (text[at + 1] != 'u') return 2;
    const bool high = text.substr(at + 2, 1).find_first_of("dD") == 0 && text.substr(at + 3, 1).find_first_of("89abAB") == 0;
    return high && text.substr(at + 6, 2) == "\\u" ? 12 : 6;
}

/// Cuts a JSON string, with its quotes, to `maxEventText` characters; other values stay as they are.
Json cutValue(std::string_view value)
{
    if (!value.starts_with('"')) return {std::string(value)};
    std::size_t at = 1;
    for (std::size_t count = 0; count < maxEventText && at + 1 < value.size(); ++count) at += characterLength(value, at);
    return {std::string(value.substr(0, std::min(at, value.size() - 1))) + '"'};
}
} // namespace

Json eventText(std::string_view text)
{
    Json value{""};
    appendJsonString(value.text, firstCharacters(text, maxEventText));
    return value;
}

EventChange textChange(std::string_view field, std::string_view from, std::string_view to)
{
    return {std::string(field), eventText(from), eventText(to)};
}

void appendChange(std::vector<EventChange>& changes, std::string_view field, std::string_view from, std::string_view to)
{
    if (from != to) changes.push_back({std::string(field), cutValue(from), cutValue(to)});
}

} // namespace portico::social
