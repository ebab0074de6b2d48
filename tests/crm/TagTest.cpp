#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// /api/tags.
class TagTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(TagTest);
    CPPUNIT_TEST(counts);
    CPPUNIT_TEST(findsByParts);
    CPPUNIT_TEST(pages);
    CPPUNIT_TEST(renames);
    CPPUNIT_TEST(joins);
    CPPUNIT_TEST(comparesTagsAsTheyAre);
    CPPUNIT_TEST(removes);
    CPPUNIT_TEST(changesDeletedContactsToo);
    CPPUNIT_TEST(takesAnyTagInAPath);
    CPPUNIT_TEST(checksNames);
    CPPUNIT_TEST(tellsOfEveryContact);
    CPPUNIT_TEST(changesManyContacts);
    CPPUNIT_TEST(losesNoUpdate);
    CPPUNIT_TEST(keepsOrganizationsApart);
    CPPUNIT_TEST(needsPermissionAndScope);
    CPPUNIT_TEST_SUITE_END();

public:
    void counts()
    {
        tagged({"vip", "Köln"});
        tagged({"vip"});
        const auto gone = tagged({"vip", "only gone"});
        client->del(owner, "/api/contacts/" + gone);
        CPPUNIT_ASSERT_EQUAL((Names{"Köln=1", "vip=2"}), tags());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, get("?include=total&limit=1").number("total"));
        client->post(owner, "/api/contacts/" + gone + "/restore", "");
        CPPUNIT_ASSERT_EQUAL((Names{"Köln=1", "only gone=1", "vip=3"}), tags());
        client->put(owner, "/api/contacts/" + gone, R"({"tags":["vip"]})");
        CPPUNIT_ASSERT_EQUAL((Names{"Köln=1", "vip=3"}), tags());
        CPPUNIT_ASSERT_EQUAL(Names{}, namesOf(client->get(stranger, "/api/tags")));
    }

    void findsByParts()
    {
        tagged({"Ångström", "alpha", "100%", "_x"});
        CPPUNIT_ASSERT_EQUAL(Names{"Ångström=1"}, tags("?q=ANGS"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ångström=1"}, tags("?q=%C3%85ng"));
        CPPUNIT_ASSERT_EQUAL(Names{"100%=1"}, tags("?q=%25"));
        CPPUNIT_ASSERT_EQUAL(Names{"_x=1"}, tags("?q=_"));
        CPPUNIT_ASSERT_EQUAL(Names{"alpha=1"}, tags("?q=+PH+"));
        CPPUNIT_ASSERT_EQUAL(Names{}, tags("?q=none"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), get("?name=x").code());
    }

    void pages()
    {
        // Regardless of case and accents, as people sort; some tags of deleted contacts stand between.
        const Names sorted{"10", "9", "a", "Ä", "B", "b", "Öl", "x", "Z"};
        for (const auto& tag : sorted) tagged({tag});
        for (const auto* tag : {"aa", "ab", "ac", "ad", "c", "zz"}) client->del(owner, "/api/contacts/" + tagged({tag}));
        Names expected;
        for (const auto& tag : sorted) expected.push_back(tag + "=1");
        CPPUNIT_ASSERT_EQUAL(expected, tags());
        for (const auto* query : {"?limit=2", "?limit=4&include=total", "?limit=9", "?limit=8&q="})
        {
            Names paged;
            std::string cursor;
            while (true)
            {
                const auto page = get(query + cursor);
                if (std::string(query).find("total") != std::string::npos) CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, page.number("total"));
                const auto found = namesOf(page);
                paged.insert(paged.end(), found.begin(), found.end());
                if (page["nextCursor"].is_null()) break;
                CPPUNIT_ASSERT(!found.empty());
                cursor = "&cursor=" + page.text("nextCursor");
            }
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, expected, paged);
        }
    }

    void renames()
    {
        const auto id = tagged({"a", "b", "c"});
        tagged({"b"});
        const auto other = tagged({"c"});
        clock().advance(std::chrono::seconds(1));
        const auto renamed = put("b", R"({"name":" New "})");
        CPPUNIT_ASSERT_EQUAL(200, renamed.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"New","contactCount":2})"), json::serialize(renamed.body));
        CPPUNIT_ASSERT_EQUAL((Names{"a=1", "c=2", "New=2"}), tags());
        const auto contact = show(id);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["a","New","c"])"), json::serialize(contact["tags"]));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, contact.number("version"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:01.000Z"), contact.text("updatedAt"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, show(other).number("version"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, names("tag=New").size());
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=b"));
        CPPUNIT_ASSERT_EQUAL(404, put("b", R"({"name":"x"})").status);
    }

    void joins()
    {
        const auto both = tagged({"x", "old", "new", "y"});
        const auto one = tagged({"old"});
        tagged({"new"});
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"new","contactCount":3})"), json::serialize(put("old", R"({"name":"new"})").body));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["x","new","y"])"), json::serialize(show(both)["tags"]));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["new"])"), json::serialize(show(one)["tags"]));
        CPPUNIT_ASSERT_EQUAL((Names{"new=3", "x=1", "y=1"}), tags());
    }

    void comparesTagsAsTheyAre()
    {
        const auto id = tagged({"vip", "VIP"});
        CPPUNIT_ASSERT_EQUAL((Names{"VIP=1", "vip=1"}), tags());
        CPPUNIT_ASSERT_EQUAL(404, put("Vip", R"({"name":"x"})").status);
        // Another case is another name.
        put("vip", R"({"name":"Vip"})");
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["Vip","VIP"])"), json::serialize(show(id)["tags"]));
        // The same name changes nothing.
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"VIP","contactCount":1})"), json::serialize(put("VIP", R"({"name":"VIP "})").body));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"VIP","contactCount":1})"), json::serialize(put("VIP", "{}").body));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"VIP","contactCount":1})"),
                             json::serialize(put("VIP", R"({"name":"VIP","contactCount":9})").body));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, show(id).number("version"));
    }

    void removes()
    {
        const auto id = tagged({"a", "b"});
        const auto answer = client->del(owner, "/api/tags/b");
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"name":"b","deleted":true})"), json::serialize(answer.body));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["a"])"), json::serialize(show(id)["tags"]));
        CPPUNIT_ASSERT_EQUAL(Names{"a=1"}, tags());
        CPPUNIT_ASSERT_EQUAL(404, client->del(owner, "/api/tags/b").status);
    }

    void changesDeletedContactsToo()
    {
        const auto gone = tagged({"a", "b"});
        tagged({"a"});
        client->del(owner, "/api/contacts/" + gone);
        put("a", R"({"name":"c"})");
        const auto restored = client->post(owner, "/api/contacts/" + gone + "/restore", "");
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["c","b"])"), json::serialize(restored["tags"]));
        client->del(owner, "/api/contacts/" + gone);
        // What only deleted contacts have is not there to be renamed.
        CPPUNIT_ASSERT_EQUAL(404, put("b", R"({"name":"c"})").status);
    }

    void takesAnyTagInAPath()
    {
        for (const auto& [tag, path] :
             std::vector<std::pair<std::string, std::string>>{{"a/b", "a%2Fb"},
                                                              {"100%", "100%25"},
                                                              {"Grün & blau", "Gr%C3%BCn%20%26%20blau"},
                                                              {"a+b", "a+b"},
                                                              {"?x=#y", "%3Fx%3D%23y"},
                                                              {"'; DROP TABLE contact;--", "%27%3B%20DROP%20TABLE%20contact%3B--"},
                                                              {"%_", "%25_"}})
        {
            const auto id = tagged({tag});
            tagged({"other"});
            const auto renamed = put(path, R"({"name":"to \"\\ %\/"})");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(tag, 200, renamed.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(tag, std::int64_t{1}, renamed.number("contactCount"));
            CPPUNIT_ASSERT_EQUAL(std::string(R"(["to \"\\ %/"])"), json::serialize(show(id)["tags"]));
            CPPUNIT_ASSERT_EQUAL(200, client->del(owner, "/api/tags/to%20%22%5C%20%25%2F").status);
        }
        // No tag is out of reach.
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["a b","c"])"),
                             json::serialize(created(R"({"firstName":"A","tags":["a\tb","\nc\u007f"]})")["tags"]));
    }

    void checksNames()
    {
        tagged({"a"});
        for (const auto* body : {R"({"name":""})", R"({"name":"  "})", R"({"name":"\t"})", R"({"name":null})"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body, Names{"name required"}, put("a", body).errors());
        CPPUNIT_ASSERT_EQUAL(Names{"name too_long"}, put("a", R"({"name":")" + std::string(51, 'x') + "\"}").errors());
        CPPUNIT_ASSERT_EQUAL(200, put("a", R"({"name":")" + std::string(50, 'x') + "\"}").status);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_field"), put(std::string(50, 'x'), R"({"label":"x"})").code());
    }

    void tellsOfEveryContact()
    {
        std::set<std::string> expected, told;
        for (int i = 0; i < 3; ++i) expected.insert(tagged({"a"}));
        client->del(owner, "/api/contacts/" + tagged({"a"}));
        tagged({"b"});
        put("a", R"({"name":"c"})");
        for (const auto& event : host->context().events().published("crm.contact.updated"))
        {
            const auto data = json::parse(event.data);
            CPPUNIT_ASSERT_EQUAL(std::string(R"(["tags"])"), json::serialize(data.at("changedFields")));
            told.emplace(data.at("contactId").as_string());
        }
        CPPUNIT_ASSERT(expected == told);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, host->context().events().published("crm.contact.updated").size());
    }

    void changesManyContacts()
    {
        for (int i = 0; i < 1203; ++i) tagged({"many", i % 2 == 0 ? "even" : "odd"});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1203}, put("many", R"({"name":"lots"})").number("contactCount"));
        CPPUNIT_ASSERT_EQUAL((Names{"even=602", "lots=1203", "odd=601"}), tags());
        CPPUNIT_ASSERT_EQUAL(200, client->del(owner, "/api/tags/even").status);
        CPPUNIT_ASSERT_EQUAL((Names{"lots=1203", "odd=601"}), tags());
        auto session = database().session();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                             *session.value<std::int64_t>("SELECT count(*) FROM contact WHERE document LIKE '%\"even\"%'"));
    }

    void losesNoUpdate()
    {
        std::vector<std::string> ids;
        for (int i = 0; i < 40; ++i) ids.push_back(tagged({"a"}));
        std::atomic<int> failed = 0;
        runTogether(4,
                    [&](int i)
                    {
                        if (i == 0)
                        {
                            for (int n = 0; n < 6; ++n)
                                failed += put(n % 2 == 0 ? "a" : "b", n % 2 == 0 ? R"({"name":"b"})" : R"({"name":"a"})").status != 200;
                            return;
                        }
                        for (const auto& id : ids)
                        {
                            const auto answer =
                                client->put(owner, "/api/contacts/" + id, "{\"" + std::string(members[i - 1]) + "\":\"x\"}");
                            failed += answer.status != 200;
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(0, failed.load());
        for (const auto& id : ids)
        {
            const auto contact = show(id);
            for (const auto* member : members) CPPUNIT_ASSERT_EQUAL(std::string("x"), contact.text(member));
            CPPUNIT_ASSERT_EQUAL(std::string(R"(["a"])"), json::serialize(contact["tags"]));
            // Created, six renames, three members.
            CPPUNIT_ASSERT_EQUAL(std::int64_t{10}, contact.number("version"));
        }
        CPPUNIT_ASSERT_EQUAL(Names{"a=40"}, tags());
    }

    void keepsOrganizationsApart()
    {
        const auto id = tagged({"a"});
        CPPUNIT_ASSERT_EQUAL(404, client->put(stranger, "/api/tags/a", R"({"name":"b"})").status);
        CPPUNIT_ASSERT_EQUAL(404, client->del(stranger, "/api/tags/a").status);
        client->post(stranger, "/api/contacts", R"({"firstName":"S","tags":["a"]})");
        CPPUNIT_ASSERT_EQUAL(200, client->del(stranger, "/api/tags/a").status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["a"])"), json::serialize(show(id)["tags"]));
    }

    void needsPermissionAndScope()
    {
        tagged({"a"});
        const auto reader = testing::userOf(owner.organizationId, {"crm.contacts:write", "crm.tags:read"});
        CPPUNIT_ASSERT_EQUAL(200, client->get(reader, "/api/tags").status);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), client->put(reader, "/api/tags/a", R"({"name":"b"})").code());
        CPPUNIT_ASSERT_EQUAL(403, client->del(reader, "/api/tags/none").status);
        const auto key = testing::keyOf(owner.organizationId, {"crm.tags:read", "crm.tags:write"}, {"tags.read"});
        CPPUNIT_ASSERT_EQUAL(200, client->get(key, "/api/tags").status);
        CPPUNIT_ASSERT_EQUAL(std::string("insufficient_scope"), client->del(key, "/api/tags/a").code());
    }

private:
    static constexpr std::array<const char*, 3> members{"jobTitle", "department", "nickname"};

    std::string tagged(const Names& list) const
    {
        json::array tags(list.begin(), list.end());
        return created(json::serialize(json::object{{"firstName", "A"}, {"tags", tags}})).id();
    }
    Answer get(const std::string& query = {}) const { return client->get(owner, "/api/tags" + query); }
    Answer put(const std::string& tag, std::string_view body) const { return client->put(owner, "/api/tags/" + tag, body); }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
    static Names namesOf(const Answer& answer)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(answer.body), 200, answer.status);
        Names found;
        for (const auto& item : answer["items"].as_array())
            found.push_back(std::string(item.at("name").as_string()) + '=' + std::to_string(item.at("contactCount").as_int64()));
        return found;
    }
    Names tags(const std::string& query = {}) const { return namesOf(get(query)); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(TagTest);

} // namespace portico::tests
