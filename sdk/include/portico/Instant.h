#pragma once

#include "portico/Export.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// A point in time in milliseconds, UTC. In JSON RFC 3339 with three digits and `Z`; in a database a 64-bit count of milliseconds since
/// 1970.
using Instant = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// `2026-11-21T09:00:00.000Z`.
PORTICO_API std::string toString(Instant instant);
PORTICO_API void appendTo(std::string& out, Instant instant);

/// RFC 3339 with any offset and 0 to 9 digits of a second (more than three are cut); empty for anything else, leap seconds included.
PORTICO_API std::optional<Instant> parseInstant(std::string_view text) noexcept;

/// Milliseconds since 1970.
inline std::int64_t toMillis(Instant instant) noexcept { return instant.time_since_epoch().count(); }
inline Instant fromMillis(std::int64_t millis) noexcept { return Instant{std::chrono::milliseconds{millis}}; }

/// True for a `YYYY-MM-DD` that exists in the calendar.
PORTICO_API bool isDate(std::string_view text) noexcept;

} // namespace portico
