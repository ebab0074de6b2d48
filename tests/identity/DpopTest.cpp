#include "identity/BrowserDriver.h"
#include "identity/DpopKey.h"

#include "jose/JsonWebKey.h"
#include "jose/Jws.h"
#include "tokens/Dpop.h"

#include "portico/Crypto.h"

namespace portico::tests
{

/// Proofs of possession for tokens (RFC 9449): at the token endpoint, at userinfo and on every protected route.
class DpopTest : public Suite<DpopTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(aProofIsForOneRequest)
    {
        const auto good = [&](const std::string& proof, std::string_view method, const std::string& url, std::string_view token) {
            return dpop().check(proof, {method, url, token}).verdict == identity::Dpop::Verdict::Good;
        };
        CHECK(good(proof("GET", "http://a.localhost/x", "t"), "GET", "http://a.localhost/x", "t"));
        // The query is not part of it.
        CHECK(good(proof("GET", "http://a.localhost/x?y=1", "t"), "GET", "http://a.localhost/x", "t"));
        CHECK(!good(proof("POST", "http://a.localhost/x", "t"), "GET", "http://a.localhost/x", "t"));
        CHECK(!good(proof("GET", "http://b.localhost/x", "t"), "GET", "http://a.localhost/x", "t"));
        CHECK(!good(proof("GET", "http://a.localhost/x", "u"), "GET", "http://a.localhost/x", "t"));
        CHECK(!good(proof("GET", "http://a.localhost/x"), "GET", "http://a.localhost/x", "t"));
        auto forged = proof("GET", "http://a.localhost/x", "t");
        forged[forged.size() - 10] = forged[forged.size() - 10] == 'A' ? 'B' : 'A';
        CHECK(!good(forged, "GET", "http://a.localhost/x", "t"));
        equal(key.thumbprint(), dpop().check(proof("GET", "http://a.localhost/x"), {"GET", "http://a.localhost/x"}).jkt);
    }

    TEST(aProofCountsOnce)
    {
        const auto one = proof("GET", "http://a.localhost/x");
        CHECK(dpop().check(one, {"GET", "http://a.localhost/x"}).verdict == identity::Dpop::Verdict::Good);
        CHECK(dpop().check(one, {"GET", "http://a.localhost/x"}).verdict == identity::Dpop::Verdict::Bad);
    }

    TEST(aProofIsFresh)
    {
        const auto at = [&](std::int64_t offset)
        {
            return dpop().check(proof("GET", "http://a.localhost/x", {}, offset), {"GET", "http://a.localhost/x"}).verdict ==
                   identity::Dpop::Verdict::Good;
        };
        CHECK(at(0) && at(30) && at(-90));
        CHECK(!at(31) && !at(-91));
    }

