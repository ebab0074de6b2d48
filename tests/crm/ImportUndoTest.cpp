#include "crm/ImportFixture.h"
#include "support/Together.h"

#include <atomic>
#include <map>

namespace portico::tests
{

namespace json = boost::json;

/// Undo of imports: deleted, restored and kept contacts, and the time limit.
class ImportUndoTest : public Suite<ImportUndoTest, ImportFixture>
{
    TEST(deletesAndRestores)
    {
        created(R"({"firstName":"Ada","jobTitle":"Countess","emails":[{"address":"ada@example.org","label":"work"}],"tags":["vip"]})");
        const auto id = contactNamed("ada").at("/id");
        const auto before = client->get(owner, "/api/contacts/" + id);
        clock().advance(std::chrono::minutes(1));
        // The second row changes the contact of the first, the last row that of the third.
        const auto made = imported("First Name,Email,Job Title\nAlan,alan@example.org,\nAlan,alan@example.org,Logician\n"
                                   "Augusta,ada@example.org,\nAugusta,ada@example.org,Programmer\n",
                                   "onDuplicate=update");
        equal("4 1 3 0 0", totals(made));
        equal("Augusta", contactNamed("ada@").at("/displayName"));
        const auto alan = contactNamed("alan").at("/id");
        const auto undone = undo(made);
        equal(jsonWith(R"({"importId":"$","undone":{"deleted":1,"restored":1},"kept":[]})", made.at("/importId")), undone.at(""));
        const auto restored = client->get(owner, "/api/contacts/" + id);
        equal("4", restored.at("/version"));
        auto after = objectAt(restored, "");
        for (const auto* changed : {"version", "updatedAt"}) after[changed] = valueAt(before, "").at(changed);
        equal(before.at(""), json::serialize(after));
        // Found as before, too.
        equal({"Ada"}, names("q=ada"));
        CHECK(names("q=augusta").empty());
        equal(404, client->get(owner, "/api/contacts/" + alan).status);
        equal(200, client->post(owner, "/api/contacts/" + alan + "/restore", "{}").status);
        const auto report = this->report(made);
        CHECK(report.at("/undoUntil") == "null" && report.at("/undoneAt") != "null");
        equal("conflict", undo(made).code());
    }

    TEST(keepsWhatWasChanged)
    {
        created(R"({"firstName":"Old","emails":[{"address":"old@example.org"}]})");
        created(R"({"firstName":"Other","emails":[{"address":"other@example.org"}]})");
        const auto made =
            imported("First Name,Email,Job Title\na,old@example.org,Engineer\nb,other@example.org,Engineer\nNew,new@example.org,\n"
                     "Noted,noted@example.org,\nGone,gone@example.org,\nPlain,plain@example.org,\n",
                     "onDuplicate=merge");
        equal("6 4 2 0 0", totals(made));
        const auto old = contactNamed("old").at("/id"), fresh = contactNamed("new@").at("/id"), noted = contactNamed("noted@").at("/id");
        client->put(owner, "/api/contacts/" + old, R"({"nickname":"x"})");
        client->put(owner, "/api/contacts/" + fresh, R"({"nickname":"x"})");
        client->post(owner, "/api/contacts/" + noted + "/notes", R"({"body":"mine"})");
        client->del(owner, "/api/contacts/" + contactNamed("gone@").at("/id"));
        const auto undone = undo(made);
        equal(R"({"deleted":1,"restored":1})", undone.at("/undone"));
        Names kept, expected{old, fresh, noted};
        for (const auto& id : arrayAt(undone, "/kept")) kept.emplace_back(id.as_string());
        std::sort(kept.begin(), kept.end());
        std::sort(expected.begin(), expected.end());
        equal(expected, kept);
        equal("Engineer", contactNamed("old").at("/jobTitle"));
        equal("", contactNamed("other").at("/jobTitle"));
    }

