#include "identity/KeysFixture.h"

namespace portico::tests
{

/// API keys: how they change, are replaced and end.
class KeyLifeTest : public Suite<KeyLifeTest, KeysFixture>
{
    TEST(expires)
    {
        const auto made = make(_memberToken, userKey(_member));
        const auto expires = parseInstant(made.at("/apiKey/expiresAt"));
        CHECK(*expires == _host->context().clock().now() + std::chrono::hours(24 * 365));
        const auto key = made.at("/key");
        equal("ok", _host->verdict(key));
        _host->context().clock().advance(std::chrono::hours(24 * 365));
        equal("key_expired", _host->verdict(key));
        // Owners may say that a key does not.
        const auto token = _host->signIn("owner@acme.example");
        const auto forever = make(token, organizationKey(R"(["tickets.read"])", R"(,"expiresAt":null)"));
        equal("null", forever.at("/apiKey/expiresAt"));
    }

    TEST(changesAndEnds)
    {
        const auto made =
            make(_memberToken,
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read",)"
                          R"("tickets.write"]}]})",
                          _member));
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
        equal(200, patch(R"({"status":"disabled"})").status);
        equal("key_disabled", _host->verdict(key));
        equal(200, patch(R"({"status":"active","name":"renamed"})").status);
        equal("ok", _host->verdict(key));
        equal("version_conflict", patch(R"({"name":"x"})", {{"If-Match", "\"1\""}}).code());
        equal("validation_failed", patch(R"({"status":"revoked"})").code());
        equal(200, patch(R"({"grants":[{"service_id":"desk","scopes":["tickets.read"]}]})").status);
        CHECK(!_host->validate(key)->hasScope("tickets.write"));
        equal("scope_exceeds_own_rights", patch(R"({"grants":[{"service_id":"desk","scopes":["tickets.read","tickets.write"]}]})").code());
        // An answer can be sent back unchanged.
        equal(200, patch(show(_memberToken, id).body).status);
        equal(204, revoke(_memberToken, id).status);
        equal("key_revoked", _host->verdict(key));
        equal("conflict", patch(R"({"status":"active"})").code());
        equal(204, revoke(_memberToken, id).status);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.revoked'"));
    }

