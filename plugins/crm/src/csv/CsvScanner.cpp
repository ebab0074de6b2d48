#include "csv/CsvScanner.h"

namespace portico::crm
{

namespace
{

/// No contact needs more; a quote that is never closed ends here.
constexpr std::size_t longestRecord = 1024 * 1024;
/// Cells beyond the header's that are kept, to be shown and to be counted.
constexpr std::size_t surplusCells = 64;
constexpr std::size_t mostUnknownColumns = 1000;

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
        if (_linesInQuotes > 0 && swallowedRows(record)) return false;
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
    const auto most = (_columns > 0 ? _columns : mostUnknownColumns) + surplusCells;
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
    return _columns > 0 && _count > _columns && !record.cells[_count - 1].empty();
}

/// From an opening quote to the delimiter or line's end behind the closing one.
bool CsvScanner::readQuoted(std::size_t& at)
{
    auto from = ++at;
    while (true)
    {
        if (!_window.has(at) || at > longestRecord) return false;
        const char c = _window[at];
        if (c == '\n' || (c == '\r' && !(_window.has(at + 1) && _window[at + 1] == '\n'))) ++_linesInQuotes;
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

/// Takes the first line alone.
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

} // namespace portico::crm
