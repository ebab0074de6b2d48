#include "crm/PipelineFixture.h"
#include "support/Together.h"

#include "portico/interfaces/BindableResources.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Definitions of pipelines: the default one, rules, versions, removal of stages and pipelines, keys that are bound.
class PipelineTest : public Suite<PipelineTest, PipelineFixture>
{
    TEST(saysWhatKeysCanBeBoundTo)
    {
        const auto first = standard().at("/pipelineId");
        const auto second = makePipeline(R"({"name":"Großkunden","stages":[{"name":"A"}]})").at("/pipelineId");
        auto& bindable = *services().provided<interfaces::BindableResources>();
        const auto ids = [&](std::string_view words, std::string_view after = {}, std::size_t limit = 10)
        {
            Names found;
            for (const auto& resource : bindable.list(owner, "pipeline", words, after, limit)) found.push_back(resource.id);
            return found;
        };
        equal({first, second}, ids(""));
        equal({second}, ids("GROSS"));
        equal({first}, ids("", "", 1));
        equal({second}, ids("", first));
        equal("Großkunden", bindable.find(owner, "pipeline", second)->label);
        // Pipelines of other organizations are not found, and callers without the permission get an error.
        auto foreign = owner;
        foreign.organizationId = "org_01jd0000000000000000000099";
        CHECK(!bindable.find(foreign, "pipeline", second));
        auto weak = owner;
        weak.permissions.clear();
        CPPUNIT_ASSERT_THROW(bindable.list(weak, "pipeline", {}, {}, 10), Problem);
        CPPUNIT_ASSERT_THROW(bindable.list(owner, "contact", {}, {}, 10), Problem);
    }

    TEST(startsWithAStandardPipeline)
    {
        const auto list = pipelines(owner);
        equal(200, list.status);
        equal(1, list.count("/items"));
        const auto& first = valueAt(list, "/items/0");
        CHECK(first.at("isDefault").as_bool());
        equal("EUR", std::string(first.at("currency").as_string()));
        CHECK(first.at("transitions").is_null());
        CHECK(!first.at("requireLostReason").as_bool());
        Names stages;
        for (const auto& stage : first.at("stages").as_array())
            stages.push_back(std::string(stage.at("name").as_string()) + ' ' + json::serialize(stage.at("order")) + ' ' +
                             std::string(stage.at("kind").as_string()) + ' ' + json::serialize(stage.at("probability")));
        equal({"New 0 open 5", "Contacted 1 open 15", "Qualified 2 open 30", "Proposal 3 open 55", "Negotiation 4 open 80", "Won 5 won 100",
               "Lost 6 lost 0"},
              stages);
        CHECK(!first.at("stages").at(0).as_object().contains("count"));
        CHECK(!first.as_object().contains("moveTo"));
    }

    TEST(makesTheDefaultOnAnyRoute)
    {
        const auto contact = newContact();
        for (const auto* path : {"/api/pipeline/pip_01jd0000000000000000000000", "/api/pipeline/pip_01jd0000000000000000000000/board",
                                 "/api/pipeline/con_01jd0000000000000000000000/history"})
        {
            const auto other = newCaller();
            equal(404, client->get(other, path).status);
            equal(1, pipelineCount(other));
        }
        equal(200, move(contact, R"({"stageId":null})").status);
        equal(1, pipelineCount(owner));
        equal(0, pipelineCount(stranger));
        equal(201, client->post(stranger, "/api/pipeline", R"({"name":"B","stages":[{"name":"S"}]})").status);
        equal(2, pipelineCount(stranger));
    }

