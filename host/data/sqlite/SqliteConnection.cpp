#include "host/data/sqlite/SqliteConnection.h"

#include "host/data/SqlText.h"
#include "host/data/sqlite/SqliteCursor.h"
#include "host/data/sqlite/SqliteStatement.h"

#include <Poco/Data/SQLite/Utility.h>

#include <string>
#include <thread>

namespace portico::host::data
{

namespace
{

/// `synchronous`: checkpoints keep their order on disk; for commits `GroupCommit` sees to it.
constexpr const char* commonSettings =
    "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; "
    "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16000; PRAGMA secure_delete=ON;";

/// How long the log grows before its pages are written to the database: SQLite's own default.
constexpr int checkpointPages = 1000;

bool isConnectionLost(const DatabaseError& error)
{
    return error.kind() == DatabaseError::Kind::Unavailable && (error.sqlState() == "58030" || error.sqlState() == "XX001");
}

/// Refuses BEGIN, COMMIT and ROLLBACK while a script runs.
int refuseTransactions(void*, int action, const char*, const char*, const char*, const char*)
{
    return action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK;
}

/// Runs the first statement of a text to its end and moves `tail` behind it; a result code.
int runFirst(sqlite3* database, std::string_view text, const char*& tail)
{
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &statement, &tail);
    if (code != SQLITE_OK || !statement) return code; // white space and comments give no statement
    do code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    return sqlite3_finalize(statement);
}

class ScriptGuard
{
public:
    explicit ScriptGuard(sqlite3* database) : _database(database) { sqlite3_set_authorizer(database, &refuseTransactions, nullptr); }
    ~ScriptGuard() { sqlite3_set_authorizer(_database, nullptr, nullptr); }
    ScriptGuard(const ScriptGuard&) = delete;
    ScriptGuard& operator=(const ScriptGuard&) = delete;

private:
    sqlite3* _database;
};

} // namespace

SqliteConnection::SqliteConnection(Poco::Data::Session session, const DatabaseSettings& settings, SqliteRole role,
                                   std::atomic<std::uint64_t>& statementsPrepared)
    : NativeConnection(std::move(session), statementsPrepared),
      _database(Poco::Data::SQLite::Utility::dbHandle(*_session)),
      _role(role),
      _timer(_database, settings.statementTimeout),
      _statements(settings.statementsPerConnection)
{
    configure(settings);
}

SqliteConnection::~SqliteConnection() { _statements.clear(); }

void SqliteConnection::configure(const DatabaseSettings& settings)
{
    sqlite3_extended_result_codes(_database, 1);
    sqlite3_busy_timeout(_database, static_cast<int>(settings.lockWait.count()));
    // Same as in PostgreSQL: "x" is an identifier, never a string.
    sqlite3_db_config(_database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(_database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    if (_role == SqliteRole::Writer)
    {
        switchToWal(settings.lockWait);
        sqlite3_wal_hook(_database, &SqliteConnection::logGrew, this);
    }
    runPlain(commonSettings);
    if (_role == SqliteRole::Reader) runPlain("PRAGMA query_only=ON");
}

void SqliteConnection::switchToWal(std::chrono::milliseconds lockWait)
{
    // The busy handler is not asked here when another process switches at the same time.
    const auto deadline = std::chrono::steady_clock::now() + lockWait;
    for (;;)
    {
        const int code = sqlite3_exec(_database, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) return;
        if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() >= deadline)
            throw sqliteError(_database, sqlite3_extended_errcode(_database), "PRAGMA journal_mode=WAL");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void SqliteConnection::runPlain(std::string_view sql)
{
    const int code = sqlite3_exec(_database, std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw sqliteError(_database, sqlite3_extended_errcode(_database), sql);
}

SqliteStatement& SqliteConnection::statementFor(std::string_view sql)
{
    if (auto* kept = _statements.find(sql)) return *kept;
    SqliteStatement prepared(_timer, sql, true);
    countPreparedStatement();
    return _statements.insert(sql, std::move(prepared), [](SqliteStatement&) {});
}

DatabaseError SqliteConnection::failure(const DatabaseError& error)
{
    const bool readOnly = error.sqlState() == "25006";
    // SQLite opens a file that cannot be written for reading, and that stays so when the file can be written again.
    if (isConnectionLost(error) || (readOnly && _role == SqliteRole::Writer)) _broken = true;
    NativeConnection::failure(error);
    if (!readOnly || _role == SqliteRole::Writer) return error;
    return DatabaseError(DatabaseError::Kind::Other, "25006", {},
                         std::string("this session only reads: write with Database::begin() or transact(); ") + error.what());
}

std::int64_t SqliteConnection::execute(std::string_view sql, std::span<const SqlValue> arguments)
{
    return guarded(sql,
                   [&]
                   {
                       SqliteRun run(statementFor(sql));
                       run->bind(arguments, false);
                       while (run->step()) {}
                       return run->countsChanges() ? sqlite3_changes64(_database) : sqlite3_int64{0};
                   });
}

std::unique_ptr<portico::detail::Cursor> SqliteConnection::query(std::string_view sql, std::span<const SqlValue> arguments)
{
    return guarded(sql, [&] { return openCursor(*this, statementFor(sql), arguments); });
}

int SqliteConnection::logGrew(void* self, sqlite3* database, const char* name, int pages)
{
    static_cast<SqliteConnection*>(self)->_unsynced = true;
    if (pages >= checkpointPages) sqlite3_wal_checkpoint(database, name);
    return SQLITE_OK;
}

void SqliteConnection::rollbackNow() noexcept
{
    // SQLite may already have rolled back, for example because the disk is full.
    if (sqlite3_get_autocommit(_database) != 0) return;
    if (sqlite3_exec(_database, "ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK) _broken = true;
}

bool SqliteConnection::restore() noexcept
{
    rollback();
    return !_broken;
}

void SqliteConnection::runScript(std::string_view script)
{
    ScriptGuard guard(_database);
    for (std::string_view rest = script; !rest.empty();)
    {
        skipSpaceAndComments(rest);
        const char* tail = rest.data() + rest.size();
        const int code = runFirst(_database, rest, tail);
        if (code != SQLITE_OK)
        {
            const auto offset = static_cast<std::size_t>(rest.data() - script.data());
            throw ScriptError(failure(sqliteError(_database, code, rest)), lineAt(script, offset));
        }
        rest.remove_prefix(static_cast<std::size_t>(tail - rest.data()));
    }
}

} // namespace portico::host::data