    TEST(refuses)
    {
        const auto code = [&](const Answer& made)
        {
            const auto answer = undo(made);
            equal(409, answer.status);
            return answer.code() + ": " + answer.at("/detail");
        };
        equal("conflict: The import has changed nothing.", code(imported("First Name,Email\nEve,nobody\n")));
        equal("conflict: The import is still running.", code(imported("First Name\nAda\n", "async=true")));
        const auto made = imported("First Name\nAlan\n");
        client->put(owner, "/api/contacts/" + contactNamed("alan").at("/id"), R"({"nickname":"x"})");
        equal("conflict: All contacts of the import were changed since.", code(made));
        equal("null", report(made).at("/undoneAt"));
        const auto gone = imported("First Name\nBob\n");
        client->del(owner, "/api/contacts/" + contactNamed("bob").at("/id"));
        equal(409, undo(gone).status);
        equal(404, client->post(owner, "/api/contacts/imports/imp_" + makeUlid(Instant{}) + "/undo", "{}").status);
    }

    TEST(forgetsAfterThirtyDays)
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        const auto made = imported("Nickname,Email\nx,ada@example.org\ny,nobody\n", "onDuplicate=merge");
        clock().advance(std::chrono::hours(24 * 30) - std::chrono::milliseconds(1));
        host->context().jobs().runDue();
        equal(1, rowsOf("import_row"));
        CHECK(errorFile(made).find("nobody") != std::string::npos);
        clock().advance(std::chrono::hours(1));
        equal(409, undo(made).status);
        host->context().jobs().runDue();
        equal(0, rowsOf("import_row") + rowsOf("import_error"));
        const auto report = this->report(made);
        equal("null", report.at("/errorFileUrl"));
        equal("2 0 1 0 1", totals(report));
        equal(404, client->get(owner, path(made) + "/errors.csv").status);
        equal("x", contactNamed("ada").at("/nickname"));
    }

    TEST(permanentDeletionRemovesCopiesOfContacts)
    {
        std::string file = "Email,Job Title\n", ids;
        std::vector<std::string> people;
        for (const std::string name : {"ada", "bob", "eve"})
        {
            people.push_back(created(jsonWith(R"({"firstName":"$","emails":[{"address":"$@example.org"}]})", name, name)).at("/id"));
            file += name + "@example.org,Boss\n";
            ids += (ids.empty() ? "\"" : ",\"") + people.back() + '"';
        }
        const auto made = imported(file, "onDuplicate=update");
        equal("3 0 3 0 0", totals(made));
        const auto bulk = client->post(owner, "/api/contacts/bulk", jsonWith(R"({"ids":[$],"change":{"addTags":["x"]}})", ids));
        equal(202, bulk.status, bulk.body);
        host->context().jobs().runDue();
        const std::string copies = "bulk_contact WHERE previous IS NOT NULL";
        equal(3, rowsOf(copies));
        const auto merged = client->post(owner, "/api/contacts/" + people[1] + "/merge", jsonWith(R"({"sourceIds":["$"]})", people[0]));
        equal(200, merged.status, merged.body);
        equal(3, rowsOf("import_row"));
        const auto purger = withPermission(owner, "crm.contacts:purge");
        equal(200, client->del(purger, "/api/contacts/" + people[1] + "?permanent=true").status);
        // Neither the contact nor the one that was merged into it has left a copy.
        equal(1, rowsOf("import_row"));
        equal(1, rowsOf(copies));
        equal(3, rowsOf("bulk_contact"));
        equal(200, client->post(owner, "/api/contacts/bulk/" + bulk.at("/bulkId") + "/undo", "{}").status);
        equal(R"({"deleted":0,"restored":1})", undo(made).at("/undone"));
    }

