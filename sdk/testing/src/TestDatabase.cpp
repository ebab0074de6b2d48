#include "portico/testing/TestDatabase.h"

#include "PlatformTables.h"
#include "UsedSchemas.h"

#include "host/data/Migrator.h"
#include "host/data/engines/DatabaseFactory.h"

#include "portico/Id.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
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

/// Folder for test data, which need not survive a crash of the machine.
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

/// Constructed after the factory, and so destroyed before it.
UsedSchemas& usedSchemas()
{
    factory();
    static UsedSchemas schemas;
    return schemas;
}

/// Text that identifies the tables of one service at one state of its migrations.
std::string textOf(std::string_view serviceId, const std::filesystem::path& migrations)
{
    std::map<std::string, std::string> files;
    if (!migrations.empty())
        for (const auto& file : std::filesystem::directory_iterator(migrations))
        {
            std::stringstream text;
            text << std::ifstream(file.path()).rdbuf();
            files[file.path().filename()] = text.str();
        }
    std::string all(serviceId);
    for (const auto& [name, text] : files) all += '\n' + name + '\n' + text;
    return all;
}

} // namespace

TestDatabase::TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url)
    : _directory(placeOfFiles())
{
    // For the host it is an empty set; in a test it is a mistyped path.
    if (!migrations.empty() && !std::filesystem::is_directory(migrations))
        throw std::runtime_error("plugin.migrations: expected a folder, found none at " + migrations.string());
    const char* const ofTheRun = std::getenv("PORTICO_TEST_DATABASE");
    if (url.empty() && ofTheRun)
    {
        takeSchema(serviceId, migrations, clock, ofTheRun);
        return;
    }
    host::data::DatabaseSettings settings;
    settings.directory = _directory.path() / "data";
    settings.url = url;
    settings.engine = url.empty() ? Dialect::SQLite : Dialect::PostgreSQL;
    _database = factory().open(settings, serviceId);
    migrate(*_database, serviceId, migrations, clock);
}

TestDatabase::~TestDatabase()
{
    if (!_schema) return;
    _schema->database = std::move(_database);
    usedSchemas().giveBack(std::move(*_schema));
}

void TestDatabase::takeSchema(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock,
                              const std::string& url)
{
    const auto key = textOf(serviceId, migrations);
    if (auto used = usedSchemas().take(key))
    {
        _database = std::move(used->database);
        _schema = std::make_unique<TestSchema>(std::move(*used));
        return;
    }
    host::data::DatabaseSettings settings;
    settings.url = url;
    settings.engine = Dialect::PostgreSQL;
    const char* const pooler = std::getenv("PORTICO_TEST_POOLER");
    if (pooler && std::string_view(pooler) == "transaction") settings.sessions = host::data::Sessions::OfTransaction;
    const auto name = "test_" + makeUlid(SystemClock().now());
    TestSchema schema{factory().open(settings, name), name, key, {}};
    try
    {
        migrate(*schema.database, serviceId, migrations, clock);
        UsedSchemas::remember(schema);
    }
    catch (...)
    {
        usedSchemas().giveBack(std::move(schema));
        throw;
    }
    _database = std::move(schema.database);
    _schema = std::make_unique<TestSchema>(std::move(schema));
}

void TestDatabase::migrate(Database& opened, std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock) const
{
    auto& database = static_cast<host::data::ServiceDatabase&>(opened);
    host::data::migrate(database, {"portico", writePlatformTables(_directory.path() / "migrations")}, clock.now());
    if (!migrations.empty()) host::data::migrate(database, {std::string(serviceId), migrations}, clock.now());
}

} // namespace portico::testing
