#include "audit/Audit.h"
#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/Crypto.h"

namespace portico::tests
{

/// Sign-in with a password: success, errors, and slowing down of guessing.
class LoginTest : public Suite<LoginTest>
{
    /// Hash of `IdentityHost::password` with weaker, older parameters.
    static constexpr std::string_view oldHash =
        "$argon2id$v=19$m=8192,t=1,p=1$pq7KB7DX2Evg2YCzrO3L6A$BkvWvMTsbX563FkQP4+zM6dPGW5SPYmXXEJmejJrr5o";

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(signsInAndIsValid)
    {
        const auto answer = _host->login("Owner@ACME.example ", IdentityHost::password);
        equal(200, answer.status);
        equal("Bearer", answer.at("/token_type"));
        equal("600", answer.at("/expires_in"));
        equal("owner", answer.at("/activeContext/role"));
        equal("owner", answer.at("/user/role"));
        equal("aal1", answer.at("/session/acr"));
        CHECK(!answer.has("/refresh_token"));
        CHECK(!answer.has("/user/passwordHash"));
        const auto caller = _host->validate(answer.at("/access_token"));
        equal(_host->organizationId("acme"), caller->organizationId);
        CHECK(caller->may("desk.tickets:purge"));
        equal("wrong_audience", _host->verdict(answer.at("/access_token"), "identity"));
    }

    TEST(renewsAnOldHash)
    {
        _host->change("UPDATE users SET password_hash = $1", {std::string(oldHash)});
        equal(200, _host->login("owner@acme.example", IdentityHost::password).status);
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE password_hash LIKE '%m=8192,t=1%'"));
        equal(200, _host->login("owner@acme.example", IdentityHost::password).status);
    }

    /// A required password change also applies to passwords with an outdated hash.
    TEST(anOldHashIsNoWayAroundANewPassword)
    {
        _host->change("UPDATE users SET password_hash = $1, password_expired_for = $2", {std::string(oldHash), sha256(oldHash).hex()});
        for (int i = 0; i < 3; ++i) equal("password_change_required", _host->login("owner@acme.example", IdentityHost::password).code());
    }

    TEST(saysTheSameToUnknownAccounts)
    {
        const auto known = _host->login("owner@acme.example", "wrong");
        const auto unknown = _host->login("nobody@acme.example", "wrong");
        refused(known, 401, "invalid_credentials");
        CHECK(known.body == unknown.body);
        equal(known.headerBlock(), unknown.headerBlock());
    }

    TEST(delaysGuessing)
    {
        for (int i = 0; i < 5; ++i) equal(401, _host->login("owner@acme.example", "wrong").status);
        auto answer = _host->login("owner@acme.example", IdentityHost::password);
        refused(answer, 429, "too_many_attempts");
        CHECK(answer.headerBlock().find("Retry-After: 1\r\n") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(1));
        equal(401, _host->login("owner@acme.example", "wrong").status);
        answer = _host->login("owner@acme.example", IdentityHost::password);
        CHECK(answer.headerBlock().find("Retry-After: 2\r\n") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(2));
        equal(200, _host->login("owner@acme.example", IdentityHost::password).status);
        // Forgiven: the free tries are there again.
        equal(401, _host->login("owner@acme.example", "wrong").status);
        equal(200, _host->login("owner@acme.example", IdentityHost::password).status);
    }

    TEST(delaysUnknownAccountsAlike)
    {
        for (int i = 0; i < 5; ++i) equal(401, _host->login("nobody@acme.example", "wrong").status);
        const auto answer = _host->login("nobody@acme.example", "wrong");
        refused(answer, 429, "too_many_attempts");
    }

    TEST(countsConcurrentGuesses)
    {
        std::atomic<int> looked{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { looked += _host->login("owner@acme.example", "wrong").status == 401; });
        for (auto& thread : threads) thread.join();
        CHECK(looked >= 5);
        equal(5, looked.load(), "no more than are free, however many come at once");
        // Not one of them is forgotten.
        const auto delay = "Retry-After: " + std::to_string(1 << (looked - 5)) + "\r\n";
        CHECK(_host->login("owner@acme.example", IdentityHost::password).headerBlock().find(delay) != std::string::npos);
    }

    TEST(letsOneAccountSignInManyTimesAtOnce)
    {
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { good += _host->login("owner@acme.example", IdentityHost::password).status == 200; });
        for (auto& thread : threads) thread.join();
        equal(8, good.load());
    }

