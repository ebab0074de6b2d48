#include "http_server/ServerFixture.h"

#include <atomic>

namespace portico::test
{

/// Requests and responses as they should be.
class MessagesTest : public Suite<MessagesTest, ServerFixture>
{
    TEST(answersOnTheLoopAndOnAWorker)
    {
        say("/loop", "from the loop");
        TestRoute worker;
        worker.handle = [](Exchange& exchange) { exchange.response.body = "from a worker"; };
        application.route("/worker", worker);
        start();
        auto client = this->client();
        equal("from the loop", client.request(get("/loop")).body);
        equal("from a worker", client.request(get("/worker")).body);
        equal(404, client.request(get("/nothing")).status);
        CHECK(application.awaitFinished(3));
        equal(3, application.delivered());
    }

    /// The loop serves other requests until then. A worker handles what the loop cannot.
    TEST(waitsForWhatAnAdmissionNeeds)
    {
        std::function<void()> ready;
        std::thread::id handledOn;
        TestRoute slow;
        slow.admission.waits = true;
        std::atomic<int> fetched{0};
        slow.fetch = [&ready, &fetched](std::function<void()> call)
        {
            ready = std::move(call);
            ++fetched;
        };
        slow.handle = [&handledOn](Exchange& exchange)
        {
            handledOn = std::this_thread::get_id();
            exchange.response.body = "slow";
        };
        application.route("/slow", slow);
        slow.fetch = [](const std::function<void()>& call) { call(); };
        slow.loopSuffices = false;
        application.route("/worker", slow);
        std::thread::id loop;
        application.route("/quick",
                          [&loop](Exchange& exchange)
                          {
                              loop = std::this_thread::get_id();
                              exchange.response.body = "quick";
                          });
        start();
        auto waiting = client(), other = client();
        waiting.send(get("/slow"));
        CHECK(await([&fetched](const auto&) { return fetched == 1; }));
        equal("quick", other.request(get("/quick")).body);
        equal(1, application.handled());
        std::thread([&ready] { ready(); }).join();
        equal("slow", waiting.receive().body);
        CHECK(handledOn == loop);
        equal("slow", waiting.request(get("/worker")).body);
        CHECK(handledOn != loop);
        // Its client is gone before it is ready.
        waiting.send(get("/slow"));
        CHECK(await([&fetched](const auto&) { return fetched == 2; }));
        waiting.close();
        equal("quick", other.request(get("/quick")).body);
        ready();
        CHECK(application.awaitFinished(5));
    }

    TEST(showsTheWholeRequest)
    {
        application.route("/a%20b",
                          [](Exchange& exchange)
                          {
                              const auto& request = exchange.request;
                              exchange.response.body = std::string(name(request.method)) + '|' + std::string(request.query) + '|' +
                                                       std::string(request.header("x-thing")) + '|' + std::string(exchange.host) + '|' +
                                                       std::string(request.origin) + '|' + std::string(request.clientAddress) + '|' +
                                                       std::string(exchange.peerAddress) + '|' + std::string(exchange.listenerService);
                          });
        start({.address = "127.0.0.1:0", .service = "crm"});
        const auto answer = client().request("DELETE /a%20b?x=1&y=[2] HTTP/1.1\r\nHost: CRM.Localhost:80\r\nX-Thing: \t value \r\n\r\n");
        equal("DELETE|x=1&y=[2]|value|crm.localhost|http://crm.localhost|127.0.0.1|127.0.0.1|crm", answer.body);
    }

    /// RFC 3986, 3.2.2: the dot says that the name is whole.
    TEST(aFinalDotIsNoOtherName)
    {
        application.route("/", [](Exchange& exchange) { exchange.response.body = exchange.host; });
        start();
        auto client = this->client();
        for (const auto& [sent, read] : std::vector<std::pair<std::string, std::string>>{{"crm.example.org.", "crm.example.org"},
                                                                                         {"CRM.Example.org.:8443", "crm.example.org:8443"},
                                                                                         {"crm.example.org.:80", "crm.example.org"},
                                                                                         {"localhost.:9140", "localhost:9140"},
                                                                                         {"[::1]:9140", "[::1]:9140"},
                                                                                         {"crm.example.org..", "crm.example.org.."},
                                                                                         {".", "."}})
            equal(read, client.request("GET / HTTP/1.1\r\nHost: " + sent + "\r\n\r\n").body, sent);
    }

    TEST(addsTheHeadersOfEveryAnswer)
    {
        application.route("/",
                          [](Exchange& exchange)
                          {
                              exchange.response.contentType = "text/html";
                              exchange.response.addHeader("Referrer-Policy", "strict-origin-when-cross-origin");
                          });
        start();
        const auto answer = client().request(get("/"));
        equal(26, answer.header("x-request-id").size());
        equal("nosniff", answer.header("x-content-type-options"));
        equal("strict-origin-when-cross-origin", answer.header("referrer-policy"));
        equal("0", answer.header("content-length"));
        CHECK(answer.header("date").ends_with(" GMT"));
        CHECK(!answer.has("strict-transport-security"));
    }

    TEST(answersPipelinedRequestsInOrder)
    {
        say("/loop", "loop");
        TestRoute worker;
        worker.admission.body = BodyMode::Memory;
        worker.handle = [](Exchange& exchange) { exchange.response.body = "worker:" + std::string(exchange.request.body); };
        application.route("/worker", worker);
        start();
        auto client = this->client();
        std::string all;
        constexpr int rounds = 100;
        for (int i = 0; i < rounds; ++i) all += post("/worker", std::to_string(i)) + get("/loop");
        client.send(all);
        for (int i = 0; i < rounds; ++i)
        {
            equal("worker:" + std::to_string(i), client.receive().body);
            equal("loop", client.receive().body);
        }
    }

    TEST(keepsAndClosesConnectionsAsAsked)
    {
        say("/", "x");
        start();
        auto asked = client();
        equal("close", asked.request(get("/", "Connection: foo, Close\r\n")).header("connection"));
        CHECK(asked.ended());

        auto old = client();
        equal("close", old.request("GET / HTTP/1.0\r\n\r\n").header("connection"));
        CHECK(old.ended());

        auto kept = client();
        equal("keep-alive", kept.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").header("connection"));
        equal("x", kept.request(get("/")).body);

        auto halfClosed = client();
        halfClosed.send(get("/"));
        halfClosed.finishSending();
        equal("x", halfClosed.receive().body);
        CHECK(halfClosed.ended());
    }

    TEST(answersHeadWithoutBody)
    {
        say("/", "twelve bytes");
        start();
        auto client = this->client();
        const auto answer = client.request("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n", true);
        equal("12", answer.header("content-length"));
        equal("twelve bytes", client.request(get("/")).body);
    }

    TEST(takesHeadsInAnyPieces)
    {
        say("/", "x");
        start();
        auto client = this->client();
        const auto request = "\r\n" + get("/", "X-Long: " + std::string(6000, 'a') + "\r\n");
        for (std::size_t cut = 1; cut < request.size(); cut += cut < 80 ? 1 : 997)
        {
            client.send(std::string_view(request).substr(0, cut));
            client.send(std::string_view(request).substr(cut));
            equal("x", client.receive().body);
        }
    }

    TEST(closesAfterTheLastRequestOfAConnection)
    {
        settings.maxRequestsPerConnection = 2;
        say("/", "x");
        start();
        auto client = this->client();
        client.send(get("/") + get("/") + get("/"));
        CHECK(!client.receive().has("connection"));
        equal("close", client.receive().header("connection"));
        CHECK(client.ended());
        equal(2, application.admitted());
    }
};

} // namespace portico::test
