#include "identity/KeysFixture.h"

#include <atomic>
#include <thread>
#include <vector>

namespace portico::tests
{

/// API keys: who may make them, what they open, and for whom.
class KeysTest : public KeysFixture
{
    CPPUNIT_TEST_SUITE(KeysTest);
    CPPUNIT_TEST(opensWhatItWasGranted);
    CPPUNIT_TEST(keepsTheSecretSecret);
    CPPUNIT_TEST(checksTheInput);
    CPPUNIT_TEST(givesNoMoreThanItsMakerHas);
    CPPUNIT_TEST(asksForAFreshProof);
    CPPUNIT_TEST(keepsToItsAddresses);
    CPPUNIT_TEST(followsItsOwner);
    CPPUNIT_TEST(hidesForeignKeys);
    CPPUNIT_TEST(closesKeyRoutesWithTheMembership);
    CPPUNIT_TEST(holdsTheLimit);
    CPPUNIT_TEST(guardsWorkspaces);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(countsUses);
    CPPUNIT_TEST(slowsDownGuessing);
    CPPUNIT_TEST(showsTheCatalog);
    CPPUNIT_TEST_SUITE_END();

public:
    void opensWhatItWasGranted()
    {
        const auto key = make(_memberToken, userKey(_member)).at("/key");
        const auto caller = _host->validate(key);
        CPPUNIT_ASSERT(caller->credential == CredentialKind::ApiKey);
        CPPUNIT_ASSERT_EQUAL(_member, caller->principalId);
        CPPUNIT_ASSERT_EQUAL(_acme, caller->organizationId);
        CPPUNIT_ASSERT(caller->hasScope("tickets.read"));
        CPPUNIT_ASSERT(!caller->hasScope("tickets.write"));
        CPPUNIT_ASSERT(caller->may("desk.tickets:read"));
        CPPUNIT_ASSERT(caller->reaches("queue", queue));
        CPPUNIT_ASSERT(!caller->reaches("queue", "que_01jd0000000000000000000009"));
        // No grant in another service.
        CPPUNIT_ASSERT(_host->validate(key, "identity")->scopes.empty());
        const auto answer = _host->call({.target = "/validate?permission=desk.tickets:read", .headers = {{"X-Service-ID", "desk"}}}, key);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("user"), answer.at("/apiKey/owner_type"));
        CPPUNIT_ASSERT_EQUAL(std::string(queue), answer.at("/boundResources/queue/0"));
        // What its scopes open, not all that its owner may.
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["desk.tickets:read"])"), answer.at("/effectivePermissions"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("insufficient_scope"),
            _host->call({.target = "/validate?permission=desk.tickets:write", .headers = {{"X-Service-ID", "desk"}}}, key).code());
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), _host->call({.target = "/validate"}, key).code());
        CPPUNIT_ASSERT_EQUAL(
            std::string("resource_not_bound"),
            _host->call({.target = "/validate?resource=queue:que_01jd0000000000000000000009", .headers = {{"X-Service-ID", "desk"}}}, key)
                .code());
        // An organization's key does what its owners may, but for what no key may.
        elevate(_ownerToken);
        const auto organizations = _host->validate(make(_ownerToken, organizationKey(R"(["tickets.read","settings.write"])")).at("/key"));
        CPPUNIT_ASSERT_EQUAL(_acme, organizations->principalId);
        CPPUNIT_ASSERT(organizations->may("desk.settings:write"));
        CPPUNIT_ASSERT(!organizations->may("desk.tickets:purge"));
    }

    void keepsTheSecretSecret()
    {
        const auto made = make(_memberToken, userKey(_member));
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        const auto text = made.at("/key");
        CPPUNIT_ASSERT(text.starts_with(made.at("/apiKey/prefix")));
        CPPUNIT_ASSERT(text.ends_with(made.at("/apiKey/last4")));
        const auto shown = show(_memberToken, made.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        CPPUNIT_ASSERT(!shown.has("/secretHash"));
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), shown.etag);
        const auto secret = text.substr(22, 43);
        CPPUNIT_ASSERT(shown.body.find(secret) == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM api_keys WHERE secret_hash = '" + secret + "'"));
        auto wrong = text;
        wrong[30] = wrong[30] == 'a' ? 'b' : 'a';
        CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), _host->verdict(wrong));
    }

    void checksTheInput()
    {
        const auto code = [&](std::string grants, std::string more = {}) {
            return make(_memberToken, R"({"name":"k","owner_type":"user","owner_id":")" + _member + R"(","grants":)" + grants + more + '}')
                .code();
        };
        const std::string good = R"([{"service_id":"desk","scopes":["tickets.read"]}])";
        CPPUNIT_ASSERT_EQUAL(std::string(), code(good));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_scope"), code(R"([{"service_id":"desk","scopes":["tickets.eat"]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_scope"), code(R"([{"service_id":"nowhere","scopes":["tickets.read"]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), code("[]"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), code(R"([{"service_id":"desk","scopes":[]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"),
                             code(R"([{"service_id":"desk","scopes":["tickets.read"]},{"service_id":"desk","scopes":["tickets.write"]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_resource_type"),
                             code(R"([{"service_id":"desk","scopes":["tickets.read"],"resources":[{"type":"shelf","id":"x"}]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_resource_type"),
                             code(R"([{"service_id":"desk","scopes":["tickets.write"],"resources":[{"type":"queue","id":"x"}]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("resource_not_found"),
                             code(R"([{"service_id":"desk","scopes":["tickets.read"],"resources":[{"type":"queue","id":"que_1"}]}])"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), code(good, R"(,"ipAllowList":["somewhere"])"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), code(good, R"(,"metadata":[1])"));
        CPPUNIT_ASSERT_EQUAL(std::string("in_the_past"),
                             make(_memberToken, userKey(_member, R"(,"expiresAt":"2020-01-01T00:00:00Z")")).at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("expiry_exceeds_policy"), code(good, R"(,"expiresAt":"2099-01-01T00:00:00Z")"));
        CPPUNIT_ASSERT_EQUAL(std::string("expiry_exceeds_policy"), code(good, R"(,"expiresAt":null)"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), code(good, R"(,"secret":"x")"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), make(_memberToken, "{}").code());
    }

    void givesNoMoreThanItsMakerHas()
    {
        elevate(_memberToken);
        const std::string settings = R"("grants":[{"service_id":"desk","scopes":["settings.write"]}]})";
        CPPUNIT_ASSERT_EQUAL(std::string("scope_exceeds_own_rights"),
                             make(_memberToken, R"({"name":"k","owner_type":"user","owner_id":")" + _member + "\"," + settings).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), make(_memberToken, organizationKey(R"(["tickets.read"])")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), make(_memberToken, userKey(_owner)).code());
        _host->createUser("other@x.example", "initech", "owner");
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), make(_ownerToken, R"({"name":"k","owner_type":"organization","owner_id":")" +
                                                                             _host->organizationId("initech") + "\"," + settings)
                                                           .code());
    }

    void asksForAFreshProof()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), make(_ownerToken, organizationKey(R"(["settings.write"])")).code());
        elevate(_ownerToken);
        CPPUNIT_ASSERT_EQUAL(201, make(_ownerToken, organizationKey(R"(["settings.write"])")).status);
        _host->context().clock().advance(std::chrono::minutes(9));
        CPPUNIT_ASSERT_EQUAL(201, make(_ownerToken, organizationKey(R"(["settings.write"])")).status);
    }

    void keepsToItsAddresses()
    {
        const auto key = make(_memberToken, userKey(_member, R"(,"ipAllowList":["198.51.100.0/24"])")).at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key, "desk", "198.51.100.9"));
        CPPUNIT_ASSERT_EQUAL(std::string("ip_not_allowed"), _host->verdict(key, "desk", "198.51.101.9"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key, "desk", "198.51.100.9"));
    }

    void followsItsOwner()
    {
        elevate(_ownerToken);
        const auto key = make(_ownerToken, R"({"name":"k","owner_type":"user","owner_id":")" + _owner +
                                               R"(","grants":[{"service_id":"desk","scopes":["settings.write"]}]})")
                             .at("/key");
        CPPUNIT_ASSERT(_host->validate(key)->may("desk.settings:write"));
        _host->change("UPDATE memberships SET role = 'member' WHERE user_id = $1", {_owner});
        CPPUNIT_ASSERT(!_host->validate(key)->may("desk.settings:write"));
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_owner});
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _host->verdict(key));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {_owner});
        CPPUNIT_ASSERT_EQUAL(std::string("user_suspended"), _host->verdict(key));
        const auto members = make(_memberToken, userKey(_member)).at("/key");
        _host->change("UPDATE organizations SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("workspace_suspended"), _host->verdict(members));
    }

    void hidesForeignKeys()
    {
        const auto id = make(_memberToken, userKey(_member)).at("/apiKey/id");
        _host->createUser("other@x.example", "initech", "owner");
        const auto stranger = _host->signIn("other@x.example");
        CPPUNIT_ASSERT_EQUAL(404, show(stranger, id).status);
        CPPUNIT_ASSERT_EQUAL(404, revoke(stranger, id).status);
        // A user's own key is not the organization's.
        CPPUNIT_ASSERT_EQUAL(404, show(_ownerToken, id).status);
        const auto organizations = make(_ownerToken, organizationKey(R"(["tickets.read"])")).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(404, show(_memberToken, organizations).status);
        CPPUNIT_ASSERT_EQUAL(404, show(_memberToken, "key_nonsense").status);
        // The same person in another organization works there.
        _host->createUser("member@acme.example", "globex", "owner");
        const auto elsewhere =
            _host->signIn("member@acme.example", "desk", R"(,"organizationId":")" + _host->organizationId("globex") + '"');
        CPPUNIT_ASSERT_EQUAL(404, show(elsewhere, id).status);
    }

    void closesKeyRoutesWithTheMembership()
    {
        elevate(_ownerToken);
        const auto key = make(_ownerToken, R"({"name":"k","owner_type":"user","owner_id":")" + _owner +
                                               R"(","grants":[{"service_id":"desk","scopes":["api_keys.write","tickets.read"]}]})");
        const auto list = [&] { return _host->call({.target = "/api/api-keys", .originService = "desk"}, key.at("/key")); };
        CPPUNIT_ASSERT_EQUAL(200, list().status);
        for (const auto* status : {"suspended", "removed"})
        {
            _host->change("UPDATE memberships SET status = $2 WHERE user_id = $1", {_owner, status});
            CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), list().code());
            CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), make(key.at("/key"), userKey(_owner)).code());
            CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), rotate(key.at("/key"), key.at("/apiKey/id")).code());
        }
        _host->change("UPDATE memberships SET status = 'active' WHERE user_id = $1", {_owner});
        CPPUNIT_ASSERT_EQUAL(200, list().status);
        // Access of the organization to the service is another thing: keys can be seen and ended without it.
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(200, list().status);
    }

    void holdsTheLimit()
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
        CPPUNIT_ASSERT_EQUAL(3, made.load());
        CPPUNIT_ASSERT_EQUAL(3, refused.load());
    }

    void guardsWorkspaces()
    {
        const auto id = make(_ownerToken, organizationKey(R"(["tickets.read"])")).at("/apiKey/id");
        _host->change("UPDATE organizations SET kind = 'developer_workspace', status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("developer_workspace_suspended"), make(_memberToken, userKey(_member)).code());
        _host->change("UPDATE organizations SET status = 'revoked'");
        CPPUNIT_ASSERT_EQUAL(std::string("developer_workspace_revoked"), make(_memberToken, userKey(_member)).code());
        CPPUNIT_ASSERT_EQUAL(std::string("developer_workspace_revoked"), make(_ownerToken, userKey(_owner)).code());
        CPPUNIT_ASSERT(show(_ownerToken, id).status != 200);
    }

    void lists()
    {
        for (int i = 0; i < 3; ++i)
        {
            make(_memberToken, userKey(_member));
            _host->context().clock().advance(std::chrono::milliseconds(1));
        }
        make(_ownerToken, organizationKey(R"(["tickets.read"])"));
        const auto list = [&](const std::string& token, std::string query)
        { return _host->call({.target = "/api/api-keys" + query, .originService = "desk"}, token); };
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, list(_memberToken, "").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list(_ownerToken, "").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, list(_ownerToken, "?status=revoked,disabled").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, list(_memberToken, "?service_id=identity").count("/items"));
        // Keys of a service's page: granted there, or of the active context; another filter replaces the choice.
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, list(_memberToken, "?for_service=desk").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, list(_memberToken, "?for_service=identity").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list(_ownerToken, "?for_service=identity").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, list(_memberToken, "?for_service=identity&owner_type=user").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), list(_memberToken, "?state=active").code());
        const auto first = list(_memberToken, "?limit=2&include=total");
        CPPUNIT_ASSERT_EQUAL(std::string("3"), first.at("/total"));
        const auto rest = list(_memberToken, "?limit=2&cursor=" + first.at("/nextCursor"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, rest.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), rest.at("/nextCursor"));
        CPPUNIT_ASSERT(rest.at("/items/0/id") < first.at("/items/1/id"));
    }

    void countsUses()
    {
        const auto made = make(_memberToken, userKey(_member));
        const auto id = made.at("/apiKey/id");
        for (int i = 0; i < 3; ++i) _host->validate(made.at("/key"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), show(_memberToken, id).at("/lastUsedAt"));
        _host->context().clock().advance(std::chrono::minutes(1));
        CPPUNIT_ASSERT(_host->context().jobs().runDue() >= 1);
        _host->validate(made.at("/key"));
        _host->reload();
        const auto shown = show(_memberToken, id);
        CPPUNIT_ASSERT_EQUAL(std::string("4"), shown.at("/useCount24h"));
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), shown.at("/lastUsedService"));
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.0/24"), shown.at("/lastUsedIpPrefix"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/version"));
    }

    void slowsDownGuessing()
    {
        const auto key = make(_memberToken, userKey(_member)).at("/key");
        for (int i = 0; i < 30; ++i) CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), _host->verdict("pak_live_x"));
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), _host->verdict("pak_live_x"));
        CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), _host->verdict("pak_live_x", "desk", "203.0.113.1"));
        // Backends that name no address fail each for itself.
        for (int i = 0; i < 30; ++i) CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), _host->verdict("pak_live_x", "desk", ""));
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), _host->verdict("pak_live_x", "desk", ""));
        CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), _host->verdict("pak_live_x", "identity", ""));
        // Others' failures never lock a good key out.
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key));
    }

    void showsTheCatalog()
    {
        const auto token = _host->signIn("member@acme.example", "identity");
        const auto get = [&](std::string path) { return _host->call({.target = std::move(path)}, token); };
        const auto scopes = get("/api/services/desk/api-key-scopes");
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, scopes.count("/scopes"));
        CPPUNIT_ASSERT_EQUAL(std::string("api_keys.write"), scopes.at("/scopes/0/scope"));
        CPPUNIT_ASSERT_EQUAL(std::string("high"), scopes.at("/scopes/0/risk"));
        CPPUNIT_ASSERT_EQUAL(std::string("low"), scopes.at("/scopes/2/risk"));
        CPPUNIT_ASSERT_EQUAL(404, get("/api/services/nowhere/api-key-scopes").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get("/api/api-key-scopes").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get("/api/api-key-scopes?service_id=desk").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("queue"), get("/api/services/desk/bindable-resources").at("/items/0/type"));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/services/desk/completeness").code());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(KeysTest);

} // namespace portico::tests
