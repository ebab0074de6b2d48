#pragma once

#include "host/data/sqlite/SqliteStatement.h"

#include "portico/Database.h"

#include <memory>
#include <optional>
#include <span>

namespace portico::host::data
{

class SqliteConnection;

/// A statement for one run: the kept one, or a new one while the kept one is busy with another cursor.
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

/// Opens a cursor over the rows. @throws DatabaseError, as the cursor does, and marks the connection if it broke
std::unique_ptr<portico::detail::Cursor> openCursor(SqliteConnection& connection, SqliteStatement& kept,
                                                    std::span<const SqlValue> arguments);

} // namespace portico::host::data
