#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// What others say and ask about keys: reports of leaked ones, questions of backends, and what a key did.
class RegistryKeysTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(RegistryKeysTest);
    CPPUNIT_TEST(switchesLeakedKeysOff);
    CPPUNIT_TEST(aLeakedKeyThatWasReplacedEnds);
    CPPUNIT_TEST(answersReportsAlike);
    CPPUNIT_TEST(tellsBackendsOfKeys);
    CPPUNIT_TEST(tellsBackendsWhatIsWrong);
    CPPUNIT_TEST(countsWhatBackendsSpend);
    CPPUNIT_TEST(answersBackendsOnly);
    CPPUNIT_TEST(showsHowAKeyWasUsed);
    CPPUNIT_TEST(countsMadeUpServicesAsOne);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void switchesLeakedKeysOff()
    {
        const auto made = make("");
        const auto key = made.at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(key));
        const auto before = _host->context().mailer().sent().size();
        CPPUNIT_ASSERT_EQUAL(202, report(key).status);
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("key_disabled"), _host->verdict(key));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'api_key.leaked'"));
        // Both owners hear of it, and nobody hears the key.
        const auto mails = _host->context().mailer().sent();
        CPPUNIT_ASSERT_EQUAL(before + 2, mails.size());
        CPPUNIT_ASSERT(mails.back().text.find("scanner") != std::string::npos);
        CPPUNIT_ASSERT(mails.back().text.find(key) == std::string::npos);
        // Nothing of the key itself was kept.
        CPPUNIT_ASSERT_EQUAL(202, report(key).status);
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(before + 2, _host->context().mailer().sent().size());
    }

    void aLeakedKeyThatWasReplacedEnds()
    {
        const auto made = make("");
        const auto address = "/api/api-keys/" + made.at("/apiKey/id");
        CPPUNIT_ASSERT_EQUAL(201, _host->call({.method = Method::Post, .target = address + "/rotate", .body = "{}"}, _token).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _host->verdict(made.at("/key")));
        report(made.at("/key"));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), _host->verdict(made.at("/key")));
        // Else the rotation would be undone.
        CPPUNIT_ASSERT_EQUAL(409,
                             _host->call({.method = Method::Patch, .target = address, .body = R"({"status":"active"})"}, _token).status);
    }

    void answersReportsAlike()
    {
        auto wrong = make("").at("/key");
        wrong[30] = wrong[30] == 'a' ? 'b' : 'a';
        const auto real = report(make("").at("/key"));
        for (const std::string& text : {wrong, std::string("pak_live_nonsense"), std::string("password1")})
        {
            const auto answer = report(text);
            CPPUNIT_ASSERT_EQUAL(real.status, answer.status);
            CPPUNIT_ASSERT_EQUAL(real.body, answer.body);
        }
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM api_keys WHERE status = 'disabled'"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"),
                             _host->call({.method = Method::Post, .target = "/api/public/leaked-keys", .body = R"({"key":"x"})"}).code());
        int last = 0;
        for (int i = 0; i < 40; ++i) last = report("password1").status;
        CPPUNIT_ASSERT_EQUAL(429, last);
    }

    void tellsBackendsOfKeys()
    {
        const auto made = make("");
        const auto said = ask(made.at("/key"), R"(,"scopes":["tickets.read"],"permissions":["desk.tickets:read"])");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(said.body, 200, said.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), said.at("/valid"));
        CPPUNIT_ASSERT_EQUAL(std::string("valid"), said.at("/code"));
        CPPUNIT_ASSERT_EQUAL(made.at("/apiKey/id"), said.at("/apiKey/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), said.at("/owner_type"));
        CPPUNIT_ASSERT_EQUAL(_acme, said.at("/owner_id"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["tickets.read"])"), said.at("/scopes"));
        CPPUNIT_ASSERT_EQUAL(std::string("600"), said.at("/rateLimit/limit"));
        CPPUNIT_ASSERT_EQUAL(std::string("599"), said.at("/rateLimit/remaining"));
    }

    void tellsBackendsWhatIsWrong()
    {
        const auto code = [&](const std::string& key, const std::string& more = {}, const std::string& service = "desk")
        {
            const auto said = ask(key, more, service);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(said.body, 200, said.status);
            CPPUNIT_ASSERT_EQUAL(std::string("false"), said.at("/valid"));
            return said.at("/code");
        };
        const auto made = make(R"(,"ipAllowList":["198.51.100.0/24"])");
        const auto key = made.at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("ip_not_allowed"), code(key, R"(,"ip":"203.0.113.9")"));
        for (const std::string ip : {"somewhere", "198.51.100.7:443", "198.51.100.0/24"})
            CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), ask(key, R"(,"ip":")" + ip + '"', "desk").code());
        const std::string at = R"(,"ip":"198.51.100.7")";
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), code(key, at + R"(,"scopes":["tickets.write"])"));
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), code(key, at + R"(,"permissions":["desk.tickets:write"])"));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), code(key, at + R"(,"permissions":["desk.tickets:purge"])"));
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), code(key, at, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), code(key, at, "nowhere"));
        CPPUNIT_ASSERT_EQUAL(std::string("key_not_found"), code("pak_live_nonsense"));
        const auto queue = "que_" + std::string(26, '0');
        const auto bound = make(R"(,"name":"b")", R"(,"resources":[{"type":"queue","id":")" + queue + R"("}])").at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), ask(bound, R"(,"resource":{"type":"queue","id":")" + queue + "\"}").at("/valid"));
        CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), code(bound, R"(,"resource":{"type":"queue","id":"que_other"})"));
        _host->call({.method = Method::Delete, .target = "/api/api-keys/" + made.at("/apiKey/id"), .body = "{}"}, _token);
        CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), code(key, at));
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), code(bound));
        _host->change("UPDATE organizations SET status = 'suspended' WHERE slug = 'acme'");
        CPPUNIT_ASSERT_EQUAL(std::string("workspace_suspended"), code(bound));
    }

    void countsWhatBackendsSpend()
    {
        const auto key = make(R"(,"rateLimit":{"limit":10,"windowSeconds":60})").at("/key");
        CPPUNIT_ASSERT_EQUAL(std::string("4"), ask(key, R"(,"cost":6)").at("/rateLimit/remaining"));
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), ask(key, R"(,"cost":6)").at("/code"));
    }

    void answersBackendsOnly()
    {
        const auto body = R"({"key":"x","service_id":"desk"})";
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"),
                             _host->call({.method = Method::Post, .target = "/api/api-keys/validate", .body = body}, _token).code());
        CPPUNIT_ASSERT_EQUAL(401, _host->call({.method = Method::Post, .target = "/api/api-keys/validate", .body = body}).status);
    }

    /// Callers name the service themselves, and each name was a row a day.
    void countsMadeUpServicesAsOne()
    {
        const auto made = make("");
        _host->verdict(made.at("/key"));
        // Of a key that was switched off nothing else is looked at.
        _host->change("UPDATE api_keys SET status = 'disabled'");
        for (int i = 0; i < 30; ++i) _host->verdict(made.at("/key"), "made-up-" + std::to_string(i));
        const auto shown = _host->call({.target = "/api/api-keys/" + made.at("/apiKey/id") + "/usage"}, _token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::size_t{2}, shown.count("/byService"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), shown.at("/byService/desk/ok"));
        CPPUNIT_ASSERT_EQUAL(std::string("30"), shown.at("/byService/-/denied"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _host->count("SELECT COUNT(*) FROM api_key_days"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM api_key_uses WHERE last_service LIKE 'made%'"));
    }

    void showsHowAKeyWasUsed()
    {
        const auto made = make(R"(,"ipAllowList":["192.0.2.0/24"])");
        const auto key = made.at("/key");
        const auto usage = [&](const std::string& token, const std::string& query = {})
        { return _host->call({.target = "/api/api-keys/" + made.at("/apiKey/id") + "/usage" + query}, token); };
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, usage(_token).count("/daily"));
        _host->verdict(key);
        _host->verdict(key);
        _host->verdict(key, "desk", "203.0.113.9");
        _host->context().clock().advance(std::chrono::hours(24));
        _host->verdict(key);
        const auto token = _host->signIn("owner@acme.example", "identity");
        auto shown = usage(token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(shown.body, std::size_t{2}, shown.count("/daily"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"date":"2026-01-01","ok":2,"denied":1,"rateLimited":0})"), shown.at("/daily/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), shown.at("/byService/desk/ok"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["192.0.2.0/24"])"), shown.at("/lastIps"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, usage(token, "?days=1").count("/daily"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), usage(token, "?days=0").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), usage(_host->signIn("member@acme.example", "identity")).code());
    }

private:
    TestAnswer make(const std::string& more, const std::string& grant = {}) const
    {
        auto answer = _host->call({.method = Method::Post,
                                   .target = "/api/api-keys",
                                   .body = R"({"owner_type":"organization","owner_id":")" + _acme +
                                           R"(","grants":[{"service_id":"desk","scopes":["tickets.read"])" + grant + "}]" +
                                           (more.find("\"name\"") == std::string::npos ? R"(,"name":"k")" : "") + more + '}'},
                                  _token);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        return answer;
    }
    TestAnswer report(const std::string& key) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/public/leaked-keys",
                            .body = R"({"key":")" + key + R"(","source":"scanner","url":"https://example.org/paste"})"});
    }
    /// As the backend of a service that runs elsewhere.
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
                            .body = R"({"key":")" + key + R"(","service_id":")" + service + '"' + more + '}',
                            .caller = std::move(backend)});
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _acme, _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(RegistryKeysTest);

} // namespace portico::tests
