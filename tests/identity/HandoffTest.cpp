#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <boost/json.hpp>

namespace portico::tests
{

/// Registration of approved apps as services, and limits of a closed workspace.
class HandoffTest : public Suite<HandoffTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.developerService", "desk"}});
        _host->createUser("root@x.example", "", "member", "platform_super_admin");
        _host->createUser("dev@new.example");
        _root = _host->signIn("root@x.example", "identity");
        _backend = tokenOf(client(_root, R"("service_id":"desk")"));
        const auto proof = [&](std::string_view purpose) { return jsonWith(R"("humanVerification":$})", _host->humanProof(purpose)); };
        post("/api/public/developers/apply",
             jsonWith(R"({"applicantName":"Ada","email":"dev@new.example","useCase":"An app","acceptTerms":true,$)",
                      proof("developer_apply")));
        const auto developer = value("SELECT id FROM developers");
        for (const auto* status : {"in_review", "approved"}) step("/api/developers/" + developer + "/status", status);
        _workspace = value("SELECT workspace_organization_id FROM developers");
        const auto sent =
            post("/api/public/app-submissions",
                 jsonWith(R"({"developerEmail":"dev@new.example","appName":"Notes","slug":"notes","summary":"s","description":"d",
                   "homepageUrl":"https://n.example/","callbackUrls":["https://n.example/cb"],
                   "requestedScopes":[{"service_id":"desk","scopes":["tickets.read"]}],"surface_kind":"application","contact":"c",$)",
                          proof("app_submission")));
        equal(202, sent.status, sent.body);
        _submission = sent.at("/submissionId");
        for (const auto* status : {"in_review", "approved"}) step("/api/app-reviews/" + _submission + "/status", status);
    }
    void tearDown() override { _host.reset(); }

    TEST(anApprovedAppIsRegistered)
    {
        const auto issued = issue();
        equal(201, issued.status, issued.body);
        CHECK(issued.at("/handoffId").starts_with("hnd_"));
        equal("issued", issued.at("/status"));
        equal("2026-01-04T00:00:00", issued.at("/expiresAt").substr(0, 19));
        const auto path = "/api/approved-apps/handoffs/" + issued.at("/handoffId");
        CHECK(!get(path).has("/handoff_code"));
        const auto made = consume(issued.at("/handoff_code"));
        equal(201, made.status, made.body);
        equal("notes", made.at("/service/service_id"));
        equal(_workspace, made.at("/service/publisher/organizationId"));
        CHECK(made.at("/service/status") != "active");
        equal("true", made.at("/completeness/complete"));
        equal("consumed", get(path).at("/status"));
        equal("registered", value("SELECT status FROM app_submissions"));
        equal(2, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'app_handoff.%' AND "
                              "actor_type = 'service'"));
        // The app is a service principal now, for itself alone.
        const auto app = tokenOf(Secret{made.at("/oauthClient/client_id"), made.at("/oauthClient/client_secret")});
        equal(200, get("/api/services/notes/manifest", app).status);
        equal("permission_denied", get("/api/services/desk/manifest", app).code());
        equal("permission_denied", get(path, app).code());
        // Its owners can renew the secret, but not change what was approved.
        const auto owner = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto own = "/api/oauth-clients/" + made.at("/oauthClient/client_id");
        equal(200, post(own + "/rotate-secret", "{}", owner).status);
        const auto wider =
            _host->call({.method = Method::Patch, .target = own, .body = R"({"redirect_uris":["https://evil.example/cb"]})"}, owner);
        equal("permission_denied", wider.code());
        // Only its own people have it.
        const auto others = [&] { return _host->count("SELECT COUNT(*) FROM service_access WHERE service_id = 'notes'"); };
        equal(1, others());
        // Organizations founded later do not get access either.
        equal(201, post("/api/organizations", R"({"name":"Later"})", _root).status);
        equal(1, others());
    }

    TEST(aCodeCountsOnceAndForATime)
    {
        const auto first = issue();
        equal(404, consume("made-up").status);
        equal(201, consume(first.at("/handoff_code")).status);
        equal("handoff_consumed", consume(first.at("/handoff_code")).code());
        equal("handoff_consumed", revoke(first).code());
        _host->change("UPDATE app_submissions SET status = 'approved'");
        const auto second = issue(R"(,"expiresInHours":1)", "other");
        equal(201, second.status, second.body);
        equal("revoked", revoke(second).at("/status"));
        equal(200, revoke(second).status);
        equal("handoff_expired", consume(second.at("/handoff_code"), manifest("other")).code());
        const auto third = issue(R"(,"expiresInHours":1)", "other");
        _host->context().clock().advance(std::chrono::hours(1));
        _backend = tokenOf(_client);
        equal("handoff_expired", consume(third.at("/handoff_code"), manifest("other")).code());
        equal("expired", get("/api/approved-apps/handoffs/" + third.at("/handoffId")).at("/status"));
        equal(0, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'other'"));
    }

    TEST(nothingBeyondTheApproval)
    {
        const auto code = issue().at("/handoff_code");
        const auto rejects = [&](std::string_view member, std::string_view text)
        {
            const auto answer = consume(code, manifest("notes", member, text));
            refused(answer, 403, "manifest_exceeds_approval", std::string(member) + ' ' + answer.body);
            CHECK(answer.at("/errors/0/field").find(member) != std::string::npos);
        };
        rejects("name", R"("Portico")");
        rejects("surface_group", R"("business")");
        rejects("callbackUrls", R"(["https://n.example/cb","https://n.example/other"])");
        rejects("origins", R"(["https://n.example","https://evil.example"])");
        rejects("embedOrigins", R"(["https://evil.example"])");
        rejects("backchannelLogoutUrl", R"("https://evil.example/out")");
        const auto other = consume(code, manifest("desk"));
        equal("manifest_exceeds_approval", other.code(), other.body);
        // Nothing of it stays, and the code is as good as before.
        equal("manifest_invalid", consume(code, "{}").code());
        equal(0, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'notes'"));
        equal(201, consume(code).status);
    }

    TEST(theAppStaysWithinItsApproval)
    {
        const auto made = consume(issue().at("/handoff_code"));
        const auto app = tokenOf(Secret{made.at("/oauthClient/client_id"), made.at("/oauthClient/client_secret")});
        const auto put = [&](const std::string& text, const std::string& token)
        { return _host->call({.method = Method::Put, .target = "/api/services/notes/manifest", .body = text}, token); };
        equal(200, put(manifest("notes", "description", R"("Better")"), app).status);
        const auto wider = manifest("notes", "callbackUrls", R"(["https://evil.example/cb"])");
        equal("manifest_exceeds_approval", put(wider, app).code());
        // A context that was not approved is rejected.
        const auto home = put(manifest("notes", "contexts", R"(["personal","organization"])"), app);
        equal("manifest_exceeds_approval", home.code(), home.body);
        equal("manifest_exceeds_approval", put(manifest("notes", "household_capable", "true"), app).code());
        equal(200, put(manifest("notes", "contexts", R"(["organization","personal"])"), _root).status);
        _host->change("UPDATE services SET personal_access = FALSE, version = version + 1 WHERE service_id = 'notes'");
        const auto other = put(manifest("notes", "contexts", R"(["personal","organization"])"), app);
        equal(200, other.status, other.body);
        equal(0, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'notes' AND personal_access"));
        // Scriptable links on public pages are rejected.
        for (const auto& [member, text] : {std::pair{"landing", R"x({"ctas":[{"label":"x","href":"javascript:alert(1)"}]})x"},
                                           {"store", R"x({"privacyUrl":"JavaScript:alert(1)"})x"}})
            equal("manifest_invalid", put(manifest("notes", member, text), app).code(), member);
        // A backend may only ask about its service.
        const auto asks = [&](const std::string& path, const std::string& body) { return post(path, body, app).code(); };
        equal("permission_denied", asks("/api/api-keys/validate", R"({"key":"x","service_id":"desk"})"));
        equal("key_not_found", post("/api/api-keys/validate", R"({"key":"x","service_id":"notes"})", app).at("/code"));
        const auto who = value("SELECT id FROM users WHERE email = 'dev@new.example'");
        const auto check = [&](const std::string& permission)
        { return jsonWith(R"({"checks":[{"userId":"$","permission":"$"}]})", who, permission); };
        equal("permission_denied", asks("/api/permissions/check", check("desk.tickets:read")));
        equal(200, post("/api/permissions/check", check("notes.pages:read"), app).status);
        // An operator may approve more by doing it.
        equal(200, put(manifest("notes", "name", R"("Notes 2")"), _root).status);
    }

    TEST(onlyWhatIsApprovedIsHandedOver)
    {
        equal("service_exists", issue({}, "desk").code());
        equal(400, issue(R"(,"expiresInHours":169)").status);
        equal(400, issue({}, "notes", R"("http://n.example/cb")").status);
        equal(400, issue({}, "notes", R"("https://n.example/cb")", _host->organizationId("admin")).status);
        const auto code = issue().at("/handoff_code");
        step("/api/app-reviews/" + _submission + "/status", "rejected");
        equal("submission_not_approved", issue().code());
        equal("submission_not_approved", consume(code).code());
    }

    TEST(onlyTheDeveloperApplicationAndOperators)
    {
        const auto issued = issue({}, "notes", R"("https://n.example/cb")", {}, _root);
        equal(201, issued.status, issued.body);
        // A code is for programs.
        equal("permission_denied", consume(issued.at("/handoff_code"), manifest("notes"), _root).code());
        const auto member = _host->signIn("dev@new.example", "identity");
        equal("permission_denied", issue({}, "notes", R"("https://n.example/cb")", {}, member).code());
        const auto other = tokenOf(client(_root, R"("service_id":"identity")"));
        for (const auto& answer :
             {consume(issued.at("/handoff_code"), manifest("notes"), other), issue({}, "notes", R"("https://n.example/cb")", {}, other)})
            equal("permission_denied", answer.code(), answer.body);
        // The permission is checked before the body.
        for (const auto* path : {"/api/approved-apps/handoffs", "/api/approved-apps/handoffs/consume"})
            equal("permission_denied", post(path, R"({"x":1})", other).code());
    }

    /// Every door that leads to a key, a client or an app.
    TEST(aClosedWorkspaceChangesNothing)
    {
        const auto identity = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto desk = _host->signIn("dev@new.example", "desk", inWorkspace());
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        const auto own = client(identity, R"("scopes":["scim"])");
        const auto program = tokenOf(own);
        const auto console = key(identity, R"({"service_id":"desk","scopes":["api_keys.write","tickets.read"]})");
        const auto plain = key(identity, R"({"service_id":"desk","scopes":["tickets.read"]})");
        equal(201, console.status, console.body);
        equal(201, plain.status, plain.body);
        const auto handoff = issue();
        const auto registered = post("/oauth/register", R"({"redirect_uris":["https://n.example/cb"]})", identity);
        equal(201, registered.status, registered.body);
        const auto keys = "/api/api-keys/" + plain.at("/apiKey/id");
        const auto clients = "/api/oauth-clients/" + own.at("/client_id");
        const auto state = [&]
        {
            return std::pair(_host->count("SELECT COALESCE(SUM(version), 0) FROM api_keys") +
                                 1000 * _host->count("SELECT COUNT(*) FROM api_keys"),
                             _host->count("SELECT COALESCE(SUM(version), 0) FROM oauth_clients") +
                                 1000 * _host->count("SELECT COUNT(*) FROM oauth_client_secrets"));
        };
        const auto before = state();
        const auto expect = [&](const std::string& code)
        {
            const auto refused = [&](const std::string& origin, Method method, const std::string& target, const std::string& body,
                                     const std::string& credential)
            {
                const auto answer = _host->call({.method = method, .target = target, .body = body, .originService = origin}, credential);
                equal(code, answer.code(), target + ' ' + answer.body);
            };
            for (const auto& [origin, token] : {std::pair<std::string, std::string>{"", identity}, {"desk", desk}})
            {
                refused(origin, Method::Post, "/api/api-keys", keyBody(R"({"service_id":"desk","scopes":["tickets.read"]})"), token);
                refused(origin, Method::Patch, keys, R"({"name":"other"})", token);
                refused(origin, Method::Post, keys + "/rotate", "{}", token);
                refused(origin, Method::Delete, keys, {}, token);
            }
            refused("", Method::Post, "/api/oauth-clients", R"({"name":"A","grant_types":["client_credentials"]})", identity);
            refused("", Method::Patch, clients, R"({"name":"other"})", identity);
            refused("", Method::Post, clients + "/rotate-secret", "{}", identity);
            refused("", Method::Delete, clients, {}, identity);
            const auto registration = "/oauth/register/" + registered.at("/client_id");
            // OAuth errors have their reason in the description.
            const auto refusedByOAuth =
                [&](Method method, const std::string& target, const std::string& body, const std::string& credential)
            {
                const auto answer = _host->call({.method = method, .target = target, .body = body}, credential);
                equal("access_denied", answer.at("/error"), target + ' ' + answer.body);
            };
            refusedByOAuth(Method::Post, "/oauth/register", R"({"redirect_uris":["https://n.example/cb"]})", identity);
            refusedByOAuth(Method::Put, registration,
                           jsonWith(R"({"client_id":"$","redirect_uris":["https://n.example/cb"]})", registered.at("/client_id")),
                           registered.at("/registration_access_token"));
            refusedByOAuth(Method::Delete, registration, {}, registered.at("/registration_access_token"));
            equal(code, consume(handoff.at("/handoff_code")).code());
            equal(code, issue({}, "more").code());
        };
        move("suspend");
        expect("developer_workspace_suspended");
        // A key that makes keys, and a program, are out altogether.
        const auto byKey =
            _host->call({.method = Method::Post, .target = keys + "/rotate", .body = "{}", .originService = "desk"}, console.at("/key"));
        equal("invalid_token", byKey.code());
        equal("workspace_suspended", byKey.at("/details/reason"));
        equal("workspace_suspended", _host->verdict(program, "identity"));
        equal("unauthorized_client", askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).at("/error"));
        CHECK(before == state());
        move("reinstate");
        equal("ok", _host->verdict(program, "identity"));
        equal("ok", _host->verdict(plain.at("/key")));
        equal(201, _host->call({.method = Method::Post, .target = keys + "/rotate", .body = "{}"}, identity).status);
    }

    TEST(aRevokedWorkspaceLosesItsClients)
    {
        const auto identity = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto own = client(identity, R"("scopes":["scim"])");
        const auto program = tokenOf(own);
        move("revoke");
        equal("revoked", _host->verdict(program, "identity"));
        equal(401, askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).status);
        equal("developer_workspace_revoked", _host
                                                 ->call({.method = Method::Post,
                                                         .target = "/api/api-keys",
                                                         .body = keyBody(R"({"service_id":"desk","scopes":["tickets.read"]})")},
                                                        identity)
                                                 .code());
        move("reinstate");
        equal(401, askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).status);
    }

    struct Secret
    {
        std::string id, secret;
    };

    TestAnswer post(const std::string& target, const std::string& body, const std::string& token = {}) const
    {
        return _host->call({.method = Method::Post, .target = target, .body = body}, token);
    }
    TestAnswer get(const std::string& target, const std::string& token = {}) const
    {
        return _host->call({.target = target}, token.empty() ? _backend : token);
    }
    void step(const std::string& target, std::string_view status) const
    {
        const auto answer =
            _host->call({.method = Method::Patch, .target = target, .body = jsonWith(R"({"status":"$","reason":"r"})", status)}, _root);
        equal(200, answer.status, answer.body);
    }
    void move(std::string_view to) const
    {
        const auto answer = post("/api/developer-workspaces/" + _workspace + '/' + std::string(to), R"({"reason":"r"})", _root);
        equal(200, answer.status, answer.body);
    }
    std::string inWorkspace() const { return jsonWith(R"(,"organizationId":"$")", _workspace); }
    TestAnswer client(const std::string& token, const std::string& more)
    {
        auto made = post("/api/oauth-clients", jsonWith(R"({"name":"Backend","grant_types":["client_credentials"],$})", more), token);
        equal(201, made.status, made.body);
        if (_client.id.empty()) _client = {made.at("/client_id"), made.at("/client_secret")};
        return made;
    }
    TestAnswer askToken(const Secret& secret) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/oauth/token",
                            .body = "grant_type=client_credentials&client_id=" + secret.id + "&client_secret=" + secret.secret,
                            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}}});
    }
    std::string tokenOf(const Secret& secret) const { return askToken(secret).at("/access_token"); }
    std::string tokenOf(const TestAnswer& made) const { return tokenOf(Secret{made.at("/client_id"), made.at("/client_secret")}); }
    std::string keyBody(const std::string& grant) const
    {
        return jsonWith(R"({"name":"k","environment":"live","owner_type":"organization","owner_id":"$","grants":[$]})", _workspace, grant);
    }
    TestAnswer key(const std::string& token, const std::string& grant) const { return post("/api/api-keys", keyBody(grant), token); }
    TestAnswer issue(const std::string& more = {}, const std::string& service = "notes",
                     const std::string& redirect = R"("https://n.example/cb")", const std::string& organization = {},
                     const std::string& token = {}) const
    {
        return post(
            "/api/approved-apps/handoffs",
            jsonWith(R"({"submissionId":"$","organizationId":"$","service_id":"$","name":"Notes","redirect_uris":[$],"scopes":["openid",)"
                     R"("profile"]$})",
                     _submission, (organization.empty() ? _workspace : organization), service, redirect, more),
            token.empty() ? _backend : token);
    }
    TestAnswer revoke(const TestAnswer& issued) const
    {
        return post("/api/approved-apps/handoffs/" + issued.at("/handoffId") + "/revoke", {}, _backend);
    }
    TestAnswer consume(const std::string& code) const { return consume(code, manifest("notes")); }
    TestAnswer consume(const std::string& code, const std::string& text, const std::string& token = {}) const
    {
        return post("/api/approved-apps/handoffs/consume", jsonWith(R"({"handoff_code":"$","manifest":$})", code, text),
                    token.empty() ? _backend : token);
    }
    /// @param member member that differs from the approval
    static std::string manifest(const std::string& id, std::string_view member = {}, std::string_view text = {})
    {
        auto json = boost::json::parse(
                        R"({"manifestVersion":1,"name":"Notes","surface_kind":"application","surface_group":"community","launchable":true,
              "contexts":["organization"],"launchUrl":"https://n.example/","origins":["https://n.example"],
              "callbackUrls":["https://n.example/cb"],
              "roleBundles":[{"id":"all","title":"All","roles":["guest","member","admin","super_admin","owner"]}]})")
                        .as_object();
        const auto permission = id + ".pages:read";
        json["service_id"] = id;
        json["permissions"] = boost::json::array{boost::json::object{{"permission", permission}, {"title", "Read"}}};
        auto& bundle = json["roleBundles"].as_array()[0].as_object();
        bundle["id"] = id + "-all";
        bundle["permissions"] = boost::json::array{permission};
        json["apiKeyScopes"] = boost::json::array{
            boost::json::object{{"scope", "pages.read"}, {"title", "Read"}, {"permissions", boost::json::array{permission}}}};
        if (!member.empty()) json[member] = boost::json::parse(text);
        return boost::json::serialize(json);
    }
    std::string value(std::string_view sql) const { return _host->context().database().session().value<std::string>(sql).value_or("none"); }

    std::unique_ptr<IdentityHost> _host;
    std::string _root, _backend, _workspace, _submission;
    Secret _client;
};

} // namespace portico::tests
