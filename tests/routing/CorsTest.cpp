#include "World.h"

#include "support/Suite.h"

namespace routing_tests
{

/// Requests of pages from other origins.
class CorsTest : public Suite<CorsTest>
{
    static constexpr const char* crm = "http://crm.localhost:8080";

    struct Origins : TwoServices
    {
        Origins()
        {
            service("crm").manifest->origins = {"https://Pages.example"};
            service("crm").manifest->previewOriginPatterns = {"https://*.preview.example", "https://crm-*.pages.example:8443"};
            service("crm").route(Method::Get, "/api/public", access::open()).crossOrigin = CrossOrigin::anyone();
            service("crm").route(Method::Get, "/api/embed", access::open()).crossOrigin = CrossOrigin::listed(granted);
            publish();
        }
        std::shared_ptr<OriginList> granted = OriginList::make({"https://Shop.example:443/"});
        Answer from(const std::string& origin, const std::string& path = "/api")
        {
            return send({.path = path, .headers = {{"Origin", origin}}});
        }
        Answer preflight(const std::string& origin, const std::string& path, const std::string& method = "POST")
        {
            return send(
                {.method = Method::Options, .path = path, .headers = {{"Origin", origin}, {"Access-Control-Request-Method", method}}});
        }
        bool allowed(const std::string& origin) { return from(origin).header("Access-Control-Allow-Origin") == origin; }
    };

    TEST(registeredOriginsReadWithCredentials)
    {
        Origins world;
        const auto answer = world.from(crm);
        equal(crm, answer.header("Access-Control-Allow-Origin"));
        equal("true", answer.header("Access-Control-Allow-Credentials"));
        equal("Origin", answer.header("Vary"));
        equal("Content-Disposition, ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
              "Retry-After, WWW-Authenticate, X-Request-Id",
              answer.header("Access-Control-Expose-Headers"));
        CHECK(world.allowed("http://identity.localhost:8080"));
        CHECK(world.allowed("https://pages.example"));
    }

    TEST(otherOriginsGetNothing)
    {
        Origins world;
        for (const auto* origin :
             {"null", "*", "http://evil.example", "https://crm.localhost:8080", "http://crm.localhost", "http://crm.localhost:8080/",
              "HTTP://CRM.LOCALHOST:8080", "http://crm.localhost:8080.evil.example", "http://xcrm.localhost:8080", ""})
        {
            const auto answer = world.from(origin);
            equal(200, answer.status, origin);
            CPPUNIT_ASSERT_MESSAGE(origin, answer.headerBlock.find("Access-Control") == std::string::npos);
            equal("Origin", answer.header("Vary"));
            CHECK(world.preflight(origin, "/api/contacts").headerBlock.find("Access-Control") == std::string::npos);
        }
    }

    TEST(previewPatternsStandForOneLabel)
    {
        Origins world;
        CHECK(world.allowed("https://pr-7.preview.example"));
        CHECK(world.allowed("https://crm-abc.pages.example:8443"));
        for (const auto* origin :
             {"https://.preview.example", "https://a.b.preview.example", "https://preview.example", "http://pr-7.preview.example",
              "https://evil.example/.preview.example", "https://pr-7.preview.example.evil.example", "https://crm-.pages.example:8443",
              "https://crm-abc.pages.example"})
            CPPUNIT_ASSERT_MESSAGE(origin, !world.allowed(origin));
        CHECK(!world.allowed("https://" + std::string(5000, 'a') + ".preview.example"));
    }

    TEST(originsOfADisabledServiceAreNot)
    {
        Origins world;
        world.service("identity").status = plugins::ServiceStatus::Disabled;
        world.publish();
        CHECK(!world.allowed("http://identity.localhost:8080"));
        world.service("identity").status = plugins::ServiceStatus::Quarantined;
        world.publish();
        CHECK(world.allowed("http://identity.localhost:8080"));
    }

