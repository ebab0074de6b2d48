#include "identity/BrowserDriver.h"
#include "identity/PowSolver.h"
#include "identity/SoftAuthenticator.h"
#include "web/Urls.h"

namespace portico::tests
{

/// Page for using and creating passkeys, reached from the sign-in page and from apps of other origins. Also the sign-in page after several
/// failures.
class PasskeyPagesTest : public Suite<PasskeyPagesTest>
{
    void setUp() override
    {
        // The pages of the apps lie outside of the relying party.
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.humanVerification.login", "true"}});
        _host->createUser("ada@acme.example", "acme", "owner");
        _browser = std::make_unique<BrowserDriver>(*_host);
    }
    void tearDown() override
    {
        _browser.reset();
        _host.reset();
    }

    TEST(signsInAndLeadsOn)
    {
        auto key = addKey();
        const auto login = _browser->get("/login?return_to=%2Fsettings");
        CHECK(login.body.find("href=\"/login/passkey?service_id=identity&amp;return_to=%2Fsettings\"") != std::string::npos);
        CHECK(login.body.find("<script") == std::string::npos);
        const auto shown = _browser->get("/login/passkey?return_to=%2Fsettings");
        equal(200, shown.status);
        CPPUNIT_ASSERT_MESSAGE(shown.body, leadsTo(shown, "/login?service_id=identity&amp;return_to=%2Fsettings"));
        const auto policy = shown.headerBlock().substr(shown.headerBlock().find("Content-Security-Policy"));
        CHECK(policy.find("script-src 'sha256-") != std::string::npos && policy.find("unsafe-inline") == std::string::npos);
        const auto done = send(shown, key.get(challengeOf(shown)));
        equal(303, done.status, done.body);
        equal("/settings", BrowserDriver::locationOf(done));
        CHECK(_browser->signedIn());
        equal(1, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE acr = 'aal2'"));
        // The challenge was good once.
        equal(410, send(shown, key.get(challengeOf(shown))).status);
    }

    TEST(isBoundToItsBrowser)
    {
        auto key = addKey();
        const auto shown = _browser->get("/login/passkey");
        BrowserDriver victim(*_host);
        victim.get("/login");
        equal(403, victim.post("/login/passkey", fields(shown, key.get(challengeOf(shown)))).status);
        CHECK(!victim.signedIn());
    }

    TEST(leadsToRegisteredOriginsOnly)
    {
        equal(400, _browser->get("/login/passkey?return_to=https%3A%2F%2Fevil.example%2F").status);
        equal(400, _browser->get("/login/passkey?service_id=nothing").status);
        equal(200, _browser->get("/login/passkey?service_id=desk&return_to=https%3A%2F%2Fdesk.example%2F").status);
    }

    TEST(refusesOthersPasskeys)
    {
        addKey();
        SoftAuthenticator unknown;
        const auto shown = _browser->get("/login/passkey");
        const auto refused = send(shown, unknown.get(challengeOf(shown)));
        equal(401, refused.status);
        CHECK(refused.body.find("role=\"alert\"") != std::string::npos);
        equal(4, send(_browser->get("/login/passkey"), "").status / 100);
        CHECK(!_browser->signedIn());
    }

    TEST(appsElsewhereAreLedHere)
    {
        auto key = addKey();
        CPPUNIT_ASSERT_MESSAGE("not at home", !options({}, "").has("/ceremonyUrl"));
        CPPUNIT_ASSERT_MESSAGE("nor for strangers", !options({}, "https://evil.example").has("/ceremonyUrl"));
        const auto url = options({}, "https://desk.example").at("/ceremonyUrl");
        const auto page = url.substr(url.find("/login/passkey"));
        const auto shown = _browser->get(page);
        equal(200, shown.status);
        const auto done = send(shown, key.get(challengeOf(shown)));
        equal(303, done.status, done.body);
        equal("https://desk.example", BrowserDriver::locationOf(done));
        CHECK(_browser->signedIn());
        const auto used = _browser->get(page + back("https://desk.example/queues"));
        equal(410, used.status, "good once");
        CPPUNIT_ASSERT_MESSAGE(used.body, leadsTo(used, "https://desk.example/queues"));
        const auto late = options({}, "https://desk.example").at("/ceremonyUrl");
        _host->context().clock().advance(std::chrono::seconds(300));
        equal(410, _browser->get(late.substr(late.find("/login/passkey"))).status);
    }

    TEST(aPasskeyIsMadeForAnAppElsewhere)
    {
        const auto token = elevated();
        const auto url = options(token, "https://desk.example", "register").at("/ceremonyUrl");
        const auto page = url.substr(url.find("/login/passkey"));
        // Only for a browser that is signed in as the user who requested the ticket.
        CHECK(BrowserDriver::locationOf(_browser->get(page)).starts_with("/login?return_to=%2Flogin%2Fpasskey%3Fticket%3D"));
        _host->createUser("eve@acme.example", "acme", "member");
        _browser->signIn("eve@acme.example");
        CHECK(BrowserDriver::locationOf(_browser->get(page)).starts_with("/login?"));
        _browser->signIn("ada@acme.example");
        const auto shown = _browser->get(page);
        SoftAuthenticator key;
        const auto done = send(shown, key.create(challengeOf(shown)));
        equal(303, done.status, done.body);
        equal("https://desk.example", BrowserDriver::locationOf(done));
        equal(1, _host->count("SELECT COUNT(*) FROM passkeys"));
        const auto another = [&](const std::string& wanted)
        {
            const auto opened = options(token, "https://desk.example", "register").at("/ceremonyUrl");
            const auto asked = _browser->get(opened.substr(opened.find("/login/passkey")) + back(wanted));
            const auto leads = wanted.starts_with("https://desk.example/") ? wanted : "https://desk.example";
            CPPUNIT_ASSERT_MESSAGE(asked.body, leadsTo(asked, leads));
            return std::pair(leads, send(asked, SoftAuthenticator().create(challengeOf(asked))));
        };
        // To the page that it began on; to none of other apps.
        for (const auto* wanted : {"https://desk.example/queues?open=1", "/settings"})
        {
            const auto [leads, answer] = another(wanted);
            equal(leads, BrowserDriver::locationOf(answer));
        }
        const auto ended = options(token, "https://desk.example", "register").at("/ceremonyUrl");
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}"}, token);
        equal(410, _browser->get(ended.substr(ended.find("/login/passkey"))).status);
    }

