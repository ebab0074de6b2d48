#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// First steps in a service, and its public page.
class OnboardingTest : public Suite<OnboardingTest>
{
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

    TEST(goesStepByStep)
    {
        auto shown = show(_admin);
        equal("not_started", shown.at("/status"), shown.body);
        equal("profile", shown.at("/currentStep"));
        equal("false", shown.at("/steps/0/done"));
        shown = step(_admin, R"({"step":"profile","data":{"color":"blue"}})");
        equal("in_progress", shown.at("/status"), shown.body);
        equal("logo", shown.at("/currentStep"));
        equal("blue", shown.at("/data/profile/color"));
        equal("true", show(_admin).at("/steps/0/done"));
        // Repeating a step updates its data.
        shown = step(_admin, R"({"step":"profile","data":{"color":"red"}})");
        equal("red", shown.at("/data/profile/color"));
        equal("validation_failed", step(_admin, R"({"step":"dance"})").code());
        equal("validation_failed", step(_admin, R"({"step":"logo","data":[1]})").code());
        equal("version_conflict", step(_admin, R"({"step":"logo"})", "\"1\"").code());
        equal("not_found", _host->call({.target = "/api/services/nowhere/onboarding", .originService = "desk"}, _admin).code());
    }

    TEST(belongsToTheOrganization)
    {
        step(_admin, R"({"step":"profile"})");
        equal("in_progress", show(_member).at("/status"));
        equal("not_started", show(_host->signIn("admin@globex.example")).at("/status"));
        const auto me = _host->call({.target = "/api/auth/me", .originService = "desk"}, _member);
        equal("in_progress", me.at("/onboarding/services/desk/status"), me.body);
        equal("logo", me.at("/onboarding/services/desk/step"));
    }

    TEST(leavesItToWhoManagesIt)
    {
        equal("permission_denied", step(_member, R"({"step":"profile"})").code());
        // The permission is checked before the body.
        equal("permission_denied", step(_member, R"({"steps":1})").code());
        equal("permission_denied", complete(_member).code());
        equal(0, _host->count("SELECT COUNT(*) FROM service_onboarding"));
    }

    TEST(asksForARecoveryAddress)
    {
        step(_admin, R"({"step":"profile"})");
        const auto answer = complete(_admin);
        refused(answer, 409, "recovery_email_unverified");
        equal("in_progress", show(_admin).at("/status"));
    }

    TEST(keepsTheRecoveryAddressOfWhoHasBegun)
    {
        _host->createUser("ada@x.example");
        _host->change("UPDATE services SET contexts = '[\"organization\",\"personal\"]', personal_access = TRUE, version = version + 1 "
                      "WHERE service_id = 'desk'");
        const auto ada = _host->signIn("ada@x.example");
        _host->call({.method = Method::Post,
                     .target = "/api/auth/step-up",
                     .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                     .originService = "desk"},
                    ada);
        const auto remove = [&]
        { return _host->call({.method = Method::Delete, .target = "/api/auth/me/recovery-email", .originService = "desk"}, ada); };
        equal(204, remove().status);
        equal(200, step(ada, R"({"step":"profile"})").status);
        equal("recovery_email_required_by_onboarding", remove().code());
    }

    TEST(finishes)
    {
        _host->change("INSERT INTO recovery_emails (user_id, email, email_key, verified_at, created_at, updated_at) SELECT id, id, id, 1, "
                      "1, 1 FROM users");
        const auto refused = complete(_admin);
        equal("onboarding_steps_missing", refused.code());
        equal(R"(["profile"])", refused.at("/details/missing"));
        step(_admin, R"({"step":"profile"})");
        const auto done = complete(_admin);
        equal("completed", done.at("/status"), done.body);
        equal(done.at("/completedAt"), complete(_admin).at("/completedAt"));
    }

    TEST(showsThePublicPage)
    {
        const auto page = _host->call({.target = "/api/public/landing-config/desk", .originService = "desk"});
        equal(200, page.status, page.body);
        equal("Answer people", page.at("/headline"));
        equal("/register", page.at("/ctas/0/href"));
        CHECK(!page.etag.empty());
        equal("service_not_found", _host->call({.target = "/api/public/landing-config/nowhere"}).code());
        _host->change("UPDATE services SET status = 'suspended', version = version + 1 WHERE service_id = 'desk'");
        equal(404, _host->call({.target = "/api/public/landing-config/desk"}).status);
    }

    TEST(changesThePublicPage)
    {
        equal("permission_denied", put(_host->signIn("admin@acme.example", "identity"), "{}").code());
        const auto before = _host->call({.target = "/api/public/landing-config/desk"});
        auto put1 = put(root(), R"({"headline":"Help people","sections":[{"title":"Why","text":"Because: it works"}]})");
        equal(200, put1.status, put1.body);
        const auto after = _host->call({.target = "/api/public/landing-config/desk"});
        equal("Help people", after.at("/headline"));
        // Absent members stay unchanged.
        equal("Begin", after.at("/ctas/0/label"));
        CHECK(before.etag != after.etag);
        equal("version_conflict", put(root(), R"({"sub":"x"})", "\"7\"").code());
        const auto created = _host->count("SELECT created_at FROM landing_configs");
        _host->context().clock().advance(std::chrono::seconds(5));
        equal(200, put(root(), R"({"sub":"x"})", "\"1\"").status);
        const auto again = _host->call({.target = "/api/public/landing-config/desk"});
        equal("2", again.at("/version"));
        CHECK(again.at("/updatedAt") != after.at("/updatedAt"));
        equal(created, _host->count("SELECT created_at FROM landing_configs"));
    }

    TEST(refusesUnsafeAddresses)
    {
        const auto root1 = root();
        for (const std::string href : {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:x", "//evil.example", "data:text/html,x",
                                       "/.//evil.example", "/\\evil.example", "https:///x", "ftp://x.example", "mailto:x", ""})
        {
            const auto answer = put(root1, jsonWith(R"({"ctas":[{"label":"x","href":"$"}]})", href));
            equal(400, answer.status, href);
            if (!href.empty()) equal("unsafe_url", answer.code(), href);
        }
        equal("unsafe_url", put(root1, R"({"heroImageUrl":"data:image/svg+xml,x"})").code());
        for (const auto* section : {R"({"href":"javascript:x"})", R"({"a":["\u006aavascript:x"]})", R"({"a":{"b":"java\tscript:x"}})"})
            equal("unsafe_url", put(root1, jsonWith(R"({"sections":[$]})", section)).code(), section);
        equal(200, put(root1, R"({"ctas":[{"label":"x","href":"https://desk.example/a?b#c"}]})").status);
    }

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

} // namespace portico::tests
