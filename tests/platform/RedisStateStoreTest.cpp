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
        equal(503, problem.status());
        equal("overloaded", problem.code());
        equal("Retry-After", problem.headers().at(0).first);
    }
}

/// Waits until the remaining time of the lock of `k` has increased this many times.
void waitForRenewals(const RedisServer& server, int renewals)
{
    auto before = std::numeric_limits<long long>::max();
    while (renewals > 0)
    {
        const auto left = std::stoll(server.ask({"PTTL", "portico:crm:l:k"}));
        CHECK(left > 0);
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
    CHECK(!ran);
}

} // namespace

/// Two hosts on one Redis keep the promises of one in memory.
class RedisStateStoreTest : public StateStoreContract<RedisStateStoreTest>
{
    void setUp() override
    {
        sharedServer().ask({"FLUSHALL"});
        _first = std::make_unique<RedisEngine>(sharedServer().settings(), _log);
        _other = std::make_unique<RedisEngine>(sharedServer().settings(), _log);
        _store = _first->open("crm");
        _second = _other->open("crm");
    }

    TEST(servicesAndPrefixesAreApart)
    {
        const auto otherService = _first->open("calendar");
        RedisEngine otherHosts(withPrefix(sharedServer().settings(), "staging"), _log);
        const auto otherPrefix = otherHosts.open("crm");
        _store->put("k", "v", 1h);
        CHECK(!otherService->get("k"));
        CHECK(!otherPrefix->get("k"));
        equal("1", sharedServer().ask({"EXISTS", "portico:crm:v:k"}));
        _store->withLock("k", 0ms, [&] { otherService->withLock("k", 0ms, [] {}); });
    }

    /// A key without expiration would fill Redis.
    TEST(everyKeyEnds)
    {
        _store->put("put", "v", 1h);
        _store->compareAndSet("set", 0, "v", 1h);
        _store->add("add", 1, 1h);
        _store->add("add", 1, 1h);
        _store->withLock("lock", 0ms,
                         []
                         {
                             for (const char* key : {"v:put", "v:set", "v:add", "u:", "l:lock"})
                                 CHECK(std::stoll(sharedServer().ask({"PTTL", "portico:crm:" + std::string(key)})) > 0);
                         });
        equal("4", sharedServer().ask({"DBSIZE"}));
        _store->remove("put");
        _store->take("set");
        equal("1", sharedServer().ask({"ZCARD", "portico:crm:u:"}));
    }

    TEST(noUseStarvesAnother)
    {
        auto settings = sharedServer().settings();
        settings.valuesPerUse = 20;
        RedisEngine engine(settings, _log);
        const auto store = engine.open("crm");
        for (int i = 0; i < 20; ++i) store->put("hold:" + std::to_string(i), "x", 1min);
        store->put("login:long", "x", 2h);
        for (int i = 0; i < 100; ++i) store->add("login:" + std::to_string(i), 1, 1h);
        // Shorter than all others: it is the newest all the same.
        CHECK(store->compareAndSet("login:short", 0, "x", 1min));
        for (int i = 0; i < 20; ++i) CHECK(store->get("hold:" + std::to_string(i)));
        CHECK(store->get("login:long") && store->get("login:99") && store->get("login:short"));
        CHECK(!store->get("login:0"));
        equal("20", sharedServer().ask({"ZCARD", "portico:crm:u:login"}));
        equal("42", sharedServer().ask({"DBSIZE"}));
        // Expired values make room.
        for (int i = 0; i < 15; ++i) store->put("ticket:" + std::to_string(i), "x", 1ms);
        letPass(2ms);
        for (int i = 15; i < 35; ++i) store->put("ticket:" + std::to_string(i), "x", 1h);
        CHECK(store->get("ticket:15"));
    }

