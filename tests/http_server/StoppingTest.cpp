#include "http_server/ServerFixture.h"

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace portico::test
{

namespace
{

using namespace std::chrono_literals;

/// Endless, until the connection ends.
class EndlessSource final : public BodySource
{
public:
    explicit EndlessSource(std::atomic<int>& alive) : _alive(alive) { ++_alive; }
    ~EndlessSource() override { --_alive; }
    bool read(std::string& out, std::size_t wanted) override
    {
        out.append(wanted, 'x');
        return true;
    }

private:
    std::atomic<int>& _alive;
};

} // namespace

/// Shutdown of a server: requests that were begun complete, and nothing delays it forever.
class StoppingTest : public Suite<StoppingTest, ServerFixture>
{
    TEST(finishesWhatWasBegun)
    {
        Gate gate;
        TestRoute held;
        held.handle = [&gate](Exchange& exchange)
        {
            gate.pass();
            exchange.response.body = "done";
        };
        application.route("/held", held);
        echo("/echo", {.body = BodyMode::Memory});
        start();
        auto idle = client();
        auto handling = client();
        auto sending = client();
        equal(404, idle.request(get("/nothing")).status);
        handling.send(get("/held"));
        CHECK(application.awaitHandling(2));
        sending.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        equal(404, idle.request(get("/nothing")).status);
        auto stopped = std::async(std::launch::async, [this] { return server->stop(30s); });
        CHECK(idle.ended());
        sending.send("llo");
        gate.open();
        const auto handled = handling.receive();
        equal("done", handled.body);
        equal("close", handled.header("connection"));
        equal("hello", sending.receive().body);
        CHECK(handling.ended());
        CHECK(sending.ended());
        CHECK(stopped.get());
        CPPUNIT_ASSERT_THROW(client(), std::runtime_error);
    }

    TEST(answersWhoHasJustConnected)
    {
        settings.loops = 1;
        start();
        auto idle = client();
        auto connected = client();
        auto silent = client();
        // In the order in which they came, so that all of them are known to the loop by now.
        equal(404, idle.request(get("/nothing")).status);
        auto last = client();
        equal(404, last.request(get("/nothing")).status);
        auto stopped = std::async(std::launch::async, [this] { return server->stop(30s); });
        CHECK(idle.ended());
        connected.send(get("/nothing"));
        const auto answer = connected.receive();
        equal(404, answer.status);
        equal("close", answer.header("connection"));
        CHECK(connected.ended());
        CHECK(silent.ended());
        CHECK(stopped.get());
    }

    TEST(closesByForceAfterTheDeadline)
    {
        TestRoute endless;
        endless.handle = [this](Exchange& exchange) { exchange.response.source = std::make_unique<EndlessSource>(_alive); };
        application.route("/endless", endless);
        echo("/echo", {.body = BodyMode::Memory});
        start();
        auto reader = client();
        reader.send(get("/endless"));
        equal("HTTP/1.1 200", reader.read(12));
        auto sender = client();
        sender.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        auto half = client();
        half.send("GET / HT");
        auto taken = client();
        equal(404, taken.request(get("/nothing")).status);
        CHECK(!server->stop(50ms));
        equal(0, _alive.load());
        equal(application.admitted(), application.finishedCount());
        equal(1, application.delivered());
    }

    TEST(stopsWhileClientsKeepComing)
    {
        settings.loops = 2;
        settings.workers = 2;
        TestRoute worker;
        worker.handle = [](Exchange& exchange) { exchange.response.body = "x"; };
        application.route("/worker", worker);
        start();
        std::atomic<bool> go = true;
        std::vector<std::jthread> clients;
        for (int i = 0; i < 4; ++i)
        {
            clients.emplace_back(
                [&]
                {
                    while (go)
                    {
                        try
                        {
                            auto client = this->client();
                            for (int k = 0; k < 5; ++k) client.request(get("/worker"));
                        }
                        catch (const std::runtime_error&)
                        {
                            // The server is about to be gone: closed and refused connections are what a client sees of that.
                        }
                    }
                });
        }
        CHECK(application.awaitFinished(200));
        CHECK(server->stop(30s));
        go = false;
    }

    TEST(stopsBeforeItStarted)
    {
        Server never(settings, application);
        const auto place = never.listen({"127.0.0.1:0"});
        CHECK(place.port != 0);
        CHECK(never.stop(1s));
        Server atOnce(settings, application);
        atOnce.listen({"127.0.0.1:0"});
        atOnce.start();
        CHECK(atOnce.stop(1s));
        CHECK(atOnce.stop(1s));
    }

    TEST(countsWhatItDoes)
    {
        echo("/echo", {.body = BodyMode::Memory});
        start();
        auto good = client();
        const auto request = post("/echo", "hello");
        equal(200, good.request(request).status);
        equal(400, client().request("GET / HTTP/1.1\r\n\r\n").status);
        CHECK(application.awaitFinished(2));
        const auto counts = server->statistics();
        equal(2, counts.connectionsAccepted);
        equal(2, counts.requests);
        equal(0, counts.requestsInFlight);
        equal(0, counts.requestsAborted);
        equal(1, counts.refused[host::http::ServerStatistics::refusalIndex(400)]);
        equal(0, counts.refused[host::http::ServerStatistics::refusalIndex(503)]);
        CHECK(counts.bytesReceived >= request.size());
        CHECK(counts.bytesSent > 0);
    }

    std::atomic<int> _alive{0};
};

} // namespace portico::test
