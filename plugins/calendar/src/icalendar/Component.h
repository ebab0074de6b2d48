#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::calendar::icalendar
{

/// A text that cannot be read as iCalendar, or asks for more work than a calendar may; says why in a sentence for its owner.
class ICalendarError final : public std::runtime_error
{
public:
    /// @param code `no_calendar`, `damaged_calendar`, `too_large` or `too_many`: a literal
    ICalendarError(std::string_view code, const std::string& sentence) : std::runtime_error(sentence), _code(code) {}
    std::string_view code() const noexcept { return _code; }

private:
    std::string_view _code;
};

/// A content line (RFC 5545, 3.1), unfolded; names are in capitals.
struct Property
{
    std::string name;
    std::vector<std::pair<std::string, std::string>> parameters;
    std::string value;

    /// Empty if there is none.
    std::string_view parameter(std::string_view name) const noexcept;
};

/// `BEGIN:…` to `END:…` (RFC 5545, 3.6).
struct Component
{
    std::string name;
    std::vector<Property> properties;
    std::vector<Component> components;
    /// Part of it may be missing: its END, its BEGIN, or the END of a component in it.
    bool damaged = false;

    /// The first of that name; null if there is none.
    const Property* find(std::string_view name) const noexcept;
    /// Its value; empty if there is none.
    std::string_view value(std::string_view name) const noexcept;
};

struct ComponentLimits
{
    std::size_t bytes = 5 * 1024 * 1024;
    std::size_t components = 50'000;
    /// Accepts a text that ends before its last END:VCALENDAR, and marks the calendar as damaged.
    bool cutOff = false;
};

/// Parses the calendars in a text. Keeps only properties that determine when an event is, its participants and its title. Ignores malformed
/// lines, and BEGIN or END lines without a component's name. Keeps a component without END or BEGIN, and marks it as damaged.
/// @throws ICalendarError for a text that does not begin like a calendar, is truncated, or exceeds the limits
std::vector<Component> parseComponents(std::string_view text, const ComponentLimits& limits = {});

} // namespace portico::calendar::icalendar
