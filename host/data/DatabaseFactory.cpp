#include "host/data/DatabaseFactory.h"

#include "host/data/PostgresConnection.h"
#include "host/data/PostgresUrl.h"
#include "host/data/SqliteConnection.h"

#include <Poco/Data/PostgreSQL/Connector.h>
#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/SQLite/Utility.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace portico::host::data
{

namespace
{

/// It names a file and a schema.
void requireServiceId(std::string_view id)
{
    constexpr std::size_t longest = 63; // of a PostgreSQL identifier
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (id.empty() || id.size() > longest || !std::all_of(id.begin(), id.end(), allowed))
        throw std::invalid_argument("'" + std::string(id) + "' cannot name a database: expected 1 to 63 of a-z, 0-9, '-' and '_'");
}

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

PoolLimits limitsOf(const DatabaseSettings& settings, int maximum)
{
    return {maximum, settings.sessionWait, settings.idleCheck, settings.idleClose};
}

std::unique_ptr<ConnectionPool> sqlitePool(const DatabaseSettings& settings, SessionSource& source, SqliteRole role)
{
    const SqliteOptions options{role, settings.lockWait, settings.statementsPerConnection};
    const int maximum = role == SqliteRole::Writer ? 1 : std::max(1, settings.readers);
    return std::make_unique<ConnectionPool>(limitsOf(settings, maximum), [&source, options](std::atomic<std::uint64_t>& prepared)
                                            { return std::make_unique<SqliteConnection>(source.open(), options, prepared); });
}

std::unique_ptr<ServiceDatabase> openSqlite(const DatabaseSettings& settings, std::string_view serviceId)
{
    if (settings.directory.empty()) throw std::invalid_argument("SQLite needs a directory for its files");
    const auto file = std::filesystem::absolute(settings.directory) / (std::string(serviceId) + ".db");
    prepareFile(file);
    auto source = std::make_unique<SessionSource>(Poco::Data::SQLite::Connector::KEY, file.string(), std::max(1, settings.readers) + 1);
    auto readers = sqlitePool(settings, *source, SqliteRole::Reader);
    auto writer = sqlitePool(settings, *source, SqliteRole::Writer);
    // The first connection of the writer makes it a WAL database; readers find it so.
    writer->release(writer->acquire());
    return std::make_unique<ServiceDatabase>(Dialect::SQLite, std::string(serviceId), std::move(source), std::move(readers),
                                             std::move(writer));
}

std::unique_ptr<ServiceDatabase> openPostgres(const DatabaseSettings& settings, std::string_view serviceId)
{
    const int maximum = std::max(1, settings.connections);
    const auto connection = pocoConnectionString(settings);
    auto source = std::make_unique<SessionSource>(Poco::Data::PostgreSQL::Connector::KEY, connection, maximum);
    const PostgresOptions options{std::string(serviceId), settings.lockWait, settings.statementTimeout, settings.statementsPerConnection};
    auto open = [connection, &from = *source, options](std::atomic<std::uint64_t>& prepared)
    {
        requireReachable(connection);
        return std::make_unique<PostgresConnection>(from.open(), options, prepared);
    };
    auto sessions = std::make_unique<ConnectionPool>(limitsOf(settings, maximum), std::move(open));
    return std::make_unique<ServiceDatabase>(Dialect::PostgreSQL, std::string(serviceId), std::move(source), std::move(sessions), nullptr);
}

} // namespace

DatabaseFactory::DatabaseFactory()
{
    // A connection is used by one thread at a time, so SQLite needs no lock in every call.
    using Poco::Data::SQLite::Utility;
    if (Utility::getThreadMode() != Utility::THREAD_MODE_MULTI) Utility::setThreadMode(Utility::THREAD_MODE_MULTI);
    Poco::Data::SQLite::Connector::registerConnector();
    Poco::Data::PostgreSQL::Connector::registerConnector();
}

DatabaseFactory::~DatabaseFactory()
{
    Poco::Data::PostgreSQL::Connector::unregisterConnector();
    Poco::Data::SQLite::Connector::unregisterConnector();
}

std::unique_ptr<ServiceDatabase> DatabaseFactory::open(const DatabaseSettings& settings, std::string_view serviceId) const
{
    requireServiceId(serviceId);
    return settings.engine == Dialect::SQLite ? openSqlite(settings, serviceId) : openPostgres(settings, serviceId);
}

} // namespace portico::host::data
