#include "identity/IdentityHost.h"
#include "organizations/Invitations.h"
#include "support/Suite.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

/// Registration: stored data, mails, and not revealing existing accounts.
class RegistrationTest : public Suite<RegistrationTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(opensTheAccountByTheLink)
    {
        const auto answer = registerAs("Ada@x.example", "a quiet harbour");
        equal(202, answer.status);
        equal(R"({"status":"verification_sent"})", answer.body);
        equal("pending_verification", statusOf("ada@x.example"));
        equal("email_not_verified", _host->login("ada@x.example", "a quiet harbour").code());
        equal("invalid_credentials", _host->login("ada@x.example", "a quiet harbor").code());
        const auto mail = _host->context().mailer().sentTo("Ada@x.example").at(0);
        equal("Confirm your e-mail address", mail.subject);
        CHECK(mail.html.find("/verify-email?token=") != std::string::npos);
        const auto verified = verify(byToken(_host->mailedToken("Ada@x.example")));
        equal(200, verified.status);
        equal(R"({"verified":true,"next":"/login"})", verified.body);
        CHECK(verified.headerBlock().find("Set-Cookie") == std::string::npos);
        const auto login = _host->login("ada@x.example", "a quiet harbour", "identity");
        equal(200, login.status);
        equal("true", login.at("/user/emailVerified"));
        equal("token_expired", verify(byToken(_host->mailedToken("Ada@x.example"))).code());
        equal("token_expired", verify(byToken("nonsense")).code());
    }

    TEST(opensTheAccountByTheCode)
    {
        registerAs("ada@x.example", "a quiet harbour");
        const auto code = _host->mailedCode("ada@x.example");
        for (int i = 0; i < 4; ++i) equal(410, verify(byCode("ada@x.example", "wrong")).status);
        equal(200, verify(byCode(" ADA@x.example", code)).status);
        equal(200, _host->login("ada@x.example", "a quiet harbour", "identity").status);
        registerAs("eve@x.example", "a quiet harbour");
        for (int i = 0; i < 5; ++i) verify(byCode("eve@x.example", "wrong"));
        equal(410, verify(byCode("eve@x.example", _host->mailedCode("eve@x.example"))).status);
        equal(200, verify(byToken(_host->mailedToken("eve@x.example"))).status);
        registerAs("bob@x.example", "a quiet harbour");
        _host->context().clock().advance(std::chrono::seconds(600));
        equal(410, verify(byCode("bob@x.example", _host->mailedCode("bob@x.example"))).status);
        _host->context().clock().advance(std::chrono::hours(24));
        equal(410, verify(byToken(_host->mailedToken("bob@x.example"))).status);
    }

    TEST(saysTheSameForAnAccountThatThereIs)
    {
        _host->createUser("known@x.example");
        const auto before = userRow("known@x.example");
        const auto known = registerAs("known@x.example", "a quiet harbour", R"("createOrganization":true,"organizationName":"Evil")");
        const auto unknown = registerAs("new@x.example", "a quiet harbour", R"("createOrganization":true,"organizationName":"Good")");
        equal(unknown.status, known.status);
        equal(unknown.body, known.body);
        equal(unknown.headerBlock(), known.headerBlock());
        // Each is written down, and leads to one mail.
        equal(2, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'user.regist%'"));
        equal(2, _host->context().mailer().sent().size());
        equal(before, userRow("known@x.example"), "nothing of it has changed");
        equal(0, _host->count("SELECT COUNT(*) FROM organizations WHERE name = 'Evil'"));
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE email_key LIKE 'rehearsal%'"));
        const auto mails = _host->context().mailer().sentTo("known@x.example");
        equal(1, mails.size());
        equal("You already have an account", mails[0].subject);
        CHECK(_host->mailedToken("known@x.example").empty());
        equal(200, _host->login("known@x.example", IdentityHost::password, "identity").status);
    }

    TEST(registrationOfAKnownAddressSetsNoPassword)
    {
        registerAs("ada@x.example", "the strangers own", R"("createOrganization":true,"organizationName":"Oddity")");
        const auto strangers = _host->mailedToken("ada@x.example");
        later();
        registerAs("ada@x.example", "a quiet harbour", R"("createOrganization":true,"organizationName":"Anchorage")");
        const auto own = _host->mailedToken("ada@x.example");
        later();
        registerAs("ada@x.example", "the strangers second");
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'ada@x.example'"));
        equal(200, verify(byToken(own)).status);
        const auto login = _host->login("ada@x.example", "a quiet harbour", "identity");
        equal(200, login.status);
        equal("Anchorage", login.at("/activeContext/organizationName"));
        equal(410, verify(byToken(strangers)).status);
        equal(410, verify(byToken(_host->mailedToken("ada@x.example"))).status);
        equal(0, _host->count("SELECT COUNT(*) FROM organizations WHERE name = 'Oddity'"));
        equal(401, _host->login("ada@x.example", "the strangers second", "identity").status);
    }

    TEST(makesAnOrganization)
    {
        equal("developer_workspace_requires_organization",
              registerAs("dev@x.example", "a quiet harbour", R"("developerWorkspace":true)").code());
        registerAs("dev@x.example", "a quiet harbour",
                   R"("developerWorkspace":true,"createOrganization":true,"organizationName":"Workshop")");
        auto session = _host->context().database().session();
        equal("developer_workspace", session.value<std::string>("SELECT kind FROM organizations WHERE name = 'Workshop'").value());
        equal("owner", session.value<std::string>("SELECT role FROM memberships").value());
        verify(byToken(_host->mailedToken("dev@x.example")));
        equal("owner", _host->login("dev@x.example", "a quiet harbour").at("/activeContext/role"));
    }

    TEST(refusesWhatTheRulesForbid)
    {
        const auto code = [&](std::string_view password, std::string_view extra = {})
        { return registerAs("ada@x.example", password, extra).code(); };
        equal("password_too_short", code("short"));
        equal("password_breached", code("qwerty123456"));
        equal("password_contains_context_word", code("lovelace harbour"));
        equal("password_contains_context_word", code("at the workshop now", R"("createOrganization":true,"organizationName":"Workshop")"));
        equal("validation_failed", code("a quiet harbour", R"("service_id":"nothing")"));
        equal("validation_failed", code("a quiet harbour", R"("acceptTerms":false)"));
        equal("unknown_field", code("a quiet harbour", R"("status":"active")"));
        equal("validation_failed", code("a quiet harbour", R"("locale":"de_AT")"));
        equal("validation_failed", code("a quiet harbour", R"("createOrganization":true,"organizationName":"Your bank\u202e")"));
        equal("validation_failed", registerAs("no address", "a quiet harbour").code());
        equal(0, _host->count("SELECT COUNT(*) FROM users"));
        equal(0, _host->context().mailer().sent().size());
        equal(400, verify("{}").status);
        equal(400, verify(R"({"code":"123456"})").status);
        equal(400, verify(R"({"token":"x","email":"a@b.example","code":"123456"})").status);
    }

    TEST(asksForAProofOnce)
    {
        const auto proof = _host->humanProof("register");
        equal(428, registerWith("ada@x.example", "a quiet harbour", {}).status);
        equal("human_verification_failed", registerWith("ada@x.example", "a quiet harbour", _host->humanProof("login")).code());
        equal(202, registerWith("ada@x.example", "a quiet harbour", proof).status);
        const auto again = registerWith("bob@x.example", "a quiet harbour", proof);
        refused(again, 409, "challenge_replayed");
    }

    TEST(canBeClosed)
    {
        IdentityHost closed(IdentityHost::Settings{{"identity.accounts.registrationOpen", "false"}});
        equal("registration_closed",
              closed.call({.method = Method::Post, .target = "/register", .body = body("ada@x.example", "a quiet harbour", {})}).code());
        equal("false", closed.call({.target = "/api/auth/login-config?service_id=desk"}).at("/registrationEnabled"));
        equal("true", _host->call({.target = "/api/auth/login-config?service_id=desk"}).at("/registrationEnabled"));
    }

    TEST(reportsWhetherAnyAccountExists)
    {
        IdentityHost fresh;
        const auto told = [&] { return fresh.call({.target = "/api/auth/login-config?service_id=desk"}).at("/hasAccounts"); };
        equal("false", told());
        fresh.createUser("ada@acme.example");
        equal("true", told());
    }

    TEST(limitsClients)
    {
        const auto from = [&](std::string_view email, std::string address)
        {
            return _host
                ->call({.method = Method::Post,
                        .target = "/api/auth/register",
                        .body = body(email, "a quiet harbour", _host->humanProof("register")),
                        .clientAddress = std::move(address)})
                .status;
        };
        for (int i = 0; i < 5; ++i) equal(202, from("a" + std::to_string(i) + "@x.example", "198.51.100.7"));
        equal(429, from("b@x.example", "198.51.100.7"));
        equal(202, from("b@x.example", "198.51.100.8"));
        for (int i = 0; i < 5; ++i) from("c@x.example", "2001:db8::" + std::to_string(i));
        equal(429, from("c@x.example", "2001:db8::ffff"));
        _host->context().clock().advance(std::chrono::hours(1));
        equal(202, from("d@x.example", "198.51.100.7"));
        // Mails: three to an address, known or not, ten from a client.
        _host->createUser("known@x.example");
        for (const std::string email : {"known@x.example", "unknown@x.example"})
        {
            for (int i = 0; i < 3; ++i) equal(202, resend(email, "203.0.113." + std::to_string(i)).status);
            equal(429, resend(email, "203.0.113.9").status);
        }
        for (int i = 0; i < 10; ++i) equal(202, resend("m" + std::to_string(i) + "@x.example", "203.0.113.77").status);
        equal(429, resend("m10@x.example", "203.0.113.77").status);
    }

    TEST(limitsWhatIsDoneToOneAddress)
    {
        for (int i = 0; i < 3; ++i) registerAs("ada@x.example", "a quiet harbour");
        const auto code = _host->mailedCode("ada@x.example");
        const auto fourth = registerAs("ada@x.example", "the strangers own");
        const auto other = registerAs("bob@x.example", "a quiet harbour");
        equal(202, fourth.status);
        equal(other.body, fourth.body);
        equal(3, _host->context().mailer().sentTo("ada@x.example").size());
        equal(3, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE subject = 'ada@x.example'"));
        equal(200, verify(byCode("ada@x.example", code)).status, "the last code is still valid");
        equal(200, _host->login("ada@x.example", "a quiet harbour", "identity").status);
        // Attempts are counted over the codes of several mails.
        for (int i = 0; i < 10; ++i)
        {
            if (i % 4 == 0) registerAs("eve@x.example", "a quiet harbour");
            verify(byCode("eve@x.example", "wrong"));
        }
        equal(410, verify(byCode("eve@x.example", _host->mailedCode("eve@x.example"))).status);
        equal(200, verify(byToken(_host->mailedToken("eve@x.example"))).status);
    }

    TEST(addressesThatJoinAreProvedByALinkAlone)
    {
        _host->createUser("boss@acme.example", "acme", "owner");
        letJoin("acme", "member");
        registerAs("ada@acme.example", "a quiet harbour");
        equal("", _host->mailedCode("ada@acme.example"));
        equal(0, _host->count("SELECT COUNT(*) FROM one_time_tokens WHERE code_hash IS NOT NULL"));
        equal(200, verify(byToken(_host->mailedToken("ada@acme.example"))).status);
        equal(2, _host->count("SELECT COUNT(*) FROM memberships"));
    }

    TEST(aTokenVerifiesOnceOfManyAtOnce)
    {
        registerAs("ada@x.example", "a quiet harbour");
        const auto request = byToken(_host->mailedToken("ada@x.example"));
        equal(1, countAtOnce(16, [&] { return verify(request).status == 200; }));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'user.verified'"));
    }

    TEST(registersOnceOfManyAtOnce)
    {
        std::vector<std::string> proofs;
        for (int i = 0; i < 8; ++i) proofs.push_back(_host->humanProof("register"));
        std::atomic<std::size_t> next{0};
        const auto accepted = countAtOnce(8,
                                          [&]
                                          {
                                              const auto n = next++;
                                              return _host
                                                         ->call({.method = Method::Post,
                                                                 .target = "/api/auth/register",
                                                                 .body = body("ada@x.example", "a quiet harbour", proofs[n]),
                                                                 .clientAddress = "198.51.100." + std::to_string(n)})
                                                         .status == 202;
                                          });
        equal(8, accepted);
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'ada@x.example'"));
    }

    TEST(wrongAndUnknownCodesAreAlike)
    {
        registerAs("ada@x.example", "a quiet harbour");
        const auto known = verify(byCode("ada@x.example", "wrong"));
        const auto unknown = verify(byCode("nobody@x.example", "wrong"));
        equal(410, known.status);
        equal(unknown.body, known.body);
        equal(unknown.headerBlock(), known.headerBlock());
    }

    TEST(signsTheSameBrowserIn)
    {
        const auto browser =
            std::vector<std::pair<std::string, std::string>>{{"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}};
        const auto answer = _host->call({.method = Method::Post,
                                         .target = "/api/auth/register",
                                         .body = body("ada@x.example", "a quiet harbour", _host->humanProof("register")),
                                         .headers = browser});
        const auto mark = answer.cookie("platform_pre");
        CHECK(!mark.empty());
        auto foreign = browser;
        foreign.emplace_back("Cookie", "platform_pre=other");
        auto own = browser;
        own.emplace_back("Cookie", "platform_pre=" + mark);
        const auto first = _host->mailedToken("ada@x.example");
        const auto verified =
            _host->call({.method = Method::Post, .target = "/api/auth/email/verify", .body = byToken(first), .headers = own});
        equal(200, verified.status);
        CHECK(!verified.cookie("platform_session").empty());
        CHECK(!verified.cookie("platform_refresh").empty());
        registerAs("bob@x.example", "a quiet harbour");
        const auto other = _host->call({.method = Method::Post,
                                        .target = "/api/auth/email/verify",
                                        .body = byToken(_host->mailedToken("bob@x.example")),
                                        .headers = foreign});
        equal(200, other.status);
        CHECK(other.cookie("platform_session").empty());
        // An account that there is has the same cookie in its answer.
        _host->createUser("known@x.example");
        const auto known = _host->call({.method = Method::Post,
                                        .target = "/api/auth/register",
                                        .body = body("known@x.example", "a quiet harbour", _host->humanProof("register")),
                                        .headers = browser});
        equal(mark.size(), known.cookie("platform_pre").size());
    }

    TEST(sendsTheMailAgain)
    {
        registerAs("ada@x.example", "a quiet harbour");
        _host->createUser("known@x.example");
        const auto sent = [&] { return _host->context().mailer().sent().size(); };
        const auto before = sent();
        const auto pending = resend("ada@x.example");
        const auto known = resend("known@x.example");
        const auto unknown = resend("nobody@x.example");
        equal(202, pending.status);
        equal(unknown.body, pending.body);
        equal(unknown.headerBlock(), pending.headerBlock());
        equal(unknown.body, known.body);
        equal(before, sent(), "not while the request runs");
        _host->context().jobs().runDue();
        equal(before + 1, sent());
        equal(200, verify(byToken(_host->mailedToken("ada@x.example"))).status);
        equal(200, _host->login("ada@x.example", "a quiet harbour", "identity").status);
    }

    TEST(theMailThatIsSentAgainSaysTheSame)
    {
        registerAs("ada@x.example", "a quiet harbour", R"("createOrganization":true,"organizationName":"Anchorage")");
        _host->context().clock().advance(std::chrono::hours(25));
        _host->context().jobs().runDue();
        resend("ada@x.example");
        _host->context().jobs().runDue();
        equal(200, verify(byToken(_host->mailedToken("ada@x.example"))).status);
        const auto login = _host->login("ada@x.example", "a quiet harbour", "identity");
        equal("Anchorage", login.at("/activeContext/organizationName"), login.body);
    }

    TEST(outlivesARestart)
    {
        registerAs("ada@x.example", "a quiet harbour");
        _host->reload();
        equal(200, verify(byToken(_host->mailedToken("ada@x.example"))).status);
    }

    TEST(anInvitationOpensTheAccountAtOnce)
    {
        const auto owner = _host->createUser("owner@acme.example", "acme", "owner");
        const std::string token = "what the mail holds";
        invite(owner, "ada@x.example", token);
        const auto extra = jsonWith(R"("service_id":"desk","invitationToken":"$")", token);
        equal("invitation_email_mismatch", registerAs("eve@x.example", "a quiet harbour", extra).code());
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'eve@x.example'"));
        const auto joined = registerAs("ada@x.example", "a quiet harbour", extra);
        equal(201, joined.status, joined.body);
        equal(_host->organizationId("acme"), joined.at("/activeContext/organizationId"));
        equal("ok", _host->verdict(joined.at("/access_token")));
        equal(404, registerAs("bob@x.example", "a quiet harbour", R"("invitationToken":"nothing")").status);
    }

    TEST(anInvitationInADomainThatJoinsGivesItsRole)
    {
        const auto owner = _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("owner@globex.example", "globex", "owner");
        for (const auto* slug : {"acme", "globex"}) letJoin(slug, "guest");
        for (const std::string email : {"ada@acme.example", "bob@globex.example"})
        {
            invite(owner, email, "token of " + email);
            const auto joined = registerAs(email, "a quiet harbour", jsonWith(R"("invitationToken":"$")", "token of " + email));
            equal(201, joined.status, joined.body);
        }
        equal(2, _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'member'"));
        // The domain of another organization joins, too.
        equal(1, _host->count("SELECT COUNT(*) FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE m.role = 'guest' "
                              "AND o.slug = 'globex'"));
    }

    TEST(anInvitationWhosePolicyRefusesTheSignInOpensTheAccount)
    {
        const auto owner = _host->createUser("owner@acme.example", "acme", "owner");
        int number = 0;
        for (const std::string policy :
             {R"({"mfaRequired":true})", R"({"allowedLoginMethods":["passkey"]})", R"({"ipAllowList":["10.0.0.0/8"]})"})
        {
            _host->change("UPDATE organizations SET security_policy = $1 WHERE slug = 'acme'", {policy});
            const auto email = jsonWith("ada$@x.example", ++number), token = jsonWith("token $", number);
            invite(owner, email, token);
            const auto answer = registerAs(email, "a quiet harbour", jsonWith(R"("invitationToken":"$")", token));
            equal(202, answer.status, answer.body);
            equal(R"({"status":"sign_in_required"})", answer.body);
            equal("active", statusOf(email), policy);
            equal(1 + number, _host->count("SELECT COUNT(*) FROM memberships"), policy);
        }
    }

    TEST(unconfirmedAccountsAreDeleted)
    {
        registerAs("ada@x.example", "a quiet harbour", R"("createOrganization":true,"organizationName":"Adas")");
        const auto late = _host->mailedToken("ada@x.example");
        registerAs("bob@x.example", "a quiet harbour");
        // Made by an operator: without a password, and not theirs to hurry with.
        const auto before = _host->count("SELECT COUNT(*) FROM users");
        _host->createUser("made@x.example");
        _host->change("UPDATE users SET status = 'pending_verification', password_hash = NULL WHERE email = 'made@x.example'");
        _host->context().clock().advance(std::chrono::hours(47));
        resend("bob@x.example");
        _host->context().jobs().runDue();
        _host->context().clock().advance(std::chrono::hours(2));
        _host->context().jobs().runDue();
        equal("", statusOf("ada@x.example"));
        equal("pending_verification", statusOf("bob@x.example"));
        equal("pending_verification", statusOf("made@x.example"));
        equal(0, _host->count("SELECT COUNT(*) FROM organizations WHERE name = 'Adas'"));
        equal(before, _host->count("SELECT COUNT(*) FROM users"));
        equal(410, verify(byToken(late)).status);
        equal(200, verify(byToken(_host->mailedToken("bob@x.example"))).status);
    }

    static std::string body(std::string_view email, std::string_view password, std::string_view proof, std::string_view extra = {})
    {
        std::string text = jsonWith(R"({"email":"$","password":"$","displayName":"Ada Lovelace")", email, password);
        if (extra.find("acceptTerms") == std::string_view::npos) text += R"(,"acceptTerms":true)";
        if (!proof.empty()) text += jsonWith(R"(,"humanVerification":$)", proof);
        if (!extra.empty()) text += ',' + std::string(extra);
        return text + '}';
    }
    TestAnswer registerWith(std::string_view email, std::string_view password, std::string_view proof, std::string_view extra = {})
    {
        // Each request has another address, so that the limit does not apply.
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/register",
                            .body = body(email, password, proof, extra),
                            .clientAddress = "192.0.2." + std::to_string(++_client % 250)});
    }
    TestAnswer registerAs(std::string_view email, std::string_view password, std::string_view extra = {})
    {
        return registerWith(email, password, _host->humanProof("register"), extra);
    }
    TestAnswer verify(std::string_view text)
    {
        return _host->call({.method = Method::Post, .target = "/api/auth/email/verify", .body = std::string(text)});
    }
    TestAnswer resend(const std::string& email, std::string address = "192.0.2.1")
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/auth/email/verification",
                            .body = jsonWith(R"({"email":"$"})", email),
                            .clientAddress = std::move(address)});
    }
    static std::string byToken(const std::string& token) { return jsonWith(R"({"token":"$"})", token); }
    static std::string byCode(const std::string& email, const std::string& code)
    {
        return jsonWith(R"({"email":"$","code":"$"})", email, code);
    }
    void invite(const std::string& by, std::string_view email, std::string_view token)
    {
        identity::Invitation invitation;
        const auto now = _host->context().clock().now();
        invitation.id = identity::InvitationId::make(now);
        invitation.email = invitation.emailKey = email;
        invitation.tokenHash = sha256(token).hex();
        invitation.invitedBy = *UserId::parse(by);
        invitation.createdAt = invitation.updatedAt = now;
        invitation.expiresAt = now + std::chrono::hours(1);
        const auto organization = *OrganizationId::parse(_host->organizationId("acme"));
        _host->context().database().transact([&](Transaction& transaction)
                                             { identity::invitationTable.insert(transaction, organization, invitation); });
    }
    /// Verifies the domain `<slug>.example` of an organization, with auto-join.
    void letJoin(const std::string& slug, const std::string& role)
    {
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, auto_join_role, token, verified_at, version, "
                      "created_at, updated_at) VALUES ($1, $2, 'verified', $3, 't', 1, 1, 1, 1)",
                      {_host->organizationId(slug), slug + ".example", role});
    }
    std::string statusOf(std::string_view email)
    {
        return _host->context()
            .database()
            .session()
            .value<std::string>("SELECT status FROM users WHERE email_key = $1", email)
            .value_or("");
    }
    std::string userRow(std::string_view email)
    {
        auto session = _host->context().database().session();
        return toJson(*session.one<identity::User>("SELECT " + columns<identity::User>() + " FROM users WHERE email_key = $1", email));
    }
    void later() { _host->context().clock().advance(std::chrono::milliseconds(1)); }
    template <class F>
    static int countAtOnce(int threads, F&& succeeds)
    {
        std::atomic<int> good{0};
        std::vector<std::thread> running;
        for (int i = 0; i < threads; ++i) running.emplace_back([&] { good += succeeds() ? 1 : 0; });
        for (auto& thread : running) thread.join();
        return good;
    }

    std::unique_ptr<IdentityHost> _host;
    int _client = 0;
};

} // namespace portico::tests
