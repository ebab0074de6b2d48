#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Opening apps, and the history of that.
class LaunchTest : public Suite<LaunchTest, LaunchpadFixture>
{
    testing::TestAnswer launch(const Caller& caller, const std::string& more = {}, const std::string& service = "crm") const
    {
        return post(caller, "/api/launch", jsonWith(R"({"service_id":"$"$})", service, more));
    }
    std::string open(const std::string& target) const
    {
        const auto answer = host->call(Method::Get, target);
        equal(303, answer.status);
        const auto& headers = answer.headerBlock();
        const auto begin = headers.find("Location: ") + 10;
        return headers.substr(begin, headers.find("\r\n", begin) - begin);
    }

    TEST(opensWithACodeThatIsNotStored)
    {
        const auto opened = launch(member, R"(,"target":"web","returnTo":"/deals/7")");
        equal(201, opened.status, opened.body);
        equal("handoff", opened.at("/mode"));
        equal("https://crm.example/auth/callback?sso_code=code-1", opened.at("/url"));
        equal("2026-11-23T08:01:00.000Z", opened.at("/expiresAt"));
        CHECK(!opened.has("/universalLink"));
        equal("/deals/7", signIns->wishes.at(0).returnTo);
        equal("192.0.2.1", signIns->wishes.at(0).clientAddress);
        auto session = host->context().database().session();
        for (const Row row : session.query("SELECT * FROM launch"))
            for (int i = 0; i < 9; ++i)
                if (!row.isNull(i) && i != 7 && i != 8) CHECK(row.text(i).find("code-1") == std::string_view::npos);
    }

    TEST(opensExternalAppsWithoutACode)
    {
        registry.add("wiki").callbackUrls.clear();
        const auto opened = made(launch(member, {}, "wiki"));
        equal("external", opened.at("/mode"));
        equal("https://wiki.example/", opened.at("/url"));
        equal("null", opened.at("/expiresAt"));
        equal("null", get(member, "/api/launches").at("/items/0/outcome"));
        CHECK(signIns->wishes.empty());
    }

    TEST(choosesTheUrlOfADevice)
    {
        auto& crm = registry.entries.find("crm")->second;
        crm.manifest = R"({"mobile":{"ios":{"bundleId":"example.crm","appStoreUrl":"https://shop.example/crm"}}})";
        ++registry.changes;
        const auto there = made(launch(member, R"(,"target":"mobile","device":{"platform":"ios"})"));
        const auto link = "http://launchpad.localhost:8080/launch/crm?code=code-1";
        equal(link, there.at("/universalLink"));
        equal(link, there.at("/url"));
        const auto missing = made(launch(member, R"(,"target":"mobile","device":{"platform":"ios","installed":false})"));
        equal("https://shop.example/crm", missing.at("/url"));
        const auto other = made(launch(member, R"(,"target":"mobile","device":{"platform":"android"})"));
        equal("https://crm.example/auth/callback?sso_code=code-3", other.at("/url"));
        equal("https://crm.example/", other.at("/fallback/webUrl"));
    }

