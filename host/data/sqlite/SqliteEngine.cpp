#include "host/data/sqlite/SqliteEngine.h"

#include "host/data/sqlite/SqliteConnection.h"

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/SQLite/Utility.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace portico::host::data
{

namespace
{

/// More event loops than this there are on no machine that serves one file.
constexpr int loopSessions = 64;

[[noreturn]] void throwFileError(const std::filesystem::path& file, int error)
{
    throw DatabaseError(DatabaseError::Kind::Unavailable, "58030", {},
                        "SQLSTATE 58030: the database file '" + file.string() +
                            "' cannot be opened: " + std::generic_category().message(error) +
                            "; give the daemon's user the right to write to it and to its directory");
}

/// Makes the file before SQLite does, so that it never is readable by others; its journal files take over the mode.
void prepareFile(const std::filesystem::path& file)
{
    std::error_code failed;
    if (std::filesystem::create_directories(file.parent_path(), failed))
        std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all, failed);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) throwFileError(file, errno);
    const int changed = ::fchmod(descriptor, S_IRUSR | S_IWUSR);
    const int error = errno;
    ::close(descriptor);
    if (changed != 0) throwFileError(file, error);
}

std::unique_ptr<ConnectionPool> sqlitePool(const DatabaseSettings& settings, SessionSource& source, SqliteRole role)
{
    auto limits = poolLimits(settings, role == SqliteRole::Writer ? 1 : std::max(1, settings.readers));
    if (role == SqliteRole::Reader) limits.reserve = loopSessions;
    return std::make_unique<ConnectionPool>(limits, [&source, settings, role](std::atomic<std::uint64_t>& prepared)
                                            { return std::make_unique<SqliteConnection>(source.open(), settings, role, prepared); });
}

/// Writes the write-ahead log to disk. There is no log after the last connection has written it into the database and closed. If writing
/// fails, the process ends, as PostgreSQL does: the kernel drops such pages, so that a second try would succeed without them.
void syncLog(const std::string& log)
{
    const int descriptor = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
    {
        // No descriptor is left: then all files.
        if (errno != ENOENT) ::sync();
        return;
    }
    int failed = 0;
    do failed = ::fdatasync(descriptor);
    while (failed != 0 && errno == EINTR);
    if (failed != 0)
    {
        std::fprintf(stderr, "porticod: cannot put '%s' on disk: %s. What was not answered yet is lost.\n", log.c_str(),
                     std::generic_category().message(errno).c_str());
        std::abort();
    }
    ::close(descriptor);
}

/// The first connection of the writer makes it a WAL database; readers find it so.
void openFirst(ConnectionPool& writer, const std::filesystem::path& file)
try
{
    writer.release(writer.acquire());
}
catch (const DatabaseError& error)
{
    if (error.kind() != DatabaseError::Kind::Unavailable) throw;
    // SQLite does not say which file it is about.
    throw DatabaseError(error.kind(), error.sqlState(), {},
                        std::string(error.what()) + "; the database file is '" + file.string() +
                            "': the daemon's user must be able to write to it and to its directory");
}

} // namespace

SqliteEngine::SqliteEngine()
{
    using Poco::Data::SQLite::Utility;
    if (Utility::getThreadMode() != Utility::THREAD_MODE_MULTI)
    {
        // Pages of the cache are taken one by one, as they are read: else each connection has room for twenty of them, also one that reads
        // two, and keeps it when it is asked for memory.
        sqlite3_shutdown();
        sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
        // A connection is used by one thread at a time, so SQLite needs no lock in every call.
        Utility::setThreadMode(Utility::THREAD_MODE_MULTI);
    }
    Poco::Data::SQLite::Connector::registerConnector();
}

SqliteEngine::~SqliteEngine() { Poco::Data::SQLite::Connector::unregisterConnector(); }

std::unique_ptr<ServiceDatabase> SqliteEngine::open(const DatabaseSettings& settings, std::string_view serviceId) const
{
    if (settings.directory.empty()) throw std::invalid_argument("SQLite needs a directory for its files");
    const auto file = std::filesystem::absolute(settings.directory) / (std::string(serviceId) + ".db");
    prepareFile(file);
    auto source = std::make_unique<SessionSource>(Poco::Data::SQLite::Connector::KEY, file.string(),
                                                  std::max(1, settings.readers) + loopSessions + 1);
    auto readers = sqlitePool(settings, *source, SqliteRole::Reader);
    auto writer = sqlitePool(settings, *source, SqliteRole::Writer);
    openFirst(*writer, file);
    return std::make_unique<ServiceDatabase>(Dialect::SQLite, std::string(serviceId), std::move(source), std::move(readers),
                                             std::move(writer), std::make_unique<ReadAnchor>(file.string()),
                                             std::make_unique<GroupCommit>([log = file.string() + "-wal"] { syncLog(log); }),
                                             settings.currentSpan);
}

} // namespace portico::host::data
