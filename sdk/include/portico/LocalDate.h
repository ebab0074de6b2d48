#pragma once

#include "portico/Export.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// A date of the calendar without a zone, `2026-11-23`. A value.
class PORTICO_API LocalDate
{
public:
    LocalDate() = default;
    explicit LocalDate(std::chrono::sys_days days) : _days(days) {}
    /// Empty for what is not `YYYY-MM-DD` or does not exist.
    static std::optional<LocalDate> parse(std::string_view text);

    std::chrono::sys_days days() const noexcept { return _days; }
    std::chrono::year_month_day parts() const noexcept { return _days; }
    /// 1 Monday to 7 Sunday (ISO 8601).
    int weekday() const noexcept { return static_cast<int>(std::chrono::weekday(_days).iso_encoding()); }
    LocalDate plusDays(int count) const noexcept { return LocalDate(_days + std::chrono::days(count)); }
    /// The first date of its ISO week.
    LocalDate monday() const noexcept { return firstOfWeek(1); }
    /// The first date of its week, where weeks begin on that day, 1 Monday to 7 Sunday.
    LocalDate firstOfWeek(int weekStart) const noexcept { return plusDays(-((weekday() - weekStart + 7) % 7)); }
    std::string text() const;
    auto operator<=>(const LocalDate&) const = default;

private:
    std::chrono::sys_days _days{};
};

} // namespace portico
