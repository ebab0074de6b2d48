#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// OAuth clients: how they are made, managed, and prove who they are.
class OAuthClientsTest : public Suite<OAuthClientsTest, OAuthFixture>
{
    TEST(aClientIsManagedByItsOrganization)
    {
        const auto made = client();
        equal(_host->organizationId("acme"), made.at("/owner_id"));
        const auto path = "/api/oauth-clients/" + made.at("/client_id");
        equal(200, manage(Method::Get, path).status);
        CHECK(!manage(Method::Get, path).has("/client_secret"));
        equal(1, manage(Method::Get, "/api/oauth-clients").count("/items"));
        equal(404, manage(Method::Get, path, {}, "eve@other.example").status);
        equal(0, manage(Method::Get, "/api/oauth-clients", {}, "eve@other.example").count("/items"));
        const auto changed = manage(Method::Patch, path, R"({"name":"Renamed"})");
        equal("Renamed", changed.at("/name"));
        equal("2", changed.at("/version"));
        equal(204, manage(Method::Delete, path).status);
        equal(404, manage(Method::Get, path).status);
        _host->createUser("max@acme.example", "acme", "admin");
        equal(403, manage(Method::Get, "/api/oauth-clients", {}, "max@acme.example").status);
    }

    TEST(aClientIsCheckedWhenItIsMade)
    {
        const auto refused = [&](const std::string& body) { return manage(Method::Post, "/api/oauth-clients", body).status; };
        for (const auto* uri : {"http://app.example/cb", "https://app.example/cb#f", "javascript:alert(1)", "com.example.app:/cb", "/cb"})
            equal(400, refused(jsonWith(R"({"name":"A","redirect_uris":["$"]})", uri)), uri);
        equal(400, refused(R"({"name":"A","redirect_uris":[]})"));
        equal(400, refused(R"({"name":"Your bank\u202e","redirect_uris":["https://a.example/"]})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"scopes":["root"]})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"consent":"implicit"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"type":"public","token_endpoint_auth_method":"none",)"
                           R"("require_pkce":false})"));
        // Plain http is allowed for the user's machine only.
        for (const auto* elsewhere : {"http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb",
                                      "http://a.localhost.evil.example", "http://[::1].evil.example/", "http://evil.example/.localhost"})
            equal(400, refused(jsonWith(R"({"name":"A","redirect_uris":["$"]})", elsewhere)), elsewhere);
        for (const auto* here : {"http://localhost:8123/cb", "http://app.localhost/cb", "http://[::1]:8123/cb"})
            equal(201, refused(jsonWith(R"({"name":"A","redirect_uris":["$"]})", here)), here);
        // Only operators can make a client first-party or assign a service.
        equal(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"first_party":true})"));
        equal(403, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"service_id":"desk"})"));
        equal(201, refused(R"({"name":"A","redirect_uris":["com.example.app:/cb","http://127.0.0.1/cb"],"type":"native",)"
                           R"("token_endpoint_auth_method":"none"})"));
    }

    TEST(twoSecretsCountForADay)
    {
        const auto made = client();
        const auto id = made.at("/client_id");
        const auto rotated = manage(Method::Post, "/api/oauth-clients/" + id + "/rotate-secret", "{}");
        equal(200, rotated.status);
        const auto works = [&](const std::string& secret) {
            return post("/oauth/introspect", {{"client_id", id}, {"client_secret", secret}, {"token", "x"}}).status == 200;
        };
        CHECK(works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
        _host->context().clock().advance(std::chrono::hours(24));
        CHECK(!works(made.at("/client_secret")) && works(rotated.at("/client_secret")));
    }

    TEST(clientsProveWhoTheyAre)
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
        equal(401, ask({{"client_id", id}}).status);
        equal(401, ask({{"client_id", id}, {"client_secret", "wrong"}}).status);
        equal(401, ask({{"client_id", "nobody"}, {"client_secret", secret}}).status);
        const auto challenged = ask({}, "Basic bm9ib2R5OngK");
        equal(401, challenged.status);
        CHECK(challenged.headerBlock().find("WWW-Authenticate: Basic") != std::string::npos);
        equal("invalid_request", ask({{"client_id", id}, {"client_secret", secret}}, "Basic bm9ib2R5OngK").at("/error"));
        equal("invalid_client", ask({{"client_id", id},
                                     {"client_assertion", "a.b.c"},
                                     {"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
                                    .at("/error"));
        equal(200, ask({{"client_id", id}, {"client_secret", secret}}).status);
        equal("unsupported_grant_type",
              post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "password"}}).at("/error"));
        equal("unauthorized_client",
              post("/oauth/token", {{"client_id", id}, {"client_secret", secret}, {"grant_type", "client_credentials"}}).at("/error"));
    }

    TEST(programsSignInThemselves)
    {
        const auto made = client("https://app.example/cb", R"(,"grant_types":["client_credentials"])");
        const auto tokens = post(
            "/oauth/token",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"grant_type", "client_credentials"}});
        equal(200, tokens.status, tokens.body);
        equal("300", tokens.at("/expires_in"));
        CHECK(!tokens.has("/refresh_token") && !tokens.has("/id_token"));
        // The token has no user: routes of users reject it.
        CHECK(_host->verdict(tokens.at("/access_token"), "identity") != "ok");
        equal(401, userinfo(tokens.at("/access_token")).status);
        const auto state = post(
            "/oauth/introspect",
            {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"token", tokens.at("/access_token")}});
        equal("true", state.at("/active"));
        CHECK(!state.has("/sid"));
    }

    /// Also ends sign-ins of users of other organizations.
    TEST(clientsEndWithTheirOrganization)
    {
        const auto made = client();
        _browser->signIn("eve@other.example");
        const auto tokens = signIn(made);
        equal(200, userinfo(tokens.at("/access_token")).status);
        const auto acme = _host->organizationId("acme");
        _host->change("UPDATE organizations SET deletion_at = 0 WHERE id = $1", {acme});
        const auto order = jsonWith(R"({"organizationId":"$"})", acme);
        _host->context().database().transact(
            [&](Transaction& transaction) { _host->context().jobs().enqueue(transaction, "identity.organization-deletion", order, {}); });
        _host->context().jobs().runDue();
        equal(401, userinfo(tokens.at("/access_token")).status);
        equal("invalid_client", refresh(made, tokens.at("/refresh_token")).at("/error"));
        equal(400, _browser->get(requestOf(made)).status);
        CHECK(_browser->signedIn());
    }
};

} // namespace portico::tests
