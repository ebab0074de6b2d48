#include "imports/ImportErrorFile.h"

#include "csv/CsvWriter.h"

#include "text/Folding.h"

namespace portico::crm
{

namespace
{

constexpr std::int64_t rowsAtOnce = 200;
constexpr std::string_view lineEnd = "\r\n";
constexpr std::string_view codeColumn = "_errorCode", messageColumn = "_errorMessage";

/// The cells are as they were in the file: one that is guarded already stays so, and means the same when it is imported again.
bool isOpenFormula(std::string_view cell) { return !cell.starts_with('\'') && needsFormulaGuard(cell); }

void appendCell(std::string& out, std::string_view cell, bool first)
{
    if (!first) out += ',';
    const std::string_view guard = isOpenFormula(cell) ? "'" : "";
    // A space at either end is part of the cell, but some readers take it away.
    const bool quoted = cell.find_first_of(",;\t|\"\r\n") != std::string_view::npos || cell.starts_with(' ') || cell.ends_with(' ');
    if (!quoted)
    {
        (out += guard) += cell;
        return;
    }
    (out += '"') += guard;
    for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
    out += '"';
}

/// An import of an error file has these columns itself.
bool isOurs(std::string_view column) { return column == codeColumn || column == messageColumn; }

void appendHeader(std::string& out, const ImportState& state)
{
    bool first = true;
    for (const auto& column : state.plan.columns)
    {
        if (isOurs(column.name)) continue;
        appendCell(out, column.name, first);
        first = false;
    }
    appendCell(out, codeColumn, first);
    appendCell(out, messageColumn, false);
    out += lineEnd;
}

void appendRow(std::string& out, const ImportState& state, const ImportErrorRow& row)
{
    const auto& columns = state.plan.columns;
    bool first = true;
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
        if (isOurs(columns[i].name)) continue;
        appendCell(out, i < row.cells.size() ? std::string_view(row.cells[i]) : std::string_view(), first);
        first = false;
    }
    appendCell(out, row.code, first);
    appendCell(out, row.message, false);
    // Where the row had too many, it still has: otherwise they would be lost on the way back.
    for (std::size_t i = columns.size(); i < row.cells.size(); ++i)
        if (!trim(row.cells[i]).empty()) appendCell(out, row.cells[i], false);
    out += lineEnd;
}

ContactView viewOf(const ImportErrorRow& row)
{
    ContactView view;
    view.document.text = row.cells.empty() ? "{}" : row.cells.front();
    return view;
}

/// Two cells more for the record at the end of the text.
void endRecord(std::string& out, std::string_view code, std::string_view message)
{
    out.resize(out.size() - lineEnd.size());
    appendCell(out, code, false);
    appendCell(out, message, false);
    out += lineEnd;
}

} // namespace

ImportErrorFile::ImportErrorFile(Database& database, const ImportStore& store, std::string organizationId, ImportState state)
    : _database(database), _store(store), _organizationId(std::move(organizationId)), _state(std::move(state))
{
}

bool ImportErrorFile::read(std::string& out, std::size_t wanted)
{
    const auto start = out.size();
    if (!_begun) begin(out);
    _begun = true;
    while (out.size() - start < wanted)
    {
        const auto rows = page(_lastRow);
        for (const auto& row : rows) append(out, row);
        if (rows.empty()) return false;
        _lastRow = rows.back().fileRow;
    }
    return true;
}

std::vector<ImportErrorRow> ImportErrorFile::page(std::int64_t after)
{
    auto session = _database.session();
    return _store.refusedRows(session, Tenant::fromStored(_organizationId), _state.importId, after, rowsAtOnce);
}

void ImportErrorFile::begin(std::string& out)
{
    if (_state.plan.format == ImportFormat::Csv) return appendHeader(out, _state);
    ExportShape shape;
    const ExportStyle generic;
    for (auto rows = page(0); !rows.empty(); rows = page(rows.back().fileRow))
        for (const auto& row : rows) shape.see(exportedContact(viewOf(row), generic));
    _writer = makeContactWriter(generic, shape);
    _writer->begin(out);
    endRecord(out, codeColumn, messageColumn);
}

void ImportErrorFile::append(std::string& out, const ImportErrorRow& row)
{
    if (!_writer) return appendRow(out, _state, row);
    _writer->write(out, viewOf(row));
    endRecord(out, row.code, row.message);
}

} // namespace portico::crm
