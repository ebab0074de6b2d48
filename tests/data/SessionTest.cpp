#include "support/TestDatabase.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Values in and out, placeholders, rows: the same on both engines.
template <class Engine>
class SessionTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(SessionTest);
    CPPUNIT_TEST(keepsEveryKindOfValue);
    CPPUNIT_TEST(keepsNulls);
    CPPUNIT_TEST(bindsPlaceholdersByNumber);
    CPPUNIT_TEST(countsChangedRows);
    CPPUNIT_TEST(returnsRowsOfAWrite);
    CPPUNIT_TEST_SUITE_END();

public:
    /// Fixtures live as long as the program: their connections would be too many.
    void tearDown() override { _database.reset(); }
    void setUp() override
    {
        _database = _place.open();
        auto transaction = _database->begin();
        transaction.execute(
            "CREATE TABLE item (id BIGINT PRIMARY KEY, name TEXT, score DOUBLE PRECISION, done BOOLEAN, made BIGINT, body " +
            std::string(Engine::dialect == Dialect::SQLite ? "BLOB" : "BYTEA") + ")");
        transaction.commit();
    }

    void keepsEveryKindOfValue()
    {
        const Instant made = fromMillis(1795251600123);
        const Bytes body{std::string("\0\xff\x80 x", 5)};
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (id, name, score, done, made, body) VALUES ($1, $2, $3, $4, $5, $6)", std::int64_t{1} << 60,
                            "Zoë 漢字 🦀 'quoted' \\ \"x\"", 0.1, true, made, body);
        auto rows = transaction.query("SELECT id, name, score, done, made, body FROM item");
        auto row = rows.next();
        CPPUNIT_ASSERT(row.has_value());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1} << 60, row->template get<std::int64_t>(0));
        CPPUNIT_ASSERT_EQUAL(std::string("Zoë 漢字 🦀 'quoted' \\ \"x\""), row->template get<std::string>(1));
        CPPUNIT_ASSERT_EQUAL(0.1, row->template get<double>(2));
        CPPUNIT_ASSERT(row->template get<bool>(3));
        CPPUNIT_ASSERT(made == row->template get<Instant>(4));
        CPPUNIT_ASSERT(body == row->template get<Bytes>(5));
        CPPUNIT_ASSERT(!rows.next());
        CPPUNIT_ASSERT(!rows.next());
    }

    void keepsNulls()
    {
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (id, name, score, done, made, body) VALUES ($1, $2, $3, $4, $5, $6)", 1, nullptr,
                            std::optional<double>(), std::optional<bool>(), std::optional<Instant>(), std::optional<std::string>());
        auto rows = transaction.query("SELECT name, score, done, made, body FROM item");
        auto row = rows.next();
        for (int column = 0; column < 5; ++column) CPPUNIT_ASSERT(row->isNull(column));
        CPPUNIT_ASSERT(!row->template get<std::optional<std::string>>(0));
        CPPUNIT_ASSERT_THROW(row->template get<std::string>(0), std::logic_error);
    }

    void bindsPlaceholdersByNumber()
    {
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (name, id, made) VALUES ($2, $1, $1)", 7, "seven");
        auto rows = transaction.query("SELECT id, name, made FROM item WHERE name = $2 AND id = $1 AND made = $1", 7, "seven");
        auto row = rows.next();
        CPPUNIT_ASSERT(row.has_value());
        CPPUNIT_ASSERT_EQUAL(7, row->template get<int>(0));
    }

    void countsChangedRows()
    {
        auto transaction = _database->begin();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, transaction.execute("INSERT INTO item (id, name) VALUES (1, 'a'), (2, 'a'), (3, 'b')"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, transaction.execute("UPDATE item SET done = $1 WHERE name = $2", true, "a"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, transaction.execute("DELETE FROM item WHERE id = $1", 9));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, transaction.execute("CREATE INDEX item_name ON item (name)"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, *transaction.template value<std::int64_t>("SELECT count(*) FROM item WHERE done = $1", true));
    }

    void returnsRowsOfAWrite()
    {
        auto transaction = _database->begin();
        CPPUNIT_ASSERT_EQUAL(5, *transaction.template value<int>("INSERT INTO item (id) VALUES (5), (6) RETURNING id"));
        CPPUNIT_ASSERT_EQUAL(2, *transaction.template value<int>("SELECT count(*) FROM item"));
    }

private:
    TestDatabase _place{Engine::dialect, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

CPPUNIT_TEST_SUITE_REGISTRATION(SessionTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(SessionTest<OnPostgres>);
CPPUNIT_TEST_SUITE_REGISTRATION(SessionTest<AsIfPooled>);

} // namespace portico::tests
