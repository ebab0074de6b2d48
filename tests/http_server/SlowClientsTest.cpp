#include "http_server/ServerFixture.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace portico::test
{

namespace
{

/// A body of a number of pieces; counts the sources that exist.
class CountingSource final : public BodySource
{
public:
    CountingSource(std::atomic<int>& alive, std::atomic<int>& produced, int pieces) : _alive(alive), _produced(produced), _pieces(pieces)
    {
        ++_alive;
    }
    ~CountingSource() override { --_alive; }

    bool read(std::string& out, std::size_t wanted) override
    {
        out.append(wanted, 'x');
        ++_produced;
        return --_pieces > 0;
    }

private:
    std::atomic<int>& _alive;
    std::atomic<int>& _produced;
    int _pieces;
};

} // namespace

/// The server has one worker, so a blocked worker would block all requests.
class SlowClientsTest : public Suite<SlowClientsTest, ServerFixture>
{
    void setUp() override
    {
        ServerFixture::setUp();
        TestRoute worker;
        worker.handle = [](Exchange& exchange) { exchange.response.body = "worker"; };
        application.route("/worker", worker);
        echo("/memory", {.body = BodyMode::Memory});
        echo("/file", {.body = BodyMode::File, .bodyLimit = 1'000'000});
    }

    TEST(slowSendersHoldNoWorker)
    {
        start();
        std::vector<RawClient> slow;
        for (const std::string path : {"/memory", "/file"})
        {
            slow.push_back(client());
            slow.back().send("POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: 100000\r\n\r\n" + std::string(90'000, 'x'));
        }
        equal("worker", client().request(get("/worker")).body);
        for (auto& one : slow)
        {
            one.send(std::string(10'000, 'x'));
            equal(100'000, one.receive().body.size());
        }
    }

    TEST(slowReadersHoldNoWorker)
    {
        stream("/stream", 400);
        start();
        auto slow = client();
        slow.shrinkReceiveBuffer();
        slow.send(get("/stream"));
        CHECK(application.awaitHandling(1));
        equal("worker", client().request(get("/worker")).body);
        // Back-pressure: the source is only asked for what the connection takes.
        CHECK(_produced < 400);
        const auto answer = slow.receive();
        CHECK(!answer.cut);
        equal(std::size_t{400 * 65536}, answer.body.size());
        CHECK(application.awaitFinished(2));
        equal(0, _alive.load());
    }

    TEST(manyIdleConnectionsBlockNoRequest)
    {
        constexpr int count = 2200;
        // Both ends of a connection are in this process.
        rlimit files{};
        ::getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 2 * count + 200));
        equal(0, ::setrlimit(RLIMIT_NOFILE, &files));
        CPPUNIT_ASSERT_MESSAGE("the hard limit of open files is too low for this test", files.rlim_cur >= 2 * count + 200);
        start();
        std::vector<RawClient> idle;
        for (int i = 0; i < count; ++i)
        {
            idle.push_back(client());
            if (i % 2 == 0) equal(200, idle.back().request(get("/worker")).status);
            if (i % 5 == 0) idle.back().send("GET /wor");
        }
        auto active = client();
        for (int i = 0; i < 100; ++i) equal(200, active.request(get("/worker")).status);
        for (std::size_t i = 0; i < idle.size(); ++i)
            equal(200, idle[i].request(i % 5 == 0 ? "ker HTTP/1.1\r\nHost: test\r\n\r\n" : get("/worker")).status);
    }

    TEST(timesOutSlowHeadsAndBodies)
    {
        settings.headTimeout = settings.bodyTimeout = std::chrono::milliseconds(100);
        start();
        for (const auto* begin : {"GET / HT", "POST /memory HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nhalf",
                                  "POST /file HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"})
        {
            auto client = this->client();
            equal(408, client.request(begin).status);
            CHECK(client.ended());
        }
        equal(0, application.handled());
    }

    TEST(timesOutBodiesThatTrickle)
    {
        // No pause is too long, but the pace is too slow.
        settings.bodyTimeout = std::chrono::milliseconds(300);
        settings.bodyMinimumRate = 1'000'000;
        start();
        auto client = this->client();
        client.send("POST /memory HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
        bool refused = false;
        for (int i = 0; i < 400 && !refused; ++i)
        {
            client.send("x");
            refused = client.hasInput(std::chrono::milliseconds(20));
        }
        equal(408, client.receive().status);
    }

    TEST(waitsForBodiesThatFollowTheResponse)
    {
        settings.bodyTimeout = std::chrono::seconds(30);
        settings.idleTimeout = std::chrono::milliseconds(300);
        TestRoute missing;
        missing.admission.answered = true;
        application.route("/missing", missing);
        say("/hello", "hello");
        start();
        auto client = this->client();
        equal(200, client.request("POST /missing HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n").status);
        // Once the server closes this idle connection, shorter deadlines have had their effect.
        CHECK(this->client().ended());
        equal(200, client.request("12345" + get("/hello")).status);
    }

    TEST(timesOutReadersThatTakeNothing)
    {
        settings.writeTimeout = std::chrono::milliseconds(100);
        settings.writeMinimumRate = 1'000'000;
        stream("/stream", 1000);
        start();
        auto client = this->client();
        client.shrinkReceiveBuffer();
        client.send(get("/stream"));
        CHECK(application.awaitFinished(1));
        equal(0, application.delivered());
        equal(0, _alive.load());
    }

    TEST(timesOutReadersThatTakeTooLittle)
    {
        settings.writeTimeout = std::chrono::milliseconds(100);
        settings.writeMinimumRate = 1'000'000;
        stream("/stream", 1000);
        start();
        auto client = this->client();
        client.shrinkReceiveBuffer();
        client.send(get("/stream"));
        while (application.finishedCount() == 0 && !client.read(1000).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(application.awaitFinished(1));
        equal(0, application.delivered());
    }

    /// A further piece from a worker does not restart the client's time: the average is compared.
    TEST(timesOutReadersOfPiecesAtHalfTheRate)
    {
        constexpr std::size_t rate = 1'000'000, step = 10'000, most = 20'000'000;
        settings.writeTimeout = std::chrono::milliseconds(200);
        settings.writeMinimumRate = rate;
        stream("/stream", 1000);
        start();
        auto client = this->client();
        client.shrinkReceiveBuffer();
        client.send(get("/stream"));
        std::size_t read = 0;
        while (application.finishedCount() == 0 && read < most)
        {
            read += client.read(step).size();
            std::this_thread::sleep_for(std::chrono::milliseconds(1000 * 2 * step / rate));
        }
        CHECK(read < most);
        CHECK(application.awaitFinished(1));
        equal(0, application.delivered());
    }

    /// Slower than the kernel's buffer empties, so that for many times its time the server has nothing to send.
    TEST(keepsReadersThatTakeTheirTime)
    {
        settings.writeTimeout = std::chrono::milliseconds(100);
        settings.writeMinimumRate = 20'000;
        application.route("/large", [](Exchange& exchange) { exchange.response.body.assign(30'000'000, 'x'); });
        start();
        auto client = this->client();
        client.shrinkReceiveBuffer();
        client.send(get("/large", "Connection: close\r\n"));
        std::size_t read = 0;
        for (int i = 0; i < 40; ++i)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            read += client.read(16'000).size();
        }
        equal(std::size_t{40 * 16'000}, read);
        equal(0, application.finishedCount());
        while (const auto more = client.read(1'000'000).size()) read += more;
        CHECK(read > 30'000'000);
        CHECK(application.awaitFinished(1));
        equal(1, application.delivered());
    }

    TEST(closesIdleConnections)
    {
        // The request must come earlier, on a slow machine too.
        settings.idleTimeout = std::chrono::seconds(1);
        start();
        auto fresh = client();
        auto used = client();
        equal(200, used.request(get("/worker")).status);
        CHECK(fresh.ended());
        CHECK(used.ended());
        equal(0, application.refused());
    }

    TEST(finishesOnceWhenClientsGo)
    {
        Gate gate;
        TestRoute held;
        held.handle = [&gate](Exchange& exchange)
        {
            gate.pass();
            exchange.response.body.assign(1'000'000, 'x');
        };
        application.route("/held", held);
        stream("/stream", 1000);
        start();
        constexpr int rounds = 20;
        for (int i = 0; i < rounds; ++i)
        {
            auto inHead = client();
            inHead.send("GET /");
            auto inBody = client();
            inBody.send("POST /memory HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nhalf");
            auto inHandler = client();
            inHandler.send(get("/held"));
            auto inStream = client();
            inStream.send(get("/stream"));
            if (i == rounds / 2) gate.open();
            if (i > rounds / 2) equal("HTTP", inStream.read(4));
            // Admitted, or the abort would be nothing to finish.
            while (application.admitted() < 3 * (i + 1)) roundTrip();
            for (auto* gone : {&inHead, &inBody, &inHandler, &inStream}) gone->reset();
        }
        CHECK(application.awaitFinished(application.admitted() + application.refusedUnadmitted()));
        equal(0, _alive.load());
    }

    TEST(answersOverloadWith503)
    {
        settings.workerQueue = 2;
        Gate gate;
        TestRoute held;
        held.handle = [&gate](Exchange&) { gate.pass(); };
        application.route("/held", held);
        say("/loop", "loop");
        start();
        std::vector<RawClient> waiting;
        waiting.push_back(client());
        waiting.back().send(get("/held"));
        CHECK(application.awaitHandling(1));
        for (int i = 0; i < 2; ++i)
        {
            waiting.push_back(client());
            waiting.back().send(get("/held"));
        }
        auto late = client();
        // The two may still be on their way to the queue, then this one gets in before them and must wait as well.
        while (application.admitted() < 3) roundTrip();
        const auto answer = late.request(get("/held"));
        equal(503, answer.status);
        equal("1", answer.header("retry-after"));
        equal("{\"code\":\"overloaded\"}", answer.body);
        // The connection is as good as before, and what needs no worker is served.
        equal("loop", late.request(get("/loop")).body);
        gate.open();
        for (auto& one : waiting) equal(200, one.receive().status);
        equal(200, late.request(get("/held")).status);
    }

    TEST(longWorkBlocksNoOtherRequest)
    {
        settings.longQueue = 1;
        Gate gate;
        std::atomic<int> preparing{0};
        TestRoute lasting;
        lasting.admission = {.body = BodyMode::Memory, .lane = Lane::Long, .prepareFirst = true};
        lasting.prepare = [&preparing](Exchange& exchange)
        {
            ++preparing;
            if (exchange.request.header("Authorization") == "good") return true;
            exchange.response.status = 401;
            return false;
        };
        lasting.handle = [&gate](Exchange&) { gate.pass(); };
        application.route("/import", lasting);
        TestRoute hash;
        hash.admission.lane = Lane::Heavy;
        hash.handle = [](Exchange& exchange) { exchange.response.body = "hash"; };
        application.route("/hash", hash);
        start();
        std::vector<RawClient> waiting;
        for (std::uint64_t queued : {0, 1})
        {
            waiting.push_back(client());
            waiting.back().send(post("/import", "a,b", "Authorization: good\r\n"));
            if (queued == 0) CHECK(application.awaitHandling(1));
            CHECK(await([&](const auto& now) { return now.longWorkers.queued == queued; }));
        }
        equal(1, server->statistics().longWorkers.busy);
        // An anonymous request and an import above the limit are answered at once; other requests continue.
        auto late = client();
        equal(401, late.request(post("/import", "a,b")).status);
        const auto refused = late.request(post("/import", "a,b", "Authorization: good\r\n"));
        equal(503, refused.status);
        equal("1", refused.header("retry-after"));
        equal(4, preparing.load());
        auto other = client();
        equal("hash", other.request(get("/hash")).body);
        equal(200, other.request(get("/worker")).status);
        gate.open();
        for (auto& one : waiting) equal(200, one.receive().status);
    } // namespace portico::test

    TEST(oneTenantHasHalfOfTheLongThreads)
    {
        settings.longWorkers = 4;
        settings.longQueue = 8;
        Gate gate;
        TestRoute lasting;
        lasting.admission = {.body = BodyMode::Memory, .lane = Lane::Long, .prepareFirst = true};
        lasting.prepare = [](Exchange& exchange)
        {
            exchange.tenant = exchange.request.header("X-Tenant") == "slow" ? 1 : 2;
            return true;
        };
        lasting.handle = [&gate](Exchange& exchange)
        {
            if (exchange.tenant == 1) gate.pass();
        };
        application.route("/import", lasting);
        start();
        const auto slow = post("/import", "a,b", "X-Tenant: slow\r\n"), quick = post("/import", "a,b", "X-Tenant: quick\r\n");
        std::vector<RawClient> waiting;
        for (std::uint64_t sent = 1; sent <= 6; ++sent)
        {
            waiting.push_back(client());
            waiting.back().send(slow);
            const auto running = std::min<std::uint64_t>(sent, 2);
            CHECK(await([&](const auto& now) { return now.longWorkers.busy == running && now.longWorkers.queued == sent - running; }));
        }
        // The tenant also has half of the queue: one more is rejected, and other tenants continue.
        auto late = client();
        equal(503, late.request(slow).status);
        auto other = client();
        for (int i = 0; i < 3; ++i) equal(200, other.request(quick).status);
        CHECK(await([](const auto& now) { return now.longWorkers.busy == 2 && now.longWorkers.queued == 4; }));
        // A queued request starts when a thread of its tenant is free.
        gate.open();
        for (auto& one : waiting) equal(200, one.receive().status);
        equal(200, late.request(slow).status);
    }

    TEST(turnsAwayConnectionsBeyondTheLimit)
    {
        settings.maxConnections = 2;
        start();
        auto first = client();
        auto second = client();
        equal(200, first.request(get("/worker")).status);
        equal(200, second.request(get("/worker")).status);
        auto third = client();
        equal(503, third.receive().status);
        CHECK(third.ended());
        equal(200, first.request(get("/worker")).status);
        equal(1, server->statistics().connectionsRefused);
    }

    void stream(const std::string& path, int pieces)
    {
        TestRoute route;
        route.handle = [this, pieces](Exchange& exchange)
        { exchange.response.source = std::make_unique<CountingSource>(_alive, _produced, pieces); };
        application.route(path, std::move(route));
    }

    /// Returns once the loop has gone round: what was sent before has been read. Not admitted, so that it does not count.
    void roundTrip() { equal(400, client().request("GET / HTTP/1.1\r\n\r\n").status); }

    std::atomic<int> _alive{0};
    std::atomic<int> _produced{0};
};

} // namespace portico::test
