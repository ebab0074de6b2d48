#include "World.h"

#include "support/Suite.h"

#include "portico/Database.h"

#include <boost/json.hpp>

namespace routing_tests
{

/// Routing of requests, and answers for unknown targets.
class DispatchTest : public Suite<DispatchTest>
{
    static std::string get(World& world, const std::string& path) { return std::to_string(world.send({.path = path}).status); }

    TEST(findsTheServiceByHostOrListener)
    {
        TwoServices world;
        equal(200, world.send({.path = "/api"}).status);
        equal(404, world.send({.path = "/api", .host = "identity.localhost:8080"}).status);
        equal(200, world.send({.path = "/api", .host = "127.0.0.1:8083", .listener = "crm"}).status);
        equal(404, world.send({.path = "/api", .host = "127.0.0.1:8083", .listener = "unknown"}).status);
    }

    TEST(unknownHostIsNotFound)
    {
        TwoServices world;
        const auto answer = world.send({.path = "/api", .host = "evil.example"});
        refused(answer, 404, "not_found");
    }

    TEST(parametersAreDecoded)
    {
        TwoServices world;
        equal("[con_1]", world.send({.path = "/api/contacts/con_1"}).body);
        equal("[a/b c]", world.send({.path = "/api/contacts/a%2Fb%20c"}).body);
        equal("[\xc3\xa4][2]", world.send({.path = "/api/contacts/%C3%a4/notes/2"}).body);
        equal("[a+b]", world.send({.path = "/api/contacts/a+b"}).body);
    }

