#include "World.h"

#include "support/Suite.h"

namespace routing_tests
{

/// Answers for a client that repeats a request under one Idempotency-Key.
class IdempotencyTest : public Suite<IdempotencyTest>
{
    struct Counter : World
    {
        Counter()
        {
            auto& crm = service("crm");
            for (const auto* path : {"/api/things", "/api/others"})
            {
                auto& info = crm.route(Method::Post, path, access::bearer("crm.things:write"),
                                       [this](Request&, Response& response) { answer(response); });
                info.body = BodyKind::Json;
                info.idempotencyKey = true;
            }
            for (const auto* name : {"ann", "bob"}) caller(name).permissions = {"crm.things:write"};
            caller("eve");
            publish();
        }
        void answer(Response& response)
        {
            ++runs;
            if (during) during();
            response.json(status, "{\"run\":" + std::to_string(runs) + "}");
            response.etag = "\"1\"";
            response.addHeader("Location", "/api/things/" + std::to_string(runs));
            if (cookie) response.addHeader("Set-Cookie", "a=b");
        }
        Answer post(const std::string& who, const std::string& key, const std::string& body = "{}", const std::string& path = "/api/things")
        {
            Call call{.method = Method::Post,
                      .path = path,
                      .headers = {{"Authorization", "Bearer " + who}, {"Content-Type", "application/json"}},
                      .body = body};
            if (!key.empty()) call.headers.emplace_back("Idempotency-Key", key);
            return send(call);
        }
        int runs = 0;
        int status = 201;
        bool cookie = false;
        std::function<void()> during;
    };

    TEST(repetitionGetsTheFirstAnswer)
    {
        Counter world;
        const auto first = world.post("ann", "key-0001");
        const auto second = world.post("ann", "key-0001");
        equal(201, second.status);
        equal(first.body, second.body);
        equal("/api/things/1", second.header("Location"));
        equal("true", second.header("Idempotency-Replayed"));
        equal("", first.header("Idempotency-Replayed"));
        equal(1, world.runs);
    }

    TEST(withoutKeyEachRequestRuns)
    {
        Counter world;
        world.post("ann", "");
        world.post("ann", "");
        equal(2, world.runs);
    }

    TEST(anotherBodyIsRefused)
    {
        Counter world;
        world.post("ann", "key-0001", "{\"a\":1}");
        const auto answer = world.post("ann", "key-0001", "{\"a\":2}");
        refused(answer, 422, "idempotency_key_reused");
        equal(1, world.runs);
    }

    TEST(keyBelongsToCallerOrganizationAndPath)
    {
        Counter world;
        world.post("ann", "key-0001");
        world.post("bob", "key-0001");
        world.post("ann", "key-0001", "{}", "/api/others");
        world.caller("ann").organizationId = "org_2";
        world.post("ann", "key-0001");
        equal(4, world.runs);
    }

    TEST(failuresFreeTheKey)
    {
        Counter world;
        world.during = [] { throw Problem::conflict("slug_in_use"); };
        equal(409, world.post("ann", "key-0001").status);
        world.during = [] { throw std::runtime_error("x"); };
        equal(500, world.post("ann", "key-0001").status);
        world.during = nullptr;
        world.status = 303;
        equal(303, world.post("ann", "key-0001").status);
        world.status = 200;
        equal(200, world.post("ann", "key-0001", "{\"other\":1}").status);
        equal(4, world.runs);
    }

    TEST(answersWithCookiesAreNotKept)
    {
        Counter world;
        world.cookie = true;
        world.post("ann", "key-0001");
        world.post("ann", "key-0001");
        equal(2, world.runs);
    }

    TEST(runningRequestIsAConflict)
    {
        Counter world;
        int inner = 0;
        world.during = [&]
        {
            world.during = nullptr;
            const auto answer = world.post("ann", "key-0001");
            inner = answer.status;
            equal("request_in_progress", answer.code());
        };
        equal(201, world.post("ann", "key-0001").status);
        equal(409, inner);
        equal(1, world.runs);
    }

    TEST(malformedKeyIsRefusedAfterPermission)
    {
        Counter world;
        for (const auto& key :
             {std::string("short"), std::string(129, 'k'), std::string("with space"), std::string("key-\xc3\xa4\xc3\xa4\xc3\xa4")})
        {
            equal("validation_failed", world.post("ann", key).code());
            equal("permission_denied", world.post("eve", key).code());
        }
        equal(201, world.post("ann", std::string(128, 'k')).status);
        equal(1, world.runs);

        // Two of them: one of the senders on the way does not know of the other's.
        for (const auto* second : {"another-key-1", "first-key-0001"})
        {
            const auto answer = world.send({.method = Method::Post,
                                            .path = "/api/things",
                                            .headers = {{"Authorization", "Bearer ann"},
                                                        {"Content-Type", "application/json"},
                                                        {"Idempotency-Key", "first-key-0001"},
                                                        {"idempotency-key", second}},
                                            .body = "{}"});
            equal(400, answer.status);
            CPPUNIT_ASSERT_MESSAGE(answer.body, answer.body.find("\"duplicate\"") != std::string::npos);
        }
        equal(1, world.runs);
    }

    class Text final : public ReceivedFile
    {
    public:
        explicit Text(std::string text) : _text(std::move(text)) {}
        std::uint64_t size() const noexcept override { return _text.size(); }
        std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
        {
            return _text.copy(buffer.data(), buffer.size(), offset);
        }

    private:
        std::string _text;
    };

    TEST(uploadsAreComparedByTheirBytes)
    {
        World world;
        auto& info = world.service("crm").route(Method::Post, "/upload", access::open());
        info.body = BodyKind::Upload;
        info.idempotencyKey = true;
        world.publish();
        const Text first(std::string(100'000, 'a')), same(std::string(100'000, 'a')), other(std::string(99'999, 'a') + "b");
        const auto send = [&](const Text& file) {
            return world.send({.method = Method::Post, .path = "/upload", .headers = {{"Idempotency-Key", "key-0001"}}, .file = &file})
                .status;
        };
        equal(200, send(first));
        equal(200, send(same));
        equal(422, send(other));
    }
};

} // namespace routing_tests
