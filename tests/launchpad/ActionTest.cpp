#include "launchpad/LaunchpadFixture.h"

#include "actions/Action.h"

#include "portico/system/OperatorRecords.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

namespace
{
class FakeElevation final : public interfaces::OperatorRecords
{
public:
    void requireElevation(const Caller&) override
    {
        if (!elevated) throw Problem::forbidden("step_up_required", "Confirm that it is you.");
    }
    void record(const Request&, std::string_view, std::string_view, std::string_view) override {}
    bool elevated = false;
};
} // namespace

/// The queue of decisions.
class LaunchpadActionTest : public Suite<LaunchpadActionTest, LaunchpadFixture>
{
    static std::string body(const std::string& key, const std::string& more = {})
    {
        return jsonWith(
            R"({"title":"Look at this","source":{"service_id":"crm","resourceType":"deal","resourceId":"1"},"assignee":{"type":"role","id":"admin"},
                   "decisions":[{"id":"yes","label":"Yes"},{"id":"no","label":"No","style":"danger","requiresReason":true}],"dedupeKey":"$"$})",
            key, more);
    }
    static std::string callback(const std::string& url = "https://crm.example/decisions")
    {
        return jsonWith(R"(,"decisionCallback":{"url":"$","secret":"0123456789abcdef"})", url);
    }
    std::string create(const std::string& key, const std::string& more = {}) const
    {
        return made(post(newKey({"workflows.write"}), "/api/actions", body(key, more))).at("/id");
    }
    testing::TestAnswer act(const Caller& caller, const std::string& id, const std::string& verb, const std::string& input = "{}") const
    {
        return post(caller, "/api/actions/" + id + '/' + verb, input);
    }
    std::string show(const std::string& id, const std::string& pointer) const { return get(owner, "/api/actions/" + id).at(pointer); }

    TEST(createsOncePerCause)
    {
        const auto key = newKey({"workflows.write"});
        const auto first = post(key, "/api/actions", body("deal:1"));
        equal(201, first.status, first.body);
        const auto second = post(key, "/api/actions", body("deal:1"));
        equal(200, second.status);
        equal(first.at("/id"), second.at("/id"));
        made(act(admin, first.at("/id"), "resolve", R"({"decision":"yes"})"));
        equal(201, post(key, "/api/actions", body("deal:1")).status);
        equal("organization", first.at("/context/kind"));
        equal(organization, first.at("/context/organizationId"));
    }

    TEST(refusesActions)
    {
        const auto key = newKey({"workflows.write"});
        refused(post(admin, "/api/actions", body("a")), 403, "permission_denied");
        refused(post(newKey({"workflows.read"}), "/api/actions", body("a")), 403, "insufficient_scope");
        for (const auto& more : {callback("https://crm.example.evil/decisions"), callback("https://social.example/decisions"),
                                 callback("http://crm.example/decisions"), callback("https://crm.example:444/decisions")})
            refused(post(key, "/api/actions", body("a", more)), 400, "unknown_decision_target");
        for (const auto* more :
             {R"(,"href":"https://evil.example/")", R"(,"href":"//evil")", R"(,"href":"/.//evil")",
              R"(,"decisions":[{"id":"a","label":"A"},{"id":"a","label":"B"}])", R"(,"assignee":{"type":"user","id":"usr_nobody"})",
              R"(,"assignee":{"type":"role","id":"king"})", R"(,"source":{"service_id":"nothing"})", R"(,"kind":"mystery")"})
        {
            // Rejects a duplicate member.
            auto text = body("a");
            const auto name = std::string(more).substr(1, std::string(more).find(':'));
            if (const auto place = text.find("," + name); place != std::string::npos)
            {
                const auto end = text.find(",\"", text.find(name.find("decisions") != std::string::npos ? "}]" : "}", place));
                text = text.substr(0, place) + text.substr(end);
            }
            text.pop_back();
            const auto answer = post(key, "/api/actions", text + more + '}');
            equal(400, answer.status, text + more + answer.body);
        }
        auto without = body("");
        refused(post(key, "/api/actions", without), 400, "validation_failed");
        equal(0, get(admin, "/api/actions").count("/items"));
    }

    TEST(letsServicesSpeakForThemselves)
    {
        Caller service;
        service.credential = CredentialKind::AccessToken;
        service.principalType = "service";
        service.principalId = "client";
        service.ownServiceId = "crm";
        const auto in = jsonWith(R"(,"context":{"kind":"organization","organizationId":"$"})", organization);
        const auto opened = post(service, "/api/actions", body("s1", in));
        equal(201, opened.status, opened.body);
        equal(1, get(admin, "/api/actions").count("/items"));
        service.ownServiceId = "social";
        refused(post(service, "/api/actions", body("s2", in)), 403, "permission_denied");
        registry.entries.find("crm")->second.publisher.type = "organization";
        ++registry.changes;
        service.ownServiceId = "crm";
        refused(post(service, "/api/actions", body("s3", in)), 404, "not_found");
    }

    TEST(listsByFilters)
    {
        create("a", R"(,"severity":"critical","dueAt":"2026-11-22T00:00:00Z")");
        create("b", R"(,"kind":"agent_approval","href":"/deals/7")");
        const auto all = get(member, "/api/actions");
        equal(R"({"open":2,"overdue":1,"critical":1})", all.at("/counts"));
        equal(1, get(admin, "/api/actions?severity=critical").count("/items"));
        equal("/deals/7", get(admin, "/api/actions?kind=agent_approval,custom&limit=1").at("/items/0/href"));
        equal(2, get(owner, "/api/actions?assignee=me").count("/items"));
        equal(0, get(member, "/api/actions?assignee=me").count("/items"));
        equal(0, get(admin, "/api/actions?status=resolved").count("/items"));
        equal(2, get(newKey({"workflows.read"}), "/api/actions").count("/items"));
        refused(get(admin, "/api/actions?assignee=you"), 400, "validation_failed");
        refused(get(guest, "/api/actions"), 403, "permission_denied");
        const auto page = get(admin, "/api/actions?limit=1");
        equal("a", get(admin, "/api/actions?limit=1&cursor=" + page.at("/nextCursor")).at("/items/0/dedupeKey"));
    }

    TEST(membersDecideWhatIsTheirs)
    {
        const auto foreign = create("a");
        refused(act(member, foreign, "resolve", R"({"decision":"yes"})"), 403, "permission_denied");
        refused(act(member, foreign, "dismiss"), 403, "permission_denied");
        made(act(admin, foreign, "assign", jsonWith(R"({"assignee":{"type":"user","id":"$"}})", member.principalId)));
        equal(member.principalId, show(foreign, "/assignee/id"));
        made(act(member, foreign, "resolve", R"({"decision":"yes"})"));
        auto impersonated = admin;
        impersonated.impersonatorId = "usr_operator";
        refused(act(impersonated, create("b"), "resolve", R"({"decision":"yes"})"), 403, "permission_denied");
        refused(act(newKey({"workflows.write"}), create("c"), "resolve", R"({"decision":"yes"})"), 403, "bearer_required");
    }

    TEST(demandsStepUp)
    {
        auto text = body("a");
        text.replace(text.find(R"("label":"Yes")"), 13, R"("label":"Yes","requiresStepUp":true)");
        const auto id = made(post(newKey({"workflows.write"}), "/api/actions", text)).at("/id");
        FakeElevation elevation;
        host->context().services().offer<interfaces::OperatorRecords>(elevation);
        refused(act(admin, id, "resolve", R"({"decision":"yes"})"), 403, "step_up_required");
        equal("open", show(id, "/status"));
        elevation.elevated = true;
        made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().services().withdraw(interfaces::OperatorRecords::interfaceName);
    }

    TEST(snoozesDismissesAndAssigns)
    {
        const auto id = create("a");
        refused(act(admin, id, "snooze", R"({"until":"2026-11-22T00:00:00Z"})"), 400, "validation_failed");
        equal("snoozed", made(act(admin, id, "snooze", R"({"until":"2026-11-23T09:00:00Z"})")).at("/status"));
        equal(0, get(admin, "/api/actions").count("/items"));
        equal(1, get(admin, "/api/actions?status=snoozed").count("/items"));
        advance(std::chrono::hours(2));
        equal("open", get(admin, "/api/actions").at("/items/0/status"));
        testing::TestRequest stale{Method::Post, "/api/actions/" + id + "/dismiss", "{}", {{"If-Match", "\"1\""}}, admin};
        refused(host->call(stale), 412, "version_conflict");
        equal("dismissed", made(act(admin, id, "dismiss", R"({"reason":"Old"})")).at("/status"));
        refused(act(admin, id, "snooze", R"({"until":"2026-11-23T11:00:00Z"})"), 409, "already_resolved");
        const auto history = get(admin, "/api/actions/" + id);
        equal(3, history.count("/history"));
        equal("dismissed", history.at("/history/2/what"));
        equal(admin.principalId, history.at("/history/2/by"));
    }

    TEST(sendsDecisionsToTheirSource)
    {
        const auto id = create("a", callback());
        const auto decided = made(act(admin, id, "resolve", R"({"decision":"no","reason":"Late"})"));
        equal("pending", decided.at("/resolution/outcome"));
        const auto sent = host->context().deliveries().sent();
        equal(1, sent.size());
        equal(id, sent[0].id);
        const auto message = boost::json::parse(sent[0].body);
        CHECK(message.at("type") == "launchpad.action.resolved");
        CHECK(message.at("data").at("decision") == "no" && message.at("data").at("reason") == "Late");
        CHECK(message.at("data").at("source").at("resourceId") == "1");
        const auto where = host->context().deliveries().where(id);
        equal("https://crm.example/decisions", where.value().url);
        equal("0123456789abcdef", where.value().secrets.at(0));
        host->context().deliveries().attempt({.endpointId = id, .messageId = id, .httpStatus = 503, .error = "503"});
        equal("pending", show(id, "/resolution/outcome"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 2, .delivered = true, .last = true, .httpStatus = 204, .error = {}});
        equal("applied", show(id, "/resolution/outcome"));
        equal("resolved", show(id, "/status"));
        // A report that comes twice changes nothing.
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 2, .last = true, .httpStatus = 500, .error = {}});
        equal("applied", show(id, "/resolution/outcome"));
    }

    TEST(reopensWhatCouldNotBeDelivered)
    {
        const auto id = create("a", callback());
        made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 8, .last = true, .httpStatus = 410, .error = "gone"});
        equal("open", show(id, "/status"));
        equal("failed", show(id, "/resolution/outcome"));
        equal("gone", show(id, "/resolution/error"));
        equal("1", get(admin, "/api/actions").at("/counts/open"));
        made(act(owner, id, "resolve", R"({"decision":"yes"})"));
        equal("pending", show(id, "/resolution/outcome"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .delivered = true, .last = true, .httpStatus = 200, .error = {}});
        equal("applied", show(id, "/resolution/outcome"));
    }

    TEST(settlesDecisionsWithoutAReport)
    {
        const auto waiting = create("a", callback()), lost = create("b", callback());
        for (const auto& id : {waiting, lost}) made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().deliveries().fail(lost, 500, "refused");
        host->context().deliveries().disable(lost);
        advance(std::chrono::minutes(11));
        host->context().jobs().runDue();
        equal("pending", show(waiting, "/resolution/outcome"));
        equal("failed", show(lost, "/resolution/outcome"));
        equal("the endpoint answered 410", show(lost, "/resolution/error"));
        equal("open", show(lost, "/status"));
    }

    TEST(hidesCallbacks)
    {
        const auto id = create("a", callback());
        for (const auto& answer : {get(owner, "/api/actions/" + id), get(owner, "/api/actions")})
        {
            CHECK(answer.body.find("0123456789abcdef") == std::string::npos);
            CHECK(answer.body.find("https://crm.example/decisions") == std::string::npos);
        }
    }

    TEST(stopsAtTenThousand)
    {
        create("first");
        host->context().database().transact(
            [&](Transaction& transaction)
            { transaction.execute("UPDATE action_count SET open = 10000 WHERE organization_id = $1", organization); });
        refused(post(newKey({"workflows.write"}), "/api/actions", body("more")), 409, "too_many_actions");
        equal(200, post(newKey({"workflows.write"}), "/api/actions", body("first")).status);
        made(act(admin, get(admin, "/api/actions").at("/items/0/id"), "resolve", R"({"decision":"yes"})"));
        create("more");
    }

    TEST(appliesEachOfHundredDecisionsOnce)
    {
        registry.add("remote").remote = true;
        std::vector<std::string> ids, people;
        for (int i = 0; i < 100; ++i)
        {
            const auto person = newPerson("member");
            people.push_back(person.principalId);
            ids.push_back(made(post(person, "/api/install-requests", R"({"service_id":"remote"})")).at("/actionId"));
        }
        std::atomic<int> decided = 0, late = 0, other = 0;
        const auto decideAll = [&](const Caller& caller)
        {
            for (const auto& id : ids)
            {
                const auto answer = act(caller, id, "resolve", R"({"decision":"approve"})");
                if (answer.status == 200)
                    ++decided;
                else if (answer.code() == "already_resolved")
                    ++late;
                else
                    ++other;
            }
        };
        std::thread first(decideAll, std::cref(admin)), second(decideAll, std::cref(owner));
        first.join();
        second.join();
        equal(0, other.load());
        equal(100, decided.load());
        equal(100, late.load());
        auto session = host->context().database().session();
        const auto count = [&](const std::string& sql) { return *session.value<std::int64_t>(sql); };
        equal(100, count("SELECT count(*) FROM install WHERE state = 'installed'"));
        equal(100, count("SELECT count(*) FROM notification"));
        equal(100, count("SELECT count(*) FROM action_event WHERE what = 'resolved'"));
        equal(0, count("SELECT open FROM action_count"));
    }
};

} // namespace portico::tests
