#include "crm/PipelineFixture.h"
#include "support/Together.h"

#include "pipelines/CardMerge.h"
#include "pipelines/OrderKey.h"

#include <atomic>
#include <map>
#include <random>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// Moves: the table of the interface, order, history, races, and what others do in transactions of theirs.
class PipelineMoveTest : public Suite<PipelineMoveTest, PipelineFixture>
{
    void setUp() override
    {
        PipelineFixture::setUp();
        _pipeline = standard();
        _id = _pipeline.at("/pipelineId");
        _new = stage(_pipeline, "New");
        _contacted = stage(_pipeline, "Contacted");
        _won = stage(_pipeline, "Won");
        _lost = stage(_pipeline, "Lost");
    }

    TEST(entersAndMoves)
    {
        const auto contact = newContact();
        const auto entered = moveTo(contact, _new, R"(,"note":"met at a fair","lostReason":"none")");
        equal(200, entered.status, entered.body);
        equal(contact, entered.at("/contactId"));
        equal(_id, entered.at("/pipelineId"));
        equal("null", entered.at("/fromStageId"));
        equal(_new, entered.at("/toStageId"));
        equal("2026-11-21T09:00:00.000Z", entered.at("/movedAt"));
        equal(jsonWith(R"([{"pipelineId":"$","stageId":"$","since":"2026-11-21T09:00:00.000Z",)"
                       R"("position":"$"}])",
                       _id, _new, entered.at("/position")),
              json::serialize(places(contact)));
        clock().advance(std::chrono::milliseconds(61999));
        const auto moved = moveTo(contact, _contacted);
        equal(_new, moved.at("/fromStageId"));

        const auto entries = items(history(contact));
        equal(2, entries.size());
        equal(moved.at("/historyId"), text(entries[0], "historyId"));
        equal(61, entries[0].at("durationInPreviousStageSeconds").as_int64());
        equal(owner.principalId, text(entries[0], "movedBy"));
        equal("board", text(entries[0], "source"));
        equal(entered.at("/historyId"), text(entries[1], "historyId"));
        CHECK(entries[1].at("durationInPreviousStageSeconds").is_null());
        CHECK(entries[1].at("fromStageId").is_null());
        equal("met at a fair", text(entries[1], "note"));
        equal("", text(entries[1], "lostReason"));
        // Moving is no change of the contact itself.
        equal("1", client->get(owner, "/api/contacts/" + contact).at("/version"));
        // A change of the contact leaves its places alone, and shows them.
        const auto renamed = client->put(owner, "/api/contacts/" + contact, R"({"jobTitle":"CTO"})");
        equal(_contacted, renamed.at("/pipelines/0/stageId"));
        equal(_contacted, text(places(contact).at(0), "stageId"));
        equal(_contacted, list("fields=pipelines").at("/items/0/pipelines/0/stageId"));
    }

    TEST(movesPublishEvents)
    {
        const auto contact = newContact();
        moveTo(contact, _new);
        clock().advance(std::chrono::seconds(5));
        const auto moved = moveTo(contact, _lost, R"(,"note":"secret","lostReason":"secret")");
        equal("secret", text(items(history(contact))[0], "lostReason"));
        equal(jsonWith(R"({"historyId":"$","contactId":"$","organizationId":"$","pipelineId":"$","fromStageId":"$","toStageId":"$",)"
                       R"("movedAt":"2026-11-21T09:00:05.000Z","movedBy":"$","durationInPreviousStageSeconds":5,)"
                       R"("source":"board"})",
                       moved.at("/historyId"), contact, owner.organizationId, _id, _new, _lost, owner.principalId),
              lastEvent("crm.pipeline.moved"));
        moveTo(contact, _lost);
        equal(2, events());
    }

    TEST(repositionsWithoutHistory)
    {
        const auto a = placed("A", _new), b = placed("B", _new);
        clock().advance(std::chrono::hours(1));
        const auto moved = moveTo(b, _new, jsonWith(R"(,"beforeContactId":"$")", a));
        equal(200, moved.status);
        equal("null", moved.at("/historyId"));
        equal(_new, moved.at("/fromStageId"));
        equal({"B", "A"}, order(_new));
        equal("2026-11-21T09:00:00.000Z", text(places(b).at(0), "since"));
        equal(moved.at("/position"), text(places(b).at(0), "position"));
        equal(1, items(history(b)).size());
        // A move to the current place changes nothing.
        equal(moved.at("/position"), moveTo(b, _new, jsonWith(R"(,"beforeContactId":"$")", a)).at("/position"));
        // Nowhere named is the end.
        moveTo(b, _new);
        equal({"A", "B"}, order(_new));
        equal(2, events());
    }

