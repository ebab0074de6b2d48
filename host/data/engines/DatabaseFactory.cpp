#include "host/data/engines/DatabaseFactory.h"

#include "host/data/engines/EngineLibrary.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace portico::host::data
{

namespace
{

/// It names a file and a schema.
void requireServiceId(std::string_view id)
{
    constexpr std::size_t longest = 63; // of a PostgreSQL identifier
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (id.empty() || id.size() > longest || !std::all_of(id.begin(), id.end(), allowed))
        throw std::invalid_argument("'" + std::string(id) + "' cannot name a database: expected 1 to 63 of a-z, 0-9, '-' and '_'");
}

} // namespace

std::unique_ptr<ServiceDatabase> DatabaseFactory::open(const DatabaseSettings& settings, std::string_view serviceId) const
{
    requireServiceId(serviceId);
    return engine(settings.engine).open(settings, serviceId);
}

void DatabaseFactory::drop(const DatabaseSettings& settings, std::string_view serviceId) const
{
    requireServiceId(serviceId);
    if (settings.engine == Dialect::SQLite)
    {
        for (const auto* part : {".db", ".db-wal", ".db-shm"})
            std::filesystem::remove(settings.directory / (std::string(serviceId) + part));
        return;
    }
    // The id has no character that would end the name.
    const auto text = "DROP SCHEMA \"" + std::string(serviceId) + "\" CASCADE";
    open(settings, serviceId)->transact([&](Transaction& transaction) { transaction.execute(text); });
}

const DatabaseEngine& DatabaseFactory::engine(Dialect dialect) const
{
    if (dialect == Dialect::SQLite) return _sqlite;
    std::call_once(_postgresLoaded, [this] { _postgres = loadEngine("postgresql"); });
    return *_postgres;
}

} // namespace portico::host::data
