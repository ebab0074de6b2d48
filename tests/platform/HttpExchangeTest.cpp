#include "platform/Certificates.h"
#include "platform/HttpClientFixture.h"
#include "platform/HttpReceiver.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/platform/blobs/FileBlobs.h"
#include "host/platform/outbound/GuardedHttpClient.h"

#include "portico/Problem.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include <functional>
#include <memory>
#include <thread>

#include <unistd.h>

namespace portico::tests
{

using host::platform::FileBlobs;
using host::platform::GuardedHttpClient;
using host::platform::HttpClientSettings;
using namespace std::chrono_literals;

/// Redirects, bodies from and into blobs, and what a failure says about the request.
class HttpExchangeTest : public Suite<HttpExchangeTest, HttpClientFixture>
{
    TEST(redirectsAreFollowedAndReported)
    {
        HttpReceiver server(redirects({{"/a", {302, "/b?x=1#part"}}, {"/b?x=1", {307, "c/d"}}, {"/c/d", {308, "//HOST/e"}}}));
        auto request = get(server.url("/a"));
        request.maxRedirects = 3;
        const auto response = client().send(request);
        equal(200, response.status);
        equal(3, response.redirects);
        equal(server.url("/e"), response.url);
        equal("here", response.body);
        equal(4, response.bodyBytes);
        equal(0, client().send(get(server.url("/z"))).redirects);
        equal(server.url("/z"), client().send(get(server.url("/z"))).url);
    }

    TEST(oneRedirectMoreIsTheAnswer)
    {
        HttpReceiver server(redirects({{"/a", {302, "/b"}}, {"/b", {302, "/a"}}}));
        auto request = get(server.url("/a"));
        request.maxRedirects = 5;
        const auto response = client().send(request);
        equal(302, response.status);
        equal(5, response.redirects);
        equal(server.url("/b"), response.url);
        equal(6, server.received().size());
        equal("/a", *response.header("location"));
    }

    TEST(redirectsKeepOrChangeTheMethod)
    {
        struct Case
        {
            std::string method;
            int status;
            std::string expected;
        };
        for (const auto& [method, status, expected] : {Case{"POST", 301, "GET"}, Case{"POST", 302, "GET"}, Case{"POST", 303, "GET"},
                                                       Case{"PUT", 303, "GET"}, Case{"PUT", 302, "PUT"}, Case{"POST", 307, "POST"},
                                                       Case{"POST", 308, "POST"}, Case{"HEAD", 303, "HEAD"}, Case{"GET", 303, "GET"}})
        {
            HttpReceiver server(redirects({{"/a", {status, "/b"}}}));
            auto request = get(server.url("/a"));
            request.method = method;
            request.maxRedirects = 1;
            request.headers = {{"Content-Type", "text/plain"}, {"X-Own", "1"}};
            if (method != "HEAD" && method != "GET") request.body = "body";
            client().send(request);
            const auto received = server.received().at(1);
            const auto message = method + " " + std::to_string(status);
            equal(expected, received.method, message);
            const bool kept = expected == method && !request.body.empty();
            equal(std::string(kept ? "body" : ""), received.body, message);
            equal(expected == method, received.headers.contains("Content-Type"), message);
            CPPUNIT_ASSERT_MESSAGE(message, received.headers.contains("X-Own"));
        }
    }

    TEST(credentialsStayWithTheirOrigin)
    {
        HttpReceiver other;
        HttpReceiver server(redirects({{"/away", {302, other.url("/there")}}, {"/here", {302, "/there"}}}));
        for (const auto* path : {"/away", "/here"})
        {
            auto request = get(server.url(path));
            request.maxRedirects = 1;
            request.headers = {{"Authorization", "Bearer s3cret"}, {"Cookie", "a=b"}, {"X-Api-Key", "s3cret"}, {"Accept", "text/html"}};
            client().send(request);
        }
        const auto away = other.received().at(0).headers;
        CHECK(!away.contains("Authorization") && !away.contains("Cookie") && !away.contains("X-Api-Key"));
        equal("text/html", away.at("Accept"));
        equal("Bearer s3cret", server.received().at(2).headers.at("Authorization"));
    }

