#pragma once

#include "imports/ImportOptions.h"

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
/// order, `13 Feb 1990`, `Feb 13, 1990`. Years have four digits: those of two would have to be guessed.
ParsedDate parseBirthday(std::string_view text, ImportDates order);

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
