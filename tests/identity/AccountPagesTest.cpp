#include "identity/BrowserDriver.h"
#include "identity/IdentityHost.h"
#include "identity/PowSolver.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Pages behind the links of mails, used by a browser without scripts, except for registration.
class AccountPagesTest : public Suite<AccountPagesTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.rates", "off"}});
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(registersAndVerifies)
    {
        auto page = get("/register");
        equal(200, page.status);
        CHECK(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
        CHECK(page.headerBlock().find("unsafe-inline") == std::string::npos);
        const auto sent = registerBy(page, "ada@new.example");
        equal(200, sent.status);
        CHECK(sent.body.find("Check your mail") != std::string::npos);
        const auto link = linkIn("ada@new.example", "/verify-email?token=");
        page = get(link);
        const auto verified = post("/verify-email", page, "token=" + tokenOf(link));
        equal(200, verified.status);
        CHECK(verified.body.find("Your address is confirmed") != std::string::npos);
        equal(200, _host->login("ada@new.example", longPassword, "identity").status);
        const auto again = post("/verify-email", page, "token=" + tokenOf(link));
        equal(410, again.status);
        CHECK(again.body.find("already used") != std::string::npos);
    }

    TEST(aLinkAloneChangesNothing)
    {
        registerBy(get("/register"), "ada@new.example");
        const auto link = linkIn("ada@new.example", "/verify-email?token=");
        for (int i = 0; i < 3; ++i) get(link);
        equal("email_not_verified", _host->login("ada@new.example", longPassword, "identity").code());
        equal(200, post("/verify-email", get(link), "token=" + tokenOf(link)).status);
    }

    TEST(saysWhatIsWrongWithARegistration)
    {
        const auto page = get("/register");
        const auto says = [&](const TestAnswer& answer, std::string_view text) { return answer.body.find(text) != std::string::npos; };
        CHECK(says(registerBy(get("/register"), "ada@new.example", "short"), "at least 12 characters"));
        CHECK(says(registerBy(get("/register"), "no-address"), "Enter your name"));
        CHECK(says(registerBy(page, "ada@new.example", longPassword, "nothing"), "took too long"));
        // The form keeps the entered values, except the password.
        const auto again = registerBy(get("/register"), "ada@new.example", "short");
        CHECK(says(again, "value=\"ada@new.example\""));
        CHECK(!says(again, "short\""));
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.accounts.registrationOpen", "false"}});
        CHECK(says(get("/register"), "Ask for an invitation"));
    }

    TEST(changesAnAddressAndTakesItBack)
    {
        const auto token = _host->signIn("owner@acme.example", "identity");
        const auto send = [&](const std::string& target, const std::string& body)
        { return _host->call({.method = Method::Post, .target = target, .body = body}, token).status; };
        equal(200, send("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password)));
        equal(202, send("/api/auth/me/email", R"({"newEmail":"owner@new.example"})"));
        const auto follow = [&](const std::string& link, std::string_view button, std::string_view leads)
        {
            const auto page = get(link);
            equal(200, page.status, page.body);
            CHECK(page.body.find(button) != std::string::npos);
            const auto done = post("/verify-email", page, "token=" + tokenOf(link));
            equal(200, done.status);
            CPPUNIT_ASSERT_MESSAGE(done.body, done.body.find("class=\"button\" href=\"" + std::string(leads)) != std::string::npos);
            equal(410, get(link).status);
        };
        follow(linkIn("owner@new.example", "/verify-email?token="), "Confirm address", "/login");
        equal(200, _host->login("owner@new.example", IdentityHost::password, "identity").status);
        follow(linkIn("owner@acme.example", "/verify-email?token="), "Restore address", "/forgot-password");
        equal(401, _host->login("owner@new.example", IdentityHost::password, "identity").status);
    }

    TEST(resetsAPassword)
    {
        const auto asked = post("/forgot-password", get("/forgot-password"), "email=owner%40acme.example");
        const auto unknown = post("/forgot-password", get("/forgot-password"), "email=nobody%40acme.example");
        equal(200, asked.status);
        equal(asked.body.size(), unknown.body.size());
        _host->context().jobs().runDue();
        const auto link = linkIn("owner@acme.example", "/reset-password?token=");
        const auto page = get(link);
        const auto weak = post("/reset-password", page, "token=" + tokenOf(link) + "&password=short");
        equal(400, weak.status);
        CHECK(weak.body.find("at least 12 characters") != std::string::npos);
        const auto done = post("/reset-password", get(link), "token=" + tokenOf(link) + "&password=" + longPassword);
        CHECK(done.body.find("is saved") != std::string::npos);
        equal(200, _host->login("owner@acme.example", longPassword, "identity").status);
        equal(410, post("/reset-password", page, "token=" + tokenOf(link) + "&password=" + longPassword).status);
        // Opening the used link again shows an error before a password is entered.
        const auto again = get(link);
        equal(410, again.status);
        CHECK(again.body.find("name=\"password\"") == std::string::npos);
        // A mail program has truncated the link.
        for (const auto& cut : {link.substr(0, link.size() - 1), std::string("/reset-password?token=abc&utm_source=mail"),
                                std::string("/verify-email?token=abc")})
        {
            const auto shown = get(cut);
            equal(200, shown.status, cut);
            CPPUNIT_ASSERT_MESSAGE(cut, shown.body.find("This link is incomplete.") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(cut, shown.body.find("name=\"token\"") == std::string::npos);
        }
    }

    TEST(asksWhoWantsANewPasswordForAProof)
    {
        CHECK(get("/forgot-password").body.find("data-challenge") == std::string::npos);
        _host =
            std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.rates", "off"}, {"identity.humanVerification.login", "true"}});
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto page = get("/forgot-password");
        CHECK(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
        const auto bare = post("/forgot-password", page, "email=owner@acme.example");
        equal(428, bare.status);
        CHECK(bare.body.find("verification has expired") != std::string::npos &&
              bare.body.find("value=\"owner@acme.example\"") != std::string::npos);
        CHECK(_host->context().mailer().sentTo("owner@acme.example").empty());
        const auto sent = post("/forgot-password", bare, "email=owner@acme.example&proof=" + proofOf(bare));
        _host->context().jobs().runDue();
        equal(200, sent.status, sent.body);
        CHECK(!linkIn("owner@acme.example", "/reset-password?token=").empty());
    }

    TEST(formsAreOfTheBrowserThatWasShownThem)
    {
        const auto mine = get("/forgot-password");
        const auto others = get("/forgot-password");
        const auto sent = _host->call({.method = Method::Post,
                                       .target = "/forgot-password",
                                       .body = "form_token=" + formToken(mine) + "&email=owner%40acme.example",
                                       .headers = {{"Content-Type", form}, {"Cookie", "platform_pre=" + others.cookie("platform_pre")}}});
        equal(403, sent.status);
        _host->context().jobs().runDue();
        equal(0, _host->context().mailer().sentTo("owner@acme.example").size());
    }

    TEST(answersInvitations)
    {
        _host->createUser("guest@new.example", "elsewhere");
        const auto link = invite("guest@new.example");
        const auto stranger = get(link);
        CHECK(stranger.body.find("return_to=%2Finvitation%3Ftoken%3D") != std::string::npos);
        CHECK(stranger.body.find("invitation=" + tokenOf(link)) != std::string::npos);
        const auto wrong = signedIn("owner@acme.example");
        const auto refused = post("/invitation", get(link, wrong), "answer=accept&token=" + tokenOf(link), wrong);
        equal(403, refused.status);
        CHECK(refused.body.find("another e-mail address") != std::string::npos);
        const auto session = signedIn("guest@new.example");
        const auto page = get(link, session);
        CHECK(page.body.find("You are signed in as guest@new.example") != std::string::npos);
        const auto joined = post("/invitation", page, "answer=accept&token=" + tokenOf(link), session);
        equal(200, joined.status);
        CHECK(joined.body.find("Welcome to acme") != std::string::npos);
        equal(2, _host->count("SELECT COUNT(*) FROM memberships m JOIN organizations o ON "
                              "o.id = m.organization_id WHERE o.slug = 'acme'"));
        CHECK(get("/invitation?token=nothing").body.find("no longer valid") != std::string::npos);
    }

    TEST(registersWithAnInvitation)
    {
        const auto link = invite("new@new.example");
        const auto sent = registerBy(get("/register?invitation=" + tokenOf(link)), "new@new.example", longPassword, {}, tokenOf(link));
        equal(303, sent.status);
        equal(200, _host->login("new@new.example", longPassword, "identity").status);
    }

    TEST(registersWithAnInvitationThatAsksForASecondFactor)
    {
        const auto link = invite("new@new.example");
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        const auto sent = registerBy(get("/register?invitation=" + tokenOf(link)), "new@new.example", longPassword, {}, tokenOf(link));
        equal(303, sent.status, sent.body);
        equal("/login", BrowserDriver::locationOf(sent));
        equal("org_policy_mfa_required", _host->login("new@new.example", longPassword, "identity").code());
    }

    /// From the sign-in of an app over the mail to its sign-in, and to the page that was wanted there.
    TEST(aResetLeadsBackToTheApp)
    {
        const auto leads = [](const TestAnswer& answer, const std::string& href)
        { CPPUNIT_ASSERT_MESSAGE(answer.body, answer.body.find("href=\"" + href + '"') != std::string::npos); };
        const std::string way = "?service_id=desk&amp;return_to=http%3A%2F%2Fdesk.localhost%3A8080%2Fboard%3Fa%3D1";
        leads(get("/login?service_id=desk&return_to=http://desk.localhost:8080/board?a%3D1"), "/forgot-password" + way);
        const auto page = get("/forgot-password?service_id=desk&return_to=http://desk.localhost:8080/board?a%3D1");
        leads(page, "/login" + way);
        leads(post("/forgot-password", page,
                   "email=owner%40acme.example&service_id=desk&return_to=http%3A%2F%2Fdesk.localhost%3A8080%2Fboard%3Fa%3D1"),
              "/login" + way);
        _host->context().jobs().runDue();
        const auto link = linkIn("owner@acme.example", "/reset-password?token=");
        leads(post("/reset-password", get(link), "token=" + tokenOf(link) + "&password=" + longPassword), "/login" + way);
        // An invalid return address is dropped from the page and the mail.
        for (const auto* wrong :
             {"service_id=desk&return_to=https%3A%2F%2Fevil.example%2F", "service_id=nothing", "return_to=%2F%2Fevil.example"})
        {
            leads(get(std::string("/forgot-password?") + wrong), "/login");
            leads(post("/forgot-password", page, std::string("email=owner%40acme.example&") + wrong), "/login");
        }
        _host->context().jobs().runDue();
        equal(0, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE data LIKE '%evil%'"));
    }

    /// From the sign-in of an app over the mail to the page that was wanted there.
    TEST(aRegistrationLeadsBackToTheApp)
    {
        const std::string desk = "http://desk.localhost:8080/board?a=1";
        const std::string way = "?return_to=http%3A%2F%2Fdesk.localhost%3A8080%2Fboard%3Fa%3D1";
        const auto leads = [](const TestAnswer& answer, const std::string& href)
        { CPPUNIT_ASSERT_MESSAGE(answer.body, answer.body.find("href=\"" + href + '"') != std::string::npos); };
        const auto registered = [&](BrowserDriver& browser, const std::string& email, const std::string& back)
        {
            const auto page = browser.get("/register");
            const auto solved = solvePow(unescaped(between(page.body, "data-challenge=\"", "\"")));
            leads(browser.post("/register", {{"form_token", BrowserDriver::field(page, "form_token")},
                                             {"return_to", back},
                                             {"displayName", "Ada"},
                                             {"email", email},
                                             {"password", longPassword},
                                             {"terms", "1"},
                                             {"proof", solved}}),
                  back == desk ? "/login" + way : "/login");
            return linkIn(email, "/verify-email?token=");
        };
        const auto proven = [&](BrowserDriver& browser, const std::string& link)
        {
            const auto page = browser.get(link);
            return browser.post("/verify-email", {{"form_token", BrowserDriver::field(page, "form_token")}, {"token", tokenOf(link)}});
        };
        BrowserDriver browser(*_host);
        leads(get("/login" + way), "/register" + way);
        const auto page = get("/register" + way);
        leads(page, "/login" + way);
        equal(desk, BrowserDriver::field(page, "return_to"));
        leads(proven(browser, registered(browser, "ada@new.example", desk)), "/login" + way);
        // An invalid return address is dropped from the page and the mail.
        for (const std::string wrong : {"https://evil.example/", "//evil.example"})
        {
            leads(get("/register?return_to=" + wrong), "/login");
            registered(browser, "eve" + std::to_string(wrong.size()) + "@new.example", wrong);
        }
        equal(0, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE data LIKE '%evil%'"));
    }

    TEST(speaksTheBrowsersLanguage)
    {
        const auto page = _host->call({.target = "/forgot-password", .headers = {{"Accept-Language", "de-CH"}}});
        CHECK(page.body.find("Passwort vergessen?") != std::string::npos);
        CHECK(page.body.find("<html lang=\"de\">") != std::string::npos);
    }

    static constexpr const char* form = "application/x-www-form-urlencoded";
    static inline const std::string longPassword = "plums-and-seven-lighthouses";

    TestAnswer get(const std::string& target, const std::string& session = {}) const
    {
        TestRequest request{.target = target};
        if (!session.empty()) request.headers.emplace_back("Cookie", "platform_session=" + session);
        return _host->call(request);
    }
    TestAnswer post(const std::string& path, const TestAnswer& page, const std::string& fields, const std::string& session = {}) const
    {
        std::string cookies = "platform_pre=" + page.cookie("platform_pre");
        if (!session.empty()) cookies += "; platform_session=" + session;
        return _host->call({.method = Method::Post,
                            .target = path,
                            .body = "form_token=" + formToken(page) + '&' + fields,
                            .headers = {{"Content-Type", form}, {"Cookie", cookies}}});
    }
    TestAnswer registerBy(const TestAnswer& page, const std::string& email, const std::string& secret = longPassword,
                          std::string proof = {}, const std::string& invitation = {}) const
    {
        if (proof.empty()) proof = proofOf(page);
        return post("/register", page,
                    "displayName=Ada&email=" + email + "&password=" + secret + "&terms=1&invitation=" + invitation + "&proof=" + proof);
    }
    /// The solution of a page's challenge, as a form has it.
    static std::string proofOf(const TestAnswer& page)
    {
        std::string encoded;
        for (const char c : solvePow(unescaped(between(page.body, "data-challenge=\"", "\""))))
            encoded += c == '+' ? "%2B" : c == '/' ? "%2F" : c == '=' ? "%3D" : std::string(1, c);
        return encoded;
    }
    /// A browser that is signed in at identity.
    std::string signedIn(const std::string& email) const
    {
        const auto answer = _host->login(email, IdentityHost::password, "identity", {},
                                         {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        return answer.cookie("platform_session");
    }
    std::string invite(const std::string& email)
    {
        const auto token = _host->signIn("owner@acme.example", "identity");
        const auto path = "/api/organizations/" + _host->organizationId("acme") + "/invitations";
        _host->call({.method = Method::Post, .target = path, .body = jsonWith(R"({"email":"$","role":"member"})", email)}, token);
        return linkIn(email, "/invitation?token=");
    }
    std::string linkIn(const std::string& address, const std::string& start) const
    {
        const auto text = _host->context().mailer().sentTo(address).back().text;
        const auto from = text.find(start);
        CHECK(from != std::string::npos);
        return text.substr(from, text.find_first_of(" \r\n", from) - from);
    }
    static std::string tokenOf(const std::string& link) { return link.substr(link.find('=') + 1); }
    static std::string between(const std::string& text, const std::string& before, const std::string& after)
    {
        const auto start = text.find(before);
        CPPUNIT_ASSERT_MESSAGE(text, start != std::string::npos);
        return text.substr(start + before.size(), text.find(after, start + before.size()) - start - before.size());
    }
    static std::string formToken(const TestAnswer& page) { return between(page.body, "name=\"form_token\" value=\"", "\""); }
    static std::string unescaped(std::string text)
    {
        for (const auto& [name, c] : {std::pair<std::string, char>{"&quot;", '"'}, {"&#34;", '"'}, {"&amp;", '&'}})
            for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) text.replace(at, name.size(), 1, c);
        return text;
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
