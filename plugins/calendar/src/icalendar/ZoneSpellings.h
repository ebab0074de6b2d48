#pragma once

#include <string>
#include <string_view>

namespace portico::calendar::icalendar
{

/// Returns the tz database's spelling of a zone's name in any case, and with blanks in place of `_` (`europe/berlin`, `America/New York`).
/// Empty for other names, and where the system has no `tzdata.zi`. Thread-safe; reads that file once.
std::string spellingOf(std::string_view name);

} // namespace portico::calendar::icalendar
