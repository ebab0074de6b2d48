#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <thread>

namespace portico::tests
{

/// The registry over the API: who sees which services, registration from elsewhere, manifests, bundles and access.
class RegistryRoutesTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(RegistryRoutesTest);
    CPPUNIT_TEST(listsWhatIsOpen);
    CPPUNIT_TEST(showsWhatAServiceDefines);
    CPPUNIT_TEST(registersServicesFromElsewhere);
    CPPUNIT_TEST(refusesBadManifests);
    CPPUNIT_TEST(movesThroughItsStates);
    CPPUNIT_TEST(showsPlansAndApplies);
    CPPUNIT_TEST(operatorsSwitchPersonalAccess);
    CPPUNIT_TEST(guardsScopesInUse);
    CPPUNIT_TEST(oneOfTwoWritersWins);
    CPPUNIT_TEST(tellsDrift);
    CPPUNIT_TEST(changesBundlesOfOneOrganization);
    CPPUNIT_TEST(keepsRanksOfBundles);
    CPPUNIT_TEST(changesBundlesOfEverybody);
    CPPUNIT_TEST(opensAndClosesServices);
    CPPUNIT_TEST(asksForAPlan);
    CPPUNIT_TEST(leavesTheRegistryToOperators);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void listsWhatIsOpen()
    {
        auto shown = get("/api/services", _memberToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::size_t{2}, shown.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), shown.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("application"), shown.at("/items/0/surface_kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("http://desk.localhost:8080/"), shown.at("/items/0/launchUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string("platform"), shown.at("/items/0/publisher/type"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["http://desk.localhost:8080","https://desk.example"])"), shown.at("/items/0/origins"));
        const auto ids = [&](const std::string& query, const std::string& token)
        {
            const auto answer = get("/api/services?" + query, token);
            std::string found;
            for (std::size_t i = 0; i < answer.count("/items"); ++i)
                found += answer.at("/items/" + std::to_string(i) + "/service_id") + ' ';
            return found;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("identity "), ids("surface_kind=internal", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string("desk "), ids("surface_group=business,personal", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string(), ids("launchable=true", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string("desk "), ids("q=DES", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), get("/api/services?kind=api", _memberToken).code());
        shown = get("/api/services?limit=1&include=total", _memberToken);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), shown.at("/total"));
        shown = get("/api/services?limit=1&cursor=" + shown.at("/nextCursor"), _memberToken);
        CPPUNIT_ASSERT_EQUAL(std::string("identity"), shown.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/nextCursor"));
        // What is closed is there for operators only, and when they ask for it.
        CPPUNIT_ASSERT_EQUAL(200, move("desk", "suspend").status);
        CPPUNIT_ASSERT_EQUAL(std::string("identity "), ids("", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string(), ids("status=suspended", _memberToken));
        CPPUNIT_ASSERT_EQUAL(std::string("desk "), ids("status=suspended", _root));
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), get("/api/services/desk", _memberToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("suspended"), get("/api/services/desk", _root).at("/status"));
        CPPUNIT_ASSERT(get("/api/permissions", _memberToken).body.find("desk.") == std::string::npos);
    }

    void showsWhatAServiceDefines()
    {
        const auto permissions = get("/api/services/desk/permissions", _memberToken);
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, permissions.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("high"), permissions.at("/items/1/risk"));
        const auto all = get("/api/permissions", _memberToken);
        CPPUNIT_ASSERT(all.count("/items") > 5);
        CPPUNIT_ASSERT(all.body.find(R"("permission":"desk.tickets:read")") != std::string::npos);
        CPPUNIT_ASSERT(all.body.find(R"("permission":"identity.)") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("Vorgänge lesen"),
                             get("/api/services/desk", _memberToken).at("/texts/de/permissions/desk.tickets:read/title"));
        const auto bundles = get("/api/services/desk/role-bundles", _memberToken);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, bundles.count("/items"));
        const auto manifest = get("/api/services/desk/manifest", _root);
        CPPUNIT_ASSERT_EQUAL(std::string("Desk"), manifest.at("/name"));
        CPPUNIT_ASSERT(!manifest.etag.empty());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/services/desk/manifest", _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), get("/api/services/nowhere", _memberToken).code());
        // A key reads with its scope, and only while its owner may.
        const auto made = _host->call({.method = Method::Post,
                                       .target = "/api/api-keys",
                                       .body = R"({"name":"k","owner_type":"user","owner_id":")" + _member +
                                               R"(","grants":[{"service_id":"identity","scopes":["services.read"]}]})"},
                                      _memberToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(200, get("/api/services", made.at("/key")).status);
        _host->change("UPDATE memberships SET role = 'guest' WHERE user_id = $1", {_member});
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/services", made.at("/key")).code());
    }

