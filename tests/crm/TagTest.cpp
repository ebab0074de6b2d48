#include "crm/CrmFixture.h"
#include "support/Together.h"

#include <atomic>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// /api/tags.
class TagTest : public Suite<TagTest, CrmFixture>
{
    TEST(counts)
    {
        tagged({"vip", "Köln"});
        tagged({"vip"});
        const auto gone = tagged({"vip", "only gone"});
        client->del(owner, "/api/contacts/" + gone);
        equal({"Köln=1", "vip=2"}, tags());
        equal("2", get("?include=total&limit=1").at("/total"));
        client->post(owner, "/api/contacts/" + gone + "/restore", "");
        equal({"Köln=1", "only gone=1", "vip=3"}, tags());
        client->put(owner, "/api/contacts/" + gone, R"({"tags":["vip"]})");
        equal({"Köln=1", "vip=3"}, tags());
        equal({}, namesOf(client->get(stranger, "/api/tags")));
    }

    TEST(findsByParts)
    {
        tagged({"Ångström", "alpha", "100%", "_x"});
        equal({"Ångström=1"}, tags("?q=ANGS"));
        equal({"Ångström=1"}, tags("?q=%C3%85ng"));
        equal({"100%=1"}, tags("?q=%25"));
        equal({"_x=1"}, tags("?q=_"));
        equal({"alpha=1"}, tags("?q=+PH+"));
        equal({}, tags("?q=none"));
        equal("unknown_parameter", get("?name=x").code());
    }

    TEST(pages)
    {
        // Sorted regardless of case and accents; some tags of deleted contacts are in between.
        const Names sorted{"10", "9", "a", "Ä", "B", "b", "Öl", "x", "Z"};
        for (const auto& tag : sorted) tagged({tag});
        for (const auto* tag : {"aa", "ab", "ac", "ad", "c", "zz"}) client->del(owner, "/api/contacts/" + tagged({tag}));
        Names expected;
        for (const auto& tag : sorted) expected.push_back(tag + "=1");
        equal(expected, tags());
        for (const auto* query : {"?limit=2", "?limit=4&include=total", "?limit=9", "?limit=8&q="})
        {
            Names paged;
            std::string cursor;
            while (true)
            {
                const auto page = get(query + cursor);
                if (std::string(query).find("total") != std::string::npos) equal("9", page.at("/total"));
                const auto found = namesOf(page);
                paged.insert(paged.end(), found.begin(), found.end());
                if (page.at("/nextCursor") == "null") break;
                CHECK(!found.empty());
                cursor = "&cursor=" + page.at("/nextCursor");
            }
            equal(expected, paged, query);
        }
    }

    TEST(renames)
    {
        const auto id = tagged({"a", "b", "c"});
        tagged({"b"});
        const auto other = tagged({"c"});
        clock().advance(std::chrono::seconds(1));
        const auto renamed = put("b", R"({"name":" New "})");
        equal(200, renamed.status);
        equal(R"({"name":"New","contactCount":2})", renamed.at(""));
        equal({"a=1", "c=2", "New=2"}, tags());
        const auto contact = show(id);
        equal(R"(["a","New","c"])", contact.at("/tags"));
        equal("2", contact.at("/version"));
        equal("2026-11-21T09:00:01.000Z", contact.at("/updatedAt"));
        equal("1", show(other).at("/version"));
        equal(2, names("tag=New").size());
        equal({}, names("tag=b"));
        equal(404, put("b", R"({"name":"x"})").status);
    }

    TEST(joins)
    {
        const auto both = tagged({"x", "old", "new", "y"});
        const auto one = tagged({"old"});
        tagged({"new"});
        equal(R"({"name":"new","contactCount":3})", put("old", R"({"name":"new"})").at(""));
        equal(R"(["x","new","y"])", show(both).at("/tags"));
        equal(R"(["new"])", show(one).at("/tags"));
        equal({"new=3", "x=1", "y=1"}, tags());
    }

    TEST(comparesTagsAsTheyAre)
    {
        const auto id = tagged({"vip", "VIP"});
        equal({"VIP=1", "vip=1"}, tags());
        equal(404, put("Vip", R"({"name":"x"})").status);
        // Another case is another name.
        put("vip", R"({"name":"Vip"})");
        equal(R"(["Vip","VIP"])", show(id).at("/tags"));
        // The same name changes nothing.
        equal(R"({"name":"VIP","contactCount":1})", put("VIP", R"({"name":"VIP "})").at(""));
        equal(R"({"name":"VIP","contactCount":1})", put("VIP", "{}").at(""));
        equal(R"({"name":"VIP","contactCount":1})", put("VIP", R"({"name":"VIP","contactCount":9})").at(""));
        equal("2", show(id).at("/version"));
    }

    TEST(removes)
    {
        const auto id = tagged({"a", "b"});
        const auto answer = client->del(owner, "/api/tags/b");
        equal(200, answer.status);
        equal(R"({"name":"b","deleted":true})", answer.at(""));
        equal(R"(["a"])", show(id).at("/tags"));
        equal({"a=1"}, tags());
        equal(404, client->del(owner, "/api/tags/b").status);
    }

