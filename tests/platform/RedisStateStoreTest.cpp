#include "platform/LogLines.h"
#include "platform/PlatformFixture.h"
#include "platform/StateStoreContract.h"
#include "support/RedisServer.h"

#include "host/platform/state/redis/RedisStateStore.h"

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace portico::tests
{

using host::platform::RedisEngine;
using host::platform::RedisSettings;

namespace
{

/// Answers the first command of the first connection with the given bytes, and closes.
class ScriptedServer
{
public:
    explicit ScriptedServer(std::string answer)
        : _socket(Poco::Net::SocketAddress("127.0.0.1", 0)),
          _thread(
              [this, answer = std::move(answer)]
              {
                  auto connection = _socket.acceptConnection();
                  char bytes[4096];
                  connection.receiveBytes(bytes, sizeof bytes);
                  connection.sendBytes(answer.data(), static_cast<int>(answer.size()));
              })
    {
    }
    ~ScriptedServer() { _thread.join(); }
    RedisSettings settings() const
    {
        RedisSettings settings;
        settings.port = _socket.address().port();
        settings.timeout = 10s;
        return settings;
    }

private:
    Poco::Net::ServerSocket _socket;
    std::thread _thread;
};

/// One Redis for all tests that leave it alive.
RedisServer& sharedServer()
{
    static RedisServer server;
    return server;
}

RedisSettings withPrefix(RedisSettings settings, const std::string& prefix)
{
    settings.prefix = prefix;
    return settings;
}

template <class Work>
void assertUnavailable(Work work)
{
    try
    {
        work();
        CPPUNIT_FAIL("the store answered");
    }
    catch (const Problem& problem)
    {
        CPPUNIT_ASSERT_EQUAL(503, problem.status());
        CPPUNIT_ASSERT_EQUAL(std::string("overloaded"), problem.code());
        CPPUNIT_ASSERT_EQUAL(std::string("Retry-After"), problem.headers().at(0).first);
    }
}

/// Until the time that is left to the lock of `k` went up so many times.
void waitForRenewals(const RedisServer& server, int renewals)
{
    auto before = std::numeric_limits<long long>::max();
    while (renewals > 0)
    {
        const auto left = std::stoll(server.ask({"PTTL", "portico:crm:l:k"}));
        CPPUNIT_ASSERT(left > 0);
        if (left > before) --renewals;
        before = left;
    }
}

void assertUnavailable(StateStore& store)
{
    assertUnavailable([&] { store.get("k"); });
    assertUnavailable([&] { store.put("k", "v", 1h); });
    assertUnavailable([&] { store.compareAndSet("k", 0, "v", 1h); });
    assertUnavailable([&] { store.remove("k"); });
    assertUnavailable([&] { store.take("k"); });
    assertUnavailable([&] { store.add("k", 1, 1h); });
    bool ran = false;
    assertUnavailable([&] { store.withLock("k", 0ms, [&] { ran = true; }); });
    CPPUNIT_ASSERT(!ran);
}

} // namespace

/// Two hosts on one Redis keep the promises of one in memory.
class RedisStateStoreTest : public StateStoreContract
{
    CPPUNIT_TEST_SUB_SUITE(RedisStateStoreTest, StateStoreContract);
    CPPUNIT_TEST(servicesAndPrefixesAreApart);
    CPPUNIT_TEST(everyKeyEnds);
    CPPUNIT_TEST(noUseStarvesAnother);
    CPPUNIT_TEST(manyThreadsShareFewConnections);
    CPPUNIT_TEST(theLockOfADeadHostEnds);
    CPPUNIT_TEST(aLongWorkKeepsItsKey);
    CPPUNIT_TEST(doesNotFreeTheLockOfAnother);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        sharedServer().ask({"FLUSHALL"});
        _first = std::make_unique<RedisEngine>(sharedServer().settings(), _log);
        _other = std::make_unique<RedisEngine>(sharedServer().settings(), _log);
        _store = _first->open("crm");
        _second = _other->open("crm");
    }

    void servicesAndPrefixesAreApart()
    {
        const auto otherService = _first->open("calendar");
        RedisEngine otherHosts(withPrefix(sharedServer().settings(), "staging"), _log);
        const auto otherPrefix = otherHosts.open("crm");
        _store->put("k", "v", 1h);
        CPPUNIT_ASSERT(!otherService->get("k"));
        CPPUNIT_ASSERT(!otherPrefix->get("k"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), sharedServer().ask({"EXISTS", "portico:crm:v:k"}));
        _store->withLock("k", 0ms, [&] { otherService->withLock("k", 0ms, [] {}); });
    }

    /// What has no end fills Redis.
    void everyKeyEnds()
    {
        _store->put("put", "v", 1h);
        _store->compareAndSet("set", 0, "v", 1h);
        _store->add("add", 1, 1h);
        _store->add("add", 1, 1h);
        _store->withLock("lock", 0ms,
                         []
                         {
                             for (const char* key : {"v:put", "v:set", "v:add", "u:", "l:lock"})
                                 CPPUNIT_ASSERT(std::stoll(sharedServer().ask({"PTTL", "portico:crm:" + std::string(key)})) > 0);
                         });
        CPPUNIT_ASSERT_EQUAL(std::string("4"), sharedServer().ask({"DBSIZE"}));
        _store->remove("put");
        _store->take("set");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), sharedServer().ask({"ZCARD", "portico:crm:u:"}));
    }

    void noUseStarvesAnother()
    {
        auto settings = sharedServer().settings();
        settings.valuesPerUse = 20;
        RedisEngine engine(settings, _log);
        const auto store = engine.open("crm");
        for (int i = 0; i < 20; ++i) store->put("hold:" + std::to_string(i), "x", 1min);
        store->put("login:long", "x", 2h);
        for (int i = 0; i < 100; ++i) store->add("login:" + std::to_string(i), 1, 1h);
        // Shorter than all others: it is the newest all the same.
        CPPUNIT_ASSERT(store->compareAndSet("login:short", 0, "x", 1min));
        for (int i = 0; i < 20; ++i) CPPUNIT_ASSERT(store->get("hold:" + std::to_string(i)));
        CPPUNIT_ASSERT(store->get("login:long") && store->get("login:99") && store->get("login:short"));
        CPPUNIT_ASSERT(!store->get("login:0"));
        CPPUNIT_ASSERT_EQUAL(std::string("20"), sharedServer().ask({"ZCARD", "portico:crm:u:login"}));
        CPPUNIT_ASSERT_EQUAL(std::string("42"), sharedServer().ask({"DBSIZE"}));
        // What has ended makes room.
        for (int i = 0; i < 15; ++i) store->put("ticket:" + std::to_string(i), "x", 1ms);
        letPass(2ms);
        for (int i = 15; i < 35; ++i) store->put("ticket:" + std::to_string(i), "x", 1h);
        CPPUNIT_ASSERT(store->get("ticket:15"));
    }

    void manyThreadsShareFewConnections()
    {
        auto settings = sharedServer().settings();
        settings.connections = 2;
        RedisEngine engine(settings, _log);
        const auto store = engine.open("crm");
        concurrently(12,
                     [&](std::size_t)
                     {
                         for (int i = 0; i < 50; ++i) store->add("hits", 1, 1h);
                     });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{600}, store->add("hits", 0, 1h));
    }

    void theLockOfADeadHostEnds()
    {
        sharedServer().ask({"SET", "portico:crm:l:k", "of a host that was killed", "PX", "3000"});
        bool ran = false;
        assertUnavailable([&] { _store->withLock("k", 0ms, [] {}); });
        _store->withLock("k", 1min, [&] { ran = true; });
        CPPUNIT_ASSERT(ran);
    }

    void aLongWorkKeepsItsKey()
    {
        auto settings = sharedServer().settings();
        settings.lockLease = 4'500ms;
        RedisEngine engine(settings, _log);
        const auto store = engine.open("crm");
        store->withLock("k", 0ms,
                        [&]
                        {
                            waitForRenewals(sharedServer(), 2);
                            assertUnavailable([&] { _second->withLock("k", 0ms, [] {}); });
                        });
        CPPUNIT_ASSERT_EQUAL(std::string("0"), sharedServer().ask({"EXISTS", "portico:crm:l:k"}));
    }

    void doesNotFreeTheLockOfAnother()
    {
        _store->withLock("k", 0ms, [] { sharedServer().ask({"SET", "portico:crm:l:k", "of another"}); });
        CPPUNIT_ASSERT_EQUAL(std::string("of another"), sharedServer().ask({"GET", "portico:crm:l:k"}));
    }

