#include "World.h"

#include "portico/Database.h"

#include <boost/json.hpp>
#include <cppunit/extensions/HelperMacros.h>

namespace routing_tests
{

/// Where a request goes, and what it is told when it goes nowhere.
class DispatchTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(DispatchTest);
    CPPUNIT_TEST(findsTheServiceByHostOrListener);
    CPPUNIT_TEST(unknownHostIsNotFound);
    CPPUNIT_TEST(parametersAreDecoded);
    CPPUNIT_TEST(hostilePathsAreNotFound);
    CPPUNIT_TEST(unknownMethodNamesTheAllowedOnes);
    CPPUNIT_TEST(aRouteMayHaveItsOwnProblemFormat);
    CPPUNIT_TEST(headIsLedToGet);
    CPPUNIT_TEST(retiredPathsAreGone);
    CPPUNIT_TEST(servicesThatDoNotServe);
    CPPUNIT_TEST(serviceThatNeverRanAnswersEverywhere);
    CPPUNIT_TEST(incompleteRegistrationClosesProtectedRoutesOnly);
    CPPUNIT_TEST(gatewayIsServedOnEveryOrigin);
    CPPUNIT_TEST(gatewayWithoutProviderIsUnavailable);
    CPPUNIT_TEST(exceptionsBecomeProblemsWithoutTheirTexts);
    CPPUNIT_TEST(databaseErrorsSayWhetherToTryAgain);
    CPPUNIT_TEST(halfFilledResponsesAreDropped);
    CPPUNIT_TEST(serverRefusalsAreProblems);
    CPPUNIT_TEST(pagesHaveAPolicy);
    CPPUNIT_TEST(cacheControlOfTheRouteIsForSuccess);
    CPPUNIT_TEST(responsesToRevalidateHaveAnEntityTag);
    CPPUNIT_TEST(bodiesAreBoundedAsDeclared);
    CPPUNIT_TEST(formsHaveRoomAroundTheirFile);
    CPPUNIT_TEST(onlyOpenRoutesRunOnTheLoop);
    CPPUNIT_TEST(longWorkBelongsToATenant);
    CPPUNIT_TEST(readsShortlyOnTheLoop);
    CPPUNIT_TEST(judgesOnTheLoopAsOnAWorker);
    CPPUNIT_TEST(keepsTheLoopFromALongReadThatTakesTheRoute);
    CPPUNIT_TEST(metersCountByRoute);
    CPPUNIT_TEST(accessLogLeavesTheQueryOut);
    CPPUNIT_TEST(withoutAccessLogFailuresAreLogged);
    CPPUNIT_TEST_SUITE_END();

    static std::string get(World& world, const std::string& path) { return std::to_string(world.send({.path = path}).status); }

