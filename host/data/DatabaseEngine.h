#pragma once

#include "host/data/DatabaseSettings.h"
#include "host/data/ServiceDatabase.h"

#include <memory>
#include <string_view>

namespace portico::host::data
{

/// Opens the databases of one database system. Lives longer than every database that it opened.
class DatabaseEngine
{
public:
    virtual ~DatabaseEngine() = default;
    /// As `DatabaseFactory::open`; the id has been checked. Thread-safe.
    virtual std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const = 0;
};

/// The two symbols of an engine that is a library of its own: it makes the engine with `new`, and tells the version that it was built with.
using MakeDatabaseEngine = DatabaseEngine*();
using DatabaseEngineVersion = const char*();
inline constexpr const char* makeDatabaseEngineSymbol = "portico_make_database_engine";
inline constexpr const char* databaseEngineVersionSymbol = "portico_database_engine_version";

/// Bounds of a pool of up to `maximum` connections.
PoolLimits poolLimits(const DatabaseSettings& settings, int maximum);

} // namespace portico::host::data
