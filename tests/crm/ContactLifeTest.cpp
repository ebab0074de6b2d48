#include "crm/CrmFixture.h"
#include "crm/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Creation with duplicates about, deletion, restoring, removal; other organizations.
template <class Engine>
class ContactLifeTest : public CrmFixture<Engine>
{
    CPPUNIT_TEST_SUITE(ContactLifeTest);
    CPPUNIT_TEST(namesPossibleDuplicates);
    CPPUNIT_TEST(rejectsDuplicates);
    CPPUNIT_TEST(returnsDuplicates);
    CPPUNIT_TEST(letsOneOfSeveralDuplicatesIn);
    CPPUNIT_TEST(hidesTheDeleted);
    CPPUNIT_TEST(restores);
    CPPUNIT_TEST(restoresForThirtyDays);
    CPPUNIT_TEST(freesExternalIdsOfTheDeleted);
    CPPUNIT_TEST(purgesWithTheRightTo);
    CPPUNIT_TEST(removesTheExpired);
    CPPUNIT_TEST(stopsRemovingWhenAsked);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST_SUITE_END();

public:
    void namesPossibleDuplicates()
    {
        const auto email = this->created(R"({"firstName":"A","emails":[{"address":"ada@b\u00fccher.example"}]})").id();
        const auto phone = this->created(R"({"firstName":"B","phones":[{"number":"+49 170 1234567"}]})").id();
        const auto name = this->created(R"({"firstName":"Ada","lastName":"Lovelace","companyName":"Engines"})").id();
        const auto similar = this->created(R"({"firstName":"Adah","lastName":"Lovelace","emails":[{"address":"x@firm.example"}]})").id();
        this->created(R"({"firstName":"Ada","lastName":"Lovelace"})");
        this->created(R"({"firstName":"Adam","lastName":"Lovelace","emails":[{"address":"x@gmail.com"}]})");

        const auto made =
            this->created(R"({"firstName":"ADA","lastName":"Lovelace","companyName":"engines","phones":[{"number":"0049 170 1234567"}],
            "emails":[{"address":"ADA@xn--bcher-kva.example"},{"address":"y@firm.example"},{"address":"y@gmail.com"}]})");
        CPPUNIT_ASSERT_EQUAL(R"([{"id":")" + email + R"(","displayName":"A","matchedOn":["email"]},{"id":")" + phone +
                                 R"(","displayName":"B","matchedOn":["phone"]},{"id":")" + name +
                                 R"(","displayName":"Ada Lovelace","matchedOn":["name_and_company"]},{"id":")" + similar +
                                 R"(","displayName":"Adah Lovelace","matchedOn":["similar_name"]}])",
                             json::serialize(made["possibleDuplicates"]));
        // Neither deleted ones nor other organizations'.
        this->client->del(this->owner, "/api/contacts/" + email);
        this->client->del(this->owner, "/api/contacts/" + made.id());
        CPPUNIT_ASSERT(this->created(R"({"emails":[{"address":"ada@b\u00fccher.example"}]})")["possibleDuplicates"].as_array().empty());
        CPPUNIT_ASSERT(
            this->client->post(this->stranger, "/api/contacts", R"({"phones":[{"number":"+49 170 1234567"}]})")["possibleDuplicates"]
                .as_array()
                .empty());
    }

    void rejectsDuplicates()
    {
        const auto first =
            this->created(R"({"firstName":"Ada","lastName":"L","companyName":"E","emails":[{"address":"a@a.example"}]})").id();
        const auto refused =
            this->client->post(this->owner, "/api/contacts?onDuplicate=reject", R"({"emails":[{"address":"A@a.example"}]})");
        CPPUNIT_ASSERT_EQUAL(400, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("duplicate_contact"), refused.code());
        CPPUNIT_ASSERT_EQUAL(first, std::string(refused["details"].at("possibleDuplicates").at(0).at("id").as_string()));
        // A name is no proof.
        CPPUNIT_ASSERT_EQUAL(
            201,
            this->client->post(this->owner, "/api/contacts?onDuplicate=reject", R"({"firstName":"Ada","lastName":"L","companyName":"E"})")
                .status);
        CPPUNIT_ASSERT_EQUAL(400, this->client->post(this->owner, "/api/contacts?onDuplicate=maybe", R"({"firstName":"x"})").status);
    }

    void returnsDuplicates()
    {
        const auto first =
            this->created(R"({"firstName":"Ada","phones":[{"number":"+49 170 1234567"}],"externalIds":[{"system":"s","id":"1"}]})");
        for (const auto* body : {R"({"firstName":"Eve","phones":[{"number":"0049 1701234567"}]})",
                                 R"({"firstName":"Eve","externalIds":[{"system":"s","id":"1"}]})"})
        {
            const auto same = this->client->post(this->owner, "/api/contacts?onDuplicate=return", body);
            CPPUNIT_ASSERT_EQUAL(200, same.status);
            auto expected = this->client->get(this->owner, "/api/contacts/" + first.id());
            CPPUNIT_ASSERT_EQUAL(json::serialize(expected.body), json::serialize(same.body));
        }
        CPPUNIT_ASSERT_EQUAL(Names{"crm.contact.created"}, this->eventTypes(this->owner));
        CPPUNIT_ASSERT_EQUAL(201, this->client->post(this->owner, "/api/contacts?onDuplicate=return", R"({"firstName":"Eve"})").status);
    }

    void letsOneOfSeveralDuplicatesIn()
    {
        for (int round = 0; round < 10; ++round)
        {
            const auto body = R"({"emails":[{"address":"a)" + std::to_string(round) + R"(@a.example"}]})";
            std::atomic<int> made{0}, refused{0};
            runTogether(6,
                        [&](int)
                        {
                            const auto status = this->client->post(this->owner, "/api/contacts?onDuplicate=reject", body).status;
                            if (status == 201) ++made;
                            if (status == 400) ++refused;
                        });
            CPPUNIT_ASSERT_EQUAL(1, made.load());
            CPPUNIT_ASSERT_EQUAL(5, refused.load());
        }
    }

    void hidesTheDeleted()
    {
        const auto id = this->created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"tags":["x"]})").id();
        const auto path = "/api/contacts/" + id;
        const auto note = this->client->post(this->owner, path + "/notes", R"({"body":"x"})").text("noteId");
        const auto gone = this->client->del(this->owner, path);
        CPPUNIT_ASSERT_EQUAL(200, gone.status);
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + id + R"(","deleted":true,"restorableUntil":"2026-12-21T09:00:00.000Z"})",
                             json::serialize(gone.body));
        for (const auto& answer :
             {this->client->get(this->owner, path), this->client->put(this->owner, path, R"({"firstName":"B"})"),
              this->client->del(this->owner, path), this->client->get(this->owner, path + "/notes"),
              this->client->post(this->owner, path + "/notes", R"({"body":"x"})"), this->client->get(this->owner, path + "/notes/" + note),
              this->client->put(this->owner, path + "/notes/" + note, R"({"body":"y"})"),
              this->client->del(this->owner, path + "/notes/" + note)})
        {
            CPPUNIT_ASSERT_EQUAL(404, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("not_found"), answer.code());
        }
        for (const auto* query : {"", "q=Ada", "email=a@a.example", "tag=x"}) CPPUNIT_ASSERT_EQUAL(Names{}, this->names(query));
        for (const auto* query : {"archived=true", "archived=true&q=Ada", "archived=true&email=a@a.example", "archived=true&tag=x"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, Names{"Ada"}, this->names(query));
        CPPUNIT_ASSERT(!this->list("archived=true")["items"].at(0).at("deletedAt").is_null());
    }

    void restores()
    {
        const auto id = this->created(R"({"firstName":"Ada","externalIds":[{"system":"s","id":"1"}]})").id();
        const auto path = "/api/contacts/" + id;
        const auto note = this->client->post(this->owner, path + "/notes", R"({"body":"x"})").text("noteId");
        this->client->del(this->owner, path);
        CPPUNIT_ASSERT_EQUAL(404, this->client->post(this->stranger, path + "/restore", "").status);
        const auto back = this->client->post(this->owner, path + "/restore", "");
        CPPUNIT_ASSERT_EQUAL(200, back.status);
        CPPUNIT_ASSERT(back["deletedAt"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, back.number("version"));
        CPPUNIT_ASSERT_EQUAL(200, this->client->get(this->owner, path + "/notes/" + note).status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"notes":1,"attachments":0})"),
                             json::serialize(this->client->get(this->owner, path)["counts"]));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, this->names(""));
        // Its external id is taken again; twice is no error and no change.
        CPPUNIT_ASSERT_EQUAL(
            400, this->client->post(this->owner, "/api/contacts", R"({"lastName":"L","externalIds":[{"system":"s","id":"1"}]})").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, this->client->post(this->owner, path + "/restore", "").number("version"));
        CPPUNIT_ASSERT_EQUAL(404, this->client->post(this->owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/restore", "").status);
    }

    void restoresForThirtyDays()
    {
        const auto early = this->newContact("Early"), late = this->newContact("Late");
        for (const auto& id : {early, late}) this->client->del(this->owner, "/api/contacts/" + id);
        this->clock().advance(std::chrono::hours(30 * 24) - std::chrono::milliseconds(1));
        CPPUNIT_ASSERT_EQUAL((Names{"Early", "Late"}), this->names("archived=true"));
        CPPUNIT_ASSERT_EQUAL(200, this->client->post(this->owner, "/api/contacts/" + early + "/restore", "").status);
        this->clock().advance(std::chrono::milliseconds(1));
        CPPUNIT_ASSERT_EQUAL(Names{}, this->names("archived=true"));
        CPPUNIT_ASSERT_EQUAL(404, this->client->post(this->owner, "/api/contacts/" + late + "/restore", "").status);
    }

    void freesExternalIdsOfTheDeleted()
    {
        const std::string body = R"({"lastName":"L","externalIds":[{"system":"s","id":"1"}]})";
        const auto first = this->created(body).id();
        this->client->del(this->owner, "/api/contacts/" + first);
        const auto second = this->created(body).id();
        const auto refused = this->client->post(this->owner, "/api/contacts/" + first + "/restore", "");
        CPPUNIT_ASSERT_EQUAL(409, refused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("conflict"), refused.code());
        this->client->put(this->owner, "/api/contacts/" + second, R"({"externalIds":[]})");
        CPPUNIT_ASSERT_EQUAL(200, this->client->post(this->owner, "/api/contacts/" + first + "/restore", "").status);
    }

    void purgesWithTheRightTo()
    {
        const auto id =
            this->created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"externalIds":[{"system":"s","id":"1"}]})").id();
        const auto path = "/api/contacts/" + id + "?permanent=true";
        this->client->post(this->owner, "/api/contacts/" + id + "/notes", R"({"body":"x"})");
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), this->client->del(this->owner, path).code());
        this->owner = this->withPermission(this->owner, "crm.contacts:purge");
        this->owner.credential = CredentialKind::ApiKey;
        CPPUNIT_ASSERT_EQUAL(std::string("bearer_required"), this->client->del(this->owner, path).code());
        this->owner.credential = CredentialKind::AccessToken;
        CPPUNIT_ASSERT_EQUAL(412, this->client->del(this->owner, path, {{"If-Match", "\"9\""}}).status);
        const auto gone = this->client->del(this->owner, path);
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + id + R"(","deleted":true,"restorableUntil":null})", json::serialize(gone.body));
        CPPUNIT_ASSERT_EQUAL(404, this->client->del(this->owner, path).status);
        CPPUNIT_ASSERT_EQUAL(404, this->client->post(this->owner, "/api/contacts/" + id + "/restore", "").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rowsOf(this->owner));
        CPPUNIT_ASSERT_EQUAL(R"({"contactId":")" + id + R"(","organizationId":")" + this->owner.organizationId + "\"}",
                             this->lastEvent("crm.contact.deleted"));
    }

    void removesTheExpired()
    {
        const auto kept = this->newContact("Kept"), expired = this->newContact("Expired"), recent = this->newContact("Recent");
        this->client->post(this->owner, "/api/contacts/" + expired + "/notes", R"({"body":"x"})");
        this->client->del(this->owner, "/api/contacts/" + expired);
        this->clock().advance(std::chrono::hours(1));
        this->client->del(this->owner, "/api/contacts/" + recent);
        this->clock().advance(std::chrono::hours(30 * 24) - std::chrono::hours(1));
        jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(Names{"Kept"}, this->names(""));
        CPPUNIT_ASSERT_EQUAL(Names{"Recent"}, this->names("archived=true"));
        // Contacts and search texts of two; the note is gone.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, rowsOf(this->owner));
        CPPUNIT_ASSERT(jobs().waiting("crm.contacts.remove_expired").front().dueAt == this->clock().now() + std::chrono::hours(1));
        this->client->post(this->owner, "/api/contacts/" + recent + "/restore", "");
        this->clock().advance(std::chrono::minutes(61));
        jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{4}, rowsOf(this->owner));
    }

    void stopsRemovingWhenAsked()
    {
        this->client->del(this->owner, "/api/contacts/" + this->newContact());
        this->clock().advance(std::chrono::hours(31 * 24));
        crm::ContactService service(this->host->context(), {});
        std::stop_source stop;
        stop.request_stop();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, service.removeExpired(stop.get_token()));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, rowsOf(this->owner));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, service.removeExpired({}));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rowsOf(this->owner));
    }

    void keepsOrganizationsApart()
    {
        const auto id =
            this->created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"phones":[{"number":"+491701234567"}],"tags":["x"]})")
                .id();
        const auto path = "/api/contacts/" + id;
        const auto note = path + "/notes/" + this->client->post(this->owner, path + "/notes", R"({"body":"x"})").text("noteId");
        const auto foreign = this->withPermission(this->stranger, "crm.contacts:purge");
        const auto& api = *this->client;
        for (const auto& answer : {api.get(foreign, path), api.put(foreign, path, R"({"firstName":"B"})"), api.del(foreign, path),
                                   api.del(foreign, path + "?permanent=true"), api.post(foreign, path + "/restore", ""),
                                   api.get(foreign, path + "/notes"), api.post(foreign, path + "/notes", R"({"body":"x"})"),
                                   api.get(foreign, note), api.put(foreign, note, R"({"body":"y"})"), api.del(foreign, note)})
        {
            CPPUNIT_ASSERT_EQUAL(404, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("not_found"), answer.code());
        }
        for (const auto* query : {"", "q=Ada", "q=ad", "q=170123", "email=a@a.example", "phone=%2B491701234567", "tag=x", "hasEmail=true"})
        {
            const auto found = api.get(foreign, "/api/contacts?include=total&" + std::string(query));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::int64_t{0}, found.number("total"));
            CPPUNIT_ASSERT_MESSAGE(query, found["items"].as_array().empty());
        }
        CPPUNIT_ASSERT_EQUAL(std::string("Ada"), api.get(this->owner, path).text("firstName"));
        // A note under another contact of one's own is none, either.
        CPPUNIT_ASSERT_EQUAL(404, api.get(this->owner, "/api/contacts/" + this->newContact() + note.substr(path.size())).status);
    }

private:
    testing::FakeJobs& jobs() const { return this->host->context().jobs(); }

    /// Rows of an organization in all tables.
    std::int64_t rowsOf(const Caller& caller) const
    {
        auto session = this->database().session();
        std::int64_t rows = 0;
        for (const auto* table :
             {"contact", "contact_email", "contact_phone", "contact_tag", "contact_external_id", "contact_text", "note"})
            rows += session
                        .template value<std::int64_t>("SELECT count(*) FROM " + std::string(table) + " WHERE organization_id = $1",
                                                      caller.organizationId)
                        .value();
        return rows;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ContactLifeTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(ContactLifeTest<OnPostgres>);

} // namespace portico::tests
