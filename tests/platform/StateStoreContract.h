#pragma once

#include "platform/Concurrently.h"
#include "support/Suite.h"

#include "portico/Problem.h"
#include "portico/StateStore.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

namespace portico::tests

{

using namespace std::chrono_literals;

/// Guarantees of every store of short-lived values.
template <class Store>
class StateStoreContract : public Suite<Store>
{
public:
    using Self = Store;

    TEST(limitsTheBytesOfAUse)
    {
        store().put("other:1", "stays", 1h);
        store().limit("tile", 20'000);
        const std::string value(1'000, 'x');
        for (int i = 0; i < 50; ++i) store().put("tile:" + std::to_string(i), value, 1h + std::chrono::seconds(i));
        int kept = 0;
        for (int i = 0; i < 50; ++i) kept += store().get("tile:" + std::to_string(i)) ? 1 : 0;
        CPPUNIT_ASSERT_MESSAGE(std::to_string(kept), kept >= 10 && kept < 20);
        CHECK(store().get("tile:49") && !store().get("tile:0"));
        CHECK(store().get("other:1"));
        // A value that replaces one is counted once, and a removed one not at all.
        for (int i = 0; i < 50; ++i) store().put("tile:49", value, 2h);
        CHECK(store().get("tile:48"));
        CHECK(store().remove("tile:48"));
        store().put("tile:new", value, 2h);
        CHECK(store().get("tile:47") && store().get("tile:new"));
        CPPUNIT_ASSERT_THROW(store().put("tile:huge", std::string(20'001, 'x'), 1h), Problem);
        CHECK(store().get("tile:new"));
        store().limit("tile", 0);
        store().put("tile:huge", std::string(20'001, 'x'), 1h);
        CHECK(store().get("tile:huge") && store().get("tile:47"));
    }

    TEST(expiredValuesMakeRoomInALimitedUse)
    {
        store().limit("short", 3'000);
        const std::string value(1'000, 'x');
        store().put("short:1", value, shortTime);
        store().put("short:2", value, shortTime);
        letPass(shortTime);
        store().put("short:3", value, 1h);
        store().put("short:4", value, 1h);
        CHECK(store().get("short:3") && store().get("short:4"));
    }

    TEST(forgetsWhenItsTimeIsOver)
    {
        store().put("long", "v", 1h);
        store().put("k", "v", shortTime);
        letPass(shortTime);
        CHECK(!store().get("k"));
        CHECK(!store().take("k"));
        CHECK(!store().remove("k"));
        CHECK(store().compareAndSet("k", 0, "again", 1h));
        equal("v", store().get("long").value().value);
    }

    TEST(aNewerValueHasItsOwnTime)
    {
        store().put("k", "old", shortTime);
        store().put("k", "new", 1h);
        store().put("short", "old", 1h);
        CHECK(store().compareAndSet("short", store().get("short").value().version, "new", shortTime));
        letPass(shortTime);
        equal("new", store().get("k").value().value);
        CHECK(!store().get("short"));
    }

    TEST(noTimeToLiveIsNone)
    {
        store().put("k", "v", 0ms);
        CHECK(!store().get("k"));
        store().put("k", "v", 1h);
        store().put("k", "w", -1ms);
        CHECK(!store().get("k"));
        equal(3, store().add("n", 3, 0ms));
        CHECK(!store().get("n"));
    }

    TEST(anyTimeToLiveIsTaken)
    {
        store().put("k", "v", std::chrono::hours(24 * 365 * 200));
        equal("v", second().get("k").value().value);
    }

    TEST(valuesAndKeysAreBytes)
    {
        const std::string bytes("\0\r\n$5\r\n\xff\xfe '\"\\", 14);
        for (const auto& key : {std::string(), std::string("a b\r\nc:*?[]"), std::string("\0\xff", 2)})
        {
            store().put(key, bytes, 1h);
            equal(bytes, second().get(key).value().value);
            equal(bytes, second().take(key).value());
        }
        store().put("empty", "", 1h);
        equal("", second().take("empty").value());
    }

    TEST(aHugeValueComesBackWhole)
    {
        std::string huge(std::size_t{8} << 20, 'x');
        for (std::size_t i = 0; i < huge.size(); i += 997) huge[i] = static_cast<char>(i % 251);
        store().put("huge", huge, 1h);
        CHECK(huge == second().get("huge").value().value);
        CHECK(huge == second().take("huge").value());
    }

    TEST(comparesVersions)
    {
        CHECK(store().compareAndSet("k", 0, "a", 1h));
        CHECK(!second().compareAndSet("k", 0, "b", 1h));
        const auto version = second().get("k").value().version;
        CHECK(!second().compareAndSet("k", version + 1, "b", 1h));
        CHECK(second().compareAndSet("k", version, "b", 1h));
        CHECK(!store().compareAndSet("k", version, "c", 1h));
        equal("b", store().get("k").value().value);
    }

    TEST(everyWriteChangesTheVersion)
    {
        store().put("k", "1", 1h);
        const auto first = store().get("k").value().version;
        store().put("k", "1", 1h);
        const auto put = store().get("k").value().version;
        store().add("k", 0, 1h);
        const auto added = store().get("k").value().version;
        CHECK(first != 0 && put != 0 && added != 0);
        CHECK(first != put);
        CHECK(put != added);
    }

    TEST(aVersionIsNeverUsedAgain)
    {
        store().put("k", "a", 1h);
        const auto version = store().get("k").value().version;
        store().remove("k");
        CHECK(!store().compareAndSet("k", version, "b", 1h));
        store().put("k", "a", 1h);
        CHECK(!store().compareAndSet("k", version, "b", 1h));
    }

    TEST(oneOfManyTakes)
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
            equal(1, got.load());
        }
    }

    TEST(oneOfManySets)
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
            equal(1, won.load());
        }
    }

    TEST(oneOfManyReplaces)
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
            equal(1, won.load());
            equal(std::to_string(winner), second().get("k").value().value);
        }
    }

    TEST(removesOnce)
    {
        store().put("k", "v", 1h);
        CHECK(second().remove("k"));
        CHECK(!store().remove("k"));
        CHECK(!store().get("k"));
    }

    TEST(countsWithoutLoss)
    {
        concurrently(4,
                     [&](std::size_t i)
                     {
                         for (int n = 0; n < 250; ++n) either(i).add("hits", 1, 1h);
                     });
        equal(1'000, store().add("hits", 0, 1h));
        equal("1000", store().get("hits").value().value);
    }

    TEST(aCounterKeepsItsFirstDeadline)
    {
        equal(1, store().add("window", 1, shortTime));
        // After a pause of the machine the first value may have expired already.
        const bool longer = store().add("window", 1, 1h) == 2;
        equal(1, store().add("long", 1, 1h));
        equal(2, store().add("long", 1, shortTime));
        letPass(shortTime);
        if (longer) equal(1, store().add("window", 1, 1h));
        equal(3, store().add("long", 1, 1h));
    }

    TEST(addRefusesText)
    {
        store().put("k", "12 apples", 1h);
        CPPUNIT_ASSERT_THROW(store().add("k", 1, 1h), std::invalid_argument);
        equal("12 apples", store().get("k").value().value);
        store().put("number", "12", 1h);
        equal(13, store().add("number", 1, 1h));
    }

    TEST(addStopsAtTheEndsOfItsRange)
    {
        constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
        equal(most, store().add("up", most, 1h));
        equal(most, store().add("up", 1, 1h));
        equal(least, store().add("down", least, 1h));
        equal(least, store().add("down", -1, 1h));
        equal(most, store().add("up", most, 1h));
    }

    TEST(addIsExactBeyondFloatingPoint)
    {
        constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
        equal(large, store().add("k", large, 1h));
        equal(large + 1, store().add("k", 1, 1h));
    }

    TEST(serializesOneKey)
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
        equal(200, unguarded);
        equal(1, most.load());
    }

    TEST(keysDoNotWaitForEachOther)
    {
        bool inner = false;
        store().withLock("a", 0ms, [&] { second().withLock("b", 0ms, [&] { inner = true; }); });
        CHECK(inner);
    }

    TEST(patienceEnds)
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
                                     equal(503, problem.status());
                                     equal("overloaded", problem.code());
                                 }
                             });
            CHECK(!ran);
        }
        second().withLock("k", 0ms, [&] { ran = true; });
        CHECK(ran);
    }

    TEST(aThrowFreesTheKey)
    {
        CPPUNIT_ASSERT_THROW(store().withLock("k", 0ms, [] { throw std::runtime_error("work"); }), std::runtime_error);
        bool ran = false;
        second().withLock("k", 0ms, [&] { ran = true; });
        CHECK(ran);
    }

    TEST(aLockIsNoValue)
    {
        store().withLock("k", 0ms,
                         [&]
                         {
                             CHECK(!store().get("k"));
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
