#include "host/data/sqlite/SqliteCursor.h"

#include "host/data/sqlite/SqliteConnection.h"

#include <charconv>
#include <cmath>

namespace portico::host::data
{

namespace
{

/// The current row of a statement.
struct ColumnReader
{
    sqlite3_stmt* statement;
    int column;
    int type() const { return sqlite3_column_type(statement, column); }
    std::int64_t integer() const { return sqlite3_column_int64(statement, column); }
    double number() const { return sqlite3_column_double(statement, column); }
    const void* data() const
    {
        return type() == SQLITE_BLOB ? sqlite3_column_blob(statement, column) : sqlite3_column_text(statement, column);
    }
    int size() const { return sqlite3_column_bytes(statement, column); }
};

/// A value that was copied out of its row.
struct ValueReader
{
    sqlite3_value* value;
    int type() const { return sqlite3_value_type(value); }
    std::int64_t integer() const { return sqlite3_value_int64(value); }
    double number() const { return sqlite3_value_double(value); }
    const void* data() const { return type() == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value); }
    int size() const { return sqlite3_value_bytes(value); }
};

template <class Reader>
std::string_view readText(Reader reader)
{
    const auto* data = static_cast<const char*>(reader.data()); // before the size: it may convert the value
    return {data, static_cast<std::size_t>(reader.size())};
}

template <class N, class Reader>
N parseNumber(Reader reader, const portico::detail::Cursor& cursor, int column)
{
    N number{};
    const auto text = readText(reader);
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) portico::detail::throwBadColumn(cursor, column);
    return number;
}

/// SQLite itself would read "abc" as 0; PostgreSQL has no such value in a number's column.
template <class Reader>
std::int64_t readInteger(Reader reader, const portico::detail::Cursor& cursor, int column)
{
    const int type = reader.type();
    if (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && std::trunc(reader.number()) == reader.number())) return reader.integer();
    return parseNumber<std::int64_t>(reader, cursor, column);
}

template <class Reader>
double readNumber(Reader reader, const portico::detail::Cursor& cursor, int column)
{
    const int type = reader.type();
    if (type == SQLITE_FLOAT || type == SQLITE_INTEGER) return reader.number();
    return parseNumber<double>(reader, cursor, column);
}

} // namespace

SqliteRun::SqliteRun(SqliteStatement& kept)
{
    if (kept.isInUse()) _own.emplace(sqlite3_db_handle(kept.handle()), kept.sql(), false);
    _statement = _own ? &*_own : &kept;
    _statement->setInUse(true);
}

SqliteRun::~SqliteRun()
{
    _statement->reset();
    _statement->setInUse(false);
}

SqliteCursor::SqliteCursor(SqliteConnection& connection, SqliteStatement& kept, std::span<const SqlValue> arguments)
    : _connection(connection), _run(kept)
{
    _run->bind(arguments, true);
}

bool SqliteCursor::next()
{
    if (_done) return false;
    try
    {
        if (_run->step()) return true;
        _done = true; // another step would run the statement again
        _run->reset();
        return false;
    }
    catch (const DatabaseError& error)
    {
        _done = true;
        throw _connection.failure(error);
    }
}

std::int64_t SqliteCursor::integer(int column) const { return readInteger(ColumnReader{_run->handle(), column}, *this, column); }
double SqliteCursor::number(int column) const { return readNumber(ColumnReader{_run->handle(), column}, *this, column); }
std::string_view SqliteCursor::text(int column) const { return readText(ColumnReader{_run->handle(), column}); }

SqliteBufferedCursor::SqliteBufferedCursor(SqliteConnection& connection, SqliteStatement& kept, std::span<const SqlValue> arguments)
{
    SqliteRun run(kept);
    run->bind(arguments, false);
    const int columns = sqlite3_column_count(run->handle());
    for (int i = 0; i < columns; ++i) _names.emplace_back(sqlite3_column_name(run->handle(), i));
    try
    {
        while (run->step())
        {
            auto& row = _rows.emplace_back();
            for (int i = 0; i < columns; ++i) row.emplace_back(sqlite3_value_dup(sqlite3_column_value(run->handle(), i)));
        }
    }
    catch (const DatabaseError& error)
    {
        throw connection.failure(error);
    }
}

std::int64_t SqliteBufferedCursor::integer(int column) const { return readInteger(ValueReader{value(column)}, *this, column); }
double SqliteBufferedCursor::number(int column) const { return readNumber(ValueReader{value(column)}, *this, column); }
std::string_view SqliteBufferedCursor::text(int column) const { return readText(ValueReader{value(column)}); }

} // namespace portico::host::data
