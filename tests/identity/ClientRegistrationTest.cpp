#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Clients that register themselves (RFC 7591) and look after their registration (RFC 7592).
class ClientRegistrationTest : public Suite<ClientRegistrationTest>
{
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    TEST(aRegisteredClientSignsPeopleIn)
    {
        const auto made = registered();
        equal(201, made.status, made.body);
        equal("0", made.at("/client_secret_expires_at"));
        equal("client_secret_basic", made.at("/token_endpoint_auth_method"));
        equal(std::string(OAuthDriver::issuer) + "/oauth/register/" + made.at("/client_id"), made.at("/registration_client_uri"));
        const auto tokens = _driver->signIn(made);
        equal(200, tokens.status, tokens.body);
        // The client belongs to the organization of the token, which can list and remove it.
        const auto path = "/api/oauth-clients/" + made.at("/client_id");
        equal("App", _driver->manage(Method::Get, path).at("/name"));
        equal(204, _driver->manage(Method::Delete, path).status);
        equal(401, read(made).status);
        equal(1, _driver->host().count("SELECT COUNT(*) FROM audit_events WHERE type = 'oauth_client.created'"));
    }

    TEST(itNeedsAToken)
    {
        const auto none = _driver->host().call({.method = Method::Post, .target = "/oauth/register", .body = metadata()});
        equal(401, none.status);
        CHECK(none.headerBlock().find("WWW-Authenticate: Bearer") != std::string::npos);
        equal(401, registered(metadata(), "rubbish").status);
        // Rejects a token for another service, and one without the permission.
        equal(401, registered(metadata(), _driver->host().signIn("ada@acme.example", "desk")).status);
        _driver->host().createUser("max@acme.example", "acme", "member");
        equal(403, registered(metadata(), _driver->host().signIn("max@acme.example", "identity")).status);
        equal(0, _driver->host().count("SELECT COUNT(*) FROM oauth_clients"));
    }

    TEST(aTokenOfAnAppRegistersNothing)
    {
        auto& host = _driver->host();
        const auto token = host.signIn("ada@acme.example", "identity");
        // The service's publisher is a third party.
        host.change("UPDATE services SET publisher_id = $1, version = version + 1 WHERE service_id = 'identity'",
                    {host.organizationId("acme")});
        CHECK(host.validate(token, "identity")->delegated);
        const auto refused = registered(metadata(), token);
        equal(403, refused.status, refused.body);
        equal("insufficient_scope", refused.at("/error"));
        equal(0, host.count("SELECT COUNT(*) FROM oauth_clients"));
    }

    TEST(anybodyMayWhereASettingSaysSo)
    {
        _driver = std::make_unique<OAuthDriver>(IdentityHost::Settings{{"identity.oauth.openRegistrationOwner", "acme"}});
        const auto ask = [&](const std::string& address)
        {
            return _driver->host()
                .call({.method = Method::Post, .target = "/oauth/register", .body = metadata(), .clientAddress = address})
                .status;
        };
        for (int i = 0; i < 5; ++i) equal(201, ask("198.51.100.1"));
        equal(429, ask("198.51.100.2"));
        equal(201, ask("203.0.113.1"));
        // An invalid token is an error, although registration is open.
        equal(401, registered(metadata(), "rubbish").status);
        equal(_driver->host().organizationId("acme"), _driver->manage(Method::Get, "/api/oauth-clients").at("/items/0/owner_id"));
    }

