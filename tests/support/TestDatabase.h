#pragma once

#include "host/data/engines/DatabaseFactory.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace portico::tests
{

/// A directory that is removed with everything in it.
class TemporaryDirectory
{
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::filesystem::path& path() const noexcept { return _path; }

private:
    std::filesystem::path _path;
};

/// A fresh place for databases on one engine: an SQLite directory, or a new database on the tests' own PostgreSQL. A suite that uses it
/// compiles TestDatabase.cpp and Postgres.cpp of this directory.
class TestDatabase
{
public:
    explicit TestDatabase(Dialect dialect, host::data::Sessions sessions = host::data::Sessions::OfConnection);

    /// Change them before `open`.
    host::data::DatabaseSettings settings;

    std::unique_ptr<host::data::ServiceDatabase> open(std::string_view serviceId = "crm") const
    {
        return factory().open(settings, serviceId);
    }
    /// The one of this process.
    static const host::data::DatabaseFactory& factory();

private:
    TemporaryDirectory _directory;
};

/// For fixtures that are templates: `template <class Engine> class StoreTest`, registered once for each.
struct OnSqlite
{
    static constexpr Dialect dialect = Dialect::SQLite;
    static constexpr auto sessions = host::data::Sessions::OfConnection;
};
struct OnPostgres
{
    static constexpr Dialect dialect = Dialect::PostgreSQL;
    static constexpr auto sessions = host::data::Sessions::OfConnection;
};
/// The same with the statements that are sent to a pooler in transaction mode. tests/http/pooler.py has a pooler.
struct AsIfPooled
{
    static constexpr Dialect dialect = Dialect::PostgreSQL;
    static constexpr auto sessions = host::data::Sessions::OfTransaction;
};

} // namespace portico::tests
