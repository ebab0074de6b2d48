#pragma once

#include "portico/TimeZone.h"

#include "portico/Templates.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// The texts of one language that code chooses between, and how it writes dates and times. Made of `words.txt`, a line `key=text` each.
class Words
{
public:
    explicit Words(std::string_view lines);

    /// @throws std::out_of_range for a key that `words.txt` does not have
    const std::string& text(std::string_view key) const;
    /// Returns the text of `key` if it exists, else that of `other`, which must exist.
    const std::string& textOr(std::string_view key, std::string_view other) const;
    /// All of them as a JSON object, for the script.
    std::string json() const;

    /// `Monday, November 23, 2026`.
    std::string date(LocalDate date) const;
    /// `November 2026`.
    std::string month(LocalDate date) const;
    /// `9:00 AM` or `09:00`.
    std::string time(int secondOfDay) const;
    /// `30 min`, `1 h 30 min`.
    std::string duration(int minutes) const;
    /// `three plus eight`, for numbers from 0 to 9.
    std::string sum(int first, int second) const;
    /// By ISO weekday, 1 Monday to 7 Sunday.
    const std::string& weekday(int weekday) const { return _weekdays.at(static_cast<std::size_t>(weekday - 1)); }
    const std::string& shortWeekday(int weekday) const { return _shortWeekdays.at(static_cast<std::size_t>(weekday - 1)); }
    /// The first day of a week, 1 Monday to 7 Sunday.
    int weekStart() const { return _weekStart; }
    bool twelveHours() const { return _twelveHours; }

private:
    std::map<std::string, std::string, std::less<>> _texts;
    std::vector<std::string> _months;
    std::vector<std::string> _weekdays;
    std::vector<std::string> _shortWeekdays;
    int _weekStart = 1;
    bool _twelveHours = false;
};

/// Returns the words of the language nearest to a tag (RFC 5646); of the first language for none.
using WordsOf = std::function<const Words&(std::string_view language)>;

/// `UTC`, `UTC+1`, `UTC-3:30`.
std::string offsetText(int seconds);
/// `Berlin (UTC+1)`: a zone as people know it, with its offset at an instant.
std::string zoneText(const TimeZone& zone, Instant at);

} // namespace portico::calendar
