#include "launchpad/LaunchpadFixture.h"

#include "portico/system/OperatorRecords.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace portico::tests
{

namespace
{
/// Treats every caller as confirmed.
class Confirmed final : public interfaces::OperatorRecords
{
public:
    void requireElevation(const Caller&) override {}
    void record(const Request&, std::string_view, std::string_view, std::string_view) override {}
};
} // namespace

/// Every route that the service declares, for every role in both contexts, a key and no credential, and on records of another organization.
/// The rows come from the declarations and from the manifest: none is listed here.
class LaunchpadRouteMatrixTest : public Suite<LaunchpadRouteMatrixTest, LaunchpadFixture>
{
    void setUp() override
    {
        LaunchpadFixture::setUp();
        host->context().services().offer<interfaces::OperatorRecords>(_confirmed);
    }

    static std::string name(const RouteDeclaration& route) { return std::string(portico::name(route.method)) + ' ' + route.pattern; }
    static std::string filled(const std::string& pattern, const std::string& id)
    {
        std::string path;
        for (std::size_t i = 0; i < pattern.size(); ++i)
        {
            if (pattern[i] != '{')
            {
                path += pattern[i];
                continue;
            }
            const auto end = pattern.find('}', i);
            path += pattern.substr(i, end - i) == "{service_id" ? "crm" : id;
            i = end;
        }
        return path;
    }
    testing::TestAnswer ask(const RouteDeclaration& route, const Caller& caller, const std::string& id = unknown) const
    {
        const bool hasBody = route.method != Method::Get && route.method != Method::Delete;
        return host->call(route.method, filled(route.pattern, id), hasBody ? "{}" : "", caller);
    }
    std::vector<const RouteDeclaration*> protectedRoutes() const
    {
        std::vector<const RouteDeclaration*> found;
        for (const auto& route : host->routes())
            if (!route.access.open && route.access.bearer && route.handler) found.push_back(&route);
        CHECK(found.size() > 20);
        return found;
    }

    TEST(rolesGetWhatTheirBundlesContain)
    {
        for (const auto* role : {&owner, &superAdmin, &admin, &member, &guest})
            for (const bool atHome : {false, true})
            {
                const auto caller = atHome ? personal(*role) : *role;
                for (const auto* route : protectedRoutes())
                {
                    const auto& access = route->access;
                    if (access.cookie) continue;
                    const auto where = name(*route) + " as " + role->role + (atHome ? " at home" : "");
                    const auto answer = ask(*route, caller);
                    const bool opens = access.permission.empty() || caller.may(access.permission) || (atHome && access.personal);
                    if (!opens)
                    {
                        equal("permission_denied", answer.code(), where);
                        continue;
                    }
                    CPPUNIT_ASSERT_MESSAGE(where + ' ' + answer.body, answer.status < 500 && answer.status != 401);
                    CPPUNIT_ASSERT_MESSAGE(where + ' ' + answer.body, answer.code() != "permission_denied");
                }
            }
    }

    TEST(everyRouteNeedsACredential)
    {
        for (const auto* route : protectedRoutes())
            if (!route->access.cookie) equal(401, ask(*route, Caller::nobody()).status, name(*route));
    }

    TEST(keysNeedTheScope)
    {
        const auto without = newKey({});
        for (const auto* route : protectedRoutes())
        {
            if (route->access.cookie) continue;
            const auto code = ask(*route, without).code();
            const auto expected = !route->access.apiKey ? "bearer_required" : "insufficient_scope";
            if (route->access.scope.empty() && route->access.apiKey) continue;
            equal(expected, code, name(*route));
            if (!route->access.apiKey) continue;
            const auto answer = ask(*route, newKey({route->access.scope}));
            CPPUNIT_ASSERT_MESSAGE(name(*route) + ' ' + answer.body, answer.status < 500 && answer.code() != "insufficient_scope");
        }
    }

    TEST(recordsOfAnotherOrganizationAreNotFound)
    {
        const auto action =
            made(post(newKey({"workflows.write"}), "/api/actions",
                      R"({"kind":"custom","title":"T","source":{"service_id":"launchpad"},"assignee":{"type":"role","id":"admin"},
                                          "dedupeKey":"k","decisions":[{"id":"ok","label":"OK"}]})"))
                .at("/id");
        const auto assignment =
            made(post(admin, "/api/assignments", R"({"service_id":"crm","subject":{"type":"everyone"},"mode":"required"})")).at("/id");
        const std::map<std::string, std::pair<std::string, std::string>> records = {
            {"/api/actions/{id}",
             {action, R"({"decision":"ok","reason":"r","until":"2026-12-01T00:00:00Z","assignee":{"type":"role","id":"admin"}})"}},
            {"/api/assignments/{id}", {assignment, R"({"mode":"blocked"})"}}};
        int asked = 0;
        for (const auto* route : protectedRoutes())
            for (const auto& [place, record] : records)
            {
                if (!route->pattern.starts_with(place) || !stranger.may(route->access.permission)) continue;
                ++asked;
                const auto answer = ask(*route, stranger, record.first);
                CPPUNIT_ASSERT_MESSAGE(name(*route) + ' ' + answer.body, answer.status == 404 || answer.code() == "validation_failed");
            }
        CHECK(asked >= 5);
        equal("open", made(get(admin, "/api/actions/" + action)).at("/status"));
        equal(0, made(get(stranger, "/api/assignments")).count("/items"));
    }

    Confirmed _confirmed;
    static inline const std::string unknown = "act_01arz3ndektsv4rrffq69g5fav";
};

} // namespace portico::tests
