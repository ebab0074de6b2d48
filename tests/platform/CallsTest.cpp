#include "platform/Certificates.h"
#include "platform/HttpClientFixture.h"
#include "platform/HttpReceiver.h"
#include "support/Suite.h"

#include "host/platform/calls/HostCalls.h"
#include "host/platform/outbound/HttpResponseParser.h"

#include "support/TestDatabase.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/SecureServerSocket.h>

#include <atomic>
#include <future>

namespace portico::tests
{

using namespace std::chrono_literals;
using namespace portico::host::platform;
using Outcome = CallResult::Outcome;

/// Many calls with one deadline: to services of this host on separate threads, to other servers from one loop.
class CallsTest : public Suite<CallsTest, HttpClientFixture>
{
    struct Host
    {
        explicit Host(const GuardedHttpClient& client) : parts(client) { generation->serve(); }
        ~Host() { parts.threads.stop(10s); }
        std::shared_ptr<host::plugins::Generation> generation = []
        {
            auto manifest = std::make_shared<host::plugins::Manifest>();
            manifest->serviceId = "launchpad";
            return std::make_shared<host::plugins::Generation>(manifest, 1);
        }();
        CallParts parts;
        HostCalls calls{generation, parts};
    };

    static Call local(const std::string& service, std::chrono::milliseconds timeout = 10s)
    {
        Call call;
        call.service = service;
        call.request.url = "/api/widget";
        call.request.timeout = timeout;
        return call;
    }
    static Call remote(const std::string& url, std::chrono::milliseconds timeout = 10s)
    {
        Call call;
        call.request.url = url;
        call.request.timeout = timeout;
        return call;
    }
    static CallResult ok(const std::string& body)
    {
        CallResult result;
        result.outcome = Outcome::Responded;
        result.response.status = 200;
        result.response.body = body;
        return result;
    }

    TEST(aHangingServiceDelaysNoOther)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        host.parts.local = [&](const Call& call)
        {
            if (call.service == "hangs") released.wait();
            return ok(call.service);
        };
        std::vector<Call> calls;
        for (int i = 0; i < 20; ++i) calls.push_back(local("hangs", 50ms));
        for (int i = 0; i < 20; ++i) calls.push_back(local("fine"));
        const auto results = host.calls.send(calls, 10s, {});
        for (std::size_t i = 0; i < 20; ++i) CHECK(results[i] && results[i]->outcome == Outcome::TimedOut);
        for (std::size_t i = 20; i < 40; ++i) CHECK(results[i] && results[i]->response.body == "fine");
        release.set_value();
        host.parts.threads.stop(10s);
    }

    TEST(eachServiceHasTwoThreads)
    {
        Host host(client());
        std::atomic<int> inside{0}, most{0};
        host.parts.local = [&](const Call&)
        {
            const int now = ++inside;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
            std::this_thread::yield();
            --inside;
            return ok("");
        };
        for (const auto& result : host.calls.send(std::vector<Call>(100, local("crm")), 10s, {})) CHECK(result && result->responded());
        CHECK(most.load() <= 2);
    }

