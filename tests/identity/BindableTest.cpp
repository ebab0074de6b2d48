#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "portico/Database.h"
#include "portico/Problem.h"
#include "portico/interfaces/BindableResources.h"

#include <algorithm>

namespace portico::tests
{

namespace
{

/// Desk's queues, as its plugin would give them: to who reads tickets.
class FakeQueues final : public interfaces::BindableResources
{
public:
    static constexpr const char* first = "que_01jd0000000000000000000001";
    static constexpr const char* second = "que_01jd0000000000000000000002";

    std::vector<interfaces::BindableResource> list(const Caller& caller, std::string_view type, std::string_view words,
                                                   std::string_view after, std::size_t limit) override
    {
        if (fails) throw DatabaseError(DatabaseError::Kind::Unavailable, {}, {}, "gone");
        require(caller, type);
        std::vector<interfaces::BindableResource> found;
        for (const auto& queue : queues)
            if (queue.id > after && queue.label.find(words) != std::string::npos && found.size() < limit) found.push_back(queue);
        return found;
    }
    std::optional<interfaces::BindableResource> find(const Caller& caller, std::string_view type, std::string_view id) override
    {
        require(caller, type);
        for (const auto& queue : queues)
            if (queue.id == id) return queue;
        return std::nullopt;
    }

