#include "identity/IdentityHost.h"
#include "identity/SoftAuthenticator.h"
#include "support/Suite.h"

#include "permissions/Actor.h"

namespace portico::tests
{

/// Platform roles have effect only with a sign-in that meets the policy of the admin organization, and are given with a fresh proof only.
class PlatformPowerTest : public Suite<PlatformPowerTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _operator = _host->createUser(op, "acme", "member", "platform_super_admin");
        _ada = _host->createUser("ada@x.example", "acme", "admin");
        _owner = _host->createUser("owner@x.example", "acme", "owner");
        _acme = _host->organizationId("acme");
        _admin = _host->organizationId("admin");
    }
    void tearDown() override { _host.reset(); }

    TEST(aSignInWithoutTheSecondFactorHasNoBypass)
    {
        const auto weak = inAcme();
        elevate(weak);
        CHECK(_host->validate(weak, "identity")->platformBypass);
        demand(R"({"mfaRequired":true})");
        CHECK(!_host->validate(weak, "identity")->platformBypass);
        equal("", _host->validate(weak, "identity")->platformRole);
        equal("permission_denied", impersonate(weak).code());
        equal(403, call(Method::Get, "/api/system/self-check", {}, weak).status);
        equal(403, call(Method::Get, "/api/users", {}, weak).status, "other people are not theirs to see");
        equal("false", get("/validate", weak).at("/platformBypass"));
        equal("false", get("/api/users/" + _operator + "/permissions", weak).at("/platformBypass"));
        // Proving a second factor once restores it.
        auto key = addPasskey(weak);
        const auto raised =
            call(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"passkey","credential":$})", key.get(challenge())), weak);
        equal(200, raised.status, raised.body);
        CHECK(_host->validate(raised.at("/access_token"), "identity")->platformBypass);
        equal(201, impersonate(raised.at("/access_token")).status);
    }

    TEST(aSignInByAnotherMethodHasNoBypass)
    {
        const auto token = inAcme();
        demand(R"({"allowedLoginMethods":["passkey"]})");
        CHECK(!_host->validate(token, "identity")->platformBypass);
        demand(R"({"allowedLoginMethods":[]})");
        CHECK(_host->validate(token, "identity")->platformBypass);
    }

    TEST(anOldSignInHasNoBypass)
    {
        demand(R"({"maxSessionHours":1})");
        const auto token = inAcme();
        _host->change("UPDATE sessions SET auth_time = auth_time - 3300000");
        CHECK(_host->validate(token, "identity")->platformBypass);
        _host->context().clock().advance(std::chrono::minutes(5));
        CPPUNIT_ASSERT_MESSAGE("time alone ends it", !_host->validate(token, "identity")->platformBypass);
    }

    TEST(aRequestFromAnotherNetworkHasNoBypass)
    {
        const auto token = inAcme();
        demand(R"({"ipAllowList":["198.51.100.0/24"]})");
        const auto bypass = [&](std::string_view address) { return _host->validate(token, "identity", true, address)->platformBypass; };
        for (int i = 0; i < 2; ++i)
        {
            CHECK(bypass("198.51.100.9"));
            CHECK(!bypass("192.0.2.7"));
        }
        CHECK(!_host->validateCached(token, "identity"));
        equal(403, call(Method::Get, "/api/system/self-check", {}, token).status);
        const auto inside =
            _host->call({.target = "/api/system/self-check", .originService = "identity", .clientAddress = "198.51.100.9"}, token);
        equal(200, inside.status);
        // If only the role grants access to the service, requests from other networks are rejected.
        const auto desk = _host->signIn(op, "desk", jsonWith(R"(,"organizationId":"$")", _acme));
        _host->change("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1", {_acme});
        equal("ok", _host->verdict(desk, "desk", "198.51.100.9"));
        equal("service_access_denied", _host->verdict(desk, "desk", "192.0.2.7"));
    }

    TEST(anApiKeyFromAnotherNetworkHasNoBypass)
    {
        const auto token = _host->signIn(op, "desk", jsonWith(R"(,"organizationId":"$")", _acme));
        const auto made = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body =
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                          _operator),
             .originService = "desk"},
            token);
        equal(201, made.status, made.body);
        const auto key = made.at("/key");
        CHECK(_host->validate(key)->platformBypass);
        demand(R"({"ipAllowList":["198.51.100.0/24"]})");
        for (int i = 0; i < 2; ++i)
        {
            const auto inside = _host->validate(key, "desk", true, "198.51.100.9");
            CHECK(inside->platformBypass && inside->may("desk.settings:write"));
            const auto outside = _host->validate(key);
            CHECK(!outside->platformBypass && !outside->may("desk.settings:write"));
            CHECK(outside->may("desk.tickets:read") && outside->hasScope("tickets.read"));
        }
        _host->change("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1", {_acme});
        equal("ok", _host->verdict(key, "desk", "198.51.100.9"));
        equal("service_access_denied", _host->verdict(key, "desk", "192.0.2.7"));
    }

    TEST(anImpersonationEndsWithTheBypass)
    {
        const auto token = inAcme();
        elevate(token);
        const auto acting = impersonate(token).at("/access_token");
        equal("ok", _host->verdict(acting, "identity"));
        demand(R"({"mfaRequired":true})");
        equal("session_ended", _host->verdict(acting, "identity"));
    }

    TEST(selfCheckReportsPowerlessSignIns)
    {
        const auto strong = _host->createUser("strong@x.example", {}, "member", "platform_admin");
        const auto token = _host->signIn("strong@x.example", "identity");
        elevate(token);
        auto key = addPasskey(token);
        call(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"passkey","credential":$})", key.get(challenge())), token);
        const auto weak = inAcme();
        equal(0, get("/api/system/self-check", token).count("/powerlessSignIns"));
        demand(R"({"mfaRequired":true})");
        const auto shown = get("/api/system/self-check", token);
        equal(1, shown.count("/powerlessSignIns"), shown.body);
        equal(_operator, shown.at("/powerlessSignIns/0/userId"));
        equal("mfa_required", shown.at("/powerlessSignIns/0/reason"));
        equal(_host->validate(weak, "identity")->sessionId, shown.at("/powerlessSignIns/0/sessionId"));
    }

    TEST(aPlaceInTheAdminOrganizationNeedsAFreshProof)
    {
        const auto clerk = _host->createUser("clerk@x.example", "admin", "member");
        const auto away = _host->createUser("away@x.example", "admin", "member", "platform_admin");
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {away});
        const std::string root = "/api/organizations/" + _admin;
        struct Grant
        {
            Method method;
            std::string path;
            std::string body;
        };
        const std::vector<Grant> grants = {
            {Method::Post, root + "/invitations", R"({"email":"new@x.example","role":"member"})"},
            {Method::Patch, root + "/members/" + clerk, R"({"role":"admin"})"},
            {Method::Patch, root + "/members/" + away, R"({"status":"active"})"},
            {Method::Post, root + "/domains", R"({"domain":"x.example","autoJoinRole":"member"})"},
            {Method::Patch, root, R"({"securityPolicy":{"maxSessionHours":700}})"},
            {Method::Post, root + "/agents", jsonWith(R"({"name":"Robot","role":"member","ownerUserId":"$"})", _operator)},
        };
        const auto token = _host->signIn(op, "identity", jsonWith(R"(,"organizationId":"$")", _admin));
        for (const auto& grant : grants)
        {
            const auto refused = call(grant.method, grant.path, grant.body, token);
            equal("step_up_required", refused.code(), grant.path + ' ' + refused.body);
        }
        equal(0, _host->count("SELECT COUNT(*) FROM invitations"));
        elevate(token);
        for (const auto& grant : grants)
        {
            const auto done = call(grant.method, grant.path, grant.body, token);
            CPPUNIT_ASSERT_MESSAGE(grant.path + ' ' + done.body, done.status < 300);
        }
        // To take one back needs none.
        const auto invitation = get(root + "/invitations", token).at("/items/0/id");
        _host->change("UPDATE sessions SET elevated_until = 1");
        equal("step_up_required", call(Method::Post, root + "/invitations/" + invitation + "/resend", "{}", token).code());
        equal(204, call(Method::Delete, root + "/invitations/" + invitation, {}, token).status);
    }

    TEST(aPlatformRoleNeedsAFreshProof)
    {
        const auto token = inAcme();
        const auto change = [&](const std::string& id, const std::string& body)
        { return call(Method::Patch, "/api/users/" + id, body, token); };
        const std::string give = R"({"platformRole":"platform_admin"})";
        equal("step_up_required", change(_ada, give).code());
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE platform_role IS NOT NULL"));
        elevate(token);
        equal("platform_admin", change(_ada, give).at("/platformRole"));
        _host->change("UPDATE sessions SET elevated_until = 1");
        equal(200, change(_ada, R"({"displayName":"Ada"})").status, "a name is no power");
        equal(200, change(_ada, R"({"status":"suspended"})").status);
        equal("step_up_required", change(_ada, R"({"status":"active"})").code());
        equal("null", change(_ada, R"({"platformRole":null})").at("/platformRole"));
    }

    TEST(otherOrganizationsAskForNone)
    {
        const auto owner = _host->signIn("owner@x.example", "identity");
        equal(201, call(Method::Post, "/api/organizations/" + _acme + "/invitations", R"({"email":"new@x.example","role":"member"})", owner)
                       .status);
        equal(200, call(Method::Patch, "/api/organizations/" + _acme + "/members/" + _ada, R"({"role":"member"})", owner).status);
    }

    TEST(ownershipIsGivenByOwnersAlone)
    {
        _host->change("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, expires_at, "
                      "version, created_at, updated_at) VALUES ($3, $1, $2, 'identity.organizations:transfer', 'allow', '', '', NULL, "
                      "1, 1, 1)",
                      {_ada, _acme, identity::OverrideId::make(_host->context().clock().now()).text()});
        const auto member = _host->createUser("member@x.example", "acme", "member");
        const auto token = _host->signIn("ada@x.example", "identity");
        elevate(token);
        for (const auto& heir : {member, _owner})
        {
            const auto answer = transfer(heir, token);
            refused(answer, 403, std::string(heir == member ? "role_above_own" : "outranked"));
        }
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'owner'"));
        const auto owner = _host->signIn("owner@x.example", "identity");
        elevate(owner);
        equal(200, transfer(member, owner).status);
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'owner'"));
    }

    TEST(ownershipDoesNotPassAboveTheActor)
    {
        const auto owner = _host->signIn("owner@x.example", "identity");
        elevate(owner);
        equal("outranked", transfer(_operator, owner).code(), "an operator's place is not theirs to change");
    }

    TEST(anActorWhoseSignInHasEndedChangesNothing)
    {
        const auto token = _host->signIn("owner@x.example", "identity");
        const auto caller = _host->validate(token, "identity");
        _host->change("UPDATE sessions SET ended_at = 1");
        auto session = _host->context().database().session();
        CPPUNIT_ASSERT_THROW(identity::Actor(session, *caller, _host->context().clock().now()), Problem);
    }

    static constexpr std::string_view op = "op@x.example";

    TestAnswer call(Method method, const std::string& target, std::string body, const std::string& token) const
    {
        return _host->call({.method = method, .target = target, .body = std::move(body), .originService = "identity"}, token);
    }
    TestAnswer get(const std::string& target, const std::string& token) const { return call(Method::Get, target, {}, token); }
    std::string inAcme() const { return _host->signIn(op, "identity", jsonWith(R"(,"organizationId":"$")", _acme)); }
    void elevate(const std::string& token) const
    {
        const auto raised =
            call(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), token);
        equal(200, raised.status, raised.body);
    }
    void demand(const std::string& policy) const
    {
        _host->change("UPDATE organizations SET security_policy = $1 WHERE id = $2", {policy, _admin});
    }
    TestAnswer impersonate(const std::string& token) const
    {
        return call(Method::Post, "/api/users/" + _ada + "/impersonate", R"({"reason":"a ticket","minutes":10})", token);
    }
    TestAnswer transfer(const std::string& heir, const std::string& token) const
    {
        return call(Method::Post, "/api/organizations/" + _acme + "/transfer-ownership", jsonWith(R"({"toUserId":"$"})", heir), token);
    }
    std::string challenge() const
    {
        return call(Method::Post, "/api/auth/passkeys/authenticate/options", "{}", {}).at("/publicKey/challenge");
    }
    SoftAuthenticator addPasskey(const std::string& token) const
    {
        const auto options = call(Method::Post, "/api/auth/passkeys/register/options", "{}", token);
        SoftAuthenticator key;
        const auto made = call(Method::Post, "/api/auth/passkeys/register/verify",
                               jsonWith(R"({"challengeId":"$",)"
                                        R"("credential":$})",
                                        options.at("/challengeId"), key.create(options.at("/publicKey/challenge"))),
                               token);
        equal(201, made.status, made.body);
        return key;
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _operator, _ada, _owner, _acme, _admin;
};

} // namespace portico::tests
