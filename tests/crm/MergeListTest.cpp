#include "crm/CrmFixture.h"

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts/merges.
class MergeListTest : public Suite<MergeListTest, CrmFixture>
{
    TEST(listsWhatCanBeUndone)
    {
        const auto a = newContact("Ada"), b = newContact("Augusta"), c = newContact("Grace"), d = newContact("Edsger");
        const auto first = merge(a, {b});
        const auto second = merge(c, {d});
        equal({second, first}, ids());
        equal({first}, ids("contactId=" + a));
        equal({}, ids("contactId=" + b));
        const auto item = valueAt(get("contactId=" + a), "/items/0");
        equal(jsonWith(R"({"id":"$","displayName":"Ada"})", a), json::serialize(item.at("contact")));
        equal(jsonWith(R"([{"id":"$","displayName":"Augusta"}])", b), json::serialize(item.at("sources")));
        CHECK(item.at("undoable").as_bool());
        equal(json::string(owner.principalId), item.at("mergedBy").as_string());
        equal("2026-12-21", std::string(item.at("undoUntil").as_string()).substr(0, 10));
    }

    TEST(leavesOutWhatWasUndone)
    {
        const auto a = newContact("A"), b = newContact("B");
        const auto id = merge(a, {b});
        equal(200, undo(id).status);
        equal({}, ids());
        equal({}, ids("all=true"));
    }

    TEST(leavesOutWhatWasChangedSince)
    {
        const auto a = newContact("A"), b = newContact("B"), c = newContact("C"), d = newContact("D");
        const auto changed = merge(a, {b});
        const auto deleted = merge(c, {d});
        client->put(owner, "/api/contacts/" + a, R"({"jobTitle":"CTO"})");
        client->del(owner, "/api/contacts/" + c);
        equal({}, ids());
        // The list predicts the result of an undo.
        equal({deleted, changed}, ids("all=true"));
        const auto all = get("all=true");
        for (const auto& item : arrayAt(all, "/items")) CHECK(!item.at("undoable").as_bool());
        equal(409, undo(changed).status);
        equal(409, undo(deleted).status);
    }

    TEST(comesBackWithTheMergeAboveIt)
    {
        const auto a = newContact("A"), b = newContact("B"), c = newContact("C");
        const auto below = merge(a, {b});
        const auto above = merge(a, {c});
        equal({above}, ids());
        equal(200, undo(above).status);
        equal({below}, ids());
        equal(200, undo(below).status);
    }

    TEST(endsAfterThirtyDays)
    {
        const auto a = newContact("A"), b = newContact("B");
        const auto id = merge(a, {b});
        clock().advance(std::chrono::hours(24 * 30));
        equal({}, ids());
        equal({}, ids("all=true"));
        equal(404, undo(id).status);
    }

    TEST(pages)
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
            equal("5", page.at("/total"));
            for (const auto& item : arrayAt(page, "/items")) walked.emplace_back(item.at("mergeId").as_string());
            cursor = page.at("/nextCursor") == "null" ? "" : page.at("/nextCursor");
        } while (!cursor.empty());
        equal(made, walked);
    }

    TEST(keepsOrganizationsApart)
    {
        const auto a = newContact("A"), b = newContact("B");
        merge(a, {b});
        for (const auto* query : {"", "all=true"})
            equal(0, client->get(stranger, "/api/contacts/merges?" + std::string(query)).count("/items"));
    }

    TEST(needsTheRight)
    {
        auto nobody = owner;
        std::erase(nobody.permissions, "crm.contacts:read");
        equal(403, client->get(nobody, "/api/contacts/merges").status);
    }

    std::string merge(const std::string& target, const Names& sources)
    {
        clock().advance(std::chrono::milliseconds(1));
        json::array list;
        for (const auto& id : sources) list.emplace_back(id);
        const auto answer =
            client->post(owner, "/api/contacts/" + target + "/merge", json::serialize(json::object{{"sourceIds", std::move(list)}}));
        equal(200, answer.status, answer.body);
        return answer.at("/mergeId");
    }
    Answer undo(const std::string& id) const { return client->post(owner, "/api/contacts/merges/" + id + "/undo", "{}"); }
    Answer get(const std::string& query) const { return client->get(owner, "/api/contacts/merges?" + query); }
    Names ids(const std::string& query = {}) const
    {
        const auto answer = get(query);
        equal(200, answer.status, answer.body);
        Names found;
        for (const auto& item : arrayAt(answer, "/items")) found.emplace_back(item.at("mergeId").as_string());
        return found;
    }
};

} // namespace portico::tests
