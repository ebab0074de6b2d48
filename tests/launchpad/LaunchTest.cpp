#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Opening apps, and the history of that.
class LaunchTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchTest);
    CPPUNIT_TEST(opensWithACodeThatIsNotStored);
    CPPUNIT_TEST(opensExternalAppsWithoutACode);
    CPPUNIT_TEST(choosesTheUrlOfADevice);
    CPPUNIT_TEST(refusesLaunches);
    CPPUNIT_TEST(continuesALaunchInABrowser);
    CPPUNIT_TEST(learnsOutcomes);
    CPPUNIT_TEST(showsOwnLaunchesToMembers);
    CPPUNIT_TEST(countsLaunches);
    CPPUNIT_TEST(limitsAPerson);
    CPPUNIT_TEST(listsAppsOfTheSwitcher);
    CPPUNIT_TEST_SUITE_END();

public:
    testing::TestAnswer launch(const Caller& caller, const std::string& more = {}, const std::string& service = "crm") const
    {
        return post(caller, "/api/launch", R"({"service_id":")" + service + '"' + more + '}');
    }
    std::string open(const std::string& target) const
    {
        const auto answer = host->call(Method::Get, target);
        CPPUNIT_ASSERT_EQUAL(303, answer.status);
        const auto& headers = answer.headerBlock();
        const auto begin = headers.find("Location: ") + 10;
        return headers.substr(begin, headers.find("\r\n", begin) - begin);
    }

    void opensWithACodeThatIsNotStored()
    {
        const auto opened = launch(member, R"(,"target":"web","returnTo":"/deals/7")");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(opened.body, 201, opened.status);
        CPPUNIT_ASSERT_EQUAL(std::string("handoff"), opened.at("/mode"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/auth/callback?sso_code=code-1"), opened.at("/url"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:01:00.000Z"), opened.at("/expiresAt"));
        CPPUNIT_ASSERT(!opened.has("/universalLink"));
        CPPUNIT_ASSERT_EQUAL(std::string("/deals/7"), signIns->wishes.at(0).returnTo);
        auto session = host->context().database().session();
        for (const Row row : session.query("SELECT * FROM launch"))
            for (int i = 0; i < 9; ++i)
                if (!row.isNull(i) && i != 7 && i != 8) CPPUNIT_ASSERT(row.text(i).find("code-1") == std::string_view::npos);
    }

    void opensExternalAppsWithoutACode()
    {
        registry.add("wiki").callbackUrls.clear();
        const auto opened = made(launch(member, {}, "wiki"));
        CPPUNIT_ASSERT_EQUAL(std::string("external"), opened.at("/mode"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://wiki.example/"), opened.at("/url"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), opened.at("/expiresAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(member, "/api/launches").at("/items/0/outcome"));
        CPPUNIT_ASSERT(signIns->wishes.empty());
    }

    void choosesTheUrlOfADevice()
    {
        auto& crm = registry.entries.find("crm")->second;
        crm.manifest = R"({"mobile":{"ios":{"bundleId":"example.crm","appStoreUrl":"https://shop.example/crm"}}})";
        ++registry.changes;
        const auto there = made(launch(member, R"(,"target":"mobile","device":{"platform":"ios"})"));
        const auto link = "http://launchpad.localhost:8080/launch/crm?code=code-1";
        CPPUNIT_ASSERT_EQUAL(std::string(link), there.at("/universalLink"));
        CPPUNIT_ASSERT_EQUAL(std::string(link), there.at("/url"));
        const auto missing = made(launch(member, R"(,"target":"mobile","device":{"platform":"ios","installed":false})"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://shop.example/crm"), missing.at("/url"));
        const auto other = made(launch(member, R"(,"target":"mobile","device":{"platform":"android"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/auth/callback?sso_code=code-3"), other.at("/url"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/"), other.at("/fallback/webUrl"));
    }

    void refusesLaunches()
    {
        assertProblem(launch(member, {}, "nothing"), 404, "not_found");
        assertProblem(launch(personal(member)), 403, "service_access_denied");
        for (const auto* path : {"https://evil.example/", "//evil.example", "deals", "/\\\\evil"})
            assertProblem(launch(member, std::string(R"(,"returnTo":")") + path + '"'), 400, "return_to_invalid");
        registry.close("social", "no_service_access");
        assertProblem(launch(member, {}, "social"), 403, "service_access_denied");
        registry.entries.find("social")->second.manifest = R"({"commerce":{"pricing":"paid"}})";
        ++registry.changes;
        assertProblem(launch(member, {}, "social"), 402, "plan_required");
        registry.add("engine").launchable = false;
        assertProblem(launch(member, {}, "engine"), 409, "not_launchable");
        registry.add("asleep").active = false;
        assertProblem(launch(member, {}, "asleep"), 409, "service_not_active");
        auto impersonated = member;
        impersonated.impersonatorId = "usr_operator";
        assertProblem(launch(impersonated), 403, "permission_denied");
        assertProblem(launch(newKey({"launches.read"})), 403, "bearer_required");
        signIns->refuse(Problem(403, "service_access_denied"));
        assertProblem(launch(member), 403, "service_access_denied");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/launches").count("/items"));
    }

    void continuesALaunchInABrowser()
    {
        made(launch(member, R"(,"target":"mobile")"));
        const std::string expired = "/apps?notice=launch_expired";
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/auth/callback?sso_code=code-1"), open("/launch/crm?code=code-1"));
        // The code was not consumed.
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/auth/callback?sso_code=code-1"), open("/launch/crm?code=code-1"));
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/social?code=code-1"));
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/crm?code=code-9"));
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/crm?code=a%26b%3Dc"));
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/crm"));
        signIns->exchange("code-1");
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/crm?code=code-1"));
        made(launch(member, R"(,"target":"mobile")"));
        advance(std::chrono::seconds(121));
        CPPUNIT_ASSERT_EQUAL(expired, open("/launch/crm?code=code-2"));
    }

    void learnsOutcomes()
    {
        made(launch(member));
        made(launch(member, {}, "social"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), get(member, "/api/launches").at("/items/0/outcome"));
        host->context().events().deliver({"evt_1", "identity.handoff.exchanged", organization,
                                          R"({"id":"hnd_00000000000000000000000002","change":"handoff.exchanged","details":{}})",
                                          Instant{}});
        advance(std::chrono::seconds(61));
        const auto launches = get(member, "/api/launches");
        CPPUNIT_ASSERT_EQUAL(std::string("exchanged"), launches.at("/items/0/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("social"), launches.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), launches.at("/items/1/outcome"));
        CPPUNIT_ASSERT(!launches.has("/items/0/handoffId"));
    }

    void showsOwnLaunchesToMembers()
    {
        made(launch(member));
        made(launch(guest));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(member, "/api/launches").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(admin, "/api/launches").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/launches?userId=" + guest.principalId).count("/items"));
        assertProblem(get(member, "/api/launches?userId=" + guest.principalId), 403, "permission_denied");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(stranger, "/api/launches").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(newKey({"launches.read"}), "/api/launches").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/launches?from=2026-11-24T00:00:00Z").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(admin, "/api/launches?service_id=crm&to=2026-11-24T00:00:00Z").count("/items"));
        for (const auto* none : {"service_id=", "userId="})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(none, std::size_t{0}, made(get(admin, std::string("/api/launches?") + none)).count("/items"));
        const auto page = get(admin, "/api/launches?limit=1");
        CPPUNIT_ASSERT_EQUAL(member.principalId,
                             get(admin, "/api/launches?limit=1&cursor=" + page.at("/nextCursor")).at("/items/0/userId"));
    }

    void countsLaunches()
    {
        for (int i = 0; i < 3; ++i) made(launch(member));
        made(launch(guest));
        made(launch(guest, {}, "social"));
        const auto all = get(admin, "/api/launches/summary");
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), all.at("/byService/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("4"), all.at("/byService/0/launches"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), all.at("/byService/0/users"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["admin","calendar"])"), all.at("/unused"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), get(member, "/api/launches/summary").at("/byService/0/launches"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), get(member, "/api/catalog/crm").at("/user/launchCount30d"));
        advance(std::chrono::days(8));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/launches/summary?days=7").count("/byService"));
        assertProblem(get(admin, "/api/launches/summary?days=0"), 400, "validation_failed");
    }

    void limitsAPerson()
    {
        for (int i = 0; i < 60; ++i) made(launch(member));
        assertProblem(launch(member), 429, "rate_limited");
        made(launch(guest));
    }

    void listsAppsOfTheSwitcher()
    {
        const auto apps = get(member, "/api/launcher/apps");
        CPPUNIT_ASSERT_EQUAL(organization, apps.at("/activeContext/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, apps.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), apps.at("/items/0/order"));
        assertProblem(host->call(Method::Get, "/api/launcher/apps"), 401, "authentication_required");
        testing::TestRequest request{Method::Get, "/api/launcher/apps", {}, {{"Cookie", "platform_refresh=abc"}}};
        assertProblem(host->call(request), 401, "session_ended");
        signIns->cookies["abc"] = std::make_shared<const Caller>(personal(member));
        const auto home = host->call(request);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(home.body, 200, home.status);
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), home.at("/activeContext/kind"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchTest);

} // namespace portico::tests
