#include "identity/AuthenticatorApp.h"
#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Required strength of a sign-in: `acr_values` that a client prefers, `claims` that it requires, and the policy of an organization.
class AuthenticationContextTest : public Suite<AuthenticationContextTest>
{
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        _client = std::make_unique<TestAnswer>(_driver->client());
        _driver->browser().signIn(ada);
    }
    void tearDown() override
    {
        _client.reset();
        _driver.reset();
    }

    TEST(aSecondFactorIsAskedForThatWasAddedSince)
    {
        const auto other = _driver->client();
        addApp();
        const auto answer = ask("&acr_values=aal2");
        expectSignIn(answer);
        equal("aal2", acrOf(signInWithCode(answer)));
        // Shown once, it counts for the next client, too.
        equal("aal2", OAuthDriver::claim(_driver->signIn(other, "&acr_values=aal2").at("/id_token"), "acr"));
    }

    TEST(userWithoutSecondFactorIsNotAsked)
    {
        // A voluntary acr_values does not fail (OpenID Connect Core, 3.1.2.1).
        equal("aal1", acrOf(requestWith("&acr_values=aal2")));
    }

    TEST(theFirstOfThePreferredCounts)
    {
        addApp();
        for (const auto* values : {"aal1%20aal2", "aal1", "urn:other", "aal22", ""})
            equal("aal1", acrOf(requestWith("&acr_values=" + std::string(values))), values);
        for (const auto* values : {"urn:other%20aal2%20aal1", "aal2%20aal1"}) expectSignIn(ask("&acr_values=" + std::string(values)));
    }

    TEST(askedSilentlyItIsWhatThereIs)
    {
        equal("aal1", acrOf(requestWith({})));
        addApp();
        equal("aal1", acrOf(requestWith("&acr_values=aal2&prompt=none")));
        equal("unmet_authentication_requirements", BrowserDriver::parameter(ask(essential + "&prompt=none"), "error"));
    }

    TEST(isAskedForOnce)
    {
        addApp();
        // Simulates the return from the sign-in pages after a new sign-in without a second factor.
        const auto comesBack = [&](const std::string& more)
        {
            auto onward = BrowserDriver::parameter(ask(more), "return_to");
            _driver->host().change("UPDATE browser_sessions SET auth_time = $1", {std::to_string(toMillis(now()))});
            return onward;
        };
        equal("aal1", acrOf(comesBack("&acr_values=aal2")));
        equal("unmet_authentication_requirements", BrowserDriver::parameter(_driver->browser().get(comesBack(essential)), "error"));
    }

    TEST(aPushedRequestIsAskedToo)
    {
        addApp();
        const auto pushed = _driver->post("/oauth/par", {{"client_id", _client->at("/client_id")},
                                                         {"client_secret", _client->at("/client_secret")},
                                                         {"response_type", "code"},
                                                         {"scope", "openid"},
                                                         {"redirect_uri", std::string(OAuthDriver::redirect)},
                                                         {"code_challenge_method", "S256"},
                                                         {"code_challenge", toBase64Url(sha256(OAuthDriver::verifier()).bytes())},
                                                         {"acr_values", "aal2"}});
        equal(201, pushed.status, pushed.body);
        const auto answer =
            _driver->browser().get("/oauth/authorize?client_id=" + _client->at("/client_id") + "&request_uri=" + pushed.at("/request_uri"));
        expectSignIn(answer);
        equal("aal2", acrOf(signInWithCode(answer)));
    }

    TEST(demandedContextCausesAPrompt)
    {
        equal("unmet_authentication_requirements", BrowserDriver::parameter(ask(essential), "error"));
        addApp();
        const auto answer = ask(essential);
        expectSignIn(answer);
        equal("aal2", acrOf(signInWithCode(answer)));
    }

    TEST(anOrganizationDemandsIt)
    {
        auto desk = IdentityHost::deskManifest();
        desk.replace(desk.find("1.0.0"), 5, "1.0.1");
        const std::string_view origins = R"("origins":["https://desk.example"])";
        desk.insert(desk.find(origins), R"("callbackUrls":["https://desk.example/auth/callback"],)");
        _driver->host().publish({IdentityHost::identityManifest(), desk});
        const auto acme = _driver->host().organizationId("acme");
        const auto there = "&organization_id=" + acme;
        const auto sso = [&](const std::string& more)
        {
            return _driver->browser().get("/sso/authorize?service_id=desk&state=s&redirect_uri=https://desk.example/auth/callback" +
                                          OAuthDriver::withPkce(more));
        };
        CHECK(!BrowserDriver::parameter(sso(there), "sso_code").empty());
        _driver->host().change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE id = $1)", {acme});
        equal("interaction_required", BrowserDriver::parameter(sso(there), "error"));
        equal("interaction_required", BrowserDriver::parameter(_driver->authorize(requestWith(there)), "error"));
        // The account is not affected elsewhere.
        equal("access_denied", BrowserDriver::parameter(sso("&organization_id=org_x"), "error"));
    }

    /// A fresh sign-in satisfies any `max_age`, although passing the pages takes some time.
    TEST(freshSignInFulfilsMaxAge)
    {
        auto& clock = _driver->host().context().clock();
        clock.advance(std::chrono::seconds(2));
        const auto answer = ask("&max_age=0");
        expectSignIn(answer);
        const auto onward = BrowserDriver::parameter(answer, "return_to");
        // The user has not signed in again yet.
        expectSignIn(_driver->browser().get(onward));
        _driver->browser().signIn(ada);
        clock.advance(std::chrono::seconds(2));
        CHECK(!_driver->codeFor(onward).empty());
        equal("login_required", BrowserDriver::parameter(ask("&max_age=0&prompt=none"), "error"));
        // The mark in the address expires.
        clock.advance(std::chrono::minutes(10));
        expectSignIn(_driver->browser().get(onward));
    }

    static constexpr std::string_view ada = "ada@acme.example";
    /// {"id_token":{"acr":{"essential":true,"values":["aal2"]}}}
    inline static const std::string essential =
        "&claims=%7B%22id_token%22:%7B%22acr%22:%7B%22essential%22:true,%22values%22:[%22aal2%22]%7D%7D%7D";

    std::string requestWith(const std::string& more) const { return OAuthDriver::requestOf(*_client, OAuthDriver::withPkce(more)); }
    TestAnswer ask(const std::string& more) { return _driver->browser().get(requestWith(more)); }
    std::string acrOf(const std::string& request)
    {
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(request));
        equal(200, tokens.status, tokens.body);
        return OAuthDriver::claim(tokens.at("/id_token"), "acr");
    }
    static void expectSignIn(const TestAnswer& answer)
    {
        equal(303, answer.status, answer.body);
        CPPUNIT_ASSERT_MESSAGE(BrowserDriver::locationOf(answer), BrowserDriver::locationOf(answer).starts_with("/login?"));
    }
    /// Signs in by the pages to which the answer leads. @return the address at which the request continues
    std::string signInWithCode(const TestAnswer& answer)
    {
        auto& browser = _driver->browser();
        const auto shown = browser.get(BrowserDriver::locationOf(answer));
        const auto returnTo = BrowserDriver::parameter(answer, "return_to");
        const auto asked = browser.post("/login", {{"form_token", BrowserDriver::field(shown, "form_token")},
                                                   {"service_id", "identity"},
                                                   {"return_to", returnTo},
                                                   {"identifier", std::string(ada)},
                                                   {"password", std::string(IdentityHost::password)}});
        equal(200, asked.status, asked.body);
        const auto done = browser.post("/login", {{"form_token", BrowserDriver::field(asked, "form_token")},
                                                  {"service_id", "identity"},
                                                  {"return_to", BrowserDriver::field(asked, "return_to")},
                                                  {"mfa_token", BrowserDriver::field(asked, "mfa_token")},
                                                  {"code", appCode(_secret, now())}});
        equal(303, done.status, done.body);
        equal(returnTo, BrowserDriver::locationOf(done));
        return returnTo;
    }
    void addApp()
    {
        auto& host = _driver->host();
        const auto token = host.signIn(ada, "identity");
        const auto post = [&](const std::string& path, std::string body)
        { return host.call({.method = Method::Post, .target = path, .body = std::move(body)}, token); };
        post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password));
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}");
        _secret = begun.at("/secret");
        const auto done = post("/api/auth/mfa/totp/activate",
                               jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"), appCode(_secret, now())));
        equal(200, done.status, done.body);
        host.context().clock().advance(std::chrono::seconds(30));
    }
    Instant now() { return _driver->host().context().clock().now(); }

    std::unique_ptr<OAuthDriver> _driver;
    std::unique_ptr<TestAnswer> _client;
    std::string _secret;
};

} // namespace portico::tests
