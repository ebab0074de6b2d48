#include "identity/OAuthFixture.h"

#include "jose/JsonWebKey.h"
#include "jose/Jws.h"

namespace portico::tests
{

/// Authorization code flow (OAuth 2, OpenID Connect): results for clients, and attacks on codes and redirects.
class OAuthTest : public Suite<OAuthTest, OAuthFixture>
{
    TEST(signsInWithCodeAndPkce)
    {
        const auto made = client();
        const auto tokens = signIn(made);
        equal(200, tokens.status, tokens.body);
        equal("Bearer", tokens.at("/token_type"));
        equal("openid profile email", tokens.at("/scope"));
        const auto claims = userinfo(tokens.at("/access_token"));
        equal(200, claims.status);
        equal("ada@acme.example", claims.at("/email"));
        CHECK(!claims.has("/organizations"));
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE client_id = '" + made.at("/client_id") + "'"));
    }

    TEST(theIdTokenIsSignedWithRs256)
    {
        const auto made = client();
        const auto tokens = signIn(made, "&nonce=n-1");
        const auto jws = identity::Jws::parse(tokens.at("/id_token"));
        CHECK(jws.has_value());
        equal("RS256", jws->alg);
        const auto set = _host->call({.target = "/.well-known/jwks.json"});
        const auto keys = identity::keysOf(set.body);
        bool verified = false;
        for (const auto& key : keys) verified = verified || (key.kid() == jws->kid && key.verify("RS256", jws->signedPart, jws->signature));
        CHECK(verified);
        const auto claims = boost::json::parse(jws->payload).as_object();
        CHECK(claims.at("aud").as_string() == made.at("/client_id"));
        CHECK(claims.at("nonce").as_string() == "n-1");
        CHECK(claims.at("iss").as_string() == "http://identity.localhost:8080");
        CHECK(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 600);
        CHECK(claims.at("at_hash").as_string() == toBase64Url(sha256(tokens.at("/access_token")).bytes().substr(0, 16)));
        CHECK(claims.contains("sid") && claims.contains("auth_time"));
    }

    TEST(codesAreForTheirClientAlone)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto code = codeFor(made);
        equal("invalid_grant", exchange(other, code, verifier, "https://app.example/cb").at("/error"));
        equal("invalid_grant", exchange(made, code, verifier, "https://app.example/other").at("/error"));
        equal("invalid_grant", exchange(made, code, std::string(43, 'z')).at("/error"));
        equal("invalid_grant", exchange(made, code, "").at("/error"));
        equal(200, exchange(made, code).status);
        const auto late = codeFor(made);
        _host->context().clock().advance(std::chrono::seconds(60));
        equal("invalid_grant", exchange(made, late).at("/error"));
    }

    TEST(aSecondUseEndsTheTokens)
    {
        const auto made = client();
        const auto code = codeFor(made);
        const auto tokens = exchange(made, code);
        _host->context().clock().advance(std::chrono::seconds(31));
        _host->reload();
        equal("invalid_grant", exchange(made, code).at("/error"));
        equal(401, userinfo(tokens.at("/access_token")).status);
        equal("invalid_grant", refresh(made, tokens.at("/refresh_token")).at("/error"));
    }

    TEST(challengesCannotBeTakenOut)
    {
        const auto made = client();
        const auto without = "/oauth/authorize?response_type=code&client_id=" + made.at("/client_id") +
                             "&redirect_uri=https://app.example/cb&scope=openid&state=s";
        equal("invalid_request", parameter(_browser->get(without), "error"));
        equal("invalid_request", parameter(_browser->get(without + "&code_challenge_method=plain&code_challenge=" + verifier), "error"));
        equal("invalid_request", parameter(_browser->get(without + "&code_challenge=" + challenge()), "error"));
    }

    TEST(aConfidentialClientMayDoWithoutPkce)
    {
        _browser->signIn("ada@acme.example");
        const std::string body = R"({"name":"App","redirect_uris":["https://app.example/cb"],"require_pkce":false})";
        equal("permission_denied", manage(Method::Post, "/api/oauth-clients", body).code());
        const auto bound = client();
        equal("permission_denied",
              manage(Method::Patch, "/api/oauth-clients/" + bound.at("/client_id"), R"({"require_pkce":false})").code());
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        const auto made = manage(Method::Post, "/api/oauth-clients", body, "root@admin.example");
        equal(201, made.status, made.body);
        const auto without = "/oauth/authorize?response_type=code&client_id=" + made.at("/client_id") +
                             "&redirect_uri=https://app.example/cb&scope=openid&state=s";
        equal("invalid_request", parameter(_browser->get(without), "error"));
        const auto answer = decide(_browser->get(without + "&nonce=n"), "allow");
        const auto code = parameter(answer, "code");
        // A verifier for a code without a challenge: an attacker removed the challenge.
        equal("invalid_grant", exchange(made, code).at("/error"));
        equal(200, exchange(made, code, "").status);
    }

