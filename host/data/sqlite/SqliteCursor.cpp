#include "host/data/sqlite/SqliteCursor.h"

#include "host/base/Text.h"
#include "host/data/sqlite/SqliteConnection.h"

#include <cmath>
#include <string>
#include <vector>

namespace portico::host::data
{

namespace
{

/// A row whose values `Rows` reads. Values of the current step need no copy, since no other thread uses the connection.
template <class Rows>
class SqliteRow : public portico::detail::Cursor
{
public:
    bool isNull(int column) const noexcept final { return sqlite3_value_type(at(column)) == SQLITE_NULL; }
    /// SQLite itself would read "abc" as 0; PostgreSQL has no such value in a number's column.
    std::int64_t integer(int column) const final
    {
        auto* const value = at(column);
        const int type = sqlite3_value_type(value);
        if (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && isWhole(sqlite3_value_double(value)))) return sqlite3_value_int64(value);
        return parse<std::int64_t>(column);
    }
    double number(int column) const final
    {
        auto* const value = at(column);
        const int type = sqlite3_value_type(value);
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(value) : parse<double>(column);
    }
    bool boolean(int column) const final { return integer(column) != 0; }
    std::string_view text(int column) const final
    {
        auto* const value = at(column);
        // Before the size: it may convert the value.
        const auto* data = sqlite3_value_type(value) == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value);
        return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_value_bytes(value))};
    }
    std::string bytes(int column) const final { return std::string(text(column)); }

private:
    sqlite3_value* at(int column) const noexcept { return static_cast<const Rows&>(*this).value(column); }
    static bool isWhole(double number) { return std::trunc(number) == number; }
    template <class N>
    N parse(int column) const
    {
        const auto number = parseNumber<N>(text(column));
        if (!number) portico::detail::throwBadColumn(*this, column);
        return *number;
    }
};

/// Rows as SQLite finds them, one step at a time.
class SteppedRows final : public SqliteRow<SteppedRows>
{
public:
    SteppedRows(SqliteConnection& connection, SqliteStatement& kept, std::span<const SqlValue> arguments)
        : _connection(connection), _run(kept)
    {
        _run->bind(arguments, true);
    }

    bool next() override
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
    int columnCount() const noexcept override { return sqlite3_column_count(_run->handle()); }
    std::string_view columnName(int column) const noexcept override { return sqlite3_column_name(_run->handle(), column); }
    sqlite3_value* value(int column) const noexcept { return sqlite3_column_value(_run->handle(), column); }

private:
    SqliteConnection& _connection;
    SqliteRun _run;
    bool _done = false;
};

/// Rows of a statement that writes, all read before the first is shown: only then have its constraints been checked.
class BufferedRows final : public SqliteRow<BufferedRows>
{
public:
    BufferedRows(SqliteStatement& kept, std::span<const SqlValue> arguments)
    {
        SqliteRun run(kept);
        run->bind(arguments, false);
        const int columns = sqlite3_column_count(run->handle());
        for (int i = 0; i < columns; ++i) _names.emplace_back(sqlite3_column_name(run->handle(), i));
        while (run->step())
        {
            auto& row = _rows.emplace_back();
            for (int i = 0; i < columns; ++i) row.emplace_back(sqlite3_value_dup(sqlite3_column_value(run->handle(), i)));
        }
    }

    bool next() override { return ++_row < _rows.size(); }
    int columnCount() const noexcept override { return static_cast<int>(_names.size()); }
    std::string_view columnName(int column) const noexcept override { return _names[static_cast<std::size_t>(column)]; }
    sqlite3_value* value(int column) const noexcept { return _rows[_row][static_cast<std::size_t>(column)].get(); }

private:
    struct Free
    {
        void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
    };

    std::vector<std::string> _names;
    std::vector<std::vector<std::unique_ptr<sqlite3_value, Free>>> _rows;
    /// Before the first row: one less than 0.
    std::size_t _row = static_cast<std::size_t>(-1);
};

} // namespace

SqliteRun::SqliteRun(SqliteStatement& kept)
{
    if (kept.isInUse()) _own.emplace(kept.timer(), kept.sql(), false);
    _statement = _own ? &*_own : &kept;
    _statement->setInUse(true);
}

SqliteRun::~SqliteRun()
{
    _statement->reset();
    _statement->setInUse(false);
}

std::unique_ptr<portico::detail::Cursor> openCursor(SqliteConnection& connection, SqliteStatement& kept,
                                                    std::span<const SqlValue> arguments)
{
    if (kept.isReadOnly()) return std::make_unique<SteppedRows>(connection, kept, arguments);
    return std::make_unique<BufferedRows>(kept, arguments);
}

} // namespace portico::host::data
