#pragma once

#include "host/data/ServiceDatabase.h"
#include "host/data/migrations/MigrationFiles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::data
{

/// An independently numbered sequence in a database: the platform's tables and the service's are two sets of one file or schema.
struct MigrationSet
{
    /// Part of the key in the table `portico_migration`; never changes.
    std::string name;
    std::filesystem::path directory;
    /// Allows `porticoctl dev reset` to delete the service's data, which a message about an edited file then names.
    bool resettable = false;
};

/// Applies pending migrations and returns them. Each runs in its own transaction, together with its row in `portico_migration` (number,
/// name, sha256, time). A lock keeps other hosts out (advisory lock; SQLite: the write lock). Forward only.
/// Applied migrations must still exist, unchanged and without gaps; otherwise nothing is done. Migrations before a failing one stay
/// applied.
/// One thread at a time per database. @throws MigrationError, and DatabaseError if the database is unavailable
std::vector<Migration> migrate(ServiceDatabase& database, const MigrationSet& set, Instant now);
/// Returns the migrations that `migrate` would apply, without changes. @throws MigrationError as `migrate` would before it starts
std::vector<Migration> pendingMigrations(ServiceDatabase& database, const MigrationSet& set);

} // namespace portico::host::data
