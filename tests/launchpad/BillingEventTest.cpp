#include "launchpad/BillingFixture.h"

#include "actions/Action.h"
#include "billing/ProcessorApi.h"
#include "billing/ProcessorObjects.h"
#include "billing/SignatureHeader.h"

#include "portico/interfaces/PersonalData.h"

#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Stripe's protocol: sessions, signed events, and what follows from them.
class BillingEventTest : public Suite<BillingEventTest, BillingFixture>
{
    void setUp() override { begin("stripe"); }

    TEST(readsSignatureHeaders)
    {
        const std::string digits(64, 'a'), more(64, 'b');
        equal(2, launchpad::parseSignature("t=1,v1=" + digits + ", v1=" + more)->signatures.size());
        equal(1, launchpad::parseSignature("v0=x,t=1,v1=" + digits + ",v2=" + more)->seconds);
        for (const auto& text : std::vector<std::string>{"", "t=1", "v1=" + digits, "t=,v1=" + digits, "t=-1,v1=" + digits,
                                                         "t=1x,v1=" + digits, "t=1,t=2,v1=" + digits, "t=1,v1=" + digits.substr(1),
                                                         "t=1,v0=" + digits, "t=99999999999999999999,v1=" + digits,
                                                         "t=1,v1=" + std::string(64, 'G'), "t=1,v1=" + digits + std::string(5000, ',')})
            CPPUNIT_ASSERT_MESSAGE(text, !launchpad::parseSignature(text));
    }

    TEST(readsBothShapes)
    {
        for (const bool oldShape : {false, true})
        {
            const auto read =
                launchpad::readSubscription(boost::json::serialize(FakeProcessor::subscription("sub_1", "active", 3, {}, oldShape)));
            CHECK(read && read->periodEnd == 1798012800 && read->quantity == 3 && read->currency == "USD" && read->itemId == "si_sub_1");
        }
        const auto of = [](const std::string& text) { return launchpad::readInvoice(text)->subscription; };
        equal("sub_1", of(R"({"object":"invoice","id":"in_1","subscription":"sub_1"})"));
        equal("sub_1", of(R"({"object":"invoice","id":"in_1","subscription":{"id":"sub_1"}})"));
        equal("sub_1", of(R"({"object":"invoice","id":"in_1","parent":{"subscription_details":{"subscription":"sub_1"}}})"));
        CHECK(launchpad::SubscriptionStatus::Canceled == launchpad::statusOf("incomplete_expired"));
        CHECK(launchpad::Package::Five == launchpad::packageOfLookupKey("portico_five_month_USD_4900"));
        CHECK(!launchpad::packageOfLookupKey("five_month") && !launchpad::packageOfLookupKey("portico_free_workspace_USD_100"));
        for (const auto* text :
             {"", "[]", "{}", R"({"id":"evt_1","type":"x","created":1})", R"({"id":"evt_1","type":"x","created":-1,"data":{"object":{}}})",
              R"({"id":1,"type":"x","created":1,"data":{"object":{}}})", R"({"id":"e 1","type":"x","data":{"object":{}}})"})
            CPPUNIT_ASSERT_MESSAGE(text, !launchpad::readEvent(text));
        CHECK(!launchpad::readEvent(
            jsonWith(R"({"id":"evt_1","type":"x","data":{"object":$$}})", std::string(100, '['), std::string(100, ']'))));
    }

    TEST(refusesToStartWithoutSecrets)
    {
        settings.config["launchpad.billing.secretKeyFile"] = "";
        host.reset();
        CPPUNIT_ASSERT_THROW(
            testing::TestHost(settings, [](PluginContext& context) { return std::make_unique<launchpad::LaunchpadPlugin>(context); }),
            std::exception);
    }

    TEST(createsSessionsWithMetadataTwice)
    {
        const auto opened = checkout(order(), &owner);
        equal("https://pay.example/cs_1", opened.at("/checkoutUrl"), opened.body);
        const auto& form = fake->writes.back().second;
        for (const std::string prefix : {"metadata", "subscription_data[metadata]"})
        {
            equal("three", form.at(prefix + "[package]"));
            equal("crm,calendar,social", form.at(prefix + "[selectedServiceIds]"));
            equal("10", form.at(prefix + "[seats]"));
            equal("organization", form.at(prefix + "[owner_type]"));
            equal(organization, form.at(prefix + "[owner_id]"));
            equal(opened.at("/checkoutId"), form.at(prefix + "[checkoutId]"));
        }
        equal("portico_three_month_USD_2900", fake->writes.front().second.at("lookup_key"));
        for (const auto& request : host->context().http().requests())
        {
            const auto has = [&](std::string_view name, std::string_view value)
            { return std::ranges::find(request.headers, std::pair<std::string, std::string>(name, value)) != request.headers.end(); };
            CHECK(has("Stripe-Version", launchpad::processorApiVersion) && has("Authorization", "Bearer sk_test_1"));
        }
        checkout(order("three", R"("crm","mail","social")"), &owner);
        equal(1, fake->prices.size(), "the price is created once");
    }

