#pragma once

#include <chrono>
#include <sqlite3.h>

namespace portico::host::data
{

/// Ends statements of a connection that run too long. Only time inside SQLite is counted: a reader may pause between two rows, as with
/// PostgreSQL, whose rows are all in memory by then. Other work of the handle has no limit: scripts, and POCO's own statements.
class SqliteTimer
{
public:
    /// Time of a statement's run so far. Most runs end before SQLite's first callback and never read a clock.
    struct Run
    {
        bool isLong = false;
        std::chrono::nanoseconds taken{0};
    };

    /// The handle outlives it.
    SqliteTimer(sqlite3* database, std::chrono::milliseconds limit);
    ~SqliteTimer();
    SqliteTimer(const SqliteTimer&) = delete;
    SqliteTimer& operator=(const SqliteTimer&) = delete;

    /// Returns SQLite's code; SQLITE_INTERRUPT if the run exceeds the limit.
    int step(sqlite3_stmt* statement, Run& run) noexcept;
    sqlite3* database() const noexcept { return _database; }

private:
    static int isOver(void* self) noexcept;

    sqlite3* _database;
    std::chrono::nanoseconds _limit;
    /// The step that is running.
    Run* _run = nullptr;
    std::chrono::nanoseconds _began{0};
};

} // namespace portico::host::data
