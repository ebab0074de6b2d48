#include "audit/Audit.h"
#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Operators who impersonate a user.
class ImpersonationTest : public Suite<ImpersonationTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example", "acme", "admin");
        _root = _host->createUser("root@x.example", {}, "member", "platform_super_admin");
        _admin = _host->createUser("op@x.example", {}, "member", "platform_admin");
        _host->createUser("owner@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(actsAsAPersonAndSaysSo)
    {
        const auto answer = impersonate(_ada, elevated("op@x.example"));
        equal(201, answer.status);
        equal(_ada, answer.at("/user/id"));
        CHECK(!answer.has("/refresh_token"));
        CHECK(answer.headerBlock().find("Set-Cookie") == std::string::npos);
        const auto token = answer.at("/access_token");
        const auto me = get("/api/auth/me", token);
        equal(_ada, me.at("/user/id"));
        equal(_admin, me.at("/act/sub"));
        equal("admin", me.at("/activeContext/role"));
        const auto valid = get("/validate", token);
        equal(_ada, valid.at("/principal/id"));
        equal(_admin, valid.at("/act/sub"));
        equal("false", valid.at("/platformBypass"));
        CHECK(!get("/api/auth/me", _host->signIn("ada@x.example", "identity")).has("/act"));
        // The rights are the person's.
        equal(200, get("/api/organizations/" + _host->organizationId("acme") + "/members", token).status);
        equal(403, get("/api/developers", token).status);
    }

    TEST(isForOperatorsWhoProveIt)
    {
        equal("permission_denied", impersonate(_ada, elevated("owner@x.example")).code());
        equal("step_up_required", impersonate(_ada, _host->signIn("op@x.example", "identity")).code());
        const auto token = elevated("op@x.example");
        equal(400, impersonate(_ada, token, R"({"minutes":10})").status);
        equal(400, impersonate(_ada, token, R"({"reason":"x","minutes":31})").status);
        equal(404, impersonate("usr_01arz3ndektsv4rrffq69g5fav", token).status);
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_ada});
        equal("conflict", impersonate(_ada, token).code());
    }

    TEST(neverActsAsAnEqual)
    {
        equal("outranked", impersonate(_root, elevated("op@x.example")).code());
        equal("outranked", impersonate(_admin, elevated("op@x.example")).code());
        const auto asAdmin = impersonate(_admin, elevated("root@x.example"));
        equal(201, asAdmin.status);
        // Impersonation cannot be nested.
        equal("permission_denied", impersonate(_ada, asAdmin.at("/access_token")).code());
    }

    TEST(touchesNoCredentials)
    {
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        struct Row
        {
            Method method;
            std::string path;
            std::string body;
        };
        const std::string password = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password);
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
            equal("permission_denied", answer.code(), row.path + ' ' + answer.body);
        }
        // Data that is not a credential can be changed.
        equal(200, _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = R"({"timezone":"UTC"})"}, token).status);
    }

    /// Webhooks, identity providers and clients can only be changed by the organization's members themselves.
    TEST(setsNothingUpForTheOrganization)
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
            equal(403, by(acting).status, row.path);
            const auto status = by(own).status;
            CPPUNIT_ASSERT_MESSAGE(row.path, status != 403 && status != 401);
        }
    }

    TEST(isWrittenDown)
    {
        impersonate(_ada, elevated("op@x.example"), R"({"reason":"ticket 7","minutes":5})");
        const auto events = get("/api/audit-events?type=user.impersonated", elevated("owner@x.example"));
        equal(_admin, events.at("/items/0/actor/id"));
        equal(_ada, events.at("/items/0/target"));
        equal("ticket 7", events.at("/items/0/details/reason"));
        equal("5", events.at("/items/0/details/minutes"));
    }

    TEST(auditEntriesNameBothUsers)
    {
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        const auto path = "/api/organizations/" + _host->organizationId("acme") + "/invitations";
        equal(201,
              _host->call({.method = Method::Post, .target = path, .body = R"({"email":"new@x.example","role":"member"})"}, token).status);
        const auto events = get("/api/audit-events?type=invitation.created", elevated("owner@x.example"));
        equal(_ada, events.at("/items/0/actor/id"));
        equal(_admin, events.at("/items/0/actor/impersonatorId"));
        {
            auto session = _host->context().database().session();
            CHECK(!identity::audit::firstBroken(session));
        }
        // The chain covers who it was.
        _host->change("UPDATE audit_events SET impersonator_id = NULL WHERE type = 'invitation.created'");
        auto session = _host->context().database().session();
        CHECK(identity::audit::firstBroken(session).has_value());
    }

    TEST(endsWithTheOperatorsOwnSignIn)
    {
        const auto own = elevated("op@x.example");
        const auto token = impersonate(_ada, own).at("/access_token");
        equal("ok", _host->verdict(token, "identity"));
        equal("ok", _host->verdict(token, "identity"));
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = "{}"}, own);
        equal("session_ended", _host->verdict(token, "identity"));
        CHECK(!_host->validateCached(token, "identity"));
    }

    TEST(endsWithTheRightToIt)
    {
        const auto first = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        equal("ok", _host->verdict(first, "identity"));
        // The next request, although nothing changed for the person.
        const auto patched = _host->call({.method = Method::Patch, .target = "/api/users/" + _admin, .body = R"({"platformRole":null})"},
                                         elevated("root@x.example"));
        equal(200, patched.status);
        equal("session_ended", _host->verdict(first, "identity"));
        // Impersonation ends when the user's rank exceeds the operator's.
        const auto second = impersonate(_ada, elevated("root@x.example")).at("/access_token");
        equal("ok", _host->verdict(second, "identity"));
        _host->createUser("ada@x.example", {}, "member", "platform_super_admin");
        equal("session_ended", _host->verdict(second, "identity"));
    }

    TEST(endsInTimeAndAlone)
    {
        const auto theirs = _host->signIn("ada@x.example", "identity");
        const auto own = elevated("op@x.example");
        const auto token = impersonate(_ada, own, R"({"reason":"x","minutes":5})").at("/access_token");
        const auto other = impersonate(_ada, own, R"({"reason":"x","minutes":5})").at("/access_token");
        const auto out = _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"everywhere"})"}, token);
        equal(1, out.count("/ended"));
        equal("session_ended", _host->verdict(token, "identity"));
        equal("ok", _host->verdict(theirs, "identity"));
        equal("ok", _host->verdict(other, "identity"));
        _host->context().clock().advance(std::chrono::minutes(5));
        equal("expired", _host->verdict(other, "identity"));
    }

    TEST(leavesTheContextOfThePerson)
    {
        const auto before = _host->count("SELECT COUNT(*) FROM last_contexts WHERE user_id = '" + _ada + '\'');
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        const auto moved = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = R"({"kind":"personal"})"}, token);
        equal(200, moved.status, moved.body);
        equal(before, _host->count("SELECT COUNT(*) FROM last_contexts WHERE user_id = '" + _ada + '\''));
    }

    TEST(leavesNoMarkOnThePerson)
    {
        _host->signIn("ada@x.example", "identity");
        const auto seen = get("/api/auth/me", _host->signIn("ada@x.example", "identity")).at("/user/lastLoginAt");
        const auto mails = _host->context().mailer().sentTo("ada@x.example").size();
        _host->context().clock().advance(std::chrono::hours(1));
        const auto token = impersonate(_ada, elevated("op@x.example")).at("/access_token");
        equal(seen, get("/api/auth/me", token).at("/user/lastLoginAt"));
        equal(mails, _host->context().mailer().sentTo("ada@x.example").size());
    }

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
                    .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password)},
                   _host->signIn(email, "identity"))
            .at("/access_token");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
    std::string _root;
    std::string _admin;
};

} // namespace portico::tests
