#include "crm/PipelineFixture.h"
#include "support/Together.h"

#include "portico/interfaces/BindableResources.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Definitions of pipelines: the default one, rules, versions, removal of stages and pipelines, keys that are bound.
class PipelineTest : public PipelineFixture
{
    CPPUNIT_TEST_SUITE(PipelineTest);
    CPPUNIT_TEST(startsWithAStandardPipeline);
    CPPUNIT_TEST(makesTheDefaultOnAnyRoute);
    CPPUNIT_TEST(makesTheDefaultOnce);
    CPPUNIT_TEST(createsAndReads);
    CPPUNIT_TEST(completesStages);
    CPPUNIT_TEST(keepsLimits);
    CPPUNIT_TEST(checksReferences);
    CPPUNIT_TEST(copiesAPipeline);
    CPPUNIT_TEST(mergesWithVersions);
    CPPUNIT_TEST(addsAndOrdersStages);
    CPPUNIT_TEST(switchesTheDefault);
    CPPUNIT_TEST(removesStages);
    CPPUNIT_TEST(forgetsCardsOfTheDeleted);
    CPPUNIT_TEST(deletesPipelines);
    CPPUNIT_TEST(leavesValuesOfOtherCurrencies);
    CPPUNIT_TEST(hasFiftyAtMost);
    CPPUNIT_TEST(hasFiftyAtMostTogether);
    CPPUNIT_TEST(pages);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST(keepsKeysToTheirPipelines);
    CPPUNIT_TEST(demandsPermissions);
    CPPUNIT_TEST(saysWhatKeysCanBeBoundTo);
    CPPUNIT_TEST_SUITE_END();

public:
    void saysWhatKeysCanBeBoundTo()
    {
        const auto first = standard().text("pipelineId");
        const auto second = makePipeline(R"({"name":"Großkunden","stages":[{"name":"A"}]})").text("pipelineId");
        auto& bindable = *services().provided<interfaces::BindableResources>();
        const auto ids = [&](std::string_view words, std::string_view after = {}, std::size_t limit = 10)
        {
            Names found;
            for (const auto& resource : bindable.list(owner, "pipeline", words, after, limit)) found.push_back(resource.id);
            return found;
        };
        CPPUNIT_ASSERT_EQUAL((Names{first, second}), ids(""));
        CPPUNIT_ASSERT_EQUAL((Names{second}), ids("GROSS"));
        CPPUNIT_ASSERT_EQUAL((Names{first}), ids("", "", 1));
        CPPUNIT_ASSERT_EQUAL((Names{second}), ids("", first));
        CPPUNIT_ASSERT_EQUAL(std::string("Großkunden"), bindable.find(owner, "pipeline", second)->label);
        // Another organization's is not there, and nothing is told to who may not read.
        auto foreign = owner;
        foreign.organizationId = "org_01jd0000000000000000000099";
        CPPUNIT_ASSERT(!bindable.find(foreign, "pipeline", second));
        auto weak = owner;
        weak.permissions.clear();
        CPPUNIT_ASSERT_THROW(bindable.list(weak, "pipeline", {}, {}, 10), Problem);
        CPPUNIT_ASSERT_THROW(bindable.list(owner, "contact", {}, {}, 10), Problem);
    }

    void startsWithAStandardPipeline()
    {
        const auto list = pipelines(owner);
        CPPUNIT_ASSERT_EQUAL(200, list.status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list["items"].as_array().size());
        const auto& first = list["items"].at(0);
        CPPUNIT_ASSERT(first.at("isDefault").as_bool());
        CPPUNIT_ASSERT_EQUAL(std::string("EUR"), std::string(first.at("currency").as_string()));
        CPPUNIT_ASSERT(first.at("transitions").is_null());
        CPPUNIT_ASSERT(!first.at("requireLostReason").as_bool());
        Names stages;
        for (const auto& stage : first.at("stages").as_array())
            stages.push_back(std::string(stage.at("name").as_string()) + ' ' + json::serialize(stage.at("order")) + ' ' +
                             std::string(stage.at("kind").as_string()) + ' ' + json::serialize(stage.at("probability")));
        CPPUNIT_ASSERT_EQUAL((Names{"New 0 open 5", "Contacted 1 open 15", "Qualified 2 open 30", "Proposal 3 open 55",
                                    "Negotiation 4 open 80", "Won 5 won 100", "Lost 6 lost 0"}),
                             stages);
        CPPUNIT_ASSERT(!first.at("stages").at(0).as_object().contains("count"));
        CPPUNIT_ASSERT(!first.as_object().contains("moveTo"));
    }

