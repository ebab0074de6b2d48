#include "World.h"

#include "host/http/LocalExchange.h"

#include <boost/json.hpp>
#include <cppunit/extensions/HelperMacros.h>

namespace routing_tests
{

namespace
{
/// The front of a service that forwards households of identity.
struct ForwardingWorld : TwoServices
{
    ForwardingWorld()
    {
        auto& identity = service("identity");
        const auto echo = [](Request& request, Response& response)
        {
            boost::json::object seen{{"origin", request.originService}, {"query", request.query}, {"caller", request.caller->principalId}};
            if (!request.pathParameters().empty()) seen["id"] = request.pathParameters().front();
            response.json(200, boost::json::serialize(seen));
        };
        identity.route(Method::Get, "/api/households", access::bearerOrKey("", ""), echo).onEveryOrigin = true;
        identity.route(Method::Get, "/api/households/{id}", access::bearer(), echo).onEveryOrigin = true;
        identity.route(Method::Get, "/api/auth/households", access::bearerOrKey("", ""), echo).onEveryOrigin = true;
        identity.route(Method::Get, "/api/householdsother", access::bearer(), echo).onEveryOrigin = true;
        auto& forward = service("crm").route(Method::Get, "/api/households", access::bearer("crm.households:manage"));
        forward.kind = RouteKind::Forward;
        forward.defaultQuery = "service_id=crm";
        forward.undocumented = true;
        publish();
        caller("holder").permissions = {"crm.households:manage"};
    }

    Answer get(const std::string& path, const std::string& token, const std::string& query = {})
    {
        return send({.path = path, .query = query, .headers = {{"Authorization", "Bearer " + token}}});
    }
};
} // namespace

/// Gateway routes under a service's own paths, page guards, and requests that the host sends to itself.
class ForwardTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(ForwardTest);
    CPPUNIT_TEST(servesGatewayRoutesUnderOwnPaths);
    CPPUNIT_TEST(requiresTheRightInThisService);
    CPPUNIT_TEST(addsTheDefaultQueryOnce);
    CPPUNIT_TEST(refusesKeysUnlessDeclared);
    CPPUNIT_TEST(isUnavailableWithoutGateway);
    CPPUNIT_TEST(documentsForwardedRoutes);
    CPPUNIT_TEST(guardRedirectsBeforeThePage);
    CPPUNIT_TEST(guardRunsInTheCurrentGeneration);
    CPPUNIT_TEST(localRequestsPassThePipeline);
    CPPUNIT_TEST(localRequestsAreNotCounted);
    CPPUNIT_TEST(localResponsesAreBounded);
    CPPUNIT_TEST_SUITE_END();

