#include "World.h"
#include "audit/Audit.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Signing in with a password: who gets in, what the others are told, and how guessing is slowed down.
template <class Engine>
class LoginTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LoginTest);
    CPPUNIT_TEST(signsInAndIsValid);
    CPPUNIT_TEST(saysTheSameToUnknownAccounts);
    CPPUNIT_TEST(delaysGuessing);
    CPPUNIT_TEST(delaysUnknownAccountsAlike);
    CPPUNIT_TEST(countsConcurrentGuesses);
    CPPUNIT_TEST(letsOneAccountSignInManyTimesAtOnce);
    CPPUNIT_TEST(limitsANetwork);
    CPPUNIT_TEST(speaksOfTheAccountOnlyAfterThePassword);
    CPPUNIT_TEST(choosesTheContext);
    CPPUNIT_TEST(setsCookiesForRegisteredOriginsOnly);
    CPPUNIT_TEST(keepsToTheGatewaysService);
    CPPUNIT_TEST(leavesAnAuditTrail);
    CPPUNIT_TEST(forgetsWrongPasswordsAfterTheLongestDelay);
    CPPUNIT_TEST(headersMayBeAnyBytes);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _world = std::make_unique<World>(Engine::dialect);
        _world->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _world.reset(); }

    void signsInAndIsValid()
    {
        const auto answer = _world->login("Owner@ACME.example ", World::password);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), answer.text("/token_type"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{600}, answer.at("/expires_in").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), answer.text("/activeContext/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), answer.text("/user/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("aal1"), answer.text("/session/acr"));
        CPPUNIT_ASSERT(!answer.body.as_object().contains("refresh_token"));
        CPPUNIT_ASSERT(!answer.at("/user").as_object().contains("passwordHash"));
        const auto caller = _world->validate(answer.text("/access_token"));
        CPPUNIT_ASSERT_EQUAL(_world->organizationId("acme"), caller->organizationId);
        CPPUNIT_ASSERT(caller->may("desk.tickets:purge"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), _world->verdict(answer.text("/access_token"), "identity"));
    }

    void saysTheSameToUnknownAccounts()
    {
        const auto known = _world->login("owner@acme.example", "wrong");
        const auto unknown = _world->login("nobody@acme.example", "wrong");
        CPPUNIT_ASSERT_EQUAL(401, known.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), known.code);
        CPPUNIT_ASSERT(known.body == unknown.body);
        CPPUNIT_ASSERT_EQUAL(known.headers, unknown.headers);
    }

    void delaysGuessing()
    {
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        auto refused = _world->login("owner@acme.example", World::password);
        CPPUNIT_ASSERT_EQUAL(429, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_attempts"), refused.code);
        CPPUNIT_ASSERT(refused.headers.find("Retry-After: 1\r\n") != std::string::npos);
        _world->context.testClock.advance(std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        refused = _world->login("owner@acme.example", World::password);
        CPPUNIT_ASSERT(refused.headers.find("Retry-After: 2\r\n") != std::string::npos);
        _world->context.testClock.advance(std::chrono::seconds(2));
        CPPUNIT_ASSERT_EQUAL(200, _world->login("owner@acme.example", World::password).status);
        // Forgiven: the free tries are there again.
        CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(200, _world->login("owner@acme.example", World::password).status);
    }

    void delaysUnknownAccountsAlike()
    {
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _world->login("nobody@acme.example", "wrong").status);
        const auto refused = _world->login("nobody@acme.example", "wrong");
        CPPUNIT_ASSERT_EQUAL(429, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_attempts"), refused.code);
    }

    void countsConcurrentGuesses()
    {
        std::atomic<int> looked{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { looked += _world->login("owner@acme.example", "wrong").status == 401; });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT(looked >= 5);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("no more than are free, however many come at once", 5, looked.load());
        // Not one of them is forgotten.
        const auto delay = "Retry-After: " + std::to_string(1 << (looked - 5)) + "\r\n";
        CPPUNIT_ASSERT(_world->login("owner@acme.example", World::password).headers.find(delay) != std::string::npos);
    }

    void letsOneAccountSignInManyTimesAtOnce()
    {
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { good += _world->login("owner@acme.example", World::password).status == 200; });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT_EQUAL(8, good.load());
    }

    void limitsANetwork()
    {
        World strict(Engine::dialect, {{"identity.login.addressAttemptsPerMinute", "3"}});
        const auto attempt = [&](std::string account, std::string address)
        {
            return strict
                .call({.method = Method::Post,
                       .path = "/api/auth/login",
                       .body = R"({"identifier":")" + account + R"(","password":"wrong","service_id":"desk"})",
                       .address = std::move(address)})
                .status;
        };
        CPPUNIT_ASSERT_EQUAL(401, attempt("a@x.example", "198.51.100.1"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("b@x.example", "198.51.100.2"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("c@x.example", "198.51.100.3"));
        CPPUNIT_ASSERT_EQUAL(429, attempt("d@x.example", "198.51.100.4"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("d@x.example", "198.51.101.4"));
        strict.context.testClock.advance(std::chrono::minutes(1));
        CPPUNIT_ASSERT_EQUAL(401, attempt("d@x.example", "198.51.100.4"));
    }

    void speaksOfTheAccountOnlyAfterThePassword()
    {
        _world->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _world->login("owner@acme.example", "wrong").code);
        CPPUNIT_ASSERT_EQUAL(std::string("account_suspended"), _world->login("owner@acme.example", World::password).code);
        _world->change("UPDATE users SET status = 'pending_verification'");
        CPPUNIT_ASSERT_EQUAL(std::string("email_not_verified"), _world->login("owner@acme.example", World::password).code);
        _world->change("UPDATE users SET status = 'deactivated'");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _world->login("owner@acme.example", World::password).code);
        _world->change("UPDATE users SET status = 'active'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _world->login("owner@acme.example", World::password, "nowhere").code);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _world->login("owner@acme.example", "wrong", "nowhere").code);
    }

    void choosesTheContext()
    {
        _world->createUser("owner@acme.example", "globex", "member");
        const auto acme = _world->organizationId("acme");
        const auto globex = _world->organizationId("globex");
        const auto context = [&](std::string_view extra)
        { return _world->login("owner@acme.example", World::password, "desk", extra).text("/activeContext/organizationId"); };
        CPPUNIT_ASSERT_EQUAL(acme, context(""));
        CPPUNIT_ASSERT_EQUAL(globex, context(R"(,"organizationId":")" + globex + '"'));
        // The last one used wins over the first joined.
        CPPUNIT_ASSERT_EQUAL(globex, context(""));
        _world->createUser("stranger@x.example", "initech", "owner");
        const auto foreign = _world->login("owner@acme.example", World::password, "desk",
                                           R"(,"organizationId":")" + _world->organizationId("initech") + '"');
        CPPUNIT_ASSERT_EQUAL(std::string("membership_required"), foreign.code);
        // Identity serves personal context, desk does not.
        _world->createUser("loner@x.example");
        const auto personal = _world->login("loner@x.example", World::password, "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), personal.text("/activeContext/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("member"), personal.text("/activeContext/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _world->login("loner@x.example", World::password, "desk").code);
    }

    void setsCookiesForRegisteredOriginsOnly()
    {
        const auto answer = _world->browserLogin("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT(!answer.cookie("platform_refresh").empty());
        CPPUNIT_ASSERT(answer.cookie("platform_session").empty());
        CPPUNIT_ASSERT(answer.headers.find("HttpOnly; SameSite=Strict") != std::string::npos);
        CPPUNIT_ASSERT(answer.headers.find("Secure") == std::string::npos);

        const auto home = _world->login("owner@acme.example", World::password, "identity", "",
                                        {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        CPPUNIT_ASSERT(!home.cookie("platform_session").empty());
        CPPUNIT_ASSERT(!home.cookie("platform_refresh").empty());

        const auto declared = _world->login("owner@acme.example", World::password, "desk", "",
                                            {{"X-Platform-Auth", "1"}, {"Origin", "https://desk.example"}}, "desk");
        CPPUNIT_ASSERT(!declared.cookie("platform_refresh").empty());

        const auto foreign = _world->login("owner@acme.example", World::password, "desk", "",
                                           {{"X-Platform-Auth", "1"}, {"Origin", "https://evil.example"}}, "desk");
        CPPUNIT_ASSERT_EQUAL(403, foreign.status);
        CPPUNIT_ASSERT_EQUAL(std::string("csrf_rejected"), foreign.code);
        const auto script = _world->login("owner@acme.example", World::password, "desk", "", {{"Origin", "https://evil.example"}}, "desk");
        CPPUNIT_ASSERT_EQUAL(200, script.status);
        CPPUNIT_ASSERT(script.headers.find("Set-Cookie") == std::string::npos);
    }

    void keepsToTheGatewaysService()
    {
        const auto answer = _world->login("owner@acme.example", World::password, "identity", "", {}, "desk");
        CPPUNIT_ASSERT_EQUAL(400, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_mismatch"), answer.code);
    }

    void forgetsWrongPasswordsAfterTheLongestDelay()
    {
        for (int i = 0; i < 4; ++i) _world->login("owner@acme.example", "wrong");
        _world->context.testClock.advance(std::chrono::seconds(300));
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(429, _world->login("owner@acme.example", "wrong").status);
        // While a delay grows, it is not forgotten at its end.
        for (int seconds = 1; seconds < 300; seconds *= 2)
        {
            _world->context.testClock.advance(std::chrono::seconds(seconds));
            CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        }
        _world->context.testClock.advance(std::chrono::seconds(300));
        CPPUNIT_ASSERT_EQUAL(401, _world->login("owner@acme.example", "wrong").status);
        const auto refused = _world->login("owner@acme.example", "wrong");
        CPPUNIT_ASSERT(refused.headers.find("Retry-After: 300\r\n") != std::string::npos);
    }

    /// PostgreSQL refuses what is no UTF-8, SQLite keeps it, and then no answer that has it is JSON.
    void headersMayBeAnyBytes()
    {
        const std::string bytes = "\xff\xfe caf\xe9";
        const auto answer = _world->login("owner@acme.example", World::password, "desk", "", {{"User-Agent", bytes}});
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        const auto token = answer.text("/access_token");
        const auto me = _world->call({.path = "/api/auth/me", .credential = token, .origin = "desk"});
        CPPUNIT_ASSERT_EQUAL(std::string("\xef\xbf\xbd\xef\xbf\xbd caf\xef\xbf\xbd"), me.text("/session/userAgent"));
        for (const auto* name : {"User-Agent", "Origin", "X-Service-ID", "X-Platform-Auth", "Cookie", "If-Match"})
            for (const auto* origin : {"identity", "desk"})
            {
                const std::vector<std::pair<std::string, std::string>> headers = {
                    {name, std::string(name) == "Cookie" ? "platform_refresh=" + bytes : bytes}};
                CPPUNIT_ASSERT(_world->login("owner@acme.example", World::password, "desk", "", headers, origin).status < 500);
                for (const auto* path : {"/api/auth/me", "/validate", "/api/auth/login-config"})
                    CPPUNIT_ASSERT(_world->call({.path = path, .credential = token, .headers = headers, .origin = origin}).status < 500);
                for (const auto* path : {"/api/auth/refresh", "/api/auth/logout"})
                    CPPUNIT_ASSERT(_world->call({.method = Method::Post, .path = path, .headers = headers, .origin = origin}).status < 500);
            }
        for (const auto& credential : {bytes, "pak_live_" + bytes})
            CPPUNIT_ASSERT(_world->call({.path = "/validate", .credential = credential, .origin = "desk"}).status < 500);
    }

    void leavesAnAuditTrail()
    {
        _world->login("owner@acme.example", "wrong");
        _world->login("owner@acme.example", World::password);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _world->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.refused'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _world->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.created'"));
        const auto broken = [&]
        {
            auto session = _world->context.database().session();
            return identity::audit::firstBroken(session);
        };
        CPPUNIT_ASSERT(!broken());
        _world->change("UPDATE audit_events SET outcome = 'success' WHERE type = 'session.refused'");
        CPPUNIT_ASSERT(broken().has_value());
    }

private:
    std::unique_ptr<World> _world;
};

/// The throttle where the store of its counters is full.
class LoginThrottleTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LoginThrottleTest);
    CPPUNIT_TEST(inventedNamesTakeNoDelayAway);
    CPPUNIT_TEST(looksAtNoMorePasswordsThanPromised);
    CPPUNIT_TEST_SUITE_END();

public:
    void inventedNamesTakeNoDelayAway()
    {
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT(!guess("owner@acme.example", true));
        for (int i = 0; i < 1'000; ++i) CPPUNIT_ASSERT(!guess("invented" + std::to_string(i) + "@x.example", false));
        CPPUNIT_ASSERT_THROW(guess("owner@acme.example", true), Problem);
        CPPUNIT_ASSERT(_state.usedBytes() <= 20'000);
    }

    void looksAtNoMorePasswordsThanPromised()
    {
        std::atomic<int> looked{0}, refused{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 16; ++i)
            threads.emplace_back(
                [&]
                {
                    try
                    {
                        _throttle.attempt({"owner@acme.example", true}, [&] { return ++looked == 0; });
                    }
                    catch (const Problem&)
                    {
                        ++refused;
                    }
                });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT_EQUAL(5, looked.load());
        CPPUNIT_ASSERT_EQUAL(11, refused.load());
    }

private:
    bool guess(const std::string& account, bool exists)
    {
        return _throttle.attempt({account, exists}, [] { return false; });
    }

    TestClock _clock;
    host::platform::MemoryStateStore _state{_clock, 20'000};
    const identity::Settings _settings{Config(defaultSettings())};
    identity::LoginThrottle _throttle{_state, _settings, _clock};
};

CPPUNIT_TEST_SUITE_REGISTRATION(LoginThrottleTest);
CPPUNIT_TEST_SUITE_REGISTRATION(LoginTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(LoginTest<OnPostgres>);

} // namespace portico::tests
