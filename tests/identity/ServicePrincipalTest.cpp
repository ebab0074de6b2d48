#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/Problem.h"

namespace portico::tests
{

/// OAuth clients that act for themselves: external services, and programs of an organization.
class ServicePrincipalTest : public Suite<ServicePrincipalTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        _root = _host->signIn("root@x.example", "identity");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        _client = client(_root, R"("service_id":"desk")");
        _token = tokenOf(_client).at("/access_token");
    }
    void tearDown() override { _host.reset(); }

    TEST(aServiceAsksWhatItMay)
    {
        const auto caller = _host->validate(_token, "identity");
        CHECK(caller->isServicePrincipal());
        equal(_client.at("/client_id"), caller->principalId);
        equal("desk", caller->ownServiceId);
        CHECK(caller->permissions.empty() && caller->sessionId.empty());
        for (const auto* target : {"/api/services", "/api/services/desk", "/api/services/desk/permissions", "/api/services/desk/drift",
                                   "/api/services/identity/api-key-scopes", "/api/api-key-scopes", "/api/permissions"})
            equal(200, get(target).status, target);
        const auto verdict = post("/api/api-keys/validate", R"({"key":"pak_live_x","service_id":"desk"})");
        equal("key_not_found", verdict.at("/code"), verdict.body);
        const auto checked =
            post("/api/permissions/check", jsonWith(R"({"checks":[{"userId":"$","permission":"desk.settings:write"}]})", _owner));
        equal(200, checked.status, checked.body);
        equal("validation_failed", post("/api/permissions/check", R"({"checks":[{"permission":"desk.settings:write"}]})").code());
        // Only the service itself may ask.
        equal("permission_denied",
              _host->call({.method = Method::Post, .target = "/api/api-keys/validate", .body = R"({"key":"x","service_id":"desk"})"}, _root)
                  .code());
    }

    TEST(aServiceKeepsItsOwnManifest)
    {
        const auto own = get("/api/services/desk/manifest");
        equal(200, own.status, own.body);
        auto text = IdentityHost::deskManifest();
        // Over the API addresses are full ones.
        for (const auto& [from, to] :
             {std::pair<std::string, std::string>{R"("Desk")", R"("Bank")"}, {R"("/")", R"("https://desk.example/")"}})
            text.replace(text.find(from), from.size(), to);
        const auto changed = _host->call({.method = Method::Put, .target = "/api/services/desk/manifest", .body = text}, _token);
        equal(200, changed.status, changed.body);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'service.manifest_changed' AND actor_type = 'service' AND "
                              "actor_id = '" +
                              _client.at("/client_id") + '\''));
        // Another's, before anything of the body is looked at.
        equal("permission_denied", get("/api/services/identity/manifest").code());
        equal("permission_denied",
              _host->call({.method = Method::Put, .target = "/api/services/identity/manifest", .body = "no JSON"}, _token).code());
    }

    TEST(peoplesRoutesStayClosed)
    {
        for (const auto* target : {"/api/auth/me", "/api/users", "/api/services/desk/bindable-resources", "/api/oauth-clients"})
            equal("bearer_required", get(target).code(), target);
        equal("bearer_required", post("/api/services", "no JSON").code());
    }

    TEST(aTokenEndsWithItsPrincipal)
    {
        const auto expect = [&](std::string_view sql, std::string_view undo, const std::string& verdict)
        {
            equal("ok", _host->verdict(_token, "identity"));
            equal("true", introspect().at("/active"));
            _host->change(sql);
            equal(verdict, _host->verdict(_token, "identity"), sql);
            CHECK(!_host->validateCached(_token, "identity"));
            if (verdict != "revoked") equal("unauthorized_client", tokenOf(_client).at("/error"));
            CHECK(verdict == "revoked" || introspect().at("/active") == "false");
            _host->change(undo);
        };
        expect("UPDATE organizations SET status = 'suspended' WHERE slug = 'admin'",
               "UPDATE organizations SET status = 'active' WHERE slug = 'admin'", "workspace_suspended");
        for (const std::string status : {"suspended", "retired"})
            expect("UPDATE services SET status = '" + status + "', version = version + 1 WHERE service_id = 'desk'",
                   "UPDATE services SET status = 'active', version = version + 1 WHERE service_id = 'desk'", "service_access_denied");
        expect("UPDATE oauth_clients SET deleted_at = 1", "UPDATE oauth_clients SET deleted_at = NULL", "revoked");
        // Changes of a client by the routes apply to its tokens.
        const auto path = "/api/oauth-clients/" + _client.at("/client_id");
        equal(200, manage(Method::Patch, path, R"({"grant_types":["refresh_token"]})").status);
        equal("revoked", _host->verdict(_token, "identity"));
        equal(200, manage(Method::Patch, path, R"({"grant_types":["client_credentials"]})").status);
        equal("ok", _host->verdict(_token, "identity"));
        equal(204, manage(Method::Delete, path, {}).status);
        equal("revoked", _host->verdict(_token, "identity"));
        // A service that is not open yet registers itself.
        _client = client(_root, R"("service_id":"desk")");
        _token = tokenOf(_client).at("/access_token");
        _host->change("UPDATE services SET status = 'draft', version = version + 1 WHERE service_id = 'desk'");
        equal(200, get("/api/services/desk").status);
        equal(200, get("/api/services/desk/manifest").status);
        _host->context().clock().advance(std::chrono::seconds(300));
        equal("expired", _host->verdict(_token, "identity"));
    }

    TEST(anOrganizationsProgramIsOfItsOrganization)
    {
        const auto program = client(_ownerToken, R"("scopes":["scim"])");
        const auto token = tokenOf(program).at("/access_token");
        const auto caller = _host->validate(token, "identity");
        CHECK(caller->isServicePrincipal() && caller->hasScope("scim") && caller->ownServiceId.empty());
        equal(_host->organizationId("acme"), std::string(caller->tenant().text()));
        // It represents no service.
        const auto answer = _host->call({.target = "/api/services"}, token);
        equal("permission_denied", answer.code(), answer.body);
        equal("invalid_scope", tokenOf(program, {{"scope", "openid"}}).at("/error"));
        // Tokens lose the rights that the client loses.
        equal(200, manage(Method::Patch, "/api/oauth-clients/" + program.at("/client_id"), R"({"scopes":[]})", _ownerToken).status);
        CHECK(!_host->validate(token, "identity")->hasScope("scim"));
        _host->change("UPDATE organizations SET status = 'suspended' WHERE slug = 'acme'");
        equal("workspace_suspended", _host->verdict(token, "identity"));
    }

    TEST(aTokenIsForOneService)
    {
        equal("wrong_audience", _host->verdict(_token, "desk"));
        const auto token = tokenOf(_client, {{"resource", "http://desk.localhost:8080"}}).at("/access_token");
        equal("wrong_audience", _host->verdict(token, "identity"));
        equal("ok", _host->verdict(token, "desk"));
        const auto told = _host->call({.target = "/validate", .headers = {{"X-Service-ID", "desk"}}}, token);
        equal(200, told.status, told.body);
        equal("access_token", told.at("/credential"));
        equal("service", told.at("/principal/principalType"));
        equal(_client.at("/client_id"), told.at("/principal/id"));
        equal("null", told.at("/session"));
        equal("invalid_target", tokenOf(_client, {{"resource", "https://elsewhere.example"}}).at("/error"));
        // A program of an organization calls identity, and no service of others.
        const auto program = client(_ownerToken, R"("scopes":["scim"])");
        equal("invalid_target", tokenOf(program, {{"resource", "http://desk.localhost:8080"}}).at("/error"));
    }

    /// Repeated identical requests are cached; changes of their data invalidate the cache.
    TEST(changesInvalidateCachedCallers)
    {
        const auto path = "/api/oauth-clients/" + _client.at("/client_id");
        const auto error = [&](const TestAnswer& made) { return tokenOf(made).at("/error"); };
        CHECK(tokenOf(_client).at("/access_token") != _token);
        const auto guessed =
            _host->call({.method = Method::Post,
                         .target = "/oauth/token",
                         .body = "client_id=" + _client.at("/client_id") + "&client_secret=x&grant_type=client_credentials",
                         .headers = {{"Content-Type", "application/x-www-form-urlencoded"}}});
        equal("invalid_client", guessed.at("/error"));
        equal(200, manage(Method::Patch, path, R"({"grant_types":["refresh_token"]})").status);
        equal("unauthorized_client", error(_client));
        equal(200, manage(Method::Patch, path, R"({"grant_types":["client_credentials"]})").status);
        equal(200, tokenOf(_client).status);
        // The old secret is one until the overlap ends, with no change that says so.
        const auto rotated = manage(Method::Post, path + "/rotate-secret", {});
        equal(200, rotated.status, rotated.body);
        equal(200, tokenOf(_client).status);
        equal(200, tokenOf(rotated).status);
        _host->context().clock().advance(std::chrono::hours(24) - std::chrono::seconds(1));
        equal(200, tokenOf(_client).status);
        _host->context().clock().advance(std::chrono::seconds(1));
        equal("invalid_client", error(_client));
        equal(200, tokenOf(rotated).status);
        _root = _host->signIn("root@x.example", "identity");
        equal(204, manage(Method::Delete, path, {}).status);
        equal("invalid_client", error(rotated));
    }

    using Fields = std::vector<std::pair<std::string, std::string>>;

    TestAnswer get(const std::string& target) const { return _host->call({.target = target}, _token); }
    TestAnswer post(const std::string& target, const std::string& body) const
    {
        return _host->call({.method = Method::Post, .target = target, .body = body}, _token);
    }
    TestAnswer manage(Method method, const std::string& target, const std::string& body, const std::string& token = {}) const
    {
        return _host->call({.method = method, .target = target, .body = body}, token.empty() ? _root : token);
    }
    TestAnswer client(const std::string& token, const std::string& more) const
    {
        auto made = manage(Method::Post, "/api/oauth-clients",
                           jsonWith(R"({"name":"Backend","grant_types":["client_credentials"],$})", more), token);
        equal(201, made.status, made.body);
        return made;
    }
    TestAnswer form(const std::string& target, const TestAnswer& made, const Fields& fields) const
    {
        auto body = "client_id=" + made.at("/client_id") + "&client_secret=" + made.at("/client_secret");
        for (const auto& [name, value] : fields) body += '&' + name + '=' + value;
        return _host->call(
            {.method = Method::Post, .target = target, .body = body, .headers = {{"Content-Type", "application/x-www-form-urlencoded"}}});
    }
    TestAnswer tokenOf(const TestAnswer& made, Fields more = {}) const
    {
        more.emplace_back("grant_type", "client_credentials");
        return form("/oauth/token", made, more);
    }
    TestAnswer introspect() const { return form("/oauth/introspect", _client, {{"token", _token}}); }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _root, _ownerToken, _token;
    TestAnswer _client = Response();
};

} // namespace portico::tests
