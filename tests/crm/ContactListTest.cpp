#include "crm/CrmFixture.h"

#include <algorithm>
#include <set>
#include <thread>

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts: filters, search, sorting, paging.
class ContactListTest : public Suite<ContactListTest, CrmFixture>
{
    TEST(filters)
    {
        auto& members = directory.members;
        const auto user = "usr_" + makeUlid(Instant{});
        members[{owner.organizationId, user}] = true;
        created(jsonWith(R"({"firstName":"A","tags":["vip","Köln"],"lifecycle":"customer","source":"form","ownerUserId":"$"})", user));
        created(R"({"firstName":"B","tags":["vip"],"lifecycle":"lead","emails":[{"address":"b@a.example"}]})");
        const auto third = created(R"({"firstName":"C","tags":["Vip"],"lifecycle":"former"})").at("/id");
        equal({"C"}, names("id=" + third + ",con_" + makeUlid(Instant{})));
        equal({}, names("tag=vip&id=" + third));
        equal({"A", "B"}, names("tag=vip"));
        equal({"A", "C"}, names("tag=K%C3%B6ln,Vip"));
        equal({"A", "C"}, names("lifecycle=customer,former"));
        equal({"A"}, names("source=form"));
        equal({"A"}, names("ownerUserId=" + user));
        equal({"B"}, names("hasEmail=true"));
        equal({"A", "C"}, names("hasEmail=false"));
        equal({}, names("archived=true"));
    }

    TEST(filtersByTime)
    {
        newContact("A");
        clock().advance(std::chrono::hours(1));
        const auto second = newContact("B");
        clock().advance(std::chrono::hours(1));
        client->put(owner, "/api/contacts/" + second, R"({"jobTitle":"x"})");
        equal({"B"}, names("createdFrom=2026-11-21T10:00:00Z"));
        equal({"A"}, names("createdTo=2026-11-21T11:00:00%2B01:00"));
        equal({}, names("createdTo=2026-11-21T09:00:00Z"));
        equal({"B"}, names("updatedFrom=2026-11-21T11:00:00Z"));
        equal({"A"}, names("updatedFrom=2026-11-21T09:00:00Z&updatedTo=2026-11-21T11:00:00Z"));
    }

    TEST(combinesFilters)
    {
        created(R"({"firstName":"Ada","tags":["x"],"lifecycle":"customer"})");
        created(R"({"firstName":"Adam","tags":["x"]})");
        equal({"Ada"}, names("q=ada&tag=x&lifecycle=customer"));
        equal({}, names("q=adam&tag=x&lifecycle=customer"));
    }

    TEST(comparesEmailsAndPhones)
    {
        created(R"({"firstName":"A","emails":[{"address":"Ada@B\u00fccher.example"}],"phones":[{"number":"+49 (0)170 1234567"}]})");
        created(R"({"firstName":"B","emails":[{"address":"b@a.example"}],"phones":[{"number":"0170-999"}]})");
        equal({"A"}, names("email=ADA@xn--bcher-kva.example"));
        equal({"A", "B"}, names("email=ada@b%C3%BCcher.example,B@A.example"));
        equal({}, names("email=ada"));
        equal({"A"}, names("phone=0049%20170%201234567"));
        equal({"B"}, names("phone=0170%20999"));
        equal({}, names("phone=170"));
    }

    TEST(knowsNoBoardsYet)
    {
        newContact();
        equal({}, names("pipelineId=pip_" + makeUlid(Instant{})));
        equal({}, names("stageId=stg_" + makeUlid(Instant{})));
        equal(400, list("pipelineId=x").status);
    }

    TEST(selectsMembers)
    {
        const auto id = newContact();
        equal(jsonWith(R"({"id":"$","displayName":"Ada","counts":{"notes":0,"attachments":0}})", id),
              list("fields=displayName,counts").at("/items/0"));
        equal(400, list("fields=displayName,noteCount").status);
        equal(400, list("fields=secret").status);
    }

    TEST(refusesWhatItDoesNotKnow)
    {
        newContact();
        const auto unknown = list("tags=x");
        refused(unknown, 400, "unknown_parameter");
        for (const auto* query : {"lifecycle=x", "sort=email", "createdFrom=yesterday", "hasEmail=1", "ownerUserId=1", "limit=0",
                                  "limit=201", "tag=", "include=all", "tag=a&tag=b"})
            equal(400, list(query).status, query);
        equal(400, list("q=" + std::string(201, 'x')).status);
    }

