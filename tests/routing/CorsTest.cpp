#include "World.h"

#include <cppunit/extensions/HelperMacros.h>

namespace routing_tests
{

/// What pages of other origins may do.
class CorsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CorsTest);
    CPPUNIT_TEST(registeredOriginsReadWithCredentials);
    CPPUNIT_TEST(otherOriginsGetNothing);
    CPPUNIT_TEST(previewPatternsStandForOneLabel);
    CPPUNIT_TEST(originsOfADisabledServiceAreNot);
    CPPUNIT_TEST(preflightIsAnsweredBeforeAuthentication);
    CPPUNIT_TEST(preflightOfUnknownPathIsNotFound);
    CPPUNIT_TEST(preflightOfAServiceThatNeverRan);
    CPPUNIT_TEST(plainOptionsListsMethods);
    CPPUNIT_TEST(anyOriginRoutesAreOpenWithoutCredentials);
    CPPUNIT_TEST(listedOriginsReadWithoutCredentials);
    CPPUNIT_TEST(errorsAreReadableForRegisteredOrigins);
    CPPUNIT_TEST_SUITE_END();

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

    void registeredOriginsReadWithCredentials()
    {
        Origins world;
        const auto answer = world.from(crm);
        CPPUNIT_ASSERT_EQUAL(std::string(crm), answer.header("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), answer.header("Access-Control-Allow-Credentials"));
        CPPUNIT_ASSERT_EQUAL(std::string("Origin"), answer.header("Vary"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("Content-Disposition, ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
                        "Retry-After, WWW-Authenticate, X-Request-Id"),
            answer.header("Access-Control-Expose-Headers"));
        CPPUNIT_ASSERT(world.allowed("http://identity.localhost:8080"));
        CPPUNIT_ASSERT(world.allowed("https://pages.example"));
    }

    void otherOriginsGetNothing()
    {
        Origins world;
        for (const auto* origin :
             {"null", "*", "http://evil.example", "https://crm.localhost:8080", "http://crm.localhost", "http://crm.localhost:8080/",
              "HTTP://CRM.LOCALHOST:8080", "http://crm.localhost:8080.evil.example", "http://xcrm.localhost:8080", ""})
        {
            const auto answer = world.from(origin);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(origin, 200, answer.status);
            CPPUNIT_ASSERT_MESSAGE(origin, answer.headerBlock.find("Access-Control") == std::string::npos);
            CPPUNIT_ASSERT_EQUAL(std::string("Origin"), answer.header("Vary"));
            CPPUNIT_ASSERT(world.preflight(origin, "/api/contacts").headerBlock.find("Access-Control") == std::string::npos);
        }
    }

    void previewPatternsStandForOneLabel()
    {
        Origins world;
        CPPUNIT_ASSERT(world.allowed("https://pr-7.preview.example"));
        CPPUNIT_ASSERT(world.allowed("https://crm-abc.pages.example:8443"));
        for (const auto* origin :
             {"https://.preview.example", "https://a.b.preview.example", "https://preview.example", "http://pr-7.preview.example",
              "https://evil.example/.preview.example", "https://pr-7.preview.example.evil.example", "https://crm-.pages.example:8443",
              "https://crm-abc.pages.example"})
            CPPUNIT_ASSERT_MESSAGE(origin, !world.allowed(origin));
        CPPUNIT_ASSERT(!world.allowed("https://" + std::string(5000, 'a') + ".preview.example"));
    }

    void originsOfADisabledServiceAreNot()
    {
        Origins world;
        world.service("identity").status = plugins::ServiceStatus::Disabled;
        world.publish();
        CPPUNIT_ASSERT(!world.allowed("http://identity.localhost:8080"));
        world.service("identity").status = plugins::ServiceStatus::Quarantined;
        world.publish();
        CPPUNIT_ASSERT(world.allowed("http://identity.localhost:8080"));
    }

    void preflightIsAnsweredBeforeAuthentication()
    {
        Origins world;
        const auto answer = world.preflight(crm, "/api/contacts");
        CPPUNIT_ASSERT_EQUAL(204, answer.status);
        CPPUNIT_ASSERT(answer.admission.answered);
        CPPUNIT_ASSERT_EQUAL(std::string(crm), answer.header("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), answer.header("Access-Control-Allow-Credentials"));
        CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, POST, OPTIONS"), answer.header("Access-Control-Allow-Methods"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, Range, X-Brand-ID, X-File-Name, "
                        "X-Hold-Token, X-Platform-Auth, X-Portico-Context, X-Service-ID, X-Api-Key"),
            answer.header("Access-Control-Allow-Headers"));
        CPPUNIT_ASSERT_EQUAL(std::string("600"), answer.header("Access-Control-Max-Age"));
        CPPUNIT_ASSERT_EQUAL(std::string("Origin"), answer.header("Vary"));
    }

    void preflightOfUnknownPathIsNotFound()
    {
        Origins world;
        CPPUNIT_ASSERT_EQUAL(404, world.preflight(crm, "/nothing").status);
        CPPUNIT_ASSERT_EQUAL(410, world.preflight(crm, "/sso/handoff").status);
    }

    void preflightOfAServiceThatNeverRan()
    {
        Origins world;
        world.service("social").status = plugins::ServiceStatus::Failed;
        world.publish();
        const auto answer = world.send({.method = Method::Options,
                                        .path = "/api/posts",
                                        .headers = {{"Origin", crm}, {"Access-Control-Request-Method", "PATCH"}},
                                        .host = "social.localhost:8080"});
        CPPUNIT_ASSERT_EQUAL(204, answer.status);
        CPPUNIT_ASSERT(answer.header("Access-Control-Allow-Methods").find("PATCH") != std::string::npos);
    }

    void plainOptionsListsMethods()
    {
        Origins world;
        const auto answer = world.send({.method = Method::Options, .path = "/api/contacts"});
        CPPUNIT_ASSERT_EQUAL(204, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, POST, OPTIONS"), answer.header("Allow"));
        CPPUNIT_ASSERT_EQUAL(std::string(), answer.header("Access-Control-Allow-Methods"));
    }

    void anyOriginRoutesAreOpenWithoutCredentials()
    {
        Origins world;
        for (const auto* origin : {"http://evil.example", crm, "null"})
        {
            const auto answer = world.from(origin, "/api/public");
            CPPUNIT_ASSERT_EQUAL(std::string("*"), answer.header("Access-Control-Allow-Origin"));
            CPPUNIT_ASSERT_EQUAL(std::string(), answer.header("Access-Control-Allow-Credentials"));
            const auto preflight = world.preflight(origin, "/api/public", "GET");
            CPPUNIT_ASSERT_EQUAL(std::string("*"), preflight.header("Access-Control-Allow-Origin"));
            CPPUNIT_ASSERT_EQUAL(std::string(), preflight.header("Access-Control-Allow-Credentials"));
        }
    }

    void listedOriginsReadWithoutCredentials()
    {
        Origins world;
        const auto reads = [&](const std::string& origin)
        {
            const auto answer = world.from(origin, "/api/embed");
            CPPUNIT_ASSERT_EQUAL(std::string("Origin"), answer.header("Vary"));
            CPPUNIT_ASSERT_EQUAL(std::string(), answer.header("Access-Control-Allow-Credentials"));
            const auto preflight = world.preflight(origin, "/api/embed", "GET");
            CPPUNIT_ASSERT_EQUAL(answer.header("Access-Control-Allow-Origin"), preflight.header("Access-Control-Allow-Origin"));
            CPPUNIT_ASSERT_EQUAL(answer.header("Access-Control-Allow-Origin").empty(), preflight.header("Access-Control-Max-Age").empty());
            return answer.header("Access-Control-Allow-Origin") == origin;
        };
        CPPUNIT_ASSERT(reads("https://shop.example"));
        CPPUNIT_ASSERT(!reads("https://evil.example"));
        CPPUNIT_ASSERT(!reads("null"));
        // The plugin's data change, without a reload.
        world.granted->add("https://evil.example");
        CPPUNIT_ASSERT(reads("https://evil.example"));
        world.granted->remove("https://shop.example/");
        CPPUNIT_ASSERT(!reads("https://shop.example"));
        world.granted->assign({});
        CPPUNIT_ASSERT(!reads("https://evil.example"));
        // Registered origins are who they were; another route and another method know nothing of the rule.
        CPPUNIT_ASSERT_EQUAL(std::string("true"), world.from(crm, "/api/embed").header("Access-Control-Allow-Credentials"));
        world.granted->add("https://evil.example");
        CPPUNIT_ASSERT_EQUAL(std::string(), world.from("https://evil.example").header("Access-Control-Allow-Origin"));
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             world.preflight("https://evil.example", "/api/embed", "DELETE").header("Access-Control-Allow-Origin"));
    }

    void errorsAreReadableForRegisteredOrigins()
    {
        Origins world;
        for (const auto& [path, status] : {std::pair("/nothing", 404), std::pair("/api/contacts", 401), std::pair("/sso/handoff", 410)})
        {
            const auto answer = world.from(crm, path);
            CPPUNIT_ASSERT_EQUAL(status, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string(crm), answer.header("Access-Control-Allow-Origin"));
        }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(CorsTest);

} // namespace routing_tests
