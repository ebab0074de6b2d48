#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// Modules of the OpenID Foundation's plan for Basic OpenID Providers (oidcc-basic-certification-test-plan), under their names. The client
/// is confidential and sends no PKCE, like there.
class BasicOpTest : public Suite<BasicOpTest>
{
    void setUp() override
    {
        _driver = std::make_unique<OAuthDriver>();
        _client = std::make_unique<TestAnswer>(
            _driver->operatorClient(R"(,"require_pkce":false,"scopes":["openid","profile","email","offline_access"])"));
        // Without `Secure`, as on this plain-http origin, all the same.
        _driver->browser().signIn("ada@acme.example");
    }
    void tearDown() override
    {
        _client.reset();
        _driver.reset();
    }

    TEST(oidccServer)
    {
        const auto tokens = signIn();
        equal(200, tokens.status, tokens.body);
        equal("Bearer", tokens.at("/token_type"));
        const auto idToken = tokens.at("/id_token");
        equal(std::string(OAuthDriver::issuer), OAuthDriver::claim(idToken, "iss"));
        equal(_client->at("/client_id"), OAuthDriver::claim(idToken, "aud"));
        equal("n-0S6_WzA2Mj", OAuthDriver::claim(idToken, "nonce"));
        equal("RS256", identity::Jws::parse(idToken)->alg);
        CHECK(!OAuthDriver::claim(idToken, "sub").empty());
    }

    TEST(oidccResponseTypeMissing)
    {
        auto request = requestOf();
        request.replace(request.find("response_type=code&"), 19, "");
        const auto answer = get(request);
        equal("invalid_request", BrowserDriver::parameter(answer, "error"));
        equal("s", BrowserDriver::parameter(answer, "state"));
    }

    TEST(oidccUserinfoGet)
    {
        const auto tokens = signIn();
        const auto answer = _driver->userinfo(tokens.at("/access_token"));
        equal(200, answer.status);
        equal(OAuthDriver::claim(tokens.at("/id_token"), "sub"), answer.at("/sub"));
        equal("application/json", answer.contentType.substr(0, 16));
    }

    TEST(oidccUserinfoPostHeader)
    {
        const auto tokens = signIn();
        equal(200, _driver->host().call({.method = Method::Post, .target = "/oauth/userinfo"}, tokens.at("/access_token")).status);
    }

    TEST(oidccUserinfoPostBody)
    {
        const auto tokens = signIn();
        const auto answer = _driver->post("/oauth/userinfo", {{"access_token", tokens.at("/access_token")}});
        equal(OAuthDriver::claim(tokens.at("/id_token"), "sub"), answer.at("/sub"));
    }

    /// With PKCE. A request that has neither can be mixed up with another's answer: it is refused (trap 1 of the specification), and the
    /// client's operator chooses by `require_pkce` which of the two it is.
    TEST(oidccEnsureRequestWithoutNonceSucceedsForCodeFlow)
    {
        const auto tokens = _driver->signIn(*_client);
        equal(200, tokens.status);
        CHECK(!OAuthDriver::claims(tokens.at("/id_token")).contains("nonce"));
        equal("invalid_request", BrowserDriver::parameter(get(OAuthDriver::requestOf(*_client)), "error"));
    }

    TEST(oidccScopeProfile)
    {
        const auto claims = claimsFor("openid%20profile");
        CHECK(claims.has("/name") && claims.has("/updated_at") && !claims.has("/email"));
    }

    TEST(oidccScopeEmail)
    {
        const auto claims = claimsFor("openid%20email");
        CHECK(claims.has("/email") && claims.has("/email_verified") && !claims.has("/name"));
    }

    TEST(oidccScopeAddress) { CHECK(claimsFor("openid%20address").has("/sub")); }

    TEST(oidccScopePhone) { CHECK(claimsFor("openid%20phone").has("/sub")); }

    TEST(oidccScopeAll)
    {
        const auto claims = claimsFor("openid%20profile%20email%20address%20phone");
        CHECK(claims.has("/name") && claims.has("/email"));
    }

    TEST(oidccEnsureOtherScopeOrderSucceeds) { CHECK(claimsFor("email%20openid").has("/email")); }

    TEST(oidccDisplayPage) { succeedsWith("&display=page"); }

    TEST(oidccDisplayPopup) { succeedsWith("&display=popup"); }

