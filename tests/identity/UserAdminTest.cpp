#include "identity/IdentityHost.h"

namespace portico::tests
{

/// Accounts in the hands of administrators: their organization's to look at, operators' to change.
class UserAdminTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(UserAdminTest);
    CPPUNIT_TEST(listsThePeopleOfOnesOrganization);
    CPPUNIT_TEST(operatorsSeeEverybody);
    CPPUNIT_TEST(othersChangeNothing);
    CPPUNIT_TEST(suspensionCountsAtOnce);
    CPPUNIT_TEST(ranksProtectAccounts);
    CPPUNIT_TEST(platformRolesAreTheSuperAdminsAffair);
    CPPUNIT_TEST(lastOwnersStay);
    CPPUNIT_TEST(externalPeopleKeepToTheirServices);
    CPPUNIT_TEST(namesKeepToOneRuleAtEveryDoor);
    CPPUNIT_TEST(makesAccounts);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void listsThePeopleOfOnesOrganization()
    {
        const auto list = get(_ownerToken, "/api/users?include=total");
        CPPUNIT_ASSERT_EQUAL(std::string("2"), list.at("/total"));
        CPPUNIT_ASSERT_EQUAL(std::string("owner"), list.at("/items/0/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), list.at("/items/0/mfa/totp"));
        CPPUNIT_ASSERT(!list.has("/items/0/passwordHash"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(_ownerToken, "/api/users?q=MEMBER%40").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(_ownerToken, "/api/users?q=other").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(_ownerToken, "/api/users?status=suspended,deleted").count("/items"));
        CPPUNIT_ASSERT_EQUAL(404, get(_ownerToken, "/api/users?organizationId=" + _host->organizationId("other")).status);
        CPPUNIT_ASSERT_EQUAL(200, get(_ownerToken, "/api/users/" + _member).status);
        for (const auto& id : {_stranger, std::string("usr_01jd0000000000000000000000")})
            CPPUNIT_ASSERT_EQUAL(404, get(_ownerToken, "/api/users/" + id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get(_host->signIn("member@acme.example", "identity"), "/api/users").code());
    }

    void operatorsSeeEverybody()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, get(_opToken, "/api/users").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(_opToken, "/api/users?organizationId=" + _host->organizationId("other")).count("/items"));
        CPPUNIT_ASSERT_EQUAL(200, get(_opToken, "/api/users/" + _stranger).status);
        std::size_t seen = 0;
        std::string cursor;
        do {
            const auto page = get(_opToken, "/api/users?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
            seen += page.count("/items");
            cursor = page.at("/nextCursor");
        } while (cursor != "null");
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, seen);
    }

    void othersChangeNothing()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), patch(_ownerToken, _member, R"({"status":"suspended"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), post(_ownerToken, R"({"email":"a@x.example"})").code());
        // Without the membership in the admin organization the platform role is nothing.
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_admin});
        CPPUNIT_ASSERT_EQUAL(403, patch(_opToken, _member, R"({"status":"suspended"})").status);
    }

    void suspensionCountsAtOnce()
    {
        const auto token = _host->signIn("member@acme.example");
        CPPUNIT_ASSERT_EQUAL(std::string("suspended"), patch(_opToken, _member, R"({"status":"suspended"})").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(token));
        CPPUNIT_ASSERT_EQUAL(std::string("account_suspended"), _host->login("member@acme.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(std::string("active"),
                             patch(_opToken, _member, R"({"status":"active","displayName":"Mem Ber"})").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("Mem Ber"), _host->validate(_host->signIn("member@acme.example"))->displayName);
        for (const auto* bad : {R"({"status":"deleted"})", R"({"status":"pending_verification"})", R"({"displayName":""})"})
            CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), patch(_opToken, _member, bad).code());
        // What was read can be sent back.
        const auto shown = _host->call({.target = "/api/users/" + _member}, _opToken);
        const auto same = patch(_opToken, _member, shown.body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(same.body, 200, same.status);
        CPPUNIT_ASSERT_EQUAL(shown.at("/email"), same.at("/email"));
        CPPUNIT_ASSERT_EQUAL(404, patch(_opToken, "usr_01jd0000000000000000000000", R"({"status":"active"})").status);
        CPPUNIT_ASSERT_EQUAL(
            std::string("version_conflict"),
            _host
                ->call({.method = Method::Patch, .target = "/api/users/" + _member, .body = "{}", .headers = {{"If-Match", "\"1\""}}},
                       _opToken)
                .code());
    }

    void ranksProtectAccounts()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), patch(_opToken, _super, R"({"status":"suspended"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), patch(_opToken, _admin, R"({"displayName":"Me"})").code());
        CPPUNIT_ASSERT_EQUAL(200, patch(_superToken, _admin, R"({"displayName":"Op"})").status);
    }

    void platformRolesAreTheSuperAdminsAffair()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("platform_role_requires_super_admin"),
                             patch(_opToken, _member, R"({"platformRole":"platform_admin"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), patch(_superToken, _member, R"({"platformRole":"platform_admin"})").code());
        CPPUNIT_ASSERT_EQUAL(200, _host
                                      ->call({.method = Method::Post,
                                              .target = "/api/auth/step-up",
                                              .body = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}"},
                                             _superToken)
                                      .status);
        CPPUNIT_ASSERT_EQUAL(std::string("platform_admin"),
                             patch(_superToken, _member, R"({"platformRole":"platform_admin"})").at("/platformRole"));
        // Outside the admin organization it has no effect.
        CPPUNIT_ASSERT(!_host->validate(_host->signIn("member@acme.example"))->platformBypass);
        CPPUNIT_ASSERT_EQUAL(std::string("null"), patch(_superToken, _admin, R"({"platformRole":null})").at("/platformRole"));
        CPPUNIT_ASSERT(!_host->validate(_opToken, "identity")->platformBypass);
    }

    void lastOwnersStay()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("last_owner"), patch(_opToken, _owner, R"({"status":"suspended"})").code());
        _host->createUser("second@acme.example", "acme", "owner");
        CPPUNIT_ASSERT_EQUAL(200, patch(_opToken, _owner, R"({"status":"suspended"})").status);
    }

    void externalPeopleKeepToTheirServices()
    {
        const auto made = post(_opToken, R"({"email":"ext@x.example","principalType":"external","principalServices":["desk"]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["desk"])"), made.at("/principalServices"));
        const auto id = made.at("/id");
        _host->change(
            "UPDATE users SET status = 'active', email_verified = TRUE, password_hash = (SELECT password_hash FROM users WHERE id = "
            "$1) WHERE id = $2",
            {_member, id});
        // Here desk serves people, too.
        _host->change("UPDATE services SET contexts = '[\"organization\",\"personal\"]', personal_access = TRUE, version = version + 1 "
                      "WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(200, _host->login("ext@x.example", IdentityHost::password).status);
        const auto changed = patch(_opToken, id, R"({"principalServices":[],"launcherEligible":false})");
        CPPUNIT_ASSERT_EQUAL(std::string("false"), changed.at("/launcherEligible"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->login("ext@x.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(200, _host->login("ext@x.example", IdentityHost::password, "identity").status);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_service"),
                             patch(_opToken, id, R"({"principalServices":["nowhere"]})").at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_allowed"),
                             patch(_opToken, _member, R"({"principalServices":["desk"]})").at("/errors/0/code"));
        // Nor do they come into an organization: not by founding one either.
        CPPUNIT_ASSERT_EQUAL(403, _host
                                      ->call({.method = Method::Post, .target = "/api/organizations", .body = R"({"name":"Mine"})"},
                                             _host->signIn("ext@x.example", "identity"))
                                      .status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM memberships WHERE user_id = '" + id + '\''));
    }

    void namesKeepToOneRuleAtEveryDoor()
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
        for (const auto& [name, json] : std::vector<std::pair<std::string, std::string>>{{"line\nbreak", "line\\nbreak"},
                                                                                         {"turned\xe2\x80\xae", "turned\\u202e"},
                                                                                         {"zero\xe2\x80\x8b", "zero\\u200b"},
                                                                                         {tooLong, tooLong}})
        {
            const auto body = R"({"displayName":")" + json + "\"}";
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json, 400, patch(_opToken, _member, body).status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                json, 400, _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = body}, _ownerToken).status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json, 400, post(_opToken, R"({"email":"named@x.example","displayName":")" + json + "\"}").status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                json, 400,
                _host
                    ->call(
                        {.method = Method::Post, .target = agents, .body = R"({"name":")" + json + R"(","ownerUserId":")" + _owner + "\"}"},
                        _ownerToken)
                    .status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json, 400, byOperator(name));
        }
        // Nothing but space is no name: the address gives one.
        CPPUNIT_ASSERT_EQUAL(201, byOperator("   "));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM users WHERE display_name = 'named'"));
        CPPUNIT_ASSERT_EQUAL(400, patch(_opToken, _member, R"({"displayName":"   "})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("Mem Ber"), patch(_opToken, _member, R"({"displayName":"  Mem Ber "})").at("/displayName"));
    }

    void makesAccounts()
    {
        const auto made = post(_opToken, R"({"email":"New@x.example","displayName":"New","principalType":"user","sendInvitation":true})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("pending_verification"), made.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), made.at("/emailVerified"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _host->context().mailer().sentTo("New@x.example").size());
        CPPUNIT_ASSERT_EQUAL(std::string("email_in_use"), post(_opToken, R"({"email":"NEW@x.example"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), post(_opToken, R"({"email":"x"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"),
                             post(_opToken, R"({"email":"s@x.example","principalType":"service"})").code());
        // It has no password yet.
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_credentials"), _host->login("new@x.example", IdentityHost::password).code());
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), patch(_opToken, made.at("/id"), R"({"status":"suspended"})").code());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(UserAdminTest);

} // namespace portico::tests