    TEST(ordersCards)
    {
        const auto a = placed("A", _new), b = placed("B", _new), c = placed("C", _new);
        placed("D", _new, before(a));
        equal({"D", "A", "B", "C"}, order(_new));
        placed("E", _new, after(a));
        equal({"D", "A", "E", "B", "C"}, order(_new));
        placed("F", _new, after(c));
        equal({"D", "A", "E", "B", "C", "F"}, order(_new));
        // Between two that are no longer neighbours: right behind the first.
        placed("G", _new, after(a) + before(b));
        equal({"D", "A", "G", "E", "B", "C", "F"}, order(_new));
        const auto x = placed("X", _contacted);
        moveTo(x, _new, before(b));
        equal({"D", "A", "G", "E", "X", "B", "C", "F"}, order(_new));
        moveTo(a, _new, after(c));
        equal({"D", "G", "E", "X", "B", "C", "A", "F"}, order(_new));
        equal({}, order(_contacted));
    }

    TEST(refusesPlaces)
    {
        const auto a = placed("A", _new), b = placed("B", _new), elsewhere = placed("C", _contacted);
        const auto gone = placed("Gone", _new);
        client->del(owner, "/api/contacts/" + gone);
        for (const auto& other : {elsewhere, gone, a, "con_" + makeUlid(Instant{})})
        {
            equal({"beforeContactId not_on_stage"}, moveTo(a, _new, before(other)).errors());
            equal({"afterContactId not_on_stage"}, moveTo(a, _new, after(other)).errors());
        }
        equal({"beforeContactId wrong_order"}, moveTo(elsewhere, _new, before(a) + after(b)).errors());
        equal({"beforeContactId not_on_stage"}, move(a, jsonWith(R"({"stageId":null$})", before(b))).errors());
        equal({"A", "B"}, order(_new));
    }

    TEST(checksTheBody)
    {
        const auto a = newContact();
        equal({"stageId required"}, move(a, "{}").errors());
        equal({"stageId required"}, move(a, R"({"note":"x"})").errors());
        equal({"stageId invalid_id"}, move(a, R"({"stageId":"x"})").errors());
        equal({"stageId unknown_stage"}, moveTo(a, "stg_" + makeUlid(Instant{})).errors());
        equal("unknown_field", moveTo(a, _new, R"(,"stage":"x")").code());
        const auto refused = [&](const std::string& member) { return moveTo(a, _new, "," + member).errors(); };
        equal({"value out_of_range"}, refused(R"("value":-1)"));
        equal({"value out_of_range"}, refused(R"("value":9007199254740992)"));
        equal({"value wrong_type"}, refused(R"("value":1.5)"));
        equal({"note too_long"}, refused(jsonWith(R"("note":"$")", std::string(1001, 'x'))));
        equal({"lostReason too_long"}, refused(jsonWith(R"("lostReason":"$")", std::string(301, 'x'))));
        equal({"beforeContactId invalid_id"}, refused(jsonWith(R"("beforeContactId":"$")", _new)));
        CHECK(places(a).as_array().empty());
        equal(200, moveTo(a, _new, jsonWith(R"(,"note":"$")", std::string(1000, 'x'))).status);
        // A stage of another pipeline.
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        equal({"stageId unknown_stage"}, moveTo(a, stage(other, "S")).errors());
    }

    TEST(findsOnlyWhatIsThere)
    {
        const auto a = newContact();
        equal(404, moveTo("con_" + makeUlid(Instant{}), _new).status);
        equal(404, moveTo("x", _new).status);
        equal(404, moveTo(a, _new, jsonWith(R"(,"pipelineId":"pip_$")", makeUlid(Instant{}))).status);
        equal(404, history("con_" + makeUlid(Instant{})).status);
        // Data of other organizations is not accessible.
        const auto path = "/api/pipeline/" + a;
        equal(404, client->put(stranger, path + "/move", R"({"stageId":null})").status);
        equal(404, client->put(stranger, path + "/move", jsonWith(R"({"stageId":null,"pipelineId":"$"})", _id)).status);
        equal(404, client->get(stranger, path + "/history").status);
        const auto theirs = std::string(client->post(stranger, "/api/contacts", R"({"firstName":"T"})").at("/id"));
        equal(404, moveTo(theirs, _new).status);
        const auto wrong = client->put(stranger, "/api/pipeline/" + theirs + "/move", jsonWith(R"({"stageId":"$"})", _new));
        equal({"stageId unknown_stage"}, wrong.errors());
    }

