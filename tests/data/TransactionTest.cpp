#include "FailureOf.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <thread>

namespace portico::tests
{

using namespace std::chrono_literals;

/// Guarantees of transactions, on both engines alike.
template <class Engine>
class TransactionTest : public Suite<TransactionTest<Engine>>
{
    using Self = TransactionTest;

    /// Fixtures live as long as the program: their connections would be too many.
    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _place.settings.connections = 4;
        _database = _place.open();
        _database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT)"); });
    }

    TEST(isRolledBackUnlessCommitted)
    {
        {
            auto transaction = _database->begin();
            insert(transaction, 1);
        }
        equal(0, count());
        {
            auto transaction = _database->begin();
            insert(transaction, 2);
            transaction.commit();
        }
        equal(1, count());
    }

    TEST(isRolledBackByAnException)
    {
        CPPUNIT_ASSERT_THROW(_database->transact(
                                 [&](Transaction& transaction)
                                 {
                                     insert(transaction, 1);
                                     throw std::runtime_error("handler");
                                 }),
                             std::runtime_error);
        equal(0, count());
    }

    TEST(isSpoiledByAFailedStatement)
    {
        auto transaction = _database->begin();
        insert(transaction, 1);
        CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
        const auto error = failureOf([&] { insert(transaction, 2); });
        equal("25P02", error.sqlState());
        CHECK(error.kind() == DatabaseError::Kind::UniqueViolation); // of what spoiled it
        CPPUNIT_ASSERT_THROW(transaction.query("SELECT 1"), DatabaseError);
    }

    TEST(reportsCommitOfASpoiledTransaction)
    {
        {
            auto transaction = _database->begin();
            insert(transaction, 1);
            CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
            equal("25P02", failureOf([&] { transaction.commit(); }).sqlState());
        }
        equal(0, count());
    }

    TEST(isRepairedByASavepoint)
    {
        auto transaction = _database->begin();
        insert(transaction, 1);
        transaction.execute("SAVEPOINT before_guess");
        CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
        transaction.execute("ROLLBACK TO before_guess");
        insert(transaction, 2);
        transaction.commit();
        equal(2, countAfter(transaction));
    }

    TEST(cannotBeCommittedTwice)
    {
        auto transaction = _database->begin();
        transaction.commit();
        CPPUNIT_ASSERT_THROW(transaction.commit(), std::logic_error);
    }

    TEST(endsStatementsThatTakeTooLong)
    {
        const auto impatient = openWithLimit(100ms);
        auto session = impatient->session();
        for (const char* endless : {"SELECT count(*) FROM endless", "SELECT n FROM endless WHERE n < 0", "SELECT n FROM endless"})
        {
            const auto error = failureOf([&] { readAll(session, std::string(numbers) + endless); });
            equal("57014", error.sqlState());
            CHECK(error.kind() == DatabaseError::Kind::Busy);
            equal(0, countAfter(session));
        }
        {
            auto transaction = impatient->begin();
            insert(transaction, 1);
            const auto sql = "INSERT INTO item (id) " + std::string(numbers) + "SELECT n FROM endless WHERE n < 0";
            equal("57014", failureOf([&] { transaction.execute(sql); }).sqlState());
            equal("25P02", failureOf([&] { transaction.commit(); }).sqlState());
        }
        impatient->transact([&](Transaction& transaction) { equal(0, countAfter(transaction)); });
    }

    TEST(countsNotWhatTheReaderTakes)
    {
        const auto impatient = openWithLimit(200ms);
        auto session = impatient->session();
        int seen = 0;
        for (const auto row : session.query(std::string(numbers) + "SELECT n FROM endless WHERE n % 1000 = 0 LIMIT 3"))
        {
            equal(++seen * 1000, row.template get<int>(0));
            std::this_thread::sleep_for(250ms);
        }
        equal(3, seen);
    }

    TEST(sessionsOnlyRead)
    {
        for (auto open : {0, 1})
        {
            const auto error = failureOf(
                [&]
                {
                    if (open == 0)
                        _database->session().execute("INSERT INTO item (id) VALUES (1)");
                    else
                        _database->snapshot().execute("INSERT INTO item (id) VALUES (1)");
                });
            equal("25006", error.sqlState());
            CHECK(error.kind() == DatabaseError::Kind::Other);
        }
        equal(0, count());
    }

    TEST(snapshotsSeeOnePointInTime)
    {
        auto snapshot = _database->snapshot();
        equal(0, countAfter(snapshot));
        _database->transact([&](Transaction& transaction) { insert(transaction, 1); });
        equal(0, countAfter(snapshot));
        equal(1, count());
    }

    TEST(sessionsComeBackClean)
    {
        for (int i = 0; i < 3; ++i)
        {
            auto session = _database->session();
            session.execute("BEGIN"); // by hand, and forgotten
            equal(0, countAfter(session));
        }
        _database->transact([&](Transaction& transaction) { insert(transaction, 1); });
        equal(1, count()); // no old snapshot is left open
    }

    TEST(movesAsAValue)
    {
        auto first = _database->begin();
        insert(first, 1);
        auto second = std::move(first);
        second.commit();
        equal(1, countAfter(second));
    }

    TEST(retriesSerializationFailures)
    {
        int attempts = 0;
        const int result = _database->transact(
            [&](Transaction& transaction)
            {
                insert(transaction, ++attempts);
                if (attempts < 3) throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "made up");
                return 7;
            });
        equal(7, result);
        equal(3, attempts);
        equal(1, count());
    }

    TEST(givesUpAfterFiveAttempts)
    {
        int attempts = 0;
        CPPUNIT_ASSERT_THROW(_database->transact(
                                 [&](Transaction&)
                                 {
                                     ++attempts;
                                     throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "made up");
                                 }),
                             DatabaseError);
        equal(5, attempts);
    }

    TEST(doesNotRetryOtherFailures)
    {
        int attempts = 0;
        CPPUNIT_ASSERT_THROW(_database->transact(
                                 [&](Transaction& transaction)
                                 {
                                     ++attempts;
                                     insert(transaction, 1);
                                     insert(transaction, 1);
                                 }),
                             DatabaseError);
        equal(1, attempts);
    }

    static constexpr std::string_view numbers = "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) ";

    std::unique_ptr<host::data::ServiceDatabase> openWithLimit(std::chrono::milliseconds limit)
    {
        _place.settings.statementTimeout = limit;
        return _place.open();
    }
    static void readAll(Session& session, const std::string& sql)
    {
        for (auto rows = session.query(sql); rows.next();) {}
    }
    static void insert(Session& session, int id) { session.execute("INSERT INTO item (id) VALUES ($1)", id); }
    static int countAfter(Session& session) { return *session.value<int>("SELECT count(*) FROM item"); }
    int count() { return *_database->session().template value<int>("SELECT count(*) FROM item"); }

    TestDatabase _place{Engine::dialect, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class TransactionTest<OnSqlite>;
template class TransactionTest<OnPostgres>;
template class TransactionTest<AsIfPooled>;

} // namespace portico::tests