    TEST(theSignInPageAsksForAHuman)
    {
        const auto attempt = [&](std::string_view secret, const std::string& proof)
        {
            return _browser->post("/login", {{"form_token", BrowserDriver::field(_browser->get("/login"), "form_token")},
                                             {"service_id", "identity"},
                                             {"identifier", "ada@acme.example"},
                                             {"password", std::string(secret)},
                                             {"proof", proof}});
        };
        for (int i = 0; i < 5; ++i) equal(401, attempt("wrong", {}).status);
        _host->context().clock().advance(std::chrono::seconds(1));
        const auto asked = attempt(IdentityHost::password, {});
        equal(428, asked.status);
        const auto challenge = unquoted(asked, "data-challenge=\"");
        const auto proof = solvePow(challenge);
        equal(303, attempt(IdentityHost::password, proof).status);
        CHECK(_browser->signedIn());
    }

    TestAnswer options(const std::string& token, const std::string& origin, const std::string& what = "authenticate") const
    {
        TestRequest request{.method = Method::Post, .target = "/api/auth/passkeys/" + what + "/options", .body = "{}"};
        if (!origin.empty()) request.headers.emplace_back("Origin", origin);
        return _host->call(request, token);
    }
    std::string elevated() const
    {
        const auto token = _host->signIn("ada@acme.example", "identity");
        const auto raised = _host->call({.method = Method::Post,
                                         .target = "/api/auth/step-up",
                                         .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password)},
                                        token);
        return raised.at("/access_token");
    }
    SoftAuthenticator addKey() const
    {
        const auto token = elevated();
        const auto begun = options(token, {}, "register");
        SoftAuthenticator key;
        const auto made = _host->call({.method = Method::Post,
                                       .target = "/api/auth/passkeys/register/verify",
                                       .body = jsonWith(R"({"challengeId":"$","credential":$})", begun.at("/challengeId"),
                                                        key.create(begun.at("/publicKey/challenge")))},
                                      token);
        equal(201, made.status, made.body);
        return key;
    }
    static std::string back(const std::string& url) { return "&return_to=" + encodeUrl(url); }
    static bool leadsTo(const TestAnswer& page, const std::string& url)
    {
        return page.body.find("href=\"" + url + '"') != std::string::npos;
    }
    /// Decodes an attribute with JSON.
    static std::string unquoted(const TestAnswer& page, std::string_view before)
    {
        const auto from = page.body.find(before) + before.size();
        auto text = page.body.substr(from, page.body.find('"', from) - from);
        for (const auto& [name, plain] :
             {std::pair("&quot;", "\""), std::pair("&#x2F;", "/"), std::pair("&#39;", "'"), std::pair("&amp;", "&")})
            for (auto at = text.find(name); at != std::string::npos; at = text.find(name))
                text.replace(at, std::string_view(name).size(), plain);
        return text;
    }
    static std::string challengeOf(const TestAnswer& page)
    {
        return std::string(boost::json::parse(unquoted(page, "data-options=\"")).at("challenge").as_string());
    }
    static BrowserDriver::Fields fields(const TestAnswer& page, const std::string& credential)
    {
        BrowserDriver::Fields sent = {{"credential", credential}};
        for (const auto* name : {"form_token", "service_id", "return_to", "ticket", "challenge_id"})
            sent.emplace_back(name, BrowserDriver::field(page, name));
        return sent;
    }
    TestAnswer send(const TestAnswer& page, const std::string& credential)
    {
        return _browser->post("/login/passkey", fields(page, credential));
    }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<BrowserDriver> _browser;
};

} // namespace portico::tests
