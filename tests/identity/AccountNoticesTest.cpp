#include "identity/AuthenticatorApp.h"
#include "identity/SoftAuthenticator.h"
#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Mails about what signs in to an account: each that is added or removed is told to its owner, and nothing else is.
class AccountNoticesTest : public UpstreamFixture
{
    CPPUNIT_TEST_SUITE(AccountNoticesTest);
    CPPUNIT_TEST(ofPasskeys);
    CPPUNIT_TEST(ofApps);
    CPPUNIT_TEST(ofLinkedAccounts);
    CPPUNIT_TEST(whatWasRefusedIsNotTold);
    CPPUNIT_TEST(speakTheOwnersLanguage);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        UpstreamFixture::setUp();
        _ada = elevated("ada@acme.example");
        news();
    }

    void ofPasskeys()
    {
        const auto first = addPasskey(), second = addPasskey();
        CPPUNIT_ASSERT_EQUAL(std::string("A passkey was added to your account|A passkey was added to your account|"), news());
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, "/api/auth/passkeys/" + first, R"({"name":"Laptop"})", _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), news());
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, "/api/auth/passkeys/" + first, {}, _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string("A passkey was removed from your account|"), news());
        // By the list of factors, too.
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, "/api/auth/mfa/" + second, {}, _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string("A passkey was removed from your account|"), news());
    }

    void ofApps()
    {
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}", _ada);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("only begun", std::string(), news());
        const auto done = post("/api/auth/mfa/totp/activate",
                               R"({"enrollmentId":")" + begun.at("/enrollmentId") + R"(","code":")" +
                                   appCode(begun.at("/secret"), _host->context().clock().now()) + "\"}",
                               _ada);
        CPPUNIT_ASSERT_EQUAL(std::string("An authenticator app was added to your account|"), news());
        for (const auto& mail : _host->context().mailer().sentTo("ada@acme.example"))
            CPPUNIT_ASSERT(mail.text.find(begun.at("/secret")) == std::string::npos &&
                           mail.text.find(done.at("/recoveryCodes/0")) == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, "/api/auth/mfa/" + done.at("/factorId"), {}, _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string("An authenticator app was removed from your account|"), news());
    }

    void ofLinkedAccounts()
    {
        const auto id = provider();
        linkAda(id);
        CPPUNIT_ASSERT_EQUAL(std::string("An account at another provider was linked to yours|"), news());
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("a sign-in by it changes nothing", std::string(), news());
        const auto links = send(Method::Get, "/api/auth/linked-accounts", {}, _ada);
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, "/api/auth/linked-accounts/" + links.at("/items/0/id"), {}, _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string("An account at another provider was unlinked from yours|"), news());
        // What an organization's provider links, nobody of the account has asked for.
        prove("acme", "acme.example");
        const auto theirs = provider(owned("acme"), "https://rogue.example");
        _other->profile = _upstream->profile;
        BrowserDriver browser(*_host);
        CPPUNIT_ASSERT_EQUAL(303, browser.get(_other->authorize(BrowserDriver::locationOf(browser.get(startOf(theirs))))).status);
        CPPUNIT_ASSERT_EQUAL(std::string("An account at another provider was linked to yours|"), news());
    }

    void whatWasRefusedIsNotTold()
    {
        const auto only = addPasskey();
        news();
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        CPPUNIT_ASSERT_EQUAL(std::string("last_factor_required_by_policy"),
                             send(Method::Delete, "/api/auth/passkeys/" + only, {}, _ada).code());
        CPPUNIT_ASSERT_EQUAL(std::string("last_factor_required_by_policy"), send(Method::Delete, "/api/auth/mfa/" + only, {}, _ada).code());
        CPPUNIT_ASSERT_EQUAL(404, send(Method::Delete, "/api/auth/mfa/pk_01arz3ndektsv4rrffq69g5fav", {}, _ada).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), news());
    }

    void speakTheOwnersLanguage()
    {
        _host->change("UPDATE users SET locale = 'de' WHERE email = 'ada@acme.example'");
        addPasskey();
        const auto mail = _host->context().mailer().sentTo("ada@acme.example").back();
        CPPUNIT_ASSERT_EQUAL(std::string("Ihr Konto wurde geändert"), mail.subject);
    }

private:
    std::string addPasskey() const
    {
        const auto options = post("/api/auth/passkeys/register/options", "{}", _ada);
        const auto made = post("/api/auth/passkeys/register/verify",
                               R"({"challengeId":")" + options.at("/challengeId") + R"(","credential":)" +
                                   SoftAuthenticator().create(options.at("/publicKey/challenge")) + '}',
                               _ada);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        return made.at("/id");
    }
    /// What the mails to Ada since the last time say was changed: of each the start of its sentence, and a bar.
    std::string news()
    {
        const auto mails = _host->context().mailer().sentTo("ada@acme.example");
        std::string all;
        for (; _read < mails.size(); ++_read)
        {
            const auto& text = mails[_read].text;
            if (mails[_read].subject != "Your account was changed") continue;
            const auto start = std::min({text.find("A passkey"), text.find("An authenticator"), text.find("An account")});
            CPPUNIT_ASSERT_MESSAGE(text, start != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE("what to do if it was somebody else", text.find("/forgot-password") != std::string::npos);
            all += text.substr(start, text.find_first_of(":.", start) - start) + '|';
        }
        return all;
    }

    std::string _ada;
    std::size_t _read = 0;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AccountNoticesTest);

} // namespace portico::tests