    /// If-Match refers to the contact, whose version a move does not change.
    TEST(honoursIfMatch)
    {
        const auto a = newContact();
        const auto path = "/api/pipeline/" + a + "/move";
        const auto body = jsonWith(R"({"stageId":"$"})", _new);
        equal(412, client->put(owner, path, body, {{"If-Match", "\"2\""}}).status);
        equal("[]", json::serialize(places(a)));
        equal(200, client->put(owner, path, body, {{"If-Match", "\"1\""}}).status);
        equal(404, client->put(owner, "/api/pipeline/con_" + makeUlid(Instant{}) + "/move", body, {{"If-Match", "*"}}).status);
    }

    TEST(checksExpectations)
    {
        const auto a = placed("A", _contacted);
        const auto stale = moveTo(a, _won, jsonWith(R"(,"expectedStageId":"$")", _new));
        refused(stale, 400, "stage_changed");
        equal(jsonWith(R"({"currentStageId":"$"})", _contacted), stale.at("/details"));
        equal("stage_changed", moveTo(a, _won, R"(,"expectedStageId":null)").code());
        equal("stage_changed", move(a, jsonWith(R"({"stageId":null,"expectedStageId":"$"})", _new)).code());
        equal(200, moveTo(a, _won, jsonWith(R"(,"expectedStageId":"$")", _contacted)).status);
        const auto b = newContact("B");
        const auto none = moveTo(b, _won, jsonWith(R"(,"expectedStageId":"$")", _new));
        equal(R"({"currentStageId":null})", none.at("/details"));
        equal(200, moveTo(b, _won, R"(,"expectedStageId":null)").status);
    }

    TEST(keepsToTransitions)
    {
        const auto move = [](const std::string& from, const std::string& to) { return jsonWith(R"({"from":"$","to":"$"})", from, to); };
        change(_id, jsonWith(R"({"transitions":[$,$,$]})", move(_new, _won), move(_new, _contacted), move(_won, _new)));
        const auto a = placed("A", _new), b = placed("B", _lost);
        const auto answer = moveTo(a, _lost);
        refused(answer, 400, "move_not_allowed");
        equal(jsonWith(R"({"allowedStageIds":["$","$"]})", _contacted, _won), answer.at("/details"));
        equal(R"({"allowedStageIds":[]})", moveTo(b, _new).at("/details"));
        // Within the stage, off the board and onto it again are no transitions; reopening is one.
        equal(200, moveTo(b, _lost).status);
        equal(200, this->move(b, R"({"stageId":null})").status);
        equal(200, moveTo(b, _contacted).status);
        equal(200, moveTo(a, _won).status);
        equal(200, moveTo(a, _new).status);
    }

    TEST(wantsReasons)
    {
        const auto a = placed("A", _new);
        equal(200, moveTo(a, _lost).status);
        equal(200, moveTo(a, _new).status); // reopened
        change(_id, R"({"requireLostReason":true})");
        for (const auto* reason : {"", R"(,"lostReason":"")", R"(,"lostReason":" ")", R"(,"lostReason":null)"})
            equal({"lostReason required"}, moveTo(a, _lost, reason).errors(), reason);
        equal(200, moveTo(a, _lost, R"(,"lostReason":"price")").status);
        equal("price", text(items(history(a))[0], "lostReason"));
        // It is lost already.
        equal(200, moveTo(a, _lost).status);
        equal(200, moveTo(a, _won).status);
    }

    TEST(keepsValues)
    {
        const auto a = placed("A", _new, R"(,"value":9007199254740991)");
        const auto value = [&](const std::string& stage) { return cardsOf(board(_id), stage).at(0).at("value"); };
        equal(9007199254740991, value(_new).as_int64());
        moveTo(a, _won);
        equal(9007199254740991, value(_won).as_int64());
        moveTo(a, _won, R"(,"value":0)");
        equal(0, value(_won).as_int64());
        moveTo(a, _won, R"(,"value":null)");
        CHECK(value(_won).is_null());
    }

