#include "icalendar/Component.h"

#include "icalendar/Values.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace portico::calendar::icalendar
{

namespace
{
constexpr std::size_t deepest = 5;
constexpr std::array<std::string_view, 19> wanted{
    "ATTENDEE", "DTEND",  "DTSTAMP", "DTSTART", "DURATION", "EXDATE",        "FREEBUSY", "METHOD",       "RDATE",     "RRULE",
    "SEQUENCE", "STATUS", "SUMMARY", "TRANSP",  "TZID",     "RECURRENCE-ID", "UID",      "TZOFFSETFROM", "TZOFFSETTO"};

bool isNameCharacter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/// Takes the lines of a text one by one, unfolded.
class Lines
{
public:
    explicit Lines(std::string_view text) : _text(text) {}

    bool next(std::string& line)
    {
        line.clear();
        if (_at >= _text.size()) return false;
        line = physical();
        while (_at < _text.size() && (_text[_at] == ' ' || _text[_at] == '\t'))
        {
            ++_at;
            line += physical();
        }
        return true;
    }

private:
    std::string_view physical()
    {
        const auto end = std::min(_text.find('\n', _at), _text.size());
        auto line = _text.substr(_at, end - _at);
        _at = end + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

    std::string_view _text;
    std::size_t _at = 0;
};

/// Reads `;NAME=value,"value"` at `at` and moves behind it. The values of one parameter are kept as one text.
bool takeParameter(std::string_view line, std::size_t& at, Property& property)
{
    const auto equals = line.find_first_of("=:;", at + 1);
    if (equals == std::string_view::npos || line[equals] != '=') return false;
    std::string value;
    bool quoted = false;
    const auto name = line.substr(at + 1, equals - at - 1);
    for (at = equals + 1; at < line.size() && (quoted || (line[at] != ';' && line[at] != ':')); ++at)
    {
        if (line[at] == '"')
            quoted = !quoted;
        else
            value += line[at];
    }
    property.parameters.emplace_back(upperCase(name), std::move(value));
    return at < line.size();
}

/// Empty for what is no content line.
std::optional<Property> parseLine(std::string_view line)
{
    std::size_t at = 0;
    while (at < line.size() && isNameCharacter(line[at])) ++at;
    if (at == 0 || at == line.size()) return std::nullopt;
    Property property;
    property.name = upperCase(line.substr(0, at));
    while (at < line.size() && line[at] == ';')
        if (!takeParameter(line, at, property)) return std::nullopt;
    if (at == line.size() || line[at] != ':') return std::nullopt;
    property.value = line.substr(at + 1);
    return property;
}

/// Puts the components together, outermost first in `_open`.
class Tree
{
public:
    explicit Tree(const ComponentLimits& limits) : _limits(limits) {}

    void add(Property property)
    {
        if (property.name == "BEGIN")
            begin(upperCase(trim(property.value)));
        else if (property.name == "END")
            end(upperCase(trim(property.value)));
        else if (!_open.empty() && std::ranges::find(wanted, property.name) != wanted.end())
            _open.back().properties.push_back(std::move(property));
    }

    std::vector<Component> take()
    {
        if (!_open.empty())
            throw ICalendarError("damaged_calendar", "The calendar is cut off: END:" + cleanText(_open.front().name, 40) + " is missing.");
        return std::move(_done);
    }

private:
    void begin(std::string name)
    {
        if (_open.empty() && name != "VCALENDAR")
            throw ICalendarError("no_calendar", "The text is no calendar: it does not begin with BEGIN:VCALENDAR.");
        if (_open.size() == deepest) throw ICalendarError("damaged_calendar", "The calendar has parts within parts within parts.");
        if (++_count > _limits.components)
            throw ICalendarError("too_many", "The calendar has more than " + std::to_string(_limits.components) + " entries.");
        _open.push_back({std::move(name), {}, {}});
    }

    void end(std::string_view name)
    {
        if (_open.empty() || _open.back().name != name)
            throw ICalendarError("damaged_calendar", "The calendar is damaged: an END without its BEGIN.");
        auto finished = std::move(_open.back());
        _open.pop_back();
        (_open.empty() ? _done : _open.back().components).push_back(std::move(finished));
    }

    const ComponentLimits& _limits;
    std::vector<Component> _open, _done;
    std::size_t _count = 0;
};
} // namespace

std::string_view Property::parameter(std::string_view wantedName) const noexcept
{
    const auto found = std::ranges::find(parameters, wantedName, [](const auto& entry) -> std::string_view { return entry.first; });
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

const Property* Component::find(std::string_view wantedName) const noexcept
{
    const auto found = std::ranges::find(properties, wantedName, [](const auto& entry) -> std::string_view { return entry.name; });
    return found == properties.end() ? nullptr : &*found;
}

std::string_view Component::value(std::string_view wantedName) const noexcept
{
    const auto* property = find(wantedName);
    return property ? trim(property->value) : std::string_view();
}

std::vector<Component> parseComponents(std::string_view text, const ComponentLimits& limits)
{
    if (text.size() > limits.bytes)
        throw ICalendarError("too_large", "The calendar is larger than " + std::to_string(limits.bytes / 1048576) + " MiB.");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto begin = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!upperCase(begin.substr(0, 15)).starts_with("BEGIN:VCALENDAR"))
        throw ICalendarError("no_calendar", "The text is no calendar: it begins with “" + cleanText(begin, 40) + "”.");
    Tree tree(limits);
    Lines lines(begin);
    for (std::string line; lines.next(line);)
        if (auto property = parseLine(line)) tree.add(*std::move(property));
    return tree.take();
}

} // namespace portico::calendar::icalendar
