#include "host/data/postgres/PostgresEngine.h"

#include "support/Postgres.h"
#include "support/TestDatabase.h"

#include <cppunit/extensions/HelperMacros.h>

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

/// What only a server does: it goes away and comes back, it finds deadlocks, its tables change under prepared statements.
class PostgresTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PostgresTest);
    CPPUNIT_TEST(isUnavailableWhileTheServerIsDown);
    CPPUNIT_TEST(failsAWaitingCrowdAtOnce);
    CPPUNIT_TEST(leavesNoSocketBehind);
    CPPUNIT_TEST(isUnavailableForWritesOnAStandby);
    CPPUNIT_TEST(beginsWithTheFirstStatement);
    CPPUNIT_TEST(keepsWhatWasAcknowledgedBeforeACrash);
    CPPUNIT_TEST(givesUpAFrozenServer);
    CPPUNIT_TEST(givesUpAFrozenServerThatWasIdle);
    CPPUNIT_TEST(givesNoMigrationUp);
    CPPUNIT_TEST(refusesToCopy);
    CPPUNIT_TEST(resolvesDeadlocks);
    CPPUNIT_TEST(isBusyWhenALockTakesTooLong);
    CPPUNIT_TEST(retriesWhenTablesChange);
    CPPUNIT_TEST(preparesAgainWhatTheServerForgot);
    CPPUNIT_TEST(forgetsSettingsOfASession);
    CPPUNIT_TEST(refusesSettingsOfASharedSession);
    CPPUNIT_TEST(namesNoStatementInASharedSession);
    CPPUNIT_TEST(takesThePasswordFromAFile);
    CPPUNIT_TEST(reportsAWrongPassword);
    CPPUNIT_TEST(keepsPasswordsOutOfErrors);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _database = _place.open(); }

    void isUnavailableWhileTheServerIsDown()
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
        CPPUNIT_ASSERT_EQUAL(0, count());
        openedNow->ping();
        CPPUNIT_ASSERT_EQUAL(0, _database->stats().sessions.inUse);
    }

    void failsAWaitingCrowdAtOnce()
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
        CPPUNIT_ASSERT_EQUAL(8, unavailable.load());
        CPPUNIT_ASSERT_EQUAL(1, *_database->session().value<int>("SELECT 1"));
    }

    void isUnavailableForWritesOnAStandby()
    {
        makeTable();
        auto& server = PostgresServer::shared();
        server.kill();
        server.startAsStandby();
        expect(DatabaseError::Kind::Unavailable, [&] { _database->transact([](Transaction&) {}); });
        expect(DatabaseError::Kind::Unavailable,
               [&] { _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); }); });
        CPPUNIT_ASSERT_EQUAL(0, count());
        server.kill();
        server.start();
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); });
        CPPUNIT_ASSERT_EQUAL(1, count());
    }

    /// One round trip for both.
    void beginsWithTheFirstStatement()
    {
        makeTable();
        auto watcher = _database->session();
        const auto open = [&]
        { return *watcher.value<int>("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"); };
        for (const bool prepared : {false, true})
        {
            auto transaction = _database->begin();
            CPPUNIT_ASSERT_EQUAL(0, open());
            transaction.execute("INSERT INTO item (id) VALUES ($1)", prepared ? 2 : 1);
            CPPUNIT_ASSERT_EQUAL(1, open());
            transaction.commit();
        }
        expect(DatabaseError::Kind::UniqueViolation,
               [&] { _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", 1); }); });
        CPPUNIT_ASSERT_EQUAL(0, open());
        CPPUNIT_ASSERT_EQUAL(2, count());
    }

    /// Defect of the connector: it never closes what broke.
    void leavesNoSocketBehind()
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
        CPPUNIT_ASSERT_EQUAL(before, openDescriptors());
    }

    void keepsWhatWasAcknowledgedBeforeACrash()
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
                    CPPUNIT_ASSERT(error.kind() == DatabaseError::Kind::Unavailable);
                }
            });
        while (acknowledged < 50) std::this_thread::yield();
        PostgresServer::shared().kill();
        writer.join();
        PostgresServer::shared().start();
        const int found = count();
        CPPUNIT_ASSERT(found == acknowledged || found == acknowledged + 1);
    }

    /// Its kernel keeps the connection, and nothing ever comes.
    void givesUpAFrozenServer()
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
            CPPUNIT_ASSERT_EQUAL(atCommit ? 2 : 1, count());
        }
    }

    void givesUpAFrozenServerThatWasIdle()
    {
        _place.settings.connectTimeout = 1s;
        _place.settings.idleCheck = 0s;
        _database = _place.open();
        auto session = std::make_unique<Session>(_database->session());
        const Frozen frozen(*session);
        session.reset();
        _database->ping();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, _database->stats().sessions.opened);
    }

    void givesNoMigrationUp()
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

    void refusesToCopy()
    {
        makeTable();
        for (const char* copy : {"COPY item TO STDOUT", "COPY item FROM STDIN"})
        {
            expect(DatabaseError::Kind::Other, [&] { _database->transact([&](Transaction& t) { t.execute(copy); }); });
            CPPUNIT_ASSERT_EQUAL(0, count());
        }
    }

    void resolvesDeadlocks()
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
        CPPUNIT_ASSERT(attempts >= 3); // one of them ran again
    }

    void isBusyWhenALockTakesTooLong()
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

    void retriesWhenTablesChange()
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
            CPPUNIT_ASSERT(!session.query(sql).next()); // prepared again
        }
        other->transact([](Transaction& t) { t.execute("ALTER TABLE item ADD COLUMN another TEXT"); });
        int attempts = 0;
        _database->transact([&](Transaction& t) { ++attempts, t.query(sql); });
        CPPUNIT_ASSERT_EQUAL(2, attempts); // the transaction was spoiled, so all of it ran again
    }

    void preparesAgainWhatTheServerForgot()
    {
        auto session = _database->session();
        CPPUNIT_ASSERT_EQUAL(1, *session.value<int>("SELECT 1"));
        session.execute("DEALLOCATE ALL");
        CPPUNIT_ASSERT_EQUAL(1, *session.value<int>("SELECT 1"));
    }

    void forgetsSettingsOfASession()
    {
        {
            auto session = _database->session();
            session.execute("SET search_path TO public");
        }
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), *_database->session().value<std::string>("SELECT current_schema()"));
    }

    void refusesSettingsOfASharedSession()
    {
        const auto pooled = openPooled();
        for (const auto* sql : {"SET search_path TO public", "set session lock_timeout to 1", "LISTEN news", "PREPARE one AS SELECT 1"})
        {
            auto session = pooled->session();
            expect(DatabaseError::Kind::Other, [&] { session.execute(sql); });
            CPPUNIT_ASSERT_EQUAL(std::string("crm"), *session.value<std::string>("SELECT current_schema()"));
        }
        pooled->transact([](Transaction& transaction) { transaction.execute("SET LOCAL lock_timeout TO 1"); });
    }

    /// Reads, writes and failures name no statement.
    void namesNoStatementInASharedSession()
    {
        const auto pooled = openPooled();
        pooled->transact([](Transaction& transaction) { transaction.execute("CREATE TABLE shared (id BIGINT PRIMARY KEY)"); });
        for (int turn = 0; turn < 3; ++turn)
            pooled->transact([&](Transaction& transaction) { transaction.execute("INSERT INTO shared VALUES ($1)", turn); });
        expect(DatabaseError::Kind::Other, [&] { pooled->session().execute("SELECT 1 FROM nothing"); });
        expect(DatabaseError::Kind::UniqueViolation,
               [&] { pooled->transact([](Transaction& transaction) { transaction.execute("INSERT INTO shared VALUES (1)"); }); });
        auto session = pooled->session();
        CPPUNIT_ASSERT_EQUAL(3, *session.value<int>("SELECT count(*) FROM shared"));
        CPPUNIT_ASSERT_EQUAL(0, *session.value<int>("SELECT count(*) FROM pg_prepared_statements"));
    }

    void takesThePasswordFromAFile()
    {
        TemporaryDirectory directory;
        _place.settings.url = PostgresServer::shared().urlWithoutPassword("postgres");
        _place.settings.passwordFile = directory.path() / "password";
        std::ofstream(_place.settings.passwordFile) << PostgresServer::password() << "\n";
        _place.open()->ping();
        _place.settings.passwordFile = directory.path() / "missing";
        CPPUNIT_ASSERT_THROW(_place.open(), std::invalid_argument);
    }

    void reportsAWrongPassword()
    {
        _place.settings.url = "host=/nowhere user=postgres password=secret dbname=x";
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open()->ping(); });
        _place.settings.url = PostgresServer::shared().urlWithoutPassword("postgres");
        expect(DatabaseError::Kind::Unavailable, [&] { _place.open()->ping(); });
    }

    void keepsPasswordsOutOfErrors()
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
                CPPUNIT_ASSERT(std::string(error.what()).find("secret") == std::string::npos);
            }
        }
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(PostgresTest);

} // namespace portico::tests
