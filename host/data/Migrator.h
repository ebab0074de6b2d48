#pragma once

#include "host/data/ServiceDatabase.h"
#include "host/data/migrations/MigrationFiles.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::data
{

/// A numbered sequence of its own in a database: the platform's tables and the service's are two sets of one file or schema.
struct MigrationSet
{
    /// Part of the key in the table `portico_migration`; never changes.
    std::string name;
    std::filesystem::path directory;
    /// Allows `porticoctl dev reset` to delete the service's data, which a message about an edited file then names.
    bool resettable = false;
};

/// Brings a database forward: applies what is pending and returns it, each migration in a transaction of its own, together with its row in
/// `portico_migration` (number, name, sha256, time), while a lock keeps other hosts out (advisory lock; SQLite: the write lock). Forward
/// only. What was applied must still be there, unchanged and without gaps, else nothing is done. What was applied before a failing one
/// stays. One thread at a time per database. @throws MigrationError, and DatabaseError where the database is away
std::vector<Migration> migrate(ServiceDatabase& database, const MigrationSet& set, Instant now);
/// What `migrate` would apply, without changing anything. @throws MigrationError as `migrate` would before it starts
std::vector<Migration> pendingMigrations(ServiceDatabase& database, const MigrationSet& set);

} // namespace portico::host::data
