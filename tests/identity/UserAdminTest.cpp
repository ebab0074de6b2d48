#include "identity/IdentityHost.h"

namespace portico::tests
{

/// Accounts in the hands of administrators: their organization's to look at, operators' to change.
class UserAdminTest : public Suite<UserAdminTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _stranger = _host->createUser("owner@other.example", "other", "owner");
        _admin = _host->createUser("op@admin.example", "", "member", "platform_admin");
        _super = _host->createUser("super@admin.example", "", "member", "platform_super_admin");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        _opToken = _host->signIn("op@admin.example", "identity");
        _superToken = _host->signIn("super@admin.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(listsThePeopleOfOnesOrganization)
    {
        const auto list = get(_ownerToken, "/api/users?include=total");
        equal("2", list.at("/total"));
        equal("owner", list.at("/items/0/role"));
        equal("false", list.at("/items/0/mfa/totp"));
        CHECK(!list.has("/items/0/passwordHash"));
        equal(1, get(_ownerToken, "/api/users?q=MEMBER%40").count("/items"));
        equal(0, get(_ownerToken, "/api/users?q=other").count("/items"));
        equal(0, get(_ownerToken, "/api/users?status=suspended,deleted").count("/items"));
        equal(404, get(_ownerToken, "/api/users?organizationId=" + _host->organizationId("other")).status);
        equal(200, get(_ownerToken, "/api/users/" + _member).status);
        for (const auto& id : {_stranger, std::string("usr_01jd0000000000000000000000")})
            equal(404, get(_ownerToken, "/api/users/" + id).status);
        equal("permission_denied", get(_host->signIn("member@acme.example", "identity"), "/api/users").code());
    }

    TEST(operatorsSeeEverybody)
    {
        equal(5, get(_opToken, "/api/users").count("/items"));
        equal(1, get(_opToken, "/api/users?organizationId=" + _host->organizationId("other")).count("/items"));
        equal(200, get(_opToken, "/api/users/" + _stranger).status);
        std::size_t seen = 0;
        std::string cursor;
        do {
            const auto page = get(_opToken, "/api/users?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
            seen += page.count("/items");
            cursor = page.at("/nextCursor");
        } while (cursor != "null");
        equal(5, seen);
    }

    TEST(othersChangeNothing)
    {
        equal("permission_denied", patch(_ownerToken, _member, R"({"status":"suspended"})").code());
        equal("permission_denied", post(_ownerToken, R"({"email":"a@x.example"})").code());
        // Without the membership in the admin organization the platform role is nothing.
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_admin});
        equal(403, patch(_opToken, _member, R"({"status":"suspended"})").status);
    }

    TEST(suspensionCountsAtOnce)
    {
        const auto token = _host->signIn("member@acme.example");
        equal("suspended", patch(_opToken, _member, R"({"status":"suspended"})").at("/status"));
        equal("session_ended", _host->verdict(token));
        // The operator ended the session, not the suspended user.
        const std::string ended = "SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_id = ";
        equal(0, _host->count(ended + "'" + _member + "'"));
        equal(1, _host->count(ended + "'" + _admin + "' AND details LIKE '%" + _member + "%'"));
        equal("account_suspended", _host->login("member@acme.example", IdentityHost::password).code());
        equal("active", patch(_opToken, _member, R"({"status":"active","displayName":"Mem Ber"})").at("/status"));
        equal("Mem Ber", _host->validate(_host->signIn("member@acme.example"))->displayName);
        for (const auto* bad : {R"({"status":"deleted"})", R"({"status":"pending_verification"})", R"({"displayName":""})"})
            equal("validation_failed", patch(_opToken, _member, bad).code());
        // An answer can be sent back unchanged.
        const auto shown = _host->call({.target = "/api/users/" + _member}, _opToken);
        const auto same = patch(_opToken, _member, shown.body);
        equal(200, same.status, same.body);
        equal(shown.at("/email"), same.at("/email"));
        equal(404, patch(_opToken, "usr_01jd0000000000000000000000", R"({"status":"active"})").status);
        equal("version_conflict",
              _host
                  ->call({.method = Method::Patch, .target = "/api/users/" + _member, .body = "{}", .headers = {{"If-Match", "\"1\""}}},
                         _opToken)
                  .code());
    }

    TEST(ranksProtectAccounts)
    {
        equal("outranked", patch(_opToken, _super, R"({"status":"suspended"})").code());
        equal("outranked", patch(_opToken, _admin, R"({"displayName":"Me"})").code());
        equal(200, patch(_superToken, _admin, R"({"displayName":"Op"})").status);
    }

