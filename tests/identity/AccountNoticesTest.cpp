#include "identity/AuthenticatorApp.h"
#include "identity/SoftAuthenticator.h"
#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Mails about credentials of an account: its owner is notified of each that is added or removed, and of nothing else.
class AccountNoticesTest : public Suite<AccountNoticesTest, UpstreamFixture>
{
    void setUp() override
    {
        UpstreamFixture::setUp();
        _ada = elevated("ada@acme.example");
        news();
    }

    TEST(passkeyChangesAreMailed)
    {
        const auto first = addPasskey(), second = addPasskey();
        equal("A passkey was added to your account|A passkey was added to your account|", news());
        equal(200, send(Method::Patch, "/api/auth/passkeys/" + first, R"({"name":"Laptop"})", _ada).status);
        equal("", news());
        equal(204, send(Method::Delete, "/api/auth/passkeys/" + first, {}, _ada).status);
        equal("A passkey was removed from your account|", news());
        // By the list of factors, too.
        equal(204, send(Method::Delete, "/api/auth/mfa/" + second, {}, _ada).status);
        equal("A passkey was removed from your account|", news());
    }

    TEST(appChangesAreMailed)
    {
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}", _ada);
        equal("", news(), "only begun");
        const auto done = post("/api/auth/mfa/totp/activate",
                               jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"),
                                        appCode(begun.at("/secret"), _host->context().clock().now())),
                               _ada);
        equal("An authenticator app was added to your account|", news());
        for (const auto& mail : _host->context().mailer().sentTo("ada@acme.example"))
            CHECK(mail.text.find(begun.at("/secret")) == std::string::npos &&
                  mail.text.find(done.at("/recoveryCodes/0")) == std::string::npos);
        equal(204, send(Method::Delete, "/api/auth/mfa/" + done.at("/factorId"), {}, _ada).status);
        equal("An authenticator app was removed from your account|", news());
    }

    TEST(linkedAccountChangesAreMailed)
    {
        const auto id = provider();
        linkAda(id);
        equal("An account at another provider was linked to yours|", news());
        equal(303, roundTrip(id).status);
        equal("", news(), "a sign-in by it changes nothing");
        const auto links = send(Method::Get, "/api/auth/linked-accounts", {}, _ada);
        equal(204, send(Method::Delete, "/api/auth/linked-accounts/" + links.at("/items/0/id"), {}, _ada).status);
        equal("An account at another provider was unlinked from yours|", news());
        // Links by an organization's provider are reported, because the owner has not requested them.
        prove("acme", "acme.example");
        const auto theirs = provider(owned("acme"), "https://rogue.example");
        _other->profile = _upstream->profile;
        BrowserDriver browser(*_host);
        equal(303, browser.get(_other->authorize(BrowserDriver::locationOf(browser.get(startOf(theirs))))).status);
        equal("An account at another provider was linked to yours|", news());
    }

    TEST(refusedChangesAreNotMailed)
    {
        const auto only = addPasskey();
        news();
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        equal("last_factor_required_by_policy", send(Method::Delete, "/api/auth/passkeys/" + only, {}, _ada).code());
        equal("last_factor_required_by_policy", send(Method::Delete, "/api/auth/mfa/" + only, {}, _ada).code());
        equal(404, send(Method::Delete, "/api/auth/mfa/pk_01arz3ndektsv4rrffq69g5fav", {}, _ada).status);
        equal("", news());
    }

    TEST(speakTheOwnersLanguage)
    {
        _host->change("UPDATE users SET locale = 'de' WHERE email = 'ada@acme.example'");
        addPasskey();
        const auto mail = _host->context().mailer().sentTo("ada@acme.example").back();
        equal("Ihr Konto wurde geändert", mail.subject);
    }

    std::string addPasskey() const
    {
        const auto options = post("/api/auth/passkeys/register/options", "{}", _ada);
        const auto made = post("/api/auth/passkeys/register/verify",
                               jsonWith(R"({"challengeId":"$","credential":$})", options.at("/challengeId"),
                                        SoftAuthenticator().create(options.at("/publicKey/challenge"))),
                               _ada);
        equal(201, made.status, made.body);
        return made.at("/id");
    }
    /// Returns the changes that new mails to Ada report: the start of each sentence, and a bar.
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
            CPPUNIT_ASSERT_MESSAGE("instructions in case of another person", text.find("/forgot-password") != std::string::npos);
            all += text.substr(start, text.find_first_of(":.", start) - start) + '|';
        }
        return all;
    }

    std::string _ada;
    std::size_t _read = 0;
};

} // namespace portico::tests