    std::vector<interfaces::BindableResource> queues = {{first, "Front"}, {second, "Back"}};
    std::string organization;
    bool fails = false;

private:
    void require(const Caller& caller, std::string_view type)
    {
        organization = caller.organizationId;
        if (type != "queue") throw Problem::notFound();
        if (caller.serviceId != "desk" || !caller.may("desk.tickets:read")) throw Problem::forbidden();
    }
};

} // namespace

/// Resources to which a key can be bound, provided by their service.
class BindableTest : public Suite<BindableTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("guest@acme.example", "acme", "guest");
        _host->context().services().offer<interfaces::BindableResources>("desk", _queues);
        _token = _host->signIn("member@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(theServiceIsAskedAsTheCaller)
    {
        const auto found = get("desk/bindable-resources/queue");
        equal(2, found.count("/items"), found.body);
        equal("queue", found.at("/items/0/type"));
        equal("Front", found.at("/items/0/label"));
        equal(_host->organizationId("acme"), _queues.organization);
        // Resources depend on the user's permissions in the active organization.
        const auto guest = _host->signIn("guest@acme.example", "identity");
        equal("permission_denied", get("desk/bindable-resources/queue", guest).code());
        _host->createUser("other@other.example", "other", "owner");
        equal(404, get("desk/bindable-resources/queue?organizationId=" + _host->organizationId("other")).status);
        equal(200, get("desk/bindable-resources/queue?organizationId=" + _host->organizationId("acme")).status);
        equal(404, get("desk/bindable-resources/room").status);
        equal(404, get("nowhere/bindable-resources/queue").status);
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        equal("service_access_denied", get("desk/bindable-resources/queue").code());
    }

    TEST(pagesAndWords)
    {
        const auto page = get("desk/bindable-resources/queue?limit=1");
        equal(1, page.count("/items"));
        const auto rest = get("desk/bindable-resources/queue?limit=1&cursor=" + page.at("/nextCursor"));
        equal("Back", rest.at("/items/0/label"));
        equal("null", rest.at("/nextCursor"));
        equal("Back", get("desk/bindable-resources/queue?q=ack").at("/items/0/label"));
    }

    TEST(aServiceThatIsNotThereIsUnavailable)
    {
        _queues.fails = true;
        equal("resource_catalog_unavailable", get("desk/bindable-resources/queue").code());
        _host->context().services().withdraw(interfaces::BindableResources::interfaceName);
        const auto answer = get("desk/bindable-resources/queue");
        refused(answer, 503, "resource_catalog_unavailable");
    }

    TEST(keysAreBoundToWhatThereIs)
    {
        const auto make = [&](const std::string& id)
        {
            return _host->call(
                {.method = Method::Post,
                 .target = "/api/api-keys",
                 .body = jsonWith(R"({"name":"k","environment":"live","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk",)"
                                  R"("scopes":["tickets.read"],"resources":[{"type":"queue","id":"$"}]}]})",
                                  _member, id)},
                _token);
        };
        equal(201, make(FakeQueues::first).status);
        const auto refused = make("que_01jd0000000000000000000009");
        equal("resource_not_found", refused.code(), refused.body);
        equal("grants[0].resources[0]", refused.at("/errors/0/field"));
        // While the service is unavailable, only the form of the id is checked.
        _host->context().services().withdraw(interfaces::BindableResources::interfaceName);
        equal(201, make("que_01jd0000000000000000000009").status);
    }

    TEST(aServiceElsewhereIsAskedWithATokenForIt)
    {
        registerShop();
        _host->context().http().respond(
            200, R"({"items":[{"id":"shf-1","label":"Front","colour":"red"},{"id":"elsewhere","label":"Other"},{"label":"None"}],)"
                 R"("nextCursor":"after shf-1"})");
        const auto page = get("shop/bindable-resources/shelf?q=a%20b&limit=5");
        equal("shf-1", page.at("/items/0/id"), page.body);
        // The others are none that a key could be bound to.
        equal(1, page.count("/items"));
        const auto sent = _host->context().http().requests().back();
        equal("https://shop.example/internal/shelves?limit=5&q=a%20b", sent.url);
        const auto authorization = std::ranges::find(sent.headers, "Authorization", &std::pair<std::string, std::string>::first);
        CHECK(authorization != sent.headers.end());
        const auto token = authorization->second.substr(std::string("Bearer ").size());
        equal("wrong_audience", _host->verdict(token, "identity"), "it is valid for no other service");
        equal(_member, _host->validate(token, "shop")->principalId);
        const auto next = get("shop/bindable-resources/shelf?q=a%20b&limit=5&cursor=" + page.at("/nextCursor"));
        equal(200, next.status, next.body);
        equal("https://shop.example/internal/shelves?limit=5&q=a%20b&cursor=after%20shf-1", _host->context().http().requests().back().url);
        _host->context().http().respond(403, "{}");
        equal("permission_denied", get("shop/bindable-resources/shelf").code());
        // A user without access causes no call to the service.
        const auto calls = _host->context().http().requests().size();
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'shop'");
        equal("service_access_denied", get("shop/bindable-resources/shelf").code());
        equal(calls, _host->context().http().requests().size());
    }

    TEST(aServiceElsewhereThatAnswersNonsenseIsUnavailable)
    {
        registerShop();
        for (const auto* body : {"", "[]", "{", R"({"items":3})"})
        {
            _host->context().http().respond(200, body);
            equal("resource_catalog_unavailable", get("shop/bindable-resources/shelf").code(), body);
        }
        for (const int status : {204, 302, 401, 404, 500})
        {
            _host->context().http().respond(status, R"({"items":[]})");
            equal(503, get("shop/bindable-resources/shelf").status);
        }
        _host->context().http().answer([](const HttpClient::Request&) -> HttpClient::Response
                                       { throw HttpFailure(502, "upstream_failed", "", HttpFailure::Sent::NotSent); });
        equal(503, get("shop/bindable-resources/shelf").status);
    }

    /// Registers an external service with shelves.
    void registerShop()
    {
        _host->createUser("root@portico.example", "", "member", "platform_admin");
        const auto root = _host->signIn("root@portico.example", "identity");
        const auto send = [&](Method method, const std::string& target, const std::string& body)
        {
            const auto answer = _host->call({.method = method, .target = target, .body = body}, root);
            CPPUNIT_ASSERT_MESSAGE(answer.body, answer.status < 300);
        };
        send(Method::Post, "/api/services",
             R"({"manifestVersion":1,"service_id":"shop","name":"Shop","surface_kind":"application","surface_group":"business",
          "launchable":true,"contexts":["organization"],"launchUrl":"https://shop.example/","origins":["https://shop.example"],
          "permissions":[{"permission":"shop.carts:read","title":"Read carts"}],
          "roleBundles":[{"id":"shop-all","title":"All","roles":["guest","member","admin","super_admin","owner"],"permissions":["shop.*:*"]}],
          "bindableResources":[{"type":"shelf","title":"Shelf","listUrl":"/internal/shelves","idPattern":"^shf-[0-9]+$"}],
          "apiKeyScopes":[{"scope":"carts.read","title":"Read","permissions":["shop.carts:read"],"bindable":["shelf"]}]})");
        send(Method::Post, "/api/services/shop/activate", R"({"reason":"as agreed"})");
        send(Method::Put, "/api/organizations/" + _host->organizationId("acme") + "/service-access/shop", R"({"status":"active"})");
    }
    TestAnswer get(const std::string& target, const std::string& token = {}) const
    {
        return _host->call({.target = "/api/services/" + target}, token.empty() ? _token : token);
    }

    FakeQueues _queues;
    std::unique_ptr<IdentityHost> _host;
    std::string _member, _token;
};

} // namespace portico::tests