protected:
    StateStore& store() override { return *_store; }
    StateStore& second() override { return *_second; }
    /// Redis has its own clock.
    void letPass(milliseconds time) override { std::this_thread::sleep_for(time + 2ms); }

private:
    LogLines _log;
    std::unique_ptr<RedisEngine> _first, _other;
    std::unique_ptr<StateStore> _store, _second;
};

/// What is in the way between a host and its Redis.
class RedisFaultTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(RedisFaultTest);
    CPPUNIT_TEST(refusesWhileRedisIsAway);
    CPPUNIT_TEST(aRestartInBetweenIsNotSeen);
    CPPUNIT_TEST(aHangingRedisIsBounded);
    CPPUNIT_TEST(aLateAnswerIsNobodys);
    CPPUNIT_TEST(doesNotKeepTryingWhileRedisIsAway);
    CPPUNIT_TEST(signsIn);
    CPPUNIT_TEST(theUserOfTheManualMayEnough);
    CPPUNIT_TEST(aFullRedisRefusesWrites);
    CPPUNIT_TEST(aValueThatIsCutOffIsNoValue);
    CPPUNIT_TEST(whatIsNoRedisIsRefused);
    CPPUNIT_TEST(platformsShareWhatIsInRedis);
    CPPUNIT_TEST(aPlatformStartsWithoutRedis);
    CPPUNIT_TEST_SUITE_END();

