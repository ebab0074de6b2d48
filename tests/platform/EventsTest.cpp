#include "platform/HttpReceiver.h"
#include "platform/PlatformFixture.h"
#include "support/Suite.h"
#include "support/TimedLatch.h"

#include "host/platform/channels/EventHub.h"
#include "host/platform/events/ChangePublisher.h"
#include "host/platform/events/Webhooks.h"

#include "portico/Caller.h"
#include "portico/Changes.h"
#include "portico/Request.h"

#include <boost/json/parse.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <condition_variable>
#include <latch>
#include <set>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;

/// Collects what arrives on other threads.
template <class T>
class Inbox
{
public:
    void add(T item)
    {
        const std::lock_guard lock(_mutex);
        _items.push_back(std::move(item));
        _changed.notify_all();
    }
    /// Waits for that many; ctest's time limit is the failure.
    std::vector<T> waitFor(std::size_t count)
    {
        std::unique_lock lock(_mutex);
        _changed.wait(lock, [&] { return _items.size() >= count; });
        return _items;
    }
    std::size_t size() const
    {
        const std::lock_guard lock(_mutex);
        return _items.size();
    }

private:
    mutable std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<T> _items;
};

/// A registry of webhooks with one endpoint.
class OneEndpoint final : public interfaces::Webhooks
{
public:
    std::vector<interfaces::WebhookEndpoint> endpoints(Tenant organization, std::string_view eventType) override
    {
        ++asked;
        if (failing) throw std::runtime_error("the registry's database is away");
        if (organization.text() != "org_1" || !eventType.starts_with("crm.") || url.empty()) return {};
        return {{"whe_1", url, secrets}};
    }

    std::string url;
    std::vector<std::string> secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "plain"};
    std::atomic<bool> failing{false};
    std::atomic<int> asked{0};
};

