#include "TasksPlugin.h"

#include "portico/testing/Suite.h"
#include "portico/testing/TestHost.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace portico;
using portico::testing::equal;
using portico::testing::keyOf;
using portico::testing::refused;
using portico::testing::Suite;
using portico::testing::TestAnswer;
using portico::testing::TestHost;
using portico::testing::userOf;

/// The plugin as its callers and its host meet it.
class TaskTest : public Suite<TaskTest>
{
    std::string created(const std::string& body = R"({"title":"Buy milk"})")
    {
        const auto answer = call(Method::Post, "/api/tasks", body);
        equal(201, answer.status, answer.body);
        return answer.at("/id");
    }
    TestAnswer call(Method method, const std::string& target, const std::string& body = {}) const
    {
        return _host.call(method, target, body, _ann);
    }
    std::vector<std::string> remindersOf(const std::string& id)
    {
        std::vector<std::string> found;
        for (const auto& job : _host.context().jobs().waiting("remind"))
            if (job.payload.find(id) != std::string::npos) found.push_back(job.id);
        return found;
    }

    TEST(createsShowsChangesAndRemoves)
    {
        const auto id = created(R"({"title":"Buy milk","labels":["home","shop"],"due":"2026-12-24T18:00:00+01:00"})");
        const auto path = "/api/tasks/" + id;
        const auto shown = call(Method::Get, path);
        equal(200, shown.status);
        equal("\"1\"", shown.etag);
        equal("open", shown.at("/state"));
        equal("2026-12-24T17:00:00.000Z", shown.at("/due"));
        equal(R"(["home","shop"])", shown.at("/labels"));
        // A client can send back the record that it read, without effect. Missing members stay; null clears.
        equal(shown.body, call(Method::Put, path, shown.body).body);
        const auto changed = call(Method::Put, path, R"({"state":"done","due":null})");
        equal(200, changed.status);
        equal("done", changed.at("/state"));
        equal("Buy milk", changed.at("/title"));
        equal("null", changed.at("/due"));
        equal("2", changed.at("/version"));
        equal(200, call(Method::Delete, path).status);
        for (const auto method : {Method::Get, Method::Delete}) refused(call(method, path), 404, "not_found");
        refused(call(Method::Put, path, "{}"), 404, "not_found");
    }

