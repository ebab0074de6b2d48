#include "crm/PipelineFixture.h"
#include "crm/Together.h"

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
template <class Engine>
class PipelineMoveTest : public PipelineFixture<Engine>
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
    CPPUNIT_TEST(keepsToTransitions);
    CPPUNIT_TEST(wantsReasons);
    CPPUNIT_TEST(keepsValues);
    CPPUNIT_TEST(takesOffTheBoard);
    CPPUNIT_TEST(standsOnSeveralBoards);
    CPPUNIT_TEST(pagesHistory);
    CPPUNIT_TEST(keepsTheOrderOfHistory);
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
        PipelineFixture<Engine>::setUp();
        _pipeline = this->standard();
        _id = _pipeline.text("pipelineId");
        _new = this->stage(_pipeline, "New");
        _contacted = this->stage(_pipeline, "Contacted");
        _won = this->stage(_pipeline, "Won");
        _lost = this->stage(_pipeline, "Lost");
    }

    void entersAndMoves()
    {
        const auto contact = this->newContact();
        const auto entered = this->moveTo(contact, _new, R"(,"note":"met at a fair","lostReason":"none")");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(entered.body), 200, entered.status);
        CPPUNIT_ASSERT_EQUAL(contact, entered.text("contactId"));
        CPPUNIT_ASSERT_EQUAL(_id, entered.text("pipelineId"));
        CPPUNIT_ASSERT(entered["fromStageId"].is_null());
        CPPUNIT_ASSERT_EQUAL(_new, entered.text("toStageId"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), entered.text("movedAt"));
        CPPUNIT_ASSERT_EQUAL(R"([{"pipelineId":")" + _id + R"(","stageId":")" + _new +
                                 R"(","since":"2026-11-21T09:00:00.000Z","position":")" + entered.text("position") + "\"}]",
                             json::serialize(this->places(contact)));
        this->clock().advance(std::chrono::milliseconds(61999));
        const auto moved = this->moveTo(contact, _contacted);
        CPPUNIT_ASSERT_EQUAL(_new, moved.text("fromStageId"));

        const auto entries = this->items(this->history(contact));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entries.size());
        CPPUNIT_ASSERT_EQUAL(moved.text("historyId"), text(entries[0], "historyId"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{61}, entries[0].at("durationInPreviousStageSeconds").as_int64());
        CPPUNIT_ASSERT_EQUAL(this->owner.principalId, text(entries[0], "movedBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("board"), text(entries[0], "source"));
        CPPUNIT_ASSERT_EQUAL(entered.text("historyId"), text(entries[1], "historyId"));
        CPPUNIT_ASSERT(entries[1].at("durationInPreviousStageSeconds").is_null());
        CPPUNIT_ASSERT(entries[1].at("fromStageId").is_null());
        CPPUNIT_ASSERT_EQUAL(std::string("met at a fair"), text(entries[1], "note"));
        CPPUNIT_ASSERT_EQUAL(std::string(), text(entries[1], "lostReason"));
        // Moving is no change of the contact itself.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->client->get(this->owner, "/api/contacts/" + contact).number("version"));
        // A change of the contact leaves its places alone, and shows them.
        const auto renamed = this->client->put(this->owner, "/api/contacts/" + contact, R"({"jobTitle":"CTO"})");
        CPPUNIT_ASSERT_EQUAL(_contacted, text(renamed["pipelines"].at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(_contacted, text(this->places(contact).at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(_contacted, text(this->list("fields=pipelines")["items"].at(0).at("pipelines").at(0), "stageId"));
    }

    void tellsOfMoves()
    {
        const auto contact = this->newContact();
        this->moveTo(contact, _new);
        this->clock().advance(std::chrono::seconds(5));
        const auto moved = this->moveTo(contact, _lost, R"(,"note":"secret","lostReason":"secret")");
        CPPUNIT_ASSERT_EQUAL(std::string("secret"), text(this->items(this->history(contact))[0], "lostReason"));
        CPPUNIT_ASSERT_EQUAL(R"({"historyId":")" + moved.text("historyId") + R"(","contactId":")" + contact + R"(","organizationId":")" +
                                 this->owner.organizationId + R"(","pipelineId":")" + _id + R"(","fromStageId":")" + _new +
                                 R"(","toStageId":")" + _lost + R"(","movedAt":"2026-11-21T09:00:05.000Z","movedBy":")" +
                                 this->owner.principalId + R"(","durationInPreviousStageSeconds":5,"source":"board"})",
                             this->lastEvent("crm.pipeline.moved"));
        this->moveTo(contact, _lost);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, events());
    }

    void repositionsWithoutHistory()
    {
        const auto a = this->placed("A", _new), b = this->placed("B", _new);
        this->clock().advance(std::chrono::hours(1));
        const auto moved = this->moveTo(b, _new, R"(,"beforeContactId":")" + a + "\"");
        CPPUNIT_ASSERT_EQUAL(200, moved.status);
        CPPUNIT_ASSERT(moved["historyId"].is_null());
        CPPUNIT_ASSERT_EQUAL(_new, moved.text("fromStageId"));
        CPPUNIT_ASSERT_EQUAL((Names{"B", "A"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z"), text(this->places(b).at(0), "since"));
        CPPUNIT_ASSERT_EQUAL(moved.text("position"), text(this->places(b).at(0), "position"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->items(this->history(b)).size());
        // Where it is already: nothing moves.
        CPPUNIT_ASSERT_EQUAL(moved.text("position"), this->moveTo(b, _new, R"(,"beforeContactId":")" + a + "\"").text("position"));
        // Nowhere named is the end.
        this->moveTo(b, _new);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, events());
    }

    void ordersCards()
    {
        const auto a = this->placed("A", _new), b = this->placed("B", _new), c = this->placed("C", _new);
        this->placed("D", _new, before(a));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "B", "C"}), order(_new));
        this->placed("E", _new, after(a));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "E", "B", "C"}), order(_new));
        this->placed("F", _new, after(c));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "E", "B", "C", "F"}), order(_new));
        // Between two that are no longer neighbours: right behind the first.
        this->placed("G", _new, after(a) + before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "G", "E", "B", "C", "F"}), order(_new));
        const auto x = this->placed("X", _contacted);
        this->moveTo(x, _new, before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "A", "G", "E", "X", "B", "C", "F"}), order(_new));
        this->moveTo(a, _new, after(c));
        CPPUNIT_ASSERT_EQUAL((Names{"D", "G", "E", "X", "B", "C", "A", "F"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_contacted));
    }

    void refusesPlaces()
    {
        const auto a = this->placed("A", _new), b = this->placed("B", _new), elsewhere = this->placed("C", _contacted);
        const auto gone = this->placed("Gone", _new);
        this->client->del(this->owner, "/api/contacts/" + gone);
        for (const auto& other : {elsewhere, gone, a, "con_" + makeUlid(Instant{})})
        {
            CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId not_on_stage"}, this->moveTo(a, _new, before(other)).errors());
            CPPUNIT_ASSERT_EQUAL(Names{"afterContactId not_on_stage"}, this->moveTo(a, _new, after(other)).errors());
        }
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId wrong_order"}, this->moveTo(elsewhere, _new, before(a) + after(b)).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId not_on_stage"}, this->move(a, R"({"stageId":null)" + before(b) + "}").errors());
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
    }

    void checksTheBody()
    {
        const auto a = this->newContact();
        CPPUNIT_ASSERT_EQUAL(Names{"stageId required"}, this->move(a, "{}").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId required"}, this->move(a, R"({"note":"x"})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId invalid_id"}, this->move(a, R"({"stageId":"x"})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, this->moveTo(a, "stg_" + makeUlid(Instant{})).errors());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), this->moveTo(a, _new, R"(,"stage":"x")").code());
        const auto refused = [&](const std::string& member) { return this->moveTo(a, _new, "," + member).errors(); };
        CPPUNIT_ASSERT_EQUAL(Names{"value out_of_range"}, refused(R"("value":-1)"));
        CPPUNIT_ASSERT_EQUAL(Names{"value out_of_range"}, refused(R"("value":9007199254740992)"));
        CPPUNIT_ASSERT_EQUAL(Names{"value wrong_type"}, refused(R"("value":1.5)"));
        CPPUNIT_ASSERT_EQUAL(Names{"note too_long"}, refused(R"("note":")" + std::string(1001, 'x') + '"'));
        CPPUNIT_ASSERT_EQUAL(Names{"lostReason too_long"}, refused(R"("lostReason":")" + std::string(301, 'x') + '"'));
        CPPUNIT_ASSERT_EQUAL(Names{"beforeContactId invalid_id"}, refused(R"("beforeContactId":")" + _new + '"'));
        CPPUNIT_ASSERT(this->places(a).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _new, R"(,"note":")" + std::string(1000, 'x') + '"').status);
        // A stage of another pipeline.
        const auto other = this->makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, this->moveTo(a, this->stage(other, "S")).errors());
    }

    void findsOnlyWhatIsThere()
    {
        const auto a = this->newContact();
        CPPUNIT_ASSERT_EQUAL(404, this->moveTo("con_" + makeUlid(Instant{}), _new).status);
        CPPUNIT_ASSERT_EQUAL(404, this->moveTo("x", _new).status);
        CPPUNIT_ASSERT_EQUAL(404, this->moveTo(a, _new, R"(,"pipelineId":"pip_)" + makeUlid(Instant{}) + '"').status);
        CPPUNIT_ASSERT_EQUAL(404, this->history("con_" + makeUlid(Instant{})).status);
        // Nor what another organization has.
        const auto path = "/api/pipeline/" + a;
        CPPUNIT_ASSERT_EQUAL(404, this->client->put(this->stranger, path + "/move", R"({"stageId":null})").status);
        CPPUNIT_ASSERT_EQUAL(404,
                             this->client->put(this->stranger, path + "/move", R"({"stageId":null,"pipelineId":")" + _id + "\"}").status);
        CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->stranger, path + "/history").status);
        const auto theirs = std::string(this->client->post(this->stranger, "/api/contacts", R"({"firstName":"T"})").id());
        CPPUNIT_ASSERT_EQUAL(404, this->moveTo(theirs, _new).status);
        const auto wrong = this->client->put(this->stranger, "/api/pipeline/" + theirs + "/move", R"({"stageId":")" + _new + "\"}");
        CPPUNIT_ASSERT_EQUAL(Names{"stageId unknown_stage"}, wrong.errors());
    }

    void checksExpectations()
    {
        const auto a = this->placed("A", _contacted);
        const auto stale = this->moveTo(a, _won, R"(,"expectedStageId":")" + _new + '"');
        CPPUNIT_ASSERT_EQUAL(400, stale.status);
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), stale.code());
        CPPUNIT_ASSERT_EQUAL(R"({"currentStageId":")" + _contacted + "\"}", json::serialize(stale["details"]));
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), this->moveTo(a, _won, R"(,"expectedStageId":null)").code());
        CPPUNIT_ASSERT_EQUAL(std::string("stage_changed"), this->move(a, R"({"stageId":null,"expectedStageId":")" + _new + "\"}").code());
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _won, R"(,"expectedStageId":")" + _contacted + '"').status);
        const auto b = this->newContact("B");
        const auto none = this->moveTo(b, _won, R"(,"expectedStageId":")" + _new + '"');
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"currentStageId":null})"), json::serialize(none["details"]));
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(b, _won, R"(,"expectedStageId":null)").status);
    }

    void keepsToTransitions()
    {
        const auto move = [](const std::string& from, const std::string& to) { return R"({"from":")" + from + R"(","to":")" + to + "\"}"; };
        this->change(_id, R"({"transitions":[)" + move(_new, _won) + "," + move(_new, _contacted) + "," + move(_won, _new) + "]}");
        const auto a = this->placed("A", _new), b = this->placed("B", _lost);
        const auto refused = this->moveTo(a, _lost);
        CPPUNIT_ASSERT_EQUAL(400, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("move_not_allowed"), refused.code());
        CPPUNIT_ASSERT_EQUAL(R"({"allowedStageIds":[")" + _contacted + R"(",")" + _won + "\"]}", json::serialize(refused["details"]));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"allowedStageIds":[]})"), json::serialize(this->moveTo(b, _new)["details"]));
        // Within the stage, off the board and onto it again are no transitions; reopening is one.
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(b, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, this->move(b, R"({"stageId":null})").status);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(b, _contacted).status);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _won).status);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _new).status);
    }

    void wantsReasons()
    {
        const auto a = this->placed("A", _new);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _new).status); // reopened
        this->change(_id, R"({"requireLostReason":true})");
        for (const auto* reason : {"", R"(,"lostReason":"")", R"(,"lostReason":null)"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(reason, Names{"lostReason required"}, this->moveTo(a, _lost, reason).errors());
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _lost, R"(,"lostReason":"price")").status);
        CPPUNIT_ASSERT_EQUAL(std::string("price"), text(this->items(this->history(a))[0], "lostReason"));
        // It is lost already.
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _lost).status);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(a, _won).status);
    }

    void keepsValues()
    {
        const auto a = this->placed("A", _new, R"(,"value":9007199254740991)");
        const auto value = [&](const std::string& stage) { return this->cardsOf(this->board(_id), stage).at(0).at("value"); };
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9007199254740991}, value(_new).as_int64());
        this->moveTo(a, _won);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{9007199254740991}, value(_won).as_int64());
        this->moveTo(a, _won, R"(,"value":0)");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, value(_won).as_int64());
        this->moveTo(a, _won, R"(,"value":null)");
        CPPUNIT_ASSERT(value(_won).is_null());
    }

    void takesOffTheBoard()
    {
        const auto a = this->placed("A", _new);
        this->clock().advance(std::chrono::seconds(3));
        const auto off = this->move(a, R"({"stageId":null,"note":"bye"})");
        CPPUNIT_ASSERT_EQUAL(200, off.status);
        CPPUNIT_ASSERT_EQUAL(_new, off.text("fromStageId"));
        CPPUNIT_ASSERT(off["toStageId"].is_null());
        CPPUNIT_ASSERT(off["position"].is_null());
        const auto entry = this->items(this->history(a))[0];
        CPPUNIT_ASSERT(entry.at("toStageId").is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, entry.at("durationInPreviousStageSeconds").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::string("bye"), text(entry, "note"));
        CPPUNIT_ASSERT(this->places(a).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_new));
        const auto again = this->move(a, R"({"stageId":null})");
        CPPUNIT_ASSERT_EQUAL(200, again.status);
        CPPUNIT_ASSERT(again["historyId"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->items(this->history(a)).size());
    }

    void standsOnSeveralBoards()
    {
        const auto other = this->makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto a = this->placed("A", _new);
        this->moveTo(a, this->stage(other, "S"), R"(,"pipelineId":")" + other.text("pipelineId") + '"');
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->places(a).as_array().size());
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, this->cards(this->board(other.text("pipelineId")), this->stage(other, "S")));
        const auto filtered = this->items(this->history(a, "?pipelineId=" + other.text("pipelineId")));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, filtered.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->items(this->history(a, "?pipelineId=" + _id + "," + other.text("pipelineId"))).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, this->items(this->history(a, "?pipelineId=pip_" + makeUlid(Instant{}))).size());
        CPPUNIT_ASSERT_EQUAL(400, this->history(a, "?pipelineId=x").status);
    }

    void pagesHistory()
    {
        const auto a = this->newContact();
        for (int i = 0; i < 7; ++i)
        {
            if (i % 3 == 0) this->clock().advance(std::chrono::milliseconds(1));
            this->moveTo(a, i % 2 == 0 ? _new : _contacted, R"(,"note":")" + std::to_string(i) + '"');
        }
        CPPUNIT_ASSERT_EQUAL((Names{"6", "5", "4", "3", "2", "1", "0"}), notes(this->items(this->history(a))));
        CPPUNIT_ASSERT_EQUAL((Names{"0", "1", "2", "3", "4", "5", "6"}), notes(this->items(this->history(a, "?sort=movedAt"))));
        for (const auto* sort : {"-movedAt", "movedAt"})
        {
            const auto query = "?sort=" + std::string(sort);
            Names found;
            std::string cursor;
            for (int page = 0; page < 8; ++page)
            {
                const auto answer = this->history(a, query + "&include=total&limit=2" + cursor);
                CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, answer.number("total"));
                for (const auto& note : notes(answer["items"].as_array())) found.push_back(note);
                if (answer["nextCursor"].is_null()) break;
                cursor = "&cursor=" + answer.text("nextCursor");
            }
            CPPUNIT_ASSERT_EQUAL(notes(this->items(this->history(a, query))), found);
        }
        CPPUNIT_ASSERT_EQUAL(400, this->history(a, "?sort=note").status);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), this->history(a, "?q=x").code());
    }

    void keepsTheOrderOfHistory()
    {
        const auto a = this->newContact();
        Names expected;
        for (int i = 0; i < 40; ++i)
        {
            // The clock stands still, and once goes back.
            if (i == 20) this->clock().jumpTo(*parseInstant("2026-11-21T08:00:00Z"));
            this->moveTo(a, i % 2 == 0 ? _new : _contacted, R"(,"note":")" + std::to_string(i) + '"');
            expected.push_back(std::to_string(i));
        }
        const auto entries = this->items(this->history(a, "?sort=movedAt&limit=200"));
        CPPUNIT_ASSERT_EQUAL(expected, notes(entries));
        for (const auto& entry : entries)
            if (const auto& seconds = entry.at("durationInPreviousStageSeconds"); !seconds.is_null())
                CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, seconds.as_int64());
    }

    void hidesTheDeleted()
    {
        const auto a = this->placed("A", _new, R"(,"value":5)"), b = this->placed("B", _new), c = this->placed("C", _new);
        this->client->del(this->owner, "/api/contacts/" + b);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, this->show(_id)["stages"].at(0).at("count").as_int64());
        CPPUNIT_ASSERT_EQUAL(404, this->history(b).status);
        CPPUNIT_ASSERT_EQUAL(404, this->moveTo(b, _won).status);
        // Its place is kept, also when others go there.
        this->placed("D", _new, after(a));
        this->placed("E", _new, before(c));
        CPPUNIT_ASSERT_EQUAL(200, this->client->post(this->owner, "/api/contacts/" + b + "/restore", "").status);
        CPPUNIT_ASSERT_EQUAL((Names{"A", "D", "B", "E", "C"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->items(this->history(b)).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->places(b).as_array().size());
    }

    void purgesCardsAndHistory()
    {
        const auto a = this->placed("A", _new);
        const auto purger = this->withPermission(this->owner, "crm.contacts:purge");
        CPPUNIT_ASSERT_EQUAL(200, this->client->del(purger, "/api/contacts/" + a + "?permanent=true").status);
        auto session = this->database().session();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *session.template value<std::int64_t>("SELECT count(*) FROM pipeline_card"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, *session.template value<std::int64_t>("SELECT count(*) FROM pipeline_history"));
    }

    void includesHistoryInTheContact()
    {
        const auto a = this->placed("A", _new, R"(,"note":"x")");
        const auto shown = this->client->get(this->owner, "/api/contacts/" + a + "?include=history");
        CPPUNIT_ASSERT_EQUAL(Names{"x"}, notes(shown["history"].as_array()));
        CPPUNIT_ASSERT_EQUAL(json::serialize(this->history(a)["items"]), json::serialize(shown["history"]));
        CPPUNIT_ASSERT(!this->client->get(this->owner, "/api/contacts/" + a).body.as_object().contains("history"));
        auto key = this->owner;
        key.credential = CredentialKind::ApiKey;
        key.boundResources["pipeline"] = {"pip_" + makeUlid(Instant{})};
        CPPUNIT_ASSERT(this->client->get(key, "/api/contacts/" + a + "?include=history")["history"].as_array().empty());
    }

    void makesRoomAnew()
    {
        const auto a = this->placed("A", _new), b = this->placed("B", _new), c = this->placed("C", _new);
        const auto hidden = this->placed("Hidden", _new);
        this->client->del(this->owner, "/api/contacts/" + hidden);
        // As after very many moves between the first two.
        this->database().transact(
            [&](Transaction& transaction)
            {
                const std::string long1 = "a0" + std::string(crm::longestKey - 3, '0');
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "01", a);
                transaction.execute("UPDATE pipeline_card SET position = $1 WHERE contact_id = $2", long1 + "02", b);
            });
        this->placed("D", _new, before(b));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "D", "B", "C"}), order(_new));
        for (const auto& contact : {a, b, c}) CPPUNIT_ASSERT(text(this->places(contact).at(0), "position").size() <= 3);
        CPPUNIT_ASSERT_EQUAL(200, this->client->post(this->owner, "/api/contacts/" + hidden + "/restore", "").status);
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
            contacts.push_back(this->placed(std::to_string(i), _new));
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
            CPPUNIT_ASSERT_EQUAL(200, this->moveTo(contact, stage, where).status);
            if (i % 50 == 49) checkOrder(expected);
        }
        checkOrder(expected);
    }

    void movesOneContactTogether()
    {
        const auto a = this->newContact();
        const std::vector<std::string> stages{_new, _contacted, _won, _lost};
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 8; ++i)
                            if (this->moveTo(a, stages[static_cast<std::size_t>(thread)]).status != 200) ++failures;
                    });
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        // The history is one chain, each entry from where the one before went.
        std::string at;
        for (const auto& entry : this->items(this->history(a, "?sort=movedAt&limit=200")))
        {
            CPPUNIT_ASSERT_EQUAL(at, entry.at("fromStageId").is_null() ? std::string() : text(entry, "fromStageId"));
            at = text(entry, "toStageId");
        }
        CPPUNIT_ASSERT_EQUAL(at, text(this->places(a).at(0), "stageId"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, order(at));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->places(a).as_array().size());
    }

    void expectsOneWinner()
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto a = this->placed("A", _new);
            std::atomic<int> won{0}, late{0};
            runTogether(3,
                        [&](int)
                        {
                            const auto answer = this->moveTo(a, _won, R"(,"expectedStageId":")" + _new + '"');
                            if (answer.status == 200)
                                ++won;
                            else if (answer.code() == "stage_changed")
                                ++late;
                        });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
            CPPUNIT_ASSERT_EQUAL(2, late.load());
            CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->items(this->history(a)).size());
        }
    }

    void movesIntoOneGapTogether()
    {
        const auto first = this->placed("First", _new), last = this->placed("Last", _new);
        std::vector<std::string> contacts;
        for (int i = 0; i < 24; ++i) contacts.push_back(this->newContact(std::to_string(i)));
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 6; ++i)
                        {
                            const auto& contact = contacts[static_cast<std::size_t>(thread * 6 + i)];
                            const auto where = thread % 2 == 0 ? after(first) : before(last);
                            if (this->moveTo(contact, _new, where).status != 200) ++failures;
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        const auto cards = this->cardsOf(this->board(_id), _new);
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
        for (int i = 0; i < 6; ++i) contacts.push_back(this->placed(std::to_string(i), _new));
        std::atomic<int> failures{0};
        runTogether(4,
                    [&](int thread)
                    {
                        for (int i = 0; i < 30; ++i)
                        {
                            if (thread < 2)
                            {
                                const auto& contact = contacts[static_cast<std::size_t>(i % 3 + 3 * thread)];
                                if (this->moveTo(contact, i % 2 == 0 ? _won : _new).status != 200) ++failures;
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
        for (int i = 0; i < 6; ++i) contacts.push_back(this->placed(std::to_string(i), _contacted));
        const auto without = R"({"stages":[{"stageId":")" + _new + R"(","name":"New"},{"stageId":")" + _won +
                             R"(","name":"Won"}],"moveTo":{")" + _contacted + R"(":")" + _won + "\"}}";
        std::atomic<int> failures{0};
        runTogether(3,
                    [&](int thread)
                    {
                        if (thread == 0 && this->change(_id, without).status != 200) ++failures;
                        if (thread == 0) return;
                        for (int i = 0; i < 12; ++i)
                        {
                            const auto answer = this->moveTo(contacts[static_cast<std::size_t>(i % 6)], i % 2 == 0 ? _new : _contacted);
                            if (answer.status != 200 && answer.errors() != Names{"stageId unknown_stage"}) ++failures;
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        std::size_t shown = 0;
        const auto board = this->board(_id);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, board["columns"].as_array().size());
        for (const auto& column : board["columns"].as_array()) shown += column.at("items").as_array().size();
        CPPUNIT_ASSERT_EQUAL(std::size_t{6}, shown);
        for (const auto& contact : contacts) CPPUNIT_ASSERT(text(this->places(contact).at(0), "stageId") != _contacted);
    }

    void placesForImports()
    {
        const auto a = this->newContact("A"), b = this->newContact("B");
        crm::PipelineService service(this->host->context(), "EUR");
        this->database().transact(
            [&](Transaction& transaction)
            {
                const auto pipeline = service.hold(transaction, this->owner.tenant(), std::nullopt);
                CPPUNIT_ASSERT_EQUAL(_id, pipeline.pipelineId.text());
                for (const auto& contact : {a, b})
                {
                    crm::Placement placement{*crm::ContactId::parse(contact), crm::StageId::parse(_new)};
                    placement.movedBy = this->owner.principalId;
                    placement.source = crm::MoveSource::Import;
                    service.placeOnStage(transaction, this->owner.tenant(), pipeline, placement);
                }
                CPPUNIT_ASSERT_THROW(service.hold(transaction, this->stranger.tenant(), pipeline.pipelineId), Problem);
            });
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(std::string("import"), text(this->items(this->history(a))[0], "source"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, events());
        // Before any pipeline route was called.
        this->database().transact([&](Transaction& transaction)
                                  { CPPUNIT_ASSERT(service.hold(transaction, this->stranger.tenant(), std::nullopt).isDefault); });
    }

    void mergesAndGivesBack()
    {
        const auto other = this->makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto elsewhere = R"(,"pipelineId":")" + other.text("pipelineId") + '"';
        const auto otherStage = this->stage(other, "S");
        const auto target = this->placed("Target", _new), one = this->placed("One", _won, R"(,"value":7)"), two = this->placed("Two", _new);
        this->moveTo(one, otherStage, elsewhere);
        this->moveTo(two, otherStage, elsewhere);
        const auto idOf = [](const std::string& text) { return *crm::ContactId::parse(text); };
        const auto merged = this->database().transact(
            [&](Transaction& transaction) {
                return crm::reassignCards(transaction, this->owner.tenant(), idOf(target), {idOf(one), idOf(two)});
            });
        CPPUNIT_ASSERT_EQUAL(Names{"Target"}, order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{}, order(_won));
        CPPUNIT_ASSERT_EQUAL(Names{"Target"}, this->cards(this->board(other.text("pipelineId")), otherStage));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, this->items(this->history(target)).size());
        CPPUNIT_ASSERT(this->items(this->history(one)).empty());
        CPPUNIT_ASSERT(this->places(one).as_array().empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->places(target).as_array().size());

        // Through its record, as it is kept.
        const auto kept = fromJson<crm::MergedCards>(toJson(merged));
        this->database().transact([&](Transaction& transaction)
                                  { crm::restoreCards(transaction, this->owner.tenant(), idOf(target), kept); });
        CPPUNIT_ASSERT_EQUAL((Names{"Target", "Two"}), order(_new));
        CPPUNIT_ASSERT_EQUAL(Names{"One"}, order(_won));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, this->cardsOf(this->board(_id), _won).at(0).at("value").as_int64());
        CPPUNIT_ASSERT_EQUAL((Names{"One", "Two"}), this->cards(this->board(other.text("pipelineId")), otherStage));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->items(this->history(target)).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, this->items(this->history(one)).size());
        for (const auto& [contact, count] : std::map<std::string, std::size_t>{{target, 1}, {one, 2}, {two, 2}})
            CPPUNIT_ASSERT_EQUAL(count, this->places(contact).as_array().size());
    }

private:
    static std::string text(const json::value& record, std::string_view member) { return std::string(record.at(member).as_string()); }
    static std::string before(const std::string& contact) { return R"(,"beforeContactId":")" + contact + '"'; }
    static std::string after(const std::string& contact) { return R"(,"afterContactId":")" + contact + '"'; }
    Names order(const std::string& stage) const { return this->cards(this->board(_id), stage); }
    std::size_t events() const { return this->host->context().events().published("crm.pipeline.moved").size(); }

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
            for (const auto& card : this->cardsOf(board, stage)) found.push_back(text(card, "contactId"));
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

CPPUNIT_TEST_SUITE_REGISTRATION(PipelineMoveTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(PipelineMoveTest<OnPostgres>);

} // namespace portico::tests
