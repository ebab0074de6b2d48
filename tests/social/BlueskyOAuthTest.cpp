#include "social/NetworkFixture.h"

#include "networks/bluesky/BlueskyNetwork.h"

#include "portico/Crypto.h"

#include <memory>

namespace portico::tests
{

using namespace social;

/// Bluesky by OAuth against a server in memory that wants another nonce for each request; a real one is in tests/http/social_publishing.py.
class BlueskyOAuthTest : public Suite<BlueskyOAuthTest, NetworkFixture>
{
    void setUp() override
    {
        NetworkFixture::setUp();
        sealer = std::make_unique<Sealer>(std::vector<Sealer::Key>{{"one", std::string(32, 'k')}});
        nonces = calls = pushes = 0;
        sub = "did:plc:anna";
        serverOfAnna = "https://pds.example.org";
        tokenAnswer.reset();
        network = makeNetwork("https://social.example.org");
        http().answer([this](const HttpClient::Request& request) { return answer(request); });
    }
    void tearDown() override
    {
        network.reset();
        NetworkFixture::tearDown();
    }

    TEST(signsInWithAPushedRequest)
    {
        const auto start = begin();
        CHECK(!start.account);
        equal("https://pds.example.org/oauth/authorize?client_id=https%3A%2F%2Fsocial.example.org%2Foauth%2F"
              "bluesky%2Fclient-metadata.json&request_uri=urn%3Areq%3A1",
              start.authorizationUrl);
        const auto profile = network->finish(start.keep, {"code-1", "https://pds.example.org", redirect});
        equal("did:plc:anna", profile.externalId);
        equal("anna.example.org", profile.handle);
        equal("access-1", profile.credentials.accessToken);
        equal("refresh-1", profile.credentials.refreshToken);
        CHECK(*profile.credentials.expiresAt - *profile.credentials.issuedAt == std::chrono::hours(1));
        // The challenge that was pushed is that of the verifier.
        equal(challenge, toBase64Url(sha256(verifier).bytes()));
        equal(1, pushes);
    }

    TEST(refusesAnswersOfOthers)
    {
        const auto codeOf = [&](const std::string& issuer)
        {
            try
            {
                network->finish(begin().keep, {"code-1", issuer, redirect});
            }
            catch (const ConnectFault& fault)
            {
                return fault.code;
            }
            return std::string("connected");
        };
        equal("issuer_mismatch", codeOf("https://evil.example.org"));
        equal("issuer_mismatch", codeOf(""));
        sub = "did:plc:bob";
        equal("other_account", codeOf("https://pds.example.org"));
        sub = "did:plc:anna";
        equal("connected", codeOf("https://pds.example.org"));
        // A server that signs people in for accounts of another one.
        const auto start = begin();
        serverOfAnna = "https://other.example.org";
        CPPUNIT_ASSERT_THROW(network->finish(start.keep, {"code-1", "https://pds.example.org", redirect}), ConnectFault);
        serverOfAnna = "https://pds.example.org";
        tokenAnswer = respond(200, R"({"access_token":"a","token_type":"Bearer","sub":"did:plc:anna"})");
        equal("unexpected_answer", codeOf("https://pds.example.org"));
        tokenAnswer = respond(400, R"({"error":"invalid_grant","error_description":"Used"})");
        equal("code_refused", codeOf("https://pds.example.org"));
    }

    TEST(provesEachCallWithTheNewestNonce)
    {
        const auto account = connected();
        const auto before = calls;
        for (int i = 0; i < 3; ++i) network->check(account);
        // The nonce of each answer serves for the next call: none is repeated.
        equal(before + 3, calls);
        // It changes without a call of this server: one repetition.
        nonces += 10;
        network->check(account);
        equal(before + 5, calls);
    }

    TEST(renewsTokens)
    {
        auto account = connected();
        auto renewed = network->refresh(account);
        CHECK(renewed.kind == Refreshed::Kind::New);
        equal("access-2", renewed.credentials.accessToken);
        equal("refresh-2", renewed.credentials.refreshToken);
        equal(account.credentials.dpopKey, renewed.credentials.dpopKey);
        equal(account.credentials.issuer, renewed.credentials.issuer);
        tokenAnswer = respond(200, R"({"access_token":"access-3","token_type":"DPoP","sub":"did:plc:anna","expires_in":60})");
        account.credentials = renewed.credentials;
        renewed = network->refresh(account);
        equal("refresh-2", renewed.credentials.refreshToken);
        network->revoke(account);
        equal("https://pds.example.org/oauth/revoke", http().requests().back().url);
    }

