#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <algorithm>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// /api/contacts/bulk.
class BulkTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(BulkTest);
    CPPUNIT_TEST(changesTags);
    CPPUNIT_TEST(changesEverythingAtOnce);
    CPPUNIT_TEST(clearsOwners);
    CPPUNIT_TEST(takesAFilter);
    CPPUNIT_TEST(settlesTheContactsWithTheRequest);
    CPPUNIT_TEST(putsOntoAStage);
    CPPUNIT_TEST(takesOffTheBoard);
    CPPUNIT_TEST(keepsToTransitions);
    CPPUNIT_TEST(deletes);
    CPPUNIT_TEST(onlyTries);
    CPPUNIT_TEST(addsUp);
    CPPUNIT_TEST(tellsOfItOnce);
    CPPUNIT_TEST(takesManyTransactions);
    CPPUNIT_TEST(breaksOffInOrder);
    CPPUNIT_TEST(undoes);
    CPPUNIT_TEST(undoesMoves);
    CPPUNIT_TEST(undoesADeletion);
    CPPUNIT_TEST(keepsWhatWasChangedSince);
    CPPUNIT_TEST(undoesOnceAndInTime);
    CPPUNIT_TEST(leavesOtherUndosAsTheyWere);
    CPPUNIT_TEST(leavesUndosOfMergesAsTheyWere);
    CPPUNIT_TEST(undoesWithRightsOnly);
    CPPUNIT_TEST(undoesUnderIfMatch);
    CPPUNIT_TEST(forgetsAfterThirtyDays);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(checksItsInput);
    CPPUNIT_TEST(boundsTheirNumber);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST(needsRights);
    CPPUNIT_TEST(losesNoUpdate);
    CPPUNIT_TEST_SUITE_END();

