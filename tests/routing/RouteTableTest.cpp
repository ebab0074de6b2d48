#include "World.h"

#include "support/Suite.h"

#include "host/routing/table/PathTrie.h"

#include <sstream>
#include <stdexcept>

namespace routing_tests
{

/// Which route a path finds, and which sets of services cannot be served together.
class RouteTableTest : public Suite<RouteTableTest>
{
    /// Routes named by their patterns, in one trie.
    struct Trie
    {
        void add(const std::string& pattern, Method method = Method::Get)
        {
            auto& entry = _entries.emplace_back();
            entry.name = pattern;
            CHECK(_trie.add(PathPattern::parse(pattern), method, entry));
        }
        std::string find(std::string_view path, Method method = Method::Get) const
        {
            const auto match = _trie.match(method, path);
            if (match.entry == nullptr) return match.methods.empty() ? "none" : match.methods.list();
            std::string found = match.entry->name;
            for (const auto value : match.parameters()) found.append(" ").append(value);
            return found;
        }

    private:
        std::deque<RouteEntry> _entries;
        PathTrie _trie;
    };

    TEST(literalWinsOverParameter)
    {
        for (const bool literalFirst : {true, false})
        {
            Trie trie;
            if (literalFirst) trie.add("/a/me");
            trie.add("/a/{id}");
            if (!literalFirst) trie.add("/a/me");
            equal("/a/me", trie.find("/a/me"));
            equal("/a/{id} you", trie.find("/a/you"));
            equal("/a/{id} mee", trie.find("/a/mee"));
        }
    }

    TEST(wildcardPatternComesLast)
    {
        Trie trie;
        trie.add("/a/**");
        trie.add("/a/{id}");
        trie.add("/a/me/x", Method::Post);
        equal("/a/{id} you", trie.find("/a/you"));
        equal("/a/**", trie.find("/a/you/x"));
        equal("/a/**", trie.find("/a/me/x"));
        equal("/a/me/x", trie.find("/a/me/x", Method::Post));
        equal("GET, HEAD, OPTIONS", trie.find("/a/b/c", Method::Post));
        for (const auto* path : {"/a", "/a/", "/a//b", "/b/c", "/"}) equal("none", trie.find(path));
    }

    TEST(patternsOverlap)
    {
        const auto overlap = [](const std::string& one, const std::string& other)
        {
            const auto a = PathPattern::parse(one);
            const auto b = PathPattern::parse(other);
            equal(a.overlaps(b), b.overlaps(a));
            return a.overlaps(b);
        };
        CHECK(overlap("/a/**", "/a/{id}") && overlap("/a/**", "/a/b/c") && overlap("/a/{id}", "/a/b") && overlap("/{x}/b", "/a/{y}"));
        CHECK(overlap("/a/**", "/a") && overlap("/a/**", "/a/**") && overlap("/a/**", "/{x}/b"));
        CHECK(!overlap("/a/**", "/b") && !overlap("/a/b", "/a") && !overlap("/a/b", "/a/c") && !overlap("/", "/a") &&
              !overlap("/ab/**", "/a/b"));
        const auto yields = [](const std::string& one, const std::string& other)
        { return PathPattern::parse(one).yieldsTo(PathPattern::parse(other)); };
        CHECK(yields("/{x}/{y}", "/a/**") && yields("/{x}", "/a") && yields("/a/{x}", "/a/b"));
        CHECK(!yields("/a/**", "/{x}") && !yields("/a/b", "/a/**") && !yields("/{x}", "/{y}") && !yields("/a/{x}", "/a/**"));
    }

    TEST(searchGoesBackToTheParameter)
    {
        Trie trie;
        trie.add("/a/me/x");
        trie.add("/a/{id}/y");
        trie.add("/{any}/{id}/z");
        trie.add("/{any}/{id}/z/{last}");
        equal("/a/{id}/y me", trie.find("/a/me/y"));
        equal("/{any}/{id}/z a me", trie.find("/a/me/z"));
        equal("/{any}/{id}/z/{last} b c d", trie.find("/b/c/z/d"));
        equal("none", trie.find("/a/me"));
        equal("none", trie.find("/a/me/z/"));
    }

    /// A misspelt path of an API is not the page of a user called "api".
    TEST(noParameterTakesTheApi)
    {
        Trie trie;
        trie.add("/{handle}");
        trie.add("/{handle}/{type}", Method::Post);
        trie.add("/api/things", Method::Get);
        trie.add("/things/{id}", Method::Get);
        for (const auto* path : {"/api", "/api/thingz"}) equal("none", trie.find(path));
        equal("GET, HEAD, OPTIONS", trie.find("/api/things", Method::Post));
        equal("/things/{id} api", trie.find("/things/api"));
    }

    TEST(methodsOfAllFittingRoutesAreAllowed)
    {
        Trie trie;
        trie.add("/a/me", Method::Post);
        trie.add("/a/{id}", Method::Get);
        trie.add("/a/{id}", Method::Delete);
        equal("/a/{id} me", trie.find("/a/me", Method::Get));
        equal("/a/{id} me", trie.find("/a/me", Method::Head));
        equal("GET, HEAD, POST, DELETE, OPTIONS", trie.find("/a/me", Method::Put));
        equal("GET, HEAD, DELETE, OPTIONS", trie.find("/a/you", Method::Post));
    }

