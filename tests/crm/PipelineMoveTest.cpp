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
class PipelineMoveTest : public PipelineFixture
{
    CPPUNIT_TEST_SUITE(PipelineMoveTest);
    CPPUNIT_TEST(entersAndMoves);
    CPPUNIT_TEST(tellsOfMoves);
    CPPUNIT_TEST(repositionsWithoutHistory);
    CPPUNIT_TEST(ordersCards);
    CPPUNIT_TEST(refusesPlaces);
    CPPUNIT_TEST(checksTheBody);
    CPPUNIT_TEST(findsOnlyWhatIsThere);
    CPPUNIT_TEST(checksExpectations);
    CPPUNIT_TEST(honoursIfMatch);
    CPPUNIT_TEST(keepsToTransitions);
    CPPUNIT_TEST(wantsReasons);
    CPPUNIT_TEST(keepsValues);
    CPPUNIT_TEST(takesOffTheBoard);
    CPPUNIT_TEST(standsOnSeveralBoards);
    CPPUNIT_TEST(pagesHistory);
    CPPUNIT_TEST(keepsTheOrderOfHistory);
    CPPUNIT_TEST(dates);
    CPPUNIT_TEST(hidesTheDeleted);
    CPPUNIT_TEST(purgesCardsAndHistory);
    CPPUNIT_TEST(includesHistoryInTheContact);
    CPPUNIT_TEST(makesRoomAnew);
    CPPUNIT_TEST(staysOrderedThroughRandomMoves);
    CPPUNIT_TEST(movesOneContactTogether);
    CPPUNIT_TEST(expectsOneWinner);
    CPPUNIT_TEST(movesIntoOneGapTogether);
    CPPUNIT_TEST(showsACardOnceWhileItMoves);
    CPPUNIT_TEST(changesPipelinesUnderMoves);
    CPPUNIT_TEST(placesForImports);
    CPPUNIT_TEST(mergesAndGivesBack);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        PipelineFixture::setUp();
        _pipeline = standard();
        _id = _pipeline.text("pipelineId");
        _new = stage(_pipeline, "New");
        _contacted = stage(_pipeline, "Contacted");
        _won = stage(_pipeline, "Won");
        _lost = stage(_pipeline, "Lost");
    }

    void entersAndMoves()
    {
        const auto contact = newContact();
        const auto entered = moveTo(contact, _new, R"(,"note":"met at a fair","lostReason":"none")");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(entered.body), 200, entered.status);
        CPPUNIT_ASSERT_EQUAL(contact, entered.text("contactId"));
        CPPUNIT_ASSERT_EQUAL(_id, entered.text("pipelineId"));
        CPPUNIT_ASSERT(entered["fromStageId"].is_null());
        CPPUNIT_ASSERT_EQUAL(_new, entered.text("toStageId"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), entered.text("movedAt"));
        CPPUNIT_ASSERT_EQUAL(R"([{"pipelineId":")" + _id + R"(","stageId":")" + _new +
                                 R"(","since":"2026-11-21T09:00:00.000Z","position":")" + entered.text("position") + "\"}]",
                             json::serialize(places(contact)));
        clock().advance(std::chrono::milliseconds(61999));
        const auto moved = moveTo(contact, _contacted);
        CPPUNIT_ASSERT_EQUAL(_new, moved.text("fromStageId"));

        const auto entries = items(history(contact));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entries.size());
        CPPUNIT_ASSERT_EQUAL(moved.text("historyId"), text(entries[0], "historyId"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{61}, entries[0].at("durationInPreviousStageSeconds").as_int64());
        CPPUNIT_ASSERT_EQUAL(owner.principalId, text(entries[0], "movedBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("board"), text(entries[0], "source"));
        CPPUNIT_ASSERT_EQUAL(entered.text("historyId"), text(entries[1], "historyId"));
        CPPUNIT_ASSERT(entries[1].at("durationInPreviousStageSeconds").is_null());
        CPPUNIT_ASSERT(entries[1].at("fromStageId").is_null());
        CPPUNIT_ASSERT_EQUAL(std::string("met at a fair"), text(entries[1], "note"));
        CPPUNIT_ASSERT_EQUAL(std::string(), text(entries[1], "lostReason"));
        // Moving is no change of the contact itself.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, client->get(owner, "/api/contacts/" + contact).number("version"));
        // A change of the contact leaves its places alone, and shows them.
        const auto renamed = client->put(owner, "/api/contacts/" + contact, R"({"jobTitle":"CTO"})");
        CPPUNIT_ASSERT_EQUAL(_contacted, text(renamed["pipelines"].at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(_contacted, text(places(contact).at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(_contacted, text(list("fields=pipelines")["items"].at(0).at("pipelines").at(0), "stageId"));
    }

    void tellsOfMoves()
    {
        const auto contact = newContact();
        moveTo(contact, _new);
        clock().advance(std::chrono::seconds(5));
        const auto moved = moveTo(contact, _lost, R"(,"note":"secret","lostReason":"secret")");
        CPPUNIT_ASSERT_EQUAL(std::string("secret"), text(items(history(contact))[0], "lostReason"));
        CPPUNIT_ASSERT_EQUAL(R"({"historyId":")" + moved.text("historyId") + R"(","contactId":")" + contact + R"(","organizationId":")" +
                                 owner.organizationId + R"(","pipelineId":")" + _id + R"(","fromStageId":")" + _new + R"(","toStageId":")" +
                                 _lost + R"(","movedAt":"2026-11-21T09:00:05.000Z","movedBy":")" + owner.principalId +
                                 R"(","durationInPreviousStageSeconds":5,"source":"board"})",
                             lastEvent("crm.pipeline.moved"));
        moveTo(contact, _lost);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, events());
    }

    void repositionsWithoutHistory()
    {
        const auto a = placed("A", _new), b = placed("B", _new);
        clock().advance(std::chrono::hours(1));
        const auto moved = moveTo(b, _new, R"(,"beforeContactId":")" + a + "\"");
        CPPUNIT_ASSERT_EQUAL(200, moved.status);
        CPPUNIT_ASSERT(moved["historyId"].is_null());
        CPPUNIT_ASSERT_EQUAL(_new, moved.text("fromStageId"));
        CPPUNIT_ASSERT_EQUAL((Names{"B", "A"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), text(places(b).at(0), "since"));
        CPPUNIT_ASSERT_EQUAL(moved.text("position"), text(places(b).at(0), "position"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, items(history(b)).size());
        // Where it is already: nothing moves.
        CPPUNIT_ASSERT_EQUAL(moved.text("position"), moveTo(b, _new, R"(,"beforeContactId":")" + a + "\"").text("position"));
        // Nowhere named is the end.
        moveTo(b, _new);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, events());
    }

    void ordersCards()
    {
        const auto a = placed("A", _new), b = placed("B", _new), c = placed("C", _new);
        placed("D", _new, before(a));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "B", "C"}), order(_new));
        placed("E", _new, after(a));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "E", "B", "C"}), order(_new));
        placed("F", _new, after(c));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "E", "B", "C", "F"}), order(_new));
        // Between two that are no longer neighbours: right behind the first.
        placed("G", _new, after(a) + before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "G", "E", "B", "C", "F"}), order(_new));
        const auto x = placed("X", _contacted);
        moveTo(x, _new, before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "G", "E", "X", "B", "C", "F"}), order(_new));
        moveTo(a, _new, after(c));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "G", "E", "X", "B", "C", "A", "F"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_contacted));
    }

    void refusesPlaces()
    {
        const auto a = placed("A", _new), b = placed("B", _new), elsewhere = placed("C", _contacted);
        const auto gone = placed("Gone", _new);
        client->del(owner, "/api/contacts/" + gone);
        for (const auto& other : {elsewhere, gone, a, "con_" + makeUlid(Instant{})})
        {
            CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId not_on_stage"}, moveTo(a, _new, before(other)).errors());
            CPPUNIT_ASSERT_EQUAL(Names{"afterContactId not_on_stage"}, moveTo(a, _new, after(other)).errors());
        }
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId wrong_order"}, moveTo(elsewhere, _new, before(a) + after(b)).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId not_on_stage"}, move(a, R"({"stageId":null)" + before(b) + "}").errors());
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
    }

    void checksTheBody()
    {
        const auto a = newContact();
        CPPUNIT_ASSERT_EQUAL(Names{"stageId required"}, move(a, "{}").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId required"}, move(a, R"({"note":"x"})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId invalid_id"}, move(a, R"({"stageId":"x"})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, moveTo(a, "stg_" + makeUlid(Instant{})).errors());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), moveTo(a, _new, R"(,"stage":"x")").code());
        const auto refused = [&](const std::string& member) { return moveTo(a, _new, "," + member).errors(); };
        CPPUNIT_ASSERT_EQUAL(Names{"value out_of_range"}, refused(R"("value":-1)"));
        CPPUNIT_ASSERT_EQUAL(Names{"value out_of_range"}, refused(R"("value":9007199254740992)"));
        CPPUNIT_ASSERT_EQUAL(Names{"value wrong_type"}, refused(R"("value":1.5)"));
        CPPUNIT_ASSERT_EQUAL(Names{"note too_long"}, refused(R"("note":")" + std::string(1001, 'x') + '"'));
        CPPUNIT_ASSERT_EQUAL(Names{"lostReason too_long"}, refused(R"("lostReason":")" + std::string(301, 'x') + '"'));
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId invalid_id"}, refused(R"("beforeContactId":")" + _new + '"'));
        CPPUNIT_ASSERT(places(a).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _new, R"(,"note":")" + std::string(1000, 'x') + '"').status);
        // A stage of another pipeline.
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, moveTo(a, stage(other, "S")).errors());
    }

    void findsOnlyWhatIsThere()
    {
        const auto a = newContact();
        CPPUNIT_ASSERT_EQUAL(404, moveTo("con_" + makeUlid(Instant{}), _new).status);
        CPPUNIT_ASSERT_EQUAL(404, moveTo("x", _new).status);
        CPPUNIT_ASSERT_EQUAL(404, moveTo(a, _new, R"(,"pipelineId":"pip_)" + makeUlid(Instant{}) + '"').status);
        CPPUNIT_ASSERT_EQUAL(404, history("con_" + makeUlid(Instant{})).status);
        // Nor what another organization has.
        const auto path = "/api/pipeline/" + a;
        CPPUNIT_ASSERT_EQUAL(404, client->put(stranger, path + "/move", R"({"stageId":null})").status);
        CPPUNIT_ASSERT_EQUAL(404, client->put(stranger, path + "/move", R"({"stageId":null,"pipelineId":")" + _id + "\"}").status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(stranger, path + "/history").status);
        const auto theirs = std::string(client->post(stranger, "/api/contacts", R"({"firstName":"T"})").id());
        CPPUNIT_ASSERT_EQUAL(404, moveTo(theirs, _new).status);
        const auto wrong = client->put(stranger, "/api/pipeline/" + theirs + "/move", R"({"stageId":")" + _new + "\"}");
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, wrong.errors());
    }

    /// Of the contact, whose version a move does not change.
    void honoursIfMatch()
    {
        const auto a = newContact();
        const auto path = "/api/pipeline/" + a + "/move";
        const auto body = R"({"stageId":")" + _new + "\"}";
        CPPUNIT_ASSERT_EQUAL(412, client->put(owner, path, body, {{"If-Match", "\"2\""}}).status);
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), json::serialize(places(a)));
        CPPUNIT_ASSERT_EQUAL(200, client->put(owner, path, body, {{"If-Match", "\"1\""}}).status);
        CPPUNIT_ASSERT_EQUAL(404,
                             client->put(owner, "/api/pipeline/con_" + makeUlid(Instant{}) + "/move", body, {{"If-Match", "*"}}).status);
    }

    void checksExpectations()
    {
        const auto a = placed("A", _contacted);
        const auto stale = moveTo(a, _won, R"(,"expectedStageId":")" + _new + '"');
        CPPUNIT_ASSERT_EQUAL(400, stale.status);
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), stale.code());
        CPPUNIT_ASSERT_EQUAL(R"({"currentStageId":")" + _contacted + "\"}", json::serialize(stale["details"]));
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), moveTo(a, _won, R"(,"expectedStageId":null)").code());
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), move(a, R"({"stageId":null,"expectedStageId":")" + _new + "\"}").code());
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _won, R"(,"expectedStageId":")" + _contacted + '"').status);
        const auto b = newContact("B");
        const auto none = moveTo(b, _won, R"(,"expectedStageId":")" + _new + '"');
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"currentStageId":null})"), json::serialize(none["details"]));
        CPPUNIT_ASSERT_EQUAL(200, moveTo(b, _won, R"(,"expectedStageId":null)").status);
    }

    void keepsToTransitions()
    {
        const auto move = [](const std::string& from, const std::string& to) { return R"({"from":")" + from + R"(","to":")" + to + "\"}"; };
        change(_id, R"({"transitions":[)" + move(_new, _won) + "," + move(_new, _contacted) + "," + move(_won, _new) + "]}");
        const auto a = placed("A", _new), b = placed("B", _lost);
        const auto refused = moveTo(a, _lost);
        CPPUNIT_ASSERT_EQUAL(400, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("move_not_allowed"), refused.code());
        CPPUNIT_ASSERT_EQUAL(R"({"allowedStageIds":[")" + _contacted + R"(",")" + _won + "\"]}", json::serialize(refused["details"]));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"allowedStageIds":[]})"), json::serialize(moveTo(b, _new)["details"]));
        // Within the stage, off the board and onto it again are no transitions; reopening is one.
        CPPUNIT_ASSERT_EQUAL(200, moveTo(b, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, this->move(b, R"({"stageId":null})").status);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(b, _contacted).status);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _won).status);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _new).status);
    }

    void wantsReasons()
    {
        const auto a = placed("A", _new);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _new).status); // reopened
        change(_id, R"({"requireLostReason":true})");
        for (const auto* reason : {"", R"(,"lostReason":"")", R"(,"lostReason":" ")", R"(,"lostReason":null)"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(reason, Names{"lostReason required"}, moveTo(a, _lost, reason).errors());
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _lost, R"(,"lostReason":"price")").status);
        CPPUNIT_ASSERT_EQUAL(std::string("price"), text(items(history(a))[0], "lostReason"));
        // It is lost already.
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, moveTo(a, _won).status);
    }

    void keepsValues()
    {
        const auto a = placed("A", _new, R"(,"value":9007199254740991)");
        const auto value = [&](const std::string& stage) { return cardsOf(board(_id), stage).at(0).at("value"); };
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9007199254740991}, value(_new).as_int64());
        moveTo(a, _won);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9007199254740991}, value(_won).as_int64());
        moveTo(a, _won, R"(,"value":0)");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(_won).as_int64());
        moveTo(a, _won, R"(,"value":null)");
        CPPUNIT_ASSERT(value(_won).is_null());
    }

    void takesOffTheBoard()
    {
        const auto a = placed("A", _new);
        clock().advance(std::chrono::seconds(3));
        const auto off = move(a, R"({"stageId":null,"note":"bye"})");
        CPPUNIT_ASSERT_EQUAL(200, off.status);
        CPPUNIT_ASSERT_EQUAL(_new, off.text("fromStageId"));
        CPPUNIT_ASSERT(off["toStageId"].is_null());
        CPPUNIT_ASSERT(off["position"].is_null());
        const auto entry = items(history(a))[0];
        CPPUNIT_ASSERT(entry.at("toStageId").is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, entry.at("durationInPreviousStageSeconds").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("bye"), text(entry, "note"));
        CPPUNIT_ASSERT(places(a).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_new));
        const auto again = move(a, R"({"stageId":null})");
        CPPUNIT_ASSERT_EQUAL(200, again.status);
        CPPUNIT_ASSERT(again["historyId"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, items(history(a)).size());
    }

    void standsOnSeveralBoards()
    {
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto a = placed("A", _new);
        moveTo(a, stage(other, "S"), R"(,"pipelineId":")" + other.text("pipelineId") + '"');
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, places(a).as_array().size());
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, cards(board(other.text("pipelineId")), stage(other, "S")));
        const auto filtered = items(history(a, "?pipelineId=" + other.text("pipelineId")));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, filtered.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, items(history(a, "?pipelineId=" + _id + "," + other.text("pipelineId"))).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, items(history(a, "?pipelineId=pip_" + makeUlid(Instant{}))).size());
        CPPUNIT_ASSERT_EQUAL(400, history(a, "?pipelineId=x").status);
    }

    void pagesHistory()
    {
        const auto a = newContact();
        for (int i = 0; i < 7; ++i)
        {
            if (i % 3 == 0) clock().advance(std::chrono::milliseconds(1));
            moveTo(a, i % 2 == 0 ? _new : _contacted, R"(,"note":")" + std::to_string(i) + '"');
        }
        CPPUNIT_ASSERT_EQUAL((Names{"6", "5", "4", "3", "2", "1", "0"}), notes(items(history(a))));
        CPPUNIT_ASSERT_EQUAL((Names{"0", "1", "2", "3", "4", "5", "6"}), notes(items(history(a, "?sort=movedAt"))));
        for (const auto* sort : {"-movedAt", "movedAt"})
        {
            const auto query = "?sort=" + std::string(sort);
            Names found;
            std::string cursor;
            for (int page = 0; page < 8; ++page)
            {
                const auto answer = history(a, query + "&include=total&limit=2" + cursor);
                CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, answer.number("total"));
                for (const auto& note : notes(answer["items"].as_array())) found.push_back(note);
                if (answer["nextCursor"].is_null()) break;
                cursor = "&cursor=" + answer.text("nextCursor");
            }
            CPPUNIT_ASSERT_EQUAL(notes(items(history(a, query))), found);
        }
        CPPUNIT_ASSERT_EQUAL(400, history(a, "?sort=note").status);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), history(a, "?q=x").code());
    }

    void keepsTheOrderOfHistory()
    {
        const auto a = newContact();
        Names expected;
        for (int i = 0; i < 40; ++i)
        {
            // The clock stands still, and once goes back.
            if (i == 20) clock().jumpTo(*parseInstant("2026-11-21T08:00:00Z"));
            moveTo(a, i % 2 == 0 ? _new : _contacted, R"(,"note":")" + std::to_string(i) + '"');
            expected.push_back(std::to_string(i));
        }
        const auto entries = items(history(a, "?sort=movedAt&limit=200"));
        CPPUNIT_ASSERT_EQUAL(expected, notes(entries));
        for (const auto& entry : entries)
            if (const auto& seconds = entry.at("durationInPreviousStageSeconds"); !seconds.is_null())
                CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seconds.as_int64());
    }

    /// Boards that come from elsewhere keep their times; a history is not rewritten.
    void dates()
    {
        const auto at = [](std::string_view when) { return R"(,"movedAt":")" + std::string(when) + '"'; };
        const auto a = placed("A", _new, at("2026-10-01T08:00:00Z"));
        const auto moved = moveTo(a, _contacted, at("2026-10-03T09:30:00Z"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(moved.body), std::string("2026-10-03T09:30:00.000Z"), moved.text("movedAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-10-03T09:30:00.000Z"), text(places(a).at(0), "since"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2 * 86400 + 5400},
                             items(history(a, "?sort=-movedAt")).at(0).at("durationInPreviousStageSeconds").as_int64());
        for (const auto* wrong : {"2026-10-03T09:29:59Z", "2026-11-21T09:00:01Z", "1969-12-31T00:00:00Z"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, Names{"movedAt out_of_range"}, moveTo(a, _won, at(wrong)).errors());
        CPPUNIT_ASSERT_EQUAL(_contacted, text(places(a).at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), moveTo(a, _won).text("movedAt"));

        auto without = owner;
        std::erase(without.permissions, "crm.contacts:import");
        const auto body = R"({"stageId":")" + _new + '"' + at("2026-11-01T08:00:00Z") + '}';
        const auto refused = client->put(without, "/api/pipeline/" + newContact() + "/move", body);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), refused.code());
    }

    void hidesTheDeleted()
    {
        const auto a = placed("A", _new, R"(,"value":5)"), b = placed("B", _new), c = placed("C", _new);
        client->del(owner, "/api/contacts/" + b);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, show(_id)["stages"].at(0).at("count").as_int64());
        CPPUNIT_ASSERT_EQUAL(404, history(b).status);
        CPPUNIT_ASSERT_EQUAL(404, moveTo(b, _won).status);
        // Its place is kept, also when others go there.
        placed("D", _new, after(a));
        placed("E", _new, before(c));
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, "/api/contacts/" + b + "/restore", "").status);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "D", "B", "E", "C"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, items(history(b)).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, places(b).as_array().size());
    }

    void purgesCardsAndHistory()
    {
        const auto a = placed("A", _new);
        const auto purger = withPermission(owner, "crm.contacts:purge");
        CPPUNIT_ASSERT_EQUAL(200, client->del(purger, "/api/contacts/" + a + "?permanent=true").status);
        auto session = database().session();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *session.value<std::int64_t>("SELECT count(*) FROM pipeline_card"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *session.value<std::int64_t>("SELECT count(*) FROM pipeline_history"));
    }

    void includesHistoryInTheContact()
    {
        const auto a = placed("A", _new, R"(,"note":"x")");
        const auto shown = client->get(owner, "/api/contacts/" + a + "?include=history");
        CPPUNIT_ASSERT_EQUAL(Names{"x"}, notes(shown["history"].as_array()));
        CPPUNIT_ASSERT_EQUAL(json::serialize(history(a)["items"]), json::serialize(shown["history"]));
        CPPUNIT_ASSERT(!client->get(owner, "/api/contacts/" + a).body.as_object().contains("history"));
        auto key = owner;
        key.credential = CredentialKind::ApiKey;
        key.boundResources["pipeline"] = {"pip_" + makeUlid(Instant{})};
        CPPUNIT_ASSERT(client->get(key, "/api/contacts/" + a + "?include=history")["history"].as_array().empty());
    }

    void makesRoomAnew()
    {
        const auto a = placed("A", _new), b = placed("B", _new), c = placed("C", _new);
        const auto hidden = placed("Hidden", _new);
        client->del(owner, "/api/contacts/" + hidden);
        // As after very many moves between the first two.
        database().transact(
            [&](Transaction& transaction)
            {
                const std::string long1 = "a0" + std::string(crm::longestKey - 3, '0');
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "01", a);
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "02", b);
            });
        placed("D", _new, before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "D", "B", "C"}), order(_new));
        for (const auto& contact : {a, b, c}) CPPUNIT_ASSERT(text(places(contact).at(0), "position").size() <= 3);
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, "/api/contacts/" + hidden + "/restore", "").status);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "D", "B", "C", "Hidden"}), order(_new));
    }

    void staysOrderedThroughRandomMoves()
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
            CPPUNIT_ASSERT_EQUAL(200, moveTo(contact, stage, where).status);
            if (i % 50 == 49) checkOrder(expected);
        }
        checkOrder(expected);
    }

    void movesOneContactTogether()
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
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        // The history is one chain, each entry from where the one before went.
        std::string at;
        for (const auto& entry : items(history(a, "?sort=movedAt&limit=200")))
        {
            CPPUNIT_ASSERT_EQUAL(at, entry.at("fromStageId").is_null() ? std::string() : text(entry, "fromStageId"));
            at = text(entry, "toStageId");
        }
        CPPUNIT_ASSERT_EQUAL(at, text(places(a).at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, order(at));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, places(a).as_array().size());
    }

    void expectsOneWinner()
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto a = placed("A", _new);
            std::atomic<int> won{0}, late{0};
            runTogether(3,
                        [&](int)
                        {
                            const auto answer = moveTo(a, _won, R"(,"expectedStageId":")" + _new + '"');
                            if (answer.status == 200)
                                ++won;
                            else if (answer.code() == "stage_changed")
                                ++late;
                        });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
            CPPUNIT_ASSERT_EQUAL(2, late.load());
            CPPUNIT_ASSERT_EQUAL(std::size_t{2}, items(history(a)).size());
        }
    }

    void movesIntoOneGapTogether()
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
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        const auto cards = cardsOf(board(_id), _new);
        CPPUNIT_ASSERT_EQUAL(std::size_t{26}, cards.size());
        CPPUNIT_ASSERT_EQUAL(first, text(cards.front(), "contactId"));
        CPPUNIT_ASSERT_EQUAL(last, text(cards.back(), "contactId"));
        std::set<std::string> positions, seen;
        for (const auto& card : cards)
        {
            positions.insert(text(card, "position"));
            seen.insert(text(card, "contactId"));
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{26}, positions.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{26}, seen.size());
    }

    void showsACardOnceWhileItMoves()
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
                            for (const auto& column : board["columns"].as_array())
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
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
    }

    void changesPipelinesUnderMoves()
    {
        std::vector<std::string> contacts;
        for (int i = 0; i < 6; ++i) contacts.push_back(placed(std::to_string(i), _contacted));
        const auto without = R"({"stages":[{"stageId":")" + _new + R"(","name":"New"},{"stageId":")" + _won +
                             R"(","name":"Won"}],"moveTo":{")" + _contacted + R"(":")" + _won + "\"}}";
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
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        std::size_t shown = 0;
        const auto board = this->board(_id);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, board["columns"].as_array().size());
        for (const auto& column : board["columns"].as_array()) shown += column.at("items").as_array().size();
        CPPUNIT_ASSERT_EQUAL(std::size_t{6}, shown);
        for (const auto& contact : contacts) CPPUNIT_ASSERT(text(places(contact).at(0), "stageId") != _contacted);
    }

    void placesForImports()
    {
        const auto a = newContact("A"), b = newContact("B");
        crm::PipelineService service(host->context(), "EUR");
        database().transact(
            [&](Transaction& transaction)
            {
                const auto pipeline = service.hold(transaction, owner.tenant(), std::nullopt);
                CPPUNIT_ASSERT_EQUAL(_id, pipeline.pipelineId.text());
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
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::string("import"), text(items(history(a))[0], "source"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, events());
        // Before any pipeline route was called.
        database().transact([&](Transaction& transaction)
                            { CPPUNIT_ASSERT(service.hold(transaction, stranger.tenant(), std::nullopt).isDefault); });
    }

    void mergesAndGivesBack()
    {
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto elsewhere = R"(,"pipelineId":")" + other.text("pipelineId") + '"';
        const auto otherStage = stage(other, "S");
        const auto target = placed("Target", _new), one = placed("One", _won, R"(,"value":7)"), two = placed("Two", _new);
        moveTo(one, otherStage, elsewhere);
        moveTo(two, otherStage, elsewhere);
        const auto idOf = [](const std::string& text) { return *crm::ContactId::parse(text); };
        const auto merged = database().transact(
            [&](Transaction& transaction) {
                return crm::reassignCards(transaction, owner.tenant(), idOf(target), {idOf(one), idOf(two)});
            });
        CPPUNIT_ASSERT_EQUAL(Names{"Target"}, order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_won));
        CPPUNIT_ASSERT_EQUAL(Names{"Target"}, cards(board(other.text("pipelineId")), otherStage));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, items(history(target)).size());
        CPPUNIT_ASSERT(items(history(one)).empty());
        CPPUNIT_ASSERT(places(one).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, places(target).as_array().size());

        // Through its record, as it is kept.
        const auto kept = fromJson<crm::MergedCards>(toJson(merged));
        database().transact([&](Transaction& transaction) { crm::restoreCards(transaction, owner.tenant(), idOf(target), kept); });
        CPPUNIT_ASSERT_EQUAL((Names{"Target", "Two"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{"One"}, order(_won));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, cardsOf(board(_id), _won).at(0).at("value").as_int64());
        CPPUNIT_ASSERT_EQUAL((Names{"One", "Two"}), cards(board(other.text("pipelineId")), otherStage));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, items(history(target)).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, items(history(one)).size());
        for (const auto& [contact, count] : std::map<std::string, std::size_t>{{target, 1}, {one, 2}, {two, 2}})
            CPPUNIT_ASSERT_EQUAL(count, places(contact).as_array().size());
    }

private:
    static std::string text(const json::value& record, std::string_view member) { return std::string(record.at(member).as_string()); }
    static std::string before(const std::string& contact) { return R"(,"beforeContactId":")" + contact + '"'; }
    static std::string after(const std::string& contact) { return R"(,"afterContactId":")" + contact + '"'; }
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
            CPPUNIT_ASSERT_EQUAL(cards, found);
        }
    }

    Answer _pipeline;
    std::string _id;
    std::string _new;
    std::string _contacted;
    std::string _won;
    std::string _lost;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PipelineMoveTest);

} // namespace portico::tests
