#include "identity/AuthenticatorApp.h"
#include "identity/DpopKey.h"
#include "identity/IdentityHost.h"

#include "common/Ids.h"
#include "factors/Totp.h"
#include "users/Passwords.h"

#include <algorithm>
#include <thread>

namespace portico::tests
{

namespace totp = identity::totp;

/// Authenticator apps and recovery codes: how they are added and removed, and what they are good for at a sign-in.
class FactorsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(FactorsTest);
    CPPUNIT_TEST(followsTheVectorsOfTheStandard);
    CPPUNIT_TEST(drawsAQrCode);
    CPPUNIT_TEST(addsAnApp);
    CPPUNIT_TEST(anEnrollmentIsItsOwnersForAWhile);
    CPPUNIT_TEST(keepsTheSecretSealed);
    CPPUNIT_TEST(tenAppsAreEnough);
    CPPUNIT_TEST(asksAtSignIn);
    CPPUNIT_TEST(aCodeIsGoodOnce);
    CPPUNIT_TEST(ofManyOneSignsIn);
    CPPUNIT_TEST(limitsTries);
    CPPUNIT_TEST(recoveryCodesStandInOnce);
    CPPUNIT_TEST(raisesByCode);
    CPPUNIT_TEST(satisfiesAnOrganization);
    CPPUNIT_TEST(keepsTheLastFactorThatAnOrganizationDemands);
    CPPUNIT_TEST(aPendingSignInOutlivesAReload);
    CPPUNIT_TEST(anotherPasswordEndsAPendingSignIn);
    CPPUNIT_TEST(cookiesFollowTheSecondStep);
    CPPUNIT_TEST(anAppProvesItsKeyWithTheSecondStep);
    CPPUNIT_TEST(administratorsHelp);
    CPPUNIT_TEST(administratorsHelpTheirOwn);
    CPPUNIT_TEST(administratorsDemandAnotherPassword);
    CPPUNIT_TEST(administratorsLetAPasswordBeReset);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser(owner, "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void followsTheVectorsOfTheStandard()
    {
        // RFC 6238, appendix B, the last six of eight digits.
        const std::string secret = "12345678901234567890";
        for (const auto& [second, code] : std::vector<std::pair<std::int64_t, std::string>>{
                 {59, "287082"}, {1111111109, "081804"}, {1111111111, "050471"}, {1234567890, "005924"}, {2000000000, "279037"}})
            CPPUNIT_ASSERT_EQUAL(code, totp::code(secret, second / totp::periodSeconds));
        const Instant now{std::chrono::seconds(1111111111)};
        const auto step = totp::stepOf(now);
        for (const auto near : {step - 1, step, step + 1})
            CPPUNIT_ASSERT_EQUAL(near, totp::matchingStep(secret, totp::code(secret, near), now));
        for (const auto far : {step - 2, step + 2})
            CPPUNIT_ASSERT_EQUAL(std::int64_t{-1}, totp::matchingStep(secret, totp::code(secret, far), now));
        for (const auto* text : {"", "50471", "0504710", "abcdef"})
            CPPUNIT_ASSERT_EQUAL(std::int64_t{-1}, totp::matchingStep(secret, text, now));
        // RFC 4648, 10.
        CPPUNIT_ASSERT_EQUAL(std::string("MZXW6YTBOI"), totp::base32("foobar"));
        CPPUNIT_ASSERT_EQUAL(std::string("MZXW6YQ"), totp::base32("foob"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("otpauth://totp/A%20%26%20B:a%2Bb%40x.example?secret=MY&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30"),
            totp::uri("A & B", "a+b@x.example", "f"));
    }

    void drawsAQrCode()
    {
        const auto svg = identity::qrSvg("otpauth://totp/x");
        CPPUNIT_ASSERT(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        CPPUNIT_ASSERT(svg.find("script") == std::string::npos && svg.find("style") == std::string::npos);
        CPPUNIT_ASSERT_THROW(identity::qrSvg(std::string(5000, 'x')), std::runtime_error);
    }

    void addsAnApp()
    {
        const auto token = _host->signIn(owner);
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), post("/api/auth/mfa/totp/enroll", "{}", token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("no_second_factor"), post("/api/auth/mfa/recovery-codes", "{}", elevated()).code());
        const auto codes = enroll();
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, codes.size());
        const auto list = get("/api/auth/mfa", token);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list.count("/factors"));
        CPPUNIT_ASSERT_EQUAL(std::string("totp"), list.at("/factors/0/type"));
        CPPUNIT_ASSERT_EQUAL(std::string("Phone"), list.at("/factors/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("10"), list.at("/recoveryCodesLeft"));
        const auto me = get("/api/auth/me", token);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), me.at("/user/mfa/totp"));
        CPPUNIT_ASSERT_EQUAL(std::string("10"), me.at("/user/mfa/recoveryCodesLeft"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'mfa.totp_activated'"));
        // Taken away again, it is asked for no more, and its codes are gone.
        const auto high = stepUp(token, "password");
        CPPUNIT_ASSERT_EQUAL(404, remove("/api/auth/mfa/mfa_01arz3ndektsv4rrffq69g5fav", token).status);
        CPPUNIT_ASSERT_EQUAL(204, remove("/api/auth/mfa/" + list.at("/factors/0/id"), token).status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login(owner, IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM recovery_codes"));
    }

    void anEnrollmentIsItsOwnersForAWhile()
    {
        _host->createUser("other@acme.example", "acme", "member");
        const auto token = elevated();
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}", token);
        CPPUNIT_ASSERT_EQUAL(201, begun.status);
        const auto body = [&](const std::string& code)
        { return R"({"enrollmentId":")" + begun.at("/enrollmentId") + R"(","code":")" + code + "\"}"; };
        const auto right = [&] { return codeOf(begun.at("/secret")); };
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), post("/api/auth/mfa/totp/activate", body("000000"), token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("enrollment_expired"),
                             post("/api/auth/mfa/totp/activate", body(right()), elevated("other@acme.example")).code());
        advance(std::chrono::seconds(600));
        CPPUNIT_ASSERT_EQUAL(std::string("enrollment_expired"), post("/api/auth/mfa/totp/activate", body(right()), elevated()).code());
        const auto again = post("/api/auth/mfa/totp/enroll", "{}", elevated());
        const auto use = R"({"enrollmentId":")" + again.at("/enrollmentId") + R"(","code":")" + codeOf(again.at("/secret")) + "\"}";
        CPPUNIT_ASSERT_EQUAL(200, post("/api/auth/mfa/totp/activate", use, _lastToken).status);
        CPPUNIT_ASSERT_EQUAL(std::string("enrollment_expired"), post("/api/auth/mfa/totp/activate", use, _lastToken).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM totp_factors"));
    }

    void tenAppsAreEnough()
    {
        const auto token = elevated();
        const auto begin = [&] { return post("/api/auth/mfa/totp/enroll", "{}", token); };
        const auto end = [&](const TestAnswer& begun)
        {
            advance(std::chrono::seconds(30));
            return post("/api/auth/mfa/totp/activate",
                        R"({"enrollmentId":")" + begun.at("/enrollmentId") + R"(","code":")" + codeOf(begun.at("/secret")) + "\"}", token);
        };
        // Begun while there was room, ended when there is none any more.
        const auto late = begin();
        for (int i = 0; i < 10; ++i) CPPUNIT_ASSERT_EQUAL(200, end(begin()).status);
        CPPUNIT_ASSERT_EQUAL(409, begin().status);
        CPPUNIT_ASSERT_EQUAL(std::string("factor_limit_reached"), begin().code());
        CPPUNIT_ASSERT_EQUAL(std::string("factor_limit_reached"), end(late).code());
        const auto apps = get("/api/auth/mfa", token);
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, apps.count("/factors"));
        CPPUNIT_ASSERT_EQUAL(204, remove("/api/auth/mfa/" + apps.at("/factors/0/id"), token).status);
        CPPUNIT_ASSERT_EQUAL(200, end(begin()).status);
    }

    void keepsTheSecretSealed()
    {
        enroll();
        const auto stored = _host->context().database().session().value<std::string>("SELECT secret FROM totp_factors").value();
        CPPUNIT_ASSERT(stored.find(_secret) == std::string::npos);
        // A row that is moved to somebody else opens nothing.
        const auto other = _host->createUser("other@acme.example", "acme", "member");
        _host->change("UPDATE totp_factors SET user_id = $1", {other});
        const auto pending = _host->login("other@acme.example", IdentityHost::password);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), pending.code());
        CPPUNIT_ASSERT_THROW(verify(pending.at("/details/mfaToken"), "totp", code()), std::runtime_error);
    }

    void asksAtSignIn()
    {
        enroll();
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login(owner, "wrong").code());
        const auto pending = _host->login(owner, IdentityHost::password);
        CPPUNIT_ASSERT_EQUAL(403, pending.status);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), pending.code());
        CPPUNIT_ASSERT_EQUAL(std::string("totp"), pending.at("/details/factors/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_code"), pending.at("/details/factors/1"));
        CPPUNIT_ASSERT_EQUAL(toString(_host->context().clock().now() + std::chrono::seconds(300)), pending.at("/details/expiresAt"));
        const auto done = verify(pending.at("/details/mfaToken"), "totp", code());
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT_EQUAL(std::string("aal2"), done.at("/session/acr"));
        CPPUNIT_ASSERT_EQUAL(std::string("pwd"), done.at("/session/amr/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("otp"), done.at("/session/amr/1"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), done.at("/user/mfa/totp"));
        CPPUNIT_ASSERT_EQUAL(std::string("aal2"), _host->validate(done.at("/access_token"))->acr);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify(pending.at("/details/mfaToken"), "totp", code()).code());
        const auto late = pendingToken();
        advance(std::chrono::seconds(300));
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify(late, "totp", code()).code());
        for (const auto* body : {"{}", R"({"mfaToken":"x"})", R"({"mfaToken":"x","factor":"sms","code":"1"})"})
            CPPUNIT_ASSERT_EQUAL(400, post("/api/auth/mfa/verify", body, {}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify("x", "totp", "123456").code());
    }

    void aCodeIsGoodOnce()
    {
        enroll();
        const auto used = code();
        CPPUNIT_ASSERT_EQUAL(200, verify(pendingToken(), "totp", used).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), verify(pendingToken(), "totp", used).code());
        // An older one of the window is none either.
        advance(std::chrono::seconds(30));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), verify(pendingToken(), "totp", used).code());
        CPPUNIT_ASSERT_EQUAL(200, verify(pendingToken(), "totp", code()).status);
    }

    void ofManyOneSignsIn()
    {
        enroll();
        const auto right = code();
        std::vector<std::string> tokens;
        for (int i = 0; i < 16; ++i) tokens.push_back(pendingToken());
        const auto race = [&](const std::function<std::string(std::size_t)>& tokenOf)
        {
            std::atomic<int> signedIn = 0, refused = 0;
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < 16; ++i)
                threads.emplace_back(
                    [&, i]
                    {
                        const auto answer = verify(tokenOf(i), "totp", right);
                        if (answer.status == 200) ++signedIn;
                        if (answer.status == 401 || answer.status == 410 || answer.status == 429) ++refused;
                    });
            threads.clear();
            CPPUNIT_ASSERT_EQUAL(16, signedIn + refused);
            return signedIn.load();
        };
        // One token, one code.
        CPPUNIT_ASSERT(race([&](std::size_t) { return tokens[0]; }) <= 1);
        advance(std::chrono::minutes(20));
        tokens.clear();
        for (int i = 0; i < 16; ++i) tokens.push_back(pendingToken());
        const auto before = _host->count("SELECT COUNT(*) FROM sessions");
        const auto fresh = code();
        std::atomic<int> signedIn = 0;
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < 9; ++i)
                threads.emplace_back([&, i] { signedIn += verify(tokens[i], "totp", fresh).status == 200 ? 1 : 0; });
        }
        CPPUNIT_ASSERT_EQUAL(1, signedIn.load());
        CPPUNIT_ASSERT_EQUAL(before + 1, _host->count("SELECT COUNT(*) FROM sessions"));
    }

    void limitsTries()
    {
        enroll();
        const auto token = pendingToken();
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), verify(token, "totp", "000000").code());
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify(token, "totp", code()).code());
        const auto second = pendingToken();
        for (int i = 0; i < 5; ++i) verify(second, "recovery_code", "wrong");
        const auto third = verify(pendingToken(), "totp", code());
        CPPUNIT_ASSERT_EQUAL(429, third.status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_attempts"), third.code());
        CPPUNIT_ASSERT(third.hasHeader("Retry-After"));
        advance(std::chrono::minutes(10));
        CPPUNIT_ASSERT_EQUAL(200, verify(pendingToken(), "totp", code()).status);
    }

    void recoveryCodesStandInOnce()
    {
        const auto codes = enroll();
        auto typed = codes[0];
        std::ranges::transform(typed, typed.begin(), [](char c) { return c == '-' ? ' ' : static_cast<char>(std::toupper(c)); });
        const auto done = verify(pendingToken(), "recovery_code", typed);
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT_EQUAL(std::string("9"), done.at("/user/mfa/recoveryCodesLeft"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), verify(pendingToken(), "recovery_code", codes[0]).code());
        const auto renewed = post("/api/auth/mfa/recovery-codes", "{}", stepUpToken(done.at("/access_token")));
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, renewed.count("/recoveryCodes"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), verify(pendingToken(), "recovery_code", codes[1]).code());
        CPPUNIT_ASSERT_EQUAL(200, verify(pendingToken(), "recovery_code", renewed.at("/recoveryCodes/3")).status);
    }

    void raisesByCode()
    {
        const auto token = _host->signIn(owner);
        enroll();
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), stepUp(token, "totp", "000000").code());
        for (const auto* none : {"sms", "recovery_code"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(none, std::string("unknown_option"), stepUp(token, none, "000000").at("/errors/0/code"));
        const auto used = code();
        const auto raised = stepUp(token, "totp", used);
        CPPUNIT_ASSERT_EQUAL(200, raised.status);
        CPPUNIT_ASSERT_EQUAL(std::string("otp"), raised.at("/session/amr/1"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), stepUp(token, "totp", used).code());
        // A sign-in with two factors is no fresh proof by itself.
        advance(std::chrono::seconds(901));
        const auto fresh = verify(pendingToken(), "totp", code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), post("/api/auth/mfa/totp/enroll", "{}", fresh.at("/access_token")).code());
    }

    void satisfiesAnOrganization()
    {
        const auto before = _host->signIn(owner, "identity");
        enroll();
        _host->createUser(owner, "globex", "member");
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'globex')");
        const auto target = R"({"kind":"organization","organizationId":")" + _host->organizationId("globex") + "\"}";
        const auto enter = [&](const std::string& token)
        { return _host->call({.method = Method::Put, .target = "/api/auth/context", .body = target}, token); };
        CPPUNIT_ASSERT_EQUAL(std::string("org_policy_mfa_required"), enter(before).code());
        // A password again is no second factor.
        stepUp(before, "password", {}, "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("org_policy_mfa_required"), enter(before).code());
        stepUp(before, "totp", code(), "identity");
        CPPUNIT_ASSERT_EQUAL(200, enter(before).status);
        advance(std::chrono::seconds(30));
        const auto pending =
            _host->login(owner, IdentityHost::password, "desk", R"(,"organizationId":")" + _host->organizationId("globex") + '"');
        const auto done = verify(pending.at("/details/mfaToken"), "totp", code());
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("globex"), done.at("/activeContext/organizationId"));
    }

    void keepsTheLastFactorThatAnOrganizationDemands()
    {
        const auto token = _host->signIn(owner);
        enroll();
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')");
        stepUp(token, "password");
        const auto id = get("/api/auth/mfa", token).at("/factors/0/id");
        CPPUNIT_ASSERT_EQUAL(std::string("last_factor_required_by_policy"), remove("/api/auth/mfa/" + id, token).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM totp_factors"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, _host->count("SELECT COUNT(*) FROM recovery_codes"));
    }

    void aPendingSignInOutlivesAReload()
    {
        enroll();
        const auto token = pendingToken();
        _host->reload();
        CPPUNIT_ASSERT_EQUAL(200, verify(token, "totp", code()).status);
    }

    void anotherPasswordEndsAPendingSignIn()
    {
        enroll();
        const auto token = pendingToken();
        _host->change("UPDATE users SET password_hash = 'another'");
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify(token, "totp", code()).code());
        _host->change("UPDATE users SET password_hash = NULL, status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_expired"), verify(token, "totp", code()).code());
    }

    void cookiesFollowTheSecondStep()
    {
        enroll();
        const std::vector<std::pair<std::string, std::string>> browser = {{"X-Platform-Auth", "1"},
                                                                          {"Origin", "http://desk.localhost:8080"}};
        const auto pending = _host->browserLogin(owner);
        CPPUNIT_ASSERT(!pending.hasHeader("Set-Cookie"));
        const auto token = pending.at("/details/mfaToken");
        CPPUNIT_ASSERT_EQUAL(std::string("csrf_rejected"),
                             verify(token, "totp", code(), {{"X-Platform-Auth", "1"}, {"Origin", "https://evil.example"}}).code());
        const auto done = verify(token, "totp", code(), browser);
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT(!done.cookie("platform_refresh").empty());
    }

    void anAppProvesItsKeyWithTheSecondStep()
    {
        enroll();
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        const auto app = _host
                             ->call({.method = Method::Post,
                                     .target = "/api/oauth-clients",
                                     .body = R"({"name":"App","type":"native","token_endpoint_auth_method":"none","first_party":true,)"
                                             R"("consent":"implicit","service_id":"desk","redirect_uris":["com.example.desk:/cb"]})"},
                                    _host->signIn("root@admin.example", "identity"))
                             .at("/client_id");
        const DpopKey key;
        const auto at = [&](const std::string& origin, const std::string& path) {
            return Headers{{"DPoP", key.proof(*_host, {"POST", "http://" + origin + ".localhost:8080" + path})}};
        };
        const auto pending =
            _host->login(owner, IdentityHost::password, "desk", R"(,"client_id":")" + app + '"', at("identity", "/api/auth/login"));
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), pending.code());
        const auto token = pending.at("/details/mfaToken");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_dpop_proof"), verify(token, "totp", code()).code());
        const auto done = verify(token, "totp", code(), at("desk", "/api/auth/mfa/verify"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(done.body, 200, done.status);
        CPPUNIT_ASSERT(done.has("/refresh_token") && !done.hasHeader("Set-Cookie"));
    }

    void administratorsHelp()
    {
        enroll();
        _host->createUser("admin@acme.example", "acme", "admin");
        const auto boss = _host->createUser("boss@acme.example", "acme", "owner");
        const auto secure = [&](std::string_view who, const std::string& whom, std::string body, bool fresh = true)
        {
            const auto token = _host->signIn(who, "identity");
            if (fresh) stepUp(token, "password", {}, "identity");
            return _host->call({.method = Method::Patch, .target = "/api/users/" + whom + "/security", .body = std::move(body)}, token);
        };
        const std::string reset = R"({"resetMfa":true})";
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), secure("admin@acme.example", _owner, reset).code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), secure("boss@acme.example", _owner, reset, false).code());
        _host->createUser("member@acme.example", "acme", "member");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), secure("member@acme.example", _owner, reset).code());
        const auto stranger = _host->createUser("owner@other.example", "other", "owner");
        CPPUNIT_ASSERT_EQUAL(404, secure("boss@acme.example", stranger, reset).status);
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), _host->login(owner, IdentityHost::password).code());
        const auto done = secure("boss@acme.example", _owner, reset);
        CPPUNIT_ASSERT_EQUAL(200, done.status);
        CPPUNIT_ASSERT_EQUAL(std::string("false"), done.at("/mfa/totp"));
        CPPUNIT_ASSERT_EQUAL(200, _host->login(owner, IdentityHost::password).status);
        // A delay ends as well.
        for (int i = 0; i < 7; ++i) _host->login(owner, "wrong");
        CPPUNIT_ASSERT_EQUAL(429, _host->login(owner, IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(200, secure("boss@acme.example", _owner, R"({"unlock":true})").status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login(owner, IdentityHost::password).status);
    }

    /// Protection holds in all organizations: who manages one takes nothing from people of others.
    void administratorsHelpTheirOwn()
    {
        enroll();
        _host->createUser("boss@evil.example", "evil", "owner");
        _host->createUser(owner, "evil", "guest");
        const auto secure = [&](std::string_view who, const std::string& organization, const std::string& body)
        {
            const auto token = _host->signIn(who, "identity", R"(,"organizationId":")" + _host->organizationId(organization) + '"');
            stepUp(token, "password", {}, "identity");
            return _host->call({.method = Method::Patch, .target = "/api/users/" + _owner + "/security", .body = body}, token);
        };
        for (const auto* body : {R"({"resetMfa":true})", R"({"requirePasswordChange":true})", R"({"unlock":true})"})
            CPPUNIT_ASSERT_EQUAL(std::string("outranked"), secure("boss@evil.example", "evil", body).code());
        CPPUNIT_ASSERT_EQUAL(std::string("mfa_required"), _host->login(owner, IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, mailsOfProtection());
        // Whose domain the address is in answers for the account, but another's proved domain is none.
        const auto claim = [&](const std::string& organization, const std::string& domain)
        {
            _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) "
                          "VALUES ($1, $2, 'verified', 't', 1, 0, 0)",
                          {_host->organizationId(organization), domain});
        };
        claim("evil", "evil.example");
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), secure("boss@evil.example", "evil", R"({"resetMfa":true})").code());
        _host->createUser("boss@acme.example", "acme", "owner");
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), secure("boss@acme.example", "acme", R"({"resetMfa":true})").code());
        claim("acme", "acme.example");
        CPPUNIT_ASSERT_EQUAL(200, secure("boss@acme.example", "acme", R"({"resetMfa":true})").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mailsOfProtection());
        // Operators help everybody.
        _host->createUser("root@x.example", "", "member", "platform_admin");
        CPPUNIT_ASSERT_EQUAL(200, secure("root@x.example", "admin", R"({"unlock":true})").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, mailsOfProtection());
    }

    void administratorsDemandAnotherPassword()
    {
        const auto member = _host->createUser("member@acme.example", "acme", "member");
        const auto token = elevatedAt("identity");
        const auto secure = [&](std::string body)
        { return _host->call({.method = Method::Patch, .target = "/api/users/" + member + "/security", .body = std::move(body)}, token); };
        CPPUNIT_ASSERT_EQUAL(std::string("true"), secure(R"({"requirePasswordChange":true})").at("/passwordChangeRequired"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("member@acme.example", "wrong").code());
        CPPUNIT_ASSERT_EQUAL(std::string("password_change_required"), _host->login("member@acme.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(std::string("true"), secure("{}").at("/passwordChangeRequired"));
        // Any other password is good again, whoever stores it.
        const auto another = identity::passwords::hash("another horse battery");
        _host->change("UPDATE users SET password_hash = $1 WHERE id = $2", {another, member});
        CPPUNIT_ASSERT_EQUAL(200, _host->login("member@acme.example", "another horse battery").status);
        CPPUNIT_ASSERT_EQUAL(std::string("false"), secure(R"({"requirePasswordChange":false})").at("/passwordChangeRequired"));
    }

    void administratorsLetAPasswordBeReset()
    {
        const auto member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("member@acme.example", "globex", "member");
        const auto inAcme = _host->signIn("member@acme.example", "desk", R"(,"organizationId":")" + _host->organizationId("acme") + '"');
        const auto inGlobex =
            _host->signIn("member@acme.example", "desk", R"(,"organizationId":")" + _host->organizationId("globex") + '"');
        const auto reset = [&](std::string_view who, const std::string& whom, std::string body = "{}")
        {
            return _host->call({.method = Method::Post, .target = "/api/users/" + whom + "/password-reset", .body = std::move(body)},
                               _host->signIn(who, "identity"));
        };
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), reset("member@acme.example", _owner).code());
        _host->createUser("admin@acme.example", "acme", "admin");
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), reset("admin@acme.example", _owner).code());
        CPPUNIT_ASSERT_EQUAL(202, reset("admin@acme.example", member, R"({"revokeSessions":false})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(inAcme));
        const auto done = reset("admin@acme.example", member);
        CPPUNIT_ASSERT_EQUAL(202, done.status);
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(inAcme));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(inGlobex));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _host->context().mailer().sent().size());
        CPPUNIT_ASSERT_EQUAL(std::string("member@acme.example"), _host->context().mailer().sent()[1].to);
        // The administrator sees nothing of what opens the account.
        CPPUNIT_ASSERT(done.body.find("token") == std::string::npos);
    }

