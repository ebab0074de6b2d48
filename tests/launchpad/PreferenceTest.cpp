#include "launchpad/LaunchpadFixture.h"

#include "portico/testing/FakeSharedPreferences.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Dashboards of people: one document for each context, with members that identity stores and defaults that the organization sets.
class LaunchpadPreferenceTest : public Suite<LaunchpadPreferenceTest, LaunchpadFixture>
{
    void setUp() override
    {
        LaunchpadFixture::setUp();
        shared = {};
        host->context().services().offer<interfaces::SharedPreferences>(shared);
    }

    TEST(startsWithDefaults)
    {
        const auto shown = made(get(member, "/api/preferences"));
        equal("organization", shown.at("/context"));
        equal(organization, shown.at("/organizationId"));
        for (const auto& [field, expected] : std::vector<std::pair<std::string, std::string>>{{"theme", "system"},
                                                                                              {"density", "comfortable"},
                                                                                              {"locale", "en"},
                                                                                              {"view", "tiles"},
                                                                                              {"sidebarCollapsed", "false"},
                                                                                              {"defaultLanding", "dashboard"},
                                                                                              {"openIn", "same_tab"},
                                                                                              {"pinned", "[]"},
                                                                                              {"order", "[]"},
                                                                                              {"folders", "[]"},
                                                                                              {"widgets", "[]"},
                                                                                              {"version", "0"}})
            equal(expected, shown.at("/" + field), field);
        CHECK(!shown.has("/userId"));
        equal("personal", made(get(personal(member), "/api/preferences")).at("/context"));
    }

    TEST(mergesAndCountsVersions)
    {
        auto changed = made(
            patch(member, "/api/preferences",
                  R"({"view":"list","pinned":["crm"],"hidden":["social"],"folders":[{"id":"f1","name":" Sales ","serviceIds":["crm"]}]})"));
        equal("1", changed.at("/version"));
        equal("Sales", changed.at("/folders/0/name"));
        changed = made(patch(member, "/api/preferences", R"({"sidebarCollapsed":true,"version":1,"context":"organization"})"));
        equal("2", changed.at("/version"));
        equal("list", changed.at("/view"));
        equal("crm", changed.at("/pinned/0"));
        // The same again changes nothing.
        equal("2", made(patch(member, "/api/preferences", R"({"view":"list"})")).at("/version"));
        // Another member has a separate document.
        equal("0", made(get(admin, "/api/preferences")).at("/version"));
    }

    TEST(keepsOneDocumentPerContext)
    {
        made(patch(member, "/api/preferences", R"({"view":"list"})"));
        made(patch(member, "/api/preferences?context=personal", R"({"pinned":["admin"]})"));
        equal("tiles", made(get(member, "/api/preferences?context=personal")).at("/view"));
        equal("admin", made(get(personal(member), "/api/preferences")).at("/pinned/0"));
        equal("list", made(get(member, "/api/preferences?context=organization")).at("/view"));
        refused(get(personal(member), "/api/preferences?context=organization"), 400, "validation_failed");
        refused(get(member, "/api/preferences?context=household"), 400, "validation_failed");
        // The same person in another organization starts with the defaults.
        auto elsewhere = member;
        elsewhere.organizationId = stranger.organizationId;
        equal("0", made(get(elsewhere, "/api/preferences")).at("/version"));
    }

    TEST(writesSharedMembersThrough)
    {
        shared.shared[member.principalId]["theme"] = Json{"\"dark\""};
        shared.shared[member.principalId]["density"] = Json{"\"cosy\""};
        shared.shared[member.principalId]["sounds"] = Json{"true"};
        auto shown = made(get(member, "/api/preferences"));
        equal("dark", shown.at("/theme"));
        // Another service has set a value that is unknown here.
        equal("comfortable", shown.at("/density"));
        shown = made(patch(member, "/api/preferences", R"({"density":"compact","locale":"de-AT"})"));
        equal("compact", shown.at("/density"));
        equal("1", shown.at("/version"));
        equal(R"({"density":"compact","locale":"de-AT","sounds":true,"theme":"dark"})", shared.read(member));
        // They are the same in every context.
        equal("de-AT", made(get(personal(member), "/api/preferences")).at("/locale"));
        refused(patch(member, "/api/preferences", R"({"theme":"blue"})"), 400, "validation_failed");
        refused(patch(member, "/api/preferences", R"({"locale":"<b>"})"), 400, "validation_failed");
    }

    TEST(savesNothingWhileIdentityIsAway)
    {
        host->context().services().withdraw(interfaces::SharedPreferences::interfaceName);
        refused(patch(member, "/api/preferences", R"({"theme":"dark","view":"list"})"), 503, "preferences_unavailable");
        equal("tiles", made(get(member, "/api/preferences")).at("/view"));
        equal("list", made(patch(member, "/api/preferences", R"({"view":"list"})")).at("/view"));
    }

