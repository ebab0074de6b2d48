#include "csv/CsvReader.h"

#include "csv/CsvPlan.h"
#include "csv/CsvWriter.h"
#include "text/Folding.h"

#include <algorithm>

namespace portico::crm
{

CsvReader::CsvReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
    : _plan(plan),
      _bindings(bindingsOf(plan)),
      _window(file, plan.encoding, plan.bigEndian, from.offset),
      _scanner(_window, delimiterOf(plan.delimiter.value_or(ImportDelimiter::Comma)), plan.columns.size(), from.line),
      _builder(plan.dateFormat),
      _row(from.row)
{
}

bool CsvReader::next(ParsedRow& record)
{
    if (!_scanner.next(_csv)) return false;
    record.row = ++_row;
    record.line = _csv.line;
    record.next = {_row, _scanner.line(), _window.offset()};
    _builder.start(record);
    read();
    repairCells();
    if (_csv.cells.size() < _plan.columns.size()) _csv.cells.resize(_plan.columns.size());
    // The scanner takes the old ones and their memory in exchange.
    std::swap(record.cells, _csv.cells);
    return true;
}

void CsvReader::read()
{
    const auto start = [&]() -> std::string { return _csv.cells.empty() ? std::string{} : repairedText(_csv.cells.front()); };
    if (_csv.fault == CsvFault::UnbalancedQuotes)
        return _builder.addProblem("unbalanced_quotes", "A quote is opened and not closed, or closed within a cell", "", {{}, start()});
    if (_csv.fault == CsvFault::TooLong) return _builder.addProblem("too_long", "The row is longer than 1 MiB", "", {{}, start()});
    if (isEmpty()) return _builder.addProblem("empty_row", "The row has no values", "", {});
    if (hasSurplus())
        return _builder.addProblem("too_many_columns",
                                   "The row has " + std::to_string(_csv.cells.size()) + " columns, the header " +
                                       std::to_string(_plan.columns.size()),
                                   "", {{}, repairedText(_csv.cells[_plan.columns.size()])});
    giveCells();
    _builder.finish();
}

bool CsvReader::isEmpty() const
{
    return std::all_of(_csv.cells.begin(), _csv.cells.end(), [](const std::string& cell) { return trim(cell).empty(); });
}

/// Delimiters at the end of a line that only come from a spreadsheet's width do no harm.
bool CsvReader::hasSurplus() const
{
    for (std::size_t i = _plan.columns.size(); i < _csv.cells.size(); ++i)
        if (!trim(_csv.cells[i]).empty()) return true;
    return false;
}

void CsvReader::giveCells()
{
    const auto count = std::min(_bindings.size(), _csv.cells.size());
    for (std::size_t i = 0; i < count; ++i)
    {
        const std::string_view cell = _csv.cells[i];
        if (cell.empty() || !_bindings[i]) continue;
        const std::string_view name = _plan.columns[i].name;
        if (isDamaged(cell, _plan.encoding))
        {
            _builder.addProblem("bad_encoding", "Bytes that are not text in this encoding", _bindings[i]->path.text(),
                                {name, repairedText(cell)});
            continue;
        }
        _builder.give(*_bindings[i], withoutFormulaGuard(cell), {name, cell});
    }
}

void CsvReader::repairCells()
{
    for (auto& cell : _csv.cells)
        if (isDamaged(cell, ImportEncoding::Utf8)) cell = repairedText(cell);
}

} // namespace portico::crm