    TEST(hostilePathsAreNotFound)
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
            refused(answer, 404, "not_found", path);
        }
        equal(404, world.send({.path = "/" + std::string(100'000, '/')}).status);
        std::string deep = "/api/contacts";
        for (int i = 0; i < 20'000; ++i) deep += "/a";
        equal(404, world.send({.path = deep}).status);
    }

    TEST(unknownMethodNamesTheAllowedOnes)
    {
        TwoServices world;
        const auto answer = world.send({.method = Method::Delete, .path = "/api/contacts"});
        refused(answer, 405, "method_not_allowed");
        equal("GET, HEAD, POST, OPTIONS", answer.header("Allow"));
    }

    TEST(aRouteMayHaveItsOwnProblemFormat)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        for (const auto* pattern : {"/things", "/things/{id}"})
            crm.route(Method::Get, pattern, access::bearer(), [](Request&, Response&) { throw std::runtime_error("secret"); })
                .problemMediaType = "application/thing+text";
        world.publish();
        const auto expect = [](const Answer& answer, int status, const std::string& body)
        {
            equal(status, answer.status);
            equal("application/thing+text", answer.contentType);
            equal(body, answer.body);
        };
        expect(world.send({.path = "/things"}), 401, "wrong: authentication_required");
        expect(world.send({.path = "/things", .headers = {{"Authorization", "Bearer reader"}}}), 500, "wrong: internal");
        const auto wrongMethod = world.send({.method = Method::Delete, .path = "/things/1"});
        expect(wrongMethod, 405, "wrong: method_not_allowed");
        equal("GET, HEAD, OPTIONS", wrongMethod.header("Allow"));
        equal("not_found", world.send({.path = "/things/1/2"}).code());
        equal("application/problem+json", world.send({.path = "/api/nothing"}).contentType);
        // The plugin that would write it is not loaded.
        crm.status = plugins::ServiceStatus::Disabled;
        world.publish();
        equal("service_disabled", world.send({.path = "/things"}).code());
    }

    TEST(headIsLedToGet)
    {
        TwoServices world;
        equal(200, world.send({.method = Method::Head, .path = "/api"}).status);
        equal(405, world.send({.method = Method::Head, .path = "/api/auth/login"}).status);
    }

    TEST(retiredPathsAreGone)
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
            refused(answer, 410, "endpoint_removed", call.path + "?" + call.query);
        }
        equal(404, world.send({.path = "/sso", .query = "tokens=x"}).status);
        equal(404, world.send({.path = "/auth/callback", .query = "code=x"}).status);
        equal(404, world.send({.path = "/older"}).status);
        equal(404, world.send({.path = "/old", .host = "identity.localhost:8080"}).status);
        equal(200, world.send({.path = "/sso/exchange", .host = "identity.localhost:8080"}).status);
        // A query parameter more or less: what is always gone is gone.
        world.service("crm").manifest->retired = {{"/old", "a"}, {"/old", "b"}, {"/other", "a"}, {"/other"}};
        world.publish();
        equal(404, world.send({.path = "/old"}).status);
        equal(410, world.send({.path = "/old", .query = "b"}).status);
        equal(410, world.send({.path = "/other"}).status);
        // Another service retires no route that this one has.
        world.service("crm").route(Method::Get, "/sso/handoff", access::open());
        world.publish();
        equal(200, world.send({.path = "/sso/handoff"}).status);
        world.service("crm").manifest->retired = {{"/sso/handoff"}};
        CPPUNIT_ASSERT_THROW(world.publish(), std::invalid_argument);
    }

    TEST(servicesThatDoNotServe)
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
            refused(answer, 503, code);
            CHECK(!answer.header("Retry-After").empty());
            equal("404", get(world, "/nothing"));
            equal("200", get(world, "/healthz"));
            equal(200, world.send({.path = "/sso/exchange", .host = "identity.localhost:8080"}).status);
        }
    }

    TEST(serviceThatNeverRanAnswersEverywhere)
    {
        TwoServices world;
        world.service("social").status = plugins::ServiceStatus::Quarantined;
        world.publish();
        const auto answer = world.send({.path = "/whatever", .host = "social.localhost:8080"});
        refused(answer, 503, "service_quarantined");
        equal(401, world.send({.path = "/api/auth/me", .host = "social.localhost:8080"}).status);
    }

    TEST(incompleteRegistrationClosesProtectedRoutesOnly)
    {
        TwoServices world;
        world.service("crm").registered = false;
        world.publish();
        equal(200, world.send({.path = "/api"}).status);
        const auto answer = world.send({.path = "/api/contacts", .headers = {{"Authorization", "Bearer reader"}}});
        refused(answer, 503, "service_disabled");
    }

    TEST(gatewayIsServedOnEveryOrigin)
    {
        TwoServices world;
        const std::pair<std::string, std::string> token("Authorization", "Bearer reader");
        equal("crm usr_reader", world.send({.path = "/api/auth/validate", .headers = {token}}).body);
        equal("crm", world.credentials.lastAudience());
        equal("404", get(world, "/validate"));
        equal("404", get(world, "/api/organizations"));

        const std::string home = "identity.localhost:8080";
        equal(200, world.send({.path = "/validate", .headers = {token}, .host = home}).status);
        equal("identity", world.credentials.lastAudience());
        equal(200, world.send({.path = "/api/auth/validate", .headers = {token, {"X-Service-ID", "crm"}}, .host = home}).status);
        equal("crm", world.credentials.lastAudience());
        // Elsewhere than on gateway rows the header means nothing.
        equal(200, world.send({.path = "/api/organizations", .headers = {token, {"X-Service-ID", "crm"}}, .host = home}).status);
        equal("identity", world.credentials.lastAudience());

        equal(200, world.send({.path = "/api/auth/me", .headers = {token, {"X-Service-ID", "crm"}}}).status);
        const auto mismatch = world.send({.path = "/api/auth/me", .headers = {token, {"X-Service-ID", "identity"}}});
        refused(mismatch, 400, "service_mismatch");
    }

    TEST(gatewayWithoutProviderIsUnavailable)
    {
        World world;
        world.service("crm").route(Method::Get, "/api", access::open());
        world.publish();
        equal(503, world.send({.path = "/api/auth/me"}).status);
        equal(404, world.send({.path = "/api/other"}).status);
    }

    TEST(exceptionsBecomeProblemsWithoutTheirTexts)
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
        refused(problem, 409, "slug_in_use");
        equal("b", problem.header("X-Hint"));
        CHECK(problem.body.find(R"("details":{"slug":"a"})") != std::string::npos);

        const auto failure = world.send({.path = "/exception"});
        refused(failure, 500, "internal");
        CHECK(failure.body.find("secret") == std::string::npos);
        CHECK(world.log.text().find("error=secret /etc/file") != std::string::npos);
        CHECK(world.log.text().find("requestId=req-1") != std::string::npos);
        equal("internal", world.send({.path = "/nonsense"}).code());
    }

    TEST(databaseErrorsSayWhetherToTryAgain)
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
            refused(answer, status, code);
            equal(status == 503, !answer.header("Retry-After").empty());
        }
    }

    TEST(halfFilledResponsesAreDropped)
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
        equal("not_found", answer.code());
        equal("", answer.header("Set-Cookie"));
    }

    TEST(serverRefusalsAreProblems)
    {
        TwoServices world;
        OpenExchange early({}, world.clock);
        world.dispatcher().refuse(early.exchange, 431, "headers_too_large", "Too long.");
        equal("headers_too_large", World::answerOf(early.exchange).code());
        world.dispatcher().finished(early.exchange);

        OpenExchange late({.method = Method::Post, .path = "/api/contacts", .headers = {{"Origin", "http://crm.localhost:8080"}}},
                          world.clock);
        world.dispatcher().admit(late.exchange);
        world.dispatcher().refuse(late.exchange, 413, "payload_too_large", "");
        const auto answer = World::answerOf(late.exchange);
        equal("payload_too_large", answer.code());
        equal("http://crm.localhost:8080", answer.header("Access-Control-Allow-Origin"));
        world.dispatcher().finished(late.exchange);
    }

    TEST(pagesHaveAPolicy)
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
        equal("", world.send({.path = "/api"}).header("Content-Security-Policy"));
        equal("no-store", world.send({.path = "/api"}).cacheControl);
        const auto page = world.send({.path = "/page"});
        equal("strict-origin-when-cross-origin", page.header("Referrer-Policy"));
        CHECK(page.header("Content-Security-Policy").starts_with("default-src 'self'"));
        equal("default-src 'none'", world.send({.path = "/own"}).header("Content-Security-Policy"));
    }

    TEST(peopleGetAPageInsteadOfADocument)
    {
        World world;
        int status = 403;
        world.service("crm").route(Method::Get, "/lists", access::open(),
                                   [&status](Request&, Response&) { throw Problem(status, "a_code", "For operators only."); });
        world.publish();
        const auto asked = [&](const std::string& accept) { return world.send({.path = "/lists", .headers = {{"Accept", accept}}}); };
        for (const auto& [each, title] : {std::pair(403, "You don't have access to this page"), std::pair(404, "Page not found")})
        {
            status = each;
            const auto page = asked("text/html,*/*");
            equal(each, page.status);
            equal("text/html; charset=utf-8", page.contentType);
            CHECK(page.body.find(std::string(title).substr(0, 7)) != std::string::npos);
            CHECK(page.body.find("For operators only.") != std::string::npos);
            refused(asked("application/json"), each, "a_code");
        }
    }

    TEST(pagesAboutMissingRightsSpeakGerman)
    {
        World world;
        std::string code = "permission_denied";
        world.service("crm").route(Method::Get, "/lists", access::open(),
                                   [&code](Request&, Response&) { throw Problem::forbidden(code, "The permission x is needed."); });
        world.publish();
        const auto shows = [&](const std::string& language, std::string_view text)
        {
            const auto page = world.send({.path = "/lists", .headers = {{"Accept", "text/html"}, {"Accept-Language", language}}});
            return page.body.find(text) != std::string::npos;
        };
        CHECK(shows("en", "The permission x is needed."));
        CHECK(shows("de", "Ihrem Konto fehlt die nötige Berechtigung."));
        CHECK(!shows("de", "The permission x is needed."));
        code = "service_access_denied";
        CHECK(shows("de", "Dieser Dienst steht Ihnen in diesem Arbeitsbereich nicht offen."));
        // Other problems have no German sentence.
        code = "a_code";
        CHECK(shows("de", "<p lang=\"en\">The permission x is needed.</p>"));
    }

    TEST(cacheControlOfTheRouteIsForSuccess)
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
        equal("public, max-age=60", world.send({}).cacheControl);
        fails = true;
        equal("no-store", world.send({}).cacheControl);
    }

    TEST(responsesToRevalidateHaveAnEntityTag)
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
        equal(34, first.size());
        CHECK(first.front() == '"' && first.back() == '"');
        equal(first, world.send({}).etag);
        equal("", world.send({.path = "/plain"}).etag);
        equal("", world.send({.method = Method::Post}).etag);
        body = "[2]";
        CHECK(world.send({}).etag != first);
        own = "\"7\"";
        equal(own, world.send({}).etag);
        own.clear();
        body.clear();
        equal("", world.send({}).etag);
    }

    TEST(bodiesAreBoundedAsDeclared)
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
        CHECK(admit("/json").body == http::BodyMode::Memory);
        equal(std::uint64_t(256 * 1024), admit("/json").bodyLimit);
        equal(std::uint64_t(1024 * 1024), admit("/large").bodyLimit);
        CHECK(admit("/upload").body == http::BodyMode::File);
        CHECK(admit("/upload").prepareFirst);
        CHECK(!admit("/json").prepareFirst);
        CHECK(admit("/none").body == http::BodyMode::None);
    }

    TEST(formsHaveRoomAroundTheirFile)
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
        equal(1'000, limitOf("image/png"));
        equal(std::uint64_t(1'000 + 65'536), limitOf("Multipart/Form-Data; boundary=b"));

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
        CHECK(refusalAt("/files").find(fields) != std::string::npos);
        CHECK(refusalAt("/json").find("fields") == std::string::npos);
    }

    /// Which the server limits, so that one tenant's silent provider does not take the threads of all.
    TEST(longWorkBelongsToATenant)
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
        CHECK(acme != 0);
        equal(acme, tenant(import, "ben"));
        CHECK(acme != tenant(import, "eve") && tenant(import, "eve") != 0);
        // The caller is known before the request waits for a thread.
        CHECK(world.send({.method = Method::Post, .path = "/import", .headers = {{"Authorization", "Bearer ada"}}}).admission.prepareFirst);
        equal(0, tenant({.path = "/list"}, "ada"));
        // Without a caller: what the path names, however many networks ask for it; else the network.
        const auto one = tenant({.path = "/providers/one/start", .client = "192.0.2.7"});
        CHECK(one != 0);
        equal(one, tenant({.path = "/providers/one/start", .client = "198.51.100.9"}));
        CHECK(one != tenant({.path = "/providers/two/start", .client = "192.0.2.7"}));
        CHECK(tenant({.path = "/callback", .client = "192.0.2.7"}) != tenant({.path = "/callback", .client = "192.0.2.8"}));
    }

    TEST(onlyOpenRoutesRunOnTheLoop)
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
        CHECK(world.send({.path = "/open"}).admission.lane == http::Lane::Loop);
        CHECK(world.send({.path = "/closed"}).admission.lane == http::Lane::Worker);
        CHECK(world.send({.path = "/hash"}).admission.lane == http::Lane::Heavy);
        CHECK(world.send({.path = "/import"}).admission.lane == http::Lane::Long);
        CHECK(world.send({.method = Method::Post, .path = "/keyed"}).admission.lane == http::Lane::Loop);
        CHECK(world.send({.method = Method::Post, .path = "/keyed", .headers = {{"Idempotency-Key", "12345678"}}}).admission.lane ==
              http::Lane::Worker);
    }

    TEST(readsShortlyOnTheLoop)
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
            equal(200, answer.status);
            return answer.admission.lane;
        };
        // The caller is not known yet; later, the database is not at hand.
        CHECK(lane(read) == http::Lane::Worker);
        CHECK(lane(read) == http::Lane::Worker);
        CHECK(lane({.path = "/open"}) == http::Lane::Worker);
        crm.canReadWithoutBlocking = true;
        CHECK(lane(read) == http::Lane::Loop);
        CHECK(lane({.path = "/open"}) == http::Lane::Loop);
        CHECK(lane({.method = Method::Post, .path = "/write", .headers = read.headers}) == http::Lane::Worker);
        CHECK(lane({.path = "/read", .headers = {{"X-Api-Key", "token"}}}) == http::Lane::Loop);
        // Until a body has come the caller may have lost every right.
        const auto withBody = [&](const char* name, const char* value) {
            return lane({.path = "/read", .headers = {{"Authorization", "Bearer token"}, {name, value}}});
        };
        CHECK(withBody("Content-Length", "5") == http::Lane::Worker);
        CHECK(withBody("Transfer-Encoding", "chunked") == http::Lane::Worker);
        CHECK(withBody("Content-Length", "0") == http::Lane::Loop);
        // A query may make the answer long.
        CHECK(lane({.path = "/read", .query = "include=all", .headers = read.headers}) == http::Lane::Worker);
        const int asked = world.credentials.validations;
        CHECK(lane(read) == http::Lane::Loop);
        equal(asked, world.credentials.validations);
        world.credentials.forgetful = true;
        CHECK(lane(read) == http::Lane::Worker);
    }

    TEST(judgesOnTheLoopAsOnAWorker)
    {
        World world;
        auto& crm = world.service("crm");
        crm.canReadWithoutBlocking = true;
        crm.manifest->permissions = {"crm.contacts:read"};
        crm.route(Method::Get, "/read", access::bearer("crm.contacts:read")).execution = Execution::ShortRead;
        crm.route(Method::Get, "/any", access::bearer()).execution = Execution::ShortRead;
        world.caller("token");
        world.publish();
        const auto send = [&](std::string path, std::string credential) {
            return world.send({.path = std::move(path), .headers = {{"Authorization", std::move(credential)}}});
        };
        equal(200, send("/any", "Bearer token").status);
        const auto refused = send("/read", "Bearer token");
        equal(403, refused.status);
        CHECK(refused.admission.lane == http::Lane::Loop);
        for (const auto* bad : {"Bearer other", "Bearer", "Basic token", ""}) equal(401, send("/any", bad).status, bad);
        world.credentials.fail = [] { throw std::runtime_error("no database"); };
        equal("validation_unavailable", send("/any", "Bearer token").code());
    }

    TEST(keepsTheLoopFromALongReadThatTakesTheRoute)
    {
        for (const bool stays : {true, false})
        {
            World world;
            auto& crm = world.service("crm");
            crm.canReadWithoutBlocking = true;
            int handled = 0;
            crm.route(Method::Get, "/read", access::open(), [&handled](Request&, Response&) { ++handled; }).execution =
                Execution::ShortRead;
            world.publish();
            OpenExchange open({.path = "/read"}, world.clock);
            CHECK(world.dispatcher().admit(open.exchange).lane == http::Lane::Loop);
            // Replaced before the handler's turn.
            const auto old = crm.generation;
            crm.routes.front().execution = stays ? Execution::ShortRead : Execution::Worker;
            world.publish();
            CHECK(old->drain(std::chrono::milliseconds(0)));
            world.dispatcher().handle(open.exchange);
            equal(stays ? 200 : 503, open.exchange.response.status);
            equal(stays ? 1 : 0, handled);
            world.dispatcher().finished(open.exchange);
        }
    }

    TEST(accessLogLeavesTheQueryOut)
    {
        Settings settings;
        settings.accessLog = true;
        TwoServices world(settings);
        world.send({.path = "/api/contacts/7", .query = "secret=1"});
        const auto text = world.log.text();
        for (const auto* part : {"requestId=req-1", "service=crm", "method=GET", "path=/api/contacts/7", "route=GET /api/contacts/{id}",
                                 "status=200", "client=192.0.2.7", "delivered=true"})
            CPPUNIT_ASSERT_MESSAGE(part, text.find(part) != std::string::npos);
        CHECK(text.find("secret") == std::string::npos);
    }

    TEST(withoutAccessLogFailuresAreLogged)
    {
        TwoServices world;
        world.send({.path = "/api"});
        equal("", world.log.text());
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/fails", access::open(), [](Request&, Response& response) { response.status = 500; });
        crm.route(Method::Get, "/busy", access::open(), [](Request&, Response& response) { response.status = 503; });
        world.publish();
        world.send({.path = "/busy"});
        OpenExchange strange({}, world.clock);
        world.dispatcher().refuse(strange.exchange, 501, "method_not_implemented", "This method is not served.");
        world.dispatcher().finished(strange.exchange);
        equal("", world.log.text());
        world.send({.path = "/fails"});
        CHECK(world.log.text().find("status=500") != std::string::npos);
        crm.route(Method::Get, "/odd", access::open(), [](Request&, Response& response) { response.status = 42; });
        world.publish();
        equal("internal", world.send({.path = "/odd"}).code());
        CHECK(world.log.text().find("a handler answered with the status 42") != std::string::npos);
    }

    TEST(metersCountByRoute)
    {
        TwoServices world;
        for (int i = 0; i < 3; ++i) world.send({.path = "/api/contacts/" + std::to_string(i)});
        world.send({.path = "/nothing"});
        world.publish();
        world.send({.path = "/api/contacts/9"});
        bool found = false;
        for (const auto& sample : world.meters.samples())
        {
            if (sample.service == "crm" && sample.route.empty()) equal(1, sample.answers.at(404));
            if (sample.service != "crm" || sample.route != "GET /api/contacts/{id}") continue;
            found = true;
            equal(4, sample.answers.at(200));
            equal(4, sample.latency.front());
        }
        CHECK(found);
    }
};

} // namespace routing_tests
