#pragma once

#include "exchange/ImportSource.h"
#include "exchange/TextWindow.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace portico::crm
{

enum class CsvFault
{
    None,
    UnbalancedQuotes, ///< The cells are those of the first line, split without regard to quotes.
    TooLong           ///< The cells are cut.
};

/// Raw record of the file. Reused for the next record to save allocations.
struct CsvRecord
{
    std::vector<std::string> cells;
    std::int64_t line = 0;
    CsvFault fault = CsvFault::None;
};

/// Splits CSV (RFC 4180) into records. Lines end with CRLF, LF or CR, and quoted cells may contain them. Spaces are kept, empty lines are
/// skipped. After a quote that is never closed, or closed in the middle of a cell, reading continues with the next line, so that a bad row
/// does not consume the rest.
class CsvScanner
{
public:
    /// @param columns number of the header's columns, which helps to detect that an open quote has consumed rows; 0: unknown
    CsvScanner(TextWindow& window, char delimiter, std::size_t columns, std::int64_t line);

    bool next(CsvRecord& record);
    /// Physical line on which the next record starts, or blank lines before it.
    std::int64_t line() const noexcept { return _line; }

private:
    bool parse(CsvRecord& record);
    bool readQuoted(std::size_t& at);
    void readPlain(std::size_t& at);
    void startCell(CsvRecord& record);
    bool swallowedRows(const CsvRecord& record) const;
    bool isEnd(char c) const noexcept { return c == '\n' || c == '\r'; }
    void skipBlankLines();
    /// Position after a line's end at `at`.
    std::size_t afterEnd(std::size_t at);
    void recover(CsvRecord& record);
    void finish(std::size_t length, std::int64_t lines);

    TextWindow& _window;
    char _delimiter;
    std::size_t _columns;
    std::int64_t _line;
    std::size_t _count = 0;
    std::int64_t _linesInQuotes = 0;
    /// True if a quoted cell has a delimiter after a line break, like a swallowed row.
    bool _rowsInQuotes = false;
    std::string* _cell = nullptr;
    std::string _surplus;
    bool _tooLong = false;
};

/// Returns a reader of CSV for openImport.
std::unique_ptr<ImportReader> readCsv(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);

} // namespace portico::crm
