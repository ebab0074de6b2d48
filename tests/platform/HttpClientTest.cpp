#include "platform/Certificates.h"
#include "platform/HttpClientFixture.h"
#include "platform/HttpReceiver.h"
#include "platform/LogLines.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/platform/outbound/GuardedHttpClient.h"

#include "portico/Problem.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include <array>
#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

namespace portico::tests
{

using host::platform::GuardedHttpClient;
using host::platform::HttpClientSettings;
using namespace std::chrono_literals;

class HttpClientTest : public Suite<HttpClientTest, HttpClientFixture>
{
    TEST(exchangesMessages)
    {
        HttpReceiver server(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_CREATED);
                response.set("X-Answer", "42");
                response.setChunkedTransferEncoding(true);
                response.send() << "made";
            });
        HttpClient::Request request;
        request.method = "POST";
        request.url = server.url("/things?x=a%20b#part");
        request.headers = {{"Content-Type", "text/plain"}, {"X-Question", "6*7"}};
        request.body = "body";
        const auto response = client().send(request);
        equal(201, response.status);
        equal("made", response.body);
        CHECK(std::find(response.headers.begin(), response.headers.end(), std::pair<std::string, std::string>("X-Answer", "42")) !=
              response.headers.end());
        const auto received = server.received().at(0);
        equal("POST", received.method);
        equal("/things?x=a%20b", received.uri);
        equal("6*7", received.headers.at("X-Question"));
        equal("4", received.headers.at("Content-Length"));
        equal("body", received.body);
    }

    TEST(keepsTheNameInHost)
    {
        HttpReceiver server;
        GuardedHttpClient client(loopback(), [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; });
        client.send(get("http://hooks.example:" + std::to_string(server.port()) + "/"));
        equal("hooks.example:" + std::to_string(server.port()), server.received().at(0).headers.at("Host"));
    }

    TEST(followsNoRedirect)
    {
        HttpReceiver server(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_FOUND);
                response.set("Location", "/elsewhere");
                response.setContentLength(0);
                response.send();
            });
        equal(302, client().send(get(server.url())).status);
        equal(1, server.received().size());
    }

    TEST(refusesOurOwnNetworks)
    {
        HttpReceiver server;
        const auto port = ":" + std::to_string(server.port()) + "/";
        GuardedHttpClient client(HttpClientSettings{});
        for (const auto* host : {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
                                 "0", "0.0.0.0", "[::]", "169.254.169.254", "127.0.0.1."})
        {
            const auto problem = problemOf(client, "http://" + std::string(host) + port);
            // Text that the resolver rejects has no address.
            CPPUNIT_ASSERT_MESSAGE(host, problem.code() == "address_not_allowed" || problem.code() == "upstream_failed");
        }
        equal("address_not_allowed", problemOf(client, "http://127.0.0.1" + port).code());
        equal(400, problemOf(client, "http://localhost" + port).status());
        CHECK(server.received().empty());
    }

    TEST(logsWhichSettingAllowsAnAddress)
    {
        LogLines log;
        HttpClientSettings settings;
        settings.log = &log;
        GuardedHttpClient client(settings);
        // The caller may be a tenant, who learns neither the address behind a name nor the settings of the host.
        equal("'localhost' leads to an address that is not a public one.", problemOf(client, "http://localhost:1/").detail());
        CHECK(log.contains("outbound.allowedNetworks"));
    }

    TEST(reachesTheNamedPortOfAnAddressOnly)
    {
        HttpReceiver named, other;
        HttpClientSettings settings;
        settings.allowedAddresses = {"127.0.0.1:" + std::to_string(named.port())};
        GuardedHttpClient client(settings);
        equal(200, client.send(get(named.url("/"))).status);
        equal("address_not_allowed", problemOf(client, other.url("/")).code());
        CHECK(other.received().empty());
        CHECK(client.isAllowedByOperator("http://localhost:" + std::to_string(named.port()) + "/"));
        CHECK(!client.isAllowedByOperator("http://localhost:" + std::to_string(other.port()) + "/"));
        for (const auto* url : {"https://8.8.8.8/", "https://example.org/", "nonsense", "ftp://127.0.0.1/"})
            CPPUNIT_ASSERT_MESSAGE(url, !client.isAllowedByOperator(url));
        GuardedHttpClient inNetwork(loopback());
        CHECK(inNetwork.isAllowedByOperator("http://127.0.0.1:1/"));
        CHECK(!inNetwork.isAllowedByOperator("http://10.0.0.1/"));
    }

    TEST(judgesAnAddressBeforeItIsCalled)
    {
        GuardedHttpClient client(HttpClientSettings{},
                                 [](const std::string&) -> std::vector<std::string> { throw std::logic_error("no name server is asked"); });
        for (const auto* host : {"127.0.0.1", "localhost", "LocalHost.", "hooks.localhost", "[::1]", "[::ffff:10.0.0.1]", "2130706433",
                                 "0x7f000001", "0177.0.0.1", "127.1", "0", "[::]", "10.1.2.3", "172.16.0.1", "192.168.1.1",
                                 "169.254.169.254", "[fe80::1]", "[fd00::1]", "127.0.0.1."})
            equal("address_not_allowed", verdict(client, "https://" + std::string(host) + "/"), host);
        for (const auto* url :
             {"ftp://example.com/", "https://user:secret@example.com/", "https://user@8.8.8.8/", "https://", "https://a:0/"})
            equal("address_not_allowed", verdict(client, url), url);
        for (const auto* url : {"https://example.com/", "https://8.8.8.8/", "https://localhost.example.com/", "https://[2606:4700::1111]/"})
            equal("", verdict(client, url), url);
        GuardedHttpClient allowing(loopback());
        equal("", verdict(allowing, "http://localhost:8080/"));
        equal("address_not_allowed", verdict(allowing, "http://10.0.0.1/"));
    }

    TEST(refusesANameWithOneBadAddress)
    {
        GuardedHttpClient client(HttpClientSettings{}, [](const std::string&) { return std::vector<std::string>{"8.8.8.8", "10.0.0.1"}; });
        equal("address_not_allowed", problemOf(client, "http://rebinding.example/").code());
    }

    TEST(resolvesOnce)
    {
        HttpReceiver server;
        int asked = 0;
        GuardedHttpClient client(loopback(),
                                 [&](const std::string&)
                                 {
                                     ++asked;
                                     return std::vector<std::string>{asked == 1 ? "127.0.0.1" : "10.0.0.1"};
                                 });
        client.send(get("http://rebinding.example:" + std::to_string(server.port()) + "/"));
        equal(1, asked);
        equal(1, server.received().size());
    }

    TEST(refusesOtherUrls)
    {
        for (const auto* url : {"ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "", "http://",
                                "http:///path", "http://user:secret@127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:99999/"})
            equal("address_not_allowed", problemOf(client(), url).code(), url);
    }

    TEST(refusesForgedHeaders)
    {
        HttpReceiver server;
        for (const auto& header : std::vector<std::pair<std::string, std::string>>{{"X-A", "b\r\nX-C: d"},
                                                                                   {"X-A\r\nX-B", "c"},
                                                                                   {"X A", "b"},
                                                                                   {"", "b"},
                                                                                   {"host", "evil"},
                                                                                   {"Content-Length", "9"},
                                                                                   {"transfer-encoding", "chunked"}})
        {
            auto request = get(server.url());
            request.headers = {header};
            CPPUNIT_ASSERT_THROW_MESSAGE(header.first, client().send(request), std::invalid_argument);
        }
        auto request = get(server.url());
        request.method = "GET / HTTP/1.1\r\nX: y";
        CPPUNIT_ASSERT_THROW(client().send(request), std::invalid_argument);
        CHECK(server.received().empty());
    }

    TEST(limitsTheAnswer)
    {
        HttpReceiver server(HttpReceiver::respond(200, std::string(1'001, 'x')));
        auto request = get(server.url());
        request.maxResponseBytes = 1'001;
        equal(1'001, client().send(request).body.size());
        request.maxResponseBytes = 1'000;
        CPPUNIT_ASSERT_THROW(client().send(request), Problem);
    }

    TEST(limitsAnEndlessAnswer)
    {
        RawServer server(
            [](Poco::Net::StreamSocket& socket)
            {
                send(socket, "HTTP/1.1 200 OK\r\n\r\n");
                while (send(socket, std::string(10'000, 'x'))) continue;
            });
        equal(502, problemOf(client(), server.url()).status());
    }

    TEST(noticesACutAnswer)
    {
        RawServer server([](Poco::Net::StreamSocket& socket) { send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"); });
        equal("upstream_failed", problemOf(client(), server.url()).code());
    }

    TEST(chunkedAnswerWithoutItsLastChunkFails)
    {
        for (const auto* body : {"", "5\r\nfirst\r\n", "5\r\nfirst\r\n6\r\nsec", "5\r\nfirst\r\n6", "5\r\nfirst\r\n6\r\nsecond"})
        {
            RawServer server([&](Poco::Net::StreamSocket& socket) { respond(socket, chunked(body)); });
            equal("upstream_failed", problemOf(client(), server.url()).code(), body);
        }
    }

    TEST(chunkedAnswerEndsWithItsTrailer)
    {
        RawServer server(
            [](Poco::Net::StreamSocket& socket)
            {
                respond(socket, chunked("5\r\nfirst\r\n6;name=value\r\nsecond\r\n0\r\nX-Sum: 1\r\nX-Two: 2\r\n\r\n"));
                // The connection stays open until the client closes it: the last chunk ends the answer.
                char byte = 0;
                while (socket.receiveBytes(&byte, 1) > 0) continue;
            });
        auto request = get(server.url());
        request.maxResponseBytes = 11;
        const auto response = client().send(request);
        equal(200, response.status);
        equal("firstsecond", response.body);
        equal(11, response.bodyBytes);
        CHECK(response.header("X-Sum") == nullptr);
    }

    TEST(limitsAChunkedAnswer)
    {
        RawServer server([](Poco::Net::StreamSocket& socket) { respond(socket, chunked("5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n")); });
        auto request = get(server.url());
        request.maxResponseBytes = 10;
        equal("The other server's answer is too large.", problemOf(client(), request).detail());
    }

    TEST(answerWithoutFramingEndsWithTheConnection)
    {
        RawServer server([](Poco::Net::StreamSocket& socket) { respond(socket, "HTTP/1.1 200 OK\r\n\r\nall of it"); });
        equal("all of it", client().send(get(server.url())).body);
    }

    TEST(endsAtTheDeadline)
    {
        // A byte now and then satisfies every single read, so only the whole time ends it.
        RawServer server(
            [](Poco::Net::StreamSocket& socket)
            {
                while (send(socket, "H")) std::this_thread::sleep_for(5ms);
            });
        auto request = get(server.url());
        request.timeout = 50ms;
        equal(502, problemOf(client(), request).status());
    }

    TEST(isInterrupted)
    {
        std::latch accepted(1);
        RawServer server(
            [&](Poco::Net::StreamSocket& socket)
            {
                accepted.count_down();
                char byte = 0;
                while (socket.receiveBytes(&byte, 1) > 0) continue;
            });
        std::atomic<int> status{0};
        auto& waiter = client();
        std::thread waiting([&] { status = problemOf(waiter, server.url()).status(); });
        accepted.wait();
        waiter.interrupt();
        waiting.join();
        equal(502, status.load());
    }

    TEST(reportsDeadServers)
    {
        const auto freePort = [] { return Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port(); }();
        equal(502, problemOf(client(), "http://127.0.0.1:" + std::to_string(freePort) + "/").status());
        equal(502, problemOf(client(), "http://nowhere.invalid/").status());
        RawServer silent([](Poco::Net::StreamSocket&) {});
        equal(502, problemOf(client(), silent.url()).status());
    }

    TEST(triesTheNextAddress)
    {
        HttpReceiver server;
        GuardedHttpClient client(loopback(), [](const std::string&) { return std::vector<std::string>{"127.0.0.9", "127.0.0.1"}; });
        equal(200, client.send(get("http://two.example:" + std::to_string(server.port()) + "/")).status);
    }

    TEST(checksCertificates)
    {
        const TemporaryDirectory directory;
        const auto certificate = makeCertificate(directory.path(), "hooks.example");
        const Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, certificate.keyFile,
                                                                       certificate.certificateFile, "", Poco::Net::Context::VERIFY_NONE);
        HttpReceiver server(HttpReceiver::respond(200, "secret"),
                            Poco::Net::SecureServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0), 64, context));
        const auto resolver = [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; };
        const auto port = ":" + std::to_string(server.port()) + "/";

        auto settings = loopback();
        GuardedHttpClient distrusts(settings, resolver);
        equal(502, problemOf(distrusts, "https://hooks.example" + port).status());
        settings.certificateAuthorities = certificate.certificateFile;
        GuardedHttpClient trusts(settings, resolver);
        equal("secret", trusts.send(get("https://hooks.example" + port)).body);
        equal(502, problemOf(trusts, "https://other.example" + port).status());
        equal(1, server.received().size());
    }

    static std::string chunked(const std::string& body) { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body; }
    /// Reads a request without a body before it sends the answer: closing with unread bytes would reset the connection.
    static void respond(Poco::Net::StreamSocket& socket, const std::string& text)
    {
        std::string received;
        std::array<char, 4'096> buffer{};
        while (!received.ends_with("\r\n\r\n"))
        {
            const int count = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
            if (count <= 0) return;
            received.append(buffer.data(), static_cast<std::size_t>(count));
        }
        send(socket, text);
    }
    /// Empty: it may be called.
    static std::string verdict(const GuardedHttpClient& client, std::string_view url)
    {
        try
        {
            client.requireAllowed(url);
            return {};
        }
        catch (const HttpFailure& refused)
        {
            return refused.code();
        }
    }
    static Problem problemOf(HttpClient& client, const HttpClient::Request& request)
    {
        try
        {
            client.send(request);
        }
        catch (const Problem& problem)
        {
            return problem;
        }
        CPPUNIT_FAIL(request.url + " was answered");
        return Problem::internal();
    }
    static Problem problemOf(HttpClient& client, const std::string& url) { return problemOf(client, get(url)); }
};

} // namespace portico::tests
