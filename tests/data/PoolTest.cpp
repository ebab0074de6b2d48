#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/data/ConnectionPool.h"
#include "host/data/sqlite/SqliteConnection.h"

#include "portico/poco.h"

#include <Poco/Data/Statement.h>

#include <sys/stat.h>

#include <atomic>
#include <future>
#include <thread>

namespace portico::tests
{

namespace
{

using namespace std::chrono_literals;
using Poco::Data::Keywords::into;
using Poco::Data::Keywords::now;

} // namespace

/// Borrowing sessions: bounded, shared, counted.
template <class Engine>
class PoolTest : public Suite<PoolTest<Engine>>
{
    using Self = PoolTest;

    void setUp() override
    {
        _place.settings.readers = 2;
        _place.settings.connections = 2;
        _place.settings.sessionWait = 50ms;
    }

    TEST(refusesWhenExhausted)
    {
        const auto database = _place.open();
        auto first = database->session();
        auto second = database->session();
        expectBusy([&] { database->session(); });
        equal(2, database->stats().sessions.inUse);
        equal(1, database->stats().sessions.timeouts);
    }

    /// A loop must not wait; where a server answers the sessions, nothing is read on one.
    TEST(keepsAReserveForEventLoops)
    {
        const auto database = _place.open();
        auto first = database->session();
        CHECK(!database->canReadWithoutBlocking());
        auto second = std::make_unique<Session>(database->session());
        {
            const host::data::EventLoopScope loop;
            if (Engine::dialect == Dialect::PostgreSQL)
                expectBusy([&] { database->session(); });
            else
                equal(1, *database->session().template value<int>("SELECT 1"));
        }
        second.reset();
        equal(Engine::dialect == Dialect::SQLite, database->canReadWithoutBlocking());
        auto others = std::make_unique<Session>(database->session());
        if (Engine::dialect == Dialect::SQLite) return;
        expectBusy([&] { database->session(); });
    }

    /// A worker that waits before it may not open one beyond the maximum, and must not keep the loop from hearing that it may.
    TEST(eventLoopLearnsThatItMayOpen)
    {
        using namespace host::data;
        if (Engine::dialect == Dialect::PostgreSQL) return;
        static_cast<void>(_place.open());
        SessionSource source("SQLite", (_place.settings.directory / "crm.db").string(), 3);
        std::promise<void> mayOpen;
        const auto gate = mayOpen.get_future().share();
        ConnectionPool pool({.maximum = 1, .reserve = 1, .wait = 1h},
                            [&](std::atomic<std::uint64_t>& prepared)
                            {
                                gate.wait();
                                return std::make_unique<SqliteConnection>(source.open(), host::data::DatabaseSettings{}, SqliteRole::Reader,
                                                                          prepared);
                            });
        const auto waiting = [&](int count)
        {
            while (pool.stats().waiting != count) std::this_thread::yield();
        };
        auto first = std::async(std::launch::async, [&] { return &pool.acquire(); });
        while (pool.stats().inUse == 0) std::this_thread::yield();
        auto worker = std::async(std::launch::async, [&] { pool.release(pool.acquire()); });
        waiting(1);
        auto loop = std::async(std::launch::async,
                               [&]
                               {
                                   const EventLoopScope scope;
                                   return &pool.acquire();
                               });
        waiting(2);
        mayOpen.set_value();
        const bool heard = loop.wait_for(10s) == std::future_status::ready;
        pool.release(*first.get());
        pool.release(*loop.get());
        worker.get();
        CHECK(heard);
    }

    TEST(waitsForASessionThatComesBack)
    {
        _place.settings.sessionWait = 60s;
        const auto database = _place.open();
        auto first = std::make_unique<Session>(database->session());
        auto second = database->session();
        auto third = std::async(std::launch::async, [&] { return *database->session().template value<int>("SELECT 3"); });
        while (database->stats().sessions.waiting == 0) std::this_thread::yield();
        first.reset();
        equal(3, third.get());
        equal(0, database->stats().sessions.waiting);
    }

    /// Long work that begins its next transaction at once does not block other callers.
    TEST(givesWhatComesBackToWhoWaited)
    {
        _place.settings.connections = 1;
        _place.settings.sessionWait = 1h;
        const auto database = _place.open();
        const auto waiting = [&] { return database->stats().writer.waiting + database->stats().sessions.waiting; };
        for (int round = 0; round < 20; ++round)
        {
            auto transaction = std::make_unique<Transaction>(database->begin());
            CHECK(!transaction->isAwaited());
            std::atomic<bool> served{false};
            std::jthread other(
                [&]
                {
                    auto theirs = database->begin();
                    served = true;
                });
            while (waiting() == 0) std::this_thread::yield();
            CHECK(transaction->isAwaited());
            transaction.reset();
            transaction = std::make_unique<Transaction>(database->begin());
            CHECK(served);
        }
        const auto stats = database->stats();
        equal(1, Engine::dialect == Dialect::SQLite ? stats.writer.opened : stats.sessions.opened);
    }