    TEST(makesTheDefaultOnce)
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
            equal(0, failures.load());
            equal(3, pipelineCount(caller));
            std::int64_t defaults = 0;
            for (const auto& item : items(pipelines(caller))) defaults += item.at("isDefault").as_bool() ? 1 : 0;
            equal(1, defaults);
        }
    }

    TEST(createsAndReads)
    {
        const auto made = makePipeline(
            R"({"name":" Hiring ","currency":"USD","requireLostReason":true,"stages":[{"name":"In","color":"#A0b1C2","staleAfterDays":3},
                {"name":"Hired","kind":"won"},{"name":"No","kind":"lost"},{"name":"Maybe","probability":40}]})");
        equal(201, made.status);
        equal("\"1\"", made.etag);
        equal("Hiring", made.at("/name"));
        equal("2026-11-21T09:00:00.000Z", made.at("/createdAt"));
        equal("false", made.at("/isDefault"));
        const auto id = made.at("/pipelineId");
        CHECK(made.headerBlock().find("Location: /api/pipeline/" + id) != std::string::npos);
        const auto shown = show(id);
        equal("\"1\"", shown.etag);
        for (const auto& stage : arrayAt(shown, "/stages")) equal(0, stage.at("count").as_int64());
        equal("#A0b1C2", shown.at("/stages/0/color"));
        equal("3", shown.at("/stages/0/staleAfterDays"));
        Names chances;
        for (const auto& stage : arrayAt(shown, "/stages")) chances.push_back(json::serialize(stage.at("probability")));
        equal({"0", "100", "0", "40"}, chances);
        // An answer can be sent back unchanged.
        const auto back = change(id, shown.at(""));
        equal(200, back.status, back.body);
        equal("1", back.at("/version"));
        equal(404, show("pip_" + makeUlid(Instant{})).status);
        equal(404, show("x").status);
    }

    TEST(completesStages)
    {
        const auto made =
            makePipeline(R"({"name":"P","stages":[{"name":"C","order":30},{"name":"D"},{"name":"A","order":10},{"name":"B","order":10}]})");
        Names order;
        for (const auto& stage : arrayAt(made, "/stages"))
            order.push_back(std::string(stage.at("name").as_string()) + json::serialize(stage.at("order")));
        equal({"A10", "B10", "C30", "D31"}, order);
        // An answer can also be sent back after the last number.
        const auto last = makePipeline(R"({"name":"P","stages":[{"name":"A","order":1000000},{"name":"B"},{"name":"C"}]})");
        equal(last.at("/stages"), change(last.at("/pipelineId"), last.at("")).at("/stages"));
        equal("EUR", made.at("/currency"));
        for (const auto& stage : arrayAt(made, "/stages")) equal(7, std::string(stage.at("color").as_string()).size());
    }

    TEST(keepsLimits)
    {
        const auto refused = [&](const std::string& body) { return makePipeline(body).errors(); };
        const std::string stages = R"("stages":[{"name":"A"}])";
        equal({"name required", "stages required"}, refused("{}"));
        equal({"name required"}, refused(jsonWith(R"({"name":"  ",$})", stages)));
        equal({"name too_long"}, refused(jsonWith(R"({"name":"$",$})", std::string(101, 'x'), stages)));
        equal(201, makePipeline(jsonWith(R"({"name":"$",$})", std::string(100, 'x'), stages)).status);
        equal({"stages required"}, refused(R"({"name":"P","stages":[]})"));
        equal(201, makePipeline(jsonWith(R"({"name":"P","stages":$})", manyStages(30))).status);
        equal({"stages too_many_values"}, refused(jsonWith(R"({"name":"P","stages":$})", manyStages(31))));
        for (const auto& [currency, code] : std::vector<std::pair<std::string, std::string>>{
                 {"EURO", "invalid_currency"}, {"eur", "invalid_currency"}, {"ZZZ", "invalid_currency"}})
            equal({"currency " + code}, refused(jsonWith(R"({"name":"P","currency":"$",$})", currency, stages)));
        for (const auto& [member, error] :
             std::vector<std::pair<std::string, std::string>>{{R"("name":"")", "name required"},
                                                              {jsonWith(R"("name":"$")", std::string(61, 'x')), "name too_long"},
                                                              {R"("name":"A","kind":"closed")", "kind unknown_option"},
                                                              {R"("name":"A","probability":101)", "probability out_of_range"},
                                                              {R"("name":"A","probability":-1)", "probability out_of_range"},
                                                              {R"("name":"A","probability":1.5)", "probability wrong_type"},
                                                              {R"("name":"A","color":"red")", "color invalid_color"},
                                                              {R"("name":"A","color":"#12345g")", "color invalid_color"},
                                                              {R"("name":"A","staleAfterDays":0)", "staleAfterDays out_of_range"},
                                                              {R"("name":"A","order":-1)", "order out_of_range"},
                                                              {R"("name":"A","stageId":"con_x")", "stageId invalid_id"}})
            equal({"stages[0]." + error}, refused(jsonWith(R"({"name":"P","stages":[{$}]})", member)));
        equal("unknown_field", makePipeline(jsonWith(R"({"name":"P","owner":"x",$})", stages)).code());
        equal(3, pipelineCount(owner));
    }

    TEST(checksReferences)
    {
        const std::string one = "stg_" + makeUlid(Instant{}), two = "stg_" + makeUlid(Instant{});
        const auto refused = [&](const std::string& transitions)
        {
            return this
                ->makePipeline(jsonWith(R"({"name":"P","stages":[{"stageId":"$","name":"A"},{"name":"B"}],)"
                                        R"("transitions":$})",
                                        one, transitions))
                .errors();
        };
        equal({"transitions[0].to unknown_stage"}, refused(jsonWith(R"([{"from":"$","to":"$"}])", one, two)));
        equal({"transitions[0].to required"}, refused(jsonWith(R"([{"from":"$"}])", one)));
        const auto twice =
            makePipeline(jsonWith(R"({"name":"P","stages":[{"stageId":"$","name":"A"},{"stageId":"$","name":"B"}]})", one, one));
        equal({"stages[1].stageId not_unique"}, twice.errors());
        const auto pipeline = standard();
        const auto foreign = change(pipeline.at("/pipelineId"), jsonWith(R"({"stages":[{"stageId":"$","name":"A"}]})", one));
        equal({"stages[0].stageId unknown_stage"}, foreign.errors());
    }

    TEST(copiesAPipeline)
    {
        const auto source = standard();
        const auto from = stage(source, "New"), to = stage(source, "Won");
        change(source.at("/pipelineId"), jsonWith(R"({"transitions":[{"from":"$","to":"$"},{"from":"$","to":"$"}]})", from, to, from, to));
        auto copy = objectAt(show(source.at("/pipelineId")), "");
        copy["isDefault"] = false;
        copy["name"] = "Copy";
        const auto made = makePipeline(json::serialize(copy));
        equal(201, made.status, made.body);
        CHECK(made.at("/pipelineId") != source.at("/pipelineId"));
        CHECK(stage(made, "New") != from);
        equal(jsonWith(R"([{"from":"$","to":"$"}])", stage(made, "New"), stage(made, "Won")), made.at("/transitions"));
    }

    TEST(mergesWithVersions)
    {
        const auto id = standard().at("/pipelineId");
        clock().advance(std::chrono::seconds(1));
        const auto renamed = change(id, R"({"name":"Deals"})", {{"If-Match", "\"1\""}});
        equal(200, renamed.status);
        equal("\"2\"", renamed.etag);
        equal("2026-11-21T09:00:01.000Z", renamed.at("/updatedAt"));
        equal(7, renamed.count("/stages"));
        equal(412, change(id, R"({"name":"X"})", {{"If-Match", "\"1\""}}).status);
        equal(200, change(id, R"({"name":"X"})", {{"If-Match", "*"}}).status);
        equal({"name required"}, change(id, R"({"name":null})").errors());
        equal({"stages required"}, change(id, R"({"stages":null})").errors());
        const auto cleared = change(id, R"({"currency":null,"transitions":[]})");
        equal("EUR", cleared.at("/currency"));
        equal(0, cleared.count("/transitions"));
        equal("null", change(id, R"({"transitions":null})").at("/transitions"));
        equal("5", show(id).at("/version"));
        equal(404, change("pip_" + makeUlid(Instant{}), "{}").status);
    }

    TEST(addsAndOrdersStages)
    {
        const auto pipeline = standard();
        const auto id = pipeline.at("/pipelineId");
        const auto changed = change(id, jsonWith(R"({"stages":[{"name":"First"},{"stageId":"$","name":"Fresh"}],)"
                                                 R"("transitions":[]})",
                                                 stage(pipeline, "New")));
        equal(200, changed.status, changed.body);
        equal(stage(pipeline, "New"), stage(changed, "Fresh"));
        equal(2, changed.count("/stages"));
        // Transitions of a stage go with it.
        const auto first = stage(changed, "First"), fresh = stage(changed, "Fresh");
        change(id, jsonWith(R"({"transitions":[{"from":"$","to":"$"}]})", first, fresh));
        const auto without = change(id, jsonWith(R"({"stages":[{"stageId":"$","name":"Fresh"}]})", fresh));
        equal(200, without.status);
        equal(0, without.count("/transitions"));
    }

    TEST(switchesTheDefault)
    {
        const auto old = standard().at("/pipelineId");
        const auto made = makePipeline(R"({"name":"B","isDefault":true,"stages":[{"name":"S"}]})");
        equal("true", made.at("/isDefault"));
        equal("false", show(old).at("/isDefault"));
        equal("2", show(old).at("/version"));
        equal({"isDefault required"}, change(made.at("/pipelineId"), R"({"isDefault":false})").errors());
        equal(200, change(old, R"({"isDefault":true})").status);
        equal(old, standard().at("/pipelineId"));
        equal("false", show(made.at("/pipelineId")).at("/isDefault"));
        // The oldest of the others inherits.
        equal(200, remove(old).status);
        equal(made.at("/pipelineId"), standard().at("/pipelineId"));
        equal("conflict", remove(made.at("/pipelineId")).code());
        equal(409, remove(made.at("/pipelineId")).status);
    }

    TEST(removesStages)
    {
        const auto pipeline = standard();
        const auto id = pipeline.at("/pipelineId"), fresh = stage(pipeline, "New"), won = stage(pipeline, "Won");
        const auto a = placed("A", fresh, R"(,"value":100)"), b = placed("B", fresh), c = placed("C", won);
        clock().advance(std::chrono::seconds(90));
        const std::string stages =
            jsonWith(R"("stages":[{"stageId":"$","name":"Won","kind":"won","staleAfterDays":2},{"name":"Next"}])", won);
        const auto refused = change(id, "{" + stages + "}");
        equal(409, refused.status);
        equal(jsonWith(R"({"stageIds":["$"]})", fresh), refused.at("/details"));
        const auto wrong = [&](const std::string& from, const std::string& to)
        { return change(id, jsonWith(R"({$,"moveTo":{"$":"$"}})", stages, from, to)).errors(); };
        equal({"moveTo." + won + " unknown_stage"}, wrong(won, won));
        equal({"moveTo." + fresh + " unknown_stage"}, wrong(fresh, stage(pipeline, "Lost")));
        equal({"moveTo.x unknown_stage"}, wrong("x", won));
        equal("1", show(id).at("/version"));

        const auto changed = change(id, jsonWith(R"({$,"moveTo":{"$":"$"}})", stages, fresh, won));
        equal(200, changed.status, changed.body);
        CHECK(!changed.has("/moveTo"));
        equal({"C", "A", "B"}, cards(board(id), won));
        equal(100, column(board(id), won).at("valueSum").as_int64());
        const auto entry = valueAt(history(a), "/items/0");
        equal("automation", std::string(entry.at("source").as_string()));
        equal(90, entry.at("durationInPreviousStageSeconds").as_int64());
        equal(won, std::string(places(b).at(0).at("stageId").as_string()));
        equal(5, host->context().events().published("crm.pipeline.moved").size());
        // Both those that came and those that stayed are stale in time.
        clock().advance(std::chrono::hours(48));
        for (const auto& card : cardsOf(board(id), won)) CHECK(card.at("stale").as_bool());
        equal(2, history(a).count("/items"));
        equal(1, history(c).count("/items"));
    }

    TEST(forgetsCardsOfTheDeleted)
    {
        const auto pipeline = standard();
        const auto id = pipeline.at("/pipelineId"), fresh = stage(pipeline, "New"), won = stage(pipeline, "Won");
        const auto gone = placed("Gone", fresh);
        client->del(owner, "/api/contacts/" + gone);
        equal("0", show(id).at("/stages/0/count"));
        const auto changed = change(id, jsonWith(R"({"stages":[{"stageId":"$","name":"Won"}]})", won));
        equal(200, changed.status, changed.body);
        equal(200, client->post(owner, "/api/contacts/" + gone + "/restore", "").status);
        CHECK(places(gone).as_array().empty());
        equal("null", history(gone).at("/items/0/toStageId"));
    }

    TEST(deletesPipelines)
    {
        const auto first = standard();
        const auto id = first.at("/pipelineId");
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"},{"name":"T"}]})");
        const auto target = stage(other, "T"), otherId = other.at("/pipelineId");
        const auto a = placed("A", stage(first, "New"), R"(,"value":7)"), both = placed("Both", stage(first, "Won"));
        const std::string elsewhere = jsonWith(R"(,"pipelineId":"$")", otherId);
        moveTo(both, stage(other, "S"), elsewhere);

        equal("conflict", remove(id).code());
        for (const auto& wrong : {stage(first, "New"), "stg_" + makeUlid(Instant{})})
            equal({"moveTo unknown_stage"}, remove(id, "?moveTo=" + wrong).errors());
        equal(400, remove(id, "?moveTo=x").status);
        equal(412, remove(id, "?moveTo=" + target, {{"If-Match", "\"2\""}}).status);
        const auto gone = remove(id, "?moveTo=" + target, {{"If-Match", "\"1\""}});
        equal(jsonWith(R"({"pipelineId":"$","deleted":true})", id), gone.at(""));
        equal(404, show(id).status);
        equal(404, remove(id).status);
        equal({"A"}, cards(board(otherId), target));
        // A contact that was there already keeps its place.
        equal({"Both"}, cards(board(otherId), stage(other, "S")));
        equal(7, column(board(otherId), target).at("valueSum").as_int64());
        const auto moves = arrayAt(history(a, "?sort=movedAt"), "/items");
        equal(3, moves.size());
        CHECK(moves[1].at("toStageId").is_null());
        CHECK(moves[2].at("fromStageId").is_null());
        equal(otherId, std::string(moves[2].at("pipelineId").as_string()));
        equal(1, places(both).as_array().size());
    }

    TEST(leavesValuesOfOtherCurrencies)
    {
        const auto first = standard();
        const auto other = makePipeline(R"({"name":"B","currency":"USD","stages":[{"name":"S"}]})");
        const auto a = placed("A", stage(first, "New"), R"(,"value":700)");
        equal(200, remove(first.at("/pipelineId"), "?moveTo=" + stage(other, "S")).status);
        const auto card = cardsOf(board(other.at("/pipelineId")), stage(other, "S")).at(0);
        CHECK(card.at("value").is_null());
        const auto note = history(a, "?sort=movedAt").at("/items/1/note");
        equal("The value was 700 (minor units of EUR)", note);
    }

    TEST(hasFiftyAtMost)
    {
        standard();
        for (int i = 0; i < 49; ++i) equal(201, makePipeline(R"({"name":"P","stages":[{"name":"S"}]})").status);
        const auto answer = makePipeline(R"({"name":"P","stages":[{"name":"S"}]})");
        refused(answer, 409, "conflict");
        equal(50, pipelineCount(owner));
    }

    TEST(hasFiftyAtMostTogether)
    {
        for (int i = 0; i < 47; ++i) makePipeline(R"({"name":"P","stages":[{"name":"S"}]})");
        std::atomic<int> made{0};
        runTogether(4,
                    [&](int)
                    {
                        for (int k = 0; k < 2; ++k)
                            if (makePipeline(R"({"name":"P","isDefault":true,"stages":[{"name":"S"}]})").status == 201) ++made;
                    });
        equal(2, made.load());
        equal(50, pipelineCount(owner));
        standard();
    }

    TEST(pages)
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
            equal("7", answer.at("/total"));
            for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("pipelineId").as_string());
            if (answer.at("/nextCursor") == "null") break;
            cursor = "&cursor=" + answer.at("/nextCursor");
        }
        equal(7, all.size());
        equal(all, found);
    }

    TEST(keepsOrganizationsApart)
    {
        const auto id = standard().at("/pipelineId");
        const auto path = "/api/pipeline/" + id;
        equal(404, client->get(stranger, path).status);
        equal(404, client->get(stranger, path + "/board").status);
        equal(404, client->put(stranger, path, R"({"name":"X"})").status);
        equal(404, client->del(stranger, path).status);
        equal(200, show(id).status);
    }

    TEST(keepsKeysToTheirPipelines)
    {
        const auto first = standard();
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto mine = other.at("/pipelineId"), outside = first.at("/pipelineId");
        const auto contact = placed("A", stage(first, "New"));
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.boundResources["pipeline"] = {mine};

        const auto list = client->get(key, "/api/pipeline?include=total");
        equal("1", list.at("/total"));
        equal(mine, list.at("/items/0/pipelineId"));
        equal(200, client->get(key, "/api/pipeline/" + mine).status);
        equal(200, client->get(key, "/api/pipeline/" + mine + "/board").status);
        const auto bulk = [&](const std::string& change)
        { return client->post(key, "/api/contacts/bulk", jsonWith(R"({"ids":["$"],"change":$})", contact, change)); };
        // Outside, whether it is there or not.
        for (const auto& id : {outside, "pip_" + makeUlid(Instant{})})
        {
            const auto path = "/api/pipeline/" + id;
            equal("resource_not_bound", client->get(key, path).code());
            equal(403, client->get(key, path + "/board").status);
            equal(403, client->get(key, "/api/pipeline/" + contact + "/history?pipelineId=" + id).status);
            equal("resource_not_bound",
                  client->put(key, "/api/pipeline/" + contact + "/move", jsonWith(R"({"stageId":null,"pipelineId":"$"})", id)).code());
            equal("resource_not_bound", bulk(jsonWith(R"({"stageId":null,"pipelineId":"$"})", id)).code());
            equal("resource_not_bound",
                  client->post(key, "/api/contacts/import?pipelineId=" + id, "First Name\nA\n", {{"Content-Type", "text/csv"}}).code());
        }
        for (const auto& id : {stage(first, "New"), "stg_" + makeUlid(Instant{})})
            equal("resource_not_bound", bulk(jsonWith(R"({"stageId":"$"})", id)).code());
        equal(403, client->put(key, "/api/pipeline/" + contact + "/move", R"({"stageId":null})").status);
        const auto history = "/api/pipeline/" + contact + "/history";
        equal(0, client->get(key, history).count("/items"));
        const auto moved = client->put(key, "/api/pipeline/" + contact + "/move",
                                       jsonWith(R"({"stageId":"$","pipelineId":"$"})", stage(other, "S"), mine));
        equal(200, moved.status);
        const auto seen = arrayAt(client->get(key, history), "/items");
        equal(1, seen.size());
        equal("api", std::string(seen[0].at("source").as_string()));
        equal(2, this->history(contact).count("/items"));
        // The scope for definitions is not narrowed.
        equal(200, client->put(key, "/api/pipeline/" + outside, R"({"name":"X"})").status);
    }

    TEST(demandsPermissions)
    {
        auto reader = owner;
        reader.permissions = {"crm.pipeline:read"};
        const auto id = standard().at("/pipelineId");
        const auto contact = newContact();
        equal(200, client->get(reader, "/api/pipeline/" + id).status);
        equal(403, client->post(reader, "/api/pipeline", "{").status);
        equal(403, client->put(reader, "/api/pipeline/" + id, "{}").status);
        equal(403, client->del(reader, "/api/pipeline/" + id).status);
        equal(403, client->put(reader, "/api/pipeline/" + contact + "/move", "{}").status);
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.scopes = {"pipeline.read"};
        equal("insufficient_scope", client->put(key, "/api/pipeline/" + contact + "/move", R"({"stageId":null})").code());
        equal("insufficient_scope", client->post(key, "/api/pipeline", "{}").code());
        auto personal = owner;
        personal.organizationId.clear();
        equal("service_access_denied", client->get(personal, "/api/pipeline").code());
    }

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

} // namespace portico::tests