public:
    void refusesWhileRedisIsAway()
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        store->put("k", "v", 1h);
        server.kill();
        assertUnavailable(*store);
        assertUnavailable([&] { engine.ping(); });
        CPPUNIT_ASSERT(_log.contains("Redis is away"));
        CPPUNIT_ASSERT(!_log.contains("Redis is back"));
        server.start();
        CPPUNIT_ASSERT(!store->get("k")); // it kept nothing, and nor did we
        CPPUNIT_ASSERT(_log.contains("Redis is back"));
        CPPUNIT_ASSERT(store->compareAndSet("k", 0, "v", 1h));
    }

    void aRestartInBetweenIsNotSeen()
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        concurrently(4, [&](std::size_t) { store->add("hits", 1, 1h); });
        server.kill();
        server.start();
        concurrently(4, [&](std::size_t) { store->add("hits", 1, 1h); });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, store->add("hits", 0, 1h));
        CPPUNIT_ASSERT(!_log.contains("away"));
    }

    void aHangingRedisIsBounded()
    {
        RedisServer server;
        RedisEngine engine(impatient(server), _log);
        const auto store = engine.open("crm");
        untilInTime([&] { store->put("k", "v", 1h); });
        server.freeze();
        assertUnavailable(*store);
        assertUnavailable([&] { store->put("k", std::string(std::size_t{32} << 20, 'x'), 1h); }); // more than sockets take
        CPPUNIT_ASSERT(_log.contains("no answer in time"));
        server.thaw();
        RedisEngine patient(server.settings(), _log);
        patient.open("crm")->put("k", "again", 1h);
        CPPUNIT_ASSERT_EQUAL(std::string("again"), patient.open("crm")->get("k").value().value);
    }

    /// It comes on a connection that is not used any more.
    void aLateAnswerIsNobodys()
    {
        RedisServer server;
        RedisEngine engine(impatient(server), _log);
        const auto store = engine.open("crm");
        RedisEngine patient(server.settings(), _log);
        patient.open("crm")->put("a", "of a", 1h);
        patient.open("crm")->put("b", "of b", 1h);
        server.freeze();
        assertUnavailable([&] { store->get("a"); });
        server.thaw();
        untilInTime([&] { CPPUNIT_ASSERT_EQUAL(std::string("of b"), store->get("b").value().value); });
    }

    void doesNotKeepTryingWhileRedisIsAway()
    {
        RedisServer server;
        auto settings = server.settings();
        settings.pause = 1h;
        RedisEngine engine(settings, _log);
        const auto store = engine.open("crm");
        server.kill();
        assertUnavailable([&] { store->get("k"); });
        server.start();
        assertUnavailable(*store);
    }

    void signsIn()
    {
        RedisServer server("s3cr't pass\\word");
        RedisEngine right(server.settings(), _log);
        right.open("crm")->put("k", "v", 1h);
        auto settings = server.settings();
        settings.user = "default";
        RedisEngine named(settings, _log);
        CPPUNIT_ASSERT(named.open("crm")->get("k"));
        CPPUNIT_ASSERT(!_log.contains("away"));

        settings.password = "guess";
        RedisEngine wrong(settings, _log);
        assertUnavailable(*wrong.open("crm"));
        CPPUNIT_ASSERT(_log.contains("WRONGPASS"));
        settings.user.clear();
        settings.password.clear();
        RedisEngine none(settings, _log);
        assertUnavailable(*none.open("crm"));
        CPPUNIT_ASSERT(_log.contains("NOAUTH"));
        CPPUNIT_ASSERT(!_log.contains("guess"));
    }

    /// As docs/scaling-out.md makes it.
    void theUserOfTheManualMayEnough()
    {
        RedisServer server;
        server.ask({"ACL",      "SETUSER",           "portico", "on",     ">secret", "~portico:*", "+eval", "+hmget", "+hget",  "+hset",
                    "+hincrby", "+exists",           "+del",    "+get",   "+set",    "+pexpire",   "+pttl", "+zadd",  "+zcard", "+zrange",
                    "+zrem",    "+zremrangebyscore", "+ping",   "+select"});
        auto settings = server.settings();
        settings.valuesPerUse = 1;
        settings.user = "portico";
        settings.password = "secret";
        settings.lockLease = 4'500ms;
        RedisEngine engine(settings, _log);
        engine.ping();
        const auto store = engine.open("crm");
        store->put("k", "v", 1h);
        CPPUNIT_ASSERT(store->compareAndSet("k", store->get("k").value().version, "w", 1h));
        CPPUNIT_ASSERT(store->take("k"));
        store->put("evicted", "v", 1h);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, store->add("n", 2, 1h));
        CPPUNIT_ASSERT(!store->remove("evicted"));
        CPPUNIT_ASSERT(store->remove("n"));
        store->withLock("k", 0ms,
                        [&]
                        {
                            waitForRenewals(server, 1);
                            CPPUNIT_ASSERT(!store->remove("k"));
                        });
        CPPUNIT_ASSERT(!_log.contains("refuses"));
        CPPUNIT_ASSERT(!_log.contains("away"));

        settings.database = 3;
        RedisEngine(settings, _log).open("crm")->put("k", "v", 1h);
        CPPUNIT_ASSERT(!store->get("k"));
        CPPUNIT_ASSERT(!_log.contains("away"));
        settings.prefix = "elsewhere";
        RedisEngine other(settings, _log);
        assertUnavailable([&] { other.open("crm")->put("k", "v", 1h); });
        CPPUNIT_ASSERT(_log.contains("NOPERM"));
    }

    void aFullRedisRefusesWrites()
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        store->put("k", "v", 1h);
        server.ask({"CONFIG", "SET", "maxmemory", "1"});
        assertUnavailable([&] { store->put("k", "w", 1h); });
        assertUnavailable([&] { store->add("n", 1, 1h); });
        assertUnavailable([&] { store->compareAndSet("new", 0, "w", 1h); });
        CPPUNIT_ASSERT_EQUAL(std::string("v"), store->get("k").value().value);
        CPPUNIT_ASSERT(_log.contains("Redis is full"));
        CPPUNIT_ASSERT(!_log.contains("away"));
        server.ask({"CONFIG", "SET", "maxmemory", "0"});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, store->add("n", 1, 1h));
    }

    void aValueThatIsCutOffIsNoValue()
    {
        for (const char* answer :
             {"", "*2", "*2\r\n", "*2\r\n$9\r\nabc", "*2\r\n$3\r\nabc", "*2\r\n$3\r\nabc\r\n", "*2\r\n$3\r\nabc\r\n$2\r\n1"})
        {
            const ScriptedServer server(answer);
            RedisEngine engine(server.settings(), _log);
            assertUnavailable([&] { engine.open("crm")->get("k"); });
        }
    }

    void whatIsNoRedisIsRefused()
    {
        for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "*x\r\n", "*2\r\n$x\r\n", "*2\r\n?\r\n", "\r\n", "*1\r\n$1\r\na\r\n",
                                   "*-1\r\n", "+OK\r\n", ":1\r\n", "$-1\r\n", "*2\r\n:1\r\n:2\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n"})
        {
            const ScriptedServer server(answer);
            RedisEngine engine(server.settings(), _log);
            assertUnavailable([&] { engine.open("crm")->get("k"); });
        }
    }

    /// Through the library that the host loads.
    void platformsShareWhatIsInRedis()
    {
        PlatformFixture one(Dialect::SQLite), other(Dialect::SQLite);
        one.settings.redis = other.settings.redis = withPrefix(sharedServer().settings(), "platforms");
        one.restart();
        other.restart();
        auto here = one.load("crm", false), there = other.load("crm", false);
        here->state().put("k", "v", 1h);
        CPPUNIT_ASSERT_EQUAL(std::string("v"), there->state().take("k").value());
        CPPUNIT_ASSERT(!here->state().get("k"));
        one.platform->states()->ping();
    }

    void aPlatformStartsWithoutRedis()
    {
        RedisServer server;
        server.kill();
        PlatformFixture fixture(Dialect::SQLite);
        fixture.settings.redis = server.settings();
        fixture.restart();
        auto loaded = fixture.load("crm", false);
        assertUnavailable(loaded->state());
        server.start();
        loaded->state().put("k", "v", 1h);
    }

private:
    /// Again on a busy machine: the time-out of the impatient is short.
    template <class Work>
    static void untilInTime(Work work)
    {
        for (;;)
        {
            try
            {
                return work();
            }
            catch (const Problem&)
            {
                continue;
            }
        }
    }
    static RedisSettings impatient(const RedisServer& server)
    {
        auto settings = server.settings();
        settings.timeout = 100ms;
        return settings;
    }

    LogLines _log;
};

CPPUNIT_TEST_SUITE_REGISTRATION(RedisStateStoreTest);
CPPUNIT_TEST_SUITE_REGISTRATION(RedisFaultTest);

} // namespace portico::tests
