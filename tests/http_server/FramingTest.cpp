#include "http_server/ServerFixture.h"

#include <string>

namespace portico::test
{

/// RFC 9112 read strictly: what two programs could read differently is refused, and nothing behind it is read as a request.
class FramingTest : public Suite<FramingTest, ServerFixture>
{
    void setUp() override
    {
        ServerFixture::setUp();
        echo("/", {.body = BodyMode::Memory, .lane = Lane::Loop});
        start();
    }

    TEST(refusesMalformedRequestLines)
    {
        const auto line = [this](int status, const std::string& text) { expectRefusal(status, text + "\r\nHost: test\r\n\r\n"); };
        line(400, "GET /");
        line(400, "GET  / HTTP/1.1");
        line(400, "GET / HTTP/1.1 ");
        line(400, "GET\t/\tHTTP/1.1");
        line(400, " GET / HTTP/1.1");
        line(400, "G(T / HTTP/1.1");
        line(400, "GET / HTTP/1.11");
        line(400, "GET / http/1.1");
        line(400, "GET / HTTP/11");
        line(505, "GET / HTTP/2.0");
        line(505, "GET / HTTP/1.2");
        line(501, "BREW / HTTP/1.1");
        line(501, "get / HTTP/1.1");
        line(501, "CONNECT test:80 HTTP/1.1");
        line(400, "GET test HTTP/1.1");
        line(400, "GET * HTTP/1.1");
        line(400, "GET /a#b HTTP/1.1");
        line(400, "GET /a b HTTP/1.1");
        line(400, "GET /\x01 HTTP/1.1");
        line(400, std::string("GET /\0 HTTP/1.1", 15));
        line(400, "GET /\xc3\xa4 HTTP/1.1");
        line(400, "GET /a\\b HTTP/1.1");
        line(400, "GET /%zz HTTP/1.1");
        line(400, "GET /%4 HTTP/1.1");
        line(400, "GET /%00 HTTP/1.1");
        line(400, "GET /a/../b HTTP/1.1");
        line(400, "GET /a/%2e%2E/b HTTP/1.1");
        line(400, "GET /.%2e HTTP/1.1");
        line(400, "GET /a/. HTTP/1.1");
        line(400, "GET ftp://test/ HTTP/1.1");
        line(400, "GET http://other/ HTTP/1.1");
        line(400, "GET http://user@test/ HTTP/1.1");
        line(400, "GET http://test?x HTTP/1.1");
        line(400, "GET http:/// HTTP/1.1");
        line(414, "GET /" + std::string(settings.targetBytes, 'a') + " HTTP/1.1");
    }

    TEST(refusesMalformedHeaders)
    {
        const auto header = [this](int status, const std::string& text)
        { expectRefusal(status, "GET / HTTP/1.1\r\nHost: test\r\n" + text); };
        header(400, "X : y\r\n\r\n");
        header(400, " X: y\r\n\r\n");
        header(400, "X: y\r\n folded\r\n\r\n");
        header(400, "X: y\r\n\tfolded\r\n\r\n");
        header(400, "X\r\n\r\n");
        header(400, ": y\r\n\r\n");
        header(400, "X y: z\r\n\r\n");
        header(400, "X\xc3\xa4: z\r\n\r\n");
        header(400, std::string("X: a\0b\r\n\r\n", 10));
        header(400, std::string("X\0: b\r\n\r\n", 9));
        header(400, "X: a\x7f\r\n\r\n");
        header(400, "X: a\rb\r\n\r\n");
        header(400, "X: a\nY: b\r\n\r\n");
        header(400, "X: a\n\n");
        header(400, "X: a\r\r\n\r\n");
        header(400, "X: a\r\n\n");
        header(417, "Expect: 200-ok\r\n\r\n");
        std::string many;
        for (std::size_t i = 0; i < settings.headerCount; ++i) many += "X: y\r\n";
        header(431, many + "\r\n");
        header(431, "X: " + std::string(settings.headBytes, 'y') + "\r\n\r\n");
    }

