#include "launchpad/BillingFixture.h"

#include "actions/Action.h"
#include "billing/Period.h"

#include "portico/interfaces/Seats.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Seats, previews, changes of a plan, the portal and the reconciliation.
class SeatTest : public Suite<SeatTest, BillingFixture>
{
    TEST(limitsTwoHundredRequestsToTenSeats)
    {
        const auto id = subscribe();
        std::vector<std::string> people;
        for (int i = 0; i < 200; ++i) people.push_back(newPerson("member").principalId);
        std::atomic<int> assigned = 0, refused = 0, next = 0;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back(
                [&]
                {
                    for (auto at = next++; at < 200; at = next++)
                    {
                        const auto answer = seat(id, people[static_cast<std::size_t>(at)]);
                        if (answer.status == 201) ++assigned;
                        if (answer.code() == "seat_limit_reached") ++refused;
                    }
                });
        threads.clear();
        equal(10, assigned.load());
        equal(190, refused.load());
        equal(10, count("SELECT count(*) FROM seat"));
    }

    TEST(seatsMembersAndAgents)
    {
        const auto id = subscribe();
        const auto agent = newPerson("member").principalId;
        plans.agents = {agent};
        const auto first = made(seat(id, member.principalId));
        equal(member.principalId, first.at("/assignee/id"));
        const auto untyped = jsonWith(R"({"subscriptionId":"$","assignee":{"id":"$"}})", id, agent);
        equal("agent", made(post(owner, "/api/billing/seats", untyped)).at("/assignee/type"));
        equal(204,
              del(owner, "/api/billing/seats/" + made(get(owner, "/api/billing/seats?subscriptionId=" + id)).at("/items/1/id")).status);
        made(seat(id, agent, "agent"));
        const auto view = made(get(owner, "/api/billing/subscriptions"));
        equal(R"({"purchased":10,"used":2,"humans":1,"agents":1})", view.at("/paid/0/seats"));
        refused(seat(id, member.principalId), 409, "already_seated");
        refused(seat(id, agent), 400, "validation_failed");
        refused(seat(id, guest.principalId, "agent"), 400, "validation_failed");
        refused(seat(id, stranger.principalId), 400, "validation_failed");
        refused(seat("sub_01jd0000000000000000000000", guest.principalId), 404, "not_found");
        refused(post(admin, "/api/billing/seats", seatBody(id, guest.principalId, "human")), 403, "permission_denied");
        auto other = newPerson("owner", stranger.organizationId);
        refused(post(other, "/api/billing/seats", seatBody(id, other.principalId, "human")), 404, "not_found");
        refused(del(other, "/api/billing/seats/" + first.at("/id")), 404, "not_found");
        equal(2, made(get(owner, "/api/billing/seats?subscriptionId=" + id)).count("/items"));
        equal(204, del(owner, "/api/billing/seats/" + first.at("/id")).status);
        refused(del(owner, "/api/billing/seats/" + first.at("/id")), 404, "not_found");
        made(seat(id, member.principalId));
    }

    TEST(pagesSeats)
    {
        const auto id = subscribe();
        const std::vector<std::string> people = {member.principalId, guest.principalId, newPerson("member").principalId};
        for (const auto& person : people) made(seat(id, person));
        const auto target = "/api/billing/seats?limit=2&include=total&subscriptionId=" + id;
        const auto first = made(get(owner, target));
        equal("3", first.at("/total"));
        equal(people[1], first.at("/items/1/assignee/id"));
        const auto last = made(get(owner, target + "&cursor=" + first.at("/nextCursor")));
        equal(1, last.count("/items"));
        equal(people[2], last.at("/items/0/assignee/id"));
        equal("null", last.at("/nextCursor"));
    }

    TEST(freesTheSeatOfAFormerMemberOrAgent)
    {
        const auto id = subscribe();
        const auto agent = newPerson("member").principalId;
        plans.agents = {agent};
        made(seat(id, member.principalId));
        made(seat(id, agent, "agent"));
        // Identity publishes every entry `membership.*` and `agent.*` of its audit trail as `membership.changed`.
        const auto tell = [&](const std::string& change, const std::string& person)
        {
            const auto data = jsonWith(R"({"id":"$","change":"$","actor":{"type":"user","id":"usr_1"},"details":{}})", person, change);
            host->context().events().deliver({"evt_1", "identity.membership.changed", organization, data, Instant{}});
        };
        tell("membership.removed", member.principalId);
        equal(2, count("SELECT count(*) FROM seat"), "still a member");
        directory.written.erase({organization, member.principalId});
        tell("membership.removed", member.principalId);
        equal(1, count("SELECT count(*) FROM seat"));
        directory.written.erase({organization, agent});
        tell("agent.removed", agent);
        equal(0, count("SELECT count(*) FROM seat"));
    }

