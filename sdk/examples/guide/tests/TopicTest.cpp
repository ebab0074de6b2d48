#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// `/api/topics`: a second resource, with all that a list can do.
class TopicTest : public Fixture
{
    CPPUNIT_TEST_SUITE(TopicTest);
    CPPUNIT_TEST(createsChangesAndRemoves);
    CPPUNIT_TEST(listsByNameInPages);
    CPPUNIT_TEST(filters);
    CPPUNIT_TEST(refusesANameTwice);
    CPPUNIT_TEST_SUITE_END();

public:
    void createsChangesAndRemoves()
    {
        const auto path = "/api/topics/" + topic(R"({"name":" Lions "})");
        const auto changed = call(Method::Put, path, R"({"archived":true})");
        CPPUNIT_ASSERT_EQUAL(std::string("Lions"), changed.at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), changed.at("/archived"));
        CPPUNIT_ASSERT_EQUAL(std::string("\"2\""), changed.etag);
        const TestRequest late{
            .method = Method::Put, .target = path, .body = R"({"name":"Tigers"})", .headers = {{"If-Match", "\"1\""}}, .caller = ann};
        assertProblem(host.call(late), 412, "version_conflict");
        const auto stranger =
            portico::testing::userOf("org_01jd0000000000000000000009", {"acme-notes.notes:read", "acme-notes.notes:write"});
        assertProblem(host.call(Method::Put, path, "{}", stranger), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), call(Method::Delete, path).at("/deleted"));
        assertProblem(call(Method::Put, path, "{}"), 404, "not_found");
        assertProblem(call(Method::Post, "/api/topics", "{}"), 400, "validation_failed");
    }

    void listsByNameInPages()
    {
        for (const auto* name : {"Tigers", "Bears", "Lions"}) topic(std::string(R"({"name":")") + name + "\"}");
        const auto first = call(Method::Get, "/api/topics?limit=2&include=total");
        CPPUNIT_ASSERT_EQUAL(std::string("Bears"), first.at("/items/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), first.at("/total"));
        const auto second = call(Method::Get, "/api/topics?limit=2&cursor=" + first.at("/nextCursor"));
        CPPUNIT_ASSERT_EQUAL(std::string("Tigers"), second.at("/items/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), second.at("/nextCursor"));
    }

    void filters()
    {
        topic(R"({"name":"Lions"})");
        topic(R"({"name":"Dodos","archived":true})");
        const auto gone = call(Method::Get, "/api/topics?archived=true");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), gone.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("Dodos"), gone.at("/items/0/name"));
        assertProblem(call(Method::Get, "/api/topics?archive=true"), 400, "unknown_parameter");
    }

    void refusesANameTwice()
    {
        topic(R"({"name":"Lions"})");
        const auto bears = "/api/topics/" + topic(R"({"name":"Bears"})");
        for (const auto& refused :
             {call(Method::Post, "/api/topics", R"({"name":"Lions"})"), call(Method::Put, bears, R"({"name":"Lions"})")})
        {
            assertProblem(refused, 409, "name_taken");
            CPPUNIT_ASSERT_EQUAL(std::string("name"), refused.at("/errors/0/field"));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("Bears"), call(Method::Get, "/api/topics").at("/items/0/name"));
    }

private:
    using TestRequest = portico::testing::TestRequest;

    std::string topic(const std::string& body) const
    {
        const auto answer = call(Method::Post, "/api/topics", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        return answer.at("/id");
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(TopicTest);

} // namespace acme_notes::tests
