#include "Fixture.h"

using namespace portico;
using portico::testing::keyOf;
using portico::testing::userOf;

namespace acme_notes::tests
{

/// `/api/notes` as its callers meet it.
class NoteTest : public Fixture
{
    CPPUNIT_TEST_SUITE(NoteTest);
    CPPUNIT_TEST(writesShowsChangesAndRemoves);
    CPPUNIT_TEST(namesEveryFault);
    CPPUNIT_TEST(asksForPermissionScopeAndOrganization);
    CPPUNIT_TEST(otherOrganizationsSeeNothing);
    CPPUNIT_TEST(listsTheNewestFirst);
    CPPUNIT_TEST(sortsAndSelectsFields);
    CPPUNIT_TEST(changesWhatWasRead);
    CPPUNIT_TEST_SUITE_END();

public:
    void writesShowsChangesAndRemoves()
    {
        const auto path = "/api/notes/" + written(R"({"title":"Shopping","text":"Milk\nBread"})");
        const auto shown = call(Method::Get, path);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), shown.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("Milk\nBread"), shown.at("/text"));
        CPPUNIT_ASSERT_EQUAL(ann.principalId, shown.at("/authorId"));
        // What was read can be sent back, and changes nothing; what is not named stays.
        CPPUNIT_ASSERT_EQUAL(shown.body, call(Method::Put, path, shown.body).body);
        const auto changed = call(Method::Put, path, R"({"title":"Market"})");
        CPPUNIT_ASSERT_EQUAL(200, changed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Market"), changed.at("/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("Milk\nBread"), changed.at("/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        const auto removed = call(Method::Delete, path);
        CPPUNIT_ASSERT_EQUAL(200, removed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), removed.at("/deleted"));
        for (const auto method : {Method::Get, Method::Delete}) assertProblem(call(method, path), 404, "not_found");
        assertProblem(call(Method::Put, path, "{}"), 404, "not_found");
    }

    void namesEveryFault()
    {
        assertProblem(call(Method::Post, "/api/notes", "{}"), 400, "validation_failed");
        assertProblem(call(Method::Post, "/api/notes", "{"), 400, "invalid_json");
        assertProblem(call(Method::Post, "/api/notes", R"({"titel":"x"})"), 400, "unknown_field");
        const auto tooLong = call(Method::Post, "/api/notes", R"({"title":")" + std::string(201, 'x') + "\"}");
        assertProblem(tooLong, 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("title"), tooLong.at("/errors/0/field"));
        assertProblem(call(Method::Get, "/api/notes?colour=red"), 400, "unknown_parameter");
        assertProblem(call(Method::Get, "/api/notes/note_x"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"items":[],"nextCursor":null})"), call(Method::Get, "/api/notes").body);
    }

    void asksForPermissionScopeAndOrganization()
    {
        const auto ask = [this](const Caller& caller) { return host.call(Method::Post, "/api/notes", R"({"title":"x"})", caller); };
        assertProblem(ask(Caller::nobody()), 401, "authentication_required");
        assertProblem(ask(userOf(organization, {"acme-notes.notes:read"})), 403, "permission_denied");
        assertProblem(ask(keyOf(organization, {"acme-notes.notes:write"}, {"notes.read"})), 403, "insufficient_scope");
        assertProblem(ask(userOf("", {"acme-notes.notes:write"})), 403, "service_access_denied");
        CPPUNIT_ASSERT_EQUAL(201, ask(keyOf(organization, {"acme-notes.notes:write"}, {"notes.write"})).status);
    }

    void otherOrganizationsSeeNothing()
    {
        const auto path = "/api/notes/" + written();
        const auto stranger = userOf(organization + "2", {"acme-notes.notes:read", "acme-notes.notes:write"});
        assertProblem(host.call(Method::Get, path, "", stranger), 404, "not_found");
        assertProblem(host.call(Method::Put, path, R"({"title":"mine"})", stranger), 404, "not_found");
        assertProblem(host.call(Method::Delete, path, "", stranger), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"items":[],"nextCursor":null})"), host.call(Method::Get, "/api/notes", "", stranger).body);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), call(Method::Get, path).at("/version"));
    }

    void listsTheNewestFirst()
    {
        for (int number = 0; number < 5; ++number)
        {
            host.context().clock().advance(std::chrono::seconds(1));
            written("{\"title\":\"" + std::to_string(number) + "\"}");
        }
        std::string titles;
        for (std::string cursor; cursor != "null";)
        {
            const auto page = call(Method::Get, "/api/notes?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
            for (std::size_t i = 0; i < page.count("/items"); ++i) titles += page.at("/items/" + std::to_string(i) + "/title");
            cursor = page.at("/nextCursor");
        }
        CPPUNIT_ASSERT_EQUAL(std::string("43210"), titles);
        CPPUNIT_ASSERT_EQUAL(std::string("5"), call(Method::Get, "/api/notes?include=total").at("/total"));
        assertProblem(call(Method::Get, "/api/notes?cursor=note_01"), 400, "invalid_cursor");
    }

    void sortsAndSelectsFields()
    {
        for (const auto* title : {"Bears", "Apes", "Cats"}) written(std::string(R"({"title":")") + title + R"(","text":"fed"})");
        const auto sorted = call(Method::Get, "/api/notes?sort=title&fields=title");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sorted.body, std::string("Apes"), sorted.at("/items/0/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("Cats"), sorted.at("/items/2/title"));
        CPPUNIT_ASSERT(sorted.has("/items/0/id") && !sorted.has("/items/0/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("Cats"), call(Method::Get, "/api/notes?sort=-title&limit=1").at("/items/0/title"));
        const auto refused = call(Method::Get, "/api/notes?sort=colour");
        assertProblem(refused, 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("Not one of createdAt, -createdAt, title, -title"), refused.at("/errors/0/message"));
        assertProblem(call(Method::Get, "/api/notes?fields=colour"), 400, "validation_failed");
    }

    void changesWhatWasRead()
    {
        const auto id = written();
        const auto ask = [&](Method method, const std::string& etag)
        {
            return host.call({.method = method,
                              .target = "/api/notes/" + id,
                              .body = method == Method::Put ? R"({"title":"Market)" + etag + R"("})" : "",
                              .headers = {{"If-Match", "\"" + etag + "\""}},
                              .caller = ann});
        };
        CPPUNIT_ASSERT_EQUAL(200, ask(Method::Put, "1").status);
        assertProblem(ask(Method::Put, "1"), 412, "version_conflict");
        CPPUNIT_ASSERT_EQUAL(200, ask(Method::Put, "2").status);
        assertProblem(ask(Method::Delete, "2"), 412, "version_conflict");
        CPPUNIT_ASSERT_EQUAL(200, ask(Method::Delete, "3").status);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(NoteTest);

} // namespace acme_notes::tests
