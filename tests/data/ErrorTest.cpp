#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <functional>

namespace portico::tests
{

namespace
{

using Kind = DatabaseError::Kind;

}

/// Failures by SQLSTATE, the same classes on both engines, and the defects of POCO's connector that this layer does not have.
template <class Engine>
class ErrorTest : public Suite<ErrorTest<Engine>>
{
    using Self = ErrorTest;

    void setUp() override
    {
        _database = _place.open();
        _database->transact(
            [](Transaction& t)
            {
                t.execute("CREATE TABLE owner (id BIGINT PRIMARY KEY)");
                t.execute(
                    "CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT NOT NULL, owner_id BIGINT REFERENCES owner (id), size BIGINT "
                    "CONSTRAINT item_size CHECK (size > 0))");
                t.execute("CREATE UNIQUE INDEX item_name ON item (name, size)");
                t.execute("INSERT INTO item (id, name, size) VALUES (1, 'a', 1)");
            });
    }

    TEST(classifiesConstraints)
    {
        const bool sqlite = Engine::dialect == Dialect::SQLite;
        expect("INSERT INTO item (id, name) VALUES (1, 'b')", Kind::UniqueViolation, "23505", sqlite ? "item.id" : "item_pkey");
        expect("INSERT INTO item (id, name, size) VALUES (2, 'a', 1)", Kind::UniqueViolation, "23505",
               sqlite ? "item.name, item.size" : "item_name");
        expect("INSERT INTO item (id, name, owner_id) VALUES (2, 'b', 9)", Kind::ForeignKeyViolation, "23503",
               sqlite ? "" : "item_owner_id_fkey");
        expect("INSERT INTO item (id, name, size) VALUES (2, 'b', 0)", Kind::CheckViolation, "23514", "item_size");
        expect("INSERT INTO item (id, name) VALUES (2, NULL)", Kind::CheckViolation, "23502", sqlite ? "item.name" : "");
    }

    TEST(classifiesBadStatements)
    {
        expect("SELECT * FROM missing", Kind::Other, "42P01", "");
        expect("SELECT missing FROM item", Kind::Other, "42703", "");
        expect("SELEC 1", Kind::Other, "42601", "");
        expect("SELECT \"a\" FROM item", Kind::Other, "42703", ""); // not the text 'a'
    }

    TEST(refusesArgumentsThatDoNotFit)
    {
        expectError([](Session& s) { s.query("SELECT id FROM item WHERE id = $1"); }, Kind::Other, "08P01");
        expectError([](Session& s) { s.query("SELECT id FROM item WHERE id = $1", 1, 2); }, Kind::Other, "08P01");
    }

    TEST(refusesMoreThanOneStatement)
    {
        expect("SELECT 1; SELECT 2", Kind::Other, "42601", "");
        equal(1, *_database->session().template value<int>("SELECT 1; -- and nothing more"));
    }

    TEST(keepsValuesOutOfItsText)
    {
        auto transaction = _database->begin();
        try
        {
            transaction.execute("INSERT INTO item (id, name, size) VALUES ($1, $2, $3)", 2, "secret@example.org", 1);
            transaction.execute("INSERT INTO item (id, name, size) VALUES ($1, $2, $3)", 3, "secret@example.org", 1);
            CPPUNIT_FAIL("expected a DatabaseError");
        }
        catch (const DatabaseError& error)
        {
            CHECK(std::string(error.what()).find("secret") == std::string::npos);
            CHECK(std::string(error.what()).find("23505") != std::string::npos);
        }
    }

    /// Defect of the connector: a kept statement that fails on its second run aborts the process.
    TEST(survivesRunningAFailedStatementAgain)
    {
        constexpr std::string_view sql = "INSERT INTO item (id, name) VALUES ($1, 'x')";
        for (int round = 0; round < 3; ++round)
        {
            auto transaction = _database->begin();
            transaction.execute(sql, 10);
            CPPUNIT_ASSERT_THROW(transaction.execute(sql, 10), DatabaseError);
        }
        auto transaction = _database->begin();
        equal(1, transaction.execute(sql, 11));
    }

    /// Defect of the connector: texts are cut at NUL. No database text can hold it, so it is refused; bytes hold it.
    TEST(neverCutsTextAtAZeroByte)
    {
        const std::string text("a\0b", 3);
        expectError([&](Session& s) { s.execute("UPDATE item SET name = $1", text); }, Kind::Other, "22021");
        expectError([&](Session& s) { s.query("SELECT id FROM item WHERE name = $1", text); }, Kind::Other, "22021");
        auto transaction = _database->begin();
        transaction.execute("CREATE TABLE blob (body " + std::string(Engine::dialect == Dialect::SQLite ? "BLOB" : "BYTEA") + ")");
        for (const auto& bytes : {Bytes{text}, Bytes{}})
        {
            transaction.execute("DELETE FROM blob");
            transaction.execute("INSERT INTO blob (body) VALUES ($1)", bytes);
            CHECK(bytes == transaction.template value<Bytes>("SELECT body FROM blob"));
        }
    }

    /// Defect of the connector: timestamps lose their microseconds.
    TEST(keepsMicroseconds)
    {
        constexpr std::string_view moment = "2026-11-21 09:00:00.123456";
        auto transaction = _database->begin();
        transaction.execute("CREATE TABLE moment (at TIMESTAMP)");
        transaction.execute("INSERT INTO moment (at) VALUES ($1)", moment);
        equal(moment, *transaction.template value<std::string>("SELECT at FROM moment"));
    }

    /// The constraint is checked even if the rows are not read.
    TEST(failsAReturningInsertAtOnce)
    {
        expectError([](Session& s) { s.query("INSERT INTO item (id, name, owner_id) VALUES (2, 'b', 9) RETURNING id"); },
                    Kind::ForeignKeyViolation, "23503");
    }

    void expect(const char* sql, Kind kind, const std::string& sqlState, const std::string& constraint)
    {
        const auto error = expectError([&](Session& session) { session.execute(sql); }, kind, sqlState);
        equal(constraint, error.constraint(), sql);
    }

    DatabaseError expectError(const std::function<void(Session&)>& run, Kind kind, const std::string& sqlState)
    {
        auto transaction = _database->begin();
        try
        {
            run(transaction);
        }
        catch (const DatabaseError& error)
        {
            equal(sqlState, error.sqlState(), error.what());
            CPPUNIT_ASSERT_MESSAGE(error.what(), error.kind() == kind);
            return error;
        }
        CPPUNIT_FAIL("expected a DatabaseError");
        throw std::logic_error("not reached");
    }

    TestDatabase _place{Engine::dialect};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class ErrorTest<OnSqlite>;
template class ErrorTest<OnPostgres>;

} // namespace portico::tests
