#pragma once

#include "portico/Clock.h"
#include "portico/Database.h"
#include "portico/testing/TemporaryDirectory.h"

#include <filesystem>
#include <memory>
#include <string_view>

namespace portico::testing
{

/// A real SQLite database in a temporary folder, with the platform's tables (jobs, events) and those of the plugin's migrations.
/// Thread-safe.
class PORTICO_API TestDatabase
{
public:
    /// @param migrations the plugin's folder of migrations; empty: none. @throws std::runtime_error that names what is wrong in which file.
    TestDatabase(std::string_view serviceId, const std::filesystem::path& migrations, const Clock& clock);
    ~TestDatabase();
    Database& database() noexcept { return *_database; }

private:
    const TemporaryDirectory _directory;
    std::unique_ptr<Database> _database;
};

} // namespace portico::testing
