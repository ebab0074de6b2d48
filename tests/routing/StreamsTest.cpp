#include "World.h"

#include "support/Suite.h"

#include <functional>

namespace routing_tests
{

/// How long answers that stay open may stay open, and how many.
class LiveStreamsTest : public Suite<LiveStreamsTest>
{
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

    TEST(holdsNothingOfThePlugin)
    {
        Streams world;
        const auto live = world.mine();
        CHECK(live);
        equal(0, world.service("crm").generation->inFlight());
        CHECK(world.service("crm").generation->drain(std::chrono::milliseconds(0)));
    }

    TEST(endsWithItsGeneration)
    {
        Streams world;
        const auto live = world.mine();
        const auto old = world.service("crm").generation;
        world.publish();
        equal(0, world.ended);
        old->drain(std::chrono::milliseconds(0));
        equal(1, world.ended);
        // The next belongs to the new one.
        const auto next = world.mine();
        equal(1, world.ended);
        equal(2, world.open);
    }

    TEST(endsAtOnceWhereTheGenerationHasGone)
    {
        Streams world;
        world.whileRunning = [&] { world.service("crm").generation->drain(std::chrono::milliseconds(0)); };
        const auto live = world.mine();
        CHECK(live);
        equal(1, world.ended);
    }

    TEST(endsNoLaterThanItsCredential)
    {
        Streams world;
        auto& reader = world.caller("reader");
        CHECK(!world.mine()->until());
        reader.expiresAt = world.clock.now() + std::chrono::minutes(5);
        CHECK(world.mine()->until() == reader.expiresAt);
        world.until = world.clock.now() + std::chrono::minutes(1);
        CHECK(world.mine()->until() == world.until);
        world.until = world.clock.now() + std::chrono::minutes(9);
        CHECK(world.mine()->until() == reader.expiresAt);
        CHECK(world.stream({.path = "/api/public"})->until() == world.until);
    }

    TEST(asksAgainWhoReads)
    {
        Streams world;
        const auto live = world.mine();
        CHECK(live->mayGoOn());
        world.caller("reader").permissions.clear();
        CHECK(!live->mayGoOn());
        world.caller("reader").permissions = {"crm.contacts:read"};
        CHECK(live->mayGoOn());
        // A replaced identity plugin signs no user out.
        world.credentialsPresent = false;
        CHECK(live->mayGoOn());
        world.credentialsPresent = true;
        world.credentials.callers.clear();
        CHECK(!live->mayGoOn());
        CHECK(world.stream({.path = "/api/public"})->mayGoOn());
    }

    TEST(aCallerHasSoMany)
    {
        Settings settings;
        settings.streamsPerCaller = 2;
        settings.streamsPerAddress = 0;
        Streams world(settings);
        world.caller("other").permissions = {"crm.contacts:read"};
        auto first = world.mine();
        const auto second = world.mine();
        CHECK(!world.mine());
        equal(429, world.status);
        equal(2, world.open);
        CHECK(world.mine("other"));
        CHECK(world.stream({.path = "/api/public"}));
        first.reset();
        CHECK(world.mine());
    }

    TEST(anAddressHasSoMany)
    {
        Settings settings;
        settings.streamsPerAddress = 1;
        Streams world(settings);
        const auto one = world.stream({.path = "/api/public", .client = "2001:db8::1"});
        CHECK(!world.stream({.path = "/api/public", .client = "2001:db8::2"}));
        equal(429, world.status);
        CHECK(world.stream({.path = "/api/public", .client = "2001:db8:0:1::1"}));
        CHECK(world.mine());
    }

    TEST(aForeignOriginHasSoMany)
    {
        Settings settings;
        settings.streamsPerOrigin = 1;
        Streams world(settings);
        const auto from = [&](const std::string& origin) { return world.stream({.path = "/api/public", .headers = {{"Origin", origin}}}); };
        const auto one = from("https://shop.example");
        CHECK(!from("https://shop.example"));
        CHECK(from("https://other.example"));
        const auto own = from("http://crm.localhost:8080");
        CHECK(from("http://crm.localhost:8080"));
    }
};

} // namespace routing_tests
