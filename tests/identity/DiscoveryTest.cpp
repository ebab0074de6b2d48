#include "identity/IdentityHost.h"

#include "providers/Discovery.h"
#include "providers/UpstreamPauses.h"

#include <semaphore>
#include <thread>

namespace portico::tests
{

/// What is remembered of providers: read by one thread for all, served while it cannot be renewed, and asked for again in growing pauses.
class DiscoveryTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(DiscoveryTest);
    CPPUNIT_TEST(oldCopiesServeWhileRenewalFails);
    CPPUNIT_TEST(oldCopiesServeForAWeek);
    CPPUNIT_TEST(pausesGrowWhereThereIsNoCopy);
    CPPUNIT_TEST(oneThreadReadsForAll);
    CPPUNIT_TEST(noThreadWaitsForARenewal);
    CPPUNIT_TEST(aFailedTestTakesNothingAway);
    CPPUNIT_TEST(silentTokenEndpointsAreLeftAlone);
    CPPUNIT_TEST_SUITE_END();

public:
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
    void oldCopiesServeWhileRenewalFails()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, keysAt());
        fails();
        later(std::chrono::hours(2));
        auto asked = http().requests().size();
        // 10, 20 and 40 seconds lie between the tries.
        for (const int pause : {10, 20, 40})
        {
            CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
            CPPUNIT_ASSERT_EQUAL(++asked, http().requests().size());
            later(std::chrono::seconds(pause - 1));
            CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
            CPPUNIT_ASSERT_EQUAL(asked, http().requests().size());
            later(std::chrono::seconds(1));
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, keysAt());
        answers("/moved");
        later(std::chrono::minutes(10));
        CPPUNIT_ASSERT_EQUAL(std::string("/moved"), tokenPath());
    }

    void oldCopiesServeForAWeek()
    {
        tokenPath();
        fails();
        later(std::chrono::hours(24 * 7 - 1));
        CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
        later(std::chrono::hours(2));
        CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
    }

    void pausesGrowWhereThereIsNoCopy()
    {
        fails();
        std::size_t asked = 0;
        for (const int pause : {10, 20, 40, 80, 160, 320, 600, 600})
        {
            CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
            CPPUNIT_ASSERT_EQUAL(++asked, http().requests().size());
            later(std::chrono::seconds(pause - 1));
            CPPUNIT_ASSERT_THROW(tokenPath(), identity::UpstreamFailure);
            CPPUNIT_ASSERT_EQUAL(asked, http().requests().size());
            later(std::chrono::seconds(1));
        }
        answers("/token");
        CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
        // After a success the pauses begin anew.
        fails();
        later(std::chrono::hours(2));
        asked = http().requests().size();
        tokenPath();
        later(std::chrono::seconds(10));
        tokenPath();
        CPPUNIT_ASSERT_EQUAL(asked + 2, http().requests().size());
    }

    void oneThreadReadsForAll()
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
        CPPUNIT_ASSERT_EQUAL(8, good.load());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, http().requests().size());
    }

    void noThreadWaitsForARenewal()
    {
        tokenPath();
        later(std::chrono::hours(2));
        std::counting_semaphore<16> asked(0), answered(0);
        blocks(asked, answered);
        std::string renewed;
        std::jthread reader([&] { renewed = tokenPath(); });
        asked.acquire();
        for (int i = 0; i < 3; ++i) CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, http().requests().size());
        answered.release(16);
        reader.join();
        CPPUNIT_ASSERT_EQUAL(std::string("/token"), renewed);
    }

    /// Another organization may set the same issuer up while it is away.
    void aFailedTestTakesNothingAway()
    {
        tokenPath();
        keysAt();
        fails();
        CPPUNIT_ASSERT_THROW(_discovery->readNow(issuer), identity::UpstreamFailure);
        CPPUNIT_ASSERT_EQUAL(std::string("/token"), tokenPath());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, keysAt());
        answers("/moved");
        CPPUNIT_ASSERT_EQUAL(std::string("https://idp.example/moved"), _discovery->readNow(issuer).tokenEndpoint);
        CPPUNIT_ASSERT_EQUAL(std::string("/moved"), tokenPath());
    }

    void silentTokenEndpointsAreLeftAlone()
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

private:
    inline static const std::string issuer = "https://idp.example";

    testing::FakeHttpClient& http() { return _host->context().http(); }
    void later(std::chrono::seconds time) { _host->context().clock().advance(time); }
    std::string tokenPath() { return _discovery->metadata(issuer).tokenEndpoint.substr(issuer.size()); }
    std::size_t keysAt() { return _discovery->keys(_discovery->metadata(issuer))->size(); }
    HttpClient::Response answer(const HttpClient::Request& request, const std::string& path) const
    {
        HttpClient::Response response;
        response.status = 200;
        response.body =
            request.url.ends_with("/jwks")
                ? R"({"keys":[{"kty":"EC","crv":"P-256","x":")" + _key.x() + R"(","y":")" + _key.y() + "\"}]}"
                : R"({"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/go","token_endpoint":"https://idp.example)" +
                      path + R"(","jwks_uri":"https://idp.example/jwks"})";
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

CPPUNIT_TEST_SUITE_REGISTRATION(DiscoveryTest);

} // namespace portico::tests
