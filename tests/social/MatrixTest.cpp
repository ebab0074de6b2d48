#include "social/SocialFixture.h"

#include "portico/Routes.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

namespace
{
/// Row of 2.A.5: the allowed callers of a route.
struct MatrixRow
{
    std::string_view route;
    /// Without the service; empty: open to all.
    std::string_view permission;
    /// Scopes that open the route; none: bearer only.
    std::vector<std::string_view> scopes = {};
    /// The request names a brand in a header, a query or the path.
    bool ofBrand = true;
};

const std::vector<MatrixRow>& rows()
{
    static const std::vector<MatrixRow> all = {
        {"GET /api/posts", "posts:read"},
        {"POST /api/posts", "posts:write"},
        {"GET /api/posts/{postId}", "posts:read"},
        {"PUT /api/posts/{postId}", "posts:write"},
        {"DELETE /api/posts/{postId}", "posts:write"},
        {"POST /api/posts/{postId}/publish", "posts:write"},
        {"GET /api/posts/{postId}/metrics", "posts:read"},
        {"GET /api/posts/{postId}/attempts", "posts:read"},
        {"POST /api/posts/{postId}/duplicate", "posts:write"},
        {"GET /api/content-ops/queue", "content:read", {"posts.read", "calendar.read"}},
        {"GET /api/content-ops/daily", "content:read", {"analytics.read"}},
        {"GET /api/content-ops/events", "content:read", {"analytics.read"}},
        {"GET /api/content-ops/events/verify", "content:approve"},
        {"GET /api/content-ops/deck", "content:read", {"posts.read"}},
        {"GET /api/content-ops/items/{contentId}", "content:read", {"posts.read"}},
        {"PATCH /api/content-ops/items/{contentId}", "content:write", {"posts.write"}},
        {"DELETE /api/content-ops/items/{contentId}", "content:write", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/approve", "content:approve", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/reject", "content:approve", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/reschedule", "content:write", {"calendar.write"}},
        {"POST /api/content-ops/items/{contentId}/retry", "content:write", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/submit", "content:write", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/cancel", "content:write", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/mark-published", "content:write", {"posts.write"}},
        {"POST /api/content-ops/items/{contentId}/duplicate", "content:write", {"posts.write"}},
        {"GET /api/changes", "content:read", {}, false},
        {"GET /api/link-preview", "posts:write", {}, false},
        {"GET /api/analytics/summary", "content:read", {"analytics.read"}},
        {"GET /api/analytics/posts", "content:read", {"analytics.read"}},
        {"GET /api/media", "media:read"},
        {"POST /api/media/upload", "media:write"},
        {"PUT /api/media/blob/{uploadId}", ""},
        {"POST /api/media/{mediaId}/complete", "media:write"},
        {"GET /api/media/{mediaId}", "media:read"},
        {"PATCH /api/media/{mediaId}", "media:write"},
        {"DELETE /api/media/{mediaId}", "media:write"},
        {"GET /media/{mediaId}/{variant}", ""},
        {"POST /api/ai/generate-image", "ai:generate"},
        {"GET /api/trends", "content:read", {"posts.read"}},
        {"GET /api/seeds", "content:read", {"posts.read"}},
        {"PATCH /api/seeds/{seedId}", "content:write", {"posts.write"}},
        {"GET /api/trend-sources", "content:read"},
        {"POST /api/trend-sources", "content:write"},
        {"PATCH /api/trend-sources/{trendSourceId}", "content:write"},
        {"DELETE /api/trend-sources/{trendSourceId}", "content:write"},
        {"POST /api/trend-sources/{trendSourceId}/refresh", "content:write"},
        {"POST /api/seeds/share", "content:write", {"posts.write"}},
        {"POST /api/content-strategy/suggestions/generate-from-trends", "content:write", {"posts.write"}},
        {"GET /api/brands/{brandId}/publishing-readiness", "accounts:read", {"accounts.read"}},
        {"GET /api/brands", "brands:read", {}, false},
        {"POST /api/brands", "brands:write", {}, false},
        {"GET /api/brands/{brandId}", "brands:read"},
        {"PATCH /api/brands/{brandId}", "brands:write"},
        {"POST /api/brands/{brandId}/transfer-organization", "brands:transfer"},
        {"POST /api/integrations/{platform}/connect", "accounts:write"},
        {"GET /api/integrations/{platform}/callback", ""},
        {"GET /oauth/bluesky/client-metadata.json", ""},
        {"GET /oauth/bluesky/jwks.json", ""},
        {"GET /api/integrations", "accounts:read"},
        {"POST /api/integrations/{integrationId}/check", "accounts:write"},
        {"DELETE /api/integrations/{integrationId}", "accounts:write"},
        {"GET /api/widget", "posts:read", {"dashboard.read"}, false},
        // Beyond the specification: decision 67.
        {"GET /api/mail-settings", "content:read", {}, false},
        {"PATCH /api/mail-settings", "content:read", {}, false},
    };
    return all;
}

/// Values of the path parameters.
const std::map<std::string_view, std::string_view>& parameterValues()
{
    static const std::map<std::string_view, std::string_view> values = {{"postId", "pst_01jd0000000000000000000000"},
                                                                        {"contentId", "cnt_01jd0000000000000000000000"},
                                                                        {"mediaId", "med_01jd0000000000000000000000"},
                                                                        {"uploadId", "upl_01jd0000000000000000000000"},
                                                                        {"seedId", "sed_01jd0000000000000000000000"},
                                                                        {"trendSourceId", "tsr_01jd0000000000000000000000"},
                                                                        {"integrationId", "itg_01jd0000000000000000000000"},
                                                                        {"platform", "webhook"},
                                                                        {"variant", "publish"}};
    return values;
}

Method methodOf(std::string_view route)
{
    const auto name = route.substr(0, route.find(' '));
    if (name == "GET") return Method::Get;
    if (name == "POST") return Method::Post;
    if (name == "PUT") return Method::Put;
    if (name == "PATCH") return Method::Patch;
    return Method::Delete;
}
} // namespace

/// Every route of the service, against every kind of caller.
class SocialMatrixTest : public Suite<SocialMatrixTest, SocialFixture>
{
    void setUp() override
    {
        SocialFixture::setUp();
        brand = newBrand(admin);
    }

    TEST(declaresWhatTheSpecificationLists)
    {
        for (const auto& declared : host->routes())
        {
            const auto name = nameOf(declared);
            if (!name.starts_with("GET /api/") && !name.starts_with("POST ") && !name.starts_with("PUT ") && !name.starts_with("PATCH ") &&
                !name.starts_with("DELETE "))
                continue;
            CPPUNIT_ASSERT_MESSAGE(name, findRow(name) != nullptr);
        }
    }

    TEST(refusesEveryCallerWithoutTheRight)
    {
        eachRow(
            [this](const MatrixRow& row)
            {
                if (row.permission.empty()) return;
                assertRefused(row, Caller::nobody(), 401, "authentication_required");
                assertRefused(row, testing::userOf(admin.organizationId, {}), 403, "permission_denied");
                auto others = allPermissions();
                std::erase(others, "social." + std::string(row.permission));
                assertRefused(row, testing::userOf(admin.organizationId, others), 403, "permission_denied");
                auto personal = admin;
                personal.organizationId.clear();
                const auto answer = send(row, personal, brand);
                CPPUNIT_ASSERT_MESSAGE(std::string(row.route) + answer.body, answer.status >= 400);
                // A person with exactly this permission passes these checks.
                const auto allowed = send(row, testing::userOf(admin.organizationId, {"social." + std::string(row.permission)}), brand);
                CPPUNIT_ASSERT_MESSAGE(std::string(row.route) + allowed.body,
                                       allowed.code() != "permission_denied" && allowed.status != 401);
            });
    }

    TEST(refusesKeysByScopeOwnerAndBrand)
    {
        eachRow(
            [this](const MatrixRow& row)
            {
                if (row.permission.empty()) return;
                const auto& organization = admin.organizationId;
                if (row.scopes.empty()) return assertRefused(row, newKey(organization), 403, "bearer_required");
                auto others = allScopes();
                for (const auto scope : row.scopes) std::erase(others, scope);
                assertRefused(row, newKey(organization, others), 403, "insufficient_scope");
                for (const auto scope : row.scopes)
                {
                    const std::vector<std::string> scopes{std::string(scope)};
                    assertRefused(row, testing::keyOf(organization, {}, scopes), 403, "permission_denied");
                    if (!row.ofBrand) continue;
                    auto narrowed = newKey(organization, scopes);
                    narrowed.boundResources["brand"] = {"brd_01jd0000000000000000000000"};
                    assertRefused(row, narrowed, 403, "resource_not_bound");
                }
            });
    }

    TEST(hidesBrandsOfOtherOrganizations)
    {
        eachRow(
            [this](const MatrixRow& row)
            {
                if (row.permission.empty() || !row.ofBrand) return;
                auto callers = std::vector{stranger};
                if (!row.scopes.empty()) callers.push_back(newKey(stranger.organizationId));
                for (const auto& caller : callers)
                {
                    const auto foreign = send(row, caller, brand), unknown = send(row, caller, "brd_01jd0000000000000000000000");
                    // A body that is not valid is refused before; apart from the id both answers are the same.
                    const bool hidden = foreign.status == 404 || foreign.status == 400;
                    CPPUNIT_ASSERT_MESSAGE(std::string(row.route) + foreign.body, hidden);
                    equal(unknown.status, foreign.status, row.route);
                    equal(unknown.body, foreign.body, row.route);
                }
            });
    }

    TEST(opensARangeOfTheQueueToCalendarKeys)
    {
        const auto key = newKey(admin.organizationId, {"calendar.read"});
        const std::string queue = "/api/content-ops/queue?brandId=" + brand, from = "&dueFrom=2026-11-01T00:00:00Z",
                          to = "&dueTo=2026-12-01T00:00:00Z";
        for (const auto& part : {std::string(), from, to}) refused(get(key, queue + part), 403, "insufficient_scope");
        equal(200, get(key, queue + from + to).status);
        equal(200, get(newKey(admin.organizationId, {"posts.read"}), queue).status);
        refused(get(key, "/api/content-ops/deck?brandId=" + brand), 403, "insufficient_scope");
    }

    static std::string nameOf(const Route& route)
    {
        static const std::map<Method, std::string> names = {
            {Method::Get, "GET"}, {Method::Post, "POST"}, {Method::Put, "PUT"}, {Method::Patch, "PATCH"}, {Method::Delete, "DELETE"}};
        const auto name = names.find(route.method);
        return (name == names.end() ? "OTHER" : name->second) + " " + route.pattern;
    }
    static const MatrixRow* findRow(const std::string& name)
    {
        const auto found = std::ranges::find(rows(), name, &MatrixRow::route);
        return found == rows().end() ? nullptr : &*found;
    }
    /// Visits the rows that are built.
    template <class F>
    void eachRow(F&& visit) const
    {
        std::size_t visited = 0;
        for (const auto& declared : host->routes())
            if (const auto* row = findRow(nameOf(declared)))
            {
                visit(*row);
                ++visited;
            }
        CHECK(visited >= 11);
    }
    testing::TestAnswer send(const MatrixRow& row, const Caller& caller, const std::string& brandId) const
    {
        std::string target(row.route.substr(row.route.find(' ') + 1));
        for (auto at = target.find('{'); at != std::string::npos; at = target.find('{'))
        {
            const auto end = target.find('}', at);
            const auto name = target.substr(at + 1, end - at - 1);
            target.replace(at, end - at + 1, name == "brandId" ? brandId : std::string(parameterValues().at(name)));
        }
        // A calendar key may read the queue of a range only.
        if (row.route == "GET /api/content-ops/queue") target += "?dueFrom=2026-11-01T00:00:00Z&dueTo=2026-12-01T00:00:00Z";
        testing::TestRequest request{methodOf(row.route), target, {}, {}, caller};
        if (request.method != Method::Get && request.method != Method::Delete) request.body = "{}";
        if (row.ofBrand && row.route.find("{brandId}") == std::string_view::npos) request.headers.emplace_back("X-Brand-ID", brandId);
        return host->call(request);
    }
    void assertRefused(const MatrixRow& row, const Caller& caller, int status, const std::string& code) const
    {
        const auto answer = send(row, caller, brand);
        equal(status, answer.status, std::string(row.route) + answer.body);
        equal(code, answer.code(), row.route);
    }

    std::string brand;
};

} // namespace portico::tests