    void makesTheDefaultOnAnyRoute()
    {
        const auto contact = newContact();
        for (const auto* path : {"/api/pipeline/pip_01jd0000000000000000000000", "/api/pipeline/pip_01jd0000000000000000000000/board",
                                 "/api/pipeline/con_01jd0000000000000000000000/history"})
        {
            const auto other = newCaller();
            CPPUNIT_ASSERT_EQUAL(404, client->get(other, path).status);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, pipelineCount(other));
        }
        CPPUNIT_ASSERT_EQUAL(200, move(contact, R"({"stageId":null})").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, pipelineCount(owner));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, pipelineCount(stranger));
        CPPUNIT_ASSERT_EQUAL(201, client->post(stranger, "/api/pipeline", R"({"name":"B","stages":[{"name":"S"}]})").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, pipelineCount(stranger));
    }

    void makesTheDefaultOnce()
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto caller = newCaller();
            std::atomic<int> failures{0};
            runTogether(4,
                        [&](int i)
                        {
                            const auto answer = i % 2 == 0
                                                    ? client->get(caller, "/api/pipeline")
                                                    : client->post(caller, "/api/pipeline", R"({"name":"B","stages":[{"name":"S"}]})");
                            if (answer.status >= 300) ++failures;
                        });
            CPPUNIT_ASSERT_EQUAL(0, failures.load());
            CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, pipelineCount(caller));
            std::int64_t defaults = 0;
            for (const auto& item : items(pipelines(caller))) defaults += item.at("isDefault").as_bool() ? 1 : 0;
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, defaults);
        }
    }

    void createsAndReads()
    {
        const auto made = makePipeline(
            R"({"name":" Hiring ","currency":"USD","requireLostReason":true,"stages":[{"name":"In","color":"#A0b1C2","staleAfterDays":3},
                {"name":"Hired","kind":"won"},{"name":"No","kind":"lost"},{"name":"Maybe","probability":40}]})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), made.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("Hiring"), made.text("name"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), made.text("createdAt"));
        CPPUNIT_ASSERT(!made["isDefault"].as_bool());
        const auto id = made.text("pipelineId");
        CPPUNIT_ASSERT(made.headers.find("Location: /api/pipeline/" + id) != std::string::npos);
        const auto shown = show(id);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), shown.etag);
        for (const auto& stage : shown["stages"].as_array()) CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, stage.at("count").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("#A0b1C2"), std::string(shown["stages"].at(0).at("color").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, shown["stages"].at(0).at("staleAfterDays").as_int64());
        Names chances;
        for (const auto& stage : shown["stages"].as_array()) chances.push_back(json::serialize(stage.at("probability")));
        CPPUNIT_ASSERT_EQUAL((Names{"0", "100", "0", "40"}), chances);
        // What was read can be sent back.
        const auto back = change(id, json::serialize(shown.body));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(back.body), 200, back.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, back.number("version"));
        CPPUNIT_ASSERT_EQUAL(404, show("pip_" + makeUlid(Instant{})).status);
        CPPUNIT_ASSERT_EQUAL(404, show("x").status);
    }

    void completesStages()
    {
        const auto made =
            makePipeline(R"({"name":"P","stages":[{"name":"C","order":30},{"name":"D"},{"name":"A","order":10},{"name":"B","order":10}]})");
        Names order;
        for (const auto& stage : made["stages"].as_array())
            order.push_back(std::string(stage.at("name").as_string()) + json::serialize(stage.at("order")));
        CPPUNIT_ASSERT_EQUAL((Names{"A10", "B10", "C30", "D31"}), order);
        // Behind the last number there is, too, what was read can be sent back.
        const auto last = makePipeline(R"({"name":"P","stages":[{"name":"A","order":1000000},{"name":"B"},{"name":"C"}]})");
        CPPUNIT_ASSERT_EQUAL(json::serialize(last["stages"]),
                             json::serialize(change(last.text("pipelineId"), json::serialize(last.body))["stages"]));
        CPPUNIT_ASSERT_EQUAL(std::string("EUR"), made.text("currency"));
        for (const auto& stage : made["stages"].as_array())
            CPPUNIT_ASSERT_EQUAL(std::size_t{7}, std::string(stage.at("color").as_string()).size());
    }

    void keepsLimits()
    {
        const auto refused = [&](const std::string& body) { return makePipeline(body).errors(); };
        const std::string stages = R"("stages":[{"name":"A"}])";
        CPPUNIT_ASSERT_EQUAL((Names{"name required", "stages required"}), refused("{}"));
        CPPUNIT_ASSERT_EQUAL(Names{"name required"}, refused(R"({"name":"  ",)" + stages + "}"));
        CPPUNIT_ASSERT_EQUAL(Names{"name too_long"}, refused(R"({"name":")" + std::string(101, 'x') + "\"," + stages + "}"));
        CPPUNIT_ASSERT_EQUAL(201, makePipeline(R"({"name":")" + std::string(100, 'x') + "\"," + stages + "}").status);
        CPPUNIT_ASSERT_EQUAL(Names{"stages required"}, refused(R"({"name":"P","stages":[]})"));
        CPPUNIT_ASSERT_EQUAL(201, makePipeline(R"({"name":"P","stages":)" + manyStages(30) + "}").status);
        CPPUNIT_ASSERT_EQUAL(Names{"stages too_many_values"}, refused(R"({"name":"P","stages":)" + manyStages(31) + "}"));
        for (const auto& [currency, code] : std::vector<std::pair<std::string, std::string>>{
                 {"EURO", "invalid_currency"}, {"eur", "invalid_currency"}, {"ZZZ", "invalid_currency"}})
            CPPUNIT_ASSERT_EQUAL(Names{"currency " + code}, refused(R"({"name":"P","currency":")" + currency + "\"," + stages + "}"));
        for (const auto& [member, error] :
             std::vector<std::pair<std::string, std::string>>{{R"("name":"")", "name required"},
                                                              {R"("name":")" + std::string(61, 'x') + '"', "name too_long"},
                                                              {R"("name":"A","kind":"closed")", "kind unknown_option"},
                                                              {R"("name":"A","probability":101)", "probability out_of_range"},
                                                              {R"("name":"A","probability":-1)", "probability out_of_range"},
                                                              {R"("name":"A","probability":1.5)", "probability wrong_type"},
                                                              {R"("name":"A","color":"red")", "color invalid_color"},
                                                              {R"("name":"A","color":"#12345g")", "color invalid_color"},
                                                              {R"("name":"A","staleAfterDays":0)", "staleAfterDays out_of_range"},
                                                              {R"("name":"A","order":-1)", "order out_of_range"},
                                                              {R"("name":"A","stageId":"con_x")", "stageId invalid_id"}})
            CPPUNIT_ASSERT_EQUAL(Names{"stages[0]." + error}, refused(R"({"name":"P","stages":[{)" + member + "}]}"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), makePipeline(R"({"name":"P","owner":"x",)" + stages + "}").code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, pipelineCount(owner));
    }

    void checksReferences()
    {
        const std::string one = "stg_" + makeUlid(Instant{}), two = "stg_" + makeUlid(Instant{});
        const auto refused = [&](const std::string& transitions)
        {
            return this
                ->makePipeline(R"({"name":"P","stages":[{"stageId":")" + one + R"(","name":"A"},{"name":"B"}],"transitions":)" +
                               transitions + "}")
                .errors();
        };
        CPPUNIT_ASSERT_EQUAL(Names{"transitions[0].to unknown_stage"}, refused(R"([{"from":")" + one + R"(","to":")" + two + "\"}]"));
        CPPUNIT_ASSERT_EQUAL(Names{"transitions[0].to required"}, refused(R"([{"from":")" + one + "\"}]"));
        const auto twice =
            makePipeline(R"({"name":"P","stages":[{"stageId":")" + one + R"(","name":"A"},{"stageId":")" + one + R"(","name":"B"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"stages[1].stageId not_unique"}, twice.errors());
        const auto pipeline = standard();
        const auto foreign = change(pipeline.text("pipelineId"), R"({"stages":[{"stageId":")" + one + R"(","name":"A"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"stages[0].stageId unknown_stage"}, foreign.errors());
    }

    void copiesAPipeline()
    {
        const auto source = standard();
        const auto from = stage(source, "New"), to = stage(source, "Won");
        change(source.text("pipelineId"),
               R"({"transitions":[{"from":")" + from + R"(","to":")" + to + R"("},{"from":")" + from + R"(","to":")" + to + "\"}]}");
        auto copy = show(source.text("pipelineId")).body.as_object();
        copy["isDefault"] = false;
        copy["name"] = "Copy";
        const auto made = makePipeline(json::serialize(copy));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), 201, made.status);
        CPPUNIT_ASSERT(made.text("pipelineId") != source.text("pipelineId"));
        CPPUNIT_ASSERT(stage(made, "New") != from);
        CPPUNIT_ASSERT_EQUAL(R"([{"from":")" + stage(made, "New") + R"(","to":")" + stage(made, "Won") + "\"}]",
                             json::serialize(made["transitions"]));
    }

    void mergesWithVersions()
    {
        const auto id = standard().text("pipelineId");
        clock().advance(std::chrono::seconds(1));
        const auto renamed = change(id, R"({"name":"Deals"})", {{"If-Match", "\"1\""}});
        CPPUNIT_ASSERT_EQUAL(200, renamed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"2\""), renamed.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:01.000Z"), renamed.text("updatedAt"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{7}, renamed["stages"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(412, change(id, R"({"name":"X"})", {{"If-Match", "\"1\""}}).status);
        CPPUNIT_ASSERT_EQUAL(200, change(id, R"({"name":"X"})", {{"If-Match", "*"}}).status);
        CPPUNIT_ASSERT_EQUAL(Names{"name required"}, change(id, R"({"name":null})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stages required"}, change(id, R"({"stages":null})").errors());
        const auto cleared = change(id, R"({"currency":null,"transitions":[]})");
        CPPUNIT_ASSERT_EQUAL(std::string("EUR"), cleared.text("currency"));
        CPPUNIT_ASSERT(cleared["transitions"].as_array().empty());
        CPPUNIT_ASSERT(change(id, R"({"transitions":null})")["transitions"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, show(id).number("version"));
        CPPUNIT_ASSERT_EQUAL(404, change("pip_" + makeUlid(Instant{}), "{}").status);
    }

    void addsAndOrdersStages()
    {
        const auto pipeline = standard();
        const auto id = pipeline.text("pipelineId");
        const auto changed =
            change(id, R"({"stages":[{"name":"First"},{"stageId":")" + stage(pipeline, "New") + R"(","name":"Fresh"}],"transitions":[]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(changed.body), 200, changed.status);
        CPPUNIT_ASSERT_EQUAL(stage(pipeline, "New"), stage(changed, "Fresh"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, changed["stages"].as_array().size());
        // Transitions of a stage go with it.
        const auto first = stage(changed, "First"), fresh = stage(changed, "Fresh");
        change(id, R"({"transitions":[{"from":")" + first + R"(","to":")" + fresh + "\"}]}");
        const auto without = change(id, R"({"stages":[{"stageId":")" + fresh + R"(","name":"Fresh"}]})");
        CPPUNIT_ASSERT_EQUAL(200, without.status);
        CPPUNIT_ASSERT(without["transitions"].as_array().empty());
    }

    void switchesTheDefault()
    {
        const auto old = standard().text("pipelineId");
        const auto made = makePipeline(R"({"name":"B","isDefault":true,"stages":[{"name":"S"}]})");
        CPPUNIT_ASSERT(made["isDefault"].as_bool());
        CPPUNIT_ASSERT(!show(old)["isDefault"].as_bool());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, show(old).number("version"));
        CPPUNIT_ASSERT_EQUAL(Names{"isDefault required"}, change(made.text("pipelineId"), R"({"isDefault":false})").errors());
        CPPUNIT_ASSERT_EQUAL(200, change(old, R"({"isDefault":true})").status);
        CPPUNIT_ASSERT_EQUAL(old, standard().text("pipelineId"));
        CPPUNIT_ASSERT(!show(made.text("pipelineId"))["isDefault"].as_bool());
        // The oldest of the others inherits.
        CPPUNIT_ASSERT_EQUAL(200, remove(old).status);
        CPPUNIT_ASSERT_EQUAL(made.text("pipelineId"), standard().text("pipelineId"));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), remove(made.text("pipelineId")).code());
        CPPUNIT_ASSERT_EQUAL(409, remove(made.text("pipelineId")).status);
    }

    void removesStages()
    {
        const auto pipeline = standard();
        const auto id = pipeline.text("pipelineId"), fresh = stage(pipeline, "New"), won = stage(pipeline, "Won");
        const auto a = placed("A", fresh, R"(,"value":100)"), b = placed("B", fresh), c = placed("C", won);
        clock().advance(std::chrono::seconds(90));
        const std::string stages =
            R"("stages":[{"stageId":")" + won + R"(","name":"Won","kind":"won","staleAfterDays":2},{"name":"Next"}])";
        const auto refused = change(id, "{" + stages + "}");
        CPPUNIT_ASSERT_EQUAL(409, refused.status);
        CPPUNIT_ASSERT_EQUAL(R"({"stageIds":[")" + fresh + "\"]}", json::serialize(refused["details"]));
        const auto wrong = [&](const std::string& from, const std::string& to)
        { return change(id, "{" + stages + R"(,"moveTo":{")" + from + R"(":")" + to + "\"}}").errors(); };
        CPPUNIT_ASSERT_EQUAL(Names{"moveTo." + won + " unknown_stage"}, wrong(won, won));
        CPPUNIT_ASSERT_EQUAL(Names{"moveTo." + fresh + " unknown_stage"}, wrong(fresh, stage(pipeline, "Lost")));
        CPPUNIT_ASSERT_EQUAL(Names{"moveTo.x unknown_stage"}, wrong("x", won));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, show(id).number("version"));

        const auto changed = change(id, "{" + stages + R"(,"moveTo":{")" + fresh + R"(":")" + won + "\"}}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(changed.body), 200, changed.status);
        CPPUNIT_ASSERT(!changed.body.as_object().contains("moveTo"));
        CPPUNIT_ASSERT_EQUAL((Names{"C", "A", "B"}), cards(board(id), won));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, column(board(id), won).at("valueSum").as_int64());
        const auto entry = history(a)["items"].at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("automation"), std::string(entry.at("source").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{90}, entry.at("durationInPreviousStageSeconds").as_int64());
        CPPUNIT_ASSERT_EQUAL(won, std::string(places(b).at(0).at("stageId").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, host->context().events().published("crm.pipeline.moved").size());
        // Both those that came and those that stayed are stale in time.
        clock().advance(std::chrono::hours(48));
        for (const auto& card : cardsOf(board(id), won)) CPPUNIT_ASSERT(card.at("stale").as_bool());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, history(a)["items"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, history(c)["items"].as_array().size());
    }

    void forgetsCardsOfTheDeleted()
    {
        const auto pipeline = standard();
        const auto id = pipeline.text("pipelineId"), fresh = stage(pipeline, "New"), won = stage(pipeline, "Won");
        const auto gone = placed("Gone", fresh);
        client->del(owner, "/api/contacts/" + gone);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, show(id)["stages"].at(0).at("count").as_int64());
        const auto changed = change(id, R"({"stages":[{"stageId":")" + won + R"(","name":"Won"}]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(changed.body), 200, changed.status);
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, "/api/contacts/" + gone + "/restore", "").status);
        CPPUNIT_ASSERT(places(gone).as_array().empty());
        CPPUNIT_ASSERT(history(gone)["items"].at(0).at("toStageId").is_null());
    }

    void deletesPipelines()
    {
        const auto first = standard();
        const auto id = first.text("pipelineId");
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"},{"name":"T"}]})");
        const auto target = stage(other, "T"), otherId = other.text("pipelineId");
        const auto a = placed("A", stage(first, "New"), R"(,"value":7)"), both = placed("Both", stage(first, "Won"));
        const std::string elsewhere = R"(,"pipelineId":")" + otherId + "\"";
        moveTo(both, stage(other, "S"), elsewhere);

        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), remove(id).code());
        for (const auto& wrong : {stage(first, "New"), "stg_" + makeUlid(Instant{})})
            CPPUNIT_ASSERT_EQUAL(Names{"moveTo unknown_stage"}, remove(id, "?moveTo=" + wrong).errors());
        CPPUNIT_ASSERT_EQUAL(400, remove(id, "?moveTo=x").status);
        CPPUNIT_ASSERT_EQUAL(412, remove(id, "?moveTo=" + target, {{"If-Match", "\"2\""}}).status);
        const auto gone = remove(id, "?moveTo=" + target, {{"If-Match", "\"1\""}});
        CPPUNIT_ASSERT_EQUAL(R"({"pipelineId":")" + id + R"(","deleted":true})", json::serialize(gone.body));
        CPPUNIT_ASSERT_EQUAL(404, show(id).status);
        CPPUNIT_ASSERT_EQUAL(404, remove(id).status);
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, cards(board(otherId), target));
        // Who stood there already keeps the place.
        CPPUNIT_ASSERT_EQUAL(Names{"Both"}, cards(board(otherId), stage(other, "S")));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, column(board(otherId), target).at("valueSum").as_int64());
        const auto moves = history(a, "?sort=movedAt")["items"].as_array();
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, moves.size());
        CPPUNIT_ASSERT(moves[1].at("toStageId").is_null());
        CPPUNIT_ASSERT(moves[2].at("fromStageId").is_null());
        CPPUNIT_ASSERT_EQUAL(otherId, std::string(moves[2].at("pipelineId").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, places(both).as_array().size());
    }

    void leavesValuesOfOtherCurrencies()
    {
        const auto first = standard();
        const auto other = makePipeline(R"({"name":"B","currency":"USD","stages":[{"name":"S"}]})");
        const auto a = placed("A", stage(first, "New"), R"(,"value":700)");
        CPPUNIT_ASSERT_EQUAL(200, remove(first.text("pipelineId"), "?moveTo=" + stage(other, "S")).status);
        const auto card = cardsOf(board(other.text("pipelineId")), stage(other, "S")).at(0);
        CPPUNIT_ASSERT(card.at("value").is_null());
        const auto note = std::string(history(a, "?sort=movedAt")["items"].at(1).at("note").as_string());
        CPPUNIT_ASSERT_EQUAL(std::string("The value was 700 (minor units of EUR)"), note);
    }

    void hasFiftyAtMost()
    {
        standard();
        for (int i = 0; i < 49; ++i) CPPUNIT_ASSERT_EQUAL(201, makePipeline(R"({"name":"P","stages":[{"name":"S"}]})").status);
        const auto refused = makePipeline(R"({"name":"P","stages":[{"name":"S"}]})");
        CPPUNIT_ASSERT_EQUAL(409, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{50}, pipelineCount(owner));
    }

    void hasFiftyAtMostTogether()
    {
        for (int i = 0; i < 47; ++i) makePipeline(R"({"name":"P","stages":[{"name":"S"}]})");
        std::atomic<int> made{0};
        runTogether(4,
                    [&](int)
                    {
                        for (int k = 0; k < 2; ++k)
                            if (makePipeline(R"({"name":"P","isDefault":true,"stages":[{"name":"S"}]})").status == 201) ++made;
                    });
        CPPUNIT_ASSERT_EQUAL(2, made.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{50}, pipelineCount(owner));
        standard();
    }

    void pages()
    {
        standard();
        for (int i = 0; i < 6; ++i)
        {
            if (i % 2 == 0) clock().advance(std::chrono::milliseconds(1));
            makePipeline(R"({"name":"P","stages":[{"name":"S"}]})");
        }
        Names all, found;
        for (const auto& item : items(pipelines(owner))) all.emplace_back(item.at("pipelineId").as_string());
        std::string cursor;
        for (int page = 0; page < 5; ++page)
        {
            const auto answer = client->get(owner, "/api/pipeline?include=total&limit=2" + cursor);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, answer.number("total"));
            for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("pipelineId").as_string());
            if (answer["nextCursor"].is_null()) break;
            cursor = "&cursor=" + answer.text("nextCursor");
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{7}, all.size());
        CPPUNIT_ASSERT_EQUAL(all, found);
    }

    void keepsOrganizationsApart()
    {
        const auto id = standard().text("pipelineId");
        const auto path = "/api/pipeline/" + id;
        CPPUNIT_ASSERT_EQUAL(404, client->get(stranger, path).status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(stranger, path + "/board").status);
        CPPUNIT_ASSERT_EQUAL(404, client->put(stranger, path, R"({"name":"X"})").status);
        CPPUNIT_ASSERT_EQUAL(404, client->del(stranger, path).status);
        CPPUNIT_ASSERT_EQUAL(200, show(id).status);
    }

    void keepsKeysToTheirPipelines()
    {
        const auto first = standard();
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto mine = other.text("pipelineId"), outside = first.text("pipelineId");
        const auto contact = placed("A", stage(first, "New"));
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.boundResources["pipeline"] = {mine};

        const auto list = client->get(key, "/api/pipeline?include=total");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, list.number("total"));
        CPPUNIT_ASSERT_EQUAL(mine, std::string(list["items"].at(0).at("pipelineId").as_string()));
        CPPUNIT_ASSERT_EQUAL(200, client->get(key, "/api/pipeline/" + mine).status);
        CPPUNIT_ASSERT_EQUAL(200, client->get(key, "/api/pipeline/" + mine + "/board").status);
        const auto bulk = [&](const std::string& change)
        { return client->post(key, "/api/contacts/bulk", R"({"ids":[")" + contact + R"("],"change":)" + change + '}'); };
        // Outside, whether it is there or not.
        for (const auto& id : {outside, "pip_" + makeUlid(Instant{})})
        {
            const auto path = "/api/pipeline/" + id;
            CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), client->get(key, path).code());
            CPPUNIT_ASSERT_EQUAL(403, client->get(key, path + "/board").status);
            CPPUNIT_ASSERT_EQUAL(403, client->get(key, "/api/pipeline/" + contact + "/history?pipelineId=" + id).status);
            CPPUNIT_ASSERT_EQUAL(
                std::string("resource_not_bound"),
                client->put(key, "/api/pipeline/" + contact + "/move", R"({"stageId":null,"pipelineId":")" + id + "\"}").code());
            CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), bulk(R"({"stageId":null,"pipelineId":")" + id + "\"}").code());
            CPPUNIT_ASSERT_EQUAL(
                std::string("resource_not_bound"),
                client->post(key, "/api/contacts/import?pipelineId=" + id, "First Name\nA\n", {{"Content-Type", "text/csv"}}).code());
        }
        for (const auto& id : {stage(first, "New"), "stg_" + makeUlid(Instant{})})
            CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), bulk(R"({"stageId":")" + id + "\"}").code());
        CPPUNIT_ASSERT_EQUAL(403, client->put(key, "/api/pipeline/" + contact + "/move", R"({"stageId":null})").status);
        const auto history = "/api/pipeline/" + contact + "/history";
        CPPUNIT_ASSERT(client->get(key, history)["items"].as_array().empty());
        const auto moved = client->put(key, "/api/pipeline/" + contact + "/move",
                                       R"({"stageId":")" + stage(other, "S") + R"(","pipelineId":")" + mine + "\"}");
        CPPUNIT_ASSERT_EQUAL(200, moved.status);
        const auto seen = client->get(key, history)["items"].as_array();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, seen.size());
        CPPUNIT_ASSERT_EQUAL(std::string("api"), std::string(seen[0].at("source").as_string()));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->history(contact)["items"].as_array().size());
        // The scope for definitions is not narrowed.
        CPPUNIT_ASSERT_EQUAL(200, client->put(key, "/api/pipeline/" + outside, R"({"name":"X"})").status);
    }

    void demandsPermissions()
    {
        auto reader = owner;
        reader.permissions = {"crm.pipeline:read"};
        const auto id = standard().text("pipelineId");
        const auto contact = newContact();
        CPPUNIT_ASSERT_EQUAL(200, client->get(reader, "/api/pipeline/" + id).status);
        CPPUNIT_ASSERT_EQUAL(403, client->post(reader, "/api/pipeline", "{").status);
        CPPUNIT_ASSERT_EQUAL(403, client->put(reader, "/api/pipeline/" + id, "{}").status);
        CPPUNIT_ASSERT_EQUAL(403, client->del(reader, "/api/pipeline/" + id).status);
        CPPUNIT_ASSERT_EQUAL(403, client->put(reader, "/api/pipeline/" + contact + "/move", "{}").status);
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.scopes = {"pipeline.read"};
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"),
                             client->put(key, "/api/pipeline/" + contact + "/move", R"({"stageId":null})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), client->post(key, "/api/pipeline", "{}").code());
        auto personal = owner;
        personal.organizationId.clear();
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), client->get(personal, "/api/pipeline").code());
    }

private:
    Answer remove(const std::string& id, const std::string& query = {}, const Headers& headers = {}) const
    {
        return client->del(owner, "/api/pipeline/" + id + query, headers);
    }

    std::int64_t pipelineCount(const Caller& caller) const
    {
        auto session = database().session();
        return *session.value<std::int64_t>("SELECT count(*) FROM pipeline WHERE organization_id = $1", caller.organizationId);
    }

    static std::string manyStages(int count)
    {
        std::string list = "[";
        for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + std::string(R"({"name":"S"})");
        return list + "]";
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PipelineTest);

} // namespace portico::tests
