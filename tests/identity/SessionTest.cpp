#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "sessions/SignIn.h"
#include "signin/TokenIssuer.h"
#include "users/User.h"

#include <set>
#include <thread>

namespace portico::tests
{

/// The life of a sign-in: refresh with its grace and its alarm, logout, change of context, step-up.
class SessionTest : public Suite<SessionTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(refreshRotates)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        const auto first = login.cookie("platform_refresh");
        const auto answer = refresh(first);
        equal(200, answer.status);
        CHECK(answer.cookie("platform_refresh") != first);
        equal(login.at("/session/id"), answer.at("/session/id"));
        equal("ok", _host->verdict(answer.at("/access_token")));
        equal(200, refresh(answer.cookie("platform_refresh")).status);
    }

    TEST(answersTheSameSuccessorInGrace)
    {
        const auto first = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        const auto one = refresh(first);
        advance(std::chrono::seconds(30));
        const auto again = refresh(first);
        equal(200, again.status);
        equal(one.cookie("platform_refresh"), again.cookie("platform_refresh"));
    }

    TEST(endsTheSignInOnReuse)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        const auto first = login.cookie("platform_refresh");
        const auto second = refresh(first).cookie("platform_refresh");
        const auto third = refresh(second);
        const auto reused = refresh(first);
        refused(reused, 401, "refresh_reuse_detected");
        CHECK(reused.headerBlock().find("Set-Cookie: platform_refresh=; ") != std::string::npos);
        CHECK(reused.headerBlock().find("Max-Age=0") != std::string::npos);
        // The newest handle and every access token are invalid too.
        equal(401, refresh(third.cookie("platform_refresh")).status);
        equal("session_ended", _host->verdict(third.at("/access_token")));
        equal("session_ended", _host->verdict(login.at("/access_token")));
        refresh(first);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.refresh_reuse_detected'"));
        equal(1, _host->context().mailer().sent().size());
        equal("owner@acme.example", _host->context().mailer().sent()[0].to);
    }

    TEST(endsTheSignInOnALateRepeat)
    {
        const auto first = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        refresh(first);
        advance(std::chrono::milliseconds(30'001));
        equal("refresh_reuse_detected", refresh(first).code());
    }

    TEST(bindsGraceToTheOrigin)
    {
        const auto first = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        refresh(first);
        equal("refresh_reuse_detected", refresh(first, "desk", "https://desk.example").code());
    }

    TEST(racesHaveOneSuccessor)
    {
        const auto first = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        std::mutex mutex;
        std::set<std::string> successors;
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back(
                [&]
                {
                    const auto answer = refresh(first);
                    good += answer.status == 200;
                    const std::scoped_lock lock(mutex);
                    successors.insert(answer.cookie("platform_refresh"));
                });
        for (auto& thread : threads) thread.join();
        equal(8, good.load());
        equal(1, successors.size());
        equal(2, _host->count("SELECT current_gen FROM refresh_families"));
    }

    TEST(expiresWhenIdleAndInTheEnd)
    {
        const auto idle = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        auto used = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        for (int day = 0; day < 24; day += 6)
        {
            advance(std::chrono::hours(24 * 6));
            const auto answer = refresh(used);
            equal(200, answer.status);
            used = answer.cookie("platform_refresh");
        }
        equal("refresh_expired", refresh(idle).code());
        advance(std::chrono::hours(24 * 6));
        equal("refresh_expired", refresh(used).code());
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'expired_idle'"));
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'expired_absolute'"));
    }

    TEST(refusesWhatIsNoHandle)
    {
        equal("refresh_missing", refresh("").code());
        for (const auto* text :
             {"x", "prt1.a.b.1.c",
              "prt1.01jd0000000000000000000000.01jd0000000000000000000000.1.0000000000000000000000000000000000000000000"})
            equal("refresh_expired", refresh(text).code());
        // A well-formed handle with an invalid MAC ends nothing.
        auto handle = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        auto forged = handle;
        forged.back() = forged.back() == 'A' ? 'E' : 'A';
        equal("refresh_expired", refresh(forged).code());
        equal(200, refresh(handle).status);
    }

    TEST(refreshKeepsToItsService)
    {
        const auto handle = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        equal("service_mismatch", refresh(handle, "identity", "http://identity.localhost:8080", {{"X-Service-ID", "identity"}}).code());
        // Pages of other services of the same site, which send the cookie, cannot refresh it.
        equal("service_mismatch", refresh(handle, "desk", "http://identity.localhost:8080").code());
        const auto there = refresh(handle, "identity", "http://desk.localhost:8080", {{"X-Service-ID", "desk"}});
        equal(200, there.status);
        equal(200, refresh(there.cookie("platform_refresh"), "desk", "https://desk.example").status);
        const auto identitys = _host->login("owner@acme.example", IdentityHost::password, "identity", {},
                                            {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        const auto own = identitys.cookie("platform_refresh");
        equal("service_mismatch", refresh(own, "identity", "http://desk.localhost:8080").code());
        equal(200, refresh(own, "identity", "http://identity.localhost:8080").status);
    }

    TEST(logoutEndsAtOnce)
    {
        const auto token = _host->signIn("owner@acme.example");
        equal("ok", _host->verdict(token));
        const auto answer = logout({}, token);
        equal(200, answer.status);
        equal(1, answer.count("/ended"));
        CHECK(answer.at("/broadcastUrl").starts_with("http://identity.localhost:8080/session/broadcast-logout?lt="));
        equal("session_ended", _host->verdict(token));
        // It never fails for a sign-in that has ended.
        const auto again = logout({}, token);
        equal(200, again.status);
        CHECK(again.count("/ended") == 0);
        equal(401, logout({}, token + "x").status);
        equal(401, logout({}).status);
    }

    TEST(logoutByCookieNeedsOurClient)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        const std::string cookie = "platform_refresh=" + login.cookie("platform_refresh");
        equal("csrf_rejected", logout({.headers = {{"Cookie", cookie}}}).code());
        equal("csrf_rejected",
              logout({.headers = {{"Cookie", cookie}, {"Origin", "https://evil.example"}, {"X-Platform-Auth", "1"}}}).code());
        equal("ok", _host->verdict(login.at("/access_token")));
        const auto answer = logout({.headers = {{"Cookie", cookie}, {"Origin", "http://desk.localhost:8080"}, {"X-Platform-Auth", "1"}}});
        equal(200, answer.status);
        equal("session_ended", _host->verdict(login.at("/access_token")));
    }

    TEST(logoutOfTheBrowserEndsWhatCameFromIt)
    {
        const auto one = _host->signIn("owner@acme.example");
        const auto two = _host->signIn("owner@acme.example");
        logout({.body = R"({"scope":"browser"})"}, one);
        equal("ok", _host->verdict(two));
        const auto everywhere = logout({.body = R"({"scope":"everywhere"})"}, two);
        equal(1, everywhere.count("/ended"));
        // Two apps of one browser.
        const auto first = _host->signIn("owner@acme.example");
        const auto second = _host->signIn("owner@acme.example");
        const auto other = _host->signIn("owner@acme.example");
        _host->change("INSERT INTO browser_sessions (id, user_id, handle_hash, idle_expires_at, expires_at, created_at) "
                      "SELECT 'b1', id, 'h', 0, 0, 0 FROM users");
        for (const auto& token : {first, second})
            _host->change("UPDATE sessions SET browser_session_id = 'b1' WHERE id = $1", {_host->validate(token)->sessionId});
        equal(2, logout({}, first).count("/ended"));
        equal("session_ended", _host->verdict(second));
        equal("ok", _host->verdict(other));
    }

    TEST(anEndedSignInEndsNoOther)
    {
        const auto stolen = _host->browserLogin("owner@acme.example");
        const auto other = _host->signIn("owner@acme.example");
        _host->change("INSERT INTO browser_sessions (id, user_id, handle_hash, idle_expires_at, expires_at, created_at) "
                      "SELECT 'b1', id, 'h', 0, 0, 0 FROM users");
        _host->change("UPDATE sessions SET browser_session_id = 'b1'");
        logout({.body = R"({"scope":"app"})"}, stolen.at("/access_token"));
        const std::string cookie = "platform_refresh=" + stolen.cookie("platform_refresh");
        for (const auto* body : {R"({"scope":"everywhere"})", R"({"scope":"browser"})"})
            for (const bool byToken : {true, false})
            {
                const auto answer =
                    byToken ? logout({.body = body}, stolen.at("/access_token"))
                            : logout({.body = body,
                                      .headers = {{"Cookie", cookie}, {"Origin", "http://desk.localhost:8080"}, {"X-Platform-Auth", "1"}}});
                equal(200, answer.status);
                CHECK(answer.count("/ended") == 0);
                equal("ok", _host->verdict(other));
            }
        equal(0, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE ended_at IS NOT NULL"));
        // An idle handle ends nothing either.
        const auto idle = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        advance(std::chrono::hours(24 * 8));
        const auto fresh = _host->signIn("owner@acme.example");
        logout({.body = R"({"scope":"everywhere"})",
                .headers = {{"Cookie", "platform_refresh=" + idle}, {"Origin", "http://desk.localhost:8080"}, {"X-Platform-Auth", "1"}}});
        equal("ok", _host->verdict(fresh));
    }

    TEST(logoutLeavesOneTicket)
    {
        const auto token = _host->signIn("owner@acme.example");
        const auto& store = _host->context().state();
        const auto before = store.entryCount();
        CHECK(logout({}, token).at("/broadcastUrl").find("?lt=") != std::string::npos);
        for (int i = 0; i < 10; ++i)
            equal("http://identity.localhost:8080/session/broadcast-logout", logout({}, token).at("/broadcastUrl"));
        equal(before + 1, store.entryCount());
    }

    TEST(contextSwitchTakesTheLimitsOfTheOrganization)
    {
        _host->createUser("owner@acme.example", "globex", "member");
        _host->change(R"(UPDATE organizations SET security_policy = '{"maxSessionHours":24,"idleHours":2}' WHERE slug = 'globex')");
        const auto acme = jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("acme"));
        const auto globex = jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("globex"));
        const auto extra = jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme"));
        const auto idle = _host->browserLogin("owner@acme.example", extra);
        auto used = _host->browserLogin("owner@acme.example", extra);
        const auto late = _host->browserLogin("owner@acme.example", extra);
        equal(200, switchContext(idle.at("/access_token"), globex).status);
        const auto moved = switchContext(used.at("/access_token"), globex);
        equal(toString(_host->context().clock().now() + std::chrono::hours(24)), moved.at("/session/expiresAt"));
        // Going back lengthens nothing.
        equal(200, switchContext(used.at("/access_token"), acme).status);
        auto handle = used.cookie("platform_refresh");
        const auto lateHandle = late.cookie("platform_refresh");
        for (int hour = 1; hour < 24; ++hour)
        {
            advance(std::chrono::hours(1));
            const auto answer = refresh(handle);
            equal(200, answer.status);
            handle = answer.cookie("platform_refresh");
            if (hour == 2) equal("refresh_expired", refresh(idle.cookie("platform_refresh")).code());
        }
        advance(std::chrono::hours(1));
        equal("refresh_expired", refresh(handle).code());
        // A sign-in that is older than the organization allows does not get in.
        const auto token = refresh(lateHandle).at("/access_token");
        equal("org_policy_session_too_old", switchContext(token, globex).code());
        equal("ok", _host->verdict(token));
    }

    TEST(contextSwitchFollowsTheSession)
    {
        _host->createUser("owner@acme.example", "globex", "member");
        const auto globex = _host->organizationId("globex");
        const auto token = _host->signIn("owner@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        CHECK(_host->validate(token)->may("desk.settings:write"));
        const auto answer = switchContext(token, jsonWith(R"({"kind":"organization","organizationId":"$"})", globex));
        equal(200, answer.status);
        equal(globex, answer.at("/activeContext/organizationId"));
        equal("member", answer.at("/activeContext/role"));
        // The old token speaks for the same session: it follows.
        for (const auto& held : {token, answer.at("/access_token")})
        {
            const auto caller = _host->validate(held);
            equal(globex, caller->organizationId);
            equal("member", caller->role);
            CHECK(!caller->may("desk.settings:write"));
        }
    }

    TEST(contextSwitchNeedsAccess)
    {
        const auto token = _host->signIn("owner@acme.example");
        _host->createUser("other@x.example", "initech", "owner");
        const auto foreign =
            switchContext(token, jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("initech")));
        equal("membership_required", foreign.code());
        equal("service_access_denied", switchContext(token, R"({"kind":"personal"})").code());
        equal("household_is_not_a_context", switchContext(token, R"({"kind":"household"})").code());
        for (const auto* body : {R"({"kind":"organization"})", R"({"kind":"world"})", "{}"})
            equal("validation_failed", switchContext(token, body).code());
        equal("ok", _host->verdict(token));
    }

    TEST(policyAsksForASecondFactor)
    {
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')");
        equal("org_policy_mfa_required", _host->login("owner@acme.example", IdentityHost::password).code());
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["passkey"]}')");
        equal("login_method_not_allowed", _host->login("owner@acme.example", IdentityHost::password).code());
    }

    TEST(stepUpRaisesForAWhile)
    {
        const auto token = _host->signIn("owner@acme.example");
        const auto stepUp = [&](std::string secret)
        {
            return _host->call({.method = Method::Post,
                                .target = "/api/auth/step-up",
                                .body = jsonWith(R"({"factor":"password","password":"$"})", secret),
                                .originService = "desk"},
                               token);
        };
        equal("invalid_code", stepUp("wrong").code());
        equal("aal1", _host->validate(token)->acr);
        const auto answer = stepUp(std::string(IdentityHost::password));
        equal(200, answer.status);
        equal("aal2", answer.at("/session/acr"));
        equal("aal2", _host->validate(token)->acr);
        advance(std::chrono::seconds(599));
        equal("aal2", _host->validate(token)->acr);
        advance(std::chrono::seconds(301));
        const auto later = _host->call({.target = "/api/auth/me", .originService = "desk"}, refreshedToken(answer));
        equal("aal1", later.at("/session/acr"));
    }

    TEST(showsMe)
    {
        _host->createUser("owner@acme.example", "globex", "guest");
        const auto token = _host->signIn("owner@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, token);
        equal(200, me.status);
        equal("desk", me.at("/service_id"));
        equal(2, me.count("/organizations"));
        equal("guest", me.at("/organizations/1/role"));
        equal(5, me.count("/effectivePermissions"));
        equal("true", me.at("/session/current"));
        equal("missing", me.at("/onboarding/recoveryEmail/status"));
        equal(401, _host->call({.target = "/api/auth/me"}).status);
        // Own things need no access to the service, so that an app can tell why it is closed.
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        equal("service_access_denied", _host->verdict(token));
        const auto outside = _host->call({.target = "/api/auth/me", .originService = "desk"}, token);
        equal(200, outside.status);
        CHECK(outside.count("/effectivePermissions") == 0);
    }

    TEST(changesTheProfile)
    {
        const auto token = _host->signIn("owner@acme.example");
        const auto patch = [&](std::string body, std::vector<std::pair<std::string, std::string>> headers = {})
        {
            return _host->call({.method = Method::Patch,
                                .target = "/api/auth/me",
                                .body = std::move(body),
                                .headers = std::move(headers),
                                .originService = "desk"},
                               token);
        };
        const auto changed = patch(R"({"displayName":"Ada","email":"evil@x.example","status":"suspended","timezone":"Europe/Berlin"})");
        equal(200, changed.status);
        equal("Ada", changed.at("/displayName"));
        equal("owner@acme.example", changed.at("/email"));
        equal("\"2\"", changed.etag);
        equal("Ada", _host->validate(token)->displayName);
        equal("version_conflict", patch(R"({"displayName":"Bob"})", {{"If-Match", "\"1\""}}).code());
        equal("validation_failed", patch(R"({"displayName":null})").code());
        // Pages and apps count with these, and others are shown the names.
        const auto fault = [&](const std::string& member, const std::string& value)
        { return patch('{' + ('"' + member + "\":\"") + value + "\"}").at("/errors/0/code"); };
        for (const auto* name : {R"(Ada\nAdmin)", R"(Ada\u202egnp)", R"(Ada\u200e)", R"(\u2067Ada)", R"(Ada\u0007)"})
            for (const auto* member : {"displayName", "givenName", "familyName"}) equal("invalid_name", fault(member, name), name);
        equal("required", fault("displayName", "  "));
        for (const auto* locale : {"<x>", "english", "de_AT", "de-", "-de", "de--AT", "de-A", "d1"})
            equal("invalid_locale", fault("locale", locale), locale);
        for (const auto* zone :
             {"Mars/Phobos", "Europe", "Europe/", "/Europe/Berlin", "../../etc/passwd", "Europe/../UTC", "+01:00", "tzdata.zi"})
            equal("unknown_time_zone", fault("timezone", zone), zone);
        for (const auto* fine : {R"("displayName":"Zo\u00eb \u5f20\u4e09 O'Neil \ud83d\udc69\u200d\ud83d\ude80")",
                                 R"("locale":"zh-Hant-TW")", R"("locale":"de-CH-1996")", R"("locale":"es-419")",
                                 R"("timezone":"America/Argentina/Buenos_Aires")", R"("timezone":"Etc/GMT+1")"})
            equal(200, patch(std::string("{") + fine + '}').status, fine);
        // A stored invalid value does not block other changes.
        _host->change("UPDATE users SET locale = 'de_AT' WHERE email = 'owner@acme.example'");
        equal(200, patch(R"({"displayName":"Ada","locale":"de_AT"})").status);
        equal("unknown_field", patch(R"({"passwordHash":"x"})").code());
    }

    TEST(anAccountBeginsWithTheBrowsersLanguage)
    {
        const auto login = [&](std::string languages) {
            return _host->login("owner@acme.example", IdentityHost::password, "desk", {}, {{"Accept-Language", std::move(languages)}});
        };
        const auto patch = [&](std::string_view body)
        {
            return _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = std::string(body), .originService = "desk"},
                               _host->signIn("owner@acme.example"));
        };
        // A client without a language sets none. Pages use the device's time zone until the user chooses one.
        for (const auto* program : {"", "*"}) equal("", login(program).at("/user/locale"), program);
        equal("de", login("de-AT, en;q=0.5").at("/user/locale"));
        const auto later = login("en");
        equal("de", later.at("/user/locale"));
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, later.at("/access_token"));
        equal("de", me.at("/user/locale"));
        equal("", me.at("/user/timezone"));
        // A chosen language stays until the user clears it.
        equal(200, patch(R"({"locale":"en-GB","timezone":"Europe/Vienna"})").status);
        equal("en-GB", login("de").at("/user/locale"));
        equal(200, patch(R"({"locale":"","timezone":""})").status);
        equal("de", login("de").at("/user/locale"));
    }

    TEST(survivesAReload)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        _host->reload();
        equal("ok", _host->verdict(login.at("/access_token")));
        equal(200, refresh(login.cookie("platform_refresh")).status);
    }

    TEST(rotatesSigningKeys)
    {
        const auto token = _host->signIn("owner@acme.example");
        identity::Changes changes(_host->context());
        identity::KeyRing ring(_host->context().database(), changes, _host->context().clock());
        const auto published = [&] { return _host->call({.target = "/.well-known/jwks.json"}).count("/keys"); };
        // Two keys for access tokens, and two for ID tokens.
        equal(4, published());
        // Clients must have the next key in their cached set before it signs.
        CPPUNIT_ASSERT_THROW(ring.rotate(), Problem);
        advance(std::chrono::minutes(5));
        ring.rotate();
        equal(6, published());
        equal("ok", _host->verdict(token));
        equal("ok", _host->verdict(_host->signIn("owner@acme.example")));
        const auto set = _host->call({.target = "/.well-known/jwks.json"});
        for (std::size_t i = 0; i < 6; ++i) CHECK(set.has("/keys/" + std::to_string(i)) && !set.has("/keys/" + std::to_string(i) + "/d"));
    }

    void advance(std::chrono::milliseconds time) { _host->context().clock().advance(time); }

    TestAnswer refresh(const std::string& handle, std::string origin = "desk", std::string header = "http://desk.localhost:8080",
                       std::vector<std::pair<std::string, std::string>> more = {})
    {
        std::vector<std::pair<std::string, std::string>> headers = {{"X-Platform-Auth", "1"}, {"Origin", std::move(header)}};
        if (!handle.empty()) headers.emplace_back("Cookie", "platform_refresh=" + handle);
        headers.insert(headers.end(), more.begin(), more.end());
        return _host->call(
            {.method = Method::Post, .target = "/api/auth/refresh", .headers = std::move(headers), .originService = std::move(origin)});
    }
    TestAnswer logout(TestRequest request, const std::string& credential = {})
    {
        request.method = Method::Post;
        request.target = "/api/auth/logout";
        request.originService = "desk";
        return _host->call(std::move(request), credential);
    }
    TestAnswer switchContext(const std::string& token, std::string body)
    {
        return _host->call({.method = Method::Put, .target = "/api/auth/context", .body = std::move(body), .originService = "desk"}, token);
    }
    /// A fresh token for the session of an answer, made as a refresh makes it.
    std::string refreshedToken(const TestAnswer& answer)
    {
        auto session = _host->context().database().session();
        const auto signIn = identity::sign_ins::find(session, answer.at("/session/id"));
        const auto user = identity::users::find(session, signIn->userId.text());
        identity::Changes changes(_host->context());
        identity::KeyRing ring(_host->context().database(), changes, _host->context().clock());
        const identity::Settings settings{_host->context().config()};
        identity::TokenIssuer issuer(_host->context().database(), ring, settings, _host->context().clock(), _host->context().host().origin);
        return issuer.issue(*signIn, *user).accessToken;
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
