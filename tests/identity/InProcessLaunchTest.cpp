#include "identity/IdentityHost.h"

#include "portico/interfaces/Onboarding.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SharedPreferences.h"
#include "portico/interfaces/SignIns.h"

#include <algorithm>
#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Calls of a launcher to identity in process: catalog, switcher, handoffs, members and onboarding.
class InProcessLaunchTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(InProcessLaunchTest);
    CPPUNIT_TEST(describesServices);
    CPPUNIT_TEST(namesTheVersionOfTheCatalog);
    CPPUNIT_TEST(listsTheSwitcherLikeTheRoute);
    CPPUNIT_TEST(answersForKeysOfOrganizations);
    CPPUNIT_TEST(looksUpACodeWithoutConsumingIt);
    CPPUNIT_TEST(publishesTheExchange);
    CPPUNIT_TEST(exchangesAMobileCodeAtThePageOnce);
    CPPUNIT_TEST(keepsCodesOfAppRedirectsFromPages);
    CPPUNIT_TEST(returnsATokenOfTheNewContext);
    CPPUNIT_TEST(listsMembersAndMemberships);
    CPPUNIT_TEST(finishesOnboarding);
    CPPUNIT_TEST(sharesPreferences);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        publish();
        _ada = _host->createUser("ada@x.example", "acme", "member");
        _owner = _host->createUser("owner@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void describesServices()
    {
        const auto desk = catalog().service("desk");
        CPPUNIT_ASSERT_EQUAL(std::string("http://desk.localhost:8080/api/widget"), desk->widgetUrl);
        CPPUNIT_ASSERT_EQUAL(std::string("https://desk.example/in"), desk->callbackUrls.at(0));
        CPPUNIT_ASSERT_EQUAL(std::string("http://desk.localhost:8080/auth/callback"), desk->callbackUrls.at(1));
        CPPUNIT_ASSERT_EQUAL(std::string("http://desk.localhost:8080"), desk->origin);
        CPPUNIT_ASSERT(desk->origins == std::vector<std::string>({"http://desk.localhost:8080", "https://desk.example"}));
        CPPUNIT_ASSERT(!desk->remote);
        CPPUNIT_ASSERT_EQUAL(std::string("platform"), desk->publisher.type);
        CPPUNIT_ASSERT(desk->publisher.verified);
        CPPUNIT_ASSERT(desk->categories == std::vector<std::string>{"support"});
        CPPUNIT_ASSERT(desk->collections == std::vector<std::string>{"essentials"});
        CPPUNIT_ASSERT(desk->createdAt > Instant{} && desk->createdAt <= _host->context().clock().now());
        CPPUNIT_ASSERT_EQUAL(std::string(), catalog().service("identity")->widgetUrl);
        // Registered through the API, by an organization.
        _host->change("UPDATE services SET remote = TRUE, publisher_id = $1, version = version + 1 WHERE service_id = 'desk'",
                      {_host->organizationId("acme")});
        const auto published = catalog().service("desk");
        CPPUNIT_ASSERT(published->remote);
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), published->publisher.type);
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), published->publisher.organizationId);
        CPPUNIT_ASSERT(!published->publisher.verified);
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, version, created_at, updated_at) VALUES "
                      "($1, 'acme.example', 'verified', 't', 1, 1, 1)",
                      {_host->organizationId("acme")});
        CPPUNIT_ASSERT(catalog().services().at(0).publisher.verified);
    }

    void namesTheVersionOfTheCatalog()
    {
        const auto first = catalog().version();
        CPPUNIT_ASSERT(!first.empty());
        publish();
        _host->createUser("new@x.example", "globex", "owner");
        CPPUNIT_ASSERT_EQUAL(first, catalog().version());
        publish(R"("description":"Answers",)");
        CPPUNIT_ASSERT(first != catalog().version());
    }

    void listsTheSwitcherLikeTheRoute()
    {
        const auto token = _host->signIn("ada@x.example");
        const auto shown = _host->call({.target = "/api/services/app-switcher", .originService = "desk"}, token);
        const auto entries = catalog().switcher(*_host->validate(token));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::size_t{1}, entries.size());
        CPPUNIT_ASSERT_EQUAL(shown.at("/items/0/service_id"), entries[0].serviceId);
        CPPUNIT_ASSERT_EQUAL(shown.at("/items/0/launchUrl"), entries[0].launchUrl);
        CPPUNIT_ASSERT_EQUAL(shown.at("/items/0/accessReason"), entries[0].accessReason);
        CPPUNIT_ASSERT(entries[0].accessible);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        const auto identity = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("no_service_access"), catalog().switcher(*identity).at(0).accessReason);
        _host->change("UPDATE users SET launcher_eligible = FALSE WHERE id = $1", {_ada});
        CPPUNIT_ASSERT(catalog().switcher(*identity).empty());
    }

    void answersForKeysOfOrganizations()
    {
        const auto key = _host->call({.method = Method::Post,
                                      .target = "/api/api-keys",
                                      .body = R"({"name":"All","owner_type":"organization","owner_id":")" + _host->organizationId("acme") +
                                              R"(","grants":[{"service_id":"desk","scopes":["tickets.read"],"resources":[]}]})"},
                                     _host->signIn("owner@x.example", "identity"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(key.body, 201, key.status);
        const auto caller = _host->validate(key.at("/key"));
        const auto access = catalog().accessOf(*caller);
        const auto desk = std::ranges::find(access, "desk", &interfaces::CatalogAccess::serviceId);
        CPPUNIT_ASSERT(desk != access.end() && desk->accessible);
        CPPUNIT_ASSERT_EQUAL(std::string("organization_access"), desk->reason);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(std::string("no_service_access"), catalog().accessOf(*caller).at(0).reason);
    }

    void looksUpACodeWithoutConsumingIt()
    {
        const auto made = hand(false, webCallback);
        CPPUNIT_ASSERT(made.id.starts_with("hnd_"));
        const auto code = codeOf(made);
        for (int i = 0; i < 2; ++i)
        {
            const auto pending = signIns().pendingHandoff(code);
            CPPUNIT_ASSERT(pending);
            CPPUNIT_ASSERT_EQUAL(made.id, pending->id);
            CPPUNIT_ASSERT_EQUAL(std::string("desk"), pending->serviceId);
            CPPUNIT_ASSERT_EQUAL(std::string(webCallback), pending->redirectUri);
            CPPUNIT_ASSERT(!pending->mobile);
            CPPUNIT_ASSERT(pending->expiresAt == made.expiresAt);
        }
        CPPUNIT_ASSERT_EQUAL(200, exchange(code).status);
        CPPUNIT_ASSERT(!signIns().pendingHandoff(code));
        CPPUNIT_ASSERT(!signIns().pendingHandoff("nothing"));
        CPPUNIT_ASSERT(!signIns().pendingHandoff({}));
        const auto late = codeOf(hand(false, webCallback));
        _host->context().clock().advance(std::chrono::seconds(60));
        CPPUNIT_ASSERT(!signIns().pendingHandoff(late));
    }

    void publishesTheExchange()
    {
        auto& events = _host->context().events();
        const auto made = hand(false, webCallback);
        CPPUNIT_ASSERT(events.published("identity.handoff.exchanged").empty());
        CPPUNIT_ASSERT_EQUAL(200, exchange(codeOf(made)).status);
        exchange(codeOf(made));
        const auto told = events.published("identity.handoff.exchanged");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told.size());
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), told[0].organizationId);
        const auto data = boost::json::parse(told[0].data);
        CPPUNIT_ASSERT_EQUAL(made.id, std::string(data.at("id").as_string()));
        CPPUNIT_ASSERT_EQUAL(_ada, std::string(data.at("actor").at("id").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), std::string(data.at("details").at("service_id").as_string()));
        CPPUNIT_ASSERT(told[0].data.find(codeOf(made)) == std::string::npos);
    }

    void exchangesAMobileCodeAtThePageOnce()
    {
        const auto made = hand(true, webCallback);
        CPPUNIT_ASSERT(!made.code.empty());
        CPPUNIT_ASSERT(signIns().pendingHandoff(made.code)->mobile);
        CPPUNIT_ASSERT_EQUAL(std::string("redirect_uri_mismatch"), exchange(made.code, "https://desk.example/out").code());
        const auto answer = exchange(made.code);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        CPPUNIT_ASSERT(!answer.has("/refresh_token"));
        CPPUNIT_ASSERT_EQUAL(std::string("sso_code_consumed"), exchange(made.code).code());
    }

    void keepsCodesOfAppRedirectsFromPages()
    {
        _host->createUser("root@x.example", "admin", "owner", "platform_super_admin");
        const auto app = _host->call({.method = Method::Post,
                                      .target = "/api/oauth-clients",
                                      .body = R"({"name":"App","type":"native","token_endpoint_auth_method":"none","first_party":true,
                                        "consent":"implicit","service_id":"desk","redirect_uris":["com.example.desk:/cb"]})"},
                                     _host->signIn("root@x.example", "identity"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(app.body, 201, app.status);
        const auto made = hand(true, "com.example.desk:/cb");
        CPPUNIT_ASSERT_EQUAL(std::string("sso_code_invalid"), exchange(made.code, "com.example.desk:/cb").code());
        CPPUNIT_ASSERT(signIns().pendingHandoff(made.code));
    }

    void returnsATokenOfTheNewContext()
    {
        _host->createUser("ada@x.example", "globex", "admin");
        const auto token = _host->signIn("ada@x.example", "desk", R"(,"organizationId":")" + _host->organizationId("acme") + '"');
        const auto change = signIns().changeContext(*_host->validate(token), _host->organizationId("globex"), "192.0.2.7");
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("globex"), change.organizationId);
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), change.role);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{600}, change.expiresInSeconds);
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("globex"), _host->validate(change.accessToken)->organizationId);
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("globex"), _host->validate(token)->organizationId);
    }

    void listsMembersAndMemberships()
    {
        auto& directory = _host->provided<interfaces::Directory>();
        const auto id = _host->organizationId("acme");
        const auto acme = Tenant::fromStored(id);
        const auto all = directory.members(acme, {}, 10);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, all.size());
        CPPUNIT_ASSERT(all[0].userId < all[1].userId);
        const auto first = directory.members(acme, {}, 1);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, first.size());
        CPPUNIT_ASSERT_EQUAL(all[1].userId, directory.members(acme, first[0].userId, 10).at(0).userId);
        const auto mine = directory.organizationsOf(_ada);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.size());
        CPPUNIT_ASSERT_EQUAL(std::string("acme"), mine[0].slug);
        CPPUNIT_ASSERT_EQUAL(std::string("member"), mine[0].role);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, mine[0].memberCount);
        CPPUNIT_ASSERT(!mine[0].secondFactorRequired && !all[0].secondFactor);
        _host->change("UPDATE organizations SET security_policy = '{\"mfaRequired\":true}' WHERE slug = 'acme'");
        _host->change("INSERT INTO totp_factors (user_id, id, name, secret, last_step, created_at) VALUES ($1, 'mfa_1', 'App', 'x', 0, 1)",
                      {_ada});
        CPPUNIT_ASSERT(directory.organizationsOf(_ada).at(0).secondFactorRequired);
        CPPUNIT_ASSERT(directory.member(acme, _ada)->secondFactor);
        CPPUNIT_ASSERT(!directory.member(acme, _owner)->secondFactor);
        _host->change("DELETE FROM totp_factors");
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_ada});
        CPPUNIT_ASSERT(directory.organizationsOf(_ada).empty());
        CPPUNIT_ASSERT_EQUAL(_owner, directory.members(acme, {}, 10).at(0).userId);
        const auto token = _host->signIn("ada@x.example", "identity");
        _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        const auto homes = directory.householdsOf(_ada);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, homes.size());
        CPPUNIT_ASSERT_EQUAL(std::string("manager"), homes[0].role);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, homes[0].memberCount);
        CPPUNIT_ASSERT(!homes[0].selected);
        signIns().selectHousehold(*_host->validate(token, "identity"), homes[0].id);
        CPPUNIT_ASSERT(directory.householdsOf(_ada).at(0).selected);
        CPPUNIT_ASSERT(directory.householdsOf(_owner).empty());
    }

    void finishesOnboarding()
    {
        auto& onboarding = _host->provided<interfaces::Onboarding>();
        const auto owner = _host->validate(_host->signIn("owner@x.example"));
        const auto member = _host->validate(_host->signIn("ada@x.example"));
        auto state = onboarding.state(*owner, "desk");
        CPPUNIT_ASSERT_EQUAL(std::string("not_started"), state.status);
        CPPUNIT_ASSERT(state.manageable && state.steps.at(0).required && !state.steps[0].done);
        CPPUNIT_ASSERT(!onboarding.state(*member, "desk").manageable);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), problemOf([&] { onboarding.finishStep(*member, "desk", "profile", "{}"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), problemOf([&] { onboarding.complete(*member, "desk", "192.0.2.7"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("missing"), onboarding.recoveryEmail(*owner).status);
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email_unverified"),
                             problemOf([&] { onboarding.complete(*owner, "desk", "192.0.2.7"); }));
        _host->change("INSERT INTO recovery_emails (user_id, email, email_key, verified_at, created_at, updated_at) VALUES "
                      "($1, 'o@home.example', 'o@home.example', 1, 1, 1)",
                      {_owner});
        CPPUNIT_ASSERT_EQUAL(std::string("o***@h***.example"), onboarding.recoveryEmail(*owner).maskedEmail);
        CPPUNIT_ASSERT(onboarding.recoveryEmail(*owner).verified);
        CPPUNIT_ASSERT_EQUAL(std::string("onboarding_steps_missing"), problemOf([&] { onboarding.complete(*owner, "desk", "192.0.2.7"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), problemOf([&] { onboarding.finishStep(*owner, "desk", "dance", {}); }));
        state = onboarding.finishStep(*owner, "desk", "profile", R"({"color":"blue"})");
        CPPUNIT_ASSERT_EQUAL(std::string("in_progress"), state.status);
        CPPUNIT_ASSERT(state.steps[0].done);
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), onboarding.complete(*owner, "desk", "192.0.2.7").status);
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), onboarding.state(*member, "desk").status);
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), problemOf([&] { onboarding.state(*owner, "nowhere"); }));
    }

    void sharesPreferences()
    {
        auto& preferences = _host->provided<interfaces::SharedPreferences>();
        const auto token = _host->signIn("ada@x.example");
        const auto caller = _host->validate(token);
        CPPUNIT_ASSERT_EQUAL(std::string("{}"), preferences.read(*caller));
        _host->call({.method = Method::Patch,
                     .target = "/api/auth/me/preferences",
                     .body = R"({"shared":{"theme":"dark","density":"compact"},"services":{"desk":{"view":"list"}}})",
                     .originService = "desk"},
                    token);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"density":"compact","theme":"dark"})"), preferences.read(*caller));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"locale":"de","theme":"dark"})"),
                             preferences.merge(*caller, R"({"density":null,"locale":"de"})"));
        const auto shown = _host->call({.target = "/api/auth/me/preferences", .originService = "desk"}, token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::string("de"), shown.at("/shared/locale"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), shown.at("/services/desk/view"));
        auto organization = *caller;
        organization.principalId = _host->organizationId("acme");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), problemOf([&] { preferences.merge(organization, "{}"); }));
    }

private:
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
    interfaces::Handoff hand(bool mobile, const std::string& redirect)
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        return signIns().handoff(*caller, {"desk", redirect, "/tickets", mobile});
    }
    static std::string codeOf(const interfaces::Handoff& made) { return made.callbackUrl.substr(made.callbackUrl.find("sso_code=") + 9); }
    TestAnswer exchange(const std::string& code, const std::string& redirect = webCallback) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/sso/exchange",
                            .body = R"({"sso_code":")" + code + R"(","service_id":"desk","redirect_uri":")" + redirect + "\"}",
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

CPPUNIT_TEST_SUITE_REGISTRATION(InProcessLaunchTest);

} // namespace portico::tests
