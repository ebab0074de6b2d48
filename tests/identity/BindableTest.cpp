#include "identity/IdentityHost.h"

#include "portico/Database.h"
#include "portico/Problem.h"
#include "portico/interfaces/BindableResources.h"

#include <cppunit/extensions/HelperMacros.h>

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

/// What a key can be bound to, asked of the service whose it is.
class BindableTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(BindableTest);
    CPPUNIT_TEST(theServiceIsAskedAsTheCaller);
    CPPUNIT_TEST(pagesAndWords);
    CPPUNIT_TEST(aServiceThatIsNotThereIsUnavailable);
    CPPUNIT_TEST(keysAreBoundToWhatThereIs);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("guest@acme.example", "acme", "guest");
        _host->context().services().offer<interfaces::BindableResources>("desk", _queues);
        _token = _host->signIn("member@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    void theServiceIsAskedAsTheCaller()
    {
        const auto found = get("desk/bindable-resources/queue");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(found.body, std::size_t{2}, found.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("queue"), found.at("/items/0/type"));
        CPPUNIT_ASSERT_EQUAL(std::string("Front"), found.at("/items/0/label"));
        CPPUNIT_ASSERT_EQUAL(_host->organizationId("acme"), _queues.organization);
        // By what they may do there, and in the active organization.
        const auto guest = _host->signIn("guest@acme.example", "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("desk/bindable-resources/queue", guest).code());
        _host->createUser("other@other.example", "other", "owner");
        CPPUNIT_ASSERT_EQUAL(404, get("desk/bindable-resources/queue?organizationId=" + _host->organizationId("other")).status);
        CPPUNIT_ASSERT_EQUAL(200, get("desk/bindable-resources/queue?organizationId=" + _host->organizationId("acme")).status);
        CPPUNIT_ASSERT_EQUAL(404, get("desk/bindable-resources/room").status);
        CPPUNIT_ASSERT_EQUAL(404, get("nowhere/bindable-resources/queue").status);
        _host->change("UPDATE service_access SET status = 'suspended' WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), get("desk/bindable-resources/queue").code());
    }

    void pagesAndWords()
    {
        const auto page = get("desk/bindable-resources/queue?limit=1");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, page.count("/items"));
        const auto rest = get("desk/bindable-resources/queue?limit=1&cursor=" + page.at("/nextCursor"));
        CPPUNIT_ASSERT_EQUAL(std::string("Back"), rest.at("/items/0/label"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), rest.at("/nextCursor"));
        CPPUNIT_ASSERT_EQUAL(std::string("Back"), get("desk/bindable-resources/queue?q=ack").at("/items/0/label"));
    }

    void aServiceThatIsNotThereIsUnavailable()
    {
        _queues.fails = true;
        CPPUNIT_ASSERT_EQUAL(std::string("resource_catalog_unavailable"), get("desk/bindable-resources/queue").code());
        _host->context().services().withdraw(interfaces::BindableResources::interfaceName);
        const auto answer = get("desk/bindable-resources/queue");
        CPPUNIT_ASSERT_EQUAL(503, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("resource_catalog_unavailable"), answer.code());
    }

    void keysAreBoundToWhatThereIs()
    {
        const auto make = [&](const std::string& id)
        {
            return _host->call(
                {.method = Method::Post,
                 .target = "/api/api-keys",
                 .body = R"({"name":"k","environment":"live","owner_type":"user","owner_id":")" + _member +
                         R"(","grants":[{"service_id":"desk","scopes":["tickets.read"],"resources":[{"type":"queue","id":")" + id +
                         R"("}]}]})"},
                _token);
        };
        CPPUNIT_ASSERT_EQUAL(201, make(FakeQueues::first).status);
        const auto refused = make("que_01jd0000000000000000000009");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(refused.body, std::string("resource_not_found"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string("grants[0].resources[0]"), refused.at("/errors/0/field"));
        // While nobody can say, the form of the id has to do.
        _host->context().services().withdraw(interfaces::BindableResources::interfaceName);
        CPPUNIT_ASSERT_EQUAL(201, make("que_01jd0000000000000000000009").status);
    }

private:
    TestAnswer get(const std::string& target, const std::string& token = {}) const
    {
        return _host->call({.target = "/api/services/" + target}, token.empty() ? _token : token);
    }

    FakeQueues _queues;
    std::unique_ptr<IdentityHost> _host;
    std::string _member, _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BindableTest);

} // namespace portico::tests
