#include "support/Suite.h"
#include "support/TestDatabase.h"

namespace portico::tests
{

/// Values in and out, placeholders, rows: the same on both engines.
template <class Engine>
class SessionTest : public Suite<SessionTest<Engine>>
{
    using Self = SessionTest;

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

    TEST(keepsEveryKindOfValue)
    {
        const Instant made = fromMillis(1795251600123);
        const Bytes body{std::string("\0\xff\x80 x", 5)};
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (id, name, score, done, made, body) VALUES ($1, $2, $3, $4, $5, $6)", std::int64_t{1} << 60,
                            "Zoë 漢字 🦀 'quoted' \\ \"x\"", 0.1, true, made, body);
        auto rows = transaction.query("SELECT id, name, score, done, made, body FROM item");
        auto row = rows.next();
        CHECK(row.has_value());
        equal(std::int64_t{1} << 60, row->template get<std::int64_t>(0));
        equal("Zoë 漢字 🦀 'quoted' \\ \"x\"", row->template get<std::string>(1));
        equal(0.1, row->template get<double>(2));
        CHECK(row->template get<bool>(3));
        CHECK(made == row->template get<Instant>(4));
        CHECK(body == row->template get<Bytes>(5));
        CHECK(!rows.next());
        CHECK(!rows.next());
    }

    TEST(keepsNulls)
    {
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (id, name, score, done, made, body) VALUES ($1, $2, $3, $4, $5, $6)", 1, nullptr,
                            std::optional<double>(), std::optional<bool>(), std::optional<Instant>(), std::optional<std::string>());
        auto rows = transaction.query("SELECT name, score, done, made, body FROM item");
        auto row = rows.next();
        for (int column = 0; column < 5; ++column) CHECK(row->isNull(column));
        CHECK(!row->template get<std::optional<std::string>>(0));
        CPPUNIT_ASSERT_THROW(row->template get<std::string>(0), std::logic_error);
    }

    TEST(bindsPlaceholdersByNumber)
    {
        auto transaction = _database->begin();
        transaction.execute("INSERT INTO item (name, id, made) VALUES ($2, $1, $1)", 7, "seven");
        auto rows = transaction.query("SELECT id, name, made FROM item WHERE name = $2 AND id = $1 AND made = $1", 7, "seven");
        auto row = rows.next();
        CHECK(row.has_value());
        equal(7, row->template get<int>(0));
    }

    TEST(countsChangedRows)
    {
        auto transaction = _database->begin();
        equal(3, transaction.execute("INSERT INTO item (id, name) VALUES (1, 'a'), (2, 'a'), (3, 'b')"));
        equal(2, transaction.execute("UPDATE item SET done = $1 WHERE name = $2", true, "a"));
        equal(0, transaction.execute("DELETE FROM item WHERE id = $1", 9));
        equal(0, transaction.execute("CREATE INDEX item_name ON item (name)"));
        equal(2, *transaction.template value<std::int64_t>("SELECT count(*) FROM item WHERE done = $1", true));
    }

    TEST(returnsRowsOfAWrite)
    {
        auto transaction = _database->begin();
        equal(5, *transaction.template value<int>("INSERT INTO item (id) VALUES (5), (6) RETURNING id"));
        equal(2, *transaction.template value<int>("SELECT count(*) FROM item"));
    }

    TestDatabase _place{Engine::dialect, Engine::sessions};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class SessionTest<OnSqlite>;
template class SessionTest<OnPostgres>;
template class SessionTest<AsIfPooled>;

} // namespace portico::tests
