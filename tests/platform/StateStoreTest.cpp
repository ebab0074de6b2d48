#include "platform/Concurrently.h"
#include "platform/TestClock.h"

#include "host/platform/MemoryStateStore.h"

#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace portico::tests
{

using host::platform::MemoryStateStore;
using namespace std::chrono_literals;

class StateStoreTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(StateStoreTest);
    CPPUNIT_TEST(forgetsAfterTheTimeToLive);
    CPPUNIT_TEST(anOlderDeadlineDoesNotEndANewerValue);
    CPPUNIT_TEST(comparesVersions);
    CPPUNIT_TEST(aVersionIsNeverUsedAgain);
    CPPUNIT_TEST(oneOfManyTakes);
    CPPUNIT_TEST(oneOfManySets);
    CPPUNIT_TEST(countsWithoutLoss);
    CPPUNIT_TEST(aCounterKeepsItsFirstDeadline);
    CPPUNIT_TEST(addRefusesText);
    CPPUNIT_TEST(addStopsAtTheEndsOfItsRange);
    CPPUNIT_TEST(serializesOneKey);
    CPPUNIT_TEST(keysDoNotWaitForEachOther);
    CPPUNIT_TEST(patienceEnds);
    CPPUNIT_TEST(aThrowFreesTheKey);
    CPPUNIT_TEST(refusesBeyondTheLimit);
    CPPUNIT_TEST(expiryMakesRoom);
    CPPUNIT_TEST(givesBackWhatItCharged);
    CPPUNIT_TEST(rewritingDoesNotGrow);
    CPPUNIT_TEST(revisionsStay);
    CPPUNIT_TEST_SUITE_END();

public:
    void forgetsAfterTheTimeToLive()
    {
        _store.put("k", "v", 100ms);
        _clock.advance(99ms);
        CPPUNIT_ASSERT_EQUAL(std::string("v"), _store.get("k").value().value);
        _clock.advance(1ms);
        CPPUNIT_ASSERT(!_store.get("k"));
        CPPUNIT_ASSERT(!_store.take("k"));
        CPPUNIT_ASSERT(!_store.remove("k"));
        CPPUNIT_ASSERT(_store.compareAndSet("k", 0, "again", 100ms));
    }

    void anOlderDeadlineDoesNotEndANewerValue()
    {
        _store.put("k", "old", 100ms);
        _store.put("k", "new", 1'000ms);
        _clock.advance(500ms);
        _store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::string("new"), _store.get("k").value().value);
        _clock.advance(500ms);
        _store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.entryCount());
    }

    void comparesVersions()
    {
        CPPUNIT_ASSERT(_store.compareAndSet("k", 0, "a", 1s));
        CPPUNIT_ASSERT(!_store.compareAndSet("k", 0, "b", 1s));
        const auto version = _store.get("k").value().version;
        CPPUNIT_ASSERT(_store.compareAndSet("k", version, "b", 1s));
        CPPUNIT_ASSERT(!_store.compareAndSet("k", version, "c", 1s));
        CPPUNIT_ASSERT_EQUAL(std::string("b"), _store.get("k").value().value);
    }

    void aVersionIsNeverUsedAgain()
    {
        _store.put("k", "a", 1s);
        const auto version = _store.get("k").value().version;
        _store.remove("k");
        _store.put("k", "a", 1s);
        CPPUNIT_ASSERT(!_store.compareAndSet("k", version, "b", 1s));
    }

    void oneOfManyTakes()
    {
        for (int round = 0; round < 50; ++round)
        {
            _store.put("challenge", "secret", 1s);
            std::atomic<int> got{0};
            concurrently(4,
                         [&](std::size_t)
                         {
                             if (_store.take("challenge")) ++got;
                         });
            CPPUNIT_ASSERT_EQUAL(1, got.load());
        }
    }

    void oneOfManySets()
    {
        for (int round = 0; round < 50; ++round)
        {
            const auto key = "slot" + std::to_string(round);
            std::atomic<int> won{0};
            concurrently(4,
                         [&](std::size_t i)
                         {
                             if (_store.compareAndSet(key, 0, std::to_string(i), 1s)) ++won;
                         });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
        }
    }

    void countsWithoutLoss()
    {
        concurrently(4,
                     [&](std::size_t)
                     {
                         for (int i = 0; i < 1'000; ++i) _store.add("hits", 1, 1h);
                     });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4'000}, _store.add("hits", 0, 1h));
    }

    void aCounterKeepsItsFirstDeadline()
    {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _store.add("window", 1, 100ms));
        _clock.advance(99ms);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _store.add("window", 1, 100ms));
        _clock.advance(1ms);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _store.add("window", 1, 100ms));
    }

    void addRefusesText()
    {
        _store.put("k", "12 apples", 1s);
        CPPUNIT_ASSERT_THROW(_store.add("k", 1, 1s), std::invalid_argument);
    }

    void addStopsAtTheEndsOfItsRange()
    {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        _store.add("k", most, 1s);
        CPPUNIT_ASSERT_EQUAL(most, _store.add("k", 1, 1s));
    }

    void serializesOneKey()
    {
        int unguarded = 0; // the thread sanitizer would see it, too
        concurrently(4,
                     [&](std::size_t)
                     {
                         for (int i = 0; i < 200; ++i) _store.serialize("host", 1min, [&] { ++unguarded; });
                     });
        CPPUNIT_ASSERT_EQUAL(800, unguarded);
    }

    void keysDoNotWaitForEachOther()
    {
        bool inner = false;
        _store.serialize("a", 0ms, [&] { _store.serialize("b", 0ms, [&] { inner = true; }); });
        CPPUNIT_ASSERT(inner);
    }

    void patienceEnds()
    {
        bool ran = false;
        _store.serialize("k", 0ms,
                         [&]
                         {
                             try
                             {
                                 _store.serialize("k", 1ms, [&] { ran = true; });
                                 CPPUNIT_FAIL("two callers ran for one key");
                             }
                             catch (const Problem& problem)
                             {
                                 CPPUNIT_ASSERT_EQUAL(503, problem.status());
                                 CPPUNIT_ASSERT_EQUAL(std::string("overloaded"), problem.code());
                             }
                         });
        CPPUNIT_ASSERT(!ran);
        _store.serialize("k", 0ms, [&] { ran = true; });
        CPPUNIT_ASSERT(ran);
    }

    void aThrowFreesTheKey()
    {
        CPPUNIT_ASSERT_THROW(_store.serialize("k", 0ms, [] { throw std::runtime_error("work"); }), std::runtime_error);
        bool ran = false;
        _store.serialize("k", 0ms, [&] { ran = true; });
        CPPUNIT_ASSERT(ran);
    }

    void refusesBeyondTheLimit()
    {
        MemoryStateStore store(_clock, 10'000);
        CPPUNIT_ASSERT_THROW(fill(store), Problem);
        CPPUNIT_ASSERT(store.usedBytes() <= 10'000);
        CPPUNIT_ASSERT_EQUAL(std::string("x"), store.get("0").value().value);
    }

    void expiryMakesRoom()
    {
        MemoryStateStore store(_clock, 10'000);
        CPPUNIT_ASSERT_THROW(fill(store), Problem);
        _clock.advance(1s);
        store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, store.usedBytes());
        store.put("again", "x", 1s);
    }

    void givesBackWhatItCharged()
    {
        _store.put("a", std::string(1'000, 'a'), 1s);
        _store.put("a", "short", 1s);
        _store.put("b", "b", 1s);
        _store.take("a");
        _store.remove("b");
        _store.add("c", 1, 1s);
        _store.compareAndSet("c", _store.get("c").value().version, std::string(500, 'c'), 1s);
        _clock.advance(1s);
        _store.sweep();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.usedBytes());
    }

    void rewritingDoesNotGrow()
    {
        MemoryStateStore store(_clock, 2'000);
        for (int i = 0; i < 10'000; ++i)
        {
            store.put("same", std::to_string(i), 1h);
            _clock.advance(1ms);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.entryCount());
    }

    void revisionsStay()
    {
        auto& first = _store.revision("credentials");
        for (int i = 0; i < 100; ++i) _store.revision("other" + std::to_string(i));
        ++first;
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, _store.revision("credentials").load());
        CPPUNIT_ASSERT_EQUAL(&first, &_store.revision("credentials"));
    }

private:
    static void fill(MemoryStateStore& store)
    {
        for (int i = 0; i < 1'000; ++i) store.put(std::to_string(i), "x", 1s);
    }

    TestClock _clock;
    MemoryStateStore _store{_clock};
};

CPPUNIT_TEST_SUITE_REGISTRATION(StateStoreTest);

} // namespace portico::tests
