#include "launchpad/LaunchpadFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <map>
#include <memory>
#include <string>

namespace portico::tests
{

/// The first steps, the causes of actions at identity, and the data of a person.
class LaunchpadOnboardingTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadOnboardingTest);
    CPPUNIT_TEST(beginsWithTheRecoveryAddress);
    CPPUNIT_TEST(doesNotHoldUpMembers);
    CPPUNIT_TEST(completesTheOrganization);
    CPPUNIT_TEST(leadsPagesThroughTheFirstSteps);
    CPPUNIT_TEST(opensAndClosesActionsAboutKeys);
    CPPUNIT_TEST(opensAndClosesActionsAboutRecoveryAddresses);
    CPPUNIT_TEST(exportsAndForgetsAPerson);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        LaunchpadFixture::setUp();
        onboarding.states[organization] = {"not_started", {{"organization", "Organization", true, false}}, true};
        onboarding.restricted = {member.principalId, guest.principalId};
    }

    void verify(const Caller& caller) { onboarding.recoveryEmails[caller.principalId] = {"verified", "a***@e***.org", "", true}; }
    void tell(const std::string& type, const std::string& data, const std::string& of) const
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host->context().events().deliver({"evt_1", "identity." + type, of, data, Instant{}}));
    }

    void beginsWithTheRecoveryAddress()
    {
        const auto first = get(owner, "/api/onboarding");
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email"), first.at("/step"));
        CPPUNIT_ASSERT_EQUAL(std::string("/onboarding"), first.at("/next"));
        assertProblem(post(owner, "/api/onboarding/complete"), 409, "recovery_email_unverified");
        verify(owner);
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), get(owner, "/api/onboarding").at("/step"));
        CPPUNIT_ASSERT_EQUAL(std::string("done"), get(personal(owner), "/api/onboarding").at("/step"));
    }

    void doesNotHoldUpMembers()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email"), get(member, "/api/onboarding").at("/step"));
        verify(member);
        const auto shown = get(member, "/api/onboarding");
        CPPUNIT_ASSERT_EQUAL(std::string("done"), shown.at("/step"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_started"), shown.at("/service/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), shown.at("/service/manageable"));
        assertProblem(post(member, "/api/onboarding/complete"), 403, "permission_denied");
    }

    void completesTheOrganization()
    {
        verify(owner);
        CPPUNIT_ASSERT_EQUAL(std::string("/dashboard"),
                             made(post(owner, "/api/onboarding/complete", R"({"data":{"size":5}})")).at("/next"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"size":5})"), onboarding.stepData["organization"]);
        CPPUNIT_ASSERT_EQUAL(std::string("done"), get(owner, "/api/onboarding").at("/step"));
        CPPUNIT_ASSERT_EQUAL(std::string("/dashboard"), made(post(owner, "/api/onboarding/complete")).at("/next"));
        host->context().services().withdraw(interfaces::Onboarding::interfaceName);
        assertProblem(get(owner, "/api/onboarding"), 503, "onboarding_unavailable");
    }

    void leadsPagesThroughTheFirstSteps()
    {
        signIns->cookies["good"] = std::make_shared<const Caller>(owner);
        const auto open = [&](const std::string& page, const std::string& handle)
        {
            const testing::TestRequest request{.target = page, .headers = {{"Cookie", "platform_refresh=" + handle}}};
            const auto headers = host->call(request).headerBlock();
            const auto begin = headers.find("Location: ");
            return begin == std::string::npos ? std::string() : headers.substr(begin + 10, headers.find("\r\n", begin) - begin - 10);
        };
        CPPUNIT_ASSERT_EQUAL(std::string("/onboarding"), open("/dashboard", "good"));
        CPPUNIT_ASSERT_EQUAL(std::string("/onboarding"), open("/settings/households", "good"));
        CPPUNIT_ASSERT_EQUAL(std::string(), open("/onboarding", "good"));
        verify(owner);
        made(post(owner, "/api/onboarding/complete"));
        CPPUNIT_ASSERT_EQUAL(std::string(), open("/dashboard", "good"));
        CPPUNIT_ASSERT_EQUAL(std::string("/dashboard"), open("/onboarding", "good"));
        // The page finds out what became of the sign-in.
        CPPUNIT_ASSERT_EQUAL(std::string(), open("/onboarding", "spent"));
        host->context().services().withdraw(interfaces::Onboarding::interfaceName);
        CPPUNIT_ASSERT_EQUAL(std::string(), open("/onboarding", "good"));
    }

    void opensAndClosesActionsAboutKeys()
    {
        const std::string expiring =
            R"({"id":"key_1","change":"api_key.expiring","actor":{"type":"operator","id":""},"details":{"id":"key_1",
            "name":"Nightly","owner_type":"organization","owner_id":"org_x","organizationId":"org_x","expiresAt":"2026-12-01T00:00:00.000Z"}})";
        for (int i = 0; i < 2; ++i) tell("api_key.expiring", expiring, organization);
        const auto open = get(admin, "/api/actions");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, open.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("api_key_expiring"), open.at("/items/0/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-01T00:00:00.000Z"), open.at("/items/0/dueAt"));
        tell("api_key.leaked", R"({"id":"key_1","change":"api_key.leaked","actor":{"type":"","id":""},"details":{}})", organization);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), get(admin, "/api/actions").at("/counts/critical"));
        const auto leaked = get(admin, "/api/actions?kind=leaked_key").at("/items/0/id");
        assertProblem(post(admin, "/api/actions/" + leaked + "/dismiss"), 409, "not_dismissible");
        tell("api_key.revoked", R"({"id":"key_1","change":"api_key.revoked","actor":{"type":"","id":""},"details":{}})", organization);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/actions").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("closed"), get(admin, "/api/actions/" + leaked).at("/history/1/what"));
    }

    void opensAndClosesActionsAboutRecoveryAddresses()
    {
        const auto data = R"({"id":")" + member.principalId + R"(","change":"x","actor":{"type":"user","id":""},"details":{}})";
        tell("user.recovery_email_set", data, "");
        const auto home = personal(member);
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email_unverified"), get(home, "/api/actions").at("/items/0/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), get(home, "/api/actions").at("/items/0/context/kind"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/actions").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(personal(admin), "/api/actions").count("/items"));
        tell("user.recovery_email_verified", data, "");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(home, "/api/actions").count("/items"));
    }

    void exportsAndForgetsAPerson()
    {
        registry.add("remote").remote = true;
        made(post(personal(member), "/api/installs", R"({"service_id":"remote"})"));
        made(post(member, "/api/launch", R"({"service_id":"crm"})"));
        made(post(member, "/api/install-requests", R"({"service_id":"remote"})"));
        made(post(admin, "/api/assignments",
                  R"({"service_id":"crm","mode":"required","subject":{"type":"user","id":")" + member.principalId + "\"}}"));
        made(post(newKey({"notifications.write"}), "/api/notifications", R"({"title":"Hi","role":"member"})"));
        auto& data = *host->context().services().provided<interfaces::PersonalData>();
        const interfaces::Person person{member.principalId, "m@x.example", {organization}};
        const auto kinds = [&]
        {
            std::map<std::string, int> found;
            data.give(person, [&](std::string_view kind, std::string_view) { ++found[std::string(kind)]; });
            return found;
        };
        CPPUNIT_ASSERT(kinds() ==
                       (std::map<std::string, int>{{"installs", 1}, {"installRequests", 1}, {"launches", 1}, {"notifications", 1}}));
        for (int i = 0; i < 2; ++i) data.forget(person);
        CPPUNIT_ASSERT(kinds().empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/assignments").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), get(admin, "/api/notifications").at("/unread"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadOnboardingTest);

} // namespace portico::tests
