#include "identity/IdentityHost.h"

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

namespace portico::tests
{

/// Versions of a caller's rights: another one after each change that may concern them, the same one after every other change.
class AccessVersionTest : public Suite<AccessVersionTest>
{
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

    TEST(changesWithTheRights)
    {
        const auto first = version();
        CHECK(!first.empty());
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
        equal(first, last);
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

    TEST(staysWithEveryOtherChange)
    {
        const auto first = version();
        _host->createUser("max@x.example", "acme", "admin");
        _host->change("UPDATE users SET display_name = 'Ada L.' WHERE id = $1", {_ada});
        _host->change("UPDATE memberships SET role = 'guest' WHERE user_id <> $1", {_ada});
        auto news = IdentityHost::deskManifest();
        for (auto at = news.find("desk"); at != std::string::npos; at = news.find("desk", at)) news.replace(at, 4, "news");
        news.replace(news.find(R"("https://news.example")"), 22, "");
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), news});
        equal(first, version());
        // A second sign-in has the same rights.
        equal(first, versions(_host->signIn("ada@x.example", "desk")).at(0));
    }

    TEST(concernsOneService)
    {
        const auto before = versions(_token);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk' AND organization_id = $1", {_acme});
        const auto after = catalog().accessVersions(*_host->validate(_host->signIn("ada@x.example", "identity"), "identity"),
                                                    {"stock", "desk", "nowhere"});
        equal(before.at(1), after.at(0));
        CHECK(before.at(0) != after.at(1));
        equal("", after.at(2));
    }

    TEST(changesWhenAnOverrideExpires)
    {
        const auto end = toMillis(_host->context().clock().now()) + 5000;
        const auto before = version();
        _host->change(
            "INSERT INTO permission_overrides (id, organization_id, user_id, permission, effect, reason, expires_at, created_by, "
            "version, created_at, updated_at) VALUES ('ovr_01jd0000000000000000000001', $1, $2, 'desk.settings:write', 'allow', '', " +
                std::to_string(end) + ", $2, 1, 1, 1)",
            {_acme, _ada});
        const auto wider = version();
        CHECK(before != wider);
        equal(wider, version());
        _host->context().clock().advance(std::chrono::seconds(5));
        equal(before, version());
    }

    TEST(differsByContextAndHousehold)
    {
        _host->createUser("ada@x.example", "globex", "member");
        const auto token = _host->signIn("ada@x.example", "identity", jsonWith(R"(,"organizationId":"$")", _acme));
        const auto here = versions(token, "identity");
        signIns().changeContext(*_host->validate(token, "identity"), _host->organizationId("globex"), "192.0.2.7");
        CHECK(here != versions(token, "identity"));
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        const auto home = versions(token, "identity");
        const auto made = _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        signIns().selectHousehold(*_host->validate(token, "identity"), made.at("/id"));
        CHECK(home != versions(token, "identity"));
        signIns().selectHousehold(*_host->validate(token, "identity"), {});
        CHECK(home == versions(token, "identity"));
    }

    TEST(followsTheGrantsOfAKey)
    {
        const auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body = jsonWith(
                 R"({"name":"All","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read",)"
                 R"("tickets.write"],"resources":[]}]})",
                 _acme)},
            _host->signIn("owner@x.example", "identity"));
        equal(201, made.status, made.body);
        const auto before = versions(made.at("/key"));
        const auto changed = _host->call({.method = Method::Patch,
                                          .target = "/api/api-keys/" + made.at("/apiKey/id"),
                                          .body = R"({"grants":[{"service_id":"desk","scopes":["tickets.read"],"resources":[]}]})"},
                                         _host->signIn("owner@x.example", "identity"));
        equal(200, changed.status, changed.body);
        const auto after = versions(made.at("/key"));
        CHECK(before.at(0) != after.at(0));
        equal(before.at(1), after.at(1));
    }

    TEST(followsTheSelectedHousehold)
    {
        const auto token = _host->signIn("ada@x.example", "identity");
        const auto home = [&] { return _host->validate(token, "identity")->householdId; };
        const auto made = [&]
        {
            signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
            return _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token).at("/id");
        }();
        equal("", home());
        select(token, '"' + made + '"');
        equal(made, home());
        signIns().changeContext(*_host->validate(token, "identity"), _acme, "192.0.2.7");
        equal("", home());
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        equal(made, home());
        // Another manager removes Ada; her next request has no household.
        const auto other = _host->createUser("max@x.example");
        _host->change("INSERT INTO household_members (household_id, user_id, role, status, joined_at, version, created_at, updated_at) "
                      "VALUES ($1, $2, 'manager', 'active', 1, 1, 1, 1)",
                      {made, other});
        const auto manager = _host->signIn("max@x.example", "identity");
        equal(204, _host->call({.method = Method::Delete, .target = "/api/households/" + made + "/members/" + _ada}, manager).status);
        equal("", home());
    }

    void select(const std::string& token, const std::string& household) const
    {
        const auto answer = _host->call(
            {.method = Method::Put, .target = "/api/auth/household-selection", .body = jsonWith(R"({"selectedHouseholdId":$})", household)},
            token);
        equal(200, answer.status, answer.body);
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

} // namespace portico::tests
