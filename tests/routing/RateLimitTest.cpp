#include "World.h"

#include "support/Suite.h"

#include "host/routing/pipeline/RateLimits.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace routing_tests
{

/// How often one caller may ask.
class RateLimitTest : public Suite<RateLimitTest>
{
    using Time = RateLimiter::Time;

    TEST(bucketEmptiesAndFills)
    {
        RateLimiter limiter;
        const Rate rate{3, std::chrono::seconds(60)};
        const Time start{std::chrono::hours(5)};
        const auto take = [&](std::chrono::seconds after) { return limiter.take(RateSubject::Address, "a", rate, start + after); };
        for (const int remaining : {2, 1, 0})
        {
            const auto verdict = take(std::chrono::seconds(0));
            CHECK(verdict.allowed);
            equal(std::int64_t(remaining), verdict.remaining);
        }
        const auto refused = take(std::chrono::seconds(0));
        CHECK(!refused.allowed);
        equal(20, refused.retrySeconds);
        equal(60, refused.resetSeconds);
        CHECK(!take(std::chrono::seconds(19)).allowed);
        CHECK(take(std::chrono::seconds(20)).allowed);
        CHECK(!take(std::chrono::seconds(20)).allowed);
        equal(2, take(std::chrono::seconds(500)).remaining);
    }

    TEST(subjectsDoNotShareBuckets)
    {
        RateLimiter limiter;
        const Rate rate{1, std::chrono::seconds(60)};
        const Time now{std::chrono::hours(5)};
        const auto allowed = [&](RateSubject subject, std::string_view name) { return limiter.take(subject, name, rate, now).allowed; };
        CHECK(allowed(RateSubject::Address, "192.0.2.1"));
        CHECK(allowed(RateSubject::Address, "192.0.2.2"));
        CHECK(allowed(RateSubject::Principal, "192.0.2.1"));
        CHECK(!allowed(RateSubject::Address, "192.0.2.1"));
        CHECK(allowed(RateSubject::Address, "2001:db8::1"));
        CHECK(!allowed(RateSubject::Address, "2001:db8:0:0:ffff::2"));
        CHECK(allowed(RateSubject::Address, "2001:db8:0:1::1"));
        CHECK(allowed(RateSubject::Address, "::ffff:192.0.2.1"));
        CHECK(allowed(RateSubject::Address, "::ffff:192.0.2.2"));
    }

    TEST(memoryIsBoundedAndTheBusyAreRemembered)
    {
        RateLimiter limiter;
        const Rate rate{10, std::chrono::seconds(60)};
        const Time now{std::chrono::hours(5)};
        for (int i = 0; i < 10; ++i) limiter.take(RateSubject::Address, "busy", rate, now);
        // Far more names than there are buckets: each is nearly full, so they push out one another and not the empty one.
        for (int i = 0; i < 200'000; ++i) limiter.take(RateSubject::Address, "name" + std::to_string(i), rate, now);
        CHECK(!limiter.take(RateSubject::Address, "busy", rate, now).allowed);
    }

    TEST(concurrentRequestsNeverExceedTheLimit)
    {
        RateLimiter limiter;
        const Rate rate{1000, std::chrono::seconds(60)};
        std::atomic<int> allowed{0};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back(
                [&]
                {
                    for (int i = 0; i < 500; ++i)
                        allowed += limiter.take(RateSubject::Principal, "one", rate, Time{std::chrono::hours(5)}).allowed ? 1 : 0;
                });
        threads.clear();
        equal(1000, allowed.load());
    }

    static Settings few(std::int64_t principal, std::int64_t anonymous)
    {
        Settings settings;
        settings.requestsPerMinute = principal;
        settings.anonymousRequestsPerMinute = anonymous;
        return settings;
    }

    /// Store that several hosts share, in memory. May be unavailable.
    class SharedStore final : public StateStore
    {
    public:
        std::optional<Entry> get(std::string_view key) override
        {
            const std::lock_guard lock(_mutex);
            if (away) throw Problem(503, "overloaded", "away");
            const auto found = _entries.find(key);
            return found == _entries.end() ? std::nullopt : std::optional(found->second);
        }
        bool compareAndSet(std::string_view key, std::uint64_t expected, std::string_view value, std::chrono::milliseconds) override
        {
            const std::lock_guard lock(_mutex);
            auto& entry = _entries[std::string(key)];
            if (entry.version != expected) return false;
            entry = {std::string(value), expected + 1};
            ++writes;
            return true;
        }
        void put(std::string_view, std::string_view, std::chrono::milliseconds) override {}
        bool remove(std::string_view) override { return false; }
        std::optional<std::string> take(std::string_view) override { return {}; }
        std::int64_t add(std::string_view, std::int64_t, std::chrono::milliseconds) override { return 0; }
        void withLock(std::string_view, std::chrono::milliseconds, const std::function<void()>&) override {}
        void limit(std::string_view, std::uint64_t) override {}

        std::atomic<bool> away{false};
        std::atomic<int> writes{0};

    private:
        std::mutex _mutex;
        std::map<std::string, Entry, std::less<>> _entries;
    };

    /// Returns true if a request of a caller is allowed.
    static bool letIn(RateLimits& limits, const Caller& caller, RateLimiter::Time now)
    {
        RateVerdict verdict;
        try
        {
            limits.admitCaller(caller, "192.0.2.1", now, verdict);
        }
        catch (const Problem&)
        {
        }
        return verdict.allowed;
    }

    static Caller personWithLimit(std::int64_t requests)
    {
        Caller caller;
        caller.credential = CredentialKind::ApiKey;
        caller.principalId = "usr_1";
        caller.rateLimit = requests;
        caller.rateWindowSeconds = 60;
        return caller;
    }

    /// Counts the requests that `host` still allows. Counts of the other hosts arrive with a delay.
    static void waitUntilRefused(RateLimits& host, const Caller& caller, int& allowed)
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        for (; letIn(host, caller, Time{std::chrono::hours(5)}); ++allowed)
        {
            if (std::chrono::steady_clock::now() > deadline) CPPUNIT_FAIL("no request was refused in 30 s");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    TEST(hostsCountTogether)
    {
        SharedStore store;
        FakeClock clock;
        RateLimits one(Settings(), &store, clock), two(Settings(), &store, clock);
        const auto caller = personWithLimit(1'000'000);
        const Time now{std::chrono::hours(5)};
        int allowed = 0;
        for (; allowed < 900'000; ++allowed) CHECK(letIn(one, caller, now));
        // The second host learns of it at the first tenth, and allows the rest of the limit.
        int onTwo = 0;
        while (onTwo < 100'000 && letIn(two, caller, now)) ++onTwo;
        equal(100'000, onTwo);
        waitUntilRefused(two, caller, onTwo);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(onTwo), onTwo < 900'000);
        int onOne = 0;
        waitUntilRefused(one, caller, onOne);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(onOne), onOne <= 100'000);
    }

    TEST(callerFarBelowTheLimitIsNotShared)
    {
        SharedStore store;
        FakeClock clock;
        {
            RateLimits limits(Settings(), &store, clock);
            for (int i = 0; i < 99; ++i) letIn(limits, personWithLimit(1000), Time{std::chrono::hours(5)});
        }
        equal(0, store.writes.load());
    }

    TEST(hostsCountAloneWithoutTheStore)
    {
        SharedStore store;
        store.away = true;
        FakeClock clock;
        RateLimits one(Settings(), &store, clock), two(Settings(), &store, clock);
        const auto caller = personWithLimit(10);
        const Time now{std::chrono::hours(5)};
        for (auto* host : {&one, &two})
        {
            for (int i = 0; i < 10; ++i) CHECK(letIn(*host, caller, now));
            CHECK(!letIn(*host, caller, now));
        }
        // Both hosts have written their counts once it is back: a third reads the whole sum on its first request.
        store.away = false;
        while (store.writes < 2) std::this_thread::yield();
        RateLimits three(Settings(), &store, clock);
        int allowed = 0;
        waitUntilRefused(three, caller, allowed);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(allowed), allowed <= 10);
    }

    TEST(anonymousIsCountedByAddress)
    {
        TwoServices world(few(100, 2));
        const auto first = world.send({.path = "/api"});
        equal("2", first.header("RateLimit-Limit"));
        equal("1", first.header("RateLimit-Remaining"));
        equal("30", first.header("RateLimit-Reset"));
        world.send({.path = "/api"});
        const auto answer = world.send({.path = "/api"});
        refused(answer, 429, "rate_limited");
        equal("30", answer.header("Retry-After"));
        equal("0", answer.header("RateLimit-Remaining"));
        equal(200, world.send({.path = "/api", .client = "192.0.2.8"}).status);
        world.clock.advance(std::chrono::seconds(30));
        equal(200, world.send({.path = "/api"}).status);
    }

    TEST(principalHasItsOwnLimit)
    {
        TwoServices world(few(2, 1));
        auto& key = world.caller("key");
        key.scopes = {"contacts.read"};
        key.permissions = {"crm.contacts:read"};
        key.rateLimit = 3;
        key.rateWindowSeconds = 10;
        const auto status = [&world](const std::string& name, const std::string& value, const std::string& client) {
            return world.send({.path = "/api/contacts", .headers = {{name, value}}, .client = client}).status;
        };
        // A caller is counted at any address.
        equal(200, status("Authorization", "Bearer reader", "192.0.2.1"));
        equal(200, status("Authorization", "Bearer reader", "192.0.2.2"));
        equal(429, status("Authorization", "Bearer reader", "192.0.2.3"));
        for (int i = 0; i < 3; ++i) equal(200, status("X-Api-Key", "key", "192.0.2.1"));
        equal(429, status("X-Api-Key", "key", "192.0.2.1"));
    }

    TEST(guessingIsCountedByAddress)
    {
        TwoServices world(few(100, 2));
        const auto guess = [&world] {
            return world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer guess"}}}).status;
        };
        equal(401, guess());
        equal(401, guess());
        equal(429, guess());
        equal(200, world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}}).status);
    }

    TEST(healthAndPagesAreNotLimited)
    {
        TwoServices world(few(1, 1));
        world.service("crm").route(Method::Get, "/page", access::open()).undocumented = true;
        world.publish();
        for (int i = 0; i < 5; ++i) equal(200, world.send({.path = "/healthz"}).status);
        for (int i = 0; i < 5; ++i) equal(200, world.send({.path = "/page"}).status);
    }

    TEST(switchedOffThereIsNoLimit)
    {
        auto settings = few(1, 1);
        settings.rateLimits = false;
        TwoServices world(settings);
        for (int i = 0; i < 5; ++i)
        {
            const auto answer = world.send({.path = "/api"});
            equal(200, answer.status);
            equal("", answer.header("RateLimit-Limit"));
        }
    }
};

} // namespace routing_tests
