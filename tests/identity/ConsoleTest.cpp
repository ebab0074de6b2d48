#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Managing the platform from the origin of another service (`identity.consoleServices`).
class ConsoleTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ConsoleTest);
    CPPUNIT_TEST(aConsoleManagesThePlatform);
    CPPUNIT_TEST(otherOriginsDoNot);
    CPPUNIT_TEST(aConsoleTellsItsOwnPermissionsOnly);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { use({{"identity.consoleServices", "desk"}}); }
    void tearDown() override { _host.reset(); }

    void aConsoleManagesThePlatform()
    {
        const auto admin = _host->signIn("admin@acme.example");
        const std::vector<std::string> targets = {"/api/users", "/api/services", "/api/organizations/" + _acme,
                                                  "/api/organizations/" + _acme + "/invitations"};
        for (const auto& target : targets) CPPUNIT_ASSERT_EQUAL_MESSAGE(target, 200, get(target, admin).status);
        const auto members = get("/api/organizations/" + _acme + "/members", admin);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(members.body, std::string("admin"), members.at("/items/0/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin@acme.example"), members.at("/items/0/user/email"));
        const auto changed = _host->call({.method = Method::Patch,
                                          .target = "/api/organizations/" + _acme + "/members/" + _member,
                                          .body = R"({"role":"guest"})",
                                          .originService = "desk"},
                                         admin);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(changed.body, 200, changed.status);
        // By the rights of the moment, and by a token of that origin only.
        const auto member = _host->signIn("member@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/users", member).code());
        const auto elsewhere = get("/api/users", _host->signIn("admin@acme.example", "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), elsewhere.at("/details/reason"));
        _host->change("UPDATE memberships SET role = 'member'");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/users", admin).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/oauth-clients", admin).code());
    }

    void otherOriginsDoNot()
    {
        use({});
        const auto admin = _host->signIn("admin@acme.example");
        CPPUNIT_ASSERT_EQUAL(404, get("/api/users", admin).status);
        CPPUNIT_ASSERT(!_host->validate(admin)->may("identity.users:read"));
        const auto members = get("/api/organizations/" + _acme + "/members", admin);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(members.body, 200, members.status);
        CPPUNIT_ASSERT(!members.has("/items/0/role") && !members.has("/items/0/user/email"));
        // What another organization's service says it is makes no console of it.
        use({{"identity.consoleServices", "desk"}});
        _host->change("UPDATE services SET publisher_id = $1, version = version + 1 WHERE service_id = 'desk'", {_acme});
        CPPUNIT_ASSERT(!_host->validate(_host->signIn("admin@acme.example"))->may("identity.users:read"));
    }

    void aConsoleTellsItsOwnPermissionsOnly()
    {
        const auto admin = _host->signIn("admin@acme.example");
        CPPUNIT_ASSERT(_host->validate(admin)->may("identity.users:read"));
        CPPUNIT_ASSERT(_host->validate(admin)->may("desk.tickets:read"));
        const auto me = get("/api/auth/me", admin);
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, me.count("/effectivePermissions"));
        CPPUNIT_ASSERT(me.at("/effectivePermissions").find("identity.") == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, get("/validate", admin).count("/effectivePermissions"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(ConsoleTest);

} // namespace portico::tests
