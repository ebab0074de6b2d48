#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Contexts, memberships, the selected household, and the rules of an organization.
class LaunchpadWorkspaceTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadWorkspaceTest);
    CPPUNIT_TEST(describesTheContext);
    CPPUNIT_TEST(changesTheContext);
    CPPUNIT_TEST(refusesOtherContexts);
    CPPUNIT_TEST(summarizesMemberships);
    CPPUNIT_TEST(selectsAHousehold);
    CPPUNIT_TEST(keepsKeysInTheirContext);
    CPPUNIT_TEST(startsWithoutIdentity);
    CPPUNIT_TEST(changesTheRulesOfAnOrganization);
    CPPUNIT_TEST(refusesRules);
    CPPUNIT_TEST_SUITE_END();

public:
    void describesTheContext()
    {
        member.organizationName = "Acme";
        auto shown = made(get(member, "/api/workspace/context"));
        CPPUNIT_ASSERT_EQUAL(
            std::string(R"({"kind":"organization","organizationId":")" + organization +
                        R"(","organizationName":"Acme","role":"member","selectedHouseholdId":null,"selectedHousehold":null,)"
                        R"("launcherContext":"organization"})"),
            shown.body);
        auto home = personal(member);
        home.householdId = "hh_1";
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}};
        shown = made(get(home, "/api/workspace/context"));
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), shown.at("/launcherContext"));
        CPPUNIT_ASSERT_EQUAL(std::string("hh_1"), shown.at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::string("adult"), shown.at("/selectedHousehold/myRole"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/organizationId"));
    }

    void changesTheContext()
    {
        signIns->roles[{member.principalId, stranger.organizationId}] = "admin";
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}};
        auto changed =
            made(put(member, "/api/workspace/context", R"({"kind":"organization","organizationId":")" + stranger.organizationId + "\"}"));
        CPPUNIT_ASSERT_EQUAL(stranger.organizationId, changed.at("/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), changed.at("/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), changed.at("/launcherContext"));
        CPPUNIT_ASSERT_EQUAL(std::string("token-1"), changed.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(std::string("600"), changed.at("/expires_in"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), changed.at("/selectedHouseholdId"));
        changed = made(put(member, "/api/workspace/context", R"({"kind":"personal"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), changed.at("/launcherContext"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), changed.at("/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("hh_1"), changed.at("/selectedHouseholdId"));
    }

    void refusesOtherContexts()
    {
        assertProblem(
            put(member, "/api/workspace/context", R"({"kind":"organization","organizationId":")" + stranger.organizationId + "\"}"), 403,
            "membership_required");
        assertProblem(put(member, "/api/workspace/context", R"({"kind":"household"})"), 400, "household_is_not_a_context");
        for (const auto* body :
             {"{}", R"({"kind":"organization"})", R"({"kind":"team"})", R"({"kind":"organization","organizationId":"x"})"})
            assertProblem(put(member, "/api/workspace/context", body), 400, "validation_failed");
        assertProblem(put(member, "/api/workspace/context", R"({"kind":"personal","organizationId":")" + organization + "\"}"), 400,
                      "validation_failed");
        assertProblem(put(newKey({"dashboard.read"}), "/api/workspace/context", R"({"kind":"personal"})"), 403, "bearer_required");
        CPPUNIT_ASSERT_EQUAL(0, signIns->count);
    }

    void summarizesMemberships()
    {
        directory.add(stranger.organizationId, member.principalId);
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, false}};
        made(post(admin, "/api/assignments", R"({"service_id":"social","subject":{"type":"everyone"},"mode":"blocked"})"));
        const auto act = [&](const std::string& assignee, const std::string& key)
        {
            made(post(newKey({"workflows.write"}), "/api/actions",
                      R"({"kind":"custom","title":"T","source":{"service_id":"launchpad"},"assignee":)" + assignee + R"(,"dedupeKey":")" +
                          key + R"(","decisions":[{"id":"ok","label":"OK"}]})"));
        };
        act(R"({"type":"user","id":")" + member.principalId + "\"}", "mine");
        act(R"({"type":"role","id":"member"})", "members");
        act(R"({"type":"role","id":"admin"})", "admins");
        const auto shown = made(get(member, "/api/workspace/memberships"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::size_t{2}, shown.count("/organizations"));
        const auto own =
            shown.at("/organizations/0/id") == organization ? std::string("/organizations/0") : std::string("/organizations/1");
        const auto other = own == "/organizations/0" ? std::string("/organizations/1") : std::string("/organizations/0");
        CPPUNIT_ASSERT_EQUAL(std::string("member"), shown.at(own + "/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("5"), shown.at(own + "/memberCount"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), shown.at(own + "/openActions"));
        // admin, calendar and crm; social is blocked.
        CPPUNIT_ASSERT_EQUAL(std::string("3"), shown.at(own + "/installedApps"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), shown.at(other + "/openActions"));
        CPPUNIT_ASSERT_EQUAL(std::string("4"), shown.at(other + "/installedApps"));
        CPPUNIT_ASSERT_EQUAL(std::string("adult"), shown.at("/households/0/myRole"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/personal/installedApps"));
        CPPUNIT_ASSERT_EQUAL(shown.body, made(get(personal(member), "/api/workspace/memberships")).body);
    }

    void selectsAHousehold()
    {
        registry.entries.find("admin")->second.householdCapable = true;
        ++registry.changes;
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}, {"hh_2", "Cabin", "viewer", 3, false}};
        auto shown = made(get(member, "/api/household-selection"));
        CPPUNIT_ASSERT_EQUAL(std::string("hh_1"), shown.at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::string("Home"), shown.at("/selectedHousehold/name"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["admin"])"), shown.at("/household_capable_services"));
        assertProblem(put(member, "/api/household-selection", R"({"selectedHouseholdId":"hh_2"})"), 409, "not_in_personal_context");
        made(put(personal(member), "/api/household-selection", R"({"selectedHouseholdId":"hh_2"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("hh_2"), signIns->selected[member.principalId]);
        made(put(personal(member), "/api/household-selection", R"({"selectedHouseholdId":null})"));
        CPPUNIT_ASSERT_EQUAL(std::string(), signIns->selected[member.principalId]);
        assertProblem(get(newKey({"dashboard.read"}), "/api/household-selection"), 403, "bearer_required");
    }

    void keepsKeysInTheirContext()
    {
        directory.add(stranger.organizationId, member.principalId);
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, false}};
        auto key = testing::keyOf(organization, member.permissions, {"dashboard.read"});
        key.principalId = member.principalId;
        const auto shown = made(get(key, "/api/workspace/memberships"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, shown.count("/organizations"));
        CPPUNIT_ASSERT_EQUAL(organization, shown.at("/organizations/0/id"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, shown.count("/households"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/personal"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), made(get(key, "/api/workspace/context")).at("/kind"));
        assertProblem(get(newKey({"apps.read"}), "/api/workspace/memberships"), 403, "insufficient_scope");
    }

    void startsWithoutIdentity()
    {
        auto& services = host->context().services();
        services.withdraw(interfaces::Directory::interfaceName);
        services.withdraw(interfaces::SignIns::interfaceName);
        CPPUNIT_ASSERT_EQUAL(200, get(member, "/api/workspace/context").status);
        assertProblem(get(member, "/api/workspace/memberships"), 503, "identity_unavailable");
        assertProblem(put(member, "/api/workspace/context", R"({"kind":"personal"})"), 503, "identity_unavailable");
    }

    void changesTheRulesOfAnOrganization()
    {
        auto shown = made(get(admin, "/api/org-settings"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), shown.at("/allowRequests"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), shown.at("/allowPersonalInstalls"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), shown.at("/announcement"));
        auto& remote = registry.add("remote");
        remote.remote = true;
        assertProblem(post(member, "/api/installs", R"({"service_id":"remote","scope":"me"})"), 403, "permission_denied");
        shown = made(put(admin, "/api/org-settings",
                         R"({"allowPersonalInstalls":true,"announcement":{"text":"Closed on Friday","until":"2026-11-27T18:00:00Z"}})"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("Closed on Friday"), shown.at("/announcement/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("Closed on Friday"), made(get(guest, "/api/preferences")).at("/announcement/text"));
        host->context().clock().jumpTo(*parseInstant("2026-11-27T18:00:00Z"));
        CPPUNIT_ASSERT(!made(get(guest, "/api/preferences")).has("/announcement"));
        made(post(member, "/api/installs", R"({"service_id":"remote","scope":"me"})"));
        made(put(owner, "/api/org-settings", R"({"allowRequests":false,"announcement":null})"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), made(get(owner, "/api/org-settings")).at("/announcement"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), made(get(owner, "/api/org-settings")).at("/allowPersonalInstalls"));
        // Another organization has its own.
        CPPUNIT_ASSERT_EQUAL(std::string("true"), made(get(stranger, "/api/org-settings")).at("/allowRequests"));
        const auto stale = host->call({.method = Method::Put,
                                       .target = "/api/org-settings",
                                       .body = R"({"allowRequests":true})",
                                       .headers = {{"If-Match", "\"1\""}},
                                       .caller = admin});
        assertProblem(stale, 412, "version_conflict");
    }

    void refusesRules()
    {
        for (const auto* caller : {&member, &guest})
        {
            assertProblem(get(*caller, "/api/org-settings"), 403, "permission_denied");
            assertProblem(put(*caller, "/api/org-settings", "{}"), 403, "permission_denied");
        }
        assertProblem(put(newKey({"settings.read"}), "/api/org-settings", "{}"), 403, "insufficient_scope");
        auto home = personal(admin);
        home.permissions = permissionsOf("admin");
        assertProblem(get(home, "/api/org-settings"), 403, "service_access_denied");
        for (const auto* body : {R"({"announcement":{"text":""}})", R"({"announcement":{"until":"2026-11-27T18:00:00Z"}})",
                                 R"({"defaultOrder":["crm","crm"]})", R"({"allowRequests":null})"})
            assertProblem(put(admin, "/api/org-settings", body), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("0"), made(get(admin, "/api/org-settings")).at("/version"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadWorkspaceTest);

} // namespace portico::tests