    TEST(refusesAmbiguousLengths)
    {
        const auto body = [this](const std::string& headers)
        { expectRefusal(400, "POST / HTTP/1.1\r\nHost: test\r\n" + headers + "\r\nhello"); };
        body("Content-Length: 5\r\nContent-Length: 6\r\n");
        body("Content-Length: 5\r\nContent-Length: 5\r\n");
        body("Content-Length: 5, 5\r\n");
        body("Content-Length: +5\r\n");
        body("Content-Length: -5\r\n");
        body("Content-Length: 0x5\r\n");
        body("Content-Length: 5 5\r\n");
        body("Content-Length: five\r\n");
        body("Content-Length:\r\n");
        body("Content-Length: 18446744073709551616\r\n");
        body("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
        body("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n");
        body("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n");
        body("Transfer-Encoding: gzip, chunked\r\n");
        body("Transfer-Encoding: chunked, chunked\r\n");
        body("Transfer-Encoding: identity\r\n");
        body("Transfer-Encoding: \"chunked\"\r\n");
        body("Transfer-Encoding: chunked;q=1\r\n");
        body("Transfer-Encoding:\r\n");
        body("Transfer-Encoding: \x0b chunked\r\n");
        expectRefusal(400, "POST / HTTP/1.0\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    }

    TEST(refusesMalformedChunks)
    {
        const auto chunks = [this](int status, const std::string& text)
        { expectRefusal(status, "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + text); };
        chunks(400, "\r\nhello\r\n0\r\n\r\n");
        chunks(400, "x\r\nhello\r\n0\r\n\r\n");
        chunks(400, "0x5\r\nhello\r\n0\r\n\r\n");
        chunks(400, "-5\r\nhello\r\n0\r\n\r\n");
        chunks(400, " 5\r\nhello\r\n0\r\n\r\n");
        chunks(400, "5 \r\nhello\r\n0\r\n\r\n");
        chunks(400, "5\nhello\r\n0\r\n\r\n");
        chunks(400, "5\rhello\r\n0\r\n\r\n");
        chunks(400, "5\r\nhello0\r\n\r\n");
        chunks(400, "5\r\nhello\n0\r\n\r\n");
        chunks(400, "5\r\nhello!\r\n0\r\n\r\n");
        chunks(400, "5;\x01\r\nhello\r\n0\r\n\r\n");
        chunks(400, "5;a\nb\r\nhello\r\n0\r\n\r\n");
        chunks(400, "5;" + std::string(1100, 'e') + "\r\nhello\r\n0\r\n\r\n");
        chunks(400, "0000000000000005\r\nhello\r\n0\r\n\r\n");
        chunks(413, "fffffffffffffff\r\nhello\r\n0\r\n\r\n");
        chunks(400, "5\r\nhello\r\n0\r\n folded\r\n\r\n");
        chunks(400, "5\r\nhello\r\n0\r\nX : y\r\n\r\n");
        chunks(400, "5\r\nhello\r\n0\r\nX: \x01\r\n\r\n");
        chunks(400, "5\r\nhello\r\n0\r\nX: " + std::string(5000, 'y') + "\r\n\r\n");
        chunks(400, "5\r\nhello\r\n0\r\n\n");
    }

    TEST(refusesBadHosts)
    {
        expectRefusal(400, "GET / HTTP/1.1\r\n\r\n");
        for (const auto* host : {"", "a, b", "a b", "user@test", "test:", "test:x", "test:0", "test:65536", "test:123456", "[::1", "[]",
                                 "::1", "[g::]", "te/st", "test:80:80", "a%41"})
            expectRefusal(400, "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
        expectRefusal(400, "GET / HTTP/1.1\r\nHost: test\r\nHost: test\r\n\r\n");
        expectRefusal(400, "GET / HTTP/1.0\r\nHost: test\r\nHost: test\r\n\r\n");
    }

    TEST(takesUnusualButSoundRequests)
    {
        const auto sound = [this](const std::string& request, const std::string& body)
        {
            const auto answer = client().request(request);
            equal(200, answer.status, request);
            equal(body, answer.body, request);
        };
        // One empty line before the request line is ignored (RFC 9112, 2.2): some clients send one behind a body.
        sound("\r\nGET / HTTP/1.1\r\nHost: test\r\n\r\n", "");
        sound("\r\nPOST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello", "hello");
        auto again = client();
        again.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello\r\n");
        equal(200, again.receive().status);
        again.send(get("/"));
        equal(200, again.receive().status);
        sound("GET http://test/ HTTP/1.1\r\nHost: test\r\n\r\n", "");
        sound("GET HTTP://TEST/ HTTP/1.1\r\nHost: test\r\n\r\n", "");
        sound("GET http://test HTTP/1.1\r\nHost: test\r\n\r\n", "");
        sound("GET / HTTP/1.1\r\nhOsT:[2001:db8::1]:8080\r\n\r\n", "");
        sound("GET / HTTP/1.1\r\nHost: test\r\nX:\r\nY: \xc3\xa4\ttab\r\n\r\n", "");
        sound("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 005\r\n\r\nhello", "hello");
        sound("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: Chunked\r\n\r\n005;a=\"b\"\r\nhello\r\n0\r\nX-Trailer: y\r\n\r\n",
              "hello");
    }

    TEST(refusesAtOnceWhatCannotBecomeARequest)
    {
        // No line feed: a server that waited for the end of the line would hold the connection.
        expectRefusal(400, "\x16\x03\x01\x02");
        expectRefusal(400, "\r\n\r\nGET / HTTP/1.1\r\n");
        expectRefusal(414, "GET /" + std::string(settings.targetBytes + 100, 'a'));
    }

    /// The request is refused with that status and the connection closed, and a sound request behind it is not served.
    void expectRefusal(int status, const std::string& request)
    {
        auto client = this->client();
        client.send(request + get("/"));
        const auto answer = client.receive();
        equal(status, answer.status, request);
        equal("close", answer.header("connection"), request);
        CPPUNIT_ASSERT_MESSAGE(request, client.ended());
        equal(0, application.handled(), request);
    }
};

} // namespace portico::test
