#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <algorithm>
#include <thread>

namespace portico::tests
{

/// Registry API: visibility of services, registration of external services, manifests, bundles and access.
class RegistryRoutesTest : public Suite<RegistryRoutesTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("super@acme.example", "acme", "super_admin");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        _acme = _host->organizationId("acme");
        _root = _host->signIn("root@x.example", "identity");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        _memberToken = _host->signIn("member@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(listsWhatIsOpen)
    {
        auto shown = get("/api/services", _memberToken);
        equal(2, shown.count("/items"), shown.body);
        equal("desk", shown.at("/items/0/service_id"));
        equal("application", shown.at("/items/0/surface_kind"));
        equal("http://desk.localhost:8080/", shown.at("/items/0/launchUrl"));
        equal("platform", shown.at("/items/0/publisher/type"));
        equal(R"(["http://desk.localhost:8080","https://desk.example"])", shown.at("/items/0/origins"));
        const auto ids = [&](const std::string& query, const std::string& token)
        {
            const auto answer = get("/api/services?" + query, token);
            std::string found;
            for (std::size_t i = 0; i < answer.count("/items"); ++i)
                found += answer.at("/items/" + std::to_string(i) + "/service_id") + ' ';
            return found;
        };
        equal("identity ", ids("surface_kind=internal", _memberToken));
        equal("desk ", ids("surface_group=business,personal", _memberToken));
        equal("", ids("launchable=true", _memberToken));
        equal("desk ", ids("q=DES", _memberToken));
        equal("unknown_parameter", get("/api/services?kind=api", _memberToken).code());
        shown = get("/api/services?limit=1&include=total", _memberToken);
        equal("2", shown.at("/total"));
        shown = get("/api/services?limit=1&cursor=" + shown.at("/nextCursor"), _memberToken);
        equal("identity", shown.at("/items/0/service_id"));
        equal("null", shown.at("/nextCursor"));
        // Closed services are shown to operators only, on request.
        equal(200, move("desk", "suspend").status);
        equal("identity ", ids("", _memberToken));
        equal("", ids("status=suspended", _memberToken));
        equal("desk ", ids("status=suspended", _root));
        equal("not_found", get("/api/services/desk", _memberToken).code());
        equal("suspended", get("/api/services/desk", _root).at("/status"));
        CHECK(get("/api/permissions", _memberToken).body.find("desk.") == std::string::npos);
    }

    TEST(showsWhatAServiceDefines)
    {
        const auto permissions = get("/api/services/desk/permissions", _memberToken);
        equal(5, permissions.count("/items"));
        equal("high", permissions.at("/items/1/risk"));
        const auto all = get("/api/permissions", _memberToken);
        CHECK(all.count("/items") > 5);
        CHECK(all.body.find(R"("permission":"desk.tickets:read")") != std::string::npos);
        CHECK(all.body.find(R"("permission":"identity.)") != std::string::npos);
        equal("Vorgänge lesen", get("/api/services/desk", _memberToken).at("/texts/de/permissions/desk.tickets:read/title"));
        const auto bundles = get("/api/services/desk/role-bundles", _memberToken);
        equal(3, bundles.count("/items"));
        const auto manifest = get("/api/services/desk/manifest", _root);
        equal("Desk", manifest.at("/name"));
        CHECK(!manifest.etag.empty());
        equal("permission_denied", get("/api/services/desk/manifest", _ownerToken).code());
        equal("not_found", get("/api/services/nowhere", _memberToken).code());
        // A key reads with its scope, and only while its owner may.
        const auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body = jsonWith(
                 R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"identity","scopes":["services.read"]}]})",
                 _member)},
            _memberToken);
        equal(201, made.status, made.body);
        equal(200, get("/api/services", made.at("/key")).status);
        _host->change("UPDATE memberships SET role = 'guest' WHERE user_id = $1", {_member});
        equal("permission_denied", get("/api/services", made.at("/key")).code());
    }

    TEST(registersServicesFromElsewhere)
    {
        const auto made = send(Method::Post, "/api/services", shop());
        equal(201, made.status, made.body);
        equal("draft", made.at("/service/status"));
        equal("true", made.at("/report/complete"));
        equal("service_exists", send(Method::Post, "/api/services", shop()).code());
        equal("service_access_denied", _host->login("owner@acme.example", IdentityHost::password, "shop").code());
        equal("active", move("shop", "activate").at("/status"));
        const auto token = _host->signIn("owner@acme.example", "shop");
        equal("ok", _host->verdict(token, "shop"));
        // No host has it, and none closes it.
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()}, "two");
        equal("ok", _host->verdict(token, "shop"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service.registered'"));
    }

    TEST(refusesBadManifests)
    {
        const auto refusal = [&](std::string_view what, std::string_view by)
        {
            auto text = shop();
            const auto at = text.find(what);
            CHECK(at != std::string::npos);
            text.replace(at, what.size(), by);
            const auto answer = send(Method::Post, "/api/services", text);
            equal("manifest_invalid", answer.code(), answer.body);
            return answer.at("/errors/0/field");
        };
        equal("service_id", refusal(R"("service_id":"shop")", R"("service_id":"Shop!")"));
        equal("launchUrl", refusal("https://shop.example/", "javascript:alert(1)"));
        equal("launchable", refusal(R"("surface_kind":"application")", R"("surface_kind":"api")"));
        equal("surface_group", refusal(R"("business")", R"("pirates")"));
        equal("permissions[0].permission", refusal("shop.carts:read", "desk.carts:read"));
        equal("roleBundles[0].permissions[0]", refusal(R"(["shop.*:*"])", R"(["*.*:*"])"));
        equal("apiKeyScopes[0].bindable[0]", refusal(R"("bindable":[])", R"("bindable":["shelf"])"));
        for (const auto& [texts, field] :
             {std::pair(R"({"German":{}})", "texts.German"), std::pair(R"({"de-":{}})", "texts.de-"),
              std::pair(R"({"pt-BR":{"apiKeyScopes":{"carts.sell":{"title":"x"}}}})", "texts.pt-BR.apiKeyScopes.carts.sell"),
              std::pair(R"({"de":{"permissions":{"shop.carts:read":{"title":""}}}})", "texts.de.permissions.shop.carts:read.title")})
            equal(field, refusal(R"("name":"Shop")", jsonWith(R"("name":"Shop","texts":$)", texts)));
        equal("surprise", refusal(R"("name":"Shop")", R"("name":"Shop","surprise":1)"));
        for (const auto* uri : {"javascript:/alert(1)", "data:/x", "http://evil.example/x", "http://localhost.evil.example/x", "shop:/x",
                                "shop-app:x", "/mobile/callback", "https://shop.example/#x", ""})
            equal("nativeClient.redirectUris[1]",
                  refusal(R"("name":"Shop")", jsonWith(R"("name":"Shop","nativeClient":{"redirectUris":["shop-app:/x","$"]})", uri)), uri);
        equal("nativeClient.redirectUris", refusal(R"("name":"Shop")", R"("name":"Shop","nativeClient":{"redirectUris":[]})"));
        equal("origins[0]", refusal("[\"https://shop.example\"]", "[\"https://shop.example/path\"]"));
        equal("invalid_json", send(Method::Post, "/api/services", "{").code());
        equal(0, _host->count("SELECT COUNT(*) FROM services WHERE remote"));
    }

    TEST(movesThroughItsStates)
    {
        auto incomplete = shop();
        incomplete.replace(incomplete.find(R"("guest",)"), 8, "");
        equal("false", send(Method::Post, "/api/services", incomplete).at("/report/complete"));
        const auto refused = move("shop", "activate");
        equal("service_incomplete", refused.code());
        equal("guest", refused.at("/details/checks/roleBundles/missingRoles/0"));
        equal(200, send(Method::Put, "/api/services/shop/manifest", shop()).status);
        equal("ready", get("/api/services/shop", _root).at("/status"));
        equal("conflict", move("shop", "suspend").code());
        equal("active", move("shop", "activate").at("/status"));
        const auto token = _host->signIn("owner@acme.example", "shop");
        equal("suspended", move("shop", "suspend").at("/status"));
        equal("service_access_denied", _host->verdict(token, "shop"));
        equal("active", move("shop", "activate").at("/status"));
        equal("ok", _host->verdict(token, "shop"));
        equal("retired", move("shop", "retire").at("/status"));
        equal("conflict", move("shop", "activate").code());
        equal("conflict", move("identity", "suspend").code());
        equal("not_found", move("nowhere", "suspend").code());
        // Becoming complete is recorded too.
        equal(5, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service.status_changed'"));
    }

    TEST(operatorsSwitchPersonalAccess)
    {
        auto personal = shop();
        personal.replace(personal.find(R"(["organization"])"), 16, R"(["organization","personal"])");
        send(Method::Post, "/api/services", personal);
        move("shop", "activate");
        const auto alone = [&]
        {
            const auto answer = _host->login("alone@x.example", IdentityHost::password, "shop");
            return answer.status == 200 ? std::string("ok") : answer.code();
        };
        _host->createUser("alone@x.example");
        equal("ok", alone());
        auto closed = personal;
        closed.replace(closed.find(R"("launchable":true)"), 17, R"("launchable":true,"personalAccess":false)");
        equal(R"([{"kind":"member","name":"personalAccess"}])",
              send(Method::Put, "/api/services/shop/manifest", closed).at("/applied/changed"));
        equal("service_access_denied", alone());
        equal("[]", send(Method::Put, "/api/services/shop/manifest", closed).at("/applied/changed"));
        equal(200, send(Method::Put, "/api/services/shop/manifest", personal).status);
        equal("ok", alone());
    }

    TEST(showsPlansAndApplies)
    {
        send(Method::Post, "/api/services", shop());
        auto changed = shop();
        changed.replace(changed.find("\"Read carts\""), 12, "\"See carts\"");
        changed.replace(changed.find(R"({"permission":"shop.carts:write","title":"Write"})"), 49,
                        R"({"permission":"shop.orders:read","title":"Orders"})");
        const auto plan = send(Method::Put, "/api/services/shop/manifest?dryRun=1", changed);
        equal(200, plan.status, plan.body);
        equal(R"([{"kind":"permission","name":"shop.orders:read"}])", plan.at("/applied/added"));
        equal(R"([{"kind":"permission","name":"shop.carts:read"}])", plan.at("/applied/changed"));
        equal(R"([{"kind":"permission","name":"shop.carts:write"}])", plan.at("/applied/removed"));
        equal("1", get("/api/services/shop", _root).at("/version"));
        const auto applied = send(Method::Put, "/api/services/shop/manifest", changed);
        equal(plan.at("/applied"), applied.at("/applied"));
        equal("2", get("/api/services/shop", _root).at("/version"));
        equal("shop.orders:read", get("/api/services/shop/permissions", _root).at("/items/1/permission"));
        // Again: nothing to do, and nothing written.
        equal(R"({"added":[],"changed":[],"removed":[]})", send(Method::Put, "/api/services/shop/manifest", changed).at("/applied"));
        equal("2", get("/api/services/shop", _root).at("/version"));
        // An answer can be sent back unchanged.
        equal(R"({"added":[],"changed":[],"removed":[]})",
              send(Method::Put, "/api/services/shop/manifest", get("/api/services/shop/manifest", _root).body).at("/applied"));
        equal("manifest_invalid", send(Method::Put, "/api/services/desk/manifest", changed).code());
        equal("not_found", get("/api/services/nowhere/manifest", _root).code());
    }

    TEST(guardsScopesInUse)
    {
        const auto body =
            jsonWith(R"({"name":"k","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read",)"
                     R"("tickets.write"]}]})",
                     _acme);
        const auto made = _host->call({.method = Method::Post, .target = "/api/api-keys", .body = body}, _ownerToken);
        equal(201, made.status, made.body);
        auto fewer = IdentityHost::deskManifest();
        const std::string_view scope = R"({"scope":"tickets.write","title":"Write","permissions":["desk.tickets:write"],"bindable":[]},)";
        fewer.replace(fewer.find(scope), scope.size(), "");
        fewer.replace(fewer.find("\"launchUrl\":\"/\""), 15, "\"launchUrl\":\"\"");
        const auto refused = send(Method::Put, "/api/services/desk/manifest", fewer);
        equal("scope_in_use", refused.code(), refused.body);
        equal(R"([{"scope":"tickets.write","keys":1}])", refused.at("/details/scopes"));
        CHECK(_host->validate(made.at("/key"))->hasScope("tickets.write"));
        const auto plan = send(Method::Put, "/api/services/desk/manifest?dryRun=1", fewer);
        CHECK(plan.body.find("tickets.write") != std::string::npos);
        equal(200, send(Method::Put, "/api/services/desk/manifest?force=1&dryRun=1", fewer).status);
        CHECK(_host->validate(made.at("/key"))->hasScope("tickets.write"));
        equal(200, send(Method::Put, "/api/services/desk/manifest?force=1", fewer).status);
        CHECK(!_host->validate(made.at("/key"))->hasScope("tickets.write"));
        CHECK(_host->validate(made.at("/key"))->hasScope("tickets.read"));
        const auto key = get("/api/api-keys/" + made.at("/apiKey/id"), _ownerToken);
        equal(R"(["tickets.read"])", key.at("/grants/0/scopes"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.scopes_removed'"));
        // Its owners are notified, and an event is published for other services.
        const auto mail = _host->context().mailer().sentTo("owner@acme.example").back();
        equal("Your API key k lost scopes", mail.subject);
        CHECK(mail.text.find("tickets.write") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        equal(1, _host->context().events().published("identity.api_key.scopes_removed").size());
    }

    TEST(oneOfTwoWritersWins)
    {
        send(Method::Post, "/api/services", shop());
        auto changed = shop();
        changed.replace(changed.find("\"Read carts\""), 12, "\"See carts\"");
        equal("version_conflict", send(Method::Put, "/api/services/shop/manifest", changed, "\"7\"").code());
        std::vector<int> statuses(4);
        std::vector<std::thread> writers;
        for (std::size_t i = 0; i < statuses.size(); ++i)
            writers.emplace_back(
                [&, i]
                {
                    auto mine = shop();
                    mine.replace(mine.find("\"Read carts\""), 12, "\"Title " + std::to_string(i) + "\"");
                    statuses[i] = send(Method::Put, "/api/services/shop/manifest", mine, "\"1\"").status;
                });
        for (auto& writer : writers) writer.join();
        equal(1, std::count(statuses.begin(), statuses.end(), 200));
        equal(3, std::count(statuses.begin(), statuses.end(), 412));
        equal("2", get("/api/services/shop", _root).at("/version"));
    }

    TEST(reportsDrift)
    {
        auto drift = get("/api/services/desk/drift", _root);
        equal("true", drift.at("/inSync"), drift.body);
        equal("permission_denied", get("/api/services/desk/drift", _ownerToken).code());
        equal(200, send(Method::Put, "/api/services/desk/role-bundles/desk-member", R"({"permissions":["desk.tickets:read"]})").status);
        drift = get("/api/services/desk/drift", _root);
        equal("false", drift.at("/inSync"));
        equal(R"([{"kind":"role_bundle","name":"desk-member"}])", drift.at("/changed"));
        // If the host repeats its manifest, manual changes stay. A different manifest is applied completely.
        const auto publish = [&](const std::string& desk) { _host->publish({IdentityHost::identityManifest(), desk}); };
        publish(IdentityHost::deskManifest());
        equal("false", get("/api/services/desk/drift", _root).at("/inSync"));
        auto newer = IdentityHost::deskManifest();
        newer.replace(newer.find("1.0.0"), 5, "1.0.1");
        publish(newer);
        equal("true", get("/api/services/desk/drift", _root).at("/inSync"));
    }

    TEST(changesBundlesOfOneOrganization)
    {
        const auto token = _host->signIn("member@acme.example");
        _host->createUser("member@globex.example", "globex", "member");
        const auto other = _host->signIn("member@globex.example");
        const auto place = "/api/services/desk/role-bundles/desk-member?organizationId=" + _acme;
        equal("permission_denied", send(Method::Put, place, R"({"permissions":[]})", {}, _memberToken).code());
        const auto changed = send(Method::Put, place, R"({"permissions":["desk.*:read"]})", {}, _ownerToken);
        equal(200, changed.status, changed.body);
        CHECK(!_host->validate(token)->may("desk.tickets:write"));
        CHECK(_host->validate(other)->may("desk.tickets:write"));
        const auto list = get("/api/services/desk/role-bundles?organizationId=" + _acme, _ownerToken);
        equal(R"(["desk.*:read"])", list.at("/items/2/permissions"));
        equal(_acme, list.at("/items/2/organizationId"));
        // An answer can be sent back with its version.
        equal("0", list.at("/items/0/version"));
        equal("1", list.at("/items/2/version"));
        const auto same = send(Method::Put, place, changed.body, changed.etag, _ownerToken);
        equal("1", same.at("/version"), same.body);
        equal("2", send(Method::Put, place, R"({"permissions":[]})", changed.etag, _ownerToken).at("/version"));
        equal("version_conflict", send(Method::Put, place, changed.body, changed.etag, _ownerToken).code());
        equal("unknown_permission", send(Method::Put, place, R"({"permissions":["desk.x:y"]})", {}, _ownerToken).code());
        equal("not_found",
              send(Method::Put, "/api/services/desk/role-bundles/desk-member?organizationId=" + _host->organizationId("globex"),
                   R"({"permissions":[]})", {}, _ownerToken)
                  .code());
        equal("not_found",
              send(Method::Put, "/api/services/desk/role-bundles/x?organizationId=" + _acme, R"({"permissions":[]})", {}, _ownerToken)
                  .code());
        equal(204, send(Method::Delete, place, "", {}, _ownerToken).status);
        CHECK(_host->validate(token)->may("desk.tickets:write"));
    }

    TEST(keepsRanksOfBundles)
    {
        const auto super = _host->signIn("super@acme.example", "identity");
        const auto put = [&](const std::string& service, const std::string& bundle, std::string body, const std::string& token)
        {
            return send(Method::Put, "/api/services/" + service + "/role-bundles/" + bundle + "?organizationId=" + _acme, std::move(body),
                        {}, token)
                .code();
        };
        // desk-admin is for owners, too.
        equal("outranked", put("desk", "desk-admin", R"({"permissions":["desk.tickets:read"]})", super));
        equal("outranked", put("identity", "identity-member", R"({"permissions":[],"roles":["super_admin"]})", super));
        equal("cannot_grant_unheld_permission",
              put("identity", "identity-member", R"({"permissions":["identity.organizations:delete"]})", super));
        equal("cannot_grant_unheld_permission",
              put("identity", "identity-admin", R"({"permissions":["identity.users:manage"]})", _ownerToken));
        equal("", put("identity", "identity-member", R"({"permissions":["identity.audit:read"]})", super));
        CHECK(_host->validate(_memberToken, "identity")->may("identity.audit:read"));
    }

    TEST(changesBundlesOfEverybody)
    {
        const auto token = _host->signIn("member@acme.example");
        const std::string place = "/api/services/desk/role-bundles/desk-member", body = R"({"permissions":["desk.settings:write"]})";
        equal("permission_denied", send(Method::Put, place, body, {}, _ownerToken).code());
        equal("version_conflict", send(Method::Put, place, body, "\"9\"").code());
        equal(200, send(Method::Put, place, body).status);
        CHECK(_host->validate(token)->may("desk.settings:write"));
        CHECK(!_host->validate(token)->may("desk.tickets:read"));
    }

    TEST(opensAndClosesServices)
    {
        const auto token = _host->signIn("member@acme.example");
        const auto place = "/api/organizations/" + _acme + "/service-access";
        const auto list = get(place, _ownerToken);
        equal("desk", list.at("/items/0/service_id"));
        equal("Desk", list.at("/items/0/name"));
        equal("permission_denied", get(place, _memberToken).code());
        equal("permission_denied", send(Method::Delete, place + "/desk", "", {}, _ownerToken).code());
        equal(200, send(Method::Put, place + "/desk", R"({"status":"suspended"})").status);
        equal("service_access_denied", _host->verdict(token));
        const auto opened = send(Method::Put, place + "/desk", R"({"status":"active","plan":"five"})");
        equal(200, opened.status);
        equal("five", send(Method::Put, place + "/desk", opened.body, opened.etag).at("/plan"));
        equal("ok", _host->verdict(token));
        equal("version_conflict", send(Method::Delete, place + "/desk", "", "\"1\"").code());
        equal(204, send(Method::Delete, place + "/desk").status);
        equal("service_access_denied", _host->verdict(token));
        equal("not_found", send(Method::Delete, place + "/desk").code());
        equal(200, send(Method::Put, place + "/desk", R"({"status":"active"})").status);
        equal("ok", _host->verdict(token));
        equal("conflict", send(Method::Delete, place + "/identity").code());
        equal("not_found", send(Method::Put, place + "/nowhere", R"({"status":"active"})").code());
        const auto globex = "/api/organizations/org_01jd0000000000000000000000/service-access";
        equal("not_found", get(globex, _ownerToken).code());
        equal("not_found", get(globex, _root).code());
    }

    TEST(asksForAPlan)
    {
        auto paid = shop();
        paid.replace(paid.find(R"("name":"Shop")"), 13, R"("name":"Shop","commerce":{"pricing":"paid"})");
        equal(201, send(Method::Post, "/api/services", paid).status);
        const auto place = "/api/organizations/" + _acme + "/service-access/shop";
        const auto answer = send(Method::Put, place, R"({"status":"active"})");
        refused(answer, 402, "plan_required");
        equal(200, send(Method::Put, place, R"({"status":"suspended"})").status);
        equal("three", send(Method::Put, place, R"({"status":"active","plan":"three"})").at("/plan"));
    }

    TEST(leavesTheRegistryToOperators)
    {
        for (const auto& token : {_ownerToken, _memberToken})
        {
            equal("permission_denied", send(Method::Post, "/api/services", shop(), {}, token).code());
            // Before anything of the body is looked at.
            equal("permission_denied", send(Method::Put, "/api/services/desk/manifest", "{", {}, token).code());
            for (const auto* step : {"activate", "suspend", "retire"})
                equal("permission_denied", send(Method::Post, std::string("/api/services/desk/") + step, "{}", {}, token).code());
        }
    }

    static std::string shop()
    {
        return R"({"manifestVersion":1,"service_id":"shop","name":"Shop","surface_kind":"application","surface_group":"business",
          "launchable":true,"contexts":["organization"],"launchUrl":"https://shop.example/","origins":["https://shop.example"],
          "permissions":[{"permission":"shop.carts:read","title":"Read carts"},{"permission":"shop.carts:write","title":"Write"}],
          "roleBundles":[{"id":"shop-all","title":"All","roles":["guest","member","admin","super_admin","owner"],"permissions":["shop.*:*"]}],
          "apiKeyScopes":[{"scope":"carts.read","title":"Read","permissions":["shop.carts:read"],"bindable":[]}]})";
    }
    TestAnswer get(const std::string& target, const std::string& token) const { return _host->call({.target = target}, token); }
    TestAnswer send(Method method, const std::string& target, std::string body = {}, const std::string& version = {},
                    const std::string& token = {}) const
    {
        TestRequest request{.method = method, .target = target, .body = std::move(body)};
        if (!version.empty()) request.headers.emplace_back("If-Match", version);
        return _host->call(std::move(request), token.empty() ? _root : token);
    }
    TestAnswer move(const std::string& service, const std::string& step) const
    {
        return send(Method::Post, "/api/services/" + service + '/' + step, R"({"reason":"as agreed"})");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme;
    std::string _root, _ownerToken, _memberToken;
};

} // namespace portico::tests
