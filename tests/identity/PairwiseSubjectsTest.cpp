#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Clients that cannot compare whom they know (OpenID Connect Core, 8).
class PairwiseSubjectsTest : public Suite<PairwiseSubjectsTest>
{
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    TEST(oneNameEverywhereAtOneClient)
    {
        const auto made = _driver->client(pairwise);
        const auto tokens = _driver->signIn(made);
        equal(200, tokens.status, tokens.body);
        const auto sub = OAuthDriver::claim(tokens.at("/id_token"), "sub");
        CHECK(!sub.empty() && !sub.starts_with("usr_"));
        equal(sub, OAuthDriver::claim(tokens.at("/access_token"), "sub"));
        equal(sub, _driver->userinfo(tokens.at("/access_token")).at("/sub"));
        for (const auto* token : {"/access_token", "/refresh_token"})
            equal(sub, _driver
                           ->post("/oauth/introspect", {{"client_id", made.at("/client_id")},
                                                        {"client_secret", made.at("/client_secret")},
                                                        {"token", tokens.at(token)}})
                           .at("/sub"));
        const auto refreshed = _driver->token(made, {{"grant_type", "refresh_token"}, {"refresh_token", tokens.at("/refresh_token")}});
        equal(sub, OAuthDriver::claim(refreshed.at("/id_token"), "sub"));
        equal(sub, OAuthDriver::claim(refreshed.at("/access_token"), "sub"));
        // And the next time, after a restart.
        _driver->host().reload();
        equal(sub, OAuthDriver::claim(_driver->signIn(made).at("/id_token"), "sub"));
    }

    TEST(otherClientsKnowOtherNames)
    {
        const auto one = _driver->client(pairwise);
        const auto other = _driver->client(pairwise, "ada@acme.example", R"("https://other.example/cb")");
        CHECK(subAt(one) != subAt(other));
        CHECK(subAt(_driver->client()).starts_with("usr_"));
    }

    TEST(aSectorSharesNames)
    {
        http().respond(200, R"(["https://one.example/cb","https://two.example/cb"])");
        const auto sector = pairwise + R"(,"sector_identifier_uri":"https://sector.example/list.json")";
        const auto one = _driver->client(sector, "ada@acme.example", R"("https://one.example/cb")");
        const auto two = _driver->client(sector, "ada@acme.example", R"("https://two.example/cb")");
        equal(subAt(one), subAt(two));
        equal("https://sector.example/list.json", http().requests().at(0).url);
    }

    TEST(aSectorListsItsAddresses)
    {
        const auto make = [&](const std::string& redirects)
        {
            return _driver->manage(
                Method::Post, "/api/oauth-clients",
                jsonWith(R"({"name":"A","subject_type":"pairwise","sector_identifier_uri":"https://sector.example/list.json",)"
                         R"("redirect_uris":[$]})",
                         redirects));
        };
        http().respond(200, R"(["https://one.example/cb"])");
        equal(201, make(R"("https://one.example/cb")").status);
        equal("validation_failed", make(R"("https://one.example/cb","https://two.example/cb")").code());
        for (const auto* body : {"{}", "[1]", "not json", R"(["https://one.example/cb/"])"})
        {
            http().respond(200, body);
            equal(400, make(R"("https://one.example/cb")").status, body);
        }
        http().respond(404, R"(["https://one.example/cb"])");
        equal(400, make(R"("https://one.example/cb")").status);
        http().answer([](const HttpClient::Request&) -> HttpClient::Response
                      { throw HttpFailure(400, "address_not_allowed", "inside", HttpFailure::Sent::NotSent); });
        equal(400, make(R"("https://one.example/cb")").status);
        // Not by a change, either.
        http().respond(200, R"(["https://one.example/cb"])");
        const auto made = make(R"("https://one.example/cb")");
        equal(400,
              _driver
                  ->manage(Method::Patch, "/api/oauth-clients/" + made.at("/client_id"), R"({"redirect_uris":["https://evil.example/cb"]})")
                  .status);
    }

    /// A host in a registration proves nothing: a stranger's client of the same host knows people by other names.
    TEST(aHostThatOthersNameJoinsNoSector)
    {
        const auto mine = _driver->client(pairwise);
        const auto again = _driver->client(pairwise);
        _driver->host().createUser("eve@other.example", "other", "owner");
        const auto strangers = _driver->client(pairwise, "eve@other.example");
        const auto name = subAt(mine);
        equal(name, subAt(again));
        CHECK(name != subAt(strangers));
        // A client cannot join the sector of a list by naming its host in a redirect address.
        http().respond(200, R"(["https://one.example/cb"])");
        const auto listed = _driver->client(pairwise + R"(,"sector_identifier_uri":"https://app.example/list.json")", "ada@acme.example",
                                            R"("https://one.example/cb")");
        CHECK(subAt(listed) != name && subAt(listed) != subAt(strangers));
    }

    TEST(aSharedSectorIsReachedByItsAddressesOnly)
    {
        http().respond(200, R"(["https://one.example/cb"])");
        const auto make = [&](const std::string& more)
        {
            return _driver
                ->manage(Method::Post, "/api/oauth-clients",
                         jsonWith(R"({"name":"A","subject_type":"pairwise","sector_identifier_uri":"https://sector.example/list.json",$})",
                                  more))
                .status;
        };
        equal(201, make(R"("redirect_uris":["https://one.example/cb"])"));
        equal(400, make(R"("redirect_uris":[],"grant_types":["urn:ietf:params:oauth:grant-type:device_code"])"));
        equal(400, make(R"("redirect_uris":["https://one.example/cb"],)"
                        R"("grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code"])"));
    }

    TEST(hintsNameThePerson)
    {
        const auto made = _driver->client(pairwise);
        const auto tokens = _driver->signIn(made);
        const auto hinted = OAuthDriver::requestOf(made, OAuthDriver::withPkce("&prompt=none&id_token_hint=" + tokens.at("/id_token")));
        CHECK(!_driver->codeFor(hinted).empty());
        _driver->host().createUser("eve@other.example", "other", "owner");
        BrowserDriver other(_driver->host());
        other.signIn("eve@other.example");
        equal("login_required", BrowserDriver::parameter(other.get(hinted), "error"));
        // An ID token hint does not sign out another user without a confirmation.
        equal(200, other.get("/oauth/logout?id_token_hint=" + tokens.at("/id_token")).status);
        equal(200, _driver->userinfo(tokens.at("/access_token")).status);
        equal(200, _driver->browser().get("/oauth/logout?id_token_hint=" + tokens.at("/id_token")).status);
        equal(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    TEST(itIsCheckedWhenTheClientIsMade)
    {
        const auto refused = [&](const std::string& body) { return _driver->manage(Method::Post, "/api/oauth-clients", body).status; };
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"subject_type":"secret"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/","https://b.example/"],"subject_type":"pairwise"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["com.example.a:/cb"],"type":"native","token_endpoint_auth_method":"none",)"
                           R"("subject_type":"pairwise"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"subject_type":"pairwise",)"
                           R"("sector_identifier_uri":"http://a.example/"})"));
        equal(400, refused(R"({"name":"A","redirect_uris":["https://a.example/"],"subject_type":"pairwise","service_id":"desk"})"));
        CHECK(http().requests().empty());
    }

    const std::string pairwise = R"(,"subject_type":"pairwise")";
    testing::FakeHttpClient& http() { return _driver->host().context().http(); }
    std::string subAt(const TestAnswer& made) { return OAuthDriver::claim(_driver->signIn(made).at("/id_token"), "sub"); }

    std::unique_ptr<OAuthDriver> _driver;
};

} // namespace portico::tests
