#include "identity/OAuthDriver.h"

#include "tokens/SigningKey.h"

namespace portico::tests
{

/// Clients that prove who they are by keys at an address of theirs (`jwks_uri`): read seldom, and again for a key that is new.
class ClientKeysTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ClientKeysTest);
    CPPUNIT_TEST(keysAreRememberedAndReadAgainForANewOne);
    CPPUNIT_TEST(madeUpKeysCostNothing);
    CPPUNIT_TEST(whatWasKnownOutlivesAnOutage);
    CPPUNIT_TEST(addressesThatAnswerNonsenseProveNothing);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        _client = _driver
                      ->client(R"(,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example/jwks",)"
                               R"("grant_types":["authorization_code","client_credentials"])")
                      .at("/client_id");
    }
    void tearDown() override { _driver.reset(); }

    void keysAreRememberedAndReadAgainForANewOne()
    {
        publish({{"one", &first}});
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, http().requests().size());
        publish({{"two", &second}});
        later(std::chrono::seconds(10));
        CPPUNIT_ASSERT_EQUAL(200, prove("two", second));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, http().requests().size());
        // What is no longer published proves nothing any more.
        CPPUNIT_ASSERT_EQUAL(401, prove("one", first));
        later(std::chrono::minutes(6));
        publish({});
        CPPUNIT_ASSERT_EQUAL(401, prove("two", second));
    }

    void madeUpKeysCostNothing()
    {
        publish({{"one", &first}});
        for (int i = 0; i < 20; ++i) CPPUNIT_ASSERT_EQUAL(401, prove("made-up-" + std::to_string(i), second));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, http().requests().size());
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
        // A key of another, under the name of a good one.
        CPPUNIT_ASSERT_EQUAL(401, prove("one", second));
    }

    void whatWasKnownOutlivesAnOutage()
    {
        publish({{"one", &first}});
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
        later(std::chrono::minutes(6));
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "down", HttpFailure::Sent::NotSent); });
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
        http().respond(500, "{}");
        later(std::chrono::minutes(6));
        CPPUNIT_ASSERT_EQUAL(200, prove("one", first));
    }

    void addressesThatAnswerNonsenseProveNothing()
    {
        for (const auto* body : {"", "[]", "{}", R"({"keys":7})", R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})", "not json"})
        {
            http().respond(200, body);
            later(std::chrono::minutes(6));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body, 401, prove("one", first));
        }
    }

private:
    const identity::SigningKey first = identity::SigningKey::generate();
    const identity::SigningKey second = identity::SigningKey::generate();

    testing::FakeHttpClient& http() { return _driver->host().context().http(); }
    void later(std::chrono::seconds time) { _driver->host().context().clock().advance(time); }
    void publish(const std::vector<std::pair<std::string, const identity::SigningKey*>>& keys)
    {
        std::string set;
        for (const auto& [kid, key] : keys)
            set += std::string(set.empty() ? "" : ",") + R"({"kty":"EC","crv":"P-256","kid":")" + kid + R"(","x":")" + key->x() +
                   R"(","y":")" + key->y() + "\"}";
        http().respond(200, R"({"keys":[)" + set + "]}");
    }
    int prove(const std::string& kid, const identity::SigningKey& key) const
    {
        const auto now = std::chrono::floor<std::chrono::seconds>(_driver->host().context().clock().now()).time_since_epoch().count();
        const auto claims = R"({"iss":")" + _client + R"(","sub":")" + _client + R"(","aud":")" + std::string(OAuthDriver::issuer) +
                            R"(","jti":")" + randomToken(8) + R"(","exp":)" + std::to_string(now + 60) + '}';
        const auto text = toBase64Url(R"({"alg":"ES256","kid":")" + kid + "\"}") + '.' + toBase64Url(claims);
        return _driver
            ->post("/oauth/token", {{"grant_type", "client_credentials"},
                                    {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
                                    {"client_assertion", text + '.' + toBase64Url(key.sign(text))}})
            .status;
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::string _client;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ClientKeysTest);

} // namespace portico::tests
