#include "http_server/ServerFixture.h"
#include "http_server/TemporaryDirectory.h"
#include "http_server/TestCertificate.h"

#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace portico::test
{

using std::chrono::milliseconds;

/// The last response on a connection whose client still sends must reach the client, at a bounded cost.
class LingeringTest : public Suite<LingeringTest, ServerFixture>
{
    static constexpr std::size_t largeBytes = 16 * 1024 * 1024;

public:
    void setUp() override
    {
        ServerFixture::setUp();
        // A client under TLS writes to a server that has gone.
        std::signal(SIGPIPE, SIG_IGN);
        echo("/small", {.body = BodyMode::Memory, .bodyLimit = 1000});
        TestRoute missing;
        missing.admission.answered = true;
        application.route("/missing", missing);
        TestRoute closed;
        closed.admission = {.body = BodyMode::File, .bodyLimit = 2 * largeBytes, .prepareFirst = true};
        closed.prepare = [](Exchange& exchange)
        {
            exchange.response.status = 401;
            return false;
        };
        application.route("/closed", closed);
    }

    TEST(refusalsReachClientsThatStillSend)
    {
        start();
        expectRefusals([this] { return client(); });
    }

    TEST(refusalsReachClientsThatStillSendUnderTls)
    {
        TemporaryDirectory directory;
        const host::http::TlsSettings tls{directory.path() + "/chain.pem", directory.path() + "/key.pem"};
        writeCertificate(tls.certificateChainFile, tls.privateKeyFile);
        start({.address = "127.0.0.1:0", .tls = tls});
        expectRefusals(
            [this]
            {
                auto client = this->client();
                client.startTls();
                return client;
            });
    }

    TEST(isBoundedInTime)
    {
        settings.lingerTime = milliseconds(300);
        start();
        auto client = refused();
        while (client.send("x")) client.hasInput(milliseconds(10));
        CHECK(await([](const auto& now) { return now.connections == 0; }));
    }

    TEST(isBoundedInPauses)
    {
        settings.lingerPause = milliseconds(100);
        start();
        const auto client = refused();
        CHECK(await([](const auto& now) { return now.connections == 0; }));
    }

    TEST(isBoundedInBytes)
    {
        settings.lingerBytes = 2 * 1024 * 1024;
        start();
        CHECK(!refused().send(std::string(largeBytes, 'x')));
    }

    TEST(isBoundedInNumber)
    {
        settings.maxLingering = 1;
        start();
        auto first = refused();
        CHECK(!refused().send(std::string(largeBytes, 'x')));
        CHECK(first.send(std::string(largeBytes, 'x')));
        first.close();
        CHECK(await([](const auto& now) { return now.connections == 0; }));
        CHECK(refused().send(std::string(largeBytes, 'x')));
    }

    TEST(doesNotHoldUpTheServersEnd)
    {
        settings.lingerTime = settings.lingerPause = std::chrono::minutes(10);
        start();
        const auto client = refused();
        CHECK(server->stop(std::chrono::seconds(10)));
    }

    TEST(closedConnectionsOfAForkedChildGetNoEvents)
    {
        settings.lingerPause = milliseconds(100);
        say("/hello", "hello");
        start();
        std::vector<RawClient> clients;
        for (int i = 0; i < 8; ++i) clients.push_back(refused());
        const auto child = ::fork();
        if (child == 0)
        {
            ::alarm(60); // where the server crashes, nothing else ends it
            ::pause();
            ::_exit(0);
        }
        CHECK(await([](const auto& now) { return now.connections == 0; }));
        // The child keeps the server's sockets open: the peers can still send.
        for (auto& each : clients) each.send("x");
        const auto status = client().request(get("/hello")).status;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        equal(200, status);
    }

private:
    static std::string head(const std::string& path, const std::string& headers = {})
    {
        return "POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: 100000000\r\n" + headers + "\r\n";
    }

    /// A client that has read its refusal and the end of the connection.
    RawClient refused()
    {
        auto client = this->client();
        equal(413, client.request(head("/small")).status);
        CHECK(client.ended());
        return client;
    }

    template <class Connect>
    void expectRefusals(Connect connect)
    {
        const std::string body(largeBytes, 'x');
        for (const std::string headers : {"", "Connection: close\r\n"})
            for (const auto& [path, status] : {std::pair{"/small", 413}, {"/missing", 200}, {"/closed", 401}})
            {
                auto client = connect();
                CHECK(client.send("POST " + std::string(path) +
                                  " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n"));
                CPPUNIT_ASSERT_MESSAGE(path, client.send(body));
                equal(status, client.receive().status);
                CHECK(client.ended());
            }
    }
};

} // namespace portico::test
