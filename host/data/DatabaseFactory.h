#pragma once

#include "host/data/DatabaseSettings.h"
#include "host/data/ServiceDatabase.h"

#include <memory>
#include <string_view>

namespace portico::host::data
{

/// Opens the services' databases. One in the process, made before threads use SQLite and living longer than every database it opened: it
/// registers POCO's connectors and sets SQLite's threading mode.
class DatabaseFactory
{
public:
    DatabaseFactory();
    ~DatabaseFactory();
    DatabaseFactory(const DatabaseFactory&) = delete;
    DatabaseFactory& operator=(const DatabaseFactory&) = delete;

    /// The database of a service. SQLite: its file exists afterwards. PostgreSQL: nothing is connected yet, so a server that is down does
    /// not keep the host from starting. Thread-safe.
    /// @throws std::invalid_argument for settings or an id that cannot be used, DatabaseError Unavailable when the SQLite file cannot.
    std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const;
};

} // namespace portico::host::data
