#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// `/api/topics`: a second resource, with all that a list can do.
class TopicTest : public Suite<TopicTest, Fixture>
{
    TEST(createsChangesAndRemoves)
    {
        const auto path = "/api/topics/" + topic(R"({"name":" Lions "})");
        const auto changed = call(Method::Put, path, R"({"archived":true})");
        equal("Lions", changed.at("/name"));
        equal("true", changed.at("/archived"));
        equal("\"2\"", changed.etag);
        const TestRequest late{
            .method = Method::Put, .target = path, .body = R"({"name":"Tigers"})", .headers = {{"If-Match", "\"1\""}}, .caller = ann};
        refused(host.call(late), 412, "version_conflict");
        const auto stranger =
            portico::testing::userOf("org_01jd0000000000000000000009", {"acme-notes.notes:read", "acme-notes.notes:write"});
        refused(host.call(Method::Put, path, "{}", stranger), 404, "not_found");
        equal("true", call(Method::Delete, path).at("/deleted"));
        refused(call(Method::Put, path, "{}"), 404, "not_found");
        refused(call(Method::Post, "/api/topics", "{}"), 400, "validation_failed");
    }

    TEST(listsByNameInPages)
    {
        for (const auto* name : {"Tigers", "Bears", "Lions"}) topic(std::string(R"({"name":")") + name + "\"}");
        const auto first = call(Method::Get, "/api/topics?limit=2&include=total");
        equal("Bears", first.at("/items/0/name"));
        equal("3", first.at("/total"));
        const auto second = call(Method::Get, "/api/topics?limit=2&cursor=" + first.at("/nextCursor"));
        equal("Tigers", second.at("/items/0/name"));
        equal("null", second.at("/nextCursor"));
    }

    TEST(filters)
    {
        topic(R"({"name":"Lions"})");
        topic(R"({"name":"Dodos","archived":true})");
        const auto gone = call(Method::Get, "/api/topics?archived=true");
        equal(1, gone.count("/items"));
        equal("Dodos", gone.at("/items/0/name"));
        refused(call(Method::Get, "/api/topics?archive=true"), 400, "unknown_parameter");
    }

    TEST(refusesANameTwice)
    {
        topic(R"({"name":"Lions"})");
        const auto bears = "/api/topics/" + topic(R"({"name":"Bears"})");
        for (const auto& answer :
             {call(Method::Post, "/api/topics", R"({"name":"Lions"})"), call(Method::Put, bears, R"({"name":"Lions"})")})
        {
            refused(answer, 409, "name_taken");
            equal("name", answer.at("/errors/0/field"));
        }
        equal("Bears", call(Method::Get, "/api/topics").at("/items/0/name"));
    }

    using TestRequest = portico::testing::TestRequest;

    std::string topic(const std::string& body) const
    {
        const auto answer = call(Method::Post, "/api/topics", body);
        equal(201, answer.status, answer.body);
        return answer.at("/id");
    }
};

} // namespace acme_notes::tests