    TEST(takesOffTheBoard)
    {
        const auto a = placed("A", _new);
        clock().advance(std::chrono::seconds(3));
        const auto off = move(a, R"({"stageId":null,"note":"bye"})");
        equal(200, off.status);
        equal(_new, off.at("/fromStageId"));
        equal("null", off.at("/toStageId"));
        equal("null", off.at("/position"));
        const auto entry = items(history(a))[0];
        CHECK(entry.at("toStageId").is_null());
        equal(3, entry.at("durationInPreviousStageSeconds").as_int64());
        equal("bye", text(entry, "note"));
        CHECK(places(a).as_array().empty());
        equal({}, order(_new));
        const auto again = move(a, R"({"stageId":null})");
        equal(200, again.status);
        equal("null", again.at("/historyId"));
        equal(2, items(history(a)).size());
    }

    TEST(undoRestoresTheCard)
    {
        placed("A", _new);
        const auto a = placed("B", _new, R"(,"value":500)");
        placed("C", _new);
        const auto columns = board(_id).at("/columns");
        for (const auto& target : {std::string("null"), '"' + _contacted + '"'})
        {
            clock().advance(std::chrono::hours(24));
            const auto moved = move(a, jsonWith(R"({"stageId":$})", target));
            equal(200, moved.status, moved.body);
            CHECK(board(_id).at("/columns") != columns);
            const auto undone = undo(a, moved);
            equal(200, undone.status, undone.body);
            equal(columns, board(_id).at("/columns"), target);
        }
        // The history does not show what an undo needs.
        CHECK(!items(history(a))[1].as_object().contains("former"));
    }

    TEST(undoPutsACardBehindOneAtItsPlace)
    {
        const auto a = placed("A", _new), b = placed("B", _new);
        placed("C", _new);
        const auto moved = move(b, R"({"stageId":null})");
        // The shortest key between both neighbors is that of B.
        placed("D", _new, after(a));
        equal(200, undo(b, moved).status);
        equal({"A", "D", "B", "C"}, order(_new));
    }

    TEST(undoSkipsRulesForMoves)
    {
        const auto a = placed("A", _lost);
        const auto moved = moveTo(a, _contacted);
        change(_id, jsonWith(R"({"requireLostReason":true,"transitions":[{"from":"$","to":"$"}]})", _new, _won));
        equal("move_not_allowed", moveTo(a, _lost).code());
        equal(200, undo(a, moved).status);
        equal({"A"}, order(_lost));
    }

    TEST(undoesMovesInTurn)
    {
        const auto a = newContact("A"), b = placed("B", _contacted);
        const auto entered = moveTo(a, _new), moved = moveTo(a, _contacted), off = move(a, R"({"stageId":null})");
        refused(undo(a, moved), 400, "stage_changed");
        for (const auto* each : {&off, &moved, &entered})
        {
            equal(200, undo(a, *each).status);
            refused(undo(a, *each), 400, "stage_changed");
        }
        CHECK(places(a).as_array().empty());
        equal({"undoHistoryId unknown_move"}, undo(b, moved).errors());
        const auto elsewhere = jsonWith(R"(,"undoHistoryId":"$")", moved.at("/historyId"));
        equal({"undoHistoryId unknown_move"}, moveTo(a, _won, elsewhere).errors());
    }

    TEST(undoRefusesAContactThatWasMovedSince)
    {
        const auto a = placed("A", _lost);
        change(_id, R"({"requireLostReason":true})");
        const auto moveLater = [&](const std::string& body)
        {
            clock().advance(std::chrono::seconds(1));
            auto moved = move(a, body);
            equal(200, moved.status, moved.body);
            return moved;
        };
        const auto to = [&](const std::string& stage) { return moveLater(jsonWith(R"({"stageId":"$"})", stage)); };
        const auto takeOff = [&] { return moveLater(R"({"stageId":null})"); };
        // Each time the contact returns to the stage to which the move brought it.
        const auto moved = to(_contacted);
        to(_won);
        to(_contacted);
        refused(undo(a, moved), 400, "stage_changed");
        equal({"A"}, order(_contacted));
        const auto off = takeOff();
        to(_new);
        takeOff();
        refused(undo(a, off), 400, "stage_changed");
        CHECK(places(a).as_array().empty());
    }

