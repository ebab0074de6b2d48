#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace portico::calendar::icalendar
{

/// A zone of the tz database for a name of Windows.
struct WindowsZone
{
    /// `Europe/Berlin`. Lives as long as the process.
    std::string_view zone;
    /// Chosen by some of the cities in the name, which is none that Windows shows in English.
    bool assumed = false;
};

/// Finds a name of Windows by CLDR's table (`zones/windows-zones.txt`): its key (`W. Europe Standard Time`, also with a number behind it or
/// as daylight time), or the name that Windows shows (`(UTC+01:00) Amsterdam, Berlin, …`), in any case and spacing. Empty for other names.
/// Thread-safe.
std::optional<WindowsZone> zoneOfWindows(std::string_view name);

/// What a name says of its distance to UTC: `GMT+0100`, `UTC+1`, `+05:30`, or the beginning of `(UTC-05:00) Somewhere`.
struct NamedOffset
{
    std::chrono::seconds offset{0};
    /// What follows it; empty where the name is nothing else.
    std::string_view rest;
};

/// Empty for a name that does not begin with an offset. The sign is that of ISO 8601: plus is east.
std::optional<NamedOffset> offsetInName(std::string_view name);

} // namespace portico::calendar::icalendar
