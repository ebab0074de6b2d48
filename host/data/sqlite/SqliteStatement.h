#pragma once

#include "host/data/sqlite/SqliteTimer.h"

#include "portico/Database.h"

#include <span>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::data
{

/// Returns the last error of this handle, in the classes of SQLSTATE. `code` is the (extended) result code.
DatabaseError sqliteError(sqlite3* database, int code, std::string_view sql);

/// A prepared statement of SQLite, with the argument of each parameter. SQLite numbers `$2`, `$1` in order of appearance, so parameters are
/// identified by name.
class SqliteStatement
{
public:
    /// @throws DatabaseError when the text is not one valid statement.
    SqliteStatement(SqliteTimer& timer, std::string_view sql, bool kept);
    SqliteStatement(SqliteStatement&& other) noexcept;
    ~SqliteStatement() { sqlite3_finalize(_statement); }

    /// Binds the arguments. `copy`: texts and bytes are kept by the statement, since it outlives them. @throws DatabaseError
    void bind(std::span<const SqlValue> arguments, bool copy);
    /// True when there is a row. @throws DatabaseError
    bool step();
    /// Ends a run; the statement can be bound again.
    void reset() noexcept;

    sqlite3_stmt* handle() const noexcept { return _statement; }
    SqliteTimer& timer() const noexcept { return _timer; }
    std::string_view sql() const noexcept { return sqlite3_sql(_statement); }
    bool isReadOnly() const noexcept { return sqlite3_stmt_readonly(_statement) != 0; }
    /// True for INSERT, UPDATE, DELETE and similar statements, whose changed rows are counted.
    bool countsChanges() const noexcept { return _countsChanges; }
    bool isInUse() const noexcept { return _inUse; }
    void setInUse(bool inUse) noexcept { _inUse = inUse; }

private:
    void bindOne(int parameter, const SqlValue& argument, bool copy);
    std::string_view kept(std::string_view text);
    void mapParameters(std::string_view sql);

    SqliteTimer& _timer;
    SqliteTimer::Run _run;
    sqlite3_stmt* _statement = nullptr;
    /// By parameter: the argument's index.
    std::vector<std::size_t> _argumentOf;
    std::size_t _argumentCount = 0;
    std::string _kept;
    bool _countsChanges = false;
    bool _inUse = false;
};

} // namespace portico::host::data
