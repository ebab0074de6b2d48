#include "identity/DpopKey.h"
#include "identity/OAuthDriver.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

/// Token exchange (RFC 8693): a backend continues at another service on behalf of the user, with that user's rights.
class TokenExchangeTest : public Suite<TokenExchangeTest>
{
    void setUp() override { prepare(); }
    void prepare(IdentityHost::Settings settings = {})
    {
        _client.reset();
        _driver = std::make_unique<OAuthDriver>(std::move(settings));
        auto stock = IdentityHost::deskManifest();
        for (auto at = stock.find("desk"); at != std::string::npos; at = stock.find("desk", at)) stock.replace(at, 4, "stock");
        stock.replace(stock.find("Desk"), 4, "Stock");
        stock.replace(stock.find(R"("https://stock.example")"), 23, "");
        host().publish({IdentityHost::identityManifest(), IdentityHost::deskManifest(), stock});
        host().createUser("max@later.example", "later", "member");
        _client = std::make_unique<TestAnswer>(_driver->serviceClient("desk", exchangeGrant));
    }
    void tearDown() override
    {
        _client.reset();
        _driver.reset();
    }

    TEST(opensTheOtherServiceForTheSameUser)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        equal("wrong_audience", host().verdict(subject, "stock"));
        const auto answer = exchange(subject);
        equal(200, answer.status, answer.body);
        equal("urn:ietf:params:oauth:token-type:access_token", answer.at("/issued_token_type"));
        CHECK(!answer.has("/refresh_token") && !answer.has("/id_token"));
        const auto token = answer.at("/access_token");
        const auto caller = host().validate(token, "stock");
        equal(OAuthDriver::claim(subject, "sub"), caller->principalId);
        equal(_client->at("/client_id"), caller->clientId);
        equal("stock", caller->serviceId);
        CHECK(caller->may("stock.tickets:read") && !caller->may("desk.tickets:read"));
        equal("wrong_audience", host().verdict(token, "desk"));
        equal("wrong_audience", host().verdict(token, "identity"));
        const auto state =
            _driver->post("/oauth/introspect",
                          {{"client_id", _client->at("/client_id")}, {"client_secret", _client->at("/client_secret")}, {"token", token}});
        equal("true", state.at("/active"));
    }

    TEST(neverLivesLonger)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        equal("300", exchange(subject).at("/expires_in"));
        host().context().clock().advance(std::chrono::seconds(500));
        const auto late = exchange(subject);
        equal("100", late.at("/expires_in"));
        equal(OAuthDriver::claim(subject, "exp"), OAuthDriver::claim(late.at("/access_token"), "exp"));
        host().context().clock().advance(std::chrono::seconds(100));
        equal("invalid_request", exchange(subject).at("/error"));
        equal("expired", host().verdict(late.at("/access_token"), "stock"));
    }

