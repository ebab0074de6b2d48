#include "identity/OAuthDriver.h"

namespace portico::tests
{

/// The modules of the OpenID Foundation's plan for Basic OpenID Providers (oidcc-basic-certification-test-plan), each told again under its
/// name. As there, the client is confidential and sends no PKCE.
class BasicOpTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(BasicOpTest);
    CPPUNIT_TEST(oidccServer);
    CPPUNIT_TEST(oidccResponseTypeMissing);
    CPPUNIT_TEST(oidccUserinfoGet);
    CPPUNIT_TEST(oidccUserinfoPostHeader);
    CPPUNIT_TEST(oidccUserinfoPostBody);
    CPPUNIT_TEST(oidccEnsureRequestWithoutNonceSucceedsForCodeFlow);
    CPPUNIT_TEST(oidccScopeProfile);
    CPPUNIT_TEST(oidccScopeEmail);
    CPPUNIT_TEST(oidccScopeAddress);
    CPPUNIT_TEST(oidccScopePhone);
    CPPUNIT_TEST(oidccScopeAll);
    CPPUNIT_TEST(oidccEnsureOtherScopeOrderSucceeds);
    CPPUNIT_TEST(oidccDisplayPage);
    CPPUNIT_TEST(oidccDisplayPopup);
    CPPUNIT_TEST(oidccPromptLogin);
    CPPUNIT_TEST(oidccPromptNoneNotLoggedIn);
    CPPUNIT_TEST(oidccPromptNoneLoggedIn);
    CPPUNIT_TEST(oidccMaxAge1);
    CPPUNIT_TEST(oidccMaxAge10000);
    CPPUNIT_TEST(oidccEnsureRequestWithUnknownParameterSucceeds);
    CPPUNIT_TEST(oidccIdTokenHint);
    CPPUNIT_TEST(oidccLoginHint);
    CPPUNIT_TEST(oidccUiLocales);
    CPPUNIT_TEST(oidccClaimsLocales);
    CPPUNIT_TEST(oidccEnsureRequestWithAcrValuesSucceeds);
    CPPUNIT_TEST(oidccCodereuse);
    CPPUNIT_TEST(oidccCodereuse30Seconds);
    CPPUNIT_TEST(aUsedCodeIsRememberedForTenMinutes);
    CPPUNIT_TEST(oidccEnsureRegisteredRedirectUri);
    CPPUNIT_TEST(oidccEnsurePostRequestSucceeds);
    CPPUNIT_TEST(oidccServerClientSecretPost);
    CPPUNIT_TEST(oidccUnsignedRequestObject);
    CPPUNIT_TEST(oidccClaimsEssential);
    CPPUNIT_TEST(claimsComeByTheirScopes);
    CPPUNIT_TEST(oidccRequestUriUnsigned);
    CPPUNIT_TEST(oidccRefreshToken);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void oidccServer()
    {
        const auto tokens = signIn();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), tokens.at("/token_type"));
        const auto idToken = tokens.at("/id_token");
        CPPUNIT_ASSERT_EQUAL(std::string(OAuthDriver::issuer), OAuthDriver::claim(idToken, "iss"));
        CPPUNIT_ASSERT_EQUAL(_client->at("/client_id"), OAuthDriver::claim(idToken, "aud"));
        CPPUNIT_ASSERT_EQUAL(std::string("n-0S6_WzA2Mj"), OAuthDriver::claim(idToken, "nonce"));
        CPPUNIT_ASSERT_EQUAL(std::string("RS256"), identity::ForeignJws::parse(idToken)->alg);
        CPPUNIT_ASSERT(!OAuthDriver::claim(idToken, "sub").empty());
    }

    void oidccResponseTypeMissing()
    {
        auto request = requestOf();
        request.replace(request.find("response_type=code&"), 19, "");
        const auto answer = get(request);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), BrowserDriver::parameter(answer, "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("s"), BrowserDriver::parameter(answer, "state"));
    }

    void oidccUserinfoGet()
    {
        const auto tokens = signIn();
        const auto answer = _driver->userinfo(tokens.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(OAuthDriver::claim(tokens.at("/id_token"), "sub"), answer.at("/sub"));
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), answer.contentType.substr(0, 16));
    }

    void oidccUserinfoPostHeader()
    {
        const auto tokens = signIn();
        CPPUNIT_ASSERT_EQUAL(
            200, _driver->host().call({.method = Method::Post, .target = "/oauth/userinfo"}, tokens.at("/access_token")).status);
    }

    void oidccUserinfoPostBody()
    {
        const auto tokens = signIn();
        const auto answer = _driver->post("/oauth/userinfo", {{"access_token", tokens.at("/access_token")}});
        CPPUNIT_ASSERT_EQUAL(OAuthDriver::claim(tokens.at("/id_token"), "sub"), answer.at("/sub"));
    }

    /// With PKCE. A request that has neither can be mixed up with another's answer: it is refused (trap 1 of the specification), and the
    /// client's operator chooses by `require_pkce` which of the two it is.
    void oidccEnsureRequestWithoutNonceSucceedsForCodeFlow()
    {
        const auto tokens = _driver->signIn(*_client);
        CPPUNIT_ASSERT_EQUAL(200, tokens.status);
        CPPUNIT_ASSERT(!OAuthDriver::claims(tokens.at("/id_token")).contains("nonce"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_request"), BrowserDriver::parameter(get(OAuthDriver::requestOf(*_client)), "error"));
    }

    void oidccScopeProfile()
    {
        const auto claims = claimsFor("openid%20profile");
        CPPUNIT_ASSERT(claims.has("/name") && claims.has("/updated_at") && !claims.has("/email"));
    }

    void oidccScopeEmail()
    {
        const auto claims = claimsFor("openid%20email");
        CPPUNIT_ASSERT(claims.has("/email") && claims.has("/email_verified") && !claims.has("/name"));
    }

    void oidccScopeAddress() { CPPUNIT_ASSERT(claimsFor("openid%20address").has("/sub")); }

    void oidccScopePhone() { CPPUNIT_ASSERT(claimsFor("openid%20phone").has("/sub")); }

    void oidccScopeAll()
    {
        const auto claims = claimsFor("openid%20profile%20email%20address%20phone");
        CPPUNIT_ASSERT(claims.has("/name") && claims.has("/email"));
    }

    void oidccEnsureOtherScopeOrderSucceeds() { CPPUNIT_ASSERT(claimsFor("email%20openid").has("/email")); }

    void oidccDisplayPage() { succeedsWith("&display=page"); }

    void oidccDisplayPopup() { succeedsWith("&display=popup"); }

    void oidccPromptLogin()
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto shown = get(requestOf("&prompt=login"));
        const auto login = BrowserDriver::locationOf(shown);
        CPPUNIT_ASSERT_MESSAGE(login, login.starts_with("/login?"));
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto back = signInAt(login);
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(back), false);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT(authTime(tokens) > before);
    }

    void oidccPromptNoneNotLoggedIn()
    {
        BrowserDriver other(_driver->host());
        CPPUNIT_ASSERT_EQUAL(std::string("login_required"), BrowserDriver::parameter(other.get(requestOf("&prompt=none")), "error"));
    }

    void oidccPromptNoneLoggedIn()
    {
        const auto first = signIn();
        const auto second = signIn("&prompt=none");
        CPPUNIT_ASSERT_EQUAL(200, second.status);
        CPPUNIT_ASSERT_EQUAL(OAuthDriver::claim(first.at("/id_token"), "sub"), OAuthDriver::claim(second.at("/id_token"), "sub"));
        CPPUNIT_ASSERT_EQUAL(authTime(first), authTime(second));
    }

    void oidccMaxAge1()
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        const auto login = BrowserDriver::locationOf(get(requestOf("&max_age=1")));
        CPPUNIT_ASSERT_MESSAGE(login, login.starts_with("/login?"));
        CPPUNIT_ASSERT_EQUAL(std::string("login_required"), BrowserDriver::parameter(get(requestOf("&max_age=1&prompt=none")), "error"));
        const auto tokens = _driver->exchange(*_client, _driver->codeFor(signInAt(login)), false);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT(authTime(tokens) > before);
    }

    void oidccMaxAge10000()
    {
        const auto before = authTime(signIn());
        _driver->host().context().clock().advance(std::chrono::seconds(2));
        CPPUNIT_ASSERT_EQUAL(before, authTime(signIn("&max_age=10000")));
    }

    void oidccEnsureRequestWithUnknownParameterSucceeds() { succeedsWith("&extra=foobar"); }

    void oidccIdTokenHint()
    {
        const auto first = signIn();
        const auto second = signIn("&prompt=none&id_token_hint=" + first.at("/id_token"));
        CPPUNIT_ASSERT_EQUAL(OAuthDriver::claim(first.at("/id_token"), "sub"), OAuthDriver::claim(second.at("/id_token"), "sub"));
    }

    void oidccLoginHint()
    {
        BrowserDriver other(_driver->host());
        const auto login = BrowserDriver::locationOf(other.get(requestOf("&login_hint=ada%40acme.example")));
        CPPUNIT_ASSERT(other.get(login).body.find("value=\"ada@acme.example\"") != std::string::npos);
        succeedsWith("&login_hint=ada%40acme.example");
    }

    void oidccUiLocales()
    {
        BrowserDriver other(_driver->host());
        const auto login = BrowserDriver::locationOf(other.get(requestOf("&ui_locales=de")));
        CPPUNIT_ASSERT(other.get(login).headerBlock().find("Content-Language: de") != std::string::npos);
        succeedsWith("&ui_locales=se");
    }

    void oidccClaimsLocales() { succeedsWith("&claims_locales=se"); }

    void oidccEnsureRequestWithAcrValuesSucceeds()
    {
        const auto tokens = signIn("&acr_values=1%202");
        CPPUNIT_ASSERT_EQUAL(200, tokens.status);
        // What was proved, not what was asked for.
        CPPUNIT_ASSERT_EQUAL(std::string("aal1"), OAuthDriver::claim(tokens.at("/id_token"), "acr"));
    }

    void oidccCodereuse()
    {
        const auto code = _driver->codeFor(requestOf());
        CPPUNIT_ASSERT_EQUAL(200, _driver->exchange(*_client, code, false).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), _driver->exchange(*_client, code, false).at("/error"));
    }

    void oidccCodereuse30Seconds()
    {
        const auto code = _driver->codeFor(requestOf());
        const auto tokens = _driver->exchange(*_client, code, false);
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(tokens.at("/access_token")).status);
        _driver->host().context().clock().advance(std::chrono::seconds(31));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), _driver->exchange(*_client, code, false).at("/error"));
        // What the first got is taken away.
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    /// As long as the tokens live that it gave.
    void aUsedCodeIsRememberedForTenMinutes()
    {
        const auto code = _driver->codeFor(requestOf());
        const auto tokens = _driver->exchange(*_client, code, false);
        _driver->host().context().clock().advance(std::chrono::seconds(599));
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), _driver->exchange(*_client, code, false).at("/error"));
        CPPUNIT_ASSERT_EQUAL(401, _driver->userinfo(tokens.at("/access_token")).status);
    }

    void oidccEnsureRegisteredRedirectUri()
    {
        auto request = requestOf();
        request.replace(request.find("app.example"), 11, "app.example.evil.example");
        const auto answer = get(request);
        CPPUNIT_ASSERT_EQUAL(400, answer.status);
        CPPUNIT_ASSERT(BrowserDriver::locationOf(answer).empty());
    }

    void oidccEnsurePostRequestSucceeds()
    {
        const auto answer = _driver->browser().post("/oauth/authorize", {{"response_type", "code"},
                                                                         {"scope", "openid"},
                                                                         {"state", "s"},
                                                                         {"nonce", "n"},
                                                                         {"client_id", _client->at("/client_id")},
                                                                         {"redirect_uri", std::string(OAuthDriver::redirect)}});
        // Never 307, which would post it again (trap 18).
        CPPUNIT_ASSERT_EQUAL(303, answer.status);
        CPPUNIT_ASSERT(!_driver->codeFor(BrowserDriver::locationOf(answer)).empty());
    }

    void oidccServerClientSecretPost()
    {
        const auto made = _driver->operatorClient(R"(,"require_pkce":false,"token_endpoint_auth_method":"client_secret_post")");
        CPPUNIT_ASSERT_EQUAL(200, _driver->exchange(made, _driver->codeFor(OAuthDriver::requestOf(made, "&nonce=n")), false).status);
    }

    void oidccUnsignedRequestObject()
    {
        // {"alg":"none"} . {} .
        const auto answer = get(requestOf("&request=eyJhbGciOiJub25lIn0.e30."));
        CPPUNIT_ASSERT_EQUAL(std::string("request_not_supported"), BrowserDriver::parameter(answer, "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), discovery().at("/request_parameter_supported"));
    }

    void oidccClaimsEssential()
    {
        // Voluntary or essential, a claim that is not given is no error (OpenID Connect Core, 5.5.1).
        succeedsWith("&claims=%7B%22userinfo%22%3A%7B%22name%22%3A%7B%22essential%22%3Atrue%7D%7D%7D");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), discovery().at("/claims_parameter_supported"));
    }

    void claimsComeByTheirScopes()
    {
        const auto made = _driver->client();
        const auto asking = [&](const std::string& json)
        { return _driver->authorize(OAuthDriver::requestOf(made, OAuthDriver::withPkce("&claims=" + json), "openid")); };
        const auto errorOf = [&](const std::string& json) { return BrowserDriver::parameter(asking(json), "error"); };
        const auto code = BrowserDriver::parameter(asking("%7B%22id_token%22:%7B%22email%22:null,%22unknown%22:null%7D%7D"), "code");
        const auto tokens = _driver->exchange(made, code);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), OAuthDriver::claim(tokens.at("/id_token"), "email"));
        CPPUNIT_ASSERT(OAuthDriver::claim(tokens.at("/id_token"), "name").empty());
        CPPUNIT_ASSERT_EQUAL(std::string("openid email"), tokens.at("/scope"));
        for (const auto* bad : {"x", "[]", "%7B%22id_token%22:1%7D", "%7B%22id_token%22:%7B%22email%22:1%7D%7D"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(bad, std::string("invalid_request"), errorOf(bad));
        // {"id_token":{"acr":{"essential":true,"values":["aal2"]}}}: Ada has no second factor.
        CPPUNIT_ASSERT_EQUAL(std::string("unmet_authentication_requirements"),
                             errorOf("%7B%22id_token%22:%7B%22acr%22:%7B%22essential%22:true,%22values%22:[%22aal2%22]%7D%7D%7D"));
        CPPUNIT_ASSERT_EQUAL(
            std::string(), errorOf("%7B%22id_token%22:%7B%22acr%22:%7B%22essential%22:true,%22values%22:[%22aal2%22,%22aal1%22]%7D%7D%7D"));
        // {"id_token":{"sub":{"value":"usr_other"}}}
        CPPUNIT_ASSERT_EQUAL(std::string("login_required"),
                             BrowserDriver::parameter(
                                 asking("%7B%22id_token%22:%7B%22sub%22:%7B%22value%22:%22usr_other%22%7D%7D%7D&prompt=none"), "error"));
    }

    void oidccRequestUriUnsigned()
    {
        const auto answer = get(requestOf("&request_uri=https%3A%2F%2Fapp.example%2Frequest.jwt"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_uri_not_supported"), BrowserDriver::parameter(answer, "error"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), discovery().at("/request_uri_parameter_supported"));
        // Nobody was called.
        CPPUNIT_ASSERT(_driver->host().context().http().requests().empty());
    }

    void oidccRefreshToken()
    {
        const auto first = signIn();
        const auto second = refresh(*_client, first.at("/refresh_token"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(second.body, 200, second.status);
        for (const auto* same : {"iss", "sub", "aud", "auth_time", "azp"})
            CPPUNIT_ASSERT_EQUAL(OAuthDriver::claim(first.at("/id_token"), same), OAuthDriver::claim(second.at("/id_token"), same));
        // Another client cannot use it.
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), refresh(_driver->client(), second.at("/refresh_token")).at("/error"));
        CPPUNIT_ASSERT_EQUAL(200, _driver->userinfo(second.at("/access_token")).status);
    }

private:
    std::string requestOf(std::string_view extra = {}, std::string_view scope = "openid%20profile%20email") const
    {
        return OAuthDriver::requestOf(*_client, "&nonce=n-0S6_WzA2Mj" + std::string(extra), scope);
    }
    TestAnswer get(const std::string& request) { return _driver->browser().get(request); }
    TestAnswer signIn(std::string_view extra = {}) { return _driver->exchange(*_client, _driver->codeFor(requestOf(extra)), false); }
    void succeedsWith(std::string_view extra) { CPPUNIT_ASSERT_EQUAL_MESSAGE(std::string(extra), 200, signIn(extra).status); }
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
    /// Signs in on the page; where it leads then.
    std::string signInAt(const std::string& login)
    {
        const auto shown = get(login);
        const auto answer = _driver->browser().post("/login", {{"form_token", BrowserDriver::field(shown, "form_token")},
                                                               {"service_id", BrowserDriver::field(shown, "service_id")},
                                                               {"return_to", BrowserDriver::field(shown, "return_to")},
                                                               {"identifier", "ada@acme.example"},
                                                               {"password", std::string(IdentityHost::password)}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 303, answer.status);
        return BrowserDriver::locationOf(answer);
    }

    std::unique_ptr<OAuthDriver> _driver;
    std::unique_ptr<TestAnswer> _client;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BasicOpTest);

} // namespace portico::tests
