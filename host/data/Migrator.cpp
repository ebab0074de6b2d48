#include "host/data/Migrator.h"

#include <map>

namespace portico::host::data
{

namespace
{

/// One row of the table.
struct Applied
{
    std::string name;
    std::string sha256;
};
using AppliedByNumber = std::map<std::int64_t, Applied>;

constexpr const char* createTable =
    "CREATE TABLE IF NOT EXISTS portico_migration (set_name TEXT NOT NULL, number BIGINT NOT NULL, name TEXT NOT NULL, "
    "sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (set_name, number))";

bool hasTable(Session& session)
{
    const auto sql = session.dialect() == Dialect::SQLite
                         ? "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'portico_migration'"
                         : "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                           "WHERE n.nspname = current_schema() AND c.relname = 'portico_migration'";
    return session.value<std::int64_t>(sql).value_or(0) > 0;
}

AppliedByNumber readApplied(Session& session, const std::string& set)
{
    AppliedByNumber applied;
    for (Row row : session.query("SELECT number, name, sha256 FROM portico_migration WHERE set_name = $1", set))
        applied[row.get<std::int64_t>(0)] = {row.get<std::string>(1), row.get<std::string>(2)};
    return applied;
}

std::string place(const ServiceDatabase& database, const MigrationSet& set)
{
    return "database of '" + database.serviceId() + "', migrations '" + set.name + "'";
}

/// Throws unless the applied migrations equal the first files, without gaps.
void requireConsistent(const ServiceDatabase& database, const MigrationSet& set, const std::vector<Migration>& files,
                       const AppliedByNumber& applied)
{
    std::int64_t expected = 1;
    for (const auto& [number, row] : applied)
    {
        if (number != expected++)
            throw MigrationError(place(database, set) + ": expected migration " + std::to_string(expected - 1) + " to be applied before " +
                                 std::to_string(number) + " ('" + row.name +
                                 "'), found no row of it in portico_migration: the database is half "
                                 "migrated; restore it from a backup");
        if (number > static_cast<std::int64_t>(files.size()))
            throw MigrationError(set.directory.string() + ": expected the file of migration " + std::to_string(number) + " ('" + row.name +
                                 "'), which the database of '" + database.serviceId() + "' has, found " + std::to_string(files.size()) +
                                 " files: the database is newer than this version; install the version that it belongs to");
        const auto& file = files[static_cast<std::size_t>(number - 1)];
        if (file.sha256 != row.sha256)
            throw MigrationError(file.file.string() + ": expected the file as it was applied to the " + place(database, set) + " (sha256 " +
                                 row.sha256 + "), found sha256 " + file.sha256 +
                                 ": an applied migration may not change; put the file back and add a new migration" +
                                 (set.resettable ? ". If it was never released, porticoctl dev reset " + database.serviceId() +
                                                       " deletes the data of the service and applies it again"
                                                 : ""));
    }
}

[[noreturn]] void throwFailed(const ServiceDatabase& database, const Migration& migration, int line, const std::string& found)
{
    throw MigrationError(migration.file.string() + (line > 0 ? ":" + std::to_string(line) : "") +
                         ": expected the migration to run on the database of '" + database.serviceId() + "', found: " + found +
                         "; nothing of it was applied: correct the file and try again");
}

/// Applies the first pending migration, if there is one: all that it reads and writes is under the lock.
std::optional<Migration> applyNext(ServiceDatabase& database, const MigrationSet& set, const std::vector<Migration>& files, Instant now)
{
    auto transaction = database.begin();
    auto& connection = nativeConnection(transaction);
    connection.lockForMigration();
    if (!hasTable(transaction)) transaction.execute(createTable);
    const auto applied = readApplied(transaction, set.name);
    requireConsistent(database, set, files, applied);
    if (applied.size() == files.size()) return std::nullopt;

    const auto& migration = files[applied.size()];
    try
    {
        connection.runScript(migration.sql);
        transaction.execute("INSERT INTO portico_migration (set_name, number, name, sha256, applied_at) VALUES ($1, $2, $3, $4, $5)",
                            set.name, migration.number, migration.name, migration.sha256, now);
        transaction.commit();
    }
    catch (const DatabaseError& error)
    {
        // Not the file's fault: it is tried again when the database is back.
        if (error.kind() == DatabaseError::Kind::Unavailable)
            throw DatabaseError(error.kind(), error.sqlState(), {}, migration.file.string() + ": " + error.what());
        // A deferred constraint fails at the commit, which is no line.
        const auto* script = dynamic_cast<const ScriptError*>(&error);
        throwFailed(database, migration, script ? script->line() : 0, error.what());
    }
    return migration;
}

} // namespace

std::vector<Migration> migrate(ServiceDatabase& database, const MigrationSet& set, Instant now)
{
    const auto files = readMigrations(set.directory, database.dialect());
    std::vector<Migration> done;
    // Most starts find nothing to do: they take no lock.
    if (pendingMigrations(database, set).empty()) return done;
    while (auto migration = applyNext(database, set, files, now)) done.push_back(*std::move(migration));
    return done;
}

std::vector<Migration> pendingMigrations(ServiceDatabase& database, const MigrationSet& set)
{
    auto files = readMigrations(set.directory, database.dialect());
    auto session = database.session();
    const auto applied = hasTable(session) ? readApplied(session, set.name) : AppliedByNumber{};
    requireConsistent(database, set, files, applied);
    files.erase(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(applied.size()));
    return files;
}

} // namespace portico::host::data
