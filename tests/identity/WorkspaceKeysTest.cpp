#include "identity/IdentityHost.h"

#include <algorithm>

namespace portico::tests
{

/// A closed developer workspace cannot change its keys and clients by any route. Uses the table of routes, so that new ones are covered.
class WorkspaceKeysTest : public Suite<WorkspaceKeysTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("owner@acme.example", "other", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _acme = _host->organizationId("acme");
        _host->change("UPDATE organizations SET kind = 'developer_workspace' WHERE id = $1", {_acme});
        openDoors();
        makeThings();
    }
    void tearDown() override { _host.reset(); }

    /// Counterpart of the other test: in an open workspace each of these routes changes keys or clients.
    TEST(everyRouteOfKeysIsTriedWithABodyThatWorks)
    {
        int count = 0;
        for (const auto& route : _host->routes())
        {
            if (!isOfKeys(route)) continue;
            ++count;
            makeThings();
            const auto before = keysAndClients();
            const auto answer = enter(ownOf(route), route);
            CPPUNIT_ASSERT_MESSAGE(nameOf(route) + ": say in bodyOf what it takes: " + answer.body, answer.status < 300);
            CPPUNIT_ASSERT_MESSAGE(nameOf(route) + " changed nothing", before != keysAndClients());
        }
        CHECK(count >= 5);
    }

    TEST(aClosedWorkspaceChangesNothing)
    {
        for (const auto* status : {"suspended", "revoked"})
        {
            _host->change("UPDATE organizations SET status = $2 WHERE id = $1", {_acme, status});
            const auto before = keysAndClients();
            for (const auto& door : _doors)
                for (const auto& route : _host->routes())
                {
                    if (route.method == Method::Get || route.method == Method::Head) continue;
                    const auto answer = enter(door, route);
                    if (answer.status < 300) keepDoorsOpen();
                    const auto said = std::string(status) + ", " + door.name + ", " + nameOf(route) + ": " + std::to_string(answer.status) +
                                      ' ' + answer.body;
                    CPPUNIT_ASSERT_MESSAGE(said, before == keysAndClients());
                    CPPUNIT_ASSERT_MESSAGE(said, door.elsewhere || !isOfKeys(route) || answer.status >= 400);
                    CPPUNIT_ASSERT_MESSAGE(said, answer.status < 500);
                }
            // The client gets no new tokens either.
            CHECK(directoryToken().empty());
        }
        // The requests failed because of the closed workspace, not because of their credentials.
        _host->change("UPDATE organizations SET status = 'active' WHERE id = $1", {_acme});
        keepDoorsOpen();
        for (const auto& door : _doors)
        {
            if (&door == &_doors.back()) continue;
            const auto* own = door.name == "a directory" ? "/scim/v2/Users" : "/api/api-keys";
            equal(200, _host->call({.target = own, .originService = door.origin}, door.credential).status, door.name);
        }
    }

    struct Door
    {
        std::string name;
        std::string credential;
        std::string origin = {};
        /// True if it acts in another context, where it has all rights.
        bool elsewhere = false;
    };

    static std::string nameOf(const Route& route) { return std::string(name(route.method)) + ' ' + route.pattern; }
    static bool isOfKeys(const Route& route)
    {
        const auto has = [&](std::string_view part) { return route.pattern.find(part) != std::string::npos; };
        return route.method != Method::Get && (has("api-keys") || has("oauth-clients") || has("/oauth/register")) && !has("/validate");
    }
    const Door& ownOf(const Route& route) const { return route.pattern == "/oauth/register/{client_id}" ? _doors.back() : _doors.front(); }

