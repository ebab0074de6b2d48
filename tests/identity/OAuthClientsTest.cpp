#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// OAuth clients: how they are made, managed, and prove who they are.
class OAuthClientsTest : public OAuthFixture
{
    CPPUNIT_TEST_SUITE(OAuthClientsTest);
    CPPUNIT_TEST(aClientIsManagedByItsOrganization);
    CPPUNIT_TEST(aClientIsCheckedWhenItIsMade);
    CPPUNIT_TEST(twoSecretsCountForADay);
    CPPUNIT_TEST(clientsProveWhoTheyAre);
    CPPUNIT_TEST(programsSignInThemselves);
    CPPUNIT_TEST(clientsEndWithTheirOrganization);
    CPPUNIT_TEST_SUITE_END();

public:
    void aClientIsManagedByItsOrganization()
    {
        const auto made = client();
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), made.at("/owner_id"));
        const auto path = "/api/oauth-clients/" + made.at("/client_id");
        CPPUNIT_ASSERT_EQUAL(200, manage(Method::Get, path).status);
        CPPUNIT_ASSERT(!manage(Method::Get, path).has("/client_secret"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, manage(Method::Get, "/api/oauth-clients").count("/items"));
        CPPUNIT_ASSERT_EQUAL(404, manage(Method::Get, path, {}, "eve@other.example").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, manage(Method::Get, "/api/oauth-clients", {}, "eve@other.example").count("/items"));
        const auto changed = manage(Method::Patch, path, R"({"name":"Renamed"})");
        CPPUNIT_ASSERT_EQUAL(std::string("Renamed"), changed.at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(204, manage(Method::Delete, path).status);
        CPPUNIT_ASSERT_EQUAL(404, manage(Method::Get, path).status);
        _host->createUser("max@acme.example", "acme", "admin");
        CPPUNIT_ASSERT_EQUAL(403, manage(Method::Get, "/api/oauth-clients", {}, "max@acme.example").status);
    }

    void aClientIsCheckedWhenItIsMade()
    {
        const auto refused = [&](const std::string& body) { return manage(Method::Post, "/api/oauth-clients", body).status; };
        for (const auto* uri : {"http://app.example/cb", "https://app.example/cb#f", "javascript:alert(1)", "com.example.app:/cb", "/cb"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(uri, 400, refused(R"({"name":"A","redirect_uris":[")" + std::string(uri) + "\"]}"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":[]})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"Your bank\u202e","redirect_uris":["https://a.example/"]})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public"})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"scopes":["root"]})"));
        CPPUNIT_ASSERT_EQUAL(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"consent":"implicit"})"));
        CPPUNIT_ASSERT_EQUAL(
            400,
            refused(
                R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public","token_endpoint_auth_method":"none","require_pkce":false})"));
        // Plain http goes to the person's own machine alone.
        for (const auto* elsewhere : {"http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb",
                                      "http://a.localhost.evil.example", "http://[::1].evil.example/", "http://evil.example/.localhost"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(elsewhere, 400, refused(R"({"name":"A","redirect_uris":[")" + std::string(elsewhere) + "\"]}"));
        for (const auto* here : {"http://localhost:8123/cb", "http://app.localhost/cb", "http://[::1]:8123/cb"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(here, 201, refused(R"({"name":"A","redirect_uris":[")" + std::string(here) + "\"]}"));
        // What makes a client one of ours is not an owner's to say.
        CPPUNIT_ASSERT_EQUAL(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"first_party":true})"));
        CPPUNIT_ASSERT_EQUAL(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"service_id":"desk"})"));
        CPPUNIT_ASSERT_EQUAL(
            201,
            refused(
                R"({"name":"A","redirect_uris":["com.example.app:/cb","http://127.0.0.1/cb"],"type":"native","token_endpoint_auth_method":"none"})"));
    }

    void twoSecretsCountForADay()
    {
        const auto made = client();
        const auto id = made.at("/client_id");
        const auto rotated = manage(Method::Post, "/api/oauth-clients/" + id + "/rotate-secret", "{}");
        CPPUNIT_ASSERT_EQUAL(200, rotated.status);
        const auto works = [&](const std::string& secret) {
            return post("/oauth/introspect", {{"client_id", id}, {"client_secret", secret}, {"token", "x"}}).status == 200;
        };
        CPPUNIT_ASSERT(works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
        _host->context().clock().advance(std::chrono::hours(24));
        CPPUNIT_ASSERT(!works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
    }

    void clientsProveWhoTheyAre()
    {
        const auto made = client();
        const auto id = made.at("/client_id");
        const auto secret = made.at("/client_secret");
        const auto code = codeFor(made);
        const auto ask = [&](std::vector<std::pair<std::string, std::string>> fields, std::string authorization = {})
        {
            fields.insert(fields.end(), {{"grant_type", "authorization_code"},
                                         {"code", code},
                                         {"redirect_uri", "https://app.example/cb"},
                                         {"code_verifier", verifier}});
            return post("/oauth/token", fields, authorization);
        };
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", id}}).status);
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", id}, {"client_secret", "wrong"}}).status);
        CPPUNIT_ASSERT_EQUAL(401, ask({{"client_id", "nobody"}, {"client_secret", secret}}).status);
        const auto challenged = ask({}, "Basic bm9ib2R5OngK");
        CPPUNIT_ASSERT_EQUAL(401, challenged.status);
        CPPUNIT_ASSERT(challenged.headerBlock().find("WWW-Authenticate: Basic") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"),
                             ask({{"client_id", id}, {"client_secret", secret}}, "Basic bm9ib2R5OngK").at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_client"),
                             ask({{"client_id", id},
                                  {"client_assertion", "a.b.c"},
                                  {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
                                 .at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, ask({{"client_id", id}, {"client_secret", secret}}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("unsupported_grant_type"),
                             post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "password"}}).at("/error"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("unauthorized_client"),
            post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "client_credentials"}}).at("/error"));
    }

    void programsSignInThemselves()
    {
        const auto made = client("https://app.example/cb", R"(,"grant_types":["client_credentials"])");
        const auto tokens = post(
            "/oauth/token",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"grant_type", "client_credentials"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(std::string("300"), tokens.at("/expires_in"));
        CPPUNIT_ASSERT(!tokens.has("/refresh_token") && !tokens.has("/id_token"));
        // It is nobody's: people's routes stay closed.
        CPPUNIT_ASSERT(_host->verdict(tokens.at("/access_token"), "identity") != "ok");
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        const auto state = post(
            "/oauth/introspect",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"token", tokens.at("/access_token")}});
        CPPUNIT_ASSERT_EQUAL(std::string("true"), state.at("/active"));
        CPPUNIT_ASSERT(!state.has("/sid"));
    }

    /// People of elsewhere who signed in there, too.
    void clientsEndWithTheirOrganization()
    {
        const auto made = client();
        _browser->signIn("eve@other.example");
        const auto tokens = signIn(made);
        CPPUNIT_ASSERT_EQUAL(200, userinfo(tokens.at("/access_token")).status);
        const auto acme = _host->organizationId("acme");
        _host->change("UPDATE organizations SET deletion_at = 0 WHERE id = $1", {acme});
        const auto order = R"({"organizationId":")" + acme + "\"}";
        _host->context().database().transact(
            [&](Transaction& transaction) { _host->context().jobs().enqueue(transaction, "identity.organization-deletion", order, {}); });
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_client"), refresh(made, tokens.at("/refresh_token")).at("/error"));
        CPPUNIT_ASSERT_EQUAL(400, _browser->get(requestOf(made)).status);
        CPPUNIT_ASSERT(_browser->signedIn());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(OAuthClientsTest);

} // namespace portico::tests
