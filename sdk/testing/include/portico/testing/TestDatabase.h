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

/// A real database, with the platform's tables (jobs, events) and those of the plugin's migrations: SQLite in a temporary folder, or a
/// PostgreSQL database of the test's own. Thread-safe.
class PORTICO_API TestDatabase
{
public:
    /// @param migrations the plugin's folder of migrations; empty: none. @param url of an empty PostgreSQL database; empty: SQLite.
    /// @throws std::runtime_error that names what is wrong in which file.
    TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock, const std::string& url = {});
    ~TestDatabase();
    Database& database() noexcept { return *_database; }

private:
    const TemporaryDirectory _directory;
    std::unique_ptr<Database> _database;
};

} // namespace portico::testing
