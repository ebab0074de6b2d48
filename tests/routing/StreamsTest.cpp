#include "World.h"

#include <cppunit/extensions/HelperMacros.h>

#include <functional>

namespace routing_tests
{

/// How long answers that stay open may stay open, and how many.
class LiveStreamsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LiveStreamsTest);
    CPPUNIT_TEST(holdsNothingOfThePlugin);
    CPPUNIT_TEST(endsWithItsGeneration);
    CPPUNIT_TEST(endsAtOnceWhereTheGenerationHasGone);
    CPPUNIT_TEST(endsNoLaterThanItsCredential);
    CPPUNIT_TEST(asksAgainWhoReads);
    CPPUNIT_TEST(aCallerHasSoMany);
    CPPUNIT_TEST(anAddressHasSoMany);
    CPPUNIT_TEST(aForeignOriginHasSoMany);
    CPPUNIT_TEST_SUITE_END();

    struct Body final : portico::detail::LiveBody
    {
        Body(int& open, int& ended, std::optional<Instant> time) : _open(open), _ended(ended), _until(time) { ++_open; }
        ~Body() override { --_open; }
        void attach(std::shared_ptr<portico::detail::Waker>) noexcept override {}
        State take(std::string&) override { return State::Open; }
        void beat(std::string&) override {}
        void end() noexcept override { ++_ended; }
        std::optional<Instant> until() const noexcept override { return _until; }

    private:
        int& _open;
        int& _ended;
        const std::optional<Instant> _until;
    };

    struct Streams : TwoServices
    {
        explicit Streams(Settings chosen = {}) : TwoServices(std::move(chosen))
        {
            const auto answer = [this](Request&, Response& response)
            {
                if (whileRunning) whileRunning();
                response.live = std::make_unique<Body>(open, ended, until);
            };
            service("crm").route(Method::Get, "/api/events", access::bearerOrKey("crm.contacts:read", "contacts.read"), answer);
            service("crm").route(Method::Get, "/api/public", access::open(), answer);
            publish();
        }

        /// A stream as the server holds it once its request is finished.
        std::unique_ptr<portico::detail::LiveBody> stream(const Call& call)
        {
            OpenExchange exchange(call, clock);
            start(exchange);
            status = exchange.exchange.response.status;
            auto live = std::move(exchange.exchange.response.live);
            dispatcher().finished(exchange.exchange);
            return live;
        }
        std::unique_ptr<portico::detail::LiveBody> mine(const std::string& token = "reader")
        {
            return stream({.path = "/api/events", .headers = {{"Authorization", "Bearer " + token}}});
        }

        int status = 0;
        int open = 0;
        int ended = 0;
        std::optional<Instant> until;
        std::function<void()> whileRunning;
    };

    void holdsNothingOfThePlugin()
    {
        Streams world;
        const auto live = world.mine();
        CPPUNIT_ASSERT(live);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, world.service("crm").generation->inFlight());
        CPPUNIT_ASSERT(world.service("crm").generation->drain(std::chrono::milliseconds(0)));
    }

    void endsWithItsGeneration()
    {
        Streams world;
        const auto live = world.mine();
        const auto old = world.service("crm").generation;
        world.publish();
        CPPUNIT_ASSERT_EQUAL(0, world.ended);
        old->drain(std::chrono::milliseconds(0));
        CPPUNIT_ASSERT_EQUAL(1, world.ended);
        // The next belongs to the new one.
        const auto next = world.mine();
        CPPUNIT_ASSERT_EQUAL(1, world.ended);
        CPPUNIT_ASSERT_EQUAL(2, world.open);
    }

    void endsAtOnceWhereTheGenerationHasGone()
    {
        Streams world;
        world.whileRunning = [&] { world.service("crm").generation->drain(std::chrono::milliseconds(0)); };
        const auto live = world.mine();
        CPPUNIT_ASSERT(live);
        CPPUNIT_ASSERT_EQUAL(1, world.ended);
    }

    void endsNoLaterThanItsCredential()
    {
        Streams world;
        auto& reader = world.caller("reader");
        CPPUNIT_ASSERT(!world.mine()->until());
        reader.expiresAt = world.clock.now() + std::chrono::minutes(5);
        CPPUNIT_ASSERT(world.mine()->until() == reader.expiresAt);
        world.until = world.clock.now() + std::chrono::minutes(1);
        CPPUNIT_ASSERT(world.mine()->until() == world.until);
        world.until = world.clock.now() + std::chrono::minutes(9);
        CPPUNIT_ASSERT(world.mine()->until() == reader.expiresAt);
        CPPUNIT_ASSERT(world.stream({.path = "/api/public"})->until() == world.until);
    }

    void asksAgainWhoReads()
    {
        Streams world;
        const auto live = world.mine();
        CPPUNIT_ASSERT(live->mayGoOn());
        world.caller("reader").permissions.clear();
        CPPUNIT_ASSERT(!live->mayGoOn());
        world.caller("reader").permissions = {"crm.contacts:read"};
        CPPUNIT_ASSERT(live->mayGoOn());
        // Nobody is signed out because identity is being replaced.
        world.credentialsPresent = false;
        CPPUNIT_ASSERT(live->mayGoOn());
        world.credentialsPresent = true;
        world.credentials.callers.clear();
        CPPUNIT_ASSERT(!live->mayGoOn());
        CPPUNIT_ASSERT(world.stream({.path = "/api/public"})->mayGoOn());
    }

    void aCallerHasSoMany()
    {
        Settings settings;
        settings.streamsPerCaller = 2;
        settings.streamsPerAddress = 0;
        Streams world(settings);
        world.caller("other").permissions = {"crm.contacts:read"};
        auto first = world.mine();
        const auto second = world.mine();
        CPPUNIT_ASSERT(!world.mine());
        CPPUNIT_ASSERT_EQUAL(429, world.status);
        CPPUNIT_ASSERT_EQUAL(2, world.open);
        CPPUNIT_ASSERT(world.mine("other"));
        CPPUNIT_ASSERT(world.stream({.path = "/api/public"}));
        first.reset();
        CPPUNIT_ASSERT(world.mine());
    }

    void anAddressHasSoMany()
    {
        Settings settings;
        settings.streamsPerAddress = 1;
        Streams world(settings);
        const auto one = world.stream({.path = "/api/public", .client = "2001:db8::1"});
        CPPUNIT_ASSERT(!world.stream({.path = "/api/public", .client = "2001:db8::2"}));
        CPPUNIT_ASSERT_EQUAL(429, world.status);
        CPPUNIT_ASSERT(world.stream({.path = "/api/public", .client = "2001:db8:0:1::1"}));
        CPPUNIT_ASSERT(world.mine());
    }

    void aForeignOriginHasSoMany()
    {
        Settings settings;
        settings.streamsPerOrigin = 1;
        Streams world(settings);
        const auto from = [&](const std::string& origin) { return world.stream({.path = "/api/public", .headers = {{"Origin", origin}}}); };
        const auto one = from("https://shop.example");
        CPPUNIT_ASSERT(!from("https://shop.example"));
        CPPUNIT_ASSERT(from("https://other.example"));
        const auto own = from("http://crm.localhost:8080");
        CPPUNIT_ASSERT(from("http://crm.localhost:8080"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LiveStreamsTest);

} // namespace routing_tests
