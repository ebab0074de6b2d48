#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Creation with duplicates about, deletion, restoring, removal; other organizations.
class ContactLifeTest : public Suite<ContactLifeTest, CrmFixture>
{
    TEST(namesPossibleDuplicates)
    {
        const auto email = created(R"({"firstName":"A","emails":[{"address":"ada@b\u00fccher.example"}]})").at("/id");
        const auto phone = created(R"({"firstName":"B","phones":[{"number":"+49 170 1234567"}]})").at("/id");
        const auto name = created(R"({"firstName":"Ada","lastName":"Lovelace","companyName":"Engines"})").at("/id");
        const auto similar = created(R"({"firstName":"Adah","lastName":"Lovelace","emails":[{"address":"x@firm.example"}]})").at("/id");
        created(R"({"firstName":"Ada","lastName":"Lovelace"})");
        created(R"({"firstName":"Adam","lastName":"Lovelace","emails":[{"address":"x@gmail.com"}]})");

        const auto made =
            created(R"({"firstName":"ADA","lastName":"Lovelace","companyName":"engines","phones":[{"number":"0049 170 1234567"}],
            "emails":[{"address":"ADA@xn--bcher-kva.example"},{"address":"y@firm.example"},{"address":"y@gmail.com"}]})");
        equal(jsonWith(R"([{"id":"$","displayName":"A","matchedOn":["email"]},{"id":"$","displayName":"B","matchedOn":["phone"]},)"
                       R"({"id":"$","displayName":"Ada Lovelace","matchedOn":["name_and_company"]},{"id":"$",)"
                       R"("displayName":"Adah Lovelace","matchedOn":["similar_name"]}])",
                       email, phone, name, similar),
              made.at("/possibleDuplicates"));
        // Neither deleted ones nor other organizations'.
        client->del(owner, "/api/contacts/" + email);
        client->del(owner, "/api/contacts/" + made.at("/id"));
        equal(0, created(R"({"emails":[{"address":"ada@b\u00fccher.example"}]})").count("/possibleDuplicates"));
        equal(0, client->post(stranger, "/api/contacts", R"({"phones":[{"number":"+49 170 1234567"}]})").count("/possibleDuplicates"));
    }

    TEST(rejectsDuplicates)
    {
        const auto first = created(R"({"firstName":"Ada","lastName":"L","companyName":"E",)"
                                   R"("emails":[{"address":"a@a.example"}]})")
                               .at("/id");
        const auto answer = client->post(owner, "/api/contacts?onDuplicate=reject", R"({"emails":[{"address":"A@a.example"}]})");
        refused(answer, 400, "duplicate_contact");
        equal(first, answer.at("/details/possibleDuplicates/0/id"));
        // A name is no proof.
        equal(201,
              client->post(owner, "/api/contacts?onDuplicate=reject", R"({"firstName":"Ada","lastName":"L","companyName":"E"})").status);
        equal(400, client->post(owner, "/api/contacts?onDuplicate=maybe", R"({"firstName":"x"})").status);
    }

    TEST(returnsDuplicates)
    {
        const auto first =
            created(R"({"firstName":"Ada","phones":[{"number":"+49 170 1234567"}],"externalIds":[{"system":"s","id":"1"}]})");
        for (const auto* body : {R"({"firstName":"Eve","phones":[{"number":"0049 1701234567"}]})",
                                 R"({"firstName":"Eve","externalIds":[{"system":"s","id":"1"}]})"})
        {
            const auto same = client->post(owner, "/api/contacts?onDuplicate=return", body);
            equal(200, same.status);
            auto expected = client->get(owner, "/api/contacts/" + first.at("/id"));
            equal(expected.at(""), same.at(""));
        }
        equal({"crm.contact.created"}, eventTypes(owner));
        equal(201, client->post(owner, "/api/contacts?onDuplicate=return", R"({"firstName":"Eve"})").status);
    }

    TEST(letsOneOfSeveralDuplicatesIn)
    {
        for (int round = 0; round < 10; ++round)
        {
            const auto body = jsonWith(R"({"emails":[{"address":"a$@a.example"}]})", round);
            std::atomic<int> made{0}, refused{0};
            runTogether(6,
                        [&](int)
                        {
                            const auto status = client->post(owner, "/api/contacts?onDuplicate=reject", body).status;
                            if (status == 201) ++made;
                            if (status == 400) ++refused;
                        });
            equal(1, made.load());
            equal(5, refused.load());
        }
    }

    TEST(hidesTheDeleted)
    {
        const auto id = created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"tags":["x"]})").at("/id");
        const auto path = "/api/contacts/" + id;
        const auto note = client->post(owner, path + "/notes", R"({"body":"x"})").at("/noteId");
        const auto gone = client->del(owner, path);
        equal(200, gone.status);
        equal(jsonWith(R"({"id":"$","deleted":true,"restorableUntil":"2026-12-21T09:00:00.000Z"})", id), gone.at(""));
        for (const auto& answer :
             {client->get(owner, path), client->put(owner, path, R"({"firstName":"B"})"), client->del(owner, path),
              client->get(owner, path + "/notes"), client->post(owner, path + "/notes", R"({"body":"x"})"),
              client->get(owner, path + "/notes/" + note), client->put(owner, path + "/notes/" + note, R"({"body":"y"})"),
              client->del(owner, path + "/notes/" + note)})
        {
            refused(answer, 404, "not_found");
        }
        for (const auto* query : {"", "q=Ada", "email=a@a.example", "tag=x"}) equal({}, names(query));
        for (const auto* query : {"archived=true", "archived=true&q=Ada", "archived=true&email=a@a.example", "archived=true&tag=x"})
            equal({"Ada"}, names(query), query);
        CHECK(list("archived=true").at("/items/0/deletedAt") != "null");
    }

    TEST(restores)
    {
        const auto id = created(R"({"firstName":"Ada","externalIds":[{"system":"s","id":"1"}]})").at("/id");
        const auto path = "/api/contacts/" + id;
        const auto note = client->post(owner, path + "/notes", R"({"body":"x"})").at("/noteId");
        client->del(owner, path);
        equal(404, client->post(stranger, path + "/restore", "").status);
        const auto back = client->post(owner, path + "/restore", "");
        equal(200, back.status);
        equal("null", back.at("/deletedAt"));
        equal("3", back.at("/version"));
        equal(200, client->get(owner, path + "/notes/" + note).status);
        equal(R"({"notes":1,"attachments":0})", client->get(owner, path).at("/counts"));
        equal({"Ada"}, names(""));
        // Its external id is taken again; twice is no error and no change.
        equal(400, client->post(owner, "/api/contacts", R"({"lastName":"L","externalIds":[{"system":"s","id":"1"}]})").status);
        equal("3", client->post(owner, path + "/restore", "").at("/version"));
        equal(404, client->post(owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/restore", "").status);
    }

    TEST(restoresUnderIfMatch)
    {
        const auto path = "/api/contacts/" + newContact();
        client->del(owner, path);
        equal(412, client->post(owner, path + "/restore", "", {{"If-Match", "\"1\""}}).status);
        equal(404, client->get(owner, path).status);
        const auto back = client->post(owner, path + "/restore", "", {{"If-Match", "\"2\""}});
        equal(200, back.status);
        // Also checked for a contact that is not deleted.
        equal(412, client->post(owner, path + "/restore", "", {{"If-Match", "\"2\""}}).status);
        equal(200, client->post(owner, path + "/restore", "", {{"If-Match", back.etag}}).status);
    }

    /// A concurrent restore finds the contact restored, not missing.
    TEST(restoresTogether)
    {
        for (int round = 0; round < 10; ++round)
        {
            const auto path = "/api/contacts/" + newContact();
            client->del(owner, path);
            std::atomic<int> restored{0};
            runTogether(6,
                        [&](int)
                        {
                            if (client->post(owner, path + "/restore", "").status == 200) ++restored;
                        });
            equal(6, restored.load());
            equal("3", client->get(owner, path).at("/version"));
        }
    }

    TEST(restoresForThirtyDays)
    {
        const auto early = newContact("Early"), late = newContact("Late");
        for (const auto& id : {early, late}) client->del(owner, "/api/contacts/" + id);
        clock().advance(std::chrono::hours(30 * 24) - std::chrono::milliseconds(1));
        equal({"Early", "Late"}, names("archived=true"));
        equal(200, client->post(owner, "/api/contacts/" + early + "/restore", "").status);
        clock().advance(std::chrono::milliseconds(1));
        equal({}, names("archived=true"));
        equal(404, client->post(owner, "/api/contacts/" + late + "/restore", "").status);
    }

    TEST(freesExternalIdsOfTheDeleted)
    {
        const std::string body = R"({"lastName":"L","externalIds":[{"system":"s","id":"1"}]})";
        const auto first = created(body).at("/id");
        client->del(owner, "/api/contacts/" + first);
        const auto second = created(body).at("/id");
        const auto answer = client->post(owner, "/api/contacts/" + first + "/restore", "");
        refused(answer, 409, "conflict");
        client->put(owner, "/api/contacts/" + second, R"({"externalIds":[]})");
        equal(200, client->post(owner, "/api/contacts/" + first + "/restore", "").status);
    }

    TEST(purgesWithTheRightTo)
    {
        const auto id = created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"externalIds":[{"system":"s",)"
                                R"("id":"1"}]})")
                            .at("/id");
        const auto path = "/api/contacts/" + id + "?permanent=true";
        client->post(owner, "/api/contacts/" + id + "/notes", R"({"body":"x"})");
        equal("permission_denied", client->del(owner, path).code());
        owner = withPermission(owner, "crm.contacts:purge");
        owner.credential = CredentialKind::ApiKey;
        equal("bearer_required", client->del(owner, path).code());
        owner.credential = CredentialKind::AccessToken;
        equal(412, client->del(owner, path, {{"If-Match", "\"9\""}}).status);
        const auto gone = client->del(owner, path);
        equal(jsonWith(R"({"id":"$","deleted":true,"restorableUntil":null})", id), gone.at(""));
        equal(404, client->del(owner, path).status);
        equal(404, client->post(owner, "/api/contacts/" + id + "/restore", "").status);
        equal(0, rowsOf(owner));
        equal(jsonWith(R"({"contactId":"$","organizationId":"$"})", id, owner.organizationId), lastEvent("crm.contact.deleted"));
    }

    TEST(removesTheExpired)
    {
        const auto kept = newContact("Kept"), expired = newContact("Expired"), recent = newContact("Recent");
        client->post(owner, "/api/contacts/" + expired + "/notes", R"({"body":"x"})");
        client->del(owner, "/api/contacts/" + expired);
        clock().advance(std::chrono::hours(1));
        client->del(owner, "/api/contacts/" + recent);
        clock().advance(std::chrono::hours(30 * 24) - std::chrono::hours(1));
        jobs().runDue();
        equal({"Kept"}, names(""));
        equal({"Recent"}, names("archived=true"));
        // Rows of two contacts and their search texts; the note was deleted.
        equal(4, rowsOf(owner));
        CHECK(jobs().waiting("crm.contacts.remove_expired").front().dueAt == clock().now() + std::chrono::hours(1));
        client->post(owner, "/api/contacts/" + recent + "/restore", "");
        clock().advance(std::chrono::minutes(61));
        jobs().runDue();
        equal(4, rowsOf(owner));
    }

    TEST(stopsRemovingWhenAsked)
    {
        client->del(owner, "/api/contacts/" + newContact());
        clock().advance(std::chrono::hours(31 * 24));
        const crm::VersionKeepers none({});
        crm::ContactService service(host->context(), {}, none);
        std::stop_source stop;
        stop.request_stop();
        equal(0, service.removeExpired(stop.get_token()));
        equal(2, rowsOf(owner));
        equal(1, service.removeExpired({}));
        equal(0, rowsOf(owner));
    }

    TEST(keepsOrganizationsApart)
    {
        const auto id = created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"phones":[{"number":"+491701234567"}],)"
                                R"("tags":["x"]})")
                            .at("/id");
        const auto path = "/api/contacts/" + id;
        const auto note = path + "/notes/" + client->post(owner, path + "/notes", R"({"body":"x"})").at("/noteId");
        const auto foreign = withPermission(stranger, "crm.contacts:purge");
        const auto& api = *client;
        for (const auto& answer : {api.get(foreign, path), api.put(foreign, path, R"({"firstName":"B"})"), api.del(foreign, path),
                                   api.del(foreign, path + "?permanent=true"), api.post(foreign, path + "/restore", ""),
                                   api.get(foreign, path + "/notes"), api.post(foreign, path + "/notes", R"({"body":"x"})"),
                                   api.get(foreign, note), api.put(foreign, note, R"({"body":"y"})"), api.del(foreign, note)})
        {
            refused(answer, 404, "not_found");
        }
        for (const auto* query : {"", "q=Ada", "q=ad", "q=170123", "email=a@a.example", "phone=%2B491701234567", "tag=x", "hasEmail=true"})
        {
            const auto found = api.get(foreign, "/api/contacts?include=total&" + std::string(query));
            equal("0", found.at("/total"), query);
            CPPUNIT_ASSERT_MESSAGE(query, found.count("/items") == 0);
        }
        equal("Ada", api.get(owner, path).at("/firstName"));
        // A note is not found under another contact of the organization.
        equal(404, api.get(owner, "/api/contacts/" + newContact() + note.substr(path.size())).status);
    }

    testing::FakeJobs& jobs() const { return host->context().jobs(); }

    /// Rows of an organization in all tables.
    std::int64_t rowsOf(const Caller& caller) const
    {
        auto session = database().session();
        std::int64_t rows = 0;
        for (const auto* table :
             {"contact", "contact_email", "contact_phone", "contact_tag", "contact_external_id", "contact_text", "note"})
            rows += session
                        .value<std::int64_t>("SELECT count(*) FROM " + std::string(table) + " WHERE organization_id = $1",
                                             caller.organizationId)
                        .value();
        return rows;
    }
};

} // namespace portico::tests