    TEST(keysOfOthersAreLookedAt)
    {
        const auto x = key.x();
        const auto y = key.y();
        const auto parses = [](const std::string& json) { return identity::JsonWebKey::parse(json).has_value(); };
        const auto ec = [&](const std::string& more) { return jsonWith(R"({"kty":"EC","crv":"P-256","x":"$","y":"$"$})", x, y, more); };
        CHECK(parses(ec("")) && parses(ec(R"(,"use":"sig","alg":"ES256","key_ops":["verify"])")));
        CHECK(!parses(ec(R"(,"d":"AAAA")")) && !parses(ec(R"(,"use":"enc")")));
        CHECK(!parses(jsonWith(R"({"kty":"EC","crv":"P-256","x":"$","y":"$"})", x, x)));
        CHECK(!parses(jsonWith(R"({"kty":"EC","crv":"P-384","x":"$","y":"$"})", x, y)));
        CHECK(!parses(R"({"kty":"oct","k":"AAAA"})") && !parses(R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"));
        CHECK(!parses("") && !parses("[]") && !parses("null") && !parses("{"));
        const auto rsa = identity::SigningKey::generate(identity::Algorithm::RS256);
        const auto n = rsa.n();
        CHECK(parses(jsonWith(R"({"kty":"RSA","n":"$","e":"AQAB"})", n)));
        CHECK(!parses(jsonWith(R"({"kty":"RSA","n":"$","e":"AQ"})", n)));
        CHECK(!parses(jsonWith(R"({"kty":"RSA","n":"$","e":"Ag"})", n)));
        const auto other = identity::JsonWebKey::parse(jsonWith(R"({"kty":"RSA","n":"$","e":"AQAB"})", n));
        CHECK(other->verify("RS256", "text", rsa.sign("text")));
        for (const auto* algorithm : {"ES256", "HS256", "none", "PS256", ""}) CHECK(!other->verify(algorithm, "text", rsa.sign("text")));
        equal(rsa.thumbprint(), other->thumbprint());
    }

    /// A key of 8192 bits took 124 ms for each proof of an unauthenticated client.
    TEST(rsaKeysHaveTwoToFourThousandBits)
    {
        for (const int bits : {2048, 3072, 4095, 4096}) CPPUNIT_ASSERT_MESSAGE(std::to_string(bits), parsesRsa(modulus(bits), "AQAB"));
        for (const int bits : {1024, 2047, 4097, 8192, 16384, 100'000})
            CPPUNIT_ASSERT_MESSAGE(std::to_string(bits), !parsesRsa(modulus(bits), "AQAB"));
        // Exponents: 3 and 2^32 - 1 are odd and short; 1, an even one and one of 33 bits are not taken.
        for (const auto* exponent : {"Aw", "_____w"}) CHECK(parsesRsa(modulus(2048), exponent));
        for (const auto* exponent : {"AQ", "AgAA", "AQAAAAE", "", "AAEAAQ"}) CHECK(!parsesRsa(modulus(2048), exponent));
    }

    TEST(claimsAreReadBeforeSignatures)
    {
        // A forged proof without the nonce is answered as one without a nonce: nothing was computed for it.
        auto forged = proof("POST", "http://a.localhost/x");
        forged[forged.size() - 10] = forged[forged.size() - 10] == 'A' ? 'B' : 'A';
        CHECK(dpop().check(forged, {"POST", "http://a.localhost/x"}, "nonce key").verdict == identity::Dpop::Verdict::NonceNeeded);
        CHECK(dpop().check(forged, {"POST", "http://a.localhost/x"}).verdict == identity::Dpop::Verdict::Bad);
        // And it spends nothing: the good proof with the same jti is good afterwards.
        const auto good = proof("POST", "http://a.localhost/y");
        CHECK(dpop().check(good, {"POST", "http://a.localhost/y"}, "nonce key").verdict == identity::Dpop::Verdict::NonceNeeded);
        CHECK(dpop().check(good, {"POST", "http://a.localhost/y"}).verdict == identity::Dpop::Verdict::Good);
    }

    TEST(setsGiveTwentyKeysAndAreBuiltLate)
    {
        const auto off = jsonWith(R"({"kty":"EC","crv":"P-256","kid":"off","x":"$","y":"$"})", key.x(), key.x());
        const auto on = jsonWith(R"({"kty":"EC","crv":"P-256","kid":"on","x":"$","y":"$"})", key.x(), key.y());
        const auto keys = identity::keysOf(jsonWith(R"({"keys":[$,$,$]})", off, rsaText(modulus(8192)), on));
        equal(2, keys.size());
        CHECK(!keys[0].isSound() && keys[1].isSound());
        CHECK(!keys[0].verify("ES256", "text", key.sign("text")) && keys[1].verify("ES256", "text", key.sign("text")));
        std::string many;
        for (int i = 0; i < 40; ++i) many += rsaText(modulus(8192)) + ',' + rsaText(modulus(4096)) + ',';
        equal(20, identity::keysOf(jsonWith(R"({"keys":[$$]})", many, on)).size());
        equal(81, identity::sizeOfSet(jsonWith(R"({"keys":[$$]})", many, on)));
    }

    TEST(fewKeysAreTriedForOneSignature)
    {
        const auto ec = [](const identity::SigningKey& each, std::string_view kid) {
            return *identity::JsonWebKey::read(
                jsonWith(R"({"kty":"EC","crv":"P-256","kid":"$","x":"$","y":"$"})", kid, each.x(), each.y()));
        };
        const auto signedWith = [&](std::string_view kid)
        {
            const auto text = toBase64Url(jsonWith(R"({"alg":"ES256","kid":"$"})", kid)) + ".e30";
            return *identity::Jws::parse(text + '.' + toBase64Url(key.sign(text)));
        };
        std::vector<identity::JsonWebKey> keys;
        for (int i = 0; i < 10; ++i) keys.push_back(ec(identity::SigningKey::generate(), "other-" + std::to_string(i)));
        keys.push_back(*identity::JsonWebKey::read(rsaText(modulus(4096))));
        keys.push_back(ec(key, "mine"));
        CHECK(signedWith("mine").isSignedBy(keys));
        CHECK(!signedWith("other-3").isSignedBy(keys));
        CHECK(!signedWith("").isSignedBy(keys));
        // At most four unnamed keys are tried.
        keys.erase(keys.begin(), keys.begin() + 7);
        CHECK(signedWith("").isSignedBy(keys));
    }

    TEST(signaturesOfOthersAreReadStrictly)
    {
        const auto good = proof("GET", "http://a.localhost/x");
        CHECK(identity::Jws::parse(good).has_value());
        for (const auto& bad :
             {good + ".a", good + "=", "." + good, std::string("a.b"), std::string(), std::string("e30.e30.") + std::string(20'000, 'A')})
            CHECK(!identity::Jws::parse(bad).has_value());
        const auto with = [&](const std::string& header) { return toBase64Url(header) + ".e30.AAAA"; };
        CHECK(identity::Jws::parse(with(R"({"alg":"ES256"})")).has_value());
        CHECK(!identity::Jws::parse(with(R"({"alg":"ES256","crit":["exp"]})")).has_value());
        CHECK(!identity::Jws::parse(with(R"({"alg":"ES256","alg":"none"})")).has_value());
        CHECK(!identity::Jws::parse(with(R"({"alg":1})")).has_value());
    }

    TEST(boundTokensNeedTheirKeyEverywhere)
    {
        const auto token = boundToken("desk");
        const auto ask = [&](const std::string& authorization, const std::string& header)
        {
            TestRequest request;
            request.target = "/api/auth/me";
            request.originService = "desk";
            request.headers.emplace_back("Authorization", authorization);
            if (!header.empty()) request.headers.emplace_back("DPoP", header);
            return static_cast<testing::TestHost&>(*_host).call(request);
        };
        const std::string url = "http://desk.localhost:8080/api/auth/me";
        const auto one = proof("GET", url, token);
        equal(200, ask("DPoP " + token, one).status);
        equal("dpop_proof_invalid", ask("DPoP " + token, one).at("/details/reason"));
        equal("dpop_required", ask("Bearer " + token, proof("GET", url, token)).at("/details/reason"));
        equal("dpop_proof_invalid", ask("DPoP " + token, "").at("/details/reason"));
        equal("dpop_proof_invalid", ask("DPoP " + token, proof("POST", url, token)).at("/details/reason"));
        key = identity::SigningKey::generate();
        equal("dpop_proof_invalid", ask("DPoP " + token, proof("GET", url, token)).at("/details/reason"));
        // A token that is bound to nothing is no better for a proof.
        const auto plain = _host->signIn("ada@acme.example");
        equal("dpop_required", ask("DPoP " + plain, proof("GET", url, plain)).at("/details/reason"));
        equal(200, ask("Bearer " + plain, "").status);
        // The event loop's cache does not accept bound tokens.
        CHECK(!_host->validateCached(token));
    }

    /// A stolen token without its key cannot sign out.
    TEST(aBoundTokenSignsOutWithItsKey)
    {
        const auto token = boundToken("desk");
        const auto url = "http://desk.localhost:8080/api/auth/logout";
        const auto out = [&](const std::string& authorization, const std::string& header)
        {
            TestRequest request{.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"everywhere"})"};
            request.originService = "desk";
            request.headers = {{"Authorization", authorization}};
            if (!header.empty()) request.headers.emplace_back("DPoP", header);
            return static_cast<testing::TestHost&>(*_host).call(request);
        };
        const auto live = [&] { return _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL"); };
        equal("dpop_required", out("Bearer " + token, proof("POST", url, token)).at("/details/reason"));
        equal("dpop_proof_invalid", out("DPoP " + token, proof("GET", url, token)).at("/details/reason"));
        equal(1, live());
        equal(200, out("DPoP " + token, proof("POST", url, token)).status);
        equal(0, live());
    }

    TEST(theTokenEndpointAsksForItsNonce)
    {
        prepare();
        const auto code = authorizationCode();
        const auto first = exchange(code, proof("POST", tokenUrl));
        equal(400, first.status);
        equal("use_dpop_nonce", first.at("/error"));
        const auto nonce = nonceOf(first);
        CHECK(!nonce.empty());
        equal("use_dpop_nonce", exchange(code, proof("POST", tokenUrl, {}, 0, "made-up")).at("/error"));
        equal("invalid_dpop_proof", exchange(code, "a.b.c").at("/error"));
        const auto tokens = exchange(code, proof("POST", tokenUrl, {}, 0, nonce));
        equal(200, tokens.status, tokens.body);
        equal("DPoP", tokens.at("/token_type"));
        // It runs out.
        _host->context().clock().advance(std::chrono::minutes(6));
        equal("use_dpop_nonce", exchange(authorizationCode(), proof("POST", tokenUrl, {}, 0, nonce)).at("/error"));
    }

    TEST(codesAndRefreshTokensAreBound)
    {
        prepare();
        const auto other = identity::SigningKey::generate();
        const auto code = authorizationCode("&dpop_jkt=" + other.thumbprint());
        const auto nonce = nonceOf(exchange(code, proof("POST", tokenUrl)));
        equal("invalid_grant", exchange(code, proof("POST", tokenUrl, {}, 0, nonce)).at("/error"));
        const auto tokens = exchange(authorizationCode(), proof("POST", tokenUrl, {}, 0, nonce));
        const auto refresh = [&](const std::string& header) {
            return post({{"grant_type", "refresh_token"}, {"client_id", _client}, {"refresh_token", tokens.at("/refresh_token")}}, header);
        };
        equal("invalid_dpop_proof", refresh("").at("/error"));
        const auto mine = key;
        key = other;
        equal("invalid_dpop_proof", refresh(proof("POST", tokenUrl, {}, 0, nonce)).at("/error"));
        key = mine;
        equal(200, refresh(proof("POST", tokenUrl, {}, 0, nonce)).status);
    }

    /// RFC 9449, 10.1.
    TEST(pushedRequestsAreBound)
    {
        prepare();
        const auto push = [&](const std::string& header, const std::string& extra = {})
        {
            TestRequest request{.method = Method::Post, .target = "/oauth/par"};
            request.body =
                "response_type=code&scope=openid&code_challenge_method=S256&redirect_uri=https://app.example/cb&client_id=" + _client +
                "&code_challenge=" + toBase64Url(sha256(verifier).bytes()) + extra;
            request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"DPoP", header}};
            return _host->call(request);
        };
        const std::string parUrl = "http://identity.localhost:8080/oauth/par";
        equal("invalid_dpop_proof", push(proof("POST", tokenUrl)).at("/error"));
        equal("invalid_dpop_proof", push(proof("POST", parUrl), "&dpop_jkt=another").at("/error"));
        equal(201, push(proof("POST", parUrl), "&dpop_jkt=" + key.thumbprint()).status);
        const auto pushed = push(proof("POST", parUrl));
        equal(201, pushed.status, pushed.body);
        const auto code = authorizationCode("&request_uri=" + pushed.at("/request_uri"));
        const auto nonce = nonceOf(exchange(code, proof("POST", tokenUrl)));
        const auto mine = key;
        key = identity::SigningKey::generate();
        equal("invalid_grant", exchange(code, proof("POST", tokenUrl, {}, 0, nonce)).at("/error"));
        key = mine;
        equal(200, exchange(code, proof("POST", tokenUrl, {}, 0, nonce)).status);
    }

    /// A client in a browser can read only exposed headers (RFC 9449, 8).
    TEST(pagesMayReadTheNonce)
    {
        prepare();
        const auto code = authorizationCode();
        const auto refused = exchange(code, proof("POST", tokenUrl));
        CHECK(refused.headerBlock().find("Access-Control-Expose-Headers: DPoP-Nonce\r\n") != std::string::npos);
        const auto tokens = exchange(code, proof("POST", tokenUrl, {}, 0, nonceOf(refused)));
        equal(200, tokens.status);
        CHECK(tokens.headerBlock().find("Access-Control-Expose-Headers: DPoP-Nonce\r\n") != std::string::npos);
    }

    /// Returns an odd number of this many bits, like an RSA modulus.
    static std::string modulus(int bits)
    {
        std::string bytes(static_cast<std::size_t>((bits + 7) / 8), '\x5b');
        bytes.front() = static_cast<char>(1 << ((bits - 1) % 8));
        return toBase64Url(bytes);
    }
    static std::string rsaText(const std::string& n, const std::string& e = "AQAB")
    {
        return jsonWith(R"({"kty":"RSA","n":"$","e":"$"})", n, e);
    }
    static bool parsesRsa(const std::string& n, const std::string& e) { return identity::JsonWebKey::parse(rsaText(n, e)).has_value(); }

    static constexpr const char* tokenUrl = "http://identity.localhost:8080/oauth/token";
    DpopKey dpopKey;
    identity::SigningKey& key = dpopKey.key;
    const std::string verifier = std::string(43, 'v');

    identity::Dpop dpop() { return {_host->context().state(), _host->context().clock()}; }

    std::string proof(std::string_view method, std::string_view url, std::string_view token = {}, std::int64_t offset = 0,
                      std::string_view nonce = {})
    {
        return dpopKey.proof(*_host, {method, url, token, offset, nonce});
    }

    /// A token of desk that is bound to our key.
    std::string boundToken(const std::string& service)
    {
        _host->createUser("ada@acme.example", "acme", "owner");
        const auto token = _host->signIn("ada@acme.example", service);
        _host->change("UPDATE sessions SET dpop_jkt = $1", {key.thumbprint()});
        identity::Changes changes(_host->context());
        identity::KeyRing ring(_host->context().database(), changes, _host->context().clock());
        auto claims =
            identity::decodeToken(*ring.signingKeys(), token, "http://identity.localhost:8080", _host->context().clock().now()).claims;
        claims.cnf = identity::Confirmation{key.thumbprint()};
        return identity::encodeToken(*ring.signingKeys(), claims);
    }

    void prepare()
    {
        _host->createUser("ada@acme.example", "acme", "owner");
        const auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/oauth-clients",
             .body = R"({"name":"App","type":"native","token_endpoint_auth_method":"none","redirect_uris":["https://app.example/cb"],)"
                     R"("dpop_bound_access_tokens":true})"},
            _host->signIn("ada@acme.example", "identity"));
        equal(201, made.status, made.body);
        _client = made.at("/client_id");
    }
    std::string authorizationCode(const std::string& extra = {})
    {
        BrowserDriver browser(*_host);
        browser.signIn("ada@acme.example");
        auto answer =
            browser.get("/oauth/authorize?response_type=code&scope=openid&state=s&code_challenge_method=S256&code_challenge=" +
                        toBase64Url(sha256(verifier).bytes()) + "&client_id=" + _client + "&redirect_uri=https://app.example/cb" + extra);
        if (answer.status == 200)
            answer = browser.post(
                "/oauth/consent",
                {{"form_token", browser.field(answer, "form_token")}, {"ticket", browser.field(answer, "ticket")}, {"decision", "allow"}});
        return BrowserDriver::parameter(answer, "code");
    }
    TestAnswer post(const BrowserDriver::Fields& fields, const std::string& header)
    {
        TestRequest request;
        request.method = Method::Post;
        request.target = "/oauth/token";
        for (const auto& [name, value] : fields) request.body += (request.body.empty() ? "" : "&") + name + '=' + value;
        request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        if (!header.empty()) request.headers.emplace_back("DPoP", header);
        return _host->call(request);
    }
    TestAnswer exchange(const std::string& code, const std::string& header)
    {
        return post({{"grant_type", "authorization_code"},
                     {"client_id", _client},
                     {"code", code},
                     {"redirect_uri", "https%3A%2F%2Fapp.example%2Fcb"},
                     {"code_verifier", verifier}},
                    header);
    }
    static std::string nonceOf(const TestAnswer& answer)
    {
        const auto& block = answer.headerBlock();
        const auto start = block.find("DPoP-Nonce: ");
        return start == std::string::npos ? std::string() : block.substr(start + 12, block.find('\r', start) - start - 12);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _client;
};

} // namespace portico::tests
