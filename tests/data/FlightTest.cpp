#include "FailureOf.h"
#include "support/Postgres.h"
#include "support/TestDatabase.h"

#include "portico/Flight.h"

#include <cppunit/extensions/HelperMacros.h>

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
class FlightTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(FlightTest);
    CPPUNIT_TEST(bringsAnswersOfEachKind);
    CPPUNIT_TEST(copiesWhatItIsGiven);
    CPPUNIT_TEST(runsStatementsInOrder);
    CPPUNIT_TEST(commitsStatementsWithoutAnswers);
    CPPUNIT_TEST(bringsAnswersWithTheCommit);
    CPPUNIT_TEST(rollsBackStatementsWithoutAnswers);
    CPPUNIT_TEST(isSpoiledByItsFailure);
    CPPUNIT_TEST(commitsNothingOfAFailedFlight);
    CPPUNIT_TEST(failsWithinASavepoint);
    CPPUNIT_TEST(onlyReadsInASession);
    CPPUNIT_TEST(refusesTextWithAZeroByte);
    CPPUNIT_TEST(takesMoreThanAFlightHasRoomFor);
    CPPUNIT_TEST(bringsLargeAnswersToLargeQuestions);
    CPPUNIT_TEST(retriesSerializationFailures);
    CPPUNIT_TEST(endsStatementsThatTakeTooLong);
    CPPUNIT_TEST_SUITE_END();

