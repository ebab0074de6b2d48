#include "World.h"

#include "support/Suite.h"

#include "host/routing/docs/ApiDocument.h"

#include <boost/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

namespace routing_tests
{

/// Routes of the host itself: health, the API document and its page.
class HostRoutesTest : public Suite<HostRoutesTest>
{
    TEST(liveness)
    {
        TwoServices world;
        const auto answer = world.send({.path = "/healthz"});
        equal(200, answer.status);
        equal(R"({"status":"ok"})", answer.body);
        CHECK(answer.admission.lane == http::Lane::Loop);
        equal(200, world.send({.method = Method::Head, .path = "/healthz"}).status);
        equal(405, world.send({.method = Method::Post, .path = "/healthz"}).status);
    }

    TEST(readiness)
    {
        TwoServices world;
        equal(R"({"status":"ready"})", world.send({.path = "/readyz"}).body);
        world.health.missing = {"stopping"};
        world.health.found = {{"database", false, std::chrono::microseconds(0), ""}, {"smtp", true, std::chrono::microseconds(0), ""}};
        const auto answer = world.send({.path = "/readyz"});
        equal(503, answer.status);
        equal(R"({"status":"not_ready","failing":["stopping","database"]})", answer.body);
        world.health.missing.clear();
        world.health.found.front().neededToServe = false;
        equal(200, world.send({.path = "/readyz"}).status);
        equal(503, world.send({.path = "/health"}).status);
        world.service("crm").status = plugins::ServiceStatus::Disabled;
        world.publish();
        equal(R"({"status":"not_ready","failing":["service"]})", world.send({.path = "/readyz"}).body);
    }

    TEST(probesNeedNoOrigin)
    {
        TwoServices world;
        for (const auto* host : {"", "127.0.0.1:8080", "10.1.2.3", "nobody.example"})
        {
            equal(R"({"status":"ok"})", world.send({.path = "/healthz", .host = host}).body, host);
            equal(R"({"status":"ready"})", world.send({.path = "/readyz", .host = host}).body, host);
            for (const auto* path : {"/health", "/openapi.json", "/docs", "/sso", "/healthz/", "/readyz/x"})
                equal(404, world.send({.path = path, .host = host}).status, path);
        }
        equal(200, world.send({.path = "/healthz", .listener = "unknown"}).status);
        equal(200, world.send({.method = Method::Head, .path = "/readyz", .host = ""}).status);
        equal(405, world.send({.method = Method::Post, .path = "/healthz", .host = ""}).status);
        world.health.found = {{"database", false, std::chrono::microseconds(0), ""}};
        const auto failing = [&world] { return world.send({.path = "/readyz", .host = ""}).body; };
        equal(R"({"status":"not_ready","failing":["crm.database","identity.database"]})", failing());
        // A failing service does not affect the others; without any serving one, the host is not ready.
        world.service("crm").status = plugins::ServiceStatus::Failed;
        world.publish();
        equal(R"({"status":"not_ready","failing":["identity.database"]})", failing());
        world.health.found.clear();
        equal(200, world.send({.path = "/readyz", .host = ""}).status);
        world.service("identity").status = plugins::ServiceStatus::Disabled;
        world.publish();
        equal(R"({"status":"not_ready","failing":["service"]})", failing());
        equal(200, world.send({.path = "/healthz", .host = ""}).status);
    }

    /// HAProxy's default check is `OPTIONS / HTTP/1.0` without a Host.
    TEST(loadBalancersAskTheBareAddress)
    {
        TwoServices world;
        for (const auto* host : {"", "127.0.0.1:8080", "10.1.2.3", "[::1]:8080", "localhost", "localhost:8080"})
            for (const auto method : {Method::Options, Method::Head})
            {
                const auto answer = world.send({.method = method, .path = "/", .query = "check=1", .host = host});
                equal(200, answer.status, host);
                CPPUNIT_ASSERT_MESSAGE(host, answer.body.empty());
            }
        // Another path, another method, a name, and a preflight are no such check.
        equal(404, world.send({.method = Method::Options, .path = "/x", .host = ""}).status);
        equal(404, world.send({.path = "/", .host = "10.1.2.3"}).status);
        equal(404, world.send({.method = Method::Head, .path = "/", .host = "nobody.example"}).status);
        equal(
            404,
            world.send({.method = Method::Options, .path = "/", .headers = {{"Origin", "https://x.example"}}, .host = "10.1.2.3"}).status);
        CHECK(world.send({.method = Method::Options, .path = "/"}).status != 200);
    }

