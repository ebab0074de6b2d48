#include "identity/DpopKey.h"
#include "identity/IdentityHost.h"

#include "portico/Crypto.h"

namespace portico::tests
{

/// Signing in at one app from another place: pages and codes of I-B, and what becomes of codes that fall into other hands.
class SsoTest : public Suite<SsoTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), paperManifest(), hiddenManifest()});
        _host->createUser("ada@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(aHandoffSignsInAtTheOtherApp)
    {
        const auto code = codeOf(handoff(R"(,"returnTo":"/deals/7")"));
        const auto answer = exchange(code);
        equal(200, answer.status, answer.body);
        equal("/deals/7", answer.at("/returnTo"));
        equal("ada@acme.example", answer.at("/user/email"));
        equal("ok", _host->verdict(answer.at("/access_token"), "paper"));
        equal("wrong_audience", _host->verdict(answer.at("/access_token"), "desk"));
        CHECK(!answer.cookie("platform_refresh").empty());
    }

    TEST(aHandoffNeedsARegisteredTarget)
    {
        const auto refused = [&](std::string_view service, std::string_view redirect, std::string_view extra = {})
        { return handoff(extra, service, redirect).code(); };
        equal("redirect_uri_not_registered", refused("paper", "https://paper.example/auth/callback/"));
        equal("redirect_uri_not_registered", refused("paper", "https://evil.example/auth/callback"));
        equal("return_to_invalid", refused("paper", callback, R"(,"returnTo":"//evil.example")"));
        equal("return_to_invalid", refused("paper", callback, R"(,"returnTo":"/a/%2e.//evil.example")"));
        equal("return_to_invalid", refused("paper", callback, R"(,"returnTo":"https://evil.example")"));
        equal("return_to_invalid", refused("paper", callback, R"(,"returnTo":"/\\evil.example")"));
        equal("not_launchable", refused("hidden", "https://hidden.example/cb"));
        equal("not_found", refused("nothing", callback));
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()});
        equal("service_not_active", refused("paper", callback));
    }

    TEST(aHandoffKeepsTheContext)
    {
        _host->createUser("ada@acme.example", "zeta", "member");
        const auto token = _host->signIn("ada@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("zeta")));
        const auto answer = exchange(codeOf(handoff({}, "paper", callback, token)));
        equal(_host->organizationId("zeta"), answer.at("/activeContext/organizationId"));
    }

    TEST(aHandoffLengthensNothing)
    {
        const auto token = _host->signIn("ada@acme.example", "desk", R"(,"rememberMe":false)");
        const auto ends = _host->count("SELECT expires_at FROM sessions");
        _host->context().clock().advance(std::chrono::minutes(5));
        equal(200, exchange(codeOf(handoff({}, "paper", callback, token))).status);
        equal(ends, _host->count("SELECT expires_at FROM sessions WHERE service_id = 'paper'"));
        equal(ends, _host->count("SELECT absolute_expires_at FROM refresh_families WHERE service_id = 'paper'"));
    }

    TEST(anOrganizationsHoursCountFromTheProof)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        _host->change(R"(UPDATE organizations SET security_policy = '{"maxSessionHours":8}')");
        _host->context().clock().advance(std::chrono::hours(7));
        const auto authorized = authorize("&prompt=none", browser);
        CHECK(authorized.headerBlock().find("sso_code=") != std::string::npos);
        _host->context().clock().advance(std::chrono::hours(2));
        CHECK(authorize("&prompt=none", browser).headerBlock().find("error=login_required") != std::string::npos);
        CHECK(authorize({}, browser).headerBlock().find("Location: /login?") != std::string::npos);
    }

    TEST(aBrowserUnusedForTheIdleHoursSignsInAgain)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        _host->change(R"(UPDATE organizations SET security_policy = '{"idleHours":2}')");
        _host->context().clock().advance(std::chrono::minutes(90));
        const auto code = parameterOf(authorize("&prompt=none", browser), "sso_code");
        equal(200, exchange(code, page, callback, jsonWith(R"(,"code_verifier":"$")", verifier)).status);
        _host->context().clock().advance(std::chrono::minutes(90));
        CHECK(!parameterOf(authorize("&prompt=none", browser), "sso_code").empty());
        _host->context().clock().advance(std::chrono::minutes(30));
        for (int i = 0; i < 2; ++i) equal("login_required", parameterOf(authorize("&prompt=none", browser), "error"));
        CHECK(locationOf(authorize({}, browser)).starts_with("/login?"));
    }

    TEST(useInAnotherOrganizationDoesNotExtendTheIdleHours)
    {
        _host->createUser("ada@acme.example", "zeta", "member");
        const auto browser = signInByPage("/settings").cookie("platform_session");
        _host->change(R"(UPDATE organizations SET security_policy = '{"idleHours":2}' WHERE slug = 'acme')");
        const auto authorizeIn = [&](std::string_view slug)
        { return authorize("&prompt=none&organization_id=" + _host->organizationId(slug), browser); };
        const auto useIn = [&](std::string_view slug)
        {
            const auto code = parameterOf(authorizeIn(slug), "sso_code");
            equal(200, exchange(code, page, callback, jsonWith(R"(,"code_verifier":"$")", verifier)).status);
        };
        // Without a sign-in in the organization the authentication decides.
        _host->context().clock().advance(std::chrono::minutes(119));
        useIn("zeta");
        CHECK(!parameterOf(authorizeIn("acme"), "sso_code").empty());
        _host->context().clock().advance(std::chrono::minutes(1));
        equal("login_required", parameterOf(authorizeIn("acme"), "error"));
        useIn("zeta");
        equal("login_required", parameterOf(authorizeIn("acme"), "error"));
    }

    TEST(codesAreForOnePage)
    {
        const auto code = codeOf(handoff());
        equal("csrf_rejected", exchange(code, "https://desk.example").code());
        equal("csrf_rejected", exchange(code, "https://evil.example").code());
        equal("redirect_uri_mismatch", exchange(code, page, "https://paper.example/other").code());
        equal("sso_code_invalid", exchange(code + "x").code());
        const auto otherService =
            post("/sso/exchange", jsonWith(R"({"sso_code":"$","service_id":"desk","redirect_uri":"$"})", code, callback),
                 {{"Origin", "https://desk.example"}});
        equal("sso_code_invalid", otherService.code());
        // None of these has spent it. At identity's own origin the app has no cookie: the one there is identity's.
        const auto own = post("/sso/exchange", jsonWith(R"({"sso_code":"$","service_id":"paper","redirect_uri":"$"})", code, callback),
                              {{"Origin", std::string(page)}, {"X-Platform-Auth", "1"}});
        equal(200, own.status);
        CHECK(own.cookie("platform_refresh").empty());
    }

    TEST(codesRunOut)
    {
        const auto code = codeOf(handoff());
        _host->context().clock().advance(std::chrono::seconds(60));
        equal("sso_code_expired", exchange(code).code());
        const auto mobile = handoff(R"(,"channel":"mobile")");
        equal("120", mobile.at("/expires_in"));
        equal(codeOf(mobile), mobile.at("/handoff_code"));
    }

    TEST(anAppProvesItsKey)
    {
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        const auto made = [&](const std::string& service)
        {
            const auto app = post(
                "/api/oauth-clients",
                jsonWith(R"({"name":"App","type":"native","token_endpoint_auth_method":"none","first_party":true,"consent":"implicit",)"
                         R"("service_id":"$","redirect_uris":["com.example.paper:/cb"]})",
                         service),
                {}, _host->signIn("root@admin.example", "identity"));
            equal(201, app.status, app.body);
            return app.at("/client_id");
        };
        const auto app = made("paper");
        const auto other = made("desk");
        const std::string redirect = "com.example.paper:/cb";
        // A page is not sent there.
        equal("redirect_uri_not_registered", handoff({}, "paper", redirect).code());
        const auto code = codeOf(handoff(R"(,"channel":"mobile")", "paper", redirect));
        const DpopKey key;
        const auto send = [&](const std::string& what, const std::string& client, const std::string& proof)
        {
            return post("/sso/exchange",
                        jsonWith(R"({"service_id":"paper","sso_code":"$","redirect_uri":"$","client_id":"$"})", what, redirect, client),
                        {{"DPoP", proof}});
        };
        const std::string url = "http://identity.localhost:8080/sso/exchange";
        const auto good = [&] { return key.proof(*_host, {"POST", url}); };
        equal("sso_code_invalid", send(code, other, good()).code());
        equal("sso_code_invalid", send(code, "nobody", good()).code());
        equal("invalid_dpop_proof", send(code, app, "").code());
        equal("invalid_dpop_proof", send(code, app, key.proof(*_host, {"POST", url + "/other"})).code());
        // A code for an app opens no page, and the other way round.
        equal("sso_code_invalid", exchange(code, page, redirect).code());
        equal("sso_code_invalid", send(codeOf(handoff()), app, good()).code());
        const auto tokens = send(code, app, good());
        equal(200, tokens.status, tokens.body);
        equal("DPoP", tokens.at("/token_type"));
        CHECK(tokens.has("/refresh_token") && tokens.headerBlock().find("Set-Cookie") == std::string::npos);
        equal("dpop_required", _host->verdict(tokens.at("/access_token"), "paper"));
        equal(1,
              _host->count("SELECT COUNT(*) FROM sessions WHERE client_id = '" + app + "' AND dpop_jkt = '" + key.key.thumbprint() + "'"));
        // Reuse with another key counts as theft: the first sign-in is ended.
        const DpopKey thief;
        equal("sso_code_consumed", send(code, app, thief.proof(*_host, {"POST", url})).code());
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE client_id = '" + app + "' AND ended_at IS NOT NULL"));
    }

    TEST(aSecondUseTakesTheFirstAway)
    {
        const auto code = codeOf(handoff());
        const auto first = exchange(code);
        equal("sso_code_consumed", exchange(code, "http://paper.localhost:8080").code());
        equal("session_ended", _host->verdict(first.at("/access_token"), "paper"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.code_reuse_detected'"));
        // After a reload, and long after the code has run out, it is still known.
        _host->reload();
        _host->context().clock().advance(std::chrono::minutes(9));
        equal("sso_code_consumed", exchange(code).code());
    }

    TEST(aDoubleMountTakesNothingAway)
    {
        const auto code = codeOf(handoff());
        const auto first = exchange(code);
        _host->context().clock().advance(std::chrono::seconds(10));
        equal("sso_code_consumed", exchange(code).code());
        equal("ok", _host->verdict(first.at("/access_token"), "paper"));
        _host->context().clock().advance(std::chrono::milliseconds(1));
        equal("sso_code_consumed", exchange(code).code());
        equal("session_ended", _host->verdict(first.at("/access_token"), "paper"));
    }

    TEST(anotherAccountIsAskedAbout)
    {
        _host->createUser("eve@acme.example", "acme", "member");
        const auto held = exchange(codeOf(handoff()));
        const auto code = codeOf(handoff({}, "paper", callback, _host->signIn("eve@acme.example")));
        const std::string cookie = "platform_refresh=" + held.cookie("platform_refresh");
        const auto asked = exchange(code, page, callback, {}, cookie);
        refused(asked, 409, "account_switch_confirmation_required");
        CHECK(asked.has("/details/current/displayName") && asked.has("/details/incoming/displayName"));
        equal("ok", _host->verdict(held.at("/access_token"), "paper"));
        const auto confirmed = exchange(code, page, callback, R"(,"confirmAccountSwitch":true)", cookie);
        equal(200, confirmed.status);
        equal("eve@acme.example", confirmed.at("/user/email"));
        equal("session_ended", _host->verdict(held.at("/access_token"), "paper"));
    }

    TEST(aCodeEndsWithItsSource)
    {
        const auto token = _host->signIn("ada@acme.example");
        const auto code = codeOf(handoff({}, "paper", callback, token));
        equal(200,
              _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}", .originService = "desk"}, token).status);
        equal("sso_code_invalid", exchange(code).code());
    }

    TEST(thePageSignsIn)
    {
        const auto signedIn = signInByPage("/settings");
        equal(303, signedIn.status, signedIn.body);
        CHECK(signedIn.headerBlock().find("Location: /settings\r\n") != std::string::npos);
        CHECK(!signedIn.cookie("platform_session").empty());
        CHECK(signedIn.headerBlock().find("SameSite=Lax") != std::string::npos);
        const auto shown = get("/login");
        equal(200, shown.status);
        CHECK(shown.body.find("<script") == std::string::npos);
        const auto policy = shown.headerBlock().substr(shown.headerBlock().find("Content-Security-Policy"));
        CHECK(policy.find("unsafe-inline") == std::string::npos);
        const auto link = shown.body.find("/assets/");
        const auto styles = get(shown.body.substr(link, shown.body.find('"', link) - link));
        equal(200, styles.status);
        CHECK(styles.body.find("--portico-accent") != std::string::npos);
        equal(404, get("/assets/pages-0000.css").status);
    }

    TEST(thePageIsBoundToItsBrowser)
    {
        const auto mine = get("/login");
        const auto others = get("/login");
        const auto stolen = submit(others.cookie("platform_pre"), tokenIn(mine.body), "/settings");
        equal(403, stolen.status);
        CHECK(stolen.cookie("platform_session").empty());
        equal(403, submit("", tokenIn(mine.body), "/settings").status);
        const auto wrong = submit(mine.cookie("platform_pre"), tokenIn(mine.body), "/settings", "wrong horse battery");
        equal(401, wrong.status);
        CHECK(wrong.body.find("value=\"ada@acme.example\"") != std::string::npos);
        CHECK(wrong.body.find("wrong horse") == std::string::npos);
    }

    TEST(thePageNamesTheRuleOfTheOrganization)
    {
        for (const auto& [policy, text] : {std::pair(R"({"ipAllowList":["198.51.100.0/24"]})", "from this network"),
                                           std::pair(R"({"allowedLoginMethods":["passkey"]})", "does not allow passwords")})
        {
            _host->change("UPDATE organizations SET security_policy = $1", {policy});
            const auto answer = signInByPage("/settings");
            equal(403, answer.status, policy);
            CHECK(answer.body.find(text) != std::string::npos);
        }
    }

    TEST(thePageLeadsToRegisteredOriginsOnly)
    {
        for (const auto* bad : {"https://evil.example/", "//evil.example", "/%5Cevil.example", "javascript:alert(1)",
                                "https://paper.example@evil.example/", "https://paper.example%5C.evil.example/", "https:paper.example",
                                "https://paper.example/%0D%0AX-Evil:%201", "https://paper.example/a%20b", "/%0A"})
        {
            const auto answer = get(std::string("/login?return_to=") + bad);
            equal(400, answer.status, bad);
            equal("text/html; charset=utf-8", answer.contentType);
        }
        equal(400, get("/login?service_id=nothing").status);
        equal(200, get("/login?service_id=paper&return_to=https://paper.example/x").status);
        equal(400, signInByPage("https://evil.example/").status);
        // Values from a link are escaped.
        const auto marked = get("/login?login_hint=%22%3E%3Cscript%3E");
        CHECK(marked.body.find("<script") == std::string::npos);
    }

    TEST(thePageSpeaksTheBrowsersLanguage)
    {
        TestRequest request;
        request.target = "/login";
        request.headers.emplace_back("Accept-Language", "de-AT, en;q=0.5");
        const auto german = _host->call(request);
        CHECK(german.body.find("lang=\"de\"") != std::string::npos);
        CHECK(german.body.find("Passwort") != std::string::npos);
        CHECK(get("/login").body.find("lang=\"en\"") != std::string::npos);
    }

    TEST(authorizeSendsACode)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        const auto sent = authorize({}, browser);
        equal(303, sent.status);
        equal("s 1", parameterOf(sent, "state"));
        equal("http://identity.localhost:8080", parameterOf(sent, "iss"));
        const auto code = parameterOf(sent, "sso_code");
        // A missing or wrong verifier does not use up the code.
        equal("pkce_failed", exchange(code).code());
        equal("pkce_failed", exchange(code, page, callback, jsonWith(R"(,"code_verifier":"$")", std::string(43, 'b'))).code());
        const auto answer = exchange(code, page, callback, jsonWith(R"(,"code_verifier":"$")", verifier));
        equal(200, answer.status, answer.body);
        equal("pwd", answer.at("/session/amr/0"));
    }

    TEST(authorizeShowsTheSignIn)
    {
        equal("login_required", parameterOf(authorize("&prompt=none"), "error"));
        const auto sent = authorize({});
        const auto location = locationOf(sent);
        CHECK(location.starts_with("/login?service_id=paper&return_to=%2Fsso%2Fauthorize"));
        // Through the page and back, to a code.
        const auto shown = get(location);
        equal(200, shown.status);
        CHECK(shown.headerBlock().find(" https://paper.example") != std::string::npos);
        const auto signedIn = submit(shown.cookie("platform_pre"), tokenIn(shown.body), returnIn(shown.body));
        const auto back = get(locationOf(signedIn), signedIn.cookie("platform_session"));
        equal(303, back.status);
        CHECK(!parameterOf(back, "sso_code").empty());
    }

    TEST(authorizeAsksAgainForLogin)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        _host->context().clock().advance(std::chrono::seconds(5));
        const auto sent = authorize("&prompt=login", browser);
        CHECK(locationOf(sent).starts_with("/login?"));
        const auto shown = get(locationOf(sent));
        // The old session is not enough, the new one is.
        const auto again = get(returnIn(shown.body), browser);
        CHECK(locationOf(again).starts_with("/login?"));
        const auto signedIn = submit(shown.cookie("platform_pre"), tokenIn(shown.body), returnIn(shown.body));
        const auto back = get(locationOf(signedIn), signedIn.cookie("platform_session"));
        CHECK(!parameterOf(back, "sso_code").empty());
        equal("invalid_request", parameterOf(authorize("&prompt=none%20login", browser), "error"));
        // The mark that the pages were shown is ours, and of one request.
        const auto fresh = signedIn.cookie("platform_session");
        const auto mark = between(returnIn(shown.body), "_shown=", "&");
        for (const auto& made : {std::string("0"), "0." + mark.substr(mark.find('.') + 1), std::string("-1.x"), mark, std::string()})
            CPPUNIT_ASSERT_MESSAGE(made, locationOf(authorize("&login_hint=x&prompt=login&_shown=" + made, fresh)).starts_with("/login?"));
    }

    TEST(authorizeLetsChooseTheAccount)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        const auto shown = authorize("&prompt=select_account", browser);
        equal(200, shown.status);
        CHECK(shown.body.find("ada@acme.example") != std::string::npos);
        const auto start = shown.body.find("href=\"/sso/authorize") + 6;
        auto next = shown.body.substr(start, shown.body.find('"', start) - start);
        for (auto at = next.find("&amp;"); at != std::string::npos; at = next.find("&amp;")) next.replace(at, 5, "&");
        CHECK(!parameterOf(get(next, browser), "sso_code").empty());
    }

    TEST(authorizeRedirectsErrorsOnlyWhereItMay)
    {
        const auto page400 = [&](const std::string& target)
        {
            const auto answer = get(target);
            equal(400, answer.status, target);
            CHECK(!answer.hasHeader("Location"));
        };
        page400("/sso/authorize");
        page400("/sso/authorize?service_id=nothing&redirect_uri=" + std::string(callback));
        page400("/sso/authorize?service_id=paper&redirect_uri=https://evil.example/auth/callback");
        page400("/sso/authorize?service_id=paper&redirect_uri=" + std::string(callback) + "/..");
        const auto base = "/sso/authorize?service_id=paper&state=1&redirect_uri=" + std::string(callback);
        for (const auto* rest : {"", "&code_challenge=abc&code_challenge_method=S256",
                                 "&code_challenge_method=plain&code_challenge=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
            equal("invalid_request", parameterOf(get(base + rest), "error"), rest);
        // Not a member there; not open to them.
        const auto browser = signInByPage("/settings").cookie("platform_session");
        equal("access_denied", parameterOf(authorize("&organization_id=org_01jd0000000000000000000000", browser), "error"));
        // Parameters of others are passed over.
        CHECK(!parameterOf(authorize("&utm_source=mail", browser), "sso_code").empty());
    }

    TEST(codesNeedAnAddressThatTheOrganizationAllows)
    {
        const auto browser = signInByPage("/settings").cookie("platform_session");
        const auto token = _host->signIn("ada@acme.example");
        const auto allow = [&](const std::string& network)
        { _host->change(jsonWith(R"(UPDATE organizations SET security_policy = '{"ipAllowList":["$"]}')", network)); };
        allow("192.0.2.0/24");
        CHECK(!parameterOf(authorize({}, browser), "sso_code").empty());
        equal(200, exchange(codeOf(handoff({}, "paper", callback, token))).status);
        allow("198.51.100.0/24");
        equal("access_denied", parameterOf(authorize({}, browser), "error"));
        refused(handoff({}, "paper", callback, token), 403, "org_policy_ip_not_allowed");
    }

    TEST(logoutOfTheBrowserEndsWhatCameByCode)
    {
        const auto signedIn = signInByPage("/settings");
        const auto token = signInAtPaper(signedIn.cookie("platform_session"));
        equal(200,
              _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}", .originService = "paper"}, token).status);
        CHECK(locationOf(authorize({}, signedIn.cookie("platform_session"))).starts_with("/login?"));
    }

    /// And no handle from before opens what has been proved since.
    TEST(secondSignInContinuesTheSession)
    {
        const auto first = signInByPage("/settings").cookie("platform_session");
        const auto app = signInAtPaper(first);
        const auto again = signInByPage("/settings", first).cookie("platform_session");
        CHECK(again != first);
        CHECK(locationOf(authorize({}, first)).starts_with("/login?"));
        equal("ok", _host->verdict(app, "paper"));
        const auto ended = _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}", .originService = "paper"},
                                       signInAtPaper(again));
        equal(200, ended.status);
        equal("session_ended", _host->verdict(app, "paper"));
        CHECK(locationOf(authorize({}, again)).starts_with("/login?"));
    }

    TEST(signInOfAnotherUserLeavesNoHandle)
    {
        _host->createUser("eve@acme.example", "acme", "owner");
        const auto first = signInByPage("/settings").cookie("platform_session");
        const auto app = signInAtPaper(first);
        const auto shown = get("/login");
        const auto other =
            submit(shown.cookie("platform_pre"), tokenIn(shown.body), "/settings", IdentityHost::password, first, "eve%40acme.example");
        equal(303, other.status);
        CHECK(locationOf(authorize({}, first)).starts_with("/login?"));
        // Sign-ins of the first user in apps are not ended by the second user.
        equal("ok", _host->verdict(app, "paper"));
    }

    static constexpr std::string_view callback = "https://paper.example/auth/callback";
    static constexpr std::string_view page = "https://paper.example";
    const std::string verifier = std::string(43, 'a');

    static std::string manifest(std::string_view id, bool launchable)
    {
        const std::string name(id);
        return jsonWith(R"({"manifestVersion":1,"service_id":"$","version":"1.0.0","name":"Paper","plugin":{},"surface_kind":"application",
          "surface_group":"business","launchable":$,"contexts":["organization"],"launchUrl":"/",
          "callbackUrls":["/auth/callback","https://$.example/auth/callback","https://$.example/cb"],
          "origins":["https://$.example"],
          "permissions":[{"permission":"$.sheets:read","title":"Read"}],
          "roleBundles":[{"id":"b","title":"B","roles":["guest","member","admin","super_admin","owner"],"permissions":["$.sheets:read"]}],
          "apiKeyScopes":[{"scope":"sheets.read","title":"Read","permissions":["$.sheets:read"]}],"bindableResources":[]})",
                        name, (launchable ? "true" : "false"), name, name, name, name, name, name);
    }
    static std::string paperManifest() { return manifest("paper", true); }
    static std::string hiddenManifest() { return manifest("hidden", false); }

    TestAnswer post(std::string target, std::string body, std::vector<std::pair<std::string, std::string>> headers,
                    const std::string& token = {}) const
    {
        return _host->call({.method = Method::Post, .target = std::move(target), .body = std::move(body), .headers = std::move(headers)},
                           token);
    }
    TestAnswer handoff(std::string_view extra = {}, std::string_view service = "paper", std::string_view redirect = callback,
                       std::string token = {}) const
    {
        if (token.empty()) token = _host->signIn("ada@acme.example");
        return _host->call({.method = Method::Post,
                            .target = "/sso/handoff-code",
                            .body = jsonWith(R"({"service_id":"$","redirect_uri":"$"$})", service, redirect, extra),
                            .originService = "desk"},
                           token);
    }
    TestAnswer get(const std::string& target, const std::string& browser = {}) const
    {
        TestRequest request;
        request.target = target;
        if (!browser.empty()) request.headers.emplace_back("Cookie", "platform_session=" + browser);
        return _host->call(request);
    }
    static std::string codeOf(const TestAnswer& answer)
    {
        equal(201, answer.status, answer.body);
        const auto url = answer.at("/callback_url");
        return url.substr(url.find("sso_code=") + 9);
    }
    TestAnswer exchange(const std::string& code, std::string_view origin = page, std::string_view redirect = callback,
                        std::string_view extra = {}, const std::string& cookie = {}) const
    {
        std::vector<std::pair<std::string, std::string>> headers = {{"Origin", std::string(origin)}, {"X-Platform-Auth", "1"}};
        if (!cookie.empty()) headers.emplace_back("Cookie", cookie);
        return _host->call({.method = Method::Post,
                            .target = "/sso/exchange",
                            .body = jsonWith(R"({"sso_code":"$","service_id":"paper","redirect_uri":"$"$})", code, redirect, extra),
                            .headers = std::move(headers),
                            .originService = "paper"});
    }
    TestAnswer authorize(std::string_view extra, const std::string& browser = {}) const
    {
        const auto challenge = toBase64Url(sha256(verifier).bytes());
        return get("/sso/authorize?service_id=paper&state=s+1&code_challenge_method=S256&code_challenge=" + challenge +
                       "&redirect_uri=" + std::string(callback) + std::string(extra),
                   browser);
    }
    static std::string between(const std::string& text, std::string_view before, std::string_view after)
    {
        const auto start = text.find(before);
        if (start == std::string::npos) return {};
        const auto from = start + before.size();
        return text.substr(from, text.find(after, from) - from);
    }
    static std::string tokenIn(const std::string& body) { return between(body, "name=\"form_token\" value=\"", "\""); }
    static std::string returnIn(const std::string& body)
    {
        auto text = between(body, "name=\"return_to\" value=\"", "\"");
        for (auto at = text.find("&amp;"); at != std::string::npos; at = text.find("&amp;")) text.replace(at, 5, "&");
        return text;
    }
    static std::string locationOf(const TestAnswer& answer) { return between(answer.headerBlock(), "Location: ", "\r\n"); }
    static std::string parameterOf(const TestAnswer& answer, std::string_view name)
    {
        const auto location = locationOf(answer);
        CPPUNIT_ASSERT_MESSAGE(location + answer.body, location.starts_with(callback));
        auto value = between(location, std::string(name) + '=', "&");
        for (auto at = value.find('%'); at != std::string::npos; at = value.find('%', at + 1))
            value.replace(at, 3, 1, static_cast<char>(std::stoi(value.substr(at + 1, 2), nullptr, 16)));
        return value;
    }
    static std::string encode(std::string_view text)
    {
        std::string out;
        for (const unsigned char c : text)
        {
            constexpr std::string_view digits = "0123456789ABCDEF";
            (((out += '%') += digits[c >> 4]) += digits[c & 15]);
        }
        return out;
    }
    TestAnswer submit(const std::string& pre, const std::string& token, const std::string& returnTo,
                      std::string_view password = IdentityHost::password, const std::string& browser = {},
                      std::string_view identifier = "ada%40acme.example") const
    {
        std::vector<std::pair<std::string, std::string>> headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
        if (!pre.empty()) headers.emplace_back("Cookie", "platform_pre=" + pre + "; platform_session=" + browser);
        return post("/login",
                    "form_token=" + token + "&service_id=identity&identifier=" + std::string(identifier) + "&password=" + encode(password) +
                        "&remember=1&return_to=" + encode(returnTo),
                    std::move(headers));
    }
    TestAnswer signInByPage(const std::string& returnTo, const std::string& browser = {}) const
    {
        const auto shown = get("/login");
        return submit(shown.cookie("platform_pre"), tokenIn(shown.body), returnTo, IdentityHost::password, browser);
    }
    /// From a session of the browser. @return The token of paper
    std::string signInAtPaper(const std::string& browser) const
    {
        const auto app =
            exchange(parameterOf(authorize({}, browser), "sso_code"), page, callback, jsonWith(R"(,"code_verifier":"$")", verifier));
        equal(200, app.status, app.body);
        return app.at("/access_token");
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
