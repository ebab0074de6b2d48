#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace portico::calendar::icalendar
{

/// Zone of the tz database that matches a Windows name.
struct WindowsZone
{
    /// Name such as `Europe/Berlin`. Lives as long as the process.
    std::string_view zone;
    /// True if the zone was guessed from some of the cities in a name that no English Windows shows.
    bool assumed = false;
};

/// Finds a Windows name in CLDR's table (`zones/windows-zones.txt`). Accepts the key (`W. Europe Standard Time`, also with a number behind
/// it or as daylight time) and the displayed name (`(UTC+01:00) Amsterdam, Berlin, …`). Ignores case and spacing. Returns none for other
/// names. Thread-safe.
std::optional<WindowsZone> zoneOfWindows(std::string_view name);

/// Offset from UTC in a name: `GMT+0100`, `UTC+1`, `+05:30`, or the beginning of `(UTC-05:00) Somewhere`.
struct NamedOffset
{
    std::chrono::seconds offset{0};
    /// Text after the offset; empty if there is none.
    std::string_view rest;
};

/// Returns none for a name that does not begin with an offset. The sign follows ISO 8601: plus is east.
std::optional<NamedOffset> offsetInName(std::string_view name);

} // namespace portico::calendar::icalendar
