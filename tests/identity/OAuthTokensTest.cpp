#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// Tokens of OAuth clients: refresh, introspection, revocation and rights.
class OAuthTokensTest : public Suite<OAuthTokensTest, OAuthFixture>
{
    TEST(refreshRotatesAndEndsOnReuse)
    {
        const auto made = client();
        const auto tokens = signIn(made);
        const auto first = refresh(made, tokens.at("/refresh_token"));
        equal(200, first.status, first.body);
        CHECK(first.has("/id_token"));
        const auto second = refresh(made, first.at("/refresh_token"));
        equal(200, second.status);
        const auto mails = [&] { return _host->context().mailer().sentTo("ada@acme.example").size(); };
        const auto before = mails();
        equal("invalid_grant", refresh(made, tokens.at("/refresh_token")).at("/error"));
        equal("invalid_grant", refresh(made, tokens.at("/refresh_token")).at("/error"));
        // Ada gets one mail about the theft.
        equal(before + 1, mails());
        const auto mail = _host->context().mailer().sentTo("ada@acme.example").back();
        equal("You were signed out", mail.subject);
        // The client sends no User-Agent.
        CHECK(mail.text.find("We ended one of your sessions because") != std::string::npos);
        equal("invalid_grant", refresh(made, second.at("/refresh_token")).at("/error"));
        equal(401, userinfo(second.at("/access_token")).status);
    }