    TEST(searchesPartsOfNames)
    {
        created(R"({"firstName":"Ada","lastName":"Lovelace","companyName":"Analytical Engines"})");
        created(R"({"firstName":"Grace","lastName":"Hopper","nickname":"Amazing","displayName":"Admiral",)"
                R"("emails":[{"address":"grace.h@navy.example"}]})");
        equal({"Ada Lovelace"}, names("q=LOVE"));
        equal({"Ada Lovelace"}, names("q=lace+engin"));
        equal({"Admiral"}, names("q=hop+amaz"));
        equal({"Admiral"}, names("q=e.h%40navy"));
        // Words of one and two letters, alone and beside longer ones.
        equal({"Ada Lovelace", "Admiral"}, names("q=a"));
        equal({"Ada Lovelace", "Admiral"}, names("q=ad"));
        equal({"Ada Lovelace"}, names("q=ad+lovelace"));
        // No word spans two members, and every word must be there.
        equal({}, names("q=lovelaceanalytical"));
        equal({}, names("q=love+hopper"));
        equal({"Ada Lovelace", "Admiral"}, names("q=+"));
    }

    TEST(searchesWithoutAccents)
    {
        created(R"({"firstName":"Søren","lastName":"Ångström"})");
        created(R"({"firstName":"Ελένη","lastName":"Йован"})");
        equal({"Søren Ångström"}, names("q=soren+ANGSTROM"));
        equal({"Søren Ångström"}, names("q=%C3%85ngstr%C3%B6m"));
        equal({"Ελένη Йован"}, names("q=%CE%95%CE%BB%CE%B5%CE%BD")); // Ελεν
        equal({"Ελένη Йован"}, names("q=%D0%B9%D0%9E"));             // йО
    }

    TEST(searchesNumbers)
    {
        created(R"({"firstName":"A","phones":[{"number":"+49 (0)170 123-4567"}]})");
        created(R"({"firstName":"B","phones":[{"number":"030 555 12"}]})");
        equal({"A"}, names("q=0170+123"));
        equal({"A"}, names("q=%2B49170"));
        equal({"A"}, names("q=0049-170"));
        equal({"A"}, names("q=4567"));
        equal({"B"}, names("q=(030)+555"));
        equal({}, names("q=999"));
    }

