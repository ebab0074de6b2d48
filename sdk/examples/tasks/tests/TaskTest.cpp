#include "TasksPlugin.h"

#include "portico/testing/TestHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace portico;
using portico::testing::keyOf;
using portico::testing::TestAnswer;
using portico::testing::TestHost;
using portico::testing::userOf;

/// The plugin as its callers and its host meet it.
class TaskTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(TaskTest);
    CPPUNIT_TEST(createsShowsChangesAndRemoves);
    CPPUNIT_TEST(namesEveryFault);
    CPPUNIT_TEST(asksForPermissionScopeAndOrganization);
    CPPUNIT_TEST(otherOrganizationsSeeNothing);
    CPPUNIT_TEST(pagesAndFilters);
    CPPUNIT_TEST(changesWhatWasReadOnly);
    CPPUNIT_TEST(changesAtOnceAllCount);
    CPPUNIT_TEST(remindsWhenItIsTime);
    CPPUNIT_TEST(tellsOthers);
    CPPUNIT_TEST(tellsWhoFollows);
    CPPUNIT_TEST(aRefusedTaskLeavesNothing);
    CPPUNIT_TEST(listensToContacts);
    CPPUNIT_TEST_SUITE_END();

    std::string created(const std::string& body = R"({"title":"Buy milk"})")
    {
        const auto answer = call(Method::Post, "/api/tasks", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        return answer.at("/id");
    }
    TestAnswer call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return _host.call(method, target, body, _ann);
    }
    static void assertProblem(const TestAnswer& answer, int status, const std::string& code)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, status, answer.status);
        CPPUNIT_ASSERT_EQUAL(code, answer.at("/code"));
    }
    std::vector<std::string> remindersOf(const std::string& id)
    {
        std::vector<std::string> found;
        for (const auto& job : _host.context().jobs().waiting("remind"))
            if (job.payload.find(id) != std::string::npos) found.push_back(job.id);
        return found;
    }

    void createsShowsChangesAndRemoves()
    {
        const auto id = created(R"({"title":"Buy milk","labels":["home","shop"],"due":"2026-12-24T18:00:00+01:00"})");
        const auto path = "/api/tasks/" + id;
        const auto shown = call(Method::Get, path);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), shown.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("open"), shown.at("/state"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-24T17:00:00.000Z"), shown.at("/due"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["home","shop"])"), shown.at("/labels"));
        // What was read can be sent back, and changes nothing; what is not named stays; null clears.
        CPPUNIT_ASSERT_EQUAL(shown.body, call(Method::Put, path, shown.body).body);
        const auto changed = call(Method::Put, path, R"({"state":"done","due":null})");
        CPPUNIT_ASSERT_EQUAL(200, changed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("done"), changed.at("/state"));
        CPPUNIT_ASSERT_EQUAL(std::string("Buy milk"), changed.at("/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), changed.at("/due"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(200, call(Method::Delete, path).status);
        for (const auto method : {Method::Get, Method::Delete}) assertProblem(call(method, path), 404, "not_found");
        assertProblem(call(Method::Put, path, "{}"), 404, "not_found");
    }

    void namesEveryFault()
    {
        assertProblem(call(Method::Post, "/api/tasks", "{}"), 400, "validation_failed");
        assertProblem(call(Method::Post, "/api/tasks", "{"), 400, "invalid_json");
        assertProblem(call(Method::Post, "/api/tasks", R"({"title":"x","titel":"y"})"), 400, "unknown_field");
        assertProblem(call(Method::Post, "/api/tasks", R"({"title":")" + std::string(201, 'x') + "\"}"), 400, "validation_failed");
        assertProblem(call(Method::Post, "/api/tasks", R"({"title":"x","state":"later"})"), 400, "validation_failed");
        const auto label = call(Method::Post, "/api/tasks", R"({"title":"x","labels":["ok",")" + std::string(41, 'x') + "\"]}");
        assertProblem(label, 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("labels[1]"), label.at("/errors/0/field"));
        assertProblem(call(Method::Get, "/api/tasks?colour=red"), 400, "unknown_parameter");
        assertProblem(call(Method::Get, "/api/tasks/tsk_x"), 404, "not_found");
    }

    void asksForPermissionScopeAndOrganization()
    {
        const auto ask = [this](const Caller& caller) { return _host.call(Method::Post, "/api/tasks", R"({"title":"x"})", caller); };
        assertProblem(ask(Caller::nobody()), 401, "authentication_required");
        assertProblem(ask(userOf(_organization, {"tasks.tasks:read"})), 403, "permission_denied");
        assertProblem(ask(keyOf(_organization, {"tasks.tasks:write"}, {"tasks.read"})), 403, "insufficient_scope");
        assertProblem(ask(userOf("", {"tasks.tasks:write"})), 403, "service_access_denied");
        CPPUNIT_ASSERT_EQUAL(201, ask(keyOf(_organization, {"tasks.tasks:write"}, {"tasks.write"})).status);
    }

    void otherOrganizationsSeeNothing()
    {
        const auto path = "/api/tasks/" + created();
        const auto stranger = userOf(_organization + "2", {"tasks.tasks:read", "tasks.tasks:write"});
        assertProblem(_host.call(Method::Get, path, "", stranger), 404, "not_found");
        assertProblem(_host.call(Method::Put, path, R"({"title":"mine"})", stranger), 404, "not_found");
        assertProblem(_host.call(Method::Delete, path, "", stranger), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"items":[],"nextCursor":null})"), _host.call(Method::Get, "/api/tasks", "", stranger).body);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), call(Method::Get, path).at("/version"));
    }

    void pagesAndFilters()
    {
        for (const auto* state : {"open", "done", "open", "done", "open"})
            created(std::string(R"({"title":"x","state":")") + state + "\"}");
        const auto count = [this](const std::string& query)
        {
            std::size_t found = 0;
            for (std::string cursor; cursor != "null";)
            {
                const auto page = call(Method::Get, "/api/tasks?limit=2" + query + (cursor.empty() ? "" : "&cursor=" + cursor));
                CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
                found += page.count("/items");
                cursor = page.at("/nextCursor");
            }
            return found;
        };
        CPPUNIT_ASSERT_EQUAL(std::size_t(5), count(""));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), count("&state=open"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), count("&state=done"));
        assertProblem(call(Method::Get, "/api/tasks?limit=2&cursor=tsk_01"), 400, "invalid_cursor");
    }

    void changesWhatWasReadOnly()
    {
        const auto id = created();
        const auto put = [&](const std::string& etag)
        {
            return _host.call({.method = Method::Put,
                               .target = "/api/tasks/" + id,
                               .body = R"({"title":"Buy )" + std::string(etag, 1, 1) + "\"}",
                               .headers = {{"If-Match", etag}},
                               .caller = _ann});
        };
        CPPUNIT_ASSERT_EQUAL(200, put("\"1\"").status);
        assertProblem(put("\"1\""), 412, "version_conflict");
        CPPUNIT_ASSERT_EQUAL(200, put("\"2\"").status);
    }

    /// True when the change was made, false when others were faster each time: a host answers 503 then, and the client tries again.
    bool changed(const std::string& path, const std::string& body) const
    try
    {
        return call(Method::Put, path, body).status == 200;
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::Serialization) throw;
        return false;
    }

    void changesAtOnceAllCount()
    {
        constexpr int threads = 4, changes = 10;
        const auto path = "/api/tasks/" + created();
        {
            std::vector<std::jthread> clients;
            for (int thread = 0; thread < threads; ++thread)
                clients.emplace_back(
                    [&, thread]
                    {
                        for (int done = 0; done < changes;)
                            done += changed(path, R"({"title":")" + std::to_string(thread) + " " + std::to_string(done) + "\"}") ? 1 : 0;
                    });
        }
        CPPUNIT_ASSERT_EQUAL(std::to_string(threads * changes + 1), call(Method::Get, path).at("/version"));
    }

    void remindsWhenItIsTime()
    {
        auto& context = _host.context();
        const auto id = created();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), remindersOf(id).size());
        context.clock().advance(std::chrono::minutes(59));
        context.jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), remindersOf(id).size());
        context.clock().advance(std::chrono::minutes(1));
        context.jobs().runDue();
        CPPUNIT_ASSERT(remindersOf(id).empty());
        CPPUNIT_ASSERT(context.logger().mentions(id));
    }

    void tellsOthers()
    {
        const auto id = created();
        std::size_t told = 0;
        for (const auto& event : _host.context().events().published("tasks.task.created"))
            if (event.organizationId == _organization) told += event.data.find(id) != std::string::npos ? 1 : 0;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), told);
        CPPUNIT_ASSERT_EQUAL(1.0, _host.context().metrics().counted("created"));
    }

    void tellsWhoFollows()
    {
        using portico::testing::FakeChannels;
        auto mine = call(Method::Get, "/api/tasks/events");
        auto theirs = _host.call(Method::Get, "/api/tasks/events", "", userOf(_organization + "2", {"tasks.tasks:read"}));
        CPPUNIT_ASSERT_EQUAL(std::string("text/event-stream"), mine.contentType);
        for (auto* stream : {&mine, &theirs}) FakeChannels::sentTo(*stream->live);
        const auto id = created();
        call(Method::Delete, "/api/tasks/" + id);
        const auto published = _host.context().channels().published();
        CPPUNIT_ASSERT_EQUAL(std::string("deleted"), published.back().type);
        const auto sent = FakeChannels::sentTo(*mine.live);
        CPPUNIT_ASSERT_MESSAGE(sent, sent.find("event: created\ndata: {\"id\":\"" + id + "\"}\n\n") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string(), FakeChannels::sentTo(*theirs.live));
        // Who comes back gets what he has missed.
        const auto again = _host.call(
            {.method = Method::Get, .target = "/api/tasks/events", .headers = {{"Last-Event-ID", published.front().id}}, .caller = _ann});
        CPPUNIT_ASSERT(FakeChannels::sentTo(*again.live).find("event: deleted") != std::string::npos);
    }

    void aRefusedTaskLeavesNothing()
    {
        const auto before = _host.context().jobs().waiting().size();
        assertProblem(call(Method::Post, "/api/tasks", R"({"title":""})"), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(before, _host.context().jobs().waiting().size());
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"items":[],"nextCursor":null})"), call(Method::Get, "/api/tasks").body);
    }

    void listensToContacts()
    {
        Event event;
        event.id = "evt_1";
        event.type = "crm.contact.deleted";
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), _host.context().events().deliver(event));
        event.type = "crm.contact.created";
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), _host.context().events().deliver(event));
    }

    TestHost _host{{.config = {{"tasks.remindAfterSeconds", "3600"}}},
                   [](PluginContext& context) { return std::make_unique<tasks::TasksPlugin>(context); }};
    const std::string _organization = "org_01jd0000000000000000000000";
    const Caller _ann = userOf(_organization, {"tasks.tasks:read", "tasks.tasks:write"});
};

CPPUNIT_TEST_SUITE_REGISTRATION(TaskTest);
