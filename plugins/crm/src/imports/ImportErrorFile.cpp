#include "imports/ImportErrorFile.h"

namespace portico::crm
{

namespace
{

constexpr std::int64_t rowsAtOnce = 200;
constexpr std::string_view codeColumn = "_errorCode", messageColumn = "_errorMessage";

void appendCell(std::string& out, std::string_view cell, bool first)
{
    if (!first) out += ',';
    // A space at either end is part of the cell, but some readers take it away.
    const bool quoted = cell.find_first_of(",;\t|\"\r\n") != std::string_view::npos || cell.starts_with(' ') || cell.ends_with(' ');
    if (!quoted)
    {
        out += cell;
        return;
    }
    out += '"';
    for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
    out += '"';
}

/// An import of an error file has these columns itself.
bool isOurs(std::string_view column) { return column == codeColumn || column == messageColumn; }

void appendHeader(std::string& out, const ImportRecord& record)
{
    bool first = true;
    for (const auto& column : record.plan.columns)
    {
        if (isOurs(column.name)) continue;
        appendCell(out, column.name, first);
        first = false;
    }
    appendCell(out, codeColumn, first);
    appendCell(out, messageColumn, false);
    out += "\r\n";
}

void appendRow(std::string& out, const ImportRecord& record, const ImportErrorRow& row)
{
    const auto& columns = record.plan.columns;
    bool first = true;
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
        if (isOurs(columns[i].name)) continue;
        appendCell(out, i < row.cells.size() ? std::string_view(row.cells[i]) : std::string_view(), first);
        first = false;
    }
    appendCell(out, row.code, first);
    appendCell(out, row.message, false);
    out += "\r\n";
}

} // namespace

ImportErrorFile::ImportErrorFile(Database& database, const ImportStore& store, std::string organizationId, ImportRecord record)
    : _database(database), _store(store), _organizationId(std::move(organizationId)), _record(std::move(record))
{
}

bool ImportErrorFile::read(std::string& out, std::size_t wanted)
{
    const auto start = out.size();
    if (!_begun) appendHeader(out, _record);
    _begun = true;
    while (out.size() - start < wanted)
    {
        auto session = _database.session();
        const auto rows = _store.refusedRows(session, _organizationId, _record.importId, _lastRow, rowsAtOnce);
        for (const auto& row : rows) appendRow(out, _record, row);
        if (rows.empty()) return false;
        _lastRow = rows.back().fileRow;
    }
    return true;
}

} // namespace portico::crm
