#pragma once

#include "host/data/DatabaseEngine.h"
#include "host/data/sqlite/SqliteEngine.h"

#include <memory>
#include <mutex>
#include <string_view>

namespace portico::host::data
{

/// Loads `portico/engines/<name>.so` from the folder of libportico.so, checks the version that `versionSymbol` returns, and returns the
/// function `makeSymbol`. It stays loaded, since client libraries do not unload safely.
/// @throws std::runtime_error that names the file and the remedy.
void* loadEngineMaker(std::string_view name, const char* versionSymbol, const char* makeSymbol);

/// Opens the services' databases. One per process, constructed before threads use SQLite, and outliving every database it opened.
/// PostgreSQL's client library is loaded with its dependencies when the first database there is opened: most of its memory is LDAP and
/// Kerberos, which hosts with SQLite do not need.
class DatabaseFactory
{
public:
    /// The database of a service. SQLite: its file exists afterwards. PostgreSQL: nothing is connected yet, so a server that is down does
    /// not keep the host from starting. Thread-safe.
    /// @throws std::invalid_argument for settings or an id that cannot be used, DatabaseError Unavailable when the SQLite file cannot,
    /// std::runtime_error when there is no engine for PostgreSQL.
    std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const;

    /// Connects, and checks that the server of the settings can be used. @throws as `DatabaseEngine::check`
    void check(const DatabaseSettings& settings) const { engine(settings.engine).check(settings); }

    /// Returns the engine's notifier. @throws as open
    std::unique_ptr<WorkNotifier> notifier(const DatabaseSettings& settings, WorkNotifier::OnWork onWork) const
    {
        return engine(settings.engine).notifier(settings, std::move(onWork));
    }

    /// Permanently deletes the database of a service: the file, or the schema. It must not be open. @throws as open, and std::system_error
    void drop(const DatabaseSettings& settings, std::string_view serviceId) const;

private:
    const DatabaseEngine& engine(Dialect dialect) const;

    SqliteEngine _sqlite;
    mutable std::once_flag _postgresLoaded;
    mutable std::unique_ptr<DatabaseEngine> _postgres;
};

} // namespace portico::host::data
