#include "launchpad/BillingFixture.h"

#include "actions/Action.h"

#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Checkouts without a payment processor: an operator confirms payments.
class CheckoutTest : public BillingFixture
{
    CPPUNIT_TEST_SUITE(CheckoutTest);
    CPPUNIT_TEST(sellsNothingByDefault);
    CPPUNIT_TEST(rejectsOrdersBeforeARowIsWritten);
    CPPUNIT_TEST(sellsToVisitorsWhoClaimLater);
    CPPUNIT_TEST(returnsTheSameCheckoutForARepeatedRequest);
    CPPUNIT_TEST(rejectsStolenClaimTokens);
    CPPUNIT_TEST(claimsOnce);
    CPPUNIT_TEST(reportsUnclaimedCheckoutsAfterADay);
    CPPUNIT_TEST(opensOneFreeWorkspacePerOwner);
    CPPUNIT_TEST(opensAndSuspendsAppsWithThePlan);
    CPPUNIT_TEST(sellsToPeopleAndHouseholds);
    CPPUNIT_TEST(marksOpenCheckoutsOnly);
    CPPUNIT_TEST(renewsAndEndsManualSubscriptions);
    CPPUNIT_TEST(keepsOneLiveSubscriptionOfTwoCheckouts);
    CPPUNIT_TEST_SUITE_END();

public:
    void sellsNothingByDefault()
    {
        tearDown();
        begin("none");
        assertProblem(checkout(order()), 409, "billing_not_configured");
        CPPUNIT_ASSERT_EQUAL(std::string("none"), made(get(owner, "/api/billing/subscriptions")).at("/processor"));
    }

