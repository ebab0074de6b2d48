#include "http_server/ServerFixture.h"
#include "http_server/TemporaryDirectory.h"
#include "http_server/TestCertificate.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace portico::test
{

namespace
{

using namespace std::chrono_literals;
using detail::LiveBody;
using detail::Waker;

/// All live bodies of a test, so that it can send through them.
class LiveBodies
{
public:
    class Body final : public LiveBody
    {
    public:
        explicit Body(LiveBodies& all) : _all(all)
        {
            const std::lock_guard lock(all.mutex);
            all.open.insert(this);
        }
        ~Body() override
        {
            const std::lock_guard lock(_all.mutex);
            _all.open.erase(this);
        }
        void attach(std::shared_ptr<Waker> waker) noexcept override
        {
            const std::lock_guard lock(_mutex);
            _waker = std::move(waker);
        }
        State take(std::string& out) override
        {
            const std::lock_guard lock(_mutex);
            out += _text;
            _text.clear();
            if (_overrun) return State::Overrun;
            if (!_ending) return State::Open;
            out += "bye";
            return State::Ended;
        }
        void beat(std::string& out) override { out += ":beat"; }
        void end() noexcept override { give("", true); }
        bool mayGoOn() noexcept override { return _all.mayGoOn; }
        std::optional<Instant> until() const noexcept override { return _all.until; }

        void give(std::string_view text, bool end = false, bool overrun = false)
        {
            const std::lock_guard lock(_mutex);
            _text += text;
            _ending = _ending || end;
            _overrun = _overrun || overrun;
            if (_waker) _waker->wake();
        }

    private:
        LiveBodies& _all;
        std::mutex _mutex;
        std::string _text;
        bool _ending = false;
        bool _overrun = false;
        std::shared_ptr<Waker> _waker;
    };

    void give(std::string_view text, bool end = false, bool overrun = false)
    {
        const std::lock_guard lock(mutex);
        for (auto* body : open) body->give(text, end, overrun);
    }
    std::size_t count()
    {
        const std::lock_guard lock(mutex);
        return open.size();
    }

    std::mutex mutex;
    std::set<Body*> open;
    std::atomic<bool> mayGoOn{true};
    std::optional<Instant> until;
};

} // namespace

/// Answers that come when they come.
class StreamsTest : public Suite<StreamsTest, ServerFixture>
{
    void setUp() override
    {
        ServerFixture::setUp();
        TestRoute events;
        events.admission.lane = Lane::Worker;
        events.handle = [this](Exchange& exchange)
        {
            exchange.response.contentType = "text/event-stream";
            exchange.response.live = std::make_unique<LiveBodies::Body>(_bodies);
        };
        application.route("/events", events);
        events.admission.lane = Lane::Loop;
        application.route("/loop-events", events);
        say("/text", "text");
    }

    TEST(sendsWhatComes)
    {
        start();
        for (const auto* path : {"/events", "/loop-events"})
        {
            auto reader = client();
            const auto head = open(reader, path);
            CHECK(head.find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos);
            CHECK(head.find("Content-Encoding") == std::string::npos);
            _bodies.give("one");
            equal("00000003\r\none\r\n", reader.read(15));
            const std::string large(300'000, 'x');
            _bodies.give(large);
            equal("000493e0\r\n" + large + "\r\n", reader.read(300'012));
            // The request is over, and no thread waits.
            CHECK(await([](const auto& now) { return now.streams == 1 && now.requestsInFlight == 0 && now.workers.busy == 0; }));
            equal(application.admitted(), application.finishedCount());
            reader.close();
            CHECK(await([](const auto& then) { return then.streams == 0; }));
        }
    }

    TEST(servesAllLoops)
    {
        settings.loops = 2;
        start();
        std::vector<RawClient> readers;
        for (int i = 0; i < 20; ++i)
        {
            readers.push_back(client());
            open(readers.back());
        }
        // The head may be here before the loop has counted it.
        CHECK(await([](const auto& now) { return now.streams == 20; }));
        for (int i = 0; i < 50; ++i) _bodies.give("0123456789");
        for (auto& reader : readers) equal(500, bytesOf(reader, 500));
    }

    TEST(goesOnWithTheConnectionAfterwards)
    {
        start();
        auto reader = client();
        for (int i = 0; i < 3; ++i)
        {
            open(reader);
            _bodies.give("last", true);
            equal("00000007\r\nlastbye\r\n0\r\n\r\n", reader.read(24));
            equal("text", reader.request(get("/text")).body);
        }
        equal(0, server->statistics().streams);
        // A request that was sent during the stream is read afterwards.
        open(reader);
        reader.send(get("/text"));
        _bodies.give("", true);
        equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
        equal("text", reader.receive().body);
    }

    TEST(saysThatItIsThere)
    {
        settings.streamBeat = 250ms;
        start();
        auto reader = client();
        open(reader);
        for (int i = 0; i < 3; ++i) equal("00000005\r\n:beat\r\n", reader.read(17));
    }

    TEST(cutsOffWhoIsTooSlow)
    {
        start();
        auto reader = client();
        open(reader);
        _bodies.give("", false, true);
        CHECK(reader.ended());
        CHECK(await([](const auto& now) { return now.streams == 0 && now.streamsOverrun == 1; }));
        equal(0, _bodies.count());
    }

    TEST(cutsOffWhoTakesNothing)
    {
        settings.writeTimeout = 500ms;
        settings.writeMinimumRate = 0;
        start();
        auto reader = client();
        reader.shrinkReceiveBuffer();
        open(reader);
        const std::string much(32 * 1024 * 1024, 'x');
        _bodies.give(much);
        CHECK(await([](const auto& now) { return now.streams == 0; }));
        equal(0, _bodies.count());
    }

    TEST(noticesThatAClientIsGone)
    {
        start();
        for (const bool abruptly : {false, true})
        {
            auto reader = client();
            open(reader);
            equal(1, _bodies.count());
            if (abruptly)
                reader.reset();
            else
                reader.close();
            CHECK(await([](const auto& now) { return now.streams == 0 && now.connections == 0; }));
            equal(0, _bodies.count());
        }
    }

    TEST(asksAgainWhetherTheReaderMay)
    {
        settings.streamCheck = 250ms;
        settings.streamBeat = 10s;
        start();
        auto reader = client();
        open(reader);
        CHECK(!reader.hasInput(600ms));
        _bodies.mayGoOn = false;
        equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
    }

    TEST(endsAtItsTime)
    {
        start();
        _bodies.until = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + 500ms;
        auto reader = client();
        open(reader);
        equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
        CHECK(std::chrono::system_clock::now() >= *_bodies.until);
        // A time that is over already ends it at once.
        open(reader);
        equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
    }

    TEST(endsWithTheServer)
    {
        settings.loops = 2;
        start();
        std::vector<RawClient> readers;
        for (int i = 0; i < 10; ++i)
        {
            readers.push_back(client());
            open(readers.back());
        }
        CHECK(server->stop(30s));
        for (auto& reader : readers)
        {
            equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
            CHECK(reader.ended());
        }
        equal(0, _bodies.count());
        // No stream is left to wake.
        _bodies.give("late");
    }

    TEST(endsWithTheServerEvenIfTheClientReadsNothing)
    {
        start();
        auto reader = client();
        reader.shrinkReceiveBuffer();
        open(reader);
        _bodies.give(std::string(32 * 1024 * 1024, 'x'));
        CHECK(await([](const auto& now) { return now.bytesSent > 1024; }));
        CHECK(server->stop(30s));
        equal(0, _bodies.count());
    }

    TEST(worksUnderTls)
    {
        const TemporaryDirectory directory;
        const auto certificate = directory.path() + "/certificate.pem", key = directory.path() + "/key.pem";
        writeCertificate(certificate, key);
        start({.address = "127.0.0.1:0", .tls = host::http::TlsSettings{certificate, key}});
        auto reader = client();
        reader.startTls();
        open(reader);
        const std::string large(300'000, 'x');
        for (int i = 0; i < 3; ++i)
        {
            _bodies.give(large);
            equal("000493e0\r\n" + large + "\r\n", reader.read(300'012));
        }
        _bodies.give("", true);
        equal("00000003\r\nbye\r\n0\r\n\r\n", reader.read(20));
        equal("text", reader.request(get("/text")).body);
    }

    TEST(speaksOldHttp)
    {
        start();
        auto old = client();
        old.send("GET /events HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\n\r\n");
        const auto head = headOf(old);
        CHECK(head.find("Transfer-Encoding") == std::string::npos);
        CHECK(head.find("Connection: close") != std::string::npos);
        CHECK(await([](const auto& now) { return now.streams == 1; }));
        _bodies.give("one", true);
        equal("onebye", old.read(6));
        CHECK(old.ended());
        auto asking = client();
        asking.send("HEAD /events HTTP/1.1\r\nHost: test\r\n\r\n");
        equal(200, asking.receive(true).status);
        equal("text", asking.request(get("/text")).body);
        equal(0, _bodies.count());
    }

    TEST(isRungWhileClientsComeAndGo)
    {
        settings.loops = 2;
        settings.streamCheck = 250ms;
        start();
        std::atomic<bool> over{false};
        std::vector<std::jthread> publishers;
        for (int i = 0; i < 2; ++i)
            publishers.emplace_back(
                [&]
                {
                    while (!over)
                    {
                        _bodies.give("event");
                        std::this_thread::yield();
                    }
                });
        std::vector<std::jthread> clients;
        for (int i = 0; i < 4; ++i)
            clients.emplace_back(
                [this, i]
                {
                    for (int round = 0; round < 40; ++round)
                    {
                        auto reader = client();
                        open(reader);
                        bytesOf(reader, 10);
                        if ((i + round) % 2 == 0) reader.reset();
                    }
                });
        clients.clear();
        over = true;
        publishers.clear();
        CHECK(await([](const auto& now) { return now.streams == 0; }));
        equal(0, _bodies.count());
    }

    static std::string headOf(RawClient& reader)
    {
        std::string head;
        while (!head.ends_with("\r\n\r\n"))
        {
            const auto next = reader.read(1);
            CPPUNIT_ASSERT_MESSAGE(head, !next.empty());
            head += next;
        }
        CPPUNIT_ASSERT_MESSAGE(head, head.starts_with("HTTP/1.1 200 "));
        return head;
    }

    /// Asks for a stream and waits until it is one.
    std::string open(RawClient& reader, const std::string& path = "/events")
    {
        reader.send(get(path, "Accept-Encoding: gzip, br\r\n"));
        return headOf(reader);
    }

    /// How much of the body comes, up to that many bytes.
    static std::size_t bytesOf(RawClient& reader, std::size_t bytes)
    {
        std::size_t count = 0;
        while (count < bytes)
        {
            const auto size = std::stoul("0" + reader.read(8), nullptr, 16);
            reader.read(2);
            if (size == 0) break;
            count += reader.read(size).size();
            reader.read(2);
        }
        return count;
    }

    LiveBodies _bodies;
};

} // namespace portico::test