    TEST(aFullLaneRefuses)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        host.parts.local = [&](const Call&)
        {
            released.wait();
            return ok("");
        };
        const auto results = host.calls.send(std::vector<Call>(CallThreads::queueLimit + 10, local("crm", 20ms)), 10s, {});
        int refused = 0;
        for (const auto& result : results) refused += result->outcome == Outcome::NotReached ? 1 : 0;
        CHECK(refused >= 8);
        release.set_value();
        CHECK(host.calls.send({local("none")}, 10s, {}).front().has_value());
        host.parts.threads.stop(10s);
    }

    TEST(returnsAtTheDeadlineAndPassesLateResultsOn)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        host.parts.local = [&](const Call& call)
        {
            if (call.service == "slow") released.wait();
            return ok(call.service);
        };
        std::promise<std::pair<std::size_t, std::string>> late;
        const auto results = host.calls.send({local("fast"), local("slow")}, 2s,
                                             [&](std::size_t index, CallResult result) {
                                                 late.set_value({index, result.response.body});
                                             });
        CHECK(results[0] && results[0]->response.body == "fast");
        CHECK(!results[1]);
        release.set_value();
        CHECK((late.get_future().get() == std::pair<std::size_t, std::string>{1, "slow"}));
        host.parts.threads.stop(10s);
    }

    TEST(lateResultsEndWithTheGeneration)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        host.parts.local = [&](const Call&)
        {
            released.wait();
            return ok("");
        };
        const auto owned = std::make_shared<int>(0);
        std::atomic<bool> called{false};
        CHECK(!host.calls.send({local("slow")}, 10ms, [owned, &called](std::size_t, CallResult) { called = true; }).front());
        CHECK(host.generation->drain(1s));
        host.calls.clear();
        equal(1, owned.use_count(), "nothing of the plugin is kept");
        release.set_value();
        host.parts.threads.stop(10s);
        CHECK(!called);
    }

    TEST(waitingCallsExpire)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        std::atomic<int> begun{0};
        host.parts.local = [&](const Call&)
        {
            ++begun;
            released.wait();
            return ok("");
        };
        const auto results = host.calls.send(std::vector<Call>(10, local("crm", 20ms)), 10s, {});
        for (const auto& result : results) CHECK(result->outcome == Outcome::TimedOut);
        release.set_value();
        host.parts.threads.stop(10s);
        CPPUNIT_ASSERT_MESSAGE("calls that wait beyond their timeout are not made", begun.load() <= 2);
    }

    TEST(beginsAFewAtATime)
    {
        Host host(client());
        std::promise<void> release;
        const auto released = release.get_future().share();
        std::atomic<int> inside{0}, most{0};
        host.parts.local = [&](const Call& call)
        {
            if (call.service == "hangs") released.wait();
            const int now = ++inside;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
            std::this_thread::yield();
            --inside;
            return ok("");
        };
        std::vector<Call> calls;
        for (int i = 0; i < 2; ++i) calls.push_back(local("hangs"));
        for (int i = 0; i < 30; ++i) calls.push_back(local("app" + std::to_string(i)));
        for (int i = 0; i < 3; ++i) calls.push_back(local("hangs"));
        const auto results = host.calls.send(calls, 3s, {}, 4);
        for (std::size_t i = 2; i < 32; ++i) CPPUNIT_ASSERT_MESSAGE(std::to_string(i), results[i] && results[i]->responded());
        CPPUNIT_ASSERT_MESSAGE("under way at the deadline", !results[0] && !results[33]);
        CPPUNIT_ASSERT_MESSAGE("not begun by the deadline", results[34] && results[34]->outcome == Outcome::TimedOut);
        CHECK(most.load() <= 4);
        release.set_value();
        host.parts.threads.stop(10s);
    }

    TEST(sendsToManyServersWithoutAThreadEach)
    {
        Host host(client());
        HttpReceiver receiver(HttpReceiver::respond(200, "hello"));
        const Poco::Net::ServerSocket silent(Poco::Net::SocketAddress("127.0.0.1", 0));
        const auto hanging = "http://127.0.0.1:" + std::to_string(silent.address().port()) + "/";
        std::vector<Call> calls(20, remote(receiver.url()));
        for (int i = 0; i < 100; ++i) calls.push_back(remote(hanging, 300ms));
        const auto results = host.calls.send(calls, 10s, {});
        for (std::size_t i = 0; i < 20; ++i) CHECK(results[i]->responded() && results[i]->response.body == "hello");
        for (std::size_t i = 20; i < calls.size(); ++i) CHECK(results[i]->outcome == Outcome::TimedOut);
        equal(0, host.parts.threads.threadCount());
    }

    TEST(sendsMethodHeadersAndBody)
    {
        Host host(client());
        HttpReceiver receiver(HttpReceiver::respond(201, "made"));
        auto call = remote(receiver.url("/a?b=c"));
        call.request.method = "POST";
        call.request.body = "text";
        call.request.headers = {{"Authorization", "Bearer t"}, {"X-Request-Id", "r-1"}};
        const auto result = host.calls.send(call);
        equal(201, result.response.status);
        equal("made", result.response.body);
        const auto received = receiver.received().front();
        equal("POST /a?b=c text", received.method + " " + received.uri + " " + received.body);
        equal("Bearer t", received.headers.at("Authorization"));
        equal("127.0.0.1:" + std::to_string(receiver.port()), received.headers.at("Host"));
    }

    TEST(hostileServersAreFailures)
    {
        Host host(client());
        const auto outcomeOf = [&](const std::string& text)
        {
            RawServer server(
                [&](Poco::Net::StreamSocket& socket)
                {
                    std::array<char, 4096> request{};
                    socket.receiveBytes(request.data(), static_cast<int>(request.size()));
                    send(socket, text);
                    socket.shutdownSend();
                });
            auto call = remote(server.url());
            call.request.maxResponseBytes = 100;
            return host.calls.send(call).outcome;
        };
        const std::string head = "HTTP/1.1 200 OK\r\n";
        CHECK(outcomeOf(head + "Content-Length: 5\r\n\r\nhello") == Outcome::Responded);
        CHECK(outcomeOf(head + "\r\nhello") == Outcome::Responded);
        CHECK(outcomeOf(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n") == Outcome::Responded);
        CHECK(outcomeOf(head + "Content-Length: 50\r\n\r\nhello") == Outcome::Failed);
        CHECK(outcomeOf(head + "Content-Length: 101\r\n\r\n") == Outcome::TooLarge);
        CHECK(outcomeOf(head + "\r\n" + std::string(101, 'x')) == Outcome::TooLarge);
        CHECK(outcomeOf(head + "Transfer-Encoding: chunked\r\n\r\n65\r\n") == Outcome::TooLarge);
        CHECK(outcomeOf(head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n") == Outcome::Failed);
        CHECK(outcomeOf(head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd") == Outcome::Failed);
        CHECK(outcomeOf("ICY 200 OK\r\n\r\n") == Outcome::Failed);
        CHECK(outcomeOf("") == Outcome::Failed);
        CHECK(outcomeOf("HTTP/1.1 103 Early\r\n\r\n" + head + "Content-Length: 2\r\n\r\nok") == Outcome::Responded);
        CHECK(outcomeOf(head + "X: " + std::string(40'000, 'x')) == Outcome::Failed);
    }

    TEST(checksCertificates)
    {
        const TemporaryDirectory directory;
        const auto certificate = makeCertificate(directory.path(), "hooks.example");
        const Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, certificate.keyFile,
                                                                       certificate.certificateFile, "", Poco::Net::Context::VERIFY_NONE);
        HttpReceiver secure(HttpReceiver::respond(200, std::string(100'000, 'x')),
                            Poco::Net::SecureServerSocket(Poco::Net::SocketAddress("127.0.0.1", 0), 64, context));
        const auto port = ":" + std::to_string(secure.port()) + "/";
        auto settings = loopback();
        const auto toLoopback = [](const std::string&) { return std::vector<std::string>{"127.0.0.1"}; };
        const GuardedHttpClient distrusting(settings, toLoopback);
        Host outside(distrusting);
        CHECK(outside.calls.send(remote("https://hooks.example" + port)).outcome == Outcome::NotReached);
        settings.certificateAuthorities = certificate.certificateFile;
        const GuardedHttpClient trusting(settings, toLoopback);
        Host host(trusting);
        const auto result = host.calls.send(remote("https://hooks.example" + port));
        CHECK(result.responded());
        equal(100'000, result.response.body.size());
        CHECK(host.calls.send(remote("https://other.example" + port)).outcome == Outcome::NotReached);
    }

    TEST(redirectsAreAnswers)
    {
        Host host(client());
        HttpReceiver receiver(
            [](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_FOUND);
                response.set("Location", "/elsewhere");
                response.setContentLength(0);
                response.send();
            });
        equal(302, host.calls.send(remote(receiver.url())).response.status);
        equal(1, receiver.received().size());
    }

    TEST(checksAddresses)
    {
        const GuardedHttpClient strict(HttpClientSettings{}, [](const std::string&) { return std::vector<std::string>{"10.0.0.1"}; });
        Host host(strict);
        CHECK(host.calls.send(remote("http://127.0.0.1:1/")).outcome == Outcome::NotAllowed);
        CHECK(host.calls.send(remote("http://rebinding.example/")).outcome == Outcome::NotAllowed);
        CHECK(host.calls.send(remote("ftp://example.org/")).outcome == Outcome::NotAllowed);
        Host open(client());
        Poco::Net::ServerSocket closed(Poco::Net::SocketAddress("127.0.0.1", 0));
        const auto port = closed.address().port();
        closed.close();
        CHECK(open.calls.send(remote("http://127.0.0.1:" + std::to_string(port) + "/")).outcome == Outcome::NotReached);
    }

    TEST(refusesCallsThatCannotBeSent)
    {
        Host host(client());
        auto framed = remote("http://127.0.0.1/");
        framed.request.headers = {{"Content-Length", "5"}};
        CPPUNIT_ASSERT_THROW(host.calls.send(framed), std::invalid_argument);
        auto follows = remote("http://127.0.0.1/");
        follows.request.maxRedirects = 1;
        CPPUNIT_ASSERT_THROW(host.calls.send(follows), std::invalid_argument);
        auto absolute = local("crm");
        absolute.request.url = "http://crm/";
        CPPUNIT_ASSERT_THROW(host.calls.send(absolute), std::invalid_argument);
        CHECK(host.calls.send(local("crm")).outcome == Outcome::NotReached);
    }

    TEST(parsesByteByByte)
    {
        using State = HttpResponseParser::State;
        const std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n";
        HttpResponseParser parser(false, 5);
        for (std::size_t i = 0; i + 1 < text.size(); ++i) CHECK(parser.take(text.substr(i, 1)) == State::More);
        CHECK(parser.take("\n") == State::Complete);
        equal("abcde", parser.response().body);
        HttpResponseParser toHead(true, 5);
        CHECK(toHead.take("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n") == State::Complete);
        HttpResponseParser sized(false, 5);
        for (const char c : std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd")) CHECK(sized.take({&c, 1}) == State::More);
        CHECK(sized.take("e") == State::Complete);
    }
};
} // namespace portico::tests
