#include "host/data/engines/DatabaseFactory.h"

#include "portico/Id.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace portico::host::data
{

namespace
{

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason)
{
    throw std::runtime_error("the engine " + file.string() + " cannot be used: " + reason + ": install it from the same release");
}

/// Where libportico.so was loaded from: engines are installed beside it, wherever the prefix is.
std::filesystem::path libraryFolder()
{
    Dl_info facts{};
    if (::dladdr(reinterpret_cast<const void*>(&makeUlid), &facts) == 0 || !facts.dli_fname) return {};
    return std::filesystem::weakly_canonical(facts.dli_fname).parent_path();
}

/// It names a file and a schema.
void requireServiceId(std::string_view id)
{
    constexpr std::size_t longest = 63; // of a PostgreSQL identifier
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
    if (id.empty() || id.size() > longest || !std::all_of(id.begin(), id.end(), allowed))
        throw std::invalid_argument("'" + std::string(id) + "' cannot name a database: expected 1 to 63 of a-z, 0-9, '-' and '_'");
}

} // namespace

void* loadEngineMaker(std::string_view name, const char* versionSymbol, const char* makeSymbol)
{
    const auto file = libraryFolder() / "portico" / "engines" / (std::string(name) + ".so");
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
    {
        const char* reason = ::dlerror();
        fail(file, reason ? reason : "it cannot be loaded");
    }
    auto* version = reinterpret_cast<DatabaseEngineVersion*>(::dlsym(library, versionSymbol));
    void* make = ::dlsym(library, makeSymbol);
    if (!version || !make) fail(file, "it is not an engine");
    if (std::string_view(version()) != PORTICO_VERSION) fail(file, std::string("expected version " PORTICO_VERSION ", found ") + version());
    return make;
}

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
    std::call_once(_postgresLoaded,
                   [this]
                   {
                       auto* make = loadEngineMaker("postgresql", databaseEngineVersionSymbol, makeDatabaseEngineSymbol);
                       _postgres.reset(reinterpret_cast<MakeDatabaseEngine*>(make)());
                   });
    return *_postgres;
}

} // namespace portico::host::data
