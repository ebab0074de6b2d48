#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Rate limits of unauthenticated requests: per network, without effect on other networks.
class AnonymousLimitsTest : public Suite<AnonymousLimitsTest, UpstreamFixture>
{
    TEST(pushedRequests)
    {
        const auto body = [](const TestAnswer& client)
        {
            return "response_type=code&scope=openid&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&code_challenge_method=S256&code_"
                   "challenge=" +
                   toBase64Url(sha256("v").bytes()) + credentialsOf(client);
        };
        const auto app = body(client(publicApp));
        holds([&](const std::string& address) { return form("/oauth/par", app, address); }, 201);
        const auto server = body(client(""));
        for (int i = 0; i < 61; ++i) equal(201, form("/oauth/par", server, "198.51.100.1").status);
    }

    TEST(devices)
    {
        const std::string grant = R"(,"grant_types":["urn:ietf:params:oauth:grant-type:device_code"])";
        const auto television = "scope=openid" + credentialsOf(client(publicApp + grant));
        holds([&](const std::string& address) { return form("/oauth/device_authorization", television, address); }, 200);
        const auto server = "scope=openid" + credentialsOf(client(grant));
        for (int i = 0; i < 61; ++i) equal(200, form("/oauth/device_authorization", server, "198.51.100.1").status);
    }

    TEST(waysToProviders)
    {
        const auto start = startOf(provider());
        holds([&](const std::string& address) { return _host->call({.target = start, .clientAddress = address}); }, 303);
        // Rejected requests cause no calls to the provider.
        CHECK(_host->context().http().requests().size() < 10);
    }

    inline static const std::string publicApp = R"(,"type":"native","token_endpoint_auth_method":"none")";

    TestAnswer client(const std::string& extra) const
    {
        auto made = post("/api/oauth-clients", jsonWith(R"({"name":"App","redirect_uris":["https://app.example/cb"]$})", extra),
                         _host->signIn("ada@acme.example", "identity"));
        equal(201, made.status, made.body);
        return made;
    }
    static std::string credentialsOf(const TestAnswer& client)
    {
        auto text = "&client_id=" + client.at("/client_id");
        if (client.has("/client_secret")) text += "&client_secret=" + client.at("/client_secret");
        return text;
    }
    TestAnswer form(const std::string& path, const std::string& body, const std::string& address) const
    {
        return _host->call({.method = Method::Post,
                            .target = path,
                            .body = body,
                            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                            .clientAddress = address});
    }
    void holds(const std::function<TestAnswer(const std::string&)>& ask, int good) const
    {
        for (int i = 0; i < 60; ++i)
        {
            const auto answer = ask("198.51.100.1");
            equal(good, answer.status, answer.body);
        }
        // The neighbour is of the same network.
        for (const auto* address : {"198.51.100.1", "198.51.100.77"})
        {
            const auto rejected = ask(address);
            refused(rejected, 429, "rate_limited");
            CHECK(rejected.headerBlock().find("Retry-After: ") != std::string::npos);
        }
        equal(good, ask("203.0.113.1").status);
        _host->context().clock().advance(std::chrono::seconds(60));
        equal(good, ask("198.51.100.1").status);
    }
};

} // namespace portico::tests
