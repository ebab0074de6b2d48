#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Contexts, memberships, the selected household, and the rules of an organization.
class LaunchpadWorkspaceTest : public Suite<LaunchpadWorkspaceTest, LaunchpadFixture>
{
    TEST(describesTheContext)
    {
        member.organizationName = "Acme";
        auto shown = made(get(member, "/api/workspace/context"));
        equal(std::string(jsonWith(
                  R"({"kind":"organization","organizationId":"$","organizationName":"Acme","role":"member","selectedHouseholdId":null,)"
                  R"("selectedHousehold":null,"launcherContext":"organization"})",
                  organization)),
              shown.body);
        auto home = personal(member);
        home.householdId = "hh_1";
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}};
        shown = made(get(home, "/api/workspace/context"));
        equal("personal", shown.at("/launcherContext"));
        equal("hh_1", shown.at("/selectedHouseholdId"));
        equal("adult", shown.at("/selectedHousehold/myRole"));
        equal("null", shown.at("/organizationId"));
    }

    TEST(changesTheContext)
    {
        signIns->roles[{member.principalId, stranger.organizationId}] = "admin";
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}};
        auto changed = made(
            put(member, "/api/workspace/context", jsonWith(R"({"kind":"organization","organizationId":"$"})", stranger.organizationId)));
        equal(stranger.organizationId, changed.at("/organizationId"));
        equal("admin", changed.at("/role"));
        equal("organization", changed.at("/launcherContext"));
        equal("token-1", changed.at("/access_token"));
        equal("600", changed.at("/expires_in"));
        equal("null", changed.at("/selectedHouseholdId"));
        changed = made(put(member, "/api/workspace/context", R"({"kind":"personal"})"));
        equal("personal", changed.at("/launcherContext"));
        equal("null", changed.at("/organizationId"));
        equal("hh_1", changed.at("/selectedHouseholdId"));
    }

    TEST(refusesOtherContexts)
    {
        refused(put(member, "/api/workspace/context", jsonWith(R"({"kind":"organization","organizationId":"$"})", stranger.organizationId)),
                403, "membership_required");
        refused(put(member, "/api/workspace/context", R"({"kind":"household"})"), 400, "household_is_not_a_context");
        for (const auto* body :
             {"{}", R"({"kind":"organization"})", R"({"kind":"team"})", R"({"kind":"organization","organizationId":"x"})"})
            refused(put(member, "/api/workspace/context", body), 400, "validation_failed");
        refused(put(member, "/api/workspace/context", jsonWith(R"({"kind":"personal","organizationId":"$"})", organization)), 400,
                "validation_failed");
        refused(put(newKey({"dashboard.read"}), "/api/workspace/context", R"({"kind":"personal"})"), 403, "bearer_required");
        equal(0, signIns->count);
    }

    TEST(summarizesMemberships)
    {
        directory.add(stranger.organizationId, member.principalId);
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, false}};
        made(post(admin, "/api/assignments", R"({"service_id":"social","subject":{"type":"everyone"},"mode":"blocked"})"));
        const auto act = [&](const std::string& assignee, const std::string& key)
        {
            made(post(newKey({"workflows.write"}), "/api/actions",
                      jsonWith(R"({"kind":"custom","title":"T","source":{"service_id":"launchpad"},"assignee":$,"dedupeKey":"$",)"
                               R"("decisions":[{"id":"ok","label":"OK"}]})",
                               assignee, key)));
        };
        act(jsonWith(R"({"type":"user","id":"$"})", member.principalId), "mine");
        act(R"({"type":"role","id":"member"})", "members");
        act(R"({"type":"role","id":"admin"})", "admins");
        const auto shown = made(get(member, "/api/workspace/memberships"));
        equal(2, shown.count("/organizations"), shown.body);
        const auto own =
            shown.at("/organizations/0/id") == organization ? std::string("/organizations/0") : std::string("/organizations/1");
        const auto other = own == "/organizations/0" ? std::string("/organizations/1") : std::string("/organizations/0");
        equal("member", shown.at(own + "/role"));
        equal("5", shown.at(own + "/memberCount"));
        equal("2", shown.at(own + "/openActions"));
        // admin, calendar and crm; social is blocked.
        equal("3", shown.at(own + "/installedApps"));
        equal("0", shown.at(other + "/openActions"));
        equal("4", shown.at(other + "/installedApps"));
        equal("adult", shown.at("/households/0/myRole"));
        equal("1", shown.at("/personal/installedApps"));
        equal(shown.body, made(get(personal(member), "/api/workspace/memberships")).body);
    }

    TEST(selectsAHousehold)
    {
        registry.entries.find("admin")->second.householdCapable = true;
        ++registry.changes;
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, true}, {"hh_2", "Cabin", "viewer", 3, false}};
        auto shown = made(get(member, "/api/household-selection"));
        equal("hh_1", shown.at("/selectedHouseholdId"));
        equal("Home", shown.at("/selectedHousehold/name"));
        equal(R"(["admin"])", shown.at("/household_capable_services"));
        refused(put(member, "/api/household-selection", R"({"selectedHouseholdId":"hh_2"})"), 409, "not_in_personal_context");
        made(put(personal(member), "/api/household-selection", R"({"selectedHouseholdId":"hh_2"})"));
        equal("hh_2", signIns->selected[member.principalId]);
        made(put(personal(member), "/api/household-selection", R"({"selectedHouseholdId":null})"));
        equal("", signIns->selected[member.principalId]);
        refused(get(newKey({"dashboard.read"}), "/api/household-selection"), 403, "bearer_required");
    }

    TEST(keepsKeysInTheirContext)
    {
        directory.add(stranger.organizationId, member.principalId);
        directory.households[member.principalId] = {{"hh_1", "Home", "adult", 2, false}};
        auto key = testing::keyOf(organization, member.permissions, {"dashboard.read"});
        key.principalId = member.principalId;
        const auto shown = made(get(key, "/api/workspace/memberships"));
        equal(1, shown.count("/organizations"));
        equal(organization, shown.at("/organizations/0/id"));
        equal(0, shown.count("/households"));
        equal("null", shown.at("/personal"));
        equal("organization", made(get(key, "/api/workspace/context")).at("/kind"));
        refused(get(newKey({"apps.read"}), "/api/workspace/memberships"), 403, "insufficient_scope");
    }

    TEST(startsWithoutIdentity)
    {
        auto& services = host->context().services();
        services.withdraw(interfaces::Directory::interfaceName);
        services.withdraw(interfaces::SignIns::interfaceName);
        equal(200, get(member, "/api/workspace/context").status);
        refused(get(member, "/api/workspace/memberships"), 503, "identity_unavailable");
        refused(put(member, "/api/workspace/context", R"({"kind":"personal"})"), 503, "identity_unavailable");
    }

    TEST(changesTheRulesOfAnOrganization)
    {
        auto shown = made(get(admin, "/api/org-settings"));
        equal("true", shown.at("/allowRequests"));
        equal("false", shown.at("/allowPersonalInstalls"));
        equal("null", shown.at("/announcement"));
        auto& remote = registry.add("remote");
        remote.remote = true;
        refused(post(member, "/api/installs", R"({"service_id":"remote","scope":"me"})"), 403, "permission_denied");
        shown = made(put(admin, "/api/org-settings",
                         R"({"allowPersonalInstalls":true,"announcement":{"text":"Closed on Friday","until":"2026-11-27T18:00:00Z"}})"));
        equal("1", shown.at("/version"));
        equal("Closed on Friday", shown.at("/announcement/text"));
        equal("Closed on Friday", made(get(guest, "/api/preferences")).at("/announcement/text"));
        host->context().clock().jumpTo(*parseInstant("2026-11-27T18:00:00Z"));
        CHECK(!made(get(guest, "/api/preferences")).has("/announcement"));
        made(post(member, "/api/installs", R"({"service_id":"remote","scope":"me"})"));
        made(put(owner, "/api/org-settings", R"({"allowRequests":false,"announcement":null})"));
        equal("null", made(get(owner, "/api/org-settings")).at("/announcement"));
        equal("true", made(get(owner, "/api/org-settings")).at("/allowPersonalInstalls"));
        // Another organization has its own.
        equal("true", made(get(stranger, "/api/org-settings")).at("/allowRequests"));
        const auto stale = host->call({.method = Method::Put,
                                       .target = "/api/org-settings",
                                       .body = R"({"allowRequests":true})",
                                       .headers = {{"If-Match", "\"1\""}},
                                       .caller = admin});
        refused(stale, 412, "version_conflict");
    }

    TEST(refusesRules)
    {
        for (const auto* caller : {&member, &guest})
        {
            refused(get(*caller, "/api/org-settings"), 403, "permission_denied");
            refused(put(*caller, "/api/org-settings", "{}"), 403, "permission_denied");
        }
        refused(put(newKey({"settings.read"}), "/api/org-settings", "{}"), 403, "insufficient_scope");
        auto home = personal(admin);
        home.permissions = permissionsOf("admin");
        refused(get(home, "/api/org-settings"), 403, "service_access_denied");
        for (const auto* body : {R"({"announcement":{"text":""}})", R"({"announcement":{"until":"2026-11-27T18:00:00Z"}})",
                                 R"({"defaultOrder":["crm","crm"]})", R"({"allowRequests":null})"})
            refused(put(admin, "/api/org-settings", body), 400, "validation_failed");
        equal("0", made(get(admin, "/api/org-settings")).at("/version"));
    }
};

} // namespace portico::tests
