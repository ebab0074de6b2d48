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

/// Authenticator apps and recovery codes: adding, removing, and signing in with them.
class FactorsTest : public Suite<FactorsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser(owner, "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(followsTheVectorsOfTheStandard)
    {
        // RFC 6238, appendix B, the last six of eight digits.
        const std::string secret = "12345678901234567890";
        for (const auto& [second, code] : std::vector<std::pair<std::int64_t, std::string>>{
                 {59, "287082"}, {1111111109, "081804"}, {1111111111, "050471"}, {1234567890, "005924"}, {2000000000, "279037"}})
            equal(code, totp::code(secret, second / totp::periodSeconds));
        const Instant now{std::chrono::seconds(1111111111)};
        const auto step = totp::stepOf(now);
        for (const auto near : {step - 1, step, step + 1}) equal(near, totp::matchingStep(secret, totp::code(secret, near), now));
        for (const auto far : {step - 2, step + 2}) equal(-1, totp::matchingStep(secret, totp::code(secret, far), now));
        for (const auto* text : {"", "50471", "0504710", "abcdef"}) equal(-1, totp::matchingStep(secret, text, now));
        // RFC 4648, 10.
        equal("MZXW6YTBOI", totp::base32("foobar"));
        equal("MZXW6YQ", totp::base32("foob"));
        equal("otpauth://totp/A%20%26%20B:a%2Bb%40x.example?secret=MY&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30",
              totp::uri("A & B", "a+b@x.example", "f"));
    }

    TEST(drawsAQrCode)
    {
        const auto svg = identity::qrSvg("otpauth://totp/x");
        CHECK(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        CHECK(svg.find("script") == std::string::npos && svg.find("style") == std::string::npos);
        CPPUNIT_ASSERT_THROW(identity::qrSvg(std::string(5000, 'x')), std::runtime_error);
    }

    TEST(addsAnApp)
    {
        const auto token = _host->signIn(owner);
        equal("step_up_required", post("/api/auth/mfa/totp/enroll", "{}", token).code());
        // Before the body is read, which lacks both members.
        equal("step_up_required", post("/api/auth/mfa/totp/activate", "{}", token).code());
        equal("validation_failed", post("/api/auth/mfa/totp/activate", "{}", elevated()).code());
        equal("no_second_factor", post("/api/auth/mfa/recovery-codes", "{}", elevated()).code());
        const auto codes = enroll();
        equal(10, codes.size());
        const auto list = get("/api/auth/mfa", token);
        equal(1, list.count("/factors"));
        equal("totp", list.at("/factors/0/type"));
        equal("Phone", list.at("/factors/0/name"));
        equal("10", list.at("/recoveryCodesLeft"));
        const auto me = get("/api/auth/me", token);
        equal("true", me.at("/user/mfa/totp"));
        equal("10", me.at("/user/mfa/recoveryCodesLeft"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'mfa.totp_activated'"));
        // A removed factor is no longer required, and its recovery codes are deleted.
        const auto high = stepUp(token, "password");
        equal(404, remove("/api/auth/mfa/mfa_01arz3ndektsv4rrffq69g5fav", token).status);
        equal(204, remove("/api/auth/mfa/" + list.at("/factors/0/id"), token).status);
        equal(200, _host->login(owner, IdentityHost::password).status);
        equal(0, _host->count("SELECT COUNT(*) FROM recovery_codes"));
    }

    TEST(anEnrollmentIsItsOwnersForAWhile)
    {
        _host->createUser("other@acme.example", "acme", "member");
        const auto token = elevated();
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}", token);
        equal(201, begun.status);
        const auto body = [&](const std::string& code)
        { return jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"), code); };
        const auto right = [&] { return codeOf(begun.at("/secret")); };
        equal("invalid_code", post("/api/auth/mfa/totp/activate", body("000000"), token).code());
        equal("enrollment_expired", post("/api/auth/mfa/totp/activate", body(right()), elevated("other@acme.example")).code());
        advance(std::chrono::seconds(600));
        equal("enrollment_expired", post("/api/auth/mfa/totp/activate", body(right()), elevated()).code());
        const auto again = post("/api/auth/mfa/totp/enroll", "{}", elevated());
        const auto use = jsonWith(R"({"enrollmentId":"$","code":"$"})", again.at("/enrollmentId"), codeOf(again.at("/secret")));
        equal(200, post("/api/auth/mfa/totp/activate", use, _lastToken).status);
        equal("enrollment_expired", post("/api/auth/mfa/totp/activate", use, _lastToken).code());
        equal(1, _host->count("SELECT COUNT(*) FROM totp_factors"));
    }

    TEST(tenAppsAreEnough)
    {
        const auto token = elevated();
        const auto begin = [&] { return post("/api/auth/mfa/totp/enroll", "{}", token); };
        const auto end = [&](const TestAnswer& begun)
        {
            advance(std::chrono::seconds(30));
            return post("/api/auth/mfa/totp/activate",
                        jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"), codeOf(begun.at("/secret"))), token);
        };
        // Begun while there was room, ended when there is none any more.
        const auto late = begin();
        for (int i = 0; i < 10; ++i) equal(200, end(begin()).status);
        equal(409, begin().status);
        equal("factor_limit_reached", begin().code());
        equal("factor_limit_reached", end(late).code());
        const auto apps = get("/api/auth/mfa", token);
        equal(10, apps.count("/factors"));
        equal(204, remove("/api/auth/mfa/" + apps.at("/factors/0/id"), token).status);
        equal(200, end(begin()).status);
    }

    TEST(keepsTheSecretSealed)
    {
        enroll();
        const auto stored = _host->context().database().session().value<std::string>("SELECT secret FROM totp_factors").value();
        CHECK(stored.find(_secret) == std::string::npos);
        // A row that is moved to another user cannot be decrypted.
        const auto other = _host->createUser("other@acme.example", "acme", "member");
        _host->change("UPDATE totp_factors SET user_id = $1", {other});
        const auto pending = _host->login("other@acme.example", IdentityHost::password);
        equal("mfa_required", pending.code());
        CPPUNIT_ASSERT_THROW(verify(pending.at("/details/mfaToken"), "totp", code()), std::runtime_error);
    }

    TEST(asksAtSignIn)
    {
        enroll();
        equal("invalid_credentials", _host->login(owner, "wrong").code());
        const auto pending = _host->login(owner, IdentityHost::password);
        refused(pending, 403, "mfa_required");
        equal("totp", pending.at("/details/factors/0"));
        equal("recovery_code", pending.at("/details/factors/1"));
        equal(toString(_host->context().clock().now() + std::chrono::seconds(300)), pending.at("/details/expiresAt"));
        const auto done = verify(pending.at("/details/mfaToken"), "totp", code());
        equal(200, done.status);
        equal("aal2", done.at("/session/acr"));
        equal("pwd", done.at("/session/amr/0"));
        equal("otp", done.at("/session/amr/1"));
        equal("true", done.at("/user/mfa/totp"));
        equal("aal2", _host->validate(done.at("/access_token"))->acr);
        equal("mfa_expired", verify(pending.at("/details/mfaToken"), "totp", code()).code());
        const auto late = pendingToken();
        advance(std::chrono::seconds(300));
        equal("mfa_expired", verify(late, "totp", code()).code());
        for (const auto* body : {"{}", R"({"mfaToken":"x"})", R"({"mfaToken":"x","factor":"sms","code":"1"})"})
            equal(400, post("/api/auth/mfa/verify", body, {}).status);
        equal("mfa_expired", verify("x", "totp", "123456").code());
    }

    TEST(aCodeIsGoodOnce)
    {
        enroll();
        const auto used = code();
        equal(200, verify(pendingToken(), "totp", used).status);
        equal("invalid_code", verify(pendingToken(), "totp", used).code());
        // An older one of the window is none either.
        advance(std::chrono::seconds(30));
        equal("invalid_code", verify(pendingToken(), "totp", used).code());
        equal(200, verify(pendingToken(), "totp", code()).status);
    }

    TEST(oneOfManyParallelCodesSignsIn)
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
            equal(16, signedIn + refused);
            return signedIn.load();
        };
        // One token, one code.
        CHECK(race([&](std::size_t) { return tokens[0]; }) <= 1);
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
        equal(1, signedIn.load());
        equal(before + 1, _host->count("SELECT COUNT(*) FROM sessions"));
    }

    TEST(limitsTries)
    {
        enroll();
        const auto token = pendingToken();
        for (int i = 0; i < 5; ++i) equal("invalid_code", verify(token, "totp", "000000").code());
        equal("mfa_expired", verify(token, "totp", code()).code());
        const auto second = pendingToken();
        for (int i = 0; i < 5; ++i) verify(second, "recovery_code", "wrong");
        const auto third = verify(pendingToken(), "totp", code());
        refused(third, 429, "too_many_attempts");
        CHECK(third.hasHeader("Retry-After"));
        advance(std::chrono::minutes(10));
        equal(200, verify(pendingToken(), "totp", code()).status);
    }

    TEST(recoveryCodesStandInOnce)
    {
        const auto codes = enroll();
        auto typed = codes[0];
        std::ranges::transform(typed, typed.begin(), [](char c) { return c == '-' ? ' ' : static_cast<char>(std::toupper(c)); });
        const auto done = verify(pendingToken(), "recovery_code", typed);
        equal(200, done.status);
        equal("9", done.at("/user/mfa/recoveryCodesLeft"));
        equal("invalid_code", verify(pendingToken(), "recovery_code", codes[0]).code());
        const auto renewed = post("/api/auth/mfa/recovery-codes", "{}", stepUpToken(done.at("/access_token")));
        equal(10, renewed.count("/recoveryCodes"));
        equal("invalid_code", verify(pendingToken(), "recovery_code", codes[1]).code());
        equal(200, verify(pendingToken(), "recovery_code", renewed.at("/recoveryCodes/3")).status);
    }

    TEST(raisesByCode)
    {
        const auto token = _host->signIn(owner);
        enroll();
        equal("invalid_code", stepUp(token, "totp", "000000").code());
        for (const auto* none : {"sms", "recovery_code"}) equal("unknown_option", stepUp(token, none, "000000").at("/errors/0/code"), none);
        const auto used = code();
        const auto raised = stepUp(token, "totp", used);
        equal(200, raised.status);
        equal("otp", raised.at("/session/amr/1"));
        equal("invalid_code", stepUp(token, "totp", used).code());
        // A sign-in with two factors does not count as a recent step-up.
        advance(std::chrono::seconds(901));
        const auto fresh = verify(pendingToken(), "totp", code());
        equal("step_up_required", post("/api/auth/mfa/totp/enroll", "{}", fresh.at("/access_token")).code());
    }

    TEST(satisfiesAnOrganization)
    {
        const auto before = _host->signIn(owner, "identity");
        enroll();
        _host->createUser(owner, "globex", "member");
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'globex')");
        const auto target = jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("globex"));
        const auto enter = [&](const std::string& token)
        { return _host->call({.method = Method::Put, .target = "/api/auth/context", .body = target}, token); };
        equal("org_policy_mfa_required", enter(before).code());
        // A password again is no second factor.
        stepUp(before, "password", {}, "identity");
        equal("org_policy_mfa_required", enter(before).code());
        stepUp(before, "totp", code(), "identity");
        equal(200, enter(before).status);
        advance(std::chrono::seconds(30));
        const auto pending =
            _host->login(owner, IdentityHost::password, "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("globex")));
        const auto done = verify(pending.at("/details/mfaToken"), "totp", code());
        equal(_host->organizationId("globex"), done.at("/activeContext/organizationId"));
    }

    TEST(keepsTheLastFactorThatAnOrganizationDemands)
    {
        const auto token = _host->signIn(owner);
        enroll();
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')");
        stepUp(token, "password");
        const auto id = get("/api/auth/mfa", token).at("/factors/0/id");
        equal("last_factor_required_by_policy", remove("/api/auth/mfa/" + id, token).code());
        equal(1, _host->count("SELECT COUNT(*) FROM totp_factors"));
        equal(10, _host->count("SELECT COUNT(*) FROM recovery_codes"));
    }

    TEST(aPendingSignInOutlivesAReload)
    {
        enroll();
        const auto token = pendingToken();
        _host->reload();
        equal(200, verify(token, "totp", code()).status);
    }

    TEST(anotherPasswordEndsAPendingSignIn)
    {
        enroll();
        const auto token = pendingToken();
        _host->change("UPDATE users SET password_hash = 'another'");
        equal("mfa_expired", verify(token, "totp", code()).code());
        _host->change("UPDATE users SET password_hash = NULL, status = 'suspended'");
        equal("mfa_expired", verify(token, "totp", code()).code());
    }

    TEST(cookiesFollowTheSecondStep)
    {
        enroll();
        const std::vector<std::pair<std::string, std::string>> browser = {{"X-Platform-Auth", "1"},
                                                                          {"Origin", "http://desk.localhost:8080"}};
        const auto pending = _host->browserLogin(owner);
        CHECK(!pending.hasHeader("Set-Cookie"));
        const auto token = pending.at("/details/mfaToken");
        equal("csrf_rejected", verify(token, "totp", code(), {{"X-Platform-Auth", "1"}, {"Origin", "https://evil.example"}}).code());
        const auto done = verify(token, "totp", code(), browser);
        equal(200, done.status);
        CHECK(!done.cookie("platform_refresh").empty());
    }

    TEST(anAppProvesItsKeyWithTheSecondStep)
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
            _host->login(owner, IdentityHost::password, "desk", jsonWith(R"(,"client_id":"$")", app), at("identity", "/api/auth/login"));
        equal("mfa_required", pending.code());
        const auto token = pending.at("/details/mfaToken");
        equal("invalid_dpop_proof", verify(token, "totp", code()).code());
        const auto done = verify(token, "totp", code(), at("desk", "/api/auth/mfa/verify"));
        equal(200, done.status, done.body);
        CHECK(done.has("/refresh_token") && !done.hasHeader("Set-Cookie"));
    }

    TEST(administratorsHelp)
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
        equal("outranked", secure("admin@acme.example", _owner, reset).code());
        equal("step_up_required", secure("boss@acme.example", _owner, reset, false).code());
        _host->createUser("member@acme.example", "acme", "member");
        equal("permission_denied", secure("member@acme.example", _owner, reset).code());
        const auto stranger = _host->createUser("owner@other.example", "other", "owner");
        equal(404, secure("boss@acme.example", stranger, reset).status);
        equal("mfa_required", _host->login(owner, IdentityHost::password).code());
        const auto done = secure("boss@acme.example", _owner, reset);
        equal(200, done.status);
        equal("false", done.at("/mfa/totp"));
        equal(200, _host->login(owner, IdentityHost::password).status);
        // The delay ends too.
        for (int i = 0; i < 7; ++i) _host->login(owner, "wrong");
        equal(429, _host->login(owner, IdentityHost::password).status);
        equal(200, secure("boss@acme.example", _owner, R"({"unlock":true})").status);
        equal(200, _host->login(owner, IdentityHost::password).status);
    }

    /// Factors protect the account in all organizations, so admins of one cannot remove factors of members of others.
    TEST(administratorsHelpTheirOwn)
    {
        enroll();
        _host->createUser("boss@evil.example", "evil", "owner");
        _host->createUser(owner, "evil", "guest");
        const auto secure = [&](std::string_view who, const std::string& organization, const std::string& body)
        {
            const auto token = _host->signIn(who, "identity", jsonWith(R"(,"organizationId":"$")", _host->organizationId(organization)));
            stepUp(token, "password", {}, "identity");
            return _host->call({.method = Method::Patch, .target = "/api/users/" + _owner + "/security", .body = body}, token);
        };
        for (const auto* body : {R"({"resetMfa":true})", R"({"requirePasswordChange":true})", R"({"unlock":true})"})
            equal("outranked", secure("boss@evil.example", "evil", body).code());
        equal("mfa_required", _host->login(owner, IdentityHost::password).code());
        equal(0, mailsOfProtection());
        // The organization that has verified the address's domain manages the account; other organizations do not.
        const auto claim = [&](const std::string& organization, const std::string& domain)
        {
            _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) "
                          "VALUES ($1, $2, 'verified', 't', 1, 0, 0)",
                          {_host->organizationId(organization), domain});
        };
        claim("evil", "evil.example");
        equal("outranked", secure("boss@evil.example", "evil", R"({"resetMfa":true})").code());
        _host->createUser("boss@acme.example", "acme", "owner");
        equal("outranked", secure("boss@acme.example", "acme", R"({"resetMfa":true})").code());
        claim("acme", "acme.example");
        equal(200, secure("boss@acme.example", "acme", R"({"resetMfa":true})").status);
        equal(1, mailsOfProtection());
        // Operators may help every user.
        _host->createUser("root@x.example", "", "member", "platform_admin");
        equal(200, secure("root@x.example", "admin", R"({"unlock":true})").status);
        equal(2, mailsOfProtection());
    }

    TEST(administratorsDemandAnotherPassword)
    {
        const auto member = _host->createUser("member@acme.example", "acme", "member");
        const auto token = elevatedAt("identity");
        const auto secure = [&](std::string body)
        { return _host->call({.method = Method::Patch, .target = "/api/users/" + member + "/security", .body = std::move(body)}, token); };
        equal("true", secure(R"({"requirePasswordChange":true})").at("/passwordChangeRequired"));
        equal("invalid_credentials", _host->login("member@acme.example", "wrong").code());
        equal("password_change_required", _host->login("member@acme.example", IdentityHost::password).code());
        equal("true", secure("{}").at("/passwordChangeRequired"));
        // Any other password is valid again, regardless of who stores it.
        const auto another = identity::passwords::hash("another horse battery");
        _host->change("UPDATE users SET password_hash = $1 WHERE id = $2", {another, member});
        equal(200, _host->login("member@acme.example", "another horse battery").status);
        equal("false", secure(R"({"requirePasswordChange":false})").at("/passwordChangeRequired"));
    }

    TEST(administratorsLetAPasswordBeReset)
    {
        const auto member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("member@acme.example", "globex", "member");
        const auto inAcme =
            _host->signIn("member@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        const auto inGlobex =
            _host->signIn("member@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("globex")));
        const auto reset = [&](std::string_view who, const std::string& whom, std::string body = "{}")
        {
            return _host->call({.method = Method::Post, .target = "/api/users/" + whom + "/password-reset", .body = std::move(body)},
                               _host->signIn(who, "identity"));
        };
        equal("permission_denied", reset("member@acme.example", _owner).code());
        _host->createUser("admin@acme.example", "acme", "admin");
        equal("outranked", reset("admin@acme.example", _owner).code());
        equal(202, reset("admin@acme.example", member, R"({"revokeSessions":false})").status);
        equal("ok", _host->verdict(inAcme));
        const auto done = reset("admin@acme.example", member);
        equal(202, done.status);
        equal("session_ended", _host->verdict(inAcme));
        equal("ok", _host->verdict(inGlobex));
        equal(2, _host->context().mailer().sent().size());
        equal("member@acme.example", _host->context().mailer().sent()[1].to);
        // The administrator sees nothing of what opens the account.
        CHECK(done.body.find("token") == std::string::npos);
    }

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
        return post("/api/auth/step-up", jsonWith(R"({"factor":"$","password":"$","code":"$"})", factor, IdentityHost::password, typed),
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
        const auto done =
            post("/api/auth/mfa/totp/activate", jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"), code()), token);
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
        return post("/api/auth/mfa/verify", jsonWith(R"({"mfaToken":"$","factor":"$","code":"$"})", token, factor, typed), {},
                    std::move(headers));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
    std::string _secret;
    std::string _lastToken;
};

} // namespace portico::tests
