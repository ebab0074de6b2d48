#include "host/data/Migrator.h"

#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <fstream>
#include <future>

namespace portico::tests
{

using host::data::MigrationError;
using host::data::MigrationSet;

/// Migrations: applied once, in order, whole or not at all, and refused when files and database disagree.
template <class Engine>
class MigratorTest : public Suite<MigratorTest<Engine>>
{
    using Self = MigratorTest;

    void setUp() override { _database = _place.open(); }

    TEST(appliesWhatIsPendingOnce)
    {
        write("0001_items.sql",
              "CREATE TABLE item (id BIGINT PRIMARY KEY);\n-- a comment; with a semicolon\nINSERT INTO item (id) VALUES (1);\n");
        equal(1, migrate().size());
        write("0002_more_items.sql", "INSERT INTO item (id) VALUES (2)");
        const auto done = migrate();
        equal(1, done.size());
        equal("more_items", done[0].name);
        equal(0, migrate().size());
        equal(2, count("item"));
        equal(4711, *_database->session().template value<std::int64_t>(
                        "SELECT applied_at FROM portico_migration WHERE set_name = $1 AND number = $2", "crm", 2));
    }

    TEST(takesTheTwinOfTheDialect)
    {
        write("0001_item.sqlite.sql", "CREATE TABLE item (engine TEXT DEFAULT 'sqlite'); INSERT INTO item DEFAULT VALUES");
        write("0001_item.postgresql.sql", "CREATE TABLE item (engine TEXT DEFAULT 'postgresql'); INSERT INTO item DEFAULT VALUES");
        migrate();
        equal(std::string(Engine::dialect == Dialect::SQLite ? "sqlite" : "postgresql"),
              *_database->session().template value<std::string>("SELECT engine FROM item"));
    }

    TEST(keepsSetsApart)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        migrate();
        TemporaryDirectory platform;
        write("0001_jobs.sql", "CREATE TABLE job (id BIGINT)", platform.path());
        equal(1, host::data::migrate(*_database, {"platform", platform.path()}, fromMillis(1)).size());
        equal(0, count("job"));
        equal(0, migrate().size());
    }