    TEST(oidccPromptLogin)
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto shown = get(requestOf("&prompt=login"));
        const auto login = BrowserDriver::locationOf(shown);
        CPPUNIT_ASSERT_MESSAGE(login, login.starts_with("/login?"));
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto back = signInAt(login);
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(back), false);
        equal(200, tokens.status, tokens.body);
        CHECK(authTime(tokens) > before);
    }

    TEST(oidccPromptNoneNotLoggedIn)
    {
        BrowserDriver other(_driver->host());
        equal("login_required", BrowserDriver::parameter(other.get(requestOf("&prompt=none")), "error"));
    }

    TEST(oidccPromptNoneLoggedIn)
    {
        const auto first = signIn();
        const auto second = signIn("&prompt=none");
        equal(200, second.status);
        equal(OAuthDriver::claim(first.at("/id_token"), "sub"), OAuthDriver::claim(second.at("/id_token"), "sub"));
        equal(authTime(first), authTime(second));
    }

    TEST(oidccMaxAge1)
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto login = BrowserDriver::locationOf(get(requestOf("&max_age=1")));
        CPPUNIT_ASSERT_MESSAGE(login, login.starts_with("/login?"));
        equal("login_required", BrowserDriver::parameter(get(requestOf("&max_age=1&prompt=none")), "error"));
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(signInAt(login)), false);
        equal(200, tokens.status, tokens.body);
        CHECK(authTime(tokens) > before);
    }

    TEST(oidccMaxAge10000)
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        equal(before, authTime(signIn("&max_age=10000")));
    }

    TEST(oidccEnsureRequestWithUnknownParameterSucceeds) { succeedsWith("&extra=foobar"); }

    TEST(oidccIdTokenHint)
    {
        const auto first = signIn();
        const auto second = signIn("&prompt=none&id_token_hint=" + first.at("/id_token"));
        equal(OAuthDriver::claim(first.at("/id_token"), "sub"), OAuthDriver::claim(second.at("/id_token"), "sub"));
    }

    TEST(oidccLoginHint)
    {
        BrowserDriver other(_driver->host());
        const auto login = BrowserDriver::locationOf(other.get(requestOf("&login_hint=ada%40acme.example")));
        CHECK(other.get(login).body.find("value=\"ada@acme.example\"") != std::string::npos);
        succeedsWith("&login_hint=ada%40acme.example");
    }

    TEST(oidccUiLocales)
    {
        BrowserDriver other(_driver->host());
        const auto login = BrowserDriver::locationOf(other.get(requestOf("&ui_locales=de")));
        CHECK(other.get(login).headerBlock().find("Content-Language: de") != std::string::npos);
        succeedsWith("&ui_locales=se");
    }

    TEST(oidccClaimsLocales) { succeedsWith("&claims_locales=se"); }

    TEST(oidccEnsureRequestWithAcrValuesSucceeds)
    {
        const auto tokens = signIn("&acr_values=1%202");
        equal(200, tokens.status);
        // Reports the actual level, not the requested one.
        equal("aal1", OAuthDriver::claim(tokens.at("/id_token"), "acr"));
    }

    TEST(oidccCodereuse)
    {
        const auto code = _driver->codeFor(requestOf());
        equal(200, _driver->exchange(*_client, code, false).status);
        equal("invalid_grant", _driver->exchange(*_client, code, false).at("/error"));
    }

    TEST(oidccCodereuse30Seconds)
    {
        const auto code = _driver->codeFor(requestOf());
        const auto tokens = _driver->exchange(*_client, code, false);
        equal(200, _driver->userinfo(tokens.at("/access_token")).status);
        _driver->host().context().clock().advance(std::chrono::seconds(31));
        equal("invalid_grant", _driver->exchange(*_client, code, false).at("/error"));
        // The tokens of the first exchange are revoked.
        equal(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    /// Used codes are remembered as long as their tokens are valid.
    TEST(aUsedCodeIsRememberedForTenMinutes)
    {
        const auto code = _driver->codeFor(requestOf());
        const auto tokens = _driver->exchange(*_client, code, false);
        _driver->host().context().clock().advance(std::chrono::seconds(599));
        equal(200, _driver->userinfo(tokens.at("/access_token")).status);
        equal("invalid_grant", _driver->exchange(*_client, code, false).at("/error"));
        equal(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    TEST(oidccEnsureRegisteredRedirectUri)
    {
        auto request = requestOf();
        request.replace(request.find("app.example"), 11, "app.example.evil.example");
        const auto answer = get(request);
        equal(400, answer.status);
        CHECK(BrowserDriver::locationOf(answer).empty());
    }

    TEST(oidccEnsurePostRequestSucceeds)
    {
        const auto answer = _driver->browser().post("/oauth/authorize", {{"response_type", "code"},
                                                                         {"scope", "openid"},
                                                                         {"state", "s"},
                                                                         {"nonce", "n"},
                                                                         {"client_id", _client->at("/client_id")},
                                                                         {"redirect_uri", std::string(OAuthDriver::redirect)}});
        // Never 307, which would post it again (trap 18).
        equal(303, answer.status);
        CHECK(!_driver->codeFor(BrowserDriver::locationOf(answer)).empty());
    }

    TEST(oidccServerClientSecretPost)
    {
        const auto made = _driver->operatorClient(R"(,"require_pkce":false,"token_endpoint_auth_method":"client_secret_post")");
        equal(200, _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, "&nonce=n")), false).status);
    }

    TEST(oidccUnsignedRequestObject)
    {
        // {"alg":"none"} . {} .
        const auto answer = get(requestOf("&request=eyJhbGciOiJub25lIn0.e30."));
        equal("request_not_supported", BrowserDriver::parameter(answer, "error"));
        equal("false", discovery().at("/request_parameter_supported"));
    }

    TEST(oidccClaimsEssential)
    {
        // Voluntary or essential, a claim that is not given is no error (OpenID Connect Core, 5.5.1).
        succeedsWith("&claims=%7B%22userinfo%22%3A%7B%22name%22%3A%7B%22essential%22%3Atrue%7D%7D%7D");
        equal("true", discovery().at("/claims_parameter_supported"));
    }

    TEST(claimsComeByTheirScopes)
    {
        const auto made = _driver->client();
        const auto asking = [&](const std::string& json)
        { return _driver->authorize(OAuthDriver::requestOf(made, OAuthDriver::withPkce("&claims=" + json), "openid")); };
        const auto errorOf = [&](const std::string& json) { return BrowserDriver::parameter(asking(json), "error"); };
        const auto code = BrowserDriver::parameter(asking("%7B%22id_token%22:%7B%22email%22:null,%22unknown%22:null%7D%7D"), "code");
        const auto tokens = _driver->exchange(made, code);
        equal("ada@acme.example", OAuthDriver::claim(tokens.at("/id_token"), "email"));
        CHECK(OAuthDriver::claim(tokens.at("/id_token"), "name").empty());
        equal("openid email", tokens.at("/scope"));
        for (const auto* bad : {"x", "[]", "%7B%22id_token%22:1%7D", "%7B%22id_token%22:%7B%22email%22:1%7D%7D"})
            equal("invalid_request", errorOf(bad), bad);
        // {"id_token":{"acr":{"essential":true,"values":["aal2"]}}}: Ada has no second factor.
        equal("unmet_authentication_requirements",
              errorOf("%7B%22id_token%22:%7B%22acr%22:%7B%22essential%22:true,%22values%22:[%22aal2%22]%7D%7D%7D"));
        equal("", errorOf("%7B%22id_token%22:%7B%22acr%22:%7B%22essential%22:true,%22values%22:[%22aal2%22,%22aal1%22]%7D%7D%7D"));
        // {"id_token":{"sub":{"value":"usr_other"}}}
        equal("login_required", BrowserDriver::parameter(
                                    asking("%7B%22id_token%22:%7B%22sub%22:%7B%22value%22:%22usr_other%22%7D%7D%7D&prompt=none"), "error"));
    }

    TEST(oidccRequestUriUnsigned)
    {
        const auto answer = get(requestOf("&request_uri=https%3A%2F%2Fapp.example%2Frequest.jwt"));
        equal("request_uri_not_supported", BrowserDriver::parameter(answer, "error"));
        equal("false", discovery().at("/request_uri_parameter_supported"));
        // No request was sent.
        CHECK(_driver->host().context().http().requests().empty());
    }

    TEST(oidccRefreshToken)
    {
        const auto first = signIn();
        const auto second = refresh(*_client, first.at("/refresh_token"));
        equal(200, second.status, second.body);
        for (const auto* same : {"iss", "sub", "aud", "auth_time", "azp"})
            equal(OAuthDriver::claim(first.at("/id_token"), same), OAuthDriver::claim(second.at("/id_token"), same));
        // Another client cannot use it.
        equal("invalid_grant", refresh(_driver->client(), second.at("/refresh_token")).at("/error"));
        equal(200, _driver->userinfo(second.at("/access_token")).status);
    }

    std::string requestOf(std::string_view extra = {}, std::string_view scope = "openid%20profile%20email") const
    {
        return OAuthDriver::requestOf(*_client, "&nonce=n-0S6_WzA2Mj" + std::string(extra), scope);
    }
    TestAnswer get(const std::string& request) { return _driver->browser().get(request); }
    TestAnswer signIn(std::string_view extra = {}) { return _driver->exchange(*_client, _driver->codeFor(requestOf(extra)), false); }
    void succeedsWith(std::string_view extra) { equal(200, signIn(extra).status, extra); }
    TestAnswer claimsFor(std::string_view scope)
    {
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(requestOf({}, scope)), false);
        return _driver->userinfo(tokens.at("/access_token"));
    }
    static std::int64_t authTime(const TestAnswer& tokens) { return std::stoll(OAuthDriver::claim(tokens.at("/id_token"), "auth_time")); }
    TestAnswer discovery() const { return _driver->host().call({.target = "/.well-known/openid-configuration"}); }
    TestAnswer refresh(const TestAnswer& made, const std::string& handle) const
    {
        return _driver->token(made, {{"grant_type", "refresh_token"}, {"refresh_token", handle}});
    }
    /// Signs in on the page. Returns the redirect.
    std::string signInAt(const std::string& login)
    {
        const auto shown = get(login);
        const auto answer = _driver->browser().post("/login", {{"form_token", BrowserDriver::field(shown, "form_token")},
                                                               {"service_id", BrowserDriver::field(shown, "service_id")},
                                                               {"return_to", BrowserDriver::field(shown, "return_to")},
                                                               {"identifier", "ada@acme.example"},
                                                               {"password", std::string(IdentityHost::password)}});
        equal(303, answer.status, answer.body);
        return BrowserDriver::locationOf(answer);
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::unique_ptr<TestAnswer> _client;
};

} // namespace portico::tests