private:
    std::size_t mailsOfProtection()
    {
        const auto mails = _host->context().mailer().sentTo(owner);
        return static_cast<std::size_t>(
            std::ranges::count_if(mails, [](const Mail& mail) { return mail.subject == "The security of your account was changed"; }));
    }
    std::string elevatedAt(std::string service)
    {
        auto token = _host->signIn(owner, service);
        stepUp(token, "password", {}, std::move(service));
        return token;
    }
    using Headers = std::vector<std::pair<std::string, std::string>>;
    static constexpr std::string_view owner = "owner@acme.example";

    void advance(std::chrono::milliseconds time) { _host->context().clock().advance(time); }
    TestAnswer get(const std::string& target, const std::string& token)
    {
        return _host->call({.target = target, .originService = "desk"}, token);
    }
    TestAnswer remove(const std::string& target, const std::string& token)
    {
        return _host->call({.method = Method::Delete, .target = target, .originService = "desk"}, token);
    }
    TestAnswer post(const std::string& target, std::string body, const std::string& token, Headers headers = {},
                    std::string origin = "desk")
    {
        return _host->call({.method = Method::Post,
                            .target = target,
                            .body = std::move(body),
                            .headers = std::move(headers),
                            .originService = std::move(origin)},
                           token);
    }
    TestAnswer stepUp(const std::string& token, const std::string& factor, const std::string& typed = {}, std::string origin = "desk")
    {
        return post("/api/auth/step-up",
                    R"({"factor":")" + factor + R"(","password":")" + std::string(IdentityHost::password) + R"(","code":")" + typed + "\"}",
                    token, {}, std::move(origin));
    }
    std::string stepUpToken(const std::string& token)
    {
        stepUp(token, "password");
        return token;
    }
    /// A token of a sign-in that was proved again just now; the account has no second factor yet.
    std::string elevated(std::string_view email = owner) { return _lastToken = stepUpToken(_host->signIn(email)); }

    /// Adds an app to the owner's account; returns the recovery codes, and the next code is `code()`.
    std::vector<std::string> enroll()
    {
        const auto token = elevated();
        const auto begun = post("/api/auth/mfa/totp/enroll", R"({"name":"Phone"})", token);
        _secret = begun.at("/secret");
        const auto done = post("/api/auth/mfa/totp/activate",
                               R"({"enrollmentId":")" + begun.at("/enrollmentId") + R"(","code":")" + code() + "\"}", token);
        advance(std::chrono::seconds(30));
        std::vector<std::string> codes;
        for (std::size_t i = 0; i < done.count("/recoveryCodes"); ++i) codes.push_back(done.at("/recoveryCodes/" + std::to_string(i)));
        return codes;
    }
    std::string code() { return codeOf(_secret); }
    std::string codeOf(std::string_view base32) { return appCode(base32, _host->context().clock().now()); }
    std::string pendingToken() { return _host->login(owner, IdentityHost::password).at("/details/mfaToken"); }
    TestAnswer verify(const std::string& token, const std::string& factor, const std::string& typed, Headers headers = {})
    {
        return post("/api/auth/mfa/verify", R"({"mfaToken":")" + token + R"(","factor":")" + factor + R"(","code":")" + typed + "\"}", {},
                    std::move(headers));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
    std::string _secret;
    std::string _lastToken;
};

CPPUNIT_TEST_SUITE_REGISTRATION(FactorsTest);

} // namespace portico::tests
