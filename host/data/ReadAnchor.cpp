#include "host/data/ReadAnchor.h"

namespace portico::host::data
{

namespace
{

bool run(sqlite3* database, const char* sql) noexcept { return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

} // namespace

bool ReadAnchor::open() noexcept
{
    if (_database) return true;
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(_file.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<sqlite3, Close> opened(database);
    // It reads one page at most.
    if (code != SQLITE_OK || !run(database, "PRAGMA cache_size=1; PRAGMA query_only=ON")) return false;
    _database = std::move(opened);
    return true;
}

void ReadAnchor::hold() noexcept
{
    const std::unique_lock lock(_mutex, std::try_to_lock);
    if (!lock || _writers > 0 || _held) return;
    _reads.store(0, std::memory_order_relaxed);
    // Where it cannot be had, readers lock for themselves, as ever: a later read tries again.
    if (!open()) return;
    if (!run(_database.get(), "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"))
    {
        run(_database.get(), "ROLLBACK");
        return;
    }
    _held = true;
    _settled = true;
}

void ReadAnchor::writeBegins() noexcept
{
    const std::lock_guard lock(_mutex);
    ++_writers;
    _settled = true;
    if (_held.exchange(false)) run(_database.get(), "ROLLBACK");
}

void ReadAnchor::writeEnded() noexcept
{
    const std::lock_guard lock(_mutex);
    if (--_writers > 0) return;
    _reads.store(0, std::memory_order_relaxed);
    _settled = false;
}

} // namespace portico::host::data