    TEST(platformRolesAreTheSuperAdminsAffair)
    {
        equal("platform_role_requires_super_admin", patch(_opToken, _member, R"({"platformRole":"platform_admin"})").code());
        equal("step_up_required", patch(_superToken, _member, R"({"platformRole":"platform_admin"})").code());
        equal(200, _host
                       ->call({.method = Method::Post,
                               .target = "/api/auth/step-up",
                               .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password)},
                              _superToken)
                       .status);
        equal("platform_admin", patch(_superToken, _member, R"({"platformRole":"platform_admin"})").at("/platformRole"));
        // Outside the admin organization it has no effect.
        CHECK(!_host->validate(_host->signIn("member@acme.example"))->platformBypass);
        equal("null", patch(_superToken, _admin, R"({"platformRole":null})").at("/platformRole"));
        CHECK(!_host->validate(_opToken, "identity")->platformBypass);
    }

    TEST(lastOwnersStay)
    {
        equal("last_owner", patch(_opToken, _owner, R"({"status":"suspended"})").code());
        _host->createUser("second@acme.example", "acme", "owner");
        equal(200, patch(_opToken, _owner, R"({"status":"suspended"})").status);
    }

    TEST(externalPeopleKeepToTheirServices)
    {
        const auto made = post(_opToken, R"({"email":"ext@x.example","principalType":"external","principalServices":["desk"]})");
        equal(201, made.status, made.body);
        equal(R"(["desk"])", made.at("/principalServices"));
        const auto id = made.at("/id");
        _host->change(
            "UPDATE users SET status = 'active', email_verified = TRUE, password_hash = (SELECT password_hash FROM users WHERE id = "
            "$1) WHERE id = $2",
            {_member, id});
        // Here desk serves people, too.
        _host->change("UPDATE services SET contexts = '[\"organization\",\"personal\"]', personal_access = TRUE, version = version + 1 "
                      "WHERE service_id = 'desk'");
        equal(200, _host->login("ext@x.example", IdentityHost::password).status);
        const auto changed = patch(_opToken, id, R"({"principalServices":[],"launcherEligible":false})");
        equal("false", changed.at("/launcherEligible"));
        equal("service_access_denied", _host->login("ext@x.example", IdentityHost::password).code());
        equal(200, _host->login("ext@x.example", IdentityHost::password, "identity").status);
        equal("unknown_service", patch(_opToken, id, R"({"principalServices":["nowhere"]})").at("/errors/0/code"));
        equal("not_allowed", patch(_opToken, _member, R"({"principalServices":["desk"]})").at("/errors/0/code"));
        // External users cannot join an organization, nor found one.
        equal(403, _host
                       ->call({.method = Method::Post, .target = "/api/organizations", .body = R"({"name":"Mine"})"},
                              _host->signIn("ext@x.example", "identity"))
                       .status);
        equal(0, _host->count("SELECT COUNT(*) FROM memberships WHERE user_id = '" + id + '\''));
    }

    TEST(namesKeepToOneRuleAtEveryDoor)
    {
        const std::string tooLong(121, 'x');
        const auto byOperator = [&](const std::string& name)
        {
            interfaces::Accounts::NewUser user;
            user.email = "named@x.example";
            user.displayName = name;
            user.password = IdentityHost::password;
            try
            {
                _host->provided<interfaces::Accounts>().createUser(user);
            }
            catch (const Problem& problem)
            {
                return problem.status();
            }
            return 201;
        };
        const auto agents = "/api/organizations/" + _host->organizationId("acme") + "/agents";
        for (const std::string& name :
             {std::string("line\nbreak"), std::string("turned\xe2\x80\xae"), std::string("zero\xe2\x80\x8b"), tooLong})
        {
            const auto body = jsonWith(R"({"displayName":"$"})", name);
            equal(400, patch(_opToken, _member, body).status, name);
            equal(400, _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = body}, _ownerToken).status, name);
            equal(400, post(_opToken, jsonWith(R"({"email":"named@x.example","displayName":"$"})", name)).status, name);
            equal(
                400,
                _host
                    ->call({.method = Method::Post, .target = agents, .body = jsonWith(R"({"name":"$","ownerUserId":"$"})", name, _owner)},
                           _ownerToken)
                    .status,
                name);
            equal(400, byOperator(name), name);
        }
        // White space is not a name; the address is used instead.
        equal(201, byOperator("   "));
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE display_name = 'named'"));
        equal(400, patch(_opToken, _member, R"({"displayName":"   "})").status);
        equal("Mem Ber", patch(_opToken, _member, R"({"displayName":"  Mem Ber "})").at("/displayName"));
    }

    TEST(invitationsLeadToAPassword)
    {
        IdentityHost closed(IdentityHost::Settings{{"identity.accounts.registrationOpen", "false"}});
        closed.createUser("op@admin.example", "", "member", "platform_admin");
        const auto operators = closed.signIn("op@admin.example", "identity");
        const auto send = [&](std::string target, std::string body, const std::string& token = {})
        { return closed.call({.method = Method::Post, .target = std::move(target), .body = std::move(body)}, token); };
        equal(201, send("/api/users", R"({"email":"new@x.example","displayName":"New","sendInvitation":true})", operators).status);
        const auto proved = send("/api/auth/email/verify", jsonWith(R"({"token":"$"})", closed.mailedToken("new@x.example")));
        equal(200, proved.status, proved.body);
        const std::string page = "/reset-password?token=";
        const auto next = proved.at("/next");
        CPPUNIT_ASSERT_MESSAGE(next, next.starts_with(page));
        equal(204, send("/api/auth/password/reset", jsonWith(R"({"token":"$","newPassword":"a quiet harbour"})", next.substr(page.size())))
                       .status);
        equal(200, closed.login("new@x.example", "a quiet harbour", "identity").status);
    }

    TEST(registrationsDoNotChangeInvitedAccounts)
    {
        equal(201, post(_opToken, R"({"email":"new@x.example","displayName":"New","sendInvitation":true})").status);
        registerStranger("new@x.example");
        constexpr char asMade[] = "SELECT COUNT(*) FROM users WHERE email_key = 'new@x.example' AND display_name = 'New' "
                                  "AND password_hash IS NULL";
        equal(1, _host->count(asMade));
        equal("invalid_credentials", _host->login("new@x.example", "the strangers own").code());
        _host->context().clock().advance(std::chrono::hours(24 * 3));
        _host->context().jobs().runDue();
        equal(1, _host->count(asMade));
    }

    TEST(registrationsSetNoPasswordOfInvitedAccounts)
    {
        const auto verify = [&](const std::string& body)
        { return _host->call({.method = Method::Post, .target = "/api/auth/email/verify", .body = body}).at("/next"); };
        for (const std::string address : {"code@x.example", "link@x.example"})
        {
            equal(201, post(_opToken, jsonWith(R"({"email":"$","displayName":"New"})", address)).status);
            registerStranger(address);
        }
        const auto code = _host->mailedCode("code@x.example"), token = _host->mailedToken("link@x.example");
        equal("/forgot-password", verify(jsonWith(R"({"email":"code@x.example","code":"$"})", code)));
        CHECK(verify(jsonWith(R"({"token":"$"})", token)).starts_with("/reset-password?token="));
        equal(2, _host->count("SELECT COUNT(*) FROM users WHERE email_key IN ('code@x.example', 'link@x.example') AND status = 'active' "
                              "AND display_name = 'New' AND password_hash IS NULL"));
        equal("invalid_credentials", _host->login("link@x.example", "the strangers own").code());
    }

    TEST(makesAccounts)
    {
        const auto made = post(_opToken, R"({"email":"New@x.example","displayName":"New","principalType":"user","sendInvitation":true})");
        equal(201, made.status);
        equal("pending_verification", made.at("/status"));
        equal("false", made.at("/emailVerified"));
        equal(1, _host->context().mailer().sentTo("New@x.example").size());
        equal("email_in_use", post(_opToken, R"({"email":"NEW@x.example"})").code());
        equal("validation_failed", post(_opToken, R"({"email":"x"})").code());
        equal("validation_failed", post(_opToken, R"({"email":"s@x.example","principalType":"service"})").code());
        // It has no password yet.
        equal("invalid_credentials", _host->login("new@x.example", IdentityHost::password).code());
        equal("conflict", patch(_opToken, made.at("/id"), R"({"status":"suspended"})").code());
    }

    void registerStranger(const std::string& address)
    {
        const auto taken = _host->call({.method = Method::Post,
                                        .target = "/api/auth/register",
                                        .body = jsonWith(R"({"email":"$","displayName":"Mallory","password":"the strangers own",)"
                                                         R"("acceptTerms":true,"humanVerification":$})",
                                                         address, _host->humanProof("register"))});
        equal(202, taken.status, taken.body);
    }
    TestAnswer get(const std::string& token, std::string target) { return _host->call({.target = std::move(target)}, token); }
    TestAnswer patch(const std::string& token, const std::string& user, std::string body)
    {
        return _host->call({.method = Method::Patch, .target = "/api/users/" + user, .body = std::move(body)}, token);
    }
    TestAnswer post(const std::string& token, std::string body)
    {
        return _host->call({.method = Method::Post, .target = "/api/users", .body = std::move(body)}, token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _stranger, _admin, _super, _ownerToken, _opToken, _superToken;
};

} // namespace portico::tests
