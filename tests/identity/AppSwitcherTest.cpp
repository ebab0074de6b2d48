#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// The launcher's list: by token before cookie, by cookie alone, in the active context and at home. With it what was removed.
class AppSwitcherTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(AppSwitcherTest);
    CPPUNIT_TEST(listsWhatCanBeLaunched);
    CPPUNIT_TEST(takesTheTokenBeforeTheCookie);
    CPPUNIT_TEST(takesACookieAlone);
    CPPUNIT_TEST(keepsHomeApart);
    CPPUNIT_TEST(saysWhatIsClosed);
    CPPUNIT_TEST(anOldHandleOpensNothing);
    CPPUNIT_TEST(refusesWhoHasEnded);
    CPPUNIT_TEST(tellsOfWhatWasRemoved);
    CPPUNIT_TEST(leadsToTheSettings);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->publish({IdentityHost::identityManifest(), launchable(IdentityHost::deskManifest()), home()});
        _host->createUser("ada@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
    }
    void tearDown() override { _host.reset(); }

    void listsWhatCanBeLaunched()
    {
        const auto shown = list({}, _host->signIn("ada@acme.example"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, 200, shown.status);
        CPPUNIT_ASSERT_EQUAL(_acme, shown.at("/activeContext/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, shown.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), shown.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("http://desk.localhost:8080/"), shown.at("/items/0/launchUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization_access"), shown.at("/items/0/accessReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/items/0/order"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/nextCursor"));
        CPPUNIT_ASSERT(!shown.etag.empty());
        CPPUNIT_ASSERT_EQUAL(shown.etag, list({}, _host->signIn("ada@acme.example")).etag);
    }

    void takesTheTokenBeforeTheCookie()
    {
        _host->createUser("eve@globex.example", "globex", "member");
        const auto cookie = cookieOf(_host->browserLogin("eve@globex.example"));
        auto shown = list(cookie, _host->signIn("ada@acme.example"));
        CPPUNIT_ASSERT_EQUAL(_acme, shown.at("/activeContext/organizationId"));
        // A bad token is not made up for by a good cookie.
        CPPUNIT_ASSERT_EQUAL(401, list(cookie, "nonsense").status);
    }

    void takesACookieAlone()
    {
        const auto cookie = cookieOf(_host->browserLogin("ada@acme.example"));
        const auto shown = list(cookie);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, 200, shown.status);
        CPPUNIT_ASSERT_EQUAL(_acme, shown.at("/activeContext/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, shown.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("authentication_required"), list({}).code());
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), list("platform_refresh=prt1.nothing.of.ours.x").code());
    }

    void keepsHomeApart()
    {
        const auto shown = list({}, _host->signIn("ada@acme.example"), "?context=personal");
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), shown.at("/activeContext/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/activeContext/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, shown.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("home"), shown.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("personal_access"), shown.at("/items/0/accessReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), list({}, _host->signIn("ada@acme.example"), "?context=household").code());
    }

    void saysWhatIsClosed()
    {
        const auto token = _host->signIn("ada@acme.example", "identity");
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        const auto shown = _host->call({.target = "/api/services/app-switcher"}, token);
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), shown.at("/items/1/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), shown.at("/items/1/accessible"));
        CPPUNIT_ASSERT_EQUAL(std::string("no_service_access"), shown.at("/items/1/accessReason"));
        _host->change("UPDATE services SET status = 'suspended', version = version + 1 WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _host->call({.target = "/api/services/app-switcher"}, token).count("/items"));
    }

    /// One that was rotated away shows nothing once the other tabs have had their time.
    void anOldHandleOpensNothing()
    {
        const auto cookie = cookieOf(_host->browserLogin("ada@acme.example"));
        const auto events = [&] {
            return _host->call({.target = "/api/auth/session-events", .headers = {{"Cookie", cookie}}, .originService = "desk"}).status;
        };
        const auto renewed =
            _host->call({.method = Method::Post,
                         .target = "/api/auth/refresh",
                         .headers = {{"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}, {"Cookie", cookie}},
                         .originService = "desk"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(renewed.body, 200, renewed.status);
        _host->context().clock().advance(std::chrono::seconds(30));
        CPPUNIT_ASSERT_EQUAL(200, list(cookie).status);
        CPPUNIT_ASSERT_EQUAL(200, events());
        _host->context().clock().advance(std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), list(cookie).code());
        CPPUNIT_ASSERT_EQUAL(401, events());
        CPPUNIT_ASSERT_EQUAL(200, list(cookieOf(renewed)).status);
    }

    void refusesWhoHasEnded()
    {
        const auto cookie = cookieOf(_host->browserLogin("ada@acme.example"));
        _host->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), list(cookie).code());
        _host->change("UPDATE users SET status = 'active'");
        _host->change("UPDATE refresh_families SET revoked_at = 1");
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), list(cookie).code());
    }

    void tellsOfWhatWasRemoved()
    {
        for (const auto method : {Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete})
            for (const auto* path :
                 {"/api/developer-portal", "/api/developer-portal/keys/7/rotate", "/api/app-submissions", "/api/build-requests"})
            {
                const auto answer = _host->call({.method = method, .target = path});
                CPPUNIT_ASSERT_EQUAL(410, answer.status);
                CPPUNIT_ASSERT_EQUAL(std::string("endpoint_removed"), answer.code());
                CPPUNIT_ASSERT(answer.at("/details/replacement").starts_with("/api/"));
            }
    }

    void leadsToTheSettings()
    {
        const auto place = [](IdentityHost& host, const std::string& cookie, const std::string& path = "/settings")
        {
            const auto answer = host.call({.target = path, .headers = {{"Cookie", cookie}}});
            CPPUNIT_ASSERT_EQUAL(303, answer.status);
            const auto& block = answer.headerBlock();
            const auto at = block.find("Location: ") + 10;
            return block.substr(at, block.find('\r', at) - at);
        };
        const auto signIn = _host->login("ada@acme.example", IdentityHost::password, "identity", "",
                                         {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        const auto cookie = "platform_session=" + signIn.cookie("platform_session");
        CPPUNIT_ASSERT_EQUAL(std::string("http://admin.localhost:8080/security/user"), place(*_host, cookie));
        CPPUNIT_ASSERT_EQUAL(std::string("http://admin.localhost:8080/security/user"), place(*_host, cookie, "/"));
        CPPUNIT_ASSERT_EQUAL(std::string("/login?return_to=/settings"), place(*_host, ""));
        CPPUNIT_ASSERT_EQUAL(std::string("/login?return_to=/settings"), place(*_host, "platform_session=nonsense"));
        _host->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("/login?return_to=/settings"), place(*_host, cookie));
    }

private:
    static std::string launchable(std::string manifest)
    {
        return manifest.replace(manifest.find("\"launchUrl\""), 0, "\"launchable\":true,");
    }
    static std::string home()
    {
        return R"({"manifestVersion":1,"service_id":"home","version":"1.0.0","name":"Home","plugin":{},"surface_kind":"application",
          "surface_group":"personal","contexts":["organization","personal"],"launchUrl":"/","launchable":true,
          "permissions":[{"permission":"home.things:read","title":"Read"}],
          "roleBundles":[{"id":"home-all","title":"All","roles":["guest","member","admin","super_admin","owner"],"permissions":["home.*:*"]}],
          "apiKeyScopes":[{"scope":"things.read","title":"Read","permissions":["home.things:read"]}]})";
    }
    static std::string cookieOf(const TestAnswer& answer) { return "platform_refresh=" + answer.cookie("platform_refresh"); }

    /// On desk's gateway.
    TestAnswer list(const std::string& cookie, const std::string& token = {}, const std::string& query = {}) const
    {
        TestRequest request{.target = "/api/services/app-switcher" + query, .originService = "desk"};
        if (!cookie.empty()) request.headers.emplace_back("Cookie", cookie);
        return _host->call(std::move(request), token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _acme;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AppSwitcherTest);

} // namespace portico::tests
