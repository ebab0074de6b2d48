#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <algorithm>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// /api/contacts/bulk.
class BulkTest : public Suite<BulkTest, CrmFixture>
{
    TEST(changesTags)
    {
        const auto a = add(R"("firstName":"A","tags":["x","y"])"), b = add(R"("firstName":"B","tags":["z"])"),
                   c = add(R"("firstName":"C","tags":["z","y"])");
        const auto done = changed({a, b, c}, R"({"addTags":[" z "],"removeTags":["x","y"]})");
        equal("completed 3 of 3: 2 changed 1 unchanged 0 failed", summary(done));
        equal(R"(["z"])", show(a).at("/tags"));
        equal("2", show(a).at("/version"));
        equal("1", show(b).at("/version"));
        equal(R"(["z"])", show(c).at("/tags"));
        equal({"A", "B", "C"}, names("tag=z"));
        equal({}, names("tag=x,y"));
        // No contact gets more than it can have, and the others do.
        std::string tags;
        for (int i = 0; i < 49; ++i) tags += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + '"';
        client->put(owner, "/api/contacts/" + a, jsonWith(R"({"tags":[$]})", tags));
        const auto full = changed({a, b}, R"({"addTags":["m","n"]})");
        equal("completed_with_errors 2 of 2: 1 changed 0 unchanged 1 failed", summary(full));
        equal({a + " too_many_values"}, errorsOf(full));
    }

    TEST(changesEverythingAtOnce)
    {
        const auto user = member();
        const auto a = add(R"("firstName":"A","doNotContact":{"phone":true})");
        changed({a}, jsonWith(R"({"addTags":["x"],"ownerUserId":"$","lifecycle":"customer","doNotContact":{"email":true},)"
                              R"("stageId":"$"})",
                              user, stage(1)));
        const auto contact = show(a);
        equal(user, contact.at("/ownerUserId"));
        equal("customer", contact.at("/lifecycle"));
        equal(R"({"email":true,"phone":true,"sms":false})", contact.at("/doNotContact"));
        equal("2", contact.at("/version"));
        equal(stage(1), stageOf(a));
        equal({"A"}, names("ownerUserId=" + user + "&lifecycle=customer"));
    }

    TEST(clearsOwners)
    {
        const auto user = member();
        const auto a = add(jsonWith(R"("firstName":"A","ownerUserId":"$")", user)), b = add(R"("firstName":"B")");
        // An absent owner stays unchanged; null removes the owner.
        changed({a, b}, R"({"addTags":["x"]})");
        equal(user, show(a).at("/ownerUserId"));
        const auto done = changed({a, b}, R"({"ownerUserId":null})");
        equal("completed 2 of 2: 1 changed 1 unchanged 0 failed", summary(done));
        equal("null", show(a).at("/ownerUserId"));
        equal("null", done.at("/change/ownerUserId"));
        undo(done);
        equal(user, show(a).at("/ownerUserId"));
    }

    TEST(takesAFilter)
    {
        for (int i = 0; i < 5; ++i) add(jsonWith(R"("firstName":"V$","tags":["vip"])", i));
        const auto gone = add(R"("firstName":"Gone","tags":["vip"])");
        client->del(owner, "/api/contacts/" + gone);
        add(R"("firstName":"Other")");
        const auto done = finished(start(R"({"filter":{"tag":["vip"],"q":"v"},"change":{"removeTags":["vip"],"addTags":["gold"]}})"));
        equal("completed 5 of 5: 5 changed 0 unchanged 0 failed", summary(done));
        equal({"V0", "V1", "V2", "V3", "V4"}, names("tag=gold"));
        equal("completed 0 of 0: 0 changed 0 unchanged 0 failed",
              summary(finished(start(R"({"filter":{"tag":["vip"]},"change":{"delete":true}})"))));
        equal("completed 6 of 6: 6 changed 0 unchanged 0 failed",
              summary(finished(start(R"({"filter":{},"change":{"addTags":["all"]}})"))));
    }

