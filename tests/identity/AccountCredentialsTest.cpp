#include "accounts/AccountCredentials.h"
#include "identity/AuthenticatorApp.h"
#include "identity/BrowserDriver.h"
#include "identity/IdentityHost.h"
#include "identity/SoftAuthenticator.h"
#include "support/Suite.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace portico::tests
{

using identity::AccountCredentialKind;

/// Everything that opens an account is one list, which a revert, a reset, an administrator and a deletion work through.
class AccountCredentialsTest : public Suite<AccountCredentialsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser(ada, "acme", "owner");
        _acme = _host->organizationId("acme");
        _host->change("UPDATE users SET email_verified = TRUE");
        _host->change(
            "INSERT INTO identity_providers (id, owner_id, name, kind, issuer, client_id, client_secret, scopes, domains, button, "
            "join_mode, trust_email, acr_map, status, version, created_at, updated_at) VALUES ('idp_x', 'installation', 'X', "
            "'oidc', 'https://x.example', 'c', '', '[]', '[]', '{}', 'off', FALSE, '{}', 'active', 1, 0, 0)");
        _host->change("INSERT INTO oauth_clients (client_id, owner_organization_id, name, type, first_party, owner_type, owner_id, "
                      "redirect_uris, post_logout_redirect_uris, grant_types, scopes, token_endpoint_auth_method, jwks, require_pkce, "
                      "require_par, dpop_bound_access_tokens, id_token_signed_response_alg, subject_type, consent, version, created_at, "
                      "updated_at) VALUES ('app', $1, 'App', 'web', FALSE, 'organization', $1, '[]', '[]', '[]', '[]', 'none', '[]', TRUE, "
                      "FALSE, FALSE, 'RS256', 'public', 'explicit', 1, 0, 0)",
                      {_acme});
        _host->change("INSERT INTO oauth_clients (client_id, owner_organization_id, name, type, first_party, owner_type, owner_id, "
                      "redirect_uris, post_logout_redirect_uris, grant_types, scopes, token_endpoint_auth_method, jwks, require_pkce, "
                      "require_par, dpop_bound_access_tokens, id_token_signed_response_alg, subject_type, consent, version, created_at, "
                      "updated_at) VALUES ('old', $1, 'Old', 'web', FALSE, 'organization', $1, '[]', '[]', '[]', '[]', 'none', '[]', TRUE, "
                      "FALSE, FALSE, 'RS256', 'public', 'explicit', 1, 0, 0)",
                      {_acme});
    }
    void tearDown() override { _host.reset(); }

    /// Reads the migrations: a table with a column for a person is in the list, or named here with the reason why it opens nothing.
    TEST(everyTableOfAnAccountIsListedOrExempt)
    {
        const std::set<std::string, std::less<>> exempt = {
            "memberships",          // a right of an account
            "permission_overrides", // a right of an account
            "invitations",          // names the sender
            "household_members",    "household_invitations",
            "households",
            "last_contexts", // last context of the user
            "used_codes",    // deleted with its sign-in
            "known_devices", // not a credential: only suppresses mails about new devices
            "preferences",          "oauth_subjects",
            "service_onboarding",   "scim_users",
            "scim_group_members", // data of the directory
            "data_exports",         "erasures",
            "erasure_steps",
            "one_time_tokens",    // taken back by `one_time_tokens::revokeChanges`
            "identity_providers", // `owner_id` is an organization
            "oauth_clients",      // `owner_id` is an organization
            "organization_domains", "audit_events",
        };
        std::set<std::string, std::less<>> listed;
        for (const auto kind : identity::account_credentials::all())
            for (const auto table : identity::account_credentials::tablesOf(kind)) listed.emplace(table);
        const auto tables = tablesOfPeople();
        CHECK(tables.size() > 20);
        for (const auto& table : tables)
            CPPUNIT_ASSERT_MESSAGE(table + " stores something of people: add it to account_credentials, or here with the reason why not",
                                   listed.contains(table) || exempt.contains(table));
        for (const auto& table : listed)
            CPPUNIT_ASSERT_MESSAGE(table, tables.contains(table) || table == "users" || table == "refresh_families");
    }

    TEST(revertRemovesWhatAThiefAdded)
    {
        const auto thief = elevated();
        later();
        changeTo("thief@x.example", thief);
        const auto link = confirmed("thief@x.example");
        later();
        auto passkey = addPasskey(thief);
        const auto apiKey = addKey(thief);
        equal(200, signInBy(passkey).status);
        equal("ok", _host->verdict(apiKey));
        equal(200, verify(link).status);
        equal("passkey_rejected", signInBy(passkey).code());
        equal("key_revoked", _host->verdict(apiKey));
        // Mail and audit entry list the removed credentials.
        const auto mail = _host->context().mailer().sentTo(ada).back();
        equal("Your e-mail address was restored", mail.subject);
        for (const auto* words : {"- Passkey, added 2026-01-01 00:", "- API key, created 2026-01-01 00:"})
            CPPUNIT_ASSERT_MESSAGE(mail.text, mail.text.find(words) != std::string::npos);
        const auto details = detailsOf("user.email_reverted");
        for (const auto* words : {R"("kind":"passkey","id":"pk_)", R"("kind":"api_key","id":")", R"("kind":"password")"})
            CPPUNIT_ASSERT_MESSAGE(details, details.find(words) != std::string::npos);
        // The owner needs no second factor of the thief's.
        forgot();
        equal(204, reset(_host->mailedToken(ada)).status);
        equal(200, _host->login(ada, newPassword).status);
    }

    TEST(revertKeepsWhatIsOlder)
    {
        const auto thief = elevated();
        addAll("old", "app");
        _host->context().clock().advance(std::chrono::minutes(1));
        changeTo("thief@x.example", thief);
        _host->context().clock().advance(std::chrono::minutes(1));
        const auto link = confirmed("thief@x.example");
        addAll("new", "old");
        equal(2, countOf(AccountCredentialKind::Passkey));
        equal(200, verify(link).status);
        std::set<AccountCredentialKind> kept;
        for (const auto& item : listed())
        {
            CPPUNIT_ASSERT_MESSAGE(item.id, item.id.find("new") == std::string::npos && item.id != "old");
            kept.insert(item.kind);
        }
        using enum AccountCredentialKind;
        const std::set<AccountCredentialKind> expected = {Password, Passkey, Totp,  RecoveryCode,   LinkedAccount,
                                                          ApiKey,   Consent, Agent, OrganizationKey};
        CHECK(expected == kept);
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE status = 'deactivated'"));
        equal("password_change_required", codeOfLogin());
    }

    TEST(revertRemovesWhatIsAddedBetweenRequestAndConfirmation)
    {
        const auto thief = elevated();
        changeTo("thief@x.example", thief);
        later();
        auto passkey = addPasskey(thief);
        later();
        equal(200, verify(confirmed("thief@x.example")).status);
        equal("passkey_rejected", signInBy(passkey).code());
    }

    TEST(revertEndsAPasskeyCeremonyThatHasBegun)
    {
        const auto thief = elevated();
        changeTo("thief@x.example", thief);
        const auto link = confirmed("thief@x.example");
        const auto options = post("/api/auth/passkeys/register/options", "{}", thief);
        verify(link);
        const SoftAuthenticator key;
        const auto made = post(
            "/api/auth/passkeys/register/verify",
            jsonWith(R"({"challengeId":"$","credential":$})", options.at("/challengeId"), key.create(options.at("/publicKey/challenge"))),
            thief);
        CPPUNIT_ASSERT_MESSAGE(made.body, made.status == 401 || made.status == 403);
        equal(0, countOf(AccountCredentialKind::Passkey));
    }

    TEST(revertEndsAnAppThatWaitsForItsCode)
    {
        const auto thief = elevated();
        changeTo("thief@x.example", thief);
        const auto link = confirmed("thief@x.example");
        const auto begun = post("/api/auth/mfa/totp/enroll", "{}", thief);
        verify(link);
        const auto done = post("/api/auth/mfa/totp/activate",
                               jsonWith(R"({"enrollmentId":"$","code":"$"})", begun.at("/enrollmentId"),
                                        appCode(begun.at("/secret"), _host->context().clock().now())),
                               thief);
        CPPUNIT_ASSERT_MESSAGE(done.body, done.status == 401 || done.status == 403);
        equal(0, countOf(AccountCredentialKind::Totp));
    }

    TEST(revertKeepsAnOlderRecoveryAddress)
    {
        const auto owner = elevated();
        const auto set = [&](const std::string& address) {
            _host->call({.method = Method::Put, .target = "/api/auth/me/recovery-email", .body = jsonWith(R"({"email":"$"})", address)},
                        owner);
        };
        set("mine@elsewhere.org");
        equal(
            200,
            post("/api/auth/me/recovery-email/verify", jsonWith(R"({"code":"$"})", _host->mailedCode("mine@elsewhere.org")), owner).status);
        _host->context().clock().advance(std::chrono::minutes(1));
        changeTo("thief@x.example", owner);
        const auto link = confirmed("thief@x.example");
        set("thief@elsewhere.org");
        const auto code = _host->mailedCode("thief@elsewhere.org");
        verify(link);
        equal(1, _host->count("SELECT COUNT(*) FROM recovery_emails WHERE email = 'mine@elsewhere.org' "
                              "AND pending_email IS NULL"));
        const auto details = detailsOf("user.email_reverted");
        CPPUNIT_ASSERT_MESSAGE(details, details.find("recovery_email") != std::string::npos);
    }

    TEST(revertEndsKeysThatKeysHaveMade)
    {
        const auto thief = elevated();
        changeTo("thief@x.example", thief);
        const auto link = confirmed("thief@x.example");
        const auto insert = [&](const std::string& id, const std::string& by)
        {
            _host->change("INSERT INTO api_keys (id, key_id, secret_hash, last4, name, environment, owner_type, owner_id, created_by, "
                          "organization_id, status, grants, ip_allow_list, metadata, version, created_at, updated_at) VALUES ($1, $1, 'h', "
                          "'', 'k', 'live', 'organization', $2, $3, $2, 'active', '[]', '[]', '{}', 1, " +
                              now() + ", " + now() + ")",
                          {id, _acme, by});
        };
        const auto id = [&](const std::string& character) { return "key_01jd000000000000000000000" + character; };
        insert(id("1"), _ada);
        insert(id("2"), id("1"));
        insert(id("3"), id("2"));
        insert(id("4"), _host->createUser("bob@x.example", "acme", "owner"));
        verify(link);
        equal(3, _host->count("SELECT COUNT(*) FROM api_keys WHERE status = 'revoked' "
                              "AND revoke_reason = 'email_reverted'"));
    }

    TEST(administratorsRemoveFactorsAndSayWhich)
    {
        _host->createUser("boss@acme.example", "acme", "owner");
        addAll("x", "app");
        const auto boss = elevated("boss@acme.example");
        const auto done =
            _host->call({.method = Method::Patch, .target = "/api/users/" + _ada + "/security", .body = R"({"resetMfa":true})"}, boss);
        equal(200, done.status, done.body);
        for (const auto kind : {AccountCredentialKind::Passkey, AccountCredentialKind::Totp, AccountCredentialKind::RecoveryCode})
            equal(0, countOf(kind));
        CHECK(countOf(AccountCredentialKind::ApiKey) == 1 && countOf(AccountCredentialKind::Consent) == 1);
        const auto mail = _host->context().mailer().sentTo(ada).back();
        for (const auto* words : {"- Passkey, added", "- Authenticator app, added", "- Recovery codes, created"})
            CPPUNIT_ASSERT_MESSAGE(mail.text, mail.text.find(words) != std::string::npos);
        const auto details = detailsOf("user.security_changed");
        for (const auto* words : {R"("resetMfa":true)", R"("kind":"passkey","id":"pky_x")", R"("kind":"totp","id":"fac_x")"})
            CPPUNIT_ASSERT_MESSAGE(details, details.find(words) != std::string::npos);
    }

    TEST(aPasskeyResetsAForgottenPassword)
    {
        auto key = addPasskey(elevated());
        forgot();
        const auto link = _host->mailedToken(ada);
        const auto demanded = reset(link);
        equal("mfa_required", demanded.code());
        equal(R"(["passkey"])", demanded.at("/details/factors"));
        const auto done = resetBy(link, key.get(challenge()));
        equal(204, done.status, done.body);
        equal("mfa_required", _host->login(ada, newPassword).code());
        equal(200, signInBy(key).status);
    }

    TEST(aResetAcceptsOnlyThePasskeyOfTheAccount)
    {
        auto key = addPasskey(elevated());
        _host->createUser("eve@x.example", "acme", "member");
        auto others = addPasskey(elevated("eve@x.example"));
        forgot();
        const auto link = _host->mailedToken(ada);
        equal("invalid_code", resetBy(link, others.get(challenge())).code());
        equal("invalid_code", resetBy(link, key.get(challenge(), {.damagedSignature = true})).code());
        equal("invalid_code", resetBy(link, "{}").code());
        equal("mfa_required", resetBy(link, "null").code());
        const auto used = key.get(challenge());
        equal(204, resetBy(link, used).status);
        forgot();
        equal("invalid_code", resetBy(_host->mailedToken(ada), used).code(), "a challenge is answered once");
        // Guesses are limited as codes are.
        for (int i = 0; i < 10; ++i) resetBy(_host->mailedToken(ada), "{}");
        equal(429, resetBy(_host->mailedToken(ada), key.get(challenge())).status);
    }

    TEST(aPasskeyResetsAForgottenPasswordOnThePage)
    {
        auto key = addPasskey(elevated());
        forgot();
        const auto link = _host->mailedToken(ada);
        BrowserDriver browser(*_host);
        const auto shown = browser.get("/reset-password?token=" + link);
        const auto send = [&](const TestAnswer& page, const std::string& credential)
        {
            return browser.post("/reset-password", {{"form_token", BrowserDriver::field(page, "form_token")},
                                                    {"token", link},
                                                    {"password", std::string(newPassword)},
                                                    {"credential", credential}});
        };
        const auto asked = send(shown, "");
        equal(403, asked.status);
        CPPUNIT_ASSERT_MESSAGE(asked.body, asked.body.find("id=\"passkey\"") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE("there is no app", asked.body.find("name=\"code\"") == std::string::npos);
        const std::string before = "challenge&quot;:&quot;";
        const auto at = asked.body.find(before) + before.size();
        const auto done = send(asked, key.get(asked.body.substr(at, asked.body.find('&', at) - at)));
        equal(200, done.status, done.body);
        equal("mfa_required", _host->login(ada, newPassword).code());
    }

    TEST(takingAnAccountBackRemovesEveryKind)
    {
        _host->change("UPDATE users SET email_verified = FALSE WHERE id = $1", {_ada});
        addAll("x", "app");
        forgot();
        equal(204, reset(_host->mailedToken(ada)).status);
        std::set<AccountCredentialKind> kept;
        for (const auto& item : listed()) kept.insert(item.kind);
        using enum AccountCredentialKind;
        CHECK((std::set<AccountCredentialKind>{Password, OrganizationKey}) == kept);
        const auto mail = _host->context().mailer().sentTo(ada).back();
        for (const auto* words :
             {"- Passkey, added", "- Account at another provider, linked", "- Access of an app, granted", "- Agent, created"})
            CPPUNIT_ASSERT_MESSAGE(mail.text, mail.text.find(words) != std::string::npos);
        const auto details = detailsOf("user.password_reset");
        CPPUNIT_ASSERT_MESSAGE(details, details.find(R"("kind":"linked_account","id":"lnk_x")") != std::string::npos);
    }

    TEST(deletionRemovesEveryKind)
    {
        const auto token = elevated();
        addAll("x", "app");
        _host->change("DELETE FROM memberships WHERE user_id = $1", {_ada});
        equal(202, _host->call({.method = Method::Delete, .target = "/api/auth/me", .body = R"({"confirm":"delete"})"}, token).status);
        _host->context().clock().advance(std::chrono::hours(24 * 31));
        _host->context().jobs().runDue();
        using enum AccountCredentialKind;
        std::set<AccountCredentialKind> kept;
        for (const auto& item : listed()) kept.insert(item.kind);
        CHECK((std::set<AccountCredentialKind>{OrganizationKey}) == kept);
        const auto details = detailsOf("user.credentials_removed");
        CPPUNIT_ASSERT_MESSAGE(details, details.find(R"("kind":"linked_account","id":"lnk_x")") != std::string::npos);
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE status = 'deactivated'"));
    }

    static constexpr std::string_view ada = "ada@x.example";
    static constexpr std::string_view newPassword = "a quiet harbour";

    /// Tables of the migrations that have a column for a person, or for an owner that may be one.
    static std::set<std::string> tablesOfPeople()
    {
        std::set<std::string> tables;
        for (const auto& file : std::filesystem::directory_iterator(IdentityHost::pluginFolder() / "migrations"))
        {
            std::ifstream stream(file.path());
            std::string text;
            for (std::string line; std::getline(stream, line);) text += line.substr(0, line.find("--")) + ' ';
            for (std::size_t start = 0; start < text.size();)
            {
                const auto end = std::min(text.find(';', start), text.size());
                const auto statement = text.substr(start, end - start);
                start = end + 1;
                for (const std::string_view begin : {"CREATE TABLE ", "ALTER TABLE "})
                    if (const auto at = statement.find(begin); at != std::string::npos && namesPerson(statement))
                    {
                        const auto name = at + begin.size();
                        tables.insert(statement.substr(name, statement.find(' ', name) - name));
                    }
            }
        }
        return tables;
    }
    static bool namesPerson(const std::string& statement)
    {
        const auto columns = {"user_id ", "owner_id ", "created_by ", "REFERENCES users"};
        return std::ranges::any_of(columns, [&](const char* column) { return statement.find(column) != std::string::npos; });
    }

    std::string now() const { return std::to_string(_host->context().clock().now().time_since_epoch().count()); }
    void later() { _host->context().clock().advance(std::chrono::milliseconds(1)); }

    /// Inserts one credential of each kind that needs only a row.
    void addAll(const std::string& mark, const std::string& client)
    {
        const auto at = now();
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) VALUES ($1, $2, $2, -7, '', 0, '', '[]', FALSE, 'n', 1, " +
                          at + ", " + at + ")",
                      {_ada, "pky_" + mark});
        _host->change("INSERT INTO totp_factors (user_id, id, name, secret, last_step, created_at) VALUES ($1, $2, 'n', '', 0, " + at + ")",
                      {_ada, "fac_" + mark});
        _host->change("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES ($1, $2, " + at + ")", {_ada, "h" + mark});
        _host->change("INSERT INTO linked_accounts (user_id, id, provider_id, issuer, subject, linked_at) VALUES ($1, $2, 'idp_x', "
                      "'https://x.example', $2, " +
                          at + ")",
                      {_ada, "lnk_" + mark});
        _host->change("INSERT INTO oauth_consents (user_id, client_id, scopes, version, created_at, updated_at) VALUES ($1, $2, '[]', 1, " +
                          at + ", " + at + ")",
                      {_ada, client});
        const std::string digits = mark == "new" ? "7" : "8";
        for (const std::string owner : {"user", "organization"})
        {
            const auto id = "key_01jd00000000000000000000" + digits + (owner == "user" ? "1" : "2");
            _host->change("INSERT INTO api_keys (id, key_id, secret_hash, last4, name, environment, owner_type, owner_id, created_by, "
                          "organization_id, status, grants, ip_allow_list, metadata, version, created_at, updated_at) VALUES ($1, $2, 'h', "
                          "'', 'k', 'live', $3, $4, $5, $6, 'active', '[]', '[]', '{}', 1, " +
                              at + ", " + at + ")",
                          {id, mark + owner, owner, owner == "user" ? _ada : _acme, _ada, _acme});
        }
        const auto agent = _host->createUser(mark + "@agents.invalid", "acme", "member");
        _host->change("INSERT INTO agents (user_id, organization_id, owner_user_id) VALUES ($1, $2, $3)", {agent, _acme, _ada});
        if (mark == "new") _newAgent = agent;
    }
    std::vector<identity::AccountCredential> listed()
    {
        auto session = _host->context().database().session();
        return identity::account_credentials::list(session, UserId::parse(_ada).value(), identity::account_credentials::all());
    }
    std::size_t countOf(AccountCredentialKind kind)
    {
        const auto all = listed();
        return static_cast<std::size_t>(std::ranges::count(all, kind, &identity::AccountCredential::kind));
    }
    std::string detailsOf(std::string_view type)
    {
        auto session = _host->context().database().session();
        return session.value<std::string>("SELECT details FROM audit_events WHERE type = $1 ORDER BY sequence DESC LIMIT 1", type)
            .value_or("");
    }
    TestAnswer post(const std::string& target, std::string body, const std::string& token)
    {
        return _host->call({.method = Method::Post, .target = target, .body = std::move(body), .originService = "identity"}, token);
    }
    std::string elevated(std::string_view email = ada)
    {
        auto token = _host->signIn(email, "identity");
        post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), token);
        return token;
    }
    std::string codeOfLogin()
    {
        _host->change("DELETE FROM passkeys WHERE user_id = $1", {_ada});
        _host->change("DELETE FROM totp_factors WHERE user_id = $1", {_ada});
        return _host->login(ada, IdentityHost::password).code();
    }
    void changeTo(const std::string& email, const std::string& token)
    {
        equal(202, post("/api/auth/me/email", jsonWith(R"({"newEmail":"$"})", email), token).status);
    }
    TestAnswer verify(const std::string& link) { return post("/api/auth/email/verify", jsonWith(R"({"token":"$"})", link), {}); }
    /// Opens the mail at the new address. @return the link of the mail to the old one
    std::string confirmed(const std::string& email)
    {
        equal(200, verify(_host->mailedToken(email)).status);
        return _host->mailedToken(ada);
    }
    SoftAuthenticator addPasskey(const std::string& token)
    {
        const auto options = post("/api/auth/passkeys/register/options", "{}", token);
        SoftAuthenticator key;
        const auto made = post(
            "/api/auth/passkeys/register/verify",
            jsonWith(R"({"challengeId":"$","credential":$})", options.at("/challengeId"), key.create(options.at("/publicKey/challenge"))),
            token);
        equal(201, made.status, made.body);
        return key;
    }
    std::string addKey(const std::string& token)
    {
        const auto made =
            post("/api/api-keys",
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"],)"
                          R"("resources":[{"type":"queue","id":"que_01jd0000000000000000000001"}]}]})",
                          _ada),
                 token);
        equal(201, made.status, made.body);
        return made.at("/key");
    }
    std::string challenge() { return post("/api/auth/passkeys/authenticate/options", "{}", {}).at("/publicKey/challenge"); }
    TestAnswer signInBy(SoftAuthenticator& key)
    {
        const auto options = post("/api/auth/passkeys/authenticate/options", "{}", {});
        return post("/api/auth/passkeys/authenticate/verify",
                    jsonWith(R"({"challengeId":"$","service_id":"desk","credential":$})", options.at("/challengeId"),
                             key.get(options.at("/publicKey/challenge"))),
                    {});
    }
    void forgot()
    {
        post("/api/auth/password/forgot", jsonWith(R"({"email":"$"})", ada), {});
        _host->context().jobs().runDue();
    }
    TestAnswer reset(const std::string& link)
    {
        return post("/api/auth/password/reset", jsonWith(R"({"token":"$","newPassword":"$"})", link, newPassword), {});
    }
    TestAnswer resetBy(const std::string& link, const std::string& credential)
    {
        return post("/api/auth/password/reset",
                    jsonWith(R"({"token":"$","newPassword":"$","factor":"passkey","credential":$})", link, newPassword, credential), {});
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
    std::string _acme;
    std::string _newAgent;
};

} // namespace portico::tests
