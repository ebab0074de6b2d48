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
class BodiesTest : public Suite<BodiesTest, ServerFixture>
{
    TEST(takesChunkedBodiesCutAnywhere)
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
            equal("Hello, chunked world", client.receive().body);
            equal(200, client.receive().status);
        }
        for (const char c : request) client.send({&c, 1});
        equal("Hello, chunked world", client.receive().body);
    }

    TEST(takesBodiesOfAnySizeInMemoryAndInFiles)
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
                CHECK(body == client.request(post(path, body)).body);
                client.send("POST " + path + " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 50'000));
                CHECK(body == client.receive().body);
            }
        }
    }

    TEST(hashesUploadsWhileTheyArrive)
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
            equal(expected, client.request(post("/", body)).body);
            client.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 50'000));
            equal(expected, client.receive().body);
        }
        const auto form = patterned(300'000);
        client.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 300000\r\n\r\n" +
                    form);
        equal("not hashed " + host::sha256Hex(form), client.receive().body);
    }

    TEST(refusesTooLargeBodiesBeforeTheyAreSent)
    {
        echo("/", {.body = BodyMode::Memory, .bodyLimit = 10, .lane = Lane::Loop});
        start();
        equal("0123456789", client().request(post("/", "0123456789")).body);
        auto client = this->client();
        // Nothing of the body is sent: the answer cannot wait for it.
        const auto answer = client.request("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
        equal(413, answer.status);
        CHECK(client.ended());
        equal(1, application.handled());
    }

    TEST(refusesChunkedBodiesOnceTheyPassTheLimit)
    {
        echo("/memory", {.body = BodyMode::Memory, .bodyLimit = 10, .lane = Lane::Loop});
        echo("/file", {.body = BodyMode::File, .bodyLimit = 100'000});
        start();
        const std::string head = " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
        equal(200, client().request("POST /memory" + head + "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n").status);
        auto small = client();
        equal(413, small.request("POST /memory" + head + "5\r\nhello\r\n6\r\n").status);
        CHECK(small.ended());
        auto large = client();
        large.send("POST /file" + head + chunked(patterned(100'001), 1000));
        equal(413, large.receive().status);
        CHECK(large.ended());
        equal(1, application.handled());
    }

    TEST(asksForBodiesThatWait)
    {
        echo("/", {.body = BodyMode::Memory});
        start();
        auto client = this->client();
        const std::string head = "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n";
        equal(100, client.request(head).status);
        equal("hello", client.request("hello").body);
        // A client that did not wait is not asked.
        equal("hello", client.request(head + "hello").body);
        // Nothing to ask for.
        equal(200, client.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n").status);
    }

    TEST(preparesBeforeItAsksForTheBody)
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
        equal(100, client.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status);
        equal(1, prepared.load());
        equal("1hello", client.request("hello").body);
        equal("1hello", client.request(post("/", "hello")).body);
        equal("2", client.request(get("/")).body);
    }

    TEST(doesNotAskForABodyThatPrepareRefuses)
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
        equal(401, waiting.request("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status);
        CHECK(waiting.ended());
        auto sending = client();
        equal(401, sending.request(post("/", "hello")).status);
        sending.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhe");
        equal(401, sending.receive().status);
        sending.send("llo");
        equal(401, sending.request(get("/")).status);
        equal(0, application.handled());
    }

    TEST(dropsSmallUnreadBodies)
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
            equal(200, status);
            equal(200, client.request("POST " + path + " HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
                           .status);
        }
        equal("none", client.request(get("/none")).body);
    }

    TEST(closesAfterLargeUnreadBodies)
    {
        TestRoute answered;
        answered.admission.answered = true;
        application.route("/answered", answered);
        say("/none", "none");
        start();
        const std::string head = " HTTP/1.1\r\nHost: test\r\nContent-Length: 10000000\r\n\r\n";
        auto first = client();
        const auto answer = first.request("POST /answered" + head);
        equal(200, answer.status);
        equal("close", answer.header("connection"));
        CHECK(first.ended());
        equal(413, client().request("POST /none" + head).status);
        equal(0, application.handled());
    }

    TEST(answersFullSpoolDirectoriesWith500)
    {
        settings.spoolDirectory = "/proc";
        echo("/", {.body = BodyMode::File, .bodyLimit = 1'000'000});
        start();
        equal(200, client().request(post("/", patterned(1000))).status);
        equal(500, client().request(post("/", patterned(200'000))).status);
        equal(1, application.handled());
    }
};

} // namespace portico::test
