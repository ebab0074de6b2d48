#include "platform/Certificates.h"
#include "platform/HttpClientFixture.h"
#include "platform/HttpReceiver.h"
#include "platform/LogLines.h"
#include "support/TestDatabase.h"

#include "host/platform/outbound/GuardedHttpClient.h"

#include "portico/Problem.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/StreamSocket.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

namespace portico::tests
{

using host::platform::GuardedHttpClient;
using host::platform::HttpClientSettings;
using namespace std::chrono_literals;

class HttpClientTest : public HttpClientFixture
{
    CPPUNIT_TEST_SUITE(HttpClientTest);
    CPPUNIT_TEST(exchangesMessages);
    CPPUNIT_TEST(keepsTheNameInHost);
    CPPUNIT_TEST(followsNoRedirect);
    CPPUNIT_TEST(refusesOurOwnNetworks);
    CPPUNIT_TEST(logsWhichSettingAllowsAnAddress);
    CPPUNIT_TEST(judgesAnAddressBeforeItIsCalled);
    CPPUNIT_TEST(reachesTheNamedPortOfAnAddressOnly);
    CPPUNIT_TEST(refusesANameWithOneBadAddress);
    CPPUNIT_TEST(resolvesOnce);
    CPPUNIT_TEST(refusesOtherUrls);
    CPPUNIT_TEST(refusesForgedHeaders);
    CPPUNIT_TEST(limitsTheAnswer);
    CPPUNIT_TEST(limitsAnEndlessAnswer);
    CPPUNIT_TEST(noticesACutAnswer);
    CPPUNIT_TEST(endsAtTheDeadline);
    CPPUNIT_TEST(isInterrupted);
    CPPUNIT_TEST(reportsDeadServers);
    CPPUNIT_TEST(triesTheNextAddress);
    CPPUNIT_TEST(checksCertificates);
    CPPUNIT_TEST_SUITE_END();

public:
    void exchangesMessages()
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
        CPPUNIT_ASSERT_EQUAL(201, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("made"), response.body);
        CPPUNIT_ASSERT(std::find(response.headers.begin(), response.headers.end(), std::pair<std::string, std::string>("X-Answer", "42")) !=
                       response.headers.end());
        const auto received = server.received().at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("POST"), received.method);
        CPPUNIT_ASSERT_EQUAL(std::string("/things?x=a%20b"), received.uri);
        CPPUNIT_ASSERT_EQUAL(std::string("6*7"), received.headers.at("X-Question"));
        CPPUNIT_ASSERT_EQUAL(std::string("4"), received.headers.at("Content-Length"));
        CPPUNIT_ASSERT_EQUAL(std::string("body"), received.body);
    }

    void keepsTheNameInHost()
    {
        HttpReceiver server;
        GuardedHttpClient client(loopback(), [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; });
        client.send(get("http://hooks.example:" + std::to_string(server.port()) + "/"));
        CPPUNIT_ASSERT_EQUAL("hooks.example:" + std::to_string(server.port()), server.received().at(0).headers.at("Host"));
    }

    void followsNoRedirect()
    {
        HttpReceiver server(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_FOUND);
                response.set("Location", "/elsewhere");
                response.setContentLength(0);
                response.send();
            });
        CPPUNIT_ASSERT_EQUAL(302, client().send(get(server.url())).status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.received().size());
    }

    void refusesOurOwnNetworks()
    {
        HttpReceiver server;
        const auto port = ":" + std::to_string(server.port()) + "/";
        GuardedHttpClient client(HttpClientSettings{});
        for (const auto* host : {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
                                 "0", "0.0.0.0", "[::]", "169.254.169.254", "127.0.0.1."})
        {
            const auto problem = problemOf(client, "http://" + std::string(host) + port);
            // What the resolver does not take for an address at all has none.
            CPPUNIT_ASSERT_MESSAGE(host, problem.code() == "address_not_allowed" || problem.code() == "upstream_failed");
        }
        CPPUNIT_ASSERT_EQUAL(std::string("address_not_allowed"), problemOf(client, "http://127.0.0.1" + port).code());
        CPPUNIT_ASSERT_EQUAL(400, problemOf(client, "http://localhost" + port).status());
        CPPUNIT_ASSERT(server.received().empty());
    }

    void logsWhichSettingAllowsAnAddress()
    {
        LogLines log;
        HttpClientSettings settings;
        settings.log = &log;
        GuardedHttpClient client(settings);
        // The caller may be a tenant, who learns neither the address behind a name nor the settings of the host.
        CPPUNIT_ASSERT_EQUAL(std::string("'localhost' leads to an address that is not a public one."),
                             problemOf(client, "http://localhost:1/").detail());
        CPPUNIT_ASSERT(log.contains("outbound.allowedNetworks"));
    }

    void reachesTheNamedPortOfAnAddressOnly()
    {
        HttpReceiver named, other;
        HttpClientSettings settings;
        settings.allowedAddresses = {"127.0.0.1:" + std::to_string(named.port())};
        GuardedHttpClient client(settings);
        CPPUNIT_ASSERT_EQUAL(200, client.send(get(named.url("/"))).status);
        CPPUNIT_ASSERT_EQUAL(std::string("address_not_allowed"), problemOf(client, other.url("/")).code());
        CPPUNIT_ASSERT(other.received().empty());
        CPPUNIT_ASSERT(client.isAllowedByOperator("http://localhost:" + std::to_string(named.port()) + "/"));
        CPPUNIT_ASSERT(!client.isAllowedByOperator("http://localhost:" + std::to_string(other.port()) + "/"));
        for (const auto* url : {"https://8.8.8.8/", "https://example.org/", "nonsense", "ftp://127.0.0.1/"})
            CPPUNIT_ASSERT_MESSAGE(url, !client.isAllowedByOperator(url));
        GuardedHttpClient inNetwork(loopback());
        CPPUNIT_ASSERT(inNetwork.isAllowedByOperator("http://127.0.0.1:1/"));
        CPPUNIT_ASSERT(!inNetwork.isAllowedByOperator("http://10.0.0.1/"));
    }

    void judgesAnAddressBeforeItIsCalled()
    {
        GuardedHttpClient client(HttpClientSettings{},
                                 [](const std::string&) -> std::vector<std::string> { throw std::logic_error("no name server is asked"); });
        for (const auto* host : {"127.0.0.1", "localhost", "LocalHost.", "hooks.localhost", "[::1]", "[::ffff:10.0.0.1]", "2130706433",
                                 "0x7f000001", "0177.0.0.1", "127.1", "0", "[::]", "10.1.2.3", "172.16.0.1", "192.168.1.1",
                                 "169.254.169.254", "[fe80::1]", "[fd00::1]", "127.0.0.1."})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(host, std::string("address_not_allowed"), verdict(client, "https://" + std::string(host) + "/"));
        for (const auto* url :
             {"ftp://example.com/", "https://user:secret@example.com/", "https://user@8.8.8.8/", "https://", "https://a:0/"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(url, std::string("address_not_allowed"), verdict(client, url));
        for (const auto* url : {"https://example.com/", "https://8.8.8.8/", "https://localhost.example.com/", "https://[2606:4700::1111]/"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(url, std::string(), verdict(client, url));
        GuardedHttpClient allowing(loopback());
        CPPUNIT_ASSERT_EQUAL(std::string(), verdict(allowing, "http://localhost:8080/"));
        CPPUNIT_ASSERT_EQUAL(std::string("address_not_allowed"), verdict(allowing, "http://10.0.0.1/"));
    }

    void refusesANameWithOneBadAddress()
    {
        GuardedHttpClient client(HttpClientSettings{}, [](const std::string&) { return std::vector<std::string>{"8.8.8.8", "10.0.0.1"}; });
        CPPUNIT_ASSERT_EQUAL(std::string("address_not_allowed"), problemOf(client, "http://rebinding.example/").code());
    }

    void resolvesOnce()
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
        CPPUNIT_ASSERT_EQUAL(1, asked);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.received().size());
    }

    void refusesOtherUrls()
    {
        for (const auto* url : {"ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "", "http://",
                                "http:///path", "http://user:secret@127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:99999/"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(url, std::string("address_not_allowed"), problemOf(client(), url).code());
    }

    void refusesForgedHeaders()
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
        CPPUNIT_ASSERT(server.received().empty());
    }

    void limitsTheAnswer()
    {
        HttpReceiver server(HttpReceiver::respond(200, std::string(1'001, 'x')));
        auto request = get(server.url());
        request.maxResponseBytes = 1'001;
        CPPUNIT_ASSERT_EQUAL(std::size_t{1'001}, client().send(request).body.size());
        request.maxResponseBytes = 1'000;
        CPPUNIT_ASSERT_THROW(client().send(request), Problem);
    }

    void limitsAnEndlessAnswer()
    {
        RawServer server(
            [](Poco::Net::StreamSocket& socket)
            {
                send(socket, "HTTP/1.1 200 OK\r\n\r\n");
                while (send(socket, std::string(10'000, 'x'))) continue;
            });
        CPPUNIT_ASSERT_EQUAL(502, problemOf(client(), server.url()).status());
    }

    void noticesACutAnswer()
    {
        RawServer server([](Poco::Net::StreamSocket& socket) { send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"); });
        CPPUNIT_ASSERT_EQUAL(std::string("upstream_failed"), problemOf(client(), server.url()).code());
    }

    void endsAtTheDeadline()
    {
        // A byte now and then satisfies every single read, so only the whole time ends it.
        RawServer server(
            [](Poco::Net::StreamSocket& socket)
            {
                while (send(socket, "H")) std::this_thread::sleep_for(5ms);
            });
        auto request = get(server.url());
        request.timeout = 50ms;
        CPPUNIT_ASSERT_EQUAL(502, problemOf(client(), request).status());
    }

    void isInterrupted()
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
        CPPUNIT_ASSERT_EQUAL(502, status.load());
    }

    void reportsDeadServers()
    {
        const auto freePort = [] { return Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port(); }();
        CPPUNIT_ASSERT_EQUAL(502, problemOf(client(), "http://127.0.0.1:" + std::to_string(freePort) + "/").status());
        CPPUNIT_ASSERT_EQUAL(502, problemOf(client(), "http://nowhere.invalid/").status());
        RawServer silent([](Poco::Net::StreamSocket&) {});
        CPPUNIT_ASSERT_EQUAL(502, problemOf(client(), silent.url()).status());
    }

    void triesTheNextAddress()
    {
        HttpReceiver server;
        GuardedHttpClient client(loopback(), [](const std::string&) { return std::vector<std::string>{"127.0.0.9", "127.0.0.1"}; });
        CPPUNIT_ASSERT_EQUAL(200, client.send(get("http://two.example:" + std::to_string(server.port()) + "/")).status);
    }

    void checksCertificates()
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
        CPPUNIT_ASSERT_EQUAL(502, problemOf(distrusts, "https://hooks.example" + port).status());
        settings.certificateAuthorities = certificate.certificateFile;
        GuardedHttpClient trusts(settings, resolver);
        CPPUNIT_ASSERT_EQUAL(std::string("secret"), trusts.send(get("https://hooks.example" + port)).body);
        CPPUNIT_ASSERT_EQUAL(502, problemOf(trusts, "https://other.example" + port).status());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, server.received().size());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(HttpClientTest);

} // namespace portico::tests
