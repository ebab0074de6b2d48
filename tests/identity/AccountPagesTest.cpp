#include "identity/BrowserDriver.h"
#include "identity/IdentityHost.h"
#include "identity/PowSolver.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// The pages that the links of mails lead to, as a browser goes through them: without scripts, but for registering.
class AccountPagesTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(AccountPagesTest);
    CPPUNIT_TEST(registersAndVerifies);
    CPPUNIT_TEST(aLinkAloneChangesNothing);
    CPPUNIT_TEST(saysWhatIsWrongWithARegistration);
    CPPUNIT_TEST(changesAnAddressAndTakesItBack);
    CPPUNIT_TEST(resetsAPassword);
    CPPUNIT_TEST(asksWhoWantsANewPasswordForAProof);
    CPPUNIT_TEST(formsAreOfTheBrowserThatWasShownThem);
    CPPUNIT_TEST(answersInvitations);
    CPPUNIT_TEST(registersWithAnInvitation);
    CPPUNIT_TEST(aResetLeadsBackToTheApp);
    CPPUNIT_TEST(aRegistrationLeadsBackToTheApp);
    CPPUNIT_TEST(speaksTheBrowsersLanguage);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.rates", "off"}});
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void registersAndVerifies()
    {
        auto page = get("/register");
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
        CPPUNIT_ASSERT(page.headerBlock().find("unsafe-inline") == std::string::npos);
        const auto sent = registerBy(page, "ada@new.example");
        CPPUNIT_ASSERT_EQUAL(200, sent.status);
        CPPUNIT_ASSERT(sent.body.find("Check your mail") != std::string::npos);
        const auto link = linkIn("ada@new.example", "/verify-email?token=");
        page = get(link);
        const auto verified = post("/verify-email", page, "token=" + tokenOf(link));
        CPPUNIT_ASSERT_EQUAL(200, verified.status);
        CPPUNIT_ASSERT(verified.body.find("Your address is confirmed") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("ada@new.example", longPassword, "identity").status);
        const auto again = post("/verify-email", page, "token=" + tokenOf(link));
        CPPUNIT_ASSERT_EQUAL(410, again.status);
        CPPUNIT_ASSERT(again.body.find("already used") != std::string::npos);
    }

    void aLinkAloneChangesNothing()
    {
        registerBy(get("/register"), "ada@new.example");
        const auto link = linkIn("ada@new.example", "/verify-email?token=");
        for (int i = 0; i < 3; ++i) get(link);
        CPPUNIT_ASSERT_EQUAL(std::string("email_not_verified"), _host->login("ada@new.example", longPassword, "identity").code());
        CPPUNIT_ASSERT_EQUAL(200, post("/verify-email", get(link), "token=" + tokenOf(link)).status);
    }

    void saysWhatIsWrongWithARegistration()
    {
        const auto page = get("/register");
        const auto says = [&](const TestAnswer& answer, std::string_view text) { return answer.body.find(text) != std::string::npos; };
        CPPUNIT_ASSERT(says(registerBy(get("/register"), "ada@new.example", "short"), "at least 12 characters"));
        CPPUNIT_ASSERT(says(registerBy(get("/register"), "no-address"), "Enter your name"));
        CPPUNIT_ASSERT(says(registerBy(page, "ada@new.example", longPassword, "nothing"), "took too long"));
        // What was typed is still there, but for the password.
        const auto again = registerBy(get("/register"), "ada@new.example", "short");
        CPPUNIT_ASSERT(says(again, "value=\"ada@new.example\""));
        CPPUNIT_ASSERT(!says(again, "short\""));
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.accounts.registrationOpen", "false"}});
        CPPUNIT_ASSERT(says(get("/register"), "Ask for an invitation"));
    }

    void changesAnAddressAndTakesItBack()
    {
        const auto token = _host->signIn("owner@acme.example", "identity");
        const auto send = [&](const std::string& target, const std::string& body)
        { return _host->call({.method = Method::Post, .target = target, .body = body}, token).status; };
        CPPUNIT_ASSERT_EQUAL(
            200, send("/api/auth/step-up", R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}"));
        CPPUNIT_ASSERT_EQUAL(202, send("/api/auth/me/email", R"({"newEmail":"owner@new.example"})"));
        const auto follow = [&](const std::string& link, std::string_view button, std::string_view leads)
        {
            const auto page = get(link);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
            CPPUNIT_ASSERT(page.body.find(button) != std::string::npos);
            const auto done = post("/verify-email", page, "token=" + tokenOf(link));
            CPPUNIT_ASSERT_EQUAL(200, done.status);
            CPPUNIT_ASSERT_MESSAGE(done.body, done.body.find("class=\"button\" href=\"" + std::string(leads)) != std::string::npos);
            CPPUNIT_ASSERT_EQUAL(410, get(link).status);
        };
        follow(linkIn("owner@new.example", "/verify-email?token="), "Confirm address", "/login");
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@new.example", IdentityHost::password, "identity").status);
        follow(linkIn("owner@acme.example", "/verify-email?token="), "Restore address", "/forgot-password");
        CPPUNIT_ASSERT_EQUAL(401, _host->login("owner@new.example", IdentityHost::password, "identity").status);
    }

    void resetsAPassword()
    {
        const auto asked = post("/forgot-password", get("/forgot-password"), "email=owner%40acme.example");
        const auto unknown = post("/forgot-password", get("/forgot-password"), "email=nobody%40acme.example");
        CPPUNIT_ASSERT_EQUAL(200, asked.status);
        CPPUNIT_ASSERT_EQUAL(asked.body.size(), unknown.body.size());
        _host->context().jobs().runDue();
        const auto link = linkIn("owner@acme.example", "/reset-password?token=");
        const auto page = get(link);
        const auto weak = post("/reset-password", page, "token=" + tokenOf(link) + "&password=short");
        CPPUNIT_ASSERT_EQUAL(400, weak.status);
        CPPUNIT_ASSERT(weak.body.find("at least 12 characters") != std::string::npos);
        const auto done = post("/reset-password", get(link), "token=" + tokenOf(link) + "&password=" + longPassword);
        CPPUNIT_ASSERT(done.body.find("is saved") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", longPassword, "identity").status);
        CPPUNIT_ASSERT_EQUAL(410, post("/reset-password", page, "token=" + tokenOf(link) + "&password=" + longPassword).status);
        // Who opens it again is told before typing a password.
        const auto again = get(link);
        CPPUNIT_ASSERT_EQUAL(410, again.status);
        CPPUNIT_ASSERT(again.body.find("name=\"password\"") == std::string::npos);
        // A mail program has cut the link.
        for (const auto& cut : {link.substr(0, link.size() - 1), std::string("/reset-password?token=abc&utm_source=mail"),
                                std::string("/verify-email?token=abc")})
        {
            const auto shown = get(cut);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(cut, 200, shown.status);
            CPPUNIT_ASSERT_MESSAGE(cut, shown.body.find("This link is incomplete.") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(cut, shown.body.find("name=\"token\"") == std::string::npos);
        }
    }

    void asksWhoWantsANewPasswordForAProof()
    {
        CPPUNIT_ASSERT(get("/forgot-password").body.find("data-challenge") == std::string::npos);
        _host =
            std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.rates", "off"}, {"identity.humanVerification.login", "true"}});
        _host->createUser("owner@acme.example", "acme", "owner");
        const auto page = get("/forgot-password");
        CPPUNIT_ASSERT(page.headerBlock().find("script-src 'sha256-") != std::string::npos);
        const auto bare = post("/forgot-password", page, "email=owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(428, bare.status);
        CPPUNIT_ASSERT(bare.body.find("verification has expired") != std::string::npos &&
                       bare.body.find("value=\"owner@acme.example\"") != std::string::npos);
        CPPUNIT_ASSERT(_host->context().mailer().sentTo("owner@acme.example").empty());
        const auto sent = post("/forgot-password", bare, "email=owner@acme.example&proof=" + proofOf(bare));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 200, sent.status);
        CPPUNIT_ASSERT(!linkIn("owner@acme.example", "/reset-password?token=").empty());
    }

    void formsAreOfTheBrowserThatWasShownThem()
    {
        const auto mine = get("/forgot-password");
        const auto others = get("/forgot-password");
        const auto sent = _host->call({.method = Method::Post,
                                       .target = "/forgot-password",
                                       .body = "form_token=" + formToken(mine) + "&email=owner%40acme.example",
                                       .headers = {{"Content-Type", form}, {"Cookie", "platform_pre=" + others.cookie("platform_pre")}}});
        CPPUNIT_ASSERT_EQUAL(403, sent.status);
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _host->context().mailer().sentTo("owner@acme.example").size());
    }

    void answersInvitations()
    {
        _host->createUser("guest@new.example", "elsewhere");
        const auto link = invite("guest@new.example");
        const auto stranger = get(link);
        CPPUNIT_ASSERT(stranger.body.find("return_to=%2Finvitation%3Ftoken%3D") != std::string::npos);
        CPPUNIT_ASSERT(stranger.body.find("invitation=" + tokenOf(link)) != std::string::npos);
        const auto wrong = signedIn("owner@acme.example");
        const auto refused = post("/invitation", get(link, wrong), "answer=accept&token=" + tokenOf(link), wrong);
        CPPUNIT_ASSERT_EQUAL(403, refused.status);
        CPPUNIT_ASSERT(refused.body.find("another e-mail address") != std::string::npos);
        const auto session = signedIn("guest@new.example");
        const auto page = get(link, session);
        CPPUNIT_ASSERT(page.body.find("You are signed in as guest@new.example") != std::string::npos);
        const auto joined = post("/invitation", page, "answer=accept&token=" + tokenOf(link), session);
        CPPUNIT_ASSERT_EQUAL(200, joined.status);
        CPPUNIT_ASSERT(joined.body.find("Welcome to acme") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM memberships m JOIN organizations o ON "
                                                           "o.id = m.organization_id WHERE o.slug = 'acme'"));
        CPPUNIT_ASSERT(get("/invitation?token=nothing").body.find("no longer valid") != std::string::npos);
    }

    void registersWithAnInvitation()
    {
        const auto link = invite("new@new.example");
        const auto sent = registerBy(get("/register?invitation=" + tokenOf(link)), "new@new.example", longPassword, {}, tokenOf(link));
        CPPUNIT_ASSERT_EQUAL(303, sent.status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("new@new.example", longPassword, "identity").status);
    }

    /// From the sign-in of an app over the mail to its sign-in, and to the page that was wanted there.
    void aResetLeadsBackToTheApp()
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
        // What leads elsewhere is left out, in the page and in the mail.
        for (const auto* wrong :
             {"service_id=desk&return_to=https%3A%2F%2Fevil.example%2F", "service_id=nothing", "return_to=%2F%2Fevil.example"})
        {
            leads(get(std::string("/forgot-password?") + wrong), "/login");
            leads(post("/forgot-password", page, std::string("email=owner%40acme.example&") + wrong), "/login");
        }
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE data LIKE '%evil%'"));
    }

    /// From the sign-in of an app over the mail to the page that was wanted there.
    void aRegistrationLeadsBackToTheApp()
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
        CPPUNIT_ASSERT_EQUAL(desk, BrowserDriver::field(page, "return_to"));
        leads(proven(browser, registered(browser, "ada@new.example", desk)), "/login" + way);
        // What leads elsewhere is left out, in the page and in the mail.
        for (const std::string wrong : {"https://evil.example/", "//evil.example"})
        {
            leads(get("/register?return_to=" + wrong), "/login");
            registered(browser, "eve" + std::to_string(wrong.size()) + "@new.example", wrong);
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE data LIKE '%evil%'"));
    }

    void speaksTheBrowsersLanguage()
    {
        const auto page = _host->call({.target = "/forgot-password", .headers = {{"Accept-Language", "de-CH"}}});
        CPPUNIT_ASSERT(page.body.find("Passwort vergessen?") != std::string::npos);
        CPPUNIT_ASSERT(page.body.find("<html lang=\"de\">") != std::string::npos);
    }

private:
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
        _host->call({.method = Method::Post, .target = path, .body = R"({"email":")" + email + R"(","role":"member"})"}, token);
        return linkIn(email, "/invitation?token=");
    }
    std::string linkIn(const std::string& address, const std::string& start) const
    {
        const auto text = _host->context().mailer().sentTo(address).back().text;
        const auto from = text.find(start);
        CPPUNIT_ASSERT(from != std::string::npos);
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

CPPUNIT_TEST_SUITE_REGISTRATION(AccountPagesTest);

} // namespace portico::tests
