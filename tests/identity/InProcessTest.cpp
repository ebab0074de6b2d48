#include "identity/IdentityHost.h"

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// What identity does for other plugins on the same host.
class InProcessTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(InProcessTest);
    CPPUNIT_TEST(handsOver);
    CPPUNIT_TEST(changesTheContext);
    CPPUNIT_TEST(selectsAHousehold);
    CPPUNIT_TEST(looksBehindACookieWithoutUsingIt);
    CPPUNIT_TEST(refusesCookiesThatAreNone);
    CPPUNIT_TEST(showsTheRegistry);
    CPPUNIT_TEST(tellsWhatIsOpen);
    CPPUNIT_TEST(publishesWhatHappens);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example", "acme", "member");
    }
    void tearDown() override { _host.reset(); }

    void handsOver()
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        const interfaces::HandoffWish wish{"desk", "https://desk.example/in", "/tickets", false};
        CPPUNIT_ASSERT_EQUAL(std::string("not_launchable"), codeOf([&] { signIns().handoff(*caller, wish); }));
        auto manifest = IdentityHost::deskManifest();
        manifest.replace(1, 0, R"("launchable":true,"callbackUrls":["https://desk.example/in"],)");
        _host->publish({IdentityHost::identityManifest(), manifest});
        const auto code = signIns().handoff(*caller, wish);
        CPPUNIT_ASSERT(code.callbackUrl.starts_with("https://desk.example/in?sso_code="));
        CPPUNIT_ASSERT(code.code.empty());
        CPPUNIT_ASSERT(code.expiresAt > _host->context().clock().now());
        CPPUNIT_ASSERT_EQUAL(std::string("redirect_uri_not_registered"),
                             codeOf(
                                 [&] {
                                     signIns().handoff(*caller, {"desk", "https://evil.example/in", {}, false});
                                 }));
        auto impersonated = *caller;
        impersonated.impersonatorId = "usr_01arz3ndektsv4rrffq69g5fav";
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), codeOf([&] { signIns().handoff(impersonated, wish); }));
    }

    void changesTheContext()
    {
        _host->createUser("ada@x.example", "globex", "owner");
        const auto token = _host->signIn("ada@x.example", "desk", R"(,"organizationId":")" + _host->organizationId("acme") + '"');
        const auto caller = _host->validate(token);
        signIns().changeContext(*caller, _host->organizationId("globex"), "192.0.2.7");
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), _host->validate(token)->role);
        CPPUNIT_ASSERT_EQUAL(std::string("membership_required"),
                             codeOf([&] { signIns().changeContext(*caller, "org_01arz3ndektsv4rrffq69g5fav", "192.0.2.7"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("membership_required"), codeOf([&] { signIns().changeContext(*caller, "x", "192.0.2.7"); }));
        // Desk is for organizations.
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), codeOf([&] { signIns().changeContext(*caller, {}, "192.0.2.7"); }));
    }

    void selectsAHousehold()
    {
        const auto organization = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_personal_context"), codeOf([&] { signIns().selectHousehold(*organization, {}); }));
        const auto token = _host->signIn("ada@x.example", "identity");
        signIns().changeContext(*_host->validate(token, "identity"), {}, "192.0.2.7");
        const auto made = _host->call({.method = Method::Post, .target = "/api/households", .body = R"({"name":"Home"})"}, token);
        const auto caller = _host->validate(token, "identity");
        signIns().selectHousehold(*caller, made.at("/id"));
        const auto me = _host->call({.target = "/api/auth/me"}, token);
        CPPUNIT_ASSERT_EQUAL(made.at("/id"), me.at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::string("household_membership_required"),
                             codeOf([&] { signIns().selectHousehold(*caller, "hh_01arz3ndektsv4rrffq69g5fav"); }));
        signIns().selectHousehold(*caller, {});
        CPPUNIT_ASSERT_EQUAL(std::string("null"), _host->call({.target = "/api/auth/me"}, token).at("/selectedHouseholdId"));
    }

    void looksBehindACookieWithoutUsingIt()
    {
        const auto answer = _host->browserLogin("ada@x.example");
        const auto handle = answer.cookie("platform_refresh");
        for (int i = 0; i < 3; ++i)
        {
            const auto caller = signIns().behindRefreshCookie(handle, "desk", "192.0.2.7");
            CPPUNIT_ASSERT(caller != nullptr);
            CPPUNIT_ASSERT_EQUAL(_ada, caller->principalId);
            CPPUNIT_ASSERT_EQUAL(answer.at("/session/id"), caller->sessionId);
            CPPUNIT_ASSERT(caller->may("desk.tickets:read"));
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT current_gen FROM refresh_families"));
        CPPUNIT_ASSERT(!signIns().behindRefreshCookie(handle, "identity", "192.0.2.7"));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_ada});
        CPPUNIT_ASSERT(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
    }

    void refusesCookiesThatAreNone()
    {
        const auto handle = _host->browserLogin("ada@x.example").cookie("platform_refresh");
        auto altered = handle;
        altered.back() = altered.back() == 'A' ? 'B' : 'A';
        for (const std::string& text : {std::string(), std::string("x"), altered})
            CPPUNIT_ASSERT(!signIns().behindRefreshCookie(text, "desk", "192.0.2.7"));
        // Replaced: for the time of grace it still says who it is, and then it is old.
        _host->change("UPDATE refresh_families SET current_gen = 2, rotated_at = " +
                      std::to_string(toMillis(_host->context().clock().now())));
        CPPUNIT_ASSERT(signIns().behindRefreshCookie(handle, "desk", "192.0.2.7") != nullptr);
        _host->context().clock().advance(std::chrono::seconds(31));
        CPPUNIT_ASSERT(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
        _host->change("UPDATE refresh_families SET current_gen = 1");
        CPPUNIT_ASSERT(signIns().behindRefreshCookie(handle, "desk", "192.0.2.7") != nullptr);
        _host->change("UPDATE sessions SET ended_at = 1");
        CPPUNIT_ASSERT(!signIns().behindRefreshCookie(handle, "desk", "192.0.2.7"));
    }

    void showsTheRegistry()
    {
        const auto all = catalog().services();
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, all.size());
        const auto desk = catalog().service("desk");
        CPPUNIT_ASSERT_EQUAL(std::string("Desk"), desk->name);
        CPPUNIT_ASSERT(desk->active);
        CPPUNIT_ASSERT_EQUAL(std::string("application"), desk->surfaceKind);
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), desk->contexts.at(0));
        CPPUNIT_ASSERT(boost::json::parse(desk->manifest).at("roleBundles").is_array());
        CPPUNIT_ASSERT(!catalog().service("none"));
        // A page that was set stands in the place of the manifest's.
        _host->change("INSERT INTO landing_configs (service_id, config, version, created_at, updated_at) VALUES ('desk', "
                      "'{\"headline\":\"Help people\"}', 1, 1, 1)");
        const auto changed = boost::json::parse(catalog().service("desk")->manifest);
        CPPUNIT_ASSERT_EQUAL(std::string("Help people"), std::string(changed.at("landing").at("headline").as_string()));
        CPPUNIT_ASSERT(changed.at("roleBundles").is_array());
    }

    void tellsWhatIsOpen()
    {
        const auto caller = _host->validate(_host->signIn("ada@x.example", "identity"), "identity");
        const auto desk = [&] { return catalog().accessOf(*caller).at(0); };
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), desk().serviceId);
        CPPUNIT_ASSERT(desk().accessible);
        CPPUNIT_ASSERT_EQUAL(std::string("organization_access"), desk().reason);
        _host->change("DELETE FROM service_access WHERE service_id = 'desk'");
        CPPUNIT_ASSERT(!desk().accessible);
    }

    void publishesWhatHappens()
    {
        auto& events = _host->context().events();
        const auto token = _host->signIn("ada@x.example", "identity");
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}"}, token);
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        const auto ended = events.published("identity.session.ended");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, ended.size());
        CPPUNIT_ASSERT_EQUAL(_ada, std::string(boost::json::parse(ended[0].data).at("actor").at("id").as_string()));
        // Once.
        const auto all = events.published().size();
        _host->context().clock().advance(std::chrono::seconds(6));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(all, events.published().size());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(InProcessTest);

} // namespace portico::tests
