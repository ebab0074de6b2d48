#include "identity/OAuthDriver.h"

#include "jose/SigningKey.h"

#include <array>
#include <semaphore>
#include <thread>

namespace portico::tests
{

/// Clients that prove who they are by keys at an address of theirs (`jwks_uri`): read seldom, and again for a key that is new.
class ClientKeysTest : public Suite<ClientKeysTest>
{
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        _client = _driver
                      ->client(R"(,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example/jwks",)"
                               R"("grant_types":["authorization_code","client_credentials"])")
                      .at("/client_id");
    }
    void tearDown() override { _driver.reset(); }

    TEST(keysAreRememberedAndReadAgainForANewOne)
    {
        publish({{"one", &first}});
        equal(200, prove("one", first));
        equal(200, prove("one", first));
        equal(1, http().requests().size());
        publish({{"two", &second}});
        later(std::chrono::seconds(10));
        equal(200, prove("two", second));
        equal(2, http().requests().size());
        // A key that is no longer published is rejected.
        equal(401, prove("one", first));
        later(std::chrono::minutes(6));
        publish({});
        equal(401, prove("two", second));
    }

    TEST(madeUpKeysCostNothing)
    {
        publish({{"one", &first}});
        for (int i = 0; i < 20; ++i) equal(401, prove("made-up-" + std::to_string(i), second));
        equal(1, http().requests().size());
        equal(200, prove("one", first));
        // A key of another, under the name of a good one.
        equal(401, prove("one", second));
    }

    TEST(knownKeysOutliveAnOutage)
    {
        publish({{"one", &first}});
        equal(200, prove("one", first));
        later(std::chrono::minutes(6));
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "down", HttpFailure::Sent::NotSent); });
        equal(200, prove("one", first));
        http().respond(500, "{}");
        later(std::chrono::minutes(6));
        equal(200, prove("one", first));
    }

    TEST(addressesThatAnswerNonsenseProveNothing)
    {
        for (const auto* body : {"", "[]", "{}", R"({"keys":7})", R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})", "not json"})
        {
            http().respond(200, body);
            later(std::chrono::minutes(6));
            equal(401, prove("one", first), body);
        }
    }

    /// Only two reads may block; other requests are rejected with Retry-After.
    TEST(addressesThatHangHoldFewWorkers)
    {
        std::vector<std::string> clients = {_client};
        for (int i = 0; i < 2; ++i)
            clients.push_back(
                _driver
                    ->client(jsonWith(R"(,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://app.example/jwks$",)"
                                      R"("grant_types":["authorization_code","client_credentials"])",
                                      i))
                    .at("/client_id"));
        std::counting_semaphore<16> asked(0), answered(0);
        http().answer(
            [&](const HttpClient::Request&)
            {
                asked.release();
                answered.acquire();
                HttpClient::Response nothing;
                nothing.status = 500;
                return nothing;
            });
        std::vector<std::thread> readers;
        std::array<int, 2> late{};
        for (std::size_t i = 0; i < late.size(); ++i) readers.emplace_back([&, i] { late[i] = prove("one", first, clients[i]); });
        for (std::size_t i = 0; i < late.size(); ++i) asked.acquire();
        std::vector<int> meanwhile;
        for (const auto& client : clients)
            for (int i = 0; i < 3; ++i) meanwhile.push_back(prove("one", first, client));
        answered.release(16);
        for (auto& reader : readers) reader.join();
        CHECK(meanwhile == std::vector<int>(9, 503));
        CHECK(late == (std::array<int, 2>{401, 401}));
        equal(2, http().requests().size());
        for (const auto& request : http().requests()) CHECK(request.timeout <= std::chrono::seconds(3));
        // The read has failed and is not running any more: it is not repeated for ten seconds.
        equal(401, prove("one", first));
        equal(2, http().requests().size());
    }

    TEST(registeredSetsHaveTwentyKeys)
    {
        const auto with = [&](int count)
        {
            std::string keys;
            for (int i = 0; i < count; ++i) keys += (i == 0 ? "" : ",") + keyText("k" + std::to_string(i), first);
            return registered(jsonWith(R"({"keys":[$]})", keys));
        };
        equal(201, with(20).status);
        const auto refused = with(21);
        equal(400, refused.status);
        equal("jwks", refused.at("/errors/0/field"));
        // A set without a single key that can be used proves nothing.
        equal(400, registered(jsonWith(R"({"keys":[{"kty":"RSA","e":"AQAB","n":"$"}]})", toBase64Url(std::string(1024, '\x7f')))).status);
        equal(400, registered(jsonWith(R"({"keys":[{"kty":"EC","crv":"P-256","x":"$","y":"$"}]})", first.x(), first.x())).status);
    }

    TEST(registeredKeysAreThoseOfTheLatestVersion)
    {
        const auto made = registered(jsonWith(R"({"keys":[$]})", keyText("k", first)));
        const auto id = made.at("/client_id");
        equal(200, prove("k", first, id));
        const auto changed =
            _driver->manage(Method::Patch, "/api/oauth-clients/" + id, jsonWith(R"({"jwks":{"keys":[$]}})", keyText("k", second)));
        equal(200, changed.status, changed.body);
        equal(401, prove("k", first, id));
        equal(200, prove("k", second, id));
    }

    TEST(failuresAreCountedByNetwork)
    {
        publish({{"one", &first}});
        for (int i = 0; i < 60; ++i) equal(401, prove("one", second, _client, "198.51.100.1"));
        // The neighbour is of the same network, and a good assertion is not looked at either.
        equal(429, prove("one", first, _client, "198.51.100.77"));
        equal(200, prove("one", first, _client, "203.0.113.9"));
        later(std::chrono::minutes(2));
        for (int i = 0; i < 61; ++i) equal(200, prove("one", first, _client, "198.51.100.1"));
    }

    const identity::SigningKey first = identity::SigningKey::generate();
    const identity::SigningKey second = identity::SigningKey::generate();

    testing::FakeHttpClient& http() { return _driver->host().context().http(); }
    void later(std::chrono::seconds time) { _driver->host().context().clock().advance(time); }
    void publish(const std::vector<std::pair<std::string, const identity::SigningKey*>>& keys)
    {
        std::string set;
        for (const auto& [kid, key] : keys) set += (set.empty() ? "" : ",") + keyText(kid, *key);
        http().respond(200, jsonWith(R"({"keys":[$]})", set));
    }
    int prove(const std::string& kid, const identity::SigningKey& key) const { return prove(kid, key, _client); }
    static std::string keyText(const std::string& kid, const identity::SigningKey& key)
    {
        return jsonWith(R"({"kty":"EC","crv":"P-256","kid":"$","x":"$","y":"$"})", kid, key.x(), key.y());
    }
    TestAnswer registered(const std::string& jwks) const
    {
        return _driver->manage(
            Method::Post, "/api/oauth-clients",
            jsonWith(R"({"name":"App","redirect_uris":["https://app.example/cb"],"token_endpoint_auth_method":"private_key_jwt",)"
                     R"("grant_types":["authorization_code","client_credentials"],"jwks":$})",
                     jwks));
    }
    int prove(const std::string& kid, const identity::SigningKey& key, const std::string& client,
              const std::string& address = "127.0.0.1") const
    {
        const auto now = std::chrono::floor<std::chrono::seconds>(_driver->host().context().clock().now()).time_since_epoch().count();
        const auto claims =
            jsonWith(R"({"iss":"$","sub":"$","aud":"$","jti":"$","exp":$})", client, client, OAuthDriver::issuer, randomToken(8), now + 60);
        const auto text = toBase64Url(jsonWith(R"({"alg":"ES256","kid":"$"})", kid)) + '.' + toBase64Url(claims);
        return _driver->host()
            .call({.method = Method::Post,
                   .target = "/oauth/token",
                   .body = "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3A"
                           "jwt-bearer&client_assertion=" +
                           text + '.' + toBase64Url(key.sign(text)),
                   .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                   .clientAddress = address})
            .status;
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::string _client;
};

} // namespace portico::tests
