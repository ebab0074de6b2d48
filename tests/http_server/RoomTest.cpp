#include "host/base/IpAddress.h"
#include "host/base/PlaceCounts.h"
#include "http_server/ServerFixture.h"

#include <string>
#include <utility>
#include <vector>

namespace portico::test
{

using host::IpAddress;

/// How much room one client, and all bodies together, may have.
class RoomTest : public Suite<RoomTest, ServerFixture>
{
    static constexpr std::size_t budget = 256 * 1024;

public:
    void setUp() override
    {
        ServerFixture::setUp();
        settings.bodyMemoryBytes = budget;
        echo("/known", {.body = BodyMode::Memory, .prepareFirst = true});
        echo("/open", {.body = BodyMode::Memory});
    }

    TEST(bodiesShareTheMemory)
    {
        start();
        auto first = client();
        first.send(head("/known", 200'000) + std::string(199'999, 'x'));
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes >= 199'999; }));
        auto second = client();
        second.send(head("/known", 200'000) + std::string(100'000, 'x'));
        const auto refused = second.receive();
        equal(503, refused.status);
        equal("{\"code\":\"overloaded\"}", refused.body);
        equal("1", refused.header("retry-after"));
        // Small bodies are still accepted.
        equal(200, client().request(post("/open", std::string(10'000, 'x'))).status);
        equal(200, first.request("x").status);
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes == 0; }));
        equal(200, client().request(post("/known", std::string(200'000, 'x'))).status);
    }

    TEST(strangersHaveHalfOfIt)
    {
        start();
        equal(200, client().request(post("/open", std::string(budget / 2 - 20'000, 'x'))).status);
        auto stranger = client();
        stranger.send(post("/open", std::string(budget / 2 + 20'000, 'x')));
        equal(503, stranger.receive().status);
        equal(200, client().request(post("/known", std::string(budget / 2 + 20'000, 'x'))).status);
    }

    TEST(uploadsGoToTheirFilesInstead)
    {
        settings.bodyMemoryBytes = 32 * 1024;
        settings.spoolThreshold = 10'000'000;
        TestRoute route;
        route.admission = {.body = BodyMode::File, .bodyLimit = 10'000'000};
        route.handle = [](Exchange& exchange)
        {
            const auto& file = *exchange.request.file;
            exchange.response.body = std::to_string(file.size()) + (file.descriptor() >= 0 ? " in a file" : " in memory");
        };
        application.route("/file", route);
        start();
        equal("500000 in a file", client().request(post("/file", std::string(500'000, 'x'))).body);
        equal("10000 in memory", client().request(post("/file", std::string(10'000, 'x'))).body);
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes == 0; }));
    }

    TEST(memoryIsFreeOnceClientsGo)
    {
        start();
        auto gone = client();
        gone.send(head("/known", 200'000) + std::string(100'000, 'x'));
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes >= 100'000; }));
        gone.reset();
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes == 0; }));
    }

    TEST(memoryIsFreeWhileAnswersAreRead)
    {
        TestRoute route;
        route.admission = {.body = BodyMode::Memory, .prepareFirst = true};
        route.handle = [](Exchange& exchange) { exchange.response.body.assign(exchange.request.body.size() * 100, 'x'); };
        application.route("/large", route);
        start();
        auto reader = client();
        reader.shrinkReceiveBuffer();
        reader.send(post("/large", std::string(200'000, 'x')));
        CHECK(application.awaitHandling(1));
        CHECK(await([](const auto& now) { return now.bodyMemoryBytes == 0; }));
        equal(0, application.finishedCount());
        equal(20'000'000, reader.receive().body.size());
    }

    TEST(oneAddressHasSoManyConnections)
    {
        settings.connectionsPerAddress = 2;
        settings.uncountedPeers.clear();
        start();
        auto first = client();
        auto second = client();
        for (auto* known : {&first, &second}) equal(404, known->request(get("/")).status);
        auto third = client();
        const auto refused = third.receive();
        equal(503, refused.status);
        equal("1", refused.header("retry-after"));
        CHECK(third.ended());
        equal(1, server->statistics().connectionsRefused);
        first.close();
        CHECK(await([](const auto& now) { return now.connections == 1; }));
        equal(404, client().request(get("/")).status);
    }

    TEST(proxiesAndThisMachineAreNotCounted)
    {
        settings.connectionsPerAddress = 1;
        expectMany();
        settings.uncountedPeers.clear();
        settings.trustedProxies = {"127.0.0.1"};
        expectMany();
    }

    TEST(networksCountAsOne)
    {
        host::PlaceCounts<IpAddress> counts;
        const auto enter = [&counts](std::string_view address) { return counts.enter(IpAddress::parse(address)->network(), 1); };
        auto place = enter("2001:db8::1");
        CHECK(place);
        CHECK(!enter("2001:db8::ffff:2"));
        CHECK(enter("2001:db8:0:1::1"));
        CHECK(enter("203.0.113.7"));
        const auto mapped = enter("::ffff:203.0.113.8");
        CHECK(!enter("203.0.113.8"));
        auto moved = std::move(place);
        CHECK(!enter("2001:db8::1"));
        moved = {};
        CHECK(enter("2001:db8::1"));
    }

    TEST(addressesHaveOneForm)
    {
        const std::vector<std::pair<std::string, std::string>> forms = {
            {"203.0.113.7", "203.0.113.7"},      {"::ffff:203.0.113.7", "203.0.113.7"},
            {"::FFFF:cb00:7107", "203.0.113.7"}, {"0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"},
            {"2001:DB8:0::1", "2001:db8::1"},    {"::1", "::1"}};
        for (const auto& [given, usual] : forms) equal(usual, IpAddress::parse(given)->text());
        for (const auto* none : {"", "203.0.113", "203.0.113.7:80", "::ffff:203.0.113.7%eth0", "fe80::1::2"})
            CPPUNIT_ASSERT_MESSAGE(none, !IpAddress::parse(none));
    }

private:
    static std::string head(const std::string& path, std::size_t length)
    {
        return "POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
    }

    void expectMany()
    {
        start();
        std::vector<RawClient> clients;
        for (int i = 0; i < 3; ++i)
        {
            clients.push_back(client());
            equal(404, clients.back().request(get("/")).status);
        }
    }
};

} // namespace portico::test