    TEST(endsWithTheSignInAndTheClient)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        const auto token = exchange(subject).at("/access_token");
        const auto other = exchange(host().signIn("max@later.example", "desk")).at("/access_token");
        equal("ok", host().verdict(token, "stock"));
        equal(200, host()
                       .call({.method = Method::Post,
                              .target = "/api/auth/logout",
                              .body = R"({"scope":"app"})",
                              .headers = {{"X-Service-ID", "desk"}}},
                             subject)
                       .status);
        equal("session_ended", host().verdict(token, "stock"));
        equal("invalid_request", exchange(subject).at("/error"));
        // Tokens of another client become invalid with that client's right.
        equal("ok", host().verdict(other, "stock"));
        const auto path = "/api/oauth-clients/" + _client->at("/client_id");
        equal(200, _driver->manage(Method::Patch, path, R"({"grant_types":["authorization_code"]})", "root@admin.example").status);
        equal("revoked", host().verdict(other, "stock"));
    }

    TEST(tokensExchangedDuringALogoutAreInvalid)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto subject = host().signIn("max@later.example", "desk");
            const auto early = exchange(subject).at("/access_token");
            std::vector<std::string> tokens;
            std::atomic<bool> begun{false};
            std::string refusal;
            std::thread backend(
                [&]
                {
                    for (;;)
                    {
                        const auto answer = exchange(subject);
                        begun = true;
                        if (answer.status != 200)
                        {
                            refusal = answer.at("/error");
                            return;
                        }
                        tokens.push_back(answer.at("/access_token"));
                    }
                });
            while (!begun) std::this_thread::yield();
            const auto ended = logout(subject, "desk", "app").status;
            const auto first = host().verdict(early, "stock");
            backend.join();
            equal(200, ended);
            equal("session_ended", first, "the very next request");
            equal("invalid_request", refusal);
            // Tokens issued while the sign-in ended, or afterwards, are also invalid.
            for (const auto& token : tokens) equal("session_ended", host().verdict(token, "stock"));
        }
    }

    TEST(neverGoesWhereTheUserMayNot)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        for (const auto* target : {"identity", "nothing", "desk.example"})
            equal("invalid_target", exchange(subject, {{"audience", target}}).at("/error"), target);
        equal("invalid_request", exchange(subject, {}).at("/error"));
        equal("invalid_request", exchange(subject, {{"audience", "stock"}, {"resource", "https://stock.example"}}).at("/error"));
        // Not where the organization has no access any more, either.
        host().change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'stock'");
        equal("invalid_target", exchange(subject).at("/error"));
        host().change("UPDATE service_access SET status = 'active' WHERE service_id = 'stock'");
        const auto token = exchange(subject).at("/access_token");
        host().change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {OAuthDriver::claim(subject, "sub")});
        equal("service_access_denied", host().verdict(token, "stock"));
        equal("invalid_target", exchange(subject).at("/error"));
    }

    TEST(neverGoesFromOrToAClosedService)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        const auto token = exchange(subject).at("/access_token");
        const auto move = [&](const std::string& service, const char* how)
        {
            const auto path = "/api/services/" + service + '/' + how;
            equal(200, _driver->manage(Method::Post, path, "{}", "root@admin.example").status);
        };
        move("stock", "suspend");
        equal("invalid_target", exchange(subject).at("/error"));
        equal("service_access_denied", host().verdict(token, "stock"));
        move("stock", "activate");
        equal(200, exchange(subject).status);
        move("desk", "suspend");
        equal("unauthorized_client", exchange(subject).at("/error"));
        move("desk", "activate");
        equal(200, exchange(subject).status);
    }

    TEST(neverGoesToAConsole)
    {
        prepare({{"identity.consoleServices", "stock"}});
        equal("invalid_target", exchange(host().signIn("max@later.example", "desk")).at("/error"));
    }

    /// An exchanged token works in its service only. It reveals no personal data, opens no other app, creates no key and ends no sign-in.
    TEST(opensNothingOfTheSignIn)
    {
        const auto token = exchange(host().signIn("max@later.example", "desk")).at("/access_token");
        opensItsServiceAlone(token, "stock");
        // It cannot end its source sign-in either.
        equal("permission_denied", logout(token, "stock", "app").code());
        equal("ok", host().verdict(token, "stock"));
    }

    /// A third-party app that represents a service gets the data of its scope only, and can end only itself, regardless of the user's
    /// rights.
    TEST(anotherPartysAppOpensItsServiceAlone)
    {
        const auto made = _driver->client(R"(,"service_id":"desk")", "root@admin.example");
        const auto tokens = _driver->signIn(made);
        equal(200, tokens.status, tokens.body);
        const auto token = tokens.at("/access_token");
        opensItsServiceAlone(token, "desk");
        const auto told = host().call({.target = "/validate", .headers = {{"X-Service-ID", "desk"}}}, token);
        equal("ada@acme.example", told.at("/principal/email"));
        const auto openid =
            _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce(), "openid"))).at("/access_token");
        const auto less = host().call({.target = "/validate", .headers = {{"X-Service-ID", "desk"}}}, openid);
        equal(200, less.status, less.body);
        equal("", less.at("/principal/email") + less.at("/principal/displayName"));
        equal(200, logout(token, "desk", "app").status);
        equal("session_ended", host().verdict(token));
        equal("ok", host().verdict(openid));
        // The same client, once it is one of this installation.
        host().change("UPDATE oauth_clients SET first_party = true");
        equal(200, host().call({.target = "/api/auth/me", .headers = {{"X-Service-ID", "desk"}}}, openid).status);
    }

    TEST(takesTokensOfItsOwnServiceOnly)
    {
        for (const auto& subject : {host().signIn("max@later.example", "stock"), host().signIn("max@later.example", "identity"),
                                    std::string("a.b.c"), std::string()})
            equal("invalid_request", exchange(subject).at("/error"));
        const auto subject = host().signIn("max@later.example", "desk");
        const auto with = [&](const std::string& name, const std::string& value) {
            return exchange(subject, {{"audience", "stock"}, {name, value}}).at("/error");
        };
        equal("invalid_request", with("actor_token", subject));
        equal("invalid_request", with("requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token"));
        equal("invalid_request",
              _driver
                  ->token(*_client,
                          {{"grant_type", exchangeType}, {"subject_token", subject}, {"subject_token_type", "jwt"}, {"audience", "stock"}})
                  .at("/error"));
    }

    TEST(neverWidensTheScope)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        equal("openid", exchange(subject, {{"audience", "stock"}, {"scope", "openid"}}).at("/scope"));
        equal("invalid_scope", exchange(subject, {{"audience", "stock"}, {"scope", "openid email"}}).at("/error"));
    }

    TEST(isForBackendsOfServices)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        const auto by = [&](const TestAnswer& made)
        {
            return _driver
                ->token(made, {{"grant_type", exchangeType},
                               {"subject_token", subject},
                               {"subject_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                               {"audience", "stock"}})
                .at("/error");
        };
        equal("unauthorized_client", by(_driver->client(exchangeGrant)));
        equal("unauthorized_client", by(_driver->serviceClient("desk")));
        equal("invalid_request", by(_driver->serviceClient("stock", exchangeGrant)));
    }

    TEST(nativeSignInsLiveLonger)
    {
        // Raises the organization's limits; by default its policy ends sign-ins after 30 days, and after 7 without use.
        host().change(R"(UPDATE organizations SET security_policy = '{"maxSessionHours":8760,"idleHours":2160}')");
        const auto life = [&](std::string_view which)
        {
            return host().count("SELECT expires_at - created_at FROM sessions WHERE client_id LIKE 'cli_%' AND " + std::string(which)) /
                   1000 / 86400;
        };
        const auto made = _driver->client(R"(,"type":"native","token_endpoint_auth_method":"none")");
        equal(200, _driver->signIn(made).status);
        // Without a key it is no better guarded than a browser.
        equal(30, life("dpop_jkt IS NULL"));
        const DpopKey key;
        const auto url = std::string(OAuthDriver::issuer) + "/oauth/token";
        const auto proof = [&](const std::string& nonce) { return key.proof(host(), {.method = "POST", .url = url, .nonce = nonce}); };
        const auto code = _driver->codeFor(OAuthDriver::requestOf(made, OAuthDriver::withPkce()));
        const auto ask = [&](const std::string& nonce)
        {
            TestRequest request{.method = Method::Post, .target = "/oauth/token"};
            request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"DPoP", proof(nonce)}};
            request.body = "grant_type=authorization_code&client_id=" + made.at("/client_id") + "&code=" + code +
                           "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&code_verifier=" + OAuthDriver::verifier();
            return host().call(request);
        };
        const auto asked = ask({});
        const auto begin = asked.headerBlock().find("DPoP-Nonce: ");
        CPPUNIT_ASSERT_MESSAGE(asked.body, begin != std::string::npos);
        const auto end = asked.headerBlock().find("\r\n", begin);
        const auto tokens = ask(asked.headerBlock().substr(begin + 12, end - begin - 12));
        equal(200, tokens.status, tokens.body);
        equal(180, life("dpop_jkt IS NOT NULL"));
        equal(30, host().count("SELECT idle_seconds FROM refresh_families WHERE dpop_jkt IS NOT NULL ORDER BY id DESC LIMIT 1") / 86400);
    }

    /// A client can revoke only its tokens (RFC 7009, 2.1); the sign-in belongs to another app.
    TEST(revokingATokenEndsNoSignIn)
    {
        const auto subject = host().signIn("max@later.example", "desk");
        const auto token = exchange(subject).at("/access_token");
        const auto revoked =
            _driver->post("/oauth/revoke",
                          {{"client_id", _client->at("/client_id")}, {"client_secret", _client->at("/client_secret")}, {"token", token}});
        equal(200, revoked.status);
        equal("ok", host().verdict(subject, "desk"));
        equal(200, exchange(subject).status);
    }

    const std::string exchangeType = "urn:ietf:params:oauth:grant-type:token-exchange";
    const std::string exchangeGrant = jsonWith(R"(,"grant_types":["authorization_code","$"])", exchangeType);
    IdentityHost& host() { return _driver->host(); }

    TestAnswer logout(const std::string& token, const std::string& service, const std::string& scope)
    {
        return host().call({.method = Method::Post,
                            .target = "/api/auth/logout",
                            .body = jsonWith(R"({"scope":"$"})", scope),
                            .headers = {{"X-Service-ID", service}}},
                           token);
    }
    /// Checks that the token may use only those routes on every origin that are about itself.
    void opensItsServiceAlone(const std::string& token, const std::string& service)
    {
        struct Row
        {
            Method method;
            std::string target;
            std::string body = {};
        };
        using enum Method;
        const auto organization = "/api/organizations/" + host().organizationId("acme");
        for (const auto& row : std::vector<Row>{
                 {Get, "/api/auth/me"},
                 {Patch, "/api/auth/me", R"({"displayName":"x"})"},
                 {Put, "/api/auth/context", R"({"kind":"personal"})"},
                 {Put, "/api/auth/household-selection", R"({"selectedHouseholdId":null})"},
                 {Get, "/api/auth/passkeys"},
                 {Delete, "/api/auth/passkeys/pky_01m7yxgsajgt43bnj40qv00rjy"},
                 {Get, "/api/auth/mfa"},
                 {Get, "/api/auth/sessions"},
                 {Delete, "/api/auth/sessions"},
                 {Get, "/api/auth/consents"},
                 {Get, "/api/auth/linked-accounts"},
                 {Get, "/api/auth/me/preferences"},
                 {Get, "/api/auth/me/recovery-email"},
                 {Get, "/api/api-keys"},
                 {Post, "/api/api-keys", R"({"name":"x","owner_type":"user","owner_id":"usr_x","grants":[]})"},
                 {Get, "/api/households"},
                 {Post, "/api/households", R"({"name":"x"})"},
                 {Get, organization + "/members"},
                 {Get, "/api/services/app-switcher"},
                 {Post, "/sso/handoff-code", R"({"service_id":"desk","redirect_uri":"https://desk.example/auth/callback"})"},
                 {Post, "/api/auth/step-up", R"({"factor":"password","password":"x"})"},
             })
        {
            const auto answer =
                host().call({.method = row.method, .target = row.target, .body = row.body, .headers = {{"X-Service-ID", service}}}, token);
            equal(403, answer.status, row.target + ' ' + answer.body);
            equal("permission_denied", answer.code(), row.target);
        }
        for (const auto* scope : {"browser", "everywhere"}) equal("permission_denied", logout(token, service, scope).code());
        equal(200, host().call({.target = "/validate", .headers = {{"X-Service-ID", service}}}, token).status);
        equal(200, _driver->userinfo(token).status);
    }

    TestAnswer exchange(const std::string& subject, BrowserDriver::Fields fields = {{"audience", "stock"}})
    {
        fields.insert(fields.end(), {{"grant_type", exchangeType},
                                     {"subject_token", subject},
                                     {"subject_token_type", "urn:ietf:params:oauth:token-type:access_token"}});
        return _driver->token(*_client, fields);
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::unique_ptr<TestAnswer> _client;
};

} // namespace portico::tests
