#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/testing/TemporaryDirectory.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace portico::testing
{

struct TestSchema;

/// A real database, with the platform's tables (jobs, events) and those of the plugin's migrations. The engine belongs to the run and not
/// to the test: where the environment variable PORTICO_TEST_DATABASE holds the URL of a PostgreSQL database, a schema in it that
/// nobody else has while this object lives; emptied, another of the same process may have it, and it goes with the process; else SQLite in
/// a temporary folder: in memory (/dev/shm) where that has room and TMPDIR names no other place, since such tests mostly wait for the disk.
/// Thread-safe.
class PORTICO_API TestDatabase
{
public:
    /// @param migrations the plugin's folder of migrations; empty: none. @param url a PostgreSQL database to use as it is, with the schema
    /// that a host would take; empty: what the run says.
    /// @throws std::runtime_error that names what is wrong in which file.
    TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url = {});
    ~TestDatabase();
    Database& database() noexcept { return *_database; }

private:
    void takeSchema(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url);
    void migrate(Database& opened, std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock) const;

    const TemporaryDirectory _directory;
    std::unique_ptr<Database> _database;
    /// On the run's PostgreSQL only.
    std::unique_ptr<TestSchema> _schema;
};

} // namespace portico::testing
