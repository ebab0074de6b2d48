#include "platform/Concurrently.h"
#include "platform/TestClock.h"
#include "support/Suite.h"

#include "host/platform/state/MemoryStateStore.h"

#include "portico/Problem.h"
#include "portico/RateLimit.h"

#include <stdexcept>

namespace portico::tests
{

using namespace std::chrono_literals;

class RateLimitTest : public Suite<RateLimitTest>
{
    TEST(allowsSoManyInAWindow)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 3});
        for (std::int64_t left = 2; left >= 0; --left)
        {
            const auto result = limit.count("a");
            CHECK(result.allowed);
            equal(left, result.remaining);
        }
        CHECK(!limit.count("a").allowed);
        _clock.advance(60s);
        equal(2, limit.count("a").remaining);
    }

    TEST(keysAndUsesDoNotMeet)
    {
        const RateLimit codes(_store, _clock, {.use = "code", .limit = 1});
        const RateLimit links(_store, _clock, {.use = "link", .limit = 1});
        CHECK(codes.count("a").allowed && codes.count("b").allowed && codes.count("").allowed && links.count("a").allowed);
        CHECK(!codes.count("a").allowed && !codes.count("").allowed && !links.count("a").allowed);
        // Another generation of the service, or another host with the same store, continues the count.
        CHECK(!RateLimit(_store, _clock, {.use = "code", .limit = 1}).count("b").allowed);
    }

    TEST(saysWhenTheNextWindowBegins)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 1, .window = 10min});
        for (const auto* key : {"a", "b", "c", "d"})
        {
            limit.count(key);
            const auto refused = limit.count(key);
            CHECK(!refused.allowed && refused.retryAfter >= 1s && refused.retryAfter <= 10min);
            _clock.advance(refused.retryAfter);
            CHECK(limit.count(key).allowed);
        }
    }

    TEST(refusesWithAProblem)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 1});
        limit.require("a", "too_many_codes");
        try
        {
            limit.require("a", "too_many_codes");
            CPPUNIT_FAIL("allowed");
        }
        catch (const Problem& problem)
        {
            equal(429, problem.status());
            equal("too_many_codes", problem.code());
            const std::pair<std::string, std::string> header{"Retry-After", std::to_string(limit.look("a").retryAfter.count())};
            CHECK(problem.headers() == std::vector{header});
        }
    }

    TEST(looksWithoutCounting)
    {
        const RateLimit failures(_store, _clock, {.use = "failures", .limit = 2});
        for (int i = 0; i < 5; ++i) CHECK(failures.look("a").allowed);
        failures.count("a");
        CHECK(failures.look("a").allowed);
        failures.count("a");
        CHECK(!failures.look("a").allowed);
        equal(0, failures.look("a").remaining);
    }

    TEST(amountsCount)
    {
        const RateLimit bytes(_store, _clock, {.use = "bytes", .limit = 100});
        equal(40, bytes.count("a", 60).remaining);
        CHECK(bytes.count("a", 40).allowed);
        CHECK(!bytes.count("a", 1).allowed);
    }

    TEST(concurrentCallsShareTheLimit)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 10});
        std::atomic<int> allowed = 0;
        concurrently(4,
                     [&](int)
                     {
                         for (int i = 0; i < 25; ++i) allowed += limit.count("a").allowed ? 1 : 0;
                     });
        equal(10, allowed.load());
    }

    TEST(longKeysTakeNoMoreRoom)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 1});
        limit.count("a");
        const auto before = _store.usedBytes();
        limit.count(std::string(1'000'000, 'b'));
        equal(2 * before, _store.usedBytes());
        CHECK(limit.count(std::string(1'000'000, 'b') + 'c').allowed);
    }

    TEST(strangersTakeNoRoomFromOthers)
    {
        const RateLimit members(_store, _clock, {.use = "member", .limit = 1});
        const RateLimit strangers(_store, _clock, {.use = "stranger", .limit = 1});
        members.count("a");
        for (int i = 0; i < 10'000; ++i) strangers.count(std::to_string(i));
        CHECK(_store.usedBytes() <= limitBytes);
        CHECK(!members.count("a").allowed);
    }

    TEST(withoutALimitNothingIsCounted)
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 0});
        for (int i = 0; i < 10; ++i) CHECK(limit.count("a").allowed && limit.look("a").allowed);
        equal(0, _store.entryCount());
    }

    TEST(refusesWrongBudgets)
    {
        for (const RateLimit::Budget& budget : {RateLimit::Budget{.use = "", .limit = 1}, {.use = "a:b", .limit = 1}, {"a", 1, 0s}})
            CPPUNIT_ASSERT_THROW(RateLimit(_store, _clock, budget), std::invalid_argument);
    }

    static constexpr std::size_t limitBytes = 100'000;
    TestClock _clock;
    host::platform::MemoryStateStore _store{_clock, limitBytes};
};

} // namespace portico::tests
