#include "crm/CrmFixture.h"

#include "host/data/Migrator.h"

namespace portico::tests
{

namespace
{

/// A database that lives as long as the process.
class SharedDatabase
{
public:
    explicit SharedDatabase(Dialect dialect) : _place(dialect), _database(_place.open())
    {
        host::data::Migrator(*_database).migrate({"crm", CRM_MIGRATIONS}, Instant{});
        const std::string key = dialect == Dialect::SQLite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
        auto transaction = _database->begin();
        transaction.execute("CREATE TABLE test_event (id " + key +
                            ", organization_id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL)");
        transaction.commit();
    }
    Database& database() { return *_database; }

private:
    TestDatabase _place;
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

} // namespace

Database& crmDatabase(Dialect dialect)
{
    if (dialect == Dialect::SQLite)
    {
        static SharedDatabase sqlite(Dialect::SQLite);
        return sqlite.database();
    }
    static SharedDatabase postgres(Dialect::PostgreSQL);
    return postgres.database();
}

} // namespace portico::tests
