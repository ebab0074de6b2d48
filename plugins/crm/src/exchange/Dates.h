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
    Ambiguous ///< day and month could be either way round
};

struct ParsedDate
{
    /// `YYYY-MM-DD` or `--MM-DD`.
    std::string text = {};
    DateFault fault = DateFault::None;
};

/// A birthday as programs write it: ISO 8601, with or without hyphens and year, a time behind it, `13.2.1990`, `2/13/1990` in the given
/// order, `13 Feb 1990`, `Feb 13, 1990`. Years have four digits: those of two would have to be guessed. The years 0 and
/// 1604 stand for none: address books write them where they have no year.
ParsedDate parseBirthday(std::string_view text, ImportDates order);

/// True for what programs write for no birthday: Outlook's `0/0/00` and dates of the year 4501.
bool isNoBirthday(std::string_view text);

/// A birthday that a file has in three columns, as numbers or, of the month, in words.
struct BirthdayParts
{
    /// May be empty.
    std::string year = {};
    std::string month = {};
    std::string day = {};
    bool isEmpty() const noexcept { return year.empty() && month.empty() && day.empty(); }
};

ParsedDate dateOf(const BirthdayParts& parts);

/// Finds out from the dates of a column whether the day or the month comes first.
class DateOrder
{
public:
    void see(std::string_view text);
    /// Auto: no date tells, or they contradict each other.
    ImportDates order() const;

private:
    std::size_t _dayFirst = 0;
    std::size_t _monthFirst = 0;
};

} // namespace portico::crm