    TEST(refreshIsForItsClientAndNoCookie)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto handle = signIn(made).at("/refresh_token");
        equal("invalid_grant", refresh(other, handle).at("/error"));
        const auto cookie = _host->call({.method = Method::Post,
                                         .target = "/api/auth/refresh",
                                         .body = "{}",
                                         .headers = {{std::string("Cookie"), "platform_refresh=" + handle},
                                                     {std::string("X-Platform-Auth"), std::string("1")},
                                                     {std::string("Origin"), std::string("http://identity.localhost:8080")}}});
        equal(401, cookie.status);
        equal("invalid_scope", post("/oauth/token", {{"grant_type", "refresh_token"},
                                                     {"client_id", made.at("/client_id")},
                                                     {"client_secret", made.at("/client_secret")},
                                                     {"refresh_token", handle},
                                                     {"scope", "openid organizations"}})
                                   .at("/error"));
        equal(200, refresh(made, handle).status);
    }

    TEST(tokensOfOtherAppsOpenNothing)
    {
        const auto token = signIn(client()).at("/access_token");
        for (const auto* service : {"identity", "desk", "http://identity.localhost:8080", ""})
            CPPUNIT_ASSERT_MESSAGE(service, _host->verdict(token, service) != "ok");
        const auto me = _host->call(
            {.target = "/api/auth/me", .headers = {{std::string("X-Service-ID"), std::string("http://identity.localhost:8080")}}}, token);
        equal(401, me.status);
    }

    TEST(firstPartyTokensOpenTheirService)
    {
        _host->createUser("root@admin.example", "admin", "owner", "platform_super_admin");
        const auto made = manage(
            Method::Post, "/api/oauth-clients",
            R"({"name":"Desk app","redirect_uris":["https://app.example/cb"],"first_party":true,"service_id":"desk","consent":"implicit"})",
            "root@admin.example");
        equal(201, made.status, made.body);
        const auto tokens = exchange(made, parameter(authorize(made), "code"));
        equal("ok", _host->verdict(tokens.at("/access_token"), "desk"));
        equal("wrong_audience", _host->verdict(tokens.at("/access_token"), "identity"));
    }

    TEST(introspectionAnswersOwnersOnly)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto tokens = signIn(made);
        const auto ask = [&](const TestAnswer& by, const std::string& token) {
            return post("/oauth/introspect",
                        {{"client_id", by.at("/client_id")}, {"client_secret", by.at("/client_secret")}, {"token", token}});
        };
        const auto mine = ask(made, tokens.at("/access_token"));
        equal("true", mine.at("/active"));
        equal(made.at("/client_id"), mine.at("/client_id"));
        equal("true", ask(made, tokens.at("/refresh_token")).at("/active"));
        equal(R"({"active":false})", ask(other, tokens.at("/access_token")).body);
        equal(R"({"active":false})", ask(made, "rubbish").body);
        _host->change("UPDATE sessions SET ended_at = 1");
        equal(R"({"active":false})", ask(made, tokens.at("/access_token")).body);
        equal(401, post("/oauth/introspect", {{"token", "x"}}).status);
    }

    TEST(revocationEndsTheSignIn)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb");
        const auto tokens = signIn(made);
        const auto revoke = [&](const TestAnswer& by, const std::string& token)
        {
            return post("/oauth/revoke", {{"client_id", by.at("/client_id")}, {"client_secret", by.at("/client_secret")}, {"token", token}})
                .status;
        };
        equal(200, revoke(other, tokens.at("/refresh_token")));
        equal(200, revoke(made, "rubbish"));
        equal(200, userinfo(tokens.at("/access_token")).status);
        equal(200, revoke(made, tokens.at("/refresh_token")));
        equal(401, userinfo(tokens.at("/access_token")).status);
    }

    TEST(clientsSignPeopleOut)
    {
        const auto made = client("https://app.example/cb", R"(,"post_logout_redirect_uris":["https://app.example/bye"])");
        const auto tokens = signIn(made);
        // Without a hint the user is asked, and unregistered addresses are ignored.
        const auto asked =
            _browser->get("/oauth/logout?client_id=" + made.at("/client_id") + "&post_logout_redirect_uri=https://app.example/bye&state=x");
        equal(200, asked.status);
        equal(200, userinfo(tokens.at("/access_token")).status);
        const auto evil = _browser->get("/oauth/logout?post_logout_redirect_uri=https://evil.example/&id_token_hint=a.b.c");
        equal(200, evil.status);
        const auto gone =
            _browser->get("/oauth/logout?post_logout_redirect_uri=https://app.example/bye&state=x&id_token_hint=" + tokens.at("/id_token"));
        equal(303, gone.status);
        equal("https://app.example/bye?state=x", _browser->locationOf(gone));
        equal(401, userinfo(tokens.at("/access_token")).status);
        CHECK(_browser->locationOf(_browser->get(requestOf(made))).starts_with("/login?"));
    }

    TEST(refusedRequestsRotateNothing)
    {
        const auto made = client();
        const auto handle = signIn(made).at("/refresh_token");
        equal("invalid_scope",
              tokenFor(made, {{"grant_type", "refresh_token"}, {"refresh_token", handle}, {"scope", "openid organizations"}}).at("/error"));
        // Longer than an answer is given again: a handle that was rotated would be a reuse now.
        _host->context().clock().advance(std::chrono::seconds(31));
        equal(200, refresh(made, handle).status);
    }

    TEST(aClientKeepsNoScopeThatItHasLost)
    {
        const auto made = client();
        const auto tokens = signIn(made);
        CHECK(userinfo(tokens.at("/access_token")).has("/email"));
        const auto less = manage(Method::Patch, "/api/oauth-clients/" + made.at("/client_id"), R"({"scopes":["openid","profile"]})");
        equal(200, less.status, less.body);
        const auto fresh = refresh(made, tokens.at("/refresh_token"));
        equal("openid profile", fresh.at("/scope"));
        CHECK(!userinfo(fresh.at("/access_token")).has("/email"));
    }

    TEST(missingParametersAreNamed)
    {
        const auto made = client("https://app.example/cb", R"(,"grant_types":["authorization_code","refresh_token",)"
                                                           R"("urn:ietf:params:oauth:grant-type:device_code"])");
        for (const auto* type : {"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"})
            equal("invalid_request", tokenFor(made, {{"grant_type", type}}).at("/error"), type);
    }

    TEST(aHintOfAnotherClientIsAskedAbout)
    {
        const auto made = client();
        const auto other = client("https://other.example/cb", R"(,"post_logout_redirect_uris":["https://other.example/bye"])");
        const auto tokens = signIn(made);
        const auto asked = _browser->get("/oauth/logout?client_id=" + other.at("/client_id") +
                                         "&post_logout_redirect_uri=https://other.example/bye&id_token_hint=" + tokens.at("/id_token"));
        equal(200, asked.status);
        equal(200, userinfo(tokens.at("/access_token")).status);
    }

    /// With the client's secret in the form.
    TestAnswer tokenFor(const TestAnswer& made, std::vector<std::pair<std::string, std::string>> fields) const
    {
        fields.emplace_back("client_id", made.at("/client_id"));
        fields.emplace_back("client_secret", made.at("/client_secret"));
        return post("/oauth/token", fields);
    }
};

} // namespace portico::tests
