#pragma once

#include "host/data/DatabaseEngine.h"
#include "host/data/NativeConnection.h"
#include "host/data/StatementCache.h"
#include "host/data/sqlite/SqliteStatement.h"

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace portico::host::data
{

enum class SqliteRole
{
    Reader, ///< changes nothing: `PRAGMA query_only`
    Writer
};

/// A connection to an SQLite file: WAL. When a commit returns, it is written. `GroupCommit` puts it on disk before the committing thread
/// continues.
class SqliteConnection final : public NativeConnection
{
public:
    /// @throws DatabaseError Unavailable when the file is no database or cannot be written.
    SqliteConnection(Poco::Data::Session session, const DatabaseSettings& settings, SqliteRole role,
                     std::atomic<std::uint64_t>& statementsPrepared);
    ~SqliteConnection() override;

    Dialect dialect() const noexcept override { return Dialect::SQLite; }
    std::int64_t execute(std::string_view sql, std::span<const SqlValue> arguments) override;
    /// A statement that writes (`… RETURNING …`) runs to its end here; one that reads is stepped by its cursor.
    std::unique_ptr<portico::detail::Cursor> query(std::string_view sql, std::span<const SqlValue> arguments) override;
    bool isUsable(bool) noexcept override { return !_broken; }
    bool restore() noexcept override;
    bool takeUnsynced() noexcept override { return std::exchange(_unsynced, false); }
    /// Pages that it has read, up to cache_size.
    void giveMemoryBack() noexcept override { sqlite3_db_release_memory(_database); }
    void runScript(std::string_view script) override;
    /// A transaction that writes has the file's one lock already, and scripts have no end.
    void lockForMigration() override {}

    DatabaseError failure(const DatabaseError& error) override;

private:
    /// A write transaction acquires the file's one write lock at once; otherwise the first statement that reads takes the snapshot.
    void beginNow(bool write) override { execute(write ? "BEGIN IMMEDIATE" : "BEGIN", {}); }
    void commitNow() override { execute("COMMIT", {}); }
    /// After each commit that has written something; `pages` are in the log.
    static int logGrew(void* self, sqlite3* database, const char* name, int pages);
    void rollbackNow() noexcept override;
    SqliteStatement& statementFor(std::string_view sql);
    void runPlain(std::string_view sql);
    void configure(const DatabaseSettings& settings);
    void switchToWal(std::chrono::milliseconds lockWait);

    sqlite3* _database;
    SqliteRole _role;
    SqliteTimer _timer;
    StatementCache<SqliteStatement> _statements;
    bool _broken = false;
    bool _unsynced = false;
};

} // namespace portico::host::data
