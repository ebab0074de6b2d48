#include "exchange/CsvText.h"

#include "exchange/FormulaGuard.h"

namespace portico::crm
{

void appendCsvCell(std::string& out, std::string_view cell, char delimiter)
{
    const char special[] = {delimiter, '"', '\r', '\n', '\0'};
    const bool guarded = needsFormulaGuard(cell);
    if (cell.find_first_of(special) == std::string_view::npos)
    {
        if (guarded) out += '\'';
        out += cell;
        return;
    }
    out += '"';
    if (guarded) out += '\'';
    for (const char c : cell)
    {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void appendCsvRecord(std::string& out, const std::vector<std::string>& cells, char delimiter)
{
    bool first = true;
    for (const auto& cell : cells)
    {
        if (!first) out += delimiter;
        first = false;
        appendCsvCell(out, cell, delimiter);
    }
    // A lone empty cell would be a blank line, which is no record.
    if (cells.size() == 1 && cells.front().empty()) out += "\"\"";
    out += "\r\n";
}

} // namespace portico::crm
