#pragma once

#include "host/data/sqlite/SqliteStatement.h"

#include "portico/Database.h"

#include <memory>
#include <optional>
#include <span>

namespace portico::host::data
{

class SqliteConnection;

/// A statement for one run: the kept one, or one of its own while the kept one is busy with another cursor.
class SqliteRun
{
public:
    explicit SqliteRun(SqliteStatement& kept);
    ~SqliteRun();
    SqliteStatement* operator->() noexcept { return _statement; }
    const SqliteStatement* operator->() const noexcept { return _statement; }

private:
    std::optional<SqliteStatement> _own;
    SqliteStatement* _statement;
};

/// The rows of a run. @throws DatabaseError, as the cursor does, with the connection told of it
std::unique_ptr<portico::detail::Cursor> openCursor(SqliteConnection& connection, SqliteStatement& kept,
                                                    std::span<const SqlValue> arguments);

} // namespace portico::host::data
