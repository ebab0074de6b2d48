#include "identity/KeysFixture.h"

#include <atomic>
#include <thread>
#include <vector>

namespace portico::tests
{

/// API keys: who may create them, and their rights.
class KeysTest : public Suite<KeysTest, KeysFixture>
{
    TEST(opensWhatItWasGranted)
    {
        const auto key = make(_memberToken, userKey(_member)).at("/key");
        const auto caller = _host->validate(key);
        CHECK(caller->credential == CredentialKind::ApiKey);
        equal(_member, caller->principalId);
        equal(_acme, caller->organizationId);
        CHECK(caller->hasScope("tickets.read"));
        CHECK(!caller->hasScope("tickets.write"));
        CHECK(caller->may("desk.tickets:read"));
        CHECK(caller->reaches("queue", queue));
        CHECK(!caller->reaches("queue", "que_01jd0000000000000000000009"));
        // No grant in another service.
        CHECK(_host->validate(key, "identity")->scopes.empty());
        const auto answer = _host->call({.target = "/validate?permission=desk.tickets:read", .headers = {{"X-Service-ID", "desk"}}}, key);
        equal(200, answer.status);
        equal("user", answer.at("/apiKey/owner_type"));
        equal(queue, answer.at("/boundResources/queue/0"));
        // Permissions of its scopes only, not all of its owner's.
        equal(R"(["desk.tickets:read"])", answer.at("/effectivePermissions"));
        equal("insufficient_scope",
              _host->call({.target = "/validate?permission=desk.tickets:write", .headers = {{"X-Service-ID", "desk"}}}, key).code());
        equal("insufficient_scope", _host->call({.target = "/validate"}, key).code());
        equal("resource_not_bound",
              _host->call({.target = "/validate?resource=queue:que_01jd0000000000000000000009", .headers = {{"X-Service-ID", "desk"}}}, key)
                  .code());
        // An organization's key has the rights of its owners, except those exempt from keys.
        elevate(_ownerToken);
        const auto organizations = _host->validate(make(_ownerToken, organizationKey(R"(["tickets.read","settings.write"])")).at("/key"));
        equal(_acme, organizations->principalId);
        CHECK(organizations->may("desk.settings:write"));
        CHECK(!organizations->may("desk.tickets:purge"));
    }

    TEST(keepsTheSecretSecret)
    {
        const auto made = make(_memberToken, userKey(_member));
        equal(201, made.status);
        const auto text = made.at("/key");
        CHECK(text.starts_with(made.at("/apiKey/prefix")));
        CHECK(text.ends_with(made.at("/apiKey/last4")));
        const auto shown = show(_memberToken, made.at("/apiKey/id"));
        equal(200, shown.status);
        CHECK(!shown.has("/secretHash"));
        equal("\"1\"", shown.etag);
        const auto secret = text.substr(22, 43);
        CHECK(shown.body.find(secret) == std::string::npos);
        equal(0, _host->count("SELECT COUNT(*) FROM api_keys WHERE secret_hash = '" + secret + "'"));
        auto wrong = text;
        wrong[30] = wrong[30] == 'a' ? 'b' : 'a';
        equal("key_not_found", _host->verdict(wrong));
    }

    TEST(checksTheInput)
    {
        const auto code = [&](std::string grants, std::string more = {}) {
            return make(_memberToken, jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":$$})", _member, grants, more))
                .code();
        };
        const std::string good = R"([{"service_id":"desk","scopes":["tickets.read"]}])";
        equal("", code(good));
        equal("unknown_scope", code(R"([{"service_id":"desk","scopes":["tickets.eat"]}])"));
        equal("unknown_scope", code(R"([{"service_id":"nowhere","scopes":["tickets.read"]}])"));
        equal("validation_failed", code("[]"));
        equal("validation_failed", code(R"([{"service_id":"desk","scopes":[]}])"));
        equal("validation_failed",
              code(R"([{"service_id":"desk","scopes":["tickets.read"]},{"service_id":"desk","scopes":["tickets.write"]}])"));
        equal("unknown_resource_type",
              code(R"([{"service_id":"desk","scopes":["tickets.read"],"resources":[{"type":"shelf","id":"x"}]}])"));
        equal("unknown_resource_type",
              code(R"([{"service_id":"desk","scopes":["tickets.write"],"resources":[{"type":"queue","id":"x"}]}])"));
        equal("resource_not_found",
              code(R"([{"service_id":"desk","scopes":["tickets.read"],"resources":[{"type":"queue","id":"que_1"}]}])"));
        equal("validation_failed", code(good, R"(,"ipAllowList":["somewhere"])"));
        equal("validation_failed", code(good, R"(,"metadata":[1])"));
        equal("in_the_past", make(_memberToken, userKey(_member, R"(,"expiresAt":"2020-01-01T00:00:00Z")")).at("/errors/0/code"));
        equal("expiry_exceeds_policy", code(good, R"(,"expiresAt":"2099-01-01T00:00:00Z")"));
        equal("expiry_exceeds_policy", code(good, R"(,"expiresAt":null)"));
        equal("unknown_field", code(good, R"(,"secret":"x")"));
        equal("validation_failed", make(_memberToken, "{}").code());
    }

