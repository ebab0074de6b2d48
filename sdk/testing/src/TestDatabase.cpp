#include "portico/testing/TestDatabase.h"

#include "PlatformTables.h"

#include "host/data/Migrator.h"
#include "host/data/engines/DatabaseFactory.h"

#include "portico/Id.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

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

/// What a crash of the machine would take matters to no test.
std::filesystem::path placeOfFiles()
{
    constexpr std::uintmax_t enoughBytes = std::uintmax_t{512} << 20;
    const std::filesystem::path memory = "/dev/shm";
    std::error_code error;
    const auto room = std::filesystem::space(memory, error);
    const bool inMemory = !error && room.available >= enoughBytes && !std::getenv("TMPDIR") && ::access(memory.c_str(), W_OK) == 0;
    return inMemory ? memory : std::filesystem::temp_directory_path();
}

std::filesystem::path writePlatformTables(const std::filesystem::path& directory)
{
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "0001_platform.sql") << platformTables();
    return directory;
}

} // namespace

TestDatabase::TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url)
    : _directory(placeOfFiles())
{
    // For the host it is an empty set; in a test it is a mistyped path.
    if (!migrations.empty() && !std::filesystem::is_directory(migrations))
        throw std::runtime_error("plugin.migrations: expected a folder, found none at " + migrations.string());
    const char* const ofTheRun = std::getenv("PORTICO_TEST_DATABASE");
    host::data::DatabaseSettings settings;
    settings.directory = _directory.path() / "data";
    settings.url = url.empty() && ofTheRun ? ofTheRun : url;
    settings.engine = settings.url.empty() ? Dialect::SQLite : Dialect::PostgreSQL;
    if (url.empty() && !settings.url.empty()) _schema = "test_" + makeUlid(SystemClock().now());
    _database = factory().open(settings, _schema.empty() ? serviceId : _schema);
    try
    {
        migrate(serviceId, migrations, clock);
    }
    catch (...)
    {
        dropSchema();
        throw;
    }
}

TestDatabase::~TestDatabase() { dropSchema(); }

void TestDatabase::migrate(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock)
{
    auto& database = static_cast<host::data::ServiceDatabase&>(*_database);
    host::data::migrate(database, {"portico", writePlatformTables(_directory.path() / "migrations")}, clock.now());
    if (!migrations.empty()) host::data::migrate(database, {std::string(serviceId), migrations}, clock.now());
}

void TestDatabase::dropSchema() noexcept
try
{
    if (_schema.empty()) return;
    _database->transact([&](Transaction& transaction) { transaction.execute("DROP SCHEMA \"" + _schema + "\" CASCADE"); });
}
catch (const std::exception& error)
{
    std::fprintf(stderr, "the schema %s of a test stays: %s\n", _schema.c_str(), error.what());
}

} // namespace portico::testing
