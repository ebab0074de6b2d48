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

/// All live bodies of a test, for whoever wants to give them something.
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
class StreamsTest : public ServerFixture
{
    CPPUNIT_TEST_SUITE(StreamsTest);
    CPPUNIT_TEST(sendsWhatComes);
    CPPUNIT_TEST(servesAllLoops);
    CPPUNIT_TEST(goesOnWithTheConnectionAfterwards);
    CPPUNIT_TEST(saysThatItIsThere);
    CPPUNIT_TEST(cutsOffWhoIsTooSlow);
    CPPUNIT_TEST(cutsOffWhoTakesNothing);
    CPPUNIT_TEST(noticesThatAClientIsGone);
    CPPUNIT_TEST(asksAgainWhetherTheReaderMay);
    CPPUNIT_TEST(endsAtItsTime);
    CPPUNIT_TEST(endsWithTheServer);
    CPPUNIT_TEST(endsWithTheServerWhoeverTakesNothing);
    CPPUNIT_TEST(worksUnderTls);
    CPPUNIT_TEST(speaksOldHttp);
    CPPUNIT_TEST(isRungWhileClientsComeAndGo);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void sendsWhatComes()
    {
        start();
        for (const auto* path : {"/events", "/loop-events"})
        {
            auto reader = client();
            const auto head = open(reader, path);
            CPPUNIT_ASSERT(head.find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos);
            CPPUNIT_ASSERT(head.find("Content-Encoding") == std::string::npos);
            _bodies.give("one");
            CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\none\r\n"), reader.read(15));
            const std::string large(300'000, 'x');
            _bodies.give(large);
            CPPUNIT_ASSERT_EQUAL("000493e0\r\n" + large + "\r\n", reader.read(300'012));
            // The request is over, and no thread waits.
            CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 1 && now.requestsInFlight == 0 && now.workers.busy == 0; }));
            CPPUNIT_ASSERT_EQUAL(application.admitted(), application.finishedCount());
            reader.close();
            CPPUNIT_ASSERT(await([](const auto& then) { return then.streams == 0; }));
        }
    }

    void servesAllLoops()
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
        CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 20; }));
        for (int i = 0; i < 50; ++i) _bodies.give("0123456789");
        for (auto& reader : readers) CPPUNIT_ASSERT_EQUAL(std::size_t{500}, bytesOf(reader, 500));
    }

    void goesOnWithTheConnectionAfterwards()
    {
        start();
        auto reader = client();
        for (int i = 0; i < 3; ++i)
        {
            open(reader);
            _bodies.give("last", true);
            CPPUNIT_ASSERT_EQUAL(std::string("00000007\r\nlastbye\r\n0\r\n\r\n"), reader.read(24));
            CPPUNIT_ASSERT_EQUAL(std::string("text"), reader.request(get("/text")).body);
        }
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, server->statistics().streams);
        // What is sent meanwhile is read afterwards.
        open(reader);
        reader.send(get("/text"));
        _bodies.give("", true);
        CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
        CPPUNIT_ASSERT_EQUAL(std::string("text"), reader.receive().body);
    }

    void saysThatItIsThere()
    {
        settings.streamBeat = 250ms;
        start();
        auto reader = client();
        open(reader);
        for (int i = 0; i < 3; ++i) CPPUNIT_ASSERT_EQUAL(std::string("00000005\r\n:beat\r\n"), reader.read(17));
    }

    void cutsOffWhoIsTooSlow()
    {
        start();
        auto reader = client();
        open(reader);
        _bodies.give("", false, true);
        CPPUNIT_ASSERT(reader.ended());
        CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 0 && now.streamsOverrun == 1; }));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
    }

    void cutsOffWhoTakesNothing()
    {
        settings.writeTimeout = 500ms;
        settings.writeMinimumRate = 0;
        start();
        auto reader = client();
        reader.shrinkReceiveBuffer();
        open(reader);
        const std::string much(32 * 1024 * 1024, 'x');
        _bodies.give(much);
        CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 0; }));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
    }

    void noticesThatAClientIsGone()
    {
        start();
        for (const bool abruptly : {false, true})
        {
            auto reader = client();
            open(reader);
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _bodies.count());
            if (abruptly)
                reader.reset();
            else
                reader.close();
            CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 0 && now.connections == 0; }));
            CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
        }
    }

    void asksAgainWhetherTheReaderMay()
    {
        settings.streamCheck = 250ms;
        settings.streamBeat = 10s;
        start();
        auto reader = client();
        open(reader);
        CPPUNIT_ASSERT(!reader.hasInput(600ms));
        _bodies.mayGoOn = false;
        CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
    }

    void endsAtItsTime()
    {
        start();
        _bodies.until = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + 500ms;
        auto reader = client();
        open(reader);
        CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
        CPPUNIT_ASSERT(std::chrono::system_clock::now() >= *_bodies.until);
        // A time that is over already ends it at once.
        open(reader);
        CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
    }

    void endsWithTheServer()
    {
        settings.loops = 2;
        start();
        std::vector<RawClient> readers;
        for (int i = 0; i < 10; ++i)
        {
            readers.push_back(client());
            open(readers.back());
        }
        CPPUNIT_ASSERT(server->stop(30s));
        for (auto& reader : readers)
        {
            CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
            CPPUNIT_ASSERT(reader.ended());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
        // Nobody is left to be woken.
        _bodies.give("late");
    }

    void endsWithTheServerWhoeverTakesNothing()
    {
        start();
        auto reader = client();
        reader.shrinkReceiveBuffer();
        open(reader);
        _bodies.give(std::string(32 * 1024 * 1024, 'x'));
        CPPUNIT_ASSERT(await([](const auto& now) { return now.bytesSent > 1024; }));
        CPPUNIT_ASSERT(server->stop(30s));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
    }

    void worksUnderTls()
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
            CPPUNIT_ASSERT_EQUAL("000493e0\r\n" + large + "\r\n", reader.read(300'012));
        }
        _bodies.give("", true);
        CPPUNIT_ASSERT_EQUAL(std::string("00000003\r\nbye\r\n0\r\n\r\n"), reader.read(20));
        CPPUNIT_ASSERT_EQUAL(std::string("text"), reader.request(get("/text")).body);
    }

    void speaksOldHttp()
    {
        start();
        auto old = client();
        old.send("GET /events HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\n\r\n");
        const auto head = headOf(old);
        CPPUNIT_ASSERT(head.find("Transfer-Encoding") == std::string::npos);
        CPPUNIT_ASSERT(head.find("Connection: close") != std::string::npos);
        CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 1; }));
        _bodies.give("one", true);
        CPPUNIT_ASSERT_EQUAL(std::string("onebye"), old.read(6));
        CPPUNIT_ASSERT(old.ended());
        auto asking = client();
        asking.send("HEAD /events HTTP/1.1\r\nHost: test\r\n\r\n");
        CPPUNIT_ASSERT_EQUAL(200, asking.receive(true).status);
        CPPUNIT_ASSERT_EQUAL(std::string("text"), asking.request(get("/text")).body);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
    }

    void isRungWhileClientsComeAndGo()
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
        CPPUNIT_ASSERT(await([](const auto& now) { return now.streams == 0; }));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _bodies.count());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(StreamsTest);

} // namespace portico::test