    TEST(readsInParallelWithAWriter)
    {
        const auto database = _place.open();
        database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT)"); });
        auto writer = database->begin();
        writer.execute("INSERT INTO item (id) VALUES (1)");
        equal(0, *database->session().template value<int>("SELECT count(*) FROM item"));
        if (Engine::dialect == Dialect::SQLite) expectBusy([&] { database->begin(); });
        writer.commit();
        equal(1, *database->session().template value<int>("SELECT count(*) FROM item"));
    }

    TEST(reusesConnectionsAndStatements)
    {
        const auto database = _place.open();
        for (int i = 0; i < 20; ++i)
        {
            const std::string sql = "SELECT CAST($1 AS BIGINT)"; // the same text at another address
            equal(i, *database->session().template value<int>(sql, i));
        }
        const auto stats = database->stats().sessions;
        equal(1, stats.opened);
        equal(1, stats.statementsPrepared);
        equal(1, stats.idle);
    }

    TEST(keepsABoundedNumberOfStatements)
    {
        _place.settings.statementsPerConnection = 3;
        const auto database = _place.open();
        auto session = database->session();
        for (int round = 0; round < 3; ++round)
            for (int i = 0; i < 5; ++i) equal(i, *session.template value<int>("SELECT " + std::to_string(i)));
        equal(15, database->stats().sessions.statementsPrepared); // each is dropped before it is used again
        if (Engine::dialect == Dialect::PostgreSQL) CHECK(*session.template value<int>("SELECT count(*) FROM pg_prepared_statements") <= 4);
    }

    TEST(allowsOneTextInTwoCursors)
    {
        constexpr std::string_view sql = "SELECT 1 AS n UNION ALL SELECT 2 ORDER BY n";
        const auto database = _place.open();
        auto session = database->session();
        int sum = 0;
        for (Row outer : session.query(sql))
            for (Row inner : session.query(sql)) sum += outer.get<int>(0) * 10 + inner.get<int>(0);
        equal(66, sum);
    }

    TEST(closesWhatWasIdleForLong)
    {
        _place.settings.idleClose = 0s;
        const auto database = _place.open();
        {
            auto first = database->session();
            auto second = database->session();
        }
        CHECK(database->stats().sessions.idle < 2);
        for (int i = 0; i < 10; ++i) // POCO's pool counts right what was closed
        {
            auto first = database->session();
            auto second = database->session();
            equal(1, *second.template value<int>("SELECT 1"));
        }
    }

    TEST(checksWhatWasIdle)
    {
        _place.settings.idleCheck = 0s; // asks at every use
        const auto database = _place.open();
        for (int i = 0; i < 3; ++i) database->ping();
        equal(1, database->stats().sessions.opened);
    }

    TEST(servesManyThreads)
    {
        constexpr int threads = 8;
        constexpr int rounds = 40;
        _place.settings.sessionWait = 60s;
        const auto database = _place.open();
        database->transact([](Transaction& t) { t.execute("CREATE TABLE counter (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)"); });
        database->transact([](Transaction& t) { t.execute("INSERT INTO counter (id, value) VALUES (1, 0)"); });
        std::vector<std::jthread> workers;
        std::atomic<int> wrong{0};
        for (int i = 0; i < threads; ++i)
            workers.emplace_back(
                [&]
                {
                    for (int round = 0; round < rounds; ++round)
                    {
                        database->transact([](Transaction& t) { t.execute("UPDATE counter SET value = value + $1 WHERE id = $2", 1, 1); });
                        if (!database->session().template value<std::int64_t>("SELECT value FROM counter WHERE id = $1", 1)) ++wrong;
                    }
                });
        workers.clear();
        equal(0, wrong.load());
        equal(threads * rounds, *database->session().template value<int>("SELECT value FROM counter"));
    }

    TEST(givesThePocoSession)
    {
        const auto database = _place.open();
        auto session = database->session();
        int value = 0;
        pocoSession(session) << "SELECT 42", into(value), now;
        equal(42, value);
        equal(43, *session.template value<int>("SELECT 43"));
    }

    TEST(refusesBadServiceIds)
    {
        for (const char* id : {"", "../etc", "Crm", "a b", "x\"y"})
            CPPUNIT_ASSERT_THROW_MESSAGE(id, _place.open(id), std::invalid_argument);
    }

    TEST(keepsServicesApart)
    {
        const auto crm = _place.open("crm");
        const auto mail = _place.open("e-mail");
        for (auto* database : {crm.get(), mail.get()})
            database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT)"); });
        crm->transact([](Transaction& t) { t.execute("INSERT INTO item (id) VALUES (1)"); });
        equal(0, *mail->session().template value<int>("SELECT count(*) FROM item"));
        const auto again = _place.open("crm");
        equal(1, *again->session().template value<int>("SELECT count(*) FROM item"));
    }

    template <class F>
    static void expectBusy(F&& run)
    {
        try
        {
            run();
        }
        catch (const DatabaseError& error)
        {
            CHECK(error.kind() == DatabaseError::Kind::Busy);
            return;
        }
        CPPUNIT_FAIL("expected a DatabaseError Busy");
    }

    TestDatabase _place{Engine::dialect};
};

template class PoolTest<OnSqlite>;
template class PoolTest<OnPostgres>;

} // namespace portico::tests