template <class Engine>
class EventsTest : public Suite<EventsTest<Engine>>
{
    using Self = EventsTest;

    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        _f->platform->stop();
        _f.reset();
    }

    TEST(reachSubscribersOfOtherServices)
    {
        Inbox<Event> inbox;
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        calendar->events().subscribe("crm.contact.created", [&](const Event& event) { inbox.add(event); });
        crm.publish();
        calendar.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created", R"({"contactId":"con_1"})");
        const auto event = inbox.waitFor(1).at(0);
        CHECK(event.id.starts_with("evt_"));
        equal("crm.contact.created", event.type);
        equal("org_1", event.organizationId);
        equal(R"({"contactId":"con_1"})", event.data);
        CHECK(event.time == _f->clock.now());
    }

    TEST(rolledBackEventsAreNotDelivered)
    {
        const auto crm = _f->load("crm");
        {
            auto transaction = crm->database().begin();
            crm->events().publish(transaction, "crm.contact.created", "org_1", "{}");
        }
        equal(0, rows(crm, "portico_event"));
    }

    TEST(dataMustBeAnObject)
    {
        const auto crm = _f->load("crm");
        auto transaction = crm->database().begin();
        for (const auto* data : {"", "null", "[]", "{", "{}}", "\"x\"", "{\"a\":1} x"})
            CPPUNIT_ASSERT_THROW_MESSAGE(data, crm->events().publish(transaction, "crm.x", "org_1", data), std::invalid_argument);
    }

    TEST(matchPatterns)
    {
        CHECK(matchesEvent("crm.*", "crm.contact.created"));
        CHECK(matchesEvent("crm.contact.*", "crm.contact.created"));
        CHECK(matchesEvent("user.created", "user.created"));
        CHECK(!matchesEvent("crm.*", "crmx.contact"));
        CHECK(!matchesEvent("crm.*", "crm"));
        CHECK(!matchesEvent("user.created", "user.created.again"));
    }

    TEST(openPagesGetIdsOnly)
    {
        const std::string ulid = "01jd0000000000000000000000";
        const auto told = [](std::string_view data) { return idsOf({"evt_1", "crm.contact.updated", "org_1", std::string(data), {}}); };
        equal(R"({"contactId":"con_)" + ulid + R"("})", told(R"({"contactId":"con_)" + ulid + R"(","organizationId":"org_)" + ulid +
                                                             R"(","changedFields":["firstName"],"name":"Ada","toStageId":null})"));
        equal(R"({"mergedIds":["con_)" + ulid + R"("]})", told(R"({"mergedIds":["con_)" + ulid + R"("],"note":"con_)" + ulid + R"("})"));
        // A member needs the form of an id besides its name.
        equal("{}", told(R"({"externalId":"Ada Lovelace","taxIds":["con_)" + ulid + R"(","12"],"versionId":7})"));
        equal("{}", told(R"({"contactId":"con_)" + ulid.substr(1) + R"("})"));
        std::string many;
        for (int i = 0; i < 3000; ++i) many += (many.empty() ? "\"con_" : ",\"con_") + ulid + '"';
        equal("{}", told("{\"contactIds\":[" + many + "]}"));
    }

    TEST(openPagesAreNotifiedOnceAnyWasOpen)
    {
        const std::string organization = "org_01jd0000000000000000000000";
        const auto crm = _f->load("crm");
        const auto hub = std::make_shared<EventHub>();
        Router router(*_f);
        CHECK(!hub->changesAreRead());
        Caller caller;
        caller.organizationId = organization;
        Request request;
        request.caller = &caller;
        const auto page = Changes(*hub).follow(caller);
        const auto stream = hub->open(page, request);
        CHECK(hub->changesAreRead());
        router.changes = hub.get();
        const auto sent = [&]
        {
            std::string out;
            stream->take(out);
            return out;
        };
        sent();
        // In the order of the outbox, and of this organization only.
        publish(crm, "crm.first", R"({"contactId":"con_01jd0000000000000000000000"})", organization);
        _f->clock.advance(1s);
        publish(crm, "crm.second", R"({"name":"secret"})", organization);
        publish(crm, "crm.foreign", "{}", "org_01jd0000000000000000000001");
        publish(crm, "crm.nobodys", "{}", "");
        router.dispatch(crm);
        const auto got = sent();
        const auto first = got.find("event: crm.first\ndata: {\"contactId\":\"con_01jd0000000000000000000000\"}\n\n");
        const auto second = got.find("event: crm.second\ndata: {}\n\n");
        CPPUNIT_ASSERT_MESSAGE(got, first != std::string::npos && second != std::string::npos && first < second);
        CHECK(got.find("foreign") == std::string::npos && got.find("nobodys") == std::string::npos);
        router.dispatch(crm);
        equal("", sent());
    }

    TEST(failingSubscriberBlocksNoOther)
    {
        Inbox<Event> well;
        Inbox<Event> badly;
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        const auto social = _f->load("social");
        calendar->events().subscribe("crm.*",
                                     [&](const Event& event)
                                     {
                                         badly.add(event);
                                         if (badly.size() == 1) throw std::runtime_error("not today");
                                     });
        social->events().subscribe("crm.*", [&](const Event& event) { well.add(event); });
        crm.publish();
        calendar.publish();
        social.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created");
        const auto id = well.waitFor(1).at(0).id;
        badly.waitFor(1);
        const auto left = _f->waitForAttempt(1);
        equal("not today", left.lastError);
        while (_f->jobs().size() > 1) std::this_thread::yield(); // what was well received is done: its lease must not run out below
        _f->clock.advance(1min);
        _f->platform->retryJob(left.id); // wakes the lane, whose clock did not move
        equal(id, badly.waitFor(2).at(1).id);
        waitForNoJobs("crm");
        equal(1, well.size());
    }

    TEST(waitForASubscriberThatIsAway)
    {
        Inbox<Event> inbox;
        const auto crm = _f->load("crm");
        crm.publish();
        {
            const auto calendar = _f->load("calendar");
            calendar->events().subscribe("crm.*", [&](const Event& event) { inbox.add(event); });
            calendar.publish();
            _f->platform->start();
            publish(crm, "crm.first");
            inbox.waitFor(1);
            CHECK(calendar.retire().empty());
        }
        publish(crm, "crm.second");
        while (_f->jobs().empty() || rowsWhere(crm, "portico_event WHERE dispatched_at IS NULL") > 0) std::this_thread::yield();
        const auto calendar = _f->load("calendar");
        calendar->events().subscribe("crm.*", [&](const Event& event) { inbox.add(event); });
        calendar.publish();
        equal("crm.second", inbox.waitFor(2).at(1).type);
    }

    TEST(forgetASubscriberThatStaysAway)
    {
        const auto crm = _f->load("crm");
        Router router(*_f);
        crm->database().transact(
            [&](Transaction& transaction) {
                transaction.execute("INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ('gone', 'crm.*', $1)",
                                    _f->clock.now());
            });
        _f->clock.advance(forgetSubscribersAfter);
        publish(crm, "crm.first");
        router.dispatch(crm);
        equal(1, _f->jobs().size());
        _f->clock.advance(1ms);
        publish(crm, "crm.second");
        router.dispatch(crm);
        equal(1, _f->jobs().size());
        equal(0, rows(crm, "portico_subscriber"));
    }

    TEST(forgetAPatternThatWasDropped)
    {
        const auto crm = _f->load("crm");
        Router router(*_f);
        const auto calendar = _f->load("calendar");
        const auto table = std::make_shared<Subscriptions::Table>(calendar.generation);
        table->add("crm.new", [](const Event&) {});
        router.subscriptions.activate("calendar", table);
        crm->database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ('calendar', 'crm.old', $1)",
                                    _f->clock.now());
            });
        publish(crm, "crm.old");
        publish(crm, "crm.new");
        router.dispatch(crm);
        const auto made = _f->jobs();
        equal(1, made.size());
        equal(deliveryJobType("calendar"), made[0].type);
        equal(1, rowsWhere(crm, "portico_subscriber WHERE pattern = 'crm.new'"));
        equal(1, rows(crm, "portico_subscriber"));
    }

    TEST(forgetTheLastPatternThatWasDropped)
    {
        const auto crm = _f->load("crm");
        Router router(*_f);
        const auto calendar = _f->load("calendar");
        PluginEvents events(calendar.generation, router.subscriptions, nullptr, nullptr);
        events.activate();
        crm->database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ('calendar', 'crm.old', $1)",
                                    _f->clock.now());
            });
        publish(crm, "crm.old");
        JobStore store(crm->database(), _f->clock);
        const Outbox outbox(crm->database(), store, _f->clock);
        ClaimedJob earlier;
        earlier.type = deliveryJobType("calendar");
        earlier.payload = "crm.old";
        earlier.eventId = outbox.waiting(1).events.at(0).id;
        router.dispatch(crm);
        CHECK(_f->jobs().empty());
        equal(0, rows(crm, "portico_subscriber"));
        EventDeliveryRunner runner(outbox, router.subscriptions);
        CHECK(runner.types() == std::vector<std::string>{earlier.type});
        CHECK(runner.run(earlier, {}) == RunResult::Done);
    }

    TEST(clearedSubscriptionKeepsItsPatternWithoutItsFunction)
    {
        const auto calendar = _f->load("calendar");
        const auto captured = std::make_shared<int>();
        const auto table = std::make_shared<Subscriptions::Table>(calendar.generation);
        table->add("crm.*", [captured](const Event&) { ++*captured; });
        equal(2, captured.use_count());
        Subscriptions subscriptions([] {});
        subscriptions.activate("calendar", table);
        equal(0, table->clear());
        equal(1, captured.use_count());
        CHECK(table->names() == std::vector<std::string>{"crm.*"});
        CHECK(!subscriptions.deliver("calendar", "crm.*", {"evt_1", "crm.contact.created", "org_1", "{}", {}}));
    }

    TEST(areDispatchedOnceByManyHosts)
    {
        const auto crm = _f->load("crm");
        crm->database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ('calendar', 'crm.*', $1)",
                                    _f->clock.now());
            });
        for (int i = 0; i < 20; ++i) publish(crm, "crm.x");
        std::vector<std::thread> hosts;
        for (int i = 0; i < 4; ++i) hosts.emplace_back([&] { Router(*_f).dispatch(crm); });
        for (auto& host : hosts) host.join();
        equal(20, _f->jobs().size());
    }

    TEST(arePurgedWhenNotNeeded)
    {
        const auto crm = _f->load("crm");
        crm->database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("INSERT INTO portico_subscriber (service_id, pattern, seen_at) VALUES ('calendar', 'crm.wanted', $1)",
                                    _f->clock.now());
            });
        Router router(*_f);
        publish(crm, "crm.wanted");
        publish(crm, "crm.unwanted");
        router.dispatch(crm);
        publish(crm, "crm.waiting");
        _f->clock.advance(24h);
        JobStore store(crm->database(), _f->clock);
        const Outbox outbox(crm->database(), store, _f->clock);
        outbox.purge(48h);
        equal(3, rows(crm, "portico_event"));
        outbox.purge(1h);
        equal(0, rowsWhere(crm, "portico_event WHERE type = 'crm.unwanted'"));
        equal(2, rows(crm, "portico_event"));
    }

    TEST(webhooksAreSigned)
    {
        HttpReceiver receiver;
        const auto identity = loadRegistry(receiver.url("/hook"));
        const auto crm = _f->load("crm");
        crm.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created", R"({"contactId":"con_\u00fc"})");
        publish(crm, "crm.contact.created", "{}", "org_2"); // no endpoint of that organization
        waitForNoJobs("crm", 2);
        const auto received = receiver.received();
        equal(1, received.size());
        const auto& request = received[0];
        equal("POST", request.method);
        equal("/hook", request.uri);
        equal("application/json", request.headers.at("Content-Type"));
        CHECK(request.headers.at("webhook-id").starts_with("evt_"));
        equal(std::to_string(toMillis(_f->clock.now()) / 1000), request.headers.at("webhook-timestamp"));
        const auto body = boost::json::parse(request.body).as_object();
        equal(3, body.size());
        CHECK(body.at("type").as_string() == "crm.contact.created");
        CHECK(body.at("timestamp").as_string() == std::string_view(toString(_f->clock.now())));
        CHECK(body.at("data").at("contactId").as_string() == "con_ü");

        // Checks it as a receiver would, with OpenSSL alone: both secrets sign, the newest first.
        const auto content = request.headers.at("webhook-id") + "." + request.headers.at("webhook-timestamp") + "." + request.body;
        const std::string key("\x31\xf2\x90\xf6\xbf\x06\x29\x8a\xab\x4f\x08\xd4\x3c\x3f\x08\x2c\xf6\x48\xa3\x62\xda\x2d\xa4\xb0", 24);
        equal("v1," + hmac(key, content) + " v1," + hmac("plain", content), request.headers.at("webhook-signature"));
    }

    TEST(webhooksAreTriedAgainWithTheSameId)
    {
        std::atomic<int> calls{0};
        HttpReceiver receiver([&](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
                              { HttpReceiver::respond(++calls == 1 ? 500 : 204, "")(request, response); });
        const auto identity = loadRegistry(receiver.url());
        const auto crm = _f->load("crm");
        crm.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created");
        const auto failed = _f->waitForAttempt(1);
        equal("the endpoint answered 500", failed.lastError);
        _f->clock.advance(2min);
        _f->platform->retryJob(failed.id);
        waitForNoJobs("crm");
        const auto received = receiver.received();
        equal(2, received.size());
        equal(received[0].headers.at("webhook-id"), received[1].headers.at("webhook-id"));
        equal(received[0].body, received[1].body);
        CHECK(received[0].headers.at("webhook-timestamp") != received[1].headers.at("webhook-timestamp"));
    }

    TEST(webhooksUnderWayArriveBeforeTheHostEnds)
    {
        TimedLatch ending(1);
        CHECK(jobsLeftAtTheEnd(ending, ending).empty());
    }

    TEST(webhooksThatTheEndOfTheHostCutsAreSentAgainAtOnce)
    {
        TimedLatch ending(1);
        TimedLatch ended(1);
        const auto left = jobsLeftAtTheEnd(ending, ended);
        equal(1u, left.size());
        equal("waiting", left[0].state);
        equal(0, left[0].attempt);
        equal("", left[0].lastError);
    }

    TEST(webhooksKeepTheWaitThatIsAskedFor)
    {
        HttpReceiver receiver(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_SERVICE_UNAVAILABLE);
                response.set("Retry-After", "86400000"); // more than a day is a day
                response.setContentLength(0);
                response.send();
            });
        const auto failed = failedWebhook(receiver.url(), "waiting");
        equal(1, failed.attempt);
        CHECK(failed.dueAt == _f->clock.now() + 24h);
    }

    TEST(goneEndpointEndsAttempts)
    {
        HttpReceiver receiver(HttpReceiver::respond(410, ""));
        const auto failed = failedWebhook(receiver.url(), "dead");
        equal(1, failed.attempt);
        equal("the endpoint answered 410", failed.lastError);
    }

    TEST(webhooksFollowTheRegistry)
    {
        HttpReceiver receiver;
        const auto identity = loadRegistry(receiver.url());
        const auto crm = _f->load("crm");
        crm.publish();
        publish(crm, "crm.contact.created");
        Router(*_f).dispatch(crm);
        equal(1, _f->jobs().size());
        _registry.url.clear(); // the endpoint is deleted before the first try
        _f->platform->start();
        waitForNoJobs("crm");
        CHECK(receiver.received().empty());
    }

    TEST(webhooksWaitForTheRegistry)
    {
        HttpReceiver receiver;
        const auto crm = _f->load("crm");
        crm.publish();
        const auto first = loadRegistry(receiver.url());
        _f->platform->start();
        publish(crm, "crm.first");
        waitForNoJobs("crm");
        equal(1, receiver.received().size());
        CHECK(first.retire().empty());
        publish(crm, "crm.second");
        while (_f->jobs().empty()) std::this_thread::yield();
        const auto second = loadRegistry(receiver.url());
        waitForNoJobs("crm");
        equal(2, receiver.received().size());
    }

    TEST(webhooksWaitForAnInstalledRegistryThatHasNotRun)
    {
        HttpReceiver receiver;
        _f->facts.hasWebhooks = true;
        _f->restart();
        const auto crm = _f->load("crm");
        crm.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created");
        while (rowsWhere(crm, "portico_event WHERE dispatched_at IS NULL") > 0) std::this_thread::yield();
        equal(1, _f->jobs().size());
        const auto identity = loadRegistry(receiver.url());
        waitForNoJobs("crm");
        equal(1, receiver.received().size());
    }

    TEST(webhookThatLosesTheRegistryIsNotDone)
    {
        const auto identity = loadRegistry("https://hook.example");
        const auto crm = _f->load("crm");
        publish(crm, "crm.contact.created");
        const Router router(*_f);
        CHECK(router.webhooks.available());
        JobStore store(crm->database(), _f->clock);
        const Outbox outbox(crm->database(), store, _f->clock);
        GuardedHttpClient http(_f->settings.http);
        WebhookRunner runner(outbox, store, router.webhooks, http, _f->clock);
        ClaimedJob job;
        job.eventId = outbox.waiting(1).events.at(0).id;
        std::jthread lifecycle(
            [&](const std::stop_token& stop)
            {
                while (!stop.stop_requested())
                {
                    identity.generation->setPhase(host::plugins::Generation::Phase::Draining);
                    std::this_thread::yield();
                    identity.generation->serve();
                    std::this_thread::yield();
                }
            });
        int done = 0;
        for (int run = 0; run < 500; ++run)
            if (runner.run(job, {}) == RunResult::Done) ++done;
        equal(done, _registry.asked.load());
    }

    TEST(webhooksTakeADay)
    {
        const auto crm = _f->load("crm");
        Router router(*_f);
        JobStore store(crm->database(), _f->clock);
        const Outbox outbox(crm->database(), store, _f->clock);
        GuardedHttpClient http(_f->settings.http);
        const WebhookRunner runner(outbox, store, router.webhooks, http, _f->clock);
        std::chrono::milliseconds sum{0};
        ClaimedJob job;
        for (job.attempt = 1; job.attempt < 8; ++job.attempt) sum += runner.retryDelay(job);
        CHECK(sum > 18h && sum < 30h);
    }

    /// The dispatcher of another host: no threads.
    struct Router
    {
        explicit Router(PlatformFixture& fixture, bool installed = false) : clock(fixture.clock), webhooks(fixture.interfaces, installed) {}
        void dispatch(const Loaded& service) const
        {
            JobStore store(service->database(), clock);
            dispatchEvents(Outbox(service->database(), store, clock), subscriptions, webhooks, changes, clock.now());
        }
        const Clock& clock;
        Subscriptions subscriptions{[] {}};
        WebhookDirectory webhooks;
        Channels* changes = nullptr;
    };

    /// The job of a webhook once its first try has failed.
    JobSummary failedWebhook(const std::string& url, const std::string& state)
    {
        const auto identity = loadRegistry(url);
        const auto crm = _f->load("crm");
        crm.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created");
        std::vector<JobSummary> found;
        while (found.empty() || found[0].attempt != 1 || found[0].state != state) found = _f->jobs();
        _f->platform->stop();
        return found[0];
    }
    Loaded loadRegistry(const std::string& url)
    {
        _registry.url = url;
        _f->provides = {{std::string(interfaces::Webhooks::interfaceName), "1.0", false}};
        auto identity = _f->load("identity");
        _f->provides.clear();
        identity->services().provide(static_cast<interfaces::Webhooks&>(_registry));
        identity.publish();
        return identity;
    }
    static void publish(const Loaded& service, std::string_view type, std::string_view data = "{}", std::string_view organization = "org_1")
    {
        service->database().transact([&](Transaction& transaction) { service->events().publish(transaction, type, organization, data); });
    }
    static std::int64_t rowsWhere(const Loaded& service, const std::string& what)
    {
        return service->database().session().template value<std::int64_t>("SELECT count(*) FROM " + what).value();
    }
    static std::int64_t rows(const Loaded& service, const std::string& table) { return rowsWhere(service, table); }
    /// Stops a host while it sends a webhook, which is answered after `answer`. Counts down `ending` as soon as the host asks jobs to end,
    /// and `answer` at the end of the host at the latest. @return the jobs that are left
    std::vector<JobSummary> jobsLeftAtTheEnd(TimedLatch& ending, TimedLatch& answer)
    {
        TimedLatch asked(1);
        TimedLatch running(1);
        HttpReceiver receiver(
            [&](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
            {
                asked.count_down();
                answer.wait();
                HttpReceiver::respond(204, "")(request, response);
            });
        const auto identity = loadRegistry(receiver.url());
        const auto crm = _f->load("crm");
        crm->jobs().handle("wait",
                           [&](const Job& job)
                           {
                               running.count_down();
                               const std::stop_callback wake(job.stop, [&] { ending.count_down(); });
                               ending.wait();
                           });
        crm.publish();
        _f->platform->start();
        publish(crm, "crm.contact.created");
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "wait", "{}"); });
        asked.wait();
        running.wait();
        _f->platform->stop();
        answer.count_down();
        return _f->platform->listJobs("crm", JobState::Any, 10);
    }
    /// Until what was published is delivered.
    void waitForNoJobs(std::string_view service, std::int64_t events = 0)
    {
        const auto database = _f->platform->database(service);
        const auto count = [&](const std::string& what)
        { return database->session().value<std::int64_t>("SELECT count(*) FROM " + what).value(); };
        while (count("portico_event WHERE dispatched_at IS NULL") > 0 || count("portico_job") > 0 || count("portico_event") < events)
            std::this_thread::yield();
    }
    static std::string hmac(const std::string& key, const std::string& text)
    {
        std::array<unsigned char, 32> digest{};
        unsigned int size = 0;
        HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
             digest.data(), &size);
        std::string encoded(44, '\0');
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), digest.data(), static_cast<int>(size));
        return encoded;
    }

    OneEndpoint _registry;
    std::unique_ptr<PlatformFixture> _f;
};

template class EventsTest<OnSqlite>;
template class EventsTest<OnPostgres>;

} // namespace portico::tests