public:
    void changesTags()
    {
        const auto a = add(R"("firstName":"A","tags":["x","y"])"), b = add(R"("firstName":"B","tags":["z"])"),
                   c = add(R"("firstName":"C","tags":["z","y"])");
        const auto done = changed({a, b, c}, R"({"addTags":[" z "],"removeTags":["x","y"]})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 3 of 3: 2 changed 1 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["z"])"), json::serialize(show(a)["tags"]));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, show(a).number("version"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, show(b).number("version"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["z"])"), json::serialize(show(c)["tags"]));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B", "C"}), names("tag=z"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=x,y"));
        // No contact gets more than it can have, and the others do.
        std::string tags;
        for (int i = 0; i < 49; ++i) tags += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + '"';
        client->put(owner, "/api/contacts/" + a, "{\"tags\":[" + tags + "]}");
        const auto full = changed({a, b}, R"({"addTags":["m","n"]})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed_with_errors 2 of 2: 1 changed 0 unchanged 1 failed"), summary(full));
        CPPUNIT_ASSERT_EQUAL(Names{a + " too_many_values"}, errorsOf(full));
    }

    void changesEverythingAtOnce()
    {
        const auto user = member();
        const auto a = add(R"("firstName":"A","doNotContact":{"phone":true})");
        changed({a}, R"({"addTags":["x"],"ownerUserId":")" + user +
                         R"(","lifecycle":"customer","doNotContact":{"email":true},"stageId":")" + stage(1) + "\"}");
        const auto contact = show(a);
        CPPUNIT_ASSERT_EQUAL(user, contact.text("ownerUserId"));
        CPPUNIT_ASSERT_EQUAL(std::string("customer"), contact.text("lifecycle"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"email":true,"phone":true,"sms":false})"), json::serialize(contact["doNotContact"]));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, contact.number("version"));
        CPPUNIT_ASSERT_EQUAL(stage(1), stageOf(a));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("ownerUserId=" + user + "&lifecycle=customer"));
    }

    void clearsOwners()
    {
        const auto user = member();
        const auto a = add(R"("firstName":"A","ownerUserId":")" + user + "\""), b = add(R"("firstName":"B")");
        // Not named is not changed, null is nobody.
        changed({a, b}, R"({"addTags":["x"]})");
        CPPUNIT_ASSERT_EQUAL(user, show(a).text("ownerUserId"));
        const auto done = changed({a, b}, R"({"ownerUserId":null})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 2 of 2: 1 changed 1 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT(show(a)["ownerUserId"].is_null());
        CPPUNIT_ASSERT(done["change"].at("ownerUserId").is_null());
        undo(done);
        CPPUNIT_ASSERT_EQUAL(user, show(a).text("ownerUserId"));
    }

    void takesAFilter()
    {
        for (int i = 0; i < 5; ++i) add("\"firstName\":\"V" + std::to_string(i) + R"(","tags":["vip"])");
        const auto gone = add(R"("firstName":"Gone","tags":["vip"])");
        client->del(owner, "/api/contacts/" + gone);
        add(R"("firstName":"Other")");
        const auto done = finished(start(R"({"filter":{"tag":["vip"],"q":"v"},"change":{"removeTags":["vip"],"addTags":["gold"]}})"));
        CPPUNIT_ASSERT_EQUAL(std::string("completed 5 of 5: 5 changed 0 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL((Names{"V0", "V1", "V2", "V3", "V4"}), names("tag=gold"));
        CPPUNIT_ASSERT_EQUAL(std::string("completed 0 of 0: 0 changed 0 unchanged 0 failed"),
                             summary(finished(start(R"({"filter":{"tag":["vip"]},"change":{"delete":true}})"))));
        CPPUNIT_ASSERT_EQUAL(std::string("completed 6 of 6: 6 changed 0 unchanged 0 failed"),
                             summary(finished(start(R"({"filter":{},"change":{"addTags":["all"]}})"))));
    }

    void settlesTheContactsWithTheRequest()
    {
        const auto a = add(R"("firstName":"A","tags":["x"])");
        const auto started = start(R"({"filter":{"tag":["x"]},"change":{"addTags":["y"]}})");
        CPPUNIT_ASSERT_EQUAL(std::string("running 0 of 1: 0 changed 0 unchanged 0 failed"), summary(started));
        add(R"("firstName":"B","tags":["x"])");
        client->put(owner, "/api/contacts/" + a, R"({"tags":[]})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 1 of 1: 1 changed 0 unchanged 0 failed"), summary(finished(started)));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("tag=y"));
    }

    void putsOntoAStage()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(b, stage(2));
        const auto done = changed({a, b}, R"({"stageId":")" + stage(2) + "\"}");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 2 of 2: 1 changed 1 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL(stage(2), stageOf(a));
        // The contact itself is no other one.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, show(a).number("version"));
        const auto history = client->get(owner, "/api/pipeline/" + a + "/history")["items"].at(0);
        CPPUNIT_ASSERT_EQUAL(json::string("automation"), history.at("source").as_string());
        CPPUNIT_ASSERT_EQUAL(json::string(owner.principalId), history.at("movedBy").as_string());
    }

    void takesOffTheBoard()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(a, stage(0));
        const auto done = changed({a, b}, R"({"stageId":null})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 2 of 2: 1 changed 1 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL(std::string(), stageOf(a));
        undo(done);
        CPPUNIT_ASSERT_EQUAL(stage(0), stageOf(a));
        CPPUNIT_ASSERT_EQUAL(std::string(), stageOf(b));
    }

    void keepsToTransitions()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        move(a, stage(0));
        move(b, stage(1));
        client->put(owner, "/api/pipeline/" + pipeline(),
                    R"({"requireLostReason":true,"transitions":[{"from":")" + stage(1) + R"(","to":")" + stage(2) + "\"}]}");
        const auto done = changed({a, b}, R"({"addTags":["x"],"stageId":")" + stage(2) + "\"}");
        CPPUNIT_ASSERT_EQUAL(std::string("completed_with_errors 2 of 2: 1 changed 0 unchanged 1 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL(Names{a + " move_not_allowed"}, errorsOf(done));
        // Whole or not at all.
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("tag=x"));
        // What is taken back needs no permission of the pipeline.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, undo(done).number("undone"));
        CPPUNIT_ASSERT_EQUAL(stage(1), stageOf(b));
        CPPUNIT_ASSERT_EQUAL(Names{"change.lostReason required"},
                             post(R"({"ids":[")" + a + R"("],"change":{"stageId":")" + stage(6) + "\"}}").errors());
    }

    void deletes()
    {
        const auto a = add(R"("firstName":"A","externalIds":[{"system":"s","id":"1"}])"), b = add(R"("firstName":"B")");
        CPPUNIT_ASSERT_EQUAL(std::string("completed 2 of 2: 2 changed 0 unchanged 0 failed"),
                             summary(changed({a, b}, R"({"delete":true})")));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("limit=5"));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), names("archived=true"));
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, "/api/contacts/" + a + "/restore", "{}").status);
    }

    void onlyTries()
    {
        const auto a = add(R"("firstName":"A","tags":["x"])"), b = add(R"("firstName":"B")");
        const auto gone = "con_" + makeUlid(Instant{});
        const auto body = R"({"ids":[")" + a + "\",\"" + b + "\",\"" + gone + R"("],"change":{"addTags":["x"],"stageId":")" + stage(0) +
                          R"("},"dryRun":)";
        const auto events = eventTypes(owner);
        const auto tried = finished(start(body + "true}"));
        CPPUNIT_ASSERT_EQUAL(std::string("completed_with_errors 3 of 3: 2 changed 0 unchanged 1 failed"), summary(tried));
        CPPUNIT_ASSERT(tried["undoUntil"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::string(), stageOf(a));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("tag=x"));
        CPPUNIT_ASSERT_EQUAL(events, eventTypes(owner));
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(tried));
        const auto real = finished(start(body + "false}"));
        CPPUNIT_ASSERT_EQUAL(summary(tried), summary(real));
        CPPUNIT_ASSERT_EQUAL(errorsOf(tried), errorsOf(real));
    }

    void addsUp()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B","tags":["x"])"), c = add(R"("firstName":"C")");
        client->del(owner, "/api/contacts/" + c);
        const auto foreign = client->post(stranger, "/api/contacts", R"({"firstName":"F"})").id();
        // Twice is once; whose contact it is nobody learns.
        const auto done = changed({a, a, b, c, foreign}, R"({"addTags":["x"]})");
        CPPUNIT_ASSERT_EQUAL(std::string("completed_with_errors 4 of 4: 1 changed 1 unchanged 2 failed"), summary(done));
        auto expected = Names{c + " not_found", foreign + " not_found"};
        std::sort(expected.begin(), expected.end());
        CPPUNIT_ASSERT_EQUAL(expected, errorsOf(done));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, done.number("progress"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, client->get(stranger, "/api/contacts/" + foreign).number("version"));
    }

    void tellsOfItOnce()
    {
        Names ids;
        for (int i = 0; i < 3; ++i) ids.push_back(add("\"firstName\":\"A" + std::to_string(i) + '"'));
        const auto before = eventTypes(owner).size();
        const auto done = changed(ids, R"({"addTags":["secret"],"stageId":")" + stage(0) + "\"}");
        CPPUNIT_ASSERT_EQUAL(before + 1, eventTypes(owner).size());
        const auto event = json::parse(lastEvent("crm.bulk.completed"));
        CPPUNIT_ASSERT_EQUAL(json::string(done.text("bulkId")), event.at("bulkId").as_string());
        CPPUNIT_ASSERT(!event.as_object().contains("change") && !event.as_object().contains("errors"));
        undo(done);
        CPPUNIT_ASSERT_EQUAL(before + 2, eventTypes(owner).size());
        CPPUNIT_ASSERT_EQUAL(json::string(done.text("bulkId")), json::parse(lastEvent("crm.bulk.undone")).at("bulkId").as_string());
    }

    void takesManyTransactions()
    {
        Names ids;
        for (int i = 0; i < 650; ++i) ids.push_back(add("\"firstName\":\"A" + std::to_string(i) + '"'));
        const auto started = start(bodyOf(ids, R"({"addTags":["x"],"stageId":")" + stage(0) + "\"}"));
        const auto done = finished(started);
        CPPUNIT_ASSERT_EQUAL(std::string("completed 650 of 650: 650 changed 0 unchanged 0 failed"), summary(done));
        for (const auto& id : {ids.front(), ids[200], ids[399], ids.back()})
            CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, show(id).number("version"));
        const auto moves = database().session().value<std::int64_t>("SELECT count(*) FROM pipeline_history WHERE organization_id = $1",
                                                                    owner.organizationId);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{650}, *moves);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{650}, undo(done).number("undone"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=x"));
    }

    void breaksOffInOrder()
    {
        const auto a = add(R"("firstName":"A")");
        const auto started = start(bodyOf({a}, R"({"addTags":["x"]})"));
        // What nobody can go on with: a job that fails each time.
        database().transact([&](Transaction& transaction)
                            { transaction.execute("UPDATE bulk SET plan = 'x' WHERE bulk_id = $1", started.text("bulkId")); });
        for (int i = 0; i < 20; ++i)
        {
            host->context().jobs().runDue();
            clock().advance(std::chrono::hours(2));
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host->context().jobs().deadLetters());
    }

    void undoes()
    {
        const auto user = member();
        const auto a = add(R"("firstName":"A","tags":["x"],"lifecycle":"customer","doNotContact":{"sms":true})"),
                   b = add(R"("firstName":"B")");
        const auto before = show(a);
        const auto done = changed({a, b}, R"({"addTags":["y"],"removeTags":["x"],"lifecycle":"former","ownerUserId":")" + user +
                                              R"(","doNotContact":{"sms":false}})");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-21"), done.text("undoUntil").substr(0, 10));
        const auto undone = undo(done);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, undone.number("undone"));
        CPPUNIT_ASSERT(undone["kept"].as_array().empty());
        const auto after = show(a);
        for (const auto* member : {"tags", "lifecycle", "ownerUserId", "doNotContact", "firstName", "displayName"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(member, json::serialize(before[member]), json::serialize(after[member]));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, after.number("version"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("tag=x"));
        CPPUNIT_ASSERT(report(done)["undoUntil"].is_null() && report(done)["undoneAt"].is_string());
    }

    void undoesMoves()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")");
        move(b, stage(1));
        const auto done = changed({a, b, c}, R"({"stageId":")" + stage(2) + "\"}");
        move(c, stage(3));
        const auto undone = undo(done);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, undone.number("undone"));
        CPPUNIT_ASSERT_EQUAL("[\"" + c + "\"]", json::serialize(undone["kept"]));
        CPPUNIT_ASSERT_EQUAL((Names{"", stage(1), stage(3)}), (Names{stageOf(a), stageOf(b), stageOf(c)}));
    }

    void undoesADeletion()
    {
        const auto a = add(R"("firstName":"A","externalIds":[{"system":"s","id":"1"}])"), b = add(R"("firstName":"B")"),
                   c = add(R"("firstName":"C")");
        const auto done = changed({a, b, c}, R"({"delete":true})");
        client->post(owner, "/api/contacts/" + b + "/restore", "{}");
        const auto heir = add(R"("firstName":"Heir","externalIds":[{"system":"s","id":"1"}])");
        const auto undone = undo(done);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, undone.number("undone"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, undone["kept"].as_array().size());
        CPPUNIT_ASSERT_EQUAL((Names{"B", "C", "Heir"}), names("limit=5"));
    }

    void keepsWhatWasChangedSince()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")"), c = add(R"("firstName":"C")"),
                   d = add(R"("firstName":"D")");
        const auto done = changed({a, b, c, d}, R"({"addTags":["x"],"stageId":")" + stage(0) + "\"}");
        client->put(owner, "/api/contacts/" + a, R"({"jobTitle":"CTO"})");
        client->del(owner, "/api/contacts/" + b);
        move(c, stage(1));
        const auto undone = undo(done);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, undone.number("undone"));
        CPPUNIT_ASSERT_EQUAL("[\"" + a + "\",\"" + b + "\",\"" + c + "\"]", json::serialize(undone["kept"]));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), names("tag=x"));
        CPPUNIT_ASSERT_EQUAL((Names{stage(0), stage(1), ""}), (Names{stageOf(a), stageOf(c), stageOf(d)}));
        const auto other = changed({d}, R"({"addTags":["y"]})");
        client->put(owner, "/api/contacts/" + d, R"({"jobTitle":"CTO"})");
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(other));
    }

    void undoesOnceAndInTime()
    {
        const auto a = add(R"("firstName":"A")");
        const auto running = start(bodyOf({a}, R"({"addTags":["w"]})"));
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(running));
        const auto first = changed({a}, R"({"addTags":["x"]})"), second = changed({a}, R"({"addTags":["y"]})");
        undo(second);
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(second));
        const auto nothing = changed({a}, R"({"addTags":["x"]})");
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(nothing));
        const auto late = changed({a}, R"({"addTags":["z"]})");
        clock().advance(std::chrono::hours(24 * 30));
        CPPUNIT_ASSERT_EQUAL(409, undoStatus(late));
        CPPUNIT_ASSERT_EQUAL(404, client->post(owner, "/api/contacts/bulk/blk_" + makeUlid(Instant{}) + "/undo", "{}").status);
    }

    void leavesOtherUndosAsTheyWere()
    {
        const auto old = add(R"("firstName":"Old","emails":[{"address":"old@example.org"}])");
        const auto made = client->post(owner, "/api/contacts/import?onDuplicate=merge&stageId=" + stage(1),
                                       "First Name,Email,Job Title\nOld,old@example.org,Engineer\nNew,new@example.org,\n"
                                       "Late,late@example.org,\nLate,late@example.org,Engineer\nTouched,touched@example.org,\n",
                                       {{"Content-Type", "text/csv"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), 200, made.status);
        const auto all = [&](const std::string& change) { return finished(start(R"({"filter":{},"change":)" + change + '}')); };
        // One within the other, and both are undone.
        const auto outer = all(R"({"addTags":["x"],"stageId":")" + stage(2) + "\"}");
        undo(all(R"({"lifecycle":"customer"})"));
        undo(all(R"({"delete":true})"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, undo(outer).number("undone"));
        const auto touched = all(R"({"addTags":["x"]})");
        const auto id = std::string(list("q=touched")["items"].at(0).at("id").as_string());
        client->put(owner, "/api/contacts/" + id, R"({"jobTitle":"CTO"})");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, undo(touched).number("undone"));
        const auto undone = client->post(owner, "/api/contacts/imports/" + made.text("importId") + "/undo", "{}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(undone.body), 200, undone.status);
        CPPUNIT_ASSERT_EQUAL(R"({"deleted":2,"restored":1},["con_)" + id.substr(4) + "\"]",
                             json::serialize(undone["undone"]) + ',' + json::serialize(undone["kept"]));
        CPPUNIT_ASSERT_EQUAL((Names{"Old", "Touched"}), names("limit=5"));
        CPPUNIT_ASSERT_EQUAL(std::string(), show(old).text("jobTitle"));
    }

    void leavesUndosOfMergesAsTheyWere()
    {
        const auto a = add(R"("firstName":"A")"), b = add(R"("firstName":"B")");
        const auto before = changed({a}, R"({"addTags":["x"]})");
        const auto merged = client->post(owner, "/api/contacts/" + a + "/merge", R"({"sourceIds":[")" + b + "\"]}");
        undo(changed({a}, R"({"lifecycle":"customer"})"));
        const auto unmerged = client->post(owner, "/api/contacts/merges/" + merged.text("mergeId") + "/undo", "");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(unmerged.body), 200, unmerged.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, undo(before).number("undone"));
        CPPUNIT_ASSERT(names("tag=x").empty());
    }

    void undoesWithRightsOnly()
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, R"({"stageId":")" + stage(0) + "\"}");
        auto weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        CPPUNIT_ASSERT_EQUAL(403, client->post(weak, path(done) + "/undo", "{}").status);
        CPPUNIT_ASSERT_EQUAL(404, client->post(stranger, path(done) + "/undo", "{}").status);
        CPPUNIT_ASSERT_EQUAL(stage(0), stageOf(a));
    }

    void undoesUnderIfMatch()
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, R"({"addTags":["x"]})");
        CPPUNIT_ASSERT_EQUAL(412, client->post(owner, path(done) + "/undo", "", {{"If-Match", "\"99\""}}).status);
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("tag=x"));
        CPPUNIT_ASSERT_EQUAL(200, client->post(owner, path(done) + "/undo", "", {{"If-Match", report(done).etag}}).status);
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=x"));
    }

    void forgetsAfterThirtyDays()
    {
        const auto a = add(R"("firstName":"A")");
        const auto done = changed({a}, R"({"addTags":["x"]})");
        const auto rows = [&] { return *database().session().value<std::int64_t>("SELECT count(*) FROM bulk_contact"); };
        clock().advance(std::chrono::hours(24 * 30) - std::chrono::minutes(1));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows());
        CPPUNIT_ASSERT_EQUAL(std::string("completed 1 of 1: 1 changed 0 unchanged 0 failed"), summary(report(done)));
    }

    void lists()
    {
        const auto a = add(R"("firstName":"A")");
        Names made;
        for (int i = 0; i < 3; ++i)
        {
            clock().advance(std::chrono::seconds(1));
            made.push_back(changed({a}, "{\"addTags\":[\"" + std::to_string(i) + "\"]}").text("bulkId"));
        }
        clock().advance(std::chrono::seconds(1));
        const auto running = start(bodyOf({a}, R"({"delete":true})")).text("bulkId");
        const auto idsOf = [&](const std::string& query)
        {
            const auto answer = client->get(owner, "/api/contacts/bulk?" + query);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
            Names found;
            for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("bulkId").as_string());
            return found;
        };
        CPPUNIT_ASSERT_EQUAL((Names{running, made[2], made[1], made[0]}), idsOf(""));
        CPPUNIT_ASSERT_EQUAL((Names{made[0], made[1]}), idsOf("sort=startedAt&limit=2"));
        CPPUNIT_ASSERT_EQUAL(Names{running}, idsOf("status=running"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, client->get(stranger, "/api/contacts/bulk")["items"].as_array().size());
    }

    void checksItsInput()
    {
        const auto id = add(R"("firstName":"A")");
        const auto ids = R"("ids":[")" + id + "\"]";
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body + json::serialize(answer.body), 400, answer.status);
            CPPUNIT_ASSERT_EQUAL(Names{error}, answer.errors());
        }
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), post('{' + ids + R"(,"change":{"name":"x"}})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), post(R"({"filter":{"tags":["x"]},"change":{"delete":true}})").code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, client->get(owner, "/api/contacts/bulk")["items"].as_array().size());
    }

    void boundsTheirNumber()
    {
        Names ids;
        for (int i = 0; i < 10'000; ++i) ids.push_back("con_" + makeUlid(Instant{}));
        CPPUNIT_ASSERT_EQUAL(202, post(bodyOf(ids, R"({"delete":true})")).status);
        ids.push_back("con_" + makeUlid(Instant{}));
        CPPUNIT_ASSERT_EQUAL(400, post(bodyOf(ids, R"({"delete":true})")).status);
    }

    void keepsOrganizationsApart()
    {
        const auto mine = add(R"("firstName":"A")");
        const auto done = finished(client->post(stranger, "/api/contacts/bulk", R"({"filter":{},"change":{"delete":true}})"), stranger);
        CPPUNIT_ASSERT_EQUAL(std::string("completed 0 of 0: 0 changed 0 unchanged 0 failed"), summary(done));
        CPPUNIT_ASSERT_EQUAL(200, show(mine).status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, path(done)).status);
        CPPUNIT_ASSERT_EQUAL(400,
                             client->post(stranger, "/api/contacts/bulk", bodyOf({mine}, R"({"stageId":")" + stage(0) + "\"}")).status);
    }

    void needsRights()
    {
        const auto a = add(R"("firstName":"A")");
        auto weak = owner;
        std::erase(weak.permissions, "crm.pipeline:move");
        CPPUNIT_ASSERT_EQUAL(403, client->post(weak, "/api/contacts/bulk", bodyOf({a}, R"({"stageId":")" + stage(0) + "\"}")).status);
        // Before a word about the rest.
        CPPUNIT_ASSERT_EQUAL(403, client->post(weak, "/api/contacts/bulk", bodyOf({a}, R"({"stageId":null,"addTags":[" "]})")).status);
        CPPUNIT_ASSERT_EQUAL(202, client->post(weak, "/api/contacts/bulk", bodyOf({a}, R"({"addTags":["x"]})")).status);
        auto reader = owner;
        std::erase(reader.permissions, "crm.contacts:write");
        CPPUNIT_ASSERT_EQUAL(403, client->post(reader, "/api/contacts/bulk", bodyOf({a}, R"({"addTags":["x"]})")).status);
    }

    void losesNoUpdate()
    {
        Names ids;
        for (int i = 0; i < 40; ++i) ids.push_back(add("\"firstName\":\"A" + std::to_string(i) + '"'));
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
        CPPUNIT_ASSERT_EQUAL(std::string("completed 40 of 40: 40 changed 0 unchanged 0 failed"), summary(finished(started)));
        for (std::size_t i = 1; i < ids.size(); ++i)
        {
            CPPUNIT_ASSERT_EQUAL(std::string("CTO"), show(ids[i]).text("jobTitle"));
            CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, show(ids[i]).number("version"));
        }
    }