    TEST(contactIsOnSeveralBoards)
    {
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto a = placed("A", _new);
        moveTo(a, stage(other, "S"), jsonWith(R"(,"pipelineId":"$")", other.at("/pipelineId")));
        equal(2, places(a).as_array().size());
        equal({"A"}, order(_new));
        equal({"A"}, cards(board(other.at("/pipelineId")), stage(other, "S")));
        const auto filtered = items(history(a, "?pipelineId=" + other.at("/pipelineId")));
        equal(1, filtered.size());
        equal(2, items(history(a, "?pipelineId=" + _id + "," + other.at("/pipelineId"))).size());
        equal(0, items(history(a, "?pipelineId=pip_" + makeUlid(Instant{}))).size());
        equal(400, history(a, "?pipelineId=x").status);
    }

    TEST(pagesHistory)
    {
        const auto a = newContact();
        for (int i = 0; i < 7; ++i)
        {
            if (i % 3 == 0) clock().advance(std::chrono::milliseconds(1));
            moveTo(a, i % 2 == 0 ? _new : _contacted, jsonWith(R"(,"note":"$")", i));
        }
        equal({"6", "5", "4", "3", "2", "1", "0"}, notes(items(history(a))));
        equal({"0", "1", "2", "3", "4", "5", "6"}, notes(items(history(a, "?sort=movedAt"))));
        for (const auto* sort : {"-movedAt", "movedAt"})
        {
            const auto query = "?sort=" + std::string(sort);
            Names found;
            std::string cursor;
            for (int page = 0; page < 8; ++page)
            {
                const auto answer = history(a, query + "&include=total&limit=2" + cursor);
                equal("7", answer.at("/total"));
                for (const auto& note : notes(arrayAt(answer, "/items"))) found.push_back(note);
                if (answer.at("/nextCursor") == "null") break;
                cursor = "&cursor=" + answer.at("/nextCursor");
            }
            equal(notes(items(history(a, query))), found);
        }
        equal(400, history(a, "?sort=note").status);
        equal("unknown_parameter", history(a, "?q=x").code());
    }

    TEST(keepsTheOrderOfHistory)
    {
        const auto a = newContact();
        Names expected;
        for (int i = 0; i < 40; ++i)
        {
            // The clock does not advance, and goes back once.
            if (i == 20) clock().jumpTo(*parseInstant("2026-11-21T08:00:00Z"));
            moveTo(a, i % 2 == 0 ? _new : _contacted, jsonWith(R"(,"note":"$")", i));
            expected.push_back(std::to_string(i));
        }
        const auto entries = items(history(a, "?sort=movedAt&limit=200"));
        equal(expected, notes(entries));
        for (const auto& entry : entries)
            if (const auto& seconds = entry.at("durationInPreviousStageSeconds"); !seconds.is_null()) equal(0, seconds.as_int64());
    }

    /// Imported boards keep their times, and a history is not rewritten.
    TEST(dates)
    {
        const auto at = [](std::string_view when) { return jsonWith(R"(,"movedAt":"$")", when); };
        const auto a = placed("A", _new, at("2026-10-01T08:00:00Z"));
        const auto moved = moveTo(a, _contacted, at("2026-10-03T09:30:00Z"));
        equal("2026-10-03T09:30:00.000Z", moved.at("/movedAt"), moved.at(""));
        equal("2026-10-03T09:30:00.000Z", text(places(a).at(0), "since"));
        equal(std::int64_t{2 * 86400 + 5400}, items(history(a, "?sort=-movedAt")).at(0).at("durationInPreviousStageSeconds").as_int64());
        for (const auto* wrong : {"2026-10-03T09:29:59Z", "2026-11-21T09:00:01Z", "1969-12-31T00:00:00Z"})
            equal({"movedAt out_of_range"}, moveTo(a, _won, at(wrong)).errors(), wrong);
        equal(_contacted, text(places(a).at(0), "stageId"));
        equal("2026-11-21T09:00:00.000Z", moveTo(a, _won).at("/movedAt"));

        auto without = owner;
        std::erase(without.permissions, "crm.contacts:import");
        const auto body = jsonWith(R"({"stageId":"$"$})", _new, at("2026-11-01T08:00:00Z"));
        const auto refused = client->put(without, "/api/pipeline/" + newContact() + "/move", body);
        equal("permission_denied", refused.code());
    }

