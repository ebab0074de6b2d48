#include "host/backup/DatabaseSnapshot.h"

#include "host/base/FileDescriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <sqlite3.h>
#include <sys/stat.h>

namespace portico::host::backup
{

namespace
{

constexpr int patienceMilliseconds = 10'000;
constexpr int bytesPerStep = 1024 * 1024;

[[noreturn]] void fail(sqlite3* database, const std::string& what, const std::filesystem::path& file)
{
    const int code = sqlite3_extended_errcode(database);
    const bool full = (code & 0xff) == SQLITE_FULL;
    throw Refused(full ? "disk_full" : "database_failed", "Cannot " + what + " the database " + file.string() + ": " +
                                                              sqlite3_errmsg(database) + " (SQLite " + std::to_string(code) + ")." +
                                                              (full ? " Make room, or choose another place." : ""));
}

void run(sqlite3* database, const char* sql, const std::filesystem::path& file)
{
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database, "read", file);
}

void query(sqlite3* database, const char* sql, const std::filesystem::path& file, const std::function<void(sqlite3_stmt*)>& row)
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK) fail(database, "read", file);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, &sqlite3_finalize);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
    if (code != SQLITE_DONE) fail(database, "read", file);
}

std::string textAt(sqlite3_stmt* statement, int column)
{
    const auto* text = sqlite3_column_text(statement, column);
    return text ? reinterpret_cast<const char*>(text) : "";
}

/// `file:` with what an URI reserves escaped; `immutable` leaves no files beside the database.
std::string immutableUri(const std::filesystem::path& file)
{
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string())
    {
        if (c == '%' || c == '?' || c == '#')
        {
            constexpr const char* digits = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            uri.append({'%', digits[byte >> 4U], digits[byte & 0xFU]});
        }
        else
            uri.push_back(c);
    }
    return uri + "?immutable=1";
}

sqlite3* opened(const std::string& name, const std::filesystem::path& file, int flags)
{
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
    if (code == SQLITE_OK) return database;
    const std::string reason = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    sqlite3_close(database);
    throw Refused("database_failed", "Cannot open the database " + file.string() + ": " + reason + ".");
}

} // namespace

void CloseDatabase::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }

DatabaseSnapshot::DatabaseSnapshot(std::filesystem::path file)
    : _file(std::move(file)), _database(opened(_file.string(), _file, SQLITE_OPEN_READWRITE))
{
    sqlite3_busy_timeout(_database.get(), patienceMilliseconds);
    // Checkpoints are left to writers.
    sqlite3_db_config(_database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    run(_database.get(), "PRAGMA query_only=ON; BEGIN; SELECT count(*) FROM sqlite_schema", _file);
}

void DatabaseSnapshot::copyTo(const std::filesystem::path& target, Throttle& throttle)
{
    // Created here with a private mode, so that no other user can read it at any time.
    const FileDescriptor out(::open(target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!out) throwErrno(errno, "create", target);
    const Database copy(opened(target.string(), target, SQLITE_OPEN_READWRITE));
    // A copy that is not finished is thrown away: it needs no journal.
    run(copy.get(), "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE", target);
    std::int64_t pageBytes = 4096;
    query(_database.get(), "PRAGMA page_size", _file, [&](sqlite3_stmt* row) { pageBytes = sqlite3_column_int64(row, 0); });
    auto* backup = sqlite3_backup_init(copy.get(), "main", _database.get(), "main");
    if (!backup) fail(copy.get(), "write", target);
    int code = SQLITE_OK;
    int left = -1;
    try
    {
        while ((code = sqlite3_backup_step(backup, static_cast<int>(bytesPerStep / pageBytes))) == SQLITE_OK)
        {
            const int before = left < 0 ? sqlite3_backup_pagecount(backup) : left;
            left = sqlite3_backup_remaining(backup);
            throttle.passed(static_cast<std::uint64_t>(before - left) * static_cast<std::uint64_t>(pageBytes), out.get());
        }
    }
    catch (...)
    {
        sqlite3_backup_finish(backup);
        throw;
    }
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) fail(copy.get(), "write", target);
    if (left > 0) throttle.passed(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(pageBytes), out.get());
}

std::map<std::string, std::int64_t> DatabaseSnapshot::migrations()
{
    bool there = false;
    query(_database.get(), "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'portico_migration'", _file,
          [&](sqlite3_stmt*) { there = true; });
    std::map<std::string, std::int64_t> levels;
    if (there)
        query(_database.get(), "SELECT set_name, max(number) FROM portico_migration GROUP BY set_name", _file,
              [&](sqlite3_stmt* row) { levels[textAt(row, 0)] = sqlite3_column_int64(row, 1); });
    return levels;
}

std::uint64_t DatabaseSnapshot::bytes()
{
    std::uint64_t bytes = 1;
    for (const char* sql : {"PRAGMA page_count", "PRAGMA page_size"})
        query(_database.get(), sql, _file, [&](sqlite3_stmt* row) { bytes *= static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)); });
    return bytes;
}

std::vector<std::string> faultsOf(const std::filesystem::path& file)
{
    const Database database(opened(immutableUri(file), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
    std::vector<std::string> faults;
    query(database.get(), "PRAGMA integrity_check(10)", file,
          [&](sqlite3_stmt* row)
          {
              if (textAt(row, 0) != "ok") faults.push_back(textAt(row, 0));
          });
    query(database.get(), "PRAGMA foreign_key_check", file,
          [&](sqlite3_stmt* row)
          {
              if (faults.size() < 10)
                  faults.push_back("a row of " + textAt(row, 0) + " refers to a row of " + textAt(row, 2) + " that is not there");
          });
    return faults;
}

} // namespace portico::host::backup
