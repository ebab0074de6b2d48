#pragma once

#include "portico/Export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// A local time of day, to the minute: `00:00` to `24:00`, which is the end of the date. A value.
class PORTICO_API WallTime
{
public:
    WallTime() = default;
    /// @param minutes of the day, 0 to 1440
    static constexpr WallTime ofMinutes(int minutes) { return WallTime(static_cast<std::int16_t>(minutes)); }
    /// Empty for text that is not `HH:MM`.
    static std::optional<WallTime> parse(std::string_view text);

    constexpr int minutes() const noexcept { return _minutes; }
    std::string text() const;
    auto operator<=>(const WallTime&) const = default;

private:
    constexpr explicit WallTime(std::int16_t minutes) : _minutes(minutes) {}
    std::int16_t _minutes = 0;
};

inline bool isWallTime(std::string_view text) { return WallTime::parse(text).has_value(); }

} // namespace portico