    TEST(hidesTheDeleted)
    {
        const auto a = placed("A", _new, R"(,"value":5)"), b = placed("B", _new), c = placed("C", _new);
        client->del(owner, "/api/contacts/" + b);
        equal({"A", "C"}, order(_new));
        equal("2", show(_id).at("/stages/0/count"));
        equal(404, history(b).status);
        equal(404, moveTo(b, _won).status);
        // Its place is kept, also when others go there.
        placed("D", _new, after(a));
        placed("E", _new, before(c));
        equal(200, client->post(owner, "/api/contacts/" + b + "/restore", "").status);
        equal({"A", "D", "B", "E", "C"}, order(_new));
        equal(1, items(history(b)).size());
        equal(1, places(b).as_array().size());
    }

    TEST(purgesCardsAndHistory)
    {
        const auto a = placed("A", _new);
        const auto purger = withPermission(owner, "crm.contacts:purge");
        equal(200, client->del(purger, "/api/contacts/" + a + "?permanent=true").status);
        auto session = database().session();
        equal(0, *session.value<std::int64_t>("SELECT count(*) FROM pipeline_card"));
        equal(0, *session.value<std::int64_t>("SELECT count(*) FROM pipeline_history"));
    }

    TEST(includesHistoryInTheContact)
    {
        const auto a = placed("A", _new, R"(,"note":"x")");
        const auto shown = client->get(owner, "/api/contacts/" + a + "?include=history");
        equal({"x"}, notes(arrayAt(shown, "/history")));
        equal(history(a).at("/items"), shown.at("/history"));
        CHECK(!client->get(owner, "/api/contacts/" + a).has("/history"));
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.boundResources["pipeline"] = {"pip_" + makeUlid(Instant{})};
        equal(0, client->get(key, "/api/contacts/" + a + "?include=history").count("/history"));
    }

