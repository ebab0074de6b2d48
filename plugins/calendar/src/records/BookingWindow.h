#pragma once

#include "portico/LocalDate.h"

#include "portico/Faults.h"
#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::calendar
{

/// How far ahead guests may book (R11).
struct BookingWindow
{
    enum class Kind
    {
        RollingDays,
        DateRange,
        Unlimited
    };

    /// Effective limit of `Unlimited`.
    static constexpr int maxDays = 730;

    Kind kind = Kind::Unlimited;
    /// For RollingDays, 0 to 730: today and this many following dates.
    std::optional<int> days;
    /// For DateRange, both inclusive.
    std::optional<LocalDate> from, to;
    bool operator==(const BookingWindow&) const = default;
};

constexpr auto schemaOf(const BookingWindow::Kind*)
{
    using enum BookingWindow::Kind;
    return choices<BookingWindow::Kind>({{"rollingDays", RollingDays}, {"dateRange", DateRange}, {"unlimited", Unlimited}});
}

/// Checks that exactly the members of the kind are set, and that `to` is not before `from`.
void checkWindow(const BookingWindow& window, Faults& faults, const std::string& path);

constexpr auto schemaOf(const BookingWindow*)
{
    return describe(field<&BookingWindow::kind>().required(),
                    field<&BookingWindow::days>()
                        .range(0, BookingWindow::maxDays)
                        .omitEmpty()
                        .description("For `rollingDays`: number of dates after today"),
                    field<&BookingWindow::from>().date().omitEmpty().description("For `dateRange`: first date in the host's time zone"),
                    field<&BookingWindow::to>().date().omitEmpty().description("For `dateRange`: last date"))
        .checkedBy(checkWindow);
}

} // namespace portico::calendar
