#include "audit/Audit.h"
#include "identity/IdentityHost.h"

#include "portico/Crypto.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Signing in with a password: who gets in, what the others are told, and how guessing is slowed down.
class LoginTest : public CppUnit::TestFixture
{
    /// Of `IdentityHost::password`, by weaker parameters than today's.
    static constexpr std::string_view oldHash =
        "$argon2id$v=19$m=8192,t=1,p=1$pq7KB7DX2Evg2YCzrO3L6A$BkvWvMTsbX563FkQP4+zM6dPGW5SPYmXXEJmejJrr5o";

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
    CPPUNIT_TEST(renewsAnOldHash);
    CPPUNIT_TEST(anOldHashIsNoWayAroundANewPassword);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void signsInAndIsValid()
    {
        const auto answer = _host->login("Owner@ACME.example ", IdentityHost::password);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), answer.at("/token_type"));
        CPPUNIT_ASSERT_EQUAL(std::string("600"), answer.at("/expires_in"));
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), answer.at("/activeContext/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), answer.at("/user/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("aal1"), answer.at("/session/acr"));
        CPPUNIT_ASSERT(!answer.has("/refresh_token"));
        CPPUNIT_ASSERT(!answer.has("/user/passwordHash"));
        const auto caller = _host->validate(answer.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), caller->organizationId);
        CPPUNIT_ASSERT(caller->may("desk.tickets:purge"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), _host->verdict(answer.at("/access_token"), "identity"));
    }

    void renewsAnOldHash()
    {
        _host->change("UPDATE users SET password_hash = $1", {std::string(oldHash)});
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM users WHERE password_hash LIKE '%m=8192,t=1%'"));
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", IdentityHost::password).status);
    }

    /// What an administrator asked for is asked of the password, in whichever form it is kept.
    void anOldHashIsNoWayAroundANewPassword()
    {
        _host->change("UPDATE users SET password_hash = $1, password_expired_for = $2", {std::string(oldHash), sha256(oldHash).hex()});
        for (int i = 0; i < 3; ++i)
            CPPUNIT_ASSERT_EQUAL(std::string("password_change_required"),
                                 _host->login("owner@acme.example", IdentityHost::password).code());
    }

    void saysTheSameToUnknownAccounts()
    {
        const auto known = _host->login("owner@acme.example", "wrong");
        const auto unknown = _host->login("nobody@acme.example", "wrong");
        CPPUNIT_ASSERT_EQUAL(401, known.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), known.code());
        CPPUNIT_ASSERT(known.body == unknown.body);
        CPPUNIT_ASSERT_EQUAL(known.headerBlock(), unknown.headerBlock());
    }

    void delaysGuessing()
    {
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        auto refused = _host->login("owner@acme.example", IdentityHost::password);
        CPPUNIT_ASSERT_EQUAL(429, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_attempts"), refused.code());
        CPPUNIT_ASSERT(refused.headerBlock().find("Retry-After: 1\r\n") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        refused = _host->login("owner@acme.example", IdentityHost::password);
        CPPUNIT_ASSERT(refused.headerBlock().find("Retry-After: 2\r\n") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(2));
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", IdentityHost::password).status);
        // Forgiven: the free tries are there again.
        CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", IdentityHost::password).status);
    }

    void delaysUnknownAccountsAlike()
    {
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _host->login("nobody@acme.example", "wrong").status);
        const auto refused = _host->login("nobody@acme.example", "wrong");
        CPPUNIT_ASSERT_EQUAL(429, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_attempts"), refused.code());
    }

    void countsConcurrentGuesses()
    {
        std::atomic<int> looked{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { looked += _host->login("owner@acme.example", "wrong").status == 401; });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT(looked >= 5);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("no more than are free, however many come at once", 5, looked.load());
        // Not one of them is forgotten.
        const auto delay = "Retry-After: " + std::to_string(1 << (looked - 5)) + "\r\n";
        CPPUNIT_ASSERT(_host->login("owner@acme.example", IdentityHost::password).headerBlock().find(delay) != std::string::npos);
    }

    void letsOneAccountSignInManyTimesAtOnce()
    {
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { good += _host->login("owner@acme.example", IdentityHost::password).status == 200; });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT_EQUAL(8, good.load());
    }

    void limitsANetwork()
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.login.addressAttemptsPerMinute", "3"}});
        const auto attempt = [&](std::string account, std::string address)
        {
            return strict
                .call({.method = Method::Post,
                       .target = "/api/auth/login",
                       .body = R"({"identifier":")" + account + R"(","password":"wrong","service_id":"desk"})",
                       .clientAddress = std::move(address)})
                .status;
        };
        CPPUNIT_ASSERT_EQUAL(401, attempt("a@x.example", "198.51.100.1"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("b@x.example", "198.51.100.2"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("c@x.example", "198.51.100.3"));
        CPPUNIT_ASSERT_EQUAL(429, attempt("d@x.example", "198.51.100.4"));
        CPPUNIT_ASSERT_EQUAL(401, attempt("d@x.example", "198.51.101.4"));
        strict.context().clock().advance(std::chrono::minutes(1));
        CPPUNIT_ASSERT_EQUAL(401, attempt("d@x.example", "198.51.100.4"));
    }

    void speaksOfTheAccountOnlyAfterThePassword()
    {
        _host->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("owner@acme.example", "wrong").code());
        CPPUNIT_ASSERT_EQUAL(std::string("account_suspended"), _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'pending_verification'");
        CPPUNIT_ASSERT_EQUAL(std::string("email_not_verified"), _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'deactivated'");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'active'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"),
                             _host->login("owner@acme.example", IdentityHost::password, "nowhere").code());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("owner@acme.example", "wrong", "nowhere").code());
    }

    void choosesTheContext()
    {
        _host->createUser("owner@acme.example", "globex", "member");
        const auto acme = _host->organizationId("acme");
        const auto globex = _host->organizationId("globex");
        const auto context = [&](std::string_view extra)
        { return _host->login("owner@acme.example", IdentityHost::password, "desk", extra).at("/activeContext/organizationId"); };
        CPPUNIT_ASSERT_EQUAL(acme, context(""));
        CPPUNIT_ASSERT_EQUAL(globex, context(R"(,"organizationId":")" + globex + '"'));
        // The last one used wins over the first joined.
        CPPUNIT_ASSERT_EQUAL(globex, context(""));
        _host->createUser("stranger@x.example", "initech", "owner");
        const auto foreign = _host->login("owner@acme.example", IdentityHost::password, "desk",
                                          R"(,"organizationId":")" + _host->organizationId("initech") + '"');
        CPPUNIT_ASSERT_EQUAL(std::string("membership_required"), foreign.code());
        // Identity serves personal context, desk does not.
        _host->createUser("loner@x.example");
        const auto personal = _host->login("loner@x.example", IdentityHost::password, "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), personal.at("/activeContext/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("member"), personal.at("/activeContext/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->login("loner@x.example", IdentityHost::password, "desk").code());
    }

    void setsCookiesForRegisteredOriginsOnly()
    {
        const auto answer = _host->browserLogin("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT(!answer.cookie("platform_refresh").empty());
        CPPUNIT_ASSERT(answer.cookie("platform_session").empty());
        CPPUNIT_ASSERT(answer.headerBlock().find("HttpOnly; SameSite=Strict") != std::string::npos);
        CPPUNIT_ASSERT(answer.headerBlock().find("Secure") == std::string::npos);

        const auto home = _host->login("owner@acme.example", IdentityHost::password, "identity", "",
                                       {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        CPPUNIT_ASSERT(!home.cookie("platform_session").empty());
        CPPUNIT_ASSERT(!home.cookie("platform_refresh").empty());

        const auto declared = _host->login("owner@acme.example", IdentityHost::password, "desk", "",
                                           {{"X-Platform-Auth", "1"}, {"Origin", "https://desk.example"}}, "desk");
        CPPUNIT_ASSERT(!declared.cookie("platform_refresh").empty());

        const auto foreign = _host->login("owner@acme.example", IdentityHost::password, "desk", "",
                                          {{"X-Platform-Auth", "1"}, {"Origin", "https://evil.example"}}, "desk");
        CPPUNIT_ASSERT_EQUAL(403, foreign.status);
        CPPUNIT_ASSERT_EQUAL(std::string("csrf_rejected"), foreign.code());
        const auto script =
            _host->login("owner@acme.example", IdentityHost::password, "desk", "", {{"Origin", "https://evil.example"}}, "desk");
        CPPUNIT_ASSERT_EQUAL(200, script.status);
        CPPUNIT_ASSERT(script.headerBlock().find("Set-Cookie") == std::string::npos);
    }

    void keepsToTheGatewaysService()
    {
        const auto answer = _host->login("owner@acme.example", IdentityHost::password, "identity", "", {}, "desk");
        CPPUNIT_ASSERT_EQUAL(400, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_mismatch"), answer.code());
    }

    void forgetsWrongPasswordsAfterTheLongestDelay()
    {
        for (int i = 0; i < 4; ++i) _host->login("owner@acme.example", "wrong");
        _host->context().clock().advance(std::chrono::seconds(300));
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(429, _host->login("owner@acme.example", "wrong").status);
        // While a delay grows, it is not forgotten at its end.
        for (int seconds = 1; seconds < 300; seconds *= 2)
        {
            _host->context().clock().advance(std::chrono::seconds(seconds));
            CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        }
        _host->context().clock().advance(std::chrono::seconds(300));
        CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@acme.example", "wrong").status);
        const auto refused = _host->login("owner@acme.example", "wrong");
        CPPUNIT_ASSERT(refused.headerBlock().find("Retry-After: 300\r\n") != std::string::npos);
    }

    /// PostgreSQL refuses what is no UTF-8, SQLite keeps it, and then no answer that has it is JSON.
    void headersMayBeAnyBytes()
    {
        const std::string bytes = "\xff\xfe caf\xe9";
        const auto answer = _host->login("owner@acme.example", IdentityHost::password, "desk", "", {{"User-Agent", bytes}});
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        const auto token = answer.at("/access_token");
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, token);
        CPPUNIT_ASSERT_EQUAL(std::string("\xef\xbf\xbd\xef\xbf\xbd caf\xef\xbf\xbd"), me.at("/session/userAgent"));
        for (const auto* name : {"User-Agent", "Origin", "X-Service-ID", "X-Platform-Auth", "Cookie", "If-Match"})
            for (const auto* origin : {"identity", "desk"})
            {
                const std::vector<std::pair<std::string, std::string>> headers = {
                    {name, std::string(name) == "Cookie" ? "platform_refresh=" + bytes : bytes}};
                CPPUNIT_ASSERT(_host->login("owner@acme.example", IdentityHost::password, "desk", "", headers, origin).status < 500);
                for (const auto* path : {"/api/auth/me", "/validate", "/api/auth/login-config"})
                    CPPUNIT_ASSERT(_host->call({.target = path, .headers = headers, .originService = origin}, token).status < 500);
                for (const auto* path : {"/api/auth/refresh", "/api/auth/logout"})
                    CPPUNIT_ASSERT(
                        _host->call({.method = Method::Post, .target = path, .headers = headers, .originService = origin}).status < 500);
            }
        for (const auto& credential : {bytes, "pak_live_" + bytes})
            CPPUNIT_ASSERT(_host->call({.target = "/validate", .originService = "desk"}, credential).status < 500);
    }

    void leavesAnAuditTrail()
    {
        _host->login("owner@acme.example", "wrong");
        _host->login("owner@acme.example", IdentityHost::password);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.refused'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.created'"));
        const auto broken = [&]
        {
            auto session = _host->context().database().session();
            return identity::audit::firstBroken(session);
        };
        CPPUNIT_ASSERT(!broken());
        _host->change("UPDATE audit_events SET outcome = 'success' WHERE type = 'session.refused'");
        CPPUNIT_ASSERT(broken().has_value());
    }

private:
    std::unique_ptr<IdentityHost> _host;
};

/// The throttle where the store of its counters is full.
class LoginThrottleTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LoginThrottleTest);
    CPPUNIT_TEST(inventedNamesTakeNoDelayAway);
    CPPUNIT_TEST(looksAtNoMorePasswordsThanPromised);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _settings = std::make_unique<identity::Settings>(testing::TestContext(IdentityHost::settings()).config());
        _throttle = std::make_unique<identity::LoginThrottle>(_state, *_settings, _clock);
    }

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
                        _throttle->attempt({"owner@acme.example", true}, [&] { return ++looked == 0; });
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
        return _throttle->attempt({account, exists}, [] { return false; });
    }

    testing::FakeClock _clock;
    testing::FakeStateStore _state{_clock, 20'000};
    std::unique_ptr<const identity::Settings> _settings;
    std::unique_ptr<identity::LoginThrottle> _throttle;
};

CPPUNIT_TEST_SUITE_REGISTRATION(LoginThrottleTest);
CPPUNIT_TEST_SUITE_REGISTRATION(LoginTest);

} // namespace portico::tests
