#include "launchpad/BillingFixture.h"

#include "billing/Subscription.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace portico::tests
{

/// Generated histories of subscriptions: the row, the seats and the access after all events are the same for every order of the events.
/// PORTICO_BILLING_HISTORIES sets the number of histories; the suite runs 25.
class BillingOrderTest : public Suite<BillingOrderTest, BillingFixture>
{
    void setUp() override { begin("stripe"); }

    TEST(endsInTheSameStateForEveryOrder)
    {
        const auto* wanted = std::getenv("PORTICO_BILLING_HISTORIES");
        const int histories = wanted ? std::atoi(wanted) : 25;
        CHECK(histories > 0);
        for (int i = 0; i < histories; ++i) run(i);
    }

    struct History
    {
        std::vector<std::string> events;
        boost::json::object last;
        std::string tenant;
    };

    /// A life of one subscription: several changes a second, and invoices beside them.
    History history(int number, const std::string& tenant, const std::string& id, std::mt19937& random) const
    {
        History made;
        made.tenant = tenant;
        auto fields = metadata();
        fields["owner_id"] = tenant;
        const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
        const char* statuses[] = {"active", "past_due", "active", "unpaid", "paused", "active"};
        auto seconds = now() - 1000;
        const int changes = 2 + pick(7);
        auto object = FakeProcessor::subscription(id, "incomplete", 1 + pick(9), fields, number % 2 == 0);
        int serial = 0;
        const auto add = [&](const std::string& type, const boost::json::object& what)
        {
            // The IDs of the processor increase with time.
            auto text = std::to_string(1000 + ++serial);
            made.events.push_back(event("evt_" + id + '_' + text, type, seconds, what));
        };
        add("customer.subscription.created", object);
        for (int i = 0; i < changes; ++i)
        {
            if (pick(3) == 0) seconds += pick(3);
            object["status"] = statuses[pick(6)];
            object["items"].as_object()["data"].as_array()[0].as_object()["quantity"] = 1 + pick(9);
            const boost::json::object invoice = {{"id", "in_" + id + std::to_string(i)},
                                                 {"object", "invoice"},
                                                 {"subscription", id},
                                                 {"lines", boost::json::object{{"data", boost::json::array()}}}};
            if (pick(2) == 0) add(object["status"] == "active" ? "invoice.paid" : "invoice.payment_failed", invoice);
            add("customer.subscription.updated", object);
        }
        if (pick(4) == 0)
        {
            object["status"] = "canceled";
            add("customer.subscription.deleted", object);
        }
        made.last = object;
        return made;
    }

    /// Returns everything that must not depend on the order.
    std::string outcome(const std::string& id, const std::string& tenant) const
    {
        auto session = host->context().database().session();
        auto row = launchpad::subscriptions::findByProcessorId(session, id).value();
        row.id = {};
        row.createdAt = row.updatedAt = {};
        row.version = 0;
        row.readSeconds = 0;
        std::string text = toJson(row);
        // Only the ID differs between two copies of one history.
        for (auto place = text.find(id); place != std::string::npos; place = text.find(id)) text.replace(place, id.size(), "ID");
        for (auto place = text.find(tenant); place != std::string::npos; place = text.find(tenant))
            text.replace(place, tenant.size(), "OWNER");
        const auto found = plans.granted.find(tenant);
        return text + " apps " + std::to_string(found == plans.granted.end() ? 0 : found->second.size());
    }

    void run(int number)
    {
        std::string expected;
        // The order of time, then two shuffled ones with duplicates; each with a processor that responds and with one that does not.
        for (int variant = 0; variant < 6; ++variant)
        {
            const auto tenant = "org_" + makeUlid(Instant{});
            const auto id = "sub_" + std::to_string(number) + 'v' + std::to_string(variant);
            std::mt19937 random(static_cast<unsigned>(number));
            auto made = history(number, tenant, id, random);
            std::mt19937 shuffling(static_cast<unsigned>(number * 10 + variant));
            if (variant >= 2)
            {
                const auto all = made.events;
                for (const auto& text : all)
                    if (shuffling() % 3 == 0) made.events.push_back(text);
                std::shuffle(made.events.begin(), made.events.end(), shuffling);
            }
            const bool responding = variant % 2 == 0;
            fake->mood = responding ? FakeProcessor::Mood::Responding : FakeProcessor::Mood::Away;
            fake->subscriptions[id] = made.last;
            for (const auto& text : made.events)
            {
                accepted(deliver(text));
                if (shuffling() % 2 == 0) host->context().jobs().runDue();
            }
            host->context().jobs().runDue();
            const auto result = outcome(id, tenant);
            if (variant == 0) expected = result;
            // The read state belongs to the newest event of any kind, the event's own object to an event of the subscription.
            equal(withoutStamp(expected), withoutStamp(result),
                  "history " + std::to_string(number) + " variant " + std::to_string(variant));
            if (variant >= 2) equal(_ofMood[responding], result, "history " + std::to_string(number));
            _ofMood[responding] = result;
        }
        _ofMood.clear();
    }
    static std::string withoutStamp(const std::string& text)
    {
        auto object = boost::json::parse(text.substr(0, text.rfind(" apps "))).as_object();
        for (const auto* name : {"eventClass", "eventSeconds", "eventRank", "eventId", "processorVersion"}) object.erase(name);
        return boost::json::serialize(object) + text.substr(text.rfind(" apps "));
    }
    static void accepted(const testing::TestAnswer& answer) { equal(200, answer.status, answer.body); }

    std::map<bool, std::string> _ofMood;
};

} // namespace portico::tests
