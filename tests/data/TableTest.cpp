#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "portico/Table.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

namespace
{

using CardId = Id<"crd">;
using ListId = Id<"lst">;

enum class Colour
{
    Red,
    Green
};

constexpr auto schemaOf(const Colour*)
{
    using enum Colour;
    return portico::choices<Colour>({{"red", Red}, {"green", Green}});
}

struct Card : Versioned
{
    ListId listId;
    CardId id;
    std::string title;
    Colour colour = Colour::Red;
    bool pinned = false;
    std::int64_t rank = 0;
    std::optional<std::string> remark;
    std::vector<std::string> labels;
    std::string updatedBy;
};

constexpr auto schemaOf(const Card*)
{
    return describe(field<&Card::listId>().readOnly(), field<&Card::id>().readOnly(), field<&Card::title>().required().maxLength(10),
                    field<&Card::colour>(), field<&Card::pinned>().column("is_pinned"),
                    members<&Card::rank, &Card::remark, &Card::labels>(), field<&Card::updatedBy>().readOnly(), versioned<Card>());
}

constexpr Table cards{"card", {.where = "deleted_at IS NULL"}, &Card::listId, &Card::id};
constexpr Table everyCard{"card", &Card::id};

static_assert(cards.name() == "card");

/// Without a version.
struct Mark
{
    CardId cardId;
    std::string colour;
    std::int64_t rank = 0;
};

constexpr auto schemaOf(const Mark*) { return describe(members<&Mark::cardId, &Mark::colour, &Mark::rank>()); }

constexpr Table marks{"mark", &Mark::cardId, &Mark::colour};

/// Cards whose titles differ within a list.
constexpr Table titled{"card", {.unique = {{"card_by_title", "title_taken", "title"}, {"other_index", "other_taken", "other"}}}, &Card::id};

/// A record that does not fit the table of the cards.
struct Misfit
{
    CardId id;
    std::string title;
    std::int64_t colour = 0;
    std::string shade;
    std::optional<std::int64_t> rank;
};

constexpr auto schemaOf(const Misfit*)
{
    return describe(members<&Misfit::id, &Misfit::title, &Misfit::colour, &Misfit::shade, &Misfit::rank>());
}

constexpr Table misfits{"card", &Misfit::id};
constexpr Table missing{"nowhere", &Misfit::id};

/// Belongs to no tenant.
struct Palette : Versioned
{
    Id<"pal"> id;
    std::string name;
    std::int64_t uses = 0;
};

constexpr auto schemaOf(const Palette*) { return describe(members<&Palette::id, &Palette::name, &Palette::uses>(), versioned<Palette>()); }

constexpr GlobalTable palettes{"palette", {.unique = {{"palette_by_name", "name_taken", "name"}}}, &Palette::id};
constexpr GlobalTable usedPalettes{"palette", {.where = "uses > 0"}, &Palette::id};

Paging firstPageOf(int limit, std::string cursor = {})
{
    Paging paging;
    paging.limit = limit;
    paging.cursor = std::move(cursor);
    return paging;
}

} // namespace

/// A record and its table: the tenant in every statement, the one convention for a change, and pages by key. The same on both engines.
template <class Engine>
class TableTest : public Suite<TableTest<Engine>>
{
    using Self = TableTest;

    void setUp() override
    {
        _database = _place.open();
        _database->transact(
            [](Transaction& t)
            {
                t.execute("CREATE TABLE card (organization_id TEXT NOT NULL, list_id TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, "
                          "colour TEXT NOT NULL, is_pinned BOOLEAN NOT NULL, rank BIGINT NOT NULL, remark TEXT, labels TEXT NOT NULL, "
                          "updated_by TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL, "
                          "deleted_at BIGINT, PRIMARY KEY (organization_id, id))");
                t.execute("CREATE TABLE mark (organization_id TEXT NOT NULL, card_id TEXT NOT NULL, colour TEXT NOT NULL, "
                          "rank BIGINT NOT NULL, PRIMARY KEY (organization_id, card_id, colour))");
                t.execute("CREATE TABLE palette (id TEXT PRIMARY KEY, name TEXT NOT NULL, uses BIGINT NOT NULL, "
                          "created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL)");
                t.execute("CREATE UNIQUE INDEX palette_by_name ON palette (name)");
            });
    }

