#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Managing the platform from the origin of another service (`identity.consoleServices`).
class ConsoleTest : public Suite<ConsoleTest>
{
    void setUp() override { use({{"identity.consoleServices", "desk"}}); }
    void tearDown() override { _host.reset(); }

    TEST(aConsoleManagesThePlatform)
    {
        const auto admin = _host->signIn("admin@acme.example");
        const std::vector<std::string> targets = {"/api/users", "/api/services", "/api/organizations/" + _acme,
                                                  "/api/organizations/" + _acme + "/invitations"};
        for (const auto& target : targets) equal(200, get(target, admin).status, target);
        const auto members = get("/api/organizations/" + _acme + "/members", admin);
        equal("admin", members.at("/items/0/role"), members.body);
        equal("admin@acme.example", members.at("/items/0/user/email"));
        const auto changed = _host->call({.method = Method::Patch,
                                          .target = "/api/organizations/" + _acme + "/members/" + _member,
                                          .body = R"({"role":"guest"})",
                                          .originService = "desk"},
                                         admin);
        equal(200, changed.status, changed.body);
        // By the rights of the moment, and by a token of that origin only.
        const auto member = _host->signIn("member@acme.example");
        equal("permission_denied", get("/api/users", member).code());
        const auto elsewhere = get("/api/users", _host->signIn("admin@acme.example", "identity"));
        equal("wrong_audience", elsewhere.at("/details/reason"));
        _host->change("UPDATE memberships SET role = 'member'");
        equal("permission_denied", get("/api/users", admin).code());
        equal("permission_denied", get("/api/oauth-clients", admin).code());
    }

    TEST(otherOriginsDoNot)
    {
        use({});
        const auto admin = _host->signIn("admin@acme.example");
        equal(404, get("/api/users", admin).status);
        CHECK(!_host->validate(admin)->may("identity.users:read"));
        const auto members = get("/api/organizations/" + _acme + "/members", admin);
        equal(200, members.status, members.body);
        CHECK(!members.has("/items/0/role") && !members.has("/items/0/user/email"));
        // A service of another organization cannot become a console by its id.
        use({{"identity.consoleServices", "desk"}});
        _host->change("UPDATE services SET publisher_id = $1, version = version + 1 WHERE service_id = 'desk'", {_acme});
        CHECK(!_host->validate(_host->signIn("admin@acme.example"))->may("identity.users:read"));
    }

    TEST(aConsoleListsItsOwnPermissionsOnly)
    {
        const auto admin = _host->signIn("admin@acme.example");
        CHECK(_host->validate(admin)->may("identity.users:read"));
        CHECK(_host->validate(admin)->may("desk.tickets:read"));
        const auto me = get("/api/auth/me", admin);
        equal(5, me.count("/effectivePermissions"));
        CHECK(me.at("/effectivePermissions").find("identity.") == std::string::npos);
        equal(5, get("/validate", admin).count("/effectivePermissions"));
    }

    void use(IdentityHost::Settings settings)
    {
        _host.reset();
        _host = std::make_unique<IdentityHost>(std::move(settings));
        _host->createUser("admin@acme.example", "acme", "admin");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
    }
    TestAnswer get(const std::string& target, const std::string& token) const
    {
        return _host->call({.target = target, .originService = "desk"}, token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _acme, _member;
};

} // namespace portico::tests
