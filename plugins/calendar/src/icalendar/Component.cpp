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
constexpr std::array<std::string_view, 22> wanted{"ATTENDEE",       "DTEND",
                                                  "DTSTAMP",        "DTSTART",
                                                  "DURATION",       "EXDATE",
                                                  "EXRULE",         "FREEBUSY",
                                                  "METHOD",         "RDATE",
                                                  "RRULE",          "RECURRENCE-ID",
                                                  "SEQUENCE",       "STATUS",
                                                  "SUMMARY",        "TRANSP",
                                                  "TZID",           "TZOFFSETFROM",
                                                  "TZOFFSETTO",     "UID",
                                                  "X-LIC-LOCATION", "X-MICROSOFT-CDO-BUSYSTATUS"};
/// Components of a calendar itself.
constexpr std::array<std::string_view, 6> outerNames{"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VAVAILABILITY"};
/// Components of other components (RFC 5545, 7953, 9073).
constexpr std::array<std::string_view, 7> innerNames{"VALARM",      "STANDARD",  "DAYLIGHT", "AVAILABLE",
                                                     "PARTICIPANT", "VLOCATION", "VRESOURCE"};

bool isNameCharacter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/// Returns the lines of a text one by one, unfolded. Lines end with LF or CRLF; with CR if the text has no LF.
class Lines
{
public:
    explicit Lines(std::string_view text) : _text(text), _end(text.find('\n') == std::string_view::npos ? '\r' : '\n') {}

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
        const auto end = std::min(_text.find(_end, _at), _text.size());
        auto line = _text.substr(_at, end - _at);
        _at = end + 1;
        while (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

    std::string_view _text;
    char _end;
    std::size_t _at = 0;
};

/// Reads `;NAME=value,"value"` at `at` and moves behind it. The values of one parameter are kept as one text. A parameter without a value
/// is empty.
bool takeParameter(std::string_view line, std::size_t& at, Property& property, bool quotes)
{
    const auto nameEnd = line.find_first_of("=:;", at + 1);
    if (nameEnd == std::string_view::npos) return false;
    std::string value;
    bool quoted = false;
    const auto name = trim(line.substr(at + 1, nameEnd - at - 1));
    at = nameEnd;
    if (line[at] == '=')
        for (++at; at < line.size() && (quoted || (line[at] != ';' && line[at] != ':')); ++at)
        {
            if (line[at] != '"')
                value += line[at];
            else if (quotes)
                quoted = !quoted;
        }
    property.parameters.emplace_back(upperCase(name), std::move(value));
    return at < line.size();
}

/// The name of a zone may have colons, though it is not quoted: `TZID=(UTC-05:00) Eastern Time (US & Canada):20270111T100000`.
void rejoinZone(Property& property)
{
    if (property.parameters.empty() || property.parameters.back().first != "TZID") return;
    auto& name = property.parameters.back().second;
    const auto isYear = [](std::string_view text)
    { return text.size() >= 4 && text.substr(0, 4).find_first_not_of("0123456789") == std::string_view::npos; };
    std::string_view rest = property.value;
    auto colon = rest.find(':');
    while (!isYear(trim(rest)) && colon != std::string_view::npos)
    {
        rest.remove_prefix(colon + 1);
        colon = rest.find(':');
    }
    if (!isYear(trim(rest)) || rest.size() == property.value.size()) return;
    (name += ':') += property.value.substr(0, property.value.size() - rest.size() - 1);
    property.value = std::string(rest);
}

/// @param quotes false for a line with a quote that is never closed
std::optional<Property> parseLine(std::string_view line, bool quotes = true)
{
    std::size_t at = 0;
    while (at < line.size() && isNameCharacter(line[at])) ++at;
    if (at == 0 || at == line.size()) return std::nullopt;
    Property property;
    property.name = upperCase(line.substr(0, at));
    at = std::min(line.find_first_not_of(" \t", at), line.size());
    while (at < line.size() && line[at] == ';')
        if (!takeParameter(line, at, property, quotes)) return quotes ? parseLine(line, false) : std::nullopt;
    if (at == line.size() || line[at] != ':') return std::nullopt;
    property.value = line.substr(at + 1);
    rejoinZone(property);
    return property;
}

template <class Names>
bool isAmong(const Names& names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

/// The name of a component in a BEGIN or END line; empty for other text, such as the line "End: 7:30 PM" of a description.
std::string componentName(const Property& property)
{
    auto name = upperCase(trim(property.value));
    const bool known = name == "VCALENDAR" || isAmong(outerNames, name) || isAmong(innerNames, name) ||
                       (name.starts_with("X-") && std::ranges::all_of(name, isNameCharacter));
    return known && property.parameters.empty() ? name : std::string();
}

/// Splits the next line from a BEGIN or END line without a line break: `END:VEVENTBEGIN:VEVENT`.
std::optional<Property> takeJoined(Property& property)
{
    constexpr std::size_t longest = 80;
    if (property.value.size() > longest) return std::nullopt;
    const auto value = upperCase(property.value);
    const auto end = std::min({value.find("BEGIN:"), value.find("END:"), value.size()});
    if (end == value.size() || componentName({property.name, property.parameters, value.substr(0, end)}).empty()) return std::nullopt;
    auto next = parseLine(property.value.substr(end));
    property.value.resize(end);
    return next;
}

/// Puts the components together, outermost first in `_open`.
class Tree
{
public:
    explicit Tree(const ComponentLimits& limits) : _limits(limits) {}

    void add(Property property)
    {
        if (property.name == "BEGIN" || property.name == "END")
        {
            if (auto next = takeJoined(property))
            {
                add(std::move(property));
                return add(*std::move(next));
            }
            auto name = componentName(property);
            if (!name.empty()) property.name == "BEGIN" ? begin(std::move(name)) : end(name);
        }
        else if (!_open.empty() && isAmong(wanted, property.name))
            _open.back().properties.push_back(std::move(property));
    }

    std::vector<Component> take()
    {
        // Programs forget the last line. A text that ends within an event is cut off.
        const bool isCutOff = _open.size() > 1 || (!_open.empty() && _open.front().components.empty());
        if (isCutOff && !_limits.cutOff && !_open.front().damaged)
            throw ICalendarError("damaged_calendar", "The calendar is cut off: END:" + cleanText(_open.front().name, 40) + " is missing.");
        while (!_open.empty()) close(true);
        return std::move(_done);
    }

private:
    void begin(std::string name)
    {
        const bool isOuter = isAmong(outerNames, name), isCalendar = name == "VCALENDAR";
        if (!isOuter && !isCalendar && !mayHold(name)) return;
        if (isOuter || isCalendar)
            while (_open.size() > (isOuter ? 1U : 0U)) close(true);
        if (_open.empty() && name != "VCALENDAR" && !_done.empty()) reopen();
        if (++_count > _limits.components)
            throw ICalendarError("too_many", "The calendar has more than " + std::to_string(_limits.components) + " entries.");
        _open.push_back({std::move(name), {}, {}, false});
    }

    /// Returns true if a component may begin within the innermost one.
    bool mayHold(std::string_view name) const
    {
        if (_open.size() < 2 || _open.size() == deepest) return false;
        return (name != "STANDARD" && name != "DAYLIGHT") || _open.back().name == "VTIMEZONE";
    }

    void end(std::string_view name)
    {
        if (!std::ranges::any_of(_open, [&](const Component& component) { return component.name == name; }))
        {
            if (name == "VEVENT" && _open.size() == 1) endWithoutBegin();
            return;
        }
        const bool inOrder = _open.back().name == name;
        while (_open.back().name != name) close(true);
        // Marks the outer event as damaged, because the unclosed inner component may contain its properties.
        close(!inOrder && name == "VEVENT");
    }

    void close(bool damaged)
    {
        auto finished = std::move(_open.back());
        _open.pop_back();
        finished.damaged = finished.damaged || damaged;
        (_open.empty() ? _done : _open.back().components).push_back(std::move(finished));
    }

    /// Events behind an END:VCALENDAR belong to that calendar.
    void reopen()
    {
        _open.push_back(std::move(_done.back()));
        _done.pop_back();
        _open.back().damaged = true;
    }

    /// Moves the lines of an event without BEGIN, which were read as the calendar's.
    void endWithoutBegin()
    {
        auto& calendar = _open.back();
        Component event{"VEVENT", {}, {}, true};
        const auto isOwn = [](const Property& property) { return property.name == "METHOD"; };
        std::ranges::copy_if(calendar.properties, std::back_inserter(event.properties),
                             [&](const Property& property) { return !isOwn(property); });
        std::erase_if(calendar.properties, [&](const Property& property) { return !isOwn(property); });
        if (event.find("DTSTART") || event.find("UID")) calendar.components.push_back(std::move(event));
    }

    const ComponentLimits& _limits;
    std::vector<Component> _open, _done;
    std::size_t _count = 0;
};

/// The text from its first BEGIN:VCALENDAR on; empty if there is none among its first lines. Byte order marks and other lines may be above.
std::string_view beginningOf(std::string_view text)
{
    constexpr std::string_view first = "BEGIN:VCALENDAR", blanks = " \t\r\n\xEF\xBB\xBF";
    constexpr std::size_t maxAbove = 4'000;
    const auto head = upperCase(text.substr(0, maxAbove + first.size()));
    for (auto at = head.find(first); at != std::string::npos; at = head.find(first, at + 1))
        if (at == 0 || blanks.find(head[at - 1]) != std::string_view::npos) return text.substr(at);
    return {};
}
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
    const auto begin = beginningOf(text);
    if (begin.empty())
        throw ICalendarError("no_calendar", "The text is not a calendar: it begins with “" + cleanText(trim(text), 40) + "”.");
    Tree tree(limits);
    Lines lines(begin);
    for (std::string line; lines.next(line);)
        if (auto property = parseLine(line)) tree.add(*std::move(property));
    return tree.take();
}

} // namespace portico::calendar::icalendar