    void findsTheServiceByHostOrListener()
    {
        TwoServices world;
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/api", .host = "identity.localhost:8080"}).status);
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api", .host = "127.0.0.1:8083", .listener = "crm"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/api", .host = "127.0.0.1:8083", .listener = "unknown"}).status);
    }

    void unknownHostIsNotFound()
    {
        TwoServices world;
        const auto answer = world.send({.path = "/api", .host = "evil.example"});
        CPPUNIT_ASSERT_EQUAL(404, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), answer.code());
    }

    void parametersAreDecoded()
    {
        TwoServices world;
        CPPUNIT_ASSERT_EQUAL(std::string("[con_1]"), world.send({.path = "/api/contacts/con_1"}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("[a/b c]"), world.send({.path = "/api/contacts/a%2Fb%20c"}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("[\xc3\xa4][2]"), world.send({.path = "/api/contacts/%C3%a4/notes/2"}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("[a+b]"), world.send({.path = "/api/contacts/a+b"}).body);
    }

    void hostilePathsAreNotFound()
    {
        TwoServices world;
        for (const auto* path : {"/api/",
                                 "//api",
                                 "/api//contacts",
                                 "/api/contacts/",
                                 "/api/contacts/%",
                                 "/api/contacts/%4",
                                 "/api/contacts/%zz",
                                 "/api/contacts/%00",
                                 "/api/contacts/a%0d%0aX:y",
                                 "/api/contacts/%ff",
                                 "/api/contacts/%c0%af",
                                 "/api/contacts/%ed%a0%80",
                                 "/api/../api",
                                 "/%61pi",
                                 "/API",
                                 "",
                                 "*",
                                 "api",
                                 "/api/contacts/x/notes",
                                 "/api/contacts/x/notes/y/z"})
        {
            const auto answer = world.send({.path = path});
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 404, answer.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, std::string("not_found"), answer.code());
        }
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/" + std::string(100'000, '/')}).status);
        std::string deep = "/api/contacts";
        for (int i = 0; i < 20'000; ++i) deep += "/a";
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = deep}).status);
    }

    void unknownMethodNamesTheAllowedOnes()
    {
        TwoServices world;
        const auto answer = world.send({.method = Method::Delete, .path = "/api/contacts"});
        CPPUNIT_ASSERT_EQUAL(405, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("method_not_allowed"), answer.code());
        CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, POST, OPTIONS"), answer.header("Allow"));
    }

    void aRouteMayHaveItsOwnProblemFormat()
    {
        TwoServices world;
        auto& crm = world.service("crm");
        for (const auto* pattern : {"/things", "/things/{id}"})
            crm.route(Method::Get, pattern, access::bearer(), [](Request&, Response&) { throw std::runtime_error("secret"); })
                .problemMediaType = "application/thing+text";
        world.publish();
        const auto expect = [](const Answer& answer, int status, const std::string& body)
        {
            CPPUNIT_ASSERT_EQUAL(status, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("application/thing+text"), answer.contentType);
            CPPUNIT_ASSERT_EQUAL(body, answer.body);
        };
        expect(world.send({.path = "/things"}), 401, "wrong: authentication_required");
        expect(world.send({.path = "/things", .headers = {{"Authorization", "Bearer reader"}}}), 500, "wrong: internal");
        const auto wrongMethod = world.send({.method = Method::Delete, .path = "/things/1"});
        expect(wrongMethod, 405, "wrong: method_not_allowed");
        CPPUNIT_ASSERT_EQUAL(std::string("GET, HEAD, OPTIONS"), wrongMethod.header("Allow"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), world.send({.path = "/things/1/2"}).code());
        CPPUNIT_ASSERT_EQUAL(std::string("application/problem+json"), world.send({.path = "/api/nothing"}).contentType);
        // The plugin that would write it is not loaded.
        crm.status = plugins::ServiceStatus::Disabled;
        world.publish();
        CPPUNIT_ASSERT_EQUAL(std::string("service_disabled"), world.send({.path = "/things"}).code());
    }

    void headIsLedToGet()
    {
        TwoServices world;
        CPPUNIT_ASSERT_EQUAL(200, world.send({.method = Method::Head, .path = "/api"}).status);
        CPPUNIT_ASSERT_EQUAL(405, world.send({.method = Method::Head, .path = "/api/auth/login"}).status);
    }

    void retiredPathsAreGone()
    {
        TwoServices world;
        world.service("crm").manifest->retired = {{"/old/**"}, {"/things/{id}/notes"}};
        world.publish();
        const std::vector<Call> gone = {{.path = "/sso", .query = "a=1&token=x"},
                                        {.path = "/sso", .query = "%74oken"},
                                        {.path = "/sso/handoff"},
                                        {.method = Method::Post, .path = "/sso/handoff"},
                                        {.path = "/auth/callback", .query = "token="},
                                        {.path = "/auth/callback", .query = "access_token=y"},
                                        {.method = Method::Post, .path = "/sso/exchange"},
                                        {.path = "/sso/handoff", .host = "identity.localhost:8080"},
                                        {.path = "/old"},
                                        {.method = Method::Delete, .path = "/old/a/b"},
                                        {.path = "/things/7/notes"}};
        for (const auto& call : gone)
        {
            const auto answer = world.send(call);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(call.path + "?" + call.query, 410, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("endpoint_removed"), answer.code());
        }
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/sso", .query = "tokens=x"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/auth/callback", .query = "code=x"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/older"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/old", .host = "identity.localhost:8080"}).status);
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/sso/exchange", .host = "identity.localhost:8080"}).status);
        // A query parameter more or less: what is always gone is gone.
        world.service("crm").manifest->retired = {{"/old", "a"}, {"/old", "b"}, {"/other", "a"}, {"/other"}};
        world.publish();
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/old"}).status);
        CPPUNIT_ASSERT_EQUAL(410, world.send({.path = "/old", .query = "b"}).status);
        CPPUNIT_ASSERT_EQUAL(410, world.send({.path = "/other"}).status);
        // Another service retires no route that this one has.
        world.service("crm").route(Method::Get, "/sso/handoff", access::open());
        world.publish();
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/sso/handoff"}).status);
        world.service("crm").manifest->retired = {{"/sso/handoff"}};
        CPPUNIT_ASSERT_THROW(world.publish(), std::invalid_argument);
    }

    void servicesThatDoNotServe()
    {
        TwoServices world;
        using Status = plugins::ServiceStatus;
        for (const auto& [status, code] :
             {std::pair(Status::Disabled, "service_disabled"), std::pair(Status::Quarantined, "service_quarantined"),
              std::pair(Status::Failed, "service_disabled")})
        {
            world.service("crm").status = status;
            world.publish();
            const auto answer = world.send({.path = "/api"});
            CPPUNIT_ASSERT_EQUAL(503, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string(code), answer.code());
            CPPUNIT_ASSERT(!answer.header("Retry-After").empty());
            CPPUNIT_ASSERT_EQUAL(std::string("404"), get(world, "/nothing"));
            CPPUNIT_ASSERT_EQUAL(std::string("200"), get(world, "/healthz"));
            CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/sso/exchange", .host = "identity.localhost:8080"}).status);
        }
    }

    void serviceThatNeverRanAnswersEverywhere()
    {
        TwoServices world;
        world.service("social").status = plugins::ServiceStatus::Quarantined;
        world.publish();
        const auto answer = world.send({.path = "/whatever", .host = "social.localhost:8080"});
        CPPUNIT_ASSERT_EQUAL(503, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_quarantined"), answer.code());
        CPPUNIT_ASSERT_EQUAL(401, world.send({.path = "/api/auth/me", .host = "social.localhost:8080"}).status);
    }

    void incompleteRegistrationClosesProtectedRoutesOnly()
    {
        TwoServices world;
        world.service("crm").registered = false;
        world.publish();
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api"}).status);
        const auto answer = world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}});
        CPPUNIT_ASSERT_EQUAL(503, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_disabled"), answer.code());
    }

    void gatewayIsServedOnEveryOrigin()
    {
        TwoServices world;
        const std::pair<std::string, std::string> token("Authorization", "Bearer reader");
        CPPUNIT_ASSERT_EQUAL(std::string("crm usr_reader"), world.send({.path = "/api/auth/validate", .headers = {token}}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), world.credentials.lastAudience());
        CPPUNIT_ASSERT_EQUAL(std::string("404"), get(world, "/validate"));
        CPPUNIT_ASSERT_EQUAL(std::string("404"), get(world, "/api/organizations"));

        const std::string home = "identity.localhost:8080";
        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/validate", .headers = {token}, .host = home}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("identity"), world.credentials.lastAudience());
        CPPUNIT_ASSERT_EQUAL(200,
                             world.send({.path = "/api/auth/validate", .headers = {token, {"X-Service-ID", "crm"}}, .host = home}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), world.credentials.lastAudience());
        // Elsewhere than on gateway rows the header means nothing.
        CPPUNIT_ASSERT_EQUAL(200,
                             world.send({.path = "/api/organizations", .headers = {token, {"X-Service-ID", "crm"}}, .host = home}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("identity"), world.credentials.lastAudience());

        CPPUNIT_ASSERT_EQUAL(200, world.send({.path = "/api/auth/me", .headers = {token, {"X-Service-ID", "crm"}}}).status);
        const auto mismatch = world.send({.path = "/api/auth/me", .headers = {token, {"X-Service-ID", "identity"}}});
        CPPUNIT_ASSERT_EQUAL(400, mismatch.status);
        CPPUNIT_ASSERT_EQUAL(std::string("service_mismatch"), mismatch.code());
    }

    void gatewayWithoutProviderIsUnavailable()
    {
        World world;
        world.service("crm").route(Method::Get, "/api", access::open());
        world.publish();
        CPPUNIT_ASSERT_EQUAL(503, world.send({.path = "/api/auth/me"}).status);
        CPPUNIT_ASSERT_EQUAL(404, world.send({.path = "/api/other"}).status);
    }

    void exceptionsBecomeProblemsWithoutTheirTexts()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/problem", access::open(),
                  [](Request&, Response&)
                  { throw Problem::conflict("slug_in_use", "Taken").withDetails(R"({"slug":"a"})").withHeader("X-Hint", "b"); });
        crm.route(Method::Get, "/exception", access::open(), [](Request&, Response&) { throw std::runtime_error("secret /etc/file"); });
        crm.route(Method::Get, "/nonsense", access::open(), [](Request&, Response&) { throw 7; });
        world.publish();

        const auto problem = world.send({.path = "/problem"});
        CPPUNIT_ASSERT_EQUAL(409, problem.status);
        CPPUNIT_ASSERT_EQUAL(std::string("slug_in_use"), problem.code());
        CPPUNIT_ASSERT_EQUAL(std::string("b"), problem.header("X-Hint"));
        CPPUNIT_ASSERT(problem.body.find(R"("details":{"slug":"a"})") != std::string::npos);

        const auto failure = world.send({.path = "/exception"});
        CPPUNIT_ASSERT_EQUAL(500, failure.status);
        CPPUNIT_ASSERT_EQUAL(std::string("internal"), failure.code());
        CPPUNIT_ASSERT(failure.body.find("secret") == std::string::npos);
        CPPUNIT_ASSERT(world.log.text().find("error=secret /etc/file") != std::string::npos);
        CPPUNIT_ASSERT(world.log.text().find("requestId=req-1") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("internal"), world.send({.path = "/nonsense"}).code());
    }

    void databaseErrorsSayWhetherToTryAgain()
    {
        World world;
        using Kind = DatabaseError::Kind;
        auto kind = Kind::Busy;
        world.service("crm").route(Method::Get, "/", access::open(),
                                   [&kind](Request&, Response&) { throw DatabaseError(kind, "XX000", "", "text"); });
        world.publish();
        for (const auto& [thrown, status, code] :
             {std::tuple(Kind::Busy, 503, "overloaded"), std::tuple(Kind::Unavailable, 503, "overloaded"),
              std::tuple(Kind::Serialization, 503, "overloaded"), std::tuple(Kind::UniqueViolation, 500, "internal"),
              std::tuple(Kind::Other, 500, "internal")})
        {
            kind = thrown;
            const auto answer = world.send({});
            CPPUNIT_ASSERT_EQUAL(status, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string(code), answer.code());
            CPPUNIT_ASSERT_EQUAL(status == 503, !answer.header("Retry-After").empty());
        }
    }

    void halfFilledResponsesAreDropped()
    {
        World world;
        world.service("crm").route(Method::Get, "/", access::open(),
                                   [](Request&, Response& response)
                                   {
                                       response.json(200, "{\"half\":");
                                       response.addHeader("Set-Cookie", "a=b");
                                       throw Problem::notFound();
                                   });
        world.publish();
        const auto answer = world.send({});
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), answer.code());
        CPPUNIT_ASSERT_EQUAL(std::string(), answer.header("Set-Cookie"));
    }

    void serverRefusalsAreProblems()
    {
        TwoServices world;
        OpenExchange early({}, world.clock);
        world.dispatcher().refuse(early.exchange, 431, "headers_too_large", "Too long.");
        CPPUNIT_ASSERT_EQUAL(std::string("headers_too_large"), World::answerOf(early.exchange).code());
        world.dispatcher().finished(early.exchange);

        OpenExchange late({.method = Method::Post, .path = "/api/contacts", .headers = {{"Origin", "http://crm.localhost:8080"}}},
                          world.clock);
        world.dispatcher().admit(late.exchange);
        world.dispatcher().refuse(late.exchange, 413, "payload_too_large", "");
        const auto answer = World::answerOf(late.exchange);
        CPPUNIT_ASSERT_EQUAL(std::string("payload_too_large"), answer.code());
        CPPUNIT_ASSERT_EQUAL(std::string("http://crm.localhost:8080"), answer.header("Access-Control-Allow-Origin"));
        world.dispatcher().finished(late.exchange);
    }

    void pagesHaveAPolicy()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/api", access::open());
        crm.route(Method::Get, "/page", access::open(),
                  [](Request&, Response& response) { response.contentType = "text/html; charset=utf-8"; });
        crm.route(Method::Get, "/own", access::open(),
                  [](Request&, Response& response)
                  {
                      response.contentType = "text/html";
                      response.addHeader("Content-Security-Policy", "default-src 'none'");
                  });
        world.publish();
        CPPUNIT_ASSERT_EQUAL(std::string(), world.send({.path = "/api"}).header("Content-Security-Policy"));
        CPPUNIT_ASSERT_EQUAL(std::string("no-store"), world.send({.path = "/api"}).cacheControl);
        const auto page = world.send({.path = "/page"});
        CPPUNIT_ASSERT_EQUAL(std::string("strict-origin-when-cross-origin"), page.header("Referrer-Policy"));
        CPPUNIT_ASSERT(page.header("Content-Security-Policy").starts_with("default-src 'self'"));
        CPPUNIT_ASSERT_EQUAL(std::string("default-src 'none'"), world.send({.path = "/own"}).header("Content-Security-Policy"));
    }

    void cacheControlOfTheRouteIsForSuccess()
    {
        World world;
        bool fails = false;
        world.service("crm")
            .route(Method::Get, "/", access::open(),
                   [&fails](Request&, Response& response)
                   {
                       if (fails) throw Problem::notFound();
                       response.json(200, "{}");
                   })
            .cacheControl = "public, max-age=60";
        world.publish();
        CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=60"), world.send({}).cacheControl);
        fails = true;
        CPPUNIT_ASSERT_EQUAL(std::string("no-store"), world.send({}).cacheControl);
    }

    void responsesToRevalidateHaveAnEntityTag()
    {
        World world;
        std::string body = "[1]", own;
        const auto answer = [&](Request&, Response& response)
        {
            response.json(body.empty() ? 404 : 200, body);
            response.etag = own;
        };
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/", access::open(), answer).cacheControl = "private, no-cache";
        crm.route(Method::Post, "/", access::open(), answer).cacheControl = "private, no-cache";
        crm.route(Method::Get, "/plain", access::open(), answer);
        world.publish();
        const auto first = world.send({}).etag;
        CPPUNIT_ASSERT_EQUAL(std::size_t{34}, first.size());
        CPPUNIT_ASSERT(first.front() == '"' && first.back() == '"');
        CPPUNIT_ASSERT_EQUAL(first, world.send({}).etag);
        CPPUNIT_ASSERT_EQUAL(std::string(), world.send({.path = "/plain"}).etag);
        CPPUNIT_ASSERT_EQUAL(std::string(), world.send({.method = Method::Post}).etag);
        body = "[2]";
        CPPUNIT_ASSERT(world.send({}).etag != first);
        own = "\"7\"";
        CPPUNIT_ASSERT_EQUAL(own, world.send({}).etag);
        own.clear();
        body.clear();
        CPPUNIT_ASSERT_EQUAL(std::string(), world.send({}).etag);
    }

    void bodiesAreBoundedAsDeclared()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Post, "/json", access::open()).body = BodyKind::Json;
        auto& large = crm.route(Method::Post, "/large", access::open());
        large.body = BodyKind::Raw;
        large.bodyLimit = 1024 * 1024;
        crm.route(Method::Post, "/upload", access::bearer()).body = BodyKind::Upload;
        crm.route(Method::Post, "/none", access::open());
        world.publish();
        const auto admit = [&world](const std::string& path) {
            return world.send({.method = Method::Post, .path = path, .headers = {{"Authorization", "Bearer x"}}}).admission;
        };
        CPPUNIT_ASSERT(admit("/json").body == http::BodyMode::Memory);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(256 * 1024), admit("/json").bodyLimit);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1024 * 1024), admit("/large").bodyLimit);
        CPPUNIT_ASSERT(admit("/upload").body == http::BodyMode::File);
        CPPUNIT_ASSERT(admit("/upload").prepareFirst);
        CPPUNIT_ASSERT(!admit("/json").prepareFirst);
        CPPUNIT_ASSERT(admit("/none").body == http::BodyMode::None);
    }

    void formsHaveRoomAroundTheirFile()
    {
        World world;
        auto& crm = world.service("crm");
        auto& files = crm.route(Method::Post, "/files", access::bearer());
        files.body = BodyKind::Upload;
        files.bodyLimit = 1'000;
        crm.route(Method::Post, "/json", access::open()).body = BodyKind::Json;
        world.publish();
        const auto limitOf = [&world](const std::string& contentType)
        {
            return world
                .send({.method = Method::Post, .path = "/files", .headers = {{"Content-Type", contentType}, {"Authorization", "Bearer x"}}})
                .admission.bodyLimit;
        };
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1'000), limitOf("image/png"));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1'000 + 65'536), limitOf("Multipart/Form-Data; boundary=b"));

        const auto refusalAt = [&world](const std::string& path)
        {
            OpenExchange exchange({.method = Method::Post, .path = path}, world.clock);
            world.dispatcher().admit(exchange.exchange);
            world.dispatcher().refuse(exchange.exchange, 413, "payload_too_large", "");
            const auto body = exchange.exchange.response.body;
            world.dispatcher().finished(exchange.exchange);
            return body;
        };
        const std::string fields = R"("fields":[{"field":"file","code":"too_large","limit":1000}])";
        CPPUNIT_ASSERT(refusalAt("/files").find(fields) != std::string::npos);
        CPPUNIT_ASSERT(refusalAt("/json").find("fields") == std::string::npos);
    }

    /// Which the server limits, so that one tenant's silent provider does not take the threads of all.
    void longWorkBelongsToATenant()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Post, "/import", access::bearer()).execution = Execution::Long;
        crm.route(Method::Get, "/list", access::bearer());
        crm.route(Method::Get, "/providers/{id}/start", access::open()).execution = Execution::Long;
        crm.route(Method::Get, "/callback", access::open()).execution = Execution::Long;
        for (const auto* name : {"ada", "ben", "eve"}) world.caller(name);
        world.caller("ada").organizationId = world.caller("ben").organizationId = "org_acme";
        world.publish();
        const auto tenant = [&](Call call, const std::string& token = {})
        {
            if (!token.empty()) call.headers.emplace_back("Authorization", "Bearer " + token);
            OpenExchange open(call, world.clock);
            world.start(open);
            const auto value = open.exchange.tenant;
            world.dispatcher().finished(open.exchange);
            return value;
        };
        const Call import{.method = Method::Post, .path = "/import"};
        const auto acme = tenant(import, "ada");
        CPPUNIT_ASSERT(acme != 0);
        CPPUNIT_ASSERT_EQUAL(acme, tenant(import, "ben"));
        CPPUNIT_ASSERT(acme != tenant(import, "eve") && tenant(import, "eve") != 0);
        // The caller is known before the request waits for a thread.
        CPPUNIT_ASSERT(
            world.send({.method = Method::Post, .path = "/import", .headers = {{"Authorization", "Bearer ada"}}}).admission.prepareFirst);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, tenant({.path = "/list"}, "ada"));
        // Without a caller: what the path names, however many networks ask for it; else the network.
        const auto one = tenant({.path = "/providers/one/start", .client = "192.0.2.7"});
        CPPUNIT_ASSERT(one != 0);
        CPPUNIT_ASSERT_EQUAL(one, tenant({.path = "/providers/one/start", .client = "198.51.100.9"}));
        CPPUNIT_ASSERT(one != tenant({.path = "/providers/two/start", .client = "192.0.2.7"}));
        CPPUNIT_ASSERT(tenant({.path = "/callback", .client = "192.0.2.7"}) != tenant({.path = "/callback", .client = "192.0.2.8"}));
    }

    void onlyOpenRoutesRunOnTheLoop()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/open", access::open()).execution = Execution::EventLoop;
        crm.route(Method::Get, "/closed", access::bearer()).execution = Execution::EventLoop;
        crm.route(Method::Get, "/hash", access::open()).execution = Execution::Heavy;
        crm.route(Method::Get, "/import", access::open()).execution = Execution::Long;
        auto& keyed = crm.route(Method::Post, "/keyed", access::open());
        keyed.execution = Execution::EventLoop;
        keyed.idempotencyKey = true;
        world.publish();
        CPPUNIT_ASSERT(world.send({.path = "/open"}).admission.lane == http::Lane::Loop);
        CPPUNIT_ASSERT(world.send({.path = "/closed"}).admission.lane == http::Lane::Worker);
        CPPUNIT_ASSERT(world.send({.path = "/hash"}).admission.lane == http::Lane::Heavy);
        CPPUNIT_ASSERT(world.send({.path = "/import"}).admission.lane == http::Lane::Long);
        CPPUNIT_ASSERT(world.send({.method = Method::Post, .path = "/keyed"}).admission.lane == http::Lane::Loop);
        CPPUNIT_ASSERT(
            world.send({.method = Method::Post, .path = "/keyed", .headers = {{"Idempotency-Key", "12345678"}}}).admission.lane ==
            http::Lane::Worker);
    }

    void readsShortlyOnTheLoop()
    {
        World world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/read", access::bearerOrKey("", "")).execution = Execution::ShortRead;
        crm.route(Method::Get, "/open", access::open()).execution = Execution::ShortRead;
        crm.route(Method::Post, "/write", access::bearer()).execution = Execution::ShortRead;
        world.caller("token");
        world.publish();
        const Call read{.path = "/read", .headers = {{"Authorization", "Bearer token"}}};
        const auto lane = [&](const Call& call)
        {
            const auto answer = world.send(call);
            CPPUNIT_ASSERT_EQUAL(200, answer.status);
            return answer.admission.lane;
        };
        // Nobody knows the caller yet, then the database is not at hand.
        CPPUNIT_ASSERT(lane(read) == http::Lane::Worker);
        CPPUNIT_ASSERT(lane(read) == http::Lane::Worker);
        CPPUNIT_ASSERT(lane({.path = "/open"}) == http::Lane::Worker);
        crm.readsAtHand = true;
        CPPUNIT_ASSERT(lane(read) == http::Lane::Loop);
        CPPUNIT_ASSERT(lane({.path = "/open"}) == http::Lane::Loop);
        CPPUNIT_ASSERT(lane({.method = Method::Post, .path = "/write", .headers = read.headers}) == http::Lane::Worker);
        CPPUNIT_ASSERT(lane({.path = "/read", .headers = {{"X-Api-Key", "token"}}}) == http::Lane::Loop);
        // Until a body has come the caller may have lost every right.
        const auto withBody = [&](const char* name, const char* value) {
            return lane({.path = "/read", .headers = {{"Authorization", "Bearer token"}, {name, value}}});
        };
        CPPUNIT_ASSERT(withBody("Content-Length", "5") == http::Lane::Worker);
        CPPUNIT_ASSERT(withBody("Transfer-Encoding", "chunked") == http::Lane::Worker);
        CPPUNIT_ASSERT(withBody("Content-Length", "0") == http::Lane::Loop);
        // What a query adds need not be short.
        CPPUNIT_ASSERT(lane({.path = "/read", .query = "include=all", .headers = read.headers}) == http::Lane::Worker);
        const int asked = world.credentials.validations;
        CPPUNIT_ASSERT(lane(read) == http::Lane::Loop);
        CPPUNIT_ASSERT_EQUAL(asked, world.credentials.validations);
        world.credentials.forgetful = true;
        CPPUNIT_ASSERT(lane(read) == http::Lane::Worker);
    }

    void judgesOnTheLoopAsOnAWorker()
    {
        World world;
        auto& crm = world.service("crm");
        crm.readsAtHand = true;
        crm.manifest->permissions = {"crm.contacts:read"};
        crm.route(Method::Get, "/read", access::bearer("crm.contacts:read")).execution = Execution::ShortRead;
        crm.route(Method::Get, "/any", access::bearer()).execution = Execution::ShortRead;
        world.caller("token");
        world.publish();
        const auto send = [&](std::string path, std::string credential) {
            return world.send({.path = std::move(path), .headers = {{"Authorization", std::move(credential)}}});
        };
        CPPUNIT_ASSERT_EQUAL(200, send("/any", "Bearer token").status);
        const auto refused = send("/read", "Bearer token");
        CPPUNIT_ASSERT_EQUAL(403, refused.status);
        CPPUNIT_ASSERT(refused.admission.lane == http::Lane::Loop);
        for (const auto* bad : {"Bearer other", "Bearer", "Basic token", ""})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(bad, 401, send("/any", bad).status);
        world.credentials.fail = [] { throw std::runtime_error("no database"); };
        CPPUNIT_ASSERT_EQUAL(std::string("validation_unavailable"), send("/any", "Bearer token").code());
    }

    void keepsTheLoopFromALongReadThatTakesTheRoute()
    {
        for (const bool stays : {true, false})
        {
            World world;
            auto& crm = world.service("crm");
            crm.readsAtHand = true;
            int handled = 0;
            crm.route(Method::Get, "/read", access::open(), [&handled](Request&, Response&) { ++handled; }).execution =
                Execution::ShortRead;
            world.publish();
            OpenExchange open({.path = "/read"}, world.clock);
            CPPUNIT_ASSERT(world.dispatcher().admit(open.exchange).lane == http::Lane::Loop);
            // Replaced before the handler's turn.
            const auto old = crm.generation;
            crm.routes.front().execution = stays ? Execution::ShortRead : Execution::Worker;
            world.publish();
            CPPUNIT_ASSERT(old->drain(std::chrono::milliseconds(0)));
            world.dispatcher().handle(open.exchange);
            CPPUNIT_ASSERT_EQUAL(stays ? 200 : 503, open.exchange.response.status);
            CPPUNIT_ASSERT_EQUAL(stays ? 1 : 0, handled);
            world.dispatcher().finished(open.exchange);
        }
    }

    void accessLogLeavesTheQueryOut()
    {
        Settings settings;
        settings.accessLog = true;
        TwoServices world(settings);
        world.send({.path = "/api/contacts/7", .query = "secret=1"});
        const auto text = world.log.text();
        for (const auto* part : {"requestId=req-1", "service=crm", "method=GET", "path=/api/contacts/7", "route=GET /api/contacts/{id}",
                                 "status=200", "client=192.0.2.7", "delivered=true"})
            CPPUNIT_ASSERT_MESSAGE(part, text.find(part) != std::string::npos);
        CPPUNIT_ASSERT(text.find("secret") == std::string::npos);
    }

    void withoutAccessLogFailuresAreLogged()
    {
        TwoServices world;
        world.send({.path = "/api"});
        CPPUNIT_ASSERT_EQUAL(std::string(), world.log.text());
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/fails", access::open(), [](Request&, Response& response) { response.status = 500; });
        crm.route(Method::Get, "/busy", access::open(), [](Request&, Response& response) { response.status = 503; });
        world.publish();
        world.send({.path = "/busy"});
        OpenExchange strange({}, world.clock);
        world.dispatcher().refuse(strange.exchange, 501, "method_not_implemented", "This method is not served.");
        world.dispatcher().finished(strange.exchange);
        CPPUNIT_ASSERT_EQUAL(std::string(), world.log.text());
        world.send({.path = "/fails"});
        CPPUNIT_ASSERT(world.log.text().find("status=500") != std::string::npos);
        crm.route(Method::Get, "/odd", access::open(), [](Request&, Response& response) { response.status = 42; });
        world.publish();
        CPPUNIT_ASSERT_EQUAL(std::string("internal"), world.send({.path = "/odd"}).code());
        CPPUNIT_ASSERT(world.log.text().find("a handler answered with the status 42") != std::string::npos);
    }

    void metersCountByRoute()
    {
        TwoServices world;
        for (int i = 0; i < 3; ++i) world.send({.path = "/api/contacts/" + std::to_string(i)});
        world.send({.path = "/nothing"});
        world.publish();
        world.send({.path = "/api/contacts/9"});
        bool found = false;
        for (const auto& sample : world.meters.samples())
        {
            if (sample.service == "crm" && sample.route.empty()) CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), sample.answers.at(404));
            if (sample.service != "crm" || sample.route != "GET /api/contacts/{id}") continue;
            found = true;
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(4), sample.answers.at(200));
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(4), sample.latency.front());
        }
        CPPUNIT_ASSERT(found);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(DispatchTest);

} // namespace routing_tests
