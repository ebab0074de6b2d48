#pragma once

#include "portico/Response.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Adds a row to a CSV file (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it.
void addCsvRow(std::string& file, std::initializer_list<std::string_view> cells);

/// Returns a file that browsers save under a name.
Response csvFile(std::string text, std::string_view name);

} // namespace portico::launchpad
