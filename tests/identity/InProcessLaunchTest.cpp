#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/interfaces/Onboarding.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SharedPreferences.h"
#include "portico/interfaces/SignIns.h"

#include <algorithm>

namespace portico::tests
{

/// Calls of a launcher to identity in process: catalog, switcher, handoffs, members and onboarding.
class InProcessLaunchTest : public Suite<InProcessLaunchTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        publish();
        _ada = _host->createUser("ada@x.example", "acme", "member");
        _owner = _host->createUser("owner@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(describesServices)
    {
        const auto desk = catalog().service("desk");
        equal("http://desk.localhost:8080/api/widget", desk->widgetUrl);
        equal("https://desk.example/in", desk->callbackUrls.at(0));
        equal("http://desk.localhost:8080/auth/callback", desk->callbackUrls.at(1));
        equal("http://desk.localhost:8080", desk->origin);
        CHECK(desk->origins == std::vector<std::string>({"http://desk.localhost:8080", "https://desk.example"}));
        CHECK(!desk->remote);
        equal("platform", desk->publisher.type);
        CHECK(desk->publisher.verified);
        CHECK(desk->categories == std::vector<std::string>{"support"});
        CHECK(desk->collections == std::vector<std::string>{"essentials"});
        CHECK(desk->createdAt > Instant{} && desk->createdAt <= _host->context().clock().now());
        equal("", catalog().service("identity")->widgetUrl);
        // Registered through the API, by an organization.
        _host->change("UPDATE services SET remote = TRUE, publisher_id = $1, version = version + 1 WHERE service_id = 'desk'",
                      {_host->organizationId("acme")});
        const auto published = catalog().service("desk");
        CHECK(published->remote);
        equal("organization", published->publisher.type);
        equal(_host->organizationId("acme"), published->publisher.organizationId);
        CHECK(!published->publisher.verified);
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) VALUES "
                      "($1, 'acme.example', 'verified', 't', 1, 1, 1)",
                      {_host->organizationId("acme")});
        CHECK(catalog().services().at(0).publisher.verified);
    }

    TEST(namesTheVersionOfTheCatalog)
    {
        const auto first = catalog().version();
        CHECK(!first.empty());
        publish();
        _host->createUser("new@x.example", "globex", "owner");
        equal(first, catalog().version());
        publish(R"("description":"Answers",)");
        CHECK(first != catalog().version());
    }

    TEST(listsTheSwitcherLikeTheRoute)
    {
        const auto token = _host->signIn("ada@x.example");
        const auto shown = _host->call({.target = "/api/services/app-switcher", .originService = "desk"}, token);
        const auto entries = catalog().switcher(*_host->validate(token));
        equal(1, entries.size(), shown.body);
        equal(shown.at("/items/0/service_id"), entries[0].serviceId);
        equal(shown.at("/items/0/launchUrl"), entries[0].launchUrl);
        equal(shown.at("/items/0/accessReason"), entries[0].accessReason);
        CHECK(entries[0].accessible);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        const auto identity = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        equal("no_service_access", catalog().switcher(*identity).at(0).accessReason);
        _host->change("UPDATE users SET launcher_eligible = FALSE WHERE id = $1", {_ada});
        CHECK(catalog().switcher(*identity).empty());
    }

    TEST(answersForKeysOfOrganizations)
    {
        const auto key = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body = jsonWith(
                 R"({"name":"All","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"],)"
                 R"("resources":[]}]})",
                 _host->organizationId("acme"))},
            _host->signIn("owner@x.example", "identity"));
        equal(201, key.status, key.body);
        const auto caller = _host->validate(key.at("/key"));
        const auto access = catalog().accessOf(*caller);
        const auto desk = std::ranges::find(access, "desk", &interfaces::CatalogAccess::serviceId);
        CHECK(desk != access.end() && desk->accessible);
        equal("organization_access", desk->reason);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        equal("no_service_access", catalog().accessOf(*caller).at(0).reason);
    }

    TEST(looksUpACodeWithoutConsumingIt)
    {
        const auto made = hand(false, webCallback);
        CHECK(made.id.starts_with("hnd_"));
        const auto code = codeOf(made);
        for (int i = 0; i < 2; ++i)
        {
            const auto pending = signIns().pendingHandoff(code);
            CHECK(pending);
            equal(made.id, pending->id);
            equal("desk", pending->serviceId);
            equal(webCallback, pending->redirectUri);
            CHECK(!pending->mobile);
            CHECK(pending->expiresAt == made.expiresAt);
        }
        equal(200, exchange(code).status);
        CHECK(!signIns().pendingHandoff(code));
        CHECK(!signIns().pendingHandoff("nothing"));
        CHECK(!signIns().pendingHandoff({}));
        const auto late = codeOf(hand(false, webCallback));
        _host->context().clock().advance(std::chrono::seconds(60));
        CHECK(!signIns().pendingHandoff(late));
    }

    TEST(handoffNeedsAnAddressThatTheOrganizationAllows)
    {
        _host->change(R"(UPDATE organizations SET security_policy = '{"ipAllowList":["192.0.2.0/24"]}')");
        equal(200, exchange(codeOf(hand(false, webCallback))).status);
        equal("org_policy_ip_not_allowed", problemOf([&] { hand(false, webCallback, "198.51.100.7"); }));
    }

    TEST(publishesTheExchange)
    {
        auto& events = _host->context().events();
        const auto made = hand(false, webCallback);
        CHECK(events.published("identity.handoff.exchanged").empty());
        equal(200, exchange(codeOf(made)).status);
        exchange(codeOf(made));
        const auto told = events.published("identity.handoff.exchanged");
        equal(1, told.size());
        equal(_host->organizationId("acme"), told[0].organizationId);
        const auto data = boost::json::parse(told[0].data);
        equal(made.id, std::string(data.at("id").as_string()));
        equal(_ada, std::string(data.at("actor").at("id").as_string()));
        equal("desk", std::string(data.at("details").at("service_id").as_string()));
        CHECK(told[0].data.find(codeOf(made)) == std::string::npos);
    }

    TEST(exchangesAMobileCodeAtThePageOnce)
    {
        const auto made = hand(true, webCallback);
        CHECK(!made.code.empty());
        CHECK(signIns().pendingHandoff(made.code)->mobile);
        equal("redirect_uri_mismatch", exchange(made.code, "https://desk.example/out").code());
        const auto answer = exchange(made.code);
        equal(200, answer.status, answer.body);
        CHECK(!answer.has("/refresh_token"));
        equal("sso_code_consumed", exchange(made.code).code());
    }

    TEST(keepsCodesOfAppRedirectsFromPages)
    {
        _host->createUser("root@x.example", "admin", "owner", "platform_super_admin");
        const auto app = _host->call({.method = Method::Post,
                                      .target = "/api/oauth-clients",
                                      .body = R"({"name":"App","type":"native","token_endpoint_auth_method":"none","first_party":true,
                                        "consent":"implicit","service_id":"desk","redirect_uris":["com.example.desk:/cb"]})"},
                                     _host->signIn("root@x.example", "identity"));
        equal(201, app.status, app.body);
        const auto made = hand(true, "com.example.desk:/cb");
        equal("sso_code_invalid", exchange(made.code, "com.example.desk:/cb").code());
        CHECK(signIns().pendingHandoff(made.code));
    }

    TEST(returnsATokenOfTheNewContext)
    {
        _host->createUser("ada@x.example", "globex", "admin");
        const auto token = _host->signIn("ada@x.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        const auto change = signIns().changeContext(*_host->validate(token), _host->organizationId("globex"), "192.0.2.7");
        equal(_host->organizationId("globex"), change.organizationId);
        equal("admin", change.role);
        equal(600, change.expiresInSeconds);
        equal(_host->organizationId("globex"), _host->validate(change.accessToken)->organizationId);
        equal(_host->organizationId("globex"), _host->validate(token)->organizationId);
    }

    TEST(listsMembersAndMemberships)
    {
        auto& directory = _host->provided<interfaces::Directory>();
        const auto id = _host->organizationId("acme");
        const auto acme = Tenant::fromStored(id);
        const auto all = directory.members(acme, {}, 10);
        equal(2, all.size());
        CHECK(all[0].userId < all[1].userId);
        const auto first = directory.members(acme, {}, 1);
        equal(1, first.size());
        equal(all[1].userId, directory.members(acme, first[0].userId, 10).at(0).userId);
        const auto mine = directory.organizationsOf(_ada);
        equal(1, mine.size());
        equal("acme", mine[0].slug);
        equal("member", mine[0].role);
        equal(2, mine[0].memberCount);
        CHECK(!mine[0].secondFactorRequired && !all[0].secondFactor);
        _host->change("UPDATE organizations SET security_policy = '{\"mfaRequired\":true}' WHERE slug = 'acme'");
        _host->change("INSERT INTO totp_factors (user_id, id, name, secret, last_step, created_at) VALUES ($1, 'mfa_1', 'App', 'x', 0, 1)",
                      {_ada});
        CHECK(directory.organizationsOf(_ada).at(0).secondFactorRequired);
        CHECK(directory.member(acme, _ada)->secondFactor);
        CHECK(!directory.member(acme, _owner)->secondFactor);
        _host->change("DELETE FROM totp_factors");
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_ada});
        CHECK(directory.organizationsOf(_ada).empty());
        equal(_owner, directory.members(acme, {}, 10).at(0).userId);
        const auto token = _host->signIn("ada@x.example", "identity");
        _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        const auto homes = directory.householdsOf(_ada);
        equal(1, homes.size());
        equal("manager", homes[0].role);
        equal(1, homes[0].memberCount);
        CHECK(!homes[0].selected);
        signIns().selectHousehold(*_host->validate(token, "identity"), homes[0].id);
        CHECK(directory.householdsOf(_ada).at(0).selected);
        CHECK(directory.householdsOf(_owner).empty());
    }

    TEST(finishesOnboarding)
    {
        auto& onboarding = _host->provided<interfaces::Onboarding>();
        const auto owner = _host->validate(_host->signIn("owner@x.example"));
        const auto member = _host->validate(_host->signIn("ada@x.example"));
        auto state = onboarding.state(*owner, "desk");
        equal("not_started", state.status);
        CHECK(state.manageable && state.steps.at(0).required && !state.steps[0].done);
        CHECK(!onboarding.state(*member, "desk").manageable);
        equal("permission_denied", problemOf([&] { onboarding.finishStep(*member, "desk", "profile", "{}"); }));
        equal("permission_denied", problemOf([&] { onboarding.complete(*member, "desk", "192.0.2.7"); }));
        equal("missing", onboarding.recoveryEmail(*owner).status);
        equal("recovery_email_unverified", problemOf([&] { onboarding.complete(*owner, "desk", "192.0.2.7"); }));
        _host->change("INSERT INTO recovery_emails (user_id, email, email_key, verified_at, created_at, updated_at) VALUES "
                      "($1, 'o@home.example', 'o@home.example', 1, 1, 1)",
                      {_owner});
        equal("o***@h***.example", onboarding.recoveryEmail(*owner).maskedEmail);
        CHECK(onboarding.recoveryEmail(*owner).verified);
        equal("onboarding_steps_missing", problemOf([&] { onboarding.complete(*owner, "desk", "192.0.2.7"); }));
        equal("validation_failed", problemOf([&] { onboarding.finishStep(*owner, "desk", "dance", {}); }));
        state = onboarding.finishStep(*owner, "desk", "profile", R"({"color":"blue"})");
        equal("in_progress", state.status);
        CHECK(state.steps[0].done);
        equal("completed", onboarding.complete(*owner, "desk", "192.0.2.7").status);
        equal("completed", onboarding.state(*member, "desk").status);
        equal("not_found", problemOf([&] { onboarding.state(*owner, "nowhere"); }));
    }

    TEST(sharesPreferences)
    {
        auto& preferences = _host->provided<interfaces::SharedPreferences>();
        const auto token = _host->signIn("ada@x.example");
        const auto caller = _host->validate(token);
        equal("{}", preferences.read(*caller));
        _host->call({.method = Method::Patch,
                     .target = "/api/auth/me/preferences",
                     .body = R"({"shared":{"theme":"dark","density":"compact"},"services":{"desk":{"view":"list"}}})",
                     .originService = "desk"},
                    token);
        equal(R"({"density":"compact","theme":"dark"})", preferences.read(*caller));
        equal(R"({"locale":"de","theme":"dark"})", preferences.merge(*caller, R"({"density":null,"locale":"de"})"));
        const auto shown = _host->call({.target = "/api/auth/me/preferences", .originService = "desk"}, token);
        equal("de", shown.at("/shared/locale"), shown.body);
        equal("list", shown.at("/services/desk/view"));
        auto organization = *caller;
        organization.principalId = _host->organizationId("acme");
        equal("permission_denied", problemOf([&] { preferences.merge(organization, "{}"); }));
    }

    static constexpr const char* webCallback = "https://desk.example/in";

    void publish(std::string_view extra = {})
    {
        auto manifest = IdentityHost::deskManifest();
        manifest.insert(1, std::string(extra) + R"("launchable":true,"callbackUrls":["https://desk.example/in","/auth/callback"],
          "categories":["support"],"collections":["essentials"],"widget":{"url":"/api/widget","widgets":[{"id":"overview","title":"Desk"}]},
          "onboarding":{"steps":[{"id":"profile","title":"Profile","required":true}]},)");
        _host->publish({IdentityHost::identityManifest(), manifest});
    }
    interfaces::SignIns& signIns() const { return _host->provided<interfaces::SignIns>(); }
    interfaces::ServiceCatalog& catalog() const { return _host->provided<interfaces::ServiceCatalog>(); }
    interfaces::Handoff hand(bool mobile, const std::string& redirect, const std::string& address = "192.0.2.7")
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        return signIns().handoff(*caller, {"desk", redirect, "/tickets", mobile, address});
    }
    static std::string codeOf(const interfaces::Handoff& made) { return made.callbackUrl.substr(made.callbackUrl.find("sso_code=") + 9); }
    TestAnswer exchange(const std::string& code, const std::string& redirect = webCallback) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/sso/exchange",
                            .body = jsonWith(R"({"sso_code":"$","service_id":"desk","redirect_uri":"$"})", code, redirect),
                            .headers = {{"Origin", "https://desk.example"}, {"X-Platform-Auth", "1"}},
                            .originService = "desk"});
    }
    template <class F>
    static std::string problemOf(F&& work)
    {
        try
        {
            work();
            return "none";
        }
        catch (const Problem& problem)
        {
            return problem.code();
        }
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
    std::string _owner;
};

} // namespace portico::tests
