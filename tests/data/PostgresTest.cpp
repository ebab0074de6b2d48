#include "host/data/postgres/PostgresEngine.h"

#include "support/Postgres.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <latch>
#include <thread>

namespace portico::tests
{

namespace
{

using namespace std::chrono_literals;

/// The server's process of a session does nothing for as long as this lives.
class Frozen
{
public:
    explicit Frozen(Session& session) : _process(*session.value<int>("SELECT pg_backend_pid()")) { ::kill(_process, SIGSTOP); }
    ~Frozen() { ::kill(_process, SIGCONT); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

private:
    const pid_t _process;
};

} // namespace

/// Behaviour of servers only: restarts, deadlocks, tables that change under prepared statements.
class PostgresTest : public Suite<PostgresTest>
{
    void setUp() override { _database = _place.open(); }

    TEST(isUnavailableWhileTheServerIsDown)
    {
        makeTable();
        auto transaction = std::make_unique<Transaction>(_database->begin());
        transaction->execute("INSERT INTO item (id) VALUES (1)");
        auto& server = PostgresServer::shared();
        server.kill();
        expect(DatabaseError::Kind::Unavailable, [&] { transaction->commit(); }); // a lost connection
        transaction.reset();
        expect(DatabaseError::Kind::Unavailable, [&] { _database->session(); }); // no server
        expect(DatabaseError::Kind::Unavailable, [&] { _database->begin(); });
        const auto openedNow = _place.open("late"); // the host starts without it
        expect(DatabaseError::Kind::Unavailable, [&] { openedNow->ping(); });
        server.start();
        equal(0, count());
        openedNow->ping();
        equal(0, _database->stats().sessions.inUse);
    }

    TEST(failsAWaitingCrowdAtOnce)
    {
        _place.settings.connections = 2;
        _place.settings.sessionWait = 60s;
        _database = _place.open();
        auto& server = PostgresServer::shared();
        server.kill();
        std::atomic<int> unavailable{0};
        {
            std::vector<std::jthread> crowd;
            for (int i = 0; i < 8; ++i)
                crowd.emplace_back([&] { expect(DatabaseError::Kind::Unavailable, [&] { _database->session(); }), ++unavailable; });
        }
        server.start();
        equal(8, unavailable.load());
        equal(1, *_database->session().value<int>("SELECT 1"));
    }

