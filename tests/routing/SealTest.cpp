#include "World.h"

#include "support/Suite.h"

#include "host/routing/idempotency/Idempotency.h"
#include "host/routing/idempotency/KeyedRequest.h"

#include <set>

namespace routing_tests
{

/// The host's database reveals nothing about keyed requests.
class SealTest : public Suite<SealTest>
{
    /// Writes down everything that it is handed.
    class Spy final : public IdempotencyStore
    {
    public:
        Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) override
        {
            seen.append(key).append(fingerprint).append(owner);
            return inner.begin(key, fingerprint, owner, now);
        }
        void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) override
        {
            seen.append(key).append(owner).append(sealedAnswer);
            std::string kept(sealedAnswer);
            if (alter) kept.back() ^= 1;
            inner.complete(key, owner, kept, now);
        }
        void abandon(std::string_view key, std::string_view owner) override { inner.abandon(key, owner); }

        MemoryIdempotencyStore inner;
        std::string seen;
        bool alter = false;
    };

    /// A request that is looked at through views.
    struct Post
    {
        Post()
        {
            caller.credential = CredentialKind::AccessToken;
            caller.principalId = "usr_ann";
            caller.organizationId = "org_acme";
        }
        KeyedRequest keyed(const KeyedHash& secret, std::string_view service = "identity")
        {
            bind();
            return KeyedRequest::of(request, service, key, secret);
        }
        Request& bind()
        {
            fields = {{"Idempotency-Key", key}, {"Content-Type", contentType}};
            request.method = method;
            request.path = path;
            request.query = query;
            request.headers = fields;
            request.body = body;
            request.clientAddress = address;
            request.caller = &caller;
            return request;
        }
        Method method = Method::Post;
        std::string path = "/api/api-keys";
        std::string query;
        std::string key = "order-1234";
        std::string contentType = "application/json";
        std::string body = R"({"name":"nightly"})";
        std::string address = "192.0.2.7";
        Caller caller;
        std::vector<HeaderField> fields;
        Request request;
    };

    const KeyedHash _secret = deriveSecret("of the host", "test");

    TEST(opensWhatWasSealed)
    {
        std::string bytes;
        for (int i = 0; i < 1000; ++i) bytes.push_back(static_cast<char>(i));
        for (const auto& body : {std::string(), std::string("{\"n\":\"\xc3\xa4\"}"), bytes})
        {
            Response given;
            given.json(201, body);
            given.cacheControl = "no-store";
            given.etag = "\"1\"";
            given.addHeader("Location", "/x");
            Response answer;
            decryptResponse(encryptResponse(given, _secret, "id"), _secret, "id", answer);
            equal(201, answer.status);
            equal("application/json", answer.contentType);
            equal("no-store", answer.cacheControl);
            equal("\"1\"", answer.etag);
            equal("Location: /x\r\n", std::string(answer.headerBlock()));
            equal(body, answer.body);
        }
    }

    TEST(opensNothingElse)
    {
        Response answer, opened;
        answer.body = "pak_live_secret";
        const auto sealed = encryptResponse(answer, _secret, "id");
        CHECK(sealed != encryptResponse(answer, _secret, "id"));
        CHECK(sealed.find("pak_live") == std::string::npos);
        CPPUNIT_ASSERT_THROW(decryptResponse(sealed, deriveSecret("of another host", "test"), "id", opened), std::runtime_error);
        CPPUNIT_ASSERT_THROW(decryptResponse(sealed, _secret, "other", opened), std::runtime_error);
        for (std::size_t i = 0; i < sealed.size(); ++i)
        {
            auto altered = sealed;
            altered[i] ^= 1;
            CPPUNIT_ASSERT_THROW(decryptResponse(altered, _secret, "id", opened), std::runtime_error);
            CPPUNIT_ASSERT_THROW(decryptResponse(sealed.substr(0, i), _secret, "id", opened), std::runtime_error);
        }
    }

    TEST(everyPartOfTheRequestCounts)
    {
        std::set<std::string> ids, fingerprints, seals;
        const auto note = [&](const KeyedRequest& keyed)
        {
            ids.insert(keyed.id);
            fingerprints.insert(keyed.fingerprint);
            seals.insert(keyed.seal.hex());
        };
        const auto with = [&](auto&& change)
        {
            Post post;
            change(post);
            note(post.keyed(_secret));
        };
        with([](Post&) {});
        with([](Post&) {});
        equal(1, seals.size());
        // Another record.
        with([](Post& post) { post.key = "order-1235"; });
        with([](Post& post) { post.path = "/api/api-key"; });
        with([](Post& post) { post.caller.principalId = "usr_bob"; });
        with([](Post& post) { post.caller.organizationId = "org_other"; });
        with([](Post& post) { post.caller.organizationId = ""; });
        with([](Post& post) { post.caller.apiKeyId = "key_1"; });
        with([](Post& post) { post.caller = Caller::nobody(); });
        note(Post().keyed(_secret, "crm"));
        equal(9, ids.size());
        equal(1, fingerprints.size());
        // The same record, another request.
        with([](Post& post) { post.method = Method::Put; });
        with([](Post& post) { post.query = "a=b"; });
        with([](Post& post) { post.contentType = "text/plain"; });
        with([](Post& post) { post.body = "{}"; });
        equal(9, ids.size());
        equal(5, fingerprints.size());
        equal(13, seals.size());
        // Another host's.
        note(Post().keyed(deriveSecret("of another host", "test")));
        equal(10, ids.size());
        equal(6, fingerprints.size());
        equal(14, seals.size());
        for (const auto& seal : seals) CHECK(!ids.contains(seal) && !fingerprints.contains(seal));
    }

    void run(const Idempotency& stage, Post& post)
    {
        Response response;
        auto ticket = stage.begin(post.bind(), "identity", response);
        CHECK(ticket);
        response.json(201, R"({"secret":"pak_live_wwww"})");
        response.addHeader("Location", "/api/api-keys/key_1");
        ticket.settle(response);
    }

    TEST(storeHoldsNoneOfIt)
    {
        Spy store;
        const Idempotency stage(store, "of the host", _clock, _log);
        Post post;
        run(stage, post);
        for (const auto* part : {"pak_live", "wwww", "Location", "order-1234", "nightly", "usr_ann", "org_acme", "api-keys", "application"})
            CPPUNIT_ASSERT_MESSAGE(part, store.seen.find(part) == std::string::npos);
        CHECK(store.seen.find(post.keyed(deriveSecret("of the host", "idempotency")).seal.hex()) == std::string::npos);
    }

    TEST(hostsThatShareTheSecretShareAnswers)
    {
        Spy store;
        Post post;
        run(Idempotency(store, "of the host", _clock, _log), post);
        Response response;
        CHECK(!Idempotency(store, "of the host", _clock, _log).begin(post.bind(), "identity", response));
        equal(R"({"secret":"pak_live_wwww"})", response.body);
        // Without the secret the record is not even found.
        run(Idempotency(store, "of another host", _clock, _log), post);
    }

    TEST(alteredAnswerIsNotServed)
    {
        Spy store;
        store.alter = true;
        const Idempotency stage(store, "of the host", _clock, _log);
        Post post;
        run(stage, post);
        Response response;
        CPPUNIT_ASSERT_THROW(stage.begin(post.bind(), "identity", response), std::runtime_error);
    }

    FakeClock _clock;
    RecordingLogger _log;
};

} // namespace routing_tests
