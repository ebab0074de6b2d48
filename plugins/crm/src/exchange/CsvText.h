#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Appends a cell of CSV (RFC 4180), in quotes only where it must be, guarded against being run as a formula.
void appendCsvCell(std::string& out, std::string_view cell, char delimiter = ',');

/// Appends a record with its CRLF.
void appendCsvRecord(std::string& out, const std::vector<std::string>& cells, char delimiter = ',');

} // namespace portico::crm
