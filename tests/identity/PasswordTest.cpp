#include "common/Changes.h"
#include "identity/IdentityHost.h"

#include "portico/Crypto.h"

#include <atomic>
#include <cppunit/extensions/HelperMacros.h>
#include <optional>
#include <thread>

namespace portico::tests
{

/// A password that was forgotten, and one that is changed.
class PasswordTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PasswordTest);
    CPPUNIT_TEST(resetsByTheLink);
    CPPUNIT_TEST(tellsNobodyWhoHasAnAccount);
    CPPUNIT_TEST(resetEndsTheDelayOfSignIns);
    CPPUNIT_TEST(aSignInThatHasBegunDoesNotOutliveIt);
    CPPUNIT_TEST(resetKeepsToTheRules);
    CPPUNIT_TEST(aLinkResetsOnceOfManyAtOnce);
    CPPUNIT_TEST(accountsThatAreClosedGetNoLink);
    CPPUNIT_TEST(changesThePassword);
    CPPUNIT_TEST(changeKeepsWhatItIsToldTo);
    CPPUNIT_TEST(changeAsksForAFreshProof);
    CPPUNIT_TEST(guessesAtTheCurrentPasswordAreDelayed);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void resetsByTheLink()
    {
        const auto token = _host->signIn("owner@acme.example");
        const auto cookies = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        const auto link = linkFor("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("Choose a new password"), mails().back().subject);
        CPPUNIT_ASSERT_EQUAL(204, reset(link, "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'password_changed'"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("owner@acme.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(std::string("Your password was changed"), mails().back().subject);
        const auto again = reset(link, "another harbour");
        CPPUNIT_ASSERT_EQUAL(410, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("token_expired"), again.code());
        const auto late = linkFor("owner@acme.example");
        _host->context().clock().advance(std::chrono::minutes(20));
        CPPUNIT_ASSERT_EQUAL(410, reset(late, "another harbour").status);
    }

    void tellsNobodyWhoHasAnAccount()
    {
        const auto known = forgot("owner@acme.example");
        const auto unknown = forgot("nobody@acme.example");
        CPPUNIT_ASSERT_EQUAL(202, known.status);
        CPPUNIT_ASSERT_EQUAL(unknown.body, known.body);
        CPPUNIT_ASSERT_EQUAL(unknown.headerBlock(), known.headerBlock());
        CPPUNIT_ASSERT_EQUAL_MESSAGE("found out later, by a job", std::size_t{0}, _host->context().mailer().sent().size());
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _host->context().mailer().sent().size());
        for (int i = 0; i < 2; ++i) forgot("nobody@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), forgot("nobody@acme.example").code());
    }

    void resetEndsTheDelayOfSignIns()
    {
        for (int i = 0; i < 6; ++i) _host->login("owner@acme.example", "wrong");
        CPPUNIT_ASSERT_EQUAL(429, _host->login("owner@acme.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(204, reset(linkFor("owner@acme.example"), "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", "a quiet harbour").status);
    }

    void aSignInThatHasBegunDoesNotOutliveIt()
    {
        // A wrong try leaves an entry that the right password removes: the sign-in is past its check then.
        _host->login("owner@acme.example", "wrong");
        const auto entry = "login:" + sha256("owner@acme.example").hex();
        CPPUNIT_ASSERT(_host->context().state().get(entry));
        std::optional<TestAnswer> login;
        std::thread thread;
        {
            auto transaction = _host->context().database().begin();
            const auto user = transaction.value<std::string>("SELECT id FROM users").value();
            identity::Changes::waitFor(transaction, Tenant::fromStored(user));
            transaction.execute("UPDATE users SET password_hash = 'another'");
            thread = std::thread([&] { login = _host->login("owner@acme.example", IdentityHost::password); });
            while (_host->context().state().get(entry)) std::this_thread::yield();
            transaction.commit();
        }
        thread.join();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(login->body, 401, login->status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM sessions"));
    }

    void resetKeepsToTheRules()
    {
        const auto link = linkFor("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("password_too_short"), reset(link, "short").code());
        CPPUNIT_ASSERT_EQUAL(std::string("password_breached"), reset(link, "qwerty123456").code());
        CPPUNIT_ASSERT_EQUAL(std::string("password_contains_context_word"), reset(link, "the owner of it").code());
        CPPUNIT_ASSERT_EQUAL_MESSAGE("none of these has used it up", 204, reset(link, "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(410, reset("nonsense", "short").status);
    }

    void aLinkResetsOnceOfManyAtOnce()
    {
        const auto link = linkFor("owner@acme.example");
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 16; ++i)
            threads.emplace_back([&, i] { good += reset(link, "a quiet harbour " + std::to_string(i)).status == 204; });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT_EQUAL(1, good.load());
    }

    void accountsThatAreClosedGetNoLink()
    {
        const auto link = linkFor("owner@acme.example");
        _host->change("UPDATE users SET status = 'suspended'");
        const auto before = mails().size();
        forgot("owner@acme.example");
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(before, mails().size());
        CPPUNIT_ASSERT_EQUAL(410, reset(link, "a quiet harbour").status);
        _host->change("UPDATE users SET status = 'pending_verification'");
        forgot("owner@acme.example");
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("Confirm your e-mail address"), mails().back().subject);
    }

    void changesThePassword()
    {
        const auto other = _host->signIn("owner@acme.example");
        const auto token = elevated();
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), change(token, "wrong", "a quiet harbour").code());
        CPPUNIT_ASSERT_EQUAL(std::string("password_breached"), change(token, IdentityHost::password, "qwerty123456").code());
        CPPUNIT_ASSERT_EQUAL(204, change(token, IdentityHost::password, "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(other));
        CPPUNIT_ASSERT_EQUAL(200, _host->login("owner@acme.example", "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), change(token, IdentityHost::password, "another harbour").code());
    }

    void changeKeepsWhatItIsToldTo()
    {
        const auto other = _host->signIn("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(204, change(elevated(), IdentityHost::password, "a quiet harbour", R"(,"revokeOtherSessions":false)").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(other));
    }

    void changeAsksForAFreshProof()
    {
        const auto token = _host->signIn("owner@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), change(token, IdentityHost::password, "a quiet harbour").code());
        CPPUNIT_ASSERT_EQUAL(401, change("", IdentityHost::password, "a quiet harbour").status);
    }

    void guessesAtTheCurrentPasswordAreDelayed()
    {
        const auto token = elevated();
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(401, change(token, "wrong", "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL(429, change(token, IdentityHost::password, "a quiet harbour").status);
    }

private:
    std::vector<Mail> mails() { return _host->context().mailer().sentTo("owner@acme.example"); }
    TestAnswer forgot(const std::string& email)
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/password/forgot",
                            .body = R"({"email":")" + email + "\"}",
                            .originService = "desk"});
    }
    std::string linkFor(const std::string& email)
    {
        CPPUNIT_ASSERT_EQUAL(202, forgot(email).status);
        _host->context().jobs().runDue();
        return _host->mailedToken(email);
    }
    TestAnswer reset(const std::string& token, const std::string& password)
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/password/reset",
                            .body = R"({"token":")" + token + R"(","newPassword":")" + password + "\"}"});
    }
    std::string elevated()
    {
        return _host
            ->call({.method = Method::Post,
                    .target = "/api/auth/step-up",
                    .body = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}",
                    .originService = "desk"},
                   _host->signIn("owner@acme.example"))
            .at("/access_token");
    }
    TestAnswer change(const std::string& token, std::string_view current, std::string_view next, std::string_view extra = {})
    {
        return _host->call({.method = Method::Put,
                            .target = "/api/auth/password",
                            .body = R"({"currentPassword":")" + std::string(current) + R"(","newPassword":")" + std::string(next) + '"' +
                                    std::string(extra) + '}',
                            .originService = "desk"},
                           token);
    }

    std::unique_ptr<IdentityHost> _host;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PasswordTest);

} // namespace portico::tests
