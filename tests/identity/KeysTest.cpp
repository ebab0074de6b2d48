#include "identity/IdentityHost.h"

#include "catalog/CatalogStore.h"
#include "keys/KeyActor.h"

#include <cppunit/extensions/HelperMacros.h>

#include <thread>

namespace portico::tests
{

/// API keys: who may make them, what they open, and how they end.
class KeysTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(KeysTest);
    CPPUNIT_TEST(opensWhatItWasGranted);
    CPPUNIT_TEST(keepsTheSecretSecret);
    CPPUNIT_TEST(checksTheInput);
    CPPUNIT_TEST(givesNoMoreThanItsMakerHas);
    CPPUNIT_TEST(asksForAFreshProof);
    CPPUNIT_TEST(expires);
    CPPUNIT_TEST(changesAndEnds);
    CPPUNIT_TEST(honoursIfMatchOnEveryChange);
    CPPUNIT_TEST(rotates);
    CPPUNIT_TEST(rotatesWithinThePolicy);
    CPPUNIT_TEST(rotatesWithinTheLimit);
    CPPUNIT_TEST(operatorsEndKeysOfClosedWorkspaces);
    CPPUNIT_TEST(rotatesWithoutScopesThatWereDropped);
    CPPUNIT_TEST(keepsToItsAddresses);
    CPPUNIT_TEST(followsItsOwner);
    CPPUNIT_TEST(hidesForeignKeys);
    CPPUNIT_TEST(managesKeysWithAKey);
    CPPUNIT_TEST(keepsKeysOfAKeyWithinItsResources);
    CPPUNIT_TEST(keepsKeysOfAKeyWithinItsAddresses);
    CPPUNIT_TEST(keepsKeysOfAKeyWithinItsRate);
    CPPUNIT_TEST(takesTheHostsRateForAKeyWithoutOne);
    CPPUNIT_TEST(keepsKeysOfAKeyWithinItsLife);
    CPPUNIT_TEST(keepsKeysOfAKeyOfItsKind);
    CPPUNIT_TEST(leavesDisabledKeysToPeople);
    CPPUNIT_TEST(makesNothingByAKeyThatHasEndedMeanwhile);
    CPPUNIT_TEST(closesKeyRoutesWithTheMembership);
    CPPUNIT_TEST(holdsTheLimit);
    CPPUNIT_TEST(guardsWorkspaces);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(countsUses);
    CPPUNIT_TEST(slowsDownGuessing);
    CPPUNIT_TEST(showsTheCatalog);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        signIn();
    }
    void tearDown() override { _host.reset(); }

    void signIn()
    {
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _ownerToken = _host->signIn("owner@acme.example");
        _memberToken = _host->signIn("member@acme.example");
    }

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

    void expires()
    {
        const auto made = make(_memberToken, userKey(_member));
        const auto expires = parseInstant(made.at("/apiKey/expiresAt"));
        CPPUNIT_ASSERT(*expires == _host->context().clock().now() + std::chrono::hours(24 * 365));
        const auto key = made.at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key));
        _host->context().clock().advance(std::chrono::hours(24 * 365));
        CPPUNIT_ASSERT_EQUAL(std::string("key_expired"), _host->verdict(key));
        // Owners may say that a key does not.
        const auto token = _host->signIn("owner@acme.example");
        const auto forever = make(token, organizationKey(R"(["tickets.read"])", R"(,"expiresAt":null)"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), forever.at("/apiKey/expiresAt"));
    }

    void honoursIfMatchOnEveryChange()
    {
        const auto id = make(_memberToken, userKey(_member)).at("/apiKey/id");
        const auto call = [&](Method method, std::string_view rest, std::string_view version)
        {
            return _host->call({.method = method,
                                .target = "/api/api-keys/" + id + std::string(rest),
                                .body = "{}",
                                .headers = {{"If-Match", '"' + std::string(version) + '"'}},
                                .originService = "desk"},
                               _memberToken);
        };
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), call(Method::Delete, "", "2").code());
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), call(Method::Post, "/rotate", "2").code());
        CPPUNIT_ASSERT_EQUAL(201, call(Method::Post, "/rotate", "1").status);
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), call(Method::Delete, "", "1").code());
        CPPUNIT_ASSERT_EQUAL(204, call(Method::Delete, "", "2").status);
    }

    void changesAndEnds()
    {
        const auto made = make(_memberToken, R"({"name":"k","owner_type":"user","owner_id":")" + _member +
                                                 R"(","grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"]}]})");
        const auto id = made.at("/apiKey/id");
        const auto key = made.at("/key");
        const auto patch = [&](std::string body, std::vector<std::pair<std::string, std::string>> headers = {})
        {
            return _host->call({.method = Method::Patch,
                                .target = "/api/api-keys/" + id,
                                .body = std::move(body),
                                .headers = std::move(headers),
                                .originService = "desk"},
                               _memberToken);
        };
        CPPUNIT_ASSERT_EQUAL(200, patch(R"({"status":"disabled"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("key_disabled"), _host->verdict(key));
        CPPUNIT_ASSERT_EQUAL(200, patch(R"({"status":"active","name":"renamed"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key));
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), patch(R"({"name":"x"})", {{"If-Match", "\"1\""}}).code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), patch(R"({"status":"revoked"})").code());
        CPPUNIT_ASSERT_EQUAL(200, patch(R"({"grants":[{"service_id":"desk","scopes":["tickets.read"]}]})").status);
        CPPUNIT_ASSERT(!_host->validate(key)->hasScope("tickets.write"));
        CPPUNIT_ASSERT_EQUAL(std::string("scope_exceeds_own_rights"),
                             patch(R"({"grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"]}]})").code());
        // What was read can be sent back.
        CPPUNIT_ASSERT_EQUAL(200, patch(show(_memberToken, id).body).status);
        CPPUNIT_ASSERT_EQUAL(204, revoke(_memberToken, id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), _host->verdict(key));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), patch(R"({"status":"active"})").code());
        CPPUNIT_ASSERT_EQUAL(204, revoke(_memberToken, id).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.revoked'"));
    }

    void rotates()
    {
        const auto made = make(_memberToken, userKey(_member));
        const auto id = made.at("/apiKey/id");
        const auto rotate = [&](std::string body)
        {
            return _host->call(
                {.method = Method::Post, .target = "/api/api-keys/" + id + "/rotate", .body = std::move(body), .originService = "desk"},
                _memberToken);
        };
        const auto rotated = rotate(R"({"overlapSeconds":60})");
        CPPUNIT_ASSERT_EQUAL(201, rotated.status);
        CPPUNIT_ASSERT_EQUAL(id, rotated.at("/previous/id"));
        CPPUNIT_ASSERT_EQUAL(id, rotated.at("/apiKey/rotatedFromId"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(made.at("/key")));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(rotated.at("/key")));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), rotate("{}").code());
        _host->context().clock().advance(std::chrono::seconds(60));
        CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), _host->verdict(made.at("/key")));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(rotated.at("/key")));
    }

    void rotatesWithinThePolicy()
    {
        const auto made = make(_memberToken, userKey(_member));
        CPPUNIT_ASSERT_EQUAL(std::string("2027-01-01"), made.at("/apiKey/expiresAt").substr(0, 10));
        _host->change("UPDATE organizations SET security_policy = '{\"apiKeyMaxDays\":30}' WHERE id = $1", {_acme});
        const auto rotated = rotate(_memberToken, made.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(rotated.body, 201, rotated.status);
        CPPUNIT_ASSERT_EQUAL(std::string("2026-01-31"), rotated.at("/apiKey/expiresAt").substr(0, 10));
        // Without an end owners make keys, and nobody else.
        _host->change("UPDATE api_keys SET expires_at = NULL WHERE id = $1", {rotated.at("/apiKey/id")});
        const auto ended = rotate(_memberToken, rotated.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-01-31"), ended.at("/apiKey/expiresAt").substr(0, 10));
        elevate(_ownerToken);
        const auto endless = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        _host->change("UPDATE api_keys SET expires_at = NULL WHERE id = $1", {endless});
        CPPUNIT_ASSERT_EQUAL(std::string("null"), rotate(_ownerToken, endless).at("/apiKey/expiresAt"));
    }

    void rotatesWithinTheLimit()
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.apiKeys.maxPerOwner", "2"}});
        const auto user = strict.createUser("member@acme.example", "acme", "member");
        const auto token = strict.signIn("member@acme.example");
        const auto post = [&](const std::string& target, std::string body)
        { return strict.call({.method = Method::Post, .target = target, .body = std::move(body), .originService = "desk"}, token); };
        const auto first = post("/api/api-keys", userKey(user)).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(201, post("/api/api-keys", userKey(user)).status);
        CPPUNIT_ASSERT_EQUAL(std::string("key_limit_reached"), post("/api/api-keys/" + first + "/rotate", "{}").code());
        CPPUNIT_ASSERT_EQUAL(201, post("/api/api-keys/" + first + "/rotate", R"({"overlapSeconds":0})").status);
    }

    void operatorsEndKeysOfClosedWorkspaces()
    {
        const auto made = make(_ownerToken, organizationKey(readTickets));
        const auto id = made.at("/apiKey/id");
        const auto own = make(_memberToken, userKey(_member)).at("/apiKey/id");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@x.example", "identity");
        const auto call = [&](Method method, const std::string& rest, std::string body = {})
        { return _host->call({.method = method, .target = "/api/api-keys" + rest, .body = std::move(body)}, root); };
        CPPUNIT_ASSERT_EQUAL(404, call(Method::Get, '/' + id).status);
        CPPUNIT_ASSERT_EQUAL(404, call(Method::Delete, '/' + id).status);
        _host->change("UPDATE organizations SET kind = 'developer_workspace', status = 'suspended' WHERE id = $1", {_acme});
        CPPUNIT_ASSERT_EQUAL(std::string("blocked"), call(Method::Get, '/' + id).at("/status"));
        const auto blocked = call(Method::Get, "?status=blocked&owner_id=" + _acme);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, blocked.count("/items"));
        CPPUNIT_ASSERT_EQUAL(id, blocked.at("/items/0/id"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, call(Method::Get, "?status=active&owner_id=" + _acme).count("/items"));
        // Nothing else is changed of them.
        CPPUNIT_ASSERT_EQUAL(std::string("developer_workspace_suspended"), call(Method::Patch, '/' + id, R"({"name":"x"})").code());
        CPPUNIT_ASSERT(call(Method::Post, '/' + id + "/rotate", "{}").status >= 400);
        CPPUNIT_ASSERT_EQUAL(std::string("workspace_suspended"), _host->verdict(made.at("/key")));
        CPPUNIT_ASSERT_EQUAL(204, call(Method::Delete, '/' + id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), _host->verdict(made.at("/key")));
        CPPUNIT_ASSERT_EQUAL(204, call(Method::Delete, '/' + own).status);
        // Open again, what was ended stays so, and the rest works.
        _host->change("UPDATE organizations SET status = 'active' WHERE id = $1", {_acme});
        CPPUNIT_ASSERT_EQUAL(404, call(Method::Get, '/' + id).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM api_keys WHERE status = 'revoked'"));
    }

    void rotatesWithoutScopesThatWereDropped()
    {
        const auto made = make(_memberToken, R"({"name":"k","owner_type":"user","owner_id":")" + _member +
                                                 R"(","grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"]}]})");
        const auto manifest = IdentityHost::deskManifest();
        const auto drop = [&](std::string_view scope)
        {
            auto dropped = boost::json::parse(manifest);
            auto& scopes = dropped.at("apiKeyScopes").as_array();
            for (auto entry = scopes.begin(); entry != scopes.end();)
                entry = std::string_view(entry->at("scope").as_string()).starts_with(scope) ? scopes.erase(entry) : entry + 1;
            _host->publish({IdentityHost::identityManifest(), boost::json::serialize(dropped)});
        };
        drop("tickets.write");
        const auto rotated = rotate(_memberToken, made.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL(201, rotated.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["tickets.read"])"), rotated.at("/apiKey/grants/0/scopes"));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(rotated.at("/key")));
        // Nothing is left of it that another key could have.
        drop("tickets.");
        const auto id = rotated.at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_scope"), rotate(_memberToken, id).code());
        CPPUNIT_ASSERT_EQUAL(std::string("active"), show(_memberToken, id).at("/status"));
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

    void managesKeysWithAKey()
    {
        elevate(_ownerToken);
        const auto manager = make(_ownerToken, organizationKey(R"(["api_keys.write","tickets.read"])"));
        const auto key = manager.at("/key");
        const auto made = make(key, organizationKey(R"(["tickets.read"])"));
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(manager.at("/apiKey/id"), made.at("/apiKey/createdBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("scope_exceeds_own_rights"), make(key, organizationKey(R"(["tickets.write"])")).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), make(key, userKey(_member)).code());
        const auto wider = make(_ownerToken, organizationKey(R"(["tickets.read","tickets.write"])")).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(404, show(key, wider).status);
        CPPUNIT_ASSERT_EQUAL(std::string("scope_exceeds_own_rights"), revoke(key, wider).code());
        CPPUNIT_ASSERT_EQUAL(204, revoke(key, made.at("/apiKey/id")).status);
        // A key without the scope opens none of these rows.
        const auto plain = make(_memberToken, userKey(_member)).at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), make(plain, userKey(_member)).code());
    }

    void keepsKeysOfAKeyWithinItsResources()
    {
        const auto bound = [](std::string_view id) { return R"(,"resources":[{"type":"queue","id":")" + std::string(id) + "\"}]"; };
        const auto manager = makeManager(bound(queue)).at("/key");
        CPPUNIT_ASSERT_EQUAL(201, make(manager, organizationKey(readTickets, {}, bound(queue))).status);
        expectWider(make(manager, organizationKey(readTickets)));
        expectWider(make(manager, organizationKey(readTickets, {}, bound(otherQueue))));
        const auto unbound = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(404, show(manager, unbound).status);
        expectWider(rotate(manager, unbound));
        expectWider(patch(manager, unbound, R"({"name":"x"})"));
        const auto elsewhere = make(_ownerToken, organizationKey(readTickets, {}, bound(otherQueue))).at("/apiKey/id");
        expectWider(rotate(manager, elsewhere));
        const auto sibling = make(_ownerToken, organizationKey(readTickets, {}, bound(queue))).at("/apiKey/id");
        expectWider(patch(manager, sibling, R"({"grants":[{"service_id":"desk","scopes":["tickets.read"]}]})"));
        CPPUNIT_ASSERT_EQUAL(201, rotate(manager, sibling).status);
    }

    void keepsKeysOfAKeyWithinItsAddresses()
    {
        const auto from = [](std::string_view list) { return R"("ipAllowList":)" + std::string(list); };
        const auto child = [&](std::string_view list) { return organizationKey(readTickets, ',' + from(list)); };
        const auto made = makeManager({}, ',' + from(R"(["192.0.2.0/24","2001:db8::/32"])"));
        const auto manager = made.at("/key");
        const auto self = made.at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(201, make(manager, child(R"(["192.0.2.0/25","2001:db8:1::1"])")).status);
        for (const auto* list : {"[]", R"(["192.0.2.0/23"])", R"(["0.0.0.0/0"])", R"(["192.0.2.1","198.51.100.1"])",
                                 R"(["::ffff:192.0.2.1"])", R"(["2001:db8::/31"])"})
            expectWider(make(manager, child(list)));
        // What is not said is as with the maker.
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["192.0.2.0/24","2001:db8::/32"])"),
                             make(manager, organizationKey(readTickets)).at("/apiKey/ipAllowList"));
        for (const auto* list : {"[]", R"(["192.0.2.0/23"])", R"(["192.0.2.0/24","2001:db8::/32","198.51.100.1"])"})
            expectWider(patch(manager, self, '{' + from(list) + '}'));
        CPPUNIT_ASSERT_EQUAL(200, patch(manager, self, '{' + from(R"(["192.0.2.0/25"])") + '}').status);
        expectWider(patch(manager, self, '{' + from(R"(["192.0.2.0/24"])") + '}'));

        const auto sibling = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        expectWider(rotate(manager, sibling));
        expectWider(patch(manager, sibling, '{' + from(R"(["198.51.100.1"])") + '}'));
        CPPUNIT_ASSERT_EQUAL(200, patch(manager, sibling, R"({"name":"renamed","status":"active"})").status);
        CPPUNIT_ASSERT_EQUAL(200, patch(manager, sibling, '{' + from(R"(["192.0.2.1"])") + '}').status);
        expectWider(patch(manager, sibling, '{' + from(R"(["192.0.2.1","192.0.2.2"])") + '}'));
        CPPUNIT_ASSERT_EQUAL(201, rotate(manager, sibling).status);
        // People do as they like.
        CPPUNIT_ASSERT_EQUAL(200, patch(_ownerToken, self, '{' + from("[]") + '}').status);
    }

    void keepsKeysOfAKeyWithinItsRate()
    {
        const auto made = makeManager({}, rate(60, 60));
        const auto manager = made.at("/key");
        const auto self = made.at("/apiKey/id");
        const auto child = [&](const std::string& more) { return make(manager, organizationKey(readTickets, more)); };
        CPPUNIT_ASSERT_EQUAL(201, child(rate(60, 60)).status);
        CPPUNIT_ASSERT_EQUAL(201, child(rate(10, 60)).status);
        expectWider(child(rate(61, 60)));
        expectWider(child(rate(60, 59)));
        // Slower, but more at once.
        expectWider(child(rate(600, 3600)));
        CPPUNIT_ASSERT_EQUAL(std::string("60"), child({}).at("/apiKey/rateLimit/limit"));
        CPPUNIT_ASSERT_EQUAL(std::string("60"), child(R"(,"rateLimit":null)").at("/apiKey/rateLimit/limit"));
        const auto change = [&](const std::string& credential, const std::string& id, const std::string& more)
        { return patch(credential, id, R"({"name":"x")" + more + '}'); };
        expectWider(change(manager, self, rate(61, 60)));
        expectWider(change(manager, self, R"(,"rateLimit":null)"));
        CPPUNIT_ASSERT_EQUAL(200, change(manager, self, rate(30, 60)).status);
        expectWider(change(manager, self, rate(60, 60)));

        const auto sibling = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        expectWider(rotate(manager, sibling));
        expectWider(change(manager, sibling, rate(31, 60)));
        CPPUNIT_ASSERT_EQUAL(200, change(manager, sibling, {}).status);
        CPPUNIT_ASSERT_EQUAL(200, change(manager, sibling, rate(10, 60)).status);
        expectWider(change(manager, sibling, rate(20, 60)));
        CPPUNIT_ASSERT_EQUAL(201, rotate(manager, sibling).status);
        CPPUNIT_ASSERT_EQUAL(200, change(_ownerToken, self, rate(6000, 60)).status);
    }

    void takesTheHostsRateForAKeyWithoutOne()
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.requestsPerMinute", "100"}});
        signIn();
        const auto made = makeManager();
        const auto manager = made.at("/key");
        CPPUNIT_ASSERT_EQUAL(201, make(manager, organizationKey(readTickets, rate(100, 60))).status);
        expectWider(make(manager, organizationKey(readTickets, rate(101, 60))));
        expectWider(patch(manager, made.at("/apiKey/id"), R"({"name":"x")" + rate(101, 60) + '}'));
        // A wider rate than the host's is not passed on without a word.
        const auto fast = makeManager({}, rate(1000, 60)).at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("null"), make(fast, organizationKey(readTickets)).at("/apiKey/rateLimit"));
        CPPUNIT_ASSERT_EQUAL(201, make(fast, organizationKey(readTickets, rate(1000, 60))).status);
    }

    void keepsKeysOfAKeyWithinItsLife()
    {
        const auto until = [&](int days)
        { return R"(,"expiresAt":")" + toString(_host->context().clock().now() + std::chrono::hours(24 * days)) + '"'; };
        const auto made = makeManager({}, until(10));
        const auto manager = made.at("/key");
        const auto end = made.at("/apiKey/expiresAt");
        const auto child = [&](const std::string& credential, const std::string& more)
        { return make(credential, organizationKey(readTickets, more)); };
        CPPUNIT_ASSERT_EQUAL(201, child(manager, until(9)).status);
        expectWider(child(manager, until(11)));
        expectWider(child(manager, R"(,"expiresAt":null)"));
        CPPUNIT_ASSERT_EQUAL(end, child(manager, {}).at("/apiKey/expiresAt"));
        const auto endless = child(_ownerToken, R"(,"expiresAt":null)").at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(end, rotate(manager, endless).at("/apiKey/expiresAt"));
        const auto yearly = child(_ownerToken, {}).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(end, rotate(manager, yearly).at("/apiKey/expiresAt"));

        // By rotating itself a key does not live on.
        _host->context().clock().advance(std::chrono::hours(24 * 5));
        const auto rotated = rotate(manager, made.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL(201, rotated.status);
        CPPUNIT_ASSERT_EQUAL(end, rotated.at("/apiKey/expiresAt"));
        // The old one ends with its overlap, and so does what it makes.
        CPPUNIT_ASSERT_EQUAL(rotated.at("/previous/overlapEndsAt"), child(manager, {}).at("/apiKey/expiresAt"));
        expectWider(child(manager, until(2)));

        const auto token = _host->signIn("owner@acme.example");
        elevate(token);
        const auto forever = make(token, managerKey({}, R"(,"expiresAt":null)")).at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("null"), child(forever, R"(,"expiresAt":null)").at("/apiKey/expiresAt"));
    }

    void keepsKeysOfAKeyOfItsKind()
    {
        const auto kind = [](std::string_view name) { return R"(,"environment":")" + std::string(name) + '"'; };
        const auto tester = makeManager({}, kind("test")).at("/key");
        expectWider(make(tester, organizationKey(readTickets)));
        expectWider(make(tester, organizationKey(readTickets, kind("live"))));
        const auto made = make(tester, organizationKey(readTickets, kind("test")));
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        const auto live = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(404, show(tester, live).status);
        expectWider(rotate(tester, live));
        expectWider(revoke(tester, live));
        expectWider(patch(tester, live, R"({"status":"disabled"})"));
        const auto manager = makeManager().at("/key");
        CPPUNIT_ASSERT_EQUAL(201, rotate(manager, made.at("/apiKey/id")).status);
        CPPUNIT_ASSERT_EQUAL(201, make(manager, organizationKey(readTickets, kind("test"))).status);
    }

    void leavesDisabledKeysToPeople()
    {
        const auto manager = makeManager().at("/key");
        const auto made = make(_ownerToken, organizationKey(readTickets));
        const auto id = made.at("/apiKey/id");
        const auto enable = [&](const std::string& credential) { return patch(credential, id, R"({"status":"active"})"); };
        CPPUNIT_ASSERT_EQUAL(200, patch(_ownerToken, id, R"({"status":"disabled"})").status);
        expectWider(enable(manager));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), rotate(manager, id).code());
        CPPUNIT_ASSERT_EQUAL(200, patch(manager, id, R"({"name":"still disabled"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("key_disabled"), _host->verdict(made.at("/key")));
        CPPUNIT_ASSERT_EQUAL(200, enable(_ownerToken).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(made.at("/key")));
        // Nor does a key take back what it did itself: who holds it may be another by now.
        CPPUNIT_ASSERT_EQUAL(200, patch(manager, id, R"({"status":"disabled"})").status);
        expectWider(enable(manager));
    }

    /// Somebody ends the key after it was let in and before the change that it asks for begins.
    void makesNothingByAKeyThatHasEndedMeanwhile()
    {
        auto& database = _host->context().database();
        identity::Changes changes(_host->context());
        identity::CatalogStore catalog(database, changes);
        const identity::Settings settings(_host->context().config());
        const auto rows = catalog.snapshot();
        const auto made = makeManager();
        const auto caller = _host->validate(made.at("/key"), "desk", false);
        const auto act = [&](Transaction& transaction)
        { identity::KeyActor(transaction, *rows, settings, *caller, _host->context().clock().now()); };
        database.transact(act);
        for (const auto* status : {"disabled", "revoked"})
        {
            _host->change("UPDATE api_keys SET status = $2 WHERE id = $1", {made.at("/apiKey/id"), status});
            CPPUNIT_ASSERT_THROW(database.transact(act), Problem);
        }
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

private:
    static constexpr const char* queue = "que_01jd0000000000000000000001";
    static constexpr const char* otherQueue = "que_01jd0000000000000000000009";
    static constexpr const char* readTickets = R"(["tickets.read"])";

    TestAnswer make(const std::string& credential, std::string body)
    {
        return _host->call({.method = Method::Post, .target = "/api/api-keys", .body = std::move(body), .originService = "desk"},
                           credential);
    }
    TestAnswer show(const std::string& credential, const std::string& id)
    {
        return _host->call({.target = "/api/api-keys/" + id, .originService = "desk"}, credential);
    }
    TestAnswer patch(const std::string& credential, const std::string& id, std::string body)
    {
        return _host->call({.method = Method::Patch, .target = "/api/api-keys/" + id, .body = std::move(body), .originService = "desk"},
                           credential);
    }
    TestAnswer rotate(const std::string& credential, const std::string& id)
    {
        return _host->call({.method = Method::Post, .target = "/api/api-keys/" + id + "/rotate", .body = "{}", .originService = "desk"},
                           credential);
    }
    TestAnswer revoke(const std::string& credential, const std::string& id)
    {
        return _host->call({.method = Method::Delete, .target = "/api/api-keys/" + id, .originService = "desk"}, credential);
    }
    void elevate(const std::string& token)
    {
        const auto answer = _host->call({.method = Method::Post,
                                         .target = "/api/auth/step-up",
                                         .body = R"({"factor":"password","password":")" + std::string(IdentityHost::password) + "\"}",
                                         .originService = "desk"},
                                        token);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
    }
    static std::string userKey(const std::string& owner, const std::string& more = {})
    {
        return R"({"name":"k","owner_type":"user","owner_id":")" + owner +
               R"(","grants":[{"service_id":"desk","scopes":["tickets.read"],)" + R"("resources":[{"type":"queue","id":")" + queue +
               R"("}]}])" + more + '}';
    }
    std::string organizationKey(const std::string& scopes, const std::string& more = {}, const std::string& resources = {}) const
    {
        return R"({"name":"k","owner_type":"organization","owner_id":")" + _acme + R"(","grants":[{"service_id":"desk","scopes":)" +
               scopes + resources + "}]" + more + '}';
    }
    std::string managerKey(const std::string& resources, const std::string& more) const
    {
        return organizationKey(R"(["api_keys.write","tickets.read"])", more, resources);
    }
    /// A key of the organization that makes others.
    TestAnswer makeManager(const std::string& resources = {}, const std::string& more = {})
    {
        elevate(_ownerToken);
        auto made = make(_ownerToken, managerKey(resources, more));
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        return made;
    }
    static std::string rate(int limit, int seconds)
    {
        return R"(,"rateLimit":{"limit":)" + std::to_string(limit) + R"(,"windowSeconds":)" + std::to_string(seconds) + '}';
    }
    static void expectWider(const TestAnswer& answer)
    {
        CPPUNIT_ASSERT_EQUAL(403, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("scope_exceeds_own_rights"), answer.code());
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme, _ownerToken, _memberToken;
};

CPPUNIT_TEST_SUITE_REGISTRATION(KeysTest);

} // namespace portico::tests
