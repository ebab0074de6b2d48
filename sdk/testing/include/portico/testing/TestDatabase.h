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

/// A real database, with the platform's tables (jobs, events) and those of the plugin's migrations. The environment variable
/// PORTICO_TEST_DATABASE selects the engine.
/// If it contains the URL of a PostgreSQL database, this object has a schema there for itself. A later object of the process may reuse the
/// emptied schema, which is dropped when the process ends.
/// Otherwise this is SQLite in a temporary folder. The folder is in memory (/dev/shm) if that has room and TMPDIR is not set, since such
/// tests mostly wait for the disk. Thread-safe.
class PORTICO_API TestDatabase
{
public:
    /// @param migrations the plugin's folder of migrations; empty: none. @param url a PostgreSQL database to use as it is, with the schema
    /// that a host would use; empty: selected by the environment.
    /// @throws std::runtime_error that names the file and the fault.
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
