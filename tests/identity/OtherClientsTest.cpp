#include "identity/OAuthDriver.h"
#include "support/Suite.h"

#include "jose/SigningKey.h"

namespace portico::tests
{

/// Deviations from the standard by third-party clients and mail programs, and errors for their developers.
class OtherClientsTest : public Suite<OtherClientsTest>
{
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    TEST(endpointsIgnoreUnknownParameters)
    {
        const auto made = _driver->client();
        const auto tokens = _driver->signIn(made);
        const auto access = tokens.at("/access_token");
        const auto get = [&](const std::string& target, const std::string& token = {})
        { return _driver->host().call({.target = target}, token); };
        equal("ada@acme.example", get("/oauth/userinfo?schema=openid", access).at("/email"));
        equal(401, get("/oauth/userinfo?schema=openid").status);
        for (const auto* path :
             {"/.well-known/openid-configuration?x=1", "/.well-known/oauth-authorization-server?x=1&x=2", "/.well-known/jwks.json?cache=7"})
            equal(200, get(path).status, path);
        for (const std::string path : {"/oauth/token", "/oauth/par", "/oauth/introspect", "/oauth/revoke", "/oauth/device_authorization"})
        {
            const auto refused = _driver->post(path + "?vendor=x", {{"vendor_field", "y"}});
            CPPUNIT_ASSERT_MESSAGE(refused.body, refused.has("/error"));
            CPPUNIT_ASSERT_MESSAGE(refused.body, refused.body.find("unknown_parameter") == std::string::npos);
        }
        const auto registered =
            _driver->manage(Method::Post, "/oauth/register?vendor=x", R"({"redirect_uris":["https://rp.example/cb"],"vendor":1})");
        equal(201, registered.status, registered.body);
        CHECK(!_driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce("&access_type=offline&hd=acme.example"))).empty());
    }

    TEST(pagesIgnoreUnknownParameters)
    {
        for (const auto* path : {"/login?service_id=desk&fbclid=abc", "/login?utm_source=x&utm_source=y", "/forgot-password?gclid=1",
                                 "/reset-password?token=abc&utm_source=mail", "/verify-email?token=abc&utm_medium=mail&_hsenc=p2",
                                 "/register?mc_cid=7", "/oauth/logout?state=s&sxsrf=1"})
        {
            const auto page = browse(path);
            equal("text/html; charset=utf-8", page.contentType, path);
            CPPUNIT_ASSERT_MESSAGE(path, page.body.find("unknown_parameter") == std::string::npos);
        }
    }

    TEST(theApiRefusesUnknownParameters)
    {
        const auto refused = _driver->manage(Method::Get, "/api/oauth-clients?utm_source=x");
        equal("unknown_parameter", refused.code());
    }

