#include "launchpad/LaunchpadFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <map>
#include <memory>
#include <string>

namespace portico::tests
{

/// The first steps, the causes of actions at identity, and the data of a person.
class LaunchpadOnboardingTest : public Suite<LaunchpadOnboardingTest, LaunchpadFixture>
{
    void setUp() override
    {
        LaunchpadFixture::setUp();
        onboarding.states[organization] = {"not_started", {{"organization", "Organization", true, false}}, true};
        onboarding.restricted = {member.principalId, guest.principalId};
    }

    void verify(const Caller& caller) { onboarding.recoveryEmails[caller.principalId] = {"verified", "a***@e***.org", "", true}; }
    void tell(const std::string& type, const std::string& data, const std::string& of) const
    {
        equal(1, host->context().events().deliver({"evt_1", "identity." + type, of, data, Instant{}}));
    }

    TEST(beginsWithTheRecoveryAddress)
    {
        const auto first = get(owner, "/api/onboarding");
        equal("recovery_email", first.at("/step"));
        equal("/onboarding", first.at("/next"));
        refused(post(owner, "/api/onboarding/complete"), 409, "recovery_email_unverified");
        verify(owner);
        equal("organization", get(owner, "/api/onboarding").at("/step"));
        equal("done", get(personal(owner), "/api/onboarding").at("/step"));
    }

    TEST(doesNotHoldUpMembers)
    {
        equal("recovery_email", get(member, "/api/onboarding").at("/step"));
        verify(member);
        const auto shown = get(member, "/api/onboarding");
        equal("done", shown.at("/step"));
        equal("not_started", shown.at("/service/status"));
        equal("false", shown.at("/service/manageable"));
        refused(post(member, "/api/onboarding/complete"), 403, "permission_denied");
    }

    TEST(completesTheOrganization)
    {
        verify(owner);
        equal("/dashboard", made(post(owner, "/api/onboarding/complete", R"({"data":{"size":5}})")).at("/next"));
        equal(R"({"size":5})", onboarding.stepData["organization"]);
        equal("done", get(owner, "/api/onboarding").at("/step"));
        equal("/dashboard", made(post(owner, "/api/onboarding/complete")).at("/next"));
        host->context().services().withdraw(interfaces::Onboarding::interfaceName);
        refused(get(owner, "/api/onboarding"), 503, "onboarding_unavailable");
    }

    TEST(leadsPagesThroughTheFirstSteps)
    {
        signIns->cookies["good"] = std::make_shared<const Caller>(owner);
        const auto open = [&](const std::string& page, const std::string& handle)
        {
            const testing::TestRequest request{.target = page, .headers = {{"Cookie", "platform_refresh=" + handle}}};
            const auto headers = host->call(request).headerBlock();
            const auto begin = headers.find("Location: ");
            return begin == std::string::npos ? std::string() : headers.substr(begin + 10, headers.find("\r\n", begin) - begin - 10);
        };
        equal("/onboarding", open("/dashboard", "good"));
        equal("/onboarding", open("/settings/households", "good"));
        equal("", open("/onboarding", "good"));
        verify(owner);
        made(post(owner, "/api/onboarding/complete"));
        equal("", open("/dashboard", "good"));
        equal("/dashboard", open("/onboarding", "good"));
        // The page finds out what became of the sign-in.
        equal("", open("/onboarding", "spent"));
        host->context().services().withdraw(interfaces::Onboarding::interfaceName);
        equal("", open("/onboarding", "good"));
    }

    TEST(opensAndClosesActionsAboutKeys)
    {
        const std::string expiring =
            R"({"id":"key_1","change":"api_key.expiring","actor":{"type":"operator","id":""},"details":{"id":"key_1",
            "name":"Nightly","owner_type":"organization","owner_id":"org_x","organizationId":"org_x","expiresAt":"2026-12-01T00:00:00.000Z"}})";
        for (int i = 0; i < 2; ++i) tell("api_key.expiring", expiring, organization);
        const auto open = get(admin, "/api/actions");
        equal(1, open.count("/items"));
        equal("api_key_expiring", open.at("/items/0/kind"));
        equal("2026-12-01T00:00:00.000Z", open.at("/items/0/dueAt"));
        tell("api_key.leaked", R"({"id":"key_1","change":"api_key.leaked","actor":{"type":"","id":""},"details":{}})", organization);
        equal("1", get(admin, "/api/actions").at("/counts/critical"));
        const auto leaked = get(admin, "/api/actions?kind=leaked_key").at("/items/0/id");
        refused(post(admin, "/api/actions/" + leaked + "/dismiss"), 409, "not_dismissible");
        tell("api_key.revoked", R"({"id":"key_1","change":"api_key.revoked","actor":{"type":"","id":""},"details":{}})", organization);
        equal(0, get(admin, "/api/actions").count("/items"));
        equal("closed", get(admin, "/api/actions/" + leaked).at("/history/1/what"));
    }

    TEST(opensAndClosesActionsAboutRecoveryAddresses)
    {
        const auto data = jsonWith(R"({"id":"$","change":"x","actor":{"type":"user","id":""},"details":{}})", member.principalId);
        tell("user.recovery_email_set", data, "");
        const auto home = personal(member);
        equal("recovery_email_unverified", get(home, "/api/actions").at("/items/0/kind"));
        equal("personal", get(home, "/api/actions").at("/items/0/context/kind"));
        equal(0, get(member, "/api/actions").count("/items"));
        equal(0, get(personal(admin), "/api/actions").count("/items"));
        tell("user.recovery_email_verified", data, "");
        equal(0, get(home, "/api/actions").count("/items"));
    }

    TEST(exportsAndForgetsAPerson)
    {
        registry.add("remote").remote = true;
        made(post(personal(member), "/api/installs", R"({"service_id":"remote"})"));
        made(post(member, "/api/launch", R"({"service_id":"crm"})"));
        made(post(member, "/api/install-requests", R"({"service_id":"remote"})"));
        made(post(admin, "/api/assignments",
                  jsonWith(R"({"service_id":"crm","mode":"required","subject":{"type":"user","id":"$"}})", member.principalId)));
        made(post(newKey({"notifications.write"}), "/api/notifications", R"({"title":"Hi","role":"member"})"));
        auto& data = *host->context().services().provided<interfaces::PersonalData>();
        const interfaces::Person person{member.principalId, "m@x.example", {organization}};
        const auto kinds = [&]
        {
            std::map<std::string, int> found;
            data.give(person, [&](std::string_view kind, std::string_view) { ++found[std::string(kind)]; });
            return found;
        };
        CHECK(kinds() == (std::map<std::string, int>{{"installs", 1}, {"installRequests", 1}, {"launches", 1}, {"notifications", 1}}));
        for (int i = 0; i < 2; ++i) data.forget(person);
        CHECK(kinds().empty());
        equal(0, get(admin, "/api/assignments").count("/items"));
        equal("1", get(admin, "/api/notifications").at("/unread"));
    }
};

} // namespace portico::tests