    void openDoors()
    {
        const auto in = [](const std::string& organization) { return jsonWith(R"(,"organizationId":"$")", organization); };
        _doors = {{"an owner", _host->signIn("owner@acme.example", "identity", in(_acme))},
                  {"an owner in an app", _host->signIn("owner@acme.example", "desk", in(_acme)), "desk"},
                  {"an owner in another organization",
                   _host->signIn("owner@acme.example", "identity", in(_host->organizationId("other"))),
                   {},
                   true},
                  {"a member", _host->signIn("member@acme.example", "identity")}};
        const auto personal = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = R"({"kind":"personal"})"},
                                          _host->signIn("owner@acme.example", "identity"));
        equal(200, personal.status, personal.body);
        _doors.push_back({"an owner as a person", personal.at("/access_token"), {}, true});
        keepDoorsOpen();
        const auto manager = post(
            "/api/api-keys",
            jsonWith(R"({"name":"m","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["api_keys.write",)"
                     R"("tickets.read"]},{"service_id":"identity","scopes":["api_keys.write"]}]})",
                     _acme));
        _doors.push_back({"a key that manages keys", manager.at("/key")});
        _doors.push_back({"a key that manages keys, in an app", manager.at("/key"), "desk"});
        _directory = std::make_unique<TestAnswer>(
            post("/api/oauth-clients", R"({"name":"Directory","grant_types":["client_credentials"],"scopes":["scim"]})"));
        _doors.push_back({"a directory", directoryToken()});
        CHECK(!_doors.back().credential.empty());
        // Last: the token of a self-registered client.
        _doors.push_back({"a self-registered client", {}});
    }
    /// Creates a key and a self-registered client, which the routes are tried on.
    void makeThings()
    {
        _key = post("/api/api-keys", keyBody()).at("/apiKey/id");
        const auto made = post("/oauth/register", registration());
        _client = made.at("/client_id");
        _doors.back().credential = made.at("/registration_access_token");
    }
    /// Reverts effects of routes on the actor: ended sign-ins, step-ups, accounts.
    void keepDoorsOpen()
    {
        _host->change("UPDATE sessions SET ended_at = NULL, end_reason = NULL, elevated_until = 9999999999999");
        _host->change("UPDATE users SET status = 'active', deletion_at = NULL");
    }
    TestAnswer post(const std::string& path, std::string body) const
    {
        auto made = _host->call({.method = Method::Post, .target = path, .body = std::move(body)}, _doors.front().credential);
        equal(201, made.status, path + made.body);
        return made;
    }
    std::string directoryToken() const
    {
        const auto answer = _host->call({.method = Method::Post,
                                         .target = "/oauth/token",
                                         .body = "grant_type=client_credentials&scope=scim&client_id=" + _directory->at("/client_id") +
                                                 "&client_secret=" + _directory->at("/client_secret"),
                                         .headers = {{"Content-Type", "application/x-www-form-urlencoded"}}});
        return answer.status == 200 ? answer.at("/access_token") : std::string();
    }

    std::string keyBody() const
    {
        return jsonWith(
            R"({"name":"k","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})", _acme);
    }
    static std::string registration() { return R"({"client_name":"App","redirect_uris":["https://app.example/cb"]})"; }
    std::string bodyOf(const Route& route) const
    {
        const auto name = nameOf(route);
        if (name == "POST /api/api-keys") return keyBody();
        if (name == "POST /api/oauth-clients" || name == "POST /oauth/register")
            return name.ends_with("register") ? registration() : R"({"name":"App","redirect_uris":["https://app.example/cb"]})";
        if (name == "PATCH /api/api-keys/{id}" || name == "PATCH /api/oauth-clients/{client_id}") return R"({"name":"another"})";
        if (name == "PUT /oauth/register/{client_id}")
            return jsonWith(R"({"client_id":"$","redirect_uris":["https://new.example/cb"]})", _client);
        return route.method == Method::Delete ? "" : "{}";
    }
    /// Fills a path pattern with ids of the workspace: its key, its client, its member.
    std::string filled(std::string path) const
    {
        const bool ofPeople = path.starts_with("/scim/");
        for (auto at = path.find('{'); at != std::string::npos; at = path.find('{', at))
        {
            const auto end = path.find('}', at);
            const auto name = path.substr(at + 1, end - at - 1);
            std::string value = "01arz3ndektsv4rrffq69g5fav";
            if (name == "organizationId") value = _acme;
            if (name == "userId" || (ofPeople && name == "id")) value = _member;
            if (name == "id" && !ofPeople) value = _key;
            if (name == "client_id") value = _client;
            if (name == "service_id") value = "desk";
            path.replace(at, end - at + 1, value);
        }
        return path;
    }
    TestAnswer enter(const Door& door, const Route& route) const
    {
        TestRequest request{.method = route.method, .target = filled(route.pattern), .body = bodyOf(route)};
        request.originService = door.origin;
        return _host->call(std::move(request), door.credential);
    }
    std::vector<std::string> keysAndClients() const
    {
        auto session = _host->context().database().session();
        std::vector<std::string> all;
        for (const auto* sql :
             {"SELECT id || ' ' || version || ' ' || status || ' ' || name FROM api_keys WHERE organization_id = $1 ORDER BY id",
              "SELECT client_id || ' ' || version || ' ' || name || ' ' || COALESCE(deleted_at, 0) FROM oauth_clients "
              "WHERE owner_id = $1 ORDER BY client_id",
              "SELECT secret_hash || ' ' || COALESCE(expires_at, 0) FROM oauth_client_secrets WHERE client_id IN "
              "(SELECT client_id FROM oauth_clients WHERE owner_id = $1) ORDER BY secret_hash"})
            std::ranges::move(session.values<std::string>(sql, _acme), std::back_inserter(all));
        return all;
    }

    std::unique_ptr<IdentityHost> _host;
    std::unique_ptr<TestAnswer> _directory;
    std::vector<Door> _doors;
    std::string _member, _acme, _key, _client;
};

} // namespace portico::tests
