#include "identity/IdentityHost.h"

#include <thread>

namespace portico::tests
{

/// Organizations: creation, changes, and deletion with a grace period.
class OrganizationTest : public Suite<OrganizationTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _super = _host->createUser("super@acme.example", "acme", "super_admin");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("owner@other.example", "other", "owner");
        _host->createUser("op@admin.example", "", "member", "platform_admin");
        _acme = _host->organizationId("acme");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(anybodyFoundsOne)
    {
        const auto token = _host->signIn("member@acme.example", "identity");
        const auto made = post(token, "/api/organizations", R"({"name":" Globex & Söhne "})");
        equal(201, made.status);
        equal("Globex & Söhne", made.at("/name"));
        equal("globex-s-hne", made.at("/slug"));
        equal(_member, made.at("/ownerUserId"));
        equal("1", made.at("/memberCount"));
        equal("business", made.at("/kind"));
        equal(0, made.count("/domains"));
        equal("\"1\"", made.etag);
        // Usable at once, with the services of the setting.
        const auto there = _host->signIn("member@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", made.at("/id")));
        equal("owner", _host->validate(there)->role);
        equal("not_allowed", patch(_ownerToken, R"({"deletionAt":"2027-01-01T00:00:00Z"})").at("/errors/0/code"));
        for (const auto* kind : {"developer_workspace", "admin"})
            equal("validation_failed", post(token, "/api/organizations", jsonWith(R"({"name":"X Y","kind":"$"})", kind)).code());
        equal("validation_failed", post(token, "/api/organizations", R"({"name":"  "})").code());
        equal(401, post("", "/api/organizations", R"({"name":"X"})").status);
    }

    TEST(slugsAreUnique)
    {
        const auto code = [&](std::string_view slug)
        { return post(_ownerToken, "/api/organizations", jsonWith(R"({"name":"New","slug":"$"})", slug)).code(); };
        equal("slug_in_use", code("acme"));
        equal("slug_in_use", code("admin"));
        for (const auto* bad : {"A", "a", "UPPER", "two--hyphens", "-first", "last-", "under_score"}) equal("validation_failed", code(bad));
        equal("slug_in_use", patch(_ownerToken, R"({"slug":"other"})").code());
        equal("slug_in_use", patch(_ownerToken, R"({"slug":"admin"})").code());
        equal(200, patch(_ownerToken, R"({"slug":"acme-2"})").status);
        // A generated slug avoids an existing one.
        const auto again = post(_ownerToken, "/api/organizations", R"({"name":"Other"})");
        equal(201, again.status);
        CHECK(again.at("/slug").starts_with("other-"));
        equal("organization", post(_ownerToken, "/api/organizations", R"({"name":"株式会社"})").at("/slug"));
    }

    TEST(oneOfManyParallelSlugsIsMade)
    {
        std::atomic<int> made = 0, refused = 0;
        {
            std::vector<std::jthread> founders;
            for (int i = 0; i < 8; ++i)
                founders.emplace_back(
                    [&]
                    {
                        const auto answer = post(_ownerToken, "/api/organizations", R"({"name":"New","slug":"wanted"})");
                        if (answer.status == 201) ++made;
                        if (answer.code() == "slug_in_use") ++refused;
                    });
        }
        equal(1, made.load());
        equal(7, refused.load());
    }

    TEST(listsOnesOwn)
    {
        post(_ownerToken, "/api/organizations", R"({"name":"Second"})");
        const auto mine = get(_ownerToken, "/api/organizations");
        equal(2, mine.count("/items"));
        const auto first = get(_ownerToken, "/api/organizations?limit=1&include=total");
        equal("2", first.at("/total"));
        const auto second = get(_ownerToken, "/api/organizations?limit=1&cursor=" + first.at("/nextCursor"));
        CHECK(first.at("/items/0/id") < second.at("/items/0/id"));
        equal("null", second.at("/nextCursor"));
        equal("permission_denied", get(_ownerToken, "/api/organizations?all=1").code());
        const auto all = get(_host->signIn("op@admin.example", "identity"), "/api/organizations?all=1");
        equal(4, all.count("/items"));
    }

    TEST(keepsToTheActiveOne)
    {
        const auto other = "/api/organizations/" + _host->organizationId("other");
        const auto nowhere = std::string("/api/organizations/org_01jd0000000000000000000000");
        for (const auto& place : {other, nowhere})
        {
            equal(404, get(_ownerToken, place).status);
            equal(404, call(_ownerToken, Method::Patch, place, R"({"name":"Mine"})").status);
            equal(404, call(_ownerToken, Method::Delete, place).status);
            equal(404, get(_ownerToken, place + "/members").status);
        }
        const auto op = _host->signIn("op@admin.example", "identity");
        equal(200, get(op, other).status);
        equal(200, call(op, Method::Patch, other, R"({"name":"Renamed"})").status);
        equal(404, get(op, nowhere).status);
        // A member reads, a guest does not.
        equal(200, get(_host->signIn("member@acme.example", "identity"), path()).status);
        _host->createUser("guest@acme.example", "acme", "guest");
        equal("permission_denied", get(_host->signIn("guest@acme.example", "identity"), path()).code());
        equal("permission_denied", patch(_host->signIn("member@acme.example", "identity"), "{}").code());
    }

    TEST(changesWhatMayBeChanged)
    {
        const auto super = _host->signIn("super@acme.example", "identity");
        const auto shown = get(super, path());
        // An answer can be sent back unchanged.
        equal(200, patch(super, shown.body).status);
        const auto changed =
            patch(super, R"({"name":"Acme Inc","logoUrl":"https://acme.example/l.svg","status":"revoked","kind":"admin"})");
        equal(200, changed.status);
        equal("Acme Inc", changed.at("/name"));
        equal("active", changed.at("/status"));
        equal("business", changed.at("/kind"));
        equal("Acme Inc", _host->validate(_ownerToken, "identity")->organizationName);
        equal("version_conflict", patch(super, R"({"name":"X"})", {{"If-Match", "\"1\""}}).code());
        equal("validation_failed", patch(super, R"({"logoUrl":"ftp://x.example"})").code());
        equal("unknown_field", patch(super, R"({"owner":"me"})").code());
        equal("invalid_name", patch(super, R"({"name":"Acme\nYour bank"})").at("/errors/0/code"));
        // A part of the policy leaves the rest.
        const auto policy = patch(super, R"({"securityPolicy":{"idleHours":24}})");
        equal("24", policy.at("/securityPolicy/idleHours"));
        equal("720", policy.at("/securityPolicy/maxSessionHours"));
    }

    TEST(checksThePolicy)
    {
        const auto fault = [&](std::string_view policy)
        {
            const auto answer = patch(_ownerToken, jsonWith(R"({"securityPolicy":$})", policy));
            return answer.has("/errors/0/field") ? answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code") : answer.body;
        };
        equal("securityPolicy.ipAllowList[1] invalid_network", fault(R"({"ipAllowList":["192.0.2.0/24","10.0.0.0/33"]})"));
        equal("securityPolicy.allowedLoginMethods[0] invalid_choice", fault(R"({"allowedLoginMethods":["sms"]})"));
        equal("securityPolicy.ipAllowList excludes_you", fault(R"({"ipAllowList":["198.51.100.0/24"]})"));
        CHECK(fault(R"({"maxSessionHours":0})").starts_with("securityPolicy.maxSessionHours "));
        equal(200, patch(_ownerToken, R"({"securityPolicy":{"allowedLoginMethods":["password","idp:idp_1"]}})").status);
        // A policy must not allow only methods that no member has.
        for (const auto* methods : {R"(["passkey"])", R"(["idp:idp_01jd0000000000000000000001"])", R"(["passkey","idp:x"])"})
            equal("securityPolicy.allowedLoginMethods excludes_you", fault(jsonWith(R"({"allowedLoginMethods":$})", methods)), methods);
        // A manager cannot lock out the owners, nor can an operator.
        _host->createUser("super@acme.example", "acme", "super_admin");
        givePasskey("super@acme.example");
        const auto op = _host->signIn("op@admin.example", "identity");
        const auto byOperator = patch(op, R"({"securityPolicy":{"allowedLoginMethods":["passkey"]}})");
        equal("excludes_owners", byOperator.at("/errors/0/code"), byOperator.body);
        equal("securityPolicy.mfaRequired excludes_you", fault(R"({"mfaRequired":true})"));
        const auto demanded = patch(op, R"({"securityPolicy":{"mfaRequired":true}})");
        equal("securityPolicy.mfaRequired excludes_owners", demanded.at("/errors/0/field") + ' ' + demanded.at("/errors/0/code"));
        givePasskey("owner@acme.example");
        equal(200, patch(_ownerToken, R"({"securityPolicy":{"mfaRequired":true}})").status);
        _host->change("UPDATE organizations SET security_policy = '{}' WHERE id = $1", {_acme});
        equal(200, patch(_ownerToken, R"({"securityPolicy":{"allowedLoginMethods":["passkey"]}})").status);
    }

    TEST(networksCloseTheContext)
    {
        const auto token = _host->signIn("member@acme.example");
        _host->validate(token);
        equal(200, patch(_ownerToken, R"({"securityPolicy":{"ipAllowList":["192.0.2.0/25"]}})").status);
        // The very next request, whether the credential is remembered or not.
        equal("ok", _host->verdict(token, "desk", "192.0.2.7"));
        equal("org_policy_ip_not_allowed", _host->verdict(token, "desk", "192.0.2.200"));
        equal("org_policy_ip_not_allowed", _host->verdict(token, "desk", "2001:db8::1"));
        equal("ok", _host->verdict(token, "desk", "192.0.2.7"));
        // Personal routes stay accessible, so that the user can switch context.
        CHECK(_host->validate(token, "desk", false, "198.51.100.1"));
        // Neither a new sign-in nor a switch of context is allowed from there.
        const auto login =
            _host->call({.method = Method::Post,
                         .target = "/api/auth/login",
                         .body = R"({"identifier":"member@acme.example","password":"correct horse battery","service_id":"desk"})",
                         .originService = "identity",
                         .clientAddress = "198.51.100.1"});
        equal("org_policy_ip_not_allowed", login.code());
        const auto second = post(_ownerToken, "/api/organizations", R"({"name":"Second"})").at("/id");
        const auto elsewhere = _host->signIn("owner@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", second));
        const auto moved = _host->call({.method = Method::Put,
                                        .target = "/api/auth/context",
                                        .body = jsonWith(R"({"kind":"organization","organizationId":"$"})", _acme),
                                        .originService = "desk",
                                        .clientAddress = "198.51.100.1"},
                                       elsewhere);
        equal("org_policy_ip_not_allowed", moved.code());
        equal("ok", _host->verdict(elsewhere, "desk", "198.51.100.1"));
    }

    TEST(networksCloseItForKeys)
    {
        const auto token = _host->signIn("member@acme.example");
        const auto key = _host
                             ->call({.method = Method::Post,
                                     .target = "/api/api-keys",
                                     .body = jsonWith(R"({"name":"k","environment":"live","owner_type":"user","owner_id":"$",)"
                                                      R"("grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                                                      _member),
                                     .originService = "desk"},
                                    token)
                             .at("/key");
        equal("ok", _host->verdict(key, "desk", "198.51.100.1"));
        patch(_ownerToken, R"({"securityPolicy":{"ipAllowList":["192.0.2.0/24"]}})");
        equal("ip_not_allowed", _host->verdict(key, "desk", "198.51.100.1"));
        equal("ok", _host->verdict(key, "desk", "192.0.2.1"));
    }

    TEST(policyClosesWhatIsOnEveryOrigin)
    {
        const auto key = jsonWith(R"({"name":"k","environment":"live","owner_type":"organization","owner_id":"$",)"
                                  R"("grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                                  _acme);
        const auto verdicts = [&](const std::string& token, const std::string& origin, const std::string& address)
        {
            std::string codes;
            const auto ask = [&](Method method, const std::string& target, const std::string& body)
            {
                const auto answer = _host->call(
                    {.method = method, .target = target, .body = body, .originService = origin, .clientAddress = address}, token);
                codes += ' ' + (answer.status < 400 ? std::to_string(answer.status) : answer.code());
            };
            ask(Method::Get, path() + "/members", "");
            ask(Method::Get, "/api/api-keys", "");
            ask(Method::Post, "/api/api-keys", key);
            ask(Method::Get, "/api/services/desk/onboarding", "");
            ask(Method::Patch, "/api/services/desk/onboarding", R"({"step":"dance"})");
            return codes;
        };
        const auto same = [](const std::string& code)
        {
            std::string codes;
            for (int i = 0; i < 5; ++i) codes += ' ' + code;
            return codes;
        };
        const std::string open = " 200 200 201 200 validation_failed";
        const auto atDesk = _host->signIn("owner@acme.example");
        patch(_ownerToken, R"({"securityPolicy":{"ipAllowList":["192.0.2.0/24"]}})");
        for (const auto& [token, origin] : {std::pair(atDesk, "desk"), {_ownerToken, "identity"}})
        {
            equal(open, verdicts(token, origin, "192.0.2.7"));
            equal(same("org_policy_ip_not_allowed"), verdicts(token, origin, "198.51.100.1"));
        }
        // Applies to sign-ins from before the policy.
        patch(_ownerToken, R"({"securityPolicy":{"ipAllowList":[]}})");
        _host->change("UPDATE organizations SET security_policy = '{\"mfaRequired\":true}', version = version + 1 WHERE id = '" + _acme +
                      "'");
        for (const auto& [token, origin] : {std::pair(atDesk, "desk"), {_ownerToken, "identity"}})
            equal(same("org_policy_mfa_required"), verdicts(token, origin, "192.0.2.7"));
    }

    TEST(deletionCanBeTakenBack)
    {
        equal("step_up_required", call(_ownerToken, Method::Delete, path()).code());
        equal("permission_denied", call(_host->signIn("super@acme.example", "identity"), Method::Delete, path()).code());
        elevate();
        const auto planned = call(_ownerToken, Method::Delete, path());
        equal(202, planned.status);
        equal(planned.at("/deletionAt"), get(_ownerToken, path()).at("/deletionAt"));
        CHECK(planned.at("/deletionAt").starts_with("2026-01-15T00:00"));
        // Asked again it is no later.
        _host->context().clock().advance(std::chrono::hours(24));
        elevate();
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        elevate();
        equal(planned.at("/deletionAt"), call(_ownerToken, Method::Delete, path()).at("/deletionAt"));
        const auto super = _host->signIn("super@acme.example", "identity");
        equal("permission_denied", patch(super, R"({"deletionAt":null})").code());
        equal(200, patch(super, R"({"name":"Still there"})").status);
        equal("null", patch(_ownerToken, R"({"deletionAt":null})").at("/deletionAt"));
        _host->context().clock().advance(std::chrono::hours(24 * 20));
        _host->context().jobs().runDue();
        equal(_acme, _host->organizationId("acme"));
    }

    TEST(deletionTakesEverything)
    {
        elevate();
        call(_ownerToken, Method::Delete, path());
        _host->context().clock().advance(std::chrono::hours(24 * 14) - std::chrono::minutes(1));
        _host->context().jobs().runDue();
        _host->signIn("member@acme.example");
        const auto open = "SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL AND organization_id = '" + _acme + "'";
        CHECK(_host->count(open) > 0);
        _host->context().clock().advance(std::chrono::hours(1));
        _host->context().jobs().runDue();
        equal(0, _host->count(open));
        CHECK(_host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_type = 'operator'") > 0);
        equal("membership_required",
              _host->login("member@acme.example", IdentityHost::password, "desk", jsonWith(R"(,"organizationId":"$")", _acme)).code());
        equal(0, _host->count("SELECT COUNT(*) FROM memberships WHERE status <> 'removed' AND organization_id = '" + _acme + "'"));
        // The slug is free again.
        equal(201, post(_host->signIn("owner@other.example", "identity"), "/api/organizations", R"({"name":"A","slug":"acme"})").status);
    }

    TEST(ownershipIsHandedOn)
    {
        const auto transfer = [&](std::string_view to)
        { return post(_ownerToken, path() + "/transfer-ownership", jsonWith(R"({"toUserId":"$","demoteSelfTo":"admin"})", to)); };
        equal("step_up_required", transfer(_member).code());
        elevate();
        const auto stranger = transfer("usr_01jd0000000000000000000000");
        equal("validation_failed", stranger.code());
        equal("toUserId", stranger.at("/errors/0/field"));
        equal("not_a_member", stranger.at("/errors/0/code"));
        equal("not_a_member", transfer(_owner).at("/errors/0/code"));
        const auto done = transfer(_member);
        equal(200, done.status);
        equal(_member, done.at("/ownerUserId"));
        equal("admin", _host->validate(_ownerToken, "identity")->role);
        equal("permission_denied", transfer(_owner).code());
    }

    void givePasskey(const std::string& email) const
    {
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) SELECT id, $1, $1, -7, '', 0, '', '[]', FALSE, 'n', 1, 1, 1 FROM users "
                      "WHERE email = $1",
                      {email});
    }
    std::string path() const { return "/api/organizations/" + _acme; }
    TestAnswer call(const std::string& token, Method method, std::string target, std::string body = {},
                    std::vector<std::pair<std::string, std::string>> headers = {})
    {
        return _host->call({.method = method, .target = std::move(target), .body = std::move(body), .headers = std::move(headers)}, token);
    }
    TestAnswer get(const std::string& token, std::string target) { return call(token, Method::Get, std::move(target)); }
    TestAnswer post(const std::string& token, std::string target, std::string body)
    {
        return call(token, Method::Post, std::move(target), std::move(body));
    }
    TestAnswer patch(const std::string& token, std::string body, std::vector<std::pair<std::string, std::string>> headers = {})
    {
        return call(token, Method::Patch, path(), std::move(body), std::move(headers));
    }
    void elevate() { _host->change("UPDATE sessions SET elevated_until = 9999999999999"); }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _super, _member, _acme, _ownerToken;
};

} // namespace portico::tests