    TEST(rootIsAPath)
    {
        Trie trie;
        equal("none", trie.find("/"));
        trie.add("/");
        equal("/", trie.find("/"));
        equal("none", trie.find(""));
        equal("none", trie.find("//"));
    }

    static std::vector<std::string> check(World& world, std::vector<TestService*> services)
    {
        std::vector<plugins::PublishedService> published;
        for (auto* service : services) published.push_back(service->publish());
        try
        {
            world.publisher.prepare(std::move(published));
            return {};
        }
        catch (const std::invalid_argument& error)
        {
            // The first line is a heading.
            std::istringstream lines(error.what());
            std::vector<std::string> faults;
            for (std::string line; std::getline(lines, line);) faults.push_back(line);
            faults.erase(faults.begin());
            return faults;
        }
    }

    static void assertFault(const std::vector<std::string>& faults, const std::string& part)
    {
        equal(1, faults.size());
        CPPUNIT_ASSERT_MESSAGE(faults.front(), faults.front().find(part) != std::string::npos);
    }

    TEST(malformedPatternsAreFaults)
    {
        World world;
        for (const auto* pattern : {"", "a", "/a/", "//", "/a//b", "/{}", "/a{b}", "/a?b", "/%61", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}"})
        {
            TestService crm("crm");
            crm.route(Method::Get, pattern, access::open());
            assertFault(check(world, {&crm}), "crm: route pattern \"" + std::string(pattern) + "\"");
        }
    }

    TEST(samePathsClash)
    {
        World world;
        TestService crm("crm");
        crm.route(Method::Get, "/a/{id}", access::open());
        crm.route(Method::Post, "/a/{name}", access::open());
        CHECK(check(world, {&crm}).empty());
        crm.route(Method::Get, "/a/{name}", access::open());
        assertFault(check(world, {&crm}), "crm: GET /a/{id} and GET /a/{name} take the same paths");
    }

    TEST(hostsClash)
    {
        World world;
        TestService crm("crm"), social("social");
        crm.origins = {"http://crm.localhost:8080", "https://CRM.example/"};
        social.origins = {"http://social.localhost:8080", "https://crm.example:443"};
        assertFault(check(world, {&crm, &social}), "services crm and social have the same host crm.example");
    }

    TEST(gatewayClashesWithAServicesOwnRoute)
    {
        World world;
        TestService crm("crm"), identity("identity");
        crm.route(Method::Get, "/api/auth/validate", access::open());
        identity.route(Method::Get, "/validate", access::open());
        CHECK(check(world, {&crm, &identity}).empty());
        identity.routes.front().onEveryOrigin = true;
        assertFault(check(world, {&crm, &identity}),
                    "crm: GET /api/auth/validate and GET /validate (through the gateway /api/auth/validate) of identity");
    }

    TEST(aliasOfAGatewayRouteIsNoClash)
    {
        World world;
        auto& identity = world.service("identity");
        identity.route(Method::Post, "/login", access::open(), [](Request&, Response& response) { response.json(200, "alias"); })
            .onEveryOrigin = true;
        identity.route(Method::Post, "/api/auth/login", access::open(), [](Request&, Response& response) { response.json(200, "own"); })
            .onEveryOrigin = true;
        world.service("crm");
        world.publish();
        equal("own", world.send({.method = Method::Post, .path = "/api/auth/login"}).body);
        equal("own", world.send({.method = Method::Post, .path = "/api/auth/login", .host = "identity.localhost:8080"}).body);
        equal("alias", world.send({.method = Method::Post, .path = "/login", .host = "identity.localhost:8080"}).body);
    }

    TEST(someRoutesAreServedOnNamedOriginsOnly)
    {
        TwoServices world;
        world.service("identity").route(Method::Get, "/api/people", access::open()).alsoOn = {"crm"};
        world.service("desk").route(Method::Get, "/api", access::open());
        world.publish();
        equal(200, world.send({.path = "/api/auth/people", .host = "crm.localhost:8080"}).status);
        equal(404, world.send({.path = "/api/auth/people", .host = "desk.localhost:8080"}).status);
        equal(404, world.send({.path = "/api/auth/people", .host = "identity.localhost:8080"}).status);
        equal(200, world.send({.path = "/api/people", .host = "identity.localhost:8080"}).status);
    }

    TEST(hostRoutesAreReserved)
    {
        World world;
        TestService crm("crm");
        crm.route(Method::Get, "/health", access::open());
        CHECK(check(world, {&crm}).empty());
        crm.route(Method::Get, "/openapi.json", access::open());
        assertFault(check(world, {&crm}), "crm: GET /openapi.json is served by the host");
    }

    TEST(aFaultyLastSetChangesNothing)
    {
        TwoServices world;
        world.service("crm").route(Method::Get, "/api/contacts/{other}", access::open());
        CPPUNIT_ASSERT_THROW(world.publish(), std::invalid_argument);
        equal(200, world.send({.path = "/api"}).status);
    }

    TEST(checkHasNoEffect)
    {
        TwoServices world;
        TestService crm("crm");
        CHECK(check(world, {&crm}).empty());
        equal(200, world.send({.path = "/api"}).status);
    }
};

} // namespace routing_tests
