#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Notifications of clients about the end of a sign-in: calls (OpenID Connect Back-Channel Logout), and frames (Front-Channel Logout).
class ClientLogoutTest : public Suite<ClientLogoutTest>
{
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    TEST(everyEndIsSentToClients)
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        const auto byLogout = _driver->signIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + byLogout.at("/id_token"));
        equal(sidOf(byLogout), told().back());
        const auto byRevocation = _driver->signIn(made);
        equal(200, _driver
                       ->post("/oauth/revoke", {{"client_id", made.at("/client_id")},
                                                {"client_secret", made.at("/client_secret")},
                                                {"token", byRevocation.at("/refresh_token")}})
                       .status);
        equal(sidOf(byRevocation), told().back());
        const auto byList = _driver->signIn(made);
        equal(200, _driver->manage(Method::Delete, "/api/auth/sessions").status);
        equal(sidOf(byList), told().back());
        equal(3, http().requests().size());
        equal(0, _driver->host().count("SELECT COUNT(*) FROM logout_notices"));
    }

    TEST(theTokenIsALogoutToken)
    {
        const auto made = _driver->client(backchannel);
        http().respond(204);
        const auto tokens = endedSignIn(made);
        _driver->host().context().jobs().runDue();
        const auto sent = http().requests().at(0);
        equal("POST", sent.method);
        equal("https://app.example/backchannel", sent.url);
        CHECK(sent.body.starts_with("logout_token="));
        const auto jws = identity::Jws::parse(sent.body.substr(13));
        CHECK(jws.has_value());
        equal("logout+jwt", jws->typ);
        equal("RS256", jws->alg);
        const auto keys = identity::keysOf(_driver->host().call({.target = "/.well-known/jwks.json"}).body);
        CHECK(std::ranges::any_of(keys, [&](const auto& key)
                                  { return key.kid() == jws->kid && key.verify("RS256", jws->signedPart, jws->signature); }));
        const auto claims = boost::json::parse(jws->payload).as_object();
        CHECK(claims.at("iss").as_string() == OAuthDriver::issuer);
        CHECK(claims.at("aud").as_string() == made.at("/client_id"));
        CHECK(claims.at("sub").as_string() == OAuthDriver::claim(tokens.at("/id_token"), "sub"));
        CHECK(claims.at("sid").as_string() == sidOf(tokens));
        CHECK(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 120);
        CHECK(claims.at("events").as_object().at("http://schemas.openid.net/event/backchannel-logout").as_object().empty());
        CHECK(claims.contains("jti") && !claims.contains("nonce"));
        // The logout token is valid for no other purpose.
        equal(401, _driver->userinfo(sent.body.substr(13)).status);
        const auto hint = _driver->host().call({.target = "/oauth/logout?id_token_hint=" + sent.body.substr(13)});
        equal(200, hint.status);
    }

    TEST(oneCallOneEnd)
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        const auto tokens = endedSignIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + tokens.at("/id_token"));
        equal(1, told().size());
    }

    TEST(failedLogoutCallsAreRetried)
    {
        const auto made = _driver->client(backchannel);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "down", HttpFailure::Sent::NotSent); });
        const auto tokens = endedSignIn(made);
        equal(1, told().size());
        http().respond(503);
        _driver->host().context().clock().advance(std::chrono::minutes(1));
        equal(2, told().size());
        http().respond(200);
        _driver->host().context().clock().advance(std::chrono::minutes(10));
        equal(3, told().size());
        _driver->host().context().clock().advance(std::chrono::hours(3));
        equal(3, told().size());
        // Each attempt has a new token, because the first would have expired.
        const auto first = OAuthDriver::claims(http().requests().front().body.substr(13));
        const auto last = OAuthDriver::claims(http().requests().back().body.substr(13));
        CHECK(first.at("jti").as_string() != last.at("jti").as_string());
        CHECK(first.at("exp").as_int64() < last.at("iat").as_int64());
    }

    TEST(refusalsAreNotRepeated)
    {
        const auto made = _driver->client(backchannel);
        http().respond(400, R"({"error":"invalid_request"})");
        endedSignIn(made);
        equal(1, told().size());
        _driver->host().context().clock().advance(std::chrono::hours(5));
        equal(1, told().size());
    }

    TEST(removedClientsAreLeftAlone)
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        _driver->signIn(made);
        const auto remover = _driver->host().createUser("max@acme.example", "acme", "owner");
        equal(204, _driver->manage(Method::Delete, "/api/oauth-clients/" + made.at("/client_id"), {}, "max@acme.example").status);
        CHECK(told().empty());
        equal(1, _driver->host().count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_id = '" + remover + '\''));
    }

    TEST(theBackendOfAServiceIsNotified)
    {
        auto manifest = IdentityHost::deskManifest();
        manifest.insert(manifest.find('{') + 1, R"("frontchannelLogoutUrl":"https://desk.example/gone",)"
                                                R"("backchannelLogoutUrl":"https://desk.example/backchannel",)");
        _driver->host().publish({IdentityHost::identityManifest(), manifest});
        http().respond(200);
        const auto token = _driver->host().signIn("ada@acme.example");
        const auto ended = _driver->host().call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, token);
        equal(1, ended.count("/frontchannel"));
        CHECK(ended.at("/frontchannel/0").starts_with("https://desk.example/gone?iss="));
        const auto sid = OAuthDriver::claim(token, "sid");
        equal(sid, told().back());
        const auto sent = http().requests().at(0);
        equal("https://desk.example/backchannel", sent.url);
        equal("desk-web", OAuthDriver::claim(sent.body.substr(13), "aud"));
        equal(1, http().requests().size());
    }

    TEST(framesAreNamedInTheAnswer)
    {
        const auto made = _driver->client(R"(,"frontchannel_logout_uri":"https://app.example/gone?a=1")");
        const auto tokens = _driver->signIn(made);
        const auto answer =
            _driver->host().call({.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"everywhere"})"},
                                 _driver->host().signIn("ada@acme.example", "identity"));
        equal(200, answer.status);
        equal(1, answer.count("/frontchannel"));
        equal("https://app.example/gone?a=1&iss=http%3A%2F%2Fidentity.localhost%3A8080&sid=" + sidOf(tokens), answer.at("/frontchannel/0"));
    }

    TEST(framesAreShownBeforeTheWayBack)
    {
        const auto made = _driver->client(
            R"(,"frontchannel_logout_uri":"https://app.example/gone","post_logout_redirect_uris":["https://app.example/bye"])");
        const auto tokens = _driver->signIn(made);
        const auto page = _driver->browser().get("/oauth/logout?post_logout_redirect_uri=https://app.example/bye&state=x&id_token_hint=" +
                                                 tokens.at("/id_token"));
        equal(200, page.status);
        CHECK(page.body.find("<iframe src=\"https://app.example/gone?") != std::string::npos);
        CHECK(page.body.find("href=\"https://app.example/bye?state&#61;x\"") != std::string::npos ||
              page.body.find("href=\"https://app.example/bye?state=x\"") != std::string::npos);
        const auto headers = page.headerBlock();
        CHECK(headers.find("frame-src https://app.example") != std::string::npos);
        CHECK(headers.find("Refresh: 3; url=https://app.example/bye?state=x") != std::string::npos);
        equal(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    /// It ended everything that the person's browser was signed in to.
    TEST(anIdTokenAloneEndsItsOwnSignIn)
    {
        const auto one = _driver->client();
        const auto two = _driver->client();
        const auto ofOne = _driver->signIn(one);
        const auto ofTwo = _driver->signIn(two);
        const auto stolen = "/oauth/logout?id_token_hint=" + ofOne.at("/id_token");
        const auto answer = _driver->host().call({.target = stolen});
        equal(200, answer.status);
        equal(401, _driver->userinfo(ofOne.at("/access_token")).status);
        equal(200, _driver->userinfo(ofTwo.at("/access_token")).status);
        CHECK(!_driver->codeFor(OAuthDriver::requestOf(two, OAuthDriver::withPkce("&prompt=none"))).empty());
        // With the cookie of that browser all of it ends.
        equal(200, _driver->browser().get(stolen).status);
        equal(401, _driver->userinfo(ofTwo.at("/access_token")).status);
        CHECK(!_driver->browser().signedIn());
    }

    /// Browsers send no cookies of ours with a form of another site, and took the answer's word that there are none any more.
    TEST(formsOfOtherSitesDoNotSignOut)
    {
        const auto made = _driver->client();
        const auto tokens = _driver->signIn(made);
        const auto send = [&](const std::string& site, const std::string& body)
        {
            TestRequest request{.method = Method::Post, .target = "/oauth/logout", .body = body};
            request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
            if (!site.empty()) request.headers.emplace_back("Sec-Fetch-Site", site);
            return _driver->host().call(request);
        };
        for (const auto& body : {std::string("a=b"), "id_token_hint=" + tokens.at("/id_token")})
        {
            const auto rejected = send("cross-site", body);
            refused(rejected, 403, "csrf_rejected");
            CHECK(rejected.headerBlock().find("Set-Cookie: platform_") == std::string::npos);
            equal(200, _driver->userinfo(tokens.at("/access_token")).status);
        }
        // Forms from browsers that do not report their site do not sign out without a confirmation.
        for (const auto* site : {"", "same-site", "none"})
        {
            const auto answer = send(site, "client_id=" + made.at("/client_id"));
            equal(200, answer.status);
            CHECK(answer.headerBlock().find("Set-Cookie: platform_session") == std::string::npos);
            CHECK(answer.headerBlock().find("Set-Cookie: platform_refresh") == std::string::npos);
        }
        equal(200, _driver->userinfo(tokens.at("/access_token")).status);
    }

    TEST(onlyCookiesThatCameAreCleared)
    {
        const auto with = [&](const std::string& cookies)
        {
            TestRequest request{.target = "/oauth/logout"};
            if (!cookies.empty()) request.headers.emplace_back("Cookie", cookies);
            return _driver->host().call(request).headerBlock();
        };
        const auto clears = [](const std::string& headers, const std::string& cookie)
        { return headers.find("Set-Cookie: " + cookie + "=;") != std::string::npos; };
        const auto session = with("platform_session=old"), refresh = with("platform_refresh=old"), none = with("");
        CHECK(clears(session, "platform_session") && !clears(session, "platform_refresh"));
        CHECK(clears(refresh, "platform_refresh") && !clears(refresh, "platform_session"));
        CHECK(!clears(none, "platform_session") && !clears(none, "platform_refresh"));
    }

    const std::string backchannel = R"(,"backchannel_logout_uri":"https://app.example/backchannel")";

    testing::FakeHttpClient& http() { return _driver->host().context().http(); }
    static std::string sidOf(const TestAnswer& tokens) { return OAuthDriver::claim(tokens.at("/id_token"), "sid"); }
    TestAnswer endedSignIn(const TestAnswer& made)
    {
        auto tokens = _driver->signIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + tokens.at("/id_token"));
        return tokens;
    }
    /// Returns the sign-ins whose end the client was notified of.
    std::vector<std::string> told()
    {
        // The first run makes jobs of the notices, which are due in the second.
        _driver->host().context().clock().advance(std::chrono::seconds(3));
        _driver->host().context().jobs().runDue();
        _driver->host().context().jobs().runDue();
        std::vector<std::string> sids;
        for (const auto& request : http().requests()) sids.push_back(OAuthDriver::claim(request.body.substr(13), "sid"));
        return sids;
    }

    std::unique_ptr<OAuthDriver> _driver;
};

} // namespace portico::tests
