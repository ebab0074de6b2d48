#include "identity/IdentityHost.h"

#include "audit/Audit.h"

#include "portico/interfaces/Webhooks.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

/// Endpoints that an organization is told at, and what they are told.
class WebhookTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(WebhookTest);
    CPPUNIT_TEST(showsTheSecretOnce);
    CPPUNIT_TEST(belongsToTheOrganization);
    CPPUNIT_TEST(refusesBadEndpoints);
    CPPUNIT_TEST(tellsOfChanges);
    CPPUNIT_TEST(whatIsUndoneIsNotTold);
    CPPUNIT_TEST(tellsOrganizationsOfTheirPeople);
    CPPUNIT_TEST(namesEndpointsToTheHost);
    CPPUNIT_TEST(triesAnEndpoint);
    CPPUNIT_TEST(showsHowDeliveriesGo);
    CPPUNIT_TEST(changesAndEnds);
    CPPUNIT_TEST(forgetsOldMessages);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _token = _host->signIn("owner@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    void showsTheSecretOnce()
    {
        const auto made = make(R"(["membership.changed"])");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        const auto secret = made.at("/secret");
        CPPUNIT_ASSERT(secret.starts_with("whsec_"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{38}, secret.size());
        CPPUNIT_ASSERT_EQUAL(std::string("active"), made.at("/endpoint/status"));
        const auto list = call(Method::Get, "");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list.count("/items"));
        CPPUNIT_ASSERT(list.body.find("secret") == std::string::npos);
        // Nor does it stand in the database as it is.
        const auto stored = _host->context().database().session().value<std::string>("SELECT secret FROM webhook_endpoints").value();
        CPPUNIT_ASSERT(stored.find(secret.substr(6)) == std::string::npos);
        const auto place = _host->context().deliveries().where(made.at("/endpoint/id")).value();
        CPPUNIT_ASSERT_EQUAL(std::string("https://hooks.example/in"), place.url);
        CPPUNIT_ASSERT(place.secrets == std::vector<std::string>{secret});
    }

    void belongsToTheOrganization()
    {
        const auto id = make(R"(["membership.changed"])").at("/endpoint/id");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"),
                             call(Method::Get, "", "", _host->signIn("member@acme.example", "identity")).code());
        _host->createUser("owner@globex.example", "globex", "owner");
        const auto other = _host->signIn("owner@globex.example", "identity");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, call(Method::Get, "", "", other).count("/items"));
        for (const auto& [method, rest] : {std::pair(Method::Patch, ""), std::pair(Method::Delete, ""), std::pair(Method::Post, "/test"),
                                           std::pair(Method::Get, "/deliveries")})
            CPPUNIT_ASSERT_EQUAL(
                std::string("not_found"),
                call(method, '/' + id + rest, method == Method::Get || method == Method::Delete ? "" : "{}", other).code());
    }

    void refusesBadEndpoints()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), make("[]").code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), make(R"(["weather.changed"])").code());
        CPPUNIT_ASSERT_EQUAL(std::string("types[1]"), make(R"(["user.created","identity.user.created"])").at("/errors/0/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), make(R"(["user.created"])", "ftp://hooks.example").code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), make(R"(["user.created"])", "javascript:x").code());
        for (int i = 0; i < 20; ++i) CPPUNIT_ASSERT_EQUAL(201, make(R"(["user.created"])").status);
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), make(R"(["user.created"])").code());
    }

    void tellsOfChanges()
    {
        const auto id = make(R"(["api_key.created","role_bundle.changed"])").at("/endpoint/id");
        const auto key = makeKey();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(key.body, 201, key.status);
        CPPUNIT_ASSERT(_host->context().deliveries().sent().empty());
        _host->context().jobs().runDue();
        _host->context().clock().advance(std::chrono::seconds(5));
        _host->context().jobs().runDue();
        const auto sent = _host->context().deliveries().sent();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent.size());
        CPPUNIT_ASSERT_EQUAL(id, sent[0].endpointId);
        const auto body = boost::json::parse(sent[0].body);
        CPPUNIT_ASSERT_EQUAL(std::string("api_key.created"), std::string(body.at("type").as_string()));
        CPPUNIT_ASSERT_EQUAL(key.at("/apiKey/id"), std::string(body.at("data").at("id").as_string()));
        CPPUNIT_ASSERT_EQUAL(_acme, std::string(body.at("data").at("organizationId").as_string()));
        CPPUNIT_ASSERT_EQUAL(_owner, std::string(body.at("data").at("actor").at("id").as_string()));
        // Once, and never what was not asked for.
        _host->context().clock().advance(std::chrono::seconds(5));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _host->context().deliveries().sent().size());
    }

    void whatIsUndoneIsNotTold()
    {
        make(R"(["api_key.created"])");
        // Refused in its transaction, after others of the same kind.
        const auto refused =
            _host->call({.method = Method::Post, .target = "/api/api-keys", .body = R"({"name":"k","owner_type":"organization",
            "owner_id":")" + _acme + R"(","grants":[{"service_id":"desk","scopes":["nothing.here"]}]})"},
                        _token);
        CPPUNIT_ASSERT_EQUAL(400, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
    }

    void tellsOrganizationsOfTheirPeople()
    {
        make(R"(["user.updated"])");
        _host->context().database().transact(
            [&](Transaction& transaction)
            {
                identity::audit::record(transaction, identity::Client{}, _host->context().clock().now(),
                                        {.type = "user.updated", .actorType = "user", .actorId = _member, .target = _member});
                identity::audit::record(transaction, identity::Client{}, _host->context().clock().now(),
                                        {.type = "user.updated", .target = _member, .outcome = "refused"});
            });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM webhook_deliveries WHERE type = 'user.updated'"));
    }

    void namesEndpointsToTheHost()
    {
        const auto made = make(R"(["desk.ticket.created","user.created"])");
        auto& registry = _host->provided<interfaces::Webhooks>();
        const auto found = registry.endpoints(_acme, "desk.ticket.created");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found.size());
        CPPUNIT_ASSERT_EQUAL(made.at("/secret"), found[0].secrets.at(0));
        CPPUNIT_ASSERT(registry.endpoints(_acme, "desk.ticket.deleted").empty());
        CPPUNIT_ASSERT(registry.endpoints("org_01jd0000000000000000000000", "desk.ticket.created").empty());
        // Those have a way of their own, and would come twice.
        CPPUNIT_ASSERT(registry.endpoints(_acme, "user.created").empty());
        call(Method::Patch, '/' + made.at("/endpoint/id"), R"({"status":"disabled"})");
        CPPUNIT_ASSERT(registry.endpoints(_acme, "desk.ticket.created").empty());
    }

    void triesAnEndpoint()
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        const auto tried = call(Method::Post, '/' + id + "/test", "{}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tried.body, 202, tried.status);
        const auto sent = _host->context().deliveries().sent();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent.size());
        CPPUNIT_ASSERT_EQUAL(tried.at("/id"), sent[0].id);
        call(Method::Patch, '/' + id, R"({"status":"disabled"})");
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), call(Method::Post, '/' + id + "/test", "{}").code());
    }

    void showsHowDeliveriesGo()
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        const auto state = [&] { return call(Method::Get, '/' + id + "/deliveries"); };
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, state().count("/items"));
        call(Method::Post, '/' + id + "/test", "{}");
        CPPUNIT_ASSERT_EQUAL(std::string("webhook.test"), state().at("/items/0/type"));
        CPPUNIT_ASSERT(state().at("/items/0/status") != "delivered");
        _host->context().deliveries().fail(id, 500, "no");
        CPPUNIT_ASSERT_EQUAL(std::string("failing"), state().at("/items/0/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("500"), state().at("/items/0/lastStatus"));
        _host->context().deliveries().disable(id);
        CPPUNIT_ASSERT_EQUAL(std::string("dropped"), state().at("/items/0/status"));
        CPPUNIT_ASSERT_EQUAL(200, call(Method::Patch, '/' + id, R"({"status":"active"})").status);
        CPPUNIT_ASSERT(state().at("/items/0/status") != "dropped");
    }

    void changesAndEnds()
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), call(Method::Patch, '/' + id, R"({"description":"x"})", {}, "\"4\"").code());
        const auto changed = call(Method::Patch, '/' + id, R"({"types":["user.deleted"]})", {}, "\"1\"");
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), call(Method::Patch, '/' + id, R"({"types":["x"]})").code());
        call(Method::Post, '/' + id + "/test", "{}");
        CPPUNIT_ASSERT_EQUAL(204, call(Method::Delete, '/' + id).status);
        CPPUNIT_ASSERT(!_host->context().deliveries().where(id));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), call(Method::Delete, '/' + id).code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'webhook.%'"));
    }

    void forgetsOldMessages()
    {
        const auto id = make(R"(["user.created"])").at("/endpoint/id");
        call(Method::Post, '/' + id + "/test", "{}");
        _host->context().clock().advance(std::chrono::hours(24 * 31));
        _host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM webhook_deliveries"));
    }

private:
    TestAnswer call(Method method, const std::string& rest, std::string body = {}, const std::string& token = {},
                    const std::string& version = {}) const
    {
        TestRequest request{.method = method, .target = "/api/webhook-endpoints" + rest, .body = std::move(body)};
        if (!version.empty()) request.headers.emplace_back("If-Match", version);
        return _host->call(std::move(request), token.empty() ? _token : token);
    }
    TestAnswer make(const std::string& types, const std::string& url = "https://hooks.example/in") const
    {
        return call(Method::Post, "", R"({"url":")" + url + R"(","types":)" + types + '}');
    }
    TestAnswer makeKey() const
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/api-keys",
                            .body = R"({"name":"k","owner_type":"organization","owner_id":")" + _acme +
                                    R"(","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})"},
                           _token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme, _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(WebhookTest);

} // namespace portico::tests
