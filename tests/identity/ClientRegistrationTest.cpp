#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Clients that register themselves (RFC 7591) and look after their registration (RFC 7592).
class ClientRegistrationTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ClientRegistrationTest);
    CPPUNIT_TEST(aRegisteredClientSignsPeopleIn);
    CPPUNIT_TEST(itNeedsAToken);
    CPPUNIT_TEST(aTokenOfAnAppRegistersNothing);
    CPPUNIT_TEST(anybodyMayWhereASettingSaysSo);
    CPPUNIT_TEST(metadataAreChecked);
    CPPUNIT_TEST(theRegistrationIsReadAndReplaced);
    CPPUNIT_TEST(theRegistrationEndsWithItsTokens);
    CPPUNIT_TEST(onlyItsOwnTokenOpensIt);
    CPPUNIT_TEST(closedWorkspacesRegisterNothing);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    void aRegisteredClientSignsPeopleIn()
    {
        const auto made = registered();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("0"), made.at("/client_secret_expires_at"));
        CPPUNIT_ASSERT_EQUAL(std::string("client_secret_basic"), made.at("/token_endpoint_auth_method"));
        CPPUNIT_ASSERT_EQUAL(std::string(OAuthDriver::issuer) + "/oauth/register/" + made.at("/client_id"),
                             made.at("/registration_client_uri"));
        const auto tokens = _driver->signIn(made);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        // It belongs to the organization of whose token it was, which sees and removes it.
        const auto path = "/api/oauth-clients/" + made.at("/client_id");
        CPPUNIT_ASSERT_EQUAL(std::string("App"), _driver->manage(Method::Get, path).at("/name"));
        CPPUNIT_ASSERT_EQUAL(204, _driver->manage(Method::Delete, path).status);
        CPPUNIT_ASSERT_EQUAL(401, read(made).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                             _driver->host().count("SELECT COUNT(*) FROM audit_events WHERE type = 'oauth_client.created'"));
    }

    void itNeedsAToken()
    {
        const auto none = _driver->host().call({.method = Method::Post, .target = "/oauth/register", .body = metadata()});
        CPPUNIT_ASSERT_EQUAL(401, none.status);
        CPPUNIT_ASSERT(none.headerBlock().find("WWW-Authenticate: Bearer") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(401, registered(metadata(), "rubbish").status);
        // A token for another service, and one of somebody who may not.
        CPPUNIT_ASSERT_EQUAL(401, registered(metadata(), _driver->host().signIn("ada@acme.example", "desk")).status);
        _driver->host().createUser("max@acme.example", "acme", "member");
        CPPUNIT_ASSERT_EQUAL(403, registered(metadata(), _driver->host().signIn("max@acme.example", "identity")).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _driver->host().count("SELECT COUNT(*) FROM oauth_clients"));
    }

    void aTokenOfAnAppRegistersNothing()
    {
        auto& host = _driver->host();
        const auto token = host.signIn("ada@acme.example", "identity");
        // As of an app that the service's publisher runs.
        host.change("UPDATE services SET publisher_id = $1, version = version + 1 WHERE service_id = 'identity'",
                    {host.organizationId("acme")});
        CPPUNIT_ASSERT(host.validate(token, "identity")->delegated);
        const auto refused = registered(metadata(), token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, 403, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), refused.at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, host.count("SELECT COUNT(*) FROM oauth_clients"));
    }

    void anybodyMayWhereASettingSaysSo()
    {
        _driver = std::make_unique<OAuthDriver>(IdentityHost::Settings{{"identity.oauth.openRegistrationOwner", "acme"}});
        const auto ask = [&](const std::string& address)
        {
            return _driver->host()
                .call({.method = Method::Post, .target = "/oauth/register", .body = metadata(), .clientAddress = address})
                .status;
        };
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(201, ask("198.51.100.1"));
        CPPUNIT_ASSERT_EQUAL(429, ask("198.51.100.2"));
        CPPUNIT_ASSERT_EQUAL(201, ask("203.0.113.1"));
        // Who sends a token means it.
        CPPUNIT_ASSERT_EQUAL(401, registered(metadata(), "rubbish").status);
        CPPUNIT_ASSERT_EQUAL(_driver->host().organizationId("acme"),
                             _driver->manage(Method::Get, "/api/oauth-clients").at("/items/0/owner_id"));
    }

    void metadataAreChecked()
    {
        const auto error = [&](const std::string& body)
        {
            const auto answer = registered(body);
            return std::to_string(answer.status) + ' ' + answer.at("/error");
        };
        for (const auto* uri : {"http://app.example/cb", "https://app.example/cb#f", "javascript:alert(1)", "/cb"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(uri, std::string("400 invalid_redirect_uri"),
                                         error(R"({"redirect_uris":[")" + std::string(uri) + "\"]}"));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_redirect_uri"), error("{}"));
        for (const auto* more :
             {R"("grant_types":["client_credentials"])", R"("grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"])",
              R"("grant_types":["password"])", R"("response_types":["token"])", R"("scope":"openid scim")", R"("scope":"root")",
              R"("token_endpoint_auth_method":"tls_client_auth")", R"("token_endpoint_auth_method":"private_key_jwt")",
              R"("id_token_signed_response_alg":"none")", R"("subject_type":"secret")", R"("redirect_uris":7)",
              R"("logo_uri":"javascript:alert")"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(more, std::string("400 invalid_client_metadata"),
                                         error(R"({"redirect_uris":["https://app.example/cb"],)" + std::string(more) + '}'));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_client_metadata"), error("[]"));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_client_metadata"), error("not json"));
        // Privileges are none of what a client may say of itself.
        const auto made = registered(
            R"({"redirect_uris":["https://app.example/cb"],"first_party":true,"service_id":"desk","consent":"implicit","require_pkce":false,"client_id":"mine"})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        const auto seen = _driver->manage(Method::Get, "/api/oauth-clients/" + made.at("/client_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), seen.at("/first_party"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), seen.at("/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("explicit"), seen.at("/consent"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), seen.at("/require_pkce"));
    }

    void theRegistrationIsReadAndReplaced()
    {
        const auto made = registered();
        const auto known = read(made);
        CPPUNIT_ASSERT_EQUAL(200, known.status);
        CPPUNIT_ASSERT_EQUAL(std::string("https://app.example/cb"), known.at("/redirect_uris/0"));
        CPPUNIT_ASSERT(!known.has("/client_secret"));
        const auto replaced =
            replace(made, R"({"client_id":")" + made.at("/client_id") +
                              R"(","client_name":"New","redirect_uris":["https://new.example/cb"],"subject_type":"pairwise"})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(replaced.body, 200, replaced.status);
        CPPUNIT_ASSERT_EQUAL(std::string("https://new.example/cb"), read(made).at("/redirect_uris/0"));
        CPPUNIT_ASSERT_EQUAL(400, _driver->browser().get(OAuthDriver::requestOf(made, OAuthDriver::withPkce())).status);
        // What the replacement leaves out is as if it had never been said.
        CPPUNIT_ASSERT_EQUAL(std::string("pairwise"), read(made).at("/subject_type"));
        CPPUNIT_ASSERT_EQUAL(
            200, replace(made, R"({"client_id":")" + made.at("/client_id") + R"(","redirect_uris":["https://new.example/cb"]})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("public"), read(made).at("/subject_type"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), replace(made, metadata()).at("/error"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("invalid_redirect_uri"),
            replace(made, R"({"client_id":")" + made.at("/client_id") + R"(","redirect_uris":["http://evil.example/"]})").at("/error"));
    }

    void theRegistrationEndsWithItsTokens()
    {
        const auto made = registered();
        const auto tokens = _driver->signIn(made);
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(204, own(made, Method::Delete, {}, made.at("/registration_access_token")).status);
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(401, read(made).status);
        CPPUNIT_ASSERT_EQUAL(401, _driver->exchange(made, "x").status);
    }

    void onlyItsOwnTokenOpensIt()
    {
        const auto made = registered();
        const auto other = registered();
        const auto byHand = _driver->client();
        for (const auto& token : {other.at("/registration_access_token"), std::string("rubbish"), std::string(),
                                  _driver->host().signIn("ada@acme.example", "identity"), std::string(64, '-')})
            for (const auto method : {Method::Get, Method::Put, Method::Delete})
            {
                CPPUNIT_ASSERT_EQUAL(401, own(made, method, method == Method::Put ? metadata() : "", token).status);
                CPPUNIT_ASSERT_EQUAL(401, own(byHand, method, method == Method::Put ? metadata() : "", token).status);
            }
        CPPUNIT_ASSERT_EQUAL(200, read(made).status);
        // What operators have made their own is no longer the client's to change.
        _driver->host().change("UPDATE oauth_clients SET first_party = TRUE");
        CPPUNIT_ASSERT_EQUAL(401, read(made).status);
    }

    void closedWorkspacesRegisterNothing()
    {
        const auto made = registered();
        _driver->host().change("UPDATE organizations SET kind = 'developer_workspace' WHERE slug = 'acme'");
        const auto token = _driver->host().signIn("ada@acme.example", "identity");
        _driver->host().change("UPDATE organizations SET status = 'suspended' WHERE slug = 'acme'");
        CPPUNIT_ASSERT(registered(metadata(), token).status >= 400);
        const auto replaced =
            replace(made, R"({"client_id":")" + made.at("/client_id") + R"(","redirect_uris":["https://new.example/cb"]})");
        CPPUNIT_ASSERT_EQUAL(std::string("access_denied"), replaced.at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _driver->host().count("SELECT COUNT(*) FROM oauth_clients"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(ClientRegistrationTest);

} // namespace portico::tests