    TEST(isUnavailableForWritesOnAStandby)
    {
        makeTable();
        auto& server = PostgresServer::shared();
        server.kill();
        server.startAsStandby();
        expect(DatabaseError::Kind::Unavailable, [&] { _database->transact([](Transaction&) {}); });
        expect(DatabaseError::Kind::Unavailable,
               [&] { _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); }); });
        equal(0, count());
        server.kill();
        server.start();
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); });
        equal(1, count());
    }

    /// One round trip for both.
    TEST(beginsWithTheFirstStatement)
    {
        makeTable();
        auto watcher = _database->session();
        const auto open = [&]
        { return *watcher.value<int>("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"); };
        for (const bool prepared : {false, true})
        {
            auto transaction = _database->begin();
            equal(0, open());
            transaction.execute("INSERT INTO item (id) VALUES ($1)", prepared ? 2 : 1);
            equal(1, open());
            transaction.commit();
        }
        expect(DatabaseError::Kind::UniqueViolation,
               [&] { _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", 1); }); });
        equal(0, open());
        equal(2, count());
    }

    /// Defect of the connector: it never closes what broke.
    TEST(leavesNoSocketBehind)
    {
        auto& server = PostgresServer::shared();
        _database->ping();
        const auto before = openDescriptors();
        for (int outage = 0; outage < 3; ++outage)
        {
            server.kill();
            expect(DatabaseError::Kind::Unavailable, [&] { _database->ping(); });
            expect(DatabaseError::Kind::Unavailable, [&] { _database->ping(); });
            server.start();
            _database->ping();
        }
        equal(before, openDescriptors());
    }

    TEST(keepsWhatWasAcknowledgedBeforeACrash)
    {
        makeTable();
        std::atomic<int> acknowledged{0};
        std::jthread writer(
            [&]
            {
                try
                {
                    for (int number = 1;; ++number)
                    {
                        _database->transact([&](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", number); });
                        acknowledged = number;
                    }
                }
                catch (const DatabaseError& error)
                {
                    CHECK(error.kind() == DatabaseError::Kind::Unavailable);
                }
            });
        while (acknowledged < 50) std::this_thread::yield();
        PostgresServer::shared().kill();
        writer.join();
        PostgresServer::shared().start();
        const int found = count();
        CHECK(found == acknowledged || found == acknowledged + 1);
    }

    /// Its kernel keeps the connection, and nothing ever comes.
    TEST(givesUpAFrozenServer)
    {
        _place.settings.statementTimeout = 1500ms;
        _place.settings.answerGrace = 0ms;
        _database = _place.open();
        makeTable();
        for (const bool atCommit : {false, true})
        {
            auto transaction = std::make_unique<Transaction>(_database->begin());
            const Frozen frozen(*transaction);
            if (atCommit)
                expect(DatabaseError::Kind::Unavailable, [&] { transaction->commit(); });
            else
                expect(DatabaseError::Kind::Unavailable, [&] { transaction->execute("INSERT INTO item (id) VALUES (1)"); });
            transaction.reset();
            _database->transact([&](Transaction& next) { next.execute("INSERT INTO item (id) VALUES ($1)", atCommit ? 3 : 2); });
            equal(atCommit ? 2 : 1, count());
        }
    }

    TEST(givesUpAFrozenServerThatWasIdle)
    {
        _place.settings.connectTimeout = 1s;
        _place.settings.idleCheck = 0s;
        _database = _place.open();
        auto session = std::make_unique<Session>(_database->session());
        const Frozen frozen(*session);
        session.reset();
        _database->ping();
        equal(2, _database->stats().sessions.opened);
    }

    TEST(givesNoMigrationUp)
    {
        _place.settings.statementTimeout = 500ms;
        _place.settings.answerGrace = 0ms;
        _database = _place.open();
        {
            auto transaction = _database->begin();
            auto& connection = host::data::nativeConnection(transaction);
            connection.lockForMigration();
            connection.runScript("SELECT pg_sleep(0.7)");
            transaction.execute("SELECT pg_sleep(0.7)");
            transaction.commit();
        }
        // The next one on this connection has an end again; the server's own went with the transaction.
        CPPUNIT_ASSERT_THROW(_database->session().execute("SELECT pg_sleep(60)"), DatabaseError);
    }

    TEST(refusesToCopy)
    {
        makeTable();
        for (const char* copy : {"COPY item TO STDOUT", "COPY item FROM STDIN"})
        {
            expect(DatabaseError::Kind::Other, [&] { _database->transact([&](Transaction& t) { t.execute(copy); }); });
            equal(0, count());
        }
    }

    TEST(resolvesDeadlocks)
    {
        makeTable();
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1), (2)"); });
        std::latch bothHoldOne(2);
        std::atomic<int> attempts{0};
        const auto lockBoth = [&](int first, int second)
        {
            bool met = false;
            _database->transact(
                [&](Transaction& transaction)
                {
                    ++attempts;
                    transaction.execute("UPDATE item SET name = 'x' WHERE id = $1", first);
                    if (!std::exchange(met, true)) bothHoldOne.arrive_and_wait();
                    transaction.execute("UPDATE item SET name = 'x' WHERE id = $1", second);
                });
        };
        std::jthread other([&] { lockBoth(2, 1); });
        lockBoth(1, 2);
        other.join();
        CHECK(attempts >= 3); // one of them ran again
    }

    TEST(isBusyWhenALockTakesTooLong)
    {
        makeTable();
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); });
        _place.settings.lockWait = 20ms;
        const auto impatient = _place.open();
        auto holder = _database->begin();
        holder.execute("UPDATE item SET name = 'held'");
        auto waiting = impatient->begin();
        expect(DatabaseError::Kind::Busy, [&] { waiting.execute("UPDATE item SET name = 'late'"); });
    }

    TEST(retriesWhenTablesChange)
    {
        makeTable();
        constexpr std::string_view sql = "SELECT * FROM item";
        {
            auto session = _database->session();
            session.query(sql);
        }
        _database->transact([&](Transaction& t) { t.query(sql); });
        const auto other = _place.open();
        other->transact([](Transaction& t) { t.execute("ALTER TABLE item ADD COLUMN added TEXT"); });
        {
            auto session = _database->session();
            CHECK(!session.query(sql).next()); // prepared again
        }
        other->transact([](Transaction& t) { t.execute("ALTER TABLE item ADD COLUMN another TEXT"); });
        int attempts = 0;
        _database->transact([&](Transaction& t) { ++attempts, t.query(sql); });
        equal(2, attempts); // the transaction was spoiled, so all of it ran again
    }

    TEST(preparesAgainWhatTheServerForgot)
    {
        auto session = _database->session();
        equal(1, *session.value<int>("SELECT 1"));
        session.execute("DEALLOCATE ALL");
        equal(1, *session.value<int>("SELECT 1"));
    }

    TEST(forgetsSettingsOfASession)
    {
        {
            auto session = _database->session();
            session.execute("SET search_path TO public");
        }
        equal("crm", *_database->session().value<std::string>("SELECT current_schema()"));
    }

    TEST(refusesSettingsOfASharedSession)
    {
        const auto pooled = openPooled();
        for (const auto* sql : {"SET search_path TO public", "set session lock_timeout to 1", "LISTEN news", "PREPARE one AS SELECT 1"})
        {
            auto session = pooled->session();
            expect(DatabaseError::Kind::Other, [&] { session.execute(sql); });
            equal("crm", *session.value<std::string>("SELECT current_schema()"));
        }
        pooled->transact([](Transaction& transaction) { transaction.execute("SET LOCAL lock_timeout TO 1"); });
    }

    /// Reads, writes and failures name no statement.
    TEST(namesNoStatementInASharedSession)
    {
        const auto pooled = openPooled();
        pooled->transact([](Transaction& transaction) { transaction.execute("CREATE TABLE shared (id BIGINT PRIMARY KEY)"); });
        for (int turn = 0; turn < 3; ++turn)
            pooled->transact([&](Transaction& transaction) { transaction.execute("INSERT INTO shared VALUES ($1)", turn); });
        expect(DatabaseError::Kind::Other, [&] { pooled->session().execute("SELECT 1 FROM nothing"); });
        expect(DatabaseError::Kind::UniqueViolation,
               [&] { pooled->transact([](Transaction& transaction) { transaction.execute("INSERT INTO shared VALUES (1)"); }); });
        auto session = pooled->session();
        equal(3, *session.value<int>("SELECT count(*) FROM shared"));
        equal(0, *session.value<int>("SELECT count(*) FROM pg_prepared_statements"));
    }

    TEST(takesThePasswordFromAFile)
    {
        TemporaryDirectory directory;
        _place.settings.url = PostgresServer::shared().urlWithoutPassword("postgres");
        _place.settings.passwordFile = directory.path() / "password";
        std::ofstream(_place.settings.passwordFile) << PostgresServer::password() << "\n";
        _place.open()->ping();
        _place.settings.passwordFile = directory.path() / "missing";
        CPPUNIT_ASSERT_THROW(_place.open(), std::invalid_argument);
    }

    TEST(reportsAWrongPassword)
    {
        _place.settings.url = "host=/nowhere user=postgres password=secret dbname=x";
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open()->ping(); });
        _place.settings.url = PostgresServer::shared().urlWithoutPassword("postgres");
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open()->ping(); });
    }

    TEST(keepsPasswordsOutOfErrors)
    {
        for (const char* url : {"postgresql://u:secret%zz@h/d", "host=h password='secret", "host=h password='a secret'", "nonsense=secret"})
        {
            host::data::DatabaseSettings settings;
            settings.url = url;
            try
            {
                pocoConnectionString(settings);
                CPPUNIT_FAIL(url);
            }
            catch (const std::invalid_argument& error)
            {
                CHECK(std::string(error.what()).find("secret") == std::string::npos);
            }
        }
    }

    void makeTable()
    {
        _database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT)"); });
    }
    static std::ptrdiff_t openDescriptors()
    {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
    }
    int count() { return *_database->session().value<int>("SELECT count(*) FROM item"); }

    std::unique_ptr<host::data::ServiceDatabase> openPooled()
    {
        _place.settings.sessions = host::data::Sessions::OfTransaction;
        return _place.open();
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

    TestDatabase _place{Dialect::PostgreSQL};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

} // namespace portico::tests