    void servesGatewayRoutesUnderOwnPaths()
    {
        ForwardingWorld world;
        const auto list = world.get("/api/households", "holder", "service_id=x");
        CPPUNIT_ASSERT_EQUAL(200, list.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"origin":"crm","query":"service_id=x","caller":"usr_holder"})"), list.body);
        CPPUNIT_ASSERT_EQUAL(std::string("hh_1"),
                             std::string(boost::json::parse(world.get("/api/households/hh_1", "holder").body).at("id").as_string()));
        CPPUNIT_ASSERT_EQUAL(404, world.get("/api/householdsother", "holder").status);
        CPPUNIT_ASSERT_EQUAL(405, world.send({.method = Method::Delete, .path = "/api/households"}).status);
        CPPUNIT_ASSERT_EQUAL(200, world.get("/api/auth/households", "reader").status);
    }

    void requiresTheRightInThisService()
    {
        ForwardingWorld world;
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), world.get("/api/households", "reader").code());
        CPPUNIT_ASSERT_EQUAL(401, world.send({.path = "/api/households"}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), world.credentials.lastAudience());
    }

    void addsTheDefaultQueryOnce()
    {
        ForwardingWorld world;
        const auto queryOf = [&](const std::string& query)
        { return std::string(boost::json::parse(world.get("/api/households", "holder", query).body).at("query").as_string()); };
        CPPUNIT_ASSERT_EQUAL(std::string("service_id=crm"), queryOf(""));
        CPPUNIT_ASSERT_EQUAL(std::string("limit=5&service_id=crm"), queryOf("limit=5"));
        CPPUNIT_ASSERT_EQUAL(std::string("service%5Fid=other"), queryOf("service%5Fid=other"));
    }

    void refusesKeysUnlessDeclared()
    {
        ForwardingWorld world;
        world.caller("key").permissions = {"crm.households:manage"};
        const Call withKey{.path = "/api/households", .headers = {{"X-Api-Key", "key"}}};
        CPPUNIT_ASSERT_EQUAL(std::string("bearer_required"), world.send(withKey).code());
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api/auth/households", .headers = {{"X-Api-Key", "key"}}}).status);
    }

    void isUnavailableWithoutGateway()
    {
        ForwardingWorld world;
        auto& identity = world.service("identity");
        identity.routes.clear();
        identity.functions.clear();
        world.publish();
        CPPUNIT_ASSERT_EQUAL(503, world.get("/api/households/hh_1", "holder").status);
        CPPUNIT_ASSERT_EQUAL(404, world.get("/api/householdsother", "holder").status);
    }

    void documentsForwardedRoutes()
    {
        ForwardingWorld world;
        const auto paths = boost::json::parse(world.send({.path = "/openapi.json"}).body).at("paths").as_object();
        CPPUNIT_ASSERT(paths.contains("/api/households") && paths.contains("/api/households/{id}"));
        CPPUNIT_ASSERT(!paths.contains("/api/householdsother"));
    }

    static void addPages(TestService& service)
    {
        plugins::ManifestPages pages;
        pages.root = "web";
        pages.home = "/dashboard";
        pages.routes = {"/dashboard", "/apps/**"};
        service.manifest->web = pages;
        service.pages = true;
    }

    void guardRedirectsBeforeThePage()
    {
        TwoServices world;
        auto& crm = world.service("crm");
        addPages(crm);
        auto& guard = crm.route(Method::Get, "/", access::open(),
                                [](Request& request, Response& response)
                                {
                                    if (request.cookie("in") == "yes") return;
                                    response.status = 303;
                                    response.addHeader("Location", "/login?return_to=" + std::string(request.path));
                                });
        guard.kind = RouteKind::PageGuard;
        world.publish();
        for (const auto* path : {"/", "/dashboard", "/apps/all"})
        {
            const auto stopped = world.send({.path = path});
            CPPUNIT_ASSERT_EQUAL(303, stopped.status);
            CPPUNIT_ASSERT_EQUAL(std::string("/login?return_to=") + path, stopped.header("Location"));
            CPPUNIT_ASSERT_EQUAL(std::string("no-store"), stopped.cacheControl);
        }
        const auto served = world.send({.path = "/dashboard", .headers = {{"Cookie", "in=yes"}}});
        CPPUNIT_ASSERT_MESSAGE(served.contentType, served.status != 303 && served.contentType.starts_with("text/html"));
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api"}).status);
    }

    void guardRunsInTheCurrentGeneration()
    {
        TwoServices world;
        auto& crm = world.service("crm");
        addPages(crm);
        auto& guard = crm.route(Method::Get, "/", access::open(), [](Request&, Response& response) { response.status = 303; });
        guard.kind = RouteKind::PageGuard;
        world.publish();
        OpenExchange open({.path = "/dashboard"}, world.clock);
        CPPUNIT_ASSERT(!world.dispatcher().admit(open.exchange).answered);
        const auto old = crm.generation;
        crm.functions.back() = [](Request&, Response& response) { response.status = 307; };
        world.publish();
        CPPUNIT_ASSERT(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        CPPUNIT_ASSERT_EQUAL(307, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, crm.generation->inFlight());
    }

    static http::LocalResponse local(World& world, const std::string& path, const std::vector<std::pair<std::string, std::string>>& headers,
                                     const std::string& body = {}, std::uint64_t limit = 1'000)
    {
        return http::callLocally(world.dispatcher(), {.method = body.empty() ? Method::Get : Method::Post,
                                                      .service = "crm",
                                                      .host = "crm.localhost:8080",
                                                      .secure = false,
                                                      .path = path,
                                                      .query = {},
                                                      .headers = headers,
                                                      .body = body,
                                                      .clientAddress = "192.0.2.9",
                                                      .maxResponseBytes = limit});
    }

    void localRequestsPassThePipeline()
    {
        TwoServices world;
        CPPUNIT_ASSERT_EQUAL(401, local(world, "/api/contacts", {}).status);
        const auto read = local(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"X-Request-Id", "asked-1"}});
        CPPUNIT_ASSERT_EQUAL(200, read.status);
        CPPUNIT_ASSERT_EQUAL(std::string("{}"), read.body);
        const auto id = std::ranges::find(read.headers, "X-Request-Id", &std::pair<std::string, std::string>::first);
        CPPUNIT_ASSERT(id != read.headers.end() && id->second == "asked-1");
        const auto refused =
            local(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"Content-Type", "application/json"}}, "{}");
        CPPUNIT_ASSERT_EQUAL(403, refused.status);
        world.caller("writer").permissions = {"crm.contacts:write"};
        const auto made =
            local(world, "/api/contacts", {{"Authorization", "Bearer writer"}, {"Content-Type", "application/json"}}, R"({"a":1})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":1})"), made.body);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, world.service("crm").generation->inFlight());
    }

    void localRequestsAreNotCounted()
    {
        Settings few;
        few.requestsPerMinute = 2;
        few.anonymousRequestsPerMinute = 2;
        TwoServices world(few);
        for (int i = 0; i < 20; ++i)
        {
            CPPUNIT_ASSERT_EQUAL(200, local(world, "/api/contacts", {{"Authorization", "Bearer reader"}}).status);
            CPPUNIT_ASSERT_EQUAL(401, local(world, "/api/contacts", {{"Authorization", "Bearer unknown"}}).status);
        }
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}}).status);
    }

    void localResponsesAreBounded()
    {
        class Endless final : public BodySource
        {
        public:
            bool read(std::string& out, std::size_t wanted) override
            {
                out.append(wanted, 'x');
                return true;
            }
        };
        class Broken final : public BodySource
        {
        public:
            bool read(std::string&, std::size_t) override { throw std::runtime_error("the source broke"); }
        };
        TwoServices world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/long", access::open(), [](Request&, Response& response) { response.json(200, std::string(1'001, 'x')); });
        crm.route(Method::Get, "/endless", access::open(),
                  [](Request&, Response& response) { response.source = std::make_unique<Endless>(); });
        crm.route(Method::Get, "/broken", access::open(),
                  [](Request&, Response& response) { response.source = std::make_unique<Broken>(); });
        world.publish();
        CPPUNIT_ASSERT(local(world, "/long", {}).end == http::LocalResponse::End::TooLarge);
        CPPUNIT_ASSERT(local(world, "/endless", {}).end == http::LocalResponse::End::TooLarge);
        CPPUNIT_ASSERT(local(world, "/broken", {}).end == http::LocalResponse::End::Broken);
        CPPUNIT_ASSERT(local(world, "/api", {}).end == http::LocalResponse::End::Whole);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, crm.generation->inFlight());
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(ForwardTest);

} // namespace routing_tests