    TEST(takesBackNotesPhotosAndCards)
    {
        auto mover = withPermission(withPermission(owner, "crm.pipeline:move"), "crm.pipeline:read");
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        client->post(owner, "/api/contacts/" + contactNamed("ada").at("/id") + "/notes", R"({"body":"mine"})");
        const auto pipelineId = client->get(mover, "/api/pipeline").at("/items/0/pipelineId");
        // The smallest picture there is: a GIF of one point.
        const std::string photo = "PHOTO;ENCODING=b;TYPE=GIF:R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==\r\n";
        const auto card = [&](std::string_view name, std::string_view more)
        {
            return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + std::string(name) + "\r\nEMAIL:" + std::string(name) + "@example.org\r\n" +
                   std::string(more) + "END:VCARD\r\n";
        };
        const auto file = card("ada", "NOTE:theirs\r\n" + photo) + card("alan", "NOTE:theirs\r\n" + photo) +
                          card("eve", "PHOTO;ENCODING=b;TYPE=GIF:bm90aGluZw==\r\n");
        const auto made = importFile(mover, file, "onDuplicate=merge&pipelineId=" + std::string(pipelineId), "text/vcard");
        equal("3 2 1 0 0", totals(made), made.at(""));
        equal({"3 unknown_option"}, problems(made));
        for (const auto* name : {"ada", "alan"})
        {
            const auto contact = contactNamed(name);
            equal("1", contact.at("/counts/attachments"));
            CHECK(contact.at("/photoAttachmentId") != "null");
            equal(1, contact.count("/pipelines"));
        }
        equal("2", contactNamed("ada").at("/counts/notes"));
        // Nothing changes the second time.
        equal("3 0 0 3 0", totals(importFile(mover, file, "onDuplicate=merge&pipelineId=" + std::string(pipelineId), "text/vcard")));
        equal(R"({"deleted":2,"restored":1})", undo(made).at("/undone"));
        const auto ada = contactNamed("ada");
        equal(R"({"notes":1,"attachments":0})", ada.at("/counts"));
        CHECK(ada.at("/photoAttachmentId") == "null" && ada.count("/pipelines") == 0);
        // A moved card no longer belongs to the import.
        const auto again = importFile(mover, card("bob", ""), "pipelineId=" + std::string(pipelineId), "text/vcard");
        const auto bob = contactNamed("bob").at("/id");
        const auto stage = client->get(mover, "/api/pipeline").at("/items/0/stages/1/stageId");
        equal(200, client->put(mover, "/api/pipeline/" + bob + "/move", jsonWith(R"({"stageId":"$"})", stage)).status);
        equal(409, undo(again).status);
    }

    TEST(undoKeepsContactsWithEditedNotesOrChangedCards)
    {
        std::map<std::string, std::string> ids;
        std::string file;
        for (const std::string name : {"ada", "bob", "cara", "dora", "emil", "fred"})
        {
            if (name != "fred")
                ids[name] = created(jsonWith(R"({"firstName":"$","emails":[{"address":"$@x.example"}]})", name, name)).at("/id");
            file += "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nEMAIL:" + name + "@x.example\r\nNOTE:theirs\r\nEND:VCARD\r\n";
        }
        const auto made =
            imported(file, "onDuplicate=update&pipelineId=" + client->get(owner, "/api/pipeline").at("/items/0/pipelineId"), "text/vcard");
        equal("6 1 5 0 0", totals(made), made.at(""));
        ids["fred"] = contactNamed("fred").at("/id");
        const auto first = contactNamed("ada").at("/pipelines/0/stageId");
        const auto second = client->get(owner, "/api/pipeline").at("/items/0/stages/1/stageId");
        const auto move = [&](const std::string& name, const std::string& stage, std::string_view more = {})
        {
            const auto answer = client->put(owner, "/api/pipeline/" + ids.at(name) + "/move", jsonWith(R"({"stageId":"$"$})", stage, more));
            equal(200, answer.status, answer.body);
        };
        const auto notes = "/api/contacts/" + ids.at("ada") + "/notes";
        clock().advance(std::chrono::minutes(1));
        equal(200, client->put(owner, notes + '/' + client->get(owner, notes).at("/items/0/noteId"), R"({"body":"mine"})").status);
        move("bob", first, R"(,"value":500)");
        move("cara", second);
        move("dora", second);
        move("dora", first);
        move("fred", first, R"(,"value":500)");
        const auto undone = undo(made);
        equal(R"({"deleted":0,"restored":1})", undone.at("/undone"));
        Names kept, expected;
        for (const auto& id : arrayAt(undone, "/kept")) kept.emplace_back(id.as_string());
        for (const auto* name : {"ada", "bob", "cara", "dora", "fred"}) expected.push_back(ids.at(name));
        std::sort(kept.begin(), kept.end());
        std::sort(expected.begin(), expected.end());
        equal(expected, kept);
        equal("mine", client->get(owner, notes).at("/items/0/body"));
        for (const auto& id : expected) equal(1, client->get(owner, "/api/contacts/" + id).count("/pipelines"));
        const auto restored = client->get(owner, "/api/contacts/" + ids.at("emil"));
        equal(0, restored.count("/pipelines"));
        equal(R"({"notes":0,"attachments":0})", restored.at("/counts"));
    }

