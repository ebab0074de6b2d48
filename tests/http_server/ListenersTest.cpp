#include "http_server/ServerFixture.h"
#include "http_server/TemporaryDirectory.h"
#include "http_server/TestCertificate.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace portico::test
{

/// Where connections come from: TCP, Unix sockets, sockets of systemd, TLS, proxies.
class ListenersTest : public Suite<ListenersTest, ServerFixture>
{
    void setUp() override
    {
        ServerFixture::setUp();
        application.route("/who",
                          [](Exchange& exchange)
                          {
                              const auto& request = exchange.request;
                              exchange.response.body = std::string(exchange.listenerService) + '|' + std::string(exchange.peerAddress) +
                                                       '|' + std::string(request.clientAddress) + '|' + std::string(request.origin) + '|' +
                                                       std::string(request.requestId);
                          });
        echo("/echo", {.body = BodyMode::Memory, .bodyLimit = 10'000'000});
    }

    TEST(listensOnSeveralPlaces)
    {
        settings.loops = 2;
        start({.address = "127.0.0.1:0", .service = "one"});
        const auto later = server->listen({.address = "[::1]:0", .service = "two"});
        const auto dual = server->listen({.address = "[::]:0", .service = "three"});
        equal("127.0.0.1:" + std::to_string(bound.port), bound.address);
        equal("[::1]:" + std::to_string(later.port), later.address);
        equal("one|127.0.0.1", whoAsked(client()));
        // A dual-stack socket names an IPv4 client as such.
        equal("three|127.0.0.1", whoAsked(RawClient(dual.port)));
    }

    TEST(listensOnUnixSockets)
    {
        const auto path = directory.path() + "/http.sock";
        start({.address = "unix:" + path, .service = "local"});
        equal("unix:" + path, bound.address);
        equal("local|unix", whoAsked(RawClient(path)));
        // A server listens there, so its socket stays.
        CPPUNIT_ASSERT_THROW(server->listen({.address = "unix:" + path}), std::runtime_error);
        equal("local|unix", whoAsked(RawClient(path)));
        server.reset();
        CHECK(!std::filesystem::exists(path));
        leaveDeadSocket(path);
        start({.address = "unix:" + path});
        equal("|unix", whoAsked(RawClient(path)));
        const auto file = directory.path() + "/precious";
        std::ofstream(file) << "kept";
        CPPUNIT_ASSERT_THROW(server->listen({.address = "unix:" + file}), std::runtime_error);
        equal(std::uintmax_t{4}, std::filesystem::file_size(file));
    }

    TEST(adoptsListeningSockets)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
        equal(0, ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address));
        equal(0, ::listen(socket, 16));
        start({.descriptor = socket, .service = "adopted"});
        CHECK(bound.port != 0);
        equal("adopted|127.0.0.1", whoAsked(client()));
    }

    TEST(saysWhyItCannotListen)
    {
        start();
        const auto failure = [this](const ListenerSettings& listener)
        {
            try
            {
                server->listen(listener);
            }
            catch (const std::runtime_error& error)
            {
                return std::string(error.what());
            }
            return std::string("nothing was wrong");
        };
        CHECK(failure({.address = bound.address}).find(bound.address) != std::string::npos);
        CHECK(failure({.address = "127.0.0.1"}).find("expected host:port") != std::string::npos);
        CHECK(failure({.address = "unix:" + std::string(200, 'x')}).find("xxx") != std::string::npos);
        const auto missing = directory.path() + "/missing.pem";
        CHECK(failure({.address = "127.0.0.1:0", .tls = host::http::TlsSettings{missing, missing}}).find(missing) != std::string::npos);
        equal("|127.0.0.1", whoAsked(client()));
    }

    TEST(servesUnderTls)
    {
        startTls();
        auto client = this->client();
        client.startTls();
        const auto who = client.request(get("/who"));
        CHECK(who.body.find("|https://test|") != std::string::npos);
        equal("max-age=31536000", who.header("strict-transport-security"));
        // More than one record and one socket buffer, both ways.
        const std::string body(3'000'000, 'x');
        CHECK(client.request(post("/echo", body)).body == body);
        client.send(get("/who") + get("/who"));
        equal(200, client.receive().status);
        equal(200, client.receive().status);
        equal("close", client.request(get("/who", "Connection: close\r\n")).header("connection"));
        CHECK(client.ended());
    }

    /// OpenSSL keeps errors for each thread; one from a signature, say, is no reason to end a connection that waits for its reader.
    TEST(leftoverOpenSslErrorsEndNoConnection)
    {
        application.route("/download",
                          [](Exchange& exchange)
                          {
                              exchange.response.body.assign(30'000'000, 'x');
                              ERR_raise(ERR_LIB_USER, 1);
                          });
        startTls();
        auto client = this->client();
        client.startTls();
        client.send(get("/download"));
        CHECK(application.awaitHandling(1));
        equal(30'000'000, client.receive().body.size());
    }

    TEST(reloadsCertificatesInPlace)
    {
        startTls();
        auto before = client();
        before.startTls();
        writeCertificate(certificate(), key(), "RSA");
        server->reloadCertificates();
        auto after = client();
        after.startTls();
        CHECK(before.certificateFingerprint() != after.certificateFingerprint());
        equal(200, before.request(get("/who")).status);
        equal(200, after.request(get("/who")).status);

        directory.write("key.pem", "not a key");
        CPPUNIT_ASSERT_THROW(server->reloadCertificates(), std::runtime_error);
        auto still = client();
        still.startTls();
        CHECK(after.certificateFingerprint() == still.certificateFingerprint());
    }

    TEST(refusesOtherProtocolsUnderTls)
    {
        startTls();
        auto plain = client();
        plain.send(get("/who"));
        // The server answers with an alert at most, never with HTTP.
        CHECK(plain.read(1000).find("HTTP/1.1 200") == std::string::npos);
        equal(0, application.admitted());
        auto good = client();
        good.startTls();
        equal(200, good.request(get("/who")).status);
    }

    TEST(believesTrustedProxiesOnly)
    {
        const std::string forwarded =
            "X-Forwarded-For: 198.51.100.7, 203.0.113.9, 10.1.2.3\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: crm.example\r\n"
            "X-Request-Id: from-proxy_1\r\n";
        start();
        equal("|127.0.0.1|127.0.0.1|http://test|", cutId(client().request(get("/who", forwarded)).body));

        settings.trustedProxies = {"127.0.0.1", "10.0.0.0/8", "2001:db8::/33", "unix"};
        start();
        const auto who = [this](const std::string& headers) { return client().request(get("/who", headers)).body; };
        equal("|127.0.0.1|203.0.113.9|https://crm.example|from-proxy_1", who(forwarded));
        equal("|127.0.0.1|127.0.0.1|http://test|", cutId(who("X-Request-Id: \"no id\"\r\n")));
        equal("|127.0.0.1|2001:db8:8000::1|https://a.example:8443|",
              cutId(who("Forwarded: for=evil;host=evil;proto=http, for=\"[2001:db8:8000::1]:4711\";host=\"a.example:8443\";proto=https,"
                        " for=\"[2001:db8::1]\";proto=http\r\n")));
        // An element that hides its node ends the chain at the proxy that wrote it.
        equal("|127.0.0.1|10.0.0.1|http://test|", cutId(who("Forwarded: for=_hidden;proto=https, for=10.0.0.1\r\n")));
        equal("|127.0.0.1|10.9.9.9|http://test|", cutId(who("X-Forwarded-For: 10.9.9.9, 10.0.0.1\r\n")));
        equal("|127.0.0.1|127.0.0.1|http://test|", cutId(who("X-Forwarded-For: rubbish\r\n")));
        equal("|127.0.0.1|198.51.100.7|http://test|", cutId(who("X-Forwarded-For: 198.51.100.7:4711\r\n")));
        // One client has one address, in whatever form a proxy writes it.
        for (const auto* form : {"X-Forwarded-For: ::ffff:198.51.100.7\r\n", "Forwarded: for=\"[::FFFF:c633:6407]:4711\"\r\n",
                                 "X-Forwarded-For: [0::ffff:c633:6407]\r\n"})
            equal("|127.0.0.1|198.51.100.7|http://test|", cutId(who(form)), form);
    }

    TEST(refusesForwardedHostsThatAreNone)
    {
        settings.trustedProxies = {"127.0.0.1"};
        start();
        equal(400, client().request(get("/who", "X-Forwarded-Host: evil/../\r\n")).status);
    }

    TEST(refusesBrokenProxyEntries)
    {
        for (const std::string entry : {"10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/8x", "proxy.example", ""})
        {
            settings.trustedProxies = {entry};
            CPPUNIT_ASSERT_THROW_MESSAGE(entry, Server(settings, application), std::invalid_argument);
        }
    }

    std::string certificate() const { return directory.path() + "/certificate.pem"; }
    std::string key() const { return directory.path() + "/key.pem"; }

    void startTls()
    {
        writeCertificate(certificate(), key());
        start({.address = "127.0.0.1:0", .tls = host::http::TlsSettings{certificate(), key()}});
    }

    /// The listener's service and the peer of a new connection.
    std::string whoAsked(RawClient client)
    {
        const auto body = client.request(get("/who")).body;
        return body.substr(0, body.find('|', body.find('|') + 1));
    }

    /// Without the last part, which is made up each time.
    static std::string cutId(const std::string& body)
    {
        equal(26, body.size() - body.rfind('|') - 1);
        return body.substr(0, body.rfind('|') + 1);
    }

    /// Creates the socket file that a killed process leaves behind.
    static void leaveDeadSocket(const std::string& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        const host::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
        equal(0, ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
    }

    TemporaryDirectory directory;
};

} // namespace portico::test