    TEST(takesSearchesLiterally)
    {
        created(R"({"firstName":"100%","lastName":"\"AND\"_\\x"})");
        newContact("plain text");
        for (const auto* query : {"q=00%25", "q=100%25", "q=%22and%22_", "q=_%5Cx", "q=%22", "q=_", "q=%25", "q=%5C"})
            equal(1, names(query).size(), query);
        for (const auto* query : {"q=plain+OR+x", "q=pla*", "q=text%3Aplain", "q=NOT+plain", "q=%27%3B--", "q=(plain"})
            equal({}, names(query), query);
    }

    TEST(sortsWithoutCase)
    {
        for (const auto* name : {"zeta", "Ähre", "alpha", "Beta", "ähnlich", "_x", "Ωmega", "éclair", "ÉCLAT", "beta b", "10", "9"})
            newContact(name);
        // The order is the same on both engines, regardless of the database's locale.
        equal({"10", "9", "_x", "ähnlich", "Ähre", "alpha", "Beta", "beta b", "éclair", "ÉCLAT", "zeta", "Ωmega"},
              names("sort=displayName"));
        auto backwards = names("sort=-displayName");
        std::reverse(backwards.begin(), backwards.end());
        equal(names(""), backwards);
    }

    TEST(sortsByEverySort)
    {
        const auto first = created(R"({"firstName":"C","lastName":"a"})").at("/id");
        clock().advance(std::chrono::seconds(1));
        created(R"({"firstName":"B","lastName":"Ä2"})");
        clock().advance(std::chrono::seconds(1));
        created(R"({"firstName":"A","lastName":"c"})");
        clock().advance(std::chrono::seconds(1));
        client->put(owner, "/api/contacts/" + first, R"({"jobTitle":"x"})");
        const Names abc{"A c", "B Ä2", "C a"}, cba{"C a", "B Ä2", "A c"};
        equal(abc, names("sort=displayName"));
        equal(cba, names("sort=createdAt"));
        equal(abc, names("sort=-createdAt"));
        equal({"B Ä2", "A c", "C a"}, names("sort=updatedAt"));
        equal({"C a", "A c", "B Ä2"}, names("sort=-updatedAt"));
        equal(cba, names("sort=lastName"));
        equal(abc, names("sort=-lastName"));
    }

    TEST(pagesThroughEqualNames)
    {
        for (int i = 0; i < 7; ++i) newContact("Same");
        const auto pages = allPages("limit=2");
        equal(7, pages.size());
        equal(7, std::set<std::string>(pages.begin(), pages.end()).size());
        CHECK(std::is_sorted(pages.begin(), pages.end()));
    }

    TEST(pagesInEverySort)
    {
        for (int i = 0; i < 9; ++i)
        {
            created(jsonWith(R"({"firstName":"F$","lastName":"line\nbreak"})", i * 7 % 9));
            if (i % 2 == 0) clock().advance(std::chrono::milliseconds(1));
        }
        for (const auto* sort :
             {"displayName", "-displayName", "createdAt", "-createdAt", "updatedAt", "-updatedAt", "lastName", "-lastName"})
        {
            const auto query = "sort=" + std::string(sort);
            std::vector<std::string> whole;
            const auto answer = list(query);
            for (const auto& item : arrayAt(answer, "/items")) whole.emplace_back(item.at("id").as_string());
            equal(whole, allPages(query + "&limit=4"), sort);
            equal(whole, allPages(query + "&limit=9"), sort);
        }
    }

    TEST(pagesWhileContactsAreAdded)
    {
        std::set<std::string> before;
        for (int i = 0; i < 40; ++i) before.insert(newContact("P" + std::to_string(i * 37 % 40)));
        std::jthread writer(
            [&](const std::stop_token& stop)
            {
                for (int i = 0; !stop.stop_requested(); ++i)
                    client->post(owner, "/api/contacts", jsonWith(R"({"firstName":"P$x"})", i % 50));
            });
        std::vector<std::vector<std::string>> walks;
        for (const auto* sort : {"displayName", "-displayName", "createdAt", "-createdAt"})
            walks.push_back(allPages("limit=3&sort=" + std::string(sort), 400));
        writer.request_stop();
        writer.join();
        for (const auto& walk : walks)
        {
            const std::set<std::string> seen(walk.begin(), walk.end());
            equal(walk.size(), seen.size(), "nothing twice");
            CPPUNIT_ASSERT_MESSAGE("nothing left out", std::includes(seen.begin(), seen.end(), before.begin(), before.end()));
        }
    }

    TEST(bindsCursors)
    {
        for (int i = 0; i < 3; ++i) newContact("N" + std::to_string(i));
        const auto cursor = list("limit=1&q=N").at("/nextCursor");
        equal(200, list("limit=2&q=N&cursor=" + cursor).status);
        for (const auto& query :
             {"limit=1&q=M&cursor=" + cursor, "limit=1&cursor=" + cursor, "limit=1&q=N&sort=-displayName&cursor=" + cursor,
              "limit=1&q=N&cursor=" + cursor + "A", std::string("limit=1&q=N&cursor=x")})
        {
            const auto answer = list(query);
            refused(answer, 400, "invalid_cursor", query);
        }
        equal(400, client->get(stranger, "/api/contacts?limit=1&q=N&cursor=" + cursor).status);
    }

    TEST(counts)
    {
        for (int i = 0; i < 5; ++i) created(R"({"firstName":"N)" + std::to_string(i) + (i < 3 ? R"(","tags":["x"]})" : "\"}"));
        const auto page = list("limit=2&tag=x&include=total");
        equal("3", page.at("/total"));
        equal(2, page.count("/items"));
        const auto last = list("limit=2&tag=x&include=total&cursor=" + page.at("/nextCursor"));
        equal("3", last.at("/total"));
        equal("null", last.at("/nextCursor"));
        CHECK(!list("limit=2").has("/total"));
    }

    /// Ids of all pages, in their order.
    std::vector<std::string> allPages(const std::string& query, int most = 100) const
    {
        std::vector<std::string> ids;
        std::string cursor;
        while (most-- > 0)
        {
            const auto page = list(query + cursor);
            equal(200, page.status, page.body);
            for (const auto& item : arrayAt(page, "/items")) ids.emplace_back(item.at("id").as_string());
            if (page.at("/nextCursor") == "null") break;
            cursor = "&cursor=" + page.at("/nextCursor");
        }
        return ids;
    }
};

} // namespace portico::tests
