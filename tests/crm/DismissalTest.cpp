#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// POST and DELETE /api/contacts/duplicates/dismiss.
class DismissalTest : public Suite<DismissalTest, CrmFixture>
{
    TEST(suggestsNoMore)
    {
        const auto [a, b] = twins();
        const auto c = add(R"("firstName":"C","emails":[{"address":"s@a.example"}])");
        const auto answer = dismiss({b, a});
        equal(200, answer.status);
        equal(jsonWith(R"({"contactIds":["$","$"]})", b, a), answer.at(""));
        equal({"A+C", "B+C"}, pairs());
        // Saying it again changes nothing.
        dismiss({a, b});
        equal({"A+C", "B+C"}, pairs());
    }

    TEST(suggestsAgainWhenWhatMatchedChanges)
    {
        const auto a = add(R"("firstName":"A","emails":[{"address":"s@a.example"},{"address":"t@a.example"}])");
        const auto b = add(R"("firstName":"B","emails":[{"address":"s@a.example"},{"address":"t@a.example"}])");
        dismiss({a, b});
        change(a, R"({"emails":[{"address":"t@a.example"}]})");
        equal({"A+B"}, pairs());
    }

    TEST(suggestsAgainWhenMoreMatches)
    {
        const auto [a, b] = twins();
        dismiss({a, b});
        change(a, R"({"phones":[{"number":"+49 170 1234567"}]})");
        equal({}, pairs());
        change(b, R"({"phones":[{"number":"+49 170 1234567"}]})");
        equal({"A+B"}, pairs());
        dismiss({a, b});
        equal({}, pairs());
    }

    TEST(staysWhenOtherThingsChange)
    {
        const auto [a, b] = twins();
        dismiss({a, b});
        change(a, R"({"jobTitle":"CTO","tags":["x"],"lastName":"New","emails":[{"address":"S@A.example","label":"home"},)"
                  R"({"address":"other@x.example"}]})");
        equal({}, pairs());
        client->del(owner, "/api/contacts/" + a);
        client->post(owner, "/api/contacts/" + a + "/restore", "{}");
        equal({}, pairs());
    }

    TEST(isUndone)
    {
        const auto [a, b] = twins();
        dismiss({a, b});
        equal(200, undismiss({a, b}).status);
        equal({"A+B"}, pairs());
        // Undismissing twice succeeds.
        equal(200, undismiss({a, b}).status);
    }

