#include "identity/IdentityHost.h"

#include <algorithm>
#include <atomic>
#include <cppunit/extensions/HelperMacros.h>
#include <thread>

namespace portico::tests
{

/// What people keep of their own account: another address, one for recovery, and preferences.
class AddressesTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(AddressesTest);
    CPPUNIT_TEST(changesTheAddress);
    CPPUNIT_TEST(theOldAddressPutsItselfBack);
    CPPUNIT_TEST(theFirstOfSeveralAddressesComesBack);
    CPPUNIT_TEST(aRegistrationDoesNotHoldTheOldAddress);
    CPPUNIT_TEST(oneChangeWaitsAndEndsWithThePassword);
    CPPUNIT_TEST(linksForAPasswordEndWithTheAddress);
    CPPUNIT_TEST(doesNotTellWhoseAnAddressIs);
    CPPUNIT_TEST(aTakenAddressIsNotTakenOver);
    CPPUNIT_TEST(showsWhatWaitsToBeConfirmed);
    CPPUNIT_TEST(changeAsksForAFreshProof);
    CPPUNIT_TEST(aNewAddressJoinsTheOrganizationOfItsDomain);
    CPPUNIT_TEST(provesARecoveryAddress);
    CPPUNIT_TEST(recoveryCodesAreLimited);
    CPPUNIT_TEST(recoversByThatAddress);
    CPPUNIT_TEST(aResetByTheAddressItselfRemovesIt);
    CPPUNIT_TEST(theOwnerIsToldOfIt);
    CPPUNIT_TEST(aResetByItProvesNothingOfTheAddress);
    CPPUNIT_TEST(mayHaveToKeepOne);
    CPPUNIT_TEST(mergesPreferences);
    CPPUNIT_TEST(limitsPreferences);
    CPPUNIT_TEST(noPreferenceIsLostWhenManyAreSetAtOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void changesTheAddress()
    {
        const auto token = elevated();
        CPPUNIT_ASSERT_EQUAL(202, changeTo("New@x.example", token).status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("not yet", 200, _host->login("ada@x.example", IdentityHost::password).status);
        const auto link = _host->mailedToken("New@x.example");
        CPPUNIT_ASSERT_EQUAL(200, verify(link).status);
        CPPUNIT_ASSERT_EQUAL(410, verify(link).status);
        CPPUNIT_ASSERT_EQUAL(std::string("New@x.example"), get("/api/auth/me", token).at("/user/email"));
        CPPUNIT_ASSERT_EQUAL(401, _host->login("ada@x.example", IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("new@x.example", IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(std::string("same_as_primary"), changeTo("NEW@x.example ", token).code());
        // By the code as well.
        CPPUNIT_ASSERT_EQUAL(202, changeTo("third@x.example", token).status);
        const auto code = _host->mailedCode("third@x.example");
        CPPUNIT_ASSERT_EQUAL(410, verifyByCode("third@x.example", "wrong").status);
        CPPUNIT_ASSERT_EQUAL(200, verifyByCode("third@x.example", code).status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("third@x.example", IdentityHost::password).status);
    }

    void theOldAddressPutsItselfBack()
    {
        const auto token = elevated();
        changeTo("eve@x.example", token);
        verify(_host->mailedToken("eve@x.example"));
        const auto link = _host->mailedToken("ada@x.example");
        CPPUNIT_ASSERT_EQUAL(std::string("The e-mail address of your account was changed"),
                             _host->context().mailer().sentTo("ada@x.example").back().subject);
        _host->context().clock().advance(std::chrono::hours(24 * 7 - 1));
        CPPUNIT_ASSERT_EQUAL(200, verify(link).status);
        CPPUNIT_ASSERT_EQUAL(410, verify(link).status);
        // Whoever changed it knew the password.
        CPPUNIT_ASSERT_EQUAL(std::string("password_change_required"), _host->login("ada@x.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(401, _host->login("eve@x.example", IdentityHost::password).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL"));
        forgot("ada@x.example");
        CPPUNIT_ASSERT_EQUAL(204, reset(_host->mailedToken("ada@x.example")).status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("ada@x.example", "a quiet harbour").status);
    }

    void theFirstOfSeveralAddressesComesBack()
    {
        const auto token = elevated();
        changeTo("b@x.example", token);
        verify(_host->mailedToken("b@x.example"));
        const auto first = _host->mailedToken("ada@x.example");
        later();
        changeTo("c@x.example", token);
        verify(_host->mailedToken("c@x.example"));
        const auto second = _host->mailedToken("b@x.example");
        later();
        changeTo("d@x.example", token);
        const auto waits = _host->mailedToken("d@x.example");
        setRecovery("evil@x.example", token);
        prove(_host->mailedCode("evil@x.example"), token);
        CPPUNIT_ASSERT_EQUAL(200, verify(first).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@x.example"), address());
        for (const auto& link : {second, waits, first}) CPPUNIT_ASSERT_EQUAL(410, verify(link).status);
        const auto before = _host->context().mailer().sentTo("evil@x.example").size();
        forgot("evil@x.example");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("no other way back", before, _host->context().mailer().sentTo("evil@x.example").size());
        CPPUNIT_ASSERT_EQUAL(std::string("ada@x.example"), address());
    }

    void aRegistrationDoesNotHoldTheOldAddress()
    {
        changeTo("eve@x.example", elevated());
        verify(_host->mailedToken("eve@x.example"));
        const auto link = _host->mailedToken("ada@x.example");
        const auto taken = send(Method::Post, "/api/auth/register",
                                R"({"email":"ada@x.example","password":"the strangers own","displayName":"Eve","acceptTerms":true,)"
                                R"("service_id":"desk","humanVerification":)" +
                                    _host->humanProof("register") + '}',
                                "");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(taken.body, 202, taken.status);
        CPPUNIT_ASSERT_EQUAL(200, verify(link).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@x.example"), address());
    }

    void oneChangeWaitsAndEndsWithThePassword()
    {
        auto token = elevated();
        changeTo("b@x.example", token);
        const auto first = _host->mailedToken("b@x.example");
        CPPUNIT_ASSERT(mailed("ada@x.example", "e-mail address to b***@x***.example was requested"));
        changeTo("c@x.example", token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("one at a time", 410, verify(first).status);
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Put, "/api/auth/password",
                                       R"({"currentPassword":")" + std::string(IdentityHost::password) +
                                           R"(","newPassword":"a quiet harbour","revokeOtherSessions":false})",
                                       token)
                                      .status);
        CPPUNIT_ASSERT_EQUAL(410, verify(_host->mailedToken("c@x.example")).status);
        changeTo("d@x.example", token);
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Delete, "/api/auth/sessions", "", token).status);
        CPPUNIT_ASSERT_EQUAL(410, verify(_host->mailedToken("d@x.example")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@x.example"), address());
    }

    void linksForAPasswordEndWithTheAddress()
    {
        const auto token = elevated();
        forgot("ada@x.example");
        const auto link = _host->mailedToken("ada@x.example");
        changeTo("b@x.example", token);
        verify(_host->mailedToken("b@x.example"));
        CPPUNIT_ASSERT_EQUAL(410, reset(link).status);
        forgot("b@x.example");
        const auto later = _host->mailedToken("b@x.example");
        CPPUNIT_ASSERT_EQUAL(
            204, send(Method::Put, "/api/auth/password",
                      R"({"currentPassword":")" + std::string(IdentityHost::password) + R"(","newPassword":"the old mill pond"})", token)
                     .status);
        CPPUNIT_ASSERT_EQUAL(410, reset(later).status);
    }

    void doesNotTellWhoseAnAddressIs()
    {
        _host->createUser("known@x.example");
        const auto token = elevated();
        const auto known = changeTo("known@x.example", token);
        const auto unknown = changeTo("unknown@x.example", token);
        CPPUNIT_ASSERT_EQUAL(202, known.status);
        CPPUNIT_ASSERT_EQUAL(unknown.body, known.body);
        CPPUNIT_ASSERT_EQUAL(unknown.headerBlock(), known.headerBlock());
        CPPUNIT_ASSERT(_host->mailedToken("known@x.example").empty());
    }

    void aTakenAddressIsNotTakenOver()
    {
        const auto token = elevated();
        changeTo("soon@x.example", token);
        const auto link = _host->mailedToken("soon@x.example");
        const auto other = _host->createUser("soon@x.example");
        CPPUNIT_ASSERT_EQUAL(410, verify(link).status);
        CPPUNIT_ASSERT_EQUAL(other, _host->login("soon@x.example", IdentityHost::password, "identity").at("/user/id"));
    }

    void showsWhatWaitsToBeConfirmed()
    {
        const std::string_view path = "/api/auth/me/email";
        const auto token = elevated();
        CPPUNIT_ASSERT_EQUAL(std::string("ada@x.example null"), get(path, token).at("/email") + ' ' + get(path, token).at("/pending"));
        changeTo("new@x.example", token);
        const auto waits = get(path, token);
        CPPUNIT_ASSERT_EQUAL(std::string("new@x.example"), waits.at("/pending/newEmail"));
        const auto life = [&](const TestAnswer& shown)
        { return parseInstant(shown.at("/pending/expiresAt")).value() - parseInstant(shown.at("/pending/requestedAt")).value(); };
        CPPUNIT_ASSERT(life(waits) == std::chrono::hours(24));
        // Taken back, and the mail opens nothing any more; once more is no fault.
        const auto link = _host->mailedToken("new@x.example");
        for (int i = 0; i < 2; ++i) CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, path, "", token).status);
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(path, token).at("/pending"));
        CPPUNIT_ASSERT_EQUAL(410, verify(link).status);
        // Of one that belongs to somebody the same is told, although no mail can confirm it, and no code can be guessed.
        _host->createUser("known@x.example");
        changeTo("known@x.example", token);
        CPPUNIT_ASSERT_EQUAL(std::string("known@x.example"), get(path, token).at("/pending/newEmail"));
        CPPUNIT_ASSERT(life(get(path, token)) == life(waits));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE subject = 'known@x.example' AND "
                                                           "code_hash IS NOT NULL"));
        changeTo("third@x.example", token);
        verify(_host->mailedToken("third@x.example"));
        CPPUNIT_ASSERT_EQUAL(std::string("third@x.example null"), get(path, token).at("/email") + ' ' + get(path, token).at("/pending"));
        changeTo("fourth@x.example", token);
        _host->context().clock().advance(std::chrono::hours(24));
        CPPUNIT_ASSERT_EQUAL(std::string("null"),
                             get(path, _host->login("third@x.example", IdentityHost::password).at("/access_token")).at("/pending"));
    }

    void changeAsksForAFreshProof()
    {
        const auto token = _host->signIn("ada@x.example");
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), changeTo("new@x.example", token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), setRecovery("new@x.example", token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), send(Method::Delete, recoveryPath, "", token).code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _host->context().mailer().sent().size());
    }

    void aNewAddressJoinsTheOrganizationOfItsDomain()
    {
        _host->createUser("boss@globex.example", "globex", "owner");
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, auto_join_role, token, verified_at, version, "
                      "created_at, updated_at) VALUES ($1, 'globex.example', 'verified', 'member', 't', 1, 1, 1, 1)",
                      {_host->organizationId("globex")});
        const auto token = elevated();
        changeTo("ada@globex.example", token);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), std::to_string(get("/api/auth/me", token).count("/organizations")));
        verify(_host->mailedToken("ada@globex.example"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), std::to_string(get("/api/auth/me", token).count("/organizations")));
    }

    void provesARecoveryAddress()
    {
        const auto token = elevated();
        CPPUNIT_ASSERT_EQUAL(std::string("missing"), get(recoveryPath, token).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("missing"), get("/api/auth/me", token).at("/onboarding/recoveryEmail/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("same_as_primary"), setRecovery("ADA@x.example", token).code());
        const auto set = setRecovery("jane@elsewhere.org", token);
        CPPUNIT_ASSERT_EQUAL(202, set.status);
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), set.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), set.at("/maskedEmail"));
        CPPUNIT_ASSERT_EQUAL(std::string("j***@e***.org"), set.at("/pendingMaskedEmail"));
        const auto shown = prove(_host->mailedCode("jane@elsewhere.org"), token);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        CPPUNIT_ASSERT_EQUAL(std::string("verified"), shown.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("j***@e***.org"), shown.at("/maskedEmail"));
        CPPUNIT_ASSERT_EQUAL(std::string("verified"), get("/api/auth/me", token).at("/onboarding/recoveryEmail/status"));
        // Another one: the first counts until that is proved.
        const auto changed = setRecovery("kim@other.net", token);
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), changed.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("j***@e***.org"), changed.at("/maskedEmail"));
        CPPUNIT_ASSERT_EQUAL(204, send(Method::Delete, recoveryPath, "", token).status);
        CPPUNIT_ASSERT_EQUAL(std::string("missing"), get(recoveryPath, token).at("/status"));
        CPPUNIT_ASSERT_EQUAL(410, prove(_host->mailedCode("kim@other.net"), token).status);
    }

    void recoveryCodesAreLimited()
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        CPPUNIT_ASSERT_EQUAL(429, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
        for (int i = 0; i < 5; ++i) CPPUNIT_ASSERT_EQUAL(std::string("invalid_code"), prove("wrong", token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("code_expired"), prove(_host->mailedCode("jane@elsewhere.org"), token).code());
        _host->context().clock().advance(std::chrono::seconds(61));
        CPPUNIT_ASSERT_EQUAL(202, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
        CPPUNIT_ASSERT_EQUAL(200, prove(_host->mailedCode("jane@elsewhere.org"), token).status);
        CPPUNIT_ASSERT_EQUAL(409, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
    }

    void recoversByThatAddress()
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        const auto code = _host->mailedCode("jane@elsewhere.org");
        forgot("jane@elsewhere.org");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("not proved yet", std::size_t{1}, _host->context().mailer().sentTo("jane@elsewhere.org").size());
        prove(code, token);
        forgot("jane@elsewhere.org");
        const auto answer =
            _host->call({.method = Method::Post,
                         .target = "/api/auth/password/reset",
                         .body = R"({"token":")" + _host->mailedToken("jane@elsewhere.org") + R"(","newPassword":"a quiet harbour"})"});
        CPPUNIT_ASSERT_EQUAL(204, answer.status);
        CPPUNIT_ASSERT_EQUAL(200, _host->login("ada@x.example", "a quiet harbour").status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("never a way to sign in", 401, _host->login("jane@elsewhere.org", "a quiet harbour").status);
    }

    void aResetByTheAddressItselfRemovesIt()
    {
        const auto token = elevated();
        setRecovery("evil@x.example", token);
        prove(_host->mailedCode("evil@x.example"), token);
        forgot("ada@x.example");
        CPPUNIT_ASSERT_EQUAL(204, reset(_host->mailedToken("ada@x.example")).status);
        CPPUNIT_ASSERT(mailed("ada@x.example", "We removed your recovery address"));
        const auto before = _host->context().mailer().sentTo("evil@x.example").size();
        forgot("evil@x.example");
        CPPUNIT_ASSERT_EQUAL(before, _host->context().mailer().sentTo("evil@x.example").size());
    }

    void theOwnerIsToldOfIt()
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        CPPUNIT_ASSERT(mailed("ada@x.example", "j***@e***.org was added as your recovery address"));
        prove(_host->mailedCode("jane@elsewhere.org"), token);
        CPPUNIT_ASSERT(mailed("ada@x.example", "j***@e***.org can now be used to recover your account"));
        send(Method::Delete, recoveryPath, "", token);
        CPPUNIT_ASSERT(mailed("ada@x.example", "recovery address of your account was removed"));
    }

    void aResetByItProvesNothingOfTheAddress()
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        prove(_host->mailedCode("jane@elsewhere.org"), token);
        _host->change("UPDATE users SET email_verified = FALSE");
        forgot("jane@elsewhere.org");
        CPPUNIT_ASSERT_EQUAL(204, reset(_host->mailedToken("jane@elsewhere.org")).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM users WHERE email_verified"));
    }

    void mayHaveToKeepOne()
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.accounts.recoveryEmailRequired", "true"}});
        strict.createUser("ada@x.example", "acme", "owner");
        const auto token = strict.signIn("ada@x.example");
        const auto answer = strict.call({.method = Method::Delete, .target = std::string(recoveryPath), .originService = "desk"}, token);
        CPPUNIT_ASSERT_EQUAL(409, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("recovery_email_required_by_onboarding"), answer.code());
    }

    void mergesPreferences()
    {
        const auto token = _host->signIn("ada@x.example");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"shared":{},"services":{},"version":0})"), get(preferencesPath, token).body);
        prefer(R"({"shared":{"theme":"dark","density":"compact"},"services":{"crm":{"list":{"columns":["name"],"wide":true}}}})", token);
        const auto merged = prefer(R"({"shared":{"theme":null},"services":{"crm":{"list":{"columns":["a","b"]}},"desk":{"x":1}}})", token);
        CPPUNIT_ASSERT_EQUAL(200, merged.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"shared":{"density":"compact"},"services":{"crm":{"list":{"columns":["a","b"],"wide":true}},)"
                                         R"("desk":{"x":1}},"version":2})"),
                             merged.body);
        CPPUNIT_ASSERT_EQUAL(merged.body, get(preferencesPath, token).body);
        const auto late = _host->call({.method = Method::Patch,
                                       .target = std::string(preferencesPath),
                                       .body = R"({"shared":{}})",
                                       .headers = {{"If-Match", "\"1\""}},
                                       .originService = "desk"},
                                      token);
        CPPUNIT_ASSERT_EQUAL(412, late.status);
        prefer(R"({"services":{"crm":null}})", token);
        CPPUNIT_ASSERT(!get(preferencesPath, token).has("/services/crm"));
        // One's own, in every app, and nobody else's.
        CPPUNIT_ASSERT_EQUAL(
            std::string("compact"),
            _host->call({.target = std::string(preferencesPath)}, _host->signIn("ada@x.example", "identity")).at("/shared/density"));
        _host->createUser("eve@x.example", "acme", "member");
        CPPUNIT_ASSERT(!get(preferencesPath, _host->signIn("eve@x.example")).has("/shared/density"));
    }

    void limitsPreferences()
    {
        const auto token = _host->signIn("ada@x.example");
        const auto of = [](int kilobytes) { return R"({"x":")" + std::string(static_cast<std::size_t>(kilobytes) * 1024, 'x') + R"("})"; };
        CPPUNIT_ASSERT_EQUAL(413, prefer(R"({"services":{"crm":)" + of(16) + "}}", token).status);
        CPPUNIT_ASSERT_EQUAL(413, prefer(R"({"shared":)" + of(16) + "}", token).status);
        for (const std::string service : {"a1", "a2", "a3", "a4"})
            CPPUNIT_ASSERT_EQUAL(200, prefer(R"({"services":{")" + service + "\":" + of(15) + "}}", token).status);
        CPPUNIT_ASSERT_EQUAL(413, prefer(R"({"services":{"a5":)" + of(15) + "}}", token).status);
        for (const auto* wrong : {R"({"services":{"crm":1}})", R"({"services":[]})", R"({"shared":"x"})", R"({"services":{"No id":{}}})",
                                  R"({"other":{}})", "[]"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, 400, prefer(wrong, token).status);
        CPPUNIT_ASSERT_EQUAL(std::string("4"), get(preferencesPath, token).at("/version"));
    }

    void noPreferenceIsLostWhenManyAreSetAtOnce()
    {
        const auto token = _host->signIn("ada@x.example");
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { prefer(R"({"shared":{"k)" + std::to_string(i) + R"(":true}})", token); });
        for (auto& thread : threads) thread.join();
        CPPUNIT_ASSERT_EQUAL(std::size_t{8}, get(preferencesPath, token).count("/shared"));
    }

