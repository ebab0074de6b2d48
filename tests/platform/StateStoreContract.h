#pragma once

#include "platform/Concurrently.h"

#include "portico/Problem.h"
#include "portico/StateStore.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

namespace portico::tests

{

using namespace std::chrono_literals;

/// What every store of short-lived values promises.
class StateStoreContract : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(StateStoreContract);
    CPPUNIT_TEST(forgetsWhenItsTimeIsOver);
    CPPUNIT_TEST(aNewerValueHasItsOwnTime);
    CPPUNIT_TEST(noTimeToLiveIsNone);
    CPPUNIT_TEST(anyTimeToLiveIsTaken);
    CPPUNIT_TEST(valuesAndKeysAreBytes);
    CPPUNIT_TEST(aHugeValueComesBackWhole);
    CPPUNIT_TEST(comparesVersions);
    CPPUNIT_TEST(everyWriteChangesTheVersion);
    CPPUNIT_TEST(aVersionIsNeverUsedAgain);
    CPPUNIT_TEST(oneOfManyTakes);
    CPPUNIT_TEST(oneOfManySets);
    CPPUNIT_TEST(oneOfManyReplaces);
    CPPUNIT_TEST(removesOnce);
    CPPUNIT_TEST(countsWithoutLoss);
    CPPUNIT_TEST(aCounterKeepsItsFirstDeadline);
    CPPUNIT_TEST(addRefusesText);
    CPPUNIT_TEST(addStopsAtTheEndsOfItsRange);
    CPPUNIT_TEST(addIsExactBeyondFloatingPoint);
    CPPUNIT_TEST(serializesOneKey);
    CPPUNIT_TEST(keysDoNotWaitForEachOther);
    CPPUNIT_TEST(patienceEnds);
    CPPUNIT_TEST(aThrowFreesTheKey);
    CPPUNIT_TEST(aLockIsNoValue);
    CPPUNIT_TEST(limitsTheBytesOfAUse);
    CPPUNIT_TEST(expiredValuesMakeRoomInALimitedUse);
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

public:
    void limitsTheBytesOfAUse()
    {
        store().put("other:1", "stays", 1h);
        store().limit("tile", 20'000);
        const std::string value(1'000, 'x');
        for (int i = 0; i < 50; ++i) store().put("tile:" + std::to_string(i), value, 1h + std::chrono::seconds(i));
        int kept = 0;
        for (int i = 0; i < 50; ++i) kept += store().get("tile:" + std::to_string(i)) ? 1 : 0;
        CPPUNIT_ASSERT_MESSAGE(std::to_string(kept), kept >= 10 && kept < 20);
        CPPUNIT_ASSERT(store().get("tile:49") && !store().get("tile:0"));
        CPPUNIT_ASSERT(store().get("other:1"));
        // A value that replaces one is counted once, and a removed one not at all.
        for (int i = 0; i < 50; ++i) store().put("tile:49", value, 2h);
        CPPUNIT_ASSERT(store().get("tile:48"));
        CPPUNIT_ASSERT(store().remove("tile:48"));
        store().put("tile:new", value, 2h);
        CPPUNIT_ASSERT(store().get("tile:47") && store().get("tile:new"));
        CPPUNIT_ASSERT_THROW(store().put("tile:huge", std::string(20'001, 'x'), 1h), Problem);
        CPPUNIT_ASSERT(store().get("tile:new"));
        store().limit("tile", 0);
        store().put("tile:huge", std::string(20'001, 'x'), 1h);
        CPPUNIT_ASSERT(store().get("tile:huge") && store().get("tile:47"));
    }

    void expiredValuesMakeRoomInALimitedUse()
    {
        store().limit("short", 3'000);
        const std::string value(1'000, 'x');
        store().put("short:1", value, shortTime);
        store().put("short:2", value, shortTime);
        letPass(shortTime);
        store().put("short:3", value, 1h);
        store().put("short:4", value, 1h);
        CPPUNIT_ASSERT(store().get("short:3") && store().get("short:4"));
    }

    void forgetsWhenItsTimeIsOver()
    {
        store().put("long", "v", 1h);
        store().put("k", "v", shortTime);
        letPass(shortTime);
        CPPUNIT_ASSERT(!store().get("k"));
        CPPUNIT_ASSERT(!store().take("k"));
        CPPUNIT_ASSERT(!store().remove("k"));
        CPPUNIT_ASSERT(store().compareAndSet("k", 0, "again", 1h));
        CPPUNIT_ASSERT_EQUAL(std::string("v"), store().get("long").value().value);
    }

    void aNewerValueHasItsOwnTime()
    {
        store().put("k", "old", shortTime);
        store().put("k", "new", 1h);
        store().put("short", "old", 1h);
        CPPUNIT_ASSERT(store().compareAndSet("short", store().get("short").value().version, "new", shortTime));
        letPass(shortTime);
        CPPUNIT_ASSERT_EQUAL(std::string("new"), store().get("k").value().value);
        CPPUNIT_ASSERT(!store().get("short"));
    }

    void noTimeToLiveIsNone()
    {
        store().put("k", "v", 0ms);
        CPPUNIT_ASSERT(!store().get("k"));
        store().put("k", "v", 1h);
        store().put("k", "w", -1ms);
        CPPUNIT_ASSERT(!store().get("k"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, store().add("n", 3, 0ms));
        CPPUNIT_ASSERT(!store().get("n"));
    }

    void anyTimeToLiveIsTaken()
    {
        store().put("k", "v", std::chrono::hours(24 * 365 * 200));
        CPPUNIT_ASSERT_EQUAL(std::string("v"), second().get("k").value().value);
    }

    void valuesAndKeysAreBytes()
    {
        const std::string bytes("\0\r\n$5\r\n\xff\xfe '\"\\", 14);
        for (const auto& key : {std::string(), std::string("a b\r\nc:*?[]"), std::string("\0\xff", 2)})
        {
            store().put(key, bytes, 1h);
            CPPUNIT_ASSERT_EQUAL(bytes, second().get(key).value().value);
            CPPUNIT_ASSERT_EQUAL(bytes, second().take(key).value());
        }
        store().put("empty", "", 1h);
        CPPUNIT_ASSERT_EQUAL(std::string(), second().take("empty").value());
    }

    void aHugeValueComesBackWhole()
    {
        std::string huge(std::size_t{8} << 20, 'x');
        for (std::size_t i = 0; i < huge.size(); i += 997) huge[i] = static_cast<char>(i % 251);
        store().put("huge", huge, 1h);
        CPPUNIT_ASSERT(huge == second().get("huge").value().value);
        CPPUNIT_ASSERT(huge == second().take("huge").value());
    }

    void comparesVersions()
    {
        CPPUNIT_ASSERT(store().compareAndSet("k", 0, "a", 1h));
        CPPUNIT_ASSERT(!second().compareAndSet("k", 0, "b", 1h));
        const auto version = second().get("k").value().version;
        CPPUNIT_ASSERT(!second().compareAndSet("k", version + 1, "b", 1h));
        CPPUNIT_ASSERT(second().compareAndSet("k", version, "b", 1h));
        CPPUNIT_ASSERT(!store().compareAndSet("k", version, "c", 1h));
        CPPUNIT_ASSERT_EQUAL(std::string("b"), store().get("k").value().value);
    }

    void everyWriteChangesTheVersion()
    {
        store().put("k", "1", 1h);
        const auto first = store().get("k").value().version;
        store().put("k", "1", 1h);
        const auto put = store().get("k").value().version;
        store().add("k", 0, 1h);
        const auto added = store().get("k").value().version;
        CPPUNIT_ASSERT(first != 0 && put != 0 && added != 0);
        CPPUNIT_ASSERT(first != put);
        CPPUNIT_ASSERT(put != added);
    }

    void aVersionIsNeverUsedAgain()
    {
        store().put("k", "a", 1h);
        const auto version = store().get("k").value().version;
        store().remove("k");
        CPPUNIT_ASSERT(!store().compareAndSet("k", version, "b", 1h));
        store().put("k", "a", 1h);
        CPPUNIT_ASSERT(!store().compareAndSet("k", version, "b", 1h));
    }

    void oneOfManyTakes()
    {
        for (int round = 0; round < 50; ++round)
        {
            store().put("challenge", "secret", 1h);
            std::atomic<int> got{0};
            concurrently(4,
                         [&](std::size_t i)
                         {
                             if (either(i).take("challenge")) ++got;
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
                             if (either(i).compareAndSet(key, 0, std::to_string(i), 1h)) ++won;
                         });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
        }
    }

    void oneOfManyReplaces()
    {
        store().put("k", "first", 1h);
        for (int round = 0; round < 50; ++round)
        {
            const auto version = store().get("k").value().version;
            std::atomic<int> winner{-1}, won{0};
            concurrently(4,
                         [&](std::size_t i)
                         {
                             if (!either(i).compareAndSet("k", version, std::to_string(i), 1h)) return;
                             ++won;
                             winner = static_cast<int>(i);
                         });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
            CPPUNIT_ASSERT_EQUAL(std::to_string(winner), second().get("k").value().value);
        }
    }

    void removesOnce()
    {
        store().put("k", "v", 1h);
        CPPUNIT_ASSERT(second().remove("k"));
        CPPUNIT_ASSERT(!store().remove("k"));
        CPPUNIT_ASSERT(!store().get("k"));
    }

    void countsWithoutLoss()
    {
        concurrently(4,
                     [&](std::size_t i)
                     {
                         for (int n = 0; n < 250; ++n) either(i).add("hits", 1, 1h);
                     });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, store().add("hits", 0, 1h));
        CPPUNIT_ASSERT_EQUAL(std::string("1000"), store().get("hits").value().value);
    }

    void aCounterKeepsItsFirstDeadline()
    {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, store().add("window", 1, shortTime));
        // A machine that stood still in between has seen its end already.
        const bool longer = store().add("window", 1, 1h) == 2;
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, store().add("long", 1, 1h));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, store().add("long", 1, shortTime));
        letPass(shortTime);
        if (longer) CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, store().add("window", 1, 1h));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, store().add("long", 1, 1h));
    }

    void addRefusesText()
    {
        store().put("k", "12 apples", 1h);
        CPPUNIT_ASSERT_THROW(store().add("k", 1, 1h), std::invalid_argument);
        CPPUNIT_ASSERT_EQUAL(std::string("12 apples"), store().get("k").value().value);
        store().put("number", "12", 1h);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{13}, store().add("number", 1, 1h));
    }

    void addStopsAtTheEndsOfItsRange()
    {
        constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
        CPPUNIT_ASSERT_EQUAL(most, store().add("up", most, 1h));
        CPPUNIT_ASSERT_EQUAL(most, store().add("up", 1, 1h));
        CPPUNIT_ASSERT_EQUAL(least, store().add("down", least, 1h));
        CPPUNIT_ASSERT_EQUAL(least, store().add("down", -1, 1h));
        CPPUNIT_ASSERT_EQUAL(most, store().add("up", most, 1h));
    }

    void addIsExactBeyondFloatingPoint()
    {
        constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
        CPPUNIT_ASSERT_EQUAL(large, store().add("k", large, 1h));
        CPPUNIT_ASSERT_EQUAL(large + 1, store().add("k", 1, 1h));
    }

    void serializesOneKey()
    {
        int unguarded = 0; // the thread sanitizer would see it, too
        std::atomic<int> inside{0}, most{0};
        concurrently(4,
                     [&](std::size_t i)
                     {
                         for (int n = 0; n < 50; ++n)
                             either(i).withLock("host", 1min,
                                                [&]
                                                {
                                                    most = std::max(most.load(), ++inside);
                                                    ++unguarded;
                                                    --inside;
                                                });
                     });
        CPPUNIT_ASSERT_EQUAL(200, unguarded);
        CPPUNIT_ASSERT_EQUAL(1, most.load());
    }

    void keysDoNotWaitForEachOther()
    {
        bool inner = false;
        store().withLock("a", 0ms, [&] { second().withLock("b", 0ms, [&] { inner = true; }); });
        CPPUNIT_ASSERT(inner);
    }

    void patienceEnds()
    {
        bool ran = false;
        for (auto* other : {&store(), &second()})
        {
            store().withLock("k", 0ms,
                             [&]
                             {
                                 try
                                 {
                                     other->withLock("k", 1ms, [&] { ran = true; });
                                     CPPUNIT_FAIL("two callers ran for one key");
                                 }
                                 catch (const Problem& problem)
                                 {
                                     CPPUNIT_ASSERT_EQUAL(503, problem.status());
                                     CPPUNIT_ASSERT_EQUAL(std::string("overloaded"), problem.code());
                                 }
                             });
            CPPUNIT_ASSERT(!ran);
        }
        second().withLock("k", 0ms, [&] { ran = true; });
        CPPUNIT_ASSERT(ran);
    }

    void aThrowFreesTheKey()
    {
        CPPUNIT_ASSERT_THROW(store().withLock("k", 0ms, [] { throw std::runtime_error("work"); }), std::runtime_error);
        bool ran = false;
        second().withLock("k", 0ms, [&] { ran = true; });
        CPPUNIT_ASSERT(ran);
    }

    void aLockIsNoValue()
    {
        store().withLock("k", 0ms,
                         [&]
                         {
                             CPPUNIT_ASSERT(!store().get("k"));
                             store().put("k", "v", 1h);
                             store().remove("k");
                         });
    }

protected:
    using milliseconds = std::chrono::milliseconds;

    virtual StateStore& store() = 0;
    /// Has the same keys as the first: of another host where there are several.
    virtual StateStore& second() = 0;
    virtual void letPass(milliseconds time) = 0;

private:
    static constexpr std::chrono::milliseconds shortTime{80};

    StateStore& either(std::size_t index) { return index % 2 == 0 ? store() : second(); }
};

} // namespace portico::tests
