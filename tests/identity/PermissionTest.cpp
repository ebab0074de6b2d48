#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "permissions/Evaluation.h"

#include <algorithm>
#include <random>
#include <set>

namespace portico::tests
{

/// Permissions of users: shown, explained, changed one by one and checked in batches. `tests/identity/EvaluatorTest.cpp` tests the rules.
class PermissionTest : public Suite<PermissionTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _admin = _host->createUser("admin@acme.example", "acme", "admin");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _stranger = _host->createUser("owner@globex.example", "globex", "owner");
        _acme = _host->organizationId("acme");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        _adminToken = _host->signIn("admin@acme.example", "identity");
        _memberToken = _host->signIn("member@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(showsWhatSomeoneMayDoAndWhy)
    {
        const auto made = put(_adminToken, _member, R"({"permission":"desk.tickets:purge","effect":"allow","reason":"cleans up"})");
        equal(200, made.status);
        const auto denied = put(_adminToken, _member, R"({"permission":"desk.tickets:write","effect":"deny","reason":"reads only"})");
        equal(200, denied.status);
        const auto shown = inspect(_memberToken, _member, "?service_id=desk");
        equal(200, shown.status, shown.body);
        equal(R"(["desk.tickets:purge","desk.tickets:read"])", shown.at("/effectivePermissions"));
        equal("user_override", shown.at("/effectivePermissionEntries/0/sources/0/type"));
        equal(made.at("/id"), shown.at("/effectivePermissionEntries/0/sources/0/overrideId"));
        equal("desk-member", shown.at("/effectivePermissionEntries/1/sources/0/bundleId"));
        equal("org_service_access", shown.at("/effectivePermissionEntries/1/sources/1/type"));
        equal("tickets", shown.at("/effectivePermissionEntries/1/resource"));
        equal("read", shown.at("/effectivePermissionEntries/1/action"));
        equal("desk.tickets:write", shown.at("/deniedEntries/0/permission"));
        equal("user_override_deny", shown.at("/deniedEntries/0/reason"));
        equal(denied.at("/id"), shown.at("/deniedEntries/0/sources/0/overrideId"));
        equal("desk", shown.at("/sourceBreakdown/orgServiceAccess/0/service_id"));
        equal("active", shown.at("/sourceBreakdown/orgServiceAccess/0/status"));
        equal(R"(["desk.tickets:read","desk.tickets:write"])", shown.at("/sourceBreakdown/roleBundles/0/permissions"));
        equal(2, shown.count("/sourceBreakdown/userOverrides"));
        equal(_admin, shown.at("/sourceBreakdown/userOverrides/0/createdBy"));
        // Without a service, lists the permissions of all services.
        const auto all = inspect(_memberToken, _member);
        equal("identity.catalog:read", all.at("/effectivePermissions/2"));
        // A person's own context has neither the organization's rights nor its name.
        const auto personal = inspect(_memberToken, _member, "?context=personal");
        equal("null", personal.at("/organizationId"));
        equal("personal_access", personal.at("/effectivePermissionEntries/0/sources/1/type"));
    }

    TEST(saysWhoSeesWhom)
    {
        equal("permission_denied", inspect(_memberToken, _admin).code());
        equal(200, inspect(_adminToken, _owner).status);
        for (const auto& who : {_stranger, std::string("usr_01jd0000000000000000000000")})
        {
            // Callers without access learn nothing about the existence of users.
            equal("permission_denied", inspect(_memberToken, who).code());
            equal("not_found", inspect(_ownerToken, who).code());
        }
        const auto globex = "?organizationId=" + _host->organizationId("globex");
        equal("not_found", inspect(_ownerToken, _owner, globex).code());
        equal("not_found", inspect(_ownerToken, _member, globex).code());
        equal("not_found", inspect(_ownerToken, _member, "?context=personal").code());
        _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@x.example", "identity");
        const auto seen = inspect(root, _stranger, globex);
        equal("owner", seen.at("/role"));
        equal("not_found", inspect(root, "usr_01jd0000000000000000000000", globex).code());
        // A demoted admin loses access, with the same token.
        _host->change("UPDATE memberships SET role = 'member' WHERE user_id = $1", {_admin});
        equal("permission_denied", inspect(_adminToken, _member).code());
    }

    TEST(marksOperators)
    {
        const auto root = _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto token = _host->signIn("root@x.example", "identity");
        auto shown = inspect(token, root, "?service_id=identity");
        equal("true", shown.at("/platformBypass"));
        equal(23, shown.count("/effectivePermissions"));
        equal(R"([{"type":"platform_bypass"}])", shown.at("/effectivePermissionEntries/0/sources"));
        // Outside of the admin organization the platform role has no effect.
        _host->createUser("root@x.example", "acme", "member");
        _host->change("UPDATE memberships SET status = 'removed' WHERE user_id = $1 AND organization_id <> $2", {root, _acme});
        shown = inspect(_adminToken, root, "?service_id=identity");
        equal("false", shown.at("/platformBypass"), shown.body);
        equal(3, shown.count("/effectivePermissions"));
    }

    TEST(explains)
    {
        auto said = explain(_adminToken, _member, "desk.tickets:write");
        equal("true", said.at("/allowed"), said.body);
        equal("role_bundle", said.at("/decidedBy"));
        equal(0, said.count("/smallestChange"));
        equal("unknown_permission", explain(_adminToken, _member, "desk.tickets:eat").code());
        equal(404, explain(_adminToken, _member, "desk.tickets:eat").status);
        equal("permission_denied", explain(_memberToken, _admin, "desk.tickets:read").code());
        put(_adminToken, _member, R"({"permission":"desk.tickets:*","effect":"deny","reason":"on leave"})");
        said = explain(_memberToken, _member, "desk.tickets:write");
        equal("user_override_deny", said.at("/decidedBy"));
        equal("deny", said.at("/chain/" + std::to_string(said.count("/chain") - 1) + "/effect"));
        equal("remove_override", said.at("/smallestChange/0/type"));
    }

    TEST(findsTheSmallestChange)
    {
        auto said = explain(_adminToken, _member, "desk.settings:write");
        equal("not_granted", said.at("/decidedBy"));
        equal("add_override", said.at("/smallestChange/0/type"));
        equal("raise_role", said.at("/smallestChange/1/type"));
        equal("admin", said.at("/smallestChange/1/to"));
        // No role has it: only an override is left.
        said = explain(_ownerToken, _owner, "identity.services:manage");
        equal(1, said.count("/smallestChange"));
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        said = explain(_adminToken, _member, "desk.tickets:read");
        equal("no_service_access", said.at("/decidedBy"));
        equal(R"([{"type":"enable_service","step":1,"service_id":"desk"}])", said.at("/smallestChange"));
        said = explain(_adminToken, _member, "desk.settings:write");
        equal("2", said.at("/smallestChange/1/step"));
    }

    TEST(givesAndTakesSinglePermissions)
    {
        const auto token = _host->signIn("member@acme.example");
        CHECK(!_host->validate(token)->may("desk.settings:write"));
        const auto made = put(_adminToken, _member, R"({"permission":"desk.settings:write","effect":"allow","reason":"helps out"})");
        equal(200, made.status);
        CHECK(_host->validate(token)->may("desk.settings:write"));
        const auto place = "/api/users/" + _member + "/permission-overrides/" + made.at("/id");
        // The same permission again is the same override.
        const auto again = put(_adminToken, _member, R"({"permission":"desk.settings:write","effect":"deny","reason":"no more"})");
        equal(made.at("/id"), again.at("/id"));
        equal("deny", put(_adminToken, _member, again.body).at("/effect"));
        CHECK(!_host->validate(token)->may("desk.settings:write"));
        const auto list = _host->call({.target = "/api/users/" + _member + "/permission-overrides"}, _adminToken);
        equal(1, list.count("/items"));
        equal(_acme, list.at("/items/0/organizationId"));
        const auto send = [&](Method method, std::string body, std::string version) {
            return _host->call({.method = method, .target = place, .body = std::move(body), .headers = {{"If-Match", version}}},
                               _adminToken);
        };
        equal("version_conflict", send(Method::Put, R"({"effect":"allow"})", "\"1\"").code());
        equal(200, send(Method::Put, R"({"effect":"allow"})", "\"2\"").status);
        CHECK(_host->validate(token)->may("desk.settings:write"));
        equal("version_conflict", send(Method::Delete, "", "\"2\"").code());
        equal(204, send(Method::Delete, "", "\"3\"").status);
        CHECK(!_host->validate(token)->may("desk.settings:write"));
        equal("not_found", send(Method::Delete, "", "*").code());
        const auto unseen = _host->call({.method = Method::Put,
                                         .target = "/api/users/" + _member + "/permission-overrides",
                                         .body = R"({"permission":"desk.settings:write","effect":"allow","reason":"x"})",
                                         .headers = {{"If-Match", "\"3\""}}},
                                        _adminToken);
        equal("version_conflict", unseen.code());
        equal(5, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'permission_override.%'"));
    }

    TEST(keepsRanksAndOwnRights)
    {
        const std::string read = R"({"permission":"desk.tickets:read","effect":"deny","reason":"x"})";
        equal("permission_denied", put(_memberToken, _member, read).code());
        equal("outranked", put(_adminToken, _owner, read).code());
        equal("outranked", put(_adminToken, _admin, read).code());
        equal("not_found", put(_adminToken, _stranger, read).code());
        const auto of = [](std::string_view permission)
        { return jsonWith(R"({"permission":"$","effect":"allow","reason":"x"})", permission); };
        equal("cannot_grant_unheld_permission", put(_adminToken, _member, of("identity.audit:read")).code());
        equal("cannot_grant_unheld_permission", put(_adminToken, _member, of("identity.*:*")).code());
        equal("cannot_grant_unheld_permission", put(_ownerToken, _member, of("identity.users:manage")).code());
        equal(200, put(_adminToken, _member, of("desk.*:*")).status);
        equal(200, put(_ownerToken, _member, of("identity.audit:read")).status);
        for (const auto* wrong : {"desk.tickets:eat", "nowhere.a:b", "*", "*.*:*", "desk.tick*:read", "desk"})
            equal("unknown_permission", put(_adminToken, _member, of(wrong)).code());
        // An admin cannot grant a permission that they have lost.
        put(_ownerToken, _admin, R"({"permission":"desk.tickets:purge","effect":"deny","reason":"x"})");
        equal("cannot_grant_unheld_permission", put(_adminToken, _member, of("desk.tickets:purge")).code());
        // An operator can grant any permission, in any organization.
        _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@x.example", "identity");
        const auto body = jsonWith(R"({"permission":"identity.users:manage","effect":"allow","reason":"x","organizationId":"$"})", _acme);
        equal(200, put(root, _member, body).status);
        equal("not_found", put(root, _stranger, body).code());
        equal("not_found", put(_ownerToken, _member,
                               jsonWith(R"({"permission":"desk.tickets:read","effect":"deny","reason":"x","organizationId":"$"})",
                                        _host->organizationId("globex")))
                               .code());
    }

    TEST(forgetsOverridesThatExpire)
    {
        const auto token = _host->signIn("member@acme.example");
        equal("in_the_past", put(_adminToken, _member,
                                 R"({"permission":"desk.settings:write","effect":"allow","reason":"x","expiresAt":"2020-01-01T00:00:00Z"})")
                                 .at("/errors/0/code"));
        const auto end = toString(_host->context().clock().now() + std::chrono::minutes(5));
        put(_adminToken, _member, jsonWith(R"({"permission":"desk.settings:write","effect":"allow","reason":"x","expiresAt":"$"})", end));
        CHECK(_host->validate(token)->may("desk.settings:write"));
        _host->context().clock().advance(std::chrono::minutes(5));
        CHECK(!_host->validate(token)->may("desk.settings:write"));
        equal("false", explain(_memberToken, _member, "desk.settings:write").at("/allowed"));
    }

    /// An allowing pattern covers the permissions at its creation; a denying pattern also covers later ones.
    TEST(patternsDoNotGrowWithTheCatalog)
    {
        const auto token = _host->signIn("member@acme.example"), guest = _host->signIn("admin@acme.example");
        put(_adminToken, _member, R"({"permission":"desk.*:*","effect":"allow","reason":"substitute"})");
        put(_ownerToken, _admin, R"({"permission":"desk.tickets:*","effect":"deny","reason":"on leave"})");
        _host->createUser("guest@acme.example", "acme", "guest");
        const auto bundle = _host->call({.method = Method::Put,
                                         .target = "/api/services/desk/role-bundles/desk-guest?organizationId=" + _acme,
                                         .body = R"({"permissions":["desk.*:read"]})"},
                                        _ownerToken);
        equal(200, bundle.status, bundle.body);
        equal(R"(["desk.*:read"])", bundle.at("/permissions"));
        const auto guests = _host->signIn("guest@acme.example");
        CHECK(_host->validate(token)->may("desk.settings:write") && _host->validate(guests)->may("desk.tickets:read"));
        auto manifest = IdentityHost::deskManifest();
        const std::string before = R"({"permission":"desk.tickets:write","title":"Write"})";
        manifest.insert(manifest.find(before), R"({"permission":"desk.tickets:export","title":"Export","risk":"high"},)"
                                               R"({"permission":"desk.salaries:read","title":"Salaries","risk":"high"},)");
        _host->publish({IdentityHost::identityManifest(), manifest});
        equal(7, _host->count("SELECT COUNT(*) FROM service_permissions WHERE service_id = 'desk'"));
        for (const auto* later : {"desk.tickets:export", "desk.salaries:read"})
        {
            CPPUNIT_ASSERT_MESSAGE(later, !_host->validate(token)->may(later));
            CPPUNIT_ASSERT_MESSAGE(later, !_host->validate(guests)->may(later));
            equal("false", explain(_adminToken, _member, later).at("/allowed"));
        }
        CHECK(_host->validate(token)->may("desk.settings:write") && _host->validate(guests)->may("desk.tickets:read"));
        CPPUNIT_ASSERT_MESSAGE("a denial grows", !_host->validate(guest)->may("desk.tickets:export"));
        CPPUNIT_ASSERT_MESSAGE("the service's own bundle grows", _host->validate(guest)->may("desk.salaries:read"));
        // Granting the pattern again covers current permissions, and requires an actor who has them.
        const auto again = R"({"permission":"desk.*:*","effect":"allow","reason":"still"})";
        equal("cannot_grant_unheld_permission", put(_adminToken, _member, again).code());
        equal(200, put(_ownerToken, _member, again).status);
        CHECK(_host->validate(token)->may("desk.tickets:export"));
    }

    TEST(answersBatches)
    {
        const auto check = [&](const std::string& token, std::string body)
        { return _host->call({.method = Method::Post, .target = "/api/permissions/check", .body = std::move(body)}, token); };
        const auto said = check(_memberToken, R"({"checks":[{"permission":"desk.tickets:read"},{"permission":"desk.settings:write"},
            {"permission":"desk.none:none"},{"permission":"desk.tickets:read","resource":"queue:que_1"}]})");
        equal(200, said.status, said.body);
        equal("true", said.at("/results/0/allowed"));
        equal("not_granted", said.at("/results/1/reason"));
        equal("unknown_permission", said.at("/results/2/reason"));
        equal("true", said.at("/results/3/allowed"));
        equal(std::to_string(_host->validate(_memberToken, "identity")->revision), said.at("/revision"));
        const auto about = [](const std::string& user)
        { return jsonWith(R"({"checks":[{"userId":"$","permission":"desk.settings:write"}]})", user); };
        equal("permission_denied", check(_memberToken, about(_admin)).code());
        equal("true", check(_adminToken, about(_owner)).at("/results/0/allowed"));
        equal("not_found", check(_adminToken, about(_stranger)).code());
        std::string many;
        for (int i = 0; i < 101; ++i) many += std::string(i ? "," : "") + R"({"permission":"desk.tickets:read"})";
        equal("validation_failed", check(_memberToken, jsonWith(R"({"checks":[$]})", many)).code());
        equal("validation_failed", check(_memberToken, R"({"checks":[]})").code());
        for (const auto* resource : {"queue", ":1", "queue:"})
        {
            const auto refused = check(_memberToken, jsonWith(R"({"checks":[{"permission":"desk.tickets:read"},
                {"permission":"desk.tickets:read","resource":"$"}]})",
                                                              resource));
            equal("checks[1].resource invalid_resource", refused.at("/errors/0/field") + ' ' + refused.at("/errors/0/code"));
            const auto asked = _host->call({.target = "/validate?resource=" + std::string(resource)}, _memberToken);
            equal("invalid_resource", asked.at("/errors/0/code"));
        }
        equal("validation_failed", check(_memberToken, R"({"checks":[{"permission":"desk.tickets:read","resource":"queue"}]})").code());
    }

    /// Inspection must agree with the next request of a token, for all combinations of bundles, overrides and access.
    TEST(inspectionSaysWhatRoutesDecide)
    {
        std::mt19937 random(7);
        const auto token = _host->signIn("member@acme.example");
        const std::vector<std::string> patterns = {"desk.*:*",          "desk.tickets:*",      "desk.*:write",
                                                   "desk.tickets:read", "desk.settings:write", "desk.tickets:purge",
                                                   "desk.tickets:write"};
        const auto any = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
        for (int round = 0; round < 40; ++round)
        {
            _host->change("DELETE FROM permission_overrides WHERE organization_id = $1", {_acme});
            _host->change("DELETE FROM role_bundle_overrides WHERE organization_id = $1", {_acme});
            const std::vector<std::string> roles = {"guest", "member", "admin", "super_admin", "owner"};
            _host->change("UPDATE memberships SET role = $1 WHERE user_id = $2", {roles[any(5)], _member});
            _host->change("UPDATE service_access SET status = $1 WHERE organization_id = $2 AND service_id = 'desk'",
                          {any(6) == 0 ? "suspended" : "active", _acme});
            for (std::size_t i = any(4); i > 0; --i)
                _host->change("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, "
                              "expires_at, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, '', '', NULL, 1, 1, 1)",
                              {identity::OverrideId::make(_host->context().clock().now()).text(), _member, _acme, patterns[any(7)],
                               any(2) ? "allow" : "deny"});
            if (any(2))
                _host->change("INSERT INTO role_bundle_overrides (organization_id, service_id, bundle_id, roles, permissions, version, "
                              "created_at, updated_at) VALUES ($1, 'desk', $2, $3, $4, 1, 1, 1)",
                              {_acme, any(2) ? "desk-member" : "desk-admin", any(2) ? R"(["member"])" : R"(["guest","admin","owner"])",
                               "[\"" + patterns[any(7)] + "\"]"});
            const auto shown = inspect(_ownerToken, _member, "?service_id=desk");
            std::string expected = "[]";
            if (_host->verdict(token) == "ok")
            {
                expected = "[";
                for (const auto& permission : _host->validate(token)->permissions)
                    expected += (expected == "[" ? "\"" : ",\"") + permission + '"';
                expected += ']';
            }
            equal(expected, shown.at("/effectivePermissions"));
            for (const auto* permission : {"desk.tickets:read", "desk.tickets:purge", "desk.settings:write"})
                equal(std::string(expected.find(permission) == std::string::npos ? "false" : "true"),
                      explain(_ownerToken, _member, permission).at("/allowed"));
        }
    }

    /// Kinds of people, and what `/permissions`, `/explain`, `/permissions/check` and a request of theirs say of every permission.
    TEST(everyAnswerSaysWhatRoutesDecide)
    {
        _host->change("UPDATE services SET contexts = '[\"organization\",\"personal\"]', personal_access = TRUE, version = version + 1 "
                      "WHERE service_id = 'desk'");
        _host->createUser("weak@x.example", "acme", "guest", "platform_admin");
        _host->createUser("strong@x.example", "globex", "guest", "platform_admin");
        const auto external = [&](const std::string& name, const std::string& services)
        {
            const auto id = _host->createUser(name + "@x.example");
            _host->change("UPDATE users SET principal_type = 'external', principal_services = $1 WHERE id = $2", {services, id});
        };
        external("inside", R"(["desk"])");
        external("outside", "[]");
        external("elsewhere", R"(["paper"])");
        _host->createUser("alone@x.example");
        _host->createUser("guest@acme.example", "acme", "guest");
        _host->createUser("closed@x.example", "shut", "admin");
        _host->change("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1 AND service_id = 'desk'",
                      {_host->organizationId("shut")});
        struct Person
        {
            std::string email;
            std::string organization;
        };
        const std::vector<Person> people = {{"owner@acme.example", "acme"}, {"member@acme.example", "acme"}, {"guest@acme.example", "acme"},
                                            {"weak@x.example", "acme"},     {"strong@x.example", "globex"},  {"closed@x.example", "shut"},
                                            {"inside@x.example", {}},       {"outside@x.example", {}},       {"elsewhere@x.example", {}},
                                            {"alone@x.example", {}},        {"member@acme.example", {}}};
        for (const bool strict : {false, true})
        {
            // The admin organization's policy disables the platform role for sign-ins by password.
            _host->change("UPDATE organizations SET security_policy = $1 WHERE kind = 'admin'",
                          {strict ? R"({"mfaRequired":true})" : R"({})"});
            for (const auto& [email, slug] : people)
                for (const std::string service : {"desk", "identity"}) compareAnswers(email, slug, service);
        }
    }

    /// The judgement that names its reasons against the fast one, without a database.
    TEST(judgesOneByOneAsAllTogether)
    {
        using namespace identity;
        std::mt19937 random(11);
        const auto any = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
        const std::vector<std::string> resources = {"a", "b", "c"}, actions = {"read", "write"};
        const auto pattern = [&]
        { return "x." + (any(4) ? resources[any(3)] : std::string("*")) + ':' + (any(4) ? actions[any(2)] : std::string("*")); };
        const std::vector<Role> roles = {Role::Guest, Role::Member, Role::Admin, Role::SuperAdmin, Role::Owner};
        for (int round = 0; round < 2000; ++round)
        {
            CatalogService service;
            service.serviceId = "x";
            service.status = any(10) ? "active" : "suspended";
            service.contexts = {any(10) ? ContextKind::Organization : ContextKind::Personal};
            service.personalAccess = any(2);
            for (const auto& resource : resources)
                for (const auto& action : actions)
                    service.permissions.push_back({"x." + resource + ':' + action, "", "", Risk::Low, false});
            for (std::size_t i = any(4); i > 0; --i)
                service.bundles.push_back({"b" + std::to_string(i), "", {roles[any(5)], roles[any(5)]}, {pattern(), pattern()}});
            service.expand();
            EvaluationInput input;
            input.context = any(8) ? ContextKind::Organization : ContextKind::Personal;
            input.role = roles[any(5)];
            input.platformBypass = any(12) == 0;
            input.inGoodStanding = any(8);
            input.organizationAccess = any(8);
            const Instant now = fromMillis(1000);
            for (std::size_t i = any(4); i > 0; --i)
                input.userOverrides.push_back({pattern(), any(2) ? Effect::Allow : Effect::Deny,
                                               any(3) ? std::nullopt : std::optional(fromMillis(500 + static_cast<int>(any(2)) * 1000))});
            if (any(3) == 0) input.bundleOverrides.push_back({"b1", "", {roles[any(5)]}, {pattern()}});
            std::vector<std::string> oneByOne;
            const Evaluation evaluation(service, input, now);
            for (const auto& permission : service.all())
                if (evaluation.of(permission).allowed) oneByOne.push_back(permission);
            CHECK(oneByOne == effectivePermissions(service, input, now));
        }
    }

    /// Compares the permissions of a request in a service with the answers of the permission routes.
    void compareAnswers(const std::string& email, const std::string& slug, const std::string& service)
    {
        // Stays below the limit of sign-ins from one network.
        _host->context().clock().advance(std::chrono::minutes(2));
        const auto place = slug.empty() ? std::string() : jsonWith(R"(,"organizationId":"$")", _host->organizationId(slug));
        const auto query = slug.empty() ? std::string("&context=personal") : "&organizationId=" + _host->organizationId(slug);
        const auto asking = _host->login(email, IdentityHost::password, "identity", place);
        equal(200, asking.status, email + asking.body);
        auto token = asking.at("/access_token");
        const auto id = asking.at("/user/id");
        if (slug.empty() && asking.at("/activeContext/kind") != "personal")
            token = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = R"({"kind":"personal"})"}, token)
                        .at("/access_token");
        std::vector<std::string> expected;
        const auto there = slug.empty() ? _host->login(email, IdentityHost::password, service)
                                        : _host->login(email, IdentityHost::password, service, place);
        if (there.status == 200 &&
            (slug.empty() ? std::string("personal") : std::string("organization")) == there.at("/activeContext/kind") &&
            _host->verdict(there.at("/access_token"), service) == "ok")
            expected = _host->validate(there.at("/access_token"), service)->permissions;
        else if (there.status == 200 && slug.empty() && there.at("/activeContext/kind") != "personal")
            return;
        const auto where = email + " in " + (slug.empty() ? "personal" : slug) + " at " + service;
        const auto shown = inspect(token, id, "?service_id=" + service + query);
        equal(200, shown.status, where + shown.body);
        equal(expected.size(), shown.count("/effectivePermissions"), where);
        const auto all = _host->context().database().session().values<std::string>(
            "SELECT permission FROM service_permissions WHERE service_id = $1 ORDER BY permission", service);
        for (const auto& permission : all)
        {
            const std::string may = std::ranges::count(expected, permission) ? "true" : "false";
            const auto said = _host->call({.target = "/api/users/" + id + "/permissions/explain?permission=" + permission + query}, token);
            equal(may, said.at("/allowed"), where + ": " + permission + said.body);
            const auto checked = _host->call({.method = Method::Post,
                                              .target = "/api/permissions/check",
                                              .body = jsonWith(R"({"checks":[{"permission":"$"}]})", permission)},
                                             token);
            equal(may, checked.at("/results/0/allowed"), where + ": " + permission + checked.body);
        }
    }

    TestAnswer inspect(const std::string& token, const std::string& user, const std::string& query = {}) const
    {
        return _host->call({.target = "/api/users/" + user + "/permissions" + query}, token);
    }
    TestAnswer explain(const std::string& token, const std::string& user, const std::string& permission) const
    {
        return _host->call({.target = "/api/users/" + user + "/permissions/explain?permission=" + permission}, token);
    }
    TestAnswer put(const std::string& token, const std::string& user, std::string body) const
    {
        return _host->call({.method = Method::Put, .target = "/api/users/" + user + "/permission-overrides", .body = std::move(body)},
                           token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _admin, _member, _stranger, _acme;
    std::string _ownerToken, _adminToken, _memberToken;
};

} // namespace portico::tests
