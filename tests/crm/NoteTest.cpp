#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Notes: routes, order, limits, versions, counts.
class NoteTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(NoteTest);
    CPPUNIT_TEST(writesAndReads);
    CPPUNIT_TEST(keepsLimits);
    CPPUNIT_TEST(merges);
    CPPUNIT_TEST(deletes);
    CPPUNIT_TEST(putsPinnedFirst);
    CPPUNIT_TEST(pages);
    CPPUNIT_TEST(countsUnderLoad);
    CPPUNIT_TEST(tellsOfNewNotes);
    CPPUNIT_TEST(includesNotesInTheContact);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        CrmFixture::setUp();
        _contact = "/api/contacts/" + newContact();
        _notes = _contact + "/notes";
    }

    void writesAndReads()
    {
        const auto made = write(R"({"body":"# Hello"})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), made.etag);
        CPPUNIT_ASSERT_EQUAL(std::string("markdown"), made.text("format"));
        CPPUNIT_ASSERT(!made["pinned"].as_bool());
        CPPUNIT_ASSERT_EQUAL(owner.principalId, made.text("createdBy"));
        CPPUNIT_ASSERT_EQUAL(_contact, "/api/contacts/" + made.text("contactId"));
        CPPUNIT_ASSERT_EQUAL(json::serialize(made.body), json::serialize(show(made).body));
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, _notes + "/not_" + makeUlid(Instant{})).status);
        CPPUNIT_ASSERT_EQUAL(404, client->get(owner, _notes + "/x").status);
        CPPUNIT_ASSERT_EQUAL(404, client->post(owner, "/api/contacts/con_" + makeUlid(Instant{}) + "/notes", R"({"body":"x"})").status);
    }

    void keepsLimits()
    {
        CPPUNIT_ASSERT_EQUAL(201, write(R"({"body":")" + std::string(20000, 'x') + "\"}").status);
        CPPUNIT_ASSERT_EQUAL(Names{"body too_long"}, write(R"({"body":")" + std::string(20001, 'x') + "\"}").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"body required"}, write(R"({"body":""})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"body required"}, write(R"({"pinned":true})").errors());
        CPPUNIT_ASSERT_EQUAL(Names{"format unknown_option"}, write(R"({"body":"x","format":"html"})").errors());
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), write(R"({"body":"x","title":"y"})").code());
    }

    void merges()
    {
        const auto made = write(R"({"body":"x","format":"plain"})");
        clock().advance(std::chrono::seconds(1));
        auto colleague = owner;
        colleague.principalId = "usr_" + makeUlid(Instant{});
        const auto pinned = client->put(colleague, path(made), R"({"pinned":true})");
        CPPUNIT_ASSERT_EQUAL(std::string("x"), pinned.text("body"));
        CPPUNIT_ASSERT_EQUAL(std::string("plain"), pinned.text("format"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, pinned.number("version"));
        CPPUNIT_ASSERT_EQUAL(colleague.principalId, pinned.text("updatedBy"));
        CPPUNIT_ASSERT_EQUAL(owner.principalId, pinned.text("createdBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:01.000Z"), pinned.text("updatedAt"));
        CPPUNIT_ASSERT_EQUAL(Names{"body required"}, client->put(owner, path(made), R"({"body":null})").errors());
        CPPUNIT_ASSERT_EQUAL(412, client->put(owner, path(made), R"({"body":"y"})", {{"If-Match", "\"1\""}}).status);
        // Nor is a note nothing.
        CPPUNIT_ASSERT_EQUAL(Names{" wrong_type"}, client->put(owner, path(made), "null").errors());
        const auto back = client->put(owner, path(made), json::serialize(show(made).body));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, back.number("version"));
    }

    void deletes()
    {
        const auto made = write(R"({"body":"x"})");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, noteCount());
        CPPUNIT_ASSERT_EQUAL(412, client->del(owner, path(made), {{"If-Match", "\"2\""}}).status);
        const auto gone = client->del(owner, path(made));
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + made.text("noteId") + R"(","deleted":true})", json::serialize(gone.body));
        CPPUNIT_ASSERT_EQUAL(404, client->del(owner, path(made)).status);
        CPPUNIT_ASSERT_EQUAL(404, show(made).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, noteCount());
    }

    void putsPinnedFirst()
    {
        makeNotes();
        CPPUNIT_ASSERT_EQUAL((Names{"p3", "p1", "n4", "n2", "n0"}), bodies(""));
        CPPUNIT_ASSERT_EQUAL((Names{"p3", "p1", "n4", "n2", "n0"}), bodies("?sort=-createdAt"));
        CPPUNIT_ASSERT_EQUAL((Names{"p1", "p3", "n0", "n2", "n4"}), bodies("?sort=createdAt"));
        CPPUNIT_ASSERT_EQUAL(400, client->get(owner, _notes + "?sort=body").status);
        CPPUNIT_ASSERT_EQUAL(400, client->get(owner, _notes + "?q=x").status);
    }

    void pages()
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
                    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, answer.number("total"));
                    for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("body").as_string());
                    if (answer["nextCursor"].is_null()) break;
                    cursor = "&cursor=" + answer.text("nextCursor");
                }
                CPPUNIT_ASSERT_EQUAL(bodies(query), found);
            }
    }

    void countsUnderLoad()
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
                            if (client->put(owner, _contact, R"({"jobTitle":")" + std::to_string(k) + "\"}").status != 200) ++failures;
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(0, failures.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{15}, noteCount());
        CPPUNIT_ASSERT_EQUAL(std::size_t{15}, bodies("").size());
    }

    void tellsOfNewNotes()
    {
        const auto made = write(R"({"body":"secret"})");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, eventTypes(owner).size());
        CPPUNIT_ASSERT_EQUAL(R"({"noteId":")" + made.text("noteId") + R"(","contactId":")" + made.text("contactId") +
                                 R"(","organizationId":")" + owner.organizationId + "\"}",
                             lastEvent("crm.note.created"));
    }

    void includesNotesInTheContact()
    {
        makeNotes();
        const auto shown = client->get(owner, _contact + "?include=notes,history");
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, shown["notes"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::string("p3"), std::string(shown["notes"].at(0).at("body").as_string()));
        CPPUNIT_ASSERT(shown["history"].as_array().empty());
        CPPUNIT_ASSERT(!shown.body.as_object().contains("attachments"));
        CPPUNIT_ASSERT_EQUAL(400, client->get(owner, _contact + "?include=deals").status);
    }

private:
    Answer write(std::string_view body) const { return client->post(owner, _notes, body); }
    std::string path(const Answer& note) const { return _notes + "/" + note.text("noteId"); }
    Answer show(const Answer& note) const { return client->get(owner, path(note)); }
    std::int64_t noteCount() const { return client->get(owner, _contact)["counts"].at("notes").as_int64(); }

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
        for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("body").as_string());
        return found;
    }

    std::string _contact;
    std::string _notes;
};

CPPUNIT_TEST_SUITE_REGISTRATION(NoteTest);

} // namespace portico::tests
