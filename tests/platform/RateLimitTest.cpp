#include "platform/Concurrently.h"
#include "platform/TestClock.h"

#include "host/platform/state/MemoryStateStore.h"

#include "portico/Problem.h"
#include "portico/RateLimit.h"

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace portico::tests
{

using namespace std::chrono_literals;

class RateLimitTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(RateLimitTest);
    CPPUNIT_TEST(allowsSoManyInAWindow);
    CPPUNIT_TEST(keysAndUsesDoNotMeet);
    CPPUNIT_TEST(saysWhenTheNextWindowBegins);
    CPPUNIT_TEST(refusesWithAProblem);
    CPPUNIT_TEST(looksWithoutCounting);
    CPPUNIT_TEST(amountsCount);
    CPPUNIT_TEST(ofManyAtOnceSoManyAreAllowed);
    CPPUNIT_TEST(longKeysTakeNoMoreRoom);
    CPPUNIT_TEST(strangersTakeNoRoomFromOthers);
    CPPUNIT_TEST(withoutALimitNothingIsCounted);
    CPPUNIT_TEST(refusesWrongBudgets);
    CPPUNIT_TEST_SUITE_END();

public:
    void allowsSoManyInAWindow()
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 3});
        for (std::int64_t left = 2; left >= 0; --left)
        {
            const auto result = limit.count("a");
            CPPUNIT_ASSERT(result.allowed);
            CPPUNIT_ASSERT_EQUAL(left, result.remaining);
        }
        CPPUNIT_ASSERT(!limit.count("a").allowed);
        _clock.advance(60s);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, limit.count("a").remaining);
    }

    void keysAndUsesDoNotMeet()
    {
        const RateLimit codes(_store, _clock, {.use = "code", .limit = 1});
        const RateLimit links(_store, _clock, {.use = "link", .limit = 1});
        CPPUNIT_ASSERT(codes.count("a").allowed && codes.count("b").allowed && codes.count("").allowed && links.count("a").allowed);
        CPPUNIT_ASSERT(!codes.count("a").allowed && !codes.count("").allowed && !links.count("a").allowed);
        // Another generation of the service, or another host with the same store, counts on.
        CPPUNIT_ASSERT(!RateLimit(_store, _clock, {.use = "code", .limit = 1}).count("b").allowed);
    }

    void saysWhenTheNextWindowBegins()
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 1, .window = 10min});
        for (const auto* key : {"a", "b", "c", "d"})
        {
            limit.count(key);
            const auto refused = limit.count(key);
            CPPUNIT_ASSERT(!refused.allowed && refused.retryAfter >= 1s && refused.retryAfter <= 10min);
            _clock.advance(refused.retryAfter);
            CPPUNIT_ASSERT(limit.count(key).allowed);
        }
    }

    void refusesWithAProblem()
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
            CPPUNIT_ASSERT_EQUAL(429, problem.status());
            CPPUNIT_ASSERT_EQUAL(std::string("too_many_codes"), problem.code());
            const std::pair<std::string, std::string> header{"Retry-After", std::to_string(limit.look("a").retryAfter.count())};
            CPPUNIT_ASSERT(problem.headers() == std::vector{header});
        }
    }

    void looksWithoutCounting()
    {
        const RateLimit failures(_store, _clock, {.use = "failures", .limit = 2});
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT(failures.look("a").allowed);
        failures.count("a");
        CPPUNIT_ASSERT(failures.look("a").allowed);
        failures.count("a");
        CPPUNIT_ASSERT(!failures.look("a").allowed);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, failures.look("a").remaining);
    }

    void amountsCount()
    {
        const RateLimit bytes(_store, _clock, {.use = "bytes", .limit = 100});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{40}, bytes.count("a", 60).remaining);
        CPPUNIT_ASSERT(bytes.count("a", 40).allowed);
        CPPUNIT_ASSERT(!bytes.count("a", 1).allowed);
    }

    void ofManyAtOnceSoManyAreAllowed()
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 10});
        std::atomic<int> allowed = 0;
        concurrently(4,
                     [&](int)
                     {
                         for (int i = 0; i < 25; ++i) allowed += limit.count("a").allowed ? 1 : 0;
                     });
        CPPUNIT_ASSERT_EQUAL(10, allowed.load());
    }

    void longKeysTakeNoMoreRoom()
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 1});
        limit.count("a");
        const auto before = _store.usedBytes();
        limit.count(std::string(1'000'000, 'b'));
        CPPUNIT_ASSERT_EQUAL(2 * before, _store.usedBytes());
        CPPUNIT_ASSERT(limit.count(std::string(1'000'000, 'b') + 'c').allowed);
    }

    void strangersTakeNoRoomFromOthers()
    {
        const RateLimit members(_store, _clock, {.use = "member", .limit = 1});
        const RateLimit strangers(_store, _clock, {.use = "stranger", .limit = 1});
        members.count("a");
        for (int i = 0; i < 10'000; ++i) strangers.count(std::to_string(i));
        CPPUNIT_ASSERT(_store.usedBytes() <= limitBytes);
        CPPUNIT_ASSERT(!members.count("a").allowed);
    }

    void withoutALimitNothingIsCounted()
    {
        const RateLimit limit(_store, _clock, {.use = "code", .limit = 0});
        for (int i = 0; i < 10; ++i) CPPUNIT_ASSERT(limit.count("a").allowed && limit.look("a").allowed);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _store.entryCount());
    }

    void refusesWrongBudgets()
    {
        for (const RateLimit::Budget& budget : {RateLimit::Budget{.use = "", .limit = 1}, {.use = "a:b", .limit = 1}, {"a", 1, 0s}})
            CPPUNIT_ASSERT_THROW(RateLimit(_store, _clock, budget), std::invalid_argument);
    }

private:
    static constexpr std::size_t limitBytes = 100'000;
    TestClock _clock;
    host::platform::MemoryStateStore _store{_clock, limitBytes};
};

CPPUNIT_TEST_SUITE_REGISTRATION(RateLimitTest);

} // namespace portico::tests