    TEST(separatesDeadGrantsFromNetworkFaults)
    {
        const auto account = connected();
        const auto kindAfter = [&](int status, const std::string& body)
        {
            tokenAnswer = respond(status, body);
            return network->refresh(account).kind;
        };
        CHECK(kindAfter(400, R"({"error":"invalid_grant"})") == Refreshed::Kind::Dead);
        CHECK(kindAfter(400, R"({"error":"invalid_request"})") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(401, R"({"error":"invalid_client"})") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(503, "<html>") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(200, R"({"token_type":"DPoP"})") == Refreshed::Kind::Unreachable);
        CHECK(kindAfter(200, R"({"access_token":"a","sub":"did:plc:bob"})") == Refreshed::Kind::Unreachable);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "gone", HttpFailure::Sent::NotSent); });
        CHECK(network->refresh(account).kind == Refreshed::Kind::Unreachable);
    }

    TEST(keepsItsKey)
    {
        const auto id = makeClient("https://social.example.org").publicKeys().keys.at(0).kid;
        equal(id, makeClient("https://social.example.org").publicKeys().keys.at(0).kid);
        // The key that seals is replaced: the same key, sealed again.
        sealer = std::make_unique<Sealer>(std::vector<Sealer::Key>{{"two", std::string(32, 'n')}, {"one", std::string(32, 'k')}});
        equal(id, makeClient("https://social.example.org").publicKeys().keys.at(0).kid);
        sealer = std::make_unique<Sealer>(std::vector<Sealer::Key>{{"two", std::string(32, 'n')}});
        equal(id, makeClient("https://social.example.org").publicKeys().keys.at(0).kid);
    }

    TEST(showsWhoThisServerIs)
    {
        const auto shown = made(get(Caller::nobody(), "/oauth/bluesky/client-metadata.json"));
        equal(host->context().host().origin + "/oauth/bluesky/client-metadata.json", shown.at("/client_id"));
        equal(host->context().host().origin + "/api/integrations/bluesky/callback", shown.at("/redirect_uris/0"));
        equal("true", shown.at("/dpop_bound_access_tokens"));
        equal(0, made(get(Caller::nobody(), "/oauth/bluesky/jwks.json")).count("/keys"));
    }

    TEST(needsHttps)
    {
        const auto plain = makeNetwork("http://social.localhost:8080");
        try
        {
            plain->connect({.identifier = "anna.example.org", .redirectUri = redirect, .state = "s"});
            CPPUNIT_FAIL("a server reads no documents on plain http");
        }
        catch (const ConnectFault& fault)
        {
            equal("appPassword", fault.field);
        }
    }

    bluesky::Client makeClient(const std::string& origin) const
    {
        return {host->context().database(), host->context().clock(), *sealer, origin};
    }
    std::unique_ptr<BlueskyNetwork> makeNetwork(const std::string& origin) const
    {
        return std::make_unique<BlueskyNetwork>(http(), host->context().blobs(), host->context().clock(),
                                                bluesky::Directories{"https://resolver.example.org", "https://plc.example.org"},
                                                makeClient(origin));
    }
    ConnectStart begin() const { return network->connect({.identifier = "anna.example.org", .redirectUri = redirect, .state = "state-1"}); }
    NetworkAccount connected() const
    {
        const auto profile = network->finish(begin().keep, {"code-1", "https://pds.example.org", redirect});
        return {profile.externalId, profile.handle, profile.serverUrl, profile.credentials};
    }
    static std::string fieldOf(const std::string& form, const std::string& name)
    {
        const auto at = ("&" + form).find("&" + name + "=");
        if (at == std::string::npos) return {};
        const auto value = form.substr(at + name.size() + 1);
        return value.substr(0, value.find('&'));
    }
    static std::string claim(const HttpClient::Request& request, const std::string& name)
    {
        const auto proof = header(request, "DPoP");
        const auto first = proof.find('.');
        const auto claims = fromBase64Url(proof.substr(first + 1, proof.rfind('.') - first - 1)).value_or("");
        const auto at = claims.find("\"" + name + "\":\"");
        if (at == std::string::npos) return {};
        const auto value = claims.substr(at + name.size() + 4);
        return value.substr(0, value.find('"'));
    }
    HttpClient::Response withNonce(HttpClient::Response response)
    {
        response.headers.emplace_back("DPoP-Nonce", "nonce-" + std::to_string(++nonces));
        return response;
    }
    HttpClient::Response answer(const HttpClient::Request& request)
    {
        const auto path = request.url.substr(0, request.url.find('?'));
        if (path == "https://resolver.example.org/xrpc/com.atproto.identity.resolveHandle")
            return respond(200, R"({"did":"did:plc:anna"})");
        if (path.starts_with("https://plc.example.org/did"))
            return respond(200, jsonWith(R"({"id":"x","service":[{"id":"#atproto_pds","type":"x","serviceEndpoint":"$"}]})", serverOfAnna));
        if (path.ends_with("/.well-known/oauth-protected-resource"))
            return respond(200, jsonWith(R"({"authorization_servers":["$"]})", path.substr(0, path.find("/.well"))));
        if (path.ends_with("/.well-known/oauth-authorization-server"))
        {
            const auto at = path.substr(0, path.find("/.well"));
            return respond(200, jsonWith(R"({"issuer":"$","authorization_endpoint":"$/oauth/authorize","token_endpoint":"$/oauth/token",)"
                                         R"("pushed_authorization_request_endpoint":"$/oauth/par","revocation_endpoint":"$/oauth/revoke"})",
                                         at, at, at, at, at));
        }
        ++calls;
        equal(path, claim(request, "htu"));
        equal(request.method, claim(request, "htm"));
        const bool isToken = path.find("/oauth/") != std::string::npos;
        if (claim(request, "nonce") != "nonce-" + std::to_string(nonces))
            return withNonce(isToken ? respond(400, R"({"error":"use_dpop_nonce"})")
                                     : respond(401, "{}", {{"WWW-Authenticate", R"(DPoP error="use_dpop_nonce")"}}));
        if (isToken)
        {
            CHECK(!fieldOf(request.body, "client_assertion").empty());
            CHECK(claim(request, "ath").empty());
        }
        if (path == "https://pds.example.org/oauth/par")
        {
            ++pushes;
            challenge = fieldOf(request.body, "code_challenge");
            equal("state-1", fieldOf(request.body, "state"));
            return withNonce(respond(201, R"({"request_uri":"urn:req:1","expires_in":60})"));
        }
        if (path == "https://pds.example.org/oauth/token")
        {
            if (tokenAnswer) return withNonce(*tokenAnswer);
            const bool first = fieldOf(request.body, "grant_type") == "authorization_code";
            if (first) verifier = fieldOf(request.body, "code_verifier");
            if (!first) equal("refresh-1", fieldOf(request.body, "refresh_token"));
            const std::string number = first ? "1" : "2";
            return withNonce(respond(
                200,
                jsonWith(
                    R"({"access_token":"access-$","token_type":"DPoP","refresh_token":"refresh-$","scope":"atproto","expires_in":3600,)"
                    R"("sub":"$"})",
                    number, number, sub)));
        }
        if (path == "https://pds.example.org/oauth/revoke") return withNonce(respond(200, ""));
        equal("https://pds.example.org/xrpc/com.atproto.server.getSession", path);
        equal("DPoP access-1", header(request, "Authorization"));
        equal(toBase64Url(sha256("access-1").bytes()), claim(request, "ath"));
        return withNonce(respond(200, R"({"did":"did:plc:anna","handle":"anna.example.org"})"));
    }

    static constexpr std::string_view redirectText = "https://social.example.org/api/integrations/bluesky/callback";
    const std::string redirect{redirectText};
    std::unique_ptr<Sealer> sealer;
    std::unique_ptr<BlueskyNetwork> network;
    std::optional<HttpClient::Response> tokenAnswer;
    std::string sub, serverOfAnna, challenge, verifier;
    int nonces = 0, calls = 0, pushes = 0;
};

} // namespace portico::tests