    TEST(preflightIsAnsweredBeforeAuthentication)
    {
        Origins world;
        const auto answer = world.preflight(crm, "/api/contacts");
        equal(204, answer.status);
        CHECK(answer.admission.answered);
        equal(crm, answer.header("Access-Control-Allow-Origin"));
        equal("true", answer.header("Access-Control-Allow-Credentials"));
        equal("GET, HEAD, POST, OPTIONS", answer.header("Access-Control-Allow-Methods"));
        equal("Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, Range, X-Brand-ID, X-File-Name, "
              "X-Hold-Token, X-Platform-Auth, X-Portico-Context, X-Service-ID, X-Api-Key",
              answer.header("Access-Control-Allow-Headers"));
        equal("600", answer.header("Access-Control-Max-Age"));
        equal("Origin", answer.header("Vary"));
    }

    TEST(preflightOfUnknownPathIsNotFound)
    {
        Origins world;
        equal(404, world.preflight(crm, "/nothing").status);
        equal(410, world.preflight(crm, "/sso/handoff").status);
    }

    TEST(preflightOfAServiceThatNeverRan)
    {
        Origins world;
        world.service("social").status = plugins::ServiceStatus::Failed;
        world.publish();
        const auto answer = world.send({.method = Method::Options,
                                        .path = "/api/posts",
                                        .headers = {{"Origin", crm}, {"Access-Control-Request-Method", "PATCH"}},
                                        .host = "social.localhost:8080"});
        equal(204, answer.status);
        CHECK(answer.header("Access-Control-Allow-Methods").find("PATCH") != std::string::npos);
    }

    TEST(plainOptionsListsMethods)
    {
        Origins world;
        const auto answer = world.send({.method = Method::Options, .path = "/api/contacts"});
        equal(204, answer.status);
        equal("GET, HEAD, POST, OPTIONS", answer.header("Allow"));
        equal("", answer.header("Access-Control-Allow-Methods"));
    }

    TEST(anyOriginRoutesAreOpenWithoutCredentials)
    {
        Origins world;
        for (const auto* origin : {"http://evil.example", crm, "null"})
        {
            const auto answer = world.from(origin, "/api/public");
            equal("*", answer.header("Access-Control-Allow-Origin"));
            equal("", answer.header("Access-Control-Allow-Credentials"));
            const auto preflight = world.preflight(origin, "/api/public", "GET");
            equal("*", preflight.header("Access-Control-Allow-Origin"));
            equal("", preflight.header("Access-Control-Allow-Credentials"));
        }
    }

    TEST(listedOriginsReadWithoutCredentials)
    {
        Origins world;
        const auto reads = [&](const std::string& origin)
        {
            const auto answer = world.from(origin, "/api/embed");
            equal("Origin", answer.header("Vary"));
            equal("", answer.header("Access-Control-Allow-Credentials"));
            const auto preflight = world.preflight(origin, "/api/embed", "GET");
            equal(answer.header("Access-Control-Allow-Origin"), preflight.header("Access-Control-Allow-Origin"));
            equal(answer.header("Access-Control-Allow-Origin").empty(), preflight.header("Access-Control-Max-Age").empty());
            return answer.header("Access-Control-Allow-Origin") == origin;
        };
        CHECK(reads("https://shop.example"));
        CHECK(!reads("https://evil.example"));
        CHECK(!reads("null"));
        // The plugin's data change, without a reload.
        world.granted->add("https://evil.example");
        CHECK(reads("https://evil.example"));
        world.granted->remove("https://shop.example/");
        CHECK(!reads("https://shop.example"));
        world.granted->assign({});
        CHECK(!reads("https://evil.example"));
        // Registered origins keep their rights; other routes and methods ignore the rule.
        equal("true", world.from(crm, "/api/embed").header("Access-Control-Allow-Credentials"));
        world.granted->add("https://evil.example");
        equal("", world.from("https://evil.example").header("Access-Control-Allow-Origin"));
        equal("", world.preflight("https://evil.example", "/api/embed", "DELETE").header("Access-Control-Allow-Origin"));
    }

    TEST(errorsAreReadableForRegisteredOrigins)
    {
        Origins world;
        for (const auto& [path, status] : {std::pair("/nothing", 404), std::pair("/api/contacts", 401), std::pair("/sso/handoff", 410)})
        {
            const auto answer = world.from(crm, path);
            equal(status, answer.status);
            equal(crm, answer.header("Access-Control-Allow-Origin"));
        }
    }
};

} // namespace routing_tests
