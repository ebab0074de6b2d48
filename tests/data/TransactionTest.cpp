#include "FailureOf.h"
#include "support/TestDatabase.h"

#include <cppunit/extensions/HelperMacros.h>

#include <thread>

namespace portico::tests
{

using namespace std::chrono_literals;

/// What a transaction promises, on both engines alike.
template <class Engine>
class TransactionTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(TransactionTest);
    CPPUNIT_TEST(isRolledBackUnlessCommitted);
    CPPUNIT_TEST(isRolledBackByAnException);
    CPPUNIT_TEST(isSpoiledByAFailedStatement);
    CPPUNIT_TEST(reportsCommitOfASpoiledTransaction);
    CPPUNIT_TEST(isRepairedByASavepoint);
    CPPUNIT_TEST(cannotBeCommittedTwice);
    CPPUNIT_TEST(endsStatementsThatTakeTooLong);
    CPPUNIT_TEST(countsNotWhatTheReaderTakes);
    CPPUNIT_TEST(sessionsOnlyRead);
    CPPUNIT_TEST(snapshotsSeeOnePointInTime);
    CPPUNIT_TEST(sessionsComeBackClean);
    CPPUNIT_TEST(movesAsAValue);
    CPPUNIT_TEST(retriesSerializationFailures);
    CPPUNIT_TEST(givesUpAfterFiveAttempts);
    CPPUNIT_TEST(doesNotRetryOtherFailures);
    CPPUNIT_TEST_SUITE_END();

public:
    /// Fixtures live as long as the program: their connections would be too many.
    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _place.settings.connections = 4;
        _database = _place.open();
        _database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT)"); });
    }

    void isRolledBackUnlessCommitted()
    {
        {
            auto transaction = _database->begin();
            insert(transaction, 1);
        }
        CPPUNIT_ASSERT_EQUAL(0, count());
        {
            auto transaction = _database->begin();
            insert(transaction, 2);
            transaction.commit();
        }
        CPPUNIT_ASSERT_EQUAL(1, count());
    }

    void isRolledBackByAnException()
    {
        CPPUNIT_ASSERT_THROW(_database->transact(
                                 [&](Transaction& transaction)
                                 {
                                     insert(transaction, 1);
                                     throw std::runtime_error("handler");
                                 }),
                             std::runtime_error);
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void isSpoiledByAFailedStatement()
    {
        auto transaction = _database->begin();
        insert(transaction, 1);
        CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
        const auto error = failureOf([&] { insert(transaction, 2); });
        CPPUNIT_ASSERT_EQUAL(std::string("25P02"), error.sqlState());
        CPPUNIT_ASSERT(error.kind() == DatabaseError::Kind::UniqueViolation); // of what spoiled it
        CPPUNIT_ASSERT_THROW(transaction.query("SELECT 1"), DatabaseError);
    }

    void reportsCommitOfASpoiledTransaction()
    {
        {
            auto transaction = _database->begin();
            insert(transaction, 1);
            CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
            CPPUNIT_ASSERT_EQUAL(std::string("25P02"), failureOf([&] { transaction.commit(); }).sqlState());
        }
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void isRepairedByASavepoint()
    {
        auto transaction = _database->begin();
        insert(transaction, 1);
        transaction.execute("SAVEPOINT before_guess");
        CPPUNIT_ASSERT_THROW(insert(transaction, 1), DatabaseError);
        transaction.execute("ROLLBACK TO before_guess");
        insert(transaction, 2);
        transaction.commit();
        CPPUNIT_ASSERT_EQUAL(2, countAfter(transaction));
    }

    void cannotBeCommittedTwice()
    {
        auto transaction = _database->begin();
        transaction.commit();
        CPPUNIT_ASSERT_THROW(transaction.commit(), std::logic_error);
    }

    void endsStatementsThatTakeTooLong()
    {
        const auto impatient = openWithLimit(100ms);
        auto session = impatient->session();
        for (const char* endless : {"SELECT count(*) FROM endless", "SELECT n FROM endless WHERE n < 0", "SELECT n FROM endless"})
        {
            const auto error = failureOf([&] { readAll(session, std::string(numbers) + endless); });
            CPPUNIT_ASSERT_EQUAL(std::string("57014"), error.sqlState());
            CPPUNIT_ASSERT(error.kind() == DatabaseError::Kind::Busy);
            CPPUNIT_ASSERT_EQUAL(0, countAfter(session));
        }
        {
            auto transaction = impatient->begin();
            insert(transaction, 1);
            const auto sql = "INSERT INTO item (id) " + std::string(numbers) + "SELECT n FROM endless WHERE n < 0";
            CPPUNIT_ASSERT_EQUAL(std::string("57014"), failureOf([&] { transaction.execute(sql); }).sqlState());
            CPPUNIT_ASSERT_EQUAL(std::string("25P02"), failureOf([&] { transaction.commit(); }).sqlState());
        }
        impatient->transact([&](Transaction& transaction) { CPPUNIT_ASSERT_EQUAL(0, countAfter(transaction)); });
    }

    void countsNotWhatTheReaderTakes()
    {
        const auto impatient = openWithLimit(200ms);
        auto session = impatient->session();
        int seen = 0;
        for (const auto row : session.query(std::string(numbers) + "SELECT n FROM endless WHERE n % 1000 = 0 LIMIT 3"))
        {
            CPPUNIT_ASSERT_EQUAL(++seen * 1000, row.template get<int>(0));
            std::this_thread::sleep_for(250ms);
        }
        CPPUNIT_ASSERT_EQUAL(3, seen);
    }

    void sessionsOnlyRead()
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
            CPPUNIT_ASSERT_EQUAL(std::string("25006"), error.sqlState());
            CPPUNIT_ASSERT(error.kind() == DatabaseError::Kind::Other);
        }
        CPPUNIT_ASSERT_EQUAL(0, count());
    }

    void snapshotsSeeOnePointInTime()
    {
        auto snapshot = _database->snapshot();
        CPPUNIT_ASSERT_EQUAL(0, countAfter(snapshot));
        _database->transact([&](Transaction& transaction) { insert(transaction, 1); });
        CPPUNIT_ASSERT_EQUAL(0, countAfter(snapshot));
        CPPUNIT_ASSERT_EQUAL(1, count());
    }

    void sessionsComeBackClean()
    {
        for (int i = 0; i < 3; ++i)
        {
            auto session = _database->session();
            session.execute("BEGIN"); // by hand, and forgotten
            CPPUNIT_ASSERT_EQUAL(0, countAfter(session));
        }
        _database->transact([&](Transaction& transaction) { insert(transaction, 1); });
        CPPUNIT_ASSERT_EQUAL(1, count()); // no old snapshot is left open
    }

    void movesAsAValue()
    {
        auto first = _database->begin();
        insert(first, 1);
        auto second = std::move(first);
        second.commit();
        CPPUNIT_ASSERT_EQUAL(1, countAfter(second));
    }

    void retriesSerializationFailures()
    {
        int attempts = 0;
        const int result = _database->transact(
            [&](Transaction& transaction)
            {
                insert(transaction, ++attempts);
                if (attempts < 3) throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "made up");
                return 7;
            });
        CPPUNIT_ASSERT_EQUAL(7, result);
        CPPUNIT_ASSERT_EQUAL(3, attempts);
        CPPUNIT_ASSERT_EQUAL(1, count());
    }

    void givesUpAfterFiveAttempts()
    {
        int attempts = 0;
        CPPUNIT_ASSERT_THROW(_database->transact(
                                 [&](Transaction&)
                                 {
                                     ++attempts;
                                     throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "made up");
                                 }),
                             DatabaseError);
        CPPUNIT_ASSERT_EQUAL(5, attempts);
    }

    void doesNotRetryOtherFailures()
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
        CPPUNIT_ASSERT_EQUAL(1, attempts);
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(TransactionTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(TransactionTest<OnPostgres>);
CPPUNIT_TEST_SUITE_REGISTRATION(TransactionTest<AsIfPooled>);

} // namespace portico::tests
