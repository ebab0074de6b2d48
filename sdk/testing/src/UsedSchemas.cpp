#include "UsedSchemas.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace portico::testing
{

namespace
{

/// Each holds the connections of its pool open.
constexpr std::size_t maxFreeSchemas = 4;

std::string replaced(std::string text, const std::string& schema)
{
    for (auto at = text.find("$schema"); at != std::string::npos; at = text.find("$schema", at)) text.replace(at, 7, schema);
    return text;
}

std::string tablesOf(Database& database, const std::string& schema)
{
    auto session = database.session();
    return session
        .value<std::string>(replaced(R"(SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM (
          SELECT attrelid || ',' || attnum || ',' || attname || ',' || atttypid || ',' || attnotnull AS line
            FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = '"$schema"'::regnamespace
          UNION ALL SELECT 'i' || indexrelid FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
            WHERE relnamespace = '"$schema"'::regnamespace
          UNION ALL SELECT 'c' || oid FROM pg_constraint WHERE connamespace = '"$schema"'::regnamespace
          UNION ALL SELECT 't' || pg_trigger.oid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
            WHERE relnamespace = '"$schema"'::regnamespace AND NOT tgisinternal) AS lines)",
                                     schema))
        .value_or("");
}

/// Empties the tables and restores only the rows that the migrations wrote.
void empty(Database& database, const std::string& schema)
{
    database.transact(
        [&](Transaction& transaction)
        {
            // Rows in any order: no foreign key looks.
            transaction.execute("SET LOCAL session_replication_role = replica");
            transaction.execute(replaced(R"(DO $$ DECLARE name text; BEGIN
              FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '$schema' LOOP
                EXECUTE format('DELETE FROM "$schema".%I', name);
              END LOOP;
              FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = '$schema' AND last_value IS NOT NULL LOOP
                EXECUTE format('ALTER SEQUENCE "$schema".%I RESTART', name);
              END LOOP;
              FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '$schema_start' LOOP
                EXECUTE format('INSERT INTO "$schema".%I SELECT * FROM "$schema_start".%I', name, name);
              END LOOP; END $$)",
                                         schema));
        });
}

void drop(const TestSchema& schema) noexcept
try
{
    schema.database->transact(
        [&](Transaction& transaction)
        {
            transaction.execute("DROP SCHEMA IF EXISTS \"" + schema.name + "_start\" CASCADE");
            transaction.execute("DROP SCHEMA \"" + schema.name + "\" CASCADE");
        });
}
catch (const std::exception& error)
{
    std::fprintf(stderr, "the schema %s of a test stays: %s\n", schema.name.c_str(), error.what());
}

} // namespace

UsedSchemas::~UsedSchemas() { std::ranges::for_each(_free, drop); }

std::optional<TestSchema> UsedSchemas::take(const std::string& migrations)
{
    const std::scoped_lock lock(_mutex);
    const auto found = std::ranges::find(_free, migrations, &TestSchema::migrations);
    if (found == _free.end()) return std::nullopt;
    TestSchema taken = std::move(*found);
    _free.erase(found);
    return taken;
}

void UsedSchemas::remember(TestSchema& schema)
{
    schema.database->transact(
        [&](Transaction& transaction)
        {
            transaction.execute(replaced(R"(DO $$ DECLARE name text; has boolean; BEGIN
              CREATE SCHEMA "$schema_start";
              FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '$schema' LOOP
                EXECUTE format('SELECT EXISTS (SELECT FROM "$schema".%I)', name) INTO has;
                IF has THEN EXECUTE format('CREATE TABLE "$schema_start".%I AS TABLE "$schema".%I', name, name); END IF;
              END LOOP; END $$)",
                                         schema.name));
        });
    schema.tables = tablesOf(*schema.database, schema.name);
}

void UsedSchemas::giveBack(TestSchema schema) noexcept
{
    try
    {
        if (!schema.tables.empty() && tablesOf(*schema.database, schema.name) == schema.tables)
        {
            empty(*schema.database, schema.name);
            const std::scoped_lock lock(_mutex);
            if (_free.size() < maxFreeSchemas)
            {
                _free.push_front(std::move(schema));
                return;
            }
        }
    }
    catch (const std::exception&)
    {
        // Only a superuser can empty the tables. Otherwise the schema is dropped.
    }
    drop(schema);
}

} // namespace portico::testing
