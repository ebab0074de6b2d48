#pragma once

#include "icalendar/RecurrenceRule.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar::icalendar
{

/// Parsed DATE or DATE-TIME (RFC 5545, 3.3.4 and 3.3.5). A value.
struct WrittenTime
{
    /// For a date its midnight.
    WallSeconds wall{};
    bool isDate = false;
    bool isUtc = false;
    /// True if the text violates the RFC, but its meaning is clear.
    bool repaired = false;
    bool operator==(const WrittenTime&) const = default;
};

/// Parses `20261123`, `20261123T090000` or `20261123T090000Z`. Repairs forms with a clear meaning: 24:00:00 for the end of the date, times
/// without seconds, with fractions or with an offset (`+0100`), and the extended form of ISO 8601. Returns none for other texts and for
/// dates that do not exist. A leap second becomes the second before it.
std::optional<WrittenTime> parseTime(std::string_view text);

/// Parsed DURATION (RFC 5545, 3.3.6). Days and weeks are calendar units: a day with a clock change does not have 24 hours.
struct WrittenDuration
{
    std::chrono::days days{0};
    std::chrono::seconds seconds{0};
    /// True if the text violates the RFC, but its meaning is clear.
    bool repaired = false;
    bool operator==(const WrittenDuration&) const = default;
};

/// Parses `PT1H30M`, `P2D`, `-P1W`. Repairs `P90M` (without the T), lower case, fractions and units in another order. Returns none for
/// other texts, and for more than a century.
std::optional<WrittenDuration> parseDuration(std::string_view text);

/// Parses `+0100`, `-033000`, also with colons, without minutes or without a sign. Returns seconds east of UTC, or none for other texts.
std::optional<std::chrono::seconds> parseOffset(std::string_view text);

/// Converts ASCII letters to upper case.
std::string upperCase(std::string_view text);
/// Converts ASCII letters to lower case.
std::string lowerCase(std::string_view text);

} // namespace portico::calendar::icalendar
