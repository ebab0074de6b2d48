#include "icalendar/WindowsZones.h"

#include "icalendar/Values.h"
#include "icalendar/ZoneFiles.h"

#include "portico/Text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace portico::calendar::icalendar
{

namespace
{
/// Letters and digits only, in lower case: `Eastern Time (US & Canada)` becomes `easterntimeuscanada`.
std::string lettersOf(std::string_view text)
{
    std::string letters;
    for (const char c : lowerCase(text))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) letters += c;
    return letters;
}

/// `Amsterdam, Berlin` and `Greenwich Mean Time : Dublin / London`.
std::vector<std::string> citiesOf(std::string_view text)
{
    std::vector<std::string> cities;
    while (!text.empty())
    {
        const auto end = std::min(text.find_first_of(",/:;"), text.size());
        if (auto city = lettersOf(text.substr(0, end)); city.size() > 2) cities.push_back(std::move(city));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return cities;
}

struct ShownZone
{
    std::string_view zone;
    std::chrono::seconds offset{0};
    std::string letters;
    std::vector<std::string> cities;
};

/// Table with normalized names.
class WindowsTable
{
public:
    WindowsTable()
    {
        for (auto text = windowsZoneFile(); !text.empty();)
        {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            const auto first = line.find('|'), second = line.find('|', std::min(first, line.size() - 1) + 1);
            if (line.starts_with('#') || second == std::string_view::npos) continue;
            const auto zone = line.substr(first + 1, second - first - 1);
            _keys.emplace(lettersOf(line.substr(0, first)), zone);
            if (const auto shown = offsetInName(line.substr(second + 1)))
                _shown.push_back({zone, shown->offset, lettersOf(shown->rest), citiesOf(shown->rest)});
        }
    }

    /// By the letters of `W. Europe Standard Time`.
    std::string_view byKey(const std::string& letters) const
    {
        const auto found = _keys.find(letters);
        return found == _keys.end() ? std::string_view() : found->second;
    }

    std::string_view byShownName(const std::string& letters, const std::optional<NamedOffset>& offset) const
    {
        for (const auto& shown : _shown)
            if (shown.letters == letters && (!offset || offset->offset == shown.offset)) return shown.zone;
        return {};
    }

    /// The zone of that offset with most of the cities.
    std::string_view byCities(const NamedOffset& offset) const
    {
        const auto named = citiesOf(offset.rest);
        std::ptrdiff_t most = 0;
        std::string_view zone;
        for (const auto& shown : _shown)
        {
            if (shown.offset != offset.offset) continue;
            const auto common = std::ranges::count_if(named, [&](const std::string& city)
                                                      { return std::ranges::find(shown.cities, city) != shown.cities.end(); });
            if (common > most) zone = shown.zone;
            most = std::max(most, common);
        }
        return zone;
    }

private:
    std::map<std::string, std::string_view> _keys;
    std::vector<ShownZone> _shown;
};

/// Without the number that Outlook appends where a file has two zones of one name.
std::string_view withoutNumber(std::string_view name)
{
    const auto last = name.find_last_not_of("0123456789");
    return last != std::string_view::npos && last + 1 < name.size() && name[last] == ' ' ? trim(name.substr(0, last)) : name;
}

/// Reads up to two digits, and removes them from the text; -1 for none.
int takeTwoDigits(std::string_view& text)
{
    int value = -1;
    for (int i = 0; i < 2 && !text.empty() && text.front() >= '0' && text.front() <= '9'; ++i)
    {
        value = std::max(value, 0) * 10 + (text.front() - '0');
        text.remove_prefix(1);
    }
    return value;
}

/// Reads `+01:00`, `-5`, `+0530` or `+01.00`, and removes it from the text.
std::optional<std::chrono::seconds> takeSigned(std::string_view& text)
{
    const bool negative = text.starts_with('-') || text.starts_with("\xE2\x88\x92");
    text.remove_prefix(text.starts_with("\xE2\x88\x92") ? 3 : 1);
    const int hour = takeTwoDigits(text);
    if (hour < 0 || hour > 23) return std::nullopt;
    if (text.size() > 1 && (text.front() == ':' || text.front() == '.') && text[1] >= '0' && text[1] <= '9') text.remove_prefix(1);
    const int minute = std::max(takeTwoDigits(text), 0);
    if (minute > 59 || (!text.empty() && text.front() >= '0' && text.front() <= '9')) return std::nullopt;
    return std::chrono::seconds((negative ? -1 : 1) * (hour * 3600 + minute * 60));
}
} // namespace

std::optional<NamedOffset> offsetInName(std::string_view name)
{
    name = trim(name);
    if (name == "Z" || name == "z") return NamedOffset{};
    const bool inBrackets = name.starts_with('(');
    if (inBrackets) name = trim(name.substr(1));
    const auto word = upperCase(name.substr(0, 3));
    const bool hasWord = word == "UTC" || word == "GMT";
    if (hasWord) name = trim(name.substr(3));
    const bool hasSign = name.starts_with('+') || name.starts_with('-') || name.starts_with("\xE2\x88\x92");
    NamedOffset found;
    if (hasSign)
    {
        const auto offset = takeSigned(name);
        if (!offset) return std::nullopt;
        found.offset = *offset;
    }
    else if (!hasWord || (!inBrackets && !name.empty()))
        return std::nullopt;
    name = trim(name);
    if (inBrackets && !name.starts_with(')')) return std::nullopt;
    found.rest = trim(name.substr(inBrackets ? 1 : 0));
    return found;
}

std::optional<WindowsZone> zoneOfWindows(std::string_view name)
{
    static const WindowsTable table;
    if (name.size() > 200) return std::nullopt;
    const auto offset = offsetInName(name);
    if (offset && offset->rest.empty()) return std::nullopt;
    for (const auto plain : {name, withoutNumber(name)})
    {
        auto letters = lettersOf(plain);
        if (const auto zone = table.byKey(letters); !zone.empty()) return WindowsZone{zone};
        if (const auto daylight = letters.find("daylighttime"); daylight != std::string::npos)
            if (const auto zone = table.byKey(letters.replace(daylight, 8, "standard")); !zone.empty()) return WindowsZone{zone};
    }
    const auto shown = offset ? offset->rest : name;
    for (const auto plain : {shown, withoutNumber(shown)})
        if (const auto zone = table.byShownName(lettersOf(plain), offset); !zone.empty()) return WindowsZone{zone};
    if (offset)
        if (const auto zone = table.byCities(*offset); !zone.empty()) return WindowsZone{zone, true};
    return std::nullopt;
}

} // namespace portico::calendar::icalendar
