#include "World.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <latch>
#include <thread>

namespace routing_tests
{

/// Requests while services are replaced under them.
class RaceTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(RaceTest);
    CPPUNIT_TEST(leaseIsHeldWhileTheHandlerRuns);
    CPPUNIT_TEST(leaseIsHeldUntilTheSourceIsGone);
    CPPUNIT_TEST(requestFollowsToTheSuccessor);
    CPPUNIT_TEST(successorsRightsAreChecked);
    CPPUNIT_TEST(successorMayHaveLostTheRoute);
    CPPUNIT_TEST(successorMayHaveLostTheOrigin);
    CPPUNIT_TEST(whoCalledIsForgottenWithTheRoute);
    CPPUNIT_TEST(withoutSuccessorTheRequestIsToldToRetry);
    CPPUNIT_TEST(keyedRequestKeepsItsTicketOverAReload);
    CPPUNIT_TEST(exceptionIsMappedBeforeTheLeaseEnds);
    CPPUNIT_TEST(reloadsUnderLoadLoseNoRequest);
    CPPUNIT_TEST_SUITE_END();

    /// crm with one route that does what a test says.
    struct OneRoute : World
    {
        explicit OneRoute(LambdaHandler::Function function, Access access = access::open())
        {
            service("crm").route(Method::Get, "/x", std::move(access), std::move(function));
            publish();
        }
        plugins::Generation& generation() { return *service("crm").generation; }
    };