    TEST(freesTheSeatOfAFormerMemberOfAHousehold)
    {
        atProcessor();
        const auto household = "hh_" + makeUlid(Instant{});
        for (const auto& each : {owner, member}) directory.households[each.principalId] = {{household, "Home", "manager", 2, true}};
        auto fields = metadata();
        fields["owner_type"] = "household";
        fields["owner_id"] = household;
        fake->subscriptions["sub_2"] = FakeProcessor::subscription("sub_2", "active", 10, fields);
        made(deliver(event("evt_2", "customer.subscription.created", now(), fake->subscriptions["sub_2"])));
        host->context().jobs().runDue();
        const auto id =
            host->context().database().session().value<std::string>("SELECT id FROM subscription WHERE owner_id = $1", household).value();
        for (const auto& each : {owner, member})
            made(post(personal(owner), "/api/billing/seats",
                      jsonWith(R"({"subscriptionId":"$","assignee":{"id":"$"}})", id, each.principalId)));
        directory.households.erase(member.principalId);
        const auto data =
            jsonWith(R"({"id":"$","change":"household.member_removed","actor":{"type":"user","id":"usr_1"},"details":{}})", household);
        host->context().events().deliver({"evt_3", "identity.household.changed", {}, data, Instant{}});
        equal(1, count("SELECT count(*) FROM seat"));
    }