    TEST(fullPositionsAreRenumbered)
    {
        const auto a = placed("A", _new), b = placed("B", _new), c = placed("C", _new);
        const auto hidden = placed("Hidden", _new);
        client->del(owner, "/api/contacts/" + hidden);
        // Simulates very many moves between the first two.
        database().transact(
            [&](Transaction& transaction)
            {
                const std::string long1 = "a0" + std::string(crm::longestKey - 3, '0');
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "01", a);
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "02", b);
            });
        placed("D", _new, before(b));
        equal({"A", "D", "B", "C"}, order(_new));
        for (const auto& contact : {a, b, c}) CHECK(text(places(contact).at(0), "position").size() <= 3);
        equal(200, client->post(owner, "/api/contacts/" + hidden + "/restore", "").status);
        equal({"A", "D", "B", "C", "Hidden"}, order(_new));
    }

    TEST(staysOrderedThroughRandomMoves)
    {
        std::mt19937 random(42);
        const std::vector<std::string> stages{_new, _contacted};
        std::map<std::string, std::vector<std::string>> expected;
        std::vector<std::string> contacts;
        for (int i = 0; i < 8; ++i)
        {
            contacts.push_back(placed(std::to_string(i), _new));
            expected[_new].push_back(contacts.back());
        }
        for (int i = 0; i < 1000; ++i)
        {
            const auto& contact = contacts[random() % contacts.size()];
            const auto& stage = stages[random() % stages.size()];
            for (auto& [each, cards] : expected) std::erase(cards, contact);
            auto& cards = expected[stage];
            const auto at = random() % (cards.size() + 1);
            std::string where;
            if (at < cards.size() && random() % 2 == 0) where += before(cards[at]);
            if (at > 0 && (where.empty() || random() % 2 == 0)) where += after(cards[at - 1]);
            if (where.empty() && at < cards.size()) where = before(cards[at]);
            cards.insert(cards.begin() + static_cast<std::ptrdiff_t>(at), contact);
            equal(200, moveTo(contact, stage, where).status);
            if (i % 50 == 49) checkOrder(expected);
        }
        checkOrder(expected);
    }

    TEST(movesOneContactTogether)
    {
        const auto a = newContact();
        const std::vector<std::string> stages{_new, _contacted, _won, _lost};
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 8; ++i)
                            if (moveTo(a, stages[static_cast<std::size_t>(thread)]).status != 200) ++failures;
                    });
        equal(0, failures.load());
        // The history is one chain, each entry from where the one before went.
        std::string at;
        for (const auto& entry : items(history(a, "?sort=movedAt&limit=200")))
        {
            equal(at, entry.at("fromStageId").is_null() ? std::string() : text(entry, "fromStageId"));
            at = text(entry, "toStageId");
        }
        equal(at, text(places(a).at(0), "stageId"));
        equal({"Ada"}, order(at));
        equal(1, places(a).as_array().size());
    }

    TEST(expectsOneWinner)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto a = placed("A", _new);
            std::atomic<int> won{0}, late{0};
            runTogether(3,
                        [&](int)
                        {
                            const auto answer = moveTo(a, _won, jsonWith(R"(,"expectedStageId":"$")", _new));
                            if (answer.status == 200)
                                ++won;
                            else if (answer.code() == "stage_changed")
                                ++late;
                        });
            equal(1, won.load());
            equal(2, late.load());
            equal(2, items(history(a)).size());
        }
    }

    TEST(movesIntoOneGapTogether)
    {
        const auto first = placed("First", _new), last = placed("Last", _new);
        std::vector<std::string> contacts;
        for (int i = 0; i < 24; ++i) contacts.push_back(newContact(std::to_string(i)));
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 6; ++i)
                        {
                            const auto& contact = contacts[static_cast<std::size_t>(thread * 6 + i)];
                            const auto where = thread % 2 == 0 ? after(first) : before(last);
                            if (moveTo(contact, _new, where).status != 200) ++failures;
                        }
                    });
        equal(0, failures.load());
        const auto cards = cardsOf(board(_id), _new);
        equal(26, cards.size());
        equal(first, text(cards.front(), "contactId"));
        equal(last, text(cards.back(), "contactId"));
        std::set<std::string> positions, seen;
        for (const auto& card : cards)
        {
            positions.insert(text(card, "position"));
            seen.insert(text(card, "contactId"));
        }
        equal(26, positions.size());
        equal(26, seen.size());
    }

    TEST(showsACardOnceWhileItMoves)
    {
        std::vector<std::string> contacts;
        for (int i = 0; i < 6; ++i) contacts.push_back(placed(std::to_string(i), _new));
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 30; ++i)
                        {
                            if (thread < 2)
                            {
                                const auto& contact = contacts[static_cast<std::size_t>(i % 3 + 3 * thread)];
                                if (moveTo(contact, i % 2 == 0 ? _won : _new).status != 200) ++failures;
                                continue;
                            }
                            std::set<std::string> seen;
                            std::int64_t shown = 0, counted = 0;
                            const auto board = this->board(_id);
                            for (const auto& column : arrayAt(board, "/columns"))
                            {
                                counted += column.at("count").as_int64();
                                for (const auto& card : column.at("items").as_array())
                                {
                                    seen.insert(text(card, "contactId"));
                                    ++shown;
                                }
                            }
                            if (seen.size() != 6 || shown != 6 || counted != 6) ++failures;
                        }
                    });
        equal(0, failures.load());
    }

    TEST(changesPipelinesUnderMoves)
    {
        std::vector<std::string> contacts;
        for (int i = 0; i < 6; ++i) contacts.push_back(placed(std::to_string(i), _contacted));
        const auto without = jsonWith(R"({"stages":[{"stageId":"$","name":"New"},{"stageId":"$","name":"Won"}],)"
                                      R"("moveTo":{"$":"$"}})",
                                      _new, _won, _contacted, _won);
        std::atomic<int> failures{0};
        runTogether(3,
                    [&](int thread)
                    {
                        if (thread == 0 && change(_id, without).status != 200) ++failures;
                        if (thread == 0) return;
                        for (int i = 0; i < 12; ++i)
                        {
                            const auto answer = moveTo(contacts[static_cast<std::size_t>(i % 6)], i % 2 == 0 ? _new : _contacted);
                            if (answer.status != 200 && answer.errors() != Names{"stageId unknown_stage"}) ++failures;
                        }
                    });
        equal(0, failures.load());
        std::size_t shown = 0;
        const auto board = this->board(_id);
        equal(2, board.count("/columns"));
        for (const auto& column : arrayAt(board, "/columns")) shown += column.at("items").as_array().size();
        equal(6, shown);
        for (const auto& contact : contacts) CHECK(text(places(contact).at(0), "stageId") != _contacted);
    }

    TEST(placesForImports)
    {
        const auto a = newContact("A"), b = newContact("B");
        crm::PipelineService service(host->context(), "EUR");
        database().transact(
            [&](Transaction& transaction)
            {
                const auto pipeline = service.hold(transaction, owner.tenant(), std::nullopt);
                equal(_id, pipeline.pipelineId.text());
                for (const auto& contact : {a, b})
                {
                    crm::Placement placement{*crm::ContactId::parse(contact), crm::StageId::parse(_new)};
                    placement.movedBy = owner.principalId;
                    placement.source = crm::MoveSource::Import;
                    placement.silent = true;
                    service.placeOnStage(transaction, owner.tenant(), pipeline, placement);
                }
                CPPUNIT_ASSERT_THROW(service.hold(transaction, stranger.tenant(), pipeline.pipelineId), Problem);
            });
        equal({"A", "B"}, order(_new));
        equal("import", text(items(history(a))[0], "source"));
        equal(0, events());
        // Before any pipeline route was called.
        database().transact([&](Transaction& transaction) { CHECK(service.hold(transaction, stranger.tenant(), std::nullopt).isDefault); });
    }

    TEST(mergesAndGivesBack)
    {
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto elsewhere = jsonWith(R"(,"pipelineId":"$")", other.at("/pipelineId"));
        const auto otherStage = stage(other, "S");
        const auto target = placed("Target", _new), one = placed("One", _won, R"(,"value":7)"), two = placed("Two", _new);
        moveTo(one, otherStage, elsewhere);
        moveTo(two, otherStage, elsewhere);
        const auto idOf = [](const std::string& text) { return *crm::ContactId::parse(text); };
        const auto merged = database().transact(
            [&](Transaction& transaction) {
                return crm::reassignCards(transaction, owner.tenant(), idOf(target), {idOf(one), idOf(two)});
            });
        equal({"Target"}, order(_new));
        equal({}, order(_won));
        equal({"Target"}, cards(board(other.at("/pipelineId")), otherStage));
        equal(5, items(history(target)).size());
        CHECK(items(history(one)).empty());
        CHECK(places(one).as_array().empty());
        equal(2, places(target).as_array().size());

        // Restores through the stored JSON of the record.
        const auto kept = fromJson<crm::MergedCards>(toJson(merged));
        database().transact([&](Transaction& transaction) { crm::restoreCards(transaction, owner.tenant(), idOf(target), kept); });
        equal({"Target", "Two"}, order(_new));
        equal({"One"}, order(_won));
        equal(7, cardsOf(board(_id), _won).at(0).at("value").as_int64());
        equal({"One", "Two"}, cards(board(other.at("/pipelineId")), otherStage));
        equal(1, items(history(target)).size());
        equal(2, items(history(one)).size());
        for (const auto& [contact, count] : std::map<std::string, std::size_t>{{target, 1}, {one, 2}, {two, 2}})
            equal(count, places(contact).as_array().size());
    }

    static std::string text(const json::value& record, std::string_view member) { return std::string(record.at(member).as_string()); }
    static std::string before(const std::string& contact) { return jsonWith(R"(,"beforeContactId":"$")", contact); }
    static std::string after(const std::string& contact) { return jsonWith(R"(,"afterContactId":"$")", contact); }
    /// Undoes a move.
    Answer undo(const std::string& contact, const Answer& moved) const
    {
        const auto from = moved.at("/fromStageId");
        return move(contact,
                    jsonWith(R"({"stageId":$,"undoHistoryId":"$"})", from == "null" ? from : '"' + from + '"', moved.at("/historyId")));
    }
    Names order(const std::string& stage) const { return cards(board(_id), stage); }
    std::size_t events() const { return host->context().events().published("crm.pipeline.moved").size(); }

    static Names notes(const json::array& entries)
    {
        Names found;
        for (const auto& entry : entries) found.push_back(text(entry, "note"));
        return found;
    }

    void checkOrder(const std::map<std::string, std::vector<std::string>>& expected) const
    {
        const auto board = this->board(_id);
        for (const auto& [stage, cards] : expected)
        {
            Names found;
            for (const auto& card : cardsOf(board, stage)) found.push_back(text(card, "contactId"));
            equal(cards, found);
        }
    }

    Answer _pipeline;
    std::string _id;
    std::string _new;
    std::string _contacted;
    std::string _won;
    std::string _lost;
};

} // namespace portico::tests
