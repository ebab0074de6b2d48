#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Notes: routes, order, limits, versions, counts.
class NoteTest : public Suite<NoteTest, CrmFixture>
{
    void setUp() override
    {
        CrmFixture::setUp();
        _contact = "/api/contacts/" + newContact();
        _notes = _contact + "/notes";
    }

    TEST(writesAndReads)
    {
        const auto made = write(R"({"body":"# Hello"})");
        equal(201, made.status);
        equal("\"1\"", made.etag);
        equal("markdown", made.at("/format"));
        equal("false", made.at("/pinned"));
        equal(owner.principalId, made.at("/createdBy"));
        equal(_contact, "/api/contacts/" + made.at("/contactId"));
        equal(made.at(""), show(made).at(""));
        equal(404, client->get(owner, _notes + "/not_" + makeUlid(Instant{})).status);
        equal(404, client->get(owner, _notes + "/x").status);
        equal(404, client->post(owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/notes", R"({"body":"x"})").status);
    }

    TEST(keepsLimits)
    {
        equal(201, write(jsonWith(R"({"body":"$"})", std::string(20000, 'x'))).status);
        equal({"body too_long"}, write(jsonWith(R"({"body":"$"})", std::string(20001, 'x'))).errors());
        equal({"body required"}, write(R"({"body":""})").errors());
        equal({"body required"}, write(R"({"pinned":true})").errors());
        equal({"format unknown_option"}, write(R"({"body":"x","format":"html"})").errors());
        equal("unknown_field", write(R"({"body":"x","title":"y"})").code());
    }

    TEST(merges)
    {
        const auto made = write(R"({"body":"x","format":"plain"})");
        clock().advance(std::chrono::seconds(1));
        auto colleague = owner;
        colleague.principalId = "usr_" + makeUlid(Instant{});
        const auto pinned = client->put(colleague, path(made), R"({"pinned":true})");
        equal("x", pinned.at("/body"));
        equal("plain", pinned.at("/format"));
        equal("2", pinned.at("/version"));
        equal(colleague.principalId, pinned.at("/updatedBy"));
        equal(owner.principalId, pinned.at("/createdBy"));
        equal("2026-11-21T09:00:01.000Z", pinned.at("/updatedAt"));
        equal({"body required"}, client->put(owner, path(made), R"({"body":null})").errors());
        equal(412, client->put(owner, path(made), R"({"body":"y"})", {{"If-Match", "\"1\""}}).status);
        // A note must not be null.
        equal({" wrong_type"}, client->put(owner, path(made), "null").errors());
        const auto back = client->put(owner, path(made), show(made).at(""));
        equal("2", back.at("/version"));
    }

    TEST(deletes)
    {
        const auto made = write(R"({"body":"x"})");
        equal(1, noteCount());
        equal(412, client->del(owner, path(made), {{"If-Match", "\"2\""}}).status);
        const auto gone = client->del(owner, path(made));
        equal(jsonWith(R"({"id":"$","deleted":true})", made.at("/noteId")), gone.at(""));
        equal(404, client->del(owner, path(made)).status);
        equal(404, show(made).status);
        equal(0, noteCount());
    }

    TEST(putsPinnedFirst)
    {
        makeNotes();
        equal({"p3", "p1", "n4", "n2", "n0"}, bodies(""));
        equal({"p3", "p1", "n4", "n2", "n0"}, bodies("?sort=-createdAt"));
        equal({"p1", "p3", "n0", "n2", "n4"}, bodies("?sort=createdAt"));
        equal(400, client->get(owner, _notes + "?sort=body").status);
        equal(400, client->get(owner, _notes + "?q=x").status);
    }

    TEST(pages)
    {
        makeNotes();
        for (const auto* sort : {"-createdAt", "createdAt"})
            for (const auto* limit : {"1", "2", "3", "5"})
            {
                const auto query = "?sort=" + std::string(sort);
                Names found;
                std::string cursor;
                for (int page = 0; page < 6; ++page)
                {
                    const auto answer = client->get(owner, _notes + query + "&include=total&limit=" + limit + cursor);
                    equal("5", answer.at("/total"));
                    for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("body").as_string());
                    if (answer.at("/nextCursor") == "null") break;
                    cursor = "&cursor=" + answer.at("/nextCursor");
                }
                equal(bodies(query), found);
            }
    }

    TEST(countsUnderLoad)
    {
        std::atomic<int> failures{0};
        runTogether(5,
                    [&](int)
                    {
                        for (int k = 0; k < 6; ++k)
                        {
                            const auto made = write(R"({"body":"x"})");
                            if (made.status != 201) ++failures;
                            if (k % 2 == 0 && client->del(owner, path(made)).status != 200) ++failures;
                            if (client->put(owner, _contact, jsonWith(R"({"jobTitle":"$"})", k)).status != 200) ++failures;
                        }
                    });
        equal(0, failures.load());
        equal(15, noteCount());
        equal(15, bodies("").size());
    }

    TEST(newNotesPublishEvents)
    {
        const auto made = write(R"({"body":"secret"})");
        equal(2, eventTypes(owner).size());
        equal(jsonWith(R"({"noteId":"$","contactId":"$","organizationId":"$"})", made.at("/noteId"), made.at("/contactId"),
                       owner.organizationId),
              lastEvent("crm.note.created"));
    }

    TEST(includesNotesInTheContact)
    {
        makeNotes();
        const auto shown = client->get(owner, _contact + "?include=notes,history");
        equal(5, shown.count("/notes"));
        equal("p3", shown.at("/notes/0/body"));
        equal(0, shown.count("/history"));
        CHECK(!shown.has("/attachments"));
        equal(400, client->get(owner, _contact + "?include=deals").status);
    }

    Answer write(std::string_view body) const { return client->post(owner, _notes, body); }
    std::string path(const Answer& note) const { return _notes + "/" + note.at("/noteId"); }
    Answer show(const Answer& note) const { return client->get(owner, path(note)); }
    std::int64_t noteCount() const { return std::stoll(client->get(owner, _contact).at("/counts/notes")); }

    /// n0, p1 (pinned), n2, p3 (pinned), n4, of which n0 and p1 have the same time.
    void makeNotes() const
    {
        for (int i = 0; i < 5; ++i)
        {
            if (i > 1) clock().advance(std::chrono::milliseconds(1));
            const bool pinned = i % 2 == 1;
            write(std::string(R"({"body":")") + (pinned ? "p" : "n") + std::to_string(i) + R"(","pinned":)" +
                  (pinned ? "true}" : "false}"));
        }
    }

    Names bodies(const std::string& query) const
    {
        Names found;
        const auto answer = client->get(owner, _notes + query);
        for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("body").as_string());
        return found;
    }

    std::string _contact;
    std::string _notes;
};

} // namespace portico::tests
