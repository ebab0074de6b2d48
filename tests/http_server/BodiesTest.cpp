#include "http_server/ServerFixture.h"

#include "host/base/HashedPrefix.h"

#include <string>

namespace portico::test
{

namespace
{

std::string chunked(const std::string& body, std::size_t pieceBytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t at = 0; at < body.size(); at += pieceBytes)
    {
        const auto piece = body.substr(at, pieceBytes);
        std::string size;
        for (auto rest = piece.size(); rest > 0; rest /= 16) size.insert(size.begin(), digits[rest % 16]);
        out += size + "\r\n" + piece + "\r\n";
    }
    return out + "0\r\n\r\n";
}

std::string patterned(std::size_t bytes)
{
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
    return text;
}

} // namespace

/// Request bodies: in memory, in files, refused, asked for and dropped.
class BodiesTest : public ServerFixture
{
    CPPUNIT_TEST_SUITE(BodiesTest);
    CPPUNIT_TEST(takesChunkedBodiesCutAnywhere);
    CPPUNIT_TEST(takesBodiesOfAnySizeInMemoryAndInFiles);
    CPPUNIT_TEST(hashesUploadsWhileTheyArrive);
    CPPUNIT_TEST(refusesTooLargeBodiesBeforeTheyAreSent);
    CPPUNIT_TEST(refusesChunkedBodiesOnceTheyPassTheLimit);
    CPPUNIT_TEST(asksForBodiesThatWait);
    CPPUNIT_TEST(preparesBeforeItAsksForTheBody);
    CPPUNIT_TEST(doesNotAskForABodyThatPrepareRefuses);
    CPPUNIT_TEST(dropsSmallBodiesThatNobodyWants);
    CPPUNIT_TEST(closesAfterLargeBodiesThatNobodyWants);
    CPPUNIT_TEST(answersFullSpoolDirectoriesWith500);
    CPPUNIT_TEST_SUITE_END();

public:
    void takesChunkedBodiesCutAnywhere()
    {
        echo("/", {.body = BodyMode::Memory, .lane = Lane::Loop});
        start();
        auto client = this->client();
        const std::string request =
            "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked("Hello, chunked world", 7) + get("/");
        for (std::size_t cut = 1; cut < request.size(); ++cut)
        {
            client.send(std::string_view(request).substr(0, cut));
            client.send(std::string_view(request).substr(cut));
            CPPUNIT_ASSERT_EQUAL(std::string("Hello, chunked world"), client.receive().body);
            CPPUNIT_ASSERT_EQUAL(200, client.receive().status);
        }
        for (const char c : request) client.send({&c, 1});
        CPPUNIT_ASSERT_EQUAL(std::string("Hello, chunked world"), client.receive().body);
    }

