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
class PlansTest : public Suite<PlansTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _organization = _host->organizationId("acme");
        _path = "/api/organizations/" + _organization;
        _token = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(limitNothingWithoutAProvider)
    {
        equal(201, invite("ben@acme.example").status);
        equal(201, makeAgent().status);
    }

    TEST(limitInvitationsAndAgents)
    {
        offer();
        // The owner, and one invitation.
        _seats.purchased = 2;
        equal(201, invite("ben@acme.example").status);
        equal(1, _seats.asked);
        const auto answer = invite("cleo@acme.example");
        refused(answer, 409, "seat_limit_reached");
        equal("seat_limit_reached", makeAgent().code());
        equal(1, _host->count("SELECT COUNT(*) FROM invitations"));
        _seats.purchased = 3;
        equal(201, makeAgent().status);
        equal("seat_limit_reached", makeAgent().code());
    }

    TEST(replaceAnInvitationWithinItsSeat)
    {
        offer();
        _seats.purchased = 2;
        equal(201, invite("ben@acme.example").status);
        equal(201, invite("ben@acme.example").status);
    }

    TEST(resendingAnExpiredInvitationNeedsASeat)
    {
        offer();
        _seats.purchased = 2;
        const auto made = call(Method::Post, _path + "/invitations", R"({"role":"member","email":"ben@acme.example","expiresInDays":1})");
        equal(201, made.status, made.body);
        const auto resend = _path + "/invitations/" + made.at("/id") + "/resend";
        equal(202, call(Method::Post, resend, "{}").status, "it occupies the last seat itself");
        _host->context().clock().advance(std::chrono::hours(24));
        _token = _host->signIn("owner@acme.example", "identity");
        equal(201, invite("cleo@acme.example").status);
        refused(call(Method::Post, resend, "{}"), 409, "seat_limit_reached");
        _seats.purchased = 3;
        equal(202, call(Method::Post, resend, "{}").status);
    }

    TEST(refuseToDeleteSubscribers)
    {
        offer();
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        _seats.subscribed = {_organization};
        const auto refused = call(Method::Delete, _path);
        equal("active_subscription", refused.code(), refused.body);
        _seats.subscribed.clear();
        equal(202, call(Method::Delete, _path).status);

        _host->createUser("ada@example.org");
        _token = _host->signIn("ada@example.org", "identity");
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        const auto home = "/api/households/" + call(Method::Post, "/api/households", R"({"name":"Home"})").at("/id");
        _seats.subscribed = {home.substr(home.rfind('/') + 1)};
        equal("active_subscription", call(Method::Delete, home).code());
        equal(200, call(Method::Get, home).status);
        _seats.subscribed.clear();
        equal(204, call(Method::Delete, home).status);
    }

    TEST(openAndSuspendServices)
    {
        auto& plans = _host->provided<interfaces::PlanAccess>();
        const auto tenant = Tenant::fromStored(_organization);
        const auto token = _host->signIn("owner@acme.example", "desk");
        equal("ok", _host->verdict(token, "desk"));
        equal(1, plans.apply(tenant, {{"desk", false}}, ""));
        equal("service_access_denied", _host->verdict(token, "desk"));
        equal(0, plans.apply(tenant, {{"desk", false}}, ""), "nothing differs");
        equal(1, plans.apply(tenant, {{"desk", true}}, "five"));
        equal("ok", _host->verdict(token, "desk"));
        equal(1, _host->count("SELECT COUNT(*) FROM service_access WHERE service_id = 'desk' AND plan = 'five'"));
        equal(2, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service_access.changed'"));
        // Neither identity, nor a service or an organization that does not exist.
        equal(0, plans.apply(tenant, {{"identity", false}, {"nothing", true}}, ""));
        equal(0, plans.apply(Tenant::fromStored("org_01jd0000000000000000000000"), {{"desk", true}}, ""));
        CHECK(plans.organizations("", 10) == std::vector<std::string>{_organization});
        CHECK(plans.organizations(_organization, 10).empty());
        _host->createUser("op@example.org", {}, "member", "platform_admin");
        CHECK(!plans.adminOrganization().empty() && plans.adminOrganization() != _organization);
    }

    TEST(distinguishAgentsFromPeople)
    {
        auto& plans = _host->provided<interfaces::PlanAccess>();
        CHECK(plans.isAgent(makeAgent().at("/id")));
        CHECK(!plans.isAgent(_owner));
        CHECK(!plans.isAgent("usr_nobody"));
    }

    void offer() { _host->context().services().offer<interfaces::Seats>(_seats); }
    TestAnswer call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return _host->call({.method = method, .target = target, .body = body}, _token);
    }
    TestAnswer invite(const std::string& email) const
    {
        return call(Method::Post, _path + "/invitations", jsonWith(R"({"role":"member","email":"$"})", email));
    }
    TestAnswer makeAgent() const
    {
        return call(Method::Post, _path + "/agents", jsonWith(R"({"name":"Night shift","ownerUserId":"$"})", _owner));
    }

    FakeSeats _seats;
    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _organization, _path, _token;
};

} // namespace portico::tests