    TEST(repeatsTheSameWriteAfterALostAnswer)
    {
        fake->prices["price_1"] = {{"id", "price_1"}, {"lookup_key", "portico_three_month_USD_2900"}};
        fake->mood = FakeProcessor::Mood::LosesAnswers;
        refused(checkout(order(), &owner), 502, "processor_unavailable");
        equal(1, count("SELECT count(*) FROM checkout WHERE status = 'open'"), "the row is committed first");
        fake->mood = FakeProcessor::Mood::Responding;
        const auto opened = checkout(order(), &owner);
        equal(200, opened.status, opened.body);
        equal(1, fake->sessions.size());
        equal("https://pay.example/cs_1", opened.at("/checkoutUrl"));
    }

    TEST(reportsAProcessorThatCannotBeUsed)
    {
        for (const auto mood :
             {FakeProcessor::Mood::Away, FakeProcessor::Mood::Hangs, FakeProcessor::Mood::Html, FakeProcessor::Mood::Redirects})
        {
            fake->mood = mood;
            refused(checkout(order(), &owner), 502, "processor_unavailable");
        }
        fake->mood = FakeProcessor::Mood::Rejects;
        refused(checkout(order(), &owner), 502, "processor_rejected");
        CHECK(fake->sessions.empty());
    }

