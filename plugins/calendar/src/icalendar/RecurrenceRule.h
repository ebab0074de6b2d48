#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar::icalendar
{

/// Local time to the second, without a zone.
using WallSeconds = std::chrono::local_seconds;

/// Recurrence rule of an event: a RECUR value of RFC 5545, 3.3.10. A value.
struct RecurrenceRule
{
    enum class Frequency : std::uint8_t
    {
        Secondly,
        Minutely,
        Hourly,
        Daily,
        Weekly,
        Monthly,
        Yearly
    };
    /// `2MO`: the second Monday. 0: every one.
    struct Weekday
    {
        int ordinal = 0;
        /// 1 Monday to 7 Sunday (ISO 8601).
        int weekday = 1;
    };
    /// End of the rule in its written form: a date, a local time or a UTC time.
    struct Until
    {
        WallSeconds time{};
        bool isDate = false;
        bool isUtc = false;
    };

    Frequency frequency = Frequency::Daily;
    std::int64_t interval = 1;
    /// How many there are; 0: no end.
    std::int64_t count = 0;
    std::optional<Until> until;
    std::vector<int> bySecond, byMinute, byHour, byMonthDay, byYearDay, byWeekNumber, byMonth, bySetPosition;
    std::vector<Weekday> byDay;
    /// The weekday that weeks begin with, as above.
    int weekStart = 1;

    /// Parses a rule. Passes over parts that are empty, unknown (`X-…`) or out of range, and appends them to `ignored`. Empty where the
    /// meaning is lost: without a frequency, with two, with a calendar other than the Gregorian one, or with an unknown BY part.
    static std::optional<RecurrenceRule> parse(std::string_view text, std::vector<std::string>* ignored = nullptr);
};

/// Work budget for recurrences, which bounds the time for untrusted input. `occurrences` reduces it. One for a whole file.
struct RecurrenceBudget
{
    /// Periods and days that are looked at.
    std::int64_t steps = 4'000'000;
    /// Occurrences that are found.
    std::int64_t occurrences = 100'000;
};

/// A rule cost more than it may.
class RecurrenceTooLong final : public std::runtime_error
{
public:
    RecurrenceTooLong(const char* what, std::vector<WallSeconds> found) : std::runtime_error(what), _found(std::move(found)) {}
    /// The occurrences up to there, ascending.
    const std::vector<WallSeconds>& found() const noexcept { return _found; }

private:
    std::vector<WallSeconds> _found;
};

/// Start and range of a rule's expansion.
struct RecurrenceSpan
{
    /// Its DTSTART. It is in the answer only where the rule meets it.
    WallSeconds start;
    /// DTSTART is a date: times of day in the rule are passed over.
    bool isDate = false;
    /// The answer begins here …
    WallSeconds from;
    /// … and ends before this.
    WallSeconds to;
    /// The last time that counts, inclusive: the rule's UNTIL in the zone of the event.
    std::optional<WallSeconds> until = {};
};

/// Returns the times of a rule, ascending, without duplicates. The caller must handle times that do not exist in the zone. A million steps
/// take at most some ten milliseconds.
/// @throws RecurrenceTooLong if the budget is used up
std::vector<WallSeconds> occurrences(const RecurrenceRule& rule, const RecurrenceSpan& span, RecurrenceBudget& budget);

} // namespace portico::calendar::icalendar