    TEST(manyThreadsShareFewConnections)
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
        equal(600, store->add("hits", 0, 1h));
    }

    TEST(theLockOfADeadHostEnds)
    {
        sharedServer().ask({"SET", "portico:crm:l:k", "of a host that was killed", "PX", "3000"});
        bool ran = false;
        assertUnavailable([&] { _store->withLock("k", 0ms, [] {}); });
        _store->withLock("k", 1min, [&] { ran = true; });
        CHECK(ran);
    }

    TEST(aLongWorkKeepsItsKey)
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
        equal("0", sharedServer().ask({"EXISTS", "portico:crm:l:k"}));
    }

    TEST(doesNotFreeTheLockOfAnother)
    {
        _store->withLock("k", 0ms, [] { sharedServer().ask({"SET", "portico:crm:l:k", "of another"}); });
        equal("of another", sharedServer().ask({"GET", "portico:crm:l:k"}));
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

/// Faults between a host and its Redis.
class RedisFaultTest : public Suite<RedisFaultTest>
{
    TEST(refusesWhileRedisIsAway)
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        store->put("k", "v", 1h);
        server.kill();
        assertUnavailable(*store);
        assertUnavailable([&] { engine.ping(); });
        CHECK(_log.contains("Redis is away"));
        CHECK(!_log.contains("Redis is back"));
        server.start();
        CHECK(!store->get("k")); // it kept nothing, and nor did we
        CHECK(_log.contains("Redis is back"));
        CHECK(store->compareAndSet("k", 0, "v", 1h));
    }

    TEST(aRestartInBetweenIsNotSeen)
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        concurrently(4, [&](std::size_t) { store->add("hits", 1, 1h); });
        server.kill();
        server.start();
        concurrently(4, [&](std::size_t) { store->add("hits", 1, 1h); });
        equal(4, store->add("hits", 0, 1h));
        CHECK(!_log.contains("away"));
    }

    TEST(aHangingRedisIsBounded)
    {
        RedisServer server;
        RedisEngine engine(impatient(server), _log);
        const auto store = engine.open("crm");
        untilInTime([&] { store->put("k", "v", 1h); });
        server.freeze();
        assertUnavailable(*store);
        assertUnavailable([&] { store->put("k", std::string(std::size_t{32} << 20, 'x'), 1h); }); // more than sockets take
        CHECK(_log.contains("no answer in time"));
        server.thaw();
        RedisEngine patient(server.settings(), _log);
        patient.open("crm")->put("k", "again", 1h);
        equal("again", patient.open("crm")->get("k").value().value);
    }

    /// It comes on a connection that is not used any more.
    TEST(lateAnswerIsDropped)
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
        untilInTime([&] { equal("of b", store->get("b").value().value); });
    }

    TEST(doesNotKeepTryingWhileRedisIsAway)
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

    TEST(signsIn)
    {
        RedisServer server("s3cr't pass\\word");
        RedisEngine right(server.settings(), _log);
        right.open("crm")->put("k", "v", 1h);
        auto settings = server.settings();
        settings.user = "default";
        RedisEngine named(settings, _log);
        CHECK(named.open("crm")->get("k"));
        CHECK(!_log.contains("away"));

        settings.password = "guess";
        RedisEngine wrong(settings, _log);
        assertUnavailable(*wrong.open("crm"));
        CHECK(_log.contains("WRONGPASS"));
        settings.user.clear();
        settings.password.clear();
        RedisEngine none(settings, _log);
        assertUnavailable(*none.open("crm"));
        CHECK(_log.contains("NOAUTH"));
        CHECK(!_log.contains("guess"));
    }

    /// The user as in docs/scaling-out.md.
    TEST(theUserOfTheManualMayEnough)
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
        CHECK(store->compareAndSet("k", store->get("k").value().version, "w", 1h));
        CHECK(store->take("k"));
        store->put("evicted", "v", 1h);
        equal(2, store->add("n", 2, 1h));
        CHECK(!store->remove("evicted"));
        CHECK(store->remove("n"));
        store->withLock("k", 0ms,
                        [&]
                        {
                            waitForRenewals(server, 1);
                            CHECK(!store->remove("k"));
                        });
        CHECK(!_log.contains("refuses"));
        CHECK(!_log.contains("away"));

        settings.database = 3;
        RedisEngine(settings, _log).open("crm")->put("k", "v", 1h);
        CHECK(!store->get("k"));
        CHECK(!_log.contains("away"));
        settings.prefix = "elsewhere";
        RedisEngine other(settings, _log);
        assertUnavailable([&] { other.open("crm")->put("k", "v", 1h); });
        CHECK(_log.contains("NOPERM"));
    }

    TEST(aFullRedisRefusesWrites)
    {
        RedisServer server;
        RedisEngine engine(server.settings(), _log);
        const auto store = engine.open("crm");
        store->put("k", "v", 1h);
        server.ask({"CONFIG", "SET", "maxmemory", "1"});
        assertUnavailable([&] { store->put("k", "w", 1h); });
        assertUnavailable([&] { store->add("n", 1, 1h); });
        assertUnavailable([&] { store->compareAndSet("new", 0, "w", 1h); });
        equal("v", store->get("k").value().value);
        CHECK(_log.contains("Redis is full"));
        CHECK(!_log.contains("away"));
        server.ask({"CONFIG", "SET", "maxmemory", "0"});
        equal(1, store->add("n", 1, 1h));
    }

    TEST(aValueThatIsCutOffIsNoValue)
    {
        for (const char* answer :
             {"", "*2", "*2\r\n", "*2\r\n$9\r\nabc", "*2\r\n$3\r\nabc", "*2\r\n$3\r\nabc\r\n", "*2\r\n$3\r\nabc\r\n$2\r\n1"})
        {
            const ScriptedServer server(answer);
            RedisEngine engine(server.settings(), _log);
            assertUnavailable([&] { engine.open("crm")->get("k"); });
        }
    }

    TEST(otherProtocolsAreRejected)
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
    TEST(platformsShareWhatIsInRedis)
    {
        PlatformFixture one(Dialect::SQLite), other(Dialect::SQLite);
        one.settings.redis = other.settings.redis = withPrefix(sharedServer().settings(), "platforms");
        one.restart();
        other.restart();
        auto here = one.load("crm", false), there = other.load("crm", false);
        here->state().put("k", "v", 1h);
        equal("v", there->state().take("k").value());
        CHECK(!here->state().get("k"));
        one.platform->states()->ping();
    }

    TEST(aPlatformStartsWithoutRedis)
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

template class StateStoreContract<RedisStateStoreTest>;
} // namespace portico::tests