    TEST(undoIgnoresUndoneMergesOfContactsWithNotes)
    {
        const auto target = created(R"({"firstName":"Target"})").at("/id");
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        std::string file;
        for (const std::string name : {"ada", "eve"})
            file += "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nEMAIL:" + name + "@example.org\r\nNOTE:theirs\r\nEND:VCARD\r\n";
        const auto made = imported(file, "onDuplicate=merge", "text/vcard");
        equal("2 1 1 0 0", totals(made), made.at(""));
        clock().advance(std::chrono::minutes(1));
        const auto merged =
            client->post(owner, "/api/contacts/" + target + "/merge",
                         jsonWith(R"({"sourceIds":["$","$"]})", contactNamed("ada").at("/id"), contactNamed("eve").at("/id")));
        equal(200, merged.status, merged.body);
        equal(200, client->post(owner, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", "").status);
        const auto undone = undo(made);
        equal(jsonWith(R"({"importId":"$","undone":{"deleted":1,"restored":1},"kept":[]})", made.at("/importId")), undone.at(""));
        equal("0", contactNamed("ada").at("/counts/notes"));
    }

    TEST(freesExternalIds)
    {
        created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}],"externalIds":[{"system":"erp","id":"1"}]})");
        const std::string file = "First Name,Email,externalIds.erp\nAda,ada@example.org,2\nAlan,alan@example.org,3\n";
        const auto made = imported(file, "onDuplicate=update");
        // Another contact now has the previous external id, so the contact stays unchanged.
        created(R"({"firstName":"Rival","externalIds":[{"system":"erp","id":"1"}]})");
        const auto undone = undo(made);
        equal(R"({"deleted":1,"restored":0})", undone.at("/undone"));
        equal(1, undone.count("/kept"));
        equal("2 1 0 1 0", totals(imported(file)));
    }

    /// A file that moves each external id to the next contact, and the last one to the first.
    TEST(givesExternalIdsBack)
    {
        constexpr int people = 5;
        const auto system = [](int number) { return jsonWith(R"("externalIds":[{"system":"erp","id":"$"}])", number); };
        for (int i = 0; i < people; ++i) created(jsonWith(R"({"emails":[{"address":"p$@example.org"}],$})", i, system(i)));
        std::string file = "Email,externalIds.erp\np0@example.org,free\n";
        for (int i = people - 1; i > 0; --i) file += "p" + std::to_string(i) + "@example.org," + std::to_string((i + 1) % people) + "\n";
        file += "p0@example.org,1\nnew@example.org,free\n";
        const auto made = imported(file, "onDuplicate=update&matchBy=email");
        equal("7 1 6 0 0", totals(made), made.at(""));
        equal(R"({"deleted":1,"restored":5})", undo(made).at("/undone"));
        for (int i = 0; i < people; ++i)
            equal(jsonWith(R"([{"system":"erp","id":"$"}])", i), contactNamed("p" + std::to_string(i) + "@").at("/externalIds"));
        // One in the ring was changed: all of it stays.
        const auto again = imported(file, "onDuplicate=update&matchBy=email");
        client->put(owner, "/api/contacts/" + contactNamed("p2@").at("/id"), R"({"nickname":"x"})");
        const auto undone = undo(again);
        equal(R"({"deleted":1,"restored":0})", undone.at("/undone"));
        equal(std::size_t{people}, undone.count("/kept"));
    }

    TEST(undoesManyOnce)
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 900; ++i) file += "N" + std::to_string(i) + "\n";
        const auto made = imported(file);
        std::atomic<int> done = 0, refused = 0;
        runTogether(3, [&](int) { ++(undo(made).status == 200 ? done : refused); });
        equal(0, countContacts());
        equal(1, done.load());
        equal(2, refused.load());
        equal("900 900 0 0 0", totals(imported(file)));
    }

    std::int64_t rowsOf(std::string_view table) const
    {
        auto session = database().session();
        return session.value<std::int64_t>("SELECT count(*) FROM " + std::string(table)).value_or(0);
    }
};

} // namespace portico::tests
