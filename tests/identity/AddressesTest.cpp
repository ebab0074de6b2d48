#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace portico::tests
{

/// E-mail address, recovery address and preferences of an account.
class AddressesTest : public Suite<AddressesTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("ada@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(changesTheAddress)
    {
        const auto token = elevated();
        equal(202, changeTo("New@x.example", token).status);
        equal(200, _host->login("ada@x.example", IdentityHost::password).status, "not yet");
        const auto link = _host->mailedToken("New@x.example");
        equal(200, verify(link).status);
        equal(410, verify(link).status);
        equal("New@x.example", get("/api/auth/me", token).at("/user/email"));
        equal(401, _host->login("ada@x.example", IdentityHost::password).status);
        equal(200, _host->login("new@x.example", IdentityHost::password).status);
        equal("same_as_primary", changeTo("NEW@x.example ", token).code());
        // Verification by the code also works.
        equal(202, changeTo("third@x.example", token).status);
        const auto code = _host->mailedCode("third@x.example");
        equal(410, verifyByCode("third@x.example", "wrong").status);
        equal(200, verifyByCode("third@x.example", code).status);
        equal(200, _host->login("third@x.example", IdentityHost::password).status);
    }

    TEST(theOldAddressPutsItselfBack)
    {
        const auto token = elevated();
        changeTo("eve@x.example", token);
        verify(_host->mailedToken("eve@x.example"));
        const auto link = _host->mailedToken("ada@x.example");
        equal("The e-mail address of your account was changed", _host->context().mailer().sentTo("ada@x.example").back().subject);
        _host->context().clock().advance(std::chrono::hours(24 * 7 - 1));
        equal(200, verify(link).status);
        equal(410, verify(link).status);
        // The person who changed the address knew the password.
        equal("password_change_required", _host->login("ada@x.example", IdentityHost::password).code());
        equal(401, _host->login("eve@x.example", IdentityHost::password).status);
        equal(0, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL"));
        forgot("ada@x.example");
        equal(204, reset(_host->mailedToken("ada@x.example")).status);
        equal(200, _host->login("ada@x.example", "a quiet harbour").status);
    }

    TEST(theFirstOfSeveralAddressesComesBack)
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
        equal(200, verify(first).status);
        equal("ada@x.example", address());
        for (const auto& link : {second, waits, first}) equal(410, verify(link).status);
        const auto before = _host->context().mailer().sentTo("evil@x.example").size();
        forgot("evil@x.example");
        equal(before, _host->context().mailer().sentTo("evil@x.example").size(), "no other way back");
        equal("ada@x.example", address());
    }

    TEST(aRegistrationDoesNotHoldTheOldAddress)
    {
        changeTo("eve@x.example", elevated());
        verify(_host->mailedToken("eve@x.example"));
        const auto link = _host->mailedToken("ada@x.example");
        const auto taken = send(
            Method::Post, "/api/auth/register",
            jsonWith(
                R"({"email":"ada@x.example","password":"the strangers own","displayName":"Eve","acceptTerms":true,"service_id":"desk",)"
                R"("humanVerification":$})",
                _host->humanProof("register")),
            "");
        equal(202, taken.status, taken.body);
        equal(200, verify(link).status);
        equal("ada@x.example", address());
    }

    TEST(oneChangeWaitsAndEndsWithThePassword)
    {
        auto token = elevated();
        changeTo("b@x.example", token);
        const auto first = _host->mailedToken("b@x.example");
        CHECK(mailed("ada@x.example", "e-mail address to b***@x***.example was requested"));
        changeTo("c@x.example", token);
        equal(410, verify(first).status, "one at a time");
        equal(204, send(Method::Put, "/api/auth/password",
                        jsonWith(R"({"currentPassword":"$","newPassword":"a quiet harbour","revokeOtherSessions":false})",
                                 IdentityHost::password),
                        token)
                       .status);
        equal(410, verify(_host->mailedToken("c@x.example")).status);
        changeTo("d@x.example", token);
        equal(200, send(Method::Delete, "/api/auth/sessions", "", token).status);
        equal(410, verify(_host->mailedToken("d@x.example")).status);
        equal("ada@x.example", address());
    }

    TEST(linksForAPasswordEndWithTheAddress)
    {
        const auto token = elevated();
        forgot("ada@x.example");
        const auto link = _host->mailedToken("ada@x.example");
        changeTo("b@x.example", token);
        verify(_host->mailedToken("b@x.example"));
        equal(410, reset(link).status);
        forgot("b@x.example");
        const auto later = _host->mailedToken("b@x.example");
        equal(204, send(Method::Put, "/api/auth/password",
                        jsonWith(R"({"currentPassword":"$","newPassword":"the old mill pond"})", IdentityHost::password), token)
                       .status);
        equal(410, reset(later).status);
    }

    TEST(doesNotRevealTheOwnerOfAnAddress)
    {
        _host->createUser("known@x.example");
        const auto token = elevated();
        const auto known = changeTo("known@x.example", token);
        const auto unknown = changeTo("unknown@x.example", token);
        equal(202, known.status);
        equal(unknown.body, known.body);
        equal(unknown.headerBlock(), known.headerBlock());
        CHECK(_host->mailedToken("known@x.example").empty());
    }

    TEST(aTakenAddressIsNotTakenOver)
    {
        const auto token = elevated();
        changeTo("soon@x.example", token);
        const auto link = _host->mailedToken("soon@x.example");
        const auto other = _host->createUser("soon@x.example");
        equal(410, verify(link).status);
        equal(other, _host->login("soon@x.example", IdentityHost::password, "identity").at("/user/id"));
    }

    TEST(showsWhatWaitsToBeConfirmed)
    {
        const std::string_view path = "/api/auth/me/email";
        const auto token = elevated();
        equal("ada@x.example null", get(path, token).at("/email") + ' ' + get(path, token).at("/pending"));
        changeTo("new@x.example", token);
        const auto waits = get(path, token);
        equal("new@x.example", waits.at("/pending/newEmail"));
        const auto life = [&](const TestAnswer& shown)
        { return parseInstant(shown.at("/pending/expiresAt")).value() - parseInstant(shown.at("/pending/requestedAt")).value(); };
        CHECK(life(waits) == std::chrono::hours(24));
        // Taken back, and the mail opens nothing any more; once more is no fault.
        const auto link = _host->mailedToken("new@x.example");
        for (int i = 0; i < 2; ++i) equal(204, send(Method::Delete, path, "", token).status);
        equal("null", get(path, token).at("/pending"));
        equal(410, verify(link).status);
        // An address of another account gives the same answer, but no mail can confirm it, and no code exists that could be guessed.
        _host->createUser("known@x.example");
        changeTo("known@x.example", token);
        equal("known@x.example", get(path, token).at("/pending/newEmail"));
        CHECK(life(get(path, token)) == life(waits));
        equal(0, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE subject = 'known@x.example' AND "
                              "code_hash IS NOT NULL"));
        changeTo("third@x.example", token);
        verify(_host->mailedToken("third@x.example"));
        equal("third@x.example null", get(path, token).at("/email") + ' ' + get(path, token).at("/pending"));
        changeTo("fourth@x.example", token);
        _host->context().clock().advance(std::chrono::hours(24));
        equal("null", get(path, _host->login("third@x.example", IdentityHost::password).at("/access_token")).at("/pending"));
    }

    TEST(changeAsksForAFreshProof)
    {
        const auto token = _host->signIn("ada@x.example");
        equal("step_up_required", changeTo("new@x.example", token).code());
        equal("step_up_required", setRecovery("new@x.example", token).code());
        equal("step_up_required", send(Method::Delete, recoveryPath, "", token).code());
        equal(0, _host->context().mailer().sent().size());
    }

    TEST(aNewAddressJoinsTheOrganizationOfItsDomain)
    {
        _host->createUser("boss@globex.example", "globex", "owner");
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, auto_join_role, token, verified_at, version, "
                      "created_at, updated_at) VALUES ($1, 'globex.example', 'verified', 'member', 't', 1, 1, 1, 1)",
                      {_host->organizationId("globex")});
        const auto token = elevated();
        changeTo("ada@globex.example", token);
        equal("1", std::to_string(get("/api/auth/me", token).count("/organizations")));
        verify(_host->mailedToken("ada@globex.example"));
        equal("2", std::to_string(get("/api/auth/me", token).count("/organizations")));
    }

    TEST(provesARecoveryAddress)
    {
        const auto token = elevated();
        equal("missing", get(recoveryPath, token).at("/status"));
        equal("missing", get("/api/auth/me", token).at("/onboarding/recoveryEmail/status"));
        equal("same_as_primary", setRecovery("ADA@x.example", token).code());
        const auto set = setRecovery("jane@elsewhere.org", token);
        equal(202, set.status);
        equal("pending", set.at("/status"));
        equal("null", set.at("/maskedEmail"));
        equal("j***@e***.org", set.at("/pendingMaskedEmail"));
        const auto shown = prove(_host->mailedCode("jane@elsewhere.org"), token);
        equal(200, shown.status);
        equal("verified", shown.at("/status"));
        equal("j***@e***.org", shown.at("/maskedEmail"));
        equal("verified", get("/api/auth/me", token).at("/onboarding/recoveryEmail/status"));
        // Another one: the first counts until that is proved.
        const auto changed = setRecovery("kim@other.net", token);
        equal("pending", changed.at("/status"));
        equal("j***@e***.org", changed.at("/maskedEmail"));
        equal(204, send(Method::Delete, recoveryPath, "", token).status);
        equal("missing", get(recoveryPath, token).at("/status"));
        equal(410, prove(_host->mailedCode("kim@other.net"), token).status);
    }

    TEST(recoveryAddressWithAnAccountRecoversOthers)
    {
        const std::string shared = "jane@elsewhere.org";
        const auto reset = [&]
        {
            const auto before = _host->context().mailer().sentTo(shared).size();
            equal(202, send(Method::Post, "/api/auth/password/forgot", jsonWith(R"({"email":"$"})", shared), "").status);
            _host->context().jobs().runDue();
            return _host->context().mailer().sentTo(shared).size() - before;
        };
        const auto others = [&](int count)
        {
            for (int i = 0; i < count; ++i)
                _host->change("INSERT INTO recovery_emails (user_id, email, email_key, verified_at, created_at, updated_at) VALUES ($1, "
                              "$2, $2, 1, 1, 1)",
                              {_host->createUser("user" + std::to_string(i) + "@x.example"), shared});
        };
        others(4);
        equal(4, reset());
        // A new account with this address is mailed once.
        const auto own = _host->createUser(shared);
        equal(5, reset());
        _host->change("UPDATE users SET status = 'pending_verification' WHERE id = $1", {own});
        equal(5, reset(), "the verification mail, and a reset for each other account");
    }

    TEST(recoveryCodesAreLimited)
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        equal(429, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
        for (int i = 0; i < 5; ++i) equal("invalid_code", prove("wrong", token).code());
        equal("code_expired", prove(_host->mailedCode("jane@elsewhere.org"), token).code());
        _host->context().clock().advance(std::chrono::seconds(61));
        equal(202, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
        equal(200, prove(_host->mailedCode("jane@elsewhere.org"), token).status);
        equal(409, send(Method::Post, std::string(recoveryPath) + "/resend", "{}", token).status);
    }

    TEST(recoversByThatAddress)
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        const auto code = _host->mailedCode("jane@elsewhere.org");
        forgot("jane@elsewhere.org");
        equal(1, _host->context().mailer().sentTo("jane@elsewhere.org").size(), "not proved yet");
        prove(code, token);
        forgot("jane@elsewhere.org");
        const auto answer =
            _host->call({.method = Method::Post,
                         .target = "/api/auth/password/reset",
                         .body = jsonWith(R"({"token":"$","newPassword":"a quiet harbour"})", _host->mailedToken("jane@elsewhere.org"))});
        equal(204, answer.status);
        equal(200, _host->login("ada@x.example", "a quiet harbour").status);
        equal(401, _host->login("jane@elsewhere.org", "a quiet harbour").status, "never a way to sign in");
    }

    TEST(aResetByTheAddressItselfRemovesIt)
    {
        const auto token = elevated();
        setRecovery("evil@x.example", token);
        prove(_host->mailedCode("evil@x.example"), token);
        forgot("ada@x.example");
        equal(204, reset(_host->mailedToken("ada@x.example")).status);
        CHECK(mailed("ada@x.example", "We removed your recovery address"));
        const auto before = _host->context().mailer().sentTo("evil@x.example").size();
        forgot("evil@x.example");
        equal(before, _host->context().mailer().sentTo("evil@x.example").size());
    }

    TEST(theOwnerIsMailed)
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        CHECK(mailed("ada@x.example", "j***@e***.org was added as your recovery address"));
        prove(_host->mailedCode("jane@elsewhere.org"), token);
        CHECK(mailed("ada@x.example", "j***@e***.org can now be used to recover your account"));
        send(Method::Delete, recoveryPath, "", token);
        CHECK(mailed("ada@x.example", "recovery address of your account was removed"));
    }

    TEST(aResetByItProvesNothingOfTheAddress)
    {
        const auto token = elevated();
        setRecovery("jane@elsewhere.org", token);
        prove(_host->mailedCode("jane@elsewhere.org"), token);
        _host->change("UPDATE users SET email_verified = FALSE");
        forgot("jane@elsewhere.org");
        equal(204, reset(_host->mailedToken("jane@elsewhere.org")).status);
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE email_verified"));
    }

    TEST(mayHaveToKeepOne)
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.accounts.recoveryEmailRequired", "true"}});
        strict.createUser("ada@x.example", "acme", "owner");
        const auto token = strict.signIn("ada@x.example");
        const auto answer = strict.call({.method = Method::Delete, .target = std::string(recoveryPath), .originService = "desk"}, token);
        refused(answer, 409, "recovery_email_required_by_onboarding");
    }

    TEST(mergesPreferences)
    {
        const auto token = _host->signIn("ada@x.example");
        equal(R"({"shared":{},"services":{},"version":0})", get(preferencesPath, token).body);
        equal("0", prefer("{}", token).at("/version"));
        prefer(R"({"shared":{"theme":"dark","density":"compact"},"services":{"crm":{"list":{"columns":["name"],"wide":true}}}})", token);
        const auto merged = prefer(R"({"shared":{"theme":null},"services":{"crm":{"list":{"columns":["a","b"]}},"desk":{"x":1}}})", token);
        equal(200, merged.status);
        equal(R"({"shared":{"density":"compact"},"services":{"crm":{"list":{"columns":["a","b"],"wide":true}},)"
              R"("desk":{"x":1}},"version":2})",
              merged.body);
        equal(merged.body, get(preferencesPath, token).body);
        // A patch that changes nothing keeps the version.
        for (const auto* same : {"{}", R"({"shared":{}})", R"({"shared":{"density":"compact"},"services":{"desk":{"x":1}}})"})
            equal(merged.body, prefer(same, token).body, same);
        const auto late = _host->call({.method = Method::Patch,
                                       .target = std::string(preferencesPath),
                                       .body = R"({"shared":{}})",
                                       .headers = {{"If-Match", "\"1\""}},
                                       .originService = "desk"},
                                      token);
        equal(412, late.status);
        prefer(R"({"services":{"crm":null}})", token);
        CHECK(!get(preferencesPath, token).has("/services/crm"));
        // Preferences are shared by all apps of the user, and not visible to others.
        equal("compact",
              _host->call({.target = std::string(preferencesPath)}, _host->signIn("ada@x.example", "identity")).at("/shared/density"));
        _host->createUser("eve@x.example", "acme", "member");
        CHECK(!get(preferencesPath, _host->signIn("eve@x.example")).has("/shared/density"));
    }

    TEST(limitsPreferences)
    {
        const auto token = _host->signIn("ada@x.example");
        const auto of = [](int kilobytes)
        { return jsonWith(R"({"x":"$"})", std::string(static_cast<std::size_t>(kilobytes) * 1024, 'x')); };
        equal(413, prefer(jsonWith(R"({"services":{"crm":$}})", of(16)), token).status);
        equal(413, prefer(jsonWith(R"({"shared":$})", of(16)), token).status);
        for (const std::string service : {"a1", "a2", "a3", "a4"})
            equal(200, prefer(jsonWith(R"({"services":{"$":$}})", service, of(15)), token).status);
        equal(413, prefer(jsonWith(R"({"services":{"a5":$}})", of(15)), token).status);
        for (const auto* wrong : {R"({"services":{"crm":1}})", R"({"services":[]})", R"({"shared":"x"})", R"({"services":{"No id":{}}})",
                                  R"({"other":{}})", "[]"})
            equal(400, prefer(wrong, token).status, wrong);
        equal("4", get(preferencesPath, token).at("/version"));
    }

    TEST(noPreferenceIsLostWhenManyAreSetAtOnce)
    {
        const auto token = _host->signIn("ada@x.example");
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { prefer(jsonWith(R"({"shared":{"k$":true}})", i), token); });
        for (auto& thread : threads) thread.join();
        equal(8, get(preferencesPath, token).count("/shared"));
    }

    static constexpr std::string_view recoveryPath = "/api/auth/me/recovery-email";
    static constexpr std::string_view preferencesPath = "/api/auth/me/preferences";

    TestAnswer send(Method method, std::string_view path, std::string body, const std::string& token)
    {
        return _host->call({.method = method, .target = std::string(path), .body = std::move(body), .originService = "desk"}, token);
    }
    TestAnswer get(std::string_view path, const std::string& token) { return send(Method::Get, path, "", token); }
    std::string elevated()
    {
        return send(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                    _host->signIn("ada@x.example"))
            .at("/access_token");
    }
    TestAnswer changeTo(const std::string& email, const std::string& token)
    {
        return send(Method::Post, "/api/auth/me/email", jsonWith(R"({"newEmail":"$"})", email), token);
    }
    TestAnswer setRecovery(const std::string& email, const std::string& token)
    {
        return send(Method::Put, recoveryPath, jsonWith(R"({"email":"$"})", email), token);
    }
    TestAnswer prove(const std::string& code, const std::string& token)
    {
        return send(Method::Post, std::string(recoveryPath) + "/verify", jsonWith(R"({"code":"$"})", code), token);
    }
    TestAnswer prefer(std::string body, const std::string& token) { return send(Method::Patch, preferencesPath, std::move(body), token); }
    TestAnswer verify(const std::string& token)
    {
        return send(Method::Post, "/api/auth/email/verify", jsonWith(R"({"token":"$"})", token), "");
    }
    TestAnswer verifyByCode(const std::string& email, const std::string& code)
    {
        return send(Method::Post, "/api/auth/email/verify", jsonWith(R"({"email":"$","code":"$"})", email, code), "");
    }
    TestAnswer reset(const std::string& token)
    {
        return send(Method::Post, "/api/auth/password/reset", jsonWith(R"({"token":"$","newPassword":"a quiet harbour"})", token), "");
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
        send(Method::Post, "/api/auth/password/forgot", jsonWith(R"({"email":"$"})", email), "");
        _host->context().jobs().runDue();
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
