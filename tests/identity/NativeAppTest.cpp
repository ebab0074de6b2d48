#include "identity/DpopKey.h"
#include "identity/OAuthDriver.h"
#include "support/Suite.h"

#include "portico/Url.h"

namespace portico::tests
{

/// Apps on devices that sign people in by password: their tokens are bound to a key of theirs, and no cookie is set.
class NativeAppTest : public Suite<NativeAppTest>
{
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        _app = app("desk");
    }
    void tearDown() override { _driver.reset(); }

    TEST(signsInWithoutCookies)
    {
        const auto answer = login(_app, proof("/api/auth/login"));
        equal(200, answer.status, answer.body);
        equal("DPoP", answer.at("/token_type"));
        CHECK(answer.has("/refresh_token") && !answer.hasHeader("Set-Cookie"));
        equal("dpop_required", host().verdict(answer.at("/access_token")));
        equal(1, host().count("SELECT COUNT(*) FROM sessions WHERE client_id = '" + _app + "' AND dpop_jkt = '" + _key.key.thumbprint() +
                              "'"));
        // A page's headers do not bring cookies either.
        const auto fromPage =
            login(_app, proof("/api/auth/login"), "desk", {{"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}});
        CHECK(fromPage.has("/refresh_token") && !fromPage.hasHeader("Set-Cookie"));
        for (const auto& bad : {std::string(), std::string("x"), proof("/api/auth/refresh"), proof("/api/auth/login", "GET")})
            equal("invalid_dpop_proof", login(_app, bad).code());
        const auto once = proof("/api/auth/login");
        equal(200, login(_app, once).status);
        equal("invalid_dpop_proof", login(_app, once).code());
    }

    TEST(anotherServicesAppIsUnknown)
    {
        host().publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()});
        const auto foreign = app("identity");
        for (const auto& id : {foreign, std::string("cli_nobody"), std::string("paper-web"),
                               _driver->client(R"(,"type":"native","token_endpoint_auth_method":"none")").at("/client_id"),
                               _driver->serviceClient("desk").at("/client_id")})
        {
            const auto answer = login(id, proof("/api/auth/login"));
            equal(400, answer.status, id);
            equal("client_id", answer.at("/errors/0/field"));
        }
    }

    TEST(renewsWithItsKeyOnly)
    {
        const auto first = login(_app, proof("/api/auth/login")).at("/refresh_token");
        equal("invalid_dpop_proof", refresh(first, _app, {}).code());
        const DpopKey thief;
        const auto stolen = thief.proof(host(), {"POST", url("/api/auth/refresh")});
        equal("invalid_dpop_proof", refresh(first, _app, stolen).code());
        equal("refresh_expired", refresh(first, app("desk"), proof("/api/auth/refresh")).code());
        equal("refresh_expired", refresh(first, "desk-web", proof("/api/auth/refresh")).code());
        equal("refresh_expired", refresh("prt1.x", _app, proof("/api/auth/refresh")).code());
        const auto renewed = refresh(first, _app, proof("/api/auth/refresh"));
        equal(200, renewed.status, renewed.body);
        CHECK(renewed.at("/refresh_token") != first && !renewed.hasHeader("Set-Cookie"));
        equal("DPoP", renewed.at("/token_type"));
        // An answer that was lost is given again for a while.
        equal(renewed.at("/refresh_token"), refresh(first, _app, proof("/api/auth/refresh")).at("/refresh_token"));
    }

    TEST(aReplayEndsTheSignIn)
    {
        const auto first = login(_app, proof("/api/auth/login")).at("/refresh_token");
        const auto renewed = refresh(first, _app, proof("/api/auth/refresh"));
        host().context().clock().advance(std::chrono::seconds(31));
        equal("refresh_reuse_detected", refresh(first, _app, proof("/api/auth/refresh")).code());
        equal(401, refresh(renewed.at("/refresh_token"), _app, proof("/api/auth/refresh")).status);
    }

    TEST(cookiesAndTokensAreNotExchanged)
    {
        const auto held = login(_app, proof("/api/auth/login")).at("/refresh_token");
        const auto asCookie = host().call(
            {.method = Method::Post,
             .target = "/api/auth/refresh",
             .body = "{}",
             .headers = {{"Cookie", "platform_refresh=" + held}, {"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}},
             .originService = "desk"});
        equal("refresh_expired", asCookie.code());
        const auto page = host().browserLogin("ada@acme.example").cookie("platform_refresh");
        equal("refresh_expired", refresh(page, _app, proof("/api/auth/refresh")).code());
    }

    TEST(signsInAsTheClientThatTheManifestDeclares)
    {
        declare();
        // The app may use every address of the manifest, a path on the origin of its service, and any port of a loopback address.
        for (const std::string redirect :
             {"http://desk.localhost:8080/mobile/callback", "desk-app:/callback", "http://127.0.0.1:5123/callback"})
        {
            const auto allowed = _driver->authorize(request(redirect, OAuthDriver::withPkce()));
            equal(303, allowed.status, allowed.body);
            CHECK(BrowserDriver::locationOf(allowed).starts_with(redirect + "?"));
            const UrlParameters code = {{"grant_type", "authorization_code"},
                                        {"client_id", "desk-mobile"},
                                        {"code", BrowserDriver::parameter(allowed, "code")},
                                        {"redirect_uri", redirect},
                                        {"code_verifier", OAuthDriver::verifier()}};
            equal("invalid_dpop_proof", token(code, {}).at("/error"));
            const auto tokens = token(code, tokenProof());
            equal(200, tokens.status, tokens.body);
            equal("desk", OAuthDriver::claim(tokens.at("/access_token"), "aud"));
            const auto renewed =
                token({{"grant_type", "refresh_token"}, {"client_id", "desk-mobile"}, {"refresh_token", tokens.at("/refresh_token")}},
                      tokenProof());
            equal(200, renewed.status, renewed.body);
        }
        for (const std::string foreign : {"http://desk.localhost:8080/other", "desk-app:/other", "https://evil.example/callback"})
            equal(400, _driver->authorize(request(foreign, OAuthDriver::withPkce())).status, foreign);
        const auto plain = _driver->authorize(request("desk-app:/callback", {}));
        equal("invalid_request", BrowserDriver::parameter(plain, "error"));
        // Sign-in by password also works.
        equal(200, login("desk-mobile", proof("/api/auth/login")).status);
    }

    TEST(isUnknownWithoutTheDeclaration)
    {
        equal(400, login("desk-mobile", proof("/api/auth/login")).status);
        declare();
        const auto held = login("desk-mobile", proof("/api/auth/login")).at("/refresh_token");
        equal(200, refresh(held, "desk-mobile", proof("/api/auth/refresh")).status);
        host().publish({IdentityHost::identityManifest(), IdentityHost::deskManifest()});
        equal("refresh_expired", refresh(held, "desk-mobile", proof("/api/auth/refresh")).code());
        equal(400, login("desk-mobile", proof("/api/auth/login")).status);
        // An app of a developer's service is registered by an operator.
        declare();
        host().change("UPDATE services SET publisher_id = $1, version = version + 1 WHERE service_id = 'desk'",
                      {host().organizationId("acme")});
        equal(400, login("desk-mobile", proof("/api/auth/login")).status);
    }

    void declare()
    {
        auto manifest = IdentityHost::deskManifest();
        manifest.insert(1,
                        R"("nativeClient":{"redirectUris":["/mobile/callback","desk-app:/callback","http://127.0.0.1:9876/callback"]},)");
        host().publish({IdentityHost::identityManifest(), manifest});
    }
    static std::string request(const std::string& redirect, const std::string& extra)
    {
        return "/oauth/authorize?response_type=code&state=s&scope=openid&client_id=desk-mobile&redirect_uri=" + redirect + extra;
    }
    TestAnswer token(const UrlParameters& fields, const std::string& dpop)
    {
        TestRequest request{.method = Method::Post, .target = "/oauth/token", .body = toQuery(fields)};
        request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"DPoP", dpop}};
        auto answer = host().call(request);
        const std::string header = "DPoP-Nonce: ";
        const auto headers = answer.headerBlock();
        if (const auto at = headers.find(header); at != std::string::npos)
            _nonce = headers.substr(at + header.size(), headers.find('\r', at) - at - header.size());
        return answer;
    }
    /// With a nonce of the token endpoint.
    std::string tokenProof()
    {
        if (_nonce.empty()) token({{"grant_type", "refresh_token"}, {"client_id", "desk-mobile"}}, proof("/oauth/token"));
        return _key.proof(host(), {.method = "POST", .url = url("/oauth/token"), .nonce = _nonce});
    }
    IdentityHost& host() { return _driver->host(); }
    std::string app(const std::string& service)
    {
        return _driver->serviceClient(service, R"(,"type":"native","token_endpoint_auth_method":"none")").at("/client_id");
    }
    static std::string url(const std::string& path) { return std::string(OAuthDriver::issuer) + path; }
    std::string proof(const std::string& path, std::string_view method = "POST") { return _key.proof(host(), {method, url(path)}); }
    TestAnswer login(const std::string& client, const std::string& dpop, const std::string& service = "desk",
                     std::vector<std::pair<std::string, std::string>> headers = {})
    {
        headers.emplace_back("DPoP", dpop);
        return host().login("ada@acme.example", IdentityHost::password, service, jsonWith(R"(,"client_id":"$")", client),
                            std::move(headers));
    }
    TestAnswer refresh(const std::string& token, const std::string& client, const std::string& dpop)
    {
        return host().call({.method = Method::Post,
                            .target = "/api/auth/refresh",
                            .body = jsonWith(R"({"refresh_token":"$","client_id":"$"})", token, client),
                            .headers = {{"DPoP", dpop}}});
    }

    std::unique_ptr<OAuthDriver> _driver;
    DpopKey _key;
    std::string _app;
    std::string _nonce;
};

} // namespace portico::tests
