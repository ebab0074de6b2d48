#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Requests of third parties about keys: reports of leaked ones, validations by backends, and usage.
class RegistryKeysTest : public Suite<RegistryKeysTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("second@acme.example", "acme", "owner");
        _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _token = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(switchesLeakedKeysOff)
    {
        const auto made = make("");
        const auto key = made.at("/key");
        equal("ok", _host->verdict(key));
        const auto before = _host->context().mailer().sent().size();
        equal(202, report(key).status);
        _host->context().jobs().runDue();
        equal("key_disabled", _host->verdict(key));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.leaked'"));
        // Both owners are notified, without the key.
        const auto mails = _host->context().mailer().sent();
        equal(before + 2, mails.size());
        CHECK(mails.back().text.find("scanner") != std::string::npos);
        CHECK(mails.back().text.find(key) == std::string::npos);
        // The key itself is not stored.
        equal(202, report(key).status);
        _host->context().jobs().runDue();
        equal(before + 2, _host->context().mailer().sent().size());
    }

    TEST(aLeakedKeyThatWasReplacedEnds)
    {
        const auto made = make("");
        const auto address = "/api/api-keys/" + made.at("/apiKey/id");
        equal(201, _host->call({.method = Method::Post, .target = address + "/rotate", .body = "{}"}, _token).status);
        equal("ok", _host->verdict(made.at("/key")));
        report(made.at("/key"));
        _host->context().jobs().runDue();
        equal("key_revoked", _host->verdict(made.at("/key")));
        // Else the rotation would be undone.
        equal(409, _host->call({.method = Method::Patch, .target = address, .body = R"({"status":"active"})"}, _token).status);
    }

    TEST(answersReportsAlike)
    {
        auto wrong = make("").at("/key");
        wrong[30] = wrong[30] == 'a' ? 'b' : 'a';
        const auto real = report(make("").at("/key"));
        for (const std::string& text : {wrong, std::string("pak_live_nonsense"), std::string("password1")})
        {
            const auto answer = report(text);
            equal(real.status, answer.status);
            equal(real.body, answer.body);
        }
        _host->context().jobs().runDue();
        equal(1, _host->count("SELECT COUNT(*) FROM api_keys WHERE status = 'disabled'"));
        equal("validation_failed",
              _host->call({.method = Method::Post, .target = "/api/public/leaked-keys", .body = R"({"key":"x"})"}).code());
        int last = 0;
        for (int i = 0; i < 40; ++i) last = report("password1").status;
        equal(429, last);
    }

    TEST(backendsCanValidateKeys)
    {
        const auto made = make("");
        const auto said = ask(made.at("/key"), R"(,"scopes":["tickets.read"],"permissions":["desk.tickets:read"])");
        equal(200, said.status, said.body);
        equal("true", said.at("/valid"));
        equal("valid", said.at("/code"));
        equal(made.at("/apiKey/id"), said.at("/apiKey/id"));
        equal("organization", said.at("/owner_type"));
        equal(_acme, said.at("/owner_id"));
        equal(R"(["tickets.read"])", said.at("/scopes"));
        equal("600", said.at("/rateLimit/limit"));
        equal("599", said.at("/rateLimit/remaining"));
    }

    TEST(backendsReceiveTheReason)
    {
        const auto code = [&](const std::string& key, const std::string& more = {}, const std::string& service = "desk")
        {
            const auto said = ask(key, more, service);
            equal(200, said.status, said.body);
            equal("false", said.at("/valid"));
            return said.at("/code");
        };
        const auto made = make(R"(,"ipAllowList":["198.51.100.0/24"])");
        const auto key = made.at("/key");
        equal("ip_not_allowed", code(key, R"(,"ip":"203.0.113.9")"));
        for (const std::string ip : {"somewhere", "198.51.100.7:443", "198.51.100.0/24"})
            equal("validation_failed", ask(key, jsonWith(R"(,"ip":"$")", ip), "desk").code());
        const std::string at = R"(,"ip":"198.51.100.7")";
        equal("insufficient_scope", code(key, at + R"(,"scopes":["tickets.write"])"));
        equal("insufficient_scope", code(key, at + R"(,"permissions":["desk.tickets:write"])"));
        equal("permission_denied", code(key, at + R"(,"permissions":["desk.tickets:purge"])"));
        equal("insufficient_scope", code(key, at, "identity"));
        equal("service_access_denied", code(key, at, "nowhere"));
        equal("key_not_found", code("pak_live_nonsense"));
        const auto queue = "que_" + std::string(26, '0');
        const auto bound = make(R"(,"name":"b")", jsonWith(R"(,"resources":[{"type":"queue","id":"$"}])", queue)).at("/key");
        equal("true", ask(bound, jsonWith(R"(,"resource":{"type":"queue","id":"$"})", queue)).at("/valid"));
        equal("resource_not_bound", code(bound, R"(,"resource":{"type":"queue","id":"que_other"})"));
        _host->call({.method = Method::Delete, .target = "/api/api-keys/" + made.at("/apiKey/id"), .body = "{}"}, _token);
        equal("key_revoked", code(key, at));
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        equal("service_access_denied", code(bound));
        _host->change("UPDATE organizations SET status = 'suspended' WHERE slug = 'acme'");
        equal("workspace_suspended", code(bound));
    }

    TEST(countsWhatBackendsSpend)
    {
        const auto key = make(R"(,"rateLimit":{"limit":10,"windowSeconds":60})").at("/key");
        equal("4", ask(key, R"(,"cost":6)").at("/rateLimit/remaining"));
        equal("rate_limited", ask(key, R"(,"cost":6)").at("/code"));
    }

    TEST(answersBackendsOnly)
    {
        const auto body = R"({"key":"x","service_id":"desk"})";
        equal("permission_denied", _host->call({.method = Method::Post, .target = "/api/api-keys/validate", .body = body}, _token).code());
        equal(401, _host->call({.method = Method::Post, .target = "/api/api-keys/validate", .body = body}).status);
    }

    /// Callers name the service themselves, and each name was a row a day.
    TEST(countsMadeUpServicesAsOne)
    {
        const auto made = make("");
        _host->verdict(made.at("/key"));
        // A disabled key is rejected before other checks.
        _host->change("UPDATE api_keys SET status = 'disabled'");
        for (int i = 0; i < 30; ++i) _host->verdict(made.at("/key"), "made-up-" + std::to_string(i));
        const auto shown = _host->call({.target = "/api/api-keys/" + made.at("/apiKey/id") + "/usage"}, _token);
        equal(2, shown.count("/byService"), shown.body);
        equal("1", shown.at("/byService/desk/ok"));
        equal("30", shown.at("/byService/-/denied"));
        equal(2, _host->count("SELECT COUNT(*) FROM api_key_days"));
        equal(0, _host->count("SELECT COUNT(*) FROM api_key_uses WHERE last_service LIKE 'made%'"));
    }

    TEST(showsHowAKeyWasUsed)
    {
        const auto made = make(R"(,"ipAllowList":["192.0.2.0/24"])");
        const auto key = made.at("/key");
        const auto usage = [&](const std::string& token, const std::string& query = {})
        { return _host->call({.target = "/api/api-keys/" + made.at("/apiKey/id") + "/usage" + query}, token); };
        equal(0, usage(_token).count("/daily"));
        _host->verdict(key);
        _host->verdict(key);
        _host->verdict(key, "desk", "203.0.113.9");
        _host->context().clock().advance(std::chrono::hours(24));
        _host->verdict(key);
        const auto token = _host->signIn("owner@acme.example", "identity");
        auto shown = usage(token);
        equal(2, shown.count("/daily"), shown.body);
        equal(R"({"date":"2026-01-01","ok":2,"denied":1,"rateLimited":0})", shown.at("/daily/0"));
        equal("3", shown.at("/byService/desk/ok"));
        equal(R"(["192.0.2.0/24"])", shown.at("/lastIps"));
        equal(1, usage(token, "?days=1").count("/daily"));
        equal("validation_failed", usage(token, "?days=0").code());
        equal("not_found", usage(_host->signIn("member@acme.example", "identity")).code());
    }

    TestAnswer make(const std::string& more, const std::string& grant = {}) const
    {
        auto answer = _host->call(
            {.method = Method::Post,
             .target = "/api/api-keys",
             .body =
                 jsonWith(R"({"owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]$}]$$})",
                          _acme, grant, (more.find("\"name\"") == std::string::npos ? R"(,"name":"k")" : ""), more)},
            _token);
        equal(201, answer.status, answer.body);
        return answer;
    }
    TestAnswer report(const std::string& key) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/public/leaked-keys",
                            .body = jsonWith(R"({"key":"$","source":"scanner","url":"https://example.org/paste"})", key)});
    }
    /// Asks like the backend of an external service.
    TestAnswer ask(const std::string& key, const std::string& more = {}, const std::string& service = "desk") const
    {
        Caller backend;
        backend.credential = CredentialKind::AccessToken;
        backend.principalId = "desk-backend";
        backend.principalType = "service";
        backend.ownServiceId = "desk";
        backend.serviceId = "identity";
        return _host->call({.method = Method::Post,
                            .target = "/api/api-keys/validate",
                            .body = jsonWith(R"({"key":"$","service_id":"$"$})", key, service, more),
                            .caller = std::move(backend)});
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _acme, _token;
};

} // namespace portico::tests
