#pragma once

#include "host/data/sqlite/SqliteStatement.h"

#include "portico/Database.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::data
{

class SqliteConnection;

/// A statement for one run: the kept one, or one of its own while the kept one is busy with another cursor.
class SqliteRun
{
public:
    explicit SqliteRun(SqliteStatement& kept);
    ~SqliteRun();
    SqliteRun(const SqliteRun&) = delete;
    SqliteRun& operator=(const SqliteRun&) = delete;
    SqliteStatement* operator->() noexcept { return _statement; }
    const SqliteStatement* operator->() const noexcept { return _statement; }

private:
    std::optional<SqliteStatement> _own;
    SqliteStatement* _statement;
};

/// Rows as SQLite finds them, one step at a time.
class SqliteCursor final : public portico::detail::Cursor
{
public:
    SqliteCursor(SqliteConnection& connection, SqliteStatement& kept, std::span<const SqlValue> arguments);

    bool next() override;
    int columnCount() const noexcept override { return sqlite3_column_count(_run->handle()); }
    std::string_view columnName(int column) const noexcept override { return sqlite3_column_name(_run->handle(), column); }
    bool isNull(int column) const noexcept override { return sqlite3_column_type(_run->handle(), column) == SQLITE_NULL; }
    std::int64_t integer(int column) const override;
    double number(int column) const override;
    bool boolean(int column) const override { return integer(column) != 0; }
    std::string_view text(int column) const override;
    std::string bytes(int column) const override { return std::string(text(column)); }

private:
    SqliteConnection& _connection;
    SqliteRun _run;
    bool _done = false;
};

/// Rows of a statement that writes, all read before the first is shown: only then have its constraints been checked.
class SqliteBufferedCursor final : public portico::detail::Cursor
{
public:
    SqliteBufferedCursor(SqliteConnection& connection, SqliteStatement& kept, std::span<const SqlValue> arguments);

    bool next() override { return ++_row < _rows.size(); }
    int columnCount() const noexcept override { return static_cast<int>(_names.size()); }
    std::string_view columnName(int column) const noexcept override { return _names[static_cast<std::size_t>(column)]; }
    bool isNull(int column) const noexcept override { return sqlite3_value_type(value(column)) == SQLITE_NULL; }
    std::int64_t integer(int column) const override;
    double number(int column) const override;
    bool boolean(int column) const override { return integer(column) != 0; }
    std::string_view text(int column) const override;
    std::string bytes(int column) const override { return std::string(text(column)); }

private:
    struct Free
    {
        void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
    };
    using Values = std::vector<std::unique_ptr<sqlite3_value, Free>>;

    sqlite3_value* value(int column) const noexcept { return _rows[_row][static_cast<std::size_t>(column)].get(); }

    std::vector<std::string> _names;
    std::vector<Values> _rows;
    /// Before the first row: one less than 0.
    std::size_t _row = static_cast<std::size_t>(-1);
};

} // namespace portico::host::data