    TEST(createsAndFinds)
    {
        Card card = input("Mine");
        card.labels = {"a", "b"};
        const auto made = create(_acme, card);
        equal(1, made.version);
        CHECK(made.createdAt == _now && made.updatedAt == _now);
        equal("usr_a", made.updatedBy);
        auto session = _database->session();
        const auto found = cards.require(session, _acme, _list, made.id);
        equal(toJson(made), toJson(found));
        CHECK(cards.exists(session, _acme, _list, made.id));
        equal(1, cards.count(session, _acme));
        CHECK(!cards.find(session, _acme, ListId::make(_now), made.id));
        equal(404, refusal([&] { cards.require(session, _acme, _list, CardId::make(_now)); }));
    }

    TEST(keepsTenantsApart)
    {
        const auto made = create(_acme, input("Mine"));
        _database->transact(
            [&](Transaction& t)
            {
                CHECK(!cards.find(t, _globex, _list, made.id));
                CHECK(!cards.exists(t, _globex, _list, made.id));
                equal(0, cards.count(t, _globex));
                CHECK(cards.select(_globex).all(t).empty());
                equal(404, refusal([&] { rename(t, _globex, made.id, "Stolen"); }));
                equal(404, refusal([&] { cards.remove(t, _globex, _list, made.id, IfMatch("")); }));
                equal(0, cards.select(_globex).remove(t));
            });
        auto session = _database->session();
        equal("Mine", cards.require(session, _acme, _list, made.id).title);
    }

    TEST(showsOnlyWhatTheConditionOfTheTableLets)
    {
        const auto made = create(_acme, input("Gone"));
        _database->transact(
            [&](Transaction& t)
            {
                t.execute("UPDATE card SET deleted_at = 1");
                CHECK(!cards.find(t, _acme, _list, made.id));
                CHECK(!cards.select(_acme).exists(t));
                equal(404, refusal([&] { rename(t, _acme, made.id, "Back"); }));
                equal(404, refusal([&] { cards.remove(t, _acme, _list, made.id, IfMatch("")); }));
                CHECK(everyCard.find(t, _acme, made.id).has_value());
            });
    }

    TEST(changesWithTheNextVersion)
    {
        const auto made = create(_acme, input("Before"));
        const auto after = _database->transact([&](Transaction& t) { return rename(t, _acme, made.id, "After", "\"1\""); });
        equal(2, after.version);
        CHECK(after.createdAt == _now && after.updatedAt == _later);
        equal("usr_b", after.updatedBy);
        auto session = _database->session();
        equal(toJson(after), toJson(cards.require(session, _acme, _list, made.id)));
    }

    TEST(writesNothingWhenNothingChanges)
    {
        const auto made = create(_acme, input("Same"));
        const auto after = _database->transact([&](Transaction& t) { return rename(t, _acme, made.id, "Same"); });
        equal(toJson(made), toJson(after));
        auto session = _database->session();
        equal(toJson(made), toJson(cards.require(session, _acme, _list, made.id)));
        const auto change = [&](const char* title)
        {
            return _database->transact(
                [&](Transaction& t) {
                    return cards.change(t, _acme, _list, made.id, IfMatch(""), {_later, "usr_b"}, [&](Card& card) { card.title = title; });
                });
        };
        CHECK(!change("Same").wasChanged);
        const auto changed = change("Other");
        CHECK(changed.wasChanged);
        equal(toJson(static_cast<const Card&>(changed)), toJson(changed));
    }

