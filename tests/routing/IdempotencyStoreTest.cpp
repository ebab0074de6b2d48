#include "MemoryIdempotencyStore.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/data/Migrator.h"

#include <atomic>
#include <thread>
#include <vector>

namespace routing_tests
{

using namespace portico;
using namespace portico::host;
using namespace portico::host::routing;
using portico::testing::equal;
using portico::testing::Suite;

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
class IdempotencyStoreTest : public Suite<IdempotencyStoreTest<Place>>
{
    using Self = IdempotencyStoreTest;

    using Outcome = IdempotencyStore::Outcome;

    Outcome begin(std::string_view owner, Instant now) { return _place.store.begin("key", "print", owner, now).outcome; }

    TEST(keepsTheAnswer)
    {
        // Bytes as they come: what is kept is sealed.
        std::string sealed;
        for (int i = 0; i < 600; ++i) sealed.push_back(static_cast<char>(i));
        CHECK(begin("a", _now) == Outcome::Started);
        _place.store.complete("key", "a", sealed, _now);
        const auto replay = _place.store.begin("key", "print", "b", _now + std::chrono::hours(23));
        CHECK(replay.outcome == Outcome::Answered);
        equal(sealed, replay.sealedAnswer);
    }

    TEST(distinguishesRunningFromDifferent)
    {
        begin("a", _now);
        CHECK(begin("b", _now) == Outcome::Running);
        CHECK(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Different);
        _place.store.complete("key", "a", "sealed", _now);
        CHECK(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Different);
    }

    TEST(abandonFreesTheKey)
    {
        begin("a", _now);
        _place.store.abandon("key", "b");
        CHECK(begin("b", _now) == Outcome::Running);
        _place.store.abandon("key", "a");
        CHECK(_place.store.begin("key", "other", "b", _now).outcome == Outcome::Started);
        _place.store.complete("key", "b", "sealed", _now);
        _place.store.abandon("key", "b");
        CHECK(_place.store.begin("key", "other", "c", _now).outcome == Outcome::Answered);
    }

    TEST(answersExpire)
    {
        begin("a", _now);
        _place.store.complete("key", "a", "sealed", _now);
        CHECK(begin("b", _now + std::chrono::hours(24)) == Outcome::Started);
    }

    TEST(aDeadHostsRequestIsClosedForAnHour)
    {
        begin("dead", _now);
        const auto later = _now + std::chrono::hours(1);
        CHECK(begin("b", later - std::chrono::milliseconds(1)) == Outcome::Running);
        CHECK(begin("b", later) == Outcome::Started);
        // The dead one was only slow: what it has to say is not taken for the other's answer.
        _place.store.complete("key", "dead", "sealed", later);
        _place.store.abandon("key", "dead");
        CHECK(begin("c", later) == Outcome::Running);
    }

    TEST(reportsTheAgeOfARunningRequest)
    {
        begin("a", _now);
        const auto age = [&](std::chrono::seconds after) { return _place.store.begin("key", "print", "b", _now + after).age.count(); };
        CHECK(age(std::chrono::seconds(0)) == 0);
        CHECK(age(std::chrono::seconds(90)) == 90);
    }

    TEST(oneOfManyRivalsStarts)
    {
        std::atomic<int> started{0};
        std::vector<std::jthread> rivals;
        for (int i = 0; i < 8; ++i)
            rivals.emplace_back([&, i] { started += begin("owner" + std::to_string(i), _now) == Outcome::Started ? 1 : 0; });
        rivals.clear();
        equal(1, started.load());
    }

    Place _place;
    Instant _now = *parseInstant("2026-11-21T09:00:00Z");
};

template class IdempotencyStoreTest<InMemory>;
template class IdempotencyStoreTest<InDatabase<portico::tests::OnSqlite>>;
template class IdempotencyStoreTest<InDatabase<portico::tests::OnPostgres>>;

} // namespace routing_tests
