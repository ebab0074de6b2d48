#include "Fixture.h"

using namespace portico;
using portico::testing::keyOf;
using portico::testing::userOf;

namespace acme_notes::tests
{

/// `/api/notes` as its callers meet it.
class NoteTest : public Suite<NoteTest, Fixture>
{
    TEST(writesShowsChangesAndRemoves)
    {
        const auto path = "/api/notes/" + written(R"({"title":"Shopping","text":"Milk\nBread"})");
        const auto shown = call(Method::Get, path);
        equal(200, shown.status);
        equal("\"1\"", shown.etag);
        equal("Milk\nBread", shown.at("/text"));
        equal(ann.principalId, shown.at("/authorId"));
        // A client can send back the record that it read, without effect. Missing members stay.
        equal(shown.body, call(Method::Put, path, shown.body).body);
        const auto changed = call(Method::Put, path, R"({"title":"Market"})");
        equal(200, changed.status);
        equal("Market", changed.at("/title"));
        equal("Milk\nBread", changed.at("/text"));
        equal("2", changed.at("/version"));
        const auto removed = call(Method::Delete, path);
        equal(200, removed.status);
        equal("true", removed.at("/deleted"));
        for (const auto method : {Method::Get, Method::Delete}) refused(call(method, path), 404, "not_found");
        refused(call(Method::Put, path, "{}"), 404, "not_found");
    }

    TEST(namesEveryFault)
    {
        refused(call(Method::Post, "/api/notes", "{}"), 400, "validation_failed");
        refused(call(Method::Post, "/api/notes", "{"), 400, "invalid_json");
        refused(call(Method::Post, "/api/notes", R"({"titel":"x"})"), 400, "unknown_field");
        const auto tooLong = call(Method::Post, "/api/notes", R"({"title":")" + std::string(201, 'x') + "\"}");
        refused(tooLong, 400, "validation_failed");
        equal("title", tooLong.at("/errors/0/field"));
        refused(call(Method::Get, "/api/notes?colour=red"), 400, "unknown_parameter");
        refused(call(Method::Get, "/api/notes/note_x"), 404, "not_found");
        equal(R"({"items":[],"nextCursor":null})", call(Method::Get, "/api/notes").body);
    }

    TEST(requiresPermissionScopeAndOrganization)
    {
        const auto ask = [this](const Caller& caller) { return host.call(Method::Post, "/api/notes", R"({"title":"x"})", caller); };
        refused(ask(Caller::nobody()), 401, "authentication_required");
        refused(ask(userOf(organization, {"acme-notes.notes:read"})), 403, "permission_denied");
        refused(ask(keyOf(organization, {"acme-notes.notes:write"}, {"notes.read"})), 403, "insufficient_scope");
        refused(ask(userOf("", {"acme-notes.notes:write"})), 403, "service_access_denied");
        equal(201, ask(keyOf(organization, {"acme-notes.notes:write"}, {"notes.write"})).status);
    }

    TEST(otherOrganizationsSeeNothing)
    {
        const auto path = "/api/notes/" + written();
        const auto stranger = userOf(organization + "2", {"acme-notes.notes:read", "acme-notes.notes:write"});
        refused(host.call(Method::Get, path, "", stranger), 404, "not_found");
        refused(host.call(Method::Put, path, R"({"title":"mine"})", stranger), 404, "not_found");
        refused(host.call(Method::Delete, path, "", stranger), 404, "not_found");
        equal(R"({"items":[],"nextCursor":null})", host.call(Method::Get, "/api/notes", "", stranger).body);
        equal("1", call(Method::Get, path).at("/version"));
    }

    TEST(listsTheNewestFirst)
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
            equal(200, page.status, page.body);
            for (std::size_t i = 0; i < page.count("/items"); ++i) titles += page.at("/items/" + std::to_string(i) + "/title");
            cursor = page.at("/nextCursor");
        }
        equal("43210", titles);
        equal("5", call(Method::Get, "/api/notes?include=total").at("/total"));
        refused(call(Method::Get, "/api/notes?cursor=note_01"), 400, "invalid_cursor");
    }

    TEST(sortsAndSelectsFields)
    {
        for (const auto* title : {"Bears", "Apes", "Cats"}) written(std::string(R"({"title":")") + title + R"(","text":"fed"})");
        const auto sorted = call(Method::Get, "/api/notes?sort=title&fields=title");
        equal("Apes", sorted.at("/items/0/title"), sorted.body);
        equal("Cats", sorted.at("/items/2/title"));
        CHECK(sorted.has("/items/0/id") && !sorted.has("/items/0/text"));
        equal("Cats", call(Method::Get, "/api/notes?sort=-title&limit=1").at("/items/0/title"));
        const auto answer = call(Method::Get, "/api/notes?sort=colour");
        refused(answer, 400, "validation_failed");
        equal("Not one of createdAt, -createdAt, title, -title", answer.at("/errors/0/message"));
        refused(call(Method::Get, "/api/notes?fields=colour"), 400, "validation_failed");
    }

    TEST(changesWhatWasRead)
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
        equal(200, ask(Method::Put, "1").status);
        refused(ask(Method::Put, "1"), 412, "version_conflict");
        equal(200, ask(Method::Put, "2").status);
        refused(ask(Method::Delete, "2"), 412, "version_conflict");
        equal(200, ask(Method::Delete, "3").status);
    }
};

} // namespace acme_notes::tests