    TEST(namesTheProblemOfAUniqueIndex)
    {
        _database->transact([](Transaction& t)
                            { t.execute("CREATE UNIQUE INDEX card_by_title ON card (organization_id, list_id, title)"); });
        const auto make = [&](Tenant tenant, const char* title) {
            return _database->transact([&](Transaction& t) { return titled.create(t, tenant, input(title), {_now, "usr_a"}); });
        };
        const auto isTaken = [](const auto& work)
        {
            try
            {
                work();
                CPPUNIT_FAIL("expected a problem");
            }
            catch (const Problem& problem)
            {
                equal(409, problem.status());
                equal("title_taken", problem.code());
                equal("title", problem.errors().at(0).field);
            }
        };
        make(_acme, "One");
        const auto two = make(_acme, "Two");
        make(_globex, "One");
        isTaken([&] { make(_acme, "One"); });
        isTaken(
            [&]
            {
                _database->transact(
                    [&](Transaction& t) {
                        return titled.change(t, _acme, two.id, IfMatch(""), {_later, ""}, [](Card& card) { card.title = "One"; });
                    });
            });
        isTaken(
            [&]
            {
                const std::vector<Card> several{titled.stamped(input("Three"), {_now, ""}), titled.stamped(input("Two"), {_now, ""})};
                _database->transact([&](Transaction& t) { titled.insertMany(t, _acme, several); });
            });
        // An index that the table does not list, and a table that lists none.
        auto sameId = two;
        sameId.title = "Four";
        CPPUNIT_ASSERT_THROW(_database->transact([&](Transaction& t) { titled.insert(t, _acme, sameId); }), DatabaseError);
        CPPUNIT_ASSERT_THROW(create(_acme, input("One")), DatabaseError);
        auto session = _database->session();
        equal(2, titled.count(session, _acme));
    }