    TEST(distinguishesSeveralPairs)
    {
        Names ids;
        for (int i = 0; i < 11; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$","emails":[{"address":"s@a.example"}])", i)));
        equal(55, pairs().size());
        dismiss({ids.begin(), ids.begin() + 10});
        equal(10, pairs().size());
        dismiss(ids);
        equal({}, pairs());
        undismiss({ids[3], ids[7]});
        equal({"A3+A7"}, pairs());
    }

    TEST(knowsSimilarNames)
    {
        const auto a = add(R"("firstName":"Catherine","lastName":"Miller","emails":[{"address":"c@corp.example"}])");
        const auto b = add(R"("firstName":"Catherina","lastName":"Miller","emails":[{"address":"cm@corp.example"}])");
        equal(1, pairs().size());
        dismiss({a, b});
        equal({}, pairs());
        change(b, R"({"firstName":"Catherin"})");
        equal(1, pairs().size());
        dismiss({b, a});
        change(a, R"({"emails":[{"address":"c@corp.example"},{"address":"c@other.example"}]})");
        equal({}, pairs());
    }

    TEST(pagesAroundThem)
    {
        Names ids;
        for (int i = 0; i < 8; ++i) ids.push_back(add(jsonWith(R"("firstName":"A$","emails":[{"address":"s@a.example"}])", i)));
        dismiss({ids[0], ids[1], ids[2], ids[3]});
        Names walked;
        std::string cursor;
        do {
            const auto page = client->get(owner, "/api/contacts/duplicates?limit=3" + (cursor.empty() ? "" : "&cursor=" + cursor));
            for (auto& pair : namesOf(page)) walked.push_back(std::move(pair));
            cursor = page.at("/nextCursor") == "null" ? "" : page.at("/nextCursor");
        } while (!cursor.empty());
        equal(pairs(), walked);
        equal(std::size_t{28 - 6}, walked.size());
    }

    TEST(goesWithTheContact)
    {
        const auto [a, b] = twins();
        const auto c = add(R"("firstName":"C")");
        dismiss({a, b});
        client->post(owner, "/api/contacts/" + c + "/merge", jsonWith(R"({"sourceIds":["$"]})", a));
        // The merged contact has other data: C now has the address, and this pair was not dismissed.
        equal({"B+C"}, pairs());
        const auto left = database().session().value<std::int64_t>("SELECT count(*) FROM contact_distinct");
        equal(0, *left);
    }

    TEST(isSaidTwiceAtOnce)
    {
        const auto [a, b] = twins();
        std::atomic<int> good{0};
        runTogether(8, [&](int i) { good += (i % 2 == 0 ? dismiss({a, b}) : dismiss({b, a})).status == 200; });
        equal(8, good.load());
        equal({}, pairs());
    }

    TEST(checksItsInput)
    {
        const auto [a, b] = twins();
        for (const auto& [body, error] : std::vector<std::pair<std::string, std::string>>{
                 {"{}", "contactIds required"},
                 {jsonWith(R"({"contactIds":["$"]})", a), "contactIds too_short"},
                 {jsonWith(R"({"contactIds":["$","$","$"]})", a, b, a), "contactIds[2] not_unique"}})
        {
            const auto answer = client->post(owner, path, body);
            equal(400, answer.status, answer.body);
            equal(1, answer.errors().size());
            CPPUNIT_ASSERT_MESSAGE(answer.errors()[0], answer.errors()[0].starts_with(error.substr(0, error.find(' '))));
        }
        Names many;
        for (int i = 0; i < 12; ++i) many.push_back("con_" + makeUlid(Instant{}));
        equal(400, dismiss(many).status);
        equal(404, dismiss({a, many[0]}).status);
        equal(404, undismiss({a, many[0]}).status);
        client->del(owner, "/api/contacts/" + b);
        equal(404, dismiss({a, b}).status);
    }

    TEST(keepsOrganizationsApart)
    {
        const auto [a, b] = twins();
        equal(404, dismiss({a, b}, stranger).status);
        dismiss({a, b});
        equal(404, undismiss({a, b}, stranger).status);
        equal({}, pairs());
    }

    TEST(needsTheRight)
    {
        const auto [a, b] = twins();
        auto reader = owner;
        std::erase(reader.permissions, "crm.contacts:write");
        equal(403, dismiss({a, b}, reader).status);
        equal(403, undismiss({a, b}, reader).status);
    }

    static constexpr std::string_view path = "/api/contacts/duplicates/dismiss";

    /// They are found in the order of their ids.
    std::string add(const std::string& members)
    {
        clock().advance(std::chrono::milliseconds(1));
        return created('{' + members + '}').at("/id");
    }
    std::pair<std::string, std::string> twins()
    {
        auto a = add(R"("firstName":"A","emails":[{"address":"s@a.example"}])");
        return {std::move(a), add(R"("firstName":"B","emails":[{"address":"s@a.example"}])")};
    }
    void change(const std::string& id, std::string_view body) const { equal(200, client->put(owner, "/api/contacts/" + id, body).status); }
    static std::string bodyOf(const Names& ids)
    {
        json::array list;
        for (const auto& id : ids) list.emplace_back(id);
        return json::serialize(json::object{{"contactIds", std::move(list)}});
    }
    Answer dismiss(const Names& ids) const { return dismiss(ids, owner); }
    Answer dismiss(const Names& ids, const Caller& caller) const { return client->post(caller, path, bodyOf(ids)); }
    Answer undismiss(const Names& ids) const { return undismiss(ids, owner); }
    Answer undismiss(const Names& ids, const Caller& caller) const { return client->send(caller, Method::Delete, path, bodyOf(ids)); }

    static Names namesOf(const Answer& page)
    {
        equal(200, page.status, page.body);
        Names found;
        for (const auto& pair : arrayAt(page, "/items"))
            found.push_back(std::string(pair.at("contacts").at(0).at("firstName").as_string()) + '+' +
                            std::string(pair.at("contacts").at(1).at("firstName").as_string()));
        return found;
    }
    Names pairs() const { return namesOf(client->get(owner, "/api/contacts/duplicates?limit=200")); }
};

} // namespace portico::tests
