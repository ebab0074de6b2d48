#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// The catalog as the host fills it, accounts on the operator's word, and the directory.
class RegistryTest : public Suite<RegistryTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(ourOwnManifestIsComplete)
    {
        const auto answers = _host->publish({IdentityHost::identityManifest()});
        equal("", answers[0].report);
        CHECK(answers[0].active);
        const auto manifest = boost::json::parse(IdentityHost::identityManifest());
        equal(23, manifest.at("permissions").as_array().size());
        equal(6, manifest.at("apiKeyScopes").as_array().size());
        equal(5, manifest.at("roleBundles").as_array().size());
    }

    TEST(takesInCompleteServices)
    {
        equal(2, _host->count("SELECT COUNT(*) FROM services WHERE status = 'active' AND complete"));
        equal(5, _host->count("SELECT COUNT(*) FROM service_permissions WHERE service_id = 'desk'"));
        const auto config = _host->call({.target = "/api/auth/login-config?service_id=desk"});
        equal(200, config.status);
        equal("Desk", config.at("/displayName"));
        CHECK(!config.etag.empty());
        equal("service_not_found", _host->call({.target = "/api/auth/login-config?service_id=nowhere"}).code());
    }

    TEST(reportsWhatIsMissing)
    {
        auto broken = boost::json::parse(IdentityHost::deskManifest());
        auto& bundles = broken.at("roleBundles").as_array();
        bundles.erase(bundles.begin());
        bundles.begin()->at("permissions").as_array().emplace_back("desk.deals:read");
        broken.at("apiKeyScopes").as_array()[0].at("permissions").as_array().clear();
        broken.at("permissions").as_array().push_back({{"permission", "other.things:read"}, {"title", "x"}});
        const auto answers = _host->publish({IdentityHost::identityManifest(), boost::json::serialize(broken)});
        CHECK(!answers[1].active);
        for (const auto* part : {"guest", "roleBundles[0] names desk.deals:read", "other.things:read", "tickets.read"})
            CPPUNIT_ASSERT_MESSAGE(answers[1].report, answers[1].report.find(part) != std::string::npos);

        _host->createUser("operator@x.example", "", "member", "platform_admin");
        const auto token = _host->signIn("operator@x.example", "identity");
        const auto report = _host->call({.target = "/api/services/desk/completeness"}, token);
        equal(200, report.status);
        equal("false", report.at("/complete"));
        equal("guest", report.at("/checks/roleBundles/missingRoles/0"));
        equal("desk.deals:read", report.at("/checks/referenceCoverage/danglingReferences/0/permission"));
        equal("service_access_denied", _host->login("operator@x.example", IdentityHost::password, "desk").code());
        // A repaired manifest opens it again.
        CHECK(_host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()})[1].active);
    }

    TEST(countsRoutesOfTheCode)
    {
        interfaces::RegisteredService service;
        auto manifest = boost::json::parse(IdentityHost::deskManifest()).as_object();
        manifest["routes"] = boost::json::parse(R"([{"method":"GET","path":"/api/x","auth":"bearer|key"},
            {"method":"GET","path":"/api/y","auth":"bearer","permission":"desk.tickets:read"},
            {"method":"GET","path":"/api/me","auth":"self"},{"method":"GET","path":"/api/news","auth":"none"}])");
        service.manifest = boost::json::serialize(manifest);
        service.routePermissions = {"desk.tickets:read", "desk.gone:read"};
        auto& registry = _host->provided<interfaces::ServiceRegistry>();
        const auto answer = registry.publish("one", {&service, 1});
        CHECK(!answer[0].active);
        CHECK(answer[0].report.find("desk.gone:read") != std::string::npos);
        CHECK(answer[0].report.find("routes without a permission: GET /api/x") != std::string::npos);
        for (const auto* fine : {"/api/y", "/api/me", "/api/news"}) CHECK(answer[0].report.find(fine) == std::string::npos);
    }

    TEST(marksScopesThatNoRouteTakes)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto token = _host->signIn("owner@acme.example", "identity");
        const auto marked = [&](std::vector<std::string> routePermissions)
        {
            // Identity itself stays registered beside it.
            std::vector<interfaces::RegisteredService> services(2);
            services[0].manifest = IdentityHost::identityManifest();
            services[0].origin = "http://identity.localhost:8080";
            services[1].manifest = IdentityHost::deskManifest();
            services[1].origin = "http://desk.localhost:8080";
            services[1].routePermissions = std::move(routePermissions);
            _host->provided<interfaces::ServiceRegistry>().publish("one", services);
            const auto scopes = _host->call({.target = "/api/services/desk/api-key-scopes"}, token);
            std::string text;
            for (std::size_t i = 0; i < scopes.count("/scopes"); ++i)
            {
                const auto at = "/scopes/" + std::to_string(i);
                text += scopes.at(at + "/scope") + '=' + scopes.at(at + "/hasRoute") + ' ';
            }
            return text;
        };
        equal("api_keys.write=true settings.write=false tickets.read=true tickets.write=false ", marked({"desk.tickets:read"}));
        // The host does not know the routes of this service, so every scope is offered.
        equal("api_keys.write=true settings.write=true tickets.read=true tickets.write=true ", marked({}));
    }

    TEST(keepsDisabledServices)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto token = _host->signIn("owner@acme.example");
        _host->publish({IdentityHost::identityManifest()});
        equal("service_access_denied", _host->verdict(token));
        equal(1, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'desk' AND NOT enabled"));
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()});
        equal("ok", _host->verdict(token));
    }

    TEST(aServiceIsOpenWhileOneHostHasIt)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto token = _host->signIn("owner@acme.example");
        const std::vector<std::string> both{IdentityHost::identityManifest(), IdentityHost::deskManifest()};
        // A file has one host: the other is the same under a new name.
        const bool alone = _host->context().database().dialect() == Dialect::SQLite;
        _host->publish(both, "two");
        _host->publish({IdentityHost::identityManifest()}, "one");
        equal(std::string(alone ? "service_access_denied" : "ok"), _host->verdict(token));
        _host->publish({IdentityHost::identityManifest()}, "two");
        equal("service_access_denied", _host->verdict(token));

        // A host that does not return keeps no service active.
        _host->publish(both, "two");
        equal("ok", _host->verdict(token));
        _host->context().clock().advance(std::chrono::hours(25));
        _host->publish({IdentityHost::identityManifest()}, "one");
        equal(1, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'desk' AND NOT enabled"));
    }

    /// One host on which a service does not start must not take it from the others.
    TEST(keepsServicesThatCannotServe)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto token = _host->signIn("owner@acme.example");
        std::vector<interfaces::RegisteredService> services(3);
        services[0].manifest = IdentityHost::identityManifest();
        services[1].serviceId = "desk";
        services[2].serviceId = "never-seen";
        services[1].serving = services[2].serving = false;
        auto& registry = _host->provided<interfaces::ServiceRegistry>();
        const auto answers = registry.publish("one", services);
        equal(1, answers.size());
        equal("ok", _host->verdict(token));
        equal(1, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'desk' AND enabled"));
        equal(0, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'never-seen'"));
    }

    TEST(writesOnlyWhatIsNew)
    {
        const auto versions = [&] { return _host->count("SELECT CAST(SUM(version) AS BIGINT) FROM services"); };
        const auto commits = [&] { return _host->count("SELECT value FROM revisions WHERE id = 1"); };
        const std::vector<std::string> both{IdentityHost::identityManifest(), IdentityHost::deskManifest()};
        const auto before = versions();
        const auto committed = commits();
        CHECK(_host->publish(both)[1].active);
        equal(committed, commits());
        // Other hosts are to see now and then that this one lives.
        _host->context().clock().advance(std::chrono::hours(1));
        _host->publish(both);
        equal(committed + 1, commits());
        equal(before, versions());
    }

    TEST(followsAChangedManifest)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto token = _host->signIn("owner@acme.example");
        CHECK(_host->validate(token)->may("desk.tickets:purge"));
        auto changed = boost::json::parse(IdentityHost::deskManifest());
        auto& permissions = changed.at("permissions").as_array();
        permissions.erase(permissions.begin() + 2);
        permissions.push_back({{"permission", "desk.labels:read"}, {"title", "Labels"}});
        CHECK(_host->publish({IdentityHost::identityManifest(), boost::json::serialize(changed)})[1].active);
        CHECK(!_host->validate(token)->may("desk.tickets:purge"));
        CHECK(_host->validate(token)->may("desk.labels:read"));
    }

    TEST(leavesOperatorsDecisions)
    {
        _host->change("UPDATE services SET status = 'suspended', version = version + 1 WHERE service_id = 'desk'");
        CHECK(!_host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()})[1].active);
        equal(1, _host->count("SELECT COUNT(*) FROM services WHERE status = 'suspended'"));
    }

    TEST(opensNewServicesToOrganizations)
    {
        _host->createUser("owner@acme.example", "acme", "owner");
        auto later = IdentityHost::deskManifest();
        for (auto at = later.find("desk"); at != std::string::npos; at = later.find("desk", at + 4)) later.replace(at, 4, "shop");
        CHECK(_host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), later})[2].active);
        equal("ok", _host->verdict(_host->signIn("owner@acme.example", "shop"), "shop"));

        IdentityHost strict(IdentityHost::Settings{{"identity.defaultServiceAccess", "identity, shop"}});
        strict.createUser("owner@acme.example", "acme", "owner");
        equal("service_access_denied", strict.login("owner@acme.example", IdentityHost::password, "desk").code());
        equal(200, strict.login("owner@acme.example", IdentityHost::password, "identity").status);
    }

    TEST(makesAccounts)
    {
        const auto user = _host->createUser("Ada@acme.example", "acme", "member");
        // Again: the same person, another organization; the password stays.
        equal(user, _host->createUser("ada@ACME.example", "globex", "admin"));
        equal(1, _host->count("SELECT COUNT(*) FROM users"));
        equal(2, _host->count("SELECT COUNT(*) FROM memberships"));
        _host->createUser("ada@acme.example", "globex", "owner");
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'owner'"));
        _host->createUser("root@x.example", "", "member", "platform_super_admin");
        _host->createUser("second@x.example", "", "member", "platform_admin");
        equal(1, _host->count("SELECT COUNT(*) FROM organizations WHERE kind = 'admin'"));
    }

    TEST(refusesBadAccounts)
    {
        const auto code = [&](std::string email, std::string secret, std::string slug, std::string role, std::string platform = {})
        {
            interfaces::Accounts::NewUser user;
            user.email = std::move(email);
            user.password = std::move(secret);
            user.organizationSlug = std::move(slug);
            user.role = std::move(role);
            user.platformRole = std::move(platform);
            try
            {
                _host->provided<interfaces::Accounts>().createUser(user);
                return std::string("ok");
            }
            catch (const Problem& problem)
            {
                return problem.code();
            }
        };
        const std::string good(IdentityHost::password);
        equal("validation_failed", code("nobody", good, "acme", "owner"));
        equal("password_too_short", code("a@x.example", "short", "acme", "owner"));
        equal("password_contains_context_word", code("battery@x.example", good, "acme", "owner"));
        equal("validation_failed", code("a@x.example", good, "Acme Inc", "owner"));
        equal("validation_failed", code("a@x.example", good, "acme", "boss"));
        equal("validation_failed", code("a@x.example", good, "acme", "owner", "emperor"));
        equal("ok", code("a@x.example", good, "admin", "owner"));
        equal("slug_in_use", code("b@x.example", good, "", "member", "platform_admin"));
        equal("email_in_use", code("A@x.example", good, "globex", "owner"));
        interfaces::Accounts::NewUser nobody;
        nobody.email = "nobody@x.example";
        nobody.organizationSlug = "globex";
        auto& accounts = _host->provided<interfaces::Accounts>();
        CPPUNIT_ASSERT_THROW(accounts.joinUser(nobody), Problem);
        equal(0, _host->count("SELECT COUNT(*) FROM organizations WHERE slug = 'globex'"));
        // A rejected request leaves no rows.
        equal(1, _host->count("SELECT COUNT(*) FROM users"));
    }

    TEST(porticoctlLeavesNoOrganizationWithoutAnOwner)
    {
        _host->createUser("first@a.example", "acme", "owner");
        const auto owners = [&] { return _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'owner' AND status = 'active'"); };
        CPPUNIT_ASSERT_THROW(_host->createUser("first@a.example", "acme", "member"), Problem);
        equal(1, owners());
        _host->createUser("second@a.example", "acme", "owner");
        _host->createUser("first@a.example", "acme", "member");
        equal(1, owners());
    }

    TEST(knowsMembers)
    {
        const auto user = _host->createUser("ada@acme.example", "acme", "admin");
        const auto acme = _host->organizationId("acme");
        auto& directory = _host->provided<interfaces::Directory>();
        const auto member = directory.member(Tenant::fromStored(acme), user);
        CHECK(member && member->active && member->role == "admin" && member->email == "ada@acme.example");
        CHECK(!directory.member(Tenant::fromStored(acme), "usr_01jd0000000000000000000000"));
        CHECK(!directory.member(Tenant::fromStored("org_01jd0000000000000000000000"), user));
        equal(user, directory.memberByEmail(Tenant::fromStored(acme), "ADA@acme.example").value().userId);
        CHECK(!directory.memberByEmail(Tenant::fromStored(acme), "eve@acme.example"));
        CHECK(!directory.memberByEmail(Tenant::fromStored("org_01jd0000000000000000000000"), "ada@acme.example"));
        _host->change("UPDATE users SET status = 'suspended'");
        CHECK(!directory.member(Tenant::fromStored(acme), user)->active);
        _host->change("UPDATE memberships SET status = 'removed'");
        CHECK(!directory.member(Tenant::fromStored(acme), user) && !directory.memberByEmail(Tenant::fromStored(acme), "ada@acme.example"));
    }

    TEST(knowsWhatMembersMay)
    {
        const auto owner = _host->createUser("ada@acme.example", "acme", "owner");
        const auto member = _host->createUser("bob@acme.example", "acme", "member");
        const auto acme = _host->organizationId("acme");
        _host->createUser("eve@globex.example", "globex", "owner");
        const auto globex = _host->organizationId("globex");
        auto& directory = _host->provided<interfaces::Directory>();
        const auto may = [&](const std::string& organization, const std::string& user, std::string_view permission)
        { return directory.memberMay(Tenant::fromStored(organization), user, permission); };
        const std::string_view manages = "identity.members:manage";
        CHECK(may(acme, owner, manages));
        CHECK(!may(acme, member, manages));
        CHECK(!may(globex, owner, manages));
        CHECK(!may(acme, "usr_01jd0000000000000000000000", manages));
        CHECK(!may("org_01jd0000000000000000000000", owner, manages));
        for (const auto* unknown : {"identity.members:explode", "nobody.members:manage", "identity", ""})
            CPPUNIT_ASSERT_MESSAGE(unknown, !may(acme, owner, unknown));
        _host->change("UPDATE memberships SET status = 'suspended'");
        CHECK(!may(acme, owner, manages));
        _host->change("UPDATE memberships SET status = 'active'");
        _host->change("UPDATE users SET status = 'suspended'");
        CHECK(!may(acme, owner, manages));
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
