#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// First steps in a service, and its public page.
class OnboardingTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(OnboardingTest);
    CPPUNIT_TEST(goesStepByStep);
    CPPUNIT_TEST(belongsToTheOrganization);
    CPPUNIT_TEST(leavesItToWhoManagesIt);
    CPPUNIT_TEST(asksForARecoveryAddress);
    CPPUNIT_TEST(keepsTheRecoveryAddressOfWhoHasBegun);
    CPPUNIT_TEST(finishes);
    CPPUNIT_TEST(showsThePublicPage);
    CPPUNIT_TEST(changesThePublicPage);
    CPPUNIT_TEST(refusesUnsafeAddresses);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        auto desk = IdentityHost::deskManifest();
        desk.replace(desk.find("\"launchUrl\""), 0,
                     R"("onboarding":{"steps":[{"id":"profile","title":"Profile","required":true},{"id":"logo","title":"Logo"}]},
                        "landing":{"headline":"Answer people","ctas":[{"label":"Begin","href":"/register"}]},)");
        _host->publish({IdentityHost::identityManifest(), desk});
        _host->createUser("admin@acme.example", "acme", "admin");
        _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("admin@globex.example", "globex", "admin");
        _admin = _host->signIn("admin@acme.example");
        _member = _host->signIn("member@acme.example");
    }
    void tearDown() override { _host.reset(); }

    void goesStepByStep()
    {
        auto shown = show(_admin);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::string("not_started"), shown.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("profile"), shown.at("/currentStep"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), shown.at("/steps/0/done"));
        shown = step(_admin, R"({"step":"profile","data":{"color":"blue"}})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::string("in_progress"), shown.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("logo"), shown.at("/currentStep"));
        CPPUNIT_ASSERT_EQUAL(std::string("blue"), shown.at("/data/profile/color"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), show(_admin).at("/steps/0/done"));
        // The same step again says what is new.
        shown = step(_admin, R"({"step":"profile","data":{"color":"red"}})");
        CPPUNIT_ASSERT_EQUAL(std::string("red"), shown.at("/data/profile/color"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), step(_admin, R"({"step":"dance"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), step(_admin, R"({"step":"logo","data":[1]})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), step(_admin, R"({"step":"logo"})", "\"1\"").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"),
                             _host->call({.target = "/api/services/nowhere/onboarding", .originService = "desk"}, _admin).code());
    }

    void belongsToTheOrganization()
    {
        step(_admin, R"({"step":"profile"})");
        CPPUNIT_ASSERT_EQUAL(std::string("in_progress"), show(_member).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_started"), show(_host->signIn("admin@globex.example")).at("/status"));
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, _member);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(me.body, std::string("in_progress"), me.at("/onboarding/services/desk/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("logo"), me.at("/onboarding/services/desk/step"));
    }

    void leavesItToWhoManagesIt()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), step(_member, R"({"step":"profile"})").code());
        // Before a word about what was sent.
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), step(_member, R"({"steps":1})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), complete(_member).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM service_onboarding"));
    }

    void asksForARecoveryAddress()
    {
        step(_admin, R"({"step":"profile"})");
        const auto refused = complete(_admin);
        CPPUNIT_ASSERT_EQUAL(409, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email_unverified"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string("in_progress"), show(_admin).at("/status"));
    }

    void keepsTheRecoveryAddressOfWhoHasBegun()
    {
        _host->createUser("ada@x.example");
        _host->change("UPDATE services SET contexts = '[\"organization\",\"personal\"]', personal_access = TRUE, version = version + 1 "
                      "WHERE service_id = 'desk'");
        const auto ada = _host->signIn("ada@x.example");
        _host->call({.method = Method::Post,
                     .target = "/api/auth/step-up",
                     .body = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}",
                     .originService = "desk"},
                    ada);
        const auto remove = [&]
        { return _host->call({.method = Method::Delete, .target = "/api/auth/me/recovery-email", .originService = "desk"}, ada); };
        CPPUNIT_ASSERT_EQUAL(204, remove().status);
        CPPUNIT_ASSERT_EQUAL(200, step(ada, R"({"step":"profile"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email_required_by_onboarding"), remove().code());
    }

    void finishes()
    {
        _host->change("INSERT INTO recovery_emails (user_id, email, email_key, verified_at, created_at, updated_at) SELECT id, id, id, 1, "
                      "1, 1 FROM users");
        const auto refused = complete(_admin);
        CPPUNIT_ASSERT_EQUAL(std::string("onboarding_steps_missing"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["profile"])"), refused.at("/details/missing"));
        step(_admin, R"({"step":"profile"})");
        const auto done = complete(_admin);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(done.body, std::string("completed"), done.at("/status"));
        CPPUNIT_ASSERT_EQUAL(done.at("/completedAt"), complete(_admin).at("/completedAt"));
    }

    void showsThePublicPage()
    {
        const auto page = _host->call({.target = "/api/public/landing-config/desk", .originService = "desk"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Answer people"), page.at("/headline"));
        CPPUNIT_ASSERT_EQUAL(std::string("/register"), page.at("/ctas/0/href"));
        CPPUNIT_ASSERT(!page.etag.empty());
        CPPUNIT_ASSERT_EQUAL(std::string("service_not_found"), _host->call({.target = "/api/public/landing-config/nowhere"}).code());
        _host->change("UPDATE services SET status = 'suspended', version = version + 1 WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(404, _host->call({.target = "/api/public/landing-config/desk"}).status);
    }

    void changesThePublicPage()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), put(_host->signIn("admin@acme.example", "identity"), "{}").code());
        const auto before = _host->call({.target = "/api/public/landing-config/desk"});
        auto put1 = put(root(), R"({"headline":"Help people","sections":[{"title":"Why","text":"Because: it works"}]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(put1.body, 200, put1.status);
        const auto after = _host->call({.target = "/api/public/landing-config/desk"});
        CPPUNIT_ASSERT_EQUAL(std::string("Help people"), after.at("/headline"));
        // What was not named stays.
        CPPUNIT_ASSERT_EQUAL(std::string("Begin"), after.at("/ctas/0/label"));
        CPPUNIT_ASSERT(before.etag != after.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), put(root(), R"({"sub":"x"})", "\"7\"").code());
        CPPUNIT_ASSERT_EQUAL(200, put(root(), R"({"sub":"x"})", "\"1\"").status);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), _host->call({.target = "/api/public/landing-config/desk"}).at("/version"));
    }

    void refusesUnsafeAddresses()
    {
        const auto root1 = root();
        for (const std::string href : {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:x", "//evil.example", "data:text/html,x",
                                       "/.//evil.example", "/\\\\evil.example", "https:///x", "ftp://x.example", "mailto:x", ""})
        {
            const auto answer = put(root1, R"({"ctas":[{"label":"x","href":")" + href + "\"}]}");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(href, 400, answer.status);
            if (!href.empty()) CPPUNIT_ASSERT_EQUAL_MESSAGE(href, std::string("unsafe_url"), answer.code());
        }
        CPPUNIT_ASSERT_EQUAL(std::string("unsafe_url"), put(root1, R"({"heroImageUrl":"data:image/svg+xml,x"})").code());
        for (const auto* section : {R"({"href":"javascript:x"})", R"({"a":["\u006aavascript:x"]})", R"({"a":{"b":"java\tscript:x"}})"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(section, std::string("unsafe_url"),
                                         put(root1, R"({"sections":[)" + std::string(section) + "]}").code());
        CPPUNIT_ASSERT_EQUAL(200, put(root1, R"({"ctas":[{"label":"x","href":"https://desk.example/a?b#c"}]})").status);
    }

private:
    TestAnswer show(const std::string& token) const
    {
        return _host->call({.target = "/api/services/desk/onboarding", .originService = "desk"}, token);
    }
    TestAnswer step(const std::string& token, std::string body, const std::string& version = {}) const
    {
        TestRequest request{
            .method = Method::Patch, .target = "/api/services/desk/onboarding", .body = std::move(body), .originService = "desk"};
        if (!version.empty()) request.headers.emplace_back("If-Match", version);
        return _host->call(std::move(request), token);
    }
    TestAnswer complete(const std::string& token) const
    {
        return _host->call(
            {.method = Method::Post, .target = "/api/services/desk/onboarding/complete", .body = "{}", .originService = "desk"}, token);
    }
    TestAnswer put(const std::string& token, std::string body, const std::string& version = {}) const
    {
        TestRequest request{.method = Method::Put, .target = "/api/services/desk/landing-config", .body = std::move(body)};
        if (!version.empty()) request.headers.emplace_back("If-Match", version);
        return _host->call(std::move(request), token);
    }
    std::string root()
    {
        _host->createUser("root@x.example", "", "member", "platform_admin");
        return _host->signIn("root@x.example", "identity");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _admin, _member;
};

CPPUNIT_TEST_SUITE_REGISTRATION(OnboardingTest);

} // namespace portico::tests