    TEST(redirectsAreExact)
    {
        _browser->signIn("ada@acme.example");
        const auto made = client();
        for (const auto* uri : {"https://app.example/cb/", "https://app.example/cb?x=1", "https://APP.example/cb",
                                "https://evil.example/cb", "", "https://app.example/cb%00"})
        {
            const auto answer = _browser->get(
                "/oauth/authorize?response_type=code&state=s&scope=openid&client_id=" + made.at("/client_id") + "&redirect_uri=" + uri);
            equal(400, answer.status, uri);
            CHECK(!answer.hasHeader("Location"));
        }
        equal(400, _browser->get("/oauth/authorize?client_id=nobody").status);
        // A native app may listen on any free port (RFC 8252, 7.3).
        const auto app = client("http://127.0.0.1/cb", R"(,"type":"native","token_endpoint_auth_method":"none")");
        equal(200, _browser->get(requestOf(app, "http://127.0.0.1:49152/cb")).status);
        equal(400, _browser->get(requestOf(app, "http://127.0.0.1:49152@evil.example/cb")).status);
        equal(400, _browser->get(requestOf(app, "http://127.0.0.1.evil.example/cb")).status);
    }

    TEST(errorsGoBackWithTheirState)
    {
        _browser->signIn("ada@acme.example");
        const auto made = client();
        const auto base = requestOf(made);
        const auto error = [&](std::string_view more) { return parameter(_browser->get(base + std::string(more)), "error"); };
        equal("invalid_request", error("&response_mode=fragment"));
        equal("request_not_supported", error("&request=a.b.c"));
        equal("invalid_request", error("&max_age=soon"));
        equal("invalid_target", error("&resource=https://elsewhere.example"));
        equal("invalid_request", error("&prompt=none%20login"));
        const auto silent = BrowserDriver(*_host).get(base + "&prompt=none");
        equal("login_required", parameter(silent, "error"));
        equal("s", parameter(silent, "state"));
        equal("http://identity.localhost:8080", parameter(silent, "iss"));
        // Unknown parameters are passed over.
        equal(200, _browser->get(base + "&extra=foobar").status);
        equal("unsupported_response_type", parameter(_browser->get("/oauth/authorize?response_type=token&scope=openid&state=s&client_id=" +
                                                                   made.at("/client_id") + "&redirect_uri=https://app.example/cb"),
                                                     "error"));
    }

    TEST(formPostAnswersByPage)
    {
        const auto made = client();
        decide(authorize(made), "allow");
        const auto page = authorize(made, "&response_mode=form_post");
        equal(200, page.status);
        CHECK(page.body.find("action=\"https://app.example/cb\"") != std::string::npos);
        CHECK(!_browser->field(page, "code").empty());
        CHECK(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
    }

    TEST(pushedRequestsCountOnce)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        decide(authorize(made), "allow");
        const auto push = [&](const TestAnswer& by)
        {
            return post("/oauth/par", {{"client_id", by.at("/client_id")},
                                       {"client_secret", by.at("/client_secret")},
                                       {"response_type", "code"},
                                       {"scope", "openid"},
                                       {"state", "s"},
                                       {"redirect_uri", by.at("/redirect_uris/0")},
                                       {"code_challenge", challenge()},
                                       {"code_challenge_method", "S256"}});
        };
        const auto pushed = push(made);
        equal(201, pushed.status, pushed.body);
        const auto uri = pushed.at("/request_uri");
        const auto open = [&](const TestAnswer& by, const std::string& reference)
        { return _browser->get("/oauth/authorize?client_id=" + by.at("/client_id") + "&request_uri=" + reference); };
        equal(400, open(other, uri).status);
        // Pushed requests are validated like authorization requests.
        const auto fault = [&](const std::string& left, const std::string& said = {})
        {
            std::vector<std::pair<std::string, std::string>> fields = {{"client_id", made.at("/client_id")},
                                                                       {"client_secret", made.at("/client_secret")},
                                                                       {"response_type", "code"},
                                                                       {"scope", "openid"},
                                                                       {"redirect_uri", "https://app.example/cb"},
                                                                       {"code_challenge", challenge()},
                                                                       {"code_challenge_method", "S256"}};
            std::erase_if(fields, [&](const auto& field) { return field.first == left; });
            if (!said.empty()) fields.emplace_back(left, said);
            const auto answer = post("/oauth/par", fields);
            return answer.status == 400 ? answer.at("/error") : answer.body;
        };
        equal("invalid_request", fault("code_challenge"));
        equal("invalid_request", fault("code_challenge_method"));
        equal("unsupported_response_type", fault("response_type", "token"));
        equal("invalid_scope", fault("scope", "phone"));
        equal("invalid_request", fault("max_age", "soon"));
        // Further parameters from the browser are ignored.
        const auto answer = _browser->get("/oauth/authorize?client_id=" + made.at("/client_id") + "&request_uri=" + uri +
                                          "&redirect_uri=https://evil.example/");
        CHECK(!parameter(answer, "code").empty());
        equal(400, open(made, uri).status);
        const auto late = push(made).at("/request_uri");
        _host->context().clock().advance(std::chrono::seconds(91));
        equal(400, open(made, late).status);
        // Opening a pushed request in time extends its lifetime for the pages.
        const auto slow = push(made).at("/request_uri");
        BrowserDriver reader(*_host);
        equal(303, reader.get("/oauth/authorize?client_id=" + made.at("/client_id") + "&request_uri=" + slow).status);
        _host->context().clock().advance(std::chrono::seconds(91));
        CHECK(!parameter(open(made, slow), "code").empty());
        // A client that must push cannot send other requests.
        manage(Method::Patch, "/api/oauth-clients/" + made.at("/client_id"), R"({"require_par":true})");
        equal("invalid_request", parameter(authorize(made), "error"));
    }

