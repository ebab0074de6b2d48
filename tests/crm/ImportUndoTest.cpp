#include "crm/ImportFixture.h"
#include "crm/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Undo of imports: what goes, what comes back, what is kept, and for how long.
template <class Engine>
class ImportUndoTest : public ImportFixture<Engine>
{
    CPPUNIT_TEST_SUITE(ImportUndoTest);
    CPPUNIT_TEST(deletesAndRestores);
    CPPUNIT_TEST(keepsWhatWasChanged);
    CPPUNIT_TEST(refuses);
    CPPUNIT_TEST(forgetsAfterThirtyDays);
    CPPUNIT_TEST(takesBackNotesPhotosAndCards);
    CPPUNIT_TEST(freesExternalIds);
    CPPUNIT_TEST(givesExternalIdsBack);
    CPPUNIT_TEST(undoesManyOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    void deletesAndRestores()
    {
        this->created(
            R"({"firstName":"Ada","jobTitle":"Countess","emails":[{"address":"ada@example.org","label":"work"}],"tags":["vip"]})");
        const auto id = this->contactNamed("ada").id();
        const auto before = this->client->get(this->owner, "/api/contacts/" + id);
        this->clock().advance(std::chrono::minutes(1));
        // The second row changes what the first has made, the last what the third has changed.
        const auto made = this->imported("First Name,Email,Job Title\nAlan,alan@example.org,\nAlan,alan@example.org,Logician\n"
                                         "Augusta,ada@example.org,\nAugusta,ada@example.org,Programmer\n",
                                         "onDuplicate=update");
        CPPUNIT_ASSERT_EQUAL(std::string("4 1 3 0 0"), this->totals(made));
        CPPUNIT_ASSERT_EQUAL(std::string("Augusta"), this->contactNamed("ada@").text("displayName"));
        const auto alan = this->contactNamed("alan").id();
        const auto undone = this->undo(made);
        CPPUNIT_ASSERT_EQUAL(R"({"importId":")" + made.text("importId") + R"(","undone":{"deleted":1,"restored":1},"kept":[]})",
                             json::serialize(undone.body));
        auto after = this->client->get(this->owner, "/api/contacts/" + id);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, after.number("version"));
        for (const auto* changed : {"version", "updatedAt"}) after.body.as_object()[changed] = before[changed];
        CPPUNIT_ASSERT_EQUAL(json::serialize(before.body), json::serialize(after.body));
        // Found as before, too.
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, this->names("q=ada"));
        CPPUNIT_ASSERT(this->names("q=augusta").empty());
        CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->owner, "/api/contacts/" + alan).status);
        CPPUNIT_ASSERT_EQUAL(200, this->client->post(this->owner, "/api/contacts/" + alan + "/restore", "{}").status);
        const auto report = this->report(made);
        CPPUNIT_ASSERT(report["undoUntil"].is_null() && report["undoneAt"].is_string());
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), this->undo(made).code());
    }

    void keepsWhatWasChanged()
    {
        this->created(R"({"firstName":"Old","emails":[{"address":"old@example.org"}]})");
        this->created(R"({"firstName":"Other","emails":[{"address":"other@example.org"}]})");
        const auto made =
            this->imported("First Name,Email,Job Title\na,old@example.org,Engineer\nb,other@example.org,Engineer\nNew,new@example.org,\n"
                           "Noted,noted@example.org,\nGone,gone@example.org,\nPlain,plain@example.org,\n",
                           "onDuplicate=merge");
        CPPUNIT_ASSERT_EQUAL(std::string("6 4 2 0 0"), this->totals(made));
        const auto old = this->contactNamed("old").id(), fresh = this->contactNamed("new@").id(), noted = this->contactNamed("noted@").id();
        this->client->put(this->owner, "/api/contacts/" + old, R"({"nickname":"x"})");
        this->client->put(this->owner, "/api/contacts/" + fresh, R"({"nickname":"x"})");
        this->client->post(this->owner, "/api/contacts/" + noted + "/notes", R"({"body":"mine"})");
        this->client->del(this->owner, "/api/contacts/" + this->contactNamed("gone@").id());
        const auto undone = this->undo(made);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"deleted":1,"restored":1})"), json::serialize(undone["undone"]));
        Names kept, expected{old, fresh, noted};
        for (const auto& id : undone["kept"].as_array()) kept.emplace_back(id.as_string());
        std::sort(kept.begin(), kept.end());
        std::sort(expected.begin(), expected.end());
        CPPUNIT_ASSERT_EQUAL(expected, kept);
        CPPUNIT_ASSERT_EQUAL(std::string("Engineer"), this->contactNamed("old").text("jobTitle"));
        CPPUNIT_ASSERT_EQUAL(std::string(), this->contactNamed("other").text("jobTitle"));
    }

    void refuses()
    {
        const auto code = [&](const Answer& made)
        {
            const auto answer = this->undo(made);
            CPPUNIT_ASSERT_EQUAL(409, answer.status);
            return answer.code() + ": " + answer.text("detail");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("conflict: The import has changed nothing."),
                             code(this->imported("First Name,Email\nEve,nobody\n")));
        CPPUNIT_ASSERT_EQUAL(std::string("conflict: The import is still running."),
                             code(this->imported("First Name\nAda\n", "async=true")));
        const auto made = this->imported("First Name\nAlan\n");
        this->client->put(this->owner, "/api/contacts/" + this->contactNamed("alan").id(), R"({"nickname":"x"})");
        CPPUNIT_ASSERT_EQUAL(std::string("conflict: All contacts of the import were changed since."), code(made));
        CPPUNIT_ASSERT(this->report(made)["undoneAt"].is_null());
        const auto gone = this->imported("First Name\nBob\n");
        this->client->del(this->owner, "/api/contacts/" + this->contactNamed("bob").id());
        CPPUNIT_ASSERT_EQUAL(409, this->undo(gone).status);
        CPPUNIT_ASSERT_EQUAL(404,
                             this->client->post(this->owner, "/api/contacts/imports/imp_" + makeUlid(Instant{}) + "/undo", "{}").status);
    }

    void forgetsAfterThirtyDays()
    {
        this->created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        const auto made = this->imported("Nickname,Email\nx,ada@example.org\ny,nobody\n", "onDuplicate=merge");
        this->clock().advance(std::chrono::hours(24 * 30) - std::chrono::milliseconds(1));
        this->host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, this->rowsOf("import_row"));
        CPPUNIT_ASSERT(this->errorFile(made).find("nobody") != std::string::npos);
        this->clock().advance(std::chrono::hours(1));
        CPPUNIT_ASSERT_EQUAL(409, this->undo(made).status);
        this->host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->rowsOf("import_row") + this->rowsOf("import_error"));
        const auto report = this->report(made);
        CPPUNIT_ASSERT(report["errorFileUrl"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::string("2 0 1 0 1"), this->totals(report));
        CPPUNIT_ASSERT_EQUAL(404, this->client->get(this->owner, this->path(made) + "/errors.csv").status);
        CPPUNIT_ASSERT_EQUAL(std::string("x"), this->contactNamed("ada").text("nickname"));
    }

    void takesBackNotesPhotosAndCards()
    {
        auto mover = this->withPermission(this->withPermission(this->owner, "crm.pipeline:move"), "crm.pipeline:read");
        this->created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}]})");
        this->client->post(this->owner, "/api/contacts/" + this->contactNamed("ada").id() + "/notes", R"({"body":"mine"})");
        const auto pipelineId = this->client->get(mover, "/api/pipeline")["items"].at(0).at("pipelineId").as_string();
        // The smallest picture there is: a GIF of one point.
        const std::string photo = "PHOTO;ENCODING=b;TYPE=GIF:R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==\r\n";
        const auto card = [&](std::string_view name, std::string_view more)
        {
            return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + std::string(name) + "\r\nEMAIL:" + std::string(name) + "@example.org\r\n" +
                   std::string(more) + "END:VCARD\r\n";
        };
        const auto file = card("ada", "NOTE:theirs\r\n" + photo) + card("alan", "NOTE:theirs\r\n" + photo) +
                          card("eve", "PHOTO;ENCODING=b;TYPE=GIF:bm90aGluZw==\r\n");
        const auto made = this->importFile(mover, file, "onDuplicate=merge&pipelineId=" + std::string(pipelineId), "text/vcard");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), std::string("3 2 1 0 0"), this->totals(made));
        CPPUNIT_ASSERT_EQUAL(Names{"3 unknown_option"}, this->problems(made));
        for (const auto* name : {"ada", "alan"})
        {
            const auto contact = this->contactNamed(name);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, contact["counts"].at("attachments").as_int64());
            CPPUNIT_ASSERT(contact["photoAttachmentId"].is_string());
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, contact["pipelines"].as_array().size());
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, this->contactNamed("ada")["counts"].at("notes").as_int64());
        // Nothing changes the second time.
        CPPUNIT_ASSERT_EQUAL(
            std::string("3 0 0 3 0"),
            this->totals(this->importFile(mover, file, "onDuplicate=merge&pipelineId=" + std::string(pipelineId), "text/vcard")));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"deleted":2,"restored":1})"), json::serialize(this->undo(made)["undone"]));
        const auto ada = this->contactNamed("ada");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"notes":1,"attachments":0})"), json::serialize(ada["counts"]));
        CPPUNIT_ASSERT(ada["photoAttachmentId"].is_null() && ada["pipelines"].as_array().empty());
        // A card that somebody has moved is no longer the import's.
        const auto again = this->importFile(mover, card("bob", ""), "pipelineId=" + std::string(pipelineId), "text/vcard");
        const auto bob = this->contactNamed("bob").id();
        const auto stage = this->client->get(mover, "/api/pipeline")["items"].at(0).at("stages").at(1).at("stageId").as_string();
        CPPUNIT_ASSERT_EQUAL(
            200, this->client->put(mover, "/api/pipeline/" + bob + "/move", R"({"stageId":")" + std::string(stage) + "\"}").status);
        CPPUNIT_ASSERT_EQUAL(409, this->undo(again).status);
    }

    void freesExternalIds()
    {
        this->created(R"({"firstName":"Ada","emails":[{"address":"ada@example.org"}],"externalIds":[{"system":"erp","id":"1"}]})");
        const std::string file = "First Name,Email,externalIds.erp\nAda,ada@example.org,2\nAlan,alan@example.org,3\n";
        const auto made = this->imported(file, "onDuplicate=update");
        // What the contact had has been given away meanwhile: it stays as it is.
        this->created(R"({"firstName":"Rival","externalIds":[{"system":"erp","id":"1"}]})");
        const auto undone = this->undo(made);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"deleted":1,"restored":0})"), json::serialize(undone["undone"]));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, undone["kept"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::string("2 1 0 1 0"), this->totals(this->imported(file)));
    }

    /// A file that gives everybody the number of the next, and the last one that of the first.
    void givesExternalIdsBack()
    {
        constexpr int people = 5;
        const auto system = [](int number) { return "\"externalIds\":[{\"system\":\"erp\",\"id\":\"" + std::to_string(number) + "\"}]"; };
        for (int i = 0; i < people; ++i)
            this->created("{\"emails\":[{\"address\":\"p" + std::to_string(i) + "@example.org\"}]," + system(i) + "}");
        std::string file = "Email,externalIds.erp\np0@example.org,free\n";
        for (int i = people - 1; i > 0; --i) file += "p" + std::to_string(i) + "@example.org," + std::to_string((i + 1) % people) + "\n";
        file += "p0@example.org,1\nnew@example.org,free\n";
        const auto made = this->imported(file, "onDuplicate=update&matchBy=email");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), std::string("7 1 6 0 0"), this->totals(made));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"deleted":1,"restored":5})"), json::serialize(this->undo(made)["undone"]));
        for (int i = 0; i < people; ++i)
            CPPUNIT_ASSERT_EQUAL("[{\"system\":\"erp\",\"id\":\"" + std::to_string(i) + "\"}]",
                                 json::serialize(this->contactNamed("p" + std::to_string(i) + "@")["externalIds"]));
        // One in the ring was changed: all of it stays.
        const auto again = this->imported(file, "onDuplicate=update&matchBy=email");
        this->client->put(this->owner, "/api/contacts/" + this->contactNamed("p2@").id(), R"({"nickname":"x"})");
        const auto undone = this->undo(again);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"deleted":1,"restored":0})"), json::serialize(undone["undone"]));
        CPPUNIT_ASSERT_EQUAL(std::size_t{people}, undone["kept"].as_array().size());
    }

    void undoesManyOnce()
    {
        std::string file = "First Name\n";
        for (int i = 0; i < 900; ++i) file += "N" + std::to_string(i) + "\n";
        const auto made = this->imported(file);
        std::atomic<int> done = 0, refused = 0;
        runTogether(3, [&](int) { ++(this->undo(made).status == 200 ? done : refused); });
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, this->countContacts());
        CPPUNIT_ASSERT_EQUAL(1, done.load());
        CPPUNIT_ASSERT_EQUAL(2, refused.load());
        CPPUNIT_ASSERT_EQUAL(std::string("900 900 0 0 0"), this->totals(this->imported(file)));
    }

private:
    std::int64_t rowsOf(std::string_view table) const
    {
        auto session = this->database().session();
        return session.template value<std::int64_t>("SELECT count(*) FROM " + std::string(table)).value_or(0);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ImportUndoTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(ImportUndoTest<OnPostgres>);

} // namespace portico::tests
