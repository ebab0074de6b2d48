#include "FailureOf.h"
#include "support/Postgres.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "portico/Flight.h"

#include <csignal>

namespace portico::tests
{

namespace
{

using namespace std::chrono_literals;

struct Item
{
    std::int64_t id = 0;
    std::string name;
    std::optional<std::int64_t> size;
};

constexpr auto schemaOf(const Item*) { return describe(members<&Item::id, &Item::name, &Item::size>()); }

void insert(Flight& flight, std::int64_t id, std::string_view name = "some")
{
    flight.execute("INSERT INTO item (id, name) VALUES ($1, $2)", id, name);
}

} // namespace

/// Tests the promises of a flight on both engines.
template <class Engine>
class FlightTest : public Suite<FlightTest<Engine>>
{
    using Self = FlightTest;

    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _place.settings.connections = 4;
        _database = _place.open();
        _database->transact([](Transaction& t)
                            { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT NOT NULL, size BIGINT)"); });
    }

    TEST(bringsAnswersOfEachKind)
    {
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item VALUES (1, 'one', 10), (2, 'two', NULL)"); });
        for (int turn = 0; turn < 2; ++turn) // not yet prepared, and prepared
        {
            auto session = _database->session();
            Flight flight(session);
            auto one = flight.one<Item>("SELECT id, name, size FROM item WHERE id = $1", 2);
            auto none = flight.one<Item>("SELECT id, name, size FROM item WHERE id = $1", 3);
            auto all = flight.all<Item>("SELECT id, name, size FROM item ORDER BY id");
            auto value = flight.value<std::string>("SELECT name FROM item WHERE id = $1", 1);
            auto names = flight.read(
                [](Rows& rows)
                {
                    std::string text;
                    for (const Row row : rows) text += row.text(0);
                    return text;
                },
                "SELECT name FROM item WHERE id < $1 ORDER BY id DESC", 3);
            equal("two", (*one)->name);
            CHECK(!(*one)->size);
            CHECK(!*none);
            equal(2, all->size());
            equal(10, *all->at(0).size);
            equal("one", **value);
            equal("twoone", *names);
        }
    }

    TEST(copiesWhatItIsGiven)
    {
        auto transaction = _database->begin();
        Flight flight(transaction);
        {
            std::string sql = "INSERT INTO item (id, name) VALUES ($1, $2)", name = "a name that is longer than a short string";
            flight.execute(sql, 1, name);
            const Bytes bytes{std::string("\0bytes\xff", 7)};
            const std::string cast = Engine::dialect == Dialect::SQLite ? "$1" : "$1::bytea";
            auto told = flight.value<Bytes>("SELECT " + cast, bytes);
            sql.assign(sql.size(), '?');
            name.assign(name.size(), '?');
            CHECK(bytes == **told);
        }
        transaction.commit();
        equal("a name that is longer than a short string", *nameOf(1));
    }

