#include "support/TestDatabase.h"

#include "host/data/Migrator.h"
#include "host/routing/DatabaseIdempotencyStore.h"
#include "host/routing/MemoryIdempotencyStore.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <thread>
#include <vector>

namespace routing_tests
{

using namespace portico;
using namespace portico::host;
using namespace portico::host::routing;

/// The memory store behind the same face as the ones on databases.
struct InMemory
{
    MemoryIdempotencyStore store;
};

template <class Engine>
struct InDatabase
{
    InDatabase() { data::Migrator(*database).migrate({"host", ROUTING_MIGRATIONS}, fromMillis(0)); }
    portico::tests::TestDatabase place{Engine::dialect};
    std::unique_ptr<data::ServiceDatabase> database = place.open("host");
    DatabaseIdempotencyStore store{*database};
};

/// Leases of running requests, on both engines alike.
template <class Engine>
class IdempotencyLeaseTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(IdempotencyLeaseTest);
    CPPUNIT_TEST(aSignOfLifeKeepsTheKey);
    CPPUNIT_TEST(onlyWhatRunsHereIsRenewed);
    CPPUNIT_TEST(whatLastsTooLongIsNotRenewed);
    CPPUNIT_TEST(whatAnotherTookOverIsNotRenewed);
    CPPUNIT_TEST(theOnlyHostFreesWhatDidNotEnd);
    CPPUNIT_TEST_SUITE_END();

    using Outcome = IdempotencyStore::Outcome;
    using seconds = std::chrono::seconds;

    void aSignOfLifeKeepsTheKey()
    {
        begin(_store, "a", 0);
        for (int at = 3; at <= 30; at += 3) _store.renew(_now + seconds(at));
        CPPUNIT_ASSERT(begin(_other, "b", 39) == Outcome::Running);
        CPPUNIT_ASSERT(begin(_other, "b", 40) == Outcome::Started);
    }

    void onlyWhatRunsHereIsRenewed()
    {
        begin(_store, "a", 0);
        _other.renew(_now + seconds(9));
        CPPUNIT_ASSERT(begin(_other, "b", 10) == Outcome::Started);
        _other.complete("key", "b", "sealed", _now + seconds(10));
        _other.renew(_now + seconds(60));
        CPPUNIT_ASSERT(begin(_store, "c", 10 + 24 * 3600) == Outcome::Started); // the life of an answer is not changed
        _store.abandon("key", "c");
        _store.renew(_now + seconds(24 * 3600 + 60));
        CPPUNIT_ASSERT(begin(_other, "d", 0) == Outcome::Started);
    }

    void whatLastsTooLongIsNotRenewed()
    {
        begin(_store, "a", 0);
        for (int at = 5; at < 100; at += 5) _store.renew(_now + seconds(at));
        CPPUNIT_ASSERT(begin(_other, "b", 104) == Outcome::Running);
        _store.renew(_now + seconds(100));
        CPPUNIT_ASSERT(begin(_other, "b", 105) == Outcome::Started);
    }

    void whatAnotherTookOverIsNotRenewed()
    {
        begin(_store, "a", 0);
        CPPUNIT_ASSERT(begin(_other, "b", 10) == Outcome::Started);
        _store.renew(_now + seconds(19));
        CPPUNIT_ASSERT(begin(_store, "c", 20) == Outcome::Started);
    }

    void theOnlyHostFreesWhatDidNotEnd()
    {
        begin(_store, "a", 0);
        _store.begin("answered", "print", "b", _now);
        _store.complete("answered", "b", "sealed", _now);
        _other.releaseAll();
        CPPUNIT_ASSERT(begin(_other, "c", 0) == Outcome::Started);
        CPPUNIT_ASSERT(_other.begin("answered", "print", "d", _now).outcome == Outcome::Answered);
    }

    Outcome begin(IdempotencyStore& store, std::string_view owner, int atSeconds)
    {
        return store.begin("key", "print", owner, _now + seconds(atSeconds)).outcome;
    }

    const IdempotencyTimes _times{.running = seconds(10), .longest = seconds(100)};
    InDatabase<Engine> _place;
    DatabaseIdempotencyStore _store{*_place.database, _times};
    /// Of another host.
    DatabaseIdempotencyStore _other{*_place.database, _times};
    Instant _now = *parseInstant("2026-11-21T09:00:00Z");
};

