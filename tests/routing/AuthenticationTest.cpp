#include "World.h"

#include "support/Suite.h"

#include "host/telemetry/Tracer.h"

#include "portico/Database.h"

namespace routing_tests
{

/// Admission of requests, the order of rejections, and their answers.
class AuthenticationTest : public Suite<AuthenticationTest>
{
    using Headers = std::vector<std::pair<std::string, std::string>>;

    static Answer get(World& world, const std::string& path, Headers headers)
    {
        return world.send({.path = path, .headers = std::move(headers)});
    }

    TEST(aDigestIsOfTheCredentialAtHand)
    {
        host::routing::CredentialDigest digest;
        for (const auto* text : {"", "a", "ab", "ab", "b", "a", ""}) CHECK(digest.of(text) == sha256(text));
    }

    TEST(openRoutesDoNotLookAtCredentials)
    {
        TwoServices world;
        world.credentialsPresent = false;
        equal(200, get(world, "/api", {{"Authorization", "rubbish"}, {"X-Api-Key", ""}}).status);
    }

    TEST(withoutCredential)
    {
        TwoServices world;
        const auto answer = get(world, "/api/contacts", {});
        refused(answer, 401, "authentication_required");
        equal("Bearer realm=\"crm\"", answer.header("WWW-Authenticate"));
        // No credential was checked: the provider need not even exist.
        world.credentialsPresent = false;
        equal(401, get(world, "/api/contacts", {}).status);
        equal(401, world.send({.path = "/api/contacts", .query = "access_token=reader"}).status);
    }

    TEST(malformedCredentials)
    {
        TwoServices world;
        for (const auto* value : {"", "Bearer", "Bearer ", "Bearer  ", "Bearer a b", "Bearer a,b", "Bearer =", "Bearer a=b",
                                  "Bearer\treader", "Basic cmVhZGVy", "reader", "Bearerreader", "Bearer \xc3\xa4"})
        {
            const auto answer = get(world, "/api/contacts", {{"Authorization", value}});
            refused(answer, 401, "invalid_token", value);
            equal("Bearer realm=\"crm\", error=\"invalid_token\"", answer.header("WWW-Authenticate"));
        }
        for (const auto& value : {std::string(), std::string("a b"), std::string(257, 'k')})
            equal("invalid_token", get(world, "/api/contacts", {{"X-Api-Key", value}}).code());
    }

    TEST(schemeIsCaseInsensitive)
    {
        TwoServices world;
        for (const auto* value : {"Bearer reader", "bearer reader", "BEARER   reader"})
            equal(200, get(world, "/api/contacts", {{"authorization", value}}).status, value);
    }