    TEST(everyHopIsGuarded)
    {
        for (const auto* place : {"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "file:///etc/passwd",
                                  "http://user:secret@127.0.0.1/", "gopher://127.0.0.1/"})
        {
            HttpReceiver server(redirects({{"/a", {302, place}}}));
            auto request = get(server.url("/a"));
            request.maxRedirects = 3;
            const auto failure = failureOf(request);
            equal("address_not_allowed", failure.code(), place);
            CPPUNIT_ASSERT_MESSAGE(place, failure.sent() == HttpFailure::Sent::PerhapsSent);
        }
    }

    TEST(tlsIsNotGivenUp)
    {
        HttpReceiver plain;
        const TemporaryDirectory directory;
        const auto certificate = makeCertificate(directory.path(), "hooks.example");
        const Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, certificate.keyFile,
                                                                       certificate.certificateFile, "", Poco::Net::Context::VERIFY_NONE);
        HttpReceiver secure(redirects({{"/a", {302, plain.url("/b")}}}),
                            Poco::Net::SecureServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0), 64, context));
        auto settings = loopback();
        settings.certificateAuthorities = certificate.certificateFile;
        GuardedHttpClient trusting(settings, [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; });
        auto request = get("https://hooks.example:" + std::to_string(secure.port()) + "/a");
        request.maxRedirects = 1;
        CPPUNIT_ASSERT_THROW(trusting.send(request), HttpFailure);
        CHECK(plain.received().empty());
    }

    TEST(redirectsToNowhereFail)
    {
        for (const auto* place : {"http://[", "http://127.0.0.1:99999/"})
        {
            HttpReceiver server(redirects({{"/a", {302, place}}}));
            auto request = get(server.url("/a"));
            request.maxRedirects = 1;
            CPPUNIT_ASSERT_MESSAGE(place, failureOf(request).sent() == HttpFailure::Sent::PerhapsSent);
        }
        // Without a place it is an answer like any other.
        HttpReceiver server(HttpReceiver::respond(302, "no place"));
        auto request = get(server.url());
        request.maxRedirects = 1;
        equal("no place", client().send(request).body);
    }

    TEST(theTimeIsThatOfAllHops)
    {
        HttpReceiver server(
            [&](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_FOUND);
                response.set("Location", "/again");
                response.setContentLength(0);
                response.send();
            });
        auto request = get(server.url());
        request.maxRedirects = 1'000'000;
        request.timeout = 200ms;
        equal(502, failureOf(request).status());
    }

    TEST(bodiesComeFromBlobs)
    {
        Store store;
        std::string content(3'000'000, 'x');
        for (std::size_t i = 0; i < content.size(); i += 1'000) content[i] = static_cast<char>('a' + i % 26);
        const auto file = store.blobs.open(store.put(content));
        HttpReceiver server;
        auto request = get(server.url());
        request.method = "PUT";
        request.bodyFile = &*file;
        equal(200, client().send(request).status);
        CHECK(server.received().at(0).body == content);
        equal(std::to_string(content.size()), server.received().at(0).headers.at("Content-Length"));
        request.body = "two";
        CPPUNIT_ASSERT_THROW(client().send(request), std::invalid_argument);
    }

    TEST(bodiesOfBlobsAreSentAgain)
    {
        Store store;
        const auto file = store.blobs.open(store.put("content"));
        HttpReceiver server(redirects({{"/a", {307, "/b"}}}));
        auto request = get(server.url("/a"));
        request.method = "POST";
        request.bodyFile = &*file;
        request.maxRedirects = 1;
        client().send(request);
        equal("content", server.received().at(0).body);
        equal("content", server.received().at(1).body);
    }

    TEST(formsAreSentAsTheirFilesAreRead)
    {
        Store store;
        const std::string content(3'000'000, 'z');
        const auto file = store.blobs.open(store.put(content));
        HttpReceiver server;
        auto request = get(server.url());
        request.method = "POST";
        request.form = {{.name = "description", .text = "A dog"},
                        {.name = "file", .file = &*file, .fileName = "a.mp4", .contentType = "video/mp4"},
                        {.name = "last", .text = ""}};
        equal(200, client().send(request).status);
        const auto received = server.received().at(0);
        const std::string type = received.headers.at("Content-Type"), marker = "multipart/form-data; boundary=";
        CHECK(type.starts_with(marker));
        const auto line = "--" + type.substr(marker.size());
        CHECK(received.body == line + "\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\nA dog\r\n" + line +
                                   "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.mp4\"\r\n"
                                   "Content-Type: video/mp4\r\n\r\n" +
                                   content + "\r\n" + line + "\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n\r\n" + line +
                                   "--\r\n");
        equal(std::to_string(received.body.size()), received.headers.at("Content-Length"));
        request.body = "two";
        CPPUNIT_ASSERT_THROW(client().send(request), std::invalid_argument);
    }

    TEST(namesOfAFormCannotEndTheirLine)
    {
        HttpReceiver server;
        auto request = get(server.url());
        request.method = "POST";
        request.form = {{.name = "a\"\r\nX: y", .text = "text", .fileName = "\"b\"", .contentType = "text/plain\r\nX: y"}};
        client().send(request);
        const auto body = server.received().at(0).body;
        CHECK(body.find("name=\"a%22%0D%0AX: y\"; filename=\"%22b%22\"\r\nContent-Type: text/plain\r\n\r\ntext\r\n") != std::string::npos);
    }

    TEST(stopTokensEndTheExchange)
    {
        std::stop_source stop;
        RawServer server(
            [&](Poco::Net::StreamSocket& socket)
            {
                char bytes[1'000];
                socket.receiveBytes(bytes, sizeof bytes);
                stop.request_stop();
                // The client hangs up.
                while (socket.receiveBytes(bytes, sizeof bytes) > 0) continue;
            });
        auto request = get(server.url());
        request.timeout = 10min;
        request.stop = stop.get_token();
        CHECK(failureOf(request).sent() == HttpFailure::Sent::PerhapsSent);
        // Nothing is sent after it.
        HttpReceiver other;
        request.url = other.url();
        CHECK(failureOf(request).sent() == HttpFailure::Sent::NotSent);
        CHECK(other.received().empty());
    }

    TEST(answersGoIntoBlobs)
    {
        Store store;
        const std::string content(3'000'000, 'y');
        HttpReceiver server(redirects({{"/a", {302, "/b"}}}, content));
        const auto writer = store.blobs.create("org_1");
        auto request = get(server.url("/a"));
        request.maxRedirects = 1;
        request.maxResponseBytes = content.size();
        request.bodyInto = writer.get();
        const auto response = client().send(request);
        CHECK(response.body.empty());
        equal(std::uint64_t{content.size()}, response.bodyBytes);
        const auto stored = writer->commit();
        equal(std::uint64_t{content.size()}, stored.size);
        CHECK(store.text(stored.key) == content);
    }

    TEST(answersIntoBlobsAreLimited)
    {
        Store store(1'000);
        HttpReceiver server(HttpReceiver::respond(200, std::string(2'000, 'y')));
        auto request = get(server.url());
        auto writer = store.blobs.create("org_1");
        request.bodyInto = writer.get();
        try
        {
            client().send(request);
            CPPUNIT_FAIL("the quota was exceeded");
        }
        catch (const Problem& problem)
        {
            equal(413, problem.status());
        }
        writer = store.blobs.create("org_1");
        request.bodyInto = writer.get();
        request.maxResponseBytes = 900;
        CPPUNIT_ASSERT_THROW(client().send(request), HttpFailure);
        writer.reset();
        equal(0, store.blobs.usedBytes("org_1"));
    }

    TEST(errorsAreNoBlobs)
    {
        Store store;
        HttpReceiver server(HttpReceiver::respond(404, "there is none"));
        const auto writer = store.blobs.create("org_1");
        auto request = get(server.url());
        request.bodyInto = writer.get();
        equal("there is none", client().send(request).body);
        equal(0, writer->commit().size);
    }

    TEST(failureBeforeSendingIsNotSent)
    {
        const auto freePort = [] { return Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0)).address().port(); }();
        const RawServer notTls([](Poco::Net::StreamSocket& socket) { send(socket, "HTTP/1.1 200 OK\r\n\r\n"); });
        for (const auto& url :
             {"http://127.0.0.1:" + std::to_string(freePort) + "/", std::string("http://nowhere.invalid/"), std::string("http://10.0.0.1/"),
              std::string("ftp://127.0.0.1/"), "https://127.0.0.1:" + std::to_string(notTls.port()) + "/"})
            CPPUNIT_ASSERT_MESSAGE(url, failureOf(get(url)).sent() == HttpFailure::Sent::NotSent);
        auto tooLate = get("http://127.0.0.1:" + std::to_string(freePort) + "/");
        tooLate.timeout = 0ms;
        CHECK(failureOf(tooLate).sent() == HttpFailure::Sent::NotSent);
        // Callers that catch Problem see the same error.
        CPPUNIT_ASSERT_THROW(client().send(get("http://10.0.0.1/")), Problem);
    }

    TEST(failureAfterSendingIsPerhapsSent)
    {
        const RawServer silent([](Poco::Net::StreamSocket& socket) { readHead(socket); });
        const RawServer cut(
            [](Poco::Net::StreamSocket& socket)
            {
                readHead(socket);
                send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
            });
        const RawServer nonsense(
            [](Poco::Net::StreamSocket& socket)
            {
                readHead(socket);
                send(socket, "what?\r\n\r\n");
            });
        for (const auto* server : {&silent, &cut, &nonsense})
            CHECK(failureOf(get("http://127.0.0.1:" + std::to_string(server->port()) + "/")).sent() == HttpFailure::Sent::PerhapsSent);
        HttpReceiver large(HttpReceiver::respond(200, std::string(2'000, 'x')));
        auto request = get(large.url());
        request.maxResponseBytes = 1'999;
        CHECK(failureOf(request).sent() == HttpFailure::Sent::PerhapsSent);
    }

    TEST(retryAfterIsRead)
    {
        const auto now = parseInstant("2026-11-21T09:00:00.500Z").value();
        const auto after = [&](const std::string& value)
        {
            HttpClient::Response response;
            response.headers = {{"Date", "x"}, {"retry-after", value}};
            return response.retryAfter(now);
        };
        CHECK(after("120") == 120s);
        CHECK(after("0") == 0s);
        CHECK(after("Sat, 21 Nov 2026 09:01:00 GMT") == 60s);
        CHECK(after("Sat, 21 Nov 2026 08:00:00 GMT") == 0s);
        for (const auto* value : {"", "-1", "1.5", "soon", "99999999999", "Sat, 31 Feb 2026 09:01:00 GMT", "Sat, 21 Foo 2026 09:01:00 GMT",
                                  "Sat, 21 Nov 2026 09:01:00 CET"})
            CPPUNIT_ASSERT_MESSAGE(value, !after(value));
        CHECK(!HttpClient::Response().retryAfter(now));
    }

    struct Store
    {
        explicit Store(std::uint64_t quota = FileBlobs::unlimited) : blobs(directory.path(), quota) {}
        std::string put(const std::string& content)
        {
            const auto writer = blobs.create("org_1");
            writer->write(content);
            return writer->commit().key;
        }
        std::string text(const std::string& key)
        {
            const auto file = blobs.open(key);
            std::string content(file->size, '\0');
            equal(static_cast<ssize_t>(content.size()), ::pread(file->descriptor, content.data(), content.size(), 0));
            return content;
        }
        TemporaryDirectory directory;
        FileBlobs blobs;
    };

    using Places = std::map<std::string, std::pair<int, std::string>>;
    /// Redirects from some places, and answers at all others. HOST is the server's own.
    static HttpReceiver::Answer redirects(Places places, std::string body = "here")
    {
        return [places = std::move(places), body = std::move(body)](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
        {
            const auto place = places.find(request.uri);
            if (place == places.end()) return HttpReceiver::respond(200, request.method == "HEAD" ? "" : body)(request, response);
            auto location = place->second.second;
            if (const auto host = location.find("HOST"); host != std::string::npos) location.replace(host, 4, request.headers.at("Host"));
            response.setStatus(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(place->second.first));
            response.set("Location", location);
            response.setContentLength(0);
            response.send();
        };
    }
    static void readHead(Poco::Net::StreamSocket& socket)
    {
        std::string text;
        char byte = 0;
        while (!text.ends_with("\r\n\r\n") && socket.receiveBytes(&byte, 1) > 0) text += byte;
    }
    HttpFailure failureOf(const HttpClient::Request& request)
    {
        try
        {
            client().send(request);
        }
        catch (const HttpFailure& failure)
        {
            return failure;
        }
        CPPUNIT_FAIL(request.url + " was answered");
        throw std::logic_error("not reached");
    }
};

} // namespace portico::tests