    TEST(unassigningASeatClosesTheActionAboutTheLimit)
    {
        const auto id = atProcessor();
        const auto first = made(seat(id, member.principalId)).at("/id");
        made(seat(id, guest.principalId));
        fake->subscriptions["sub_1"]["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = 1;
        made(deliver(event("evt_2", "customer.subscription.updated", now() + 1, fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        equal(1, openLimits());
        equal(204, del(owner, "/api/billing/seats/" + first).status);
        equal(0, openLimits());
    }

    TEST(answersIdentity)
    {
        auto& seats = *host->context().services().provided<interfaces::Seats>();
        const auto tenant = Tenant::fromStored(organization);
        CHECK(seats.hasRoom(tenant, 1000) && !seats.hasLiveSubscription(organization));
        const auto id = subscribe();
        CHECK(seats.hasRoom(tenant, 9) && !seats.hasRoom(tenant, 10) && seats.hasLiveSubscription(organization));
        post(owner, "/api/billing/subscriptions/" + id + "/cancel", R"({"at":"now"})");
        CHECK(seats.hasRoom(tenant, 1000) && !seats.hasLiveSubscription(organization));
    }

    TEST(roundsHalfToEven)
    {
        using launchpad::share;
        CHECK(share(1, 1, 2) == 0 && share(3, 1, 2) == 2 && share(5, 1, 2) == 2 && share(7, 1, 2) == 4);
        CHECK(share(100, 1, 3) == 33 && share(200, 1, 3) == 67 && share(49000, 31, 31) == 49000 && share(49000, 0, 31) == 0);
        CHECK(share(99'999'999LL * 10'000, 365, 366) == 997267749590LL);
        const auto begin = *parseInstant("2026-01-31T10:00:00Z");
        equal("2026-02-28T10:00:00.000Z", toString(launchpad::endOfPeriod(begin, launchpad::BillingInterval::Month)));
        equal("2025-02-28T10:00:00.000Z",
              toString(launchpad::endOfPeriod(*parseInstant("2024-02-29T10:00:00Z"), launchpad::BillingInterval::Year)));
    }

    TEST(previewsWithTheManualProcessor)
    {
        refused(get(owner, "/api/billing/preview?seats=20"), 409, "no_subscription");
        const auto id = subscribe();
        made(seat(id, member.principalId));
        advance(std::chrono::days(15));
        // 15 of 30 days are left: half of 10 × 2900, and of 20 × 2900.
        const auto more = made(get(owner, "/api/billing/preview?seats=20&organizationId=" + organization));
        equal("14500", more.at("/proration/creditAmount"));
        equal("14500", more.at("/proration/chargeNow"));
        equal("58000", more.at("/proration/nextInvoiceTotal"));
        equal("29000", more.at("/current/total"));
        const auto other = made(get(owner, "/api/billing/preview?package=everything"));
        equal("149000", other.at("/proposed/total"));
        equal(5, other.count("/appsGained"));
        equal(0, other.count("/appsLost"));
        refused(get(owner, "/api/billing/preview?package=five"), 400, "bundle_size_mismatch");
        refused(get(owner, "/api/billing/preview?seats=0"), 400, "validation_failed");
        refused(get(owner, "/api/billing/preview?organizationId=" + stranger.organizationId), 403, "billing_permission_required");
        equal(200, get(admin, "/api/billing/preview?seats=20").status, "administrators read");
    }

    TEST(changesAPlan)
    {
        const auto id = subscribe();
        made(seat(id, member.principalId));
        made(seat(id, guest.principalId));
        refused(change(id, R"({"seats":1})"), 409, "seats_in_use");
        refused(change(id, R"({"package":"five"})"), 400, "bundle_size_mismatch");
        refused(change(id, R"({"seats":-1})"), 400, "validation_failed");
        refused(change(id, R"({"package":"enterprise"})"), 400, "enterprise_requires_contact");
        refused(get(owner, "/api/billing/preview?package=enterprise"), 400, "enterprise_requires_contact");
        const auto changed = change(id, R"({"package":"everything","seats":2,"interval":"year"})");
        equal(202, changed.status, changed.body);
        equal("everything", changed.at("/package"));
        equal(R"({"amount":149000,"currency":"USD","interval":"year"})", changed.at("/unitPrice"));
        host->context().jobs().runDue();
        equal(8, grantedApps().size());
        refused(post(admin, "/api/billing/subscriptions/" + id + "/change", R"({"seats":3})"), 403, "permission_denied");
    }

    TEST(changesAPlanAtTheEndOfThePeriod)
    {
        const auto id = subscribe();
        equal(202, change(id, R"({"seats":4,"at":"period_end"})").status);
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        equal("10", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
        advance(std::chrono::days(30));
        host->context().jobs().runDue();
        equal("5", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(immediateChangeReplacesAScheduledOne)
    {
        const auto id = subscribe();
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        equal(202, change(id, R"({"seats":20,"at":"now"})").status);
        equal(0, host->context().jobs().waiting("billing-change").size());
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        host->context().jobs().runDue();
        equal("20", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(scheduledChangeThatRunsDuringANewerOneIsNotRepeated)
    {
        const auto id = subscribe();
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        leaseScheduledChanges();
        equal(202, change(id, R"({"seats":20,"at":"now"})").status);
        equal(1, host->context().jobs().waiting("billing-change").size());
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        host->context().jobs().runDue();
        equal(0, host->context().jobs().waiting("billing-change").size());
        equal("20", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(scheduledChangeReplacesOneThatRuns)
    {
        const auto id = subscribe();
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        leaseScheduledChanges();
        equal(202, change(id, R"({"seats":7,"at":"period_end"})").status);
        equal(2, host->context().jobs().waiting("billing-change").size());
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        host->context().jobs().runDue();
        equal("7", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(changesOfOneSubscriptionAreMadeOneAfterAnother)
    {
        const auto id = atProcessor();
        int locked = 0;
        const auto tryLock = [&](const std::string&)
        {
            try
            {
                host->context().state().withLock("plan-change:" + id, {}, [] {});
            }
            catch (const Problem&)
            {
                ++locked;
            }
        };
        fake->beforeRead = tryLock;
        equal(202, change(id, R"({"seats":20})").status);
        equal(1, locked);
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        host->context().jobs().runDue();
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        fake->beforeRead = tryLock;
        host->context().jobs().runDue();
        equal(2, locked);
    }

    TEST(changeKeepsWhatAnotherOneHasChangedSinceTheRequest)
    {
        const auto id = subscribe();
        for (const auto* when : {"now", "period_end"})
        {
            // The second change is made after the first request has read the subscription.
            elevation.before = [&] { equal(202, change(id, R"({"seats":20})").status); };
            equal(202, change(id, jsonWith(R"({"package":"everything","at":"$"})", when)).status);
            advance(std::chrono::days(30) - std::chrono::minutes(30));
            host->context().jobs().runDue();
            const auto view = made(get(owner, "/api/billing/subscriptions"));
            equal("20", view.at("/paid/0/seats/purchased"), when);
            equal("everything", view.at("/paid/0/package"), when);
            equal(202, change(id, R"({"package":"three","selectedServiceIds":["crm","calendar","social"],"seats":10})").status);
        }
    }

    TEST(changesAreForTheVersionThatTheCallerHasSeen)
    {
        const auto id = subscribe();
        const auto ask = [&](const std::string& verb, const std::string& body, const std::string& version)
        {
            return host->call({.method = Method::Post,
                               .target = "/api/billing/subscriptions/" + id + '/' + verb,
                               .body = body,
                               .headers = {{"If-Match", '"' + version + '"'}},
                               .caller = owner});
        };
        const auto version = [&] { return made(get(owner, "/api/billing/subscriptions")).at("/paid/0/version"); };
        const auto old = version();
        equal("20", made(ask("change", R"({"seats":20})", old)).at("/seats/purchased"));
        for (const auto* body : {R"({"seats":5})", R"({"seats":5,"at":"period_end"})"})
            refused(ask("change", body, old), 412, "version_conflict");
        refused(ask("cancel", "{}", old), 412, "version_conflict");
        refused(ask("cancel", R"({"at":"now"})", old), 412, "version_conflict");
        refused(ask("resume", "{}", old), 412, "version_conflict");
        equal(0, host->context().jobs().waiting("billing-change").size());
        equal("true", made(ask("cancel", "{}", version())).at("/cancelAtPeriodEnd"));
        equal("false", made(ask("resume", "{}", version())).at("/cancelAtPeriodEnd"));
    }

    TEST(cancellationDropsAScheduledChange)
    {
        for (const bool manual : {true, false})
        {
            const auto id = manual ? subscribe() : atProcessor();
            equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
            equal(1, host->context().jobs().waiting("billing-change").size());
            equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel", R"({"at":"now"})").status);
            equal(0, host->context().jobs().waiting("billing-change").size());
        }
    }

    TEST(scheduledChangeIsNotMadeIfTheSubscriptionEndsWithThePeriod)
    {
        for (const bool resumed : {true, false})
        {
            const auto id = atProcessor();
            equal(202, change(id, R"({"interval":"year","package":"everything","at":"period_end"})").status);
            equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
            if (resumed) equal(202, post(owner, "/api/billing/subscriptions/" + id + "/resume").status);
            const auto writes = fake->writes.size();
            advance(std::chrono::days(30) - std::chrono::minutes(30));
            host->context().jobs().runDue();
            equal(0, host->context().jobs().waiting("billing-change").size());
            equal(resumed, fake->writes.size() > writes);
        }
    }

    TEST(scheduledChangeToFewerSeatsThanAssignedOpensAnAction)
    {
        const auto id = subscribe();
        equal(202, change(id, R"({"seats":1,"at":"period_end"})").status);
        made(seat(id, member.principalId));
        made(seat(id, guest.principalId));
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        host->context().jobs().runDue();
        equal("10", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
        equal(1, openLimits());
        equal(202, change(id, R"({"seats":2})").status);
        equal(0, openLimits());
    }

    TEST(changesAPlanAtTheProcessor)
    {
        const auto id = atProcessor();
        const auto preview = made(get(owner, "/api/billing/preview?seats=20"));
        equal("2450", preview.at("/proration/chargeNow"));
        equal("2450", preview.at("/proration/creditAmount"));
        const auto asked = fake->writes.back().second;
        equal("always_invoice", asked.at("subscription_details[proration_behavior]"));
        const auto body = jsonWith(R"({"seats":20,"prorationDate":"$"})", preview.at("/proration/at"));
        equal("20", made(change(id, body)).at("/seats/purchased"), "the state comes from the processor");
        const auto sent = fake->writes.back().second;
        equal(asked.at("subscription_details[proration_date]"), sent.at("proration_date"));
        equal(asked.at("subscription_details[items][0][price]"), sent.at("items[0][price]"));
        equal("si_sub_1", sent.at("items[0][id]"));
        equal("20", sent.at("metadata[seats]"));
        // The answer is lost after the change: the same request repeats the same write.
        const auto writes = fake->writes.size();
        fake->mood = FakeProcessor::Mood::LosesAnswers;
        const auto again = [&]
        {
            return host->call({.method = Method::Post,
                               .target = "/api/billing/subscriptions/" + id + "/change",
                               .body = R"({"seats":21})",
                               .headers = {{"Idempotency-Key", "change-one"}},
                               .caller = owner});
        };
        refused(again(), 502, "processor_unavailable");
        fake->mood = FakeProcessor::Mood::Responding;
        equal("21", made(again()).at("/seats/purchased"));
        equal(writes + 1, fake->writes.size());
        refused(change(id, R"({"seats":30,"prorationDate":"2026-11-20T00:00:00Z"})"), 400, "validation_failed");
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/cancel").status);
        equal("true", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/cancelAtPeriodEnd"));
        equal(202, post(owner, "/api/billing/subscriptions/" + id + "/resume").status);
        equal("false", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/cancelAtPeriodEnd"));
    }

    TEST(repeatsAChangeAfterAFailedPayment)
    {
        const auto id = atProcessor();
        fake->mood = FakeProcessor::Mood::Declines;
        refused(change(id, R"({"seats":20})"), 402, "payment_failed");
        fake->mood = FakeProcessor::Mood::Responding;
        advance(std::chrono::minutes(5));
        equal("20", made(change(id, R"({"seats":20})")).at("/seats/purchased"));
        equal(std::to_string(now()), fake->writes.back().second.at("proration_date"));
    }

    TEST(reportsAScheduledChangeThatFailsForGood)
    {
        const auto id = atProcessor();
        equal(202, change(id, R"({"seats":5,"at":"period_end"})").status);
        fake->mood = FakeProcessor::Mood::Declines;
        advance(std::chrono::days(30) - std::chrono::minutes(30));
        for (int i = 0; i < 8; ++i, advance(std::chrono::hours(2))) host->context().jobs().runDue();
        equal(1, host->context().jobs().deadLetters());
        equal(1, openActions(launchpad::ActionKind::PaymentFailed));
        fake->mood = FakeProcessor::Mood::Responding;
        equal(202, change(id, R"({"seats":5})").status);
        equal(0, openActions(launchpad::ActionKind::PaymentFailed));
    }

    TEST(opensThePortal)
    {
        refused(portal("/settings/billing"), 409, "no_customer");
        subscribe();
        const auto own = made(portal("/settings/billing")).at("/url");
        CHECK(own.starts_with(host->context().host().origin) && own.ends_with("/settings/billing"));
        atProcessor();
        equal("https://pay.example/portal", made(portal("/apps")).at("/url"));
        equal(host->context().host().origin + "/apps", fake->writes.back().second.at("return_url"));
        for (const auto* path : {"https://evil.example/", "//evil.example", "evil", "/\\evil.example", ""})
        {
            std::string text;
            appendJsonString(text, path);
            refused(post(owner, "/api/billing/portal", jsonWith(R"({"returnPath":$})", text)), 400, "validation_failed");
        }
        refused(post(owner, "/api/billing/portal", jsonWith(R"({"owner_type":"organization","owner_id":"$"})", stranger.organizationId)),
                403, "billing_permission_required");
    }

    TEST(reconcilesTwice)
    {
        const auto id = atProcessor();
        std::vector<std::string> people;
        for (int i = 0; i < 4; ++i)
        {
            people.push_back(newPerson("member").principalId);
            made(seat(id, people.back()));
        }
        equal(R"({"checked":1,"corrected":[],"errors":[]})", reconcile().body);
        // The processor sells fewer seats, and two members have left without an event.
        fake->subscriptions["sub_1"]["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = 1;
        directory.written.erase({organization, people[0]});
        directory.written.erase({organization, people[1]});
        const auto dry = made(reconcile(R"({"dryRun":true})"));
        equal(4, dry.count("/corrected"));
        equal(4, count("SELECT count(*) FROM seat"));
        const auto first = made(reconcile());
        equal("seats_updated", first.at("/corrected/0/action"), first.body);
        equal("seat_freed", first.at("/corrected/1/action"));
        equal("1", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
        equal(2, count("SELECT count(*) FROM seat"), "overuse removes no seat");
        equal(1, openLimits());
        equal(R"({"checked":1,"corrected":[],"errors":[]})", reconcile().body);
        fake->subscriptions["sub_1"]["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = 5;
        equal(1, made(reconcile()).count("/corrected"));
        equal(0, openLimits());
        equal(R"({"checked":1,"corrected":[],"errors":[]})", reconcile().body);
        fake->mood = FakeProcessor::Mood::Away;
        equal("processor_unavailable", made(reconcile()).at("/errors/0/code"));
        refused(reconcile("{}", "192.0.2.1"), 403, "permission_denied");
        refused(post(owner, "/internal/billing/seats/reconcile"), 403, "permission_denied");
    }

    TEST(reconcilesTheOtherSubscriptionsAfterOneThatFails)
    {
        atProcessor();
        auto own = metadata();
        own["owner_type"] = "user";
        own["owner_id"] = owner.principalId;
        fake->subscriptions["sub_2"] = FakeProcessor::subscription("sub_2", "active", 10, own);
        made(deliver(event("evt_2", "customer.subscription.created", now(), fake->subscriptions["sub_2"])));
        host->context().jobs().runDue();
        for (auto& [id, each] : fake->subscriptions) each["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = 5;
        // The processor rejects every read after the first.
        fake->beforeRead = [this](const std::string&) { fake->mood = FakeProcessor::Mood::Rejects; };
        const auto done = made(reconcile());
        equal("2", done.at("/checked"));
        equal("reconciliation_failed", done.at("/errors/0/code"));
        equal("processor_unavailable", done.at("/errors/1/code"));
    }

    TEST(requiresStepUp)
    {
        const auto id = subscribe();
        elevation.elevated = false;
        for (const auto* verb : {"change", "cancel", "resume"})
            refused(post(owner, "/api/billing/subscriptions/" + id + '/' + verb), 403, "step_up_required");
        refused(portal("/settings/billing"), 403, "step_up_required");
        made(get(owner, "/api/billing/subscriptions"));
    }

    static std::string seatBody(const std::string& id, const std::string& assignee, const std::string& type)
    {
        return jsonWith(R"({"subscriptionId":"$","assignee":{"type":"$","id":"$"}})", id, type, assignee);
    }
    testing::TestAnswer seat(const std::string& id, const std::string& assignee, const std::string& type = "human") const
    {
        return post(owner, "/api/billing/seats", seatBody(id, assignee, type));
    }
    testing::TestAnswer change(const std::string& id, const std::string& body) const
    {
        return post(owner, "/api/billing/subscriptions/" + id + "/change", body);
    }
    testing::TestAnswer portal(const std::string& path) const
    {
        return post(owner, "/api/billing/portal", jsonWith(R"({"returnPath":"$"})", path));
    }
    testing::TestAnswer reconcile(const std::string& body = "{}", const std::string& address = "127.0.0.1") const
    {
        Caller service;
        service.credential = CredentialKind::AccessToken;
        service.principalType = "service";
        service.principalId = "client";
        service.ownServiceId = "launchpad";
        return host->call({.method = Method::Post,
                           .target = "/internal/billing/seats/reconcile",
                           .body = body,
                           .caller = service,
                           .clientAddress = address});
    }
    /// Leases the jobs of scheduled changes, as another host does while it runs them.
    void leaseScheduledChanges() const
    {
        host->context().database().transact(
            [](Transaction& transaction) { transaction.execute("UPDATE portico_job SET lease = 'other' WHERE type = 'billing-change'"); });
    }
    int openLimits() const { return openActions(launchpad::ActionKind::SeatLimitReached); }
    int openActions(launchpad::ActionKind kind) const
    {
        auto session = host->context().database().session();
        int open = 0;
        for (const auto& action : launchpad::actionTable.select(Tenant::fromStored(organization)).all(session))
            open += action.kind == kind && action.waits() ? 1 : 0;
        return open;
    }
    /// The organization has a subscription at the processor. @return its ID
    std::string atProcessor()
    {
        LaunchpadFixture::tearDown();
        begin("stripe");
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata());
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        return made(get(owner, "/api/billing/subscriptions")).at("/paid/0/id");
    }
};

} // namespace portico::tests