    TEST(knowsNoParameters)
    {
        TwoServices world;
        for (const auto* path : {"/healthz", "/readyz", "/health"})
            equal(200, world.send({.path = path, .query = "x=1&cache=no&x=2"}).status, path);
        for (const auto* path : {"/openapi.json"})
        {
            const auto refused = world.send({.path = path, .query = "verbose=1"});
            equal(400, refused.status, path);
            equal("unknown_parameter", refused.at("/code"));
        }
        equal(200, world.send({.path = "/readyz", .query = "verbose=1", .host = ""}).status);
        equal(200, world.send({.path = "/docs", .query = "a=b"}).status);
    }

    TEST(health)
    {
        TwoServices world;
        world.health.found = {{"database", true, std::chrono::microseconds(1600), "sqlite"}};
        const auto healthy = world.send({.path = "/health"});
        equal(200, healthy.status);
        equal("ok", healthy.at("/status"));
        equal("1.2.3", healthy.at("/version"));
        equal("42", healthy.at("/uptimeSeconds"));
        equal("2", healthy.at("/dependencies/0/latencyMs"));
        world.health.found.front().healthy = false;
        const auto degraded = world.send({.path = "/health"});
        equal(503, degraded.status);
        equal("degraded", degraded.at("/status"));
    }

    TEST(healthHoldsWhatThePluginSaidLast)
    {
        TwoServices world;
        world.health.found = {{"database", true, std::chrono::microseconds(1600), ""}};
        world.service("crm").generation->noteHealth(
            {{"smtp", true, "", std::chrono::microseconds(4400)}, {"cache", false, "refused", std::chrono::microseconds(0)}});
        const auto answer = world.send({.path = "/health"});
        equal(503, answer.status);
        equal(R"([{"name":"database","status":"ok","latencyMs":2,"detail":""},)"
              R"({"name":"smtp","status":"ok","latencyMs":4,"detail":""},)"
              R"({"name":"cache","status":"failing","latencyMs":0,"detail":"refused"}])",
              answer.at("/dependencies"));
        equal(R"({"status":"not_ready","failing":["cache"]})", world.send({.path = "/readyz"}).body);
        equal(200, world.send({.path = "/readyz", .host = "identity.localhost:8080"}).status);
        // A report of a generation ends with it.
        world.publish();
        equal(200, world.send({.path = "/health"}).status);
    }

    TEST(healthRouteOfAServiceWins)
    {
        TwoServices world;
        world.service("crm").route(Method::Get, "/health", access::open(), [](Request&, Response& response) { response.json(200, "own"); });
        world.publish();
        world.health.found = {{"database", false, std::chrono::microseconds(0), ""}};
        equal("own", world.send({.path = "/health"}).body);
        equal(503, world.send({.path = "/health", .host = "identity.localhost:8080"}).status);
    }

    TEST(theBriefFormIsAlways200)
    {
        TwoServices world;
        world.service("crm").manifest->briefHealth = true;
        world.publish();
        world.health.found = {{"database", true, std::chrono::milliseconds(2), "up"}};
        equal(R"({"status":"ok","version":"1.2.3","dependencies":[{"name":"database","status":"ok","latencyMs":2}]})",
              world.send({.path = "/health"}).body);
        world.service("crm").generation->noteHealth(
            {{.name = "identity.directory", .healthy = false, .detail = "away", .neededToServe = false}});
        const auto degraded = world.send({.path = "/health"});
        equal(200, degraded.status);
        equal("degraded", degraded.at("/status"));
        equal(R"({"name":"identity.directory","status":"failing","latencyMs":0})", degraded.at("/dependencies/1"));
        // It does without.
        equal(200, world.send({.path = "/readyz"}).status);
        world.service("crm").status = plugins::ServiceStatus::Disabled;
        world.publish();
        equal(503, world.send({.path = "/health"}).status);
    }

