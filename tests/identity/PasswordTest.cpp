#include "common/Changes.h"
#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/Crypto.h"

#include <atomic>
#include <optional>
#include <thread>

namespace portico::tests
{

/// A password that was forgotten, and one that is changed.
class PasswordTest : public Suite<PasswordTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(resetsByTheLink)
    {
        const auto token = _host->signIn("owner@acme.example");
        const auto cookies = _host->browserLogin("owner@acme.example").cookie("platform_refresh");
        const auto link = linkFor("owner@acme.example");
        equal("Choose a new password", mails().back().subject);
        equal(204, reset(link, "a quiet harbour").status);
        equal("session_ended", _host->verdict(token));
        equal(2, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'password_changed'"));
        equal("invalid_credentials", _host->login("owner@acme.example", IdentityHost::password).code());
        equal(200, _host->login("owner@acme.example", "a quiet harbour").status);
        equal("Your password was changed", mails().back().subject);
        const auto again = reset(link, "another harbour");
        refused(again, 410, "token_expired");
        const auto late = linkFor("owner@acme.example");
        _host->context().clock().advance(std::chrono::minutes(20));
        equal(410, reset(late, "another harbour").status);
    }

    TEST(answersRevealNoAccounts)
    {
        const auto known = forgot("owner@acme.example");
        const auto unknown = forgot("nobody@acme.example");
        equal(202, known.status);
        equal(unknown.body, known.body);
        equal(unknown.headerBlock(), known.headerBlock());
        equal(0, _host->context().mailer().sent().size(), "found out later, by a job");
        _host->context().jobs().runDue();
        equal(1, _host->context().mailer().sent().size());
        for (int i = 0; i < 2; ++i) forgot("nobody@acme.example");
        equal("rate_limited", forgot("nobody@acme.example").code());
    }

    TEST(resetEndsTheDelayOfSignIns)
    {
        for (int i = 0; i < 6; ++i) _host->login("owner@acme.example", "wrong");
        equal(429, _host->login("owner@acme.example", "wrong").status);
        equal(204, reset(linkFor("owner@acme.example"), "a quiet harbour").status);
        equal(200, _host->login("owner@acme.example", "a quiet harbour").status);
    }

    TEST(aSignInThatHasBegunDoesNotOutliveIt)
    {
        // A wrong try leaves an entry that the right password removes: the sign-in is past its check then.
        _host->login("owner@acme.example", "wrong");
        const auto entry = "login:" + sha256("owner@acme.example").hex();
        CHECK(_host->context().state().get(entry));
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
        equal(401, login->status, login->body);
        equal(0, _host->count("SELECT COUNT(*) FROM sessions"));
    }

    TEST(resetKeepsToTheRules)
    {
        const auto link = linkFor("owner@acme.example");
        equal("password_too_short", reset(link, "short").code());
        equal("password_breached", reset(link, "qwerty123456").code());
        equal("password_contains_context_word", reset(link, "the owner of it").code());
        equal(204, reset(link, "a quiet harbour").status, "none of these has used it up");
        equal(410, reset("nonsense", "short").status);
    }

    TEST(aLinkResetsOnceOfManyAtOnce)
    {
        const auto link = linkFor("owner@acme.example");
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 16; ++i)
            threads.emplace_back([&, i] { good += reset(link, "a quiet harbour " + std::to_string(i)).status == 204; });
        for (auto& thread : threads) thread.join();
        equal(1, good.load());
    }

    TEST(accountsThatAreClosedGetNoLink)
    {
        const auto link = linkFor("owner@acme.example");
        _host->change("UPDATE users SET status = 'suspended'");
        const auto before = mails().size();
        forgot("owner@acme.example");
        _host->context().jobs().runDue();
        equal(before, mails().size());
        equal(410, reset(link, "a quiet harbour").status);
        _host->change("UPDATE users SET status = 'pending_verification'");
        forgot("owner@acme.example");
        _host->context().jobs().runDue();
        equal("Confirm your e-mail address", mails().back().subject);
    }

    TEST(changesThePassword)
    {
        const auto other = _host->signIn("owner@acme.example");
        const auto token = elevated();
        equal("invalid_credentials", change(token, "wrong", "a quiet harbour").code());
        equal("password_breached", change(token, IdentityHost::password, "qwerty123456").code());
        // The problems name the member of the body.
        const auto fault = [&](std::string_view current, std::string_view next)
        {
            const auto answer = change(token, current, next);
            return answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code");
        };
        equal("currentPassword invalid_credentials", fault("wrong", "a quiet harbour"));
        equal("newPassword password_breached", fault(IdentityHost::password, "qwerty123456"));
        equal("newPassword password_too_short", fault(IdentityHost::password, "short"));
        equal("newPassword password_contains_context_word", fault(IdentityHost::password, "the owner of it"));
        equal(204, change(token, IdentityHost::password, "a quiet harbour").status);
        equal("ok", _host->verdict(token));
        equal("session_ended", _host->verdict(other));
        equal(200, _host->login("owner@acme.example", "a quiet harbour").status);
        equal("invalid_credentials", change(token, IdentityHost::password, "another harbour").code());
    }

    TEST(changeKeepsTheChosenSessions)
    {
        const auto other = _host->signIn("owner@acme.example");
        equal(204, change(elevated(), IdentityHost::password, "a quiet harbour", R"(,"revokeOtherSessions":false)").status);
        equal("ok", _host->verdict(other));
    }

    TEST(changeAsksForAFreshProof)
    {
        const auto token = _host->signIn("owner@acme.example");
        equal("step_up_required", change(token, IdentityHost::password, "a quiet harbour").code());
        equal(401, change("", IdentityHost::password, "a quiet harbour").status);
    }

    TEST(guessesAtTheCurrentPasswordAreDelayed)
    {
        const auto token = elevated();
        for (int i = 0; i < 5; ++i) equal(401, change(token, "wrong", "a quiet harbour").status);
        equal(429, change(token, IdentityHost::password, "a quiet harbour").status);
    }

    std::vector<Mail> mails() { return _host->context().mailer().sentTo("owner@acme.example"); }
    TestAnswer forgot(const std::string& email)
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/password/forgot",
                            .body = jsonWith(R"({"email":"$"})", email),
                            .originService = "desk"});
    }
    std::string linkFor(const std::string& email)
    {
        equal(202, forgot(email).status);
        _host->context().jobs().runDue();
        return _host->mailedToken(email);
    }
    TestAnswer reset(const std::string& token, const std::string& password)
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/password/reset",
                            .body = jsonWith(R"({"token":"$","newPassword":"$"})", token, password)});
    }
    std::string elevated()
    {
        return _host
            ->call({.method = Method::Post,
                    .target = "/api/auth/step-up",
                    .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                    .originService = "desk"},
                   _host->signIn("owner@acme.example"))
            .at("/access_token");
    }
    TestAnswer change(const std::string& token, std::string_view current, std::string_view next, std::string_view extra = {})
    {
        return _host->call({.method = Method::Put,
                            .target = "/api/auth/password",
                            .body = jsonWith(R"({"currentPassword":"$","newPassword":"$"$})", current, next, extra),
                            .originService = "desk"},
                           token);
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