private:
    std::string add(const std::string& members)
    {
        clock().advance(std::chrono::milliseconds(1));
        return created('{' + members + '}').id();
    }
    std::string member()
    {
        const auto user = "usr_" + makeUlid(Instant{});
        directory.members[{owner.organizationId, user}] = true;
        return user;
    }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }

    boost::json::value defaultPipeline() const { return client->get(owner, "/api/pipeline")["items"].at(0); }
    std::string pipeline() const { return std::string(defaultPipeline().at("pipelineId").as_string()); }
    std::string stage(std::size_t index) const { return std::string(defaultPipeline().at("stages").at(index).at("stageId").as_string()); }
    void move(const std::string& id, const std::string& to) const
    {
        const auto answer = client->put(owner, "/api/pipeline/" + id + "/move", R"({"stageId":")" + to + "\"}");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
    }
    std::string stageOf(const std::string& id) const
    {
        const auto places = show(id)["pipelines"].as_array();
        return places.empty() ? std::string() : std::string(places.at(0).at("stageId").as_string());
    }

    static std::string bodyOf(const Names& ids, const std::string& change)
    {
        json::array list;
        for (const auto& id : ids) list.emplace_back(id);
        return "{\"ids\":" + json::serialize(list) + ",\"change\":" + change + '}';
    }
    static std::string path(const Answer& bulk) { return "/api/contacts/bulk/" + bulk.text("bulkId"); }
    Answer post(const std::string& body) const { return client->post(owner, "/api/contacts/bulk", body); }
    Answer start(const std::string& body) const
    {
        auto answer = post(body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 202, answer.status);
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
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
        return answer;
    }

    static std::string summary(const Answer& bulk)
    {
        const auto& totals = bulk["totals"];
        const auto number = [&](std::string_view name) { return std::to_string(totals.at(name).as_int64()); };
        CPPUNIT_ASSERT_EQUAL(totals.at("contacts").as_int64(),
                             totals.at("changed").as_int64() + totals.at("unchanged").as_int64() + totals.at("failed").as_int64());
        return bulk.text("status") + ' ' + number("contacts") + " of " + std::to_string(bulk.number("selected")) + ": " +
               number("changed") + " changed " + number("unchanged") + " unchanged " + number("failed") + " failed";
    }
    /// `id code`, by id.
    static Names errorsOf(const Answer& bulk)
    {
        Names found;
        for (const auto& error : bulk["errors"].as_array())
            found.push_back(std::string(error.at("contactId").as_string()) + ' ' + std::string(error.at("code").as_string()));
        return found;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(BulkTest);

} // namespace portico::tests