    TEST(appliesTheOrganizationsChoiceUntilThePersonChooses)
    {
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["calendar","crm"],"defaultPinned":["calendar"]})"));
        auto shown = made(get(member, "/api/preferences"));
        equal(R"(["calendar","crm"])", shown.at("/order"));
        equal(R"(["calendar"])", shown.at("/pinned"));
        shown = made(patch(member, "/api/preferences", R"({"pinned":[]})"));
        equal("[]", shown.at("/pinned"));
        equal(R"(["calendar","crm"])", shown.at("/order"));
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["crm"],"defaultPinned":["crm"]})"));
        shown = made(get(member, "/api/preferences"));
        equal("[]", shown.at("/pinned"));
        equal(R"(["crm"])", shown.at("/order"));
        // Null restores the organization's default.
        equal(R"(["crm"])", made(patch(member, "/api/preferences", R"({"pinned":null})")).at("/pinned"));
        equal("[]", made(get(personal(member), "/api/preferences")).at("/order"));
        equal("[]", made(get(stranger, "/api/preferences")).at("/order"));
    }

    TEST(omitsRemovedAppsAndRefusesUnknownOnes)
    {
        made(patch(member, "/api/preferences",
                   R"({"pinned":["crm","social"],"order":["social","crm"],"hidden":["social"],
                       "folders":[{"id":"f1","name":"All","serviceIds":["social","crm"]}]})"));
        auto& social = registry.entries.find("social")->second;
        social.active = false;
        social.status = "retired";
        ++registry.changes;
        advance(std::chrono::minutes(2));
        const auto shown = made(get(member, "/api/preferences"));
        equal(R"(["crm"])", shown.at("/pinned"));
        equal(R"(["crm"])", shown.at("/order"));
        equal("[]", shown.at("/hidden"));
        equal(R"(["crm"])", shown.at("/folders/0/serviceIds"));
        for (const auto* body : {R"({"pinned":["nothing"]})", R"({"order":["crm","nothing"]})", R"({"hidden":["nothing"]})",
                                 R"({"folders":[{"id":"f1","name":"F","serviceIds":["nothing"]}]})",
                                 R"({"widgets":[{"service_id":"nothing","widgetId":"overview"}]})"})
            refused(patch(member, "/api/preferences", body), 400, "unknown_service");
        refused(put(admin, "/api/org-settings", R"({"defaultPinned":["nothing"]})"), 400, "unknown_service");
        equal("1", made(get(member, "/api/preferences")).at("/version"));
    }

    TEST(refusesWhatDoesNotFit)
    {
        registry.entries.find("crm")->second.manifest =
            R"({"widget":{"url":"/api/widget","widgets":[{"id":"overview","title":"CRM","sizes":["s","m"]},{"id":"any","title":"Any"}]}})";
        ++registry.changes;
        advance(std::chrono::minutes(2));
        const auto widget = [](std::string_view more)
        { return jsonWith(R"({"widgets":[{"service_id":"crm","widgetId":"overview"$}]})", more); };
        equal("m", made(patch(member, "/api/preferences", widget(R"(,"size":"m")"))).at("/widgets/0/size"));
        std::string folders, many;
        for (int i = 0; i < 51; ++i)
            folders += std::string(i == 0 ? "" : ",") + R"({"id":"f)" + std::to_string(i) + R"(","name":"F","serviceIds":[]})";
        for (int i = 0; i < 10'000; ++i) many += std::string(i == 0 ? "" : ",") + R"({"service_id":"crm","widgetId":"any"})";
        std::vector<std::string> bodies = {
            widget(R"(,"size":"l")"),
            widget(R"(,"size":"xl")"),
            widget(R"(,"column":4)"),
            widget(R"(,"row":-1)"),
            R"({"widgets":[{"service_id":"crm","widgetId":"none"}]})",
            R"({"widgets":[{"service_id":"crm","widgetId":"any"},{"service_id":"crm","widgetId":"any"}]})",
            R"({"pinned":["crm","crm"]})",
            R"({"folders":[{"id":"f1","name":"A","serviceIds":["crm"]},{"id":"f2","name":"B","serviceIds":["crm"]}]})",
            R"({"folders":[{"id":"f1","name":"A"},{"id":"f1","name":"B"}]})",
            R"({"folders":[{"id":"f 1","name":"A"}]})",
            R"({"folders":[{"id":"f1","name":" "}]})",
            R"({"view":"cards"})",
            jsonWith(R"({"folders":[$]})", folders),
            jsonWith(R"({"widgets":[$]})", many)};
        for (const auto& body : bodies) refused(patch(member, "/api/preferences", body), 400, "validation_failed");
        refused(patch(member, "/api/preferences", R"({"colour":"red"})"), 400, "unknown_field");
        // Every list with long IDs: more than 64 KiB.
        std::string ids, first500;
        for (int i = 0; i < 700; ++i)
        {
            const auto id = "app-" + std::string(30, 'x') + std::to_string(i);
            registry.add(id);
            ids += std::string(i == 0 ? "\"" : ",\"") + id + '"';
            if (i == 499) first500 = ids;
        }
        advance(std::chrono::minutes(2));
        refused(patch(member, "/api/preferences",
                      jsonWith(R"({"folders":[{"id":"f1","name":"A","serviceIds":[$]}],"hidden":[$],"order":[$]})", first500, ids, ids)),
                413, "payload_too_large");
        equal("1", made(get(member, "/api/preferences")).at("/version"));
    }

    testing::TestAnswer patchAs(const Caller& caller, const std::string& version, const std::string& body) const
    {
        return host->call({.method = Method::Patch,
                           .target = "/api/preferences",
                           .body = body,
                           .headers = {{"If-Match", '"' + version + '"'}},
                           .caller = caller});
    }

    TEST(letsOneOfTwoTabsWin)
    {
        // Both tabs have read version 0, and there is no row yet.
        for (const auto* version : {"0", "1", "2"})
        {
            std::atomic<int> ready{0};
            std::vector<int> statuses(2);
            const auto tab = [&](std::size_t index, const std::string& body)
            {
                ++ready;
                while (ready < 2) std::this_thread::yield();
                statuses[index] = patchAs(member, version, body).status;
            };
            const auto number = std::to_string(std::stoi(version) + 1);
            std::thread first(tab, 0, jsonWith(R"({"folders":[{"id":"a$","name":"A"}]})", number));
            std::thread second(tab, 1, jsonWith(R"({"theme":"$"})", std::string(number == "2" ? "light" : "dark")));
            first.join();
            second.join();
            std::ranges::sort(statuses);
            equal(200, statuses[0], version);
            equal(412, statuses[1], version);
            equal(number, made(get(member, "/api/preferences")).at("/version"));
        }
    }

    TEST(losesNoUpdateOfConcurrentTabs)
    {
        constexpr int rounds = 20;
        const auto tab = [&](const std::string& name)
        {
            for (int i = 0; i < rounds;)
            {
                const auto shown = get(member, "/api/preferences");
                auto folders = boost::json::parse(shown.body).at("folders").as_array();
                boost::json::object folder;
                folder["id"] = name + std::to_string(i);
                folder["name"] = "F";
                folders.push_back(folder);
                const auto answer = patchAs(member, shown.at("/version"), jsonWith(R"({"folders":$})", boost::json::serialize(folders)));
                CPPUNIT_ASSERT_MESSAGE(answer.body, answer.status == 200 || answer.status == 412);
                if (answer.status != 200) continue;
                // The response contains this tab's values, regardless of the other tab.
                equal(std::to_string(std::stoi(shown.at("/version")) + 1), answer.at("/version"));
                ++i;
            }
        };
        std::thread first(tab, "a"), second(tab, "b");
        first.join();
        second.join();
        const auto shown = made(get(member, "/api/preferences"));
        equal(std::size_t{2 * rounds}, shown.count("/folders"));
        equal(std::to_string(2 * rounds), shown.at("/version"));
    }

    TEST(resets)
    {
        made(patch(member, "/api/preferences", R"({"view":"list","pinned":["crm"],"theme":"dark"})"));
        made(patch(member, "/api/preferences?context=personal", R"({"view":"list"})"));
        const auto shown = made(post(member, "/api/preferences/reset", R"({"context":"organization"})"));
        equal("tiles", shown.at("/view"));
        equal("[]", shown.at("/pinned"));
        // An If-Match of before fits no later version.
        equal("2", shown.at("/version"));
        equal("dark", shown.at("/theme"));
        equal("list", made(get(personal(member), "/api/preferences")).at("/view"));
    }

    TEST(belongsToPeople)
    {
        auto key = newKey({"settings.read", "settings.write"});
        key.principalId = organization;
        refused(get(key, "/api/preferences"), 403, "permission_denied");
        auto mine = testing::keyOf(organization, member.permissions, {"settings.read"});
        mine.principalId = member.principalId;
        made(patch(member, "/api/preferences", R"({"view":"list"})"));
        equal("list", made(get(mine, "/api/preferences")).at("/view"));
        refused(get(mine, "/api/preferences?context=personal"), 403, "permission_denied");
        refused(patch(mine, "/api/preferences", "{}"), 403, "insufficient_scope");
        refused(get(newKey({"apps.read"}), "/api/preferences"), 403, "insufficient_scope");
    }

    TEST(showsPlacesInTheCatalog)
    {
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["calendar","crm"],"defaultPinned":["calendar"]})"));
        made(patch(member, "/api/preferences",
                   R"({"hidden":["crm"],"folders":[{"id":"f1","name":"Sales","serviceIds":["crm"]}],"pinned":["social"]})"));
        const auto app = [&](const std::string& id) { return made(get(member, "/api/catalog/" + id)); };
        equal("2", app("crm").at("/user/order"));
        equal("true", app("crm").at("/user/hidden"));
        equal("f1", app("crm").at("/user/folderId"));
        equal("true", app("social").at("/user/pinned"));
        equal("false", app("calendar").at("/user/pinned"));
    }

    testing::FakeSharedPreferences shared;
};

} // namespace portico::tests