    TEST(limitsANetwork)
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.login.addressAttemptsPerMinute", "3"}});
        const auto attempt = [&](std::string account, std::string address)
        {
            return strict
                .call({.method = Method::Post,
                       .target = "/api/auth/login",
                       .body = jsonWith(R"({"identifier":"$","password":"wrong","service_id":"desk"})", account),
                       .clientAddress = std::move(address)})
                .status;
        };
        equal(401, attempt("a@x.example", "198.51.100.1"));
        equal(401, attempt("b@x.example", "198.51.100.2"));
        equal(401, attempt("c@x.example", "198.51.100.3"));
        equal(429, attempt("d@x.example", "198.51.100.4"));
        equal(401, attempt("d@x.example", "198.51.101.4"));
        strict.context().clock().advance(std::chrono::minutes(1));
        equal(401, attempt("d@x.example", "198.51.100.4"));
    }

    TEST(speaksOfTheAccountOnlyAfterThePassword)
    {
        _host->change("UPDATE users SET status = 'suspended'");
        equal("invalid_credentials", _host->login("owner@acme.example", "wrong").code());
        equal("account_suspended", _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'pending_verification'");
        equal("email_not_verified", _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'deactivated'");
        equal("invalid_credentials", _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change("UPDATE users SET status = 'active'");
        equal("service_access_denied", _host->login("owner@acme.example", IdentityHost::password, "nowhere").code());
        equal("invalid_credentials", _host->login("owner@acme.example", "wrong", "nowhere").code());
    }

    TEST(choosesTheContext)
    {
        _host->createUser("owner@acme.example", "globex", "member");
        const auto acme = _host->organizationId("acme");
        const auto globex = _host->organizationId("globex");
        const auto context = [&](std::string_view extra)
        { return _host->login("owner@acme.example", IdentityHost::password, "desk", extra).at("/activeContext/organizationId"); };
        equal(acme, context(""));
        equal(globex, context(jsonWith(R"(,"organizationId":"$")", globex)));
        // The last one used wins over the first joined.
        equal(globex, context(""));
        _host->createUser("stranger@x.example", "initech", "owner");
        const auto foreign = _host->login("owner@acme.example", IdentityHost::password, "desk",
                                          jsonWith(R"(,"organizationId":"$")", _host->organizationId("initech")));
        equal("membership_required", foreign.code());
        // Identity serves personal context, desk does not.
        _host->createUser("loner@x.example");
        const auto personal = _host->login("loner@x.example", IdentityHost::password, "identity");
        equal("personal", personal.at("/activeContext/kind"));
        equal("member", personal.at("/activeContext/role"));
        equal("service_access_denied", _host->login("loner@x.example", IdentityHost::password, "desk").code());
    }

    TEST(setsCookiesForRegisteredOriginsOnly)
    {
        const auto answer = _host->browserLogin("owner@acme.example");
        equal(200, answer.status);
        CHECK(!answer.cookie("platform_refresh").empty());
        CHECK(answer.cookie("platform_session").empty());
        CHECK(answer.headerBlock().find("HttpOnly; SameSite=Strict") != std::string::npos);
        CHECK(answer.headerBlock().find("Secure") == std::string::npos);

        const auto home = _host->login("owner@acme.example", IdentityHost::password, "identity", "",
                                       {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        CHECK(!home.cookie("platform_session").empty());
        CHECK(!home.cookie("platform_refresh").empty());

        const auto declared = _host->login("owner@acme.example", IdentityHost::password, "desk", "",
                                           {{"X-Platform-Auth", "1"}, {"Origin", "https://desk.example"}}, "desk");
        CHECK(!declared.cookie("platform_refresh").empty());

        const auto foreign = _host->login("owner@acme.example", IdentityHost::password, "desk", "",
                                          {{"X-Platform-Auth", "1"}, {"Origin", "https://evil.example"}}, "desk");
        refused(foreign, 403, "csrf_rejected");
        const auto script =
            _host->login("owner@acme.example", IdentityHost::password, "desk", "", {{"Origin", "https://evil.example"}}, "desk");
        equal(200, script.status);
        CHECK(script.headerBlock().find("Set-Cookie") == std::string::npos);
    }

    TEST(keepsToTheGatewaysService)
    {
        const auto answer = _host->login("owner@acme.example", IdentityHost::password, "identity", "", {}, "desk");
        refused(answer, 400, "service_mismatch");
    }

    TEST(forgetsWrongPasswordsAfterTheLongestDelay)
    {
        for (int i = 0; i < 4; ++i) _host->login("owner@acme.example", "wrong");
        _host->context().clock().advance(std::chrono::seconds(300));
        for (int i = 0; i < 5; ++i) equal(401, _host->login("owner@acme.example", "wrong").status);
        equal(429, _host->login("owner@acme.example", "wrong").status);
        // While a delay grows, it is not forgotten at its end.
        for (int seconds = 1; seconds < 300; seconds *= 2)
        {
            _host->context().clock().advance(std::chrono::seconds(seconds));
            equal(401, _host->login("owner@acme.example", "wrong").status);
        }
        _host->context().clock().advance(std::chrono::seconds(300));
        equal(401, _host->login("owner@acme.example", "wrong").status);
        const auto refused = _host->login("owner@acme.example", "wrong");
        CHECK(refused.headerBlock().find("Retry-After: 300\r\n") != std::string::npos);
    }

    /// PostgreSQL rejects invalid UTF-8. SQLite would store it, and answers with it would not be valid JSON.
    TEST(headersMayBeAnyBytes)
    {
        const std::string bytes = "\xff\xfe caf\xe9";
        const auto answer = _host->login("owner@acme.example", IdentityHost::password, "desk", "", {{"User-Agent", bytes}});
        equal(200, answer.status);
        const auto token = answer.at("/access_token");
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, token);
        equal("\xef\xbf\xbd\xef\xbf\xbd caf\xef\xbf\xbd", me.at("/session/userAgent"));
        for (const auto* name : {"User-Agent", "Origin", "X-Service-ID", "X-Platform-Auth", "Cookie", "If-Match"})
            for (const auto* origin : {"identity", "desk"})
            {
                const std::vector<std::pair<std::string, std::string>> headers = {
                    {name, std::string(name) == "Cookie" ? "platform_refresh=" + bytes : bytes}};
                CHECK(_host->login("owner@acme.example", IdentityHost::password, "desk", "", headers, origin).status < 500);
                for (const auto* path : {"/api/auth/me", "/validate", "/api/auth/login-config"})
                    CHECK(_host->call({.target = path, .headers = headers, .originService = origin}, token).status < 500);
                for (const auto* path : {"/api/auth/refresh", "/api/auth/logout"})
                    CHECK(_host->call({.method = Method::Post, .target = path, .headers = headers, .originService = origin}).status < 500);
            }
        for (const auto& credential : {bytes, "pak_live_" + bytes})
            CHECK(_host->call({.target = "/validate", .originService = "desk"}, credential).status < 500);
    }

    TEST(leavesAnAuditTrail)
    {
        _host->login("owner@acme.example", "wrong");
        _host->login("owner@acme.example", IdentityHost::password);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.refused'"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.created'"));
        const auto broken = [&]
        {
            auto session = _host->context().database().session();
            return identity::audit::firstBroken(session);
        };
        CHECK(!broken());
        _host->change("UPDATE audit_events SET outcome = 'success' WHERE type = 'session.refused'");
        CHECK(broken().has_value());
    }

private:
    std::unique_ptr<IdentityHost> _host;
};

/// The throttle where the store of its counters is full.
class LoginThrottleTest : public Suite<LoginThrottleTest>
{
    void setUp() override
    {
        _settings = std::make_unique<identity::Settings>(testing::TestContext(IdentityHost::settings()).config());
        _throttle = std::make_unique<identity::LoginThrottle>(_state, *_settings, _clock);
    }

    TEST(inventedNamesTakeNoDelayAway)
    {
        for (int i = 0; i < 5; ++i) CHECK(!guess("owner@acme.example", true));
        for (int i = 0; i < 1'000; ++i) CHECK(!guess("invented" + std::to_string(i) + "@x.example", false));
        CPPUNIT_ASSERT_THROW(guess("owner@acme.example", true), Problem);
        CHECK(_state.usedBytes() <= 20'000);
    }

    TEST(looksAtNoMorePasswordsThanPromised)
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
        equal(5, looked.load());
        equal(11, refused.load());
    }

    bool guess(const std::string& account, bool exists)
    {
        return _throttle->attempt({account, exists}, [] { return false; });
    }

    testing::FakeClock _clock;
    testing::FakeStateStore _state{_clock, 20'000};
    std::unique_ptr<const identity::Settings> _settings;
    std::unique_ptr<identity::LoginThrottle> _throttle;
};

} // namespace portico::tests
