#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// List of the launcher: by token before cookie, by cookie alone, in the active context and in personal context. Also covers its removed
/// predecessor.
class AppSwitcherTest : public Suite<AppSwitcherTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->publish({IdentityHost::identityManifest(), launchable(IdentityHost::deskManifest()), home()});
        _host->createUser("ada@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
    }
    void tearDown() override { _host.reset(); }

    TEST(listsWhatCanBeLaunched)
    {
        const auto shown = list({}, _host->signIn("ada@acme.example"));
        equal(200, shown.status, shown.body);
        equal(_acme, shown.at("/activeContext/organizationId"));
        equal(2, shown.count("/items"));
        equal("desk", shown.at("/items/0/service_id"));
        equal("http://desk.localhost:8080/", shown.at("/items/0/launchUrl"));
        equal("organization_access", shown.at("/items/0/accessReason"));
        equal("1", shown.at("/items/0/order"));
        equal("null", shown.at("/nextCursor"));
        CHECK(!shown.etag.empty());
        equal(shown.etag, list({}, _host->signIn("ada@acme.example")).etag);
    }

    TEST(takesTheTokenBeforeTheCookie)
    {
        _host->createUser("eve@globex.example", "globex", "member");
        const auto cookie = cookieOf(_host->browserLogin("eve@globex.example"));
        auto shown = list(cookie, _host->signIn("ada@acme.example"));
        equal(_acme, shown.at("/activeContext/organizationId"));
        // A bad token is not made up for by a good cookie.
        equal(401, list(cookie, "nonsense").status);
    }

    TEST(takesACookieAlone)
    {
        const auto cookie = cookieOf(_host->browserLogin("ada@acme.example"));
        const auto shown = list(cookie);
        equal(200, shown.status, shown.body);
        equal(_acme, shown.at("/activeContext/organizationId"));
        equal(2, shown.count("/items"));
        equal("authentication_required", list({}).code());
        equal("session_ended", list("platform_refresh=prt1.nothing.of.ours.x").code());
    }

    TEST(keepsHomeApart)
    {
        const auto shown = list({}, _host->signIn("ada@acme.example"), "?context=personal");
        equal("personal", shown.at("/activeContext/kind"));
        equal("null", shown.at("/activeContext/organizationId"));
        equal(1, shown.count("/items"));
        equal("home", shown.at("/items/0/service_id"));
        equal("personal_access", shown.at("/items/0/accessReason"));
        equal("validation_failed", list({}, _host->signIn("ada@acme.example"), "?context=household").code());
    }

    TEST(saysWhatIsClosed)
    {
        const auto token = _host->signIn("ada@acme.example", "identity");
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        const auto shown = _host->call({.target = "/api/services/app-switcher"}, token);
        equal("desk", shown.at("/items/1/service_id"));
        equal("false", shown.at("/items/1/accessible"));
        equal("no_service_access", shown.at("/items/1/accessReason"));
        _host->change("UPDATE services SET status = 'suspended', version = version + 1 WHERE service_id = 'desk'");
        equal(1, _host->call({.target = "/api/services/app-switcher"}, token).count("/items"));
    }

    /// One that was rotated away shows nothing once the other tabs have had their time.
    TEST(anOldHandleOpensNothing)
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
        equal(200, renewed.status, renewed.body);
        _host->context().clock().advance(std::chrono::seconds(30));
        equal(200, list(cookie).status);
        equal(200, events());
        _host->context().clock().advance(std::chrono::seconds(1));
        equal("session_ended", list(cookie).code());
        equal(401, events());
        equal(200, list(cookieOf(renewed)).status);
    }

    TEST(refusesWhoHasEnded)
    {
        const auto cookie = cookieOf(_host->browserLogin("ada@acme.example"));
        _host->change("UPDATE users SET status = 'suspended'");
        equal("session_ended", list(cookie).code());
        _host->change("UPDATE users SET status = 'active'");
        _host->change("UPDATE refresh_families SET revoked_at = 1");
        equal("session_ended", list(cookie).code());
    }

    TEST(reportsRemovedServices)
    {
        for (const auto method : {Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete})
            for (const auto* path :
                 {"/api/developer-portal", "/api/developer-portal/keys/7/rotate", "/api/app-submissions", "/api/build-requests"})
            {
                const auto answer = _host->call({.method = method, .target = path});
                refused(answer, 410, "endpoint_removed");
                CHECK(answer.at("/details/replacement").starts_with("/api/"));
            }
    }

    TEST(leadsToTheSettings)
    {
        const auto place = [](IdentityHost& host, const std::string& cookie, const std::string& path = "/settings")
        {
            const auto answer = host.call({.target = path, .headers = {{"Cookie", cookie}}});
            equal(303, answer.status);
            const auto& block = answer.headerBlock();
            const auto at = block.find("Location: ") + 10;
            return block.substr(at, block.find('\r', at) - at);
        };
        const auto signIn = _host->login("ada@acme.example", IdentityHost::password, "identity", "",
                                         {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        const auto cookie = "platform_session=" + signIn.cookie("platform_session");
        equal("http://admin.localhost:8080/security/user", place(*_host, cookie));
        equal("http://admin.localhost:8080/security/user", place(*_host, cookie, "/"));
        equal("/login?return_to=/settings", place(*_host, ""));
        equal("/login?return_to=/settings", place(*_host, "platform_session=nonsense"));
        _host->change("UPDATE users SET status = 'suspended'");
        equal("/login?return_to=/settings", place(*_host, cookie));
    }

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

} // namespace portico::tests
