#include "crm/CrmFixture.h"

#include <algorithm>
#include <set>
#include <thread>

namespace portico::tests
{

namespace json = boost::json;

/// GET /api/contacts: filters, search, sorting, paging.
class ContactListTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(ContactListTest);
    CPPUNIT_TEST(filters);
    CPPUNIT_TEST(filtersByTime);
    CPPUNIT_TEST(combinesFilters);
    CPPUNIT_TEST(comparesEmailsAndPhones);
    CPPUNIT_TEST(knowsNoBoardsYet);
    CPPUNIT_TEST(selectsMembers);
    CPPUNIT_TEST(refusesWhatItDoesNotKnow);
    CPPUNIT_TEST(searchesPartsOfNames);
    CPPUNIT_TEST(searchesWithoutAccents);
    CPPUNIT_TEST(searchesNumbers);
    CPPUNIT_TEST(takesSearchesLiterally);
    CPPUNIT_TEST(sortsWithoutCase);
    CPPUNIT_TEST(sortsByEverySort);
    CPPUNIT_TEST(pagesThroughEqualNames);
    CPPUNIT_TEST(pagesInEverySort);
    CPPUNIT_TEST(pagesWhileContactsAreAdded);
    CPPUNIT_TEST(bindsCursors);
    CPPUNIT_TEST(counts);
    CPPUNIT_TEST_SUITE_END();

public:
    void filters()
    {
        auto& members = directory.members;
        const auto user = "usr_" + makeUlid(Instant{});
        members[{owner.organizationId, user}] = true;
        created(R"({"firstName":"A","tags":["vip","Köln"],"lifecycle":"customer","source":"form","ownerUserId":")" + user + "\"}");
        created(R"({"firstName":"B","tags":["vip"],"lifecycle":"lead","emails":[{"address":"b@a.example"}]})");
        const auto third = created(R"({"firstName":"C","tags":["Vip"],"lifecycle":"former"})").id();
        CPPUNIT_ASSERT_EQUAL(Names{"C"}, names("id=" + third + ",con_" + makeUlid(Instant{})));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("tag=vip&id=" + third));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), names("tag=vip"));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), names("tag=K%C3%B6ln,Vip"));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), names("lifecycle=customer,former"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("source=form"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("ownerUserId=" + user));
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("hasEmail=true"));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "C"}), names("hasEmail=false"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("archived=true"));
    }

    void filtersByTime()
    {
        newContact("A");
        clock().advance(std::chrono::hours(1));
        const auto second = newContact("B");
        clock().advance(std::chrono::hours(1));
        client->put(owner, "/api/contacts/" + second, R"({"jobTitle":"x"})");
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("createdFrom=2026-11-21T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("createdTo=2026-11-21T11:00:00%2B01:00"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("createdTo=2026-11-21T09:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("updatedFrom=2026-11-21T11:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("updatedFrom=2026-11-21T09:00:00Z&updatedTo=2026-11-21T11:00:00Z"));
    }

    void combinesFilters()
    {
        created(R"({"firstName":"Ada","tags":["x"],"lifecycle":"customer"})");
        created(R"({"firstName":"Adam","tags":["x"]})");
        CPPUNIT_ASSERT_EQUAL(Names{"Ada"}, names("q=ada&tag=x&lifecycle=customer"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("q=adam&tag=x&lifecycle=customer"));
    }

    void comparesEmailsAndPhones()
    {
        created(R"({"firstName":"A","emails":[{"address":"Ada@B\u00fccher.example"}],"phones":[{"number":"+49 (0)170 1234567"}]})");
        created(R"({"firstName":"B","emails":[{"address":"b@a.example"}],"phones":[{"number":"0170-999"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("email=ADA@xn--bcher-kva.example"));
        CPPUNIT_ASSERT_EQUAL((Names{"A", "B"}), names("email=ada@b%C3%BCcher.example,B@A.example"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("email=ada"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("phone=0049%20170%201234567"));
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("phone=0170%20999"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("phone=170"));
    }

    void knowsNoBoardsYet()
    {
        newContact();
        CPPUNIT_ASSERT_EQUAL(Names{}, names("pipelineId=pip_" + makeUlid(Instant{})));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("stageId=stg_" + makeUlid(Instant{})));
        CPPUNIT_ASSERT_EQUAL(400, list("pipelineId=x").status);
    }

    void selectsMembers()
    {
        const auto id = newContact();
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + id + R"(","displayName":"Ada","counts":{"notes":0,"attachments":0}})",
                             json::serialize(list("fields=displayName,counts")["items"].at(0)));
        CPPUNIT_ASSERT_EQUAL(400, list("fields=displayName,noteCount").status);
        CPPUNIT_ASSERT_EQUAL(400, list("fields=secret").status);
    }

    void refusesWhatItDoesNotKnow()
    {
        newContact();
        const auto unknown = list("tags=x");
        CPPUNIT_ASSERT_EQUAL(400, unknown.status);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), unknown.code());
        for (const auto* query : {"lifecycle=x", "sort=email", "createdFrom=yesterday", "hasEmail=1", "ownerUserId=1", "limit=0",
                                  "limit=201", "tag=", "include=all", "tag=a&tag=b"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, 400, list(query).status);
        CPPUNIT_ASSERT_EQUAL(400, list("q=" + std::string(201, 'x')).status);
    }

    void searchesPartsOfNames()
    {
        created(R"({"firstName":"Ada","lastName":"Lovelace","companyName":"Analytical Engines"})");
        created(
            R"({"firstName":"Grace","lastName":"Hopper","nickname":"Amazing","displayName":"Admiral","emails":[{"address":"grace.h@navy.example"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"Ada Lovelace"}, names("q=LOVE"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada Lovelace"}, names("q=lace+engin"));
        CPPUNIT_ASSERT_EQUAL(Names{"Admiral"}, names("q=hop+amaz"));
        CPPUNIT_ASSERT_EQUAL(Names{"Admiral"}, names("q=e.h%40navy"));
        // Words of one and two letters, alone and beside longer ones.
        CPPUNIT_ASSERT_EQUAL((Names{"Ada Lovelace", "Admiral"}), names("q=a"));
        CPPUNIT_ASSERT_EQUAL((Names{"Ada Lovelace", "Admiral"}), names("q=ad"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ada Lovelace"}, names("q=ad+lovelace"));
        // No word spans two members, and every word must be there.
        CPPUNIT_ASSERT_EQUAL(Names{}, names("q=lovelaceanalytical"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("q=love+hopper"));
        CPPUNIT_ASSERT_EQUAL((Names{"Ada Lovelace", "Admiral"}), names("q=+"));
    }

    void searchesWithoutAccents()
    {
        created(R"({"firstName":"Søren","lastName":"Ångström"})");
        created(R"({"firstName":"Ελένη","lastName":"Йован"})");
        CPPUNIT_ASSERT_EQUAL(Names{"Søren Ångström"}, names("q=soren+ANGSTROM"));
        CPPUNIT_ASSERT_EQUAL(Names{"Søren Ångström"}, names("q=%C3%85ngstr%C3%B6m"));
        CPPUNIT_ASSERT_EQUAL(Names{"Ελένη Йован"}, names("q=%CE%95%CE%BB%CE%B5%CE%BD")); // Ελεν
        CPPUNIT_ASSERT_EQUAL(Names{"Ελένη Йован"}, names("q=%D0%B9%D0%9E"));             // йО
    }

    void searchesNumbers()
    {
        created(R"({"firstName":"A","phones":[{"number":"+49 (0)170 123-4567"}]})");
        created(R"({"firstName":"B","phones":[{"number":"030 555 12"}]})");
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("q=0170+123"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("q=%2B49170"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("q=0049-170"));
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, names("q=4567"));
        CPPUNIT_ASSERT_EQUAL(Names{"B"}, names("q=(030)+555"));
        CPPUNIT_ASSERT_EQUAL(Names{}, names("q=999"));
    }

    void takesSearchesLiterally()
    {
        created(R"({"firstName":"100%","lastName":"\"AND\"_\\x"})");
        newContact("plain text");
        for (const auto* query : {"q=00%25", "q=100%25", "q=%22and%22_", "q=_%5Cx", "q=%22", "q=_", "q=%25", "q=%5C"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::size_t{1}, names(query).size());
        for (const auto* query : {"q=plain+OR+x", "q=pla*", "q=text%3Aplain", "q=NOT+plain", "q=%27%3B--", "q=(plain"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, Names{}, names(query));
    }

    void sortsWithoutCase()
    {
        for (const auto* name : {"zeta", "Ähre", "alpha", "Beta", "ähnlich", "_x", "Ωmega", "éclair", "ÉCLAT", "beta b", "10", "9"})
            newContact(name);
        // The same on both engines, whatever the locale of the database.
        CPPUNIT_ASSERT_EQUAL((Names{"10", "9", "_x", "ähnlich", "Ähre", "alpha", "Beta", "beta b", "éclair", "ÉCLAT", "zeta", "Ωmega"}),
                             names("sort=displayName"));
        auto backwards = names("sort=-displayName");
        std::reverse(backwards.begin(), backwards.end());
        CPPUNIT_ASSERT_EQUAL(names(""), backwards);
    }

    void sortsByEverySort()
    {
        const auto first = created(R"({"firstName":"C","lastName":"a"})").id();
        clock().advance(std::chrono::seconds(1));
        created(R"({"firstName":"B","lastName":"Ä2"})");
        clock().advance(std::chrono::seconds(1));
        created(R"({"firstName":"A","lastName":"c"})");
        clock().advance(std::chrono::seconds(1));
        client->put(owner, "/api/contacts/" + first, R"({"jobTitle":"x"})");
        const Names abc{"A c", "B Ä2", "C a"}, cba{"C a", "B Ä2", "A c"};
        CPPUNIT_ASSERT_EQUAL(abc, names("sort=displayName"));
        CPPUNIT_ASSERT_EQUAL(cba, names("sort=createdAt"));
        CPPUNIT_ASSERT_EQUAL(abc, names("sort=-createdAt"));
        CPPUNIT_ASSERT_EQUAL((Names{"B Ä2", "A c", "C a"}), names("sort=updatedAt"));
        CPPUNIT_ASSERT_EQUAL((Names{"C a", "A c", "B Ä2"}), names("sort=-updatedAt"));
        CPPUNIT_ASSERT_EQUAL(cba, names("sort=lastName"));
        CPPUNIT_ASSERT_EQUAL(abc, names("sort=-lastName"));
    }

    void pagesThroughEqualNames()
    {
        for (int i = 0; i < 7; ++i) newContact("Same");
        const auto pages = allPages("limit=2");
        CPPUNIT_ASSERT_EQUAL(std::size_t{7}, pages.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{7}, std::set<std::string>(pages.begin(), pages.end()).size());
        CPPUNIT_ASSERT(std::is_sorted(pages.begin(), pages.end()));
    }

    void pagesInEverySort()
    {
        for (int i = 0; i < 9; ++i)
        {
            created(R"({"firstName":"F)" + std::to_string(i * 7 % 9) + R"(","lastName":"line\nbreak"})");
            if (i % 2 == 0) clock().advance(std::chrono::milliseconds(1));
        }
        for (const auto* sort :
             {"displayName", "-displayName", "createdAt", "-createdAt", "updatedAt", "-updatedAt", "lastName", "-lastName"})
        {
            const auto query = "sort=" + std::string(sort);
            std::vector<std::string> whole;
            const auto answer = list(query);
            for (const auto& item : answer["items"].as_array()) whole.emplace_back(item.at("id").as_string());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sort, whole, allPages(query + "&limit=4"));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(sort, whole, allPages(query + "&limit=9"));
        }
    }

    void pagesWhileContactsAreAdded()
    {
        std::set<std::string> before;
        for (int i = 0; i < 40; ++i) before.insert(newContact("P" + std::to_string(i * 37 % 40)));
        std::jthread writer(
            [&](const std::stop_token& stop)
            {
                for (int i = 0; !stop.stop_requested(); ++i)
                    client->post(owner, "/api/contacts", R"({"firstName":"P)" + std::to_string(i % 50) + "x\"}");
            });
        std::vector<std::vector<std::string>> walks;
        for (const auto* sort : {"displayName", "-displayName", "createdAt", "-createdAt"})
            walks.push_back(allPages("limit=3&sort=" + std::string(sort), 400));
        writer.request_stop();
        writer.join();
        for (const auto& walk : walks)
        {
            const std::set<std::string> seen(walk.begin(), walk.end());
            CPPUNIT_ASSERT_EQUAL_MESSAGE("nothing twice", walk.size(), seen.size());
            CPPUNIT_ASSERT_MESSAGE("nothing left out", std::includes(seen.begin(), seen.end(), before.begin(), before.end()));
        }
    }

    void bindsCursors()
    {
        for (int i = 0; i < 3; ++i) newContact("N" + std::to_string(i));
        const auto cursor = list("limit=1&q=N").text("nextCursor");
        CPPUNIT_ASSERT_EQUAL(200, list("limit=2&q=N&cursor=" + cursor).status);
        for (const auto& query :
             {"limit=1&q=M&cursor=" + cursor, "limit=1&cursor=" + cursor, "limit=1&q=N&sort=-displayName&cursor=" + cursor,
              "limit=1&q=N&cursor=" + cursor + "A", std::string("limit=1&q=N&cursor=x")})
        {
            const auto answer = list(query);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, 400, answer.status);
            CPPUNIT_ASSERT_EQUAL(std::string("invalid_cursor"), answer.code());
        }
        CPPUNIT_ASSERT_EQUAL(400, client->get(stranger, "/api/contacts?limit=1&q=N&cursor=" + cursor).status);
    }

    void counts()
    {
        for (int i = 0; i < 5; ++i) created(R"({"firstName":"N)" + std::to_string(i) + (i < 3 ? R"(","tags":["x"]})" : "\"}"));
        const auto page = list("limit=2&tag=x&include=total");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, page.number("total"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, page["items"].as_array().size());
        const auto last = list("limit=2&tag=x&include=total&cursor=" + page.text("nextCursor"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, last.number("total"));
        CPPUNIT_ASSERT(last["nextCursor"].is_null());
        CPPUNIT_ASSERT(!list("limit=2").body.as_object().contains("total"));
    }

private:
    /// Ids of all pages, in their order.
    std::vector<std::string> allPages(const std::string& query, int most = 100) const
    {
        std::vector<std::string> ids;
        std::string cursor;
        while (most-- > 0)
        {
            const auto page = list(query + cursor);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(page.body), 200, page.status);
            for (const auto& item : page["items"].as_array()) ids.emplace_back(item.at("id").as_string());
            if (page["nextCursor"].is_null()) break;
            cursor = "&cursor=" + page.text("nextCursor");
        }
        return ids;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ContactListTest);

} // namespace portico::tests