    TEST(runsStatementsInOrder)
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1, "first");
                auto before = flight.value<std::string>("SELECT name FROM item WHERE id = 1");
                auto changed = flight.execute("UPDATE item SET name = 'second' WHERE id IN (1, 2)");
                // Another statement of the session comes after those that wait.
                equal("second", *t.value<std::string>("SELECT name FROM item WHERE id = 1"));
                equal("first", **before);
                equal(1, *changed);
            });
    }

    TEST(commitsStatementsWithoutAnswers)
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1);
                flight.insert("item", Item{2, "two", {}}, {});
            });
        equal(2, count());
    }

    TEST(bringsAnswersWithTheCommit)
    {
        auto [changed, name] = _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1, "one");
                auto updated = flight.execute("UPDATE item SET size = 1");
                auto found = flight.value<std::string>("SELECT name FROM item");
                return std::pair(std::move(updated), std::move(found));
            });
        equal(1, *changed);
        equal("one", **name);
    }

    TEST(rollsBackStatementsWithoutAnswers)
    {
        {
            auto transaction = _database->begin();
            Flight flight(transaction);
            insert(flight, 1);
        }
        equal(0, count());
    }

    TEST(isSpoiledByItsFailure)
    {
        auto transaction = _database->begin();
        Flight flight(transaction);
        const auto error = failureOf(
            [&]
            {
                insert(flight, 1);
                insert(flight, 1, "again");
                insert(flight, 2);
                transaction.value<int>("SELECT 1");
            });
        equal(DatabaseError::Kind::UniqueViolation, error.kind());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("INSERT INTO item") != std::string_view::npos);
        equal("25P02", failureOf([&] { insert(flight, 3), transaction.value<int>("SELECT 1"); }).sqlState());
        equal("25P02", failureOf([&] { transaction.commit(); }).sqlState());
        equal(0, count());
    }

    TEST(commitsNothingOfAFailedFlight)
    {
        const auto error = failureOf(
            [&]
            {
                _database->transact(
                    [](Transaction& t)
                    {
                        Flight flight(t);
                        insert(flight, 1);
                        flight.execute("INSERT INTO item (id, name) VALUES (2, NULL)");
                        insert(flight, 3);
                    });
            });
        equal(DatabaseError::Kind::CheckViolation, error.kind());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("(2, NULL)") != std::string_view::npos);
        equal(0, count());
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id, name) VALUES (1, 'later')"); });
        equal(1, count());
    }

    /// Its place is where code repairs it.
    TEST(failsWithinASavepoint)
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1);
                t.execute("SAVEPOINT before");
                equal(DatabaseError::Kind::UniqueViolation, failureOf([&] { insert(flight, 1); }).kind());
                t.execute("ROLLBACK TO before");
                insert(flight, 2);
            });
        equal(2, count());
    }

    TEST(onlyReadsInASession)
    {
        auto session = _database->session();
        Flight flight(session);
        // Also without a request for its answer: no commit would report it.
        equal("25006", failureOf([&] { insert(flight, 1); }).sqlState());
        // Outside of a transaction a failure spoils nothing.
        equal(1, **flight.value<int>("SELECT 1"));
        auto snapshot = _database->snapshot();
        Flight within(snapshot);
        equal("25006", failureOf([&] { insert(within, 1); }).sqlState());
    }

    TEST(refusesTextWithAZeroByte)
    {
        auto transaction = _database->begin();
        Flight flight(transaction);
        equal("22021", failureOf([&] { insert(flight, 1, std::string_view("\0", 1)); }).sqlState());
        equal("25P02", failureOf([&] { transaction.commit(); }).sqlState());
    }

    TEST(takesMoreThanAFlightHasRoomFor)
    {
        _place.settings.statementsPerConnection = 4; // fewer than one flight has
        const auto database = _place.open();
        for (int turn = 0; turn < 2; ++turn)
            database->transact(
                [&](Transaction& t)
                {
                    Flight flight(t);
                    for (int i = 0; i < 300; ++i)
                        flight.execute("INSERT INTO item (id, name) VALUES (" + std::to_string(turn * 300 + i) + ", 'x')");
                });
        equal(600, *database->session().template value<int>("SELECT count(*) FROM item"));
    }

    /// More than sockets have room for, on both ways at once.
    TEST(bringsLargeAnswersToLargeQuestions)
    {
        const std::string large(4'000'000, 'x');
        auto session = _database->session();
        Flight flight(session);
        std::vector<InFlight<std::optional<std::string>>> answers;
        const std::string sql = Engine::dialect == Dialect::SQLite ? "SELECT $1" : "SELECT $1::text";
        for (int i = 0; i < 5; ++i) answers.push_back(flight.value<std::string>(sql, large));
        for (auto& answer : answers) CHECK(large == **answer);
    }

    TEST(retriesSerializationFailures)
    {
        int attempts = 0;
        _database->transact(
            [&](Transaction& t)
            {
                Flight flight(t);
                insert(flight, ++attempts);
                if (attempts < 3) throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "again");
            });
        equal(1, count());
        CHECK(nameOf(3));
    }

    TEST(endsStatementsThatTakeTooLong)
    {
        _place.settings.statementTimeout = 100ms;
        const auto database = _place.open();
        auto session = database->session();
        Flight flight(session);
        const auto error = failureOf(
            [&]
            {
                flight.value<int>("SELECT 1");
                *flight.value<std::int64_t>(
                    "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT count(*) FROM endless");
            });
        equal(DatabaseError::Kind::Busy, error.kind());
        equal(2, **flight.value<int>("SELECT 2"));
    }

    int count() { return *_database->session().template value<int>("SELECT count(*) FROM item"); }
    std::optional<std::string> nameOf(int id)
    {
        return _database->session().template value<std::string>("SELECT name FROM item WHERE id = $1", id);
    }

    TestDatabase _place{Engine::dialect, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class FlightTest<OnSqlite>;
template class FlightTest<OnPostgres>;
template class FlightTest<AsIfPooled>;

/// Tests flights against a server.
template <class Engine>
class FlightOnServerTest : public Suite<FlightOnServerTest<Engine>>
{
    using Self = FlightOnServerTest;

    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _place.settings.connections = 4;
        _database = _place.open();
        _database->transact(
            [](Transaction& t)
            {
                t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT NOT NULL)");
                t.execute("CREATE SEQUENCE turns");
            });
    }

    /// Nothing is sent before an answer is asked for; what is sent up to one Sync outside of a transaction has one time.
    TEST(travelsAsOne)
    {
        auto watcher = _database->session();
        auto transaction = _database->begin();
        Flight writes(transaction);
        insert(writes, 1);
        equal(0, *watcher.value<int>("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"));
        transaction.commit();
        equal(1, *watcher.value<int>("SELECT count(*) FROM item"));

        auto session = _database->session();
        Flight reads(session);
        auto first = reads.value<std::string>("SELECT now()::text");
        auto second = reads.value<std::string>("SELECT now()::text, pg_sleep(0.001)");
        equal(**second, **first);
    }

    /// A sequence is not rolled back.
    TEST(runsNothingBehindAFailure)
    {
        const auto error = failureOf(
            [&]
            {
                _database->transact(
                    [](Transaction& t)
                    {
                        Flight flight(t);
                        flight.value<int>("SELECT nextval('turns')");
                        flight.value<int>("SELECT 1 / 0");
                        flight.value<int>("SELECT nextval('turns')");
                    });
            });
        equal("22012", error.sqlState());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("SELECT 1 / 0") != std::string_view::npos);
        equal(2, _database->transact([](Transaction& t) { return *t.value<int>("SELECT nextval('turns')"); }));
    }

    TEST(dropsWhatWasRolledBack)
    {
        std::optional<InFlight<std::optional<int>>> answer;
        {
            auto transaction = _database->begin();
            answer.emplace(Flight(transaction).value<int>("SELECT 1"));
        }
        CPPUNIT_ASSERT_THROW(answer->get(), std::logic_error);
    }

    TEST(isUnavailableWhenTheConnectionIsLostInTheMidst)
    {
        for (const bool atCommit : {false, true})
        {
            std::optional<InFlight<std::optional<int>>> behind;
            const auto error = failureOf(
                [&]
                {
                    auto transaction = _database->begin();
                    Flight flight(transaction);
                    insert(flight, 1);
                    flight.value<bool>("SELECT pg_terminate_backend(pg_backend_pid())");
                    behind.emplace(flight.value<int>("SELECT 1"));
                    insert(flight, 2);
                    if (atCommit)
                        transaction.commit();
                    else
                        behind->get();
                });
            CPPUNIT_ASSERT_MESSAGE(error.what(), error.kind() == DatabaseError::Kind::Unavailable);
            CPPUNIT_ASSERT_THROW(behind->get(), std::logic_error);
            equal(0, count());
            equal(0, _database->stats().sessions.inUse);
        }
    }

    TEST(isUnavailableWhenTheServerIsGone)
    {
        auto transaction = std::make_unique<Transaction>(_database->begin());
        Flight flight(*transaction);
        insert(flight, 1);
        auto answer = flight.value<int>("SELECT 1");
        auto& server = PostgresServer::shared();
        server.kill();
        CHECK(failureOf([&] { answer.get(); }).kind() == DatabaseError::Kind::Unavailable);
        transaction.reset();
        server.start();
        equal(0, count());
    }

    TEST(givesUpAFrozenServer)
    {
        _place.settings.statementTimeout = 1500ms;
        _place.settings.answerGrace = 0ms;
        const auto database = _place.open();
        auto transaction = std::make_unique<Transaction>(database->begin());
        const auto process = *transaction->template value<int>("SELECT pg_backend_pid()");
        Flight flight(*transaction);
        insert(flight, 1);
        ::kill(process, SIGSTOP);
        const auto error = failureOf([&] { transaction->commit(); });
        ::kill(process, SIGCONT);
        CPPUNIT_ASSERT_MESSAGE(error.what(), error.kind() == DatabaseError::Kind::Unavailable);
        transaction.reset();
        equal(1, **Flight(*std::make_unique<Session>(database->session())).value<int>("SELECT 1"));
    }

    TEST(preparesAgainWhenTablesChange)
    {
        constexpr std::string_view sql = "SELECT * FROM item";
        const auto read = [&](Session& session)
        {
            Flight flight(session);
            auto first = flight.read([](Rows& rows) { return rows.next().has_value(); }, sql);
            auto second = flight.value<int>("SELECT 7");
            CHECK(!*first);
            equal(7, **second);
        };
        const auto readInSession = [&]
        {
            auto session = _database->session();
            read(session);
        };
        readInSession();
        const auto other = _place.open();
        other->transact([](Transaction& t) { t.execute("ALTER TABLE item ADD COLUMN added TEXT"); });
        readInSession();
        other->transact([](Transaction& t) { t.execute("ALTER TABLE item ADD COLUMN another TEXT"); });
        int attempts = 0;
        _database->transact([&](Transaction& t) { ++attempts, read(t); });
        equal(Engine::sessions == host::data::Sessions::OfConnection ? 2 : 1, attempts);
    }

    TEST(forgetsWhatCouldNotBePrepared)
    {
        auto session = _database->session();
        for (int turn = 0; turn < 2; ++turn)
        {
            Flight flight(session);
            auto good = flight.value<int>("SELECT 1");
            auto bad = flight.value<int>("SELECT missing FROM item");
            auto behind = flight.value<int>("SELECT 2");
            equal("42703", failureOf([&] { bad.get(); }).sqlState());
            CPPUNIT_ASSERT_THROW(good.get(), std::logic_error);
            CPPUNIT_ASSERT_THROW(behind.get(), std::logic_error);
            equal(2, *session.template value<int>("SELECT 2"));
        }
    }

    int count() { return *_database->session().template value<int>("SELECT count(*) FROM item"); }

    TestDatabase _place{Dialect::PostgreSQL, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class FlightOnServerTest<OnPostgres>;
template class FlightOnServerTest<AsIfPooled>;

} // namespace portico::tests