    TEST(reportsWithoutApplying)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        equal(1, host::data::pendingMigrations(*_database, set()).size());
        equal(1, host::data::pendingMigrations(*_database, set()).size());
        CPPUNIT_ASSERT_THROW(count("item"), DatabaseError);
        CPPUNIT_ASSERT_THROW(count("portico_migration"), DatabaseError);
        migrate();
        CHECK(host::data::pendingMigrations(*_database, set()).empty());
    }

    TEST(appliesAllOfAFileOrNothing)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT PRIMARY KEY)");
        write("0002_broken.sql", "CREATE TABLE other (id BIGINT);\nINSERT INTO item (id) VALUES (1);\nINSERT INTO item (id) VALUES (1);\n");
        CPPUNIT_ASSERT_THROW(migrate(), MigrationError);
        equal(0, count("item"));
        CPPUNIT_ASSERT_THROW(count("other"), DatabaseError);
        equal(1, host::data::pendingMigrations(*_database, set()).size());
        write("0002_broken.sql", "CREATE TABLE other (id BIGINT)"); // corrected: it was never applied
        equal(1, migrate().size());
    }

    TEST(namesFileAndLineOfAFailure)
    {
        write("0001_items.sql",
              "-- Ünïcödé before the place\nCREATE TABLE item (id BIGINT);\n\n/* two\nlines */ INSERT INTO missing (id) VALUES (1);\n");
        expectRefusal({"0001_items.sql:5: ", "42P01", "nothing of it was applied"});
        write("0001_items.sql",
              "CREATE TABLE item (id BIGINT PRIMARY KEY);\nINSERT INTO item (id) VALUES (1);\nINSERT INTO item (id) VALUES (1);\n");
        expectRefusal({"0001_items.sql:3: ", "23505"}); // fails as it runs, not as it is parsed
    }

    TEST(blamesNoFileForADatabaseThatGoesAway)
    {
        const bool sqlite = Engine::dialect == Dialect::SQLite;
        write("0001_items.sql",
              sqlite ? "PRAGMA max_page_count = 5;\nCREATE TABLE item (body BLOB);\nINSERT INTO item VALUES (zeroblob(1000000))"
                     : "CREATE TABLE item (id BIGINT);\nSELECT pg_terminate_backend(pg_backend_pid())");
        try
        {
            migrate();
            CPPUNIT_FAIL("expected a DatabaseError");
        }
        catch (const DatabaseError& error)
        {
            CHECK(error.kind() == DatabaseError::Kind::Unavailable);
            CPPUNIT_ASSERT_MESSAGE(error.what(), std::string(error.what()).find("0001_items.sql: ") != std::string::npos);
        }
        write("0001_items.sql", std::string(sqlite ? "PRAGMA max_page_count = 1000000;\n" : "") + "CREATE TABLE item (id BIGINT)");
        equal(1, migrate().size());
        equal(0, count("item"));
    }

    TEST(refusesTransactionsInAFile)
    {
        for (const char* command : {"COMMIT", "begin", "ROLLBACK", "/* x */ END"})
        {
            write("0001_items.sql", "CREATE TABLE item (id BIGINT);\n" + std::string(command) + ";\nCREATE TABLE other (id BIGINT)");
            expectRefusal({"0001_items.sql:2: ", "42501"});
            CPPUNIT_ASSERT_THROW(count("item"), DatabaseError);
        }
    }

    TEST(refusesAChangedFile)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        migrate();
        write("0001_items.sql", "CREATE TABLE item (id TEXT)");
        write("0002_more.sql", "CREATE TABLE more (id BIGINT)");
        expectRefusal({"0001_items.sql: ", "sha256", "put the file back"});
        CPPUNIT_ASSERT_THROW(host::data::pendingMigrations(*_database, set()), MigrationError);
        CPPUNIT_ASSERT_THROW(count("more"), DatabaseError);
    }

    TEST(namesTheResetWhereItIsAllowed)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        migrate();
        write("0001_items.sql", "CREATE TABLE item (id TEXT)");
        const auto said = [&](bool resettable)
        {
            auto changed = set();
            changed.resettable = resettable;
            try
            {
                host::data::migrate(*_database, changed, fromMillis(1));
                return std::string();
            }
            catch (const MigrationError& error)
            {
                return std::string(error.what());
            }
        };
        CHECK(said(true).find("porticoctl dev reset " + _database->serviceId()) != std::string::npos);
        CHECK(said(false).find("put the file back") != std::string::npos);
        CHECK(said(false).find("dev reset") == std::string::npos);
    }

    TEST(refusesANewerDatabase)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        write("0002_more.sql", "CREATE TABLE more (id BIGINT)");
        migrate();
        std::filesystem::remove(_files.path() / "0002_more.sql");
        expectRefusal({"migration 2 ('more')", "newer than this version"});
    }

    TEST(refusesAHalfMigratedDatabase)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT)");
        write("0002_more.sql", "CREATE TABLE more (id BIGINT)");
        migrate();
        _database->transact([](Transaction& t) { t.execute("DELETE FROM portico_migration WHERE number = 1"); });
        expectRefusal({"expected migration 1", "half migrated"});
    }

    TEST(refusesBadFiles)
    {
        write("1_items.sql", "SELECT 1");
        expectRefusal({"1_items.sql: ", "0001_what_it_does.sql"});
        std::filesystem::remove(_files.path() / "1_items.sql");

        write("0002_items.sql", "SELECT 1");
        expectRefusal({"0002_items.sql: ", "expected migration 1, found 2"});

        write("0001_items.sqlite.sql", "SELECT 1");
        write("0001_items.sql", "SELECT 1");
        expectRefusal({"0001_items.sql: ", "found both"});
        std::filesystem::remove(_files.path() / "0001_items.sql");

        write("0001_other.postgresql.sql", "SELECT 1");
        expectRefusal({"second migration with this number"});
        std::filesystem::remove(_files.path() / "0001_other.postgresql.sql");
        std::filesystem::remove(_files.path() / "0001_items.sqlite.sql");

        write(Engine::dialect == Dialect::SQLite ? "0001_items.postgresql.sql" : "0001_items.sqlite.sql", "SELECT 1");
        expectRefusal({"expected a twin"});
    }

    TEST(runsTriggersAndFunctions)
    {
        write("0001_items.sql", "CREATE TABLE item (id BIGINT, note TEXT); CREATE TABLE seen (id BIGINT);");
        write("0002_trigger.sqlite.sql", "CREATE TRIGGER item_seen AFTER INSERT ON item BEGIN\n  INSERT INTO seen (id) VALUES (new.id);\n  "
                                         "UPDATE seen SET id = id;\nEND;\nINSERT INTO item (id, note) VALUES (1, 'a;''b')");
        write("0002_trigger.postgresql.sql", "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $body$\nBEGIN\n  INSERT INTO seen "
                                             "(id) VALUES (new.id); RETURN new;\nEND;\n"
                                             "$body$;\nCREATE TRIGGER item_seen AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION see();\n"
                                             "/* nested /* COMMIT; */ ; */ INSERT INTO item (id, note) VALUES (1, E'a;\\'; COMMIT; ''b')");
        migrate();
        equal(1, count("seen"));
    }

    TEST(keepsOtherMigratorsOut)
    {
        for (int i = 1; i <= 5; ++i)
            write("000" + std::to_string(i) + "_step.sql", "CREATE TABLE step" + std::to_string(i) + " (id BIGINT PRIMARY KEY)");
        std::vector<std::future<std::size_t>> hosts;
        for (int i = 0; i < 4; ++i)
            hosts.push_back(std::async(std::launch::async,
                                       [this]
                                       {
                                           const auto database = _place.open(); // as another process has it
                                           return host::data::migrate(*database, set(), fromMillis(1)).size();
                                       }));
        std::size_t applied = 0;
        for (auto& host : hosts) applied += host.get();
        equal(5, applied);
        equal(5, count("portico_migration"));
    }

    MigrationSet set() const { return {"crm", _files.path()}; }
    std::vector<host::data::Migration> migrate() { return host::data::migrate(*_database, set(), fromMillis(4711)); }
    int count(const std::string& table) { return *_database->session().template value<int>("SELECT count(*) FROM " + table); }

    void write(const std::string& name, const std::string& sql) { write(name, sql, _files.path()); }
    static void write(const std::string& name, const std::string& sql, const std::filesystem::path& directory)
    {
        std::ofstream(directory / name) << sql;
    }

    void expectRefusal(const std::vector<std::string>& parts)
    {
        try
        {
            migrate();
            CPPUNIT_FAIL("expected a MigrationError");
        }
        catch (const MigrationError& error)
        {
            const std::string text = error.what();
            for (const auto& part : parts) CPPUNIT_ASSERT_MESSAGE(text + "\nlacks: " + part, text.find(part) != std::string::npos);
        }
    }

    TestDatabase _place{Engine::dialect};
    TemporaryDirectory _files;
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class MigratorTest<OnSqlite>;
template class MigratorTest<OnPostgres>;

} // namespace portico::tests
