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

/// The last word on a connection whose client still sends: it must reach the client, at a bounded price.
class LingeringTest : public ServerFixture
{
    CPPUNIT_TEST_SUITE(LingeringTest);
    CPPUNIT_TEST(refusalsReachClientsThatStillSend);
    CPPUNIT_TEST(refusalsReachClientsThatStillSendUnderTls);
    CPPUNIT_TEST(isBoundedInTime);
    CPPUNIT_TEST(isBoundedInPauses);
    CPPUNIT_TEST(isBoundedInBytes);
    CPPUNIT_TEST(isBoundedInNumber);
    CPPUNIT_TEST(doesNotHoldUpTheServersEnd);
    CPPUNIT_TEST(closedConnectionsOfAForkedChildGetNoEvents);
    CPPUNIT_TEST_SUITE_END();

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

    void refusalsReachClientsThatStillSend()
    {
        start();
        expectRefusals([this] { return client(); });
    }

    void refusalsReachClientsThatStillSendUnderTls()
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

    void isBoundedInTime()
    {
        settings.lingerTime = milliseconds(300);
        start();
        auto client = refused();
        while (client.send("x")) client.hasInput(milliseconds(10));
        CPPUNIT_ASSERT(await([](const auto& now) { return now.connections == 0; }));
    }

    void isBoundedInPauses()
    {
        settings.lingerPause = milliseconds(100);
        start();
        const auto client = refused();
        CPPUNIT_ASSERT(await([](const auto& now) { return now.connections == 0; }));
    }

    void isBoundedInBytes()
    {
        settings.lingerBytes = 2 * 1024 * 1024;
        start();
        CPPUNIT_ASSERT(!refused().send(std::string(largeBytes, 'x')));
    }

    void isBoundedInNumber()
    {
        settings.maxLingering = 1;
        start();
        auto first = refused();
        CPPUNIT_ASSERT(!refused().send(std::string(largeBytes, 'x')));
        CPPUNIT_ASSERT(first.send(std::string(largeBytes, 'x')));
        first.close();
        CPPUNIT_ASSERT(await([](const auto& now) { return now.connections == 0; }));
        CPPUNIT_ASSERT(refused().send(std::string(largeBytes, 'x')));
    }

    void doesNotHoldUpTheServersEnd()
    {
        settings.lingerTime = settings.lingerPause = std::chrono::minutes(10);
        start();
        const auto client = refused();
        CPPUNIT_ASSERT(server->stop(std::chrono::seconds(10)));
    }

    void closedConnectionsOfAForkedChildGetNoEvents()
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
        CPPUNIT_ASSERT(await([](const auto& now) { return now.connections == 0; }));
        // The child keeps the server's sockets open: the peers can still send.
        for (auto& each : clients) each.send("x");
        const auto status = client().request(get("/hello")).status;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        CPPUNIT_ASSERT_EQUAL(200, status);
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
        CPPUNIT_ASSERT_EQUAL(413, client.request(head("/small")).status);
        CPPUNIT_ASSERT(client.ended());
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
                CPPUNIT_ASSERT(client.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\nContent-Length: " +
                                           std::to_string(body.size()) + "\r\n" + headers + "\r\n"));
                CPPUNIT_ASSERT_MESSAGE(path, client.send(body));
                CPPUNIT_ASSERT_EQUAL(status, client.receive().status);
                CPPUNIT_ASSERT(client.ended());
            }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LingeringTest);

} // namespace portico::test
