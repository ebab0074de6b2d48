#pragma once

#include "exchange/ImportOptions.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::crm
{

enum class DateFault
{
    None,
    Invalid,
    Ambiguous ///< day and month could be swapped
};

struct ParsedDate
{
    /// `YYYY-MM-DD` or `--MM-DD`.
    std::string text = {};
    DateFault fault = DateFault::None;
};

/// Parses a birthday: ISO 8601, with or without hyphens and year, also with a time, `13.2.1990`, `2/13/1990` in the given order, `13 Feb
/// 1990`, `Feb 13, 1990`. Years must have four digits. The years 0 and 1604 mean no year: address books write them.
ParsedDate parseBirthday(std::string_view text, ImportDates order);

/// Returns true for placeholders of a missing birthday: Outlook's `0/0/00`, and dates of the year 4501.
bool isNoBirthday(std::string_view text);

/// Birthday in three columns, as numbers; the month may be a word.
struct BirthdayParts
{
    /// May be empty.
    std::string year = {};
    std::string month = {};
    std::string day = {};
    bool isEmpty() const noexcept { return year.empty() && month.empty() && day.empty(); }
};

ParsedDate dateOf(const BirthdayParts& parts);

/// Detects by the dates of a column whether the day or the month comes first.
class DateOrder
{
public:
    void see(std::string_view text);
    /// Returns Auto if no date is decisive, or if dates contradict each other.
    ImportDates order() const;

private:
    std::size_t _dayFirst = 0;
    std::size_t _monthFirst = 0;
};

} // namespace portico::crm
