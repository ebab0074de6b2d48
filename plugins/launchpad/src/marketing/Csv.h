#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Adds a row to a CSV file (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it.
void addCsvRow(std::string& file, std::initializer_list<std::string_view> cells);

} // namespace portico::launchpad
