#include "crm/CrmFixture.h"

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts/merges.
class MergeListTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(MergeListTest);
    CPPUNIT_TEST(listsWhatCanBeUndone);
    CPPUNIT_TEST(leavesOutWhatWasUndone);
    CPPUNIT_TEST(leavesOutWhatWasChangedSince);
    CPPUNIT_TEST(comesBackWithTheMergeAboveIt);
    CPPUNIT_TEST(endsAfterThirtyDays);
    CPPUNIT_TEST(pages);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST(needsTheRight);
    CPPUNIT_TEST_SUITE_END();

public:
    void listsWhatCanBeUndone()
    {
        const auto a = newContact("Ada"), b = newContact("Augusta"), c = newContact("Grace"), d = newContact("Edsger");
        const auto first = merge(a, {b});
        const auto second = merge(c, {d});
        CPPUNIT_ASSERT_EQUAL((Names{second, first}), ids());
        CPPUNIT_ASSERT_EQUAL(Names{first}, ids("contactId=" + a));
        CPPUNIT_ASSERT_EQUAL(Names{}, ids("contactId=" + b));
        const auto item = get("contactId=" + a)["items"].at(0);
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + a + R"(","displayName":"Ada"})", json::serialize(item.at("contact")));
        CPPUNIT_ASSERT_EQUAL(R"([{"id":")" + b + R"(","displayName":"Augusta"}])", json::serialize(item.at("sources")));
        CPPUNIT_ASSERT(item.at("undoable").as_bool());
        CPPUNIT_ASSERT_EQUAL(json::string(owner.principalId), item.at("mergedBy").as_string());
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-21"), std::string(item.at("undoUntil").as_string()).substr(0, 10));
    }

    void leavesOutWhatWasUndone()
    {
        const auto a = newContact("A"), b = newContact("B");
        const auto id = merge(a, {b});
        CPPUNIT_ASSERT_EQUAL(200, undo(id).status);
        CPPUNIT_ASSERT_EQUAL(Names{}, ids());
        CPPUNIT_ASSERT_EQUAL(Names{}, ids("all=true"));
    }

    void leavesOutWhatWasChangedSince()
    {
        const auto a = newContact("A"), b = newContact("B"), c = newContact("C"), d = newContact("D");
        const auto changed = merge(a, {b});
        const auto deleted = merge(c, {d});
        client->put(owner, "/api/contacts/" + a, R"({"jobTitle":"CTO"})");
        client->del(owner, "/api/contacts/" + c);
        CPPUNIT_ASSERT_EQUAL(Names{}, ids());
        // What the list says is what an undo does.
        CPPUNIT_ASSERT_EQUAL((Names{deleted, changed}), ids("all=true"));
        const auto all = get("all=true");
        for (const auto& item : all["items"].as_array()) CPPUNIT_ASSERT(!item.at("undoable").as_bool());
        CPPUNIT_ASSERT_EQUAL(409, undo(changed).status);
        CPPUNIT_ASSERT_EQUAL(409, undo(deleted).status);
    }

    void comesBackWithTheMergeAboveIt()
    {
        const auto a = newContact("A"), b = newContact("B"), c = newContact("C");
        const auto below = merge(a, {b});
        const auto above = merge(a, {c});
        CPPUNIT_ASSERT_EQUAL(Names{above}, ids());
        CPPUNIT_ASSERT_EQUAL(200, undo(above).status);
        CPPUNIT_ASSERT_EQUAL(Names{below}, ids());
        CPPUNIT_ASSERT_EQUAL(200, undo(below).status);
    }

    void endsAfterThirtyDays()
    {
        const auto a = newContact("A"), b = newContact("B");
        const auto id = merge(a, {b});
        clock().advance(std::chrono::hours(24 * 30));
        CPPUNIT_ASSERT_EQUAL(Names{}, ids());
        CPPUNIT_ASSERT_EQUAL(Names{}, ids("all=true"));
        CPPUNIT_ASSERT_EQUAL(404, undo(id).status);
    }

    void pages()
    {
        Names made;
        for (int i = 0; i < 5; ++i)
        {
            const auto a = newContact("A"), b = newContact("B");
            made.insert(made.begin(), merge(a, {b}));
        }
        Names walked;
        std::string cursor;
        do {
            const auto page = get("limit=2&include=total" + (cursor.empty() ? "" : "&cursor=" + cursor));
            CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, page.number("total"));
            for (const auto& item : page["items"].as_array()) walked.emplace_back(item.at("mergeId").as_string());
            cursor = page["nextCursor"].is_null() ? "" : page.text("nextCursor");
        } while (!cursor.empty());
        CPPUNIT_ASSERT_EQUAL(made, walked);
    }

    void keepsOrganizationsApart()
    {
        const auto a = newContact("A"), b = newContact("B");
        merge(a, {b});
        for (const auto* query : {"", "all=true"})
            CPPUNIT_ASSERT_EQUAL(std::size_t{0},
                                 client->get(stranger, "/api/contacts/merges?" + std::string(query))["items"].as_array().size());
    }

    void needsTheRight()
    {
        auto nobody = owner;
        std::erase(nobody.permissions, "crm.contacts:read");
        CPPUNIT_ASSERT_EQUAL(403, client->get(nobody, "/api/contacts/merges").status);
    }

private:
    std::string merge(const std::string& target, const Names& sources)
    {
        clock().advance(std::chrono::milliseconds(1));
        json::array list;
        for (const auto& id : sources) list.emplace_back(id);
        const auto answer =
            client->post(owner, "/api/contacts/" + target + "/merge", json::serialize(json::object{{"sourceIds", std::move(list)}}));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
        return answer.text("mergeId");
    }
    Answer undo(const std::string& id) const { return client->post(owner, "/api/contacts/merges/" + id + "/undo", "{}"); }
    Answer get(const std::string& query) const { return client->get(owner, "/api/contacts/merges?" + query); }
    Names ids(const std::string& query = {}) const
    {
        const auto answer = get(query);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
        Names found;
        for (const auto& item : answer["items"].as_array()) found.emplace_back(item.at("mergeId").as_string());
        return found;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(MergeListTest);

} // namespace portico::tests
