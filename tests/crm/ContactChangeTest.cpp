#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// PUT: merge semantics, versions, rivals; external ids; events.
class ContactChangeTest : public Suite<ContactChangeTest, CrmFixture>
{
    TEST(merges)
    {
        const auto made = created(R"({"firstName":"Ada","jobTitle":"Countess","birthday":"1815-12-10","lifecycle":"customer",
            "emails":[{"address":"a@a.example"},{"address":"b@a.example"}],"doNotContact":{"email":true,"sms":true},"tags":["x","y"]})");
        struct Case
        {
            std::string_view patch, member, expected;
        };
        // Each case continues with the result of the previous one.
        const std::vector<Case> cases{
            {R"({})", "firstName", R"("Ada")"},
            {R"({"lastName":"Lovelace"})", "jobTitle", R"("Countess")"},
            {R"({"jobTitle":null})", "jobTitle", R"("")"},
            {R"({"birthday":null})", "birthday", "null"},
            {R"({"lifecycle":null})", "lifecycle", R"("lead")"},
            {R"({"doNotContact":{"email":false}})", "doNotContact", R"({"email":false,"phone":false,"sms":true})"},
            {R"({"doNotContact":{"sms":false}})", "doNotContact", R"({"email":false,"phone":false,"sms":false})"},
            {R"({"tags":["z"]})", "tags", R"(["z"])"},
            {R"({"tags":null})", "tags", "[]"},
            {R"({"emails":[{"address":"c@a.example"}]})", "emails", R"([{"address":"c@a.example","label":"other","primary":true}])"},
            {R"({"customFields":{"gone":null}})", "customFields", "{}"},
            {R"({"source":null})", "source", R"("manual")"},
        };
        for (const auto& [patch, member, expected] : cases)
        {
            const auto changed = put(made.at("/id"), patch);
            equal(200, changed.status, patch);
            equal(expected, json::serialize(valueAt(changed, "").at(member)), patch);
            equal(changed.at(""), show(made.at("/id")).at(""));
        }
        equal("Lovelace", show(made.at("/id")).at("/lastName"));
        // A flag cannot be null.
        equal({"doNotContact.sms required"}, put(made.at("/id"), R"({"doNotContact":{"sms":null}})").errors());
    }

    TEST(takesBackWhatItGave)
    {
        const auto made = created(R"({"prefix":"Dr.","firstName":"Zoë","lastName":"\"Q\"\n\u2028ß","nickname":"Z","companyName":"C & D",
            "emails":[{"address":"z@b\u00fccher.example","label":"work"},{"address":"y@a.example","primary":true}],
            "phones":[{"number":"+49 170 1234567","label":"cell"}],"addresses":[{"street":"S","country":"DE","label":"home"}],
            "websites":["https://a.example/"],"socialProfiles":[{"service":"irc","value":"zoe"}],"birthday":"--02-29","tags":["a","b"],
            "externalIds":[{"system":"hubspot","id":"1"}],"doNotContact":{"phone":true},"sourceDetail":"x","lifecycle":"other"})");
        const auto read = show(made.at("/id"));
        const auto answered = put(made.at("/id"), read.at(""));
        equal(200, answered.status);
        equal(read.at(""), answered.at(""));
        // The same in a list, with everything that can be included, and as a new contact.
        const auto full = client->get(owner, "/api/contacts/" + made.at("/id") + "?include=notes,attachments,history");
        equal(200, put(made.at("/id"), full.at("")).status);
        equal(read.at(""), list("").at("/items/0"));
        const auto copy = client->post(stranger, "/api/contacts", read.at(""));
        equal(201, copy.status);
        for (const auto* member : {"/displayName", "/emails", "/phones", "/addresses", "/tags", "/externalIds", "/birthday", "/websites"})
            equal(read.at(member), copy.at(member));
        CHECK(copy.at("/id") != made.at("/id"));
    }

    TEST(changesNothingForNothing)
    {
        const auto id = newContact();
        clock().advance(std::chrono::seconds(1));
        const auto same = put(id, R"({"firstName":"Ada","version":99,"createdAt":"1999-01-01T00:00:00Z"})");
        equal("1", same.at("/version"));
        equal("2026-11-21T09:00:00.000Z", same.at("/updatedAt"));
        const auto other = put(id, R"({"firstName":"Eve"})");
        equal("2", other.at("/version"));
        equal("\"2\"", other.etag);
        equal("2026-11-21T09:00:01.000Z", other.at("/updatedAt"));
        equal("2026-11-21T09:00:00.000Z", other.at("/createdAt"));
    }

    TEST(checksTheMergedContact)
    {
        const auto id = newContact();
        equal({" missing_identity"}, put(id, R"({"firstName":null})").errors());
        equal({"firstName too_long"}, put(id, jsonWith(R"({"firstName":"$"})", std::string(101, 'x'))).errors());
        equal("unknown_field", put(id, R"({"first":"x"})").code());
        equal("invalid_json", put(id, R"({"firstName":"x","firstName":"y"})").code());
        equal(415, client->send(owner, Method::Put, "/api/contacts/" + id, "", {{"Content-Type", "text/plain"}}).status);
        equal("1", show(id).at("/version"));
        equal(200, put(id, R"({"firstName":null,"companyName":"Engines"})").status);
    }

    TEST(keepsBuiltNamesUpToDate)
    {
        const auto id = newContact("Ada");
        equal("Ada Byron", put(id, R"({"lastName":"Byron"})").at("/displayName"));
        // Also applies if the whole contact is sent back.
        auto whole = objectAt(show(id), "");
        whole["lastName"] = "Lovelace";
        equal("Ada Lovelace", put(id, json::serialize(whole)).at("/displayName"));
        equal("The Countess", put(id, R"({"displayName":"The Countess"})").at("/displayName"));
        equal("The Countess", put(id, R"({"lastName":"King"})").at("/displayName"));
        equal("Ada King", put(id, R"({"displayName":null})").at("/displayName"));
    }

    TEST(honoursIfMatch)
    {
        const auto id = newContact();
        const auto change = [&](std::string_view tag, std::string_view name) {
            return put(id, jsonWith(R"({"firstName":"$"})", name), {{"If-Match", std::string(tag)}});
        };
        equal(200, change("\"1\"", "B").status);
        const auto stale = change("\"1\"", "C");
        refused(stale, 412, "version_conflict");
        equal(412, change("W/\"2\"", "C").status);
        equal(200, change("\"7\", \"2\"", "C").status);
        equal(200, change("*", "D").status);
        equal("4", show(id).at("/version"));
        const auto path = "/api/contacts/" + id;
        equal(412, client->del(owner, path, {{"If-Match", "\"3\""}}).status);
        equal(200, client->del(owner, path, {{"If-Match", "\"4\""}}).status);
    }

    TEST(losesNoUpdate)
    {
        const auto id = newContact();
        constexpr int threads = 6, rounds = 20;
        const std::vector<std::string> members{"middleName", "lastName", "nickname", "jobTitle", "department", "sourceDetail"};
        std::atomic<int> failures{0};
        runTogether(threads,
                    [&](int thread)
                    {
                        for (int round = 1; round <= rounds; ++round)
                            if (put(id, jsonWith(R"({"$":"$"})", members[static_cast<std::size_t>(thread)], round)).status != 200)
                                ++failures;
                    });
        equal(0, failures.load());
        const auto last = show(id);
        for (const auto& member : members) equal(std::to_string(rounds), last.at("/" + std::string(member)));
        equal(std::int64_t{1 + threads * rounds}, std::stoll(last.at("/version")));
        equal(std::size_t{1 + threads * rounds}, eventTypes(owner).size());
    }

    TEST(letsOneOfSeveralIfMatchesWin)
    {
        const auto id = newContact();
        std::atomic<int> won{0}, lost{0};
        runTogether(6,
                    [&](int thread)
                    {
                        const auto status = put(id, jsonWith(R"({"lastName":"$"})", thread), {{"If-Match", "\"1\""}}).status;
                        if (status == 200) ++won;
                        if (status == 412) ++lost;
                    });
        equal(1, won.load());
        equal(5, lost.load());
    }

    TEST(keepsFiltersUpToDate)
    {
        const auto id = created(R"({"firstName":"Ada","emails":[{"address":"a@a.example"}],"phones":[{"number":"+491701111111"}],)"
                                R"("tags":["x"]})")
                            .at("/id");
        put(id, R"({"firstName":"Eve","emails":[{"address":"b@a.example"}],"phones":[{"number":"+491702222222"}],"tags":["y"]})");
        for (const auto* gone : {"email=a@a.example", "phone=%2B491701111111", "tag=x", "q=Ada", "q=1701111"}) equal({}, names(gone), gone);
        for (const auto* here : {"email=b@a.example", "phone=%2B491702222222", "tag=y", "q=Eve", "q=1702222"})
            equal({"Eve"}, names(here), here);
    }

    TEST(keepsExternalIdsUnique)
    {
        const std::string body = R"({"lastName":"L","externalIds":[{"system":"a","id":"1"},{"system":"hubspot","id":"7"}]})";
        const auto first = created(body);
        const auto second = client->post(owner, "/api/contacts",
                                         R"({"lastName":"M","externalIds":[{"system":"b","id":"1"},{"system":"hubspot","id":"7"}]})");
        equal(400, second.status);
        equal({"externalIds[1] not_unique"}, second.errors());
        const auto other = created(R"({"lastName":"M","externalIds":[{"system":"hubspot","id":"8"}]})");
        equal({"externalIds[0] not_unique"}, put(other.at("/id"), R"({"externalIds":[{"system":"hubspot","id":"7"}]})").errors());
        // The id is free for another organization, for another system, for the same contact, and after it was removed.
        equal(201, client->post(stranger, "/api/contacts", body).status);
        equal(200, put(other.at("/id"), R"({"externalIds":[{"system":"Hubspot","id":"7"},{"system":"hubspot","id":"8"}]})").status);
        equal(200, put(first.at("/id"), R"({"externalIds":[]})").status);
        equal(200, put(other.at("/id"), R"({"externalIds":[{"system":"hubspot","id":"7"}]})").status);
    }

    TEST(decidesBetweenRivalsForAnExternalId)
    {
        constexpr int rounds = 10;
        for (int round = 0; round < rounds; ++round)
        {
            const auto body = jsonWith(R"({"lastName":"L","externalIds":[{"system":"s","id":"$"}]})", round);
            std::atomic<int> made{0}, refused{0};
            runTogether(6,
                        [&](int)
                        {
                            const auto answer = client->post(owner, "/api/contacts", body);
                            if (answer.status == 201) ++made;
                            if (answer.status == 400 && answer.errors() == Names{"externalIds[0] not_unique"}) ++refused;
                        });
            equal(1, made.load());
            equal(5, refused.load());
        }
        equal(std::size_t{rounds}, names("").size());
    }

    TEST(changesPublishEvents)
    {
        const auto id = newContact();
        const auto contact = "/api/contacts/" + id;
        const auto step = [&] { clock().advance(std::chrono::milliseconds(1)); };
        step();
        put(id, R"({"lastName":"Lovelace","emails":[{"address":"secret@a.example"}]})");
        step();
        client->del(owner, contact);
        step();
        client->post(owner, contact + "/restore", "");
        equal({"crm.contact.created", "crm.contact.updated", "crm.contact.deleted", "crm.contact.restored"}, eventTypes(owner));
        const auto subject = jsonWith(R"({"contactId":"$","organizationId":"$")", id, owner.organizationId);
        equal(subject + R"(,"changedFields":["lastName","displayName","emails"]})", lastEvent("crm.contact.updated"));
        for (const auto* type : {"crm.contact.created", "crm.contact.deleted", "crm.contact.restored"})
            equal(subject + "}", lastEvent(type));
    }

    TEST(failedChangesPublishNothing)
    {
        const auto id = newContact();
        put(id, R"({"firstName":"Ada"})");
        put(id, R"({"firstName":""})");
        put(id, R"({"firstName":"B"})", {{"If-Match", "\"9\""}});
        client->del(stranger, "/api/contacts/" + id);
        equal({"crm.contact.created"}, eventTypes(owner));
        equal({}, eventTypes(stranger));
    }

    TEST(undoesTheChangeWithItsEvent)
    {
        const auto id = newContact();
        // An outbox that cannot be written.
        execute("ALTER TABLE portico_event RENAME TO no_outbox");
        CPPUNIT_ASSERT_THROW(put(id, R"({"firstName":"Eve","tags":["x"]})"), DatabaseError);
        CPPUNIT_ASSERT_THROW(client->del(owner, "/api/contacts/" + id), DatabaseError);
        CPPUNIT_ASSERT_THROW(newContact("Third"), DatabaseError);
        CPPUNIT_ASSERT_THROW(client->post(owner, "/api/contacts/" + id + "/notes", R"({"body":"x"})"), DatabaseError);
        execute("ALTER TABLE no_outbox RENAME TO portico_event");
        equal({"Ada"}, names(""));
        equal({}, names("tag=x"));
        equal({}, names("q=Third"));
        equal(R"({"notes":0,"attachments":0})", show(id).at("/counts"));
        equal({"crm.contact.created"}, eventTypes(owner));
    }

    void execute(std::string_view sql) const
    {
        auto transaction = database().begin();
        transaction.execute(sql);
        transaction.commit();
    }
    Answer put(const std::string& id, std::string_view body, const Headers& headers = {}) const
    {
        return client->put(owner, "/api/contacts/" + id, body, headers);
    }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
};

} // namespace portico::tests