public:
    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _place.settings.connections = 4;
        _database = _place.open();
        _database->transact([](Transaction& t)
                            { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT NOT NULL, size BIGINT)"); });
    }

    void bringsAnswersOfEachKind()
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
            CPPUNIT_ASSERT_EQUAL(std::string("two"), (*one)->name);
            CPPUNIT_ASSERT(!(*one)->size);
            CPPUNIT_ASSERT(!*none);
            CPPUNIT_ASSERT_EQUAL(std::size_t{2}, all->size());
            CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, *all->at(0).size);
            CPPUNIT_ASSERT_EQUAL(std::string("one"), **value);
            CPPUNIT_ASSERT_EQUAL(std::string("twoone"), *names);
        }
    }

    void copiesWhatItIsGiven()
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
            CPPUNIT_ASSERT(bytes == **told);
        }
        transaction.commit();
        CPPUNIT_ASSERT_EQUAL(std::string("a name that is longer than a short string"), *nameOf(1));
    }

    void runsStatementsInOrder()
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1, "first");
                auto before = flight.value<std::string>("SELECT name FROM item WHERE id = 1");
                auto changed = flight.execute("UPDATE item SET name = 'second' WHERE id IN (1, 2)");
                // Another statement of the session comes after those that wait.
                CPPUNIT_ASSERT_EQUAL(std::string("second"), *t.value<std::string>("SELECT name FROM item WHERE id = 1"));
                CPPUNIT_ASSERT_EQUAL(std::string("first"), **before);
                CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, *changed);
            });
    }

    void commitsStatementsWithoutAnswers()
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1);
                flight.insert("item", Item{2, "two", {}}, {});
            });
        CPPUNIT_ASSERT_EQUAL(2, count());
    }

    void bringsAnswersWithTheCommit()
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
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, *changed);
        CPPUNIT_ASSERT_EQUAL(std::string("one"), **name);
    }

    void rollsBackStatementsWithoutAnswers()
    {
        {
            auto transaction = _database->begin();
            Flight flight(transaction);
            insert(flight, 1);
        }
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void isSpoiledByItsFailure()
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
        CPPUNIT_ASSERT_EQUAL(DatabaseError::Kind::UniqueViolation, error.kind());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("INSERT INTO item") != std::string_view::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("25P02"), failureOf([&] { insert(flight, 3), transaction.value<int>("SELECT 1"); }).sqlState());
        CPPUNIT_ASSERT_EQUAL(std::string("25P02"), failureOf([&] { transaction.commit(); }).sqlState());
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void commitsNothingOfAFailedFlight()
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
        CPPUNIT_ASSERT_EQUAL(DatabaseError::Kind::CheckViolation, error.kind());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("(2, NULL)") != std::string_view::npos);
        CPPUNIT_ASSERT_EQUAL(0, count());
        _database->transact([](Transaction& t) { t.execute("INSERT INTO item (id, name) VALUES (1, 'later')"); });
        CPPUNIT_ASSERT_EQUAL(1, count());
    }

    /// Its place is where code repairs it.
    void failsWithinASavepoint()
    {
        _database->transact(
            [](Transaction& t)
            {
                Flight flight(t);
                insert(flight, 1);
                t.execute("SAVEPOINT before");
                CPPUNIT_ASSERT_EQUAL(DatabaseError::Kind::UniqueViolation, failureOf([&] { insert(flight, 1); }).kind());
                t.execute("ROLLBACK TO before");
                insert(flight, 2);
            });
        CPPUNIT_ASSERT_EQUAL(2, count());
    }

    void onlyReadsInASession()
    {
        auto session = _database->session();
        Flight flight(session);
        // Also without a request for its answer: no commit would report it.
        CPPUNIT_ASSERT_EQUAL(std::string("25006"), failureOf([&] { insert(flight, 1); }).sqlState());
        // Outside of a transaction a failure spoils nothing.
        CPPUNIT_ASSERT_EQUAL(1, **flight.value<int>("SELECT 1"));
        auto snapshot = _database->snapshot();
        Flight within(snapshot);
        CPPUNIT_ASSERT_EQUAL(std::string("25006"), failureOf([&] { insert(within, 1); }).sqlState());
    }

    void refusesTextWithAZeroByte()
    {
        auto transaction = _database->begin();
        Flight flight(transaction);
        CPPUNIT_ASSERT_EQUAL(std::string("22021"), failureOf([&] { insert(flight, 1, std::string_view("\0", 1)); }).sqlState());
        CPPUNIT_ASSERT_EQUAL(std::string("25P02"), failureOf([&] { transaction.commit(); }).sqlState());
    }

    void takesMoreThanAFlightHasRoomFor()
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
        CPPUNIT_ASSERT_EQUAL(600, *database->session().template value<int>("SELECT count(*) FROM item"));
    }

    /// More than sockets have room for, on both ways at once.
    void bringsLargeAnswersToLargeQuestions()
    {
        const std::string large(4'000'000, 'x');
        auto session = _database->session();
        Flight flight(session);
        std::vector<InFlight<std::optional<std::string>>> answers;
        const std::string sql = Engine::dialect == Dialect::SQLite ? "SELECT $1" : "SELECT $1::text";
        for (int i = 0; i < 5; ++i) answers.push_back(flight.value<std::string>(sql, large));
        for (auto& answer : answers) CPPUNIT_ASSERT(large == **answer);
    }

    void retriesSerializationFailures()
    {
        int attempts = 0;
        _database->transact(
            [&](Transaction& t)
            {
                Flight flight(t);
                insert(flight, ++attempts);
                if (attempts < 3) throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "again");
            });
        CPPUNIT_ASSERT_EQUAL(1, count());
        CPPUNIT_ASSERT(nameOf(3));
    }

    void endsStatementsThatTakeTooLong()
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
        CPPUNIT_ASSERT_EQUAL(DatabaseError::Kind::Busy, error.kind());
        CPPUNIT_ASSERT_EQUAL(2, **flight.value<int>("SELECT 2"));
    }

