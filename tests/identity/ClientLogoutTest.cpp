#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// What clients learn of the end of a sign-in: calls of ours (OpenID Connect Back-Channel Logout), and pages of theirs in frames
/// (Front-Channel Logout).
class ClientLogoutTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ClientLogoutTest);
    CPPUNIT_TEST(everyEndIsTold);
    CPPUNIT_TEST(theTokenIsALogoutToken);
    CPPUNIT_TEST(oneCallOneEnd);
    CPPUNIT_TEST(whoDoesNotAnswerIsCalledAgain);
    CPPUNIT_TEST(refusalsAreNotRepeated);
    CPPUNIT_TEST(removedClientsAreLeftAlone);
    CPPUNIT_TEST(theBackendOfAServiceIsTold);
    CPPUNIT_TEST(framesAreNamedInTheAnswer);
    CPPUNIT_TEST(framesAreShownBeforeTheWayBack);
    CPPUNIT_TEST(anIdTokenAloneEndsItsOwnSignIn);
    CPPUNIT_TEST(formsOfOtherSitesSignNobodyOut);
    CPPUNIT_TEST(onlyCookiesThatCameAreCleared);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    void everyEndIsTold()
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        const auto byLogout = _driver->signIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + byLogout.at("/id_token"));
        CPPUNIT_ASSERT_EQUAL(sidOf(byLogout), told().back());
        const auto byRevocation = _driver->signIn(made);
        CPPUNIT_ASSERT_EQUAL(200, _driver
                                      ->post("/oauth/revoke", {{"client_id", made.at("/client_id")},
                                                               {"client_secret", made.at("/client_secret")},
                                                               {"token", byRevocation.at("/refresh_token")}})
                                      .status);
        CPPUNIT_ASSERT_EQUAL(sidOf(byRevocation), told().back());
        const auto byList = _driver->signIn(made);
        CPPUNIT_ASSERT_EQUAL(200, _driver->manage(Method::Delete, "/api/auth/sessions").status);
        CPPUNIT_ASSERT_EQUAL(sidOf(byList), told().back());
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, http().requests().size());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _driver->host().count("SELECT COUNT(*) FROM logout_notices"));
    }

    void theTokenIsALogoutToken()
    {
        const auto made = _driver->client(backchannel);
        http().respond(204);
        const auto tokens = endedSignIn(made);
        _driver->host().context().jobs().runDue();
        const auto sent = http().requests().at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("POST"), sent.method);
        CPPUNIT_ASSERT_EQUAL(std::string("https://app.example/backchannel"), sent.url);
        CPPUNIT_ASSERT(sent.body.starts_with("logout_token="));
        const auto jws = identity::ForeignJws::parse(sent.body.substr(13));
        CPPUNIT_ASSERT(jws.has_value());
        CPPUNIT_ASSERT_EQUAL(std::string("logout+jwt"), jws->typ);
        CPPUNIT_ASSERT_EQUAL(std::string("RS256"), jws->alg);
        const auto keys = identity::keysOf(_driver->host().call({.target = "/.well-known/jwks.json"}).body);
        CPPUNIT_ASSERT(std::ranges::any_of(keys, [&](const auto& key)
                                           { return key.kid() == jws->kid && key.verify("RS256", jws->signedPart, jws->signature); }));
        const auto claims = boost::json::parse(jws->payload).as_object();
        CPPUNIT_ASSERT(claims.at("iss").as_string() == OAuthDriver::issuer);
        CPPUNIT_ASSERT(claims.at("aud").as_string() == made.at("/client_id"));
        CPPUNIT_ASSERT(claims.at("sub").as_string() == OAuthDriver::claim(tokens.at("/id_token"), "sub"));
        CPPUNIT_ASSERT(claims.at("sid").as_string() == sidOf(tokens));
        CPPUNIT_ASSERT(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 120);
        CPPUNIT_ASSERT(claims.at("events").as_object().at("http://schemas.openid.net/event/backchannel-logout").as_object().empty());
        CPPUNIT_ASSERT(claims.contains("jti") && !claims.contains("nonce"));
        // And it is good for nothing else.
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(sent.body.substr(13)).status);
        const auto hint = _driver->host().call({.target = "/oauth/logout?id_token_hint=" + sent.body.substr(13)});
        CPPUNIT_ASSERT_EQUAL(200, hint.status);
    }

    void oneCallOneEnd()
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        const auto tokens = endedSignIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + tokens.at("/id_token"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told().size());
    }

    void whoDoesNotAnswerIsCalledAgain()
    {
        const auto made = _driver->client(backchannel);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(502, "upstream_failed", "down", HttpFailure::Sent::NotSent); });
        const auto tokens = endedSignIn(made);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told().size());
        http().respond(503);
        _driver->host().context().clock().advance(std::chrono::minutes(1));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, told().size());
        http().respond(200);
        _driver->host().context().clock().advance(std::chrono::minutes(10));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, told().size());
        _driver->host().context().clock().advance(std::chrono::hours(3));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, told().size());
        // Each time anew: the first would have run out.
        const auto first = OAuthDriver::claims(http().requests().front().body.substr(13));
        const auto last = OAuthDriver::claims(http().requests().back().body.substr(13));
        CPPUNIT_ASSERT(first.at("jti").as_string() != last.at("jti").as_string());
        CPPUNIT_ASSERT(first.at("exp").as_int64() < last.at("iat").as_int64());
    }

    void refusalsAreNotRepeated()
    {
        const auto made = _driver->client(backchannel);
        http().respond(400, R"({"error":"invalid_request"})");
        endedSignIn(made);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told().size());
        _driver->host().context().clock().advance(std::chrono::hours(5));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, told().size());
    }

    void removedClientsAreLeftAlone()
    {
        const auto made = _driver->client(backchannel);
        http().respond(200);
        _driver->signIn(made);
        CPPUNIT_ASSERT_EQUAL(204, _driver->manage(Method::Delete, "/api/oauth-clients/" + made.at("/client_id")).status);
        CPPUNIT_ASSERT(told().empty());
    }

    void theBackendOfAServiceIsTold()
    {
        auto manifest = IdentityHost::deskManifest();
        manifest.insert(manifest.find('{') + 1, R"("frontchannelLogoutUrl":"https://desk.example/gone",)"
                                                R"("backchannelLogoutUrl":"https://desk.example/backchannel",)");
        _driver->host().publish({IdentityHost::identityManifest(), manifest});
        http().respond(200);
        const auto token = _driver->host().signIn("ada@acme.example");
        const auto ended = _driver->host().call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, token);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, ended.count("/frontchannel"));
        CPPUNIT_ASSERT(ended.at("/frontchannel/0").starts_with("https://desk.example/gone?iss="));
        const auto sid = OAuthDriver::claim(token, "sid");
        CPPUNIT_ASSERT_EQUAL(sid, told().back());
        const auto sent = http().requests().at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("https://desk.example/backchannel"), sent.url);
        CPPUNIT_ASSERT_EQUAL(std::string("desk-web"), OAuthDriver::claim(sent.body.substr(13), "aud"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, http().requests().size());
    }

    void framesAreNamedInTheAnswer()
    {
        const auto made = _driver->client(R"(,"frontchannel_logout_uri":"https://app.example/gone?a=1")");
        const auto tokens = _driver->signIn(made);
        const auto answer =
            _driver->host().call({.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"everywhere"})"},
                                 _driver->host().signIn("ada@acme.example", "identity"));
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, answer.count("/frontchannel"));
        CPPUNIT_ASSERT_EQUAL("https://app.example/gone?a=1&iss=http%3A%2F%2Fidentity.localhost%3A8080&sid=" + sidOf(tokens),
                             answer.at("/frontchannel/0"));
    }

    void framesAreShownBeforeTheWayBack()
    {
        const auto made = _driver->client(
            R"(,"frontchannel_logout_uri":"https://app.example/gone","post_logout_redirect_uris":["https://app.example/bye"])");
        const auto tokens = _driver->signIn(made);
        const auto page = _driver->browser().get("/oauth/logout?post_logout_redirect_uri=https://app.example/bye&state=x&id_token_hint=" +
                                                 tokens.at("/id_token"));
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT(page.body.find("<iframe src=\"https://app.example/gone?") != std::string::npos);
        CPPUNIT_ASSERT(page.body.find("href=\"https://app.example/bye?state&#61;x\"") != std::string::npos ||
                       page.body.find("href=\"https://app.example/bye?state=x\"") != std::string::npos);
        const auto headers = page.headerBlock();
        CPPUNIT_ASSERT(headers.find("frame-src https://app.example") != std::string::npos);
        CPPUNIT_ASSERT(headers.find("Refresh: 3; url=https://app.example/bye?state=x") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    /// It ended everything that the person's browser was signed in to.
    void anIdTokenAloneEndsItsOwnSignIn()
    {
        const auto one = _driver->client();
        const auto two = _driver->client();
        const auto ofOne = _driver->signIn(one);
        const auto ofTwo = _driver->signIn(two);
        const auto stolen = "/oauth/logout?id_token_hint=" + ofOne.at("/id_token");
        const auto answer = _driver->host().call({.target = stolen});
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(ofOne.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(ofTwo.at("/access_token")).status);
        CPPUNIT_ASSERT(!_driver->codeFor(OAuthDriver::requestOf(two, OAuthDriver::withPkce("&prompt=none"))).empty());
        // With the cookie of that browser all of it ends.
        CPPUNIT_ASSERT_EQUAL(200, _driver->browser().get(stolen).status);
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(ofTwo.at("/access_token")).status);
        CPPUNIT_ASSERT(!_driver->browser().signedIn());
    }

    /// Browsers send no cookies of ours with a form of another site, and took the answer's word that there are none any more.
    void formsOfOtherSitesSignNobodyOut()
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
            const auto refused = send("cross-site", body);
            CPPUNIT_ASSERT_EQUAL(403, refused.status);
            CPPUNIT_ASSERT_EQUAL(std::string("csrf_rejected"), refused.code());
            CPPUNIT_ASSERT(refused.headerBlock().find("Set-Cookie: platform_") == std::string::npos);
            CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(tokens.at("/access_token")).status);
        }
        // Nor do browsers that do not say where a form comes from lose anything.
        for (const auto* site : {"", "same-site", "none"})
        {
            const auto answer = send(site, "client_id=" + made.at("/client_id"));
            CPPUNIT_ASSERT_EQUAL(200, answer.status);
            CPPUNIT_ASSERT(answer.headerBlock().find("Set-Cookie: platform_session") == std::string::npos);
            CPPUNIT_ASSERT(answer.headerBlock().find("Set-Cookie: platform_refresh") == std::string::npos);
        }
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(tokens.at("/access_token")).status);
    }

    void onlyCookiesThatCameAreCleared()
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
        CPPUNIT_ASSERT(clears(session, "platform_session") && !clears(session, "platform_refresh"));
        CPPUNIT_ASSERT(clears(refresh, "platform_refresh") && !clears(refresh, "platform_session"));
        CPPUNIT_ASSERT(!clears(none, "platform_session") && !clears(none, "platform_refresh"));
    }

private:
    const std::string backchannel = R"(,"backchannel_logout_uri":"https://app.example/backchannel")";

    testing::FakeHttpClient& http() { return _driver->host().context().http(); }
    static std::string sidOf(const TestAnswer& tokens) { return OAuthDriver::claim(tokens.at("/id_token"), "sid"); }
    TestAnswer endedSignIn(const TestAnswer& made)
    {
        auto tokens = _driver->signIn(made);
        _driver->browser().get("/oauth/logout?id_token_hint=" + tokens.at("/id_token"));
        return tokens;
    }
    /// Sign-ins of which the client was told so far.
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

CPPUNIT_TEST_SUITE_REGISTRATION(ClientLogoutTest);

} // namespace portico::tests
