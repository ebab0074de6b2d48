#include "MemoryIdempotencyStore.h"
#include "support/TestDatabase.h"

#include "host/data/Migrator.h"

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
    InDatabase() { data::migrate(*database, {"host", ROUTING_MIGRATIONS}, fromMillis(0)); }
    portico::tests::TestDatabase place{Engine::dialect};
    std::unique_ptr<data::ServiceDatabase> database = place.open("host");
    DatabaseIdempotencyStore store{*database};
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
    CPPUNIT_TEST(aDeadHostsRequestIsClosedForAnHour);
    CPPUNIT_TEST(tellsTheAgeOfWhatHasNotEnded);
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

    void aDeadHostsRequestIsClosedForAnHour()
    {
        begin("dead", _now);
        const auto later = _now + std::chrono::hours(1);
        CPPUNIT_ASSERT(begin("b", later - std::chrono::milliseconds(1)) == Outcome::Running);
        CPPUNIT_ASSERT(begin("b", later) == Outcome::Started);
        // The dead one was only slow: what it has to say is not taken for the other's answer.
        _place.store.complete("key", "dead", "sealed", later);
        _place.store.abandon("key", "dead");
        CPPUNIT_ASSERT(begin("c", later) == Outcome::Running);
    }

    void tellsTheAgeOfWhatHasNotEnded()
    {
        begin("a", _now);
        const auto age = [&](std::chrono::seconds after) { return _place.store.begin("key", "print", "b", _now + after).age.count(); };
        CPPUNIT_ASSERT(age(std::chrono::seconds(0)) == 0);
        CPPUNIT_ASSERT(age(std::chrono::seconds(90)) == 90);
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

} // namespace routing_tests