    void leaseIsHeldWhileTheHandlerRuns()
    {
        std::uint64_t inside = 0;
        bool stoppable = false;
        OneRoute* seen = nullptr;
        OneRoute world(
            [&](Request& request, Response&)
            {
                inside = seen->generation().inFlight();
                stoppable = request.stop.stop_possible();
            });
        seen = &world;
        world.send({.path = "/x"});
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), inside);
        CPPUNIT_ASSERT(stoppable);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), world.generation().inFlight());
    }

    class Source final : public BodySource
    {
    public:
        bool read(std::string&, std::size_t) override { return false; }
    };

    void leaseIsHeldUntilTheSourceIsGone()
    {
        OneRoute world([](Request&, Response& response) { response.source = std::make_unique<Source>(); });
        OpenExchange open({.path = "/x"}, world.clock);
        world.start(open);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), world.generation().inFlight());
        open.exchange.response.source.reset();
        world.dispatcher().finished(open.exchange);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), world.generation().inFlight());
    }

    void requestFollowsToTheSuccessor()
    {
        OneRoute world([](Request& request, Response& response) { response.json(200, std::to_string(request.pathParameters().size())); });
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/x/{id}", access::open(),
                  [](Request& request, Response& response) { response.json(200, request.pathParameters()[0]); });
        world.publish();
        OpenExchange open({.path = "/x/7"}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = crm.generation;
        world.publish();
        CPPUNIT_ASSERT(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(200, open.exchange.response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("7"), open.exchange.response.body);
        world.dispatcher().finished(open.exchange);
    }

    void successorsRightsAreChecked()
    {
        OneRoute world([](Request&, Response&) {});
        OpenExchange open({.path = "/x"}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").routes.front().access = access::bearer("crm.x:read");
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(401, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
    }

    void successorMayHaveLostTheRoute()
    {
        OneRoute world([](Request&, Response&) {});
        world.settings.accessLog = true;
        OpenExchange open({.path = "/x"}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").routes.front().pattern = "/y";
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(404, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
    }

    /// Whom the old route knew is gone with its table when the access log is written.
    void whoCalledIsForgottenWithTheRoute()
    {
        OneRoute world([](Request&, Response&) {}, access::bearer());
        world.settings.accessLog = true;
        world.caller("ann");
        OpenExchange open({.path = "/x", .headers = {{"Authorization", "Bearer ann"}}}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").routes.front().pattern = "/y";
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(404, open.exchange.response.status);
        CPPUNIT_ASSERT(open.exchange.request.caller == &Caller::nobody());
        world.dispatcher().finished(open.exchange);
        CPPUNIT_ASSERT(world.log.text().find("caller=\n") != std::string::npos);
    }

    void successorMayHaveLostTheOrigin()
    {
        OneRoute world([](Request&, Response&) {});
        world.settings.accessLog = true;
        OpenExchange open({.path = "/x"}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").origins = {"http://elsewhere.example"};
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(404, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        CPPUNIT_ASSERT(world.log.text().find("path=/x") != std::string::npos);
    }

    void withoutSuccessorTheRequestIsToldToRetry()
    {
        OneRoute world([](Request&, Response&) {});
        world.generation().drain(std::chrono::milliseconds(0));
        const auto answer = world.send({.path = "/x"});
        CPPUNIT_ASSERT_EQUAL(503, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("overloaded"), answer.code());
        CPPUNIT_ASSERT_EQUAL(std::string("1"), answer.header("Retry-After"));
    }

    void keyedRequestKeepsItsTicketOverAReload()
    {
        World world;
        auto& crm = world.service("crm");
        int runs = 0;
        crm.route(Method::Post, "/x", access::open(), [&runs](Request&, Response& response) { response.json(201, std::to_string(++runs)); })
            .idempotencyKey = true;
        world.publish();
        const Call call{.method = Method::Post, .path = "/x", .headers = {{"Idempotency-Key", "key-0001"}}};
        OpenExchange open(call, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = crm.generation;
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(201, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), world.send(call).header("Idempotency-Replayed"));
        // The key is free again after a request that never ran.
        crm.generation->drain(std::chrono::milliseconds(0));
        Call other = call;
        other.headers.front().second = "key-0002";
        CPPUNIT_ASSERT_EQUAL(503, world.send(other).status);
        world.publish();
        CPPUNIT_ASSERT_EQUAL(std::string("2"), world.send(other).body);
    }

    /// An exception of a type that lives in the plugin: it must be gone before the plugin may be.
    struct Watched : std::runtime_error
    {
        explicit Watched(const plugins::Generation& generation, bool& unguarded)
            : std::runtime_error("watched"), _generation(&generation), _unguarded(&unguarded)
        {
        }
        Watched(const Watched&) = default;
        ~Watched() override
        {
            if (_generation->inFlight() == 0) *_unguarded = true;
        }
        const plugins::Generation* _generation;
        bool* _unguarded;
    };

    void exceptionIsMappedBeforeTheLeaseEnds()
    {
        bool unguarded = false;
        OneRoute* seen = nullptr;
        OneRoute world([&](Request&, Response&) { throw Watched(seen->generation(), unguarded); });
        seen = &world;
        CPPUNIT_ASSERT_EQUAL(500, world.send({.path = "/x"}).status);
        CPPUNIT_ASSERT(!unguarded);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), world.generation().inFlight());
    }

    void reloadsUnderLoadLoseNoRequest()
    {
        Settings settings;
        settings.rateLimits = false;
        TwoServices world(settings);
        world.dispatcher();
        constexpr int clients = 4;
        std::atomic<bool> stop{false};
        std::atomic<int> failures{0}, answers{0};
        std::latch running(clients);
        std::vector<std::jthread> threads;
        for (int i = 0; i < clients; ++i)
            threads.emplace_back(
                [&]
                {
                    const std::vector<Call> calls = {{.path = "/api"},
                                                     {.path = "/api/contacts/7"},
                                                     {.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}},
                                                     {.path = "/api/auth/validate", .headers = {{"Authorization", "Bearer reader"}}}};
                    for (bool first = true; first || !stop.load(); first = false)
                    {
                        for (const auto& call : calls)
                        {
                            failures += world.send(call).status == 200 ? 0 : 1;
                            ++answers;
                        }
                        if (first) running.count_down();
                    }
                });
        running.wait();
        for (int reload = 0; reload < 200; ++reload)
        {
            const auto crm = world.service("crm").generation, identity = world.service("identity").generation;
            world.publish();
            for (const auto& old : {crm, identity})
            {
                CPPUNIT_ASSERT(old->drain(std::chrono::seconds(30)));
                old->clearHandlers();
            }
        }
        stop = true;
        threads.clear();
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        CPPUNIT_ASSERT(answers.load() >= clients * 4);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(RaceTest);

} // namespace routing_tests