    void registersServicesFromElsewhere()
    {
        const auto made = send(Method::Post, "/api/services", shop());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), made.at("/service/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), made.at("/report/complete"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_exists"), send(Method::Post, "/api/services", shop()).code());
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"),
                             _host->login("owner@acme.example", IdentityHost::password, "shop").code());
        CPPUNIT_ASSERT_EQUAL(std::string("active"), move("shop", "activate").at("/status"));
        const auto token = _host->signIn("owner@acme.example", "shop");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "shop"));
        // No host has it, and none closes it.
        _host->publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()}, "two");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "shop"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service.registered'"));
    }

    void refusesBadManifests()
    {
        const auto refusal = [&](std::string_view what, std::string_view by)
        {
            auto text = shop();
            const auto at = text.find(what);
            CPPUNIT_ASSERT(at != std::string::npos);
            text.replace(at, what.size(), by);
            const auto answer = send(Method::Post, "/api/services", text);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, std::string("manifest_invalid"), answer.code());
            return answer.at("/errors/0/field");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("service_id"), refusal(R"("service_id":"shop")", R"("service_id":"Shop!")"));
        CPPUNIT_ASSERT_EQUAL(std::string("launchUrl"), refusal("https://shop.example/", "javascript:alert(1)"));
        CPPUNIT_ASSERT_EQUAL(std::string("launchable"), refusal(R"("surface_kind":"application")", R"("surface_kind":"api")"));
        CPPUNIT_ASSERT_EQUAL(std::string("surface_group"), refusal(R"("business")", R"("pirates")"));
        CPPUNIT_ASSERT_EQUAL(std::string("permissions[0].permission"), refusal("shop.carts:read", "desk.carts:read"));
        CPPUNIT_ASSERT_EQUAL(std::string("roleBundles[0].permissions[0]"), refusal(R"(["shop.*:*"])", R"(["*.*:*"])"));
        CPPUNIT_ASSERT_EQUAL(std::string("apiKeyScopes[0].bindable[0]"), refusal(R"("bindable":[])", R"("bindable":["shelf"])"));
        for (const auto& [texts, field] :
             {std::pair(R"({"German":{}})", "texts.German"), std::pair(R"({"de-":{}})", "texts.de-"),
              std::pair(R"({"pt-BR":{"apiKeyScopes":{"carts.sell":{"title":"x"}}}})", "texts.pt-BR.apiKeyScopes.carts.sell"),
              std::pair(R"({"de":{"permissions":{"shop.carts:read":{"title":""}}}})", "texts.de.permissions.shop.carts:read.title")})
            CPPUNIT_ASSERT_EQUAL(std::string(field), refusal(R"("name":"Shop")", R"("name":"Shop","texts":)" + std::string(texts)));
        CPPUNIT_ASSERT_EQUAL(std::string("surprise"), refusal(R"("name":"Shop")", R"("name":"Shop","surprise":1)"));
        for (const auto* uri : {"javascript:/alert(1)", "data:/x", "http://evil.example/x", "http://localhost.evil.example/x", "shop:/x",
                                "shop-app:x", "/mobile/callback", "https://shop.example/#x", ""})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(uri, std::string("nativeClient.redirectUris[1]"),
                                         refusal(R"("name":"Shop")", R"("name":"Shop","nativeClient":{"redirectUris":["shop-app:/x",")" +
                                                                         std::string(uri) + "\"]}"));
        CPPUNIT_ASSERT_EQUAL(std::string("nativeClient.redirectUris"),
                             refusal(R"("name":"Shop")", R"("name":"Shop","nativeClient":{"redirectUris":[]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("origins[0]"), refusal("[\"https://shop.example\"]", "[\"https://shop.example/path\"]"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_json"), send(Method::Post, "/api/services", "{").code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM services WHERE remote"));
    }

    void movesThroughItsStates()
    {
        auto incomplete = shop();
        incomplete.replace(incomplete.find(R"("guest",)"), 8, "");
        CPPUNIT_ASSERT_EQUAL(std::string("false"), send(Method::Post, "/api/services", incomplete).at("/report/complete"));
        const auto refused = move("shop", "activate");
        CPPUNIT_ASSERT_EQUAL(std::string("service_incomplete"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string("guest"), refused.at("/details/checks/roleBundles/missingRoles/0"));
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, "/api/services/shop/manifest", shop()).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ready"), get("/api/services/shop", _root).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), move("shop", "suspend").code());
        CPPUNIT_ASSERT_EQUAL(std::string("active"), move("shop", "activate").at("/status"));
        const auto token = _host->signIn("owner@acme.example", "shop");
        CPPUNIT_ASSERT_EQUAL(std::string("suspended"), move("shop", "suspend").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->verdict(token, "shop"));
        CPPUNIT_ASSERT_EQUAL(std::string("active"), move("shop", "activate").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "shop"));
        CPPUNIT_ASSERT_EQUAL(std::string("retired"), move("shop", "retire").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), move("shop", "activate").code());
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), move("identity", "suspend").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), move("nowhere", "suspend").code());
        // Also that it became whole.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service.status_changed'"));
    }

    void operatorsSwitchPersonalAccess()
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
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), alone());
        auto closed = personal;
        closed.replace(closed.find(R"("launchable":true)"), 17, R"("launchable":true,"personalAccess":false)");
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"kind":"member","name":"personalAccess"}])"),
                             send(Method::Put, "/api/services/shop/manifest", closed).at("/applied/changed"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), alone());
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), send(Method::Put, "/api/services/shop/manifest", closed).at("/applied/changed"));
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, "/api/services/shop/manifest", personal).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), alone());
    }

    void showsPlansAndApplies()
    {
        send(Method::Post, "/api/services", shop());
        auto changed = shop();
        changed.replace(changed.find("\"Read carts\""), 12, "\"See carts\"");
        changed.replace(changed.find(R"({"permission":"shop.carts:write","title":"Write"})"), 49,
                        R"({"permission":"shop.orders:read","title":"Orders"})");
        const auto plan = send(Method::Put, "/api/services/shop/manifest?dryRun=1", changed);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(plan.body, 200, plan.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"kind":"permission","name":"shop.orders:read"}])"), plan.at("/applied/added"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"kind":"permission","name":"shop.carts:read"}])"), plan.at("/applied/changed"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"kind":"permission","name":"shop.carts:write"}])"), plan.at("/applied/removed"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), get("/api/services/shop", _root).at("/version"));
        const auto applied = send(Method::Put, "/api/services/shop/manifest", changed);
        CPPUNIT_ASSERT_EQUAL(plan.at("/applied"), applied.at("/applied"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), get("/api/services/shop", _root).at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("shop.orders:read"), get("/api/services/shop/permissions", _root).at("/items/1/permission"));
        // Again: nothing to do, and nothing written.
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"added":[],"changed":[],"removed":[]})"),
                             send(Method::Put, "/api/services/shop/manifest", changed).at("/applied"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), get("/api/services/shop", _root).at("/version"));
        // What was read can be sent back.
        CPPUNIT_ASSERT_EQUAL(
            std::string(R"({"added":[],"changed":[],"removed":[]})"),
            send(Method::Put, "/api/services/shop/manifest", get("/api/services/shop/manifest", _root).body).at("/applied"));
        CPPUNIT_ASSERT_EQUAL(std::string("manifest_invalid"), send(Method::Put, "/api/services/desk/manifest", changed).code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), get("/api/services/nowhere/manifest", _root).code());
    }

    void guardsScopesInUse()
    {
        const auto body = R"({"name":"k","owner_type":"organization","owner_id":")" + _acme +
                          R"(","grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"]}]})";
        const auto made = _host->call({.method = Method::Post, .target = "/api/api-keys", .body = body}, _ownerToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        auto fewer = IdentityHost::deskManifest();
        const std::string_view scope = R"({"scope":"tickets.write","title":"Write","permissions":["desk.tickets:write"],"bindable":[]},)";
        fewer.replace(fewer.find(scope), scope.size(), "");
        fewer.replace(fewer.find("\"launchUrl\":\"/\""), 15, "\"launchUrl\":\"\"");
        const auto refused = send(Method::Put, "/api/services/desk/manifest", fewer);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, std::string("scope_in_use"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"scope":"tickets.write","keys":1}])"), refused.at("/details/scopes"));
        CPPUNIT_ASSERT(_host->validate(made.at("/key"))->hasScope("tickets.write"));
        const auto plan = send(Method::Put, "/api/services/desk/manifest?dryRun=1", fewer);
        CPPUNIT_ASSERT(plan.body.find("tickets.write") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, "/api/services/desk/manifest?force=1&dryRun=1", fewer).status);
        CPPUNIT_ASSERT(_host->validate(made.at("/key"))->hasScope("tickets.write"));
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, "/api/services/desk/manifest?force=1", fewer).status);
        CPPUNIT_ASSERT(!_host->validate(made.at("/key"))->hasScope("tickets.write"));
        CPPUNIT_ASSERT(_host->validate(made.at("/key"))->hasScope("tickets.read"));
        const auto key = get("/api/api-keys/" + made.at("/apiKey/id"), _ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["tickets.read"])"), key.at("/grants/0/scopes"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.scopes_removed'"));
        // Its owners are told, and other services, which make something to do of it.
        const auto mail = _host->context().mailer().sentTo("owner@acme.example").back();
        CPPUNIT_ASSERT_EQUAL(std::string("Your API key k lost scopes"), mail.subject);
        CPPUNIT_ASSERT(mail.text.find("tickets.write") != std::string::npos);
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _host->context().events().published("identity.api_key.scopes_removed").size());
    }

    void oneOfTwoWritersWins()
    {
        send(Method::Post, "/api/services", shop());
        auto changed = shop();
        changed.replace(changed.find("\"Read carts\""), 12, "\"See carts\"");
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), send(Method::Put, "/api/services/shop/manifest", changed, "\"7\"").code());
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
        CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, std::count(statuses.begin(), statuses.end(), 200));
        CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{3}, std::count(statuses.begin(), statuses.end(), 412));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), get("/api/services/shop", _root).at("/version"));
    }

    void tellsDrift()
    {
        auto drift = get("/api/services/desk/drift", _root);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(drift.body, std::string("true"), drift.at("/inSync"));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/services/desk/drift", _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(
            200, send(Method::Put, "/api/services/desk/role-bundles/desk-member", R"({"permissions":["desk.tickets:read"]})").status);
        drift = get("/api/services/desk/drift", _root);
        CPPUNIT_ASSERT_EQUAL(std::string("false"), drift.at("/inSync"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"kind":"role_bundle","name":"desk-member"}])"), drift.at("/changed"));
        // The host says what it said before: what was changed by hand stays. Another manifest is applied whole.
        const auto publish = [&](const std::string& desk) { _host->publish({IdentityHost::identityManifest(), desk}); };
        publish(IdentityHost::deskManifest());
        CPPUNIT_ASSERT_EQUAL(std::string("false"), get("/api/services/desk/drift", _root).at("/inSync"));
        auto newer = IdentityHost::deskManifest();
        newer.replace(newer.find("1.0.0"), 5, "1.0.1");
        publish(newer);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get("/api/services/desk/drift", _root).at("/inSync"));
    }

    void changesBundlesOfOneOrganization()
    {
        const auto token = _host->signIn("member@acme.example");
        _host->createUser("member@globex.example", "globex", "member");
        const auto other = _host->signIn("member@globex.example");
        const auto place = "/api/services/desk/role-bundles/desk-member?organizationId=" + _acme;
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), send(Method::Put, place, R"({"permissions":[]})", {}, _memberToken).code());
        const auto changed = send(Method::Put, place, R"({"permissions":["desk.*:read"]})", {}, _ownerToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(changed.body, 200, changed.status);
        CPPUNIT_ASSERT(!_host->validate(token)->may("desk.tickets:write"));
        CPPUNIT_ASSERT(_host->validate(other)->may("desk.tickets:write"));
        const auto list = get("/api/services/desk/role-bundles?organizationId=" + _acme, _ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["desk.*:read"])"), list.at("/items/2/permissions"));
        CPPUNIT_ASSERT_EQUAL(_acme, list.at("/items/2/organizationId"));
        // What was read can be sent back, in the version that it tells.
        CPPUNIT_ASSERT_EQUAL(std::string("0"), list.at("/items/0/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), list.at("/items/2/version"));
        const auto same = send(Method::Put, place, changed.body, changed.etag, _ownerToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(same.body, std::string("1"), same.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), send(Method::Put, place, R"({"permissions":[]})", changed.etag, _ownerToken).at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), send(Method::Put, place, changed.body, changed.etag, _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_permission"),
                             send(Method::Put, place, R"({"permissions":["desk.x:y"]})", {}, _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"),
                             send(Method::Put,
                                  "/api/services/desk/role-bundles/desk-member?organizationId=" + _host->organizationId("globex"),
                                  R"({"permissions":[]})", {}, _ownerToken)
                                 .code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), send(Method::Put, "/api/services/desk/role-bundles/x?organizationId=" + _acme,
                                                            R"({"permissions":[]})", {}, _ownerToken)
                                                           .code());
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, place, "", {}, _ownerToken).status);
        CPPUNIT_ASSERT(_host->validate(token)->may("desk.tickets:write"));
    }

    void keepsRanksOfBundles()
    {
        const auto super = _host->signIn("super@acme.example", "identity");
        const auto put = [&](const std::string& service, const std::string& bundle, std::string body, const std::string& token)
        {
            return send(Method::Put, "/api/services/" + service + "/role-bundles/" + bundle + "?organizationId=" + _acme, std::move(body),
                        {}, token)
                .code();
        };
        // desk-admin is for owners, too.
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), put("desk", "desk-admin", R"({"permissions":["desk.tickets:read"]})", super));
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"),
                             put("identity", "identity-member", R"({"permissions":[],"roles":["super_admin"]})", super));
        CPPUNIT_ASSERT_EQUAL(std::string("cannot_grant_unheld_permission"),
                             put("identity", "identity-member", R"({"permissions":["identity.organizations:delete"]})", super));
        CPPUNIT_ASSERT_EQUAL(std::string("cannot_grant_unheld_permission"),
                             put("identity", "identity-admin", R"({"permissions":["identity.users:manage"]})", _ownerToken));
        CPPUNIT_ASSERT_EQUAL(std::string(), put("identity", "identity-member", R"({"permissions":["identity.audit:read"]})", super));
        CPPUNIT_ASSERT(_host->validate(_memberToken, "identity")->may("identity.audit:read"));
    }

    void changesBundlesOfEverybody()
    {
        const auto token = _host->signIn("member@acme.example");
        const std::string place = "/api/services/desk/role-bundles/desk-member", body = R"({"permissions":["desk.settings:write"]})";
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), send(Method::Put, place, body, {}, _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), send(Method::Put, place, body, "\"9\"").code());
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, place, body).status);
        CPPUNIT_ASSERT(_host->validate(token)->may("desk.settings:write"));
        CPPUNIT_ASSERT(!_host->validate(token)->may("desk.tickets:read"));
    }

    void opensAndClosesServices()
    {
        const auto token = _host->signIn("member@acme.example");
        const auto place = "/api/organizations/" + _acme + "/service-access";
        const auto list = get(place, _ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), list.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("Desk"), list.at("/items/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get(place, _memberToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), send(Method::Delete, place + "/desk", "", {}, _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, place + "/desk", R"({"status":"suspended"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->verdict(token));
        const auto opened = send(Method::Put, place + "/desk", R"({"status":"active","plan":"five"})");
        CPPUNIT_ASSERT_EQUAL(200, opened.status);
        CPPUNIT_ASSERT_EQUAL(std::string("five"), send(Method::Put, place + "/desk", opened.body, opened.etag).at("/plan"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), send(Method::Delete, place + "/desk", "", "\"1\"").code());
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, place + "/desk").status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), send(Method::Delete, place + "/desk").code());
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, place + "/desk", R"({"status":"active"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), send(Method::Delete, place + "/identity").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), send(Method::Put, place + "/nowhere", R"({"status":"active"})").code());
        const auto globex = "/api/organizations/org_01jd0000000000000000000000/service-access";
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), get(globex, _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), get(globex, _root).code());
    }

    void asksForAPlan()
    {
        auto paid = shop();
        paid.replace(paid.find(R"("name":"Shop")"), 13, R"("name":"Shop","commerce":{"pricing":"paid"})");
        CPPUNIT_ASSERT_EQUAL(201, send(Method::Post, "/api/services", paid).status);
        const auto place = "/api/organizations/" + _acme + "/service-access/shop";
        const auto refused = send(Method::Put, place, R"({"status":"active"})");
        CPPUNIT_ASSERT_EQUAL(402, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("plan_required"), refused.code());
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Put, place, R"({"status":"suspended"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("three"), send(Method::Put, place, R"({"status":"active","plan":"three"})").at("/plan"));
    }

    void leavesTheRegistryToOperators()
    {
        for (const auto& token : {_ownerToken, _memberToken})
        {
            CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), send(Method::Post, "/api/services", shop(), {}, token).code());
            // Before anything of the body is looked at.
            CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), send(Method::Put, "/api/services/desk/manifest", "{", {}, token).code());
            for (const auto* step : {"activate", "suspend", "retire"})
                CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"),
                                     send(Method::Post, std::string("/api/services/desk/") + step, "{}", {}, token).code());
        }
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(RegistryRoutesTest);

} // namespace portico::tests
