#include "support/ChildProgram.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <sqlite3.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>

namespace portico::tests
{

namespace
{

using namespace std::chrono_literals;

struct CloseHandle
{
    void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
};

std::unique_ptr<sqlite3, CloseHandle> openByHand(const std::filesystem::path& file)
{
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    return std::unique_ptr<sqlite3, CloseHandle>(handle);
}

/// Commits numbers one by one and reports each through the pipe once it is acknowledged, until it is killed.
const ChildProgram writer("writes until it is killed",
                          [](const std::vector<std::string>& arguments, int acknowledgements)
                          {
                              TestDatabase place(Dialect::SQLite);
                              place.settings.directory = arguments.at(0);
                              const auto database = place.open();
                              for (int number = 1;; ++number)
                              {
                                  database->transact([&](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", number); });
                                  if (::write(acknowledgements, &number, sizeof number) != sizeof number) return;
                              }
                          });

} // namespace

/// Behaviour of SQLite only: files, the lock between processes, durability.
class SqliteTest : public Suite<SqliteTest>
{
    void setUp() override
    {
        _place.settings.lockWait = 20ms;
        _file = _place.settings.directory / "crm.db";
    }

    TEST(setsUpTheFile)
    {
        const auto database = _place.open();
        auto session = database->session();
        equal("wal", *session.value<std::string>("PRAGMA journal_mode"));
        equal(1, *session.value<int>("PRAGMA foreign_keys"));
        equal(1, *session.value<int>("PRAGMA secure_delete"));
        equal(1, *database->begin().value<int>("PRAGMA synchronous")); // NORMAL
        for (const char* suffix : {"", "-wal", "-shm"})
        {
            struct stat status = {};
            equal(0, stat((_file.string() + suffix).c_str(), &status), suffix);
            equal(mode_t{S_IFREG | 0600}, status.st_mode, suffix);
        }
    }

    TEST(unusedSessionsReleaseMemory)
    {
        const auto database = _place.open();
        database->transact(
            [](Transaction& transaction)
            {
                transaction.execute("CREATE TABLE page (text TEXT)");
                for (int i = 0; i < 200; ++i) transaction.execute("INSERT INTO page VALUES ($1)", std::string(20'000, 'x'));
            });
        const auto read = [&] { return *database->session().value<std::int64_t>("SELECT sum(length(text)) FROM page"); };
        equal(4'000'000, read());
        const auto before = sqlite3_memory_used();
        // A borrowed connection keeps its memory.
        {
            auto lent = database->session();
            database->giveMemoryBack(0s);
            equal(4'000'000, *lent.value<std::int64_t>("SELECT sum(length(text)) FROM page"));
        }
        database->giveMemoryBack(0s);
        CHECK(sqlite3_memory_used() < before - 4'000'000);
        equal(0, database->stats().sessions.inUse);
        equal(4'000'000, read());
        // Those that were used lately are left alone.
        const auto warm = sqlite3_memory_used();
        database->giveMemoryBack(1h);
        equal(warm, sqlite3_memory_used());
    }

    TEST(putsOnDiskWhatWasWritten)
    {
        const auto database = _place.open();
        const auto syncsOf = [&](const std::function<void(Transaction&)>& work)
        {
            const auto before = database->stats().syncs;
            database->transact(work);
            return database->stats().syncs - before;
        };
        const auto running = [&](std::string_view sql) { return syncsOf([&](Transaction& transaction) { transaction.execute(sql); }); };
        equal(1, running("CREATE TABLE item (id BIGINT PRIMARY KEY, note TEXT)"));
        equal(1, running("INSERT INTO item VALUES (1, 'a')"));
        equal(1, running("UPDATE item SET note = 'b' RETURNING id"));
        // A transaction without writes does not wait.
        equal(0, running("UPDATE item SET note = 'c' WHERE id = 2"));
        equal(0, syncsOf([](Transaction&) {}));
        const auto before = database->stats().syncs;
        database->begin().execute("DELETE FROM item");
        equal(before, database->stats().syncs);
        equal(1, running("DELETE FROM item"));
    }

    TEST(endsNoScript)
    {
        _place.settings.statementTimeout = 5ms;
        const auto database = _place.open();
        const std::string count =
            "WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 2000000) SELECT count(*) FROM counted";
        {
            auto transaction = database->begin();
            auto& connection = host::data::nativeConnection(transaction);
            connection.lockForMigration();
            connection.runScript("CREATE TABLE item AS " + count + "; INSERT INTO item VALUES (1);");
            transaction.commit();
        }
        expect(DatabaseError::Kind::Busy, [&] { database->session().value<int>(count); });
        equal(2, *database->session().value<int>("SELECT count(*) FROM item"));
    }

    TEST(isBusyWhileAnotherProcessWrites)
    {
        const auto database = _place.open();
        const auto other = openByHand(_file);
        equal(SQLITE_OK, sqlite3_exec(other.get(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
        expect(DatabaseError::Kind::Busy, [&] { database->begin(); });
        equal(1, *database->session().value<int>("SELECT 1"));
        equal(SQLITE_OK, sqlite3_exec(other.get(), "ROLLBACK", nullptr, nullptr, nullptr));
        database->begin().commit();
    }

    TEST(refusesAFileThatIsNoDatabase)
    {
        std::ofstream(_file) << std::string(5000, 'x');
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open(); });
    }

    TEST(refusesADirectoryThatIsAFile)
    {
        std::ofstream(_place.settings.directory / "occupied") << "x";
        _place.settings.directory /= "occupied";
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open(); });
    }

    TEST(reportsAFullDisk)
    {
        const auto database = _place.open();
        database->transact([](Transaction& t) { t.execute("CREATE TABLE item (body TEXT)"); });
        {
            auto transaction = database->begin();
            transaction.value<int>("PRAGMA max_page_count = 4");
            const std::string large(100'000, 'x');
            expect(DatabaseError::Kind::Unavailable, [&] { transaction.execute("INSERT INTO item (body) VALUES ($1)", large); });
            expect(DatabaseError::Kind::Unavailable, [&] { transaction.commit(); }); // SQLite has rolled back
        }
        database->transact([](Transaction& t) { t.execute("INSERT INTO item (body) VALUES ('small')"); });
        equal(1, *database->session().value<int>("SELECT count(*) FROM item"));
    }

    TEST(keepsWhatWasAcknowledgedBeforeACrash)
    {
        _place.open()->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY)"); });
        const TemporaryDirectory scratch;
        const auto child = writer.start({_place.settings.directory.string()}, scratch.path().string());
        int acknowledged = 0;
        for (int number = 0; acknowledged < 25 && read(child.output, &number, sizeof number) == sizeof number;) acknowledged = number;
        kill(child.process, SIGKILL);
        waitpid(child.process, nullptr, 0);
        for (int number = 0; read(child.output, &number, sizeof number) == sizeof number;) acknowledged = number;
        close(child.output);

        CHECK(acknowledged >= 25);
        const auto found = *_place.open()->session().value<int>("SELECT count(*) FROM item");
        CHECK(found == acknowledged || found == acknowledged + 1); // the last may have been committed without a word
    }

    template <class F>
    static void expect(DatabaseError::Kind kind, F&& run)
    {
        try
        {
            run();
        }
        catch (const DatabaseError& error)
        {
            CPPUNIT_ASSERT_MESSAGE(error.what(), error.kind() == kind);
            return;
        }
        CPPUNIT_FAIL("expected a DatabaseError");
    }

    TestDatabase _place{Dialect::SQLite};
    std::filesystem::path _file;
};

} // namespace portico::tests
