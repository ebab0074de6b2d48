#include "identity/AuthenticatorApp.h"
#include "identity/BrowserDriver.h"
#include "identity/IdentityHost.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::tests
{

/// Setup of an authenticator app on the sign-in page, for members without a second factor whose organization requires one.
class SignInEnrollmentTest : public Suite<SignInEnrollmentTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _browser = std::make_unique<BrowserDriver>(*_host);
        _host->createUser(member, "acme", "member");
        _host->change(required);
    }
    void tearDown() override
    {
        _browser.reset();
        _host.reset();
    }

    TEST(enrollsAndSignsIn)
    {
        const auto asked = enterPassword(*_browser);
        equal(200, asked.status, asked.body);
        CHECK(shows(asked, "requires two-step verification"));
        CHECK(shows(asked, "<svg ") && shows(asked, "otpauth://totp/"));
        equal("no-store", asked.cacheControl);
        CHECK(!_browser->signedIn());
        equal(0, apps());
        equal(0, _host->count("SELECT COUNT(*) FROM sessions"));
        const auto secret = secretIn(asked);
        CHECK(!secret.empty());
        const auto done = enterCode(*_browser, asked, codeOf(secret));
        equal(200, done.status, done.body);
        CHECK(shows(done, "href=\"/settings\""));
        CHECK(!shows(done, secret));
        CHECK(_browser->signedIn());
        equal(1, apps());
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE acr = 'aal2' AND organization_id IS NOT NULL"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'mfa.totp_activated'"));
        const auto mails = _host->context().mailer().sentTo(member);
        equal(1, std::ranges::count_if(mails, [](const Mail& mail)
                                       { return mail.text.find("An authenticator app was added") != std::string::npos; }));
        // The next sign-in asks for the app. A recovery code from the page replaces it.
        equal(10, _host->count("SELECT COUNT(*) FROM recovery_codes"));
        const auto pending = _host->login(member, IdentityHost::password, "identity");
        refused(pending, 403, "mfa_required");
        const auto recovered = verify(pending.at("/details/mfaToken"), "recovery_code", between(done.body, "<li>", "</li>"));
        equal(200, recovered.status, recovered.body);
    }

    TEST(wrongCodesStoreNothing)
    {
        auto asked = enterPassword(*_browser);
        const auto secret = secretIn(asked);
        for (int i = 0; i < 5; ++i)
        {
            asked = enterCode(*_browser, asked, "000000");
            equal(401, asked.status, asked.body);
            CHECK(shows(asked, "Incorrect code"));
            equal(secret, secretIn(asked));
        }
        equal(5, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.refused'"));
        const auto late = enterCode(*_browser, asked, codeOf(secret));
        equal(410, late.status);
        CHECK(shows(late, "name=\"password\"") && !shows(late, secret));
        equal(0, apps());
        CHECK(!_browser->signedIn());
        // The account's limit includes the attempts of all setups.
        asked = enterPassword(*_browser);
        for (int i = 0; i < 5; ++i) equal(401, enterCode(*_browser, asked, "000000").status);
        asked = enterPassword(*_browser);
        equal(429, enterCode(*_browser, asked, codeOf(secretIn(asked))).status);
        equal(0, apps());
    }

    TEST(setupExpires)
    {
        const auto asked = enterPassword(*_browser);
        _host->context().clock().advance(std::chrono::seconds(300));
        const auto late = enterCode(*_browser, asked, codeOf(secretIn(asked)));
        equal(410, late.status);
        CHECK(shows(late, "This page has expired"));
        equal(0, apps());
        CHECK(!_browser->signedIn());
    }

    TEST(setupWorksOnce)
    {
        const auto asked = enterPassword(*_browser);
        equal(200, enterCode(*_browser, asked, codeOf(secretIn(asked))).status);
        _host->context().clock().advance(std::chrono::seconds(30));
        equal(410, enterCode(*_browser, asked, codeOf(secretIn(asked))).status);
        equal(1, apps());
        equal(1, _host->count("SELECT COUNT(*) FROM sessions"));
    }

    TEST(usersWithAFactorAreAskedForIt)
    {
        BrowserDriver other(*_host);
        const auto early = enterPassword(other);
        const auto asked = enterPassword(*_browser);
        equal(200, enterCode(*_browser, asked, codeOf(secretIn(asked))).status);
        // A setup that began before the user had a factor adds no second one.
        equal(410, enterCode(other, early, codeOf(secretIn(early))).status);
        CHECK(!other.signedIn());
        equal(1, apps());
        const auto again = enterPassword(other);
        equal(200, again.status);
        CHECK(!BrowserDriver::field(again, "mfa_token").empty());
        CHECK(BrowserDriver::field(again, "enroll_token").empty() && !shows(again, "<svg "));
        // Tokens of the two steps are not interchangeable.
        _host->context().clock().advance(std::chrono::seconds(30));
        const auto swapped = other.post("/login", {{"form_token", BrowserDriver::field(again, "form_token")},
                                                   {"service_id", "identity"},
                                                   {"enroll_token", BrowserDriver::field(again, "mfa_token")},
                                                   {"code", codeOf(secretIn(asked))}});
        equal(410, swapped.status);
        CHECK(!other.signedIn());
    }

    TEST(setupTokenProvesNoFactor)
    {
        const auto asked = enterPassword(*_browser);
        const auto token = BrowserDriver::field(asked, "enroll_token");
        equal("mfa_expired", verify(token, "totp", codeOf(secretIn(asked))).code());
    }

    TEST(changesOfTheMemberEndTheSetup)
    {
        struct Case
        {
            std::string_view change;
            std::string_view undo;
            int status;
        };
        for (const auto& [change, undo, status] :
             {Case{"UPDATE users SET status = 'suspended'", "UPDATE users SET status = 'active'", 403},
              Case{"UPDATE memberships SET status = 'suspended'", "UPDATE memberships SET status = 'active'", 403},
              Case{"UPDATE memberships SET status = 'removed'", "UPDATE memberships SET status = 'active'", 403},
              Case{R"(UPDATE organizations SET security_policy = '{"mfaRequired":true,"ipAllowList":["198.51.100.0/24"]}')", required, 403},
              Case{"UPDATE users SET password_hash = 'another'", "UPDATE users SET status = 'active'", 410}})
        {
            const auto asked = enterPassword(*_browser);
            const auto secret = secretIn(asked);
            CHECK(!secret.empty());
            _host->change(change);
            const auto answer = enterCode(*_browser, asked, codeOf(secret));
            equal(status, answer.status, change);
            CHECK(!shows(answer, secret));
            equal(0, apps());
            CHECK(!_browser->signedIn());
            _host->change(undo);
        }
    }

    TEST(requiredPasswordChangeEndsTheSetup)
    {
        const auto asked = enterPassword(*_browser);
        const auto hash =
            _host->context().database().session().value<std::string>("SELECT password_hash FROM users WHERE email = $1", member);
        _host->change("UPDATE users SET password_expired_for = $1", {sha256(hash.value()).hex()});
        equal(410, enterCode(*_browser, asked, codeOf(secretIn(asked))).status);
        equal(0, apps());
    }

    TEST(otherBrowsersDoNotSeeTheSecret)
    {
        const auto asked = enterPassword(*_browser);
        BrowserDriver other(*_host);
        other.get("/login");
        const auto stolen = enterCode(other, asked, codeOf(secretIn(asked)));
        equal(403, stolen.status);
        CHECK(!shows(stolen, secretIn(asked)));
        CHECK(!other.signedIn());
        equal(0, apps());
    }

    TEST(otherRulesComeFirst)
    {
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true,"ipAllowList":["198.51.100.0/24"]}')");
        const auto elsewhere = enterPassword(*_browser);
        equal(403, elsewhere.status);
        CHECK(shows(elsewhere, "from this network") && !shows(elsewhere, "enroll_token"));
        _host->change(required);
        const auto wrong = enterPassword(*_browser, "wrong horse battery");
        equal(401, wrong.status);
        CHECK(!shows(wrong, "enroll_token"));
    }

    TEST(noSetupWithoutTheRequirement)
    {
        _host->change("UPDATE organizations SET security_policy = '{}'");
        equal(303, enterPassword(*_browser).status);
        CHECK(_browser->signedIn());
    }

    TEST(apiStillRejects)
    {
        const auto answer = _host->login(member, IdentityHost::password, "identity");
        refused(answer, 403, "org_policy_mfa_required");
        equal(0, answer.count("/details"));
    }

    static constexpr std::string_view member = "member@acme.example";
    static constexpr std::string_view required = R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}')";

    static TestAnswer enterPassword(BrowserDriver& browser, std::string_view password = IdentityHost::password)
    {
        const auto shown = browser.get("/login");
        return browser.post("/login", {{"form_token", BrowserDriver::field(shown, "form_token")},
                                       {"service_id", "identity"},
                                       {"return_to", "/settings"},
                                       {"identifier", std::string(member)},
                                       {"password", std::string(password)}});
    }
    /// Sends the form of the setup page.
    static TestAnswer enterCode(BrowserDriver& browser, const TestAnswer& asked, const std::string& code)
    {
        return browser.post("/login", {{"form_token", BrowserDriver::field(asked, "form_token")},
                                       {"service_id", "identity"},
                                       {"return_to", BrowserDriver::field(asked, "return_to")},
                                       {"enroll_token", BrowserDriver::field(asked, "enroll_token")},
                                       {"code", code}});
    }
    TestAnswer verify(const std::string& token, std::string_view factor, const std::string& code) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/mfa/verify",
                            .body = jsonWith(R"({"mfaToken":"$","factor":"$","code":"$"})", token, factor, code)});
    }
    static bool shows(const TestAnswer& answer, std::string_view text) { return answer.body.find(text) != std::string::npos; }
    static std::string between(const std::string& text, std::string_view before, std::string_view after)
    {
        const auto start = text.find(before);
        if (start == std::string::npos) return {};
        const auto from = start + before.size();
        return text.substr(from, text.find(after, from) - from);
    }
    static std::string secretIn(const TestAnswer& asked) { return between(asked.body, "<code>", "</code>"); }
    std::string codeOf(std::string_view secret) const { return appCode(secret, _host->context().clock().now()); }
    std::int64_t apps() { return _host->count("SELECT COUNT(*) FROM totp_factors"); }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<BrowserDriver> _browser;
};

} // namespace portico::tests
