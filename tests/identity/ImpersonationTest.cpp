#include "audit/Audit.h"
#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Operators who act as somebody else.
class ImpersonationTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ImpersonationTest);
    CPPUNIT_TEST(actsAsAPersonAndSaysSo);
    CPPUNIT_TEST(isForOperatorsWhoProveIt);
    CPPUNIT_TEST(neverActsAsAnEqual);
    CPPUNIT_TEST(touchesNoCredentials);
    CPPUNIT_TEST(setsNothingUpForTheOrganization);
    CPPUNIT_TEST(isWrittenDown);
    CPPUNIT_TEST(tellsTheTrailApart);
    CPPUNIT_TEST(endsWithTheOperatorsOwnSignIn);
    CPPUNIT_TEST(endsWithTheRightToIt);
    CPPUNIT_TEST(endsInTimeAndAlone);
    CPPUNIT_TEST(leavesTheContextOfThePerson);
    CPPUNIT_TEST(leavesNoMarkOnThePerson);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example", "acme", "admin");
        _root = _host->createUser("root@x.example", {}, "member", "platform_super_admin");
        _admin = _host->createUser("op@x.example", {}, "member", "platform_admin");
        _host->createUser("owner@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void actsAsAPersonAndSaysSo()
    {
        const auto answer = impersonate(_ada, elevated("op@x.example"));
        CPPUNIT_ASSERT_EQUAL(201, answer.status);
        CPPUNIT_ASSERT_EQUAL(_ada, answer.at("/user/id"));
        CPPUNIT_ASSERT(!answer.has("/refresh_token"));
        CPPUNIT_ASSERT(answer.headerBlock().find("Set-Cookie") == std::string::npos);
        const auto token = answer.at("/access_token");
        const auto me = get("/api/auth/me", token);
        CPPUNIT_ASSERT_EQUAL(_ada, me.at("/user/id"));
        CPPUNIT_ASSERT_EQUAL(_admin, me.at("/act/sub"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), me.at("/activeContext/role"));
        const auto valid = get("/validate", token);
        CPPUNIT_ASSERT_EQUAL(_ada, valid.at("/principal/id"));
        CPPUNIT_ASSERT_EQUAL(_admin, valid.at("/act/sub"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), valid.at("/platformBypass"));
        CPPUNIT_ASSERT(!get("/api/auth/me", _host->signIn("ada@x.example", "identity")).has("/act"));
        // The rights are the person's.
        CPPUNIT_ASSERT_EQUAL(200, get("/api/organizations/" + _host->organizationId("acme") + "/members", token).status);
        CPPUNIT_ASSERT_EQUAL(403, get("/api/developers", token).status);
    }

    void isForOperatorsWhoProveIt()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), impersonate(_ada, elevated("owner@x.example")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), impersonate(_ada, _host->signIn("op@x.example", "identity")).code());
        const auto token = elevated("op@x.example");
        CPPUNIT_ASSERT_EQUAL(400, impersonate(_ada, token, R"({"minutes":10})").status);
        CPPUNIT_ASSERT_EQUAL(400, impersonate(_ada, token, R"({"reason":"x","minutes":31})").status);
        CPPUNIT_ASSERT_EQUAL(404, impersonate("usr_01arz3ndektsv4rrffq69g5fav", token).status);
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_ada});
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), impersonate(_ada, token).code());
    }

    void neverActsAsAnEqual()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), impersonate(_root, elevated("op@x.example")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("outranked"), impersonate(_admin, elevated("op@x.example")).code());
        const auto asAdmin = impersonate(_admin, elevated("root@x.example"));
        CPPUNIT_ASSERT_EQUAL(201, asAdmin.status);
        // And goes no further from there.
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), impersonate(_ada, asAdmin.at("/access_token")).code());
    }

    void touchesNoCredentials()
    {
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        struct Row
        {
            Method method;
            std::string path;
            std::string body;
        };
        const std::string password = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}";
        const std::string user = "/api/users/" + _ada;
        const std::vector<Row> rows = {{Method::Post, "/api/auth/step-up", password},
                                       {Method::Put, "/api/auth/password", "{}"},
                                       {Method::Post, "/api/auth/me/email", R"({"newEmail":"eve@x.example"})"},
                                       {Method::Delete, "/api/auth/me/email", ""},
                                       {Method::Put, "/api/auth/me/recovery-email", R"({"email":"eve@x.example"})"},
                                       {Method::Delete, "/api/auth/me/recovery-email", ""},
                                       {Method::Post, "/api/auth/me/recovery-email/verify", "{}"},
                                       {Method::Post, "/api/auth/me/recovery-email/resend", "{}"},
                                       {Method::Post, "/api/auth/mfa/totp/enroll", "{}"},
                                       {Method::Post, "/api/auth/mfa/totp/activate", "{}"},
                                       {Method::Post, "/api/auth/mfa/recovery-codes", ""},
                                       {Method::Delete, "/api/auth/mfa/mfa_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Post, "/api/auth/passkeys/register/options", "{}"},
                                       {Method::Post, "/api/auth/passkeys/register/verify", "{}"},
                                       {Method::Delete, "/api/auth/passkeys/pk_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Delete, "/api/auth/sessions", ""},
                                       {Method::Delete, "/api/auth/sessions/ses_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Delete, "/api/auth/consents/x", ""},
                                       {Method::Post, "/sso/handoff-code", "{}"},
                                       {Method::Post, "/api/api-keys", "{}"},
                                       {Method::Post, "/api/api-keys/key_01arz3ndektsv4rrffq69g5fav/rotate", ""},
                                       {Method::Delete, "/api/api-keys/key_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Post, "/api/oauth-clients", "{}"},
                                       {Method::Post, "/api/auth/me/export", "{}"},
                                       {Method::Delete, "/api/auth/me", R"({"confirm":"delete"})"},
                                       {Method::Patch, user + "/security", "{}"},
                                       {Method::Post, user + "/password-reset", "{}"},
                                       {Method::Post, user + "/impersonate", R"({"reason":"x"})"}};
        for (const auto& row : rows)
        {
            const auto answer = _host->call({.method = row.method, .target = row.path, .body = row.body}, token);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(row.path + ' ' + answer.body, std::string("permission_denied"), answer.code());
        }
        // What is no credential is theirs to change.
        CPPUNIT_ASSERT_EQUAL(
            200, _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = R"({"timezone":"UTC"})"}, token).status);
    }

    /// Where things are sent, whom it believes, and which clients ask it stay the owners' own to say.
    void setsNothingUpForTheOrganization()
    {
        const auto owner = _host->createUser("owner@x.example", "acme", "owner");
        const auto domains = "/api/organizations/" + _host->organizationId("acme") + "/domains";
        struct Row
        {
            Method method;
            std::string path;
            std::string body;
        };
        const std::vector<Row> rows = {{Method::Post, "/api/webhook-endpoints", "{}"},
                                       {Method::Patch, "/api/webhook-endpoints/whk_01arz3ndektsv4rrffq69g5fav", "{}"},
                                       {Method::Delete, "/api/webhook-endpoints/whk_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Post, "/api/webhook-endpoints/whk_01arz3ndektsv4rrffq69g5fav/test", "{}"},
                                       {Method::Post, "/api/identity-providers", "{}"},
                                       {Method::Patch, "/api/identity-providers/idp_01arz3ndektsv4rrffq69g5fav", "{}"},
                                       {Method::Delete, "/api/identity-providers/idp_01arz3ndektsv4rrffq69g5fav", ""},
                                       {Method::Post, domains, "{}"},
                                       {Method::Post, domains + "/acme.example/verify", ""},
                                       {Method::Delete, domains + "/acme.example", ""},
                                       {Method::Post, "/oauth/register", R"({"redirect_uris":["https://app.example/cb"]})"}};
        const auto acting = impersonate(owner, elevated("op@x.example")).at("/access_token");
        const auto own = elevated("owner@x.example");
        for (const auto& row : rows)
        {
            const auto by = [&](const std::string& token)
            { return _host->call({.method = row.method, .target = row.path, .body = row.body}, token); };
            CPPUNIT_ASSERT_EQUAL_MESSAGE(row.path, 403, by(acting).status);
            const auto status = by(own).status;
            CPPUNIT_ASSERT_MESSAGE(row.path, status != 403 && status != 401);
        }
    }

    void isWrittenDown()
    {
        impersonate(_ada, elevated("op@x.example"), R"({"reason":"ticket 7","minutes":5})");
        const auto events = get("/api/audit-events?type=user.impersonated", elevated("owner@x.example"));
        CPPUNIT_ASSERT_EQUAL(_admin, events.at("/items/0/actor/id"));
        CPPUNIT_ASSERT_EQUAL(_ada, events.at("/items/0/target"));
        CPPUNIT_ASSERT_EQUAL(std::string("ticket 7"), events.at("/items/0/details/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("5"), events.at("/items/0/details/minutes"));
    }

    void tellsTheTrailApart()
    {
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        const auto path = "/api/organizations/" + _host->organizationId("acme") + "/invitations";
        CPPUNIT_ASSERT_EQUAL(
            201,
            _host->call({.method = Method::Post, .target = path, .body = R"({"email":"new@x.example","role":"member"})"}, token).status);
        const auto events = get("/api/audit-events?type=invitation.created", elevated("owner@x.example"));
        CPPUNIT_ASSERT_EQUAL(_ada, events.at("/items/0/actor/id"));
        CPPUNIT_ASSERT_EQUAL(_admin, events.at("/items/0/actor/impersonatorId"));
        {
            auto session = _host->context().database().session();
            CPPUNIT_ASSERT(!identity::audit::firstBroken(session));
        }
        // The chain covers who it was.
        _host->change("UPDATE audit_events SET impersonator_id = NULL WHERE type = 'invitation.created'");
        auto session = _host->context().database().session();
        CPPUNIT_ASSERT(identity::audit::firstBroken(session).has_value());
    }

    void endsWithTheOperatorsOwnSignIn()
    {
        const auto own = elevated("op@x.example");
        const auto token = impersonate(_ada, own).at("/access_token");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(token, "identity"));
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}"}, own);
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(token, "identity"));
        CPPUNIT_ASSERT(!_host->validateCached(token, "identity"));
    }

    void endsWithTheRightToIt()
    {
        const auto first = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(first, "identity"));
        // The next request, although nothing changed for the person.
        const auto patched = _host->call({.method = Method::Patch, .target = "/api/users/" + _admin, .body = R"({"platformRole":null})"},
                                         elevated("root@x.example"));
        CPPUNIT_ASSERT_EQUAL(200, patched.status);
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(first, "identity"));
        // Who rises above the operator is left alone.
        const auto second = impersonate(_ada, elevated("root@x.example")).at("/access_token");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(second, "identity"));
        _host->createUser("ada@x.example", {}, "member", "platform_super_admin");
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(second, "identity"));
    }

    void endsInTimeAndAlone()
    {
        const auto theirs = _host->signIn("ada@x.example", "identity");
        const auto own = elevated("op@x.example");
        const auto token = impersonate(_ada, own, R"({"reason":"x","minutes":5})").at("/access_token");
        const auto other = impersonate(_ada, own, R"({"reason":"x","minutes":5})").at("/access_token");
        const auto out = _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"everywhere"})"}, token);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, out.count("/ended"));
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), _host->verdict(token, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(theirs, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(other, "identity"));
        _host->context().clock().advance(std::chrono::minutes(5));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), _host->verdict(other, "identity"));
    }

    void leavesTheContextOfThePerson()
    {
        const auto before = _host->count("SELECT COUNT(*) FROM last_contexts WHERE user_id = '" + _ada + '\'');
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        const auto moved = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = R"({"kind":"personal"})"}, token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(before, _host->count("SELECT COUNT(*) FROM last_contexts WHERE user_id = '" + _ada + '\''));
    }

    void leavesNoMarkOnThePerson()
    {
        _host->signIn("ada@x.example", "identity");
        const auto seen = get("/api/auth/me", _host->signIn("ada@x.example", "identity")).at("/user/lastLoginAt");
        const auto mails = _host->context().mailer().sentTo("ada@x.example").size();
        _host->context().clock().advance(std::chrono::hours(1));
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        CPPUNIT_ASSERT_EQUAL(seen, get("/api/auth/me", token).at("/user/lastLoginAt"));
        CPPUNIT_ASSERT_EQUAL(mails, _host->context().mailer().sentTo("ada@x.example").size());
    }

private:
    TestAnswer impersonate(const std::string& user, const std::string& token, std::string body = R"({"reason":"ticket 7"})") const
    {
        return _host->call({.method = Method::Post, .target = "/api/users/" + user + "/impersonate", .body = std::move(body)}, token);
    }
    TestAnswer get(const std::string& path, const std::string& token) const { return _host->call({.target = path}, token); }
    std::string elevated(std::string_view email) const
    {
        return _host
            ->call({.method = Method::Post,
                    .target = "/api/auth/step-up",
                    .body = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}"},
                   _host->signIn(email, "identity"))
            .at("/access_token");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
    std::string _root;
    std::string _admin;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImpersonationTest);

} // namespace portico::tests