    TEST(changesDeletedContactsToo)
    {
        const auto gone = tagged({"a", "b"});
        tagged({"a"});
        client->del(owner, "/api/contacts/" + gone);
        put("a", R"({"name":"c"})");
        const auto restored = client->post(owner, "/api/contacts/" + gone + "/restore", "");
        equal(R"(["c","b"])", restored.at("/tags"));
        client->del(owner, "/api/contacts/" + gone);
        // A tag that only deleted contacts have cannot be renamed.
        equal(404, put("b", R"({"name":"c"})").status);
    }

    TEST(takesAnyTagInAPath)
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
            equal(200, renamed.status, tag);
            equal("1", renamed.at("/contactCount"), tag);
            equal(R"(["to \"\\ %/"])", show(id).at("/tags"));
            equal(200, client->del(owner, "/api/tags/to%20%22%5C%20%25%2F").status);
        }
        // No tag is out of reach.
        equal(R"(["a b","c"])", created(R"({"firstName":"A","tags":["a\tb","\nc\u007f"]})").at("/tags"));
    }

    TEST(checksNames)
    {
        tagged({"a"});
        for (const auto* body : {R"({"name":""})", R"({"name":"  "})", R"({"name":"\t"})", R"({"name":null})"})
            equal({"name required"}, put("a", body).errors(), body);
        equal({"name too_long"}, put("a", jsonWith(R"({"name":"$"})", std::string(51, 'x'))).errors());
        equal(200, put("a", jsonWith(R"({"name":"$"})", std::string(50, 'x'))).status);
        equal("unknown_field", put(std::string(50, 'x'), R"({"label":"x"})").code());
    }

    TEST(publishesAnEventForEachContact)
    {
        std::set<std::string> expected, told;
        for (int i = 0; i < 3; ++i) expected.insert(tagged({"a"}));
        client->del(owner, "/api/contacts/" + tagged({"a"}));
        tagged({"b"});
        put("a", R"({"name":"c"})");
        for (const auto& event : host->context().events().published("crm.contact.updated"))
        {
            const auto data = json::parse(event.data);
            equal(R"(["tags"])", json::serialize(data.at("changedFields")));
            told.emplace(data.at("contactId").as_string());
        }
        CHECK(expected == told);
        equal(3, host->context().events().published("crm.contact.updated").size());
    }

    TEST(changesManyContacts)
    {
        for (int i = 0; i < 1203; ++i) tagged({"many", i % 2 == 0 ? "even" : "odd"});
        equal("1203", put("many", R"({"name":"lots"})").at("/contactCount"));
        equal({"even=602", "lots=1203", "odd=601"}, tags());
        equal(200, client->del(owner, "/api/tags/even").status);
        equal({"lots=1203", "odd=601"}, tags());
        auto session = database().session();
        equal(0, *session.value<std::int64_t>("SELECT count(*) FROM contact WHERE document LIKE '%\"even\"%'"));
    }

    TEST(losesNoUpdate)
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
                                client->put(owner, "/api/contacts/" + id, jsonWith(R"({"$":"x"})", std::string(members[i - 1])));
                            failed += answer.status != 200;
                        }
                    });
        equal(0, failed.load());
        for (const auto& id : ids)
        {
            const auto contact = show(id);
            for (const auto* member : members) equal("x", contact.at("/" + std::string(member)));
            equal(R"(["a"])", contact.at("/tags"));
            // Created, six renames, three members.
            equal("10", contact.at("/version"));
        }
        equal({"a=40"}, tags());
    }

    TEST(keepsOrganizationsApart)
    {
        const auto id = tagged({"a"});
        equal(404, client->put(stranger, "/api/tags/a", R"({"name":"b"})").status);
        equal(404, client->del(stranger, "/api/tags/a").status);
        client->post(stranger, "/api/contacts", R"({"firstName":"S","tags":["a"]})");
        equal(200, client->del(stranger, "/api/tags/a").status);
        equal(R"(["a"])", show(id).at("/tags"));
    }

    TEST(needsPermissionAndScope)
    {
        tagged({"a"});
        const auto reader = testing::userOf(owner.organizationId, {"crm.contacts:write", "crm.tags:read"});
        equal(200, client->get(reader, "/api/tags").status);
        equal("permission_denied", client->put(reader, "/api/tags/a", R"({"name":"b"})").code());
        equal(403, client->del(reader, "/api/tags/none").status);
        const auto key = testing::keyOf(owner.organizationId, {"crm.tags:read", "crm.tags:write"}, {"tags.read"});
        equal(200, client->get(key, "/api/tags").status);
        equal("insufficient_scope", client->del(key, "/api/tags/a").code());
    }

    static constexpr std::array<const char*, 3> members{"jobTitle", "department", "nickname"};

    std::string tagged(const Names& list) const
    {
        json::array tags(list.begin(), list.end());
        return created(json::serialize(json::object{{"firstName", "A"}, {"tags", tags}})).at("/id");
    }
    Answer get(const std::string& query = {}) const { return client->get(owner, "/api/tags" + query); }
    Answer put(const std::string& tag, std::string_view body) const { return client->put(owner, "/api/tags/" + tag, body); }
    Answer show(const std::string& id) const { return client->get(owner, "/api/contacts/" + id); }
    static Names namesOf(const Answer& answer)
    {
        equal(200, answer.status, answer.body);
        Names found;
        for (const auto& item : arrayAt(answer, "/items"))
            found.push_back(std::string(item.at("name").as_string()) + '=' + std::to_string(item.at("contactCount").as_int64()));
        return found;
    }
    Names tags(const std::string& query = {}) const { return namesOf(get(query)); }
};

} // namespace portico::tests
