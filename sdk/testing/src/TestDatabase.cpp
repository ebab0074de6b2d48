#include "portico/testing/TestDatabase.h"

#include "PlatformTables.h"

#include "host/data/Migrator.h"
#include "host/data/engines/DatabaseFactory.h"

#include <fstream>
#include <stdexcept>

namespace portico::testing
{

namespace
{

/// One in the process, as it demands.
const host::data::DatabaseFactory& factory()
{
    static const host::data::DatabaseFactory made;
    return made;
}

std::filesystem::path writePlatformTables(const std::filesystem::path& directory)
{
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "0001_jobs_and_events.sql") << platformTables();
    return directory;
}

} // namespace

TestDatabase::TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url)
{
    // For the host it is an empty set; in a test it is a mistyped path.
    if (!migrations.empty() && !std::filesystem::is_directory(migrations))
        throw std::runtime_error("TestSettings::migrations: expected a folder, found none at " + migrations.string());
    host::data::DatabaseSettings settings;
    settings.engine = url.empty() ? Dialect::SQLite : Dialect::PostgreSQL;
    settings.directory = _directory.path() / "data";
    settings.url = url;
    auto database = factory().open(settings, serviceId);
    host::data::Migrator migrator(*database);
    migrator.migrate({"portico", writePlatformTables(_directory.path() / "migrations")}, clock.now());
    if (!migrations.empty()) migrator.migrate({std::string(serviceId), migrations}, clock.now());
    _database = std::move(database);
}

TestDatabase::~TestDatabase() = default;

} // namespace portico::testing
