#include "identity/IdentityHost.h"

#include <boost/json.hpp>
#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// From an approved app to a registered service, and what a closed workspace can change no more.
class HandoffTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(HandoffTest);
    CPPUNIT_TEST(anApprovedAppIsRegistered);
    CPPUNIT_TEST(aCodeCountsOnceAndForATime);
    CPPUNIT_TEST(nothingBeyondTheApproval);
    CPPUNIT_TEST(theAppStaysWithinItsApproval);
    CPPUNIT_TEST(onlyWhatIsApprovedIsHandedOver);
    CPPUNIT_TEST(onlyTheDeveloperApplicationAndOperators);
    CPPUNIT_TEST(aClosedWorkspaceChangesNothing);
    CPPUNIT_TEST(aRevokedWorkspaceLosesItsClients);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.developerService", "desk"}});
        _host->createUser("root@x.example", "", "member", "platform_super_admin");
        _host->createUser("dev@new.example");
        _root = _host->signIn("root@x.example", "identity");
        _backend = tokenOf(client(_root, R"("service_id":"desk")"));
        const auto proof = [&](std::string_view purpose) { return R"("humanVerification":)" + _host->humanProof(purpose) + '}'; };
        post("/api/public/developers/apply",
             R"({"applicantName":"Ada","email":"dev@new.example","useCase":"An app","acceptTerms":true,)" + proof("developer_apply"));
        const auto developer = value("SELECT id FROM developers");
        for (const auto* status : {"in_review", "approved"}) step("/api/developers/" + developer + "/status", status);
        _workspace = value("SELECT workspace_organization_id FROM developers");
        const auto sent = post("/api/public/app-submissions",
                               R"({"developerEmail":"dev@new.example","appName":"Notes","slug":"notes","summary":"s","description":"d",
                   "homepageUrl":"https://n.example/","callbackUrls":["https://n.example/cb"],
                   "requestedScopes":[{"service_id":"desk","scopes":["tickets.read"]}],"surface_kind":"application","contact":"c",)" +
                                   proof("app_submission"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 202, sent.status);
        _submission = sent.at("/submissionId");
        for (const auto* status : {"in_review", "approved"}) step("/api/app-reviews/" + _submission + "/status", status);
    }
    void tearDown() override { _host.reset(); }

    void anApprovedAppIsRegistered()
    {
        const auto issued = issue();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(issued.body, 201, issued.status);
        CPPUNIT_ASSERT(issued.at("/handoffId").starts_with("hnd_"));
        CPPUNIT_ASSERT_EQUAL(std::string("issued"), issued.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-01-04T00:00:00"), issued.at("/expiresAt").substr(0, 19));
        const auto path = "/api/approved-apps/handoffs/" + issued.at("/handoffId");
        CPPUNIT_ASSERT(!get(path).has("/handoff_code"));
        const auto made = consume(issued.at("/handoff_code"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("notes"), made.at("/service/service_id"));
        CPPUNIT_ASSERT_EQUAL(_workspace, made.at("/service/publisher/organizationId"));
        CPPUNIT_ASSERT(made.at("/service/status") != "active");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), made.at("/completeness/complete"));
        CPPUNIT_ASSERT_EQUAL(std::string("consumed"), get(path).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("registered"), value("SELECT status FROM app_submissions"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'app_handoff.%' AND "
                                                           "actor_type = 'service'"));
        // The app is a service principal now, for itself alone.
        const auto app = tokenOf(Secret{made.at("/oauthClient/client_id"), made.at("/oauthClient/client_secret")});
        CPPUNIT_ASSERT_EQUAL(200, get("/api/services/notes/manifest", app).status);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/services/desk/manifest", app).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get(path, app).code());
        // Its owners renew its secret, and change nothing of what was approved.
        const auto owner = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto own = "/api/oauth-clients/" + made.at("/oauthClient/client_id");
        CPPUNIT_ASSERT_EQUAL(200, post(own + "/rotate-secret", "{}", owner).status);
        const auto wider =
            _host->call({.method = Method::Patch, .target = own, .body = R"({"redirect_uris":["https://evil.example/cb"]})"}, owner);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), wider.code());
        // Only its own people have it.
        const auto others = [&] { return _host->count("SELECT COUNT(*) FROM service_access WHERE service_id = 'notes'"); };
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, others());
        // Nor do those get it who are founded afterwards.
        CPPUNIT_ASSERT_EQUAL(201, post("/api/organizations", R"({"name":"Later"})", _root).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, others());
    }

    void aCodeCountsOnceAndForATime()
    {
        const auto first = issue();
        CPPUNIT_ASSERT_EQUAL(404, consume("made-up").status);
        CPPUNIT_ASSERT_EQUAL(201, consume(first.at("/handoff_code")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("handoff_consumed"), consume(first.at("/handoff_code")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("handoff_consumed"), revoke(first).code());
        _host->change("UPDATE app_submissions SET status = 'approved'");
        const auto second = issue(R"(,"expiresInHours":1)", "other");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(second.body, 201, second.status);
        CPPUNIT_ASSERT_EQUAL(std::string("revoked"), revoke(second).at("/status"));
        CPPUNIT_ASSERT_EQUAL(200, revoke(second).status);
        CPPUNIT_ASSERT_EQUAL(std::string("handoff_expired"), consume(second.at("/handoff_code"), manifest("other")).code());
        const auto third = issue(R"(,"expiresInHours":1)", "other");
        _host->context().clock().advance(std::chrono::hours(1));
        _backend = tokenOf(_client);
        CPPUNIT_ASSERT_EQUAL(std::string("handoff_expired"), consume(third.at("/handoff_code"), manifest("other")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), get("/api/approved-apps/handoffs/" + third.at("/handoffId")).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'other'"));
    }

    void nothingBeyondTheApproval()
    {
        const auto code = issue().at("/handoff_code");
        const auto refused = [&](std::string_view member, std::string_view text)
        {
            const auto answer = consume(code, manifest("notes", member, text));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(std::string(member) + ' ' + answer.body, 403, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("manifest_exceeds_approval"), answer.code());
            CPPUNIT_ASSERT(answer.at("/errors/0/field").find(member) != std::string::npos);
        };
        refused("name", R"("Portico")");
        refused("surface_group", R"("business")");
        refused("callbackUrls", R"(["https://n.example/cb","https://n.example/other"])");
        refused("origins", R"(["https://n.example","https://evil.example"])");
        refused("embedOrigins", R"(["https://evil.example"])");
        refused("backchannelLogoutUrl", R"("https://evil.example/out")");
        const auto other = consume(code, manifest("desk"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(other.body, std::string("manifest_exceeds_approval"), other.code());
        // Nothing of it stays, and the code is as good as before.
        CPPUNIT_ASSERT_EQUAL(std::string("manifest_invalid"), consume(code, "{}").code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'notes'"));
        CPPUNIT_ASSERT_EQUAL(201, consume(code).status);
    }

    void theAppStaysWithinItsApproval()
    {
        const auto made = consume(issue().at("/handoff_code"));
        const auto app = tokenOf(Secret{made.at("/oauthClient/client_id"), made.at("/oauthClient/client_secret")});
        const auto put = [&](const std::string& text, const std::string& token)
        { return _host->call({.method = Method::Put, .target = "/api/services/notes/manifest", .body = text}, token); };
        CPPUNIT_ASSERT_EQUAL(200, put(manifest("notes", "description", R"("Better")"), app).status);
        const auto wider = manifest("notes", "callbackUrls", R"(["https://evil.example/cb"])");
        CPPUNIT_ASSERT_EQUAL(std::string("manifest_exceeds_approval"), put(wider, app).code());
        // Nor does it open itself to people for whom nobody has approved it.
        const auto home = put(manifest("notes", "contexts", R"(["personal","organization"])"), app);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(home.body, std::string("manifest_exceeds_approval"), home.code());
        CPPUNIT_ASSERT_EQUAL(std::string("manifest_exceeds_approval"), put(manifest("notes", "household_capable", "true"), app).code());
        CPPUNIT_ASSERT_EQUAL(200, put(manifest("notes", "contexts", R"(["organization","personal"])"), _root).status);
        _host->change("UPDATE services SET personal_access = FALSE, version = version + 1 WHERE service_id = 'notes'");
        const auto other = put(manifest("notes", "contexts", R"(["personal","organization"])"), app);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(other.body, 200, other.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM services WHERE service_id = 'notes' AND personal_access"));
        // What a click would run is shown to nobody.
        for (const auto& [member, text] : {std::pair{"landing", R"x({"ctas":[{"label":"x","href":"javascript:alert(1)"}]})x"},
                                           {"store", R"x({"privacyUrl":"JavaScript:alert(1)"})x"}})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(member, std::string("manifest_invalid"), put(manifest("notes", member, text), app).code());
        // It asks about itself alone.
        const auto asks = [&](const std::string& path, const std::string& body) { return post(path, body, app).code(); };
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), asks("/api/api-keys/validate", R"({"key":"x","service_id":"desk"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"),
                             post("/api/api-keys/validate", R"({"key":"x","service_id":"notes"})", app).at("/code"));
        const auto who = value("SELECT id FROM users WHERE email = 'dev@new.example'");
        const auto check = [&](const std::string& permission)
        { return R"({"checks":[{"userId":")" + who + R"(","permission":")" + permission + R"("}]})"; };
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), asks("/api/permissions/check", check("desk.tickets:read")));
        CPPUNIT_ASSERT_EQUAL(200, post("/api/permissions/check", check("notes.pages:read"), app).status);
        // An operator may approve more by doing it.
        CPPUNIT_ASSERT_EQUAL(200, put(manifest("notes", "name", R"("Notes 2")"), _root).status);
    }

    void onlyWhatIsApprovedIsHandedOver()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("service_exists"), issue({}, "desk").code());
        CPPUNIT_ASSERT_EQUAL(400, issue(R"(,"expiresInHours":169)").status);
        CPPUNIT_ASSERT_EQUAL(400, issue({}, "notes", R"("http://n.example/cb")").status);
        CPPUNIT_ASSERT_EQUAL(400, issue({}, "notes", R"("https://n.example/cb")", _host->organizationId("admin")).status);
        const auto code = issue().at("/handoff_code");
        step("/api/app-reviews/" + _submission + "/status", "rejected");
        CPPUNIT_ASSERT_EQUAL(std::string("submission_not_approved"), issue().code());
        CPPUNIT_ASSERT_EQUAL(std::string("submission_not_approved"), consume(code).code());
    }

    void onlyTheDeveloperApplicationAndOperators()
    {
        const auto issued = issue({}, "notes", R"("https://n.example/cb")", {}, _root);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(issued.body, 201, issued.status);
        // A code is for programs.
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), consume(issued.at("/handoff_code"), manifest("notes"), _root).code());
        const auto member = _host->signIn("dev@new.example", "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), issue({}, "notes", R"("https://n.example/cb")", {}, member).code());
        const auto other = tokenOf(client(_root, R"("service_id":"identity")"));
        for (const auto& answer :
             {consume(issued.at("/handoff_code"), manifest("notes"), other), issue({}, "notes", R"("https://n.example/cb")", {}, other)})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, std::string("permission_denied"), answer.code());
        // Before a word about what was sent.
        for (const auto* path : {"/api/approved-apps/handoffs", "/api/approved-apps/handoffs/consume"})
            CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), post(path, R"({"x":1})", other).code());
    }

    /// Every door that leads to a key, a client or an app.
    void aClosedWorkspaceChangesNothing()
    {
        const auto identity = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto desk = _host->signIn("dev@new.example", "desk", inWorkspace());
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        const auto own = client(identity, R"("scopes":["scim"])");
        const auto program = tokenOf(own);
        const auto console = key(identity, R"({"service_id":"desk","scopes":["api_keys.write","tickets.read"]})");
        const auto plain = key(identity, R"({"service_id":"desk","scopes":["tickets.read"]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(console.body, 201, console.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(plain.body, 201, plain.status);
        const auto handoff = issue();
        const auto registered = post("/oauth/register", R"({"redirect_uris":["https://n.example/cb"]})", identity);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(registered.body, 201, registered.status);
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
                CPPUNIT_ASSERT_EQUAL_MESSAGE(target + ' ' + answer.body, code, answer.code());
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
            // Errors of OAuth name their reason in words.
            const auto refusedByOAuth =
                [&](Method method, const std::string& target, const std::string& body, const std::string& credential)
            {
                const auto answer = _host->call({.method = method, .target = target, .body = body}, credential);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(target + ' ' + answer.body, std::string("access_denied"), answer.at("/error"));
            };
            refusedByOAuth(Method::Post, "/oauth/register", R"({"redirect_uris":["https://n.example/cb"]})", identity);
            refusedByOAuth(Method::Put, registration,
                           R"({"client_id":")" + registered.at("/client_id") + R"(","redirect_uris":["https://n.example/cb"]})",
                           registered.at("/registration_access_token"));
            refusedByOAuth(Method::Delete, registration, {}, registered.at("/registration_access_token"));
            CPPUNIT_ASSERT_EQUAL(code, consume(handoff.at("/handoff_code")).code());
            CPPUNIT_ASSERT_EQUAL(code, issue({}, "more").code());
        };
        move("suspend");
        expect("developer_workspace_suspended");
        // A key that makes keys, and a program, are out altogether.
        const auto byKey =
            _host->call({.method = Method::Post, .target = keys + "/rotate", .body = "{}", .originService = "desk"}, console.at("/key"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_token"), byKey.code());
        CPPUNIT_ASSERT_EQUAL(std::string("workspace_suspended"), byKey.at("/details/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("workspace_suspended"), _host->verdict(program, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("unauthorized_client"),
                             askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).at("/error"));
        CPPUNIT_ASSERT(before == state());
        move("reinstate");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(program, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(plain.at("/key")));
        CPPUNIT_ASSERT_EQUAL(201, _host->call({.method = Method::Post, .target = keys + "/rotate", .body = "{}"}, identity).status);
    }

    void aRevokedWorkspaceLosesItsClients()
    {
        const auto identity = _host->signIn("dev@new.example", "identity", inWorkspace());
        const auto own = client(identity, R"("scopes":["scim"])");
        const auto program = tokenOf(own);
        move("revoke");
        CPPUNIT_ASSERT_EQUAL(std::string("revoked"), _host->verdict(program, "identity"));
        CPPUNIT_ASSERT_EQUAL(401, askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("developer_workspace_revoked"),
                             _host
                                 ->call({.method = Method::Post,
                                         .target = "/api/api-keys",
                                         .body = keyBody(R"({"service_id":"desk","scopes":["tickets.read"]})")},
                                        identity)
                                 .code());
        move("reinstate");
        CPPUNIT_ASSERT_EQUAL(401, askToken(Secret{own.at("/client_id"), own.at("/client_secret")}).status);
    }

private:
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
        const auto answer = _host->call(
            {.method = Method::Patch, .target = target, .body = R"({"status":")" + std::string(status) + R"(","reason":"r"})"}, _root);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
    }
    void move(std::string_view to) const
    {
        const auto answer = post("/api/developer-workspaces/" + _workspace + '/' + std::string(to), R"({"reason":"r"})", _root);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
    }
    std::string inWorkspace() const { return R"(,"organizationId":")" + _workspace + '"'; }
    TestAnswer client(const std::string& token, const std::string& more)
    {
        auto made = post("/api/oauth-clients", R"({"name":"Backend","grant_types":["client_credentials"],)" + more + '}', token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
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
        return R"({"name":"k","environment":"live","owner_type":"organization","owner_id":")" + _workspace + R"(","grants":[)" + grant +
               "]}";
    }
    TestAnswer key(const std::string& token, const std::string& grant) const { return post("/api/api-keys", keyBody(grant), token); }
    TestAnswer issue(const std::string& more = {}, const std::string& service = "notes",
                     const std::string& redirect = R"("https://n.example/cb")", const std::string& organization = {},
                     const std::string& token = {}) const
    {
        return post("/api/approved-apps/handoffs",
                    R"({"submissionId":")" + _submission + R"(","organizationId":")" + (organization.empty() ? _workspace : organization) +
                        R"(","service_id":")" + service + R"(","name":"Notes","redirect_uris":[)" + redirect +
                        R"(],"scopes":["openid","profile"])" + more + '}',
                    token.empty() ? _backend : token);
    }
    TestAnswer revoke(const TestAnswer& issued) const
    {
        return post("/api/approved-apps/handoffs/" + issued.at("/handoffId") + "/revoke", {}, _backend);
    }
    TestAnswer consume(const std::string& code) const { return consume(code, manifest("notes")); }
    TestAnswer consume(const std::string& code, const std::string& text, const std::string& token = {}) const
    {
        return post("/api/approved-apps/handoffs/consume", R"({"handoff_code":")" + code + R"(","manifest":)" + text + '}',
                    token.empty() ? _backend : token);
    }
    /// @param member one that says something else than what was approved
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

CPPUNIT_TEST_SUITE_REGISTRATION(HandoffTest);

} // namespace portico::tests