    TEST(metadataAreChecked)
    {
        const auto error = [&](const std::string& body)
        {
            const auto answer = registered(body);
            return std::to_string(answer.status) + ' ' + answer.at("/error");
        };
        for (const auto* uri : {"http://app.example/cb", "https://app.example/cb#f", "javascript:alert(1)", "/cb"})
            equal("400 invalid_redirect_uri", error(jsonWith(R"({"redirect_uris":["$"]})", uri)), uri);
        equal("400 invalid_redirect_uri", error("{}"));
        for (const auto* more :
             {R"("grant_types":["client_credentials"])", R"("grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"])",
              R"("grant_types":["password"])", R"("response_types":["token"])", R"("scope":"openid scim")", R"("scope":"root")",
              R"("token_endpoint_auth_method":"tls_client_auth")", R"("token_endpoint_auth_method":"private_key_jwt")",
              R"("id_token_signed_response_alg":"none")", R"("subject_type":"secret")", R"("redirect_uris":7)",
              R"("logo_uri":"javascript:alert")"})
            equal("400 invalid_client_metadata", error(jsonWith(R"({"redirect_uris":["https://app.example/cb"],$})", more)), more);
        equal("400 invalid_client_metadata", error("[]"));
        equal("400 invalid_client_metadata", error("not json"));
        // Privileges in the metadata are ignored.
        const auto made =
            registered(R"({"redirect_uris":["https://app.example/cb"],"first_party":true,"service_id":"desk","consent":"implicit",)"
                       R"("require_pkce":false,"client_id":"mine"})");
        equal(201, made.status);
        const auto seen = _driver->manage(Method::Get, "/api/oauth-clients/" + made.at("/client_id"));
        equal("false", seen.at("/first_party"));
        equal("null", seen.at("/service_id"));
        equal("explicit", seen.at("/consent"));
        equal("true", seen.at("/require_pkce"));
    }

    TEST(theRegistrationIsReadAndReplaced)
    {
        const auto made = registered();
        const auto known = read(made);
        equal(200, known.status);
        equal("https://app.example/cb", known.at("/redirect_uris/0"));
        CHECK(!known.has("/client_secret"));
        const auto replaced = replace(made, jsonWith(R"({"client_id":"$","client_name":"New","redirect_uris":["https://new.example/cb"],)"
                                                     R"("subject_type":"pairwise"})",
                                                     made.at("/client_id")));
        equal(200, replaced.status, replaced.body);
        equal("https://new.example/cb", read(made).at("/redirect_uris/0"));
        equal(400, _driver->browser().get(OAuthDriver::requestOf(made, OAuthDriver::withPkce())).status);
        // Members that the replacement leaves out return to their defaults.
        equal("pairwise", read(made).at("/subject_type"));
        equal(200,
              replace(made, jsonWith(R"({"client_id":"$","redirect_uris":["https://new.example/cb"]})", made.at("/client_id"))).status);
        equal("public", read(made).at("/subject_type"));
        equal("invalid_request", replace(made, metadata()).at("/error"));
        equal("invalid_redirect_uri",
              replace(made, jsonWith(R"({"client_id":"$","redirect_uris":["http://evil.example/"]})", made.at("/client_id"))).at("/error"));
    }

    TEST(theRegistrationEndsWithItsTokens)
    {
        const auto made = registered();
        const auto tokens = _driver->signIn(made);
        equal(200, _driver->userinfo(tokens.at("/access_token")).status);
        equal(204, own(made, Method::Delete, {}, made.at("/registration_access_token")).status);
        equal(401, _driver->userinfo(tokens.at("/access_token")).status);
        equal(1, _driver->host().count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_type = 'anonymous'"));
        equal(401, read(made).status);
        equal(401, _driver->exchange(made, "x").status);
    }

    TEST(onlyItsOwnTokenOpensIt)
    {
        const auto made = registered();
        const auto other = registered();
        const auto byHand = _driver->client();
        for (const auto& token : {other.at("/registration_access_token"), std::string("rubbish"), std::string(),
                                  _driver->host().signIn("ada@acme.example", "identity"), std::string(64, '-')})
            for (const auto method : {Method::Get, Method::Put, Method::Delete})
            {
                equal(401, own(made, method, method == Method::Put ? metadata() : "", token).status);
                equal(401, own(byHand, method, method == Method::Put ? metadata() : "", token).status);
            }
        equal(200, read(made).status);
        // A client that operators have taken over can no longer change its registration.
        _driver->host().change("UPDATE oauth_clients SET first_party = TRUE");
        equal(401, read(made).status);
    }

    TEST(closedWorkspacesRegisterNothing)
    {
        const auto made = registered();
        _driver->host().change("UPDATE organizations SET kind = 'developer_workspace' WHERE slug = 'acme'");
        const auto token = _driver->host().signIn("ada@acme.example", "identity");
        _driver->host().change("UPDATE organizations SET status = 'suspended' WHERE slug = 'acme'");
        CHECK(registered(metadata(), token).status >= 400);
        const auto replaced =
            replace(made, jsonWith(R"({"client_id":"$","redirect_uris":["https://new.example/cb"]})", made.at("/client_id")));
        equal("access_denied", replaced.at("/error"));
        equal(1, _driver->host().count("SELECT COUNT(*) FROM oauth_clients"));
    }

    static std::string metadata() { return R"({"client_name":"App","redirect_uris":["https://app.example/cb"],"contacts":["a@b.c"]})"; }
    TestAnswer registered(const std::string& body = metadata()) const
    {
        return registered(body, _driver->host().signIn("ada@acme.example", "identity"));
    }
    TestAnswer registered(const std::string& body, const std::string& token) const
    {
        return _driver->host().call({.method = Method::Post,
                                     .target = "/oauth/register",
                                     .body = body,
                                     .headers = {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}}});
    }
    TestAnswer own(const TestAnswer& made, Method method, const std::string& body, const std::string& token) const
    {
        TestRequest request{.method = method, .target = "/oauth/register/" + made.at("/client_id"), .body = body};
        if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
        return _driver->host().call(request);
    }
    TestAnswer read(const TestAnswer& made) const { return own(made, Method::Get, {}, made.at("/registration_access_token")); }
    TestAnswer replace(const TestAnswer& made, const std::string& body) const
    {
        return own(made, Method::Put, body, made.at("/registration_access_token"));
    }

    std::unique_ptr<OAuthDriver> _driver;
};

} // namespace portico::tests