    TEST(settlesTheContactsWithTheRequest)
    {
        const auto a = add(R"("firstName":"A","tags":["x"])");
        const auto started = start(R"({"filter":{"tag":["x"]},"change":{"addTags":["y"]}})");
        equal("running 0 of 1: 0 changed 0 unchanged 0 failed", summary(started));
        add(R"("firstName":"B","tags":["x"])");
        client->put(owner, "/api/contacts/" + a, R"({"tags":[]})");
        equal("completed 1 of 1: 1 changed 0 unchanged 0 failed", summary(finished(started)));
        equal({"A"}, names("tag=y"));
    }

    TEST(putsOntoAStage)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(b, stage(2));
        const auto done = changed({a, b}, jsonWith(R"({"stageId":"$"})", stage(2)));
        equal("completed 2 of 2: 1 changed 1 unchanged 0 failed", summary(done));
        equal(stage(2), stageOf(a));
        // The contact itself is no other one.
        equal("1", show(a).at("/version"));
        const auto history = valueAt(client->get(owner, "/api/pipeline/" + a + "/history"), "/items/0");
        equal(json::string("automation"), history.at("source").as_string());
        equal(json::string(owner.principalId), history.at("movedBy").as_string());
    }

    TEST(keepsThePlaceOfCardsOnTheStage)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")");
        for (const auto& id : {a, b}) move(id, stage(0));
        const auto done = changed({a, c}, jsonWith(R"({"addTags":["x"],"stageId":"$"})", stage(0)));
        equal("completed 2 of 2: 2 changed 0 unchanged 0 failed", summary(done));
        equal({"A", "B", "C"}, cards(stage(0)));
        undo(done);
        equal({"A", "B"}, cards(stage(0)));
    }

    TEST(takesOffTheBoard)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(a, stage(0));
        const auto done = changed({a, b}, R"({"stageId":null})");
        equal("completed 2 of 2: 1 changed 1 unchanged 0 failed", summary(done));
        equal("", stageOf(a));
        undo(done);
        equal(stage(0), stageOf(a));
        equal("", stageOf(b));
    }

    TEST(undoRestoresValuePlaceAndTimeOfCards)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")");
        for (const auto& id : {a, b, c}) setValue(id, stage(0), "500");
        const auto before = board();
        for (const auto& change : {std::string(R"({"stageId":null})"), jsonWith(R"({"stageId":"$"})", stage(1))})
        {
            clock().advance(std::chrono::hours(24));
            const auto done = changed({a, b}, change);
            CHECK(board() != before);
            equal("2", undo(done).at("/undone"));
            equal(before, board(), change);
        }
    }

    TEST(undoPutsCardsBehindThoseAtTheirPlace)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        setValue(a, stage(0), "500");
        const auto done = changed({a}, R"({"stageId":null})");
        // The first card of an empty stage has the same position.
        move(b, stage(0));
        undo(done);
        equal({"B", "A"}, cards(stage(0)));
        equal("500", valueOf(a, stage(0)));
    }

    TEST(undoKeepsContactsWhoseNewCardHasAValue)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")");
        move(c, stage(0));
        const auto done = changed({a, b, c}, jsonWith(R"({"stageId":"$"})", stage(1)));
        setValue(a, stage(1), "500");
        setValue(c, stage(1), "700");
        const auto undone = undo(done);
        equal("2", undone.at("/undone"));
        equal("[\"" + a + "\"]", undone.at("/kept"));
        equal("500", valueOf(a, stage(1)));
        equal("", stageOf(b));
        // A card that was on the board before moves back with its value.
        equal("700", valueOf(c, stage(0)));
    }

    TEST(undoReadsStatesWithoutACard)
    {
        const auto a = add(R"("firstName":"A")");
        setValue(a, stage(0), "500");
        const auto done = changed({a}, R"({"stageId":null})");
        // An older version has stored the state.
        database().transact(
            [&](Transaction& transaction)
            {
                auto previous =
                    json::parse(transaction.value<std::string>("SELECT previous FROM bulk_contact WHERE contact_id = $1", a).value());
                equal(1, previous.as_object().erase("card"));
                transaction.execute("UPDATE bulk_contact SET previous = $2 WHERE contact_id = $1", a, json::serialize(previous));
            });
        equal("1", undo(done).at("/undone"));
        equal("null", valueOf(a, stage(0)));
    }

    TEST(keepsToTransitions)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(a, stage(0));
        move(b, stage(1));
        client->put(owner, "/api/pipeline/" + pipeline(),
                    jsonWith(R"({"requireLostReason":true,"transitions":[{"from":"$","to":"$"}]})", stage(1), stage(2)));
        const auto done = changed({a, b}, jsonWith(R"({"addTags":["x"],"stageId":"$"})", stage(2)));
        equal("completed_with_errors 2 of 2: 1 changed 0 unchanged 1 failed", summary(done));
        equal({a + " move_not_allowed"}, errorsOf(done));
        // A contact is changed completely or not at all.
        equal({"B"}, names("tag=x"));
        // An undo requires no pipeline permission.
        equal("1", undo(done).at("/undone"));
        equal(stage(1), stageOf(b));
        equal({"change.lostReason required"}, post(jsonWith(R"({"ids":["$"],"change":{"stageId":"$"}})", a, stage(6))).errors());
    }

    TEST(deletes)
    {
        const auto a = add(R"("firstName":"A","externalIds":[{"system":"s","id":"1"}])"), b = add(R"("firstName":"B")");
        equal("completed 2 of 2: 2 changed 0 unchanged 0 failed", summary(changed({a, b}, R"({"delete":true})")));
        equal({}, names("limit=5"));
        equal({"A", "B"}, names("archived=true"));
        equal(200, client->post(owner, "/api/contacts/" + a + "/restore", "{}").status);
    }

    TEST(onlyTries)
    {
        const auto a = add(R"("firstName":"A","tags":["x"])"), b = add(R"("firstName":"B")");
        const auto gone = "con_" + makeUlid(Instant{});
        const auto body = jsonWith(R"({"ids":["$","$","$"],"change":{"addTags":["x"],"stageId":"$"},"dryRun":)", a, b, gone, stage(0));
        const auto events = eventTypes(owner);
        const auto tried = finished(start(body + "true}"));
        equal("completed_with_errors 3 of 3: 2 changed 0 unchanged 1 failed", summary(tried));
        equal("null", tried.at("/undoUntil"));
        equal("", stageOf(a));
        equal({"A"}, names("tag=x"));
        equal(events, eventTypes(owner));
        equal(409, undoStatus(tried));
        const auto real = finished(start(body + "false}"));
        equal(summary(tried), summary(real));
        equal(errorsOf(tried), errorsOf(real));
    }

    TEST(addsUp)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B","tags":["x"])"), c = add(R"("firstName":"C")");
        client->del(owner, "/api/contacts/" + c);
        const auto foreign = client->post(stranger, "/api/contacts", R"({"firstName":"F"})").at("/id");
        // Duplicates count once. Errors do not reveal whether a contact belongs to another organization.
        const auto done = changed({a, a, b, c, foreign}, R"({"addTags":["x"]})");
        equal("completed_with_errors 4 of 4: 1 changed 1 unchanged 2 failed", summary(done));
        auto expected = Names{c + " not_found", foreign + " not_found"};
        std::sort(expected.begin(), expected.end());
        equal(expected, errorsOf(done));
        equal("100", done.at("/progress"));
        equal("1", client->get(stranger, "/api/contacts/" + foreign).at("/version"));
    }

    TEST(publishesOneEvent)
    {
        Names ids;
        for (int i = 0; i < 3; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$")", i)));
        const auto before = eventTypes(owner).size();
        const auto done = changed(ids, jsonWith(R"({"addTags":["secret"],"stageId":"$"})", stage(0)));
        equal(before + 1, eventTypes(owner).size());
        const auto event = json::parse(lastEvent("crm.bulk.completed"));
        equal(json::string(done.at("/bulkId")), event.at("bulkId").as_string());
        CHECK(!event.as_object().contains("change") && !event.as_object().contains("errors"));
        undo(done);
        equal(before + 2, eventTypes(owner).size());
        equal(json::string(done.at("/bulkId")), json::parse(lastEvent("crm.bulk.undone")).at("bulkId").as_string());
    }

    TEST(takesManyTransactions)
    {
        Names ids;
        for (int i = 0; i < 650; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$")", i)));
        const auto started = start(bodyOf(ids, jsonWith(R"({"addTags":["x"],"stageId":"$"})", stage(0))));
        const auto done = finished(started);
        equal("completed 650 of 650: 650 changed 0 unchanged 0 failed", summary(done));
        for (const auto& id : {ids.front(), ids[200], ids[399], ids.back()}) equal("2", show(id).at("/version"));
        const auto moves = database().session().value<std::int64_t>("SELECT count(*) FROM pipeline_history WHERE organization_id = $1",
                                                                    owner.organizationId);
        equal(650, *moves);
        equal("650", undo(done).at("/undone"));
        equal({}, names("tag=x"));
    }

    TEST(breaksOffInOrder)
    {
        const auto a = add(R"("firstName":"A")");
        const auto started = start(bodyOf({a}, R"({"addTags":["x"]})"));
        // A bulk change whose job fails each time.
        database().transact([&](Transaction& transaction)
                            { transaction.execute("UPDATE bulk SET plan = 'x' WHERE bulk_id = $1", started.at("/bulkId")); });
        for (int i = 0; i < 20; ++i)
        {
            host->context().jobs().runDue();
            clock().advance(std::chrono::hours(2));
        }
        equal(1, host->context().jobs().deadLetters());
    }

    TEST(undoes)
    {
        const auto user = member();
        const auto a = add(R"("firstName":"A","tags":["x"],"lifecycle":"customer","doNotContact":{"sms":true})"),
                   b = add(R"("firstName":"B")");
        const auto before = show(a);
        const auto done = changed({a, b}, jsonWith(R"({"addTags":["y"],"removeTags":["x"],"lifecycle":"former","ownerUserId":"$",)"
                                                   R"("doNotContact":{"sms":false}})",
                                                   user));
        equal("2026-12-21", done.at("/undoUntil").substr(0, 10));
        const auto undone = undo(done);
        equal("2", undone.at("/undone"));
        equal(0, undone.count("/kept"));
        const auto after = show(a);
        for (const auto* member : {"/tags", "/lifecycle", "/ownerUserId", "/doNotContact", "/firstName", "/displayName"})
            equal(before.at(member), after.at(member), member);
        equal("3", after.at("/version"));
        equal({"A"}, names("tag=x"));
        CHECK(report(done).at("/undoUntil") == "null" && report(done).at("/undoneAt") != "null");
    }

    TEST(undoesMoves)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")");
        move(b, stage(1));
        const auto done = changed({a, b, c}, jsonWith(R"({"stageId":"$"})", stage(2)));
        move(c, stage(3));
        const auto undone = undo(done);
        equal("2", undone.at("/undone"));
        equal("[\"" + c + "\"]", undone.at("/kept"));
        equal({"", stage(1), stage(3)}, (Names{stageOf(a), stageOf(b), stageOf(c)}));
    }

    TEST(undoesADeletion)
    {
        const auto a = add(R"("firstName":"A","externalIds":[{"system":"s","id":"1"}])"), b = add(R"("firstName":"B")"),
                   c = add(R"("firstName":"C")");
        const auto done = changed({a, b, c}, R"({"delete":true})");
        client->post(owner, "/api/contacts/" + b + "/restore", "{}");
        const auto heir = add(R"("firstName":"Heir","externalIds":[{"system":"s","id":"1"}])");
        const auto undone = undo(done);
        equal("1", undone.at("/undone"));
        equal(2, undone.count("/kept"));
        equal({"B", "C", "Heir"}, names("limit=5"));
    }

    TEST(keepsWhatWasChangedSince)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")"),
                   d = add(R"("firstName":"D")");
        const auto done = changed({a, b, c, d}, jsonWith(R"({"addTags":["x"],"stageId":"$"})", stage(0)));
        client->put(owner, "/api/contacts/" + a, R"({"jobTitle":"CTO"})");
        client->del(owner, "/api/contacts/" + b);
        move(c, stage(1));
        const auto undone = undo(done);
        equal("1", undone.at("/undone"));
        equal("[\"" + a + "\",\"" + b + "\",\"" + c + "\"]", undone.at("/kept"));
        equal({"A", "C"}, names("tag=x"));
        equal({stage(0), stage(1), ""}, (Names{stageOf(a), stageOf(c), stageOf(d)}));
        const auto other = changed({d}, R"({"addTags":["y"]})");
        client->put(owner, "/api/contacts/" + d, R"({"jobTitle":"CTO"})");
        equal(409, undoStatus(other));
    }

    TEST(undoesOnceAndInTime)
    {
        const auto a = add(R"("firstName":"A")");
        const auto running = start(bodyOf({a}, R"({"addTags":["w"]})"));
        equal(409, undoStatus(running));
        const auto first = changed({a}, R"({"addTags":["x"]})"), second = changed({a}, R"({"addTags":["y"]})");
        undo(second);
        equal(409, undoStatus(second));
        const auto nothing = changed({a}, R"({"addTags":["x"]})");
        equal(409, undoStatus(nothing));
        const auto late = changed({a}, R"({"addTags":["z"]})");
        clock().advance(std::chrono::hours(24 * 30));
        equal(409, undoStatus(late));
        equal(404, client->post(owner, "/api/contacts/bulk/blk_" + makeUlid(Instant{}) + "/undo", "{}").status);
    }

    TEST(leavesOtherUndosAsTheyWere)
    {
        const auto old = add(R"("firstName":"Old","emails":[{"address":"old@example.org"}])");
        const auto made = client->post(owner, "/api/contacts/import?onDuplicate=merge&stageId=" + stage(1),
                                       "First Name,Email,Job Title\nOld,old@example.org,Engineer\nNew,new@example.org,\n"
                                       "Late,late@example.org,\nLate,late@example.org,Engineer\nTouched,touched@example.org,\n",
                                       {{"Content-Type", "text/csv"}});
        equal(200, made.status, made.body);
        const auto all = [&](const std::string& change) { return finished(start(jsonWith(R"({"filter":{},"change":$})", change))); };
        // One within the other, and both are undone.
        const auto outer = all(jsonWith(R"({"addTags":["x"],"stageId":"$"})", stage(2)));
        undo(all(R"({"lifecycle":"customer"})"));
        undo(all(R"({"delete":true})"));
        equal("4", undo(outer).at("/undone"));
        const auto touched = all(R"({"addTags":["x"]})");
        const auto id = list("q=touched").at("/items/0/id");
        client->put(owner, "/api/contacts/" + id, R"({"jobTitle":"CTO"})");
        equal("3", undo(touched).at("/undone"));
        const auto undone = client->post(owner, "/api/contacts/imports/" + made.at("/importId") + "/undo", "{}");
        equal(200, undone.status, undone.body);
        equal(jsonWith(R"({"deleted":2,"restored":1},["con_$"])", id.substr(4)), undone.at("/undone") + ',' + undone.at("/kept"));
        equal({"Old", "Touched"}, names("limit=5"));
        equal("", show(old).at("/jobTitle"));
    }

    TEST(leavesUndosOfMergesAsTheyWere)
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        const auto before = changed({a}, R"({"addTags":["x"]})");
        const auto merged = client->post(owner, "/api/contacts/" + a + "/merge", jsonWith(R"({"sourceIds":["$"]})", b));
        undo(changed({a}, R"({"lifecycle":"customer"})"));
        const auto unmerged = client->post(owner, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", "");
        equal(200, unmerged.status, unmerged.body);
        equal("1", undo(before).at("/undone"));
        CHECK(names("tag=x").empty());
    }

    TEST(undoesWithRightsOnly)
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, jsonWith(R"({"stageId":"$"})", stage(0)));
        auto weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        equal(403, client->post(weak, path(done) + "/undo", "{}").status);
        equal(404, client->post(stranger, path(done) + "/undo", "{}").status);
        equal(stage(0), stageOf(a));
    }

    TEST(undoesUnderIfMatch)
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, R"({"addTags":["x"]})");
        equal(412, client->post(owner, path(done) + "/undo", "", {{"If-Match", "\"99\""}}).status);
        equal({"A"}, names("tag=x"));
        equal(200, client->post(owner, path(done) + "/undo", "", {{"If-Match", report(done).etag}}).status);
        equal({}, names("tag=x"));
    }

    TEST(forgetsAfterThirtyDays)
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, R"({"addTags":["x"]})");
        const auto rows = [&] { return *database().session().value<std::int64_t>("SELECT count(*) FROM bulk_contact"); };
        clock().advance(std::chrono::hours(24 * 30) - std::chrono::minutes(1));
        host->context().jobs().runDue();
        equal(1, rows());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        equal(0, rows());
        equal("completed 1 of 1: 1 changed 0 unchanged 0 failed", summary(report(done)));
    }

    TEST(lists)
    {
        const auto a = add(R"("firstName":"A")");
        Names made;
        for (int i = 0; i < 3; ++i)
        {
            clock().advance(std::chrono::seconds(1));
            made.push_back(changed({a}, jsonWith(R"({"addTags":["$"]})", i)).at("/bulkId"));
        }
        clock().advance(std::chrono::seconds(1));
        const auto running = start(bodyOf({a}, R"({"delete":true})")).at("/bulkId");
        const auto idsOf = [&](const std::string& query)
        {
            const auto answer = client->get(owner, "/api/contacts/bulk?" + query);
            equal(200, answer.status, answer.body);
            Names found;
            for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("bulkId").as_string());
            return found;
        };
        equal({running, made[2], made[1], made[0]}, idsOf(""));
        equal({made[0], made[1]}, idsOf("sort=startedAt&limit=2"));
        equal({running}, idsOf("status=running"));
        equal(0, client->get(stranger, "/api/contacts/bulk").count("/items"));
    }

    TEST(checksItsInput)
    {
        const auto id = add(R"("firstName":"A")");
        const auto ids = jsonWith(R"("ids":["$"])", id);
        for (const auto& [body, error] : std::vector<std::pair<std::string, std::string>>{
                 {R"({"change":{"addTags":["x"]}})", "ids required"},
                 {'{' + ids + R"(,"filter":{},"change":{"addTags":["x"]}})", "ids required"},
                 {'{' + ids + "}", "change required"},
                 {'{' + ids + R"(,"change":{}})", "change required"},
                 {'{' + ids + R"(,"change":null})", "change required"},
                 {R"({"filter":{"archived":true},"change":{"addTags":["x"]}})", "filter.archived not_allowed"},
                 {'{' + ids + R"(,"change":{"addTags":[" "]}})", "change.addTags[0] required"},
                 {'{' + ids + R"(,"change":{"addTags":["x"],"removeTags":["x"]}})", "change.removeTags conflicting"},
                 {'{' + ids + R"(,"change":{"delete":true,"addTags":["x"]}})", "change.delete conflicting"},
                 {'{' + ids + R"(,"change":{"ownerUserId":"usr_00000000000000000000000000"}})", "change.ownerUserId unknown_owner"},
                 {'{' + ids + R"(,"change":{"stageId":"stg_00000000000000000000000000"}})", "change.stageId unknown_stage"},
                 {'{' + ids + R"(,"change":{"pipelineId":"pip_00000000000000000000000000","stageId":null}})",
                  "change.pipelineId unknown_option"},
                 {'{' + ids + R"(,"change":{"pipelineId":")" + pipeline() + "\"}}", "change.stageId required"}})
        {
            const auto answer = post(body);
            equal(400, answer.status, body + answer.body);
            equal({error}, answer.errors());
        }
        equal("unknown_field", post('{' + ids + R"(,"change":{"name":"x"}})").code());
        equal("unknown_field", post(R"({"filter":{"tags":["x"]},"change":{"delete":true}})").code());
        equal(0, client->get(owner, "/api/contacts/bulk").count("/items"));
    }

    TEST(boundsTheirNumber)
    {
        Names ids;
        for (int i = 0; i < 10'000; ++i) ids.push_back("con_" + makeUlid(Instant{}));
        equal(202, post(bodyOf(ids, R"({"delete":true})")).status);
        ids.push_back("con_" + makeUlid(Instant{}));
        equal(400, post(bodyOf(ids, R"({"delete":true})")).status);
    }

    TEST(keepsOrganizationsApart)
    {
        const auto mine = add(R"("firstName":"A")");
        const auto done = finished(client->post(stranger, "/api/contacts/bulk", R"({"filter":{},"change":{"delete":true}})"), stranger);
        equal("completed 0 of 0: 0 changed 0 unchanged 0 failed", summary(done));
        equal(200, show(mine).status);
        equal(404, client->get(owner, path(done)).status);
        equal(400, client->post(stranger, "/api/contacts/bulk", bodyOf({mine}, jsonWith(R"({"stageId":"$"})", stage(0)))).status);
    }

    TEST(needsRights)
    {
        const auto a = add(R"("firstName":"A")");
        auto weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        equal(403, client->post(weak, "/api/contacts/bulk", bodyOf({a}, jsonWith(R"({"stageId":"$"})", stage(0)))).status);
        // Before a word about the rest.
        equal(403, client->post(weak, "/api/contacts/bulk", bodyOf({a}, R"({"stageId":null,"addTags":[" "]})")).status);
        equal(202, client->post(weak, "/api/contacts/bulk", bodyOf({a}, R"({"addTags":["x"]})")).status);
        auto reader = owner;
        std::erase(reader.permissions, "crm.contacts:write");
        equal(403, client->post(reader, "/api/contacts/bulk", bodyOf({a}, R"({"addTags":["x"]})")).status);
    }

    TEST(losesNoUpdate)
    {
        Names ids;
        for (int i = 0; i < 40; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$")", i)));
        const auto started = start(bodyOf(ids, R"({"addTags":["x"]})"));
        runTogether(4,
                    [&](int thread)
                    {
                        if (thread == 0)
                            host->context().jobs().runDue();
                        else
                            for (std::size_t i = static_cast<std::size_t>(thread); i < ids.size(); i += 3)
                                client->put(owner, "/api/contacts/" + ids[i], R"({"jobTitle":"CTO"})");
                    });
        equal("completed 40 of 40: 40 changed 0 unchanged 0 failed", summary(finished(started)));
        for (std::size_t i = 1; i < ids.size(); ++i)
        {
            equal("CTO", show(ids[i]).at("/jobTitle"));
            equal("3", show(ids[i]).at("/version"));
        }
    }

    std::string add(const std::string& members)
    {
        clock().advance(std::chrono::milliseconds(1));
        return created('{' + members + '}').at("/id");
    }
    std::string member()
    {
        const auto user = "usr_" + makeUlid(Instant{});
        directory.members[{owner.organizationId, user}] = true;
        return user;
    }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }

    boost::json::value defaultPipeline() const { return valueAt(client->get(owner, "/api/pipeline"), "/items/0"); }
    std::string pipeline() const { return std::string(defaultPipeline().at("pipelineId").as_string()); }
    std::string stage(std::size_t index) const { return std::string(defaultPipeline().at("stages").at(index).at("stageId").as_string()); }
    void move(const std::string& id, const std::string& to) const
    {
        const auto answer = client->put(owner, "/api/pipeline/" + id + "/move", jsonWith(R"({"stageId":"$"})", to));
        equal(200, answer.status, answer.body);
    }
    void setValue(const std::string& id, const std::string& on, const std::string& value) const
    {
        const auto answer = client->put(owner, "/api/pipeline/" + id + "/move", jsonWith(R"({"stageId":"$","value":$})", on, value));
        equal(200, answer.status, answer.body);
    }
    /// The columns of the default board, as JSON.
    std::string board() const { return client->get(owner, "/api/pipeline/" + pipeline() + "/board").at("/columns"); }
    json::array cardsOf(const std::string& on) const
    {
        const auto answer = client->get(owner, "/api/pipeline/" + pipeline() + "/board?stageId=" + on);
        equal(200, answer.status, answer.body);
        return arrayAt(answer, "/columns/0/items");
    }
    /// Display names of a column.
    Names cards(const std::string& on) const
    {
        Names found;
        for (const auto& card : cardsOf(on)) found.emplace_back(card.at("displayName").as_string());
        return found;
    }
    /// Value of a card as JSON; empty without a card.
    std::string valueOf(const std::string& id, const std::string& on) const
    {
        for (const auto& card : cardsOf(on))
            if (card.at("contactId").as_string() == id) return json::serialize(card.at("value"));
        return {};
    }
    std::string stageOf(const std::string& id) const
    {
        const auto places = arrayAt(show(id), "/pipelines");
        return places.empty() ? std::string() : std::string(places.at(0).at("stageId").as_string());
    }

    static std::string bodyOf(const Names& ids, const std::string& change)
    {
        json::array list;
        for (const auto& id : ids) list.emplace_back(id);
        return jsonWith(R"({"ids":$,"change":$})", json::serialize(list), change);
    }
    static std::string path(const Answer& bulk) { return "/api/contacts/bulk/" + bulk.at("/bulkId"); }
    Answer post(const std::string& body) const { return client->post(owner, "/api/contacts/bulk", body); }
    Answer start(const std::string& body) const
    {
        auto answer = post(body);
        equal(202, answer.status, answer.body);
        return answer;
    }
    Answer report(const Answer& bulk) const { return client->get(owner, path(bulk)); }
    Answer finished(const Answer& started) const { return finished(started, owner); }
    Answer finished(const Answer& started, const Caller& caller) const
    {
        host->context().jobs().runDue();
        return client->get(caller, path(started));
    }
    Answer changed(const Names& ids, const std::string& change) const { return finished(start(bodyOf(ids, change))); }
    int undoStatus(const Answer& bulk) const { return client->post(owner, path(bulk) + "/undo", "{}").status; }
    Answer undo(const Answer& bulk) const
    {
        auto answer = client->post(owner, path(bulk) + "/undo", "{}");
        equal(200, answer.status, answer.body);
        return answer;
    }

    static std::string summary(const Answer& bulk)
    {
        const auto& totals = valueAt(bulk, "/totals");
        const auto number = [&](std::string_view name) { return std::to_string(totals.at(name).as_int64()); };
        equal(totals.at("contacts").as_int64(),
              totals.at("changed").as_int64() + totals.at("unchanged").as_int64() + totals.at("failed").as_int64());
        return bulk.at("/status") + ' ' + number("contacts") + " of " + bulk.at("/selected") + ": " + number("changed") + " changed " +
               number("unchanged") + " unchanged " + number("failed") + " failed";
    }
    /// `id code`, by id.
    static Names errorsOf(const Answer& bulk)
    {
        Names found;
        for (const auto& error : arrayAt(bulk, "/errors"))
            found.push_back(std::string(error.at("contactId").as_string()) + ' ' + std::string(error.at("code").as_string()));
        return found;
    }
};

} // namespace portico::tests
