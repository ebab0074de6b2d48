#pragma once

#include "icalendar/RecurrenceRule.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar::icalendar
{

/// A DATE or DATE-TIME as it is written (RFC 5545, 3.3.4 and 3.3.5). A value.
struct WrittenTime
{
    /// Of a date its beginning.
    WallSeconds wall{};
    bool isDate = false;
    bool isUtc = false;
    /// Not written as the RFC demands, but with a plain meaning.
    bool repaired = false;
    bool operator==(const WrittenTime&) const = default;
};

/// Parses `20261123`, `20261123T090000` or `20261123T090000Z`. Repairs forms with a plain meaning: 24:00:00 as the end of the date, times
/// without seconds, with fractions, with an offset (`+0100`) and the extended form of ISO 8601. Empty for anything else and for dates that
/// do not exist. A leap second is the second before it.
std::optional<WrittenTime> parseTime(std::string_view text);

/// A DURATION (RFC 5545, 3.3.6). Days and weeks are of the calendar: on a day of a clock change they are no 24 hours.
struct WrittenDuration
{
    std::chrono::days days{0};
    std::chrono::seconds seconds{0};
    /// Not written as the RFC demands, but with a plain meaning.
    bool repaired = false;
    bool operator==(const WrittenDuration&) const = default;
};

/// Parses `PT1H30M`, `P2D`, `-P1W`. Repairs `P90M` (without the T), lower case, fractions and units in another order. Empty for anything
/// else, and for more than a century.
std::optional<WrittenDuration> parseDuration(std::string_view text);

/// Parses `+0100`, `-033000`, also with colons, without minutes or without a sign: seconds east of UTC. Empty for anything else.
std::optional<std::chrono::seconds> parseOffset(std::string_view text);

/// With the letters a to z as A to Z.
std::string upperCase(std::string_view text);
/// With the letters A to Z as a to z.
std::string lowerCase(std::string_view text);

} // namespace portico::calendar::icalendar
