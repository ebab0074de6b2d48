#include "platform/HttpReceiver.h"
#include "platform/JobFixture.h"
#include "platform/PlatformFixture.h"
#include "support/Suite.h"

#include "host/platform/events/PluginDeliveries.h"

#include "portico/WebhookSignature.h"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;
using State = DeliveryStatus::State;

/// Signed messages to endpoints that a plugin knows: from its call to what a receiver gets, on both engines alike.
template <class Engine>
class DeliveriesTest : public Suite<DeliveriesTest<Engine>>
{
    using Self = DeliveriesTest;

    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        _f->platform->stop();
        _f.reset();
    }

    TEST(areSignedAndSentAfterTheCommit)
    {
        HttpReceiver receiver;
        const auto crm = load(receiver.url("/hook"));
        const auto id = send(crm, {"end_1", "crm.booking.confirmed", R"({"bookingId":"bkg_ü"})", ""});
        CHECK(id.starts_with("msg_"));
        _f->platform->start();
        _f->waitForNoJobs();
        const auto request = receiver.received().at(0);
        equal("POST", request.method);
        equal("/hook", request.uri);
        equal(id, request.headers.at("webhook-id"));
        equal("Bearer key", request.headers.at("Authorization"));
        const auto body = boost::json::parse(request.body).as_object();
        equal(3, body.size());
        CHECK(body.at("type").as_string() == "crm.booking.confirmed");
        CHECK(body.at("timestamp").as_string() == std::string_view(toString(_f->clock.now())));
        CHECK(body.at("data").at("bookingId").as_string() == "bkg_ü");
        const auto timestamp = toMillis(_f->clock.now()) / 1'000;
        equal(std::to_string(timestamp), request.headers.at("webhook-timestamp"));
        equal(webhookSignature(_endpoint->secrets, id, timestamp, request.body), request.headers.at("webhook-signature"));
        CHECK(request.headers.at("webhook-signature").find(' ') != std::string::npos); // both secrets sign
        const auto status = statusOf(crm).value();
        CHECK(status.state == State::Working && status.succeededAt == _f->clock.now());
        equal(200, status.lastStatus);
    }

    TEST(rolledBackDeliveriesAreNotSent)
    {
        const auto crm = load("http://127.0.0.1:1/");
        {
            auto transaction = crm->database().begin();
            crm->deliveries().send(transaction, {"end_1", "crm.x", "{}", ""});
        }
        CHECK(_f->jobs().empty());
        CHECK(!statusOf(crm));
    }

    TEST(oneIdIsSentOnce)
    {
        const auto crm = load("http://127.0.0.1:1/");
        equal("item-1", send(crm, {"end_1", "crm.x", "{}", "item-1"}));
        CHECK(send(crm, {"end_1", "crm.x", "{}", "item-1"}).empty());
        CHECK(!send(crm, {"end_2", "crm.x", "{}", "item-1"}).empty());
        equal(1, statusOf(crm).value().waiting);
    }

    TEST(areTriedAgainWithTheSameBody)
    {
        std::atomic<int> calls{0};
        HttpReceiver receiver([&](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
                              { HttpReceiver::respond(++calls == 1 ? 500 : 202, "")(request, response); });
        const auto crm = load(receiver.url());
        send(crm, {"end_1", "crm.x", "{}", "item-1"});
        _f->platform->start();
        const auto failed = _f->waitForAttempt(1);
        equal("the endpoint answered 500", failed.lastError);
        CHECK(failed.dueAt > _f->clock.now() + 40s && failed.dueAt < _f->clock.now() + 80s);
        const auto status = statusOf(crm).value();
        CHECK(status.state == State::Failing && status.failingSince == _f->clock.now());
        equal(500, status.lastStatus);
        equal(1, status.waiting);
        _f->clock.advance(2min);
        _f->platform->retryJob(failed.id);
        _f->waitForNoJobs();
        const auto received = receiver.received();
        equal(received.at(0).body, received.at(1).body);
        equal(received.at(0).headers.at("webhook-id"), received.at(1).headers.at("webhook-id"));
        CHECK(received.at(0).headers.at("webhook-signature") != received.at(1).headers.at("webhook-signature"));
        CHECK(statusOf(crm).value().state == State::Working);
        CHECK(!statusOf(crm).value().failingSince);
    }

    TEST(keepTheWaitThatIsAskedFor)
    {
        HttpReceiver receiver(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_TOO_MANY_REQUESTS);
                response.set("Retry-After", "7200");
                response.setContentLength(0);
                response.send();
            });
        const auto crm = load(receiver.url());
        send(crm, {"end_1", "crm.x", "{}", ""});
        _f->platform->start();
        CHECK(_f->waitForAttempt(1).dueAt == _f->clock.now() + 2h);
    }

    TEST(tryAsOftenAsDeclared)
    {
        Runner runner(*_f, "http://127.0.0.1:1/", {10s, 1min});
        CHECK(runner.send("end_1"));
        equal(3, _f->jobs().at(0).maxAttempts);
        Runner usual(*_f, "http://127.0.0.1:1/", {});
        CHECK(usual.send("end_1"));
        equal(8, _f->jobs().at(0).maxAttempts);
        std::chrono::milliseconds sum{0};
        for (const auto wait : signedPostWaits) sum += wait;
        CHECK(sum > 18h && sum < 30h);
    }

    TEST(followTheEndpoint)
    {
        HttpReceiver receiver;
        const auto crm = load("http://127.0.0.1:1/");
        send(crm, {"end_1", "crm.x", "{}", ""});
        send(crm, {"end_gone", "crm.x", "{}", ""});
        _endpoint->url = receiver.url("/new");
        _f->platform->start();
        _f->waitForNoJobs();
        equal(1, receiver.received().size());
        equal("/new", receiver.received()[0].uri);
        CHECK(!statusOf(crm, "end_gone"));
    }

    TEST(statusShowsProgress)
    {
        const auto crm = load("http://127.0.0.1:1/");
        send(crm, {"end_b", "crm.x", "{}", ""});
        send(crm, {"end_a", "crm.x", "{}", ""});
        send(crm, {"end_a", "crm.y", "{}", ""});
        auto session = crm->database().session();
        const auto all = crm->deliveries().list(session);
        equal(2, all.size());
        equal("end_a", all[0].endpointId);
        equal(2, all[0].waiting);
        CHECK(all[0].state == State::Working && !all[0].succeededAt && all[0].lastStatus == 0);
    }

    TEST(goneEndpointsAreDisabledAtOnce)
    {
        HttpReceiver receiver(HttpReceiver::respond(410, ""));
        Runner runner(*_f, receiver.url(), {});
        for (int i = 0; i < 3; ++i) CHECK(runner.send("end_1"));
        CHECK(runner.send("end_2"));
        CHECK(runner.runOne());
        // Pending messages are dropped; the rejected one stays for inspection.
        equal(2, _f->jobs().size());
        equal(1, _f->jobs("crm", JobState::Dead).size());
        CHECK(runner.status("end_1").state == State::Disabled);
        CHECK(!runner.send("end_1"));
        equal(1, runner.endpoints.countDisabled());
        equal(1, receiver.received().size());
    }

    TEST(sayWhyAnAddressIsNotCalled)
    {
        Runner runner(*_f, "http://10.0.0.1/", {24h});
        CHECK(runner.send("end_1"));
        CHECK(runner.runOne());
        const auto status = runner.status("end_1");
        equal(0, status.lastStatus);
        CPPUNIT_ASSERT_MESSAGE(status.lastError, status.lastError.starts_with("'10.0.0.1' leads to an address that is not a public one."));
    }

    TEST(reportsEachAttempt)
    {
        std::atomic<int> calls{0};
        HttpReceiver receiver([&](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
                              { HttpReceiver::respond(++calls == 2 ? 202 : 500, "")(request, response); });
        Runner runner(*_f, receiver.url(), {1min});
        std::vector<DeliveryAttempt> told;
        runner.table->told.add({},
                               [&](const DeliveryAttempt& attempt)
                               {
                                   told.push_back(attempt);
                                   throw std::runtime_error("it changes nothing");
                               });
        for (int message = 0; message < 2; ++message)
        {
            CHECK(runner.send("end_1"));
            for (int i = 0; i < 2; ++i)
            {
                CHECK(runner.runOne());
                _f->clock.advance(2min);
            }
        }
        const auto line = [&](std::size_t at)
        {
            const auto& attempt = told.at(at);
            return std::to_string(attempt.attempt) + ' ' + std::to_string(attempt.httpStatus) + (attempt.delivered ? " arrived" : "") +
                   (attempt.last ? " last" : "");
        };
        equal(4, told.size());
        equal("1 500, 2 202 arrived last, 1 500, 2 500 last", line(0) + ", " + line(1) + ", " + line(2) + ", " + line(3));
        CHECK(told[0].messageId == told[1].messageId && told[1].messageId != told[2].messageId);
        equal("end_1", told[0].endpointId);
        CHECK(told[1].error.empty() && told[1].at == told[0].at + 2min);
        equal("the endpoint answered 500", told[3].error);
    }

    TEST(lastingFailureDisables)
    {
        Runner runner(*_f, "http://127.0.0.1:1/", {24h, 24h, 24h});
        CHECK(runner.send("end_1"));
        for (int i = 0; i < 4; ++i)
        {
            CHECK(runner.status("end_1").state != State::Disabled);
            CHECK(runner.runOne());
            _f->clock.advance(30h);
        }
        const auto status = runner.status("end_1");
        CHECK(status.state == State::Disabled);
        equal(0, status.lastStatus);
        CHECK(!status.lastError.empty());
    }

    TEST(aShortFailureDoesNotDisable)
    {
        HttpReceiver receiver;
        Runner runner(*_f, "http://127.0.0.1:1/", {1min});
        CHECK(runner.send("end_1"));
        for (int i = 0; i < 2; ++i)
        {
            CHECK(runner.runOne());
            _f->clock.advance(2min);
        }
        equal(1, _f->jobs("crm", JobState::Dead).size());
        CHECK(runner.status("end_1").state == State::Failing);
        // A successful message restarts the time.
        _f->clock.advance(71h);
        runner.endpoint.url = receiver.url();
        CHECK(runner.send("end_1") && runner.runOne());
        runner.endpoint.url = "http://127.0.0.1:1/";
        _f->clock.advance(2h);
        CHECK(runner.send("end_1"));
        for (int i = 0; i < 2; ++i)
        {
            CHECK(runner.runOne());
            _f->clock.advance(2min);
        }
        CHECK(runner.status("end_1").state == State::Failing);
    }

    TEST(disabledEndpointsTakeNothing)
    {
        HttpReceiver receiver;
        Runner runner(*_f, receiver.url(), {});
        CHECK(runner.send("end_1"));
        runner.endpoints.failed("end_1", 410, "gone");
        CHECK(runner.endpoints.disable("end_1", 0h));
        CHECK(!runner.endpoints.disable("end_1", 0h));
        CHECK(_f->jobs().empty());
        CHECK(!runner.send("end_1"));
        CHECK(runner.enable("end_1"));
        CHECK(!runner.enable("end_1"));
        CHECK(runner.status("end_1").state == State::Working);
        CHECK(runner.send("end_1") && runner.runOne());
        equal(1, receiver.received().size());
    }

    TEST(forgottenEndpointsLeaveNothing)
    {
        const auto crm = load("http://127.0.0.1:1/");
        send(crm, {"end_1", "crm.x", "{}", ""});
        crm->database().transact([&](Transaction& transaction) { crm->deliveries().forget(transaction, "end_1"); });
        CHECK(_f->jobs().empty());
        CHECK(!statusOf(crm));
    }

    TEST(waitForThePlugin)
    {
        HttpReceiver receiver;
        {
            const auto crm = load(receiver.url());
            send(crm, {"end_1", "crm.x", "{}", ""});
            CHECK(crm.retire().empty());
        }
        _f->platform->start();
        equal(1, _f->jobs().size());
        const auto crm = load(receiver.url());
        _f->waitForNoJobs();
        equal(1, receiver.received().size());
    }

    TEST(aLookUpThatFailsIsAFailedTry)
    {
        const auto crm = _f->load("crm");
        crm->deliveries().endpoints([](std::string_view) -> std::optional<DeliveryEndpoint>
                                    { throw std::runtime_error("the secret cannot be opened"); });
        crm.publish();
        send(crm, {"end_1", "crm.x", "{}", ""});
        _f->platform->start();
        equal("the secret cannot be opened", _f->waitForAttempt(1).lastError);
        CHECK(statusOf(crm).value().state == State::Working); // no fault of the endpoint
    }

    TEST(invalidMessageIsRejected)
    {
        const auto crm = load("http://127.0.0.1:1/");
        const std::string data = "{}";
        for (const auto& message : {DeliveryMessage{"", "crm.x", data, ""}, DeliveryMessage{std::string(201, 'x'), "crm.x", data, ""},
                                    DeliveryMessage{"end_1", "", data, ""}, DeliveryMessage{"end_1", "crm.x", "[]", ""},
                                    DeliveryMessage{"end_1", "crm.x", "{", ""}, DeliveryMessage{"end_1", "crm.x", data, "a\nb"},
                                    DeliveryMessage{"end_1", "crm.x", data, std::string(201, 'x')}})
            CPPUNIT_ASSERT_THROW(send(crm, message), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(crm->deliveries().endpoints([](std::string_view) { return std::nullopt; }), std::logic_error);
        const auto plain = _f->load("plain", false);
        CPPUNIT_ASSERT_THROW(plain->deliveries(), std::logic_error);
        const auto silent = _f->load("silent");
        CPPUNIT_ASSERT_THROW(send(silent, {"end_1", "crm.x", data, ""}), std::logic_error);
    }

    /// The service's deliveries without threads: the test says when a try is made.
    struct Runner
    {
        Runner(PlatformFixture& fixture, const std::string& url, std::vector<std::chrono::milliseconds> waits)
            : service(fixture.load("crm")),
              http(fixture.settings.http),
              clock(fixture.clock),
              log(clock, null.settings()),
              logger(log, "crm"),
              store(service->database(), clock),
              endpoints(service->database(), store, clock),
              runner(endpoints, http, clock, logger),
              lane(JobFixture::laneSettings(), clock, log, metrics),
              queue("crm", store, {&runner}),
              endpoint{url, {"secret"}, {}},
              table(std::make_shared<DeliveryTable>(service.generation))
        {
            table->find.add({}, [this](const EndpointQuestion& question) { question.answer = endpoint; });
            if (!waits.empty()) table->waits = std::move(waits);
            runner.current().set(table);
            service.publish();
        }
        bool send(const std::string& to) const
        {
            return service->database().transact(
                [&](Transaction& transaction) {
                    return !endpoints.send(transaction, {to, "crm.x", "{}", ""}, static_cast<int>(table->waits.size()) + 1).empty();
                });
        }
        bool enable(const std::string& id) const
        {
            return service->database().transact([&](Transaction& transaction) { return endpoints.enable(transaction, id); });
        }
        DeliveryStatus status(const std::string& id) const
        {
            auto session = service->database().session();
            return endpoints.status(session, id).value();
        }
        bool runOne() { return lane.runOne(queue); }

        Loaded service;
        GuardedHttpClient http;
        const Clock& clock;
        NullDevice null;
        host::telemetry::LogSink log;
        host::telemetry::ServiceLogger logger;
        host::telemetry::MetricsRegistry metrics;
        JobStore store;
        EndpointStore endpoints;
        DeliveryRunner runner;
        JobLane lane;
        JobLane::Queue queue;
        DeliveryEndpoint endpoint;
        std::shared_ptr<DeliveryTable> table;
    };

    /// A service whose endpoints are all at one place, but for `end_gone`.
    Loaded load(const std::string& url)
    {
        _endpoint = std::make_shared<DeliveryEndpoint>(
            DeliveryEndpoint{url, {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "old"}, {{"Authorization", "Bearer key"}}});
        auto crm = _f->load("crm");
        crm->deliveries().endpoints([endpoint = _endpoint](std::string_view id)
                                    { return id == "end_gone" ? std::nullopt : std::optional(*endpoint); });
        crm.publish();
        return crm;
    }
    static std::string send(const Loaded& service, const DeliveryMessage& message)
    {
        return service->database().transact([&](Transaction& transaction) { return service->deliveries().send(transaction, message); });
    }
    static std::optional<DeliveryStatus> statusOf(const Loaded& service, std::string_view id = "end_1")
    {
        auto session = service->database().session();
        return service->deliveries().status(session, id);
    }
    std::unique_ptr<PlatformFixture> _f;
    std::shared_ptr<DeliveryEndpoint> _endpoint;
};

template class DeliveriesTest<OnSqlite>;
template class DeliveriesTest<OnPostgres>;

} // namespace portico::tests