/// One contract, three stores.
template <class Place>
class IdempotencyStoreTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(IdempotencyStoreTest);
    CPPUNIT_TEST(keepsTheAnswer);
    CPPUNIT_TEST(tellsRunningFromDifferent);
    CPPUNIT_TEST(abandonFreesTheKey);
    CPPUNIT_TEST(answersExpire);
    CPPUNIT_TEST(aDeadHostsRequestIsTakenOver);
    CPPUNIT_TEST(ofManyRivalsOneStarts);
    CPPUNIT_TEST_SUITE_END();

    using Outcome = IdempotencyStore::Outcome;

    Outcome begin(std::string_view owner, Instant now) { return _place.store.begin("key", "print", owner, now).outcome; }

    void keepsTheAnswer()
    {
        // Bytes as they come: what is kept is sealed.
        std::string sealed;
        for (int i = 0; i < 600; ++i) sealed.push_back(static_cast<char>(i));
        CPPUNIT_ASSERT(begin("a", _now) == Outcome::Started);
        _place.store.complete("key", "a", sealed, _now);
        const auto replay = _place.store.begin("key", "print", "b", _now + std::chrono::hours(23));
        CPPUNIT_ASSERT(replay.outcome == Outcome::Answered);
        CPPUNIT_ASSERT_EQUAL(sealed, replay.sealedAnswer);
    }

    void tellsRunningFromDifferent()
    {
        begin("a", _now);
        CPPUNIT_ASSERT(begin("b", _now) == Outcome::Running);
        CPPUNIT_ASSERT(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Different);
        _place.store.complete("key", "a", "sealed", _now);
        CPPUNIT_ASSERT(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Different);
    }

    void abandonFreesTheKey()
    {
        begin("a", _now);
        _place.store.abandon("key", "b");
        CPPUNIT_ASSERT(begin("b", _now) == Outcome::Running);
        _place.store.abandon("key", "a");
        CPPUNIT_ASSERT(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Started);
        _place.store.complete("key", "b", "sealed", _now);
        _place.store.abandon("key", "b");
        CPPUNIT_ASSERT(_place.store.begin("key", "other", "c", _now).outcome == Outcome::Answered);
    }

    void answersExpire()
    {
        begin("a", _now);
        _place.store.complete("key", "a", "sealed", _now);
        CPPUNIT_ASSERT(begin("b", _now + std::chrono::hours(24)) == Outcome::Started);
    }

    void aDeadHostsRequestIsTakenOver()
    {
        begin("dead", _now);
        const auto later = _now + IdempotencyTimes().running;
        CPPUNIT_ASSERT(begin("b", later - std::chrono::milliseconds(1)) == Outcome::Running);
        CPPUNIT_ASSERT(begin("b", later) == Outcome::Started);
        // The dead one was only slow: what it has to say is not taken for the other's answer.
        _place.store.complete("key", "dead", "sealed", later);
        _place.store.abandon("key", "dead");
        CPPUNIT_ASSERT(begin("c", later) == Outcome::Running);
    }

    void ofManyRivalsOneStarts()
    {
        std::atomic<int> started{0};
        std::vector<std::jthread> rivals;
        for (int i = 0; i < 8; ++i)
            rivals.emplace_back([&, i] { started += begin("owner" + std::to_string(i), _now) == Outcome::Started ? 1 : 0; });
        rivals.clear();
        CPPUNIT_ASSERT_EQUAL(1, started.load());
    }

    Place _place;
    Instant _now = *parseInstant("2026-11-21T09:00:00Z");
};

CPPUNIT_TEST_SUITE_REGISTRATION(IdempotencyStoreTest<InMemory>);
CPPUNIT_TEST_SUITE_REGISTRATION(IdempotencyStoreTest<InDatabase<portico::tests::OnSqlite>>);
CPPUNIT_TEST_SUITE_REGISTRATION(IdempotencyStoreTest<InDatabase<portico::tests::OnPostgres>>);
CPPUNIT_TEST_SUITE_REGISTRATION(IdempotencyLeaseTest<portico::tests::OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(IdempotencyLeaseTest<portico::tests::OnPostgres>);

} // namespace routing_tests
