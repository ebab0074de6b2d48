#include "identity/IdentityHost.h"

#include "providers/Discovery.h"
#include "providers/UpstreamPauses.h"

#include <semaphore>
#include <thread>

namespace portico::tests
{

/// Cache of providers' metadata: one thread reads for all, stale data is served while renewal fails, and retries back off.
class DiscoveryTest : public Suite<DiscoveryTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _discovery = std::make_unique<identity::Discovery>(http(), _host->context().clock(), false);
        answers("/token");
    }
    void tearDown() override
    {
        _discovery.reset();
        _host.reset();
    }

    /// One failed renewal threw good metadata away.
    TEST(oldCopiesServeWhileRenewalFails)
    {
        equal("/token", tokenPath());
        equal(1, keysAt());
        fails();
        later(std::chrono::hours(2));
        auto asked = http().requests().size();
        // 10, 20 and 40 seconds lie between the tries.
        for (const int pause : {10, 20, 40})
        {
            equal("/token", tokenPath());
            equal(++asked, http().requests().size());
            later(std::chrono::seconds(pause - 1));
            equal("/token", tokenPath());
            equal(asked, http().requests().size());
            later(std::chrono::seconds(1));
        }
        equal(1, keysAt());
        answers("/moved");
        later(std::chrono::minutes(10));
        equal("/moved", tokenPath());
    }

    TEST(oldCopiesServeForAWeek)
    {
        tokenPath();
        fails();
        later(std::chrono::hours(24 * 7 - 1));
        equal("/token", tokenPath());
        later(std::chrono::hours(2));
        CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
    }

    TEST(pausesGrowWhereThereIsNoCopy)
    {
        fails();
        std::size_t asked = 0;
        for (const int pause : {10, 20, 40, 80, 160, 320, 600, 600})
        {
            CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
            equal(++asked, http().requests().size());
            later(std::chrono::seconds(pause - 1));
            CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
            equal(asked, http().requests().size());
            later(std::chrono::seconds(1));
        }
        answers("/token");
        equal("/token", tokenPath());
        // A success resets the backoff.
        fails();
        later(std::chrono::hours(2));
        asked = http().requests().size();
        tokenPath();
        later(std::chrono::seconds(10));
        tokenPath();
        equal(asked + 2, http().requests().size());
    }

    TEST(oneThreadReadsForAll)
    {
        std::counting_semaphore<16> asked(0), answered(0);
        blocks(asked, answered);
        std::atomic<int> good = 0;
        {
            std::vector<std::jthread> readers;
            readers.emplace_back([&] { good += tokenPath() == "/token" ? 1 : 0; });
            asked.acquire();
            for (int i = 0; i < 7; ++i) readers.emplace_back([&] { good += tokenPath() == "/token" ? 1 : 0; });
            answered.release(16);
        }
        equal(8, good.load());
        equal(1, http().requests().size());
    }

    TEST(noThreadWaitsForARenewal)
    {
        tokenPath();
        later(std::chrono::hours(2));
        std::counting_semaphore<16> asked(0), answered(0);
        blocks(asked, answered);
        std::string renewed;
        std::jthread reader([&] { renewed = tokenPath(); });
        asked.acquire();
        for (int i = 0; i < 3; ++i) equal("/token", tokenPath());
        equal(2, http().requests().size());
        answered.release(16);
        reader.join();
        equal("/token", renewed);
    }

    /// Another organization may set the same issuer up while it is away.
    TEST(aFailedTestTakesNothingAway)
    {
        tokenPath();
        keysAt();
        fails();
        CPPUNIT_ASSERT_THROW(_discovery->readNow(issuer), identity::UpstreamFailure);
        equal("/token", tokenPath());
        equal(1, keysAt());
        answers("/moved");
        equal("https://idp.example/moved", _discovery->readNow(issuer).tokenEndpoint);
        equal("/moved", tokenPath());
    }

    TEST(silentTokenEndpointsAreLeftAlone)
    {
        identity::UpstreamPauses pauses(_host->context().clock());
        pauses.failed(issuer);
        CPPUNIT_ASSERT_NO_THROW(pauses.require(issuer));
        pauses.failed(issuer);
        CPPUNIT_ASSERT_THROW(pauses.require(issuer), identity::UpstreamFailure);
        CPPUNIT_ASSERT_NO_THROW(pauses.require("https://other.example"));
        later(std::chrono::seconds(10));
        CPPUNIT_ASSERT_NO_THROW(pauses.require(issuer));
        pauses.failed(issuer);
        later(std::chrono::seconds(19));
        CPPUNIT_ASSERT_THROW(pauses.require(issuer), identity::UpstreamFailure);
        pauses.answered(issuer);
        CPPUNIT_ASSERT_NO_THROW(pauses.require(issuer));
    }

    inline static const std::string issuer = "https://idp.example";

    testing::FakeHttpClient& http() { return _host->context().http(); }
    void later(std::chrono::seconds time) { _host->context().clock().advance(time); }
    std::string tokenPath() { return _discovery->metadata(issuer).tokenEndpoint.substr(issuer.size()); }
    std::size_t keysAt() { return _discovery->keys(_discovery->metadata(issuer))->size(); }
    HttpClient::Response answer(const HttpClient::Request& request, const std::string& path) const
    {
        HttpClient::Response response;
        response.status = 200;
        response.body = request.url.ends_with("/jwks")
                            ? jsonWith(R"({"keys":[{"kty":"EC","crv":"P-256","x":"$","y":"$"}]})", _key.x(), _key.y())
                            : jsonWith(R"({"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/go",)"
                                       R"("token_endpoint":"https://idp.example$","jwks_uri":"https://idp.example/jwks"})",
                                       path);
        return response;
    }
    void answers(const std::string& path)
    {
        http().answer([this, path](const HttpClient::Request& request) { return answer(request, path); });
    }
    void fails()
    {
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(504, "upstream_timeout", "silent", HttpFailure::Sent::PerhapsSent); });
    }
    void blocks(std::counting_semaphore<16>& asked, std::counting_semaphore<16>& answered)
    {
        http().answer(
            [this, &asked, &answered](const HttpClient::Request& request)
            {
                asked.release();
                answered.acquire();
                return answer(request, "/token");
            });
    }

    const identity::SigningKey _key = identity::SigningKey::generate();
    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<identity::Discovery> _discovery;
};

} // namespace portico::tests
