#include "identity/IdentityHost.h"

#include "portico/interfaces/PlanAccess.h"
#include "portico/interfaces/Seats.h"

#include <set>

namespace portico::tests
{

namespace
{
class FakeSeats final : public interfaces::Seats
{
public:
    bool hasRoom(Tenant, std::int64_t occupied) override
    {
        asked = occupied;
        return occupied < purchased;
    }
    bool hasLiveSubscription(std::string_view ownerId) override { return subscribed.contains(ownerId); }

    std::int64_t purchased = 0;
    std::int64_t asked = -1;
    std::set<std::string, std::less<>> subscribed;
};
} // namespace

/// Seats and subscriptions of owners: identity asks the service that sells plans, and opens services as a plan says.
class PlansTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PlansTest);
    CPPUNIT_TEST(limitNothingWithoutAProvider);
    CPPUNIT_TEST(limitInvitationsAndAgents);
    CPPUNIT_TEST(replaceAnInvitationWithinItsSeat);
    CPPUNIT_TEST(refuseToDeleteSubscribers);
    CPPUNIT_TEST(openAndSuspendServices);
    CPPUNIT_TEST(distinguishAgentsFromPeople);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _organization = _host->organizationId("acme");
        _path = "/api/organizations/" + _organization;
        _token = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    void limitNothingWithoutAProvider()
    {
        CPPUNIT_ASSERT_EQUAL(201, invite("ben@acme.example").status);
        CPPUNIT_ASSERT_EQUAL(201, makeAgent().status);
    }

    void limitInvitationsAndAgents()
    {
        offer();
        // The owner, and one invitation.
        _seats.purchased = 2;
        CPPUNIT_ASSERT_EQUAL(201, invite("ben@acme.example").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _seats.asked);
        const auto refused = invite("cleo@acme.example");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, 409, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("seat_limit_reached"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string("seat_limit_reached"), makeAgent().code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM invitations"));
        _seats.purchased = 3;
        CPPUNIT_ASSERT_EQUAL(201, makeAgent().status);
        CPPUNIT_ASSERT_EQUAL(std::string("seat_limit_reached"), makeAgent().code());
    }

    void replaceAnInvitationWithinItsSeat()
    {
        offer();
        _seats.purchased = 2;
        CPPUNIT_ASSERT_EQUAL(201, invite("ben@acme.example").status);
        CPPUNIT_ASSERT_EQUAL(201, invite("ben@acme.example").status);
    }

    void refuseToDeleteSubscribers()
    {
        offer();
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        _seats.subscribed = {_organization};
        const auto refused = call(Method::Delete, _path);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, std::string("active_subscription"), refused.code());
        _seats.subscribed.clear();
        CPPUNIT_ASSERT_EQUAL(202, call(Method::Delete, _path).status);

        _host->createUser("ada@example.org");
        _token = _host->signIn("ada@example.org", "identity");
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        const auto home = "/api/households/" + call(Method::Post, "/api/households", R"({"name":"Home"})").at("/id");
        _seats.subscribed = {home.substr(home.rfind('/') + 1)};
        CPPUNIT_ASSERT_EQUAL(std::string("active_subscription"), call(Method::Delete, home).code());
        CPPUNIT_ASSERT_EQUAL(200, call(Method::Get, home).status);
        _seats.subscribed.clear();
        CPPUNIT_ASSERT_EQUAL(204, call(Method::Delete, home).status);
    }

    void openAndSuspendServices()
    {
        auto& plans = _host->provided<interfaces::PlanAccess>();
        const auto tenant = Tenant::fromStored(_organization);
        const auto token = _host->signIn("owner@acme.example", "desk");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "desk"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, plans.apply(tenant, {{"desk", false}}, ""));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->verdict(token, "desk"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("nothing differs", std::size_t{0}, plans.apply(tenant, {{"desk", false}}, ""));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, plans.apply(tenant, {{"desk", true}}, "five"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "desk"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             _host->count("SELECT COUNT(*) FROM service_access WHERE service_id = 'desk' AND plan = 'five'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service_access.changed'"));
        // Neither identity, nor a service or an organization that does not exist.
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, plans.apply(tenant, {{"identity", false}, {"nothing", true}}, ""));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, plans.apply(Tenant::fromStored("org_01jd0000000000000000000000"), {{"desk", true}}, ""));
        CPPUNIT_ASSERT(plans.organizations("", 10) == std::vector<std::string>{_organization});
        CPPUNIT_ASSERT(plans.organizations(_organization, 10).empty());
        _host->createUser("op@example.org", {}, "member", "platform_admin");
        CPPUNIT_ASSERT(!plans.adminOrganization().empty() && plans.adminOrganization() != _organization);
    }

    void distinguishAgentsFromPeople()
    {
        auto& plans = _host->provided<interfaces::PlanAccess>();
        CPPUNIT_ASSERT(plans.isAgent(makeAgent().at("/id")));
        CPPUNIT_ASSERT(!plans.isAgent(_owner));
        CPPUNIT_ASSERT(!plans.isAgent("usr_nobody"));
    }

private:
    void offer() { _host->context().services().offer<interfaces::Seats>(_seats); }
    TestAnswer call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return _host->call({.method = method, .target = target, .body = body}, _token);
    }
    TestAnswer invite(const std::string& email) const
    {
        return call(Method::Post, _path + "/invitations", R"({"role":"member","email":")" + email + "\"}");
    }
    TestAnswer makeAgent() const
    {
        return call(Method::Post, _path + "/agents", R"({"name":"Night shift","ownerUserId":")" + _owner + "\"}");
    }

    FakeSeats _seats;
    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _organization, _path, _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PlansTest);

} // namespace portico::tests