    TEST(resourceMayRepeat)
    {
        const auto made = _driver->client();
        const std::string issuer(OAuthDriver::issuer);
        const auto twice = "&resource=" + issuer + "&resource=" + issuer;
        equal(200, _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce(twice)))).status);
        equal("invalid_target", errorOf(made, OAuthDriver::withPkce("&resource=" + issuer + "&resource=https://other.example")));
    }

    TEST(otherRepetitionsGoBackToTheClient)
    {
        const auto made = _driver->client();
        for (const std::string name :
             {"prompt", "scope", "nonce", "code_challenge", "response_type", "max_age", "login_hint", "ui_locales"})
        {
            const auto answer = ask(made, OAuthDriver::withPkce('&' + name + "=login&" + name + "=login"));
            equal("invalid_request", BrowserDriver::parameter(answer, "error"), name);
            equal("s", BrowserDriver::parameter(answer, "state"));
            CHECK(BrowserDriver::parameter(answer, "error_description").find(name) != std::string::npos);
        }
        equal("invalid_request", errorOf(made, OAuthDriver::withPkce("&state=t")));
        // Unknown parameters may be repeated.
        equal("", errorOf(made, OAuthDriver::withPkce("&utm_source=a&utm_source=b")));
    }

    TEST(repetitionsAreRefusedWherePushed)
    {
        const auto made = _driver->client();
        const auto push = [&](const std::string& name, const std::string& value)
        {
            return _driver->post("/oauth/par", {{"client_id", made.at("/client_id")},
                                                {"client_secret", made.at("/client_secret")},
                                                {"redirect_uri", made.at("/redirect_uris/0")},
                                                {"response_type", "code"},
                                                {"scope", "openid"},
                                                {"state", "s"},
                                                {"prompt", "login"},
                                                {"max_age", "7"},
                                                {"resource", std::string(OAuthDriver::issuer)},
                                                {"utm_source", "x"},
                                                {"code_challenge", std::string(43, 'c')},
                                                {"code_challenge_method", "S256"},
                                                {name, value}});
        };
        for (const std::string name :
             {"client_id", "redirect_uri", "response_type", "scope", "state", "prompt", "max_age", "code_challenge"})
        {
            const auto refused = push(name, "login");
            equal(400, refused.status, name + refused.body);
            equal("invalid_request", refused.at("/error"), name);
            CPPUNIT_ASSERT_MESSAGE(refused.body, refused.at("/error_description").starts_with(name));
        }
        equal(201, push("resource", std::string(OAuthDriver::issuer)).status);
        equal(201, push("utm_source", "y").status);
    }

    TEST(withoutAWayBackAPageSaysSo)
    {
        const auto made = _driver->client();
        for (const std::string name : {"client_id", "redirect_uri", "request_uri"})
        {
            const auto answer = browse(OAuthDriver::requestOf(made, OAuthDriver::withPkce('&' + name + "=x&" + name + "=y")));
            equal(400, answer.status, name);
            equal("text/html; charset=utf-8", answer.contentType, name);
        }
    }

    TEST(everyRefusalNamesTheParameter)
    {
        const auto made = _driver->client();
        const auto with = [](std::string_view extra) { return OAuthDriver::withPkce(extra); };
        const std::vector<std::pair<std::string, std::string>> refusals = {
            {"", "code_challenge"},
            {"&code_challenge=short&code_challenge_method=S256", "code_challenge"},
            {"&code_challenge=" + std::string(43, 'c'), "code_challenge_method"},
            {with("&response_mode=fragment"), "response_mode"},
            {with("&request=eyJ"), "request"},
            {with("&request_uri=https://app.example/r"), "request_uri"},
            {with("&claims=x"), "claims"},
            {with("&max_age=soon"), "max_age"},
            {with("&resource=https://other.example"), "resource"},
            {with("&id_token_hint=x"), "id_token_hint"},
            {with("&prompt=none"), "prompt"},
            {with("&prompt=none%20login"), "prompt is none together"},
            {with("&organization_id=x"), "organization_id"}};
        for (const auto& [extra, name] : refusals)
        {
            const auto answer = ask(made, extra);
            CPPUNIT_ASSERT_MESSAGE(extra, !BrowserDriver::parameter(answer, "error").empty() || name == "organization_id");
            if (BrowserDriver::parameter(answer, "error").empty()) continue;
            CPPUNIT_ASSERT_MESSAGE(extra + " " + answer.headerBlock(),
                                   BrowserDriver::parameter(answer, "error_description").find(name) != std::string::npos);
        }
        const auto scope = _driver->browser().get(OAuthDriver::requestOf(made, OAuthDriver::withPkce(), "unheard-of"));
        equal("invalid_scope", BrowserDriver::parameter(scope, "error"));
        CHECK(BrowserDriver::parameter(scope, "error_description").find("scope") != std::string::npos);
        // At the place where requests are pushed, too.
        const auto pushed = _driver->post("/oauth/par", {{"client_id", made.at("/client_id")},
                                                         {"client_secret", made.at("/client_secret")},
                                                         {"redirect_uri", made.at("/redirect_uris/0")},
                                                         {"response_type", "code"},
                                                         {"scope", "openid"}});
        CHECK(pushed.at("/error_description").find("code_challenge") != std::string::npos);
    }

    TEST(everyRefusalOfATokenSaysWhy)
    {
        const auto made = _driver->client();
        const auto refusal = [&](const std::string& path, std::vector<std::pair<std::string, std::string>> form)
        {
            form.insert(form.begin(), {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}});
            const auto answer = _driver->post(path, form);
            equal(400, answer.status, answer.body);
            return answer.at("/error") + ' ' + answer.at("/error_description");
        };
        equal("unsupported_grant_type grant_type is none that this server knows.", refusal("/oauth/token", {{"grant_type", "password"}}));
        equal("invalid_request grant_type: Sent more than once",
              refusal("/oauth/token", {{"grant_type", "authorization_code"}, {"grant_type", "authorization_code"}}));
        equal("unauthorized_client This client may not use this grant.", refusal("/oauth/device_authorization", {{"scope", "openid"}}));
    }

    TEST(appsLearnAPreferredName)
    {
        const auto made = _driver->client();
        const auto tokens = _driver->signIn(made);
        equal("ada@acme.example", _driver->userinfo(tokens.at("/access_token")).at("/preferred_username"));
        equal("ada@acme.example", OAuthDriver::claim(tokens.at("/id_token"), "preferred_username"));
        const auto bare = _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce(), "openid")));
        equal("", OAuthDriver::claim(bare.at("/id_token"), "preferred_username"));
        const auto asked = _driver->exchange(
            made, _driver->codeFor(OAuthDriver::requestOf(
                      made, OAuthDriver::withPkce("&claims=%7B%22id_token%22%3A%7B%22preferred_username%22%3Anull%7D%7D"), "openid")));
        equal("ada@acme.example", OAuthDriver::claim(asked.at("/id_token"), "preferred_username"));
        const auto metadata = _driver->host().call({.target = "/.well-known/openid-configuration"});
        CHECK(metadata.body.find("\"preferred_username\"") != std::string::npos);
    }

    TEST(pairwiseClientsLearnNoName)
    {
        const auto made = _driver->client(R"(,"subject_type":"pairwise")");
        const auto bare =
            _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce(), "openid%20profile")));
        equal("", OAuthDriver::claim(bare.at("/id_token"), "preferred_username"));
        CHECK(!_driver->userinfo(bare.at("/access_token")).has("/preferred_username"));
        const auto told = _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce())));
        equal("ada@acme.example", OAuthDriver::claim(told.at("/id_token"), "preferred_username"));
    }

    TEST(assertionsNameTheIssuerOrAnEndpoint)
    {
        const identity::SigningKey key = identity::SigningKey::generate();
        const auto made = _driver->client(jsonWith(
            R"(,"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"EC","crv":"P-256","kid":"one","x":"$","y":"$"}]})",
            key.x(), key.y()));
        const std::string issuer(OAuthDriver::issuer);
        const auto push = [&](const std::string& audience)
        {
            const auto now = std::chrono::floor<std::chrono::seconds>(_driver->host().context().clock().now()).time_since_epoch().count();
            const auto claims = jsonWith(R"({"iss":"$","sub":"$","jti":"$","aud":$,"exp":$})", made.at("/client_id"), made.at("/client_id"),
                                         ++_number, audience, now + 60);
            const auto head = toBase64Url(R"({"alg":"ES256","kid":"one"})") + '.' + toBase64Url(claims);
            return _driver
                ->post("/oauth/par", {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
                                      {"client_assertion", head + '.' + toBase64Url(key.sign(head))},
                                      {"redirect_uri", made.at("/redirect_uris/0")},
                                      {"response_type", "code"},
                                      {"scope", "openid"},
                                      {"nonce", "n"},
                                      {"code_challenge", toBase64Url(sha256(OAuthDriver::verifier()).bytes())},
                                      {"code_challenge_method", "S256"}})
                .status;
        };
        const auto quoted = [&](const std::string& path) { return '"' + issuer + path + '"'; };
        for (const auto& good : {quoted(""), quoted("/oauth/token"), quoted("/oauth/par"), '[' + quoted("/oauth/par") + ']',
                                 '[' + quoted("") + ',' + quoted("/oauth/token") + ',' + quoted("/oauth/par") + ']'})
            equal(201, push(good), good);
        for (const auto& bad :
             {std::string(R"("https://other.example")"), std::string("[]"), quoted("/oauth/authorize"), quoted("/"), std::string("null"),
              std::string("7"), std::string("{}"), '[' + quoted("") + ",7]", '[' + quoted("") + R"(,"https://other.example"])"})
            equal(401, push(bad), bad);
    }

    TEST(localhostMatchesAnyPort)
    {
        const auto native = [&](const std::string& redirect)
        { return _driver->client(R"(,"type":"native","token_endpoint_auth_method":"none")", "ada@acme.example", '"' + redirect + '"'); };
        const auto leads = [&](const TestAnswer& made, const std::string& redirect)
        {
            const auto request = "/oauth/authorize?response_type=code&state=s&scope=openid&client_id=" + made.at("/client_id") +
                                 "&redirect_uri=" + redirect + OAuthDriver::withPkce();
            return _driver->authorize(request).status != 400;
        };
        const auto tool = native("http://localhost/callback");
        for (const auto* good : {"http://localhost/callback", "http://localhost:51004/callback", "http://localhost:1/callback"})
            CPPUNIT_ASSERT_MESSAGE(good, leads(tool, good));
        for (const auto* bad :
             {"http://localhost:51004/other", "http://localhost.evil.example/callback", "http://localhost:51004@evil.example/callback",
              "https://localhost:51004/callback", "http://localhostx:1/callback", "http://127.0.0.1:51004/callback"})
            CPPUNIT_ASSERT_MESSAGE(bad, !leads(tool, bad));
        CHECK(leads(native("http://localhost:8123/cb?x=1"), "http://localhost:9/cb?x=1"));
        // Loopback ports are flexible for native apps only.
        const auto web = _driver->client({}, "ada@acme.example", R"("http://localhost/callback")");
        CHECK(!leads(web, "http://localhost:51004/callback"));
    }

    TEST(nullIsAbsentInARegistration)
    {
        const auto registerAs = [&](const std::string& more)
        {
            return _driver->manage(Method::Post, "/oauth/register",
                                   jsonWith(R"({"client_name":"N","redirect_uris":["https://rp.example/cb"]$})", more));
        };
        const auto plain = registerAs("");
        const auto nulls =
            registerAs(R"(,"scope":null,"logo_uri":null,"grant_types":null,"response_types":null,"jwks":null,"jwks_uri":null,)"
                       R"("token_endpoint_auth_method":null,"subject_type":null,"require_pushed_authorization_requests":null,)"
                       R"("application_type":null,"post_logout_redirect_uris":null,"id_token_signed_response_alg":null)");
        equal(201, nulls.status, nulls.body);
        for (const auto* member :
             {"/scope", "/grant_types/0", "/token_endpoint_auth_method", "/subject_type", "/id_token_signed_response_alg"})
            equal(plain.at(member), nulls.at(member), member);
        const auto marked = _driver->manage(Method::Post, "/oauth/register", "\xef\xbb\xbf{\"redirect_uris\":[\"https://rp.example/cb\"]}");
        equal(201, marked.status, marked.body);
        equal(400, registerAs(R"(,"redirect_uris":null)").status);
        equal(400, _driver->manage(Method::Post, "/oauth/register", "null").status);
    }

    TestAnswer browse(const std::string& target) const
    {
        return _driver->host().call({.target = target, .headers = {{"Accept", "text/html"}, {"Sec-Fetch-Dest", "document"}}});
    }
    TestAnswer ask(const TestAnswer& made, const std::string& extra) { return _driver->browser().get(OAuthDriver::requestOf(made, extra)); }
    std::string errorOf(const TestAnswer& made, const std::string& extra) { return BrowserDriver::parameter(ask(made, extra), "error"); }

    std::unique_ptr<OAuthDriver> _driver;
    int _number = 0;
};

} // namespace portico::tests