    TEST(acceptsSignedEventsOnly)
    {
        const auto body =
            event("evt_1", "customer.subscription.created", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()));
        for (const auto& header : std::vector<std::string>{
                 "", "t=1", signature(body, "whsec_other", now()), signature(body, thirdSecret, now()),
                 signature(body + ' ', newSecret, now()), "t=" + std::to_string(now()) + ",v1=" + std::string(64, '0'),
                 "t=" + std::to_string(now()) + ",v0=" + hmacSha256(newSecret, body).hex(),
                 // The signature covers the time.
                 "t=" + std::to_string(now()) + signature(body, newSecret, now() - 1).substr(std::to_string(now()).size() + 2)})
            refused(deliver(body, header), 400, "signature_invalid");
        for (const auto seconds : {now() - 301, now() + 301})
            refused(deliver(body, signature(body, newSecret, seconds)), 400, "timestamp_outside_tolerance");
        // The same JSON in another form is another body.
        refused(deliver(boost::json::serialize(boost::json::parse(body)) + '\n', signature(body, newSecret, now())), 400,
                "signature_invalid");
        const auto sized = [&](std::size_t size)
        {
            const auto start = body.substr(0, body.size() - 1) + R"(,"x":")";
            return start + std::string(size - start.size() - 2, 'x') + "\"}";
        };
        equal(413, deliver(sized(512 * 1024 + 1)).status);
        refused(deliver("{}"), 400, "invalid_event");
        equal(404, host->call({.method = Method::Post, .target = "/api/webhooks/billing/other", .body = body}).status);
        equal(0, count("SELECT count(*) FROM billing_event"));

        equal(200, deliver(sized(512 * 1024)).status, "the longest body");
        equal(200, deliver(body, signature(body, newSecret, now() - 300)).status);
        const auto second =
            event("evt_2", "customer.subscription.updated", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()));
        equal(200, deliver(second, signature(second, oldSecret, now())).status, "during a rotation");
        const auto third =
            event("evt_3", "customer.subscription.updated", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()));
        const auto several = "t=" + std::to_string(now()) + ",v1=" + std::string(64, '0') +
                             signature(third, newSecret, now()).substr(std::to_string(now()).size() + 2);
        equal(200, deliver(third, several).status);
        const auto named = host->call({.method = Method::Post,
                                       .target = "/api/webhooks/billing/stripe",
                                       .body = third,
                                       .headers = {{"Processor-Signature", signature(third, newSecret, now())}}});
        equal(R"({"received":true,"duplicate":true})", named.body);
    }

    TEST(storesEventsOnce)
    {
        const auto body =
            event("evt_1", "customer.subscription.created", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()));
        equal(R"({"received":true,"duplicate":false})", deliver(body).body);
        equal(R"({"received":true,"duplicate":true})", deliver(body).body);
        equal(1, count("SELECT count(*) FROM billing_event"));
        equal(0, count("SELECT count(*) FROM subscription"), "processing is a queue");
        host->context().jobs().runDue();
        equal(1, count("SELECT count(*) FROM subscription"));
    }

    TEST(ignoresWhatItDoesNotKnow)
    {
        made(deliver(event("evt_1", "customer.tax_id.created", now(), {{"id", "txi_1"}, {"object", "tax_id"}})));
        made(deliver(event("evt_2", "charge.refunded", now(), {{"id", "ch_1"}, {"object", "charge"}})));
        made(deliver(event("evt_3", "customer.subscription.updated", now(), {{"id", "x_1"}, {"object", "mystery"}})));
        made(deliver(
            event("evt_4", "customer.subscription.trial_will_end", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()))));
        made(deliver(event("evt_5", "invoice.paid", now(), {{"id", "in_1"}, {"object", "invoice"}})));
        host->context().jobs().runDue();
        equal(5, count("SELECT count(*) FROM billing_event WHERE processed"));
        equal(0, count("SELECT count(*) FROM subscription"));
        equal(0, fake->calls);
        CHECK(host->context().jobs().failures().empty());
    }

    TEST(linksAPaidCheckout)
    {
        const auto opened = checkout(order(), &owner);
        pay(opened.at("/checkoutId"), "sub_1", metadata(opened.at("/checkoutId")));
        const auto view = made(get(owner, "/api/billing/subscriptions"));
        equal("active", view.at("/paid/0/status"));
        equal("sub_1", view.at("/paid/0/processorSubscriptionId"));
        equal("false", view.at("/paid/0/livemode"));
        equal(3, grantedApps().size());
        equal(1, count("SELECT count(*) FROM checkout WHERE status = 'paid'"));
    }

    TEST(claimsAPaidCheckout)
    {
        const auto opened = checkout(order());
        auto without = metadata(opened.at("/checkoutId"));
        without.erase("owner_type");
        without.erase("owner_id");
        pay(opened.at("/checkoutId"), "sub_1", without);
        equal(0, made(get(owner, "/api/billing/subscriptions")).count("/paid"));
        const auto claimed = made(post(owner, "/api/billing/claims",
                                       jsonWith(R"({"checkoutId":"$","claim_token":"$","owner_type":"organization","owner_id":"$"})",
                                                opened.at("/checkoutId"), opened.at("/claim_token"), organization)));
        equal("active", claimed.at("/status"));
        host->context().jobs().runDue();
        equal(3, grantedApps().size());
        equal(organization, std::string(fake->subscriptions["sub_1"]["metadata"].at("owner_id").as_string()),
              "the processor knows the owner, too");
        // An event without an owner does not take it away.
        auto object = FakeProcessor::subscription("sub_1", "active", 12, without);
        fake->mood = FakeProcessor::Mood::Away;
        made(deliver(event("evt_9", "customer.subscription.updated", now() + 9, object)));
        host->context().jobs().runDue();
        equal("12", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(expiresSessions)
    {
        const auto opened = checkout(order(), &owner);
        auto session = fake->sessions.at("cs_1");
        made(deliver(event("evt_1", "checkout.session.expired", now(), session)));
        host->context().jobs().runDue();
        equal(1, count("SELECT count(*) FROM checkout WHERE status = 'expired'"));
        CHECK(opened.at("/checkoutId") != checkout(order(), &owner).at("/checkoutId"));
    }

    TEST(ignoresLateOlderEvents)
    {
        fake->mood = FakeProcessor::Mood::Away;
        made(deliver(
            event("evt_2", "customer.subscription.updated", now() - 10, FakeProcessor::subscription("sub_1", "active", 10, metadata()))));
        host->context().jobs().runDue();
        made(deliver(event("evt_1", "customer.subscription.created", now() - 20,
                           FakeProcessor::subscription("sub_1", "incomplete", 10, metadata()))));
        host->context().jobs().runDue();
        equal("active", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
    }

    TEST(makesOneRowOfSimultaneousEvents)
    {
        for (const bool responding : {true, false})
        {
            const auto id = responding ? std::string("sub_1") : std::string("sub_2");
            fake->mood = responding ? FakeProcessor::Mood::Responding : FakeProcessor::Mood::Away;
            auto owned = metadata();
            owned["owner_type"] = "user";
            owned["owner_id"] = responding ? member.principalId : guest.principalId;
            fake->subscriptions[id] = FakeProcessor::subscription(id, "active", 10, owned);
            made(
                deliver(event("evt_b" + id, "customer.subscription.updated", now(), FakeProcessor::subscription(id, "active", 10, owned))));
            made(deliver(
                event("evt_a" + id, "customer.subscription.created", now(), FakeProcessor::subscription(id, "incomplete", 10, owned))));
            host->context().jobs().runDue();
        }
        equal(2, count("SELECT count(*) FROM subscription WHERE status = 'active' AND standing = 'current'"));
        equal(2, count("SELECT count(*) FROM subscription"));
    }

    TEST(dropsTheResultOfASlowRead)
    {
        auto& state = fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata());
        made(deliver(event("evt_1", "customer.subscription.updated", now() - 5, state)));
        host->context().jobs().runDue();
        // While one handler waits for its answer, the state changes and another handler finishes.
        fake->beforeRead = [&](const std::string&)
        {
            fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 25, metadata());
            equal(200, reconcile().status);
            equal("25", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
        };
        made(deliver(event("evt_2", "customer.subscription.updated", now(), state)));
        host->context().jobs().runDue();
        CHECK(!fake->beforeRead);
        equal("25", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(writesSeatsOnTheFirstPaidInvoice)
    {
        fake->mood = FakeProcessor::Mood::Away;
        boost::json::object told;
        for (const auto& [name, value] : metadata()) told[name] = value;
        const boost::json::object line = {
            {"quantity", 10}, {"amount", 49000}, {"period", boost::json::object{{"start", now()}, {"end", now() + 86400}}}};
        const boost::json::object invoice = {
            {"id", "in_1"},
            {"object", "invoice"},
            {"currency", "usd"},
            {"created", now()},
            {"lines", boost::json::object{{"data", boost::json::array{line}}}},
            {"parent", boost::json::object{{"subscription_details", boost::json::object{{"subscription", "sub_1"}, {"metadata", told}}}}}};
        made(deliver(event("evt_1", "invoice.paid", now(), invoice)));
        host->context().jobs().runDue();
        const auto view = made(get(owner, "/api/billing/subscriptions"));
        equal("10", view.at("/paid/0/seats/purchased"));
        equal("4900", view.at("/paid/0/unitPrice/amount"));
        // An event of the subscription decides, even an older one.
        made(deliver(
            event("evt_0", "customer.subscription.created", now() - 9, FakeProcessor::subscription("sub_1", "active", 7, metadata()))));
        host->context().jobs().runDue();
        equal("7", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(keepsAccessFourteenDaysWhenPastDue)
    {
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata());
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        fake->subscriptions["sub_1"]["status"] = "past_due";
        const boost::json::object invoice = {{"id", "in_1"}, {"object", "invoice"}, {"subscription", "sub_1"}};
        made(deliver(event("evt_2", "invoice.payment_failed", now() + 1, invoice)));
        made(deliver(event("evt_3", "customer.subscription.updated", now() + 1, fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        equal(3, grantedApps().size());
        equal(1, openActions(launchpad::ActionKind::PaymentFailed));
        made(deliver(event("evt_4", "invoice.payment_failed", now() + 2, invoice)));
        host->context().jobs().runDue();
        equal(1, openActions(launchpad::ActionKind::PaymentFailed), "the first failure only");
        advance(std::chrono::days(14) - std::chrono::minutes(1));
        host->context().jobs().runDue();
        equal(3, grantedApps().size());
        advance(std::chrono::minutes(2));
        host->context().jobs().runDue();
        CHECK(grantedApps().empty());
        fake->subscriptions["sub_1"]["status"] = "active";
        made(deliver(event("evt_5", "invoice.paid", now(), invoice)));
        host->context().jobs().runDue();
        equal(3, grantedApps().size());
        equal(0, openActions(launchpad::ActionKind::PaymentFailed));
    }

    TEST(reportsAFailedPaymentToAFullQueue)
    {
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata());
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        host->context().database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("INSERT INTO action_count (organization_id, open) VALUES ($1, 10000) ON CONFLICT (organization_id) "
                                    "DO UPDATE SET open = 10000",
                                    organization);
            });
        fake->subscriptions["sub_1"]["status"] = "past_due";
        const boost::json::object invoice = {{"id", "in_1"}, {"object", "invoice"}, {"subscription", "sub_1"}};
        made(deliver(event("evt_2", "invoice.payment_failed", now() + 1, invoice)));
        host->context().jobs().runDue();
        equal("past_due", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/status"));
        equal(1, openActions(launchpad::ActionKind::PaymentFailed));
    }

    TEST(refreshesAfterAnOutage)
    {
        fake->mood = FakeProcessor::Mood::Away;
        made(deliver(
            event("evt_1", "customer.subscription.created", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()))));
        host->context().jobs().runDue();
        fake->mood = FakeProcessor::Mood::Responding;
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 30, metadata());
        advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal("30", made(get(owner, "/api/billing/subscriptions")).at("/paid/0/seats/purchased"));
    }

    TEST(cancelsTheLaterOfTwoSubscriptions)
    {
        const auto first = checkout(order(), &owner), second = checkout(order("everything", ""), &owner);
        fake->subscriptions["sub_2"] = FakeProcessor::subscription("sub_2", "active", 10, metadata(second.at("/checkoutId")));
        fake->subscriptions["sub_2"]["created"] = 1795420801;
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata(first.at("/checkoutId")));
        // The events of the later one arrive first.
        made(deliver(event("evt_2", "customer.subscription.created", now(), fake->subscriptions["sub_2"])));
        host->context().jobs().runDue();
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        equal("canceled", std::string(fake->subscriptions["sub_2"]["status"].as_string()));
        equal("active", std::string(fake->subscriptions["sub_1"]["status"].as_string()));
        equal(1, count("SELECT count(*) FROM subscription WHERE status = 'active' AND standing = 'current'"));
        equal(1, count("SELECT count(*) FROM subscription WHERE status = 'canceled' AND standing = 'ended'"));
        equal(1, openActions(launchpad::ActionKind::SecurityAlert));
    }

    TEST(cancelsTheSubscriptionsOfADeletedPerson)
    {
        auto own = metadata(), others = metadata();
        own["owner_type"] = "user";
        own["owner_id"] = owner.principalId;
        for (const auto& [id, fields] : {std::pair("sub_1", own), std::pair("sub_2", others)})
        {
            fake->subscriptions[id] = FakeProcessor::subscription(id, "active", 10, fields);
            made(deliver(event(std::string("evt_") + id, "customer.subscription.created", now(), fake->subscriptions[id])));
        }
        host->context().jobs().runDue();
        auto& data = *host->context().services().provided<interfaces::PersonalData>();
        const auto statusOf = [&](const std::string& id) { return std::string(fake->subscriptions[id]["status"].as_string()); };
        fake->mood = FakeProcessor::Mood::Away;
        for (int i = 0; i < 2; ++i) data.forget({owner.principalId, {}, {organization}});
        host->context().jobs().runDue();
        equal("active", statusOf("sub_1"));
        fake->mood = FakeProcessor::Mood::Responding;
        advance(std::chrono::minutes(2));
        host->context().jobs().runDue();
        equal("canceled", statusOf("sub_1"));
        equal("active", statusOf("sub_2"), "the organization's");
        equal(1, count("SELECT count(*) FROM subscription WHERE status = 'canceled' AND standing = 'ended'"));
        equal(0, host->context().jobs().waiting("billing-end").size());
    }

    TEST(cancelsTheSubscriptionOfADissolvedHousehold)
    {
        const auto household = "hh_" + makeUlid(Instant{});
        auto fields = metadata();
        fields["owner_type"] = "household";
        fields["owner_id"] = household;
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, fields);
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        const auto tell = [&](const std::string& change)
        {
            const auto told = jsonWith(R"({"id":"$","change":"$","actor":{"type":"user","id":"usr_1"},"details":{}})", household, change);
            host->context().events().deliver({"evt_1", "identity.household.changed", {}, told, Instant{}});
            host->context().jobs().runDue();
            return std::string(fake->subscriptions["sub_1"]["status"].as_string());
        };
        equal("active", tell("household.updated"));
        equal("canceled", tell("household.deleted"));
    }

    TEST(promotesASubscriptionWhenTheOldOneEnds)
    {
        fake->subscriptions["sub_1"] = FakeProcessor::subscription("sub_1", "active", 10, metadata());
        made(deliver(event("evt_1", "customer.subscription.created", now(), fake->subscriptions["sub_1"])));
        host->context().jobs().runDue();
        // The old one ended, its event is on its way, and the new one is known already.
        fake->subscriptions["sub_1"]["status"] = "canceled";
        fake->subscriptions["sub_2"] = FakeProcessor::subscription("sub_2", "active", 20, metadata());
        fake->subscriptions["sub_2"]["created"] = 1795420900;
        made(deliver(event("evt_3", "customer.subscription.created", now() + 2, fake->subscriptions["sub_2"])));
        host->context().jobs().runDue();
        equal("active", std::string(fake->subscriptions["sub_2"]["status"].as_string()));
        const auto view = made(get(owner, "/api/billing/subscriptions"));
        equal("20", view.at("/paid/0/seats/purchased"));
        equal(1, count("SELECT count(*) FROM subscription WHERE standing = 'current' AND seats = 20"));
        equal(0, openActions(launchpad::ActionKind::SecurityAlert));
    }

    TEST(reportsJobsThatFailForGoodToTheOperators)
    {
        constexpr const char* types[] = {"billing-events", "billing-refresh", "billing-surplus", "billing-end", "billing-tag"};
        auto& jobs = host->context().jobs();
        const auto alerts = [&] { return openActions(launchpad::ActionKind::SecurityAlert, operators); };
        // The job fails at once: its payload cannot be read.
        for (int i = 0; i < 2; ++i)
            for (const auto* type : types)
                host->context().database().transact([&](Transaction& transaction)
                                                    { jobs.enqueue(transaction, type, R"({"subject":5,"checkoutId":5})"); });
        jobs.runDue();
        equal(10, jobs.deadLetters());
        equal(5, alerts(), "one for each type");
    }

    TEST(reportsEventsThatTheProcessorKeepsRejecting)
    {
        fake->mood = FakeProcessor::Mood::Rejects;
        made(deliver(
            event("evt_1", "customer.subscription.created", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()))));
        for (int i = 0; i < 7; ++i, advance(std::chrono::hours(30))) host->context().jobs().runDue();
        equal(1, host->context().jobs().deadLetters());
        equal(1, openActions(launchpad::ActionKind::SecurityAlert, operators));
    }

    TEST(processesEventsAfterARestart)
    {
        made(deliver(
            event("evt_1", "customer.subscription.created", now(), FakeProcessor::subscription("sub_1", "active", 10, metadata()))));
        host->reload();
        host->context().jobs().runDue();
        equal(1, count("SELECT count(*) FROM subscription WHERE status = 'active'"));
        equal(1, count("SELECT count(*) FROM billing_event WHERE processed"));
    }

    /// The buyer pays: the processor has a subscription and sends its events.
    void pay(const std::string& checkoutId, const std::string& id, const FakeProcessor::Fields& fields)
    {
        fake->subscriptions[id] = FakeProcessor::subscription(id, "active", 10, fields);
        boost::json::object session = {{"id", "cs_1"},
                                       {"object", "checkout.session"},
                                       {"payment_status", "paid"},
                                       {"status", "complete"},
                                       {"subscription", id},
                                       {"customer", "cus_1"},
                                       {"metadata", boost::json::object{{"checkoutId", checkoutId}}}};
        made(deliver(event("evt_1", "checkout.session.completed", now(), session)));
        made(deliver(event("evt_2", "customer.subscription.created", now(), fake->subscriptions[id])));
        host->context().jobs().runDue();
    }
    testing::TestAnswer reconcile() const
    {
        Caller service;
        service.credential = CredentialKind::AccessToken;
        service.principalType = "service";
        service.principalId = "client";
        service.ownServiceId = "launchpad";
        return host->call({.method = Method::Post,
                           .target = "/internal/billing/seats/reconcile",
                           .body = "{}",
                           .caller = service,
                           .clientAddress = "127.0.0.1"});
    }
    int openActions(launchpad::ActionKind kind) const { return openActions(kind, organization); }
    int openActions(launchpad::ActionKind kind, const std::string& receiver) const
    {
        auto session = host->context().database().session();
        int open = 0;
        for (const auto& action : launchpad::actionTable.select(Tenant::fromStored(receiver)).all(session))
            open += action.kind == kind && action.waits() ? 1 : 0;
        return open;
    }
};

} // namespace portico::tests
