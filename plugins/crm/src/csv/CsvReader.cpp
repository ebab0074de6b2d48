#include "csv/CsvReader.h"

#include "csv/CsvPlan.h"
#include "csv/CsvWriter.h"
#include "exchange/ContactBuilder.h"

#include "portico/Text.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace portico::crm
{

namespace
{

/// No contact needs more; a quote that is never closed ends here.
constexpr std::size_t longestRecord = 1024 * 1024;
/// Cells beyond the header's that are kept, to be shown and to be counted.
constexpr std::size_t surplusCells = 64;
constexpr std::size_t maxUnknownColumns = 1000;

/// Contacts from CSV.
class CsvReader final : public ImportReader
{
public:
    CsvReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
        : _plan(plan),
          _bindings(bindingsOf(plan)),
          _window(file, plan.encoding, plan.bigEndian, from.offset),
          _scanner(_window, delimiterOf(plan.delimiter.value_or(ImportDelimiter::Comma)), plan.columns.size(), from.line),
          _builder(plan.dateFormat),
          _row(from.row)
    {
    }

    bool next(ParsedRow& record) override
    {
        if (!_scanner.next(_csv)) return false;
        record.row = ++_row;
        record.line = _csv.line;
        record.next = {_row, _scanner.line(), _window.offset()};
        _builder.start(record);
        if (_row == 1 && _plan.linesAbove)
            _builder.addWarning(
                "skipped_lines",
                "The file has " + std::to_string(*_plan.linesAbove) + " lines above the names of the columns: they are left out", "", {});
        read();
        repairCells();
        if (_csv.cells.size() < _plan.columns.size()) _csv.cells.resize(_plan.columns.size());
        // Swaps the buffers, so that the scanner reuses the memory.
        std::swap(record.cells, _csv.cells);
        return true;
    }

private:
    void read()
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

    bool isEmpty() const
    {
        return std::all_of(_csv.cells.begin(), _csv.cells.end(), [](const std::string& cell) { return trim(cell).empty(); });
    }
    /// Delimiters at the end of a line that only come from a spreadsheet's width do no harm.
    bool hasSurplus() const
    {
        for (std::size_t i = _plan.columns.size(); i < _csv.cells.size(); ++i)
            if (!trim(_csv.cells[i]).empty()) return true;
        return false;
    }

    void giveCells()
    {
        _values.clear();
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
            // The builder looks at it until it has finished.
            _builder.give(*_bindings[i], _values.emplace_back(plainCell(cell)), {name, cell});
        }
    }

    void repairCells()
    {
        for (auto& cell : _csv.cells)
            if (isDamaged(cell, ImportEncoding::Utf8)) cell = repairedText(cell);
    }

    const ImportPlan& _plan;
    std::vector<std::optional<Binding>> _bindings;
    TextWindow _window;
    CsvScanner _scanner;
    ContactBuilder _builder;
    CsvRecord _csv;
    std::deque<std::string> _values;
    std::int64_t _row;
};

} // namespace

CsvScanner::CsvScanner(TextWindow& window, char delimiter, std::size_t columns, std::int64_t line)
    : _window(window), _delimiter(delimiter), _columns(columns), _line(line)
{
}

bool CsvScanner::next(CsvRecord& record)
{
    skipBlankLines();
    if (!_window.has(0)) return false;
    record.line = _line;
    record.fault = CsvFault::None;
    if (!parse(record)) recover(record);
    return true;
}

/// False when the quotes do not come out even; nothing is consumed then.
bool CsvScanner::parse(CsvRecord& record)
{
    _count = 0;
    _linesInQuotes = 0;
    _rowsInQuotes = false;
    _tooLong = false;
    std::size_t at = 0;
    while (true)
    {
        startCell(record);
        if (_window.has(at) && _window[at] == '"')
        {
            if (!readQuoted(at)) return false;
        }
        else
            readPlain(at);
        if (swallowedRows(record)) return false;
        if (!_window.has(at) || _window[at] != _delimiter) break;
        ++at;
    }
    if (record.cells.size() > _count) record.cells.resize(_count);
    if (_tooLong) record.fault = CsvFault::TooLong;
    finish(afterEnd(at), _linesInQuotes + 1);
    return true;
}

void CsvScanner::startCell(CsvRecord& record)
{
    const auto most = (_columns > 0 ? _columns : maxUnknownColumns) + surplusCells;
    if (_count == most)
        _cell = &_surplus;
    else
    {
        if (_count == record.cells.size()) record.cells.emplace_back();
        _cell = &record.cells[_count++];
    }
    _cell->clear();
}

bool CsvScanner::swallowedRows(const CsvRecord& record) const
{
    return _rowsInQuotes && _columns > 0 && _count > _columns && !record.cells[_count - 1].empty();
}

/// From an opening quote to the delimiter or line's end behind the closing one.
bool CsvScanner::readQuoted(std::size_t& at)
{
    auto from = ++at;
    const auto linesBefore = _linesInQuotes;
    while (true)
    {
        if (!_window.has(at) || at > longestRecord) return false;
        const char c = _window[at];
        if (c == '\n' || (c == '\r' && !(_window.has(at + 1) && _window[at + 1] == '\n'))) ++_linesInQuotes;
        if (c == _delimiter && _linesInQuotes > linesBefore) _rowsInQuotes = true;
        if (c != '"')
        {
            ++at;
            continue;
        }
        *_cell += _window.view(from, at);
        ++at;
        if (!_window.has(at) || _window[at] != '"') break;
        // A doubled quote is one of the text.
        from = at++;
    }
    while (_window.has(at) && _window[at] == ' ') ++at;
    return !_window.has(at) || _window[at] == _delimiter || isEnd(_window[at]);
}

/// From its first character to the delimiter or line's end.
void CsvScanner::readPlain(std::size_t& at)
{
    auto from = at;
    while (_window.has(at) && _window[at] != _delimiter && !isEnd(_window[at]))
    {
        ++at;
        if (at < longestRecord) continue;
        // A line without end: the rest of it is dropped, piece by piece.
        _tooLong = true;
        _window.advance(at);
        from = at = 0;
        *_cell = {};
    }
    *_cell += _window.view(from, at);
}

std::size_t CsvScanner::afterEnd(std::size_t at)
{
    if (!_window.has(at)) return at;
    if (_window[at] == '\r' && _window.has(at + 1) && _window[at + 1] == '\n') return at + 2;
    return at + 1;
}

void CsvScanner::skipBlankLines()
{
    while (_window.has(0) && isEnd(_window[0])) finish(afterEnd(0), 1);
}

/// Keeps only the first line of a broken record.
void CsvScanner::recover(CsvRecord& record)
{
    _count = 0;
    _linesInQuotes = 0;
    _tooLong = false;
    std::size_t at = 0;
    while (true)
    {
        startCell(record);
        readPlain(at);
        if (!_window.has(at) || _window[at] != _delimiter) break;
        ++at;
    }
    if (record.cells.size() > _count) record.cells.resize(_count);
    record.fault = CsvFault::UnbalancedQuotes;
    finish(afterEnd(at), 1);
}

void CsvScanner::finish(std::size_t length, std::int64_t lines)
{
    _window.advance(length);
    _line += lines;
}

std::unique_ptr<ImportReader> readCsv(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
{
    return std::make_unique<CsvReader>(file, plan, from);
}

} // namespace portico::crm