    TEST(refusesLaunches)
    {
        refused(launch(member, {}, "nothing"), 404, "not_found");
        refused(launch(personal(member)), 403, "service_access_denied");
        for (const auto* path : {"https://evil.example/", "//evil.example", "deals", "/\\\\evil"})
            refused(launch(member, std::string(R"(,"returnTo":")") + path + '"'), 400, "return_to_invalid");
        registry.close("social", "no_service_access");
        refused(launch(member, {}, "social"), 403, "service_access_denied");
        registry.entries.find("social")->second.manifest = R"({"commerce":{"pricing":"paid"}})";
        ++registry.changes;
        refused(launch(member, {}, "social"), 402, "plan_required");
        registry.add("engine").launchable = false;
        refused(launch(member, {}, "engine"), 409, "not_launchable");
        registry.add("asleep").active = false;
        refused(launch(member, {}, "asleep"), 409, "service_not_active");
        auto impersonated = member;
        impersonated.impersonatorId = "usr_operator";
        refused(launch(impersonated), 403, "permission_denied");
        refused(launch(newKey({"launches.read"})), 403, "bearer_required");
        signIns->refuse(Problem(403, "service_access_denied"));
        refused(launch(member), 403, "service_access_denied");
        equal(0, get(member, "/api/launches").count("/items"));
    }

    TEST(continuesALaunchInABrowser)
    {
        made(launch(member, R"(,"target":"mobile")"));
        const std::string expired = "/apps?notice=launch_expired";
        equal("https://crm.example/auth/callback?sso_code=code-1", open("/launch/crm?code=code-1"));
        // The code was not consumed.
        equal("https://crm.example/auth/callback?sso_code=code-1", open("/launch/crm?code=code-1"));
        equal(expired, open("/launch/social?code=code-1"));
        equal(expired, open("/launch/crm?code=code-9"));
        equal(expired, open("/launch/crm?code=a%26b%3Dc"));
        equal(expired, open("/launch/crm"));
        signIns->exchange("code-1");
        equal(expired, open("/launch/crm?code=code-1"));
        made(launch(member, R"(,"target":"mobile")"));
        advance(std::chrono::seconds(121));
        equal(expired, open("/launch/crm?code=code-2"));
    }

    TEST(learnsOutcomes)
    {
        made(launch(member));
        made(launch(member, {}, "social"));
        equal("pending", get(member, "/api/launches").at("/items/0/outcome"));
        host->context().events().deliver({"evt_1", "identity.handoff.exchanged", organization,
                                          R"({"id":"hnd_00000000000000000000000002","change":"handoff.exchanged","details":{}})",
                                          Instant{}});
        advance(std::chrono::seconds(61));
        const auto launches = get(member, "/api/launches");
        equal("exchanged", launches.at("/items/0/outcome"));
        equal("social", launches.at("/items/0/service_id"));
        equal("expired", launches.at("/items/1/outcome"));
        CHECK(!launches.has("/items/0/handoffId"));
    }

    TEST(showsOwnLaunchesToMembers)
    {
        made(launch(member));
        made(launch(guest));
        equal(1, get(member, "/api/launches").count("/items"));
        equal(2, get(admin, "/api/launches").count("/items"));
        equal(1, get(admin, "/api/launches?userId=" + guest.principalId).count("/items"));
        refused(get(member, "/api/launches?userId=" + guest.principalId), 403, "permission_denied");
        equal(0, get(stranger, "/api/launches").count("/items"));
        equal(2, get(newKey({"launches.read"}), "/api/launches").count("/items"));
        equal(0, get(admin, "/api/launches?from=2026-11-24T00:00:00Z").count("/items"));
        equal(2, get(admin, "/api/launches?service_id=crm&to=2026-11-24T00:00:00Z").count("/items"));
        for (const auto* none : {"service_id=", "userId="})
            equal(0, made(get(admin, std::string("/api/launches?") + none)).count("/items"), none);
        const auto page = get(admin, "/api/launches?limit=1");
        equal(member.principalId, get(admin, "/api/launches?limit=1&cursor=" + page.at("/nextCursor")).at("/items/0/userId"));
    }

    TEST(countsLaunches)
    {
        for (int i = 0; i < 3; ++i) made(launch(member));
        made(launch(guest));
        made(launch(guest, {}, "social"));
        const auto all = get(admin, "/api/launches/summary");
        equal("crm", all.at("/byService/0/service_id"));
        equal("4", all.at("/byService/0/launches"));
        equal("2", all.at("/byService/0/users"));
        equal(R"(["admin","calendar"])", all.at("/unused"));
        equal("3", get(member, "/api/launches/summary").at("/byService/0/launches"));
        equal("3", get(member, "/api/catalog/crm").at("/user/launchCount30d"));
        advance(std::chrono::days(8));
        equal(0, get(admin, "/api/launches/summary?days=7").count("/byService"));
        refused(get(admin, "/api/launches/summary?days=0"), 400, "validation_failed");
    }

    TEST(limitsAPerson)
    {
        for (int i = 0; i < 60; ++i) made(launch(member));
        refused(launch(member), 429, "rate_limited");
        made(launch(guest));
    }

    TEST(listsAppsOfTheSwitcher)
    {
        const auto apps = get(member, "/api/launcher/apps");
        equal(organization, apps.at("/activeContext/organizationId"));
        equal(5, apps.count("/items"));
        equal("1", apps.at("/items/0/order"));
        refused(host->call(Method::Get, "/api/launcher/apps"), 401, "authentication_required");
        testing::TestRequest request{Method::Get, "/api/launcher/apps", {}, {{"Cookie", "platform_refresh=abc"}}};
        refused(host->call(request), 401, "session_ended");
        signIns->cookies["abc"] = std::make_shared<const Caller>(personal(member));
        const auto home = host->call(request);
        equal(200, home.status, home.body);
        equal("personal", home.at("/activeContext/kind"));
    }
};

} // namespace portico::tests