private:
    static constexpr std::string_view recoveryPath = "/api/auth/me/recovery-email";
    static constexpr std::string_view preferencesPath = "/api/auth/me/preferences";

    TestAnswer send(Method method, std::string_view path, std::string body, const std::string& token)
    {
        return _host->call({.method = method, .target = std::string(path), .body = std::move(body), .originService = "desk"}, token);
    }
    TestAnswer get(std::string_view path, const std::string& token) { return send(Method::Get, path, "", token); }
    std::string elevated()
    {
        return send(Method::Post, "/api/auth/step-up", R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}",
                    _host->signIn("ada@x.example"))
            .at("/access_token");
    }
    TestAnswer changeTo(const std::string& email, const std::string& token)
    {
        return send(Method::Post, "/api/auth/me/email", R"({"newEmail":")" + email + "\"}", token);
    }
    TestAnswer setRecovery(const std::string& email, const std::string& token)
    {
        return send(Method::Put, recoveryPath, R"({"email":")" + email + "\"}", token);
    }
    TestAnswer prove(const std::string& code, const std::string& token)
    {
        return send(Method::Post, std::string(recoveryPath) + "/verify", R"({"code":")" + code + "\"}", token);
    }
    TestAnswer prefer(std::string body, const std::string& token) { return send(Method::Patch, preferencesPath, std::move(body), token); }
    TestAnswer verify(const std::string& token)
    {
        return send(Method::Post, "/api/auth/email/verify", R"({"token":")" + token + "\"}", "");
    }
    TestAnswer verifyByCode(const std::string& email, const std::string& code)
    {
        return send(Method::Post, "/api/auth/email/verify", R"({"email":")" + email + R"(","code":")" + code + "\"}", "");
    }
    TestAnswer reset(const std::string& token)
    {
        return send(Method::Post, "/api/auth/password/reset", R"({"token":")" + token + R"(","newPassword":"a quiet harbour"})", "");
    }
    std::string address()
    {
        return _host->context().database().session().value<std::string>("SELECT email FROM users WHERE display_name <> 'Eve'").value();
    }
    bool mailed(std::string_view to, std::string_view words)
    {
        const auto mails = _host->context().mailer().sentTo(to);
        return std::ranges::any_of(mails, [&](const Mail& mail) { return mail.text.find(words) != std::string::npos; });
    }
    void later() { _host->context().clock().advance(std::chrono::milliseconds(1)); }
    void forgot(const std::string& email)
    {
        send(Method::Post, "/api/auth/password/forgot", R"({"email":")" + email + "\"}", "");
        _host->context().jobs().runDue();
    }

    std::unique_ptr<IdentityHost> _host;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AddressesTest);

} // namespace portico::tests
