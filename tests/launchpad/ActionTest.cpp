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
class LaunchpadActionTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadActionTest);
    CPPUNIT_TEST(createsOncePerCause);
    CPPUNIT_TEST(refusesActions);
    CPPUNIT_TEST(letsServicesSpeakForThemselves);
    CPPUNIT_TEST(listsByFilters);
    CPPUNIT_TEST(membersDecideWhatIsTheirs);
    CPPUNIT_TEST(demandsStepUp);
    CPPUNIT_TEST(snoozesDismissesAndAssigns);
    CPPUNIT_TEST(sendsDecisionsToTheirSource);
    CPPUNIT_TEST(reopensWhatCouldNotBeDelivered);
    CPPUNIT_TEST(settlesDecisionsWithoutAReport);
    CPPUNIT_TEST(hidesCallbacks);
    CPPUNIT_TEST(stopsAtTenThousand);
    CPPUNIT_TEST(appliesEachOfHundredDecisionsOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    static std::string body(const std::string& key, const std::string& more = {})
    {
        return R"({"title":"Look at this","source":{"service_id":"crm","resourceType":"deal","resourceId":"1"},"assignee":{"type":"role","id":"admin"},
                   "decisions":[{"id":"yes","label":"Yes"},{"id":"no","label":"No","style":"danger","requiresReason":true}],"dedupeKey":")" +
               key + '"' + more + '}';
    }
    static std::string callback(const std::string& url = "https://crm.example/decisions")
    {
        return R"(,"decisionCallback":{"url":")" + url + R"(","secret":"0123456789abcdef"})";
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

    void createsOncePerCause()
    {
        const auto key = newKey({"workflows.write"});
        const auto first = post(key, "/api/actions", body("deal:1"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 201, first.status);
        const auto second = post(key, "/api/actions", body("deal:1"));
        CPPUNIT_ASSERT_EQUAL(200, second.status);
        CPPUNIT_ASSERT_EQUAL(first.at("/id"), second.at("/id"));
        made(act(admin, first.at("/id"), "resolve", R"({"decision":"yes"})"));
        CPPUNIT_ASSERT_EQUAL(201, post(key, "/api/actions", body("deal:1")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), first.at("/context/kind"));
        CPPUNIT_ASSERT_EQUAL(organization, first.at("/context/organizationId"));
    }

    void refusesActions()
    {
        const auto key = newKey({"workflows.write"});
        assertProblem(post(admin, "/api/actions", body("a")), 403, "permission_denied");
        assertProblem(post(newKey({"workflows.read"}), "/api/actions", body("a")), 403, "insufficient_scope");
        for (const auto& more : {callback("https://crm.example.evil/decisions"), callback("https://social.example/decisions"),
                                 callback("http://crm.example/decisions"), callback("https://crm.example:444/decisions")})
            assertProblem(post(key, "/api/actions", body("a", more)), 400, "unknown_decision_target");
        for (const auto* more :
             {R"(,"href":"https://evil.example/")", R"(,"href":"//evil")", R"(,"href":"/.//evil")",
              R"(,"decisions":[{"id":"a","label":"A"},{"id":"a","label":"B"}])", R"(,"assignee":{"type":"user","id":"usr_nobody"})",
              R"(,"assignee":{"type":"role","id":"king"})", R"(,"source":{"service_id":"nothing"})", R"(,"kind":"mystery")"})
        {
            // A member that comes twice is refused: the later one takes the place of the first.
            auto text = body("a");
            const auto name = std::string(more).substr(1, std::string(more).find(':'));
            if (const auto place = text.find("," + name); place != std::string::npos)
            {
                const auto end = text.find(",\"", text.find(name.find("decisions") != std::string::npos ? "}]" : "}", place));
                text = text.substr(0, place) + text.substr(end);
            }
            text.pop_back();
            const auto answer = post(key, "/api/actions", text + more + '}');
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text + more + answer.body, 400, answer.status);
        }
        auto without = body("");
        assertProblem(post(key, "/api/actions", without), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/actions").count("/items"));
    }

    void letsServicesSpeakForThemselves()
    {
        Caller service;
        service.credential = CredentialKind::AccessToken;
        service.principalType = "service";
        service.principalId = "client";
        service.ownServiceId = "crm";
        const auto in = R"(,"context":{"kind":"organization","organizationId":")" + organization + "\"}";
        const auto opened = post(service, "/api/actions", body("s1", in));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(opened.body, 201, opened.status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/actions").count("/items"));
        service.ownServiceId = "social";
        assertProblem(post(service, "/api/actions", body("s2", in)), 403, "permission_denied");
        registry.entries.find("crm")->second.publisher.type = "organization";
        ++registry.changes;
        service.ownServiceId = "crm";
        assertProblem(post(service, "/api/actions", body("s3", in)), 404, "not_found");
    }

    void listsByFilters()
    {
        create("a", R"(,"severity":"critical","dueAt":"2026-11-22T00:00:00Z")");
        create("b", R"(,"kind":"agent_approval","href":"/deals/7")");
        const auto all = get(member, "/api/actions");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"open":2,"overdue":1,"critical":1})"), all.at("/counts"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/actions?severity=critical").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("/deals/7"), get(admin, "/api/actions?kind=agent_approval,custom&limit=1").at("/items/0/href"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(owner, "/api/actions?assignee=me").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/actions?assignee=me").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/actions?status=resolved").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(newKey({"workflows.read"}), "/api/actions").count("/items"));
        assertProblem(get(admin, "/api/actions?assignee=you"), 400, "validation_failed");
        assertProblem(get(guest, "/api/actions"), 403, "permission_denied");
        const auto page = get(admin, "/api/actions?limit=1");
        CPPUNIT_ASSERT_EQUAL(std::string("a"),
                             get(admin, "/api/actions?limit=1&cursor=" + page.at("/nextCursor")).at("/items/0/dedupeKey"));
    }

    void membersDecideWhatIsTheirs()
    {
        const auto foreign = create("a");
        assertProblem(act(member, foreign, "resolve", R"({"decision":"yes"})"), 403, "permission_denied");
        assertProblem(act(member, foreign, "dismiss"), 403, "permission_denied");
        made(act(admin, foreign, "assign", R"({"assignee":{"type":"user","id":")" + member.principalId + R"("}})"));
        CPPUNIT_ASSERT_EQUAL(member.principalId, show(foreign, "/assignee/id"));
        made(act(member, foreign, "resolve", R"({"decision":"yes"})"));
        auto impersonated = admin;
        impersonated.impersonatorId = "usr_operator";
        assertProblem(act(impersonated, create("b"), "resolve", R"({"decision":"yes"})"), 403, "permission_denied");
        assertProblem(act(newKey({"workflows.write"}), create("c"), "resolve", R"({"decision":"yes"})"), 403, "bearer_required");
    }

    void demandsStepUp()
    {
        auto text = body("a");
        text.replace(text.find(R"("label":"Yes")"), 13, R"("label":"Yes","requiresStepUp":true)");
        const auto id = made(post(newKey({"workflows.write"}), "/api/actions", text)).at("/id");
        FakeElevation elevation;
        host->context().services().offer<interfaces::OperatorRecords>(elevation);
        assertProblem(act(admin, id, "resolve", R"({"decision":"yes"})"), 403, "step_up_required");
        CPPUNIT_ASSERT_EQUAL(std::string("open"), show(id, "/status"));
        elevation.elevated = true;
        made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().services().withdraw(interfaces::OperatorRecords::interfaceName);
    }

    void snoozesDismissesAndAssigns()
    {
        const auto id = create("a");
        assertProblem(act(admin, id, "snooze", R"({"until":"2026-11-22T00:00:00Z"})"), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("snoozed"), made(act(admin, id, "snooze", R"({"until":"2026-11-23T09:00:00Z"})")).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/actions").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/actions?status=snoozed").count("/items"));
        advance(std::chrono::hours(2));
        CPPUNIT_ASSERT_EQUAL(std::string("open"), get(admin, "/api/actions").at("/items/0/status"));
        testing::TestRequest stale{Method::Post, "/api/actions/" + id + "/dismiss", "{}", {{"If-Match", "\"1\""}}, admin};
        assertProblem(host->call(stale), 412, "version_conflict");
        CPPUNIT_ASSERT_EQUAL(std::string("dismissed"), made(act(admin, id, "dismiss", R"({"reason":"Old"})")).at("/status"));
        assertProblem(act(admin, id, "snooze", R"({"until":"2026-11-23T11:00:00Z"})"), 409, "already_resolved");
        const auto history = get(admin, "/api/actions/" + id);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, history.count("/history"));
        CPPUNIT_ASSERT_EQUAL(std::string("dismissed"), history.at("/history/2/what"));
        CPPUNIT_ASSERT_EQUAL(admin.principalId, history.at("/history/2/by"));
    }

    void sendsDecisionsToTheirSource()
    {
        const auto id = create("a", callback());
        const auto decided = made(act(admin, id, "resolve", R"({"decision":"no","reason":"Late"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), decided.at("/resolution/outcome"));
        const auto sent = host->context().deliveries().sent();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent.size());
        CPPUNIT_ASSERT_EQUAL(id, sent[0].id);
        const auto message = boost::json::parse(sent[0].body);
        CPPUNIT_ASSERT(message.at("type") == "launchpad.action.resolved");
        CPPUNIT_ASSERT(message.at("data").at("decision") == "no" && message.at("data").at("reason") == "Late");
        CPPUNIT_ASSERT(message.at("data").at("source").at("resourceId") == "1");
        const auto where = host->context().deliveries().where(id);
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example/decisions"), where.value().url);
        CPPUNIT_ASSERT_EQUAL(std::string("0123456789abcdef"), where.value().secrets.at(0));
        host->context().deliveries().attempt({.endpointId = id, .messageId = id, .httpStatus = 503, .error = "503"});
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), show(id, "/resolution/outcome"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 2, .delivered = true, .last = true, .httpStatus = 204, .error = {}});
        CPPUNIT_ASSERT_EQUAL(std::string("applied"), show(id, "/resolution/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("resolved"), show(id, "/status"));
        // A report that comes twice changes nothing.
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 2, .last = true, .httpStatus = 500, .error = {}});
        CPPUNIT_ASSERT_EQUAL(std::string("applied"), show(id, "/resolution/outcome"));
    }

    void reopensWhatCouldNotBeDelivered()
    {
        const auto id = create("a", callback());
        made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .attempt = 8, .last = true, .httpStatus = 410, .error = "gone"});
        CPPUNIT_ASSERT_EQUAL(std::string("open"), show(id, "/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), show(id, "/resolution/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("gone"), show(id, "/resolution/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), get(admin, "/api/actions").at("/counts/open"));
        made(act(owner, id, "resolve", R"({"decision":"yes"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), show(id, "/resolution/outcome"));
        host->context().deliveries().attempt(
            {.endpointId = id, .messageId = id, .delivered = true, .last = true, .httpStatus = 200, .error = {}});
        CPPUNIT_ASSERT_EQUAL(std::string("applied"), show(id, "/resolution/outcome"));
    }

    void settlesDecisionsWithoutAReport()
    {
        const auto waiting = create("a", callback()), lost = create("b", callback());
        for (const auto& id : {waiting, lost}) made(act(admin, id, "resolve", R"({"decision":"yes"})"));
        host->context().deliveries().fail(lost, 500, "refused");
        host->context().deliveries().disable(lost);
        advance(std::chrono::minutes(11));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), show(waiting, "/resolution/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), show(lost, "/resolution/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("the endpoint answered 410"), show(lost, "/resolution/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("open"), show(lost, "/status"));
    }

    void hidesCallbacks()
    {
        const auto id = create("a", callback());
        for (const auto& answer : {get(owner, "/api/actions/" + id), get(owner, "/api/actions")})
        {
            CPPUNIT_ASSERT(answer.body.find("0123456789abcdef") == std::string::npos);
            CPPUNIT_ASSERT(answer.body.find("https://crm.example/decisions") == std::string::npos);
        }
    }

    void stopsAtTenThousand()
    {
        create("first");
        host->context().database().transact(
            [&](Transaction& transaction)
            { transaction.execute("UPDATE action_count SET open = 10000 WHERE organization_id = $1", organization); });
        assertProblem(post(newKey({"workflows.write"}), "/api/actions", body("more")), 409, "too_many_actions");
        CPPUNIT_ASSERT_EQUAL(200, post(newKey({"workflows.write"}), "/api/actions", body("first")).status);
        made(act(admin, get(admin, "/api/actions").at("/items/0/id"), "resolve", R"({"decision":"yes"})"));
        create("more");
    }

    void appliesEachOfHundredDecisionsOnce()
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
        CPPUNIT_ASSERT_EQUAL(0, other.load());
        CPPUNIT_ASSERT_EQUAL(100, decided.load());
        CPPUNIT_ASSERT_EQUAL(100, late.load());
        auto session = host->context().database().session();
        const auto count = [&](const std::string& sql) { return *session.value<std::int64_t>(sql); };
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, count("SELECT count(*) FROM install WHERE state = 'installed'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, count("SELECT count(*) FROM notification"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, count("SELECT count(*) FROM action_event WHERE what = 'resolved'"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count("SELECT open FROM action_count"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadActionTest);

} // namespace portico::tests
