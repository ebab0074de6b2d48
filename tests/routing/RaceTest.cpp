#include "World.h"

#include "support/Suite.h"

#include <atomic>
#include <latch>
#include <thread>

namespace routing_tests
{

/// Requests while services are replaced under them.
class RaceTest : public Suite<RaceTest>
{
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

    TEST(leaseIsHeldWhileTheHandlerRuns)
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
        equal(1, inside);
        CHECK(stoppable);
        equal(0, world.generation().inFlight());
    }

    class Source final : public BodySource
    {
    public:
        bool read(std::string&, std::size_t) override { return false; }
    };

    TEST(leaseIsHeldUntilTheSourceIsGone)
    {
        OneRoute world([](Request&, Response& response) { response.source = std::make_unique<Source>(); });
        OpenExchange open({.path = "/x"}, world.clock);
        world.start(open);
        equal(1, world.generation().inFlight());
        open.exchange.response.source.reset();
        world.dispatcher().finished(open.exchange);
        equal(0, world.generation().inFlight());
    }

    TEST(requestFollowsToTheSuccessor)
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
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        equal(200, open.exchange.response.status);
        equal("7", open.exchange.response.body);
        world.dispatcher().finished(open.exchange);
    }

    TEST(successorsRightsAreChecked)
    {
        OneRoute world([](Request&, Response&) {});
        OpenExchange open({.path = "/x"}, world.clock);
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").routes.front().access = access::bearer("crm.x:read");
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.dispatcher().handle(open.exchange);
        equal(401, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
    }

    TEST(successorMayHaveLostTheRoute)
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
        equal(404, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
    }

    /// The caller of the old route is destroyed with its table before the access log is written.
    TEST(callerIsForgottenWithTheRoute)
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
        equal(404, open.exchange.response.status);
        CHECK(open.exchange.request.caller == &Caller::nobody());
        world.dispatcher().finished(open.exchange);
        CHECK(world.log.text().find("caller=\n") != std::string::npos);
    }

    TEST(proofAcceptedBeforeAReloadIsNotCheckedAgainAfterTheBody)
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Post, "/upload", access::bearer(),
                  [](Request& request, Response& response) { response.json(200, request.caller->principalId); })
            .body = BodyKind::Upload;
        world.caller("ann");
        world.publish();
        const Call call{.method = Method::Post, .path = "/upload", .headers = {{"Authorization", "DPoP ann"}, {"DPoP", "a.b.c"}}};
        OpenExchange open(call, world.clock);
        CHECK(world.dispatcher().admit(open.exchange).prepareFirst);
        CHECK(world.dispatcher().prepare(open.exchange));
        const auto old = crm.generation;
        world.publish();
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        equal(200, open.exchange.response.status);
        equal("usr_ann", open.exchange.response.body);
        // The token itself is validated for the successor too.
        equal(2, world.credentials.validations);
        world.dispatcher().finished(open.exchange);
        // The next request of the connection must bring another proof.
        OpenExchange next(call, world.clock);
        next.exchange.state = std::move(open.exchange.state);
        world.start(next);
        refused(World::answerOf(next.exchange), 401, "invalid_token");
        world.dispatcher().finished(next.exchange);
    }

    TEST(proofIsNotCheckedAgainWhenAReloadFollowsTheValidation)
    {
        OneRoute world([](Request&, Response& response) { response.json(200, "{}"); }, access::bearer());
        world.caller("ann");
        world.credentials.fail = [&world]
        {
            if (world.credentials.validations > 1) return;
            const auto old = world.service("crm").generation;
            world.publish();
            old->drain(std::chrono::milliseconds(0));
        };
        equal(200, world.send({.path = "/x", .headers = {{"Authorization", "DPoP ann"}, {"DPoP", "a.b.c"}}}).status);
        equal(2, world.credentials.validations);
    }

    TEST(revokedTokenIsRefusedAfterAReloadDespiteItsAcceptedProof)
    {
        OneRoute world([](Request&, Response& response) { response.json(200, "{}"); }, access::bearer());
        world.caller("ann");
        world.service("crm").routes.front().body = BodyKind::Upload;
        world.publish();
        OpenExchange open({.path = "/x", .headers = {{"Authorization", "DPoP ann"}, {"DPoP", "a.b.c"}}}, world.clock);
        CHECK(world.dispatcher().admit(open.exchange).prepareFirst);
        CHECK(world.dispatcher().prepare(open.exchange));
        const auto old = world.service("crm").generation;
        world.publish();
        old->drain(std::chrono::milliseconds(0));
        world.credentials.callers.clear();
        world.dispatcher().handle(open.exchange);
        const auto answer = World::answerOf(open.exchange);
        refused(answer, 401, "invalid_token");
        equal("unknown", answer.at("/details/reason"));
        world.dispatcher().finished(open.exchange);
    }

    TEST(successorMayHaveLostTheOrigin)
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
        equal(404, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        CHECK(world.log.text().find("path=/x") != std::string::npos);
    }

    TEST(originOfAServicesOwnListenerStaysAfterAReload)
    {
        OneRoute world([](Request& request, Response& response) { response.json(200, std::string(request.origin)); });
        OpenExchange open({.path = "/x", .host = "127.0.0.1:8081", .listener = "crm"}, world.clock);
        open.exchange.request.origin = "http://127.0.0.1:8081";
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.publish();
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        equal("http://127.0.0.1:8081", open.exchange.response.body);
        world.dispatcher().finished(open.exchange);
    }

    TEST(originThatTheSuccessorRegistersReplacesThatOfTheConnection)
    {
        OneRoute world([](Request& request, Response& response) { response.json(200, std::string(request.origin)); });
        OpenExchange open({.path = "/x", .host = "crm.example", .listener = "crm"}, world.clock);
        open.exchange.request.origin = "http://crm.example";
        world.dispatcher().admit(open.exchange);
        const auto old = world.service("crm").generation;
        world.service("crm").origins = {"https://crm.example"};
        world.publish();
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        equal("https://crm.example", open.exchange.response.body);
        world.dispatcher().finished(open.exchange);
    }

    TEST(withoutSuccessorTheAnswerIsToRetry)
    {
        OneRoute world([](Request&, Response&) {});
        world.generation().drain(std::chrono::milliseconds(0));
        const auto answer = world.send({.path = "/x"});
        refused(answer, 503, "overloaded");
        equal("1", answer.header("Retry-After"));
    }

    TEST(keyedRequestKeepsItsTicketOverAReload)
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
        equal(201, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        equal("true", world.send(call).header("Idempotency-Replayed"));
        // The key is free again after a request that never ran.
        crm.generation->drain(std::chrono::milliseconds(0));
        Call other = call;
        other.headers.front().second = "key-0002";
        equal(503, world.send(other).status);
        world.publish();
        equal("2", world.send(other).body);
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

    TEST(exceptionIsMappedBeforeTheLeaseEnds)
    {
        bool unguarded = false;
        OneRoute* seen = nullptr;
        OneRoute world([&](Request&, Response&) { throw Watched(seen->generation(), unguarded); });
        seen = &world;
        equal(500, world.send({.path = "/x"}).status);
        CHECK(!unguarded);
        equal(0, world.generation().inFlight());
    }

    TEST(reloadsUnderLoadLoseNoRequest)
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
                CHECK(old->drain(std::chrono::seconds(30)));
                old->clearHandlers();
            }
        }
        stop = true;
        threads.clear();
        equal(0, failures.load());
        CHECK(answers.load() >= clients * 4);
    }
};

} // namespace routing_tests