    void takesBodiesOfAnySizeInMemoryAndInFiles()
    {
        echo("/memory", {.body = BodyMode::Memory, .bodyLimit = 4'000'000});
        echo("/file", {.body = BodyMode::File, .bodyLimit = 4'000'000});
        start();
        auto client = this->client();
        for (const std::size_t size : {0UL, 1UL, 3900UL, 4096UL, 65535UL, 65536UL, 65537UL, 200'000UL, 3'000'001UL})
        {
            const auto body = patterned(size);
            for (const std::string path : {"/memory", "/file"})
            {
                CPPUNIT_ASSERT(body == client.request(post(path, body)).body);
                client.send("POST " + path + " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 50'000));
                CPPUNIT_ASSERT(body == client.receive().body);
            }
        }
    }

    void hashesUploadsWhileTheyArrive()
    {
        TestRoute route;
        route.admission = {.body = BodyMode::File, .bodyLimit = 20'000'000};
        route.handle = [](Exchange& exchange)
        {
            // Continues the hash of the file with the bytes that are still in memory.
            const auto& file = *exchange.request.file;
            const auto& hashed = dynamic_cast<const host::HashedPrefix&>(file);
            const auto begin = hashed.hashedBytes();
            auto hash = begin > 0 ? host::Sha256(hashed.prefixHash()) : host::Sha256();
            std::string rest(file.size() - begin, '\0');
            for (std::size_t at = 0; at < rest.size();) at += file.read(begin + at, std::span(rest).subspan(at));
            hash.update(rest);
            exchange.response.body = (begin > 0 ? "hashed " : "not hashed ") + hash.hex();
        };
        application.route("/", route);
        start();
        auto client = this->client();
        // One connection: an upload does not continue the hash of the one before.
        for (const std::size_t size : {300'000UL, 12'000'001UL, 10UL, 300'000UL})
        {
            const auto body = patterned(size);
            const auto expected = (size > 10 ? "hashed " : "not hashed ") + host::sha256Hex(body);
            CPPUNIT_ASSERT_EQUAL(expected, client.request(post("/", body)).body);
            client.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 50'000));
            CPPUNIT_ASSERT_EQUAL(expected, client.receive().body);
        }
        const auto form = patterned(300'000);
        client.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 300000\r\n\r\n" +
                    form);
        CPPUNIT_ASSERT_EQUAL("not hashed " + host::sha256Hex(form), client.receive().body);
    }

    void refusesTooLargeBodiesBeforeTheyAreSent()
    {
        echo("/", {.body = BodyMode::Memory, .bodyLimit = 10, .lane = Lane::Loop});
        start();
        CPPUNIT_ASSERT_EQUAL(std::string("0123456789"), client().request(post("/", "0123456789")).body);
        auto client = this->client();
        // Nothing of the body is sent: the answer cannot wait for it.
        const auto answer = client.request("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
        CPPUNIT_ASSERT_EQUAL(413, answer.status);
        CPPUNIT_ASSERT(client.ended());
        CPPUNIT_ASSERT_EQUAL(1, application.handled());
    }

    void refusesChunkedBodiesOnceTheyPassTheLimit()
    {
        echo("/memory", {.body = BodyMode::Memory, .bodyLimit = 10, .lane = Lane::Loop});
        echo("/file", {.body = BodyMode::File, .bodyLimit = 100'000});
        start();
        const std::string head = " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
        CPPUNIT_ASSERT_EQUAL(200, client().request("POST /memory" + head + "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n").status);
        auto small = client();
        CPPUNIT_ASSERT_EQUAL(413, small.request("POST /memory" + head + "5\r\nhello\r\n6\r\n").status);
        CPPUNIT_ASSERT(small.ended());
        auto large = client();
        large.send("POST /file" + head + chunked(patterned(100'001), 1000));
        CPPUNIT_ASSERT_EQUAL(413, large.receive().status);
        CPPUNIT_ASSERT(large.ended());
        CPPUNIT_ASSERT_EQUAL(1, application.handled());
    }

    void asksForBodiesThatWait()
    {
        echo("/", {.body = BodyMode::Memory});
        start();
        auto client = this->client();
        const std::string head = "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n";
        CPPUNIT_ASSERT_EQUAL(100, client.request(head).status);
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), client.request("hello").body);
        // A client that did not wait is not asked.
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), client.request(head + "hello").body);
        // Nothing to ask for.
        CPPUNIT_ASSERT_EQUAL(200,
                             client.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n").status);
    }

    void preparesBeforeItAsksForTheBody()
    {
        std::atomic<int> prepared = 0;
        TestRoute route;
        route.admission = {.body = BodyMode::Memory, .prepareFirst = true};
        route.prepare = [&prepared](Exchange& exchange)
        {
            if (exchange.request.body.empty()) ++prepared;
            return true;
        };
        route.handle = [&prepared](Exchange& exchange)
        { exchange.response.body = std::to_string(prepared) + std::string(exchange.request.body); };
        application.route("/", route);
        start();
        auto client = this->client();
        CPPUNIT_ASSERT_EQUAL(100,
                             client.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status);
        CPPUNIT_ASSERT_EQUAL(1, prepared.load());
        CPPUNIT_ASSERT_EQUAL(std::string("1hello"), client.request("hello").body);
        CPPUNIT_ASSERT_EQUAL(std::string("1hello"), client.request(post("/", "hello")).body);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), client.request(get("/")).body);
    }

    void doesNotAskForABodyThatPrepareRefuses()
    {
        TestRoute route;
        route.admission = {.body = BodyMode::Memory, .prepareFirst = true};
        route.prepare = [](Exchange& exchange)
        {
            exchange.response.status = 401;
            return false;
        };
        application.route("/", route);
        start();
        auto waiting = client();
        CPPUNIT_ASSERT_EQUAL(401,
                             waiting.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status);
        CPPUNIT_ASSERT(waiting.ended());
        auto sending = client();
        CPPUNIT_ASSERT_EQUAL(401, sending.request(post("/", "hello")).status);
        sending.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        CPPUNIT_ASSERT_EQUAL(401, sending.receive().status);
        sending.send("llo");
        CPPUNIT_ASSERT_EQUAL(401, sending.request(get("/")).status);
        CPPUNIT_ASSERT_EQUAL(0, application.handled());
    }

    void dropsSmallBodiesThatNobodyWants()
    {
        TestRoute answered;
        answered.admission.answered = true;
        application.route("/answered", answered);
        say("/none", "none");
        start();
        auto client = this->client();
        for (const std::string path : {"/answered", "/none"})
        {
            const auto status = client.request(post(path, std::string(30'000, 'x'))).status;
            CPPUNIT_ASSERT_EQUAL(200, status);
            CPPUNIT_ASSERT_EQUAL(
                200, client.request("POST " + path + " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
                         .status);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("none"), client.request(get("/none")).body);
    }

    void closesAfterLargeBodiesThatNobodyWants()
    {
        TestRoute answered;
        answered.admission.answered = true;
        application.route("/answered", answered);
        say("/none", "none");
        start();
        const std::string head = " HTTP/1.1\r\nHost: test\r\nContent-Length: 10000000\r\n\r\n";
        auto first = client();
        const auto answer = first.request("POST /answered" + head);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("close"), answer.header("connection"));
        CPPUNIT_ASSERT(first.ended());
        CPPUNIT_ASSERT_EQUAL(413, client().request("POST /none" + head).status);
        CPPUNIT_ASSERT_EQUAL(0, application.handled());
    }

    void answersFullSpoolDirectoriesWith500()
    {
        settings.spoolDirectory = "/proc";
        echo("/", {.body = BodyMode::File, .bodyLimit = 1'000'000});
        start();
        CPPUNIT_ASSERT_EQUAL(200, client().request(post("/", patterned(1000))).status);
        CPPUNIT_ASSERT_EQUAL(500, client().request(post("/", patterned(200'000))).status);
        CPPUNIT_ASSERT_EQUAL(1, application.handled());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(BodiesTest);

} // namespace portico::test