    TEST(aProofGoesWithItsToken)
    {
        TwoServices world;
        equal(200,
              world.send({.path = "/api/contacts", .query = "limit=1", .headers = {{"Authorization", "DPoP reader"}, {"DPoP", "a.b.c"}}})
                  .status);
        equal("GET http://crm.localhost:8080/api/contacts a.b.c", world.credentials.lastProof());
        // Without the scheme the header is not looked at.
        get(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"DPoP", "a.b.c"}});
        equal("", world.credentials.lastProof());
    }

    TEST(moreThanOneCredential)
    {
        TwoServices world;
        const std::vector<Headers> several = {{{"Authorization", "Bearer reader"}, {"X-Api-Key", "key"}},
                                              {{"Authorization", "Bearer reader"}, {"Authorization", "Bearer reader"}},
                                              {{"X-Api-Key", "key"}, {"x-api-key", "key"}}};
        for (const auto& headers : several)
        {
            const auto answer = get(world, "/api/contacts", headers);
            refused(answer, 400, "multiple_credentials");
        }
    }

    TEST(refusedCredentialKeepsItsReason)
    {
        TwoServices world;
        const auto answer = get(world, "/api/contacts", {{"Authorization", "Bearer stranger"}});
        equal("invalid_token", answer.code());
        CHECK(answer.body.find(R"("details":{"reason":"unknown"})") != std::string::npos);
        world.credentials.fail = [] { throw Problem::forbidden("service_access_denied"); };
        equal("service_access_denied", get(world, "/api/contacts", {{"Authorization", "Bearer reader"}}).code());
    }

    TEST(keyWhereNoneIsTaken)
    {
        TwoServices world;
        const auto answer = get(world, "/api/profile", {{"X-Api-Key", "key"}});
        refused(answer, 403, "bearer_required");
    }

    TEST(scopeThenPermission)
    {
        TwoServices world;
        auto& key = world.caller("key");
        equal("insufficient_scope", get(world, "/api/contacts", {{"X-Api-Key", "key"}}).code());
        key.scopes = {"contacts.read"};
        equal("permission_denied", get(world, "/api/contacts", {{"X-Api-Key", "key"}}).code());
        key.permissions = {"crm.contacts:read"};
        equal(200, get(world, "/api/contacts", {{"X-Api-Key", "key"}}).status);
        world.caller("weak");
        equal("permission_denied", get(world, "/api/contacts", {{"Authorization", "Bearer weak"}}).code());
        equal(200, get(world, "/api/profile", {{"Authorization", "Bearer weak"}}).status);
    }

    /// Checked before the handler and before any validation, so that the answer does not reveal whether such a room exists.
    TEST(aNarrowedKeyReachesNoOtherResource)
    {
        TwoServices world;
        auto bound = access::bearerOrKey("crm.contacts:read", "contacts.read").bind("room", "id").bindInHandler("floor");
        bound.bindings.front().index = 1;
        int calls = 0;
        world.service("crm").route(Method::Get, "/api/houses/{house}/rooms/{id}", bound, [&](Request&, Response&) { ++calls; });
        world.publish();
        auto& key = world.caller("key");
        key.scopes = {"contacts.read"};
        key.permissions = {"crm.contacts:read"};
        const auto ask = [&](const std::string& id) { return get(world, "/api/houses/two/rooms/" + id, {{"X-Api-Key", "key"}}); };
        equal(200, ask("one").status); // not narrowed
        key.boundResources = {{"room", {"one"}}, {"floor", {}}};
        equal(200, ask("one").status);
        equal(200, ask("%6Fne").status); // the same as the handler gets it
        equal(3, calls);
        for (const auto* other : {"two", "none", "on%65e"})
        {
            equal(403, ask(other).status, other);
            equal("resource_not_bound", ask(other).code(), other);
        }
        equal(3, calls);
        key.permissions = {};
        equal("permission_denied", ask("two").code());
    }

    TEST(impersonatorCannotUseInPersonRoutes)
    {
        TwoServices world;
        int calls = 0;
        world.service("crm").route(Method::Put, "/api/secret", access::bearer().inPerson(), [&](Request&, Response&) { ++calls; });
        world.publish();
        auto& caller = world.caller("token");
        const auto ask = [&] {
            return world.send({.method = Method::Put, .path = "/api/secret", .headers = {{"Authorization", "Bearer token"}}});
        };
        equal(200, ask().status);
        caller.impersonatorId = "usr_operator";
        equal("permission_denied", ask().code());
        equal(200, get(world, "/api/profile", {{"Authorization", "Bearer token"}}).status);
        equal(1, calls);
    }

    TEST(freshProofIsRequiredBeforeABodyIsRead)
    {
        TwoServices world;
        world.service("crm").route(Method::Put, "/api/secret", access::bearer("crm.contacts:read").freshProof(),
                                   [](Request&, Response&) { throw Problem::invalid("name", "required", "Say the name."); });
        world.publish();
        auto& caller = world.caller("token");
        const auto ask = [&] {
            return world.send({.method = Method::Put, .path = "/api/secret", .headers = {{"Authorization", "Bearer token"}}});
        };
        // Rights come first: a caller without them is not asked for a proof.
        equal("permission_denied", ask().code());
        caller.permissions = {"crm.contacts:read"};
        equal(403, ask().status);
        equal("step_up_required", ask().code());
        world.credentials.fresh.insert(caller.sessionId = "ses_1");
        equal("validation_failed", ask().code());
    }

    TEST(rankOpensWhatItIsForBeforeABodyIsRead)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        const auto refuseBody = [](Request&, Response&) { throw Problem::invalid("name", "required", "Say the name."); };
        crm.route(Method::Post, "/api/operators", access::bearer().forOperators(), refuseBody);
        crm.route(Method::Post, "/api/admins/{id}", access::bearer().forAdmins().orSelf("id"), refuseBody);
        crm.route(Method::Post, "/api/either", access::bearer("crm.contacts:read").forAdmins(), refuseBody);
        world.publish();
        auto& caller = world.caller("token");
        caller.principalId = "usr_1";
        const auto ask = [&](const std::string& path) {
            return world.send({.method = Method::Post, .path = path, .headers = {{"Authorization", "Bearer token"}}}).code();
        };
        const std::string reached = "validation_failed", refused = "permission_denied";
        const auto expect = [&](const std::string& what, const std::vector<std::string>& verdicts)
        {
            equal(verdicts.at(0), ask("/api/operators"), what);
            equal(verdicts.at(1), ask("/api/admins/usr_2"), what);
            equal(verdicts.at(2), ask("/api/admins/usr_1"), what);
            equal(verdicts.at(3), ask("/api/either"), what);
        };
        caller.organizationId = "org_1";
        caller.role = "guest";
        caller.permissions = {};
        expect("guest", {refused, refused, reached, refused});
        caller.permissions = {"crm.contacts:read"};
        expect("guest with the permission", {refused, refused, reached, reached});
        caller.permissions = {};
        for (const auto* role : {"admin", "super_admin", "owner"})
        {
            caller.role = role;
            expect(role, {refused, reached, reached, reached});
        }
        caller.organizationId = {};
        expect("a role without an organization", {refused, refused, reached, refused});
        caller.platformBypass = true;
        expect("operator", {reached, reached, reached, reached});
    }

    TEST(atHomeOnesOwnThingsTakeNoPermission)
    {
        TwoServices world;
        world.service("crm").route(Method::Get, "/api/steps", access::bearer("crm.contacts:read").orPersonal());
        world.publish();
        auto& caller = world.caller("token");
        const auto ask = [&] { return get(world, "/api/steps", {{"Authorization", "Bearer token"}}).status; };
        caller.permissions = {};
        equal(200, ask());
        caller.organizationId = "org_1";
        equal(403, ask());
        caller.permissions = {"crm.contacts:read"};
        equal(200, ask());
    }

    TEST(servicesCallWhatSaysSo)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        crm.route(Method::Get, "/api/for-both", access::bearer("crm.contacts:read").orService());
        crm.route(Method::Get, "/api/for-services", access::service());
        crm.route(Method::Get, "/api/for-programs", access::service("scim"));
        crm.route(Method::Get, "/api/services/{id}/own", access::bearer().orOwnService("id"));
        crm.route(Method::Get, "/api/for-desk", access::bearer().orOneService("desk"));
        crm.route(Method::Get, "/api/for-shop", access::bearer().orOneService("shop"));
        crm.route(Method::Get, "/api/for-none", access::bearer().orOneService(""));
        world.publish();
        auto& backend = world.caller("backend");
        backend.credential = CredentialKind::AccessToken;
        backend.principalType = "service";
        backend.ownServiceId = "desk";
        auto& program = world.caller("program");
        program = backend;
        program.ownServiceId = {};
        program.scopes = {"scim"};
        auto& person = world.caller("person");
        person.credential = CredentialKind::AccessToken;
        person.sessionId = "ses_1";
        person.organizationId = "org_1";
        person.permissions = {"crm.contacts:read"};
        const auto ask = [&](const std::string& path, const std::string& who)
        {
            const auto answer = get(world, path, {{"Authorization", "Bearer " + who}});
            return answer.status == 200 ? std::string("ok") : answer.code();
        };
        const auto expect = [&](const std::string& path, const std::vector<std::string>& verdicts)
        {
            equal(verdicts.at(0), ask(path, "backend"), path);
            equal(verdicts.at(1), ask(path, "program"), path);
            equal(verdicts.at(2), ask(path, "person"), path);
        };
        expect("/api/contacts", {"bearer_required", "bearer_required", "ok"});
        expect("/api/for-both", {"ok", "permission_denied", "ok"});
        expect("/api/for-services", {"ok", "permission_denied", "permission_denied"});
        expect("/api/for-programs", {"insufficient_scope", "ok", "permission_denied"});
        expect("/api/services/desk/own", {"ok", "permission_denied", "ok"});
        expect("/api/services/crm/own", {"permission_denied", "permission_denied", "ok"});
        expect("/api/for-desk", {"ok", "permission_denied", "ok"});
        expect("/api/for-shop", {"permission_denied", "permission_denied", "ok"});
        expect("/api/for-none", {"permission_denied", "permission_denied", "ok"});
    }

    TEST(aContextThatWasLeftReadsAndWritesNothing)
    {
        TwoServices world;
        auto& reader = world.caller("reader");
        const auto codeOf = [&](const std::string& active, const std::string& believed, bool mayRead) -> std::string
        {
            reader.organizationId = active;
            reader.permissions = mayRead ? std::vector<std::string>{"crm.contacts:read"} : std::vector<std::string>{};
            const auto answer = get(world, "/api/contacts", {{"Authorization", "Bearer reader"}, {"X-Portico-Context", believed}});
            return answer.status == 200 ? "read" : answer.code();
        };
        equal("read", codeOf("org_a", "org_a", true));
        equal("read", codeOf("", "personal", true));
        const std::string changed = "context_changed";
        // Before the permission: the page has to know that it shows another organization, not that it may not read this one.
        for (const auto* believed : {"org_b", "personal", "", "org_a,org_a", "ORG_A"})
        {
            equal(changed, codeOf("org_a", believed, true), believed);
            equal(changed, codeOf("org_a", believed, false), believed);
        }
        equal(changed, codeOf("", "org_a", true));
        const auto stranger = get(world, "/api/contacts", {{"X-Portico-Context", "org_a"}});
        equal(401, stranger.status);
    }

    TEST(contextComesBeforeScopePermissionAndBody)
    {
        TwoServices world;
        auto& manifest = *world.service("crm").manifest;
        world.caller("key");
        auto& reader = world.caller("reader");
        const auto answers = [&]
        {
            std::vector<std::string> codes;
            codes.push_back(get(world, "/api/contacts", {{"Authorization", "Bearer reader"}}).code());
            codes.push_back(get(world, "/api/contacts", {{"X-Api-Key", "key"}}).code());
            codes.push_back(
                world
                    .send({.method = Method::Post,
                           .path = "/api/contacts",
                           .headers = {{"Authorization", "Bearer reader"}, {"Content-Type", "text/plain"}, {"Idempotency-Key", "x"}},
                           .body = "{"})
                    .code());
            return codes;
        };
        const std::vector<std::string> denied(3, "service_access_denied");
        manifest.servesPersonal = false;
        CHECK(answers() == denied);
        equal(200, get(world, "/api", {{"Authorization", "Bearer reader"}}).status);
        reader.organizationId = "org_1";
        equal(200, get(world, "/api/contacts", {{"Authorization", "Bearer reader"}}).status);
        manifest.servesPersonal = true;
        manifest.servesOrganizations = false;
        world.caller("key").organizationId = "org_1";
        CHECK(answers() == denied);
    }

    TEST(contextIsThatOfTheServiceThatAnswers)
    {
        TwoServices world;
        world.service("crm").manifest->servesPersonal = false;
        // On the origin of crm, but about the caller himself.
        equal(200, get(world, "/api/auth/me", {{"Authorization", "Bearer reader"}}).status);
        equal(200, world
                       .send({.method = Method::Post,
                              .path = "/api/auth/refresh",
                              .headers = {{"Cookie", "a=b"}, {"X-Platform-Auth", "1"}, {"Origin", "http://crm.localhost:8080"}}})
                       .status);
    }

    TEST(failsClosed)
    {
        TwoServices world;
        const Headers token = {{"Authorization", "Bearer reader"}};
        const auto assertUnavailable = [&](const char* why)
        {
            const auto answer = get(world, "/api/contacts", token);
            refused(answer, 503, "validation_unavailable", why);
            CHECK(!answer.header("Retry-After").empty());
        };
        world.credentialsPresent = false;
        assertUnavailable("no provider");
        world.credentialsPresent = true;
        world.credentials.fail = [] { throw DatabaseError(DatabaseError::Kind::Unavailable, "08006", "", "secret"); };
        assertUnavailable("database");
        world.credentials.fail = [] { throw std::runtime_error("secret"); };
        assertUnavailable("exception");
        world.credentials.fail = [] { throw Problem::internal(); };
        assertUnavailable("internal");
        world.service("identity").status = plugins::ServiceStatus::Disabled;
        world.publish();
        equal(200, get(world, "/api", {}).status);
    }

    TEST(aCallerWithoutNameIsNoCaller)
    {
        TwoServices world;
        class Nobody final : public interfaces::Credentials
        {
            std::shared_ptr<const Caller> validate(const interfaces::Credential&) override { return std::make_shared<const Caller>(); }
        } nobody;
        class NoLease final : public LeaseHandle
        {
        };
        Dispatcher dispatcher({world.table, world.clock, world.log,
                               [&nobody] { return Leased<interfaces::Credentials>(&nobody, std::make_unique<NoLease>()); },
                               world.idempotency, world.health},
                              {});
        OpenExchange open({.path = "/api/profile", .headers = {{"Authorization", "Bearer x"}}}, world.clock);
        dispatcher.admit(open.exchange);
        dispatcher.handle(open.exchange);
        equal(503, open.exchange.response.status);
        dispatcher.finished(open.exchange);
    }

    TEST(refusalsComeInOrder)
    {
        TwoServices world;
        // Everything is wrong with this request but its path; each step mends what was complained of.
        Call call{.method = Method::Put,
                  .path = "/api/contactss",
                  .headers = {{"Content-Type", "text/plain"}, {"Idempotency-Key", "short"}},
                  .body = "{"};
        const auto answered = [&world, &call](int status, const std::string& code)
        {
            const auto answer = world.send(call);
            refused(answer, status, code);
        };
        answered(404, "not_found");
        call.path = "/api/contacts";
        answered(405, "method_not_allowed");
        call.method = Method::Post;
        answered(401, "authentication_required");
        call.headers.emplace_back("Authorization", "Bearer stranger");
        answered(401, "invalid_token");
        call.headers.back().second = "Bearer reader";
        answered(403, "permission_denied");
        world.caller("reader").permissions = {"crm.contacts:read", "crm.contacts:write"};
        answered(415, "unsupported_media_type");
        call.headers.front().second = "application/json";
        answered(400, "validation_failed");
        call.headers[1].second = "long-enough";
        equal(201, world.send(call).status);
    }

    TEST(contentTypes)
    {
        World world;
        auto& crm = world.service("crm");
        for (const auto method : {Method::Post, Method::Patch}) crm.route(method, "/json", access::open()).body = BodyKind::Json;
        crm.route(Method::Post, "/raw", access::open()).body = BodyKind::Raw;
        world.publish();
        const auto send = [&world](Method method, const std::string& type, const std::string& body, const std::string& path = "/json")
        {
            Call call{.method = method, .path = path, .body = body};
            if (!type.empty()) call.headers.emplace_back("Content-Type", type);
            return world.send(call).status;
        };
        for (const auto* type : {"application/json", "Application/JSON", "application/json; charset=utf-8",
                                 "application/json;charset=\"UTF-8\"", "application/json ; ", "application/json; charset=utf8",
                                 "application/json; charset=utf-8; v=1", "application/json; profile=x"})
            equal(200, send(Method::Post, type, "{}"), type);
        for (const auto* type :
             {"text/plain", "application/json; charset=latin1", "application/jsonp", "application/merge-patch+json",
              "application/json, text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=application/json"})
            equal(415, send(Method::Post, type, "{}"), type);
        equal(200, send(Method::Patch, "application/merge-patch+json", "{}"));
        equal(200, send(Method::Post, "", ""));
        equal(200, send(Method::Post, "application/json", ""));
        equal(415, send(Method::Post, "", "{}"));
        equal(415, send(Method::Post, "text/plain", ""));
        equal(200, send(Method::Post, "text/plain", "x", "/raw"));
    }

    /// Otherwise they would be malformed JSON, or an unreadable file.
    TEST(encodedBodiesAreNotRead)
    {
        TwoServices world;
        auto& crm = world.service("crm");
        crm.route(Method::Post, "/raw", access::open()).body = BodyKind::Raw;
        crm.route(Method::Post, "/upload", access::open()).body = BodyKind::Upload;
        crm.route(Method::Post, "/none", access::open());
        world.publish();
        const auto send = [&world](const std::string& path, const std::string& coding, const std::string& token = "reader")
        {
            return world.send(
                {.method = Method::Post,
                 .path = path,
                 .headers = {{"Content-Type", "application/json"}, {"Content-Encoding", coding}, {"Authorization", "Bearer " + token}},
                 .body = "\x1f\x8b"});
        };
        for (const auto* path : {"/raw", "/upload"})
        {
            const auto answer = send(path, "gzip");
            refused(answer, 415, "unsupported_media_type");
            equal("identity", answer.header("Accept-Encoding"));
            equal(200, send(path, "Identity").status);
        }
        equal(200, send("/none", "gzip").status);
        // Without write permission, the answer does not reveal the supported encodings.
        equal(401, send("/api/contacts", "gzip", "stranger").status);
        equal(403, send("/api/contacts", "gzip").status);
        world.caller("reader").permissions = {"crm.contacts:write"};
        equal(415, send("/api/contacts", "gzip").status);
    }

    TEST(cookiesNeedTheHeaderAndARegisteredOrigin)
    {
        TwoServices world;
        world.service("identity").route(Method::Get, "/session/events", access::cookie());
        world.publish();
        const std::pair<std::string, std::string> cookie("Cookie", "platform_refresh=x"), header("X-Platform-Auth", "1"),
            origin("Origin", "http://crm.localhost:8080"), foreign("Origin", "http://evil.example");
        const auto status = [&world](Headers headers)
        { return world.send({.method = Method::Post, .path = "/api/auth/refresh", .headers = std::move(headers)}).status; };
        equal(200, status({cookie, header, origin}));
        equal(403, status({cookie, origin}));
        equal(403, status({cookie, header}));
        equal(403, status({cookie, header, foreign}));
        equal(403, status({cookie, origin, {"X-Platform-Auth", "2"}}));
        equal(403, status({cookie, header, {"Origin", "null"}}));
        equal(200, status({}));
        equal("bearer_required", world.send({.method = Method::Post, .path = "/api/auth/refresh", .headers = {{"X-Api-Key", "k"}}}).code());

        // A token that is sent is judged all the same.
        world.caller("ann");
        equal(200, status({cookie, header, origin, {"Authorization", "Bearer ann"}}));
        equal(401, status({cookie, header, origin, {"Authorization", "Bearer bad"}}));

        const auto read = [&world](Headers headers)
        { return world.send({.path = "/session/events", .headers = std::move(headers), .host = "identity.localhost:8080"}); };
        equal(200, read({cookie}).status);
        equal(200, read({cookie, origin}).status);
        equal("csrf_rejected", read({cookie, foreign}).code());
    }

    TEST(tokenWinsOverCookie)
    {
        World world;
        world.service("crm").route(Method::Post, "/both", access::bearerOrCookie(),
                                   [](Request& request, Response& response) { response.json(200, request.caller->principalId); });
        world.caller("ann");
        world.publish();
        const auto send = [&world](Headers headers)
        { return world.send({.method = Method::Post, .path = "/both", .headers = std::move(headers)}); };
        equal("usr_ann", send({{"Authorization", "Bearer ann"}, {"Cookie", "a=b"}}).body);
        equal(401,
              send({{"Authorization", "Bearer bad"}, {"Cookie", "a=b"}, {"X-Platform-Auth", "1"}, {"Origin", "http://crm.localhost:8080"}})
                  .status);
        equal(403, send({{"Cookie", "a=b"}}).status);
        equal(200, send({{"Cookie", "a=b"}, {"X-Platform-Auth", "1"}, {"Origin", "http://crm.localhost:8080"}}).status);
    }

    TEST(uploadIsRefusedBeforeItsBody)
    {
        World world;
        int handled = 0;
        world.service("crm")
            .route(Method::Post, "/upload", access::bearer("crm.files:write"), [&handled](Request&, Response&) { ++handled; })
            .body = BodyKind::Upload;
        world.caller("ann");
        world.publish();
        OpenExchange open({.method = Method::Post, .path = "/upload", .headers = {{"Authorization", "Bearer ann"}}}, world.clock);
        CHECK(world.dispatcher().admit(open.exchange).prepareFirst);
        CHECK(!world.dispatcher().prepare(open.exchange));
        equal("permission_denied", World::answerOf(open.exchange).code());
        world.dispatcher().finished(open.exchange);
        world.caller("ann").permissions = {"crm.files:write"};
        equal(200, world.send({.method = Method::Post, .path = "/upload", .headers = {{"Authorization", "Bearer ann"}}}).status);
        equal(1, handled);
    }

    TEST(checkOfAnOpenRouteRefusesBeforeTheBody)
    {
        World world;
        auto& crm = world.service("crm");
        int handled = 0, checked = 0;
        auto& upload = crm.route(Method::Put, "/upload", access::open(), [&handled](Request&, Response&) { ++handled; });
        upload.body = BodyKind::Upload;
        upload.checksBeforeBody = true;
        crm.check = [&checked](Request& request)
        {
            ++checked;
            if (request.query != "sig=good") throw Problem::forbidden("invalid_signature", "The address was altered.");
        };
        world.publish();
        OpenExchange forged({.method = Method::Put, .path = "/upload", .query = "sig=bad"}, world.clock);
        CHECK(world.dispatcher().admit(forged.exchange).prepareFirst);
        CHECK(!world.dispatcher().prepare(forged.exchange));
        equal("invalid_signature", World::answerOf(forged.exchange).code());
        world.dispatcher().finished(forged.exchange);
        equal(200, world.send({.method = Method::Put, .path = "/upload", .query = "sig=good"}).status);
        equal(1, handled);
        equal(2, checked);
        // A reload after the check: the new generation checks again.
        OpenExchange good({.method = Method::Put, .path = "/upload", .query = "sig=good"}, world.clock);
        CHECK(world.dispatcher().admit(good.exchange).prepareFirst);
        CHECK(world.dispatcher().prepare(good.exchange));
        const auto old = crm.generation;
        crm.check = [](Request&) { throw Problem::gone("upload_expired", "The upload URL has expired."); };
        world.publish();
        CHECK(old->drain(std::chrono::milliseconds(0)));
        world.dispatcher().handle(good.exchange);
        equal("upload_expired", World::answerOf(good.exchange).code());
        world.dispatcher().finished(good.exchange);
        equal(1, handled);
    }

    /// A POST to the contacts of which nothing has come but its head.
    static http::Admission admit(World& world, std::optional<std::uint64_t> length, const std::string& token = {},
                                 const std::string& path = "/api/contacts")
    {
        Call call{.method = Method::Post, .path = path};
        call.headers.emplace_back(length ? "Content-Length" : "Transfer-Encoding", length ? std::to_string(*length) : "chunked");
        if (!token.empty()) call.headers.emplace_back("Authorization", "Bearer " + token);
        OpenExchange open(call, world.clock);
        auto admission = world.dispatcher().admit(open.exchange);
        if (admission.answered) equal("authentication_required", World::answerOf(open.exchange).code());
        // The result of `prepareFirst`: whether the sender may continue.
        if (admission.prepareFirst) admission.prepareFirst = !world.dispatcher().prepare(open.exchange);
        world.dispatcher().finished(open.exchange);
        return admission;
    }

    TEST(strangersAreRefusedBeforeTheirBodies)
    {
        TwoServices world;
        world.credentialsPresent = false;
        for (const std::uint64_t length : {0, 2, 200'000}) CHECK(admit(world, length).answered);
        CHECK(admit(world, std::nullopt).answered);
        // A limit comes first, for any caller: the server rejects the request.
        CHECK(!admit(world, 300'000).answered);
        CHECK(!admit(world, 2, {}, "/api/auth/login").answered);
    }

    TEST(longBodiesWaitForTheirSendersName)
    {
        TwoServices world;
        auto& identity = world.service("identity");
        identity.route(Method::Post, "/api/auth/register", access::open()).body = BodyKind::Json;
        identity.routes.back().onEveryOrigin = true;
        world.publish();
        const auto refusedAtHead = [&world](std::optional<std::uint64_t> length, const std::string& token)
        { return admit(world, length, token).prepareFirst; };
        world.caller("writer").permissions = {"crm.contacts:write"};
        CHECK(!refusedAtHead(16 * 1024, "stranger"));
        equal(0, world.credentials.validations);
        CHECK(refusedAtHead(16 * 1024 + 1, "stranger"));
        CHECK(refusedAtHead(std::nullopt, "stranger"));
        CHECK(refusedAtHead(20'000, "reader"));
        CHECK(!refusedAtHead(20'000, "writer"));
        equal(4, world.credentials.validations);
        CHECK(!admit(world, 20'000, {}, "/api/auth/register").prepareFirst);
        // Asked once, whatever comes; and what the body is, only once it is there.
        Call call{.method = Method::Post,
                  .path = "/api/contacts",
                  .headers = {{"Authorization", "Bearer writer"}, {"Transfer-Encoding", "chunked"}},
                  .body = "{}"};
        equal(415, world.send(call).status);
        call.headers.emplace_back("Content-Type", "application/json");
        equal(201, world.send(call).status);
        equal(6, world.credentials.validations);
    }

    TEST(logsWhileItAuthorizesKnowTheRequest)
    {
        World world;
        world.service("crm").route(Method::Post, "/upload", access::bearer()).body = BodyKind::Upload;
        world.publish();
        world.caller("ann");
        std::string seen;
        world.credentials.fail = [&seen] { seen = telemetry::RequestContext::request()->requestId; };
        OpenExchange open({.method = Method::Post, .path = "/upload", .headers = {{"Authorization", "Bearer ann"}}}, world.clock);
        CHECK(world.dispatcher().admit(open.exchange).prepareFirst);
        CHECK(world.dispatcher().prepare(open.exchange));
        equal("req-1", seen);
        world.dispatcher().finished(open.exchange);
    }
};

} // namespace routing_tests
