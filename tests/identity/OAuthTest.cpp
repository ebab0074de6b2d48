#include "identity/BrowserDriver.h"

#include "oauth/JsonWebKey.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <cctype>

namespace portico::tests
{

/// The OAuth 2 and OpenID Connect provider: what clients get, and what becomes of codes, tokens and redirects in other hands.
class OAuthTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(OAuthTest);
    CPPUNIT_TEST(aClientIsManagedByItsOrganization);
    CPPUNIT_TEST(aClientIsCheckedWhenItIsMade);
    CPPUNIT_TEST(twoSecretsCountForADay);
    CPPUNIT_TEST(signsInWithCodeAndPkce);
    CPPUNIT_TEST(theIdTokenIsSignedWithRs256);
    CPPUNIT_TEST(consentIsAskedForOnce);
    CPPUNIT_TEST(consentIsBoundToItsBrowser);
    CPPUNIT_TEST(consentIsWithdrawn);
    CPPUNIT_TEST(codesAreForTheirClientAlone);
    CPPUNIT_TEST(aSecondUseEndsTheTokens);
    CPPUNIT_TEST(challengesCannotBeTakenOut);
    CPPUNIT_TEST(aConfidentialClientMayDoWithoutPkce);
    CPPUNIT_TEST(redirectsAreExact);
    CPPUNIT_TEST(errorsGoBackWithTheirState);
    CPPUNIT_TEST(formPostAnswersByPage);
    CPPUNIT_TEST(pushedRequestsCountOnce);
    CPPUNIT_TEST(refreshRotatesAndEndsOnReuse);
    CPPUNIT_TEST(refreshIsForItsClientAndNoCookie);
    CPPUNIT_TEST(tokensOfOtherAppsOpenNothing);
    CPPUNIT_TEST(firstPartyTokensOpenTheirService);
    CPPUNIT_TEST(introspectionTellsOwnersOnly);
    CPPUNIT_TEST(revocationEndsTheSignIn);
    CPPUNIT_TEST(clientsProveWhoTheyAre);
    CPPUNIT_TEST(programsSignInThemselves);
    CPPUNIT_TEST(devicesAreAllowedElsewhere);
    CPPUNIT_TEST(whatADeviceWasAllowedIsWithdrawn);
    CPPUNIT_TEST(aDeviceThatIsNotForOneIsAPage);
    CPPUNIT_TEST(aBackendRedeemsFromItsOwnAddress);
    CPPUNIT_TEST(devicesWaitTheirTime);
    CPPUNIT_TEST(keysAreRotatedByTheHighest);
    CPPUNIT_TEST(discoveryNamesTheEndpoints);
    CPPUNIT_TEST(aHintOfSomebodyElseSignsNobodyIn);
    CPPUNIT_TEST(clientsSignPeopleOut);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@acme.example", "acme", "owner");
        _host->createUser("eve@other.example", "other", "owner");
        _browser = std::make_unique<BrowserDriver>(*_host);
    }
    void tearDown() override
    {
        _browser.reset();
        _host.reset();
    }

    void aClientIsManagedByItsOrganization()
    {
        const auto made = client();
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), made.at("/owner_id"));
        const auto path = "/api/oauth-clients/" + made.at("/client_id");
        CPPUNIT_ASSERT_EQUAL(200, manage(Method::Get, path).status);
        CPPUNIT_ASSERT(!manage(Method::Get, path).has("/client_secret"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, manage(Method::Get, "/api/oauth-clients").count("/items"));
        CPPUNIT_ASSERT_EQUAL(404, manage(Method::Get, path, {}, "eve@other.example").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, manage(Method::Get, "/api/oauth-clients", {}, "eve@other.example").count("/items"));
        const auto changed = manage(Method::Patch, path, R"({"name":"Renamed"})");
        CPPUNIT_ASSERT_EQUAL(std::string("Renamed"), changed.at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(204, manage(Method::Delete, path).status);
        CPPUNIT_ASSERT_EQUAL(404, manage(Method::Get, path).status);
        _host->createUser("max@acme.example", "acme", "admin");
        CPPUNIT_ASSERT_EQUAL(403, manage(Method::Get, "/api/oauth-clients", {}, "max@acme.example").status);
    }

    void aClientIsCheckedWhenItIsMade()
    {
        const auto refused = [&](const std::string& body) { return manage(Method::Post, "/api/oauth-clients", body).status; };
        for (const auto* uri : {"http://app.example/cb", "https://app.example/cb#f", "javascript:alert(1)", "com.example.app:/cb", "/cb"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(uri, 400, refused(R"({"name":"A","redirect_uris":[")" + std::string(uri) + "\"]}"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":[]})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public"})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"scopes":["root"]})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"consent":"implicit"})"));
        CPPUNIT_ASSERT_EQUAL(
            400,
            refused(
                R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public","token_endpoint_auth_method":"none","require_pkce":false})"));
        // Plain http goes to the person's own machine alone.
        for (const auto* elsewhere : {"http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb",
                                      "http://a.localhost.evil.example", "http://[::1].evil.example/", "http://evil.example/.localhost"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(elsewhere, 400, refused(R"({"name":"A","redirect_uris":[")" + std::string(elsewhere) + "\"]}"));
        for (const auto* here : {"http://localhost:8123/cb", "http://app.localhost/cb", "http://[::1]:8123/cb"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(here, 201, refused(R"({"name":"A","redirect_uris":[")" + std::string(here) + "\"]}"));
        // What makes a client one of ours is not an owner's to say.
        CPPUNIT_ASSERT_EQUAL(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"first_party":true})"));
        CPPUNIT_ASSERT_EQUAL(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"service_id":"desk"})"));
        CPPUNIT_ASSERT_EQUAL(
            201,
            refused(
                R"({"name":"A","redirect_uris":["com.example.app:/cb","http://127.0.0.1/cb"],"type":"native","token_endpoint_auth_method":"none"})"));
    }

    void twoSecretsCountForADay()
    {
        const auto made = client();
        const auto id = made.at("/client_id");
        const auto rotated = manage(Method::Post, "/api/oauth-clients/" + id + "/rotate-secret", "{}");
        CPPUNIT_ASSERT_EQUAL(200, rotated.status);
        const auto works = [&](const std::string& secret) {
            return post("/oauth/introspect", {{"client_id", id}, {"client_secret", secret}, {"token", "x"}}).status == 200;
        };
        CPPUNIT_ASSERT(works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
        _host->context().clock().advance(std::chrono::hours(24));
        CPPUNIT_ASSERT(!works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
    }

    void signsInWithCodeAndPkce()
    {
        const auto made = client();
        const auto tokens = signIn(made);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), tokens.at("/token_type"));
        CPPUNIT_ASSERT_EQUAL(std::string("openid profile email"), tokens.at("/scope"));
        const auto claims = userinfo(tokens.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(200, claims.status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), claims.at("/email"));
        CPPUNIT_ASSERT(!claims.has("/organizations"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             _host->count("SELECT COUNT(*) FROM sessions WHERE client_id = '" + made.at("/client_id") + "'"));
    }

    void theIdTokenIsSignedWithRs256()
    {
        const auto made = client();
        const auto tokens = signIn(made, "&nonce=n-1");
        const auto jws = identity::ForeignJws::parse(tokens.at("/id_token"));
        CPPUNIT_ASSERT(jws.has_value());
        CPPUNIT_ASSERT_EQUAL(std::string("RS256"), jws->alg);
        const auto set = _host->call({.target = "/.well-known/jwks.json"});
        const auto keys = identity::keysOf(set.body);
        bool verified = false;
        for (const auto& key : keys) verified = verified || (key.kid() == jws->kid && key.verify("RS256", jws->signedPart, jws->signature));
        CPPUNIT_ASSERT(verified);
        const auto claims = boost::json::parse(jws->payload).as_object();
        CPPUNIT_ASSERT(claims.at("aud").as_string() == made.at("/client_id"));
        CPPUNIT_ASSERT(claims.at("nonce").as_string() == "n-1");
        CPPUNIT_ASSERT(claims.at("iss").as_string() == "http://identity.localhost:8080");
        CPPUNIT_ASSERT(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 600);
        CPPUNIT_ASSERT(claims.at("at_hash").as_string() == toBase64Url(sha256(tokens.at("/access_token")).bytes().substr(0, 16)));
        CPPUNIT_ASSERT(claims.contains("sid") && claims.contains("auth_time"));
    }

    void consentIsAskedForOnce()
    {
        const auto made = client();
        const auto first = authorize(made);
        CPPUNIT_ASSERT_EQUAL(200, first.status);
        CPPUNIT_ASSERT(first.body.find("name=\"decision\"") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("consent_required"), parameter(authorize(made, "&prompt=none"), "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("access_denied"), parameter(decide(first, "deny"), "error"));
        CPPUNIT_ASSERT(!parameter(decide(authorize(made), "allow"), "code").empty());
        CPPUNIT_ASSERT(!parameter(authorize(made), "code").empty());
        CPPUNIT_ASSERT(!parameter(authorize(made, "&prompt=none"), "code").empty());
        CPPUNIT_ASSERT_EQUAL(200, authorize(made, "&prompt=consent").status);
        // More than was granted is asked for again.
        CPPUNIT_ASSERT_EQUAL(204, manage(Method::Delete, "/api/oauth-clients/" + made.at("/client_id")).status);
    }

    void consentIsBoundToItsBrowser()
    {
        const auto made = client();
        const auto shown = authorize(made);
        BrowserDriver other(*_host);
        other.signIn("eve@other.example");
        CPPUNIT_ASSERT_EQUAL(400, other
                                      .post("/oauth/consent", {{"form_token", _browser->field(shown, "form_token")},
                                                               {"ticket", _browser->field(shown, "ticket")},
                                                               {"decision", "allow"}})
                                      .status);
        // The ticket of somebody else, with a token of one's own.
        const auto mine = other.get(requestOf(made));
        CPPUNIT_ASSERT_EQUAL(400, other
                                      .post("/oauth/consent", {{"form_token", other.field(mine, "form_token")},
                                                               {"ticket", _browser->field(shown, "ticket")},
                                                               {"decision", "allow"}})
                                      .status);
    }

    void consentIsWithdrawn()
    {
        const auto made = client();
        const auto tokens = signIn(made);
        const auto token = _host->signIn("ada@acme.example", "identity");
        const auto list = _host->call({.target = "/api/auth/consents"}, token);
        CPPUNIT_ASSERT_EQUAL(made.at("/client_id"), list.at("/items/0/client_id"));
        CPPUNIT_ASSERT_EQUAL(
            204, _host->call({.method = Method::Delete, .target = "/api/auth/consents/" + made.at("/client_id")}, token).status);
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(200, authorize(made).status);
    }

    void codesAreForTheirClientAlone()
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto code = codeFor(made);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(other, code, verifier, "https://app.example/cb").at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code, verifier, "https://app.example/other").at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code, std::string(43, 'z')).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code, "").at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, exchange(made, code).status);
        const auto late = codeFor(made);
        _host->context().clock().advance(std::chrono::seconds(60));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, late).at("/error"));
    }

    void aSecondUseEndsTheTokens()
    {
        const auto made = client();
        const auto code = codeFor(made);
        const auto tokens = exchange(made, code);
        _host->context().clock().advance(std::chrono::seconds(31));
        _host->reload();
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code).at("/error"));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), refresh(made, tokens.at("/refresh_token")).at("/error"));
    }

    void challengesCannotBeTakenOut()
    {
        const auto made = client();
        const auto without = "/oauth/authorize?response_type=code&client_id=" + made.at("/client_id") +
                             "&redirect_uri=https://app.example/cb&scope=openid&state=s";
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), parameter(_browser->get(without), "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"),
                             parameter(_browser->get(without + "&code_challenge_method=plain&code_challenge=" + verifier), "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), parameter(_browser->get(without + "&code_challenge=" + challenge()), "error"));
    }

    void aConfidentialClientMayDoWithoutPkce()
    {
        _browser->signIn("ada@acme.example");
        const auto made = client("https://app.example/cb", R"(,"require_pkce":false)");
        const auto without = "/oauth/authorize?response_type=code&client_id=" + made.at("/client_id") +
                             "&redirect_uri=https://app.example/cb&scope=openid&state=s";
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), parameter(_browser->get(without), "error"));
        const auto answer = decide(_browser->get(without + "&nonce=n"), "allow");
        const auto code = parameter(answer, "code");
        // A verifier for a code without a challenge: somebody took it out.
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code).at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, exchange(made, code, "").status);
    }

    void redirectsAreExact()
    {
        _browser->signIn("ada@acme.example");
        const auto made = client();
        for (const auto* uri : {"https://app.example/cb/", "https://app.example/cb?x=1", "https://APP.example/cb",
                                "https://evil.example/cb", "", "https://app.example/cb%00"})
        {
            const auto answer = _browser->get(
                "/oauth/authorize?response_type=code&state=s&scope=openid&client_id=" + made.at("/client_id") + "&redirect_uri=" + uri);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(uri, 400, answer.status);
            CPPUNIT_ASSERT(!answer.hasHeader("Location"));
        }
        CPPUNIT_ASSERT_EQUAL(400, _browser->get("/oauth/authorize?client_id=nobody").status);
        // A native app listens on whatever port is free (RFC 8252, 7.3).
        const auto app = client("http://127.0.0.1/cb", R"(,"type":"native","token_endpoint_auth_method":"none")");
        CPPUNIT_ASSERT_EQUAL(200, _browser->get(requestOf(app, "http://127.0.0.1:49152/cb")).status);
        CPPUNIT_ASSERT_EQUAL(400, _browser->get(requestOf(app, "http://127.0.0.1:49152@evil.example/cb")).status);
        CPPUNIT_ASSERT_EQUAL(400, _browser->get(requestOf(app, "http://127.0.0.1.evil.example/cb")).status);
    }

    void errorsGoBackWithTheirState()
    {
        _browser->signIn("ada@acme.example");
        const auto made = client();
        const auto base = requestOf(made);
        const auto error = [&](std::string_view more) { return parameter(_browser->get(base + std::string(more)), "error"); };
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), error("&response_mode=fragment"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_not_supported"), error("&request=a.b.c"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), error("&max_age=soon"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_target"), error("&resource=https://elsewhere.example"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), error("&prompt=none%20login"));
        const auto silent = BrowserDriver(*_host).get(base + "&prompt=none");
        CPPUNIT_ASSERT_EQUAL(std::string("login_required"), parameter(silent, "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("s"), parameter(silent, "state"));
        CPPUNIT_ASSERT_EQUAL(std::string("http://identity.localhost:8080"), parameter(silent, "iss"));
        // Unknown parameters are passed over.
        CPPUNIT_ASSERT_EQUAL(200, _browser->get(base + "&extra=foobar").status);
        CPPUNIT_ASSERT_EQUAL(std::string("unsupported_response_type"),
                             parameter(_browser->get("/oauth/authorize?response_type=token&scope=openid&state=s&client_id=" +
                                                     made.at("/client_id") + "&redirect_uri=https://app.example/cb"),
                                       "error"));
    }

    void formPostAnswersByPage()
    {
        const auto made = client();
        decide(authorize(made), "allow");
        const auto page = authorize(made, "&response_mode=form_post");
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT(page.body.find("action=\"https://app.example/cb\"") != std::string::npos);
        CPPUNIT_ASSERT(!_browser->field(page, "code").empty());
        CPPUNIT_ASSERT(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
    }

    void pushedRequestsCountOnce()
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        decide(authorize(made), "allow");
        const auto push = [&](const TestAnswer& by)
        {
            return post("/oauth/par", {{"client_id", by.at("/client_id")},
                                       {"client_secret", by.at("/client_secret")},
                                       {"response_type", "code"},
                                       {"scope", "openid"},
                                       {"state", "s"},
                                       {"redirect_uri", by.at("/redirect_uris/0")},
                                       {"code_challenge", challenge()},
                                       {"code_challenge_method", "S256"}});
        };
        const auto pushed = push(made);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(pushed.body, 201, pushed.status);
        const auto uri = pushed.at("/request_uri");
        const auto open = [&](const TestAnswer& by, const std::string& reference)
        { return _browser->get("/oauth/authorize?client_id=" + by.at("/client_id") + "&request_uri=" + reference); };
        CPPUNIT_ASSERT_EQUAL(400, open(other, uri).status);
        // What would be refused there is refused here.
        const auto fault = [&](const std::string& left, const std::string& said = {})
        {
            std::vector<std::pair<std::string, std::string>> fields = {{"client_id", made.at("/client_id")},
                                                                       {"client_secret", made.at("/client_secret")},
                                                                       {"response_type", "code"},
                                                                       {"scope", "openid"},
                                                                       {"redirect_uri", "https://app.example/cb"},
                                                                       {"code_challenge", challenge()},
                                                                       {"code_challenge_method", "S256"}};
            std::erase_if(fields, [&](const auto& field) { return field.first == left; });
            if (!said.empty()) fields.emplace_back(left, said);
            const auto answer = post("/oauth/par", fields);
            return answer.status == 400 ? answer.at("/error") : answer.body;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), fault("code_challenge"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), fault("code_challenge_method"));
        CPPUNIT_ASSERT_EQUAL(std::string("unsupported_response_type"), fault("response_type", "token"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_scope"), fault("scope", "phone"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), fault("max_age", "soon"));
        // What the browser says beside it does not count.
        const auto answer = _browser->get("/oauth/authorize?client_id=" + made.at("/client_id") + "&request_uri=" + uri +
                                          "&redirect_uri=https://evil.example/");
        CPPUNIT_ASSERT(!parameter(answer, "code").empty());
        CPPUNIT_ASSERT_EQUAL(400, open(made, uri).status);
        const auto late = push(made).at("/request_uri");
        _host->context().clock().advance(std::chrono::seconds(91));
        CPPUNIT_ASSERT_EQUAL(400, open(made, late).status);
        // Whoever has come in time may take their time with the pages.
        const auto slow = push(made).at("/request_uri");
        BrowserDriver reader(*_host);
        CPPUNIT_ASSERT_EQUAL(303, reader.get("/oauth/authorize?client_id=" + made.at("/client_id") + "&request_uri=" + slow).status);
        _host->context().clock().advance(std::chrono::seconds(91));
        CPPUNIT_ASSERT(!parameter(open(made, slow), "code").empty());
        // One that has to push may do nothing else.
        manage(Method::Patch, "/api/oauth-clients/" + made.at("/client_id"), R"({"require_par":true})");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), parameter(authorize(made), "error"));
    }

    void refreshRotatesAndEndsOnReuse()
    {
        const auto made = client();
        const auto tokens = signIn(made);
        const auto first = refresh(made, tokens.at("/refresh_token"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 200, first.status);
        CPPUNIT_ASSERT(first.has("/id_token"));
        const auto second = refresh(made, first.at("/refresh_token"));
        CPPUNIT_ASSERT_EQUAL(200, second.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), refresh(made, tokens.at("/refresh_token")).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), refresh(made, second.at("/refresh_token")).at("/error"));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(second.at("/access_token")).status);
    }

    void refreshIsForItsClientAndNoCookie()
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto handle = signIn(made).at("/refresh_token");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), refresh(other, handle).at("/error"));
        const auto cookie = _host->call({.method = Method::Post,
                                         .target = "/api/auth/refresh",
                                         .body = "{}",
                                         .headers = {{std::string("Cookie"), "platform_refresh=" + handle},
                                                     {std::string("X-Platform-Auth"), std::string("1")},
                                                     {std::string("Origin"), std::string("http://identity.localhost:8080")}}});
        CPPUNIT_ASSERT_EQUAL(401, cookie.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_scope"), post("/oauth/token", {{"grant_type", "refresh_token"},
                                                                                 {"client_id", made.at("/client_id")},
                                                                                 {"client_secret", made.at("/client_secret")},
                                                                                 {"refresh_token", handle},
                                                                                 {"scope", "openid organizations"}})
                                                               .at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, refresh(made, handle).status);
    }

    void tokensOfOtherAppsOpenNothing()
    {
        const auto token = signIn(client()).at("/access_token");
        for (const auto* service : {"identity", "desk", "http://identity.localhost:8080", ""})
            CPPUNIT_ASSERT_MESSAGE(service, _host->verdict(token, service) != "ok");
        const auto me = _host->call(
            {.target = "/api/auth/me", .headers = {{std::string("X-Service-ID"), std::string("http://identity.localhost:8080")}}}, token);
        CPPUNIT_ASSERT_EQUAL(401, me.status);
    }

    void firstPartyTokensOpenTheirService()
    {
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        const auto made = manage(
            Method::Post, "/api/oauth-clients",
            R"({"name":"Desk app","redirect_uris":["https://app.example/cb"],"first_party":true,"service_id":"desk","consent":"implicit"})",
            "root@admin.example");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        const auto tokens = exchange(made, parameter(authorize(made), "code"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(tokens.at("/access_token"), "desk"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), _host->verdict(tokens.at("/access_token"), "identity"));
    }

    void introspectionTellsOwnersOnly()
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto tokens = signIn(made);
        const auto ask = [&](const TestAnswer& by, const std::string& token) {
            return post("/oauth/introspect",
                        {{"client_id", by.at("/client_id")}, {"client_secret", by.at("/client_secret")}, {"token", token}});
        };
        const auto mine = ask(made, tokens.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), mine.at("/active"));
        CPPUNIT_ASSERT_EQUAL(made.at("/client_id"), mine.at("/client_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), ask(made, tokens.at("/refresh_token")).at("/active"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"active":false})"), ask(other, tokens.at("/access_token")).body);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"active":false})"), ask(made, "rubbish").body);
        _host->change("UPDATE sessions SET ended_at = 1");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"active":false})"), ask(made, tokens.at("/access_token")).body);
        CPPUNIT_ASSERT_EQUAL(401, post("/oauth/introspect", {{"token", "x"}}).status);
    }

    void revocationEndsTheSignIn()
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto tokens = signIn(made);
        const auto revoke = [&](const TestAnswer& by, const std::string& token)
        {
            return post("/oauth/revoke", {{"client_id", by.at("/client_id")}, {"client_secret", by.at("/client_secret")}, {"token", token}})
                .status;
        };
        CPPUNIT_ASSERT_EQUAL(200, revoke(other, tokens.at("/refresh_token")));
        CPPUNIT_ASSERT_EQUAL(200, revoke(made, "rubbish"));
        CPPUNIT_ASSERT_EQUAL(200, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(200, revoke(made, tokens.at("/refresh_token")));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
    }

    void clientsProveWhoTheyAre()
    {
        const auto made = client();
        const auto id = made.at("/client_id");
        const auto secret = made.at("/client_secret");
        const auto code = codeFor(made);
        const auto ask = [&](std::vector<std::pair<std::string, std::string>> fields, std::string authorization = {})
        {
            fields.insert(fields.end(), {{"grant_type", "authorization_code"},
                                         {"code", code},
                                         {"redirect_uri", "https://app.example/cb"},
                                         {"code_verifier", verifier}});
            return post("/oauth/token", fields, authorization);
        };
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", id}}).status);
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", id}, {"client_secret", "wrong"}}).status);
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", "nobody"}, {"client_secret", secret}}).status);
        const auto challenged = ask({}, "Basic bm9ib2R5OngK");
        CPPUNIT_ASSERT_EQUAL(401, challenged.status);
        CPPUNIT_ASSERT(challenged.headerBlock().find("WWW-Authenticate: Basic") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"),
                             ask({{"client_id", id}, {"client_secret", secret}}, "Basic bm9ib2R5OngK").at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_client"),
                             ask({{"client_id", id},
                                  {"client_assertion", "a.b.c"},
                                  {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
                                 .at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, ask({{"client_id", id}, {"client_secret", secret}}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("unsupported_grant_type"),
                             post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "password"}}).at("/error"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("unauthorized_client"),
            post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "client_credentials"}}).at("/error"));
    }

    void programsSignInThemselves()
    {
        const auto made = client("https://app.example/cb", R"(,"grant_types":["client_credentials"])");
        const auto tokens = post(
            "/oauth/token",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"grant_type", "client_credentials"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(std::string("300"), tokens.at("/expires_in"));
        CPPUNIT_ASSERT(!tokens.has("/refresh_token") && !tokens.has("/id_token"));
        // It is nobody's: people's routes stay closed.
        CPPUNIT_ASSERT(_host->verdict(tokens.at("/access_token"), "identity") != "ok");
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        const auto state = post(
            "/oauth/introspect",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"token", tokens.at("/access_token")}});
        CPPUNIT_ASSERT_EQUAL(std::string("true"), state.at("/active"));
        CPPUNIT_ASSERT(!state.has("/sid"));
    }

    void devicesAreAllowedElsewhere()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(started.body, 200, started.status);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        CPPUNIT_ASSERT_EQUAL(404, _browser->get("/device?user_code=BCDF-BCDF").status);
        auto typed = started.at("/user_code");
        std::ranges::transform(typed, typed.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto shown = _browser->get("/device?user_code=" + typed);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        const auto decide = [&](const std::string& token) {
            return _browser->post("/device", {{"form_token", token}, {"user_code", started.at("/user_code")}, {"decision", "allow"}})
                .status;
        };
        CPPUNIT_ASSERT_EQUAL(400, decide("made-up"));
        CPPUNIT_ASSERT_EQUAL(200, decide(_browser->field(shown, "form_token")));
        CPPUNIT_ASSERT_EQUAL(400, decide(_browser->field(shown, "form_token")));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), poll(client("https://b.example/cb", deviceGrants), started).at("/error"));
        const auto tokens = poll(made, started);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(200, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("expired_token"), poll(made, started).at("/error"));
    }

    /// What a device gets is read before, found afterwards, and taken back, also before it has come for it.
    void whatADeviceWasAllowedIsWithdrawn()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto allow = [&]
        {
            auto started = startDevice(made);
            const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
            CPPUNIT_ASSERT_MESSAGE(shown.body, shown.body.find("Your e-mail address") != std::string::npos);
            CPPUNIT_ASSERT(shown.body.find("Your name") == std::string::npos);
            CPPUNIT_ASSERT_EQUAL(200, _browser
                                          ->post("/device", {{"form_token", _browser->field(shown, "form_token")},
                                                             {"user_code", started.at("/user_code")},
                                                             {"decision", "allow"}})
                                          .status);
            return started;
        };
        const auto consents = [&] { return manage(Method::Get, "/api/auth/consents"); };
        const auto withdraw = [&] { return manage(Method::Delete, "/api/auth/consents/" + made.at("/client_id")).status; };
        const auto tokens = poll(made, allow());
        CPPUNIT_ASSERT_EQUAL(made.at("/client_id"), consents().at("/items/0/client_id"));
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT(!consents().has("/items/0"));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        const auto waiting = allow();
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), poll(made, waiting).at("/error"));
        CPPUNIT_ASSERT_EQUAL(404, withdraw());
        const auto code = codeFor(made);
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL AND client_id = '" +
                                                           made.at("/client_id") + '\''));
    }

    void aDeviceThatIsNotForOneIsAPage()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto started = startDevice(made);
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        const auto answer = _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "allow"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 403, answer.status);
        CPPUNIT_ASSERT(answer.body.find("was not connected") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
    }

    /// The address that the organization asks for is the person's, not that of the app's backend.
    void aBackendRedeemsFromItsOwnAddress()
    {
        const auto made = client();
        const auto code = codeFor(made);
        _host->change(R"(UPDATE organizations SET security_policy = '{"ipAllowList":["192.0.2.0/24"]}' WHERE slug = 'acme')");
        TestRequest request{.method = Method::Post, .target = "/oauth/token"};
        request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
        request.clientAddress = "203.0.113.9";
        request.body = "grant_type=authorization_code&client_id=" + made.at("/client_id") + "&client_secret=" + made.at("/client_secret") +
                       "&code=" + code + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&code_verifier=" + verifier;
        const auto tokens = _host->call(request);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.0/24"),
                             _host->context()
                                 .database()
                                 .session()
                                 .value<std::string>("SELECT ip_prefix FROM sessions WHERE client_id = $1", made.at("/client_id"))
                                 .value_or("none"));
    }

    void devicesWaitTheirTime()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("slow_down"), poll(made, started).at("/error"));
        _host->context().clock().advance(std::chrono::seconds(5));
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "deny"}});
        CPPUNIT_ASSERT_EQUAL(std::string("access_denied"), poll(made, started).at("/error"));
        const auto late = startDevice(made);
        _host->context().clock().advance(std::chrono::seconds(601));
        CPPUNIT_ASSERT_EQUAL(std::string("expired_token"), poll(made, late).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("unauthorized_client"), startDevice(client("https://c.example/cb")).at("/error"));
    }

    void keysAreRotatedByTheHighest()
    {
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        _host->createUser("op@admin.example", "admin", "owner", "platform_admin");
        const auto rotate = [&](const std::string& token)
        { return _host->call({.method = Method::Post, .target = "/api/system/signing-keys/rotate", .body = "{}"}, token); };
        for (const auto* who : {"ada@acme.example", "op@admin.example"})
            CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), rotate(_host->signIn(who, "identity")).code());
        const auto token = _host->signIn("root@admin.example", "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), rotate(token).code());
        _host->change("UPDATE sessions SET elevated_until = 1999999999999");
        CPPUNIT_ASSERT_EQUAL(409, rotate(token).status);
        _host->context().clock().advance(std::chrono::minutes(5));
        const auto rotated = rotate(token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(rotated.body, 200, rotated.status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "identity"));
    }

    void discoveryNamesTheEndpoints()
    {
        const auto document = _host->call({.target = "/.well-known/openid-configuration"});
        CPPUNIT_ASSERT_EQUAL(200, document.status);
        CPPUNIT_ASSERT_EQUAL(std::string("http://identity.localhost:8080"), document.at("/issuer"));
        CPPUNIT_ASSERT_EQUAL(std::string("http://identity.localhost:8080/oauth/authorize"), document.at("/authorization_endpoint"));
        CPPUNIT_ASSERT_EQUAL(document.body, _host->call({.target = "/.well-known/oauth-authorization-server"}).body);
    }

    void aHintOfSomebodyElseSignsNobodyIn()
    {
        const auto made = client();
        const auto tokens = signIn(made);
        BrowserDriver other(*_host);
        other.signIn("eve@other.example");
        const auto hinted = requestOf(made) + "&id_token_hint=" + tokens.at("/id_token");
        CPPUNIT_ASSERT_EQUAL(std::string("login_required"), parameter(other.get(hinted + "&prompt=none"), "error"));
        CPPUNIT_ASSERT(other.locationOf(other.get(hinted)).starts_with("/login?"));
        CPPUNIT_ASSERT(!parameter(_browser->get(hinted + "&prompt=none"), "code").empty());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"),
                             parameter(_browser->get(requestOf(made) + "&prompt=none&id_token_hint=a.b.c"), "error"));
    }

    void clientsSignPeopleOut()
    {
        const auto made = client("https://app.example/cb", R"(,"post_logout_redirect_uris":["https://app.example/bye"])");
        const auto tokens = signIn(made);
        // Without a hint people are asked, and nobody is sent to strangers.
        const auto asked =
            _browser->get("/oauth/logout?client_id=" + made.at("/client_id") + "&post_logout_redirect_uri=https://app.example/bye&state=x");
        CPPUNIT_ASSERT_EQUAL(200, asked.status);
        CPPUNIT_ASSERT_EQUAL(200, userinfo(tokens.at("/access_token")).status);
        const auto evil = _browser->get("/oauth/logout?post_logout_redirect_uri=https://evil.example/&id_token_hint=a.b.c");
        CPPUNIT_ASSERT_EQUAL(200, evil.status);
        const auto gone =
            _browser->get("/oauth/logout?post_logout_redirect_uri=https://app.example/bye&state=x&id_token_hint=" + tokens.at("/id_token"));
        CPPUNIT_ASSERT_EQUAL(303, gone.status);
        CPPUNIT_ASSERT_EQUAL(std::string("https://app.example/bye?state=x"), _browser->locationOf(gone));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT(_browser->locationOf(_browser->get(requestOf(made))).starts_with("/login?"));
    }

private:
    const std::string verifier = std::string(43, 'v');
    std::string challenge() const { return toBase64Url(sha256(verifier).bytes()); }

    const std::string deviceGrants = R"(,"grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code"])";
    TestAnswer startDevice(const TestAnswer& made) const
    {
        return post("/oauth/device_authorization",
                    {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"scope", "openid email"}});
    }
    TestAnswer poll(const TestAnswer& made, const TestAnswer& started) const
    {
        return post("/oauth/token", {{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                                     {"client_id", made.at("/client_id")},
                                     {"client_secret", made.at("/client_secret")},
                                     {"device_code", started.at("/device_code")}});
    }

    TestAnswer manage(Method method, const std::string& target, const std::string& body = {},
                      std::string_view who = "ada@acme.example") const
    {
        return _host->call({.method = method, .target = target, .body = body}, _host->signIn(who, "identity"));
    }
    TestAnswer client(const std::string& redirect = "https://app.example/cb", const std::string& extra = {}) const
    {
        auto made = manage(Method::Post, "/api/oauth-clients", R"({"name":"App","redirect_uris":[")" + redirect + "\"]" + extra + '}');
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        return made;
    }
    std::string requestOf(const TestAnswer& made, std::string redirect = {}) const
    {
        if (redirect.empty()) redirect = made.at("/redirect_uris/0");
        return "/oauth/authorize?response_type=code&scope=openid%20profile%20email&state=s&code_challenge_method=S256&code_challenge=" +
               challenge() + "&client_id=" + made.at("/client_id") + "&redirect_uri=" + redirect;
    }
    TestAnswer authorize(const TestAnswer& made, std::string_view extra = {})
    {
        if (!_browser->signedIn()) _browser->signIn("ada@acme.example");
        return _browser->get(requestOf(made) + std::string(extra));
    }
    TestAnswer decide(const TestAnswer& shown, const std::string& decision)
    {
        if (!_browser->signedIn()) _browser->signIn("ada@acme.example");
        return _browser->post(
            "/oauth/consent",
            {{"form_token", _browser->field(shown, "form_token")}, {"ticket", _browser->field(shown, "ticket")}, {"decision", decision}});
    }
    std::string parameter(const TestAnswer& answer, std::string_view name) const { return BrowserDriver::parameter(answer, name); }
    std::string codeFor(const TestAnswer& made, std::string_view extra = {})
    {
        auto answer = authorize(made, extra);
        if (answer.status == 200) answer = decide(answer, "allow");
        return parameter(answer, "code");
    }
    TestAnswer post(const std::string& path, const std::vector<std::pair<std::string, std::string>>& fields,
                    const std::string& authorization = {}) const
    {
        return BrowserDriver(*_host).post(path, fields, authorization);
    }
    TestAnswer exchange(const TestAnswer& made, const std::string& code, std::optional<std::string> proof = {},
                        const std::string& redirect = "https://app.example/cb") const
    {
        std::vector<std::pair<std::string, std::string>> fields = {{"grant_type", "authorization_code"},
                                                                   {"client_id", made.at("/client_id")},
                                                                   {"client_secret", made.at("/client_secret")},
                                                                   {"code", code},
                                                                   {"redirect_uri", redirect}};
        const auto sent = proof.value_or(verifier);
        if (!sent.empty()) fields.emplace_back("code_verifier", sent);
        return post("/oauth/token", fields);
    }
    TestAnswer signIn(const TestAnswer& made, std::string_view extra = {}) { return exchange(made, codeFor(made, extra)); }
    TestAnswer refresh(const TestAnswer& made, const std::string& handle) const
    {
        return post("/oauth/token", {{"grant_type", "refresh_token"},
                                     {"client_id", made.at("/client_id")},
                                     {"client_secret", made.at("/client_secret")},
                                     {"refresh_token", handle}});
    }
    TestAnswer userinfo(const std::string& token) const { return _host->call({.target = "/oauth/userinfo"}, token); }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<BrowserDriver> _browser;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OAuthTest);

} // namespace portico::tests