    void rejectsOrdersBeforeARowIsWritten()
    {
        const auto five = R"("crm","calendar","social","mail","forms")";
        assertProblem(checkout(order("three", R"("crm","calendar")")), 400, "bundle_size_mismatch");
        const auto mismatch = checkout(order("five", R"("crm")"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"expected":5,"got":1})"), mismatch.at("/details"));
        assertProblem(checkout(order("three", five)), 400, "bundle_size_mismatch");
        assertProblem(checkout(order("three", R"("crm","calendar","foreign")")), 400, "not_bundle_eligible");
        assertProblem(checkout(order("three", R"("crm","calendar","admin")")), 400, "not_bundle_eligible");
        assertProblem(checkout(order("three", R"("crm","calendar","nothing")")), 400, "not_bundle_eligible");
        assertProblem(checkout(order("three", R"("crm","crm","social")")), 400, "validation_failed");
        assertProblem(checkout(order("enterprise", "")), 400, "enterprise_requires_contact");
        const auto low = checkout(order("five", five, R"(,"amountPerSeat":4899)"));
        assertProblem(low, 400, "amount_below_minimum");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"minimum":4900})"), low.at("/details"));
        for (const auto* more : {R"(,"seats":0)", R"(,"seats":-1)", R"(,"seats":10001)", R"(,"successUrl":"https://evil.example/")",
                                 R"(,"successUrl":"//evil.example")", R"(,"cancelUrl":"/\\evil.example")", R"(,"email":"nobody")"})
            assertProblem(checkout(order("five", five, more)), 400, "validation_failed");
        assertProblem(checkout(R"({"package":"everything","currency":"XXX"})"), 400, "validation_failed");
        assertProblem(checkout(R"({"package":"everything","currency":"usd"})"), 400, "validation_failed");
        const auto of = [](const std::string& type, const std::string& id)
        { return R"(,"owner_type":")" + type + R"(","owner_id":")" + id + '"'; };
        const auto apps = R"("crm","calendar","social")";
        assertProblem(checkout(order("three", apps, of("organization", organization))), 403, "billing_permission_required");
        assertProblem(checkout(order("three", apps, of("organization", organization)), &admin), 403, "billing_permission_required");
        assertProblem(checkout(order("three", apps, of("organization", stranger.organizationId)), &owner), 403,
                      "billing_permission_required");
        assertProblem(checkout(order("three", apps, of("user", member.principalId)), &owner), 403, "billing_permission_required");
        assertProblem(checkout(order("three", apps, of("organization", "org_1")), &owner), 400, "validation_failed");
        assertProblem(host->call({.method = Method::Post,
                                  .target = "/api/public/checkout",
                                  .body = order(),
                                  .headers = {{"Authorization", "Bearer nobody"}}}),
                      401, "invalid_token");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("SELECT count(*) FROM checkout"));
    }

    void sellsToVisitorsWhoClaimLater()
    {
        const auto opened = checkout(order());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(opened.body, 201, opened.status);
        const auto id = opened.at("/checkoutId"), token = opened.at("/claim_token");
        CPPUNIT_ASSERT_EQUAL(std::string("open"), opened.at("/status"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("only the hash is stored", std::int64_t{0},
                                     count("SELECT count(*) FROM checkout WHERE claim_token_hash = '" + token + "'"));
        const auto look = [&](const std::string& secret) {
            return host->call({.method = Method::Get, .target = "/api/public/checkout/" + id, .headers = {{"Claim-Token", secret}}});
        };
        CPPUNIT_ASSERT_EQUAL(std::string("open"), look(token).at("/status"));
        CPPUNIT_ASSERT_EQUAL(404, look("wrong").status);
        CPPUNIT_ASSERT_EQUAL(404, host->call(Method::Get, "/api/public/checkout/" + id).status);

        made(markPaid(id));
        CPPUNIT_ASSERT_EQUAL(std::string("paid"), look(token).at("/status"));
        const auto claimed = made(claim(owner, id, token));
        CPPUNIT_ASSERT_EQUAL(std::string("active"), claimed.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("10"), claimed.at("/seats/purchased"));
        CPPUNIT_ASSERT_EQUAL(organization, claimed.at("/owner_id"));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT((std::set<std::string>{"calendar", "crm", "social"}) == grantedApps());
        CPPUNIT_ASSERT_EQUAL(std::string("three"), plans.plans[organization]);
        assertProblem(checkout(order(), &owner), 409, "active_subscription_exists");
    }

    void returnsTheSameCheckoutForARepeatedRequest()
    {
        const auto first = checkout(order(), &owner), second = checkout(order(), &owner);
        CPPUNIT_ASSERT_EQUAL(201, first.status);
        CPPUNIT_ASSERT_EQUAL(200, second.status);
        CPPUNIT_ASSERT_EQUAL(first.at("/checkoutId"), second.at("/checkoutId"));
        CPPUNIT_ASSERT(first.at("/checkoutId") != checkout(order("everything", ""), &owner).at("/checkoutId"));
        // A visitor repeats a request with its key only.
        const auto visitor = checkout(order(), nullptr, "key-number-one");
        const auto again = checkout(order(), nullptr, "key-number-one");
        CPPUNIT_ASSERT_EQUAL(visitor.at("/checkoutId"), again.at("/checkoutId"));
        CPPUNIT_ASSERT(visitor.at("/checkoutId") != checkout(order()).at("/checkoutId"));
        made(markPaid(again.at("/checkoutId")));
        assertProblem(claim(owner, again.at("/checkoutId"), visitor.at("/claim_token")), 403, "claim_token_invalid");
        made(claim(owner, again.at("/checkoutId"), again.at("/claim_token")));
    }

    void rejectsStolenClaimTokens()
    {
        const auto mine = checkout(order()), other = checkout(order());
        made(markPaid(mine.at("/checkoutId")));
        assertProblem(claim(owner, mine.at("/checkoutId"), other.at("/claim_token")), 403, "claim_token_invalid");
        assertProblem(claim(owner, mine.at("/checkoutId"), ""), 400, "validation_failed");
        assertProblem(claim(owner, "chk_01jd0000000000000000000000", mine.at("/claim_token")), 403, "claim_token_invalid");
        assertProblem(claim(admin, mine.at("/checkoutId"), mine.at("/claim_token")), 403, "billing_permission_required");
        assertProblem(claim(stranger, mine.at("/checkoutId"), mine.at("/claim_token")), 403, "billing_permission_required");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("SELECT count(*) FROM checkout WHERE owner_id <> ''"));
    }

    void claimsOnce()
    {
        const auto opened = checkout(order());
        // A claim before the payment waits for it.
        const auto early = made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), early.at("/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("incomplete"), early.at("/status"));
        made(markPaid(opened.at("/checkoutId")));
        const auto paid = made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        CPPUNIT_ASSERT_EQUAL(std::string("active"), paid.at("/status"));
        const auto home = personal(owner);
        assertProblem(
            post(home, "/api/billing/claims", claimBody(opened.at("/checkoutId"), opened.at("/claim_token"), "user", owner.principalId)),
            409, "already_claimed");
    }

    void reportsUnclaimedCheckoutsAfterADay()
    {
        const auto opened = checkout(order("three", R"("crm","calendar","social")", R"(,"email":"buyer@example.org")"));
        made(markPaid(opened.at("/checkoutId")));
        advance(std::chrono::hours(23));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, actionsOf(operators).size());
        advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        const auto actions = actionsOf(operators);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, actions.size());
        CPPUNIT_ASSERT(launchpad::ActionKind::SubscriptionUnclaimed == actions[0].kind);
        CPPUNIT_ASSERT(actions[0].body.find("buyer@example.org") != std::string::npos);
        made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        CPPUNIT_ASSERT(launchpad::ActionStatus::Resolved == actionsOf(operators)[0].status);
        advance(std::chrono::hours(48));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, actionsOf(operators).size());
    }

    void opensOneFreeWorkspacePerOwner()
    {
        const auto body = R"({"email":"ada@example.org","workspaceName":"Ada"})";
        // Without identity no proof can be checked.
        assertProblem(open("/api/public/free-workspace", body), 503, "validation_unavailable");
        const auto opened = made(open("/api/public/free-workspace", body, &owner));
        made(markPaid(opened.at("/checkoutId")));
        const auto lists = made(get(owner, "/api/billing/subscriptions"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, lists.count("/paid"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"amount":100,"currency":"USD","interval":"year"})"), lists.at("/freeWorkspace/0/unitPrice"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), lists.at("/freeWorkspace/0/package"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count("SELECT count(*) FROM free_workspace_subscription"));
        assertProblem(open("/api/public/free-workspace", body, &owner), 409, "free_workspace_exists");
        // A paid plan beside it is allowed, and only that opens apps.
        host->context().jobs().runDue();
        CPPUNIT_ASSERT(grantedApps().empty());
        subscribe();
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, grantedApps().size());
    }

    void opensAndSuspendsAppsWithThePlan()
    {
        plans.existing = {organization};
        plans.granted[organization] = {"crm", "mail"};
        advance(std::chrono::hours(1));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_MESSAGE("no plan, no apps of packages", grantedApps().empty());
        const auto id = subscribe(order("everything", ""));
        CPPUNIT_ASSERT_EQUAL(std::size_t{8}, grantedApps().size());
        CPPUNIT_ASSERT_MESSAGE("apps of others are not part of a package", !grantedApps().contains("foreign"));
        CPPUNIT_ASSERT_EQUAL(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel", R"({"at":"now"})").status);
        host->context().jobs().runDue();
        CPPUNIT_ASSERT(grantedApps().empty());
    }

    void sellsToPeopleAndHouseholds()
    {
        const auto home = personal(owner);
        credentials.callers[owner.principalId] = home;
        made(markPaid(made(checkout(order(), &owner)).at("/checkoutId")));
        CPPUNIT_ASSERT_EQUAL(owner.principalId, made(get(home, "/api/billing/subscriptions")).at("/paid/0/owner_id"));
        const auto household = "hh_" + makeUlid(Instant{});
        const auto query = "/api/billing/subscriptions?owner_type=household&owner_id=" + household;
        const auto wish = order("three", R"("crm","calendar","social")", R"(,"owner_type":"household","owner_id":")" + household + '"');
        directory.households[owner.principalId] = {{household, "Home", "adult", 2, true}};
        assertProblem(checkout(wish, &owner), 403, "billing_permission_required");
        made(get(home, query));
        directory.households[owner.principalId] = {{household, "Home", "manager", 2, true}};
        made(markPaid(made(checkout(wish, &owner)).at("/checkoutId")));
        CPPUNIT_ASSERT_EQUAL(household, made(get(home, query)).at("/paid/0/owner_id"));
        assertProblem(get(personal(member), query), 403, "billing_permission_required");
    }

    void marksOpenCheckoutsOnly()
    {
        const auto id = made(checkout(order(), &owner)).at("/checkoutId");
        assertProblem(patch(owner, "/api/admin/checkouts/" + id, R"({"status":"paid"})"), 403, "permission_denied");
        assertProblem(patch(operatorCaller, "/api/admin/checkouts/" + id, R"({"status":"open"})"), 409, "invalid_transition");
        made(patch(operatorCaller, "/api/admin/checkouts/" + id, R"({"status":"canceled"})"));
        assertProblem(markPaid(id), 409, "invalid_transition");
        assertProblem(markPaid("chk_01jd0000000000000000000000"), 404, "not_found");
        const auto listed = made(get(operatorCaller, "/api/admin/checkouts?status=canceled&include=total"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), listed.at("/total"));
        CPPUNIT_ASSERT(listed.body.find("claimToken") == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, made(get(operatorCaller, "/api/admin/checkouts?status=open")).count("/items"));
    }

    void renewsAndEndsManualSubscriptions()
    {
        const auto id = subscribe();
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-23T08:00:00.000Z"),
                             made(get(owner, "/api/billing/subscriptions")).at("/paid/0/currentPeriodEnd"));
        advance(std::chrono::days(31));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("2027-01-23T08:00:00.000Z"),
                             made(get(owner, "/api/billing/subscriptions")).at("/paid/0/currentPeriodEnd"));
        CPPUNIT_ASSERT_EQUAL(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
        CPPUNIT_ASSERT_EQUAL(202, post(owner, "/api/billing/subscriptions/" + id + "/resume").status);
        CPPUNIT_ASSERT_EQUAL(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
        CPPUNIT_ASSERT_EQUAL(std::string("active"), made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
        advance(std::chrono::days(31));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("canceled"), made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
        CPPUNIT_ASSERT(grantedApps().empty());
    }

    void keepsOneLiveSubscriptionOfTwoCheckouts()
    {
        const auto first = made(checkout(order(), &owner)).at("/checkoutId");
        const auto second = made(checkout(order("everything", ""), &owner)).at("/checkoutId");
        made(markPaid(first));
        made(markPaid(second));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count("SELECT count(*) FROM subscription WHERE standing = 'current'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count("SELECT count(*) FROM subscription WHERE status = 'active'"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, grantedApps().size());
        const auto actions = actionsOf(organization);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, actions.size());
        CPPUNIT_ASSERT(launchpad::ActionKind::SecurityAlert == actions[0].kind);
    }

private:
    std::string claimBody(const std::string& id, const std::string& token, const std::string& type, const std::string& ownerId) const
    {
        return R"({"checkoutId":")" + id + R"(","claim_token":")" + token + R"(","owner_type":")" + type + R"(","owner_id":")" + ownerId +
               "\"}";
    }
    testing::TestAnswer claim(const Caller& caller, const std::string& id, const std::string& token) const
    {
        return post(caller, "/api/billing/claims", claimBody(id, token, "organization", organization));
    }
    std::vector<launchpad::Action> actionsOf(const std::string& tenant) const
    {
        auto session = host->context().database().session();
        return launchpad::actionTable.select(Tenant::fromStored(tenant)).all(session);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CheckoutTest);

} // namespace portico::tests
