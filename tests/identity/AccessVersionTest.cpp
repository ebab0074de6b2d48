#include "identity/IdentityHost.h"

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

namespace portico::tests
{

/// Versions of a caller's rights: another one after each change that may concern them, the same one after every other change.
class AccessVersionTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(AccessVersionTest);
    CPPUNIT_TEST(changesWithTheRights);
    CPPUNIT_TEST(staysWithEveryOtherChange);
    CPPUNIT_TEST(concernsOneService);
    CPPUNIT_TEST(changesWhenAnOverrideExpires);
    CPPUNIT_TEST(differsByContextAndHousehold);
    CPPUNIT_TEST(followsTheGrantsOfAKey);
    CPPUNIT_TEST(followsTheSelectedHousehold);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        auto stock = IdentityHost::deskManifest();
        for (auto at = stock.find("desk"); at != std::string::npos; at = stock.find("desk", at)) stock.replace(at, 4, "stock");
        stock.replace(stock.find(R"("https://stock.example")"), 23, "");
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), stock});
        _ada = _host->createUser("ada@x.example", "acme", "member");
        _host->createUser("owner@x.example", "acme", "owner");
        _token = _host->signIn("ada@x.example", "desk");
        _acme = _host->organizationId("acme");
    }
    void tearDown() override { _host.reset(); }

    void changesWithTheRights()
    {
        const auto first = version();
        CPPUNIT_ASSERT(!first.empty());
        auto last = first;
        const auto changed = [&](const std::string& sql, const std::vector<std::string>& arguments = {})
        {
            _host->change(sql, arguments);
            const auto next = version();
            CPPUNIT_ASSERT_MESSAGE(sql, next != last);
            last = next;
        };
        changed("UPDATE memberships SET role = 'admin' WHERE user_id = $1", {_ada});
        changed("UPDATE memberships SET role = 'member' WHERE user_id = $1", {_ada});
        CPPUNIT_ASSERT_EQUAL(first, last);
        changed("INSERT INTO permission_overrides (id, organization_id, user_id, permission, effect, reason, created_by, version, "
                "created_at, updated_at) VALUES ('ovr_01jd0000000000000000000001', $1, $2, 'desk.tickets:read', 'deny', '', $2, 1, 1, 1)",
                {_acme, _ada});
        changed("INSERT INTO role_bundle_overrides (organization_id, service_id, bundle_id, roles, permissions, covered, version, "
                "created_at, updated_at) VALUES ($1, 'desk', 'desk-member', '[\"member\"]', '[\"desk.settings:write\"]', '[]', 1, 1, 1)",
                {_acme});
        changed("UPDATE organizations SET security_policy = '{\"mfaRequired\":true}' WHERE id = $1", {_acme});
        changed("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1 AND service_id = 'desk'", {_acme});
        changed("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_ada});
    }

    void staysWithEveryOtherChange()
    {
        const auto first = version();
        _host->createUser("max@x.example", "acme", "admin");
        _host->change("UPDATE users SET display_name = 'Ada L.' WHERE id = $1", {_ada});
        _host->change("UPDATE memberships SET role = 'guest' WHERE user_id <> $1", {_ada});
        auto news = IdentityHost::deskManifest();
        for (auto at = news.find("desk"); at != std::string::npos; at = news.find("desk", at)) news.replace(at, 4, "news");
        news.replace(news.find(R"("https://news.example")"), 22, "");
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), news});
        CPPUNIT_ASSERT_EQUAL(first, version());
        // A second sign-in has the same rights.
        CPPUNIT_ASSERT_EQUAL(first, versions(_host->signIn("ada@x.example", "desk")).at(0));
    }

    void concernsOneService()
    {
        const auto before = versions(_token);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk' AND organization_id = $1", {_acme});
        const auto after = catalog().accessVersions(*_host->validate(_host->signIn("ada@x.example", "identity"), "identity"),
                                                    {"stock", "desk", "nowhere"});
        CPPUNIT_ASSERT_EQUAL(before.at(1), after.at(0));
        CPPUNIT_ASSERT(before.at(0) != after.at(1));
        CPPUNIT_ASSERT_EQUAL(std::string(), after.at(2));
    }

    void changesWhenAnOverrideExpires()
    {
        const auto end = toMillis(_host->context().clock().now()) + 5000;
        const auto before = version();
        _host->change(
            "INSERT INTO permission_overrides (id, organization_id, user_id, permission, effect, reason, expires_at, created_by, "
            "version, created_at, updated_at) VALUES ('ovr_01jd0000000000000000000001', $1, $2, 'desk.settings:write', 'allow', '', " +
                std::to_string(end) + ", $2, 1, 1, 1)",
            {_acme, _ada});
        const auto wider = version();
        CPPUNIT_ASSERT(before != wider);
        CPPUNIT_ASSERT_EQUAL(wider, version());
        _host->context().clock().advance(std::chrono::seconds(5));
        CPPUNIT_ASSERT_EQUAL(before, version());
    }

    void differsByContextAndHousehold()
    {
        _host->createUser("ada@x.example", "globex", "member");
        const auto token = _host->signIn("ada@x.example", "identity", R"(,"organizationId":")" + _acme + '"');
        const auto here = versions(token, "identity");
        signIns().changeContext(*_host->validate(token, "identity"), _host->organizationId("globex"), "192.0.2.7");
        CPPUNIT_ASSERT(here != versions(token, "identity"));
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        const auto home = versions(token, "identity");
        const auto made = _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        signIns().selectHousehold(*_host->validate(token, "identity"), made.at("/id"));
        CPPUNIT_ASSERT(home != versions(token, "identity"));
        signIns().selectHousehold(*_host->validate(token, "identity"), {});
        CPPUNIT_ASSERT(home == versions(token, "identity"));
    }

    void followsTheGrantsOfAKey()
    {
        const auto made =
            _host->call({.method = Method::Post,
                         .target = "/api/api-keys",
                         .body = R"({"name":"All","owner_type":"organization","owner_id":")" + _acme +
                                 R"(","grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"],"resources":[]}]})"},
                        _host->signIn("owner@x.example", "identity"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        const auto before = versions(made.at("/key"));
        const auto changed = _host->call({.method = Method::Patch,
                                          .target = "/api/api-keys/" + made.at("/apiKey/id"),
                                          .body = R"({"grants":[{"service_id":"desk","scopes":["tickets.read"],"resources":[]}]})"},
                                         _host->signIn("owner@x.example", "identity"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(changed.body, 200, changed.status);
        const auto after = versions(made.at("/key"));
        CPPUNIT_ASSERT(before.at(0) != after.at(0));
        CPPUNIT_ASSERT_EQUAL(before.at(1), after.at(1));
    }

    void followsTheSelectedHousehold()
    {
        const auto token = _host->signIn("ada@x.example", "identity");
        const auto home = [&] { return _host->validate(token, "identity")->householdId; };
        const auto made = [&]
        {
            signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
            return _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token).at("/id");
        }();
        CPPUNIT_ASSERT_EQUAL(std::string(), home());
        select(token, '"' + made + '"');
        CPPUNIT_ASSERT_EQUAL(made, home());
        signIns().changeContext(*_host->validate(token, "identity"), _acme, "192.0.2.7");
        CPPUNIT_ASSERT_EQUAL(std::string(), home());
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        CPPUNIT_ASSERT_EQUAL(made, home());
        // Another manager takes Ada out: her next request has no household.
        const auto other = _host->createUser("max@x.example");
        _host->change("INSERT INTO household_members (household_id, user_id, role, status, joined_at, version, created_at, updated_at) "
                      "VALUES ($1, $2, 'manager', 'active', 1, 1, 1, 1)",
                      {made, other});
        const auto manager = _host->signIn("max@x.example", "identity");
        CPPUNIT_ASSERT_EQUAL(
            204, _host->call({.method = Method::Delete, .target = "/api/households/" + made + "/members/" + _ada}, manager).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), home());
    }

private:
    void select(const std::string& token, const std::string& household) const
    {
        const auto answer = _host->call(
            {.method = Method::Put, .target = "/api/auth/household-selection", .body = R"({"selectedHouseholdId":)" + household + '}'},
            token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
    }
    interfaces::SignIns& signIns() const { return _host->provided<interfaces::SignIns>(); }
    interfaces::ServiceCatalog& catalog() const { return _host->provided<interfaces::ServiceCatalog>(); }
    std::vector<std::string> versions(const std::string& credential, std::string_view service = "desk") const
    {
        return catalog().accessVersions(*_host->validate(credential, service, false), {"desk", "stock"});
    }
    std::string version() const { return versions(_token).at(0); }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
    std::string _acme;
    std::string _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AccessVersionTest);

} // namespace portico::tests