private:
    int count() { return *_database->session().template value<int>("SELECT count(*) FROM item"); }
    std::optional<std::string> nameOf(int id)
    {
        return _database->session().template value<std::string>("SELECT name FROM item WHERE id = $1", id);
    }

    TestDatabase _place{Engine::dialect, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

CPPUNIT_TEST_SUITE_REGISTRATION(FlightTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(FlightTest<OnPostgres>);
CPPUNIT_TEST_SUITE_REGISTRATION(FlightTest<AsIfPooled>);

/// Tests flights against a server.
template <class Engine>
class FlightOnServerTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(FlightOnServerTest);
    CPPUNIT_TEST(travelsAsOne);
    CPPUNIT_TEST(runsNothingBehindAFailure);
    CPPUNIT_TEST(dropsWhatWasRolledBack);
    CPPUNIT_TEST(isUnavailableWhenTheConnectionIsLostInTheMidst);
    CPPUNIT_TEST(isUnavailableWhenTheServerIsGone);
    CPPUNIT_TEST(givesUpAFrozenServer);
    CPPUNIT_TEST(preparesAgainWhenTablesChange);
    CPPUNIT_TEST(forgetsWhatCouldNotBePrepared);
    CPPUNIT_TEST_SUITE_END();

public:
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
    void travelsAsOne()
    {
        auto watcher = _database->session();
        auto transaction = _database->begin();
        Flight writes(transaction);
        insert(writes, 1);
        CPPUNIT_ASSERT_EQUAL(0, *watcher.value<int>("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"));
        transaction.commit();
        CPPUNIT_ASSERT_EQUAL(1, *watcher.value<int>("SELECT count(*) FROM item"));

        auto session = _database->session();
        Flight reads(session);
        auto first = reads.value<std::string>("SELECT now()::text");
        auto second = reads.value<std::string>("SELECT now()::text, pg_sleep(0.001)");
        CPPUNIT_ASSERT_EQUAL(**second, **first);
    }

    /// A sequence is not rolled back.
    void runsNothingBehindAFailure()
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
        CPPUNIT_ASSERT_EQUAL(std::string("22012"), error.sqlState());
        CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find("SELECT 1 / 0") != std::string_view::npos);
        CPPUNIT_ASSERT_EQUAL(2, _database->transact([](Transaction& t) { return *t.value<int>("SELECT nextval('turns')"); }));
    }

    void dropsWhatWasRolledBack()
    {
        std::optional<InFlight<std::optional<int>>> answer;
        {
            auto transaction = _database->begin();
            answer.emplace(Flight(transaction).value<int>("SELECT 1"));
        }
        CPPUNIT_ASSERT_THROW(answer->get(), std::logic_error);
    }

    void isUnavailableWhenTheConnectionIsLostInTheMidst()
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
            CPPUNIT_ASSERT_EQUAL(0, count());
            CPPUNIT_ASSERT_EQUAL(0, _database->stats().sessions.inUse);
        }
    }

    void isUnavailableWhenTheServerIsGone()
    {
        auto transaction = std::make_unique<Transaction>(_database->begin());
        Flight flight(*transaction);
        insert(flight, 1);
        auto answer = flight.value<int>("SELECT 1");
        auto& server = PostgresServer::shared();
        server.kill();
        CPPUNIT_ASSERT(failureOf([&] { answer.get(); }).kind() == DatabaseError::Kind::Unavailable);
        transaction.reset();
        server.start();
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void givesUpAFrozenServer()
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
        CPPUNIT_ASSERT_EQUAL(1, **Flight(*std::make_unique<Session>(database->session())).value<int>("SELECT 1"));
    }

    void preparesAgainWhenTablesChange()
    {
        constexpr std::string_view sql = "SELECT * FROM item";
        const auto read = [&](Session& session)
        {
            Flight flight(session);
            auto first = flight.read([](Rows& rows) { return rows.next().has_value(); }, sql);
            auto second = flight.value<int>("SELECT 7");
            CPPUNIT_ASSERT(!*first);
            CPPUNIT_ASSERT_EQUAL(7, **second);
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
        CPPUNIT_ASSERT_EQUAL(Engine::sessions == host::data::Sessions::OfConnection ? 2 : 1, attempts);
    }

    void forgetsWhatCouldNotBePrepared()
    {
        auto session = _database->session();
        for (int turn = 0; turn < 2; ++turn)
        {
            Flight flight(session);
            auto good = flight.value<int>("SELECT 1");
            auto bad = flight.value<int>("SELECT missing FROM item");
            auto behind = flight.value<int>("SELECT 2");
            CPPUNIT_ASSERT_EQUAL(std::string("42703"), failureOf([&] { bad.get(); }).sqlState());
            CPPUNIT_ASSERT_THROW(good.get(), std::logic_error);
            CPPUNIT_ASSERT_THROW(behind.get(), std::logic_error);
            CPPUNIT_ASSERT_EQUAL(2, *session.template value<int>("SELECT 2"));
        }
    }

private:
    int count() { return *_database->session().template value<int>("SELECT count(*) FROM item"); }

    TestDatabase _place{Dialect::PostgreSQL, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

CPPUNIT_TEST_SUITE_REGISTRATION(FlightOnServerTest<OnPostgres>);
CPPUNIT_TEST_SUITE_REGISTRATION(FlightOnServerTest<AsIfPooled>);

} // namespace portico::tests