    TEST(honoursIfMatchOnEveryChange)
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
        equal("version_conflict", call(Method::Delete, "", "2").code());
        equal("version_conflict", call(Method::Post, "/rotate", "2").code());
        equal(201, call(Method::Post, "/rotate", "1").status);
        equal("version_conflict", call(Method::Delete, "", "1").code());
        equal(204, call(Method::Delete, "", "2").status);
    }

    TEST(rotates)
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
        equal(201, rotated.status);
        equal(id, rotated.at("/previous/id"));
        equal(id, rotated.at("/apiKey/rotatedFromId"));
        equal("ok", _host->verdict(made.at("/key")));
        equal("ok", _host->verdict(rotated.at("/key")));
        equal("conflict", rotate("{}").code());
        _host->context().clock().advance(std::chrono::seconds(60));
        equal("key_revoked", _host->verdict(made.at("/key")));
        equal("ok", _host->verdict(rotated.at("/key")));
    }

    TEST(rotatesWithinThePolicy)
    {
        const auto made = make(_memberToken, userKey(_member));
        equal("2027-01-01", made.at("/apiKey/expiresAt").substr(0, 10));
        _host->change("UPDATE organizations SET security_policy = '{\"apiKeyMaxDays\":30}' WHERE id = $1", {_acme});
        const auto rotated = rotate(_memberToken, made.at("/apiKey/id"));
        equal(201, rotated.status, rotated.body);
        equal("2026-01-31", rotated.at("/apiKey/expiresAt").substr(0, 10));
        // Only owners create keys without an expiry.
        _host->change("UPDATE api_keys SET expires_at = NULL WHERE id = $1", {rotated.at("/apiKey/id")});
        const auto ended = rotate(_memberToken, rotated.at("/apiKey/id"));
        equal("2026-01-31", ended.at("/apiKey/expiresAt").substr(0, 10));
        elevate(_ownerToken);
        const auto endless = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        _host->change("UPDATE api_keys SET expires_at = NULL WHERE id = $1", {endless});
        equal("null", rotate(_ownerToken, endless).at("/apiKey/expiresAt"));
    }

    TEST(rotatesWithinTheLimit)
    {
        IdentityHost strict(IdentityHost::Settings{{"identity.apiKeys.maxPerOwner", "2"}});
        const auto user = strict.createUser("member@acme.example", "acme", "member");
        const auto token = strict.signIn("member@acme.example");
        const auto post = [&](const std::string& target, std::string body)
        { return strict.call({.method = Method::Post, .target = target, .body = std::move(body), .originService = "desk"}, token); };
        const auto first = post("/api/api-keys", userKey(user)).at("/apiKey/id");
        equal(201, post("/api/api-keys", userKey(user)).status);
        equal("key_limit_reached", post("/api/api-keys/" + first + "/rotate", "{}").code());
        equal(201, post("/api/api-keys/" + first + "/rotate", R"({"overlapSeconds":0})").status);
    }

    TEST(operatorsEndKeysOfClosedWorkspaces)
    {
        const auto made = make(_ownerToken, organizationKey(readTickets));
        const auto id = made.at("/apiKey/id");
        const auto own = make(_memberToken, userKey(_member)).at("/apiKey/id");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@x.example", "identity");
        const auto call = [&](Method method, const std::string& rest, std::string body = {})
        { return _host->call({.method = method, .target = "/api/api-keys" + rest, .body = std::move(body)}, root); };
        equal(404, call(Method::Get, '/' + id).status);
        equal(404, call(Method::Delete, '/' + id).status);
        _host->change("UPDATE organizations SET kind = 'developer_workspace', status = 'suspended' WHERE id = $1", {_acme});
        equal("blocked", call(Method::Get, '/' + id).at("/status"));
        const auto blocked = call(Method::Get, "?status=blocked&owner_id=" + _acme);
        equal(1, blocked.count("/items"));
        equal(id, blocked.at("/items/0/id"));
        equal(0, call(Method::Get, "?status=active&owner_id=" + _acme).count("/items"));
        // Nothing else is changed of them.
        equal("developer_workspace_suspended", call(Method::Patch, '/' + id, R"({"name":"x"})").code());
        CHECK(call(Method::Post, '/' + id + "/rotate", "{}").status >= 400);
        equal("workspace_suspended", _host->verdict(made.at("/key")));
        equal(204, call(Method::Delete, '/' + id).status);
        equal("key_revoked", _host->verdict(made.at("/key")));
        equal(204, call(Method::Delete, '/' + own).status);
        // After the workspace is reopened, ended keys stay ended, and other keys work.
        _host->change("UPDATE organizations SET status = 'active' WHERE id = $1", {_acme});
        equal(404, call(Method::Get, '/' + id).status);
        equal(2, _host->count("SELECT COUNT(*) FROM api_keys WHERE status = 'revoked'"));
    }

    TEST(rotatesWithoutScopesThatWereDropped)
    {
        const auto made =
            make(_memberToken,
                 jsonWith(R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read",)"
                          R"("tickets.write"]}]})",
                          _member));
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
        equal(201, rotated.status);
        equal(R"(["tickets.read"])", rotated.at("/apiKey/grants/0/scopes"));
        equal("ok", _host->verdict(rotated.at("/key")));
        // Nothing is left of it that another key could have.
        drop("tickets.");
        const auto id = rotated.at("/apiKey/id");
        equal("unknown_scope", rotate(_memberToken, id).code());
        equal("active", show(_memberToken, id).at("/status"));
    }
};

} // namespace portico::tests
