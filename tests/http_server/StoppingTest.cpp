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

/// Endless, until the connection goes.
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

/// The end of a server: nothing is lost that was begun, and nothing holds it up for ever.
class StoppingTest : public ServerFixture
{
    CPPUNIT_TEST_SUITE(StoppingTest);
    CPPUNIT_TEST(finishesWhatWasBegun);
    CPPUNIT_TEST(answersWhoHasJustConnected);
    CPPUNIT_TEST(closesByForceAfterTheDeadline);
    CPPUNIT_TEST(stopsWhileClientsKeepComing);
    CPPUNIT_TEST(stopsBeforeItStarted);
    CPPUNIT_TEST(countsWhatItDoes);
    CPPUNIT_TEST_SUITE_END();

public:
    void finishesWhatWasBegun()
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
        CPPUNIT_ASSERT_EQUAL(404, idle.request(get("/nothing")).status);
        handling.send(get("/held"));
        CPPUNIT_ASSERT(application.awaitHandling(2));
        sending.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        CPPUNIT_ASSERT_EQUAL(404, idle.request(get("/nothing")).status);
        auto stopped = std::async(std::launch::async, [this] { return server->stop(30s); });
        CPPUNIT_ASSERT(idle.ended());
        sending.send("llo");
        gate.open();
        const auto handled = handling.receive();
        CPPUNIT_ASSERT_EQUAL(std::string("done"), handled.body);
        CPPUNIT_ASSERT_EQUAL(std::string("close"), handled.header("connection"));
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), sending.receive().body);
        CPPUNIT_ASSERT(handling.ended());
        CPPUNIT_ASSERT(sending.ended());
        CPPUNIT_ASSERT(stopped.get());
        CPPUNIT_ASSERT_THROW(client(), std::runtime_error);
    }

    void answersWhoHasJustConnected()
    {
        settings.loops = 1;
        start();
        auto idle = client();
        auto connected = client();
        auto silent = client();
        // In the order in which they came, so that all of them are known to the loop by now.
        CPPUNIT_ASSERT_EQUAL(404, idle.request(get("/nothing")).status);
        auto last = client();
        CPPUNIT_ASSERT_EQUAL(404, last.request(get("/nothing")).status);
        auto stopped = std::async(std::launch::async, [this] { return server->stop(30s); });
        CPPUNIT_ASSERT(idle.ended());
        connected.send(get("/nothing"));
        const auto answer = connected.receive();
        CPPUNIT_ASSERT_EQUAL(404, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("close"), answer.header("connection"));
        CPPUNIT_ASSERT(connected.ended());
        CPPUNIT_ASSERT(silent.ended());
        CPPUNIT_ASSERT(stopped.get());
    }

    void closesByForceAfterTheDeadline()
    {
        TestRoute endless;
        endless.handle = [this](Exchange& exchange) { exchange.response.source = std::make_unique<EndlessSource>(_alive); };
        application.route("/endless", endless);
        echo("/echo", {.body = BodyMode::Memory});
        start();
        auto reader = client();
        reader.send(get("/endless"));
        CPPUNIT_ASSERT_EQUAL(std::string("HTTP/1.1 200"), reader.read(12));
        auto sender = client();
        sender.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        auto half = client();
        half.send("GET / HT");
        auto taken = client();
        CPPUNIT_ASSERT_EQUAL(404, taken.request(get("/nothing")).status);
        CPPUNIT_ASSERT(!server->stop(50ms));
        CPPUNIT_ASSERT_EQUAL(0, _alive.load());
        CPPUNIT_ASSERT_EQUAL(application.admitted(), application.finishedCount());
        CPPUNIT_ASSERT_EQUAL(1, application.delivered());
    }

    void stopsWhileClientsKeepComing()
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
        CPPUNIT_ASSERT(application.awaitFinished(200));
        CPPUNIT_ASSERT(server->stop(30s));
        go = false;
    }

    void stopsBeforeItStarted()
    {
        Server never(settings, application);
        const auto place = never.listen({"127.0.0.1:0"});
        CPPUNIT_ASSERT(place.port != 0);
        CPPUNIT_ASSERT(never.stop(1s));
        Server atOnce(settings, application);
        atOnce.listen({"127.0.0.1:0"});
        atOnce.start();
        CPPUNIT_ASSERT(atOnce.stop(1s));
        CPPUNIT_ASSERT(atOnce.stop(1s));
    }

    void countsWhatItDoes()
    {
        echo("/echo", {.body = BodyMode::Memory});
        start();
        auto good = client();
        const auto request = post("/echo", "hello");
        CPPUNIT_ASSERT_EQUAL(200, good.request(request).status);
        CPPUNIT_ASSERT_EQUAL(400, client().request("GET / HTTP/1.1\r\n\r\n").status);
        CPPUNIT_ASSERT(application.awaitFinished(2));
        const auto counts = server->statistics();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, counts.connectionsAccepted);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{2}, counts.requests);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, counts.requestsInFlight);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, counts.requestsAborted);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, counts.refused[host::http::ServerStatistics::refusalIndex(400)]);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, counts.refused[host::http::ServerStatistics::refusalIndex(503)]);
        CPPUNIT_ASSERT(counts.bytesReceived >= request.size());
        CPPUNIT_ASSERT(counts.bytesSent > 0);
    }

private:
    std::atomic<int> _alive{0};
};

CPPUNIT_TEST_SUITE_REGISTRATION(StoppingTest);

} // namespace portico::test
