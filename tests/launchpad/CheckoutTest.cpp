#include "launchpad/BillingFixture.h"

#include "actions/Action.h"

#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Checkouts without a payment processor: an operator confirms payments.
class CheckoutTest : public Suite<CheckoutTest, BillingFixture>
{
    TEST(sellsNothingByDefault)
    {
        tearDown();
        begin("none");
        refused(checkout(order()), 409, "billing_not_configured");
        equal("none", made(get(owner, "/api/billing/subscriptions")).at("/processor"));
    }

    TEST(rejectsOrdersBeforeARowIsWritten)
    {
        const auto five = R"("crm","calendar","social","mail","forms")";
        refused(checkout(order("three", R"("crm","calendar")")), 400, "bundle_size_mismatch");
        const auto mismatch = checkout(order("five", R"("crm")"));
        equal(R"({"expected":5,"got":1})", mismatch.at("/details"));
        refused(checkout(order("three", five)), 400, "bundle_size_mismatch");
        refused(checkout(order("three", R"("crm","calendar","foreign")")), 400, "not_bundle_eligible");
        refused(checkout(order("three", R"("crm","calendar","admin")")), 400, "not_bundle_eligible");
        refused(checkout(order("three", R"("crm","calendar","nothing")")), 400, "not_bundle_eligible");
        refused(checkout(order("three", R"("crm","crm","social")")), 400, "validation_failed");
        refused(checkout(order("enterprise", "")), 400, "enterprise_requires_contact");
        const auto low = checkout(order("five", five, R"(,"amountPerSeat":4899)"));
        refused(low, 400, "amount_below_minimum");
        equal(R"({"minimum":4900})", low.at("/details"));
        for (const auto* more : {R"(,"seats":0)", R"(,"seats":-1)", R"(,"seats":10001)", R"(,"successUrl":"https://evil.example/")",
                                 R"(,"successUrl":"//evil.example")", R"(,"cancelUrl":"/\\evil.example")", R"(,"email":"nobody")"})
            refused(checkout(order("five", five, more)), 400, "validation_failed");
        refused(checkout(R"({"package":"everything","currency":"XXX"})"), 400, "validation_failed");
        refused(checkout(R"({"package":"everything","currency":"usd"})"), 400, "validation_failed");
        const auto of = [](const std::string& type, const std::string& id)
        { return jsonWith(R"(,"owner_type":"$","owner_id":"$")", type, id); };
        const auto apps = R"("crm","calendar","social")";
        refused(checkout(order("three", apps, of("organization", organization))), 403, "billing_permission_required");
        refused(checkout(order("three", apps, of("organization", organization)), &admin), 403, "billing_permission_required");
        refused(checkout(order("three", apps, of("organization", stranger.organizationId)), &owner), 403, "billing_permission_required");
        refused(checkout(order("three", apps, of("user", member.principalId)), &owner), 403, "billing_permission_required");
        refused(checkout(order("three", apps, of("organization", "org_1")), &owner), 400, "validation_failed");
        refused(host->call({.method = Method::Post,
                            .target = "/api/public/checkout",
                            .body = order(),
                            .headers = {{"Authorization", "Bearer nobody"}}}),
                401, "invalid_token");
        equal(0, count("SELECT count(*) FROM checkout"));
    }

    TEST(sellsToVisitorsWhoClaimLater)
    {
        const auto opened = checkout(order());
        equal(201, opened.status, opened.body);
        const auto id = opened.at("/checkoutId"), token = opened.at("/claim_token");
        equal("open", opened.at("/status"));
        equal(0, count("SELECT count(*) FROM checkout WHERE claim_token_hash = '" + token + "'"), "only the hash is stored");
        const auto look = [&](const std::string& secret) {
            return host->call({.method = Method::Get, .target = "/api/public/checkout/" + id, .headers = {{"Claim-Token", secret}}});
        };
        equal("open", look(token).at("/status"));
        equal(404, look("wrong").status);
        equal(404, host->call(Method::Get, "/api/public/checkout/" + id).status);

        made(markPaid(id));
        equal("paid", look(token).at("/status"));
        const auto claimed = made(claim(owner, id, token));
        equal("active", claimed.at("/status"));
        equal("10", claimed.at("/seats/purchased"));
        equal(organization, claimed.at("/owner_id"));
        host->context().jobs().runDue();
        CHECK((std::set<std::string>{"calendar", "crm", "social"}) == grantedApps());
        equal("three", plans.plans[organization]);
        refused(checkout(order(), &owner), 409, "active_subscription_exists");
    }

    TEST(returnsTheSameCheckoutForARepeatedRequest)
    {
        const auto first = checkout(order(), &owner), second = checkout(order(), &owner);
        equal(201, first.status);
        equal(200, second.status);
        equal(first.at("/checkoutId"), second.at("/checkoutId"));
        CHECK(first.at("/checkoutId") != checkout(order("everything", ""), &owner).at("/checkoutId"));
        // A visitor repeats a request with its key only.
        const auto visitor = checkout(order(), nullptr, "key-number-one");
        const auto again = checkout(order(), nullptr, "key-number-one");
        equal(visitor.at("/checkoutId"), again.at("/checkoutId"));
        CHECK(visitor.at("/checkoutId") != checkout(order()).at("/checkoutId"));
        made(markPaid(again.at("/checkoutId")));
        refused(claim(owner, again.at("/checkoutId"), visitor.at("/claim_token")), 403, "claim_token_invalid");
        made(claim(owner, again.at("/checkoutId"), again.at("/claim_token")));
    }

    TEST(rejectsStolenClaimTokens)
    {
        const auto mine = checkout(order()), other = checkout(order());
        made(markPaid(mine.at("/checkoutId")));
        refused(claim(owner, mine.at("/checkoutId"), other.at("/claim_token")), 403, "claim_token_invalid");
        refused(claim(owner, mine.at("/checkoutId"), ""), 400, "validation_failed");
        refused(claim(owner, "chk_01jd0000000000000000000000", mine.at("/claim_token")), 403, "claim_token_invalid");
        refused(claim(admin, mine.at("/checkoutId"), mine.at("/claim_token")), 403, "billing_permission_required");
        refused(claim(stranger, mine.at("/checkoutId"), mine.at("/claim_token")), 403, "billing_permission_required");
        equal(0, count("SELECT count(*) FROM checkout WHERE owner_id <> ''"));
    }

    TEST(claimsOnce)
    {
        const auto opened = checkout(order());
        // A claim before the payment waits for it.
        const auto early = made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        equal("null", early.at("/id"));
        equal("incomplete", early.at("/status"));
        made(markPaid(opened.at("/checkoutId")));
        const auto paid = made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        equal("active", paid.at("/status"));
        const auto home = personal(owner);
        refused(
            post(home, "/api/billing/claims", claimBody(opened.at("/checkoutId"), opened.at("/claim_token"), "user", owner.principalId)),
            409, "already_claimed");
    }

    TEST(reportsUnclaimedCheckoutsAfterADay)
    {
        const auto opened = checkout(order("three", R"("crm","calendar","social")", R"(,"email":"buyer@example.org")"));
        made(markPaid(opened.at("/checkoutId")));
        advance(std::chrono::hours(23));
        host->context().jobs().runDue();
        equal(0, actionsOf(operators).size());
        advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        const auto actions = actionsOf(operators);
        equal(1, actions.size());
        CHECK(launchpad::ActionKind::SubscriptionUnclaimed == actions[0].kind);
        CHECK(actions[0].body.find("buyer@example.org") != std::string::npos);
        made(claim(owner, opened.at("/checkoutId"), opened.at("/claim_token")));
        CHECK(launchpad::ActionStatus::Resolved == actionsOf(operators)[0].status);
        advance(std::chrono::hours(48));
        host->context().jobs().runDue();
        equal(1, actionsOf(operators).size());
    }

    TEST(opensOneFreeWorkspacePerOwner)
    {
        const auto body = R"({"email":"ada@example.org","workspaceName":"Ada"})";
        // Without identity no proof can be checked.
        refused(open("/api/public/free-workspace", body), 503, "validation_unavailable");
        const auto opened = made(open("/api/public/free-workspace", body, &owner));
        made(markPaid(opened.at("/checkoutId")));
        const auto lists = made(get(owner, "/api/billing/subscriptions"));
        equal(0, lists.count("/paid"));
        equal(R"({"amount":100,"currency":"USD","interval":"year"})", lists.at("/freeWorkspace/0/unitPrice"));
        equal("null", lists.at("/freeWorkspace/0/package"));
        equal(1, count("SELECT count(*) FROM free_workspace_subscription"));
        refused(open("/api/public/free-workspace", body, &owner), 409, "free_workspace_exists");
        // A paid plan beside it is allowed, and only that opens apps.
        host->context().jobs().runDue();
        CHECK(grantedApps().empty());
        subscribe();
        equal(3, grantedApps().size());
    }

    TEST(opensAndSuspendsAppsWithThePlan)
    {
        plans.existing = {organization};
        plans.granted[organization] = {"crm", "mail"};
        advance(std::chrono::hours(1));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_MESSAGE("no plan, no apps of packages", grantedApps().empty());
        const auto id = subscribe(order("everything", ""));
        equal(8, grantedApps().size());
        CPPUNIT_ASSERT_MESSAGE("apps of others are not part of a package", !grantedApps().contains("foreign"));
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel", R"({"at":"now"})").status);
        host->context().jobs().runDue();
        CHECK(grantedApps().empty());
    }

    TEST(sellsToPeopleAndHouseholds)
    {
        const auto home = personal(owner);
        credentials.callers[owner.principalId] = home;
        made(markPaid(made(checkout(order(), &owner)).at("/checkoutId")));
        equal(owner.principalId, made(get(home, "/api/billing/subscriptions")).at("/paid/0/owner_id"));
        const auto household = "hh_" + makeUlid(Instant{});
        const auto query = "/api/billing/subscriptions?owner_type=household&owner_id=" + household;
        const auto request =
            order("three", R"("crm","calendar","social")", jsonWith(R"(,"owner_type":"household","owner_id":"$")", household));
        directory.households[owner.principalId] = {{household, "Home", "adult", 2, true}};
        refused(checkout(request, &owner), 403, "billing_permission_required");
        made(get(home, query));
        directory.households[owner.principalId] = {{household, "Home", "manager", 2, true}};
        made(markPaid(made(checkout(request, &owner)).at("/checkoutId")));
        equal(household, made(get(home, query)).at("/paid/0/owner_id"));
        refused(get(personal(member), query), 403, "billing_permission_required");
    }

    TEST(marksOpenCheckoutsOnly)
    {
        const auto id = made(checkout(order(), &owner)).at("/checkoutId");
        refused(patch(owner, "/api/admin/checkouts/" + id, R"({"status":"paid"})"), 403, "permission_denied");
        refused(patch(operatorCaller, "/api/admin/checkouts/" + id, R"({"status":"open"})"), 409, "invalid_transition");
        made(patch(operatorCaller, "/api/admin/checkouts/" + id, R"({"status":"canceled"})"));
        refused(markPaid(id), 409, "invalid_transition");
        refused(markPaid("chk_01jd0000000000000000000000"), 404, "not_found");
        const auto listed = made(get(operatorCaller, "/api/admin/checkouts?status=canceled&include=total"));
        equal("1", listed.at("/total"));
        CHECK(listed.body.find("claimToken") == std::string::npos);
        equal(0, made(get(operatorCaller, "/api/admin/checkouts?status=open")).count("/items"));
    }

    TEST(renewsAndEndsManualSubscriptions)
    {
        const auto id = subscribe();
        equal("2026-12-23T08:00:00.000Z", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/currentPeriodEnd"));
        advance(std::chrono::days(31));
        host->context().jobs().runDue();
        equal("2027-01-23T08:00:00.000Z", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/currentPeriodEnd"));
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/resume").status);
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
        equal("active", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
        advance(std::chrono::days(31));
        host->context().jobs().runDue();
        equal("canceled", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
        CHECK(grantedApps().empty());
    }

    TEST(keepsOneLiveSubscriptionOfTwoCheckouts)
    {
        const auto first = made(checkout(order(), &owner)).at("/checkoutId");
        const auto second = made(checkout(order("everything", ""), &owner)).at("/checkoutId");
        made(markPaid(first));
        made(markPaid(second));
        host->context().jobs().runDue();
        equal(1, count("SELECT count(*) FROM subscription WHERE standing = 'current'"));
        equal(1, count("SELECT count(*) FROM subscription WHERE status = 'active'"));
        equal(3, grantedApps().size());
        const auto actions = actionsOf(organization);
        equal(1, actions.size());
        CHECK(launchpad::ActionKind::SecurityAlert == actions[0].kind);
    }

    std::string claimBody(const std::string& id, const std::string& token, const std::string& type, const std::string& ownerId) const
    {
        return jsonWith(R"({"checkoutId":"$","claim_token":"$","owner_type":"$","owner_id":"$"})", id, token, type, ownerId);
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

} // namespace portico::tests
