#include "imports/ImportErrorFile.h"

#include "csv/CsvWriter.h"
#include "csv/Presets.h"
#include "exports/ExportFormats.h"
#include "imports/ImportStore.h"

#include "portico/Response.h"
#include "portico/Text.h"

#include <memory>
#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

constexpr std::int64_t rowsAtOnce = 200;
constexpr std::string_view lineEnd = "\r\n";

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
bool isOurs(std::string_view column) { return column == errorCodeColumn || column == errorMessageColumn; }

void appendHeader(std::string& out, const ImportState& state)
{
    bool first = true;
    for (const auto& column : state.plan.columns)
    {
        if (isOurs(column.name)) continue;
        appendCell(out, column.name, first);
        first = false;
    }
    appendCell(out, errorCodeColumn, first);
    appendCell(out, errorMessageColumn, false);
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
    // Keeps surplus cells of the row, so that a corrected file contains them.
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

/// Error file of an import. It has the columns of the imported file, or of generic CSV for other formats, and two more with the errors,
/// which an import ignores. Read from the database in pages while it is sent.
class ImportErrorFile final : public BodySource
{
public:
    ImportErrorFile(Database& database, std::string organizationId, ImportState state)
        : _database(database), _organizationId(std::move(organizationId)), _state(std::move(state))
    {
    }

    bool read(std::string& out, std::size_t wanted) override
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

private:
    std::vector<ImportErrorRow> page(std::int64_t after)
    {
        auto session = _database.session();
        return importErrorTable.select(Tenant::fromStored(_organizationId))
            .where(&ImportErrorRow::importId, _state.importId)
            .where("file_row > ?", after)
            .orderBy(&ImportErrorRow::fileRow)
            .all(session, rowsAtOnce);
    }

    void begin(std::string& out)
    {
        if (_state.plan.format == ImportFormat::Csv) return appendHeader(out, _state);
        ExportShape shape;
        const ExportStyle generic;
        for (auto rows = page(0); !rows.empty(); rows = page(rows.back().fileRow))
            for (const auto& row : rows) shape.see(exportedContact(viewOf(row), generic));
        _writer = makeContactWriter(generic, shape);
        _writer->begin(out);
        endRecord(out, errorCodeColumn, errorMessageColumn);
    }

    void append(std::string& out, const ImportErrorRow& row)
    {
        if (!_writer) return appendRow(out, _state, row);
        _writer->write(out, viewOf(row));
        endRecord(out, row.code, row.message);
    }

    Database& _database;
    const std::string _organizationId;
    const ImportState _state;
    /// For files without columns.
    std::unique_ptr<ContactWriter> _writer;
    bool _begun = false;
    std::int64_t _lastRow = 0;
};

} // namespace

std::unique_ptr<BodySource> importErrorFile(Database& database, Tenant tenant, ImportState state)
{
    return std::make_unique<ImportErrorFile>(database, std::string(tenant.text()), std::move(state));
}

} // namespace portico::crm
