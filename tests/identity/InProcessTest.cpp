#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

namespace portico::tests
{

/// Interfaces of identity for other plugins on the same host.
class InProcessTest : public Suite<InProcessTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example", "acme", "member");
    }
    void tearDown() override { _host.reset(); }

    TEST(handsOver)
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        const interfaces::HandoffWish request{"desk", "https://desk.example/in", "/tickets", false, "192.0.2.7"};
        equal("not_launchable", codeOf([&] { signIns().handoff(*caller, request); }));
        auto manifest = IdentityHost::deskManifest();
        manifest.replace(1, 0, R"("launchable":true,"callbackUrls":["https://desk.example/in"],)");
        _host->publish({IdentityHost::identityManifest(), manifest});
        const auto code = signIns().handoff(*caller, request);
        CHECK(code.callbackUrl.starts_with("https://desk.example/in?sso_code="));
        CHECK(code.code.empty());
        CHECK(code.expiresAt > _host->context().clock().now());
        auto foreign = request;
        foreign.redirectUri = "https://evil.example/in";
        equal("redirect_uri_not_registered", codeOf([&] { signIns().handoff(*caller, foreign); }));
        auto impersonated = *caller;
        impersonated.impersonatorId = "usr_01arz3ndektsv4rrffq69g5fav";
        equal("permission_denied", codeOf([&] { signIns().handoff(impersonated, request); }));
    }

    TEST(changesTheContext)
    {
        _host->createUser("ada@x.example", "globex", "owner");
        const auto token = _host->signIn("ada@x.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        const auto caller = _host->validate(token);
        signIns().changeContext(*caller, _host->organizationId("globex"), "192.0.2.7");
        equal("owner", _host->validate(token)->role);
        equal("membership_required", codeOf([&] { signIns().changeContext(*caller, "org_01arz3ndektsv4rrffq69g5fav", "192.0.2.7"); }));
        equal("membership_required", codeOf([&] { signIns().changeContext(*caller, "x", "192.0.2.7"); }));
        // Desk is for organizations.
        equal("service_access_denied", codeOf([&] { signIns().changeContext(*caller, {}, "192.0.2.7"); }));
    }

    TEST(selectsAHousehold)
    {
        const auto organization = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        equal("not_in_personal_context", codeOf([&] { signIns().selectHousehold(*organization, {}); }));
        const auto token = _host->signIn("ada@x.example", "identity");
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        const auto made = _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        const auto caller = _host->validate(token, "identity");
        signIns().selectHousehold(*caller, made.at("/id"));
        const auto me = _host->call({.target = "/api/auth/me"}, token);
        equal(made.at("/id"), me.at("/selectedHouseholdId"));
        equal("household_membership_required", codeOf([&] { signIns().selectHousehold(*caller, "hh_01arz3ndektsv4rrffq69g5fav"); }));
        signIns().selectHousehold(*caller, {});
        equal("null", _host->call({.target = "/api/auth/me"}, token).at("/selectedHouseholdId"));
    }

    TEST(looksBehindACookieWithoutUsingIt)
    {
        const auto answer = _host->browserLogin("ada@x.example");
        const auto handle = answer.cookie("platform_refresh");
        for (int i = 0; i < 3; ++i)
        {
            const auto caller = signIns().behindRefreshCookie(handle, "desk", "192.0.2.7");
            CHECK(caller != nullptr);
            equal(_ada, caller->principalId);
            equal(answer.at("/session/id"), caller->sessionId);
            CHECK(caller->may("desk.tickets:read"));
        }
        equal(1, _host->count("SELECT current_gen FROM refresh_families"));
        CHECK(!signIns().behindRefreshCookie(handle, "identity", "192.0.2.7"));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_ada});
        CHECK(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
    }

    TEST(refusesCookiesThatAreNone)
    {
        const auto handle = _host->browserLogin("ada@x.example").cookie("platform_refresh");
        auto altered = handle;
        altered.back() = altered.back() == 'A' ? 'B' : 'A';
        for (const std::string& text : {std::string(), std::string("x"), altered})
            CHECK(!signIns().behindRefreshCookie(text, "desk", "192.0.2.7"));
        // Replaced: for the time of grace it still says who it is, and then it is old.
        _host->change("UPDATE refresh_families SET current_gen = 2, rotated_at = " +
                      std::to_string(toMillis(_host->context().clock().now())));
        CHECK(signIns().behindRefreshCookie(handle, "desk", "192.0.2.7") != nullptr);
        _host->context().clock().advance(std::chrono::seconds(31));
        CHECK(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
        _host->change("UPDATE refresh_families SET current_gen = 1");
        CHECK(signIns().behindRefreshCookie(handle, "desk", "192.0.2.7") != nullptr);
        _host->change("UPDATE sessions SET ended_at = 1");
        CHECK(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
    }

    TEST(showsTheRegistry)
    {
        const auto all = catalog().services();
        equal(2, all.size());
        const auto desk = catalog().service("desk");
        equal("Desk", desk->name);
        CHECK(desk->active);
        equal("application", desk->surfaceKind);
        equal("organization", desk->contexts.at(0));
        CHECK(boost::json::parse(desk->manifest).at("roleBundles").is_array());
        CHECK(!catalog().service("none"));
        // A configured page replaces the manifest's.
        _host->change("INSERT INTO landing_configs (service_id, config, version, created_at, updated_at) VALUES ('desk', "
                      "'{\"headline\":\"Help people\"}', 1, 1, 1)");
        const auto changed = boost::json::parse(catalog().service("desk")->manifest);
        equal("Help people", std::string(changed.at("landing").at("headline").as_string()));
        CHECK(changed.at("roleBundles").is_array());
    }

    TEST(reportsAccessOfTheCaller)
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        const auto desk = [&] { return catalog().accessOf(*caller).at(0); };
        equal("desk", desk().serviceId);
        CHECK(desk().accessible);
        equal("organization_access", desk().reason);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        CHECK(!desk().accessible);
    }

    TEST(publishesWhatHappens)
    {
        auto& events = _host->context().events();
        const auto token = _host->signIn("ada@x.example", "identity");
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}"}, token);
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        const auto ended = events.published("identity.session.ended");
        equal(1, ended.size());
        equal(_ada, std::string(boost::json::parse(ended[0].data).at("actor").at("id").as_string()));
        // Once.
        const auto all = events.published().size();
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        equal(all, events.published().size());
    }

    interfaces::SignIns& signIns() const { return _host->provided<interfaces::SignIns>(); }
    interfaces::ServiceCatalog& catalog() const { return _host->provided<interfaces::ServiceCatalog>(); }
    template <class F>
    static std::string codeOf(F&& work)
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
};

} // namespace portico::tests