    TEST(givesNoMoreThanItsMakerHas)
    {
        elevate(_memberToken);
        const std::string settings = R"("grants":[{"service_id":"desk","scopes":["settings.write"]}]})";
        equal("scope_exceeds_own_rights",
              make(_memberToken, jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$",$)", _member, settings)).code());
        equal("permission_denied", make(_memberToken, organizationKey(R"(["tickets.read"])")).code());
        equal("permission_denied", make(_memberToken, userKey(_owner)).code());
        _host->createUser("other@x.example", "initech", "owner");
        equal("not_found", make(_ownerToken, jsonWith(R"({"name":"k","owner_type":"organization","owner_id":"$",$)",
                                                      _host->organizationId("initech"), settings))
                               .code());
    }

    TEST(asksForAFreshProof)
    {
        equal("step_up_required", make(_ownerToken, organizationKey(R"(["settings.write"])")).code());
        elevate(_ownerToken);
        equal(201, make(_ownerToken, organizationKey(R"(["settings.write"])")).status);
        _host->context().clock().advance(std::chrono::minutes(9));
        equal(201, make(_ownerToken, organizationKey(R"(["settings.write"])")).status);
    }

    TEST(keepsToItsAddresses)
    {
        const auto key = make(_memberToken, userKey(_member, R"(,"ipAllowList":["198.51.100.0/24"])")).at("/key");
        equal("ok", _host->verdict(key, "desk", "198.51.100.9"));
        equal("ip_not_allowed", _host->verdict(key, "desk", "198.51.101.9"));
        equal("ok", _host->verdict(key, "desk", "198.51.100.9"));
    }

    TEST(followsItsOwner)
    {
        elevate(_ownerToken);
        const auto key =
            make(_ownerToken,
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["settings.write"]}]})",
                          _owner))
                .at("/key");
        CHECK(_host->validate(key)->may("desk.settings:write"));
        _host->change("UPDATE memberships SET role = 'member' WHERE user_id = $1", {_owner});
        CHECK(!_host->validate(key)->may("desk.settings:write"));
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_owner});
        equal("service_access_denied", _host->verdict(key));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_owner});
        equal("user_suspended", _host->verdict(key));
        const auto members = make(_memberToken, userKey(_member)).at("/key");
        _host->change("UPDATE organizations SET status = 'suspended'");
        equal("workspace_suspended", _host->verdict(members));
    }

    TEST(hidesForeignKeys)
    {
        const auto id = make(_memberToken, userKey(_member)).at("/apiKey/id");
        _host->createUser("other@x.example", "initech", "owner");
        const auto stranger = _host->signIn("other@x.example");
        equal(404, show(stranger, id).status);
        equal(404, revoke(stranger, id).status);
        // A user's own key is not the organization's.
        equal(404, show(_ownerToken, id).status);
        const auto organizations = make(_ownerToken, organizationKey(R"(["tickets.read"])")).at("/apiKey/id");
        equal(404, show(_memberToken, organizations).status);
        equal(404, show(_memberToken, "key_nonsense").status);
        // The same person in another organization works there.
        _host->createUser("member@acme.example", "globex", "owner");
        const auto elsewhere =
            _host->signIn("member@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("globex")));
        equal(404, show(elsewhere, id).status);
    }

    TEST(closesKeyRoutesWithTheMembership)
    {
        elevate(_ownerToken);
        const auto key =
            make(_ownerToken,
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["api_keys.write",)"
                          R"("tickets.read"]}]})",
                          _owner));
        const auto list = [&] { return _host->call({.target = "/api/api-keys", .originService = "desk"}, key.at("/key")); };
        equal(200, list().status);
        for (const auto* status : {"suspended", "removed"})
        {
            _host->change("UPDATE memberships SET status = $2 WHERE user_id = $1", {_owner, status});
            equal("service_access_denied", list().code());
            equal("service_access_denied", make(key.at("/key"), userKey(_owner)).code());
            equal("service_access_denied", rotate(key.at("/key"), key.at("/apiKey/id")).code());
        }
        _host->change("UPDATE memberships SET status = 'active' WHERE user_id = $1", {_owner});
        equal(200, list().status);
        // Access of the organization to the service is another thing: keys can be seen and ended without it.
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        equal(200, list().status);
    }

    TEST(holdsTheLimit)
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.apiKeys.maxPerOwner", "3"}});
        const auto user = strict.createUser("a@x.example", "acme", "owner");
        const auto token = strict.signIn("a@x.example");
        std::atomic<int> made{0};
        std::atomic<int> refused{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 6; ++i)
            threads.emplace_back(
                [&]
                {
                    const auto answer = strict.call(
                        {.method = Method::Post, .target = "/api/api-keys", .body = userKey(user), .originService = "desk"}, token);
                    made += answer.status == 201;
                    refused += answer.code() == "key_limit_reached";
                });
        for (auto& thread : threads) thread.join();
        equal(3, made.load());
        equal(3, refused.load());
    }

    TEST(guardsWorkspaces)
    {
        const auto id = make(_ownerToken, organizationKey(R"(["tickets.read"])")).at("/apiKey/id");
        _host->change("UPDATE organizations SET kind = 'developer_workspace', status = 'suspended'");
        equal("developer_workspace_suspended", make(_memberToken, userKey(_member)).code());
        _host->change("UPDATE organizations SET status = 'revoked'");
        equal("developer_workspace_revoked", make(_memberToken, userKey(_member)).code());
        equal("developer_workspace_revoked", make(_ownerToken, userKey(_owner)).code());
        CHECK(show(_ownerToken, id).status != 200);
    }

    TEST(lists)
    {
        for (int i = 0; i < 3; ++i)
        {
            make(_memberToken, userKey(_member));
            _host->context().clock().advance(std::chrono::milliseconds(1));
        }
        make(_ownerToken, organizationKey(R"(["tickets.read"])"));
        const auto list = [&](const std::string& token, std::string query)
        { return _host->call({.target = "/api/api-keys" + query, .originService = "desk"}, token); };
        equal(3, list(_memberToken, "").count("/items"));
        equal(1, list(_ownerToken, "").count("/items"));
        equal(0, list(_ownerToken, "?status=revoked,disabled").count("/items"));
        equal(0, list(_memberToken, "?service_id=identity").count("/items"));
        // Keys of a service's page: granted there, or of the active context; another filter replaces the choice.
        equal(3, list(_memberToken, "?for_service=desk").count("/items"));
        equal(0, list(_memberToken, "?for_service=identity").count("/items"));
        equal(1, list(_ownerToken, "?for_service=identity").count("/items"));
        equal(3, list(_memberToken, "?for_service=identity&owner_type=user").count("/items"));
        equal("unknown_parameter", list(_memberToken, "?state=active").code());
        const auto first = list(_memberToken, "?limit=2&include=total");
        equal("3", first.at("/total"));
        const auto rest = list(_memberToken, "?limit=2&cursor=" + first.at("/nextCursor"));
        equal(1, rest.count("/items"));
        equal("null", rest.at("/nextCursor"));
        CHECK(rest.at("/items/0/id") < first.at("/items/1/id"));
    }

    TEST(countsUses)
    {
        const auto made = make(_memberToken, userKey(_member));
        const auto id = made.at("/apiKey/id");
        for (int i = 0; i < 3; ++i) _host->validate(made.at("/key"));
        equal("null", show(_memberToken, id).at("/lastUsedAt"));
        _host->context().clock().advance(std::chrono::minutes(1));
        CHECK(_host->context().jobs().runDue() >= 1);
        _host->validate(made.at("/key"));
        _host->reload();
        const auto shown = show(_memberToken, id);
        equal("4", shown.at("/useCount24h"));
        equal("desk", shown.at("/lastUsedService"));
        equal("192.0.2.0/24", shown.at("/lastUsedIpPrefix"));
        equal("1", shown.at("/version"));
    }

    TEST(slowsDownGuessing)
    {
        const auto key = make(_memberToken, userKey(_member)).at("/key");
        for (int i = 0; i < 30; ++i) equal("key_not_found", _host->verdict("pak_live_x"));
        equal("rate_limited", _host->verdict("pak_live_x"));
        equal("key_not_found", _host->verdict("pak_live_x", "desk", "203.0.113.1"));
        // Backends that name no address fail each for itself.
        for (int i = 0; i < 30; ++i) equal("key_not_found", _host->verdict("pak_live_x", "desk", ""));
        equal("rate_limited", _host->verdict("pak_live_x", "desk", ""));
        equal("key_not_found", _host->verdict("pak_live_x", "identity", ""));
        // Others' failures never lock a good key out.
        equal("ok", _host->verdict(key));
    }

    TEST(showsTheCatalog)
    {
        const auto token = _host->signIn("member@acme.example", "identity");
        const auto get = [&](std::string path) { return _host->call({.target = std::move(path)}, token); };
        const auto scopes = get("/api/services/desk/api-key-scopes");
        equal(4, scopes.count("/scopes"));
        equal("api_keys.write", scopes.at("/scopes/0/scope"));
        equal("high", scopes.at("/scopes/0/risk"));
        equal("low", scopes.at("/scopes/2/risk"));
        equal(404, get("/api/services/nowhere/api-key-scopes").status);
        equal(2, get("/api/api-key-scopes").count("/items"));
        equal(1, get("/api/api-key-scopes?service_id=desk").count("/items"));
        equal("queue", get("/api/services/desk/bindable-resources").at("/items/0/type"));
        equal("permission_denied", get("/api/services/desk/completeness").code());
    }
};

} // namespace portico::tests