    TEST(comparesRecordsWithTables)
    {
        checkTables(*_database, cards, everyCard, marks);
        try
        {
            checkTables(*_database, cards, misfits, missing);
            CPPUNIT_FAIL("expected faults");
        }
        catch (const std::runtime_error& error)
        {
            const std::string text = error.what();
            for (const auto* part :
                 {"table card: expected the column colour to be BIGINT as the member colour is, found",
                  "table card: expected a column shade (TEXT) for the member shade, found",
                  "table card: expected the column rank to be nullable, because the member rank is optional",
                  "table card: expected the column is_pinned to be nullable or to have a default, because no member of Misfit",
                  "table nowhere: expected a migration that makes it"})
                CPPUNIT_ASSERT_MESSAGE(text + "\n" + part, text.find(part) != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(text, text.find("deleted_at to be") == std::string::npos);
        }
    }

    TEST(asksIfMatchBeforeTheRules)
    {
        const auto made = create(_acme, input("Old"));
        const std::string body = R"({"title":"far longer than ten"})";
        const auto change = [&](const char* ifMatch)
        {
            _database->transact(
                [&](Transaction& t)
                {
                    const Patch<Card> patch(body, {}, {});
                    cards.change(t, _acme, _list, made.id, IfMatch(ifMatch), {_later, "usr_b"}, patch);
                });
        };
        equal(412, refusal([&] { change("\"7\""); }));
        equal(400, refusal([&] { change("\"1\""); }));
        auto session = _database->session();
        equal(toJson(made), toJson(cards.require(session, _acme, _list, made.id)));
    }

    /// Four writers each add one to the same row, 25 times: no addition is lost.
    TEST(runsALostRaceAgain)
    {
        const auto made = create(_acme, input("Count"));
        constexpr int writers = 4, additions = 25;
        std::vector<std::jthread> threads;
        std::atomic<int> failed = 0;
        for (int writer = 0; writer < writers; ++writer)
            threads.emplace_back(
                [&]
                {
                    for (int i = 0; i < additions; ++i) try
                        {
                            _database->transact(
                                [&](Transaction& t)
                                { cards.change(t, _acme, _list, made.id, IfMatch(""), {_later}, [](Card& card) { ++card.rank; }); });
                        }
                        catch (const std::exception&)
                        {
                            ++failed;
                        }
                });
        threads.clear();
        equal(0, failed.load());
        auto session = _database->session();
        const auto card = cards.require(session, _acme, _list, made.id);
        equal(std::int64_t{writers * additions}, card.rank);
        equal(std::int64_t{writers * additions + 1}, card.version);
    }

    TEST(removesUnderIfMatch)
    {
        const auto made = create(_acme, input("Gone"));
        const auto other = create(_acme, input("Stays"));
        const auto remove = [&](const char* ifMatch)
        { return _database->transact([&](Transaction& t) { return cards.remove(t, _acme, _list, made.id, IfMatch(ifMatch)); }); };
        equal(412, refusal([&] { remove("\"2\""); }));
        equal(toJson(made), toJson(remove("\"1\"")));
        equal(404, refusal([&] { remove(""); }));
        auto session = _database->session();
        CHECK(cards.exists(session, _acme, _list, other.id));
    }

    TEST(insertsManyRows)
    {
        std::vector<Card> many;
        for (int i = 0; i < 147; ++i)
        {
            many.push_back(cards.stamped(input("n" + std::to_string(i)), {_now, "usr_a"}));
            many.back().rank = i;
            many.back().labels = {std::to_string(i)};
        }
        _database->transact([&](Transaction& t) { cards.insertMany(t, _acme, many); });
        auto session = _database->session();
        const auto found = cards.select(_acme).orderBy(&Card::rank).all(session);
        equal(many.size(), found.size());
        for (std::size_t i = 0; i < many.size(); ++i) equal(toJson(many[i]), toJson(found[i]));
    }

    TEST(writesRowsWithoutAVersion)
    {
        const auto id = CardId::make(_now);
        const auto ranks = [&](Session& session)
        { return session.values<std::int64_t>("SELECT rank FROM mark WHERE organization_id = $1 ORDER BY colour", _acme); };
        using Ranks = std::vector<std::int64_t>;
        _database->transact(
            [&](Transaction& t)
            {
                CHECK(marks.insertIfAbsent(t, _acme, {id, "blue", 1}));
                CHECK(!marks.insertIfAbsent(t, _acme, {id, "blue", 9}));
                CHECK(marks.insertIfAbsent(t, _globex, {id, "blue", 7}));
                marks.insert(t, _acme, {id, "red", 2});
                CHECK((Ranks{1, 2} == ranks(t)));
                marks.update(t, _acme, {id, "red", 3});
                CHECK((Ranks{1, 3} == ranks(t)));
                CHECK(!marks.erase(t, _acme, id, "green"));
                CHECK(marks.erase(t, _acme, id, "blue"));
                CHECK((Ranks{3} == ranks(t)));
                equal(7, marks.require(t, _globex, id, "blue").rank);
            });
        auto transaction = _database->begin();
        CPPUNIT_ASSERT_THROW(marks.update(transaction, _acme, {id, "blue", 4}), DatabaseError);
    }

    TEST(setsColumnsWithTheNextVersion)
    {
        const auto made = create(_acme, input("Before"));
        const auto other = create(_acme, input("Other"));
        _database->transact(
            [&](Transaction& t)
            {
                CHECK(cards.set(t, _acme, _list, made.id, {_later, "usr_b"}, &Card::title, "After", &Card::remark, "Why", &Card::rank,
                                increment));
                CHECK(!cards.set(t, _globex, _list, made.id, {_later}, &Card::title, "Stolen"));
                CHECK(!cards.set(t, _acme, ListId::make(_now), made.id, {_later}, &Card::title, "Stolen"));
            });
        auto expected = made;
        expected.title = "After";
        expected.remark = "Why";
        expected.rank = 1;
        expected.version = 2;
        expected.updatedAt = _later;
        expected.updatedBy = "usr_b";
        auto session = _database->session();
        equal(toJson(expected), toJson(cards.require(session, _acme, _list, made.id)));
        equal(toJson(other), toJson(cards.require(session, _acme, _list, other.id)));
    }

    TEST(setsOnlyColumnsWithoutAStamp)
    {
        auto made = create(_acme, input("Same"));
        _database->transact(
            [&](Transaction& t)
            {
                CHECK(cards.set(t, _acme, _list, made.id, &Card::labels, std::vector<std::string>{"a"}, &Card::remark, std::nullopt));
                CHECK(marks.insertIfAbsent(t, _acme, {made.id, "blue", 1}));
                CHECK(marks.set(t, _acme, made.id, "blue", {_later}, &Mark::rank, increment));
                equal(2, marks.require(t, _acme, made.id, "blue").rank);
            });
        made.labels = {"a"};
        auto session = _database->session();
        equal(toJson(made), toJson(cards.require(session, _acme, _list, made.id)));
    }

    TEST(setsColumnsOfSelectedRows)
    {
        for (int i = 0; i < 6; ++i)
        {
            Card card = input("n" + std::to_string(i));
            card.rank = i;
            create(_acme, card);
        }
        create(_globex, input("n0"));
        _database->transact(
            [&](Transaction& t)
            {
                auto high = cards.select(_acme);
                equal(2, high.where("rank >= ?", 4).set(t, {_later}, &Card::colour, Colour::Green));
                equal(1, cards.select(_acme).where(&Card::title, "n0").set(t, &Card::pinned, true));
                equal(0, cards.select(_acme).where(&Card::title, "none").set(t, &Card::pinned, true));
            });
        auto session = _database->session();
        const auto green = cards.select(_acme).where(&Card::colour, Colour::Green).orderBy(&Card::rank).all(session);
        equal(2, green.size());
        equal("n4", green[0].title);
        CHECK(green[0].version == 2 && green[0].updatedAt == _later);
        const auto pinned = cards.select(_acme).where(&Card::pinned, true).all(session);
        equal(1, pinned.size());
        CHECK(pinned[0].version == 1 && pinned[0].updatedAt == _now);
        equal(0, cards.select(_globex).where(&Card::pinned, true).count(session));
    }

    TEST(keepsRecordsOfNoTenant)
    {
        checkTables(*_database, palettes, usedPalettes);
        const auto made = _database->transact(
            [&](Transaction& t)
            {
                palettes.insertMany(t,
                                    std::vector<Palette>{palettes.stamped(palette("b"), {_now}), palettes.stamped(palette("c"), {_now})});
                return palettes.create(t, palette("a"), {_now});
            });
        _database->transact(
            [&](Transaction& t)
            {
                CHECK(!palettes.insertIfAbsent(t, made));
                equal("a", palettes.requireForUpdate(t, made.id).name);
                CHECK(palettes.set(t, made.id, {_later}, &Palette::uses, increment));
                equal("d", palettes.change(t, made.id, IfMatch("\"2\""), {_later}, [](Palette& palette) { palette.name = "d"; }).name);
                equal(412, refusal([&] { palettes.remove(t, made.id, IfMatch("\"2\"")); }));
                auto read = palettes.require(t, made.id);
                read.uses = 7;
                palettes.update(t, read, {_later});
                equal(4, read.version);
                auto old = made;
                equal(412, refusal([&] { palettes.update(t, old, {_now}); }));
            });
        equal(409, refusal([&] { _database->transact([](Transaction& t) { palettes.create(t, palette("d"), {}); }); }));
        auto session = _database->session();
        const auto found = palettes.require(session, made.id);
        CHECK(found.name == "d" && found.uses == 7 && found.version == 4 && found.updatedAt == _later);
        equal(3, palettes.count(session));
        CHECK(palettes.exists(session, made.id) && !palettes.find(session, Id<"pal">::make(_now)));
        equal("b", palettes.select().orderBy(&Palette::name).page(session, firstPageOf(1)).items.at(0).name);
        equal(2, palettes.select().where(&Palette::uses, 0).count(session));
        equal(1, usedPalettes.count(session));
        CHECK(usedPalettes.exists(session, made.id));
        equal("d", usedPalettes.select().first(session)->name);
        equal(1, _database->transact([&](Transaction& t) { return usedPalettes.select().remove(t); }));
        equal(2, palettes.count(session));
    }

    TEST(pagesPlainSql)
    {
        for (const char* title : {"c", "a", "b", "e", "d"}) create(_acme, input(title));
        create(_globex, input("f"));
        auto session = _database->session();
        std::string seen;
        std::optional<std::string> cursor = "";
        for (int pages = 0; cursor; ++pages)
        {
            CHECK(pages < 3);
            auto paging = firstPageOf(2, *cursor);
            paging.includeTotal = pages < 2;
            const auto page = portico::pageOf<Card>(
                session, paging, &Card::title,
                "SELECT " + columns<Card>() + " FROM card WHERE organization_id = $1 AND title > $2 ORDER BY title LIMIT $3", _acme);
            for (const auto& card : page.items) seen += card.title;
            CHECK(page.total == (pages < 2 ? std::optional<std::int64_t>(5) : std::nullopt));
            cursor = page.nextCursor;
        }
        equal("abcde", seen);
        const auto rows = cards.select(_acme).orderBy(&Card::id).all(session, 3);
        equal(rows[1].id.text(), *portico::pageOf(rows, firstPageOf(2), &Card::id).nextCursor);
        equal("0", *portico::pageOf(rows, firstPageOf(2), &Card::rank).nextCursor);
        equal(rows[1].title + "!", *portico::pageOf(rows, firstPageOf(2), [](const Card& card) { return card.title + "!"; }).nextCursor);
        CHECK(!portico::pageOf(rows, firstPageOf(3), &Card::id).nextCursor);
    }

    TEST(selectsByMembersAndConditions)
    {
        for (int i = 0; i < 6; ++i)
        {
            Card card = input("n" + std::to_string(i));
            card.rank = i;
            card.colour = i % 2 == 0 ? Colour::Red : Colour::Green;
            if (i < 2) card.remark = "it's; -- \"quoted\"";
            create(_acme, card);
        }
        create(_globex, input("n0"));
        auto session = _database->session();
        const auto count = [&](auto&& select) { return select.count(session); };
        equal(6, count(cards.select(_acme)));
        equal(3, count(cards.select(_acme).where(&Card::colour, Colour::Green)));
        equal(4, count(cards.select(_acme).where(&Card::remark, std::nullopt)));
        equal(2, count(cards.select(_acme).where(&Card::remark, "it's; -- \"quoted\"")));
        equal(2, count(cards.select(_acme).where("rank >= ? AND rank < ?", 2, 4)));
        equal(2, count(cards.select(_acme).whereIn(&Card::rank, {1, 5, 9})));
        equal(0, count(cards.select(_acme).whereIn(&Card::rank, {})));
        equal(6, count(cards.select(_acme).whereIn(&Card::rank, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
        equal(1, count(cards.select(_acme).where(&Card::title, "n3").where(&Card::createdAt, _now)));
        equal("n5", cards.select(_acme).orderBy(descending(&Card::rank)).first(session)->title);
        equal(2, cards.select(_acme).all(session, 2).size());
        CHECK(!cards.select(_acme).where("title = ?", "x").exists(session));
        _database->transact(
            [&](Transaction& t)
            {
                equal(3, cards.select(_acme).where(&Card::colour, Colour::Red).forUpdate().all(t).size());
                equal(3, cards.select(_acme).where(&Card::colour, Colour::Red).remove(t));
            });
        equal(3, count(cards.select(_acme)));
        equal(1, count(cards.select(_globex)));
    }

    TEST(pagesInEveryOrder)
    {
        for (int i = 0; i < 24; ++i)
        {
            Card card = input(std::string(1, static_cast<char>('a' + i % 5)));
            card.rank = i % 3;
            card.pinned = i % 4 == 0;
            card.remark = std::to_string(i % 7);
            create(_acme, card);
        }
        create(_globex, input("a"));
        checkPages([](auto& select) { select.orderBy(); });
        checkPages([](auto& select) { select.orderBy(descending(&Card::id)); });
        checkPages([](auto& select) { select.orderBy(&Card::title, &Card::rank); });
        checkPages([](auto& select) { select.orderBy(neverEmpty(&Card::remark)); });
        checkPages([](auto& select) { select.orderBy(descending(&Card::pinned), descending(&Card::createdAt)); });
        checkPages([](auto& select) { select.orderBy(descending(&Card::pinned), &Card::title, descending(&Card::rank)); });
    }

    TEST(pagesWhileRowsComeAndGo)
    {
        std::vector<Card> made;
        for (int i = 0; i < 4; ++i)
        {
            Card card = input("n" + std::to_string(i));
            card.rank = i * 10;
            made.push_back(create(_acme, card));
        }
        const auto next = [&](const std::string& cursor)
        {
            auto session = _database->session();
            return cards.select(_acme).orderBy(&Card::rank).page(session, firstPageOf(2, cursor));
        };
        const auto first = next("");
        equal("n1", first.items.back().title);
        Card between = input("new");
        between.rank = 15;
        create(_acme, between);
        _database->transact([&](Transaction& t) { cards.remove(t, _acme, _list, made[1].id, IfMatch("")); });
        const auto second = next(*first.nextCursor);
        equal("new", second.items.front().title);
        equal("n2", second.items.back().title);
        const auto last = next(*second.nextCursor);
        equal("n3", last.items.back().title);
        CHECK(!last.nextCursor);
    }

    TEST(refusesACursorOfAnotherOrder)
    {
        create(_acme, input("a"));
        auto session = _database->session();
        for (const char* cursor : {"i1;", "i1;t3:abc;i2;", "t9:abc;", "i1;t99999999999999999999:a;", "x", "i;", "b1", "i1;t3:abc"})
            equal(400, refusal([&] { cards.select(_acme).orderBy(&Card::rank).page(session, firstPageOf(2, cursor)); }), cursor);
    }

    TEST(takesTextForTextOnly)
    {
        Card card = input("'; DROP x");
        card.remark = "?";
        const auto made = create(_acme, card);
        auto session = _database->session();
        equal("'; DROP x", cards.select(_acme).where(&Card::remark, "?").first(session)->title);
    }

    static Palette palette(std::string name)
    {
        Palette made;
        made.name = std::move(name);
        return made;
    }
    Card input(std::string title) const
    {
        Card card;
        card.listId = _list;
        card.title = std::move(title);
        return card;
    }
    Card create(Tenant tenant, const Card& card) const
    {
        return _database->transact([&](Transaction& t) { return cards.create(t, tenant, card, {_now, "usr_a"}); });
    }
    Card rename(Transaction& t, Tenant tenant, const CardId& id, const char* title, const char* ifMatch = "") const
    {
        return cards.change(t, tenant, _list, id, IfMatch(ifMatch), {_later, "usr_b"}, [&](Card& card) { card.title = title; });
    }
    template <class F>
    static int refusal(F&& work)
    {
        try
        {
            work();
            return 0;
        }
        catch (const Problem& problem)
        {
            return problem.status();
        }
    }
    /// Page by page is what it is at once, whatever the size of a page.
    template <class F>
    void checkPages(F order) const
    {
        auto session = _database->session();
        auto whole = cards.select(_acme);
        order(whole);
        auto expected = whole.page(session, firstPageOf(100));
        equal(24, expected.items.size());
        CHECK(!expected.nextCursor);
        for (const int limit : {1, 5, 24})
        {
            std::vector<Card> found;
            std::optional<std::string> cursor = "";
            while (cursor)
            {
                auto paging = firstPageOf(limit, *cursor);
                paging.includeTotal = true;
                auto select = cards.select(_acme);
                order(select);
                auto page = select.page(session, paging);
                equal(24, *page.total);
                found.insert(found.end(), page.items.begin(), page.items.end());
                cursor = page.nextCursor;
                CHECK(found.size() <= expected.items.size());
            }
            equal(expected.items.size(), found.size());
            for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].id == expected.items[i].id);
        }
    }

    const Instant _now = fromMillis(1795251600123);
    const Instant _later = fromMillis(1795251700456);
    const OrganizationId _acmeId = OrganizationId::make(_now), _globexId = OrganizationId::make(_now);
    const Tenant _acme = _acmeId, _globex = _globexId;
    const ListId _list = ListId::make(_now);
    TestDatabase _place{Engine::dialect};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class TableTest<OnSqlite>;
template class TableTest<OnPostgres>;

} // namespace portico::tests