    TEST(documentNamesEveryRoute)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        auto& first = crm.route(Method::Get, "/api/things", access::bearerOrKey("crm.things:read", "things.read"));
        first.operation = R"({"operationId":"getThings","tags":["things"],"responses":{}})";
        first.components = std::make_shared<const std::map<std::string, std::string>>(
            std::map<std::string, std::string>{{"Thing", R"({"type":"object"})"}});
        crm.route(Method::Get, "/things", access::open()).operation = R"({"operationId":"getThings","tags":["things"],"responses":{}})";
        crm.route(Method::Get, "/page", access::open()).undocumented = true;
        world.publish();
        const auto answer = world.send({.path = "/openapi.json"});
        equal(200, answer.status);
        equal("application/json", answer.contentType);
        equal("3.1.0", answer.at("/openapi"));
        equal("http://crm.localhost:8080", answer.at("/servers/0/url"));
        const auto api = boost::json::parse(answer.body).as_object();
        const auto& paths = api.at("paths").as_object();
        CHECK(paths.at("/api/contacts").as_object().contains("get") && paths.at("/api/contacts").as_object().contains("post"));
        CHECK(paths.contains("/healthz"));
        CHECK(!paths.contains("/page"));
        CHECK(!paths.contains("/api/auth/me"));
        equal("Needs the permission `crm.things:read`. An API key needs the scope `things.read`.",
              std::string(paths.at("/api/things").at("get").at("description").as_string()));
        const auto& components = api.at("components").as_object();
        CHECK(components.at("schemas").as_object().contains("Thing") && components.at("schemas").as_object().contains("Problem"));
        CHECK(components.at("responses").as_object().contains("Problem"));
        CHECK(components.at("securitySchemes").as_object().contains("bearer") &&
              components.at("securitySchemes").as_object().contains("apiKey"));
        assertIdsAreUnique(paths);
    }

    TEST(documentDescribesAccess)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/api/scopes", access::bearerOrKey({}, {}).orService()).operation = R"({"operationId":"getScopes"})";
        crm.route(Method::Get, "/api/open", access::open()).operation = R"({"operationId":"getOpen"})";
        crm.route(Method::Get, "/api/own", access::open()).operation =
            R"({"operationId":"getOwn","description":"Needs client authentication."})";
        world.publish();
        const auto answer = world.send({.path = "/openapi.json"});
        const auto description = [&](std::string_view name)
        { return answer.at("/paths/~1api~1" + std::string(name) + "/get/description"); };
        equal("Needs an access token. Any valid API key may call it. Services may call it.", description("scopes"));
        equal("Needs no credential.", description("open"));
        equal("Needs client authentication.", description("own"));
    }

    static void assertIdsAreUnique(const boost::json::object& paths)
    {
        std::set<std::string> ids;
        for (const auto& path : paths)
            for (const auto& operation : path.value().as_object())
                CHECK(ids.emplace(operation.value().at("operationId").as_string()).second);
    }

    TEST(documentIsKeptPerTable)
    {
        TwoServices world;
        const auto tag = [&world]
        {
            OpenExchange open({.path = "/openapi.json"}, world.clock);
            world.start(open);
            auto etag = open.exchange.response.etag;
            world.dispatcher().finished(open.exchange);
            return etag;
        };
        const auto first = tag();
        CHECK(first.starts_with('"') && first.size() > 10);
        equal(first, tag());
        world.service("crm").route(Method::Get, "/api/new", access::open());
        world.publish();
        CHECK(first != tag());
    }

    TEST(docsAreServedAsWritten)
    {
        TwoServices world;
        CHECK(docsAssets().size() >= 3);
        for (const auto& asset : docsAssets())
        {
            const std::string path(asset.path);
            const auto name = path == "/docs" ? std::string("index.html") : path.substr(path.rfind('/') + 1);
            std::stringstream written;
            // The colours of all pages come first.
            if (name.ends_with(".css"))
                written << std::ifstream(ROUTING_DOCS "/../../../../sdk/web/tokens/tokens.css", std::ios::binary).rdbuf();
            const auto folder = path.starts_with("/docs") ? ROUTING_DOCS "/" : ROUTING_DOCS "/../../pages/";
            std::ifstream file(folder + name, std::ios::binary);
            written << file.rdbuf();
            CHECK(file && !written.str().empty());
            const auto answer = world.send({.path = path});
            equal(200, answer.status);
            equal(written.str(), answer.body);
            equal(std::string(asset.contentType), answer.contentType);
            equal("no-cache", answer.cacheControl);
        }
    }

    TEST(docsAllowNothingInline)
    {
        TwoServices world;
        const auto page = world.send({.path = "/docs"});
        const auto policy = page.header("Content-Security-Policy");
        CHECK(policy.find("default-src 'none'") != std::string::npos);
        CHECK(policy.find("unsafe") == std::string::npos);
        for (const auto* forbidden : {"<style", " style=", " onclick=", "javascript:", "http://cdn", "https://"})
            CPPUNIT_ASSERT_MESSAGE(forbidden, page.body.find(forbidden) == std::string::npos);
    }
};

} // namespace routing_tests