    TEST(namesEveryFault)
    {
        refused(call(Method::Post, "/api/tasks", "{}"), 400, "validation_failed");
        refused(call(Method::Post, "/api/tasks", "{"), 400, "invalid_json");
        refused(call(Method::Post, "/api/tasks", R"({"title":"x","titel":"y"})"), 400, "unknown_field");
        refused(call(Method::Post, "/api/tasks", R"({"title":")" + std::string(201, 'x') + "\"}"), 400, "validation_failed");
        refused(call(Method::Post, "/api/tasks", R"({"title":"x","state":"later"})"), 400, "validation_failed");
        const auto label = call(Method::Post, "/api/tasks", R"({"title":"x","labels":["ok",")" + std::string(41, 'x') + "\"]}");
        refused(label, 400, "validation_failed");
        equal("labels[1]", label.at("/errors/0/field"));
        refused(call(Method::Get, "/api/tasks?colour=red"), 400, "unknown_parameter");
        refused(call(Method::Get, "/api/tasks/tsk_x"), 404, "not_found");
    }

    TEST(requiresPermissionScopeAndOrganization)
    {
        const auto ask = [this](const Caller& caller) { return _host.call(Method::Post, "/api/tasks", R"({"title":"x"})", caller); };
        refused(ask(Caller::nobody()), 401, "authentication_required");
        refused(ask(userOf(_organization, {"tasks.tasks:read"})), 403, "permission_denied");
        refused(ask(keyOf(_organization, {"tasks.tasks:write"}, {"tasks.read"})), 403, "insufficient_scope");
        refused(ask(userOf("", {"tasks.tasks:write"})), 403, "service_access_denied");
        equal(201, ask(keyOf(_organization, {"tasks.tasks:write"}, {"tasks.write"})).status);
    }

    TEST(otherOrganizationsSeeNothing)
    {
        const auto path = "/api/tasks/" + created();
        const auto stranger = userOf(_organization + "2", {"tasks.tasks:read", "tasks.tasks:write"});
        refused(_host.call(Method::Get, path, "", stranger), 404, "not_found");
        refused(_host.call(Method::Put, path, R"({"title":"mine"})", stranger), 404, "not_found");
        refused(_host.call(Method::Delete, path, "", stranger), 404, "not_found");
        equal(R"({"items":[],"nextCursor":null})", _host.call(Method::Get, "/api/tasks", "", stranger).body);
        equal("1", call(Method::Get, path).at("/version"));
    }

    TEST(pagesAndFilters)
    {
        for (const auto* state : {"open", "done", "open", "done", "open"})
            created(std::string(R"({"title":"x","state":")") + state + "\"}");
        const auto count = [this](const std::string& query)
        {
            std::size_t found = 0;
            for (std::string cursor; cursor != "null";)
            {
                const auto page = call(Method::Get, "/api/tasks?limit=2" + query + (cursor.empty() ? "" : "&cursor=" + cursor));
                equal(200, page.status, page.body);
                found += page.count("/items");
                cursor = page.at("/nextCursor");
            }
            return found;
        };
        equal(5, count(""));
        equal(3, count("&state=open"));
        equal(2, count("&state=done"));
        refused(call(Method::Get, "/api/tasks?limit=2&cursor=tsk_01"), 400, "invalid_cursor");
    }

    TEST(changesWhatWasReadOnly)
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
        equal(200, put("\"1\"").status);
        refused(put("\"1\""), 412, "version_conflict");
        equal(200, put("\"2\"").status);
    }

    /// Returns true when the change was made, false when other writers were faster each time: a host then answers 503, and the client
    /// retries.
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

    TEST(changesAtOnceAllCount)
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
        equal(std::to_string(threads * changes + 1), call(Method::Get, path).at("/version"));
    }

    TEST(remindsWhenItIsTime)
    {
        auto& context = _host.context();
        const auto id = created();
        equal(1, remindersOf(id).size());
        context.clock().advance(std::chrono::minutes(59));
        context.jobs().runDue();
        equal(1, remindersOf(id).size());
        context.clock().advance(std::chrono::minutes(1));
        context.jobs().runDue();
        CHECK(remindersOf(id).empty());
        CHECK(context.logger().mentions(id));
    }

    TEST(publishesEvent)
    {
        const auto id = created();
        std::size_t told = 0;
        for (const auto& event : _host.context().events().published("tasks.task.created"))
            if (event.organizationId == _organization) told += event.data.find(id) != std::string::npos ? 1 : 0;
        equal(1, told);
        equal(1.0, _host.context().metrics().counted("created"));
    }

    TEST(notifiesOpenStreams)
    {
        using portico::testing::FakeChannels;
        auto mine = call(Method::Get, "/api/tasks/events");
        auto theirs = _host.call(Method::Get, "/api/tasks/events", "", userOf(_organization + "2", {"tasks.tasks:read"}));
        equal("text/event-stream", mine.contentType);
        for (auto* stream : {&mine, &theirs}) FakeChannels::sentTo(*stream->live);
        const auto id = created();
        call(Method::Delete, "/api/tasks/" + id);
        const auto published = _host.context().channels().published();
        equal("deleted", published.back().type);
        const auto sent = FakeChannels::sentTo(*mine.live);
        CPPUNIT_ASSERT_MESSAGE(sent, sent.find("event: created\ndata: {\"id\":\"" + id + "\"}\n\n") != std::string::npos);
        equal("", FakeChannels::sentTo(*theirs.live));
        // A reconnecting client gets the events that it missed.
        const auto again = _host.call(
            {.method = Method::Get, .target = "/api/tasks/events", .headers = {{"Last-Event-ID", published.front().id}}, .caller = _ann});
        CHECK(FakeChannels::sentTo(*again.live).find("event: deleted") != std::string::npos);
    }

    TEST(aRefusedTaskLeavesNothing)
    {
        const auto before = _host.context().jobs().waiting().size();
        refused(call(Method::Post, "/api/tasks", R"({"title":""})"), 400, "validation_failed");
        equal(before, _host.context().jobs().waiting().size());
        equal(R"({"items":[],"nextCursor":null})", call(Method::Get, "/api/tasks").body);
    }

    TEST(listensToContacts)
    {
        Event event;
        event.id = "evt_1";
        event.type = "crm.contact.deleted";
        equal(1, _host.context().events().deliver(event));
        event.type = "crm.contact.created";
        equal(0, _host.context().events().deliver(event));
    }

    TestHost _host{{.config = {{"tasks.remindAfterSeconds", "3600"}}},
                   [](PluginContext& context) { return std::make_unique<tasks::TasksPlugin>(context); }};
    const std::string _organization = "org_01jd0000000000000000000000";
    const Caller _ann = userOf(_organization, {"tasks.tasks:read", "tasks.tasks:write"});
};
