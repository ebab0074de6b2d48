#include "World.h"

#include "support/Suite.h"

#include "host/http/LocalExchange.h"

#include <boost/json.hpp>

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
class ForwardTest : public Suite<ForwardTest>
{
    TEST(servesGatewayRoutesUnderOwnPaths)
    {
        ForwardingWorld world;
        const auto list = world.get("/api/households", "holder", "service_id=x");
        equal(200, list.status);
        equal(R"({"origin":"crm","query":"service_id=x","caller":"usr_holder"})", list.body);
        equal("hh_1", world.get("/api/households/hh_1", "holder").at("/id"));
        equal(404, world.get("/api/householdsother", "holder").status);
        equal(405, world.send({.method = Method::Delete, .path = "/api/households"}).status);
        equal(200, world.get("/api/auth/households", "reader").status);
    }

    TEST(requiresTheRightInThisService)
    {
        ForwardingWorld world;
        equal("permission_denied", world.get("/api/households", "reader").code());
        equal(401, world.send({.path = "/api/households"}).status);
        equal("crm", world.credentials.lastAudience());
    }

    TEST(addsTheDefaultQueryOnce)
    {
        ForwardingWorld world;
        const auto queryOf = [&](const std::string& query) { return world.get("/api/households", "holder", query).at("/query"); };
        equal("service_id=crm", queryOf(""));
        equal("limit=5&service_id=crm", queryOf("limit=5"));
        equal("service%5Fid=other", queryOf("service%5Fid=other"));
    }

    TEST(refusesKeysUnlessDeclared)
    {
        ForwardingWorld world;
        world.caller("key").permissions = {"crm.households:manage"};
        const Call withKey{.path = "/api/households", .headers = {{"X-Api-Key", "key"}}};
        equal("bearer_required", world.send(withKey).code());
        equal(200, world.send({.path = "/api/auth/households", .headers = {{"X-Api-Key", "key"}}}).status);
    }

    TEST(isUnavailableWithoutGateway)
    {
        ForwardingWorld world;
        auto& identity = world.service("identity");
        identity.routes.clear();
        identity.functions.clear();
        world.publish();
        equal(503, world.get("/api/households/hh_1", "holder").status);
        equal(404, world.get("/api/householdsother", "holder").status);
    }

    TEST(documentsForwardedRoutes)
    {
        ForwardingWorld world;
        const auto paths = boost::json::parse(world.send({.path = "/openapi.json"}).body).at("paths").as_object();
        CHECK(paths.contains("/api/households") && paths.contains("/api/households/{id}"));
        CHECK(!paths.contains("/api/householdsother"));
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

    TEST(guardRedirectsBeforeThePage)
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
            equal(303, stopped.status);
            equal(std::string("/login?return_to=") + path, stopped.header("Location"));
            equal("no-store", stopped.cacheControl);
        }
        const auto served = world.send({.path = "/dashboard", .headers = {{"Cookie", "in=yes"}}});
        CPPUNIT_ASSERT_MESSAGE(served.contentType, served.status != 303 && served.contentType.starts_with("text/html"));
        equal(200, world.send({.path = "/api"}).status);
    }

    TEST(guardRunsInTheCurrentGeneration)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        addPages(crm);
        auto& guard = crm.route(Method::Get, "/", access::open(), [](Request&, Response& response) { response.status = 303; });
        guard.kind = RouteKind::PageGuard;
        world.publish();
        OpenExchange open({.path = "/dashboard"}, world.clock);
        CHECK(!world.dispatcher().admit(open.exchange).answered);
        const auto old = crm.generation;
        crm.functions.back() = [](Request&, Response& response) { response.status = 307; };
        world.publish();
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(open.exchange);
        equal(307, open.exchange.response.status);
        world.dispatcher().finished(open.exchange);
        equal(0, crm.generation->inFlight());
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

    TEST(localRequestsPassThePipeline)
    {
        TwoServices world;
        equal(401, local(world, "/api/contacts", {}).status);
        const auto read = local(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"X-Request-Id", "asked-1"}});
        equal(200, read.status);
        equal("{}", read.body);
        const auto id = std::ranges::find(read.headers, "X-Request-Id", &std::pair<std::string, std::string>::first);
        CHECK(id != read.headers.end() && id->second == "asked-1");
        const auto refused =
            local(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"Content-Type", "application/json"}}, "{}");
        equal(403, refused.status);
        world.caller("writer").permissions = {"crm.contacts:write"};
        const auto made =
            local(world, "/api/contacts", {{"Authorization", "Bearer writer"}, {"Content-Type", "application/json"}}, R"({"a":1})");
        equal(201, made.status);
        equal(R"({"a":1})", made.body);
        equal(0, world.service("crm").generation->inFlight());
    }

    TEST(localRequestsAreNotCounted)
    {
        Settings few;
        few.requestsPerMinute = 2;
        few.anonymousRequestsPerMinute = 2;
        TwoServices world(few);
        for (int i = 0; i < 20; ++i)
        {
            equal(200, local(world, "/api/contacts", {{"Authorization", "Bearer reader"}}).status);
            equal(401, local(world, "/api/contacts", {{"Authorization", "Bearer unknown"}}).status);
        }
        equal(200, world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}}).status);
    }

    TEST(localResponsesAreBounded)
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
        CHECK(local(world, "/long", {}).end == http::LocalResponse::End::TooLarge);
        CHECK(local(world, "/endless", {}).end == http::LocalResponse::End::TooLarge);
        CHECK(local(world, "/broken", {}).end == http::LocalResponse::End::Broken);
        CHECK(local(world, "/api", {}).end == http::LocalResponse::End::Whole);
        equal(0, crm.generation->inFlight());
    }
};
} // namespace routing_tests