    /// The address that the organization asks for is the person's, not that of the app's backend.
    TEST(aBackendRedeemsFromItsOwnAddress)
    {
        const auto made = client();
        const auto code = codeFor(made);
        _host->change(R"(UPDATE organizations SET security_policy = '{"ipAllowList":["192.0.2.0/24"]}' WHERE slug = 'acme')");
        TestRequest request{.method = Method::Post, .target = "/oauth/token"};
        request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
        request.clientAddress = "203.0.113.9";
        request.body = "grant_type=authorization_code&client_id=" + made.at("/client_id") + "&client_secret=" + made.at("/client_secret") +
                       "&code=" + code + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&code_verifier=" + verifier;
        const auto tokens = _host->call(request);
        equal(200, tokens.status, tokens.body);
        equal("192.0.2.0/24", _host->context()
                                  .database()
                                  .session()
                                  .value<std::string>("SELECT ip_prefix FROM sessions WHERE client_id = $1", made.at("/client_id"))
                                  .value_or("none"));
    }

    TEST(keysAreRotatedByTheHighest)
    {
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        _host->createUser("op@admin.example", "admin", "owner", "platform_admin");
        const auto rotate = [&](const std::string& token)
        { return _host->call({.method = Method::Post, .target = "/api/system/signing-keys/rotate", .body = "{}"}, token); };
        for (const auto* who : {"ada@acme.example", "op@admin.example"})
            equal("permission_denied", rotate(_host->signIn(who, "identity")).code());
        const auto token = _host->signIn("root@admin.example", "identity");
        equal("step_up_required", rotate(token).code());
        _host->change("UPDATE sessions SET elevated_until = 1999999999999");
        equal(409, rotate(token).status);
        _host->context().clock().advance(std::chrono::minutes(5));
        const auto rotated = rotate(token);
        equal(200, rotated.status, rotated.body);
        equal("ok", _host->verdict(token, "identity"));
    }

    TEST(discoveryNamesTheEndpoints)
    {
        const auto document = _host->call({.target = "/.well-known/openid-configuration"});
        equal(200, document.status);
        equal("http://identity.localhost:8080", document.at("/issuer"));
        equal("http://identity.localhost:8080/oauth/authorize", document.at("/authorization_endpoint"));
        equal(document.body, _host->call({.target = "/.well-known/oauth-authorization-server"}).body);
    }

    TEST(hintOfAnotherUserDoesNotSignIn)
    {
        const auto made = client();
        const auto tokens = signIn(made);
        BrowserDriver other(*_host);
        other.signIn("eve@other.example");
        const auto hinted = requestOf(made) + "&id_token_hint=" + tokens.at("/id_token");
        equal("login_required", parameter(other.get(hinted + "&prompt=none"), "error"));
        CHECK(other.locationOf(other.get(hinted)).starts_with("/login?"));
        CHECK(!parameter(_browser->get(hinted + "&prompt=none"), "code").empty());
        equal("invalid_request", parameter(_browser->get(requestOf(made) + "&prompt=none&id_token_hint=a.b.c"), "error"));
    }
};

} // namespace portico::tests
