#include "launchpad/LaunchpadFixture.h"

#include "portico/testing/FakeSharedPreferences.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Dashboards of people: one document for each context, with members that identity stores and defaults that the organization sets.
class LaunchpadPreferenceTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadPreferenceTest);
    CPPUNIT_TEST(startsWithDefaults);
    CPPUNIT_TEST(mergesAndCountsVersions);
    CPPUNIT_TEST(keepsOneDocumentPerContext);
    CPPUNIT_TEST(writesSharedMembersThrough);
    CPPUNIT_TEST(savesNothingWhileIdentityIsAway);
    CPPUNIT_TEST(appliesTheOrganizationsChoiceUntilThePersonChooses);
    CPPUNIT_TEST(omitsRemovedAppsAndRefusesUnknownOnes);
    CPPUNIT_TEST(refusesWhatDoesNotFit);
    CPPUNIT_TEST(letsOneOfTwoTabsWin);
    CPPUNIT_TEST(losesNoUpdateOfConcurrentTabs);
    CPPUNIT_TEST(resets);
    CPPUNIT_TEST(belongsToPeople);
    CPPUNIT_TEST(showsPlacesInTheCatalog);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        LaunchpadFixture::setUp();
        shared = {};
        host->context().services().offer<interfaces::SharedPreferences>(shared);
    }

    void startsWithDefaults()
    {
        const auto shown = made(get(member, "/api/preferences"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), shown.at("/context"));
        CPPUNIT_ASSERT_EQUAL(organization, shown.at("/organizationId"));
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(field, expected, shown.at("/" + field));
        CPPUNIT_ASSERT(!shown.has("/userId"));
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), made(get(personal(member), "/api/preferences")).at("/context"));
    }

    void mergesAndCountsVersions()
    {
        auto changed = made(
            patch(member, "/api/preferences",
                  R"({"view":"list","pinned":["crm"],"hidden":["social"],"folders":[{"id":"f1","name":" Sales ","serviceIds":["crm"]}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("Sales"), changed.at("/folders/0/name"));
        changed = made(patch(member, "/api/preferences", R"({"sidebarCollapsed":true,"version":1,"context":"organization"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), changed.at("/view"));
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), changed.at("/pinned/0"));
        // The same again changes nothing.
        CPPUNIT_ASSERT_EQUAL(std::string("2"), made(patch(member, "/api/preferences", R"({"view":"list"})")).at("/version"));
        // Another member has a separate document.
        CPPUNIT_ASSERT_EQUAL(std::string("0"), made(get(admin, "/api/preferences")).at("/version"));
    }

    void keepsOneDocumentPerContext()
    {
        made(patch(member, "/api/preferences", R"({"view":"list"})"));
        made(patch(member, "/api/preferences?context=personal", R"({"pinned":["admin"]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("tiles"), made(get(member, "/api/preferences?context=personal")).at("/view"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), made(get(personal(member), "/api/preferences")).at("/pinned/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), made(get(member, "/api/preferences?context=organization")).at("/view"));
        assertProblem(get(personal(member), "/api/preferences?context=organization"), 400, "validation_failed");
        assertProblem(get(member, "/api/preferences?context=household"), 400, "validation_failed");
        // The same person in another organization starts with the defaults.
        auto elsewhere = member;
        elsewhere.organizationId = stranger.organizationId;
        CPPUNIT_ASSERT_EQUAL(std::string("0"), made(get(elsewhere, "/api/preferences")).at("/version"));
    }

    void writesSharedMembersThrough()
    {
        shared.shared[member.principalId]["theme"] = Json{"\"dark\""};
        shared.shared[member.principalId]["density"] = Json{"\"cosy\""};
        shared.shared[member.principalId]["sounds"] = Json{"true"};
        auto shown = made(get(member, "/api/preferences"));
        CPPUNIT_ASSERT_EQUAL(std::string("dark"), shown.at("/theme"));
        // Another service has set a value that is unknown here.
        CPPUNIT_ASSERT_EQUAL(std::string("comfortable"), shown.at("/density"));
        shown = made(patch(member, "/api/preferences", R"({"density":"compact","locale":"de-AT"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("compact"), shown.at("/density"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"density":"compact","locale":"de-AT","sounds":true,"theme":"dark"})"), shared.read(member));
        // They are the same in every context.
        CPPUNIT_ASSERT_EQUAL(std::string("de-AT"), made(get(personal(member), "/api/preferences")).at("/locale"));
        assertProblem(patch(member, "/api/preferences", R"({"theme":"blue"})"), 400, "validation_failed");
        assertProblem(patch(member, "/api/preferences", R"({"locale":"<b>"})"), 400, "validation_failed");
    }

    void savesNothingWhileIdentityIsAway()
    {
        host->context().services().withdraw(interfaces::SharedPreferences::interfaceName);
        assertProblem(patch(member, "/api/preferences", R"({"theme":"dark","view":"list"})"), 503, "preferences_unavailable");
        CPPUNIT_ASSERT_EQUAL(std::string("tiles"), made(get(member, "/api/preferences")).at("/view"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), made(patch(member, "/api/preferences", R"({"view":"list"})")).at("/view"));
    }

    void appliesTheOrganizationsChoiceUntilThePersonChooses()
    {
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["calendar","crm"],"defaultPinned":["calendar"]})"));
        auto shown = made(get(member, "/api/preferences"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["calendar","crm"])"), shown.at("/order"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["calendar"])"), shown.at("/pinned"));
        shown = made(patch(member, "/api/preferences", R"({"pinned":[]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), shown.at("/pinned"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["calendar","crm"])"), shown.at("/order"));
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["crm"],"defaultPinned":["crm"]})"));
        shown = made(get(member, "/api/preferences"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), shown.at("/pinned"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["crm"])"), shown.at("/order"));
        // null gives the choice back to the organization.
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["crm"])"), made(patch(member, "/api/preferences", R"({"pinned":null})")).at("/pinned"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), made(get(personal(member), "/api/preferences")).at("/order"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), made(get(stranger, "/api/preferences")).at("/order"));
    }

    void omitsRemovedAppsAndRefusesUnknownOnes()
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
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["crm"])"), shown.at("/pinned"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["crm"])"), shown.at("/order"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), shown.at("/hidden"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["crm"])"), shown.at("/folders/0/serviceIds"));
        for (const auto* body : {R"({"pinned":["nothing"]})", R"({"order":["crm","nothing"]})", R"({"hidden":["nothing"]})",
                                 R"({"folders":[{"id":"f1","name":"F","serviceIds":["nothing"]}]})",
                                 R"({"widgets":[{"service_id":"nothing","widgetId":"overview"}]})"})
            assertProblem(patch(member, "/api/preferences", body), 400, "unknown_service");
        assertProblem(put(admin, "/api/org-settings", R"({"defaultPinned":["nothing"]})"), 400, "unknown_service");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), made(get(member, "/api/preferences")).at("/version"));
    }

    void refusesWhatDoesNotFit()
    {
        registry.entries.find("crm")->second.manifest =
            R"({"widget":{"url":"/api/widget","widgets":[{"id":"overview","title":"CRM","sizes":["s","m"]},{"id":"any","title":"Any"}]}})";
        ++registry.changes;
        advance(std::chrono::minutes(2));
        const auto widget = [](std::string_view more)
        { return R"({"widgets":[{"service_id":"crm","widgetId":"overview")" + std::string(more) + "}]}"; };
        CPPUNIT_ASSERT_EQUAL(std::string("m"), made(patch(member, "/api/preferences", widget(R"(,"size":"m")"))).at("/widgets/0/size"));
        std::string folders, many;
        for (int i = 0; i < 51; ++i)
            folders += std::string(i == 0 ? "" : ",") + R"({"id":"f)" + std::to_string(i) + R"(","name":"F","serviceIds":[]})";
        for (int i = 0; i < 10'000; ++i) many += std::string(i == 0 ? "" : ",") + R"({"service_id":"crm","widgetId":"any"})";
        std::vector<std::string> refused = {
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
            "{\"folders\":[" + folders + "]}",
            "{\"widgets\":[" + many + "]}"};
        for (const auto& body : refused) assertProblem(patch(member, "/api/preferences", body), 400, "validation_failed");
        assertProblem(patch(member, "/api/preferences", R"({"colour":"red"})"), 400, "unknown_field");
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
        assertProblem(patch(member, "/api/preferences",
                            R"({"folders":[{"id":"f1","name":"A","serviceIds":[)" + first500 + R"(]}],"hidden":[)" + ids +
                                R"(],"order":[)" + ids + "]}"),
                      413, "payload_too_large");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), made(get(member, "/api/preferences")).at("/version"));
    }

    testing::TestAnswer patchAs(const Caller& caller, const std::string& version, const std::string& body) const
    {
        return host->call({.method = Method::Patch,
                           .target = "/api/preferences",
                           .body = body,
                           .headers = {{"If-Match", '"' + version + '"'}},
                           .caller = caller});
    }

    void letsOneOfTwoTabsWin()
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
            std::thread first(tab, 0, R"({"folders":[{"id":"a)" + number + R"(","name":"A"}]})");
            std::thread second(tab, 1, R"({"theme":")" + std::string(number == "2" ? "light" : "dark") + "\"}");
            first.join();
            second.join();
            std::ranges::sort(statuses);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(version, 200, statuses[0]);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(version, 412, statuses[1]);
            CPPUNIT_ASSERT_EQUAL(number, made(get(member, "/api/preferences")).at("/version"));
        }
    }

    void losesNoUpdateOfConcurrentTabs()
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
                const auto answer = patchAs(member, shown.at("/version"), R"({"folders":)" + boost::json::serialize(folders) + "}");
                CPPUNIT_ASSERT_MESSAGE(answer.body, answer.status == 200 || answer.status == 412);
                if (answer.status != 200) continue;
                // The response is what this tab has written, whatever the other one did since.
                CPPUNIT_ASSERT_EQUAL(std::to_string(std::stoi(shown.at("/version")) + 1), answer.at("/version"));
                ++i;
            }
        };
        std::thread first(tab, "a"), second(tab, "b");
        first.join();
        second.join();
        const auto shown = made(get(member, "/api/preferences"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2 * rounds}, shown.count("/folders"));
        CPPUNIT_ASSERT_EQUAL(std::to_string(2 * rounds), shown.at("/version"));
    }

    void resets()
    {
        made(patch(member, "/api/preferences", R"({"view":"list","pinned":["crm"],"theme":"dark"})"));
        made(patch(member, "/api/preferences?context=personal", R"({"view":"list"})"));
        const auto shown = made(post(member, "/api/preferences/reset", R"({"context":"organization"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("tiles"), shown.at("/view"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), shown.at("/pinned"));
        // An If-Match of before fits no later version.
        CPPUNIT_ASSERT_EQUAL(std::string("2"), shown.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("dark"), shown.at("/theme"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), made(get(personal(member), "/api/preferences")).at("/view"));
    }

    void belongsToPeople()
    {
        auto key = newKey({"settings.read", "settings.write"});
        key.principalId = organization;
        assertProblem(get(key, "/api/preferences"), 403, "permission_denied");
        auto mine = testing::keyOf(organization, member.permissions, {"settings.read"});
        mine.principalId = member.principalId;
        made(patch(member, "/api/preferences", R"({"view":"list"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("list"), made(get(mine, "/api/preferences")).at("/view"));
        assertProblem(get(mine, "/api/preferences?context=personal"), 403, "permission_denied");
        assertProblem(patch(mine, "/api/preferences", "{}"), 403, "insufficient_scope");
        assertProblem(get(newKey({"apps.read"}), "/api/preferences"), 403, "insufficient_scope");
    }

    void showsPlacesInTheCatalog()
    {
        made(put(admin, "/api/org-settings", R"({"defaultOrder":["calendar","crm"],"defaultPinned":["calendar"]})"));
        made(patch(member, "/api/preferences",
                   R"({"hidden":["crm"],"folders":[{"id":"f1","name":"Sales","serviceIds":["crm"]}],"pinned":["social"]})"));
        const auto app = [&](const std::string& id) { return made(get(member, "/api/catalog/" + id)); };
        CPPUNIT_ASSERT_EQUAL(std::string("2"), app("crm").at("/user/order"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), app("crm").at("/user/hidden"));
        CPPUNIT_ASSERT_EQUAL(std::string("f1"), app("crm").at("/user/folderId"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), app("social").at("/user/pinned"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), app("calendar").at("/user/pinned"));
    }

private:
    testing::FakeSharedPreferences shared;
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadPreferenceTest);

} // namespace portico::tests
